package hlomap

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"strconv"
	"unsafe"
)

// nameChar tells the bytes that may stand in an identifier of HLO text.
var nameChar = func() (t [256]bool) {
	for c := range t {
		t[c] = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '.' || c == '-'
	}
	return
}()

// skipName returns the end of the identifier that starts at p. It looks at eight bytes at a time: names have all lengths, and a
// loop over bytes would guess wrong for nearly each of them when it ends.
func skipName(t []byte, p int) int {
	for p+8 <= len(t) {
		if others := otherThanName(binary.LittleEndian.Uint64(t[p:])); others != 0 {
			return p + bits.TrailingZeros64(others)/8
		}
		p += 8
	}
	for p < len(t) && nameChar[t[p]] {
		p++
	}
	return p
}

// likelyNameEnd is a quicker skipName that stops at blanks, commas, "#" and parentheses alone. What it finds is a name for sure
// only where it turns out to be a known one.
func likelyNameEnd(t []byte, p int) int {
	const each, high = 0x0101010101010101, 0x8080808080808080
	for ; p+8 <= len(t); p += 8 {
		w := binary.LittleEndian.Uint64(t[p:])
		// The lowest byte of those found is right; a borrow may be in the ones behind it.
		if stops := (w - '-'*each) &^ w & high; stops != 0 {
			return p + bits.TrailingZeros64(stops)/8
		}
	}
	return skipName(t, p)
}

// otherThanName sets the highest bit of each of eight bytes that is not in [nameChar], and no other bit.
func otherThanName(w uint64) uint64 {
	const (
		each = 0x0101010101010101
		low  = 0x7f * each
		high = 0x80 * each
	)
	x := w & low // so that no sum below carries into the next byte
	// x + (0x7f-n) has its highest bit set where x > n.
	lower := x | 0x20*each
	letter := x << 1 & (lower + (0x7f-0x60)*each) &^ (lower + (0x7f-'z')*each)
	digit := (x + (0x7f-',')*each) &^ (x + (0x7f-'9')*each) // "-", ".", "/" too
	slash := (x + (0x7f-'.')*each) &^ (x + (0x7f-'/')*each)
	underscore := (x + (0x7f-0x5e)*each) &^ (x + (0x7f-'_')*each)
	return (^(letter | digit&^slash | underscore) | w) & high
}

// skipBlank returns the first position at or after p that is neither white space nor part of a comment.
func skipBlank(t []byte, p int) int {
	for p < len(t) {
		switch t[p] {
		case ' ', '\t', '\r', '\n':
			p++
		case '/':
			q := skipComment(t, p)
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

// skipComment returns the end of the comment at p, p itself where there is none. A comment that is not closed reaches to the end.
func skipComment(t []byte, p int) int {
	if p+1 >= len(t) || t[p] != '/' {
		return p
	}
	switch t[p+1] {
	case '*':
		if n := bytes.Index(t[p+2:], []byte("*/")); n >= 0 {
			return p + 2 + n + 2
		}
		return len(t)
	case '/':
		return lineEnd(t, p)
	}
	return p
}

// lineEnd returns the position of the newline at or after p, or the end of the text.
func lineEnd(t []byte, p int) int {
	if n := bytes.IndexByte(t[p:], '\n'); n >= 0 {
		return p + n
	}
	return len(t)
}

// nextLine returns the start of the line after p.
func nextLine(t []byte, p int) int {
	return min(lineEnd(t, p)+1, len(t))
}

// skipString returns the position after the string that starts with the quote at p.
func skipString(t []byte, p int) int {
	quote := t[p]
	for p++; p < len(t); {
		n := bytes.IndexByte(t[p:], quote)
		if n < 0 {
			return len(t)
		}
		back := bytes.IndexByte(t[p:p+n], '\\')
		if back < 0 {
			return p + n + 1
		}
		p += back + 2
	}
	return len(t)
}

// The classes of bytes that skipBalanced looks at.
const (
	opening = iota + 1
	closing
	quoting
	namingAxis
)

// bracketClass sorts bytes for skipBalanced: one look-up for each byte of what may be a long line.
var bracketClass = func() (t [256]uint8) {
	for _, c := range "([{" {
		t[c] = opening
	}
	for _, c := range ")]}" {
		t[c] = closing
	}
	t['"'], t['\''] = quoting, namingAxis
	return
}()

// skipBalanced returns the position after the bracket that closes the one at p, skipping double-quoted strings; ok is
// false where it is never closed. All kinds of brackets count alike: text that mixes them up is damaged anyway.
func skipBalanced(t []byte, p int) (end int, ok bool) {
	depth := 0
	for p < len(t) {
		switch bracketClass[t[p]] {
		case 0:
			if t[p] == ',' {
				p = skipNumbers(t, p+1)
				continue
			}
		case opening:
			depth++
		case closing:
			if depth--; depth <= 0 {
				return p + 1, true
			}
		case quoting:
			p = skipString(t, p)
			continue
		case namingAxis:
			p = skipAxisName(t, p)
			continue
		}
		p++
	}
	return len(t), false
}

// skipAxisName returns the position after the name of a mesh axis, which may hold brackets, that starts with the quote at p. A quote that
// is something else (in JSON that is printed as it is) stands alone.
func skipAxisName(t []byte, p int) int {
	end := p + 1
	for end < len(t) && t[end] != '\'' && t[end] != '\n' {
		if t[end] == '\\' {
			end++
		}
		end++
	}
	if end+1 < len(t) && t[end] == '\'' {
		switch t[end+1] {
		case '=', ':', ',', '}', '?':
			return end + 1
		}
	}
	return p + 1
}

// skipOperands is skipBalanced for the operand list of an instruction, in which comments may stand.
func skipOperands(t []byte, p int) (end int, ok bool) {
	for depth := 0; p < len(t); {
		switch t[p] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				return p + 1, true
			}
		case '/':
			if end := skipComment(t, p); end > p {
				p = end
				continue
			}
		}
		p++
	}
	return p, false
}

// skipNumbers returns a position in the list of numbers at p from where on there are not eight more digits and commas: lists of
// devices may have tens of thousands. Bytes between ',' and '9' are those that leave the highest bit of each byte of a word clear,
// whether ',' is taken from them or what '9' lacks to 0x7f is added.
func skipNumbers(t []byte, p int) int {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	for ; p+8 <= len(t); p += 8 {
		w := binary.LittleEndian.Uint64(t[p:])
		if (w|(w-ones*',')|(w+ones*(0x7f-'9')))&high != 0 {
			break
		}
	}
	return p
}

// atoi reads a decimal number that must fill s, or returns otherwise.
func atoi(s string, otherwise int) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return otherwise
	}
	return n
}

// textOf returns bytes as a string without copying them. It is for what never changes: what a module is read from (see [Open]), and
// what was made for one answer.
func textOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// unescape undoes the C escapes of a string without its quotes.
func unescape(s []byte) string {
	if bytes.IndexByte(s, '\\') < 0 {
		return textOf(s)
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			out = append(out, s[i])
			continue
		}
		i++
		switch c := s[i]; c {
		case 'n':
			out = append(out, '\n')
		case 't':
			out = append(out, '\t')
		case 'r':
			out = append(out, '\r')
		case 'x', 'X':
			v, k := 0, i+1
			for k < len(s) && hexDigit(s[k]) >= 0 && k < i+3 {
				v, k = v<<4|hexDigit(s[k]), k+1
			}
			out, i = append(out, byte(v)), k-1
		case '0', '1', '2', '3', '4', '5', '6', '7':
			v, k := 0, i
			for k < len(s) && s[k] >= '0' && s[k] <= '7' && k < i+3 {
				v, k = v<<3|int(s[k]-'0'), k+1
			}
			out, i = append(out, byte(v)), k-1
		default:
			out = append(out, c)
		}
	}
	return textOf(out)
}

func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
