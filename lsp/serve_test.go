package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/zap"
)

const zapWarn = zap.WarnLevel

// checkGoroutines fails if goroutines of this package outlive a server.
func checkGoroutines(t *testing.T) {
	t.Helper()
	var stacks string
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); runtime.Gosched() {
		buf := make([]byte, 1<<20)
		stacks = string(buf[:runtime.Stack(buf, true)])
		if !strings.Contains(stacks, "lsp.(*session)") && !strings.Contains(stacks, "jsonrpc2.(*conn)") {
			return
		}
	}
	t.Errorf("goroutines outlive the server:\n%s", stacks)
}

func TestShutdownThenExit(t *testing.T) {
	e := startServer(t, Options{})
	e.initialize(`{}`, "")
	e.call("shutdown", `null`)
	if m := e.await(e.request("textDocument/hover", `{}`)); m.Error == nil || m.Error.Code != -32600 {
		t.Errorf("a request after shutdown is answered %+v, want error -32600", m)
	}
	e.notify("exit", `null`)
	if err := e.wait(); err != nil {
		t.Errorf("Serve returned %v after shutdown and exit", err)
	}
}

func TestLeavingWithoutShutdown(t *testing.T) {
	for name, leave := range map[string]func(*fakeEditor){
		"exit":          func(e *fakeEditor) { e.notify("exit", `null`) },
		"end of stream": func(e *fakeEditor) { _ = e.conn.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			e := startServer(t, Options{})
			e.initialize(`{}`, "")
			leave(e)
			if err := e.wait(); !errors.Is(err, ErrNoShutdown) {
				t.Errorf("Serve returned %v, want ErrNoShutdown", err)
			}
		})
	}
}

func TestExitBeforeInitialize(t *testing.T) {
	e := startServer(t, Options{})
	e.notify("exit", `null`)
	if err := e.wait(); !errors.Is(err, ErrNoShutdown) {
		t.Errorf("Serve returned %v, want ErrNoShutdown", err)
	}
}

// A body that is no message is answered, and the session goes on: its length has told where the next one begins.
func TestBodyThatIsNoMessage(t *testing.T) {
	for body, want := range map[string]int{
		`{"jsonrpc": nonsense`:                   -32700,
		`null`:                                   -32700,
		`{"jsonrpc": "2.0", "id": 1}`:            -32600,
		`{"id": 1, "method": "shutdown"}`:        -32600,
		`[{"jsonrpc": "2.0", "method": "exit"}]`: -32600, // the protocol has no batches
	} {
		t.Run(body, func(t *testing.T) {
			e := startServer(t, Options{})
			e.initialize(`{}`, "")
			if err := e.sendRaw(body); err != nil {
				t.Fatal(err)
			}
			if m := e.await("null"); m.Error == nil || m.Error.Code != want {
				t.Errorf("answered %+v, want error %d", m, want)
			}
			e.shutdown()
		})
	}
}

func TestErrorCodes(t *testing.T) {
	e := startServer(t, Options{})
	code := func(id string) int {
		t.Helper()
		m := e.await(id)
		if m.Error == nil {
			t.Fatalf("request %s succeeded with %s", id, m.Result)
		}
		return m.Error.Code
	}
	if got := code(e.request("textDocument/hover", `{}`)); got != -32002 {
		t.Errorf("a request before initialize: %d, want -32002", got)
	}
	e.initialize(`{}`, "")
	for _, test := range []struct {
		method, params string
		want           int
	}{
		{"initialize", `{"processId":null,"rootUri":null,"capabilities":{}}`, -32600},
		{"textDocument/hover", `[]`, -32602},
		{"textDocument/hover", `{"textDocument":7}`, -32602},
		{"textDocument/hover", `{"textDocument":{"uri":"file:///nowhere.py"},"position":{"line":0,"character":0}}`, -32602},
		{"workspace/executeCommand", `{"command":"other.command"}`, -32602},
		{"textDocument/moniker", `{"textDocument":{"uri":"file:///a.py"},"position":{"line":0,"character":0}}`, -32601},
		{"shardls/unheardOf", `{}`, -32601},
	} {
		if got := code(e.request(test.method, test.params)); got != test.want {
			t.Errorf("%s %s: %d, want %d", test.method, test.params, got, test.want)
		}
	}
	if err := e.sendRaw(`{"jsonrpc":"2.0","id":"bare","method":"shardls/unheardOf"}`); err != nil {
		t.Fatal(err)
	}
	if got := code(`"bare"`); got != -32601 {
		t.Errorf("an unknown method without parameters: %d, want -32601", got)
	}
	e.shutdown()
}

// A notification that can't be understood or that is about nothing must not end the session.
func TestBadNotifications(t *testing.T) {
	e := startServer(t, Options{Log: zap.NewNop()})
	e.initialize(`{}`, "")
	e.notify("textDocument/didOpen", `[]`)
	e.notify("textDocument/didChange", `{"textDocument":{"uri":"file:///nowhere.py","version":2},"contentChanges":[{"text":""}]}`)
	e.notify("textDocument/didClose", `{"textDocument":{"uri":"file:///nowhere.py"}}`)
	e.notify("shardls/unheardOf", `{}`)
	e.notify("$/cancelRequest", `{"id":null}`)
	e.notify("$/cancelRequest", `{"id":{"a":1}}`)
	e.notify("$/cancelRequest", `17`)
	e.notify("$/setTrace", `{"value":"verbose"}`)
	e.shutdown()
}

// gate makes requests of one method wait until they are let through or cancelled.
type gate struct {
	method  string
	entered chan struct{}
	open    chan struct{}
}

func newGate(method string) *gate {
	return &gate{method: method, entered: make(chan struct{}, 16), open: make(chan struct{})}
}

func (g *gate) intercept(ctx context.Context, method string) {
	if method != g.method {
		return
	}
	g.entered <- struct{}{}
	select {
	case <-g.open:
	case <-ctx.Done():
	}
}

const emptyDocument = `{"textDocument":{"uri":"file:///w/a.py","languageId":"python","version":1,"text":"x = 1\n"}}`
const hoverParams = `{"textDocument":{"uri":"file:///w/a.py"},"position":{"line":0,"character":0}}`

// The library's own way runs one request after the other; a slow one must not hold up the next.
func TestSlowRequestDelaysNobody(t *testing.T) {
	g := newGate("textDocument/hover")
	e := startServer(t, Options{intercept: g.intercept})
	e.initialize(`{}`, "")
	e.notify("textDocument/didOpen", emptyDocument)
	slow := e.request("textDocument/hover", hoverParams)
	<-g.entered
	e.call("textDocument/foldingRange", `{"textDocument":{"uri":"file:///w/a.py"}}`)
	if e.isAnswered(slow) {
		t.Fatal("the slow request did not wait")
	}
	close(g.open)
	if m := e.await(slow); m.Error != nil {
		t.Errorf("the slow request failed: %s", m.Error.Message)
	}
	e.shutdown()
}

func TestCancel(t *testing.T) {
	for _, id := range []string{`7`, `"seven"`, `98765432109876`} {
		t.Run(id, func(t *testing.T) {
			g := newGate("textDocument/hover")
			e := startServer(t, Options{intercept: g.intercept})
			e.initialize(`{}`, "")
			e.notify("textDocument/didOpen", emptyDocument)
			e.requestAs(id, "textDocument/hover", hoverParams)
			<-g.entered
			e.notify("$/cancelRequest", fmt.Sprintf(`{"id":%s}`, id))
			if m := e.await(id); m.Error == nil || m.Error.Code != -32800 {
				t.Errorf("answered %+v, want error -32800", m)
			}
			e.notify("$/cancelRequest", fmt.Sprintf(`{"id":%s}`, id)) // once more, after the answer
			e.shutdown()
		})
	}
}

// Cancelling through the library ended the process once in a few calls; so many find it.
func TestCancelStorm(t *testing.T) {
	e := startServer(t, Options{})
	e.initialize(`{}`, "")
	e.notify("textDocument/didOpen", emptyDocument)
	var ids []string
	for range 500 {
		id := e.request("textDocument/hover", hoverParams)
		e.notify("$/cancelRequest", fmt.Sprintf(`{"id":%s}`, id))
		ids = append(ids, id)
	}
	for _, id := range ids {
		if m := e.await(id); m.Error != nil && m.Error.Code != -32800 {
			t.Fatalf("answered %d %s", m.Error.Code, m.Error.Message)
		}
	}
	e.shutdown()
}

func TestEditSupersedesRequest(t *testing.T) {
	g := newGate("textDocument/hover")
	e := startServer(t, Options{intercept: g.intercept})
	e.initialize(`{}`, "")
	e.notify("textDocument/didOpen", emptyDocument)
	e.notify("textDocument/didOpen", strings.ReplaceAll(emptyDocument, "a.py", "b.py"))
	mine := e.request("textDocument/hover", hoverParams)
	other := e.request("textDocument/hover", strings.ReplaceAll(hoverParams, "a.py", "b.py"))
	<-g.entered
	<-g.entered
	e.notify("textDocument/didChange", `{"textDocument":{"uri":"file:///w/a.py","version":2},"contentChanges":[{"text":"y = 2\n"}]}`)
	if m := e.await(mine); m.Error == nil || m.Error.Code != -32801 {
		t.Errorf("answered %+v, want error -32801", m)
	}
	if e.isAnswered(other) {
		t.Error("an edit of one document ended a request about another")
	}
	close(g.open)
	if m := e.await(other); m.Error != nil {
		t.Errorf("the other request failed: %s", m.Error.Message)
	}
	e.shutdown()
}

func TestPanicInRequest(t *testing.T) {
	var panicked atomic.Bool
	e := startServer(t, Options{Log: zap.NewNop(), intercept: func(_ context.Context, method string) {
		if method == "textDocument/hover" && panicked.CompareAndSwap(false, true) {
			panic("on purpose")
		}
	}})
	e.initialize(`{}`, "")
	e.notify("textDocument/didOpen", emptyDocument)
	if m := e.await(e.request("textDocument/hover", hoverParams)); m.Error == nil || m.Error.Code != -32603 {
		t.Errorf("answered %+v, want error -32603", m)
	}
	e.call("textDocument/hover", hoverParams) // the connection lives
	e.shutdown()
}

func TestPositionEncoding(t *testing.T) {
	for _, test := range []struct{ offered, options, want string }{
		{`{}`, ``, "utf-16"},
		{`{"general":{"positionEncodings":["utf-16"]}}`, ``, "utf-16"},
		{`{"general":{"positionEncodings":["utf-16","utf-8"]}}`, ``, "utf-8"},
		{`{"general":{"positionEncodings":["utf-16","utf-32"]}}`, ``, "utf-32"},
		{`{"general":{"positionEncodings":["utf-8","utf-16","utf-32"]}}`, `,"initializationOptions":{"positionEncoding":"utf-16"}`, "utf-16"},
		{`{"general":{"positionEncodings":["utf-16"]}}`, `,"initializationOptions":{"positionEncoding":"utf-8"}`, "utf-16"},
	} {
		e := startServer(t, Options{})
		var result struct {
			Capabilities struct{ PositionEncoding string }
		}
		if err := json.Unmarshal(e.initialize(test.offered, test.options), &result); err != nil {
			t.Fatal(err)
		}
		if got := result.Capabilities.PositionEncoding; got != test.want {
			t.Errorf("offered %s with %s: %s, want %s", test.offered, test.options, got, test.want)
		}
		e.shutdown()
	}
}

// Odd URIs must be taken as what they are, and nothing may come of treating them as files.
func TestOddDocuments(t *testing.T) {
	e := startServer(t, Options{})
	e.initialize(`{}`, "")
	for _, u := range []string{
		"untitled:Untitled-1",
		"vscode-notebook-cell:/w/n.ipynb#W0sZmlsZQ%3D%3D",
		"git:/w/a.py?%7B%22ref%22%3A%22HEAD%22%7D",
		"file:///c%3A/w/a.py",
		"file:///w/with%20space/%C3%BC%E6%96%87.py",
		"file:///w/not%2fcanonical.py",
		"x:",
	} {
		document := fmt.Sprintf(`{"textDocument":{"uri":%q,"languageId":"python","version":1,"text":"x = 1\n"}}`, u)
		e.notify("textDocument/didOpen", document)
		e.call("textDocument/hover", fmt.Sprintf(`{"textDocument":{"uri":%q},"position":{"line":0,"character":9}}`, u))
		e.notify("textDocument/didClose", fmt.Sprintf(`{"textDocument":{"uri":%q}}`, u))
	}
	e.shutdown()
}
