package lsp

import (
	"cmp"
	"slices"

	"github.com/shardls/shardls/analyzers/flow"
)

// axisUse is one literal that names a mesh axis, by the path of its file.
type axisUse struct {
	path string
	flow.AxisUse
}

// axes are the uses of mesh axes in the whole workspace, by path and place, each literal once.
func (a *analysis) axes() []axisUse {
	if a.workspace == nil {
		return nil
	}
	return a.axisUses()
}

func axesOf(a *analysis) []axisUse {
	type place struct {
		path  string
		start int
	}
	seen := map[place]int{}
	var uses []axisUse
	for _, f := range a.workspace.Files {
		// A file's facts name literals of the files that it imports too.
		for _, u := range f.Facts().AxisUses() {
			use := axisUse{u.At.File.Syntax.Path, u}
			at := place{use.path, use.Start}
			if i, ok := seen[at]; ok {
				uses[i].Declares = uses[i].Declares || use.Declares
				continue
			}
			seen[at] = len(uses)
			uses = append(uses, use)
		}
	}
	slices.SortFunc(uses, func(x, y axisUse) int { return cmp.Or(cmp.Compare(x.path, y.path), cmp.Compare(x.Start, y.Start)) })
	return uses
}

// axisAt is the use whose name an offset touches.
func (a *analysis) axisAt(path string, offset int) (axisUse, bool) {
	for _, u := range a.axes() {
		if u.path == path && u.Start <= offset && offset <= u.End {
			return u, true
		}
	}
	return axisUse{}, false
}

// named are the uses of one name.
func (a *analysis) named(name string) []axisUse {
	var out []axisUse
	for _, u := range a.axes() {
		if u.Name == name {
			out = append(out, u)
		}
	}
	return out
}
