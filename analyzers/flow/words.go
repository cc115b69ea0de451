package flow

import (
	"slices"
	"sync/atomic"

	"github.com/shardls/shardls/pyparse"
)

// Words returns the byte strings without which a file says nothing about sharding: it makes no mesh, spec or sharding, constrains
// nothing, maps nothing over devices and calls no collective. Rules that look at anything else name their own.
func Words() []string {
	return []string{
		"PartitionSpec", "NamedSharding", "Sharding(", "sharding_constraint", "shard_map", "Mesh(", "make_mesh", "set_mesh", "use_mesh",
		"device_mesh", "abstract_mesh", "_shardings", "pjit", "psum", "pmean", "pmax(", "pmin(", "all_gather", "all_to_all", "ppermute",
		"axis_index", "axis_name", "lax.pcast", "pvary", "reshard(", "with_partitioning", "with_logical", "logical_axis", "jax.pmap",
		"import pmap", "auto_axes", "explicit_axes",
	}
}

// FileWords returns the byte strings of which a file without any of [Words] holds one when it uses what files with them do, such as
// a helper that makes shardings.
func FileWords() []string { return []string{"jax", "mesh", "shard"} }

// relevance tells which functions of a file can have anything to say: those that hold a word, and those that use one of these by
// name. Only they are worth a call that the program does not make itself, and of the others only small ones are worth running
// for their result.
type relevance struct {
	file  *pyparse.File
	words []int           // offsets of words, ascending
	inert []atomic.Uint32 // by node, two bits each: looked at, and not worth running; shared by all who interpret the file
}

const (
	// maxRelevanceRounds bounds how long a chain of callers is followed.
	maxRelevanceRounds = 6
	// smallFunction is the size in nodes up to which a function is run for its result alone.
	smallFunction = 500
)

// definition is a function, a class or a name assigned at module level.
type definition struct {
	name  int // in uses
	node  pyparse.NodeID
	named bool // its uses count as words
}

// uses are the names that matter in a file and where they stand.
type uses struct {
	names   map[string]int
	offsets [][]int // by name, ascending
}

// number gives a name its number.
func (u *uses) number(name string) int {
	i, known := u.names[name]
	if !known {
		i = len(u.names)
		u.names[name] = i
	}
	return i
}

// newRelevance looks for words in a file; names are those that stand for something of another file with such words.
func newRelevance(file *pyparse.File, words *pyparse.Prefilter, names map[string]bool) *relevance {
	r := &relevance{file: file, inert: make([]atomic.Uint32, len(file.Nodes)/16+1), words: words.Offsets(pyparse.Code(nil, file.Source))}
	if len(r.words) == 0 && len(names) == 0 {
		return r
	}
	r.aliases(names)
	u := &uses{names: map[string]int{}}
	definitions := r.definitions(u)
	for name := range names {
		u.number(name)
	}
	r.locate(u)
	for name := range names {
		r.words = append(r.words, u.offsets[u.names[name]]...)
	}
	slices.Sort(r.words)
	for range maxRelevanceRounds {
		if !r.spread(definitions, u) {
			break
		}
	}
	return r
}

// aliases adds the names under which a file imports what has a word in its own name, as in "PartitionSpec as P".
func (r *relevance) aliases(names map[string]bool) {
	for i := range r.file.Imports {
		imported := &r.file.Imports[i]
		if imported.Alias == pyparse.None {
			continue
		}
		start, _ := r.file.Span(imported.Node)
		_, end := r.file.Span(imported.Alias)
		if at, _ := slices.BinarySearch(r.words, start); at < len(r.words) && r.words[at] < end {
			names[imported.Bound] = true
		}
	}
}

// definitions lists the definitions of the file.
func (r *relevance) definitions(u *uses) []definition {
	var list []definition
	for i := range r.file.Nodes {
		n := pyparse.NodeID(i)
		switch r.file.Nodes[i].Kind {
		case pyparse.KindFunctionDefinition, pyparse.KindClassDefinition:
			name, _ := r.file.Name(n)
			list = append(list, definition{name: u.number(name), node: n})
		case pyparse.KindAssignment:
			if left := r.file.Child(n, pyparse.FieldLeft); r.file.Is(left, pyparse.KindIdentifier) && r.file.Parent(r.file.Parent(n)) == 0 {
				list = append(list, definition{name: u.number(r.file.Text(left)), node: n})
			}
		}
	}
	return list
}

// locate finds where the identifiers of the file are that have one of the names.
func (r *relevance) locate(u *uses) {
	type use struct{ name, at int }
	var found []use
	counts := make([]int, len(u.names))
	for i := range r.file.Nodes {
		if r.file.Nodes[i].Kind != pyparse.KindIdentifier {
			continue
		}
		if name, ok := u.names[r.file.Text(pyparse.NodeID(i))]; ok {
			found = append(found, use{name, int(r.file.Nodes[i].Start)})
			counts[name]++
		}
	}
	u.offsets = make([][]int, len(counts))
	all := make([]int, len(found))
	for name, count := range counts {
		u.offsets[name], all = all[:0:count], all[count:]
	}
	for _, f := range found {
		u.offsets[f.name] = append(u.offsets[f.name], f.at)
	}
}

// spread adds the places that use a definition with a word to the words. It reports whether there was anything new.
func (r *relevance) spread(definitions []definition, u *uses) bool {
	found := len(r.words)
	for i := range definitions {
		d := &definitions[i]
		if !d.named && r.in(d.node) {
			d.named = true
			r.words = append(r.words, u.offsets[d.name]...)
			u.offsets[d.name] = nil
		}
	}
	if len(r.words) == found {
		return false
	}
	slices.Sort(r.words)
	return true
}

// in reports whether a word stands in n.
func (r *relevance) in(n pyparse.NodeID) bool {
	start, end := r.file.Span(n)
	i, _ := slices.BinarySearch(r.words, start)
	return i < len(r.words) && r.words[i] < end
}

// decorated is the definition at n with its decorators.
func (r *relevance) decorated(n pyparse.NodeID) pyparse.NodeID {
	if p := r.file.Parent(n); r.file.Is(p, pyparse.KindDecoratedDefinition) {
		return p
	}
	return n
}

// skippable reports whether a function is not worth running for its result: it has nothing to do with any word, is not small, and
// leaves no traces in objects or scopes around it.
func (r *relevance) skippable(n pyparse.NodeID) bool {
	word, shift := &r.inert[n/16], 2*(n%16)
	if known := word.Load() >> shift; known&1 != 0 {
		return known&2 != 0
	}
	inert := int(r.file.Nodes[n].Next)-int(n) > smallFunction && !r.in(r.decorated(n)) && !r.leavesTraces(n)
	if inert {
		word.Or(3 << shift)
	} else {
		word.Or(1 << shift)
	}
	return inert
}

func (r *relevance) leavesTraces(function pyparse.NodeID) bool {
	for n := range r.file.Descendants(function) {
		switch r.file.KindOf(n) {
		case pyparse.KindGlobalStatement, pyparse.KindNonlocalStatement:
			return true
		case pyparse.KindAssignment, pyparse.KindAugmentedAssignment:
			if r.file.Is(r.file.Child(n, pyparse.FieldLeft), pyparse.KindAttribute) {
				return true
			}
		}
	}
	return false
}

// wordFilter looks for the words of the options, and is made once for a program.
func (in *interp) wordFilter() *pyparse.Prefilter {
	p, ok := in.opt.Loader.(*Program)
	if !ok {
		return pyparse.NewPrefilter(in.opt.Words)
	}
	p.filterOnce.Do(func() { p.filter = pyparse.NewPrefilter(in.opt.Words) })
	return p.filter
}

// relevanceOf looks at a file when it is first asked about.
func (in *interp) relevanceOf(f *File) *relevance {
	r := in.words[f.Syntax]
	if r != nil {
		return r
	}
	make := func() *relevance { return newRelevance(f.Syntax, in.wordFilter(), in.relevantImports(f.Syntax)) }
	if p, ok := in.opt.Loader.(*Program); ok {
		r = p.relevanceOf(f.Syntax, make)
	} else {
		r = make()
	}
	in.words[f.Syntax] = r
	return r
}

// relevant reports whether the function at n, or the statement that makes a mapped function, is worth a call.
func (in *interp) relevant(at Ref) bool {
	if len(in.opt.Words) == 0 || !at.Valid() {
		return true
	}
	r := in.relevanceOf(at.File)
	return r.in(r.decorated(at.Node))
}

// skips reports whether a call of fn that the program makes is not worth following: what it returns under a trace, or from arrays
// and shardings that are known, may matter to what comes after.
func (in *interp) skips(fn *Func, c *Call) bool {
	if len(in.opt.Words) == 0 || in.region.Traced() || informed(c) {
		return false
	}
	return fn.At.Valid() && fn.Name != "__init__" && in.relevanceOf(fn.At.File).skippable(fn.At.Node)
}

// informed reports whether an argument of a call is an array, a mesh or a layout.
func informed(c *Call) bool {
	for _, list := range [2][]Arg{c.Pos, c.Kw} {
		for _, a := range list {
			if holdsLayout(a.Value) {
				return true
			}
		}
	}
	return false
}

// holdsLayout reports whether one of the leaves of v is an array, a mesh or a layout.
func holdsLayout(v Value) bool { return holdsLayoutBelow(v, 0) }

func holdsLayoutBelow(v Value, depth int) bool {
	if depth > maxTreeDepth {
		return false
	}
	below := func(v Value) bool { return holdsLayoutBelow(v, depth+1) }
	switch v := v.(type) {
	case *Array, *Mesh, *Spec, *Sharding, *Devices:
		return true
	case *Tuple:
		return slices.ContainsFunc(v.Elems, below)
	case *List:
		return slices.ContainsFunc(v.Elems, below)
	case *Dict:
		return slices.ContainsFunc(v.Vals, below)
	case *Instance:
		return v.isTree() && slices.ContainsFunc(v.Class.Fields, func(f *Param) bool { return below(v.Attrs[f.Name]) })
	}
	return false
}

// relevantImports are the names that a file imports from files that rules have something to say about: the others hold no words.
func (in *interp) relevantImports(file *pyparse.File) map[string]bool {
	names := map[string]bool{}
	found := in.resolvedImports(file)
	for i := range file.Imports {
		for _, f := range [...]*File{found[i].module, found[i].member} {
			if f != nil && !f.Quiet && file.Imports[i].Bound != "" {
				names[file.Imports[i].Bound] = true
			}
		}
	}
	return names
}
