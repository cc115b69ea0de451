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
	hlo      func() *hloText // of an HLO document: nil if the text holds no module
}

// newDocument is a document as it was opened.
func newDocument(item protocol.TextDocumentItem) *document {
	d := &document{
		uri:      item.URI,
		path:     pathFromURI(item.URI),
		language: string(item.LanguageID),
		version:  item.Version,
	}
	return d.withText([]byte(item.Text))
}

// withText puts another text in a document that nobody else has seen yet.
func (d *document) withText(b []byte) *document {
	d.text = text.NewMap(b)
	d.hlo = nil
	if d.isHLO() {
		d.hlo = readHLO(d.path, d.text)
	}
	return d
}

// isPython reports whether the analysis of Python applies.
func (d *document) isPython() bool {
	return d.language == "python" || d.language == "" && (strings.HasSuffix(d.path, ".py") || strings.HasSuffix(d.path, ".pyi"))
}

// isHLO reports whether the document is the text of a compiled module.
func (d *document) isHLO() bool {
	return d.language == "hlo" || d.language == "" && strings.HasSuffix(d.path, ".hlo")
}

// edited is the document after changes, each of which counts positions in the outcome of the one before.
func (d *document) edited(version int32, changes []protocol.TextDocumentContentChangeEvent, enc text.Encoding) *document {
	next := *d
	next.version = version
	for _, change := range changes {
		switch c := change.(type) {
		case *protocol.TextDocumentContentChangeWholeDocument:
			next.withText([]byte(c.Text))
		case *protocol.TextDocumentContentChangePartial:
			start, end := offsetsFromRange(next.text, c.Range, enc)
			b := make([]byte, 0, len(next.text.Text)-(end-start)+len(c.Text))
			b = append(b, next.text.Text[:start]...)
			b = append(b, c.Text...)
			b = append(b, next.text.Text[end:]...)
			next.withText(b)
		}
	}
	return &next
}
