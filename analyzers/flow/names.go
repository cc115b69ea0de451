package flow

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
)

//go:embed data/aliases.json
var aliasData []byte

//go:embed data/releases.json
var releaseData []byte

//go:embed data/exports.json
var exportData []byte

// nameTables is what is known of library names: which are other names of the same thing, and in which releases of JAX those
// exist that do not exist in all.
type nameTables struct {
	aliases  map[string]string
	releases map[string]presence
	exports  map[string][]string // what `from module import *` binds (JAX 0.10.2 and what releases before it had)
}

// presence is the range of releases that have a name: from Since, before Gone. Missing ends are open.
type presence struct {
	Since, Gone Release
	HasSince    bool
	HasGone     bool
}

// tables reads the embedded data once; the result never changes.
var tables = sync.OnceValue(func() *nameTables {
	t := &nameTables{releases: map[string]presence{}}
	if err := json.Unmarshal(aliasData, &t.aliases); err != nil {
		panic(fmt.Sprintf("embedded aliases.json: %v", err))
	}
	if err := json.Unmarshal(exportData, &t.exports); err != nil {
		panic(fmt.Sprintf("embedded exports.json: %v", err))
	}
	var raw map[string]struct{ Since, Gone string }
	if err := json.Unmarshal(releaseData, &raw); err != nil {
		panic(fmt.Sprintf("embedded releases.json: %v", err))
	}
	for name, r := range raw {
		p := presence{HasSince: r.Since != "", HasGone: r.Gone != ""}
		p.Since, _ = ParseRelease("0" + r.Since)
		p.Gone, _ = ParseRelease("0" + r.Gone)
		t.releases[name] = p
	}
	return t
})

// Canonical returns the one name under which a library object is known here.
func Canonical(name string) string {
	if c, ok := tables().aliases[name]; ok {
		return c
	}
	return name
}

// Exists reports whether release r of JAX has a name. Names that the table does not list are taken to exist.
func Exists(name string, r Release) bool {
	p, ok := tables().releases[name]
	if !ok {
		return true
	}
	return (!p.HasSince || r.Compare(p.Since) >= 0) && (!p.HasGone || r.Compare(p.Gone) < 0)
}

// ext makes the value of a library name. Path is the name as it was reached.
func ext(path string) *Ext { return &Ext{Name: Canonical(path), Path: path} }

// libraryOf returns the first part of a dotted name.
func libraryOf(name string) string {
	first, _, _ := strings.Cut(name, ".")
	return first
}

// pureLibrary reports whether functions of the library compute their results from their arguments alone, array by array,
// without collectives of their own unless an axis name is passed: their results vary where their arguments do.
func pureLibrary(name string) bool {
	switch libraryOf(name) {
	case "jax", "numpy", "optax", "flax", "equinox", "haiku", "chex", "einops", "distrax", "jaxtyping", "scipy", "math", "operator", "ml_dtypes":
		return true
	}
	return false
}

// exactLibrary reports whether a library's functions never reduce over a mesh axis on their own.
func exactLibrary(name string) bool {
	switch libraryOf(name) {
	case "jax", "numpy", "optax", "einops", "scipy", "math", "operator", "ml_dtypes", "chex":
		return true
	}
	return exactLayer(name)
}

// exactLayer reports whether a name is of a layer or an activation, which reduce over devices only where they are given an axis.
func exactLayer(name string) bool {
	return strings.HasPrefix(name, "flax.linen.") || strings.HasPrefix(name, "flax.nnx.") || strings.HasPrefix(name, "equinox.nn.")
}

// exactObject reports the same of the methods of a layer that a library made.
func exactObject(o *Object) bool {
	return exactLayer(o.Class) && o.Made != nil && !o.Made.Splat && o.Made.Arg(-1, "axis_name") == nil
}

// keepsArguments reports whether a library's functions never change the lists and dicts they are given.
func keepsArguments(name string) bool {
	switch libraryOf(name) {
	case "flax", "equinox", "orbax", "optax":
		return true
	}
	return false
}

// builtins are the names that every module has, with what they stand for.
var builtins = sync.OnceValue(func() map[string]*Ext {
	table := map[string]*Ext{}
	for _, name := range [...]string{
		"abs", "all", "any", "bool", "bytes", "callable", "dict", "dir", "divmod", "enumerate", "filter", "float", "format",
		"frozenset", "getattr", "hasattr", "hash", "id", "input", "int", "isinstance", "issubclass", "iter", "len", "list", "map",
		"max", "min", "next", "object", "open", "ord", "pow", "print", "property", "range", "repr", "reversed", "round", "set",
		"setattr", "slice", "sorted", "staticmethod", "classmethod", "str", "sum", "super", "tuple", "type", "vars", "zip",
		"ImportError", "ValueError", "TypeError", "RuntimeError", "AttributeError", "KeyError", "Exception",
		"NotImplementedError", "AssertionError", "StopIteration", "IndexError", "ModuleNotFoundError", "complex", "globals",
		"locals", "exec", "eval",
	} {
		table[name] = &Ext{Name: "builtins." + name}
	}
	return table
})

// lastName is the last part of a dotted name.
func lastName(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }
