package lsp

import (
	"fmt"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
	"go.uber.org/zap"
)

// published remembers what the editor has been told about one document.
type published struct {
	version int32
	id      string
}

// announce tells the editor of a new analysis: by sending the diagnostics of open documents, or, if the editor asks for
// them itself, by saying that it is time to ask. Only the goroutine that analyses calls it, so that what is sent is in
// the order of what was analysed.
func (s *session) announce(a *analysis) {
	if s.editor.pull {
		s.refreshAfter(a)
		return
	}
	for key := range s.sent {
		if a.at.open[key] == nil {
			delete(s.sent, key)
			s.send(uri.URI(key), protocol.Optional[int32]{}, []protocol.Diagnostic{})
		}
	}
	for key, doc := range a.at.open {
		if !doc.isPython() {
			continue
		}
		items := s.diagnostics(a, doc)
		now := published{version: doc.version, id: resultID(items)}
		if s.sent[key] == now {
			continue
		}
		s.sent[key] = now
		s.send(doc.uri, protocol.NewOptional(doc.version), items)
	}
	s.refreshAfter(a)
}

func (s *session) send(u uri.URI, version protocol.Optional[int32], items []protocol.Diagnostic) {
	params := &protocol.PublishDiagnosticsParams{URI: u, Version: version, Diagnostics: items}
	if err := s.client.PublishDiagnostics(s.ctx, params); err != nil && s.ctx.Err() == nil {
		s.log.Warn("publish diagnostics", zap.String("uri", string(u)), zap.Error(err))
	}
}

// refreshAfter asks the editor to ask again for what follows from dumps and settings. Edits need no such reminder: every
// editor asks again after its own edits. Nor does the first analysis: requests have waited for it.
func (s *session) refreshAfter(a *analysis) {
	now := fmt.Sprint(a.at.settings, a.at.disk, a.at.dumps, a.loading)
	before := s.refreshed
	s.refreshed = now
	if before != "" && before != now {
		s.spawn("refresh", s.refresh)
	}
}

func (s *session) refresh() {
	ask := func(supported bool, what string, request func() error) {
		if !supported {
			return
		}
		if err := request(); err != nil && s.ctx.Err() == nil {
			s.log.Debug("refresh", zap.String("what", what), zap.Error(err))
		}
	}
	ask(s.editor.pull, "diagnostics", func() error { return s.client.DiagnosticRefresh(s.ctx) })
	ask(s.editor.refreshLens, "code lenses", func() error { return s.client.CodeLensRefresh(s.ctx) })
	ask(s.editor.refreshHints, "inlay hints", func() error { return s.client.InlayHintRefresh(s.ctx) })
}
