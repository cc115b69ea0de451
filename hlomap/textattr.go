package hlomap

import "bytes"

// span is a piece of a text: from ≤ byte < to.
type span struct{ from, to int }

func (s span) of(t []byte) []byte { return t[s.from:s.to] }

// nextAttr reads one `key=value` at p, which may follow white space, and returns where it ends: at the comma after it,
// or where the text goes on with something else. A key alone (a flag) has an empty value.
func nextAttr(t []byte, p, limit int) (key, value span, end int, ok bool) {
	t = t[:limit]
	p = skipBlank(t, p)
	e := skipName(t, p)
	if e == p {
		return span{}, span{}, p, false
	}
	key = span{p, e}
	q := skipBlank(t, e)
	if q >= limit || t[q] != '=' {
		return key, span{e, e}, e, true
	}
	q = skipBlank(t, q+1)
	end = skipValue(t, q)
	switch {
	case isMeshList(t[q:end]):
		end = skipMeshList(t, end)
	case q < end && t[q] == '(':
		end = skipSignature(t, end)
	}
	return key, span{q, end}, end, true
}

// skipValue returns the position after the attribute value at p: a bracketed or quoted value, or a run of both and
// other bytes up to a comma or the end of the line.
func skipValue(t []byte, p int) int {
	for p < len(t) {
		switch t[p] {
		case '(', '[', '{':
			end, ok := skipBalanced(t, p)
			if !ok {
				return lineEnd(t, p)
			}
			p = end
		case '"':
			p = skipString(t, p)
		case ',', '\n', '\r', ')', ']', '}':
			return p
		case ' ', '\t':
			// `mesh['x'=2] {'x'}` goes on after a blank; the next instruction or a comment does not.
			q := p
			for q < len(t) && (t[q] == ' ' || t[q] == '\t') {
				q++
			}
			if q >= len(t) || t[q] != '{' {
				return p
			}
			p = q
		default:
			p++
		}
	}
	return p
}

func isMeshList(v []byte) bool {
	return bytes.HasPrefix(v, []byte("mesh[")) || bytes.HasPrefix(v, []byte("@mesh")) || bytes.HasPrefix(v, []byte("maximal_mesh["))
}

// skipMeshList returns the end of a replica group list over a mesh, of which the text up to p has been read: the mesh may
// go on with ", device_ids=(…)", and the axes stand in braces behind it.
func skipMeshList(t []byte, p int) int {
	const ids = "device_ids="
	if q := skipBlank(t, p); q < len(t) && t[q] == ',' {
		if q = skipBlank(t, q+1); bytes.HasPrefix(t[q:], []byte(ids)) {
			return skipValue(t, q+len(ids))
		}
	}
	return p
}

// eachAttr visits the attributes that start at p, at the depth of the instruction itself, until visit answers false.
func eachAttr(t []byte, p, limit int, visit func(key, value span) bool) {
	for p < limit {
		p = skipBlank(t[:limit], p)
		if p < limit && t[p] == ',' {
			p++
			continue
		}
		key, value, end, ok := nextAttr(t, p, limit)
		if !ok || !visit(key, value) {
			return
		}
		p = max(end, p+1)
	}
}

// findAttr returns the value of one of the attributes that start at p.
func findAttr(t []byte, p, limit int, name string) (found span, ok bool) {
	eachAttr(t, p, limit, func(key, value span) bool {
		if string(key.of(t)) == name {
			found, ok = value, true
		}
		return !ok
	})
	return found, ok
}

// firstName reads the first identifier of a value such as `%a`, nil where there is none.
func firstName(v []byte) []byte {
	for p := 0; p < len(v); p++ {
		if e := skipName(v, p); e > p {
			return v[p:e]
		}
	}
	return nil
}

// nameList reads the identifiers of a value such as `%a` or `{%a, %b}`.
func nameList(v []byte) [][]byte {
	var out [][]byte
	for p := 0; p < len(v); {
		e := skipName(v, p)
		if e > p {
			out = append(out, v[p:e])
		}
		p = max(e, p+1)
	}
	return out
}
