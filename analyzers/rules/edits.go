package rules

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

// This file holds edits of whole statements: lines that are added, moved, wrapped or taken out of a block.

// statementAt is the statement around a node that has its lines to itself; invalid where another one shares them.
func statementAt(at flow.Ref) flow.Ref {
	statement := statementOf(at)
	if !statement.Valid() || statement.Node == pyparse.None {
		return flow.Ref{}
	}
	s := at.File.Syntax
	start, end := s.Span(statement.Node)
	rest, _, _ := bytes.Cut(s.Source[end:], []byte("\n"))
	_, own := indentation(s, start)
	if code, _, _ := strings.Cut(string(rest), "#"); strings.TrimSpace(code) != "" || !own {
		return flow.Ref{}
	}
	return statement
}

// indentation returns the white space in front of a statement, false where the statement does not begin its line.
func indentation(file *pyparse.File, offset int) (string, bool) {
	start := offset
	for start > 0 && (file.Source[start-1] == ' ' || file.Source[start-1] == '\t') {
		start--
	}
	return string(file.Source[start:offset]), start == 0 || file.Source[start-1] == '\n'
}

// newline is the line ending that a source uses.
func newline(source []byte) string {
	if bytes.Contains(source, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// lineBefore is the edit that puts a line in front of the statement around a node.
func lineBefore(at flow.Ref, text string) (analyzers.Edit, bool) {
	span, indent, ok := statementLine(at)
	if !ok {
		return analyzers.Edit{}, false
	}
	span.End = span.Start
	return analyzers.Edit{Span: span, NewText: text + newline(at.File.Syntax.Source) + indent}, true
}

// lineAfter is the edit that puts a line behind the statement around a node, behind a comment on its line.
func lineAfter(at flow.Ref, text string) (analyzers.Edit, bool) {
	span, indent, ok := statementLine(at)
	if !ok {
		return analyzers.Edit{}, false
	}
	source := at.File.Syntax.Source
	for span.End < len(source) && source[span.End] != '\n' && source[span.End] != '\r' {
		span.End++
	}
	span.Start = span.End
	return analyzers.Edit{Span: span, NewText: newline(source) + indent + text}, true
}

// statementLine is the span of the statement around a node and the space in front of it.
func statementLine(at flow.Ref) (span analyzers.Span, indent string, ok bool) {
	statement := statementAt(at)
	if !statement.Valid() {
		return analyzers.Span{}, "", false
	}
	span = spanOf(statement)
	indent, _ = indentation(at.File.Syntax, span.Start)
	return span, indent, true
}

// newNames are the names that the fixes of one pass bind, and what to: fixes that are applied together must not bind one name of a function
// to two things.
type newNames map[newName]string

// newName is a name in a function, [pyparse.None] at module level.
type newName struct {
	file     *flow.File
	function pyparse.NodeID
	name     string
}

// hoisted are the edits that evaluate an expression once, in front of the statement around a place, under a new name.
func (n newNames) hoisted(expr, before flow.Ref, base string) []analyzers.Edit {
	span, _, ok := statementLine(before)
	if !ok || multiline(expr) {
		return nil
	}
	meaning := fmt.Sprint(span.Start, " ", expr.Text())
	var others []string
	for {
		name := unusedName(expr.File.Syntax, base, others...)
		key := newName{before.File, before.File.Syntax.EnclosingFunction(before.Node), name}
		if known := n[key]; known != "" && known != meaning {
			others = append(others, name)
			continue
		}
		n[key] = meaning
		line, _ := lineBefore(before, name+" = "+expr.Text())
		return []analyzers.Edit{line, replaced(expr, name)}
	}
}

// movedBefore are the edits that move the statement around a node, which has its lines to itself, in front of another one.
func movedBefore(at, before flow.Ref) []analyzers.Edit {
	statement := statementAt(at)
	if !statement.Valid() || multiline(statement) {
		return nil
	}
	line, ok := lineBefore(before, statement.Text())
	if !ok {
		return nil
	}
	gone := replaced(statement, "pass")
	if others := wholeStatement(statement); others.Valid() {
		gone = lineDropped(others)
	}
	return []analyzers.Edit{line, gone}
}

// multiline reports whether a node goes over several lines, so that its indentation may matter where it is moved to.
func multiline(at flow.Ref) bool { return strings.Contains(at.Text(), "\n") }

// indented is an edit that shifts the lines of statements of one block by some white space, deeper or back. It is nil where a
// string goes over several lines.
func indented(statements []flow.Ref, by string, deeper bool) []analyzers.Edit {
	var edits []analyzers.Edit
	for _, statement := range statements {
		s := statement.File.Syntax
		for n := range selfAndBelow(s, statement.Node) {
			if s.Is(n, pyparse.KindString) && strings.Contains(s.Text(n), "\n") {
				return nil
			}
		}
		span := spanOf(statement)
		own, ok := indentation(s, span.Start)
		if !ok {
			return nil
		}
		for line := span.Start - len(own); line < span.End; line = nextLine(s.Source, line) {
			if len(bytes.TrimSpace(s.Source[line:nextLine(s.Source, line)])) == 0 {
				continue
			}
			e := analyzers.Edit{Span: analyzers.Span{Path: span.Path, Start: line, End: line}, NewText: by}
			if !deeper {
				if !bytes.HasPrefix(s.Source[line:], []byte(by)) {
					continue // a line inside brackets may start anywhere
				}
				e.NewText, e.Span.End = "", line+len(by)
			}
			edits = append(edits, e)
		}
	}
	return edits
}

// wrapped puts a statement into the block of a header.
func wrapped(statement flow.Ref, header, by string) ([]analyzers.Edit, bool) {
	s := statement.File.Syntax
	start, _ := s.Span(statement.Node)
	indent, ok := indentation(s, start)
	edits := indented([]flow.Ref{statement}, by, true)
	if !ok || edits == nil {
		return nil, false
	}
	edits[0].NewText = indent + header + newline(s.Source) + by
	return edits, true
}

func nextLine(source []byte, from int) int {
	if i := bytes.IndexByte(source[from:], '\n'); i >= 0 {
		return from + i + 1
	}
	return len(source)
}

// extraIndent is the white space that a block has more than the statement around it.
func extraIndent(outer, inner flow.Ref) string {
	s := outer.File.Syntax
	start, _ := s.Span(outer.Node)
	first, _ := s.Span(inner.Node)
	indent, _ := indentation(s, start)
	deeper, _ := indentation(s, first)
	return strings.TrimPrefix(deeper, indent)
}

// importAdded are the edits that make a name of a library usable in a file, and how the file then writes it.
func importAdded(f *flow.File, module, name string) (text string, edits []analyzers.Edit) {
	if text = spelling(f.Syntax, module+"."+name); text != "" && importsModule(f, module+"."+name) {
		return text, nil
	}
	w := writing(f)
	if text = w.imported(module+"."+name, module, name); w.missing {
		return "", nil
	}
	return text, w.imports
}

// importsModule reports whether an import of the file loads a module: a submodule is no attribute of its package before.
func importsModule(f *flow.File, module string) bool {
	for _, imp := range f.Syntax.Imports {
		if imp.Level == 0 && (imp.Module == module || imp.Name != "" && imp.Target() == module || strings.HasPrefix(imp.Module, module+".")) {
			return true
		}
	}
	return false
}
