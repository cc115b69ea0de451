package flow

import (
	"strings"

	"github.com/shardls/shardls/pyparse"
)

// importStatement binds what an import names: files of the workspace where the loader finds them, library names otherwise.
func (in *interp) importStatement(n pyparse.NodeID) {
	s := in.frame.file.Syntax
	for _, imp := range in.importsAt(n) {
		if in.tracking == 0 || imp.Name != "*" {
			in.importOne(s, imp)
		}
	}
}

func (in *interp) importsAt(n pyparse.NodeID) []pyparse.Import {
	var out []pyparse.Import
	for _, imp := range in.frame.file.Syntax.Imports {
		if imp.Statement == n {
			out = append(out, imp)
		}
	}
	return out
}

func (in *interp) importOne(s *pyparse.File, imp pyparse.Import) {
	if imp.Name == "" {
		in.importModule(s, imp)
		return
	}
	if m := in.load(s.Path, imp.Level, imp.Module); m != nil {
		in.importFrom(m, s, imp)
		return
	}
	if imp.Level > 0 {
		if sub := in.load(s.Path, imp.Level, join(imp.Module, imp.Name)); sub != nil {
			in.bindName(imp.Bound, sub)
			return
		}
		in.bindName(imp.Bound, Unknown{})
		return
	}
	if sub := in.load(s.Path, 0, imp.Module+"."+imp.Name); sub != nil {
		in.bindName(imp.Bound, sub)
		return
	}
	if imp.Star() {
		return
	}
	path := imp.Module + "." + imp.Name
	in.noteMissing(path)
	in.recordName(path, in.ref(imp.Node), "import")
	in.bindName(imp.Bound, in.constantOf(ext(path)))
}

func (in *interp) importModule(s *pyparse.File, imp pyparse.Import) {
	if m := in.load(s.Path, 0, imp.Module); m != nil && (imp.Alias != pyparse.None || !strings.Contains(imp.Module, ".")) {
		in.bindName(imp.Bound, m)
		return
	}
	in.noteMissing(imp.Module)
	in.recordName(imp.Module, in.ref(imp.Node), "import")
	if imp.Alias != pyparse.None {
		in.bindName(imp.Bound, ext(imp.Module))
		return
	}
	if in.opt.Loader != nil && in.opt.Loader.Module(s.Path, 0, imp.Bound) != nil {
		in.bindName(imp.Bound, in.load(s.Path, 0, imp.Bound))
		return
	}
	in.bindName(imp.Bound, ext(imp.Bound))
}

func (in *interp) importFrom(m *Module, s *pyparse.File, imp pyparse.Import) {
	if imp.Star() {
		for name, v := range m.env.vars {
			if !strings.HasPrefix(name, "_") {
				in.bindName(name, v)
			}
		}
		return
	}
	if v, ok := m.env.vars[imp.Name]; ok && v != nil {
		in.bindName(imp.Bound, v)
		return
	}
	if sub := in.load(s.Path, imp.Level, join(imp.Module, imp.Name)); sub != nil {
		in.bindName(imp.Bound, sub)
		return
	}
	in.bindName(imp.Bound, Unknown{})
}

func join(module, name string) string {
	if module == "" {
		return name
	}
	return module + "." + name
}

// load finds and runs a module of the workspace. A module that is still being run, in a cycle of imports, is given as it is.
func (in *interp) load(from string, level int, name string) *Module {
	if in.opt.Loader == nil || level == 0 && name == "" {
		return nil
	}
	syntax := in.opt.Loader.Module(from, level, name)
	if syntax == nil {
		return nil
	}
	if m, ok := in.modules[syntax]; ok {
		return m
	}
	if len(in.modules) >= maxModules || syntax == in.facts.Main.Syntax {
		return nil
	}
	f := &File{Syntax: syntax}
	in.facts.Files[syntax.Path] = f
	tracking, journal := in.tracking, in.journal
	in.tracking, in.journal = 0, nil
	m := in.module(f, name)
	in.tracking, in.journal = tracking, journal
	return m
}

// noteMissing remembers that the target release lacks a name, for the except ImportError clause around it.
func (in *interp) noteMissing(path string) {
	for p := path; p != ""; p = parentName(p) {
		if !Exists(p, in.rel) {
			in.missing = true
			return
		}
	}
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
func (in *interp) recordName(path string, at Ref, how string) {
	if !strings.HasPrefix(path, "jax") {
		return
	}
	in.facts.Mentions = append(in.facts.Mentions, Mention{Path: path, At: at, How: how, Guarded: in.guarded > 0, Func: in.frame.fn})
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
	case "numpy.newaxis", "jax.numpy.newaxis":
		return None{}
	case "jax.sharding.AxisType.Auto", "jax.sharding.AxisType.Explicit", "jax.sharding.AxisType.Manual":
		return e
	}
	return e
}
