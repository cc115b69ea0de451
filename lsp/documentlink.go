package lsp

import (
	"bytes"
	"context"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/shardls/shardls/internal/project"
)

// DocumentLink links the codes in suppressions to the pages of their rules, and the file names in a compiled module to the
// files of the workspace.
func (s *server) DocumentLink(ctx context.Context, params *protocol.DocumentLinkParams) ([]protocol.DocumentLink, error) {
	doc, err := s.document(params.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	links := []protocol.DocumentLink{}
	a, err := s.analysed(ctx, doc)
	if err != nil || a.workspace == nil {
		return links, err
	}
	add := func(start, end int, target uri.URI) {
		where := rangeFromOffsets(doc.text, start, end, s.editor.encoding)
		links = append(links, protocol.DocumentLink{Range: where, Target: &target})
	}
	if f := a.workspace.File(doc.path); f != nil {
		for _, suppression := range f.Syntax().Suppressions {
			for _, c := range suppression.Codes {
				if target, err := uri.ParseStrict(s.ruleURL(c.Code)); err == nil && isRule(c.Code) {
					add(c.Start, c.End, target)
				}
			}
		}
	}
	if doc.isHLO() {
		a.fileNames(doc, add)
	}
	return links, nil
}

func isRule(code string) bool {
	for _, r := range project.Rules() {
		if r.Code == code {
			return true
		}
	}
	return false
}

// fileNames finds the table of file names of a module: lines of a number and a quoted path below a line "FileNames".
func (a *analysis) fileNames(doc *document, add func(start, end int, target uri.URI)) {
	inTable := false
	for line := range doc.text.Lines() {
		start, end, _ := doc.text.LineBounds(line)
		content := doc.text.Text[start:end]
		if !inTable {
			inTable = bytes.Equal(content, []byte("FileNames"))
			continue
		}
		open, last := bytes.IndexByte(content, '"'), bytes.LastIndexByte(content, '"')
		if open < 0 || last == open {
			return
		}
		if path, ok := a.matchFrame(string(content[open+1 : last])); ok {
			add(start+open+1, start+last, a.uri(path))
		}
	}
}
