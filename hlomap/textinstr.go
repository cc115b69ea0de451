package hlomap

import (
	"bytes"
	"slices"
)

// instruction reads the instruction at p (a "ROOT", "%" or name) up to the end of its operands and returns the position
// after them. ok is false where no instruction starts at p; nothing has been kept then.
func (r *textReader) instruction(p int) (end int, ok bool) {
	t := r.text
	root := false
	if t[p] == 'R' && bytes.HasPrefix(t[p:], rootWord) {
		root, p = true, skipBlank(t, p+len(rootWord))
	}
	if p < len(t) && t[p] == '%' {
		p++
	}
	e := skipName(t, p)
	q := e
	for q < len(t) && (t[q] == ' ' || t[q] == '\t') {
		q++
	}
	// An identifier directly followed by "=" is an attribute on a line of its own.
	if e == p || q == e || q+1 >= len(t) || t[q] != '=' {
		return 0, false
	}
	q++
	for q < len(t) && t[q] == ' ' {
		q++
	}
	// The slot is mostly not in the cache: reading it now, with the rest of the line still to be parsed, hides that.
	name := r.table.hash(t, p, e-p)
	slot := r.table.slot(name)
	op0 := r.skipShape(q)
	o := likelyNameEnd(t, op0)
	if o == op0 || o >= len(t) || t[o] != '(' {
		return 0, false
	}
	op := opAt(t, op0, o-op0)
	if op == OpOther {
		if skipName(t, op0) != o {
			return 0, false
		}
		op, _ = splitAsync(string(t[op0:o]))
	}
	return r.keep(name, slot, p, e, o, op, root), true
}

// skipShape returns the start of the opcode of an instruction whose shape starts at p. The shape may be absent in
// hand-written text: then the opcode, directly followed by "(", is at p itself.
func (r *textReader) skipShape(p int) int {
	t := r.text
	if p < len(t) && t[p] != '(' {
		e := skipElementType(t, p)
		if e >= len(t) || t[e] == '(' && string(t[p:e]) != "b" {
			return p
		}
		// An array's shape has no space in it as printed, whatever its layout says.
		if n := bytes.IndexByte(t[e:], ' '); n > 0 && (t[e+n-1] == ']' || t[e+n-1] == '}') {
			return e + n + 1
		}
	} else if end, ok := skipTupleShape(t, p); ok {
		r.regular = r.regular && bytes.IndexByte(t[p:end], '\n') < 0
		return skipBlank(t, end)
	}
	_, end, _ := parseShape(t, p, nil)
	return skipBlank(t, end)
}

// skipElementType is skipName for what is mostly a name of three or four letters and a bracket: the shape of an array.
func skipElementType(t []byte, p int) int {
	if p+5 <= len(t) && nameChar[t[p]] && nameChar[t[p+1]] && nameChar[t[p+2]] {
		if t[p+3] == '[' {
			return p + 3
		}
		if t[p+4] == '[' && nameChar[t[p+3]] {
			return p + 4
		}
	}
	return skipName(t, p)
}

// skipTupleShape returns the position after the tuple shape at p. Shapes hold no strings, so parentheses suffice.
func skipTupleShape(t []byte, p int) (end int, ok bool) {
	end, ok = skipParentheses(t, p)
	return end, ok && bytes.IndexByte(t[p:end], '"') < 0
}

// keep adds an instruction with the name text[p:e] and its operand list after the "(" at o; it returns the end of the list.
// One that stands in place of an operand has no name: p = e is then where the instruction around it starts.
func (r *textReader) keep(name hashedName, slot uint32, p, e, o int, op Op, root bool) int {
	m := r.m
	i := InstrID(len(m.ops))
	m.ops = append(m.ops, op)
	m.at = append(m.at, uint32(p))
	m.operands = append(m.operands, uint32(o+1))
	m.numbers = append(m.numbers, -1)
	m.edgeStart = append(m.edgeStart, uint32(len(m.edges)))
	c := &m.comps[len(m.comps)-1]
	c.end = i + 1
	if root {
		c.root = i
	}
	var end int
	switch op {
	case OpConstant:
		end = skipLiteral(r.text, o)
		r.regular = r.regular && bytes.IndexByte(r.text[o:end], '\n') < 0
	case OpParameter:
		end = r.parameter(i, o+1)
	case OpGetTupleElement:
		end = r.operandList(o + 1)
		m.numbers[i] = r.tupleIndex(end)
	default:
		end = r.operandList(o + 1)
	}
	if len(r.inline.waiting) > 0 {
		r.readInline(i)
		return r.keep(name, slot, p, e, o, op, root)
	}
	if e > p && !r.define(name, slot, p, e-p, i) {
		r.problem(p, "instruction %s is defined twice", clip(r.text[p:e]))
	}
	return end
}

// parameter reads the number of a parameter and returns the position after the list.
func (r *textReader) parameter(i InstrID, p int) int {
	n, q := parseInt(r.text, skipBlank(r.text, p))
	if !r.m.setParameter(&r.m.comps[len(r.m.comps)-1], n, i) {
		r.problem(p, "parameter number %d is too large", n)
	}
	if q < len(r.text) && r.text[q] == ')' {
		return q + 1
	}
	end, _ := skipBalanced(r.text, p-1)
	return end
}

// tupleIndex reads the element that a get-tuple-element takes, from the attributes at p; -1 where it is not there.
func (r *textReader) tupleIndex(p int) int32 {
	const index = ", index="
	if bytes.HasPrefix(r.text[p:], []byte(index)) { // as printed
		p += len(index)
	} else {
		v, ok := findAttr(r.text, p, r.attributesEnd(p), "index")
		if !ok {
			return -1
		}
		p = v.from
	}
	n, e := parseInt(r.text, p)
	if e == p || n > maxTupleIndex {
		return -1
	}
	return int32(n)
}

// attributesEnd returns the end of the last line of the attributes at p: after a comma they go on.
func (r *textReader) attributesEnd(p int) int {
	for {
		end := lineEnd(r.text, p)
		if line := bytes.TrimRight(r.text[p:end], " \t\r"); end == len(r.text) || len(line) == 0 || line[len(line)-1] != ',' {
			return end
		}
		p = end + 1
	}
}

// skipLiteral returns the position after the parenthesised literal at p. Literals can be megabytes long.
func skipLiteral(t []byte, p int) int {
	if end, ok := skipParentheses(t, p); ok {
		return end
	}
	return lineEnd(t, p)
}

// skipParentheses returns the position after the parenthesis that closes the one at p, whatever else stands between them; ok
// is false where it is never closed. It leaps from one closing parenthesis to the next.
func skipParentheses(t []byte, p int) (end int, ok bool) {
	for depth, q := 1, p+1; q <= len(t); {
		n := bytes.IndexByte(t[q:], ')')
		if n < 0 {
			break
		}
		depth += bytes.Count(t[q:q+n], []byte{'('}) - 1
		if q += n + 1; depth == 0 {
			return q, true
		}
	}
	return p, false
}

// operandList reads operands from p, after the "(", and returns the position after the ")".
func (r *textReader) operandList(p int) int {
	t := r.text
	for p < len(t) {
		switch c := t[p]; {
		case c == '%':
			p = r.operand(p + 1)
		case c == ' ' || c == ',' || c == '\t':
			p++
		case c == ')':
			return p + 1
		case c == '/':
			q := skipComment(t, p)
			if q == p {
				q++
			}
			p = q
		case c == '\n' || c == '\r':
			r.regular = false
			p++
			if r.lost(p) {
				r.problem(p-1, "operand list is never closed")
				return p - 1
			}
		case nameChar[c]:
			p = r.bareOperand(p)
		case c == '(' || c == '{' || c == '[': // the type of an operand that is a tuple, or a literal
			end, ok := skipBalanced(t, p)
			if !ok {
				return lineEnd(t, p)
			}
			p = end
		default:
			r.problem(p, "operand list: unexpected %s", clip(t[p:p+1]))
			return lineEnd(t, p)
		}
	}
	return p
}

// lost reports whether the line at p, inside an operand list, starts an instruction or closes a computation.
func (r *textReader) lost(p int) bool {
	t := r.text
	for p < len(t) && (t[p] == ' ' || t[p] == '\t') {
		p++
	}
	return p >= len(t) || t[p] == '}' || r.looksLikeInstruction(p)
}

// operand reads the operand whose name starts at p and returns the position after it.
func (r *textReader) operand(p int) int {
	t := r.text
	m := r.m
	e := likelyNameEnd(t, p)
	def := r.lookup(p, e-p)
	if def == NoInstr {
		e = skipName(t, p)
		def = r.lookup(p, e-p)
	}
	if def == NoInstr {
		r.pending = append(r.pending, pendingOperand{uint32(len(m.edges)), uint32(p), uint32(e - p)})
	}
	m.edges = append(m.edges, def)
	if e < len(t) && t[e] == '#' {
		return r.tuplePath(e)
	}
	return e
}

// tuplePath reads `#2` or `#1#0` after an operand and returns the position after it.
func (r *textReader) tuplePath(p int) int {
	t := r.text
	var path []int
	for p+1 < len(t) && t[p] == '#' {
		n, e := parseInt(t, p+1)
		if e == p+1 {
			break
		}
		path = append(path, int(min(n, 1<<30)))
		p = e
	}
	if len(path) == 0 {
		return p + 1
	}
	m := r.m
	m.elided = append(m.elided, make([]int32, len(m.edges)-len(m.elided))...)
	if len(path) == 1 {
		m.elided[len(m.edges)-1] = int32(path[0]) + 1
		return p
	}
	m.paths = append(m.paths, path)
	m.elided[len(m.edges)-1] = int32(-len(m.paths))
	return p
}

// bareOperand reads an operand that does not start with "%": a name, a type before a name, or a whole instruction
// written in place, which only hand-written text has.
func (r *textReader) bareOperand(p int) int {
	t := r.text
	if bytes.HasPrefix(t[p:], leftOut) {
		return r.leftOutOperands(p + len(leftOut))
	}
	e := skipName(t, p)
	if e < len(t) && (t[e] == '[' || t[e] == '(' && string(t[p:e]) == "b") {
		if _, end, ok := parseShape(t, p, nil); ok {
			op := skipBlank(t, end)
			if open := skipName(t, op); open > op && open < len(t) && t[open] == '(' {
				return r.inlineOperand(p, op, open)
			}
			return end
		}
		end, _ := skipBalanced(t, e)
		return end
	}
	if q := skipBlank(t, e); q < len(t) && t[q] == '(' {
		return r.inlineOperand(p, p, q)
	}
	return r.operand(p)
}

// leftOut is what XLA writes for all operands but the first four with HloPrintOptions::set_compact_operands: `...(+2)`.
var leftOut = []byte("...(+")

// maxLeftOut bounds how many operands a text may leave out at a time.
const maxLeftOut = 1 << 16

// leftOutOperands reads how many operands are left out from p, and returns the position after the ")". They are unknown.
func (r *textReader) leftOutOperands(p int) int {
	n, e := parseInt(r.text, p)
	for range min(n, maxLeftOut) {
		r.m.edges = append(r.m.edges, NoInstr)
	}
	const message = "operands are left out: print the module without compact operands"
	if !slices.ContainsFunc(r.m.problems, func(p Problem) bool { return p.Message == message }) {
		r.problem(p, message)
	}
	if e < len(r.text) && r.text[e] == ')' {
		e++
	}
	return e
}

// skipAttributes returns the position after the attributes at p: those are separated by commas, and an instruction
// ends where no comma follows.
func (r *textReader) skipAttributes(p int) int {
	t := r.text
	for {
		q := skipBlank(t, p)
		if q >= len(t) || t[q] != ',' {
			return q
		}
		key, value, end, ok := nextAttr(t, q+1, len(t))
		if !ok {
			return lineEnd(t, q)
		}
		if value.from < value.to && (t[value.from] == '{' || t[value.from] == '(') && slices.Contains(calleeKeys[:], string(key.of(t))) {
			r.nestedIn(value)
		}
		p = end
	}
}
