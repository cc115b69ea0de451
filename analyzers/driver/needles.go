package driver

import (
	"fmt"
	"slices"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

// SuppressionNeedles returns byte strings of which every comment that suppresses something of ours holds one.
func SuppressionNeedles() []string { return []string{"shardls:", "SHD"} }

// Words returns the byte strings of which a function that nothing calls must hold at least one to be worth a call, for
// [flow.Options].
func Words(rules []*analyzers.Analyzer) []string {
	all := flow.Words()
	for _, a := range rules {
		switch {
		case a.Check == nil:
		case slices.Contains(a.Needles, ""):
			return nil
		default:
			all = append(all, a.Needles...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Needles tells from the text of files which rules have anything to say about them. Text in comments and triple-quoted strings does
// not count. It does not change and may be used from many goroutines.
type Needles struct {
	filter   *pyparse.Prefilter
	places   map[string]int // of the byte strings among the marks
	library  int            // the mark of a file that imports a library
	words    pyparse.Marks  // of files that say something about sharding
	mentions pyparse.Marks  // of files that may use what others say about it
	demands  map[*analyzers.Analyzer]*demand
}

// demand is what one rule asks of a file.
type demand struct {
	needles  pyparse.Marks   // the file holds one of these, or uses one that does; nil asks for nothing
	requires []pyparse.Marks // the file or one that it imports holds one of each of these
}

// NewNeedles gathers the needles of rules.
func NewNeedles(rules []*analyzers.Analyzer) *Needles {
	n := &Needles{places: map[string]int{}, demands: map[*analyzers.Analyzer]*demand{}}
	var texts []string
	for _, list := range needleLists(rules) {
		for _, text := range list {
			if _, known := n.places[text]; !known && text != "" {
				n.places[text] = len(texts)
				texts = append(texts, text)
			}
		}
	}
	n.library = len(texts)
	n.filter = pyparse.NewPrefilter(texts)
	n.words, n.mentions = n.marks(flow.Words()), n.marks(flow.Words(), flow.FileWords())
	for _, a := range rules {
		if a.Check != nil || a.Needles != nil {
			n.demands[a] = n.demandOf(a)
		}
	}
	return n
}

// needleLists are all sets of byte strings that somebody asks for.
func needleLists(rules []*analyzers.Analyzer) [][]string {
	lists := [][]string{flow.Words(), flow.FileWords()}
	for _, a := range rules {
		lists = append(lists, a.Needles)
		lists = append(lists, a.Requires...)
	}
	return lists
}

func (n *Needles) demandOf(a *analyzers.Analyzer) *demand {
	if slices.Contains(a.Needles, "") {
		return &demand{}
	}
	d := &demand{needles: n.words}
	if a.Needles != nil {
		d.needles = n.marks(a.Needles)
	}
	if !a.WithoutLibrary {
		library := n.none()
		library.Add(n.library)
		d.requires = append(d.requires, library)
	}
	for _, list := range a.Requires {
		d.requires = append(d.requires, n.marks(list))
	}
	return d
}

func (n *Needles) none() pyparse.Marks { return pyparse.NewMarks(n.library + 1) }

func (n *Needles) marks(lists ...[]string) pyparse.Marks {
	m := n.none()
	for _, list := range lists {
		for _, text := range list {
			m.Add(n.places[text])
		}
	}
	return m
}

// Outline notes what the code of a file tells, see [pyparse.Code]. Each name that a file imports counts as if it stood in a statement
// of its own.
func (n *Needles) Outline(code []byte) flow.Outline {
	o := flow.Outline{Imports: pyparse.ScanImports(code), Marks: n.none()}
	n.filter.Mark(code, o.Marks)
	var statements []byte
	for _, i := range o.Imports {
		statements = fmt.Appendf(statements, "from %s import %s\n", i.Module, i.Name)
	}
	n.filter.Mark(statements, o.Marks)
	if flow.ImportsLibrary(o.Imports) {
		o.Marks.Add(n.library)
	}
	return o
}

// AddEntry marks a file that no other one imports as one that uses what it imports: a program may start there without a word about
// sharding of its own.
func (n *Needles) AddEntry(marks pyparse.Marks) { marks.Add(n.places[flow.FileWords()[0]]) }

// Everything are the marks of a file that may hold anything.
func (n *Needles) Everything() pyparse.Marks {
	m := n.none()
	for i := range n.library + 1 {
		m.Add(i)
	}
	return m
}

// Concern reports whether a rule has anything to say about a file with the marks own that reaches files with the marks reach.
func (n *Needles) Concern(a *analyzers.Analyzer, own, reach pyparse.Marks) bool {
	d := n.demands[a]
	if d == nil {
		return false
	}
	if d.needles != nil && !d.needles.Meets(own) {
		// What it uses may run in it.
		if !d.needles.Meets(reach) || !n.mentions.Meets(own) {
			return false
		}
	}
	for _, m := range d.requires {
		if !m.Meets(reach) {
			return false
		}
	}
	return true
}

// ConcernAny reports whether any of the rules has anything to say about such a file.
func (n *Needles) ConcernAny(own, reach pyparse.Marks) bool {
	for a := range n.demands {
		if n.Concern(a, own, reach) {
			return true
		}
	}
	return false
}
