// Package lsp is the language server: it speaks the protocol with an editor and answers from immutable snapshots of the
// workspace. It is the only package that knows go.lsp.dev and it holds no analysis: internal/project gives it the
// findings and facts, and it turns byte offsets into positions and Go values into messages.
//
// Messages are read on one goroutine. Notifications are applied there, in the order in which the editor sent them.
// A request takes the snapshot that is current when it is read and then runs on a goroutine of its own, so that a slow
// one delays nobody. One file holds one method.
package lsp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.uber.org/zap"

	"github.com/shardls/shardls/analyzers"
)

// ErrNoShutdown is returned by [Serve] when the editor left without asking for shutdown first. A process that serves one
// editor ends with status 1 then, and with 0 where Serve returns nil.
var ErrNoShutdown = errors.New("the editor left without a shutdown request")

// drainTime is how long Serve waits for goroutines after the connection has ended; a parse that does not look at its
// context must not keep the process alive.
const drainTime = 2 * time.Second

// Options configures [Serve].
type Options struct {
	Log     *zap.Logger // nil logs nothing
	Version string      // told to the editor as the server's version
	// RuleURL is the page of a rule, by its code; nil where there are no pages.
	RuleURL func(code string) string

	analyzers []*analyzers.Analyzer // the rules of tests; nil means all rules

	// intercept runs before every request on its own goroutine. Tests use it to make a request slow or to make it panic.
	intercept func(ctx context.Context, method string)
}

// Serve speaks the protocol over rwc until the editor says exit, the stream ends, ctx is cancelled, or the editor's
// process dies. It closes rwc. It returns nil if the editor asked for shutdown first, [ErrNoShutdown] if it did not, and
// another error if the stream broke.
func Serve(ctx context.Context, rwc io.ReadWriteCloser, options Options) error {
	if options.Log == nil {
		options.Log = zap.NewNop()
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream := &cancellingStream{ReadWriteCloser: rwc, cancel: cancel}
	conn := jsonrpc2.NewConn(messages{jsonrpc2.NewStream(stream)}, jsonrpc2.WithCodec(codec{}))
	s := newSession(ctx, cancel, conn, options)
	// The library looks at its context only between messages, so a reader that waits for the editor is freed by closing.
	stop := context.AfterFunc(ctx, func() { _ = stream.Close() })
	defer stop()

	s.spawn("analyse", s.analyse)
	conn.Go(ctx, s.handle)
	select {
	case <-conn.Done():
	case <-ctx.Done():
	}
	cancel()
	s.drain(conn)
	return s.verdict(conn.Err())
}

// verdict is what Serve returns, given what ended the connection.
func (s *session) verdict(transport error) error {
	switch {
	case s.lifecycle.shutDown():
		return nil
	case transport != nil && !isClosed(transport):
		return fmt.Errorf("language server connection: %w", transport)
	default:
		return ErrNoShutdown
	}
}

// drain waits for the session's goroutines, but not longer than drainTime: besides long work there may be a reader that
// closing does not free, since a process's standard input is a blocking file.
func (s *session) drain(conn jsonrpc2.Conn) {
	done := make(chan struct{})
	go func() {
		<-conn.Done()
		s.running.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(drainTime):
		s.log.Warn("goroutines still run after the connection ended")
	}
}

// isClosed reports whether err only says that the stream was closed on our side.
func isClosed(err error) bool {
	return errors.Is(err, io.ErrClosedPipe) || errors.Is(err, io.EOF) || errors.Is(err, context.Canceled)
}

// cancellingStream cancels the session as soon as nothing more can be read, so that running requests end with the
// connection, and closes once.
type cancellingStream struct {
	io.ReadWriteCloser
	cancel context.CancelFunc
	once   sync.Once
	err    error
}

func (c *cancellingStream) Read(p []byte) (int, error) {
	n, err := c.ReadWriteCloser.Read(p)
	if err != nil {
		c.cancel()
	}
	return n, err
}

func (c *cancellingStream) Close() error {
	c.once.Do(func() { c.err = c.ReadWriteCloser.Close() })
	return c.err
}

// codec encodes and decodes payloads with the protocol's own functions: encoding/json does not know its unions.
type codec struct{}

func (codec) Marshal(v any) ([]byte, error) {
	if raw, ok := v.(jsonrpc2.RawMessage); ok {
		return raw, nil
	}
	return protocol.Marshal(v)
}

func (codec) Unmarshal(data []byte, v any) error { return protocol.Unmarshal(data, v) }
