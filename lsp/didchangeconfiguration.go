package lsp

import (
	"context"

	"go.lsp.dev/protocol"
	"go.uber.org/zap"
)

// DidChangeConfiguration takes new settings. Editors that can be asked are asked, since they send no settings along;
// others send all of them.
func (s *server) DidChangeConfiguration(_ context.Context, params *protocol.DidChangeConfigurationParams) error {
	if s.editor.configuration {
		s.spawn("configuration", s.fetchConfiguration)
		return nil
	}
	s.take(params.Settings)
	return nil
}

// fetchConfiguration asks the editor for its settings. It waits for the answer and must not be called on the goroutine
// that reads messages.
func (s *session) fetchConfiguration() {
	if !s.editor.configuration {
		return
	}
	section := "shardls"
	answer, err := s.client.Configuration(s.ctx, &protocol.ConfigurationParams{Items: []protocol.ConfigurationItem{{Section: &section}}})
	if err != nil {
		if s.ctx.Err() == nil {
			s.log.Warn("workspace/configuration", zap.Error(err))
		}
		return
	}
	if len(answer) == 1 && string(answer[0]) != "null" { // null: nothing is set, so what initialize brought stays
		s.take(answer[0])
	}
}

// take makes raw the current settings. Settings that can't be read change nothing.
func (s *session) take(raw []byte) {
	chosen, err := settingsFrom(raw)
	if err != nil {
		s.log.Warn("configuration", zap.Error(err))
		s.show(protocol.MessageTypeWarning, "shardls: "+err.Error())
		return
	}
	s.update(func(next *snapshot) { next.settings = chosen })
}

// show puts a message in front of the person.
func (s *session) show(kind protocol.MessageType, message string) {
	if err := s.client.ShowMessage(s.ctx, &protocol.ShowMessageParams{Type: kind, Message: message}); err != nil && s.ctx.Err() == nil {
		s.log.Debug("show message", zap.Error(err))
	}
}
