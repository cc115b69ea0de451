package output

import "github.com/shardls/shardls/analyzers"

// Style decides whether text is coloured. The zero value is plain.
type Style struct {
	Colour bool
}

func (s Style) paint(codes, text string) string {
	if !s.Colour || text == "" {
		return text
	}
	return "\x1b[" + codes + "m" + text + "\x1b[0m"
}

func (s Style) bold(text string) string  { return s.paint("1", text) }
func (s Style) dim(text string) string   { return s.paint("2", text) }
func (s Style) blue(text string) string  { return s.paint("1;34", text) }
func (s Style) green(text string) string { return s.paint("32", text) }
func (s Style) red(text string) string   { return s.paint("31", text) }

// severity paints text in the colour of a severity.
func (s Style) severity(v analyzers.Severity, text string) string {
	switch v {
	case analyzers.Error:
		return s.paint("1;31", text)
	case analyzers.Warning:
		return s.paint("1;33", text)
	}
	return s.paint("1;36", text)
}
