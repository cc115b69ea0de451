package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.uber.org/zap"
)

// errSuperseded is the cause with which a request is cancelled when its document changes under it.
var errSuperseded = errors.New("the document changed")

// handle is called by the library on its read goroutine, one message after the other. Nothing that it is given may
// outlive the call: go.lsp.dev/jsonrpc2 v1.0.1 reuses the request, its parameters and its context.
func (s *session) handle(library context.Context, req *jsonrpc2.Request) (any, error) {
	owned := req.Clone()
	if !owned.IsCall() {
		s.notify(owned)
		return nil, nil // an error here would end the connection
	}
	if err := s.lifecycle.admit(owned.Method()); err != nil {
		return nil, err
	}
	if owned.Method() == protocol.MethodInitialize || owned.Method() == protocol.MethodShutdown {
		return s.dispatch(s.ctx, s.server(), owned)
	}
	call := s.calls.begin(s.ctx, owned)
	server := s.server()
	jsonrpc2.Async(library) // lets the library read on; the snapshot above is already taken
	return s.await(call, server)
}

// notify applies a notification on the read goroutine.
func (s *session) notify(req *jsonrpc2.Request) {
	switch {
	case req.Method() == protocol.MethodCancelRequest:
		s.calls.cancel(req.Params())
	case req.Method() == protocol.MethodExit || s.lifecycle.running():
		if _, err := s.dispatch(s.ctx, s.server(), req); err != nil && !isNotFound(err) {
			s.log.Warn("notification", zap.String("method", req.Method()), zap.Error(err))
		}
	}
}

// outcome is what a method returned.
type outcome struct {
	result any
	err    error
}

// await runs a request on a goroutine of its own and answers when it is done or at once when it is cancelled.
func (s *session) await(c *call, server *server) (any, error) {
	defer s.calls.end(c)
	done := make(chan outcome, 1)
	s.spawn(c.request.Method(), func() {
		result, err := s.dispatch(c.ctx, server, c.request)
		done <- outcome{result, err}
	})
	select {
	case out := <-done:
		if out.err != nil && c.ctx.Err() != nil {
			return nil, cancelled(c.ctx)
		}
		return out.result, out.err
	case <-c.ctx.Done():
		return nil, cancelled(c.ctx)
	}
}

// cancelled is the answer to a request whose context has ended.
func cancelled(ctx context.Context) error {
	if errors.Is(context.Cause(ctx), errSuperseded) {
		return jsonrpc2.NewError(protocol.CodeContentModified, "content modified")
	}
	return jsonrpc2.NewError(protocol.CodeRequestCancelled, "request cancelled")
}

// dispatch decodes the parameters and calls the method. A panic becomes an internal error: the library would answer it
// too, but close the connection.
func (s *session) dispatch(ctx context.Context, server *server, req *jsonrpc2.Request) (result any, err error) {
	defer func() {
		if r := recover(); r != nil {
			s.log.Error("panic", zap.String("method", req.Method()), zap.Any("panic", r), zap.ByteString("stack", debug.Stack()))
			result, err = nil, jsonrpc2.Errorf(jsonrpc2.InternalError, "%s: internal error: %v", req.Method(), r)
		}
	}()
	if s.options.intercept != nil && req.IsCall() {
		s.options.intercept(ctx, req.Method())
	}
	result, err = protocol.ServerHandler(server, nil)(ctx, req)
	if err != nil {
		return nil, wireError(req.Method(), err)
	}
	return result, nil
}

// wireError gives an error the code that the protocol has for it.
func wireError(method string, err error) error {
	var coded *jsonrpc2.Error
	if !errors.As(err, &coded) {
		return jsonrpc2.Errorf(jsonrpc2.InternalError, "%s: %v", method, err)
	}
	if coded.Code == jsonrpc2.ParseError { // the library's code for parameters that it can't decode
		return jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%s: %v", method, err)
	}
	return coded
}

func isNotFound(err error) bool { return errors.Is(err, jsonrpc2.ErrMethodNotFound) }

// invalidParams is the answer to a request that asks for something that does not exist.
func invalidParams(format string, args ...any) error {
	return jsonrpc2.NewError(jsonrpc2.InvalidParams, fmt.Sprintf(format, args...))
}

// requestFailed is the answer to a request that is right, but can't be met.
func requestFailed(format string, args ...any) error {
	return jsonrpc2.NewError(jsonrpc2.Code(protocol.LSPErrorCodesRequestFailed), fmt.Sprintf(format, args...))
}

// spawn runs f on a goroutine that recovers and that Serve waits for.
func (s *session) spawn(name string, f func()) {
	s.running.Add(1)
	go func() {
		defer s.running.Done()
		defer func() {
			if r := recover(); r != nil {
				s.log.Error("panic", zap.String("goroutine", name), zap.Any("panic", r), zap.ByteString("stack", debug.Stack()))
			}
		}()
		f()
	}()
}

// call is one request that is being answered.
type call struct {
	request  *jsonrpc2.Request
	document string // URI of the document that it asks about, "" where there is none
	ctx      context.Context
	stop     context.CancelCauseFunc
}

// calls are the requests in flight. The library's own table is of no use: cancelling through it derives a context from
// one that may already be recycled, which has ended the process.
type calls struct {
	mu   sync.Mutex
	byID map[jsonrpc2.ID]*call
}

// begin registers a request. Its context derives from the connection's, never from the library's.
func (c *calls) begin(parent context.Context, req *jsonrpc2.Request) *call {
	ctx, stop := context.WithCancelCause(parent)
	entry := &call{request: req, document: documentOf(req.Params()), ctx: ctx, stop: stop}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byID == nil {
		c.byID = map[jsonrpc2.ID]*call{}
	}
	c.byID[req.ID()] = entry
	return entry
}

func (c *calls) end(entry *call) {
	c.mu.Lock()
	if c.byID[entry.request.ID()] == entry {
		delete(c.byID, entry.request.ID())
	}
	c.mu.Unlock()
	entry.stop(nil)
}

// cancel serves $/cancelRequest. Identifiers are numbers or strings; numbers may need more than 32 bits, which is all
// that the protocol package decodes.
func (c *calls) cancel(params []byte) {
	var p struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	var id jsonrpc2.ID
	var number int64
	var text string
	switch {
	case json.Unmarshal(p.ID, &number) == nil:
		id = jsonrpc2.NewNumberID(number)
	case json.Unmarshal(p.ID, &text) == nil:
		id = jsonrpc2.NewStringID(text)
	default:
		return
	}
	c.mu.Lock()
	entry := c.byID[id]
	c.mu.Unlock()
	if entry != nil {
		entry.stop(context.Canceled)
	}
}

// supersede ends the requests about a document that has just changed.
func (c *calls) supersede(document string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, entry := range c.byID {
		if entry.document == document {
			entry.stop(errSuperseded)
		}
	}
}

// documentOf is the URI in a request's textDocument, in canonical form, or "".
func documentOf(params []byte) string {
	var p struct {
		TextDocument struct {
			URI string `json:"uri"`
		} `json:"textDocument"`
	}
	if json.Unmarshal(params, &p) != nil || p.TextDocument.URI == "" {
		return ""
	}
	return canonicalURI(p.TextDocument.URI)
}
