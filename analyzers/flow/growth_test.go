package flow

import (
	"strings"
	"testing"

	"github.com/shardls/shardls/pyparse"
)

// A class that is reached on many ways is one ancestor: the ways double with every level of bases that share theirs.
func TestAncestorsStandOnce(t *testing.T) {
	const levels = 40
	foreign := &Ext{Name: "flax.linen.Module"}
	top := &Class{Bases: []Value{foreign}, Attrs: map[string]Value{"size": Int(3)}, Fields: []*Param{{Name: "size"}}}
	left, right := top, top
	for range levels {
		a, b := &Class{Bases: []Value{left, right}}, &Class{Bases: []Value{right, left}}
		for _, c := range []*Class{a, b} {
			c.inherit(left.Fields)
			c.inherit(right.Fields)
		}
		left, right = a, b
	}
	if n := len(left.ancestors()); n != 2*levels {
		t.Errorf("%d ancestors, want %d", n, 2*levels)
	}
	if n := len(left.Fields); n != 1 {
		t.Errorf("%d fields, want 1", n)
	}
	if v, _ := new(interp).classAttr(left, "size"); v != Value(Int(3)) {
		t.Errorf("size = %v, want 3", v)
	}
	if name := foreignBase(left); name != foreign.Name || !hasForeignBase(left) {
		t.Errorf("foreign base %q, want %q", name, foreign.Name)
	}
}

// Values that are put together from themselves again and again stop growing: what they are is unknown from there on.
func TestComputedValuesStayShort(t *testing.T) {
	for name, step := range map[string]string{
		"tuples":       "x = x + x",
		"displays":     "x = (*x, *x)",
		"repetitions":  "x = x * (1 << 61)",
		"strings":      "y = y + y",
		"fields":       "y = f'{y}{y}'",
		"joins":        "y = y.join([y, y])",
		"replacements": "y = y.replace('a', y)",
		"formats":      "y = y.format(y, y) + '{}{}'",
		"percents":     "y = '%s%s' % (y, y)",
		"extensions":   "z.extend(z)\nz += z",
	} {
		t.Run(name, func(t *testing.T) {
			source := "import jax\nx = (1, 2, 3, 4, 5, 6, 7, 8)\ny = 'aaaa{}{}'\nz = [1]\n" + strings.Repeat(step+"\n", 40) + "jax.device_put(x, y, z)\n"
			f := Interpret(pyparse.Parse("a.py", []byte(source)), Options{})
			shown := false
			for _, e := range f.Events {
				if e.Name != "jax.device_put" {
					continue
				}
				shown = true
				for k, a := range e.Pos {
					if n := sizeOf(a.Value); n > 2*maxText {
						t.Errorf("argument %d has %d elements", k, n)
					}
				}
			}
			if !shown {
				t.Errorf("no device_put among %d events", len(f.Events))
			}
		})
	}
}

func sizeOf(v Value) int {
	if s, ok := v.(*Str); ok {
		return len(s.S)
	}
	elems, _, _ := Elements(v)
	return len(elems)
}

// Dicts and sets compare each key with those before; that counts as steps, so that the budget ends before millions of lines' worth.
func TestComparisonsAreSteps(t *testing.T) {
	in := &interp{steps: maxSteps}
	d, s := &Dict{}, &Set{}
	for k := range 1000 {
		d.Keys, d.Vals = append(d.Keys, Int(k)), append(d.Vals, None{})
		s.Elems = append(s.Elems, Int(k))
	}
	copied := &Dict{}
	in.dictUpdate(copied, d)
	if spent := maxSteps - in.steps; spent < 1000 || len(copied.Keys) != 1000 {
		t.Errorf("%d steps for a dict of %d keys", spent, len(copied.Keys))
	}
	before := in.steps
	in.setBinary("|", s, s)
	if spent := before - in.steps; spent < 1000 {
		t.Errorf("%d steps for sets of 1000", spent)
	}
}
