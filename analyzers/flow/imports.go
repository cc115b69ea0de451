package flow

import (
	"math"
	"sort"
	"strings"

	"github.com/shardls/shardls/pyparse"
)

// importStatement binds what an import names: files of the workspace where the loader finds them, library names otherwise.
func (in *interp) importStatement(n pyparse.NodeID) {
	s := in.frame.file.Syntax
	all, found := s.Imports, in.resolvedImports(s)
	// Imports are in the order of the source, as nodes are numbered.
	first := sort.Search(len(all), func(i int) bool { return all[i].Statement >= n })
	for i := first; i < len(all) && all[i].Statement == n; i++ {
		if in.tracking == 0 || all[i].Name != "*" {
			in.importOne(s, &all[i], &found[i])
		}
	}
}

// imported are the files of the workspace that the parts of one import may mean, nil where there is none.
type imported struct {
	module *File // what it imports from, or imports
	member *File // the imported name as a module
	bound  *File // the bound name as a module
	around []around
}

// around is a package around a module that is imported: it runs before the module does.
type around struct {
	file *File
	name string
}

// resolvedImports finds the files that the imports of a file mean. It is found out once for all that run the file.
func (in *interp) resolvedImports(s *pyparse.File) []imported {
	if in.importer == s { // one statement follows the other
		return in.resolved
	}
	in.importer, in.resolved = s, in.resolvedByAny(s)
	return in.resolved
}

// resolvedByAny returns what the imports of a file mean from whoever has found it out.
func (in *interp) resolvedByAny(s *pyparse.File) []imported {
	p, ok := in.opt.Loader.(*Program)
	if !ok {
		return in.resolveImports(s)
	}
	if v, known := p.resolved.Load(s); known {
		return v.([]imported)
	}
	v, _ := p.resolved.LoadOrStore(s, in.resolveImports(s))
	return v.([]imported)
}

func (in *interp) resolveImports(s *pyparse.File) []imported {
	out := make([]imported, len(s.Imports))
	for i := range s.Imports {
		imp := &s.Imports[i]
		out[i].module = in.find(s.Path, imp.Level, imp.Module)
		switch {
		case imp.Name == "":
			out[i].bound = in.find(s.Path, 0, imp.Bound)
		case !imp.Star():
			out[i].member = in.find(s.Path, imp.Level, join(imp.Module, imp.Name))
			if out[i].module != nil || out[i].member != nil || imp.Level > 0 {
				out[i].around = in.packagesAround(nil, s.Path, imp.Level, imp.Module)
			}
		}
	}
	return out
}

// packagesAround adds the packages around a module to a list, the outermost first.
func (in *interp) packagesAround(list []around, from string, level int, name string) []around {
	parent := parentName(name)
	if parent == "" && (level == 0 || name == "") {
		return list
	}
	list = in.packagesAround(list, from, level, parent)
	if f := in.find(from, level, parent); f != nil {
		list = append(list, around{f, parent})
	}
	return list
}

func (in *interp) importOne(s *pyparse.File, imp *pyparse.Import, found *imported) {
	switch {
	case imp.Name == "":
		in.importModule(s, imp, found)
	case imp.Star():
		in.importStar(s, imp)
	case found.module != nil, imp.Level > 0, found.member != nil:
		in.bindName(imp.Bound, in.deferred(func() Value { return in.importedName(imp, found) }))
	default:
		path := imp.Module + "." + imp.Name
		in.noteMissing(path)
		in.recordName(path, in.ref(imp.Node), true)
		in.bindName(imp.Bound, in.constantOf(ext(path)))
	}
}

func (in *interp) importModule(s *pyparse.File, imp *pyparse.Import, found *imported) {
	if (imp.Alias != pyparse.None || !strings.Contains(imp.Module, ".")) && found.module != nil {
		in.bindModule(imp.Bound, s.Path, imp.Module)
		return
	}
	in.noteMissing(imp.Module)
	in.recordName(imp.Module, in.ref(imp.Node), true)
	switch {
	case imp.Alias != pyparse.None:
		in.bindName(imp.Bound, ext(imp.Module))
	case found.bound != nil:
		in.bindModule(imp.Bound, s.Path, imp.Bound)
	case found.module != nil:
		in.bindName(imp.Bound, in.namespace(s, imp))
	default:
		in.bindName(imp.Bound, ext(imp.Bound))
	}
}

// bindModule binds a module of the workspace that an absolute import in the file at from names.
func (in *interp) bindModule(bound, from, module string) {
	in.bindName(bound, in.deferredModule(from, module))
}

// deferredModule is a module that an absolute import in the file at from names, run when it is first used.
func (in *interp) deferredModule(from, module string) *deferred {
	return in.deferred(func() Value {
		if m := in.load(from, 0, module); m != nil {
			return m
		}
		return Unknown{}
	})
}

// namespace is a package without a file of its own, as far as an import names what is in it: for import a.b.c a module a, which holds
// what earlier imports of the file named as well.
func (in *interp) namespace(s *pyparse.File, imp *pyparse.Import) *Module {
	top, ok := in.frame.env.get(imp.Bound).(*Module)
	if !ok || top.File != nil {
		top = &Module{env: in.newEnv(nil, 1)}
	}
	parts := splitDots(imp.Module)
	at := top
	for i, name := range parts[1:] {
		module := strings.Join(parts[:i+2], ".")
		inner, isSpace := at.env.get(name).(*Module)
		switch {
		case in.find(s.Path, 0, module) != nil:
			at.env.set(name, in.deferredModule(s.Path, module))
			return top // what is below it is found as an attribute of it
		case !isSpace:
			inner = &Module{env: in.newEnv(nil, 1)}
			at.env.set(name, inner)
		}
		at = inner
	}
	return top
}

// importStar runs the module at once: its names are not known before.
func (in *interp) importStar(s *pyparse.File, imp *pyparse.Import) {
	m := in.load(s.Path, imp.Level, imp.Module)
	if m == nil {
		if imp.Level == 0 {
			for _, name := range tables().exports[imp.Module] {
				if path := imp.Module + "." + name; Exists(path, in.rel) {
					in.bindName(name, in.constantOf(ext(path)))
				}
			}
		}
		return
	}
	for _, v := range m.env.vars {
		if v.value != nil && !strings.HasPrefix(v.name, "_") {
			in.bindName(v.name, v.value)
		}
	}
}

// importedName is the value of a name that is imported from a file of the workspace: what the module binds, or else a module below it.
func (in *interp) importedName(imp *pyparse.Import, found *imported) Value {
	for _, p := range found.around {
		in.runImported(p.file, p.name)
	}
	if m := in.runImported(found.module, imp.Module); m != nil {
		if v := force(m.env.get(imp.Name)); v != nil {
			return v
		}
	}
	if sub := in.runImported(found.member, join(imp.Module, imp.Name)); sub != nil {
		return sub
	}
	return Unknown{}
}

// deferred is an imported name whose file is run when the name is first used: most names that a file imports play no part in what
// is asked about it.
type deferred struct {
	resolve func() Value
	known   Value
}

func (*deferred) value() {}

func (in *interp) deferred(resolve func() Value) *deferred { return &deferred{resolve: resolve} }

// force returns what a name stands for, and runs the file it was imported from where that has not been done. In a cycle of imports
// a name is unknown until its file has been run.
func force(v Value) Value {
	d, ok := v.(*deferred)
	if !ok {
		return v
	}
	if d.known == nil {
		d.known = Unknown{}
		d.known = force(d.resolve())
	}
	return d.known
}

func join(module, name string) string {
	if module == "" {
		return name
	}
	return module + "." + name
}

func (in *interp) find(from string, level int, name string) *File {
	if in.opt.Loader == nil || level == 0 && name == "" {
		return nil
	}
	return in.opt.Loader.Module(from, level, name)
}

// load finds and runs a module of the workspace, nil where there is none. Python runs a package before the modules in it.
func (in *interp) load(from string, level int, name string) *Module {
	for _, p := range in.packagesAround(nil, from, level, name) {
		in.runImported(p.file, p.name)
	}
	return in.runImported(in.find(from, level, name), name)
}

// runImported runs a file for an import, if there is one, and if that has not been done. A module that is still being run, in a cycle
// of imports, is given as it is.
func (in *interp) runImported(found *File, name string) *Module {
	if found == nil {
		return nil
	}
	if m, ok := in.modules[found]; ok {
		return m
	}
	if len(in.modules) >= maxModules {
		return nil
	}
	syntax := found.Tree()
	if syntax == in.facts.Main.Syntax {
		return in.modules[in.main()]
	}
	f := &File{Syntax: syntax}
	in.facts.Files[syntax.Path] = f
	tracking, journal, missing, guarded := in.tracking, in.journal, in.missing, in.guarded
	in.tracking, in.journal, in.guarded = 0, nil, 0
	in.importing++
	m := in.module(found, f, name)
	in.importing--
	in.tracking, in.journal, in.missing, in.guarded = tracking, journal, missing, guarded
	return m
}

// noteMissing remembers that the target release lacks a name, for the except ImportError clause around it.
func (in *interp) noteMissing(path string) {
	in.missing = in.missing || in.lacks(path)
}

// lacks reports whether the target release does not have a name.
func (in *interp) lacks(path string) bool {
	for p := path; p != ""; p = parentName(p) {
		if !Exists(p, in.rel) {
			return true
		}
	}
	return false
}

func parentName(p string) string {
	i := strings.LastIndexByte(p, '.')
	if i < 0 {
		return ""
	}
	return p[:i]
}

func splitDots(name string) []string { return strings.Split(name, ".") }

func (e *Ext) path() string {
	if e.Path != "" {
		return e.Path
	}
	return e.Name
}

// recordName records that the program mentions a library name, for rules about removed names.
func (in *interp) recordName(path string, at Ref, imported bool) {
	if !strings.HasPrefix(path, "jax") {
		return
	}
	in.facts.Mentions = append(roomy(in.facts.Mentions), Mention{Path: path, At: at, Import: imported, Guarded: in.guarded > 0})
}

// constantOf turns library names that are constants into their values.
func (in *interp) constantOf(e *Ext) Value {
	name := e.Name
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		switch name[:i] {
		case "jax.numpy", "numpy", "ml_dtypes", "jax.dtypes":
			if canonical := canonicalDType(name[i+1:]); canonical != "" {
				if _, ok := dtypeOf(canonical); ok {
					return &DType{Name: canonical}
				}
			}
		}
	}
	switch name {
	case "jax.__version_info__", "jax.version.__version_info__":
		return &Tuple{Elems: []Value{Int(in.rel.Major), Int(in.rel.Minor), Int(in.rel.Patch)}}
	case "jax.__version__", "jax.version.__version__":
		return &Str{S: in.rel.String()}
	case "math.pi", "numpy.pi", "jax.numpy.pi":
		return Float(3.141592653589793)
	case "math.inf", "numpy.inf", "jax.numpy.inf":
		return Float(math.Inf(1))
	case trainStateName:
		return in.trainState()
	case "numpy.newaxis", "jax.numpy.newaxis":
		return None{}
	case "jax.sharding.AxisType.Auto", "jax.sharding.AxisType.Explicit", "jax.sharding.AxisType.Manual":
		return e
	}
	return e
}
