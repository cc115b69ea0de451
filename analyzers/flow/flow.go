// Package flow is an abstract interpreter for Python programs that use JAX. It computes values (constants, meshes, specs,
// shardings, arrays, functions) and records the calls that matter together with the regions they stand in. What it cannot
// know is [Unknown], and unknown is infectious.
package flow

import "github.com/shardls/shardls/pyparse"

// Program is every file of a workspace that can be interpreted together.
type Program struct {
	Files map[string]*File
}

// File is one interpreted file.
type File struct {
	Syntax *pyparse.File
}

// Release is a JAX release. Assumed is true when nothing in the workspace names one and the newest known is taken.
type Release struct {
	Major, Minor, Patch int
	Assumed             bool
}
