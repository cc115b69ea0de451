package lsp

import "context"

// Shutdown ends the answering of requests; the lifecycle has already moved on when it is called.
func (s *server) Shutdown(context.Context) error { return nil }

// Exit ends the connection. The reader looks at its context before the next message, and closing frees it if it waits.
func (s *server) Exit(context.Context) error {
	s.stop()
	return nil
}
