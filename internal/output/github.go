package output

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/shardls/shardls/analyzers"
)

// GitHub prints workflow commands, which become annotations of a pull request.
func GitHub(w io.Writer, r *Report) error {
	b := bufio.NewWriter(w)
	for i := range r.Result.Findings {
		f := &r.Result.Findings[i]
		start, end := r.fileRange(f.Span)
		command := map[analyzers.Severity]string{analyzers.Error: "error", analyzers.Warning: "warning"}[f.Severity]
		if command == "" {
			command = "notice"
		}
		fmt.Fprintf(b, "::%s title=%s,file=%s,line=%d,endLine=%d", command,
			property("shardls ("+f.Code+")"), property(r.display(f.Span.Path)), start.Line, end.Line)
		if start.Line == end.Line { // GitHub takes columns only where both are on one line
			fmt.Fprintf(b, ",col=%d,endColumn=%d", start.Column, end.Column)
		}
		fmt.Fprintf(b, "::%s\n", data(fmt.Sprintf("%s: %s %s", r.location(f.Span.Path, f.Span.Start), f.Code, f.Message)))
	}
	return b.Flush()
}

// data escapes the text of a workflow command.
func data(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

// property escapes a property of a workflow command, where colons and commas mean something too.
func property(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}
