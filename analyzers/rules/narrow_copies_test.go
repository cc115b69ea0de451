package rules

import (
	"strings"
	"testing"

	"github.com/shardls/shardls/pyparse"
)

func TestWideOf(t *testing.T) {
	for _, tt := range []struct {
		name, source string // what is followed is the argument of use(...)
		want         string // "" where nothing may be written
		inserted     string // what has to be written in front of an assignment
	}{
		{"a cast", "use(w.astype(T))", "w", ""},
		{"a cast that is turned", "use(p['w'].astype(T).T)", "p['w'].T", ""},
		{"a cast that is laid out anew", "use(lax.convert_element_type(w, T).reshape(4, -1))", "w.reshape(4, -1)", ""},
		{"an earlier line", "n = p['w'].astype(T)\nuse(n)", "p['w']", ""},
		{"the same name", "w = w0\nw = w.astype(T)\nuse(w)", "w_wide", "w_wide = w\n"},
		{"a call is not made twice", "n = make().astype(T)\nuse(n)", "n_wide", "n_wide = make()\n"},
		{"the wide name means something else by then", "w = w0\nn = w.astype(T)\nw = other\nuse(n)", "n_wide", "n_wide = w\n"},
		{"a tree", "n = jax.tree.map(lambda a: a.astype(T), p)\nuse(n['w'])", "p['w']", ""},
		{"a function that casts a tree", "def half(t):\n    'In 16 bits.'\n    return jax.tree.map(lambda a: a.astype(T), t)\nuse(half(p).w)", "p.w", ""},
		{"a function that does something else", "def half(t):\n    return jax.tree.map(lambda a: a.astype(T) * 2, t)\nuse(half(p).w)", "", ""},
		{"another value on one branch", "n = w.astype(T)\nif c:\n    n = v\nuse(n)", "", ""},
		{"only on one branch", "if c:\n    n = w.astype(T)\nuse(n)", "", ""},
		{"a parameter", "def f(n):\n    return use(n)", "", ""},
		{"what a loop leaves", "for n in ns:\n    pass\nuse(n)", "", ""},
		{"an outer name that is bound anew later", "n = w.astype(T)\ndef f():\n    return use(n)\nn = v", "", ""},
		{"arithmetic", "use(w.astype(T) * 2)", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := pyparse.Parse("p.py", []byte(tt.source+"\n"))
			n := file.NodeAt(strings.Index(tt.source, "use("))
			v, ok := wideOf(file, "p.py", file.Arguments(file.Parent(n))[0].Value)
			if ok != (tt.want != "") || ok && v.text != tt.want {
				t.Fatalf("got %q, %v, want %q", v.text, ok, tt.want)
			}
			inserted := ""
			for _, e := range v.edits {
				inserted += e.NewText
			}
			if ok && inserted != tt.inserted {
				t.Errorf("inserts %q, want %q", inserted, tt.inserted)
			}
		})
	}
}
