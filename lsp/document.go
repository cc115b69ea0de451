package lsp

import (
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/shardls/shardls/internal/text"
)

// document is one version of an open document.
type document struct {
	uri      uri.URI
	path     string // see pathFromURI
	language string
	version  int32
	text     *text.Map
}

// isPython reports whether the analysis of Python applies.
func (d *document) isPython() bool {
	return d.language == "python" || d.language == "" && (strings.HasSuffix(d.path, ".py") || strings.HasSuffix(d.path, ".pyi"))
}

// isHLO reports whether the document is the text of a compiled module.
func (d *document) isHLO() bool { return d.language == "hlo" }

// edited is the document after changes, each of which counts positions in the outcome of the one before.
func (d *document) edited(version int32, changes []protocol.TextDocumentContentChangeEvent, enc text.Encoding) *document {
	next := *d
	next.version = version
	for _, change := range changes {
		switch c := change.(type) {
		case *protocol.TextDocumentContentChangeWholeDocument:
			next.text = text.NewMap([]byte(c.Text))
		case *protocol.TextDocumentContentChangePartial:
			start, end := offsetsFromRange(next.text, c.Range, enc)
			b := make([]byte, 0, len(next.text.Text)-(end-start)+len(c.Text))
			b = append(b, next.text.Text[:start]...)
			b = append(b, c.Text...)
			b = append(b, next.text.Text[end:]...)
			next.text = text.NewMap(b)
		}
	}
	return &next
}
