package output

import (
	"bufio"
	"fmt"
	"io"
)

// Concise prints one line for each finding: path:line:column: CODE message. In a notebook the path names the cell.
func Concise(w io.Writer, r *Report, style Style) error {
	b := bufio.NewWriter(w)
	for i := range r.Result.Findings {
		f := &r.Result.Findings[i]
		fmt.Fprintf(b, "%s: %s %s\n", style.bold(r.location(f.Span.Path, f.Span.Start)), style.severity(f.Severity, f.Code), Printable(f.Message))
	}
	fmt.Fprintln(b, r.closing(style))
	return b.Flush()
}

// location is path:line:column, or path:cell N:line:column in a notebook.
func (r *Report) location(path string, offset int) string {
	p, name := r.point(path, offset), Printable(r.display(path))
	if s := r.source(path); s != nil && s.Cell != nil {
		if cell, line, ok := s.Cell(offset); ok {
			return fmt.Sprintf("%s:cell %d:%d:%d", name, cell, line, p.Column)
		}
	}
	return fmt.Sprintf("%s:%d:%d", name, p.Line, p.Column)
}
