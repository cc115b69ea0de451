package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"strconv"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap/zaptest"
)

// patience is how long a test waits for something that must happen. It is no measure of speed.
const patience = 30 * time.Second

// message is any message as it stands on the wire.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// fakeEditor speaks raw JSON with a server over an in-memory pipe.
type fakeEditor struct {
	t    *testing.T
	conn io.ReadWriteCloser
	wait func() error // waits for Serve and returns its error

	mu       sync.Mutex
	settings json.RawMessage // answers workspace/configuration
	refuse   bool            // answers every request of the server with an error
	answers  map[string]message
	messages []message // requests and notifications from the server, in order
	closed   bool
	changed  chan struct{}
	writing  sync.Mutex
	nextID   int
}

// startServer runs a server in this process and connects a fake editor to it. The test fails if it leaks goroutines or
// does not end.
func startServer(t *testing.T, options Options) *fakeEditor {
	t.Helper()
	if options.Log == nil {
		options.Log = zaptest.NewLogger(t, zaptest.Level(zapWarn))
	}
	here, there := net.Pipe()
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		err = Serve(context.Background(), there, options)
	}()
	e := newFakeEditor(t, here)
	e.wait = func() error {
		select {
		case <-done:
			return err
		case <-time.After(patience):
			return errors.New("the server does not end")
		}
	}
	t.Cleanup(func() {
		_ = here.Close()
		if err := e.wait(); err != nil && !errors.Is(err, ErrNoShutdown) && !e.expectsBreak() {
			t.Errorf("serve: %v", err)
		}
		checkGoroutines(t)
	})
	return e
}

func newFakeEditor(t *testing.T, conn io.ReadWriteCloser) *fakeEditor {
	e := &fakeEditor{t: t, conn: conn, answers: map[string]message{}, changed: make(chan struct{})}
	go e.read()
	return e
}

// read takes in what the server sends and answers its requests.
func (e *fakeEditor) read() {
	r := bufio.NewReader(e.conn)
	for {
		m, err := readMessage(r)
		e.mu.Lock()
		switch {
		case err != nil:
			e.closed = true
		case m.Method == "":
			e.answers[string(m.ID)] = m
		default:
			e.messages = append(e.messages, m)
		}
		close(e.changed)
		e.changed = make(chan struct{})
		e.mu.Unlock()
		if err != nil {
			return
		}
		if m.Method != "" && len(m.ID) > 0 {
			go e.answer(m) // the pipe has no buffer: answering here could wait for a server that waits for this goroutine
		}
	}
}

func readMessage(r *bufio.Reader) (message, error) {
	header, err := textproto.NewReader(r).ReadMIMEHeader()
	if err != nil {
		return message{}, err
	}
	n, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil {
		return message{}, err
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(r, body); err != nil {
		return message{}, err
	}
	var m message
	return m, json.Unmarshal(body, &m)
}

func (e *fakeEditor) answer(m message) {
	e.mu.Lock()
	chosen, refuse := e.settings, e.refuse
	e.mu.Unlock()
	result := `null`
	if m.Method == "workspace/configuration" {
		settings := "null"
		if chosen != nil {
			settings = string(chosen)
		}
		result = "[" + settings + "]"
	}
	if refuse {
		_ = e.sendRaw(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`, m.ID))
		return
	}
	_ = e.sendRaw(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result))
}

// sendRaw sends one frame with any body.
func (e *fakeEditor) sendRaw(body string) error {
	e.writing.Lock()
	defer e.writing.Unlock()
	_, err := fmt.Fprintf(e.conn, "Content-Length: %d\r\n\r\n%s", len(body), body)
	return err
}

func (e *fakeEditor) notify(method string, params any) {
	e.t.Helper()
	if err := e.sendRaw(fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, e.json(params))); err != nil {
		e.t.Fatalf("%s: %v", method, err)
	}
}

// request sends a request under a new number and returns its identifier.
func (e *fakeEditor) request(method string, params any) string {
	e.t.Helper()
	e.nextID++
	id := strconv.Itoa(e.nextID)
	e.requestAs(id, method, params)
	return id
}

// requestAs sends a request under a raw JSON identifier.
func (e *fakeEditor) requestAs(id, method string, params any) {
	e.t.Helper()
	if err := e.sendRaw(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, e.json(params))); err != nil {
		e.t.Fatalf("%s: %v", method, err)
	}
}

// call sends a request and waits for its result.
func (e *fakeEditor) call(method string, params any) json.RawMessage {
	e.t.Helper()
	m := e.await(e.request(method, params))
	if m.Error != nil {
		e.t.Fatalf("%s: error %d: %s", method, m.Error.Code, m.Error.Message)
	}
	return m.Result
}

// await waits for the answer to a request.
func (e *fakeEditor) await(id string) message {
	e.t.Helper()
	var m message
	e.until("an answer to "+id, func() bool {
		var ok bool
		m, ok = e.answers[id]
		return ok
	})
	return m
}

// until waits until a condition on what has arrived holds; the condition runs under the editor's lock.
func (e *fakeEditor) until(what string, condition func() bool) {
	e.t.Helper()
	deadline := time.After(patience)
	for {
		e.mu.Lock()
		ok, closed, changed := condition(), e.closed, e.changed
		e.mu.Unlock()
		switch {
		case ok:
			return
		case closed:
			e.t.Fatalf("the connection ended before %s", what)
		}
		select {
		case <-changed:
		case <-deadline:
			e.t.Fatalf("no %s", what)
		}
	}
}

// set changes how the editor answers.
func (e *fakeEditor) set(change func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	change()
}

// isAnswered reports whether an answer is there already.
func (e *fakeEditor) isAnswered(id string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	_, ok := e.answers[id]
	return ok
}

func (e *fakeEditor) json(v any) string {
	e.t.Helper()
	if raw, ok := v.(string); ok {
		return raw
	}
	b, err := json.Marshal(v)
	if err != nil {
		e.t.Fatal(err)
	}
	return string(b)
}

// initialize opens the session with raw capabilities and returns the server's answer.
func (e *fakeEditor) initialize(capabilities, rest string) json.RawMessage {
	e.t.Helper()
	result := e.call("initialize", fmt.Sprintf(`{"processId":null,"rootUri":null,"capabilities":%s%s}`, capabilities, rest))
	e.notify("initialized", `{}`)
	return result
}

// shutdown ends the session as an editor should.
func (e *fakeEditor) shutdown() {
	e.t.Helper()
	e.call("shutdown", `null`)
	e.notify("exit", `null`)
	if err := e.wait(); err != nil {
		e.t.Fatalf("serve: %v", err)
	}
}

// expectsBreak reports whether the test broke the connection on purpose.
func (e *fakeEditor) expectsBreak() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.closed
}
