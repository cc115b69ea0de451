package lsp

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// buildServer builds the program once for all tests of a run.
var buildServer = sync.OnceValues(func() (string, error) {
	binary := filepath.Join(scratch, "shardls")
	out, err := exec.Command("go", "build", "-o", binary, "../cmd/shardls").CombinedOutput()
	if err != nil {
		return "", errors.New(string(out))
	}
	return binary, nil
})

// scratch is a folder that lives as long as the run.
var scratch string

func TestMain(m *testing.M) {
	var err error
	if scratch, err = os.MkdirTemp("", "shardls-test"); err != nil {
		panic(err)
	}
	status := m.Run()
	_ = os.RemoveAll(scratch)
	os.Exit(status)
}

// process is a server in a process of its own, with an editor on its standard input and output.
type process struct {
	*fakeEditor
	command *exec.Cmd
	stdin   io.WriteCloser
	stderr  *bytes.Buffer
}

type pipes struct {
	io.Reader
	io.WriteCloser
}

func startProcess(t *testing.T) *process {
	t.Helper()
	binary, err := buildServer()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{command: exec.Command(binary, "serve", "--stdio"), stderr: &bytes.Buffer{}}
	p.command.Stderr = p.stderr
	p.command.Dir = t.TempDir()
	stdin, err := p.command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	// A pipe of our own: Wait closes the one that StdoutPipe makes while the editor may still read.
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p.command.Stdout = w
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
	p.stdin = stdin
	p.fakeEditor = newFakeEditor(t, pipes{r, stdin})
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = p.command.Process.Kill()
		_ = r.Close()
	})
	return p
}

// status waits for the process and returns its exit status.
func (p *process) status() int {
	p.t.Helper()
	done := make(chan error, 1)
	go func() { done <- p.command.Wait() }()
	select {
	case <-done:
	case <-time.After(patience):
		p.t.Fatal("the process does not end")
	}
	return p.command.ProcessState.ExitCode()
}

func TestProcess(t *testing.T) {
	for _, test := range []struct {
		name  string
		leave func(*process)
		want  int
	}{
		{"shutdown and exit", func(p *process) { p.call("shutdown", `null`); p.notify("exit", `null`) }, 0},
		{"shutdown and end of input", func(p *process) { p.call("shutdown", `null`); _ = p.stdin.Close() }, 0},
		{"exit alone", func(p *process) { p.notify("exit", `null`) }, 1},
		{"end of input", func(p *process) { _ = p.stdin.Close() }, 1},
		{"no header", func(p *process) { _, _ = io.WriteString(p.stdin, "hello\r\n\r\n") }, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := startProcess(t)
			p.initialize(`{}`, "")
			p.notify("textDocument/didOpen", emptyDocument)
			p.call("textDocument/hover", hoverParams)
			test.leave(p)
			if got := p.status(); got != test.want {
				t.Errorf("exit status %d, want %d; stderr:\n%s", got, test.want, p.stderr)
			}
			if broken := strings.HasPrefix(test.name, "no "); broken != strings.Contains(p.stderr.String(), "the session ended") {
				t.Errorf("the log says of the reason: %q", p.stderr)
			}
		})
	}
}

// The editor's process may die without closing the server's input.
func TestProcessEndsWithItsEditor(t *testing.T) {
	editor := exec.Command("sleep", "600")
	if err := editor.Start(); err != nil {
		t.Fatal(err)
	}
	p := startProcess(t)
	p.call("initialize", map[string]any{"processId": editor.Process.Pid, "rootUri": nil, "capabilities": map[string]any{}})
	if err := editor.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = editor.Wait()
	if got := p.status(); got != 1 {
		t.Errorf("exit status %d, want 1; stderr:\n%s", got, p.stderr)
	}
}
