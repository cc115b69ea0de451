package lsp

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"testing"
)

// FuzzServe feeds any bytes to a server: it must end by itself when the bytes do, without a panic, and must have answered
// what came before the damage.
func FuzzServe(f *testing.F) {
	frame := func(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }
	initialize := frame(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"rootUri":null,"capabilities":{}}}`)
	for _, seed := range []string{
		"",
		"Content-Length: 5\r\n\r\nhello",
		"Content-Length: 99999999999999999999\r\n\r\n{}",
		"Content-Length: -1\r\n\r\n{}",
		frame(`{}`),
		frame(`[]`),
		frame(`[{"jsonrpc":"2.0","id":1,"method":"shutdown"}]`),
		frame(`{"jsonrpc":"2.0","id":1,"method":"textDocument/hover","params":{}}`),
		initialize + frame(`{"jsonrpc":"2.0","method":"exit"}`),
		initialize + frame(`{"jsonrpc":"2.0","id":"a","method":"shutdown"}`) + frame(`{"jsonrpc":"2.0","method":"exit"}`),
		initialize + frame(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":`+emptyDocument+`}`) +
			frame(`{"jsonrpc":"2.0","id":2,"method":"textDocument/hover","params":`+hoverParams+`}`) +
			frame(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":2}}`),
		initialize + frame(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":`+emptyDocument+`}`) +
			frame(`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///w/a.py","version":2},"contentChanges":[{"range":{"start":{"line":9,"character":4294967295},"end":{"line":0,"character":0}},"text":"é"}]}}`) +
			frame(`{"jsonrpc":"2.0","id":3,"method":"textDocument/completion","params":{"textDocument":{"uri":"file:///w/a.py"},"position":{"line":0,"character":4294967295}}}`),
		initialize + frame(`{"jsonrpc":"2.0","id":1,"result":null}`) + frame(`{"jsonrpc":"2.0","id":4,"method":"workspace/symbol","params":{"query":"x"}}`),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		if bytes.Contains(input, []byte(`"rootUri":"file`)) || bytes.Contains(input, []byte(`"rootPath":"`)) || bytes.Contains(input, []byte(`"workspaceFolders":[`)) {
			return // it would read folders of this machine
		}
		here, there := net.Pipe()
		done := make(chan struct{})
		go func() {
			defer close(done)
			_ = Serve(context.Background(), there, Options{analyzers: testRules()})
		}()
		drained := make(chan struct{})
		go func() {
			defer close(drained)
			_, _ = io.Copy(io.Discard, bufio.NewReader(here))
		}()
		_, _ = here.Write(input)
		_ = here.Close()
		<-done
		<-drained
	})
}
