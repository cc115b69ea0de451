// Package link joins the facts of Python sources to compiled modules: frames to files, functions to modules, replica
// groups to mesh axes, and lines of a dump to the lines of today.
package link

import "github.com/shardls/shardls/hlomap"

// Module is a compiled module joined to the sources of a workspace.
type Module struct {
	Name        string
	Path        string
	Stage       hlomap.Stage
	Backend     string
	Collectives []hlomap.Collective
	Gradients   *hlomap.Gradients
}
