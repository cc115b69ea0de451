package hlomap

import (
	"bytes"
	"slices"
)

// Computations printed in place: with PrintSubcomputationMode::kFullBodies, which XLA's canonical form has too, an attribute
// holds the body that it calls instead of its name:
//
//	tmp_2 = f32[8] all-reduce(tmp_1), to_apply=
//	{
//	  …
//	}
//
// XLA prints every computation of a module on its own as well, so that the body is one that stands there under its name. A
// single computation printed so has only the bodies in place.

// nestedBody is a body that stands in an attribute of an instruction.
type nestedBody struct {
	brace uint32 // offset of its "{"
	end   uint32 // after its "}"
	comp  CompID
	owner span // the name of the instruction
}

// nestedIn notes the bodies in the value of an attribute, which for the branches of a conditional is a list of them.
func (r *textReader) nestedIn(value span) {
	t := r.text[:value.to]
	for p := value.from; p < value.to; {
		switch t[p] {
		case '(': // the signature of the body that follows
			end, ok := skipBalanced(t, p)
			if !ok {
				return
			}
			p = end
		case '{':
			if !r.looksLikeInstruction(skipBlank(t, p+1)) {
				p++
				continue
			}
			end, ok := skipBalanced(t, p)
			if !ok {
				return
			}
			r.nested = append(r.nested, nestedBody{brace: uint32(p), end: uint32(end), comp: NoComp, owner: r.ownerName()})
			p = end
		case '"':
			p = skipString(t, p)
		default:
			p++
		}
	}
}

// ownerName is the name of the instruction that was read last.
func (r *textReader) ownerName() span {
	if len(r.m.at) == 0 {
		return span{}
	}
	p := int(r.m.at[len(r.m.at)-1])
	return span{p, skipName(r.text, p)}
}

// resolveNested finds the computation of every body in place: the one with the same lines, each once where several have them
// (the bodies of two loops may be the same), or else the body itself, under the name of its instruction.
func (r *textReader) resolveNested() {
	if len(r.nested) == 0 {
		return
	}
	named := map[string][]CompID{}
	for c := range r.src.bodies {
		if b := &r.src.bodies[c]; b.braced {
			text := bodyText(r.text[b.from:min(int(r.src.closes[c])+1, len(r.text))]) // one that is not closed has no "}"
			named[text] = append(named[text], CompID(c))
		}
	}
	for k := 0; k < len(r.nested); k++ { // a body that is read here may hold more
		b := r.nested[k]
		text := bodyText(r.text[b.brace:b.end])
		same := named[text]
		switch {
		case len(same) > 1:
			r.nested[k].comp, named[text] = same[0], same[1:]
		case len(same) == 1:
			r.nested[k].comp = same[0]
		default:
			r.nested[k].comp = r.readNested(b)
			named[text] = []CompID{r.nested[k].comp}
		}
	}
	slices.SortFunc(r.nested, func(a, b nestedBody) int { return int(a.brace) - int(b.brace) })
	r.src.nested = r.nested
}

// readNested reads a body in place as a computation.
func (r *textReader) readNested(b nestedBody) CompID {
	comp := CompID(len(r.m.comps))
	r.lineAt, r.lineFrom = 0, r.src.start
	if r.src.start > 0 {
		r.lineAt = bytes.Count(r.text[:r.src.start], []byte{'\n'})
	}
	r.open(b.owner.from, b.owner.to-b.owner.from, int(b.brace))
	r.packedBody(int(b.brace) + 1)
	r.m.inOrder = false // it follows its caller
	return comp
}

// bodyText is what the two prints of a body have in common: its lines without indentation and, because a scheduled computation
// is printed in another order in place, without order and without the numbers of canonical names (tmp_7).
func bodyText(text []byte) string {
	lines := bytes.Split(text, []byte{'\n'})
	for k, line := range lines {
		lines[k] = withoutNumbers(bytes.TrimSpace(line))
	}
	slices.SortFunc(lines, bytes.Compare)
	return string(bytes.Join(lines, []byte{'\n'}))
}

// withoutNumbers removes the digits after each "tmp_".
func withoutNumbers(line []byte) []byte {
	const canonical = "tmp_"
	if !bytes.Contains(line, []byte(canonical)) {
		return line
	}
	out := make([]byte, 0, len(line))
	for {
		n := bytes.Index(line, []byte(canonical))
		if n < 0 {
			return append(out, line...)
		}
		n += len(canonical)
		out = append(out, line[:n]...)
		line = bytes.TrimLeft(line[n:], "0123456789")
	}
}

// compsIn returns the computations that an attribute's value names or holds.
func (s *textSource) compsIn(value span) []CompID {
	var out []CompID
	k, _ := slices.BinarySearchFunc(s.nested, uint32(value.from), func(b nestedBody, at uint32) int { return int(b.brace) - int(at) })
	for end := uint32(0); k < len(s.nested) && int(s.nested[k].brace) < value.to; k++ {
		if b := s.nested[k]; b.brace >= end {
			out, end = append(out, b.comp), b.end
		}
	}
	if out != nil {
		return out
	}
	for _, n := range nameList(value.of(s.text)) {
		if c := s.m.compNamed(n); c != NoComp {
			out = append(out, c)
		}
	}
	return out
}

// skipSignature returns the end of a body in place whose parameters end at p: `(x: f32[8]) -> f32[8] {…}`. It is p where no
// body follows.
func skipSignature(t []byte, p int) int {
	q := skipBlank(t, p)
	if !bytes.HasPrefix(t[q:], []byte("->")) {
		return p
	}
	_, q, ok := parseShape(t, skipBlank(t, q+2), nil)
	if q = skipBlank(t, q); !ok || q >= len(t) || t[q] != '{' {
		return p
	}
	end, _ := skipBalanced(t, q)
	return end
}
