package pyparse

// WithoutComments is the source without its comments and the white space at the ends of its lines, of which there are as
// many as before: two versions of a line that are the same in it are the same to Python.
func (f *File) WithoutComments() []byte {
	out := make([]byte, 0, len(f.Source))
	at := 0
	for _, c := range f.Comments {
		if c.Start < at || c.End > len(f.Source) {
			continue
		}
		out = appendTrimmed(out, f.Source[at:c.Start])
		out = trimBlanks(out)
		at = c.End
	}
	return trimBlanks(appendTrimmed(out, f.Source[at:]))
}

// appendTrimmed appends text without the blanks in front of its line ends.
func appendTrimmed(out, text []byte) []byte {
	for _, b := range text {
		if b == '\n' || b == '\r' {
			out = trimBlanks(out)
		}
		out = append(out, b)
	}
	return out
}

func trimBlanks(out []byte) []byte {
	for len(out) > 0 && (out[len(out)-1] == ' ' || out[len(out)-1] == '\t') {
		out = out[:len(out)-1]
	}
	return out
}
