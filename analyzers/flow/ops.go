package flow

import (
	"math"
	"slices"
	"strings"

	"github.com/shardls/shardls/pyparse"
)

// binary evaluates left op right.
func (in *interp) binary(op string, l, r Value, n pyparse.NodeID) Value {
	_, la := l.(*Array)
	_, ra := r.(*Array)
	if la || ra {
		return in.arrayBinary(op, l, r, in.ref(n))
	}
	if v, ok := in.operatorMethod(op, l, r, n); ok {
		return v
	}
	switch x := l.(type) {
	case *Str:
		return stringBinary(op, x, r, in.ref(n))
	case *Tuple, *List, *Spec:
		out := sequenceBinary(op, x, r)
		if spec, ok := out.(*Spec); ok {
			spec.placed(in.ref(n))
		}
		return out
	case *Set:
		return in.setBinary(op, x, r)
	case *Dict:
		if op == "|" {
			d := &Dict{}
			in.dictUpdate(d, x)
			in.dictUpdate(d, r)
			return d
		}
	}
	if _, ok := Integer(l); ok && op == "*" {
		switch r.(type) {
		case *Tuple, *List, *Str:
			return in.binary(op, r, l, n)
		}
	}
	if o := tainted(l, r); o != nil {
		return o
	}
	return numberBinary(op, l, r)
}

// tainted keeps the marks of numbers that depend on the process or the slices, which no number is known of.
func tainted(values ...Value) Value {
	for _, v := range values {
		if o, ok := v.(*Object); ok {
			switch o.Class {
			case "process index", "process count", "slice count", "device count", "process derived", "dcn":
				if o.Class == "process index" || o.Class == "process derived" {
					return &Object{Class: "process derived", Made: o.Made}
				}
				return o
			}
		}
	}
	return nil
}

// operatorMethod calls the method by which a class of the workspace overloads an operator.
func (in *interp) operatorMethod(op string, l, r Value, n pyparse.NodeID) (Value, bool) {
	if i, ok := l.(*Instance); ok {
		if fn, has := in.classAttr(i.Class, "__"+overload(op)+"__"); has {
			return in.call(&Bound{Self: i, Fn: fn}, &Call{At: in.ref(n), Fn: in.ref(n), Pos: []Arg{{Value: r}}, in: in}), true
		}
	}
	if i, ok := r.(*Instance); ok {
		if fn, has := in.classAttr(i.Class, "__r"+overload(op)+"__"); has {
			return in.call(&Bound{Self: i, Fn: fn}, &Call{At: in.ref(n), Fn: in.ref(n), Pos: []Arg{{Value: l}}, in: in}), true
		}
	}
	return nil, false
}

// overload is the name of an operator in the names of the methods that overload it, "" for those that are not followed.
func overload(op string) string {
	switch op {
	case "+", "-", "*", "/", "//", "%", "@":
		return opName(op)
	case "|":
		return "or"
	case "&":
		return "and"
	}
	return ""
}

func stringBinary(op string, x *Str, r Value, at Ref) Value {
	switch op {
	case "+":
		if y, ok := r.(*Str); ok && len(x.S)+len(y.S) <= maxText {
			return &Str{S: x.S + y.S, At: at}
		}
	case "*":
		if k, ok := Integer(r); ok && k >= 0 && k <= maxCollection && int(k)*len(x.S) <= maxCollection {
			return &Str{S: strings.Repeat(x.S, int(k)), At: at}
		}
	case "%":
		args := []Value{r}
		if t, ok := r.(*Tuple); ok && !t.Open {
			args = t.Elems
		}
		out := x.S
		for _, a := range args {
			text, ok := formatted(a)
			i := strings.Index(out, "%s")
			if j := strings.Index(out, "%d"); i < 0 || j >= 0 && j < i {
				i = j
			}
			if !ok || i < 0 {
				return Unknown{}
			}
			if len(out)+len(text) > maxText {
				return Unknown{}
			}
			out = out[:i] + text + out[i+2:]
		}
		return &Str{S: out, At: at}
	}
	return Unknown{}
}

func sequenceBinary(op string, l, r Value) Value {
	le, complete, _ := Elements(l)
	wrap := func(e []Value, open bool) Value {
		switch l.(type) {
		case *List:
			return &List{Elems: e, Open: open}
		case *Spec:
			return specFromValues(e, open)
		}
		return &Tuple{Elems: e, Open: open}
	}
	switch op {
	case "+":
		re, rc, ok := Elements(r)
		if !ok {
			return wrap(le, true)
		}
		if !complete || len(le)+len(re) > maxCollection {
			return wrap(le, true)
		}
		return wrap(append(append([]Value(nil), le...), re...), !rc)
	case "*":
		k, ok := Integer(r)
		if !ok || k < 0 || k > maxCollection || int(k)*len(le) > maxCollection {
			return wrap(nil, true)
		}
		out := []Value{}
		for i := int64(0); i < k; i++ {
			out = append(out, le...)
		}
		return wrap(out, !complete)
	}
	return Unknown{}
}

func (in *interp) setBinary(op string, x *Set, r Value) *Set {
	y, complete, ok := Elements(r)
	in.steps -= len(x.Elems) * len(y) / 256 // each is compared with each
	if in.steps <= 0 || !ok || !complete || x.Open || len(x.Elems)+len(y) > maxCollection {
		return &Set{Open: true, Frozen: x.Frozen}
	}
	has := func(list []Value, v Value) bool {
		for _, e := range list {
			if eq, _ := Equal(e, v); eq {
				return true
			}
		}
		return false
	}
	if op != "|" && (slices.ContainsFunc(x.Elems, IsUnknown) || slices.ContainsFunc(y, IsUnknown)) {
		return &Set{Open: true, Frozen: x.Frozen}
	}
	out := &Set{Frozen: x.Frozen}
	for _, e := range x.Elems {
		in := has(y, e)
		if op == "|" || op == "-" && !in || op == "&" && in || op == "^" && !in {
			out.Elems = append(out.Elems, e)
		}
	}
	if op == "|" || op == "^" {
		for _, e := range y {
			if !has(x.Elems, e) {
				out.Elems = append(out.Elems, e)
			}
		}
	}
	return out
}

// numberBinary is arithmetic on Python numbers.
func numberBinary(op string, l, r Value) Value {
	a, aok := Integer(l)
	b, bok := Integer(r)
	if aok && bok {
		return intBinary(op, a, b)
	}
	x, xok := number(l)
	y, yok := number(r)
	if !xok || !yok {
		return Unknown{}
	}
	switch op {
	case "+":
		return Float(x + y)
	case "-":
		return Float(x - y)
	case "*":
		return Float(x * y)
	case "/":
		if y != 0 {
			return Float(x / y)
		}
	case "//":
		if y != 0 {
			return Float(math.Floor(x / y))
		}
	case "**":
		return Float(math.Pow(x, y))
	}
	return Unknown{}
}

func number(v Value) (float64, bool) {
	if f, ok := v.(Float); ok {
		return float64(f), true
	}
	i, ok := Integer(v)
	return float64(i), ok
}

func intBinary(op string, a, b int64) Value {
	switch op {
	case "+":
		return Int(a + b)
	case "-":
		return Int(a - b)
	case "*":
		if a != 0 && (a*b)/a != b {
			return Unknown{}
		}
		return Int(a * b)
	case "/":
		if b != 0 {
			return Float(float64(a) / float64(b))
		}
	case "//":
		if b != 0 {
			q := a / b
			if a%b != 0 && (a < 0) != (b < 0) {
				q--
			}
			return Int(q)
		}
	case "%":
		if b != 0 {
			m := a % b
			if m != 0 && (m < 0) != (b < 0) {
				m += b
			}
			return Int(m)
		}
	case "**":
		return intPower(a, b)
	case "<<":
		if b >= 0 && b < 40 {
			return Int(a << uint(b))
		}
	case ">>":
		if b >= 0 && b < 64 {
			return Int(a >> uint(b))
		}
	case "&":
		return Int(a & b)
	case "|":
		return Int(a | b)
	case "^":
		return Int(a ^ b)
	}
	return Unknown{}
}

func intPower(a, b int64) Value {
	if b < 0 {
		return Float(math.Pow(float64(a), float64(b)))
	}
	out := int64(1)
	for ; b > 0; b-- {
		if a != 0 && (out*a)/a != out || out > 1<<50 {
			return Unknown{}
		}
		out *= a
	}
	return Int(out)
}

func (in *interp) unary(op string, v Value) Value {
	if a, ok := v.(*Array); ok {
		out := a.derived()
		out.Grad = a.Grad
		return out
	}
	switch x := v.(type) {
	case Int:
		switch op {
		case "-":
			return -x
		case "+":
			return x
		case "~":
			return ^x
		}
	case Bool:
		if i, _ := Integer(x); op == "-" {
			return Int(-i)
		}
	case Float:
		if op == "-" {
			return -x
		}
		return x
	}
	return Unknown{}
}

// compare evaluates one comparison.
func (in *interp) compare(op string, l, r Value, n, ln, rn pyparse.NodeID) Value {
	in.recordCompare(op, l, r, n, ln, rn)
	if v := processTest(l, r); v != nil {
		return v
	}
	if v := compareCount(op, l, r); v != nil {
		return v
	}
	switch op {
	case "==", "!=":
		_, la := l.(*Array)
		_, ra := r.(*Array)
		if la || ra {
			return in.arrayBinary(op, l, r, in.ref(n))
		}
		if equal, known := Equal(l, r); known {
			return Bool(equal == (op == "=="))
		}
	case "is", "is not":
		return identical(op, l, r)
	case "in", "not in":
		if found, known := contains(r, l); known {
			return Bool(found == (op == "in"))
		}
	case "<", "<=", ">", ">=":
		_, la := l.(*Array)
		_, ra := r.(*Array)
		if la || ra {
			return in.arrayBinary(op, l, r, in.ref(n))
		}
		if c, known := order(l, r); known {
			return Bool(op == "<" && c < 0 || op == "<=" && c <= 0 || op == ">" && c > 0 || op == ">=" && c >= 0)
		}
	}
	return Unknown{}
}

// recordCompare records comparisons in which a spec or sharding takes part.
func (in *interp) recordCompare(op string, l, r Value, n, ln, rn pyparse.NodeID) {
	for _, v := range [...]Value{l, r} {
		switch v.(type) {
		case *Spec, *Sharding, *Mesh:
			in.event("op.compare", &Call{At: in.ref(n), Recv: &Str{S: op}, Pos: []Arg{{Value: l, At: in.ref(ln)}, {Value: r, At: in.ref(rn)}}, in: in})
			return
		}
	}
}

// processTest marks comparisons of the process index: they come out differently in different processes.
func processTest(l, r Value) Value {
	for _, v := range [...]Value{l, r} {
		if o, ok := v.(*Object); ok && (o.Class == "process index" || o.Class == "process derived") {
			return &Object{Class: "process test", Made: o.Made}
		}
	}
	return nil
}

// processTestOf returns the first value that comes out differently in different processes, nil where none does.
func processTestOf(values ...Value) *Object {
	for _, v := range values {
		if o, ok := v.(*Object); ok && o.Class == "process test" {
			return o
		}
	}
	return nil
}

func identical(op string, l, r Value) Value {
	if IsUnknown(l) || IsUnknown(r) {
		return Unknown{}
	}
	if IsNone(l) || IsNone(r) {
		return Bool((IsNone(l) && IsNone(r)) == (op == "is"))
	}
	if l == r {
		return Bool(op == "is")
	}
	if a, ok := l.(*Ext); ok {
		if b, ok := r.(*Ext); ok {
			return Bool((a.Name == b.Name) == (op == "is"))
		}
	}
	return Unknown{}
}

func contains(container, v Value) (found, known bool) {
	if s, ok := container.(*Str); ok {
		x, ok := String(v)
		return ok && strings.Contains(s.S, x), ok
	}
	elems, complete, ok := Elements(container)
	if !ok {
		return false, false
	}
	known = complete
	for _, e := range elems {
		eq, k := Equal(e, v)
		if k && eq {
			return true, true
		}
		known = known && k
	}
	return false, known
}

// order compares numbers, strings and tuples of them.
func order(l, r Value) (int, bool) {
	if x, ok := number(l); ok {
		y, ok := number(r)
		switch {
		case x < y:
			return -1, ok
		case x > y:
			return 1, ok
		}
		return 0, ok
	}
	if x, ok := String(l); ok {
		y, ok := String(r)
		return strings.Compare(x, y), ok
	}
	a, ac, aok := Elements(l)
	b, bc, bok := Elements(r)
	if !aok || !bok || !ac || !bc {
		return 0, false
	}
	for i := range a {
		if i >= len(b) {
			return 1, true
		}
		if c, known := order(a[i], b[i]); !known || c != 0 {
			return c, known
		}
	}
	if len(a) < len(b) {
		return -1, true
	}
	return 0, true
}
