package lsp

import (
	"slices"

	"go.lsp.dev/protocol"

	"github.com/shardls/shardls/internal/text"
)

// editor is what the other side can do.
type editor struct {
	encoding        text.Encoding
	pull            bool // it asks for diagnostics, again when told to; the server must not send them by itself then
	refreshLens     bool
	refreshHints    bool
	markdown        bool // in hovers
	documentChanges bool // versioned edits
	progress        bool
	configuration   bool // it answers workspace/configuration
	registerConfig  bool // didChangeConfiguration needs registration
	registerWatch   bool // it watches files that the server names
	literalActions  bool // code actions rather than bare commands
	resolveEdits    bool // code actions may leave their edit to codeAction/resolve
	showDocument    bool
	hierarchical    bool // document symbols
}

// encodings in the order of preference: bytes are what shardls counts in.
var encodings = [...]struct {
	kind     protocol.PositionEncodingKind
	encoding text.Encoding
}{
	{protocol.PositionEncodingKindUTF8, text.UTF8},
	{protocol.PositionEncodingKindUTF32, text.UTF32},
	{protocol.PositionEncodingKindUTF16, text.UTF16},
}

// negotiate picks a position encoding that the editor offers. An editor that offers none means UTF-16, and UTF-16 may be
// asked for by settings: editors dislike servers with different encodings on one buffer.
func negotiate(offered []protocol.PositionEncodingKind, wanted string) (protocol.PositionEncodingKind, text.Encoding) {
	for _, e := range encodings {
		if string(e.kind) == wanted && (slices.Contains(offered, e.kind) || e.encoding == text.UTF16) {
			return e.kind, e.encoding
		}
	}
	for _, e := range encodings {
		if slices.Contains(offered, e.kind) {
			return e.kind, e.encoding
		}
	}
	return protocol.PositionEncodingKindUTF16, text.UTF16
}

// editorFrom reads the capabilities that the server acts on.
func editorFrom(c protocol.ClientCapabilities) editor {
	var e editor
	if w := c.Window; w != nil {
		e.progress = isTrue(w.WorkDoneProgress)
		e.showDocument = w.ShowDocument != nil && w.ShowDocument.Support
	}
	if w := c.Workspace; w != nil {
		e.readWorkspace(w)
	}
	if t := c.TextDocument; t != nil {
		e.readTextDocument(t)
		// An editor that can't be told to ask again (Neovim 0.11) would not see what a dump adds until its next edit.
		e.pull = t.Diagnostic != nil && canRefreshDiagnostics(c.Workspace)
	}
	return e
}

func canRefreshDiagnostics(w *protocol.WorkspaceClientCapabilities) bool {
	return w != nil && w.Diagnostics != nil && isTrue(w.Diagnostics.RefreshSupport)
}

func (e *editor) readWorkspace(w *protocol.WorkspaceClientCapabilities) {
	e.configuration = isTrue(w.Configuration)
	e.registerConfig = w.DidChangeConfiguration != nil && isTrue(w.DidChangeConfiguration.DynamicRegistration)
	e.registerWatch = w.DidChangeWatchedFiles != nil && isTrue(w.DidChangeWatchedFiles.DynamicRegistration)
	e.documentChanges = w.WorkspaceEdit != nil && isTrue(w.WorkspaceEdit.DocumentChanges)
	e.refreshLens = w.CodeLens != nil && isTrue(w.CodeLens.RefreshSupport)
	e.refreshHints = w.InlayHint != nil && isTrue(w.InlayHint.RefreshSupport)
}

func (e *editor) readTextDocument(t *protocol.TextDocumentClientCapabilities) {
	e.markdown = t.Hover != nil && slices.Contains(t.Hover.ContentFormat, protocol.MarkupKindMarkdown)
	e.hierarchical = t.DocumentSymbol != nil && isTrue(t.DocumentSymbol.HierarchicalDocumentSymbolSupport)
	if a := t.CodeAction; a != nil {
		e.literalActions = len(a.CodeActionLiteralSupport.CodeActionKind.ValueSet) > 0
		e.resolveEdits = slices.Contains(a.ResolveSupport.Properties, "edit") && isTrue(a.DataSupport)
	}
}

func isTrue(b *bool) bool { return b != nil && *b }
