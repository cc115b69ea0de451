package lsp

import (
	"sync"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// phase is where a session stands between initialize and exit.
type phase uint8

const (
	uninitialized phase = iota
	initialized
	shutdown
)

// lifecycle decides which messages a session accepts.
type lifecycle struct {
	mu    sync.Mutex
	phase phase
}

// admit says whether a request may be answered now and moves on to the phase that it starts.
func (l *lifecycle) admit(method string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.phase == shutdown:
		return jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "%s after shutdown", method)
	case method == protocol.MethodInitialize && l.phase == initialized:
		return jsonrpc2.NewError(jsonrpc2.InvalidRequest, "initialize a second time")
	case method == protocol.MethodShutdown:
		l.phase = shutdown
	case method != protocol.MethodInitialize && l.phase == uninitialized:
		return jsonrpc2.Errorf(jsonrpc2.ServerNotInitialized, "%s before initialize", method)
	}
	return nil
}

// begin opens the session for requests; initialize calls it when it has succeeded.
func (l *lifecycle) begin() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.phase = initialized
}

func (l *lifecycle) running() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.phase == initialized
}

func (l *lifecycle) shutDown() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.phase == shutdown
}
