package flow

import "testing"

// TestJoinOfObjectsThatReferToEachOther: a join of object graphs with cycles ends and keeps what both know.
func TestJoinOfObjectsThatReferToEachOther(t *testing.T) {
	class := &Class{}
	ring := func(name string) *Instance {
		a := &Instance{Class: class, Attrs: map[string]Value{}}
		b := &Instance{Class: class, Attrs: map[string]Value{"other": a, "name": &Str{S: name}}}
		a.Attrs["other"] = b
		return a
	}
	joined, ok := Join(ring("x"), ring("x")).(*Instance)
	if !ok {
		t.Fatal("the join of two objects of a class is no object")
	}
	other, ok := joined.Attrs["other"].(*Instance)
	if !ok {
		t.Fatal("an attribute both have is lost")
	}
	if name, ok := other.Attrs["name"].(*Str); !ok || name.S != "x" {
		t.Errorf("name = %v, want x", other.Attrs["name"])
	}
}
