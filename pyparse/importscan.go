package pyparse

import (
	"bytes"
	"strings"
)

// ImportName is a module, or a name of one, that a source imports.
type ImportName struct {
	Module string // "a.b" of import a.b and of from a.b import c; "" of from . import c
	Name   string // "c" of from a.b import c, "*" of a star import, "" of import a.b
	Level  int    // number of leading dots
}

// ScanImports lists what the import statements that begin a line of source name, without parsing it. It is meant for deciding
// what is worth parsing: text in strings that looks like an import is listed too.
func ScanImports(source []byte) []ImportName {
	var names []ImportName
	source = bytes.TrimPrefix(source, []byte(byteOrderMark))
	for len(source) > 0 {
		line, rest := source, source[:0]
		if end := bytes.IndexAny(source, "\r\n"); end >= 0 {
			line, rest = source[:end], source[end+1:]
		}
		trimmed := bytes.TrimLeft(line, " \t\f")
		switch {
		case bytes.HasPrefix(trimmed, []byte("import ")):
			for _, module := range importedNames(statementText(source[len(line)-len(trimmed)+len("import "):])) {
				names = append(names, ImportName{Module: module})
			}
		case bytes.HasPrefix(trimmed, []byte("from ")):
			names = append(names, scanFromImport(statementText(source[len(line)-len(trimmed)+len("from "):]))...)
		}
		source = rest
	}
	return names
}

// statementText is the rest of an import statement: to the end of the line, or of the parentheses or the continuation lines that
// it opens.
func statementText(source []byte) string {
	const longest = 1 << 14 // of a statement that is worth following
	source = source[:min(len(source), longest)]
	open := false
	for i, c := range source {
		switch {
		case c == '(':
			open = true
		case c == ')':
			return string(source[:i])
		case (c == '\n' || c == '\r' || c == ';') && !open && (i == 0 || source[i-1] != '\\'):
			return string(source[:i])
		}
	}
	return string(source)
}

func scanFromImport(text string) []ImportName {
	module, rest, found := strings.Cut(text, " import")
	if !found {
		return nil
	}
	base := ImportName{Module: strings.Trim(module, " \t\\\r\n")}
	for strings.HasPrefix(base.Module, ".") {
		base.Module, base.Level = base.Module[1:], base.Level+1
	}
	var names []ImportName
	for _, name := range importedNames(strings.TrimLeft(rest, " \t(\\\r\n")) {
		base.Name = name
		names = append(names, base)
	}
	return names
}

// importedNames splits "a.b as c, d" into "a.b" and "d". Comments between the names are left out.
func importedNames(text string) []string {
	var names []string
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		for part := range strings.SplitSeq(line, ",") {
			if fields := strings.Fields(strings.Trim(part, " \t\\\r\n")); len(fields) > 0 {
				names = append(names, fields[0])
			}
		}
	}
	return names
}
