package flow

import (
	"bytes"
	"sort"

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

// relevance tells which functions of a file can have anything to say: those that hold a word, and those that use one of these by
// name. Only they are worth a call that the program does not make itself.
type relevance struct {
	file  *pyparse.File
	words []int           // offsets of words, ascending
	names map[string]bool // functions that hold a word, directly or through others
}

// maxRelevanceRounds bounds how long a chain of callers is followed.
const maxRelevanceRounds = 6

// newRelevance looks for words in a file; imported are names of it that stand for something of a file with such words.
func newRelevance(file *pyparse.File, words []string, imported map[string]bool) *relevance {
	r := &relevance{file: file, names: imported}
	for _, w := range words {
		for at := 0; ; at++ {
			i := bytes.Index(file.Source[at:], []byte(w))
			if i < 0 {
				break
			}
			at += i
			r.words = append(r.words, at)
		}
	}
	sort.Ints(r.words)
	for range maxRelevanceRounds {
		if !r.spread() {
			break
		}
	}
	return r
}

// spread names the functions that hold a word and adds the places where they are used to the words. It reports whether there was
// anything new.
func (r *relevance) spread() bool {
	before := len(r.names)
	for i := range r.file.Nodes {
		n := pyparse.NodeID(i)
		if r.file.Is(n, pyparse.KindFunctionDefinition, pyparse.KindClassDefinition) && r.in(n) {
			name, _ := r.file.Name(n)
			r.names[name] = true
		}
	}
	if len(r.names) == before {
		return false
	}
	found := len(r.words)
	for i := range r.file.Nodes {
		n := pyparse.NodeID(i)
		if r.file.Is(n, pyparse.KindIdentifier) && r.names[r.file.Text(n)] {
			start, _ := r.file.Span(n)
			r.words = append(r.words, start)
		}
	}
	sort.Ints(r.words)
	return len(r.words) > found
}

// in reports whether a word stands in n.
func (r *relevance) in(n pyparse.NodeID) bool {
	start, end := r.file.Span(n)
	i := sort.SearchInts(r.words, start)
	return i < len(r.words) && r.words[i] < end
}

// relevant reports whether the function at n, or the statement that makes a mapped function, is worth a call.
func (in *interp) relevant(at Ref) bool {
	if len(in.opt.Words) == 0 || !at.Valid() || at.File != in.facts.Main {
		return true
	}
	if in.words == nil {
		in.words = newRelevance(at.File.Syntax, in.opt.Words, in.relevantImports())
	}
	n := at.Node
	if p := at.File.Syntax.Parent(n); at.File.Syntax.Is(p, pyparse.KindDecoratedDefinition) {
		n = p
	}
	return in.words.in(n)
}

// relevantImports are the names that the main file imports from files that hold words, as far as these have been parsed: the
// others hold none.
func (in *interp) relevantImports() map[string]bool {
	names := map[string]bool{}
	main := in.facts.Main.Syntax
	for _, imp := range main.Imports {
		for _, module := range [...]string{imp.Module, join(imp.Module, imp.Name)} {
			if f := in.find(main.Path, imp.Level, module); f != nil && f.Syntax != nil && imp.Bound != "" {
				names[imp.Bound] = true
			}
		}
	}
	return names
}
