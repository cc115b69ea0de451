package hlomap

import "bytes"

// span is a piece of a text: from ≤ byte < to.
type span struct{ from, to int }

func (s span) of(t []byte) []byte { return t[s.from:s.to] }

// nextKey reads the key of the attribute at p, which may follow white space, and returns where its value starts. A key alone (a flag)
// has no value.
func nextKey(t []byte, p int) (key span, value int, valued, ok bool) {
	if p < len(t) && !nameChar[t[p]] {
		p = skipBlank(t, p)
	}
	e := skipName(t, p)
	if e == p {
		return span{p, p}, p, false, false
	}
	key = span{p, e}
	q := e
	if q < len(t) && t[q] != '=' {
		q = skipBlank(t, q)
	}
	if q >= len(t) || t[q] != '=' {
		return key, e, false, true
	}
	if q++; q < len(t) && t[q] <= '/' { // as printed, the value follows at once, and mostly starts with something else
		q = skipBlank(t, q)
	}
	return key, q, true, true
}

// nextAttr reads one `key=value` at p, which may follow white space, and returns where it ends: at the comma after it,
// or where the text goes on with something else. A key alone (a flag) has an empty value.
func nextAttr(t []byte, p, limit int) (key, value span, end int, ok bool) {
	key, q, valued, ok := nextKey(t[:limit], p)
	if !ok {
		return span{}, span{}, key.from, false
	}
	if end = q; valued {
		end = endOfValue(t[:limit], q)
	}
	return key, span{q, end}, end, true
}

// endOfValue is skipValue with what may follow a value.
func endOfValue(t []byte, p int) int {
	end := skipValue(t, p)
	if p == end {
		return end
	}
	switch t[p] {
	case 'm', '@':
		if isMeshList(t[p:end]) {
			return skipMeshList(t, end)
		}
	case '(':
		return skipSignature(t, end)
	}
	return end
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

// attrStart skips what stands between attributes.
func attrStart(t []byte, p int) int {
	for p < len(t) {
		switch t[p] {
		case ',', ' ':
			p++
		case '\t', '\r', '\n', '/':
			q := skipBlank(t, p)
			if q == p {
				return p
			}
			p = q
		default:
			return p
		}
	}
	return p
}

// eachAttr visits the attributes that start at p, at the depth of the instruction itself, until visit answers false.
func eachAttr(t []byte, p, limit int, visit func(key, value span) bool) {
	for p = attrStart(t[:limit], p); p < limit; p = attrStart(t[:limit], p) {
		key, value, end, ok := nextAttr(t, p, limit)
		if !ok || !visit(key, value) {
			return
		}
		p = max(end, p+1)
	}
}

// findValue returns where the value starts of one of the attributes that start at p. The value is empty for a flag.
func findValue(t []byte, p, limit int, name string) (at int, valued, ok bool) {
	t = t[:limit]
	for p = attrStart(t, p); p < limit; p = attrStart(t, p) {
		key, q, valued, ok := nextKey(t, p)
		if !ok {
			break
		}
		if string(key.of(t)) == name {
			return q, valued, true
		}
		if valued {
			q = endOfValue(t, q)
		}
		p = max(q, p+1)
	}
	return 0, false, false
}

// findAttr returns the value of one of the attributes that start at p.
func findAttr(t []byte, p, limit int, name string) (found span, ok bool) {
	at, valued, ok := findValue(t, p, limit, name)
	if !valued {
		return span{at, at}, ok
	}
	return span{at, endOfValue(t[:limit], at)}, true
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
