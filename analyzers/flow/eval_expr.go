package flow

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/shardls/shardls/pyparse"
)

// eval evaluates an expression.
func (in *interp) eval(n pyparse.NodeID) Value {
	if n == pyparse.None || !in.step() {
		return Unknown{}
	}
	s := in.frame.file.Syntax
	switch s.KindOf(n) {
	case pyparse.KindIdentifier:
		v, _ := in.lookup(in.frame.file.text(n))
		return v
	case pyparse.KindAttribute:
		return in.attributeNode(n)
	case pyparse.KindCall:
		return in.callNode(n, false)
	case pyparse.KindString, pyparse.KindConcatenatedString:
		return in.stringNode(n)
	case pyparse.KindInteger:
		if v, ok := s.Int(n); ok {
			return Int(v)
		}
	case pyparse.KindFloat:
		if v, ok := s.Float(n); ok {
			return Float(v)
		}
	case pyparse.KindTrue:
		return Bool(true)
	case pyparse.KindFalse:
		return Bool(false)
	case pyparse.KindNone:
		return None{}
	case pyparse.KindEllipsis:
		return Ellipsis{}
	case pyparse.KindTuple, pyparse.KindExpressionList, pyparse.KindPatternList:
		elems, open := in.evalElems(n)
		return &Tuple{Elems: elems, Open: open}
	case pyparse.KindList:
		elems, open := in.evalElems(n)
		return &List{Elems: elems, Open: open}
	case pyparse.KindSet:
		elems, open := in.evalElems(n)
		return &Set{Elems: elems, Open: open}
	case pyparse.KindDictionary:
		return in.dictNode(n)
	case pyparse.KindSubscript:
		return in.subscriptNode(n)
	case pyparse.KindSlice:
		return in.sliceNode(n)
	case pyparse.KindParenthesizedExpression, pyparse.KindAwait:
		return in.eval(s.FirstChild(n))
	default:
		return in.evalOperator(n)
	}
	return Unknown{}
}

// evalOperator evaluates operators, lambdas and comprehensions.
func (in *interp) evalOperator(n pyparse.NodeID) Value {
	s := in.frame.file.Syntax
	switch s.KindOf(n) {
	case pyparse.KindBinaryOperator:
		l, r := in.eval(s.Child(n, pyparse.FieldLeft)), in.eval(s.Child(n, pyparse.FieldRight))
		op := in.frame.file.text(s.Child(n, pyparse.FieldOperator))
		return in.binary(op, l, r, n)
	case pyparse.KindBooleanOperator:
		return in.booleanNode(n)
	case pyparse.KindNotOperator:
		v := in.eval(s.Child(n, pyparse.FieldArgument))
		if t, known := Truth(v); known {
			return Bool(!t)
		}
		if o := processTestOf(v); o != nil {
			return o
		}
		if o := inverted(v); o != nil {
			return o
		}
	case pyparse.KindUnaryOperator:
		return in.unary(in.frame.file.text(s.Child(n, pyparse.FieldOperator)), in.eval(s.Child(n, pyparse.FieldArgument)))
	case pyparse.KindComparisonOperator:
		return in.comparisonNode(n)
	case pyparse.KindConditionalExpression:
		return in.conditionalNode(n)
	case pyparse.KindNamedExpression:
		v := in.eval(s.Child(n, pyparse.FieldValue))
		in.bindName(in.frame.file.text(s.Child(n, pyparse.FieldName)), v)
		return v
	case pyparse.KindLambda:
		return in.makeFunc(n, "", nil)
	case pyparse.KindListComprehension:
		elems, open := in.comprehension(n)
		return &List{Elems: elems, Open: open}
	case pyparse.KindSetComprehension:
		elems, open := in.comprehension(n)
		return &Set{Elems: elems, Open: open}
	case pyparse.KindGeneratorExpression:
		elems, open := in.comprehension(n)
		return &Iterator{Kind: "generator", Elems: elems, Open: open, At: in.ref(n), InFn: in.frame.fn}
	case pyparse.KindDictionaryComprehension:
		return in.dictComprehension(n)
	case pyparse.KindYield:
		if c := s.FirstChild(n); c != pyparse.None {
			in.frame.yields = append(in.frame.yields, in.eval(c))
		} else {
			in.frame.yields = append(in.frame.yields, None{})
		}
		in.frame.noteYield(in.ctx)
	case pyparse.KindListSplat, pyparse.KindParenthesizedListSplat:
		return in.eval(s.FirstChild(n))
	}
	return Unknown{}
}

// evalElems evaluates the elements of a display, expanding splats.
func (in *interp) evalElems(n pyparse.NodeID) (elems []Value, open bool) {
	s := in.frame.file.Syntax
	count := 0
	for range s.Children(n) {
		count++
	}
	elems = in.made.values.some(count)[:0]
	for c := range s.Children(n) {
		if !s.Is(c, pyparse.KindListSplat) {
			elems = append(elems, in.eval(c))
			continue
		}
		more, complete, ok := in.iterate(in.eval(s.FirstChild(c)))
		if !ok || !complete || len(elems)+len(more) > maxCollection {
			return elems, true
		}
		elems = append(elems, more...)
	}
	return elems, false
}

func (in *interp) stringNode(n pyparse.NodeID) Value {
	s := in.frame.file.Syntax
	if text, ok := s.PlainString(n); ok {
		return in.made.str(text, in.ref(n))
	}
	var few [8]string // most strings have fewer fields
	fields, known := in.replacements(n, few[:0])
	if !known {
		return Unknown{}
	}
	lit := s.StringLiteral(n)
	if lit.Bytes {
		return Unknown{}
	}
	if lit.Exact {
		return in.made.str(lit.Value, in.ref(n))
	}
	if !lit.Interpolated {
		return Unknown{}
	}
	var b strings.Builder
	for _, p := range lit.Parts {
		if p.Node == pyparse.None {
			b.WriteString(p.Text)
			continue
		}
		b.WriteString(fields[0])
		fields = fields[1:]
		if b.Len() > maxText {
			return Unknown{}
		}
	}
	return in.made.str(b.String(), in.ref(n))
}

// replacements evaluates the replacement fields of a literal and adds what each gives to list; known is false when that of one is
// unknown, as in most strings with fields. The text around them is not looked at.
func (in *interp) replacements(n pyparse.NodeID, list []string) (fields []string, known bool) {
	s := in.frame.file.Syntax
	known = true
	for c := range s.Children(n) {
		switch s.KindOf(c) {
		case pyparse.KindString: // one of several literals that stand side by side
			var ok bool
			list, ok = in.replacements(c, list)
			known = known && ok
		case pyparse.KindInterpolation:
			text, ok := in.replacement(s.Interpolation(c))
			list = append(list, text)
			known = known && ok
		}
	}
	return list, known
}

// replacement evaluates one replacement field.
func (in *interp) replacement(p pyparse.StringPart) (text string, known bool) {
	format := ""
	if p.Spec != pyparse.None {
		format = strings.TrimPrefix(in.frame.file.Syntax.Text(p.Spec), ":")
	}
	text, known = formattedAs(in.eval(p.Value), format)
	return text, known && (p.Conversion == 0 || p.Conversion == 's')
}

// formattedAs is format() of a constant, for strings without a format and for whole numbers with a width.
func formattedAs(v Value, format string) (string, bool) {
	text, ok := formatted(v)
	if format == "" || !ok {
		return text, ok
	}
	_, isInt := v.(Int)
	width := strings.TrimSuffix(format, "d")
	n, err := strconv.Atoi(width)
	if !isInt || width != "" && (err != nil || n < 0 || n > maxCollection) {
		return "", false
	}
	fill := " "
	if strings.HasPrefix(width, "0") {
		fill = "0"
	}
	if strings.HasPrefix(text, "-") {
		return "", false
	}
	return strings.Repeat(fill, max(0, n-len(text))) + text, true
}

// formatted is str() of a constant.
func formatted(v Value) (string, bool) {
	switch v := v.(type) {
	case *Str:
		return v.S, true
	case Int:
		return strconv.FormatInt(int64(v), 10), true
	case Bool:
		if v {
			return "True", true
		}
		return "False", true
	case None:
		return "None", true
	}
	return "", false
}

func (in *interp) dictNode(n pyparse.NodeID) Value {
	s := in.frame.file.Syntax
	d := &Dict{}
	for c := range s.Children(n) {
		switch s.KindOf(c) {
		case pyparse.KindPair:
			k := in.eval(s.Child(c, pyparse.FieldKey))
			dictPut(d, k, in.eval(s.Child(c, pyparse.FieldValue)))
		case pyparse.KindDictionarySplat:
			in.dictUpdate(d, in.eval(s.FirstChild(c)))
		}
	}
	return d
}

// dictPut stores a key. An unknown key may be any, so nothing is certain of the others any more.
func dictPut(d *Dict, k, v Value) {
	if constantKind(k) == 0 {
		if _, ok := k.(*Ext); !ok {
			d.Open = true
			d.Keys, d.Vals = nil, nil
			return
		}
	}
	for i, key := range d.Keys {
		if equal, known := Equal(key, k); known && equal {
			d.Vals[i] = v
			d.Keys = slices.Clone(d.Keys)
			d.Keys[i] = k // it tells where the value was written
			return
		}
	}
	d.Keys, d.Vals = append(d.Keys, k), append(d.Vals, v)
}

func (in *interp) dictUpdate(d *Dict, from Value) {
	o, ok := from.(*Dict)
	if !ok {
		d.Keys, d.Vals, d.Open = nil, nil, true
		return
	}
	if o.Open {
		d.Keys, d.Vals, d.Open = nil, nil, true
	}
	in.steps -= len(o.Keys) * (len(d.Keys) + len(o.Keys)/2) / 256 // each key is compared with those before
	if in.steps <= 0 {
		d.Keys, d.Vals, d.Open = nil, nil, true
		return
	}
	for i, k := range o.Keys {
		dictPut(d, k, o.Vals[i])
	}
}

func (in *interp) sliceNode(n pyparse.NodeID) Value {
	s := in.frame.file.Syntax
	start, _ := s.Span(n)
	colons := 0
	var parts [3]Value
	at := start
	for c := range s.Children(n) {
		cs, ce := s.Span(c)
		colons += bytes.Count(s.Source[at:cs], []byte{':'})
		if colons < 3 {
			parts[colons] = in.eval(c)
		}
		at = ce
	}
	return &Slice{Lo: parts[0], Hi: parts[1], Step: parts[2]}
}

func (in *interp) booleanNode(n pyparse.NodeID) Value {
	s := in.frame.file.Syntax
	l := in.eval(s.Child(n, pyparse.FieldLeft))
	op := in.frame.file.text(s.Child(n, pyparse.FieldOperator))
	t, known := Truth(l)
	right := s.Child(n, pyparse.FieldRight)
	if known {
		if t == (op == "or") {
			return l
		}
		if t && in.guards(s.Child(n, pyparse.FieldLeft)) {
			in.guarded++
			defer func() { in.guarded-- }()
		}
		return in.eval(right)
	}
	var r Value
	o := in.try(func() { in.condition(n, l, op == "and", func() { r = in.eval(right) }) })
	in.merge([]outcome{o, {flow: running, ctx: in.ctx}})
	if test := processTestOf(l, r); test != nil {
		return test
	}
	if test := bothCounts(op, l, r); test != nil {
		return test
	}
	if rt, known := Truth(r); known && op == "and" && !rt {
		return Bool(false)
	} else if known && op == "or" && rt && constantKind(r) == 2 {
		return Unknown{}
	}
	if op == "or" { // an unknown left side that is truthy stays unknown
		return Unknown{}
	}
	return Unknown{}
}

func (in *interp) conditionalNode(n pyparse.NodeID) Value {
	s := in.frame.file.Syntax
	var parts [3]pyparse.NodeID
	count := 0
	for c := range s.Children(n) {
		if count < len(parts) {
			parts[count] = c
		}
		count++
	}
	if count != len(parts) {
		return Unknown{}
	}
	cond := in.eval(parts[1])
	guard := in.guards(parts[1])
	if guard {
		in.guarded++
		defer func() { in.guarded-- }()
	}
	if t, known := Truth(cond); known {
		if t {
			return in.eval(parts[0])
		}
		return in.eval(parts[2])
	}
	var a, b Value
	in.branches(func() {
		in.condition(n, cond, true, func() { a = in.eval(parts[0]) })
	}, func() {
		in.condition(n, cond, false, func() { b = in.eval(parts[2]) })
	})
	return Join(a, b)
}

func (in *interp) comparisonNode(n pyparse.NodeID) Value {
	s := in.frame.file.Syntax
	var someOperands [4]pyparse.NodeID // most comparisons have two
	var someOps [4]string
	operands, ops := someOperands[:0], someOps[:0]
	for c := range s.Children(n) {
		operands = append(operands, c)
	}
	for c := range s.ChildrenIn(n, pyparse.FieldOperators) {
		ops = append(ops, comparison(in.frame.file.text(c)))
	}
	if len(operands) != len(ops)+1 {
		return Unknown{}
	}
	left := in.eval(operands[0])
	result := Value(Bool(true))
	for i, op := range ops {
		right := in.eval(operands[i+1])
		r := in.compare(op, left, right, n, operands[i], operands[i+1])
		if i == 0 {
			result = r
		} else if t, known := Truth(result); !known || t {
			if known {
				result = r
			} else {
				result = Unknown{}
			}
		}
		left = right
	}
	return result
}

// comparison is a comparison operator with its words one blank apart.
func comparison(text string) string {
	if strings.IndexByte(text, ' ') < 0 && strings.IndexFunc(text, unicode.IsSpace) < 0 || text == "is not" || text == "not in" {
		return text
	}
	return strings.Join(strings.Fields(text), " ")
}

// comprehension evaluates a list, set or generator comprehension.
func (in *interp) comprehension(n pyparse.NodeID) (elems []Value, open bool) {
	s := in.frame.file.Syntax
	body := s.Body(n)
	saved := in.frame.env
	in.frame.env = in.newEnv(saved, 2)
	complete := in.clauses(s.Clauses(n), func() {
		elems = append(elems, in.eval(body))
	})
	in.frame.env = saved
	return elems, !complete // where incomplete, the elements stand for what the others are like
}

func (in *interp) dictComprehension(n pyparse.NodeID) Value {
	s := in.frame.file.Syntax
	body := s.Body(n)
	d := &Dict{}
	saved := in.frame.env
	in.frame.env = in.newEnv(saved, 2)
	complete := in.clauses(s.Clauses(n), func() {
		k := in.eval(s.Child(body, pyparse.FieldKey))
		dictPut(d, k, in.eval(s.Child(body, pyparse.FieldValue)))
	})
	in.frame.env = saved
	if !complete {
		d.Keys, d.Vals, d.Open = nil, nil, true
	}
	return d
}

// clauses runs body for every combination that the clauses of a comprehension yield, and reports whether those were all known.
// Where they are not, body still runs once with unknown targets, for its events.
func (in *interp) clauses(list []pyparse.Clause, body func()) bool {
	if len(list) == 0 {
		body()
		return true
	}
	first, rest := list[0], list[1:]
	if first.If != pyparse.None {
		test := in.eval(first.If)
		t, known := Truth(test)
		if known && !t {
			return true
		}
		complete := false
		in.condition(first.If, test, true, func() { complete = in.clauses(rest, body) })
		return complete && known
	}
	source, elems, complete, ok := in.iterated(first.Iter)
	if !ok || !complete || len(elems) > maxCollection {
		in.bindTarget(first.Target, elementOf(source))
		in.clauses(rest, body)
		return false
	}
	all := true
	for _, e := range elems {
		if !in.step() {
			return false
		}
		in.bindTarget(first.Target, e)
		all = in.clauses(rest, body) && all
	}
	return all
}

// elementOf is what iterating over a value of unknown length yields.
func elementOf(v Value) Value {
	if d, ok := v.(*Devices); ok {
		return devicesItem(d, Unknown{}, Ref{})
	}
	if a, ok := v.(*Array); ok {
		e := a.derived()
		e.Tree = a.Tree
		if a.Rank() > 0 {
			e.Dims = a.Dims[1:]
		}
		return e
	}
	if elems, _, ok := Elements(v); ok && len(elems) > 0 {
		e := elems[0]
		for _, x := range elems[1:] {
			e = Join(e, x)
		}
		if o, isTuple := v.(*Tuple); isTuple && o.Open {
			return Unknown{}
		}
		return e
	}
	return Unknown{}
}

// iterated evaluates what a loop goes over. An object that makes elements without an end stands for those that are known of it.
func (in *interp) iterated(n pyparse.NodeID) (source Value, elems []Value, complete, ok bool) {
	source = in.eval(n)
	elems, complete, ok = in.iterate(source)
	if _, isInstance := source.(*Instance); isInstance && ok && !complete {
		source = &Iterator{Elems: elems, Open: true}
	}
	return source, elems, complete, ok
}

// iterate lists what iterating over v yields, consuming iterators.
func (in *interp) iterate(v Value) (elems []Value, complete, ok bool) {
	switch v := v.(type) {
	case *Iterator:
		in.touchIter(v)
		v.Used++
		return v.Elems, !v.Open, true
	case *Str:
		for _, r := range v.S {
			elems = append(elems, &Str{S: string(r), At: v.At})
		}
		return elems, true, true
	case *Instance:
		if fn, has := in.classAttr(v.Class, "__iter__"); has && !v.Class.Tuple {
			r := in.call(&Bound{Self: v, Fn: fn}, &Call{At: v.At, in: in})
			if r == Value(v) { // it stands for its own iterator, whose __next__ is not followed
				return nil, false, true
			}
			return in.iterate(r)
		}
	case *Devices:
		if len(v.Dims) == 1 && v.Dims[0] >= 0 && v.Dims[0] <= maxUnroll {
			for i := int64(0); i < v.Dims[0]; i++ {
				elems = append(elems, deviceAt(v, strconv.FormatInt(i, 10)))
			}
			return elems, true, true
		}
		return nil, false, true
	case *Array:
		if n := v.Dim(0); n >= 0 && n <= maxUnroll {
			for range n {
				elems = append(elems, dropDim(v, Int(0)))
			}
			return elems, true, true
		}
	}
	return Elements(v)
}
