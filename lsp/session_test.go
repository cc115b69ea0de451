package lsp

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/internal/demo"
)

const (
	misspelt = "from jax.sharding import PartitionSpec as P\nx = P(\"dta\")\n"
	correct  = "from jax.sharding import PartitionSpec as P\nx = P(\"data\")\n"
)

// workspace is a folder with a server on it.
type workspace struct {
	*fakeEditor
	dir string
}

// openWorkspace writes files, starts a server with the tests' rules and initializes it with raw capabilities.
func openWorkspace(t *testing.T, capabilities, options string, files map[string]string) *workspace {
	t.Helper()
	return openWorkspaceWith(t, testRules(), capabilities, options, files)
}

// openWorkspaceWith is openWorkspace with other rules; nil stands for the real ones.
func openWorkspaceWith(t *testing.T, rules []*analyzers.Analyzer, capabilities, options string, files map[string]string) *workspace {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &workspace{dir: dir}
	for name, content := range files {
		w.write(t, name, content)
	}
	w.fakeEditor = startServer(t, Options{analyzers: rules})
	if options != "" {
		options = `,"initializationOptions":` + options
	}
	w.call("initialize", fmt.Sprintf(`{"processId":null,"rootUri":%q,"capabilities":%s%s}`, uri.File(dir), capabilities, options))
	return w
}

func (w *workspace) write(t *testing.T, name, content string) {
	t.Helper()
	path := filepath.Join(w.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (w *workspace) uri(name string) string { return string(uri.File(filepath.Join(w.dir, name))) }

func (w *workspace) open(name, content string) {
	w.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{
		"uri": w.uri(name), "languageId": "python", "version": 1, "text": content,
	}})
}

func (w *workspace) change(name string, version int, content string) {
	w.notify("textDocument/didChange", map[string]any{
		"textDocument":   map[string]any{"uri": w.uri(name), "version": version},
		"contentChanges": []any{map[string]any{"text": content}},
	})
}

// lastPublished returns the newest diagnostics of a document; it runs under the editor's lock.
func (w *workspace) lastPublished(name string) (p protocol.PublishDiagnosticsParams, ok bool) {
	for _, m := range w.messages {
		var now protocol.PublishDiagnosticsParams
		if m.Method == "textDocument/publishDiagnostics" && protocol.Unmarshal(m.Params, &now) == nil && string(now.URI) == w.uri(name) {
			p, ok = now, true
		}
	}
	return p, ok
}

// expect waits until the newest diagnostics of a document are so many and of such a version; 0 is no version.
func (w *workspace) expect(name string, count, version int) {
	w.t.Helper()
	w.until(fmt.Sprintf("%d diagnostics of version %d of %s", count, version, name), func() bool {
		p, ok := w.lastPublished(name)
		v, _ := p.Version.Get()
		return ok && len(p.Diagnostics) == count && int(v) == version
	})
}

func (w *workspace) count(method string) int {
	n := 0
	for _, m := range w.messages {
		if m.Method == method {
			n++
		}
	}
	return n
}

func TestPushFollowsEditsAndClosing(t *testing.T) {
	w := openWorkspace(t, `{}`, "", map[string]string{"a.py": correct})
	w.open("a.py", misspelt)
	w.expect("a.py", 1, 1)
	w.change("a.py", 2, correct)
	w.expect("a.py", 0, 2)
	w.change("a.py", 3, misspelt)
	w.expect("a.py", 1, 3)
	w.notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": w.uri("a.py")}})
	w.expect("a.py", 0, 0)
	w.open("a.py", misspelt)
	w.expect("a.py", 1, 1)
	w.shutdown()
	for _, m := range w.messages {
		if strings.Contains(string(m.Params), `"diagnostics":null`) {
			t.Errorf("a list was sent as null: %s", m.Params)
		}
	}
}

// An edit may come in pieces, each of which counts positions in what the one before has made.
func TestIncrementalChanges(t *testing.T) {
	w := openWorkspace(t, `{}`, "", nil)
	w.open("new.py", "x = '🙂'; y = P(\"da\")\r\n")
	w.notify("textDocument/didChange", fmt.Sprintf(`{"textDocument":{"uri":%q,"version":2},"contentChanges":[
		{"range":{"start":{"line":0,"character":18},"end":{"line":0,"character":18}},"text":"t"},
		{"range":{"start":{"line":0,"character":18},"end":{"line":0,"character":19}},"text":"X"},
		{"range":{"start":{"line":0,"character":17},"end":{"line":0,"character":19}},"text":"dta"},
		{"range":{"start":{"line":0,"character":99},"end":{"line":77,"character":99}},"text":"\n# end"}
	]}`, w.uri("new.py")))
	w.until("the fourth piece", func() bool {
		p, _ := w.lastPublished("new.py")
		v, _ := p.Version.Get()
		return v == 2
	})
	w.change("new.py", 3, misspelt)
	w.expect("new.py", 1, 3)
	w.shutdown()
}

// An editor that asks for diagnostics, but can't be told to ask again, is sent them.
func TestPullWithoutRefresh(t *testing.T) {
	w := openWorkspace(t, `{"textDocument":{"diagnostic":{}}}`, "", nil)
	w.open("a.py", misspelt)
	w.expect("a.py", 1, 1)
	w.shutdown()
}

// An editor that asks for diagnostics gets none by itself, and the other way round.
func TestPull(t *testing.T) {
	w := openWorkspace(t, `{"textDocument":{"diagnostic":{}},"workspace":{"diagnostics":{"refreshSupport":true}}}`, "", nil)
	w.open("a.py", misspelt)
	ask := func(previous string) (report struct {
		Kind     string
		ResultID string `json:"resultId"`
		Items    []json.RawMessage
	}) {
		params := map[string]any{"textDocument": map[string]any{"uri": w.uri("a.py")}}
		if previous != "" {
			params["previousResultId"] = previous
		}
		if err := json.Unmarshal(w.call("textDocument/diagnostic", params), &report); err != nil {
			t.Fatal(err)
		}
		return report
	}
	first := ask("")
	if first.Kind != "full" || len(first.Items) != 1 {
		t.Errorf("got %+v, want one diagnostic", first)
	}
	if again := ask(first.ResultID); again.Kind != "unchanged" {
		t.Errorf("asking again: %+v, want unchanged", again)
	}
	w.change("a.py", 2, correct)
	if fixed := ask(first.ResultID); fixed.Kind != "full" || len(fixed.Items) != 0 {
		t.Errorf("after the fix: %+v", fixed)
	}
	w.notify("workspace/didChangeConfiguration", `{"settings":{"shardls":{"lint":{"ignore":["SHD1"]}}}}`)
	w.until("a reminder to ask again", func() bool { return w.count("workspace/diagnostic/refresh") > 0 })
	w.shutdown()
	if n := w.count("textDocument/publishDiagnostics"); n != 0 {
		t.Errorf("%d diagnostics were pushed to an editor that pulls", n)
	}
}

func TestConfiguration(t *testing.T) {
	t.Run("sent", func(t *testing.T) {
		w := openWorkspace(t, `{}`, "", nil)
		w.open("a.py", misspelt)
		w.expect("a.py", 1, 1)
		w.notify("workspace/didChangeConfiguration", `{"settings":{"shardls":{"lint":{"ignore":["SHD1"]}}}}`)
		w.expect("a.py", 0, 1)
		w.notify("workspace/didChangeConfiguration", `{"settings":{"shardls":{}}}`)
		w.expect("a.py", 1, 1)
		w.shutdown()
	})
	t.Run("initial", func(t *testing.T) {
		w := openWorkspace(t, `{}`, `{"enable":false}`, nil)
		w.open("a.py", misspelt)
		w.expect("a.py", 0, 1)
		w.shutdown()
	})
	t.Run("fetched", func(t *testing.T) {
		w := openWorkspace(t, `{"workspace":{"configuration":true,"didChangeConfiguration":{"dynamicRegistration":true}}}`, "", nil)
		w.set(func() { w.settings = json.RawMessage(`{"lint":{"ignore":["SHD1"]}}`) })
		w.notify("initialized", `{}`)
		w.open("a.py", misspelt)
		w.expect("a.py", 0, 1)
		w.shutdown()
	})
	t.Run("refused", func(t *testing.T) {
		w := openWorkspace(t, `{"workspace":{"configuration":true,"didChangeWatchedFiles":{"dynamicRegistration":true}},"window":{"workDoneProgress":true}}`,
			`{"hlo":{"dumps":["dump"]}}`, map[string]string{"dump/module_0000.jit_f.after_optimizations.txt": "HloModule jit_f\n"})
		w.set(func() { w.refuse = true })
		w.notify("initialized", `{}`)
		w.open("a.py", misspelt)
		w.expect("a.py", 1, 1)
		w.shutdown()
	})
	t.Run("file", func(t *testing.T) {
		w := openWorkspace(t, `{}`, "", map[string]string{"shardls.toml": "ignore = [\"SHD1\"]\n"})
		w.open("a.py", misspelt)
		w.expect("a.py", 0, 1)
		w.write(t, "shardls.toml", "ignore = []\n")
		w.notify("workspace/didChangeWatchedFiles", fmt.Sprintf(`{"changes":[{"uri":%q,"type":2}]}`, w.uri("shardls.toml")))
		w.expect("a.py", 1, 1)
		w.shutdown()
	})
	t.Run("misspelt setting", func(t *testing.T) {
		w := openWorkspace(t, `{}`, "", map[string]string{"shardls.toml": "ignroe = [\"SHD1\"]\nselect = [\"SHD1\", \"SHX\"]\n"})
		w.open("a.py", misspelt)
		w.until("two warnings", func() bool { return w.count("window/showMessage") == 2 })
		w.change("a.py", 2, correct)
		w.expect("a.py", 0, 2)
		w.open("new.py", misspelt) // loads the workspace again
		w.expect("new.py", 1, 1)
		w.shutdown()
		if n := w.count("window/showMessage"); n != 2 {
			t.Errorf("%d messages, want each warning once", n)
		}
	})
	t.Run("broken file", func(t *testing.T) {
		w := openWorkspace(t, `{}`, "", map[string]string{"shardls.toml": "ignore = 7\n"})
		w.open("a.py", misspelt)
		w.until("a complaint", func() bool { return w.count("window/showMessage") == 1 })
		w.call("textDocument/hover", map[string]any{
			"textDocument": map[string]any{"uri": w.uri("a.py")}, "position": map[string]int{"line": 1, "character": 0},
		})
		w.write(t, "shardls.toml", "")
		w.notify("workspace/didChangeWatchedFiles", fmt.Sprintf(`{"changes":[{"uri":%q,"type":2}]}`, w.uri("shardls.toml")))
		w.expect("a.py", 1, 1)
		w.shutdown()
	})
}

// Of several configurations a broken one costs the files that it holds for, and nothing else.
func TestBrokenConfigurationBelow(t *testing.T) {
	w := openWorkspace(t, `{}`, "", map[string]string{"sound/shardls.toml": "", "broken/shardls.toml": "ignore = 7\n", "broken/b.py": misspelt})
	w.open("sound/a.py", misspelt)
	w.expect("sound/a.py", 1, 1)
	w.open("broken/b.py", misspelt)
	w.write(t, "broken/shardls.toml", "")
	w.notify("workspace/didChangeWatchedFiles", fmt.Sprintf(`{"changes":[{"uri":%q,"type":2}]}`, w.uri("broken/shardls.toml")))
	w.expect("broken/b.py", 1, 1)
	w.shutdown()
	if n := w.count("window/showMessage"); n == 0 {
		t.Error("nobody was told of the broken configuration")
	}
}

// A configured profile that can't be read is said once, and costs nothing else.
func TestBrokenProfile(t *testing.T) {
	w := openWorkspace(t, `{}`, "", map[string]string{"shardls.toml": "[hlo]\nprofile = \"nowhere.xplane.pb\"\ndumps = [\"dump/*\"]\n"})
	w.open("a.py", misspelt)
	w.until("a complaint", func() bool { return w.count("window/showMessage") == 1 })
	w.expect("a.py", 1, 1)
	w.shutdown()
	for _, m := range w.messages {
		if m.Method == "window/showMessage" && !strings.Contains(string(m.Params), "hlo.profile nowhere.xplane.pb: no such file") {
			t.Errorf("shown: %s", m.Params)
		}
	}
}

// A rule that panics costs itself alone.
func TestPanicInRule(t *testing.T) {
	w := openWorkspace(t, `{}`, "", nil)
	w.open("a.py", misspelt+"# PANIC_IN_RULE\n")
	w.expect("a.py", 1, 1)
	w.shutdown()
}

// A dump that appears while the server runs is picked up, and so is its going.
func TestDumpsComeAndGo(t *testing.T) {
	script := demoFile(t, "train.py")
	w := openWorkspace(t, `{"workspace":{"codeLens":{"refreshSupport":true}}}`, `{"hlo":{"dumps":["dump*/*"]}}`, map[string]string{"train.py": script})
	w.open("train.py", script)
	lenses := func() string {
		return string(w.call("textDocument/codeLens", map[string]any{"textDocument": map[string]any{"uri": w.uri("train.py")}}))
	}
	w.until("the first analysis", func() bool { return w.count("workspace/codeLens/refresh") == 1 })
	if got := lenses(); got != "[]" {
		t.Errorf("lenses without a dump: %s", got)
	}
	name := "dump/module_0000.jit_train_step.0001.spmd-partitioner.after_spmd-partitioning.before_control-dep-rewriter.txt.gz"
	w.write(t, name, demoFile(t, name))
	w.notify("workspace/didChangeWatchedFiles", fmt.Sprintf(`{"changes":[{"uri":%q,"type":1}]}`, w.uri(name)))
	w.until("the dump's analysis", func() bool { return w.count("workspace/codeLens/refresh") >= 3 })
	if got := lenses(); !strings.Contains(got, "all-reduce") {
		t.Errorf("lenses with a dump: %s", got)
	}
	if err := os.Remove(filepath.Join(w.dir, name)); err != nil {
		t.Fatal(err)
	}
	w.call("workspace/executeCommand", `{"command":"shardls.reloadDumps"}`)
	w.until("the analysis without", func() bool { return w.count("workspace/codeLens/refresh") >= 5 })
	if got := lenses(); got != "[]" {
		t.Errorf("lenses after the dump has gone: %s", got)
	}
	w.shutdown()
}

// The page about the dumps is there once they are read, and before that an error says what is missing.
func TestReport(t *testing.T) {
	script := demoFile(t, "train.py")
	w := openWorkspaceWith(t, nil, `{}`, `{"hlo":{"dumps":["dump/*"]}}`, map[string]string{"train.py": script})
	w.open("train.py", script)
	ask := func() message { return w.await(w.request("workspace/executeCommand", `{"command":"shardls.report"}`)) }
	refused := ask()
	if refused.Error == nil || !strings.Contains(refused.Error.Message, "there is nothing to report: ") {
		t.Errorf("without a dump: %s", refused.Result)
	}
	name := "dump/module_0000.jit_train_step.0001.spmd-partitioner.after_spmd-partitioning.before_control-dep-rewriter.txt.gz"
	w.write(t, name, demoFile(t, name))
	w.call("workspace/executeCommand", `{"command":"shardls.reloadDumps"}`)
	answer := ask()
	for answer.Error != nil { // the dump is still being read, or joined with the sources
		answer = ask()
	}
	var page struct{ HTML string }
	if err := json.Unmarshal(answer.Result, &page); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Sharding of jit_train_step", ">SHD301<", "Bytes a step and device by line", `<tr id="source-1-`} {
		if !strings.Contains(page.HTML, want) {
			t.Errorf("no %s in %s", want, page.HTML)
		}
	}
	w.shutdown()
}

func demoFile(t *testing.T, name string) string {
	t.Helper()
	f, err := demo.Files().Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var b strings.Builder
	buf := make([]byte, 1<<16)
	for {
		n, err := f.Read(buf)
		b.Write(buf[:n])
		if err != nil {
			return b.String()
		}
	}
}

// Folders and files may go while the server runs.
// TestDumpFindingsGo: what only a dump told is withdrawn when the dump has gone.
func TestDumpFindingsGo(t *testing.T) {
	script := demoFile(t, "train.py")
	name := "dump/module_0000.jit_train_step.0001.spmd-partitioner.after_spmd-partitioning.before_control-dep-rewriter.txt.gz"
	w := openWorkspaceWith(t, nil, `{}`, "", map[string]string{
		"train.py": script, name: demoFile(t, name), "shardls.toml": "select = [\"SHD601\"]\nhlo.min-bytes = 0\nhlo.dumps = [\"dump\"]\n",
	})
	w.open("train.py", script)
	w.expect("train.py", 4, 1)
	if err := os.RemoveAll(filepath.Join(w.dir, "dump")); err != nil {
		t.Fatal(err)
	}
	w.notify("workspace/didChangeWatchedFiles", fmt.Sprintf(`{"changes":[{"uri":%q,"type":3}]}`, w.uri(name)))
	w.expect("train.py", 0, 1)
	w.shutdown()
}

func TestVanishedFolder(t *testing.T) {
	w := openWorkspace(t, `{}`, "", map[string]string{"a.py": misspelt})
	w.open("a.py", misspelt)
	w.expect("a.py", 1, 1)
	w.notify("workspace/didChangeWorkspaceFolders", fmt.Sprintf(`{"event":{"added":[{"uri":%q,"name":"b"}],"removed":[{"uri":%q,"name":"a"}]}}`,
		w.uri("gone"), uri.File(w.dir)))
	w.change("a.py", 2, correct)
	w.expect("a.py", 0, 2)
	w.change("a.py", 3, misspelt)
	w.expect("a.py", 1, 3)
	w.shutdown()
}

// What a dump says of a line stays with the line while the file is edited, through saving too; an edited line is no longer
// what the dump is about.
func TestFactsFollowEdits(t *testing.T) {
	script := demoFile(t, "train.py")
	name := "dump/module_0000.jit_train_step.0001.spmd-partitioner.after_spmd-partitioning.before_control-dep-rewriter.txt.gz"
	w := openWorkspace(t, `{"workspace":{"codeLens":{"refreshSupport":true}}}`, `{"hlo":{"dumps":["dump"]}}`,
		map[string]string{"train.py": script, name: demoFile(t, name)})
	w.open("train.py", script)
	w.until("the dump's analysis", func() bool { return w.count("workspace/codeLens/refresh") >= 1 })
	hinted := func(content string) (lines []string) {
		var hints []protocol.InlayHint
		raw := w.call("textDocument/inlayHint", fmt.Sprintf(
			`{"textDocument":{"uri":%q},"range":{"start":{"line":0,"character":0},"end":{"line":9999,"character":0}}}`, w.uri("train.py")))
		if err := protocol.Unmarshal(raw, &hints); err != nil {
			t.Fatal(err)
		}
		for _, h := range hints {
			lines = append(lines, strings.TrimSpace(strings.Split(content, "\n")[h.Position.Line]))
		}
		return lines
	}
	before := hinted(script)
	if len(before) != 6 {
		t.Fatalf("hints on %q", before)
	}
	moved := strings.Replace(script, "\ndef norm", "\n# one\n# two\n\n\ndef norm", 1)
	w.change("train.py", 2, moved)
	if got := hinted(moved); strings.Join(got, "\n") != strings.Join(before, "\n") {
		t.Errorf("after an insertion: hints on %q, want %q", got, before)
	}
	w.write(t, "train.py", moved)
	w.notify("workspace/didChangeWatchedFiles", fmt.Sprintf(`{"changes":[{"uri":%q,"type":2}]}`, w.uri("train.py")))
	w.until("the analysis after saving", func() bool { return w.count("workspace/codeLens/refresh") >= 3 })
	if got := hinted(moved); strings.Join(got, "\n") != strings.Join(before, "\n") {
		t.Errorf("after saving: hints on %q, want %q", got, before)
	}
	edited := strings.Replace(moved, "logits = x @", "logits = 2 * x @", 1)
	w.change("train.py", 3, edited)
	if got := hinted(edited); len(got) != 5 || strings.Contains(strings.Join(got, "\n"), "logits = 2") {
		t.Errorf("after an edit: hints on %q", got)
	}
	w.shutdown()
}
