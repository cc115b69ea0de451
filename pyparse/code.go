package pyparse

import "bytes"

// Code returns source with comments and triple-quoted strings blanked out, so that offsets stay: what is left is what a search for
// names that the program uses should look at. It reuses buffer where that is large enough and does not change source.
func Code(buffer, source []byte) []byte {
	code := append(buffer[:0], source...)
	for i := 0; i < len(code); {
		switch c := code[i]; c {
		case '#':
			end := lineEnd(code, i)
			blank(code[i:end])
			i = end
		case '"', '\'':
			if i+2 < len(code) && code[i+1] == c && code[i+2] == c {
				end := tripleEnd(code, i+3, c)
				blank(code[i:end])
				i = end
			} else {
				i = stringEnd(code, i+1, c)
			}
		default:
			i++
		}
	}
	return code
}

func lineEnd(code []byte, at int) int {
	if n := bytes.IndexByte(code[at:], '\n'); n >= 0 {
		return at + n
	}
	return len(code)
}

// tripleEnd is the offset behind the triple-quoted string whose text begins at at.
func tripleEnd(code []byte, at int, quote byte) int {
	for ; at < len(code); at++ {
		switch {
		case code[at] == '\\':
			at++
		case code[at] == quote && at+2 < len(code) && code[at+1] == quote && code[at+2] == quote:
			return at + 3
		}
	}
	return len(code)
}

// stringEnd is the offset behind the string whose text begins at at. A string without an end stops with its line.
func stringEnd(code []byte, at int, quote byte) int {
	for ; at < len(code); at++ {
		switch code[at] {
		case '\\':
			at++
		case quote:
			return at + 1
		case '\n':
			return at
		}
	}
	return len(code)
}

func blank(text []byte) {
	for i := range text {
		if text[i] != '\n' {
			text[i] = ' '
		}
	}
}
