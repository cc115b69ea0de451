package lsp

import (
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"
	"unicode/utf8"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
	"golang.org/x/tools/txtar"

	"github.com/shardls/shardls/internal/demo"
	"github.com/shardls/shardls/internal/text"
)

var update = flag.Bool("update", false, "rewrite the golden members of the scenarios")

// A scenario is a txtar archive in testdata. Its Python files carry marks in comments:
//
//	spec = P("dta")  #@diag("dta") TST101 "no axis"
//
// A mark stands on the line it is about; its first argument is text on that line, and the position is where that text
// begins. Marks that have a long answer name a golden member of the archive. Every diagnostic, lens and hint must be
// matched by one mark, if the archive marks any of its kind. Each scenario runs once for every position encoding, and no
// mark knows a line or a column, so that all must agree.
//
//	diag(text) CODE "regexp"    a diagnostic that underlines exactly text
//	lens() "regexp"             a code lens on this line
//	hint() "regexp"             an inlay hint on this line
//	hover(text) golden          what hovering shows, "none" for nothing
//	action(text) "title" golden the file after applying a code action
//	fixall() golden             the file after source.fixAll
//	def(text) golden            where definition leads
//	refs(text) golden           all references
//	highlight(text) golden      highlights in the file
//	complete(text) golden       completions at the end of text
//	rename(text) NAME golden    all files after a rename
//	symbols() golden            the outline of the file
//	links() golden              document links
//	edit(text) "new"            replaces text, after all marks above it have been checked
//
// Special members: "settings" (initialization options), "capabilities" (added to the editor's), "demo" (its lines name
// what of the embedded demo is laid under the archive), and "symbols:QUERY" (the golden answer to workspace/symbol).
func TestScenarios(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	for _, path := range archives {
		for _, encoding := range []text.Encoding{text.UTF8, text.UTF16, text.UTF32} {
			name := strings.TrimSuffix(filepath.Base(path), ".txtar") + [...]string{"/utf-16", "/utf-8", "/utf-32"}[encoding]
			t.Run(name, func(t *testing.T) { runScenario(t, path, encoding) })
		}
	}
}

var encodingNames = [...]string{"utf-16", "utf-8", "utf-32"}

// scenario is one run of an archive.
type scenario struct {
	t        *testing.T
	archive  *txtar.Archive
	dir      string
	editor   *fakeEditor
	encoding text.Encoding
	files    map[string][]byte // as the editor has them, by name
	versions map[string]int
	changed  bool // a golden member was rewritten
}

// mark is one #@ comment.
type mark struct {
	file string
	line int // 0-based
	verb string
	text string
	args []string
}

var (
	markPattern = regexp.MustCompile(`#@(\w+)\(([^#]*?)\)([^#]*)`)
	argPattern  = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|\S+`)
)

func runScenario(t *testing.T, path string, encoding text.Encoding) {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &scenario{t: t, archive: archive, dir: dir, encoding: encoding, files: map[string][]byte{}, versions: map[string]int{}}
	s.layOut()
	s.start()
	var marks []mark
	for _, name := range slices.Sorted(maps.Keys(s.files)) {
		marks = append(marks, s.marksOf(name)...)
	}
	s.checkAll(marks, "diag", s.diagnostics)
	s.checkAll(marks, "lens", s.lenses)
	s.checkAll(marks, "hint", s.hints)
	for _, m := range marks {
		s.run(m)
	}
	for _, f := range archive.Files {
		if query, ok := strings.CutPrefix(f.Name, "symbols:"); ok {
			s.golden(f.Name, s.workspaceSymbols(query))
		}
	}
	s.editor.shutdown()
	if s.changed {
		if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// layOut writes the archive's files, and those of the demo that it asks for.
func (s *scenario) layOut() {
	for _, f := range s.archive.Files {
		if f.Name != "demo" {
			continue
		}
		for _, pattern := range strings.Fields(string(f.Data)) {
			matches, err := fs.Glob(demo.Files(), pattern)
			if err != nil || len(matches) == 0 {
				s.t.Fatalf("the demo has no %s", pattern)
			}
			for _, name := range matches {
				content, err := fs.ReadFile(demo.Files(), name)
				if err != nil {
					s.t.Fatal(err)
				}
				s.write(name, content)
			}
		}
	}
	for _, f := range s.archive.Files {
		if ext := filepath.Ext(f.Name); ext == ".py" || ext == ".toml" || ext == ".txt" || ext == ".hlo" {
			s.write(f.Name, f.Data)
		}
	}
}

func (s *scenario) write(name string, content []byte) {
	path := filepath.Join(s.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o644); err != nil {
		s.t.Fatal(err)
	}
	if ext := filepath.Ext(name); ext == ".py" || ext == ".hlo" {
		s.files[name] = content
	}
}

func (s *scenario) member(name string) (*txtar.File, bool) {
	for i := range s.archive.Files {
		if s.archive.Files[i].Name == name {
			return &s.archive.Files[i], true
		}
	}
	return nil, false
}

const scenarioCapabilities = `{
	"general": {"positionEncodings": [%q]},
	"textDocument": {
		"publishDiagnostics": {"versionSupport": true},
		"hover": {"contentFormat": ["markdown"]},
		"documentSymbol": {"hierarchicalDocumentSymbolSupport": true},
		"codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}}}
	},
	"workspace": {"workspaceEdit": {"documentChanges": true}, "codeLens": {"refreshSupport": true}},
	"window": {"workDoneProgress": true}
}`

// start runs a server, opens every file and waits until dumps are read.
func (s *scenario) start() {
	s.editor = startServer(s.t, Options{analyzers: testRules()})
	rest := fmt.Sprintf(`,"rootUri":%q`, uri.File(s.dir))
	if f, ok := s.member("settings"); ok {
		rest += `,"initializationOptions":` + string(f.Data)
	}
	params := fmt.Sprintf(`{"processId":null,"capabilities":%s%s}`, fmt.Sprintf(scenarioCapabilities, encodingNames[s.encoding]), rest)
	s.editor.call("initialize", params)
	s.editor.notify("initialized", `{}`)
	for _, name := range slices.Sorted(maps.Keys(s.files)) {
		language := "python"
		if filepath.Ext(name) == ".hlo" {
			language = "hlo"
		}
		s.versions[name] = 1
		s.editor.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{
			"uri": s.uri(name), "languageId": language, "version": 1, "text": string(s.files[name]),
		}})
	}
	_, err := os.Stat(filepath.Join(s.dir, demo.DumpDir))
	if _, configured := s.member("settings"); err == nil && configured {
		s.editor.until("the end of loading", func() bool {
			return slices.ContainsFunc(s.editor.messages, func(m message) bool {
				return m.Method == "workspace/codeLens/refresh"
			})
		})
	}
}

func (s *scenario) uri(name string) string {
	return string(uri.File(filepath.Join(s.dir, filepath.FromSlash(name))))
}

func (s *scenario) name(u string) string {
	rel, err := filepath.Rel(s.dir, uri.URI(u).FsPath())
	if err != nil {
		s.t.Fatal(err)
	}
	return filepath.ToSlash(rel)
}

func (s *scenario) marksOf(name string) []mark {
	var marks []mark
	for i, line := range strings.Split(string(s.files[name]), "\n") {
		for _, m := range markPattern.FindAllStringSubmatch(line, -1) {
			var args []string
			for _, a := range argPattern.FindAllString(m[3], -1) {
				args = append(args, unquote(s.t, a))
			}
			marks = append(marks, mark{file: name, line: i, verb: m[1], text: unquote(s.t, m[2]), args: args})
		}
	}
	return marks
}

func unquote(t *testing.T, s string) string {
	if !strings.HasPrefix(s, `"`) {
		return s
	}
	var out string
	if err := json.Unmarshal([]byte(s), &out); err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return out
}

// span is the byte range of a mark's text in the present version of its file.
func (s *scenario) span(m mark) (start, end int) {
	s.t.Helper()
	tm := text.NewMap(s.files[m.file])
	first, last, _ := tm.LineBounds(m.line)
	line := string(tm.Text[first:last])
	code, _, _ := strings.Cut(line, "#@")
	at := strings.Index(code, m.text)
	if at < 0 {
		s.t.Fatalf("%s:%d: no %q", m.file, m.line+1, m.text)
	}
	return first + at, first + at + len(m.text)
}

// position converts with code of the test's own, so that a fault of the server's conversion shows.
func (s *scenario) position(name string, offset int) map[string]int {
	before := string(s.files[name][:offset])
	line := strings.Count(before, "\n")
	before = before[strings.LastIndexByte(before, '\n')+1:]
	return map[string]int{"line": line, "character": s.units(before)}
}

func (s *scenario) units(before string) int {
	n := 0
	for _, r := range before {
		switch {
		case s.encoding == text.UTF8:
			n += utf8.RuneLen(r)
		case s.encoding == text.UTF16 && r > 0xffff:
			n += 2
		default:
			n++
		}
	}
	return n
}

// offset is the inverse of position.
func (s *scenario) offset(name string, p protocol.Position) int {
	lines := strings.SplitAfter(string(s.files[name]), "\n")
	at := 0
	for i := 0; i < int(p.Line) && i < len(lines); i++ {
		at += len(lines[i])
	}
	if int(p.Line) >= len(lines) {
		return at
	}
	line := strings.TrimRight(lines[p.Line], "\r\n")
	for i := range line {
		if s.units(line[:i]) >= int(p.Character) {
			return at + i
		}
	}
	return at + len(line)
}

func (s *scenario) textOf(name string, r protocol.Range) string {
	if _, ok := s.files[name]; !ok {
		content, err := os.ReadFile(filepath.Join(s.dir, filepath.FromSlash(name)))
		if err != nil {
			s.t.Fatal(err)
		}
		s.files[name] = content
		defer delete(s.files, name)
	}
	return string(s.files[name][s.offset(name, r.Start):s.offset(name, r.End)])
}

// found is one thing that a mark has to match.
type found struct {
	file  string
	line  int
	shown string // for the message
	match func(mark) bool
}

// checkAll compares marks of one kind with what the server sends, one to one.
func (s *scenario) checkAll(marks []mark, verb string, all func() []found) {
	var wanted []mark
	for _, m := range marks {
		if m.verb == verb {
			wanted = append(wanted, m)
		}
	}
	if len(wanted) == 0 && verb != "diag" {
		return
	}
	for _, f := range all() {
		i := slices.IndexFunc(wanted, func(m mark) bool { return m.file == f.file && m.line == f.line && f.match(m) })
		if i < 0 {
			s.t.Errorf("%s:%d: unexpected %s %s", f.file, f.line+1, verb, f.shown)
			continue
		}
		wanted = slices.Delete(wanted, i, i+1)
	}
	for _, m := range wanted {
		s.t.Errorf("%s:%d: missing %s(%q) %q", m.file, m.line+1, m.verb, m.text, m.args)
	}
}

func (s *scenario) diagnostics() []found {
	var out []found
	for name := range s.files {
		if filepath.Ext(name) != ".py" {
			continue
		}
		for _, d := range s.published(name) {
			under := s.textOf(name, d.Range)
			code := string(d.Code.(protocol.String))
			messageText := string(d.Message.(protocol.String))
			out = append(out, found{name, int(d.Range.Start.Line), fmt.Sprintf("%s on %q: %s", code, under, messageText), func(m mark) bool {
				return m.text == under && len(m.args) == 2 && m.args[0] == code && regexp.MustCompile(m.args[1]).MatchString(messageText)
			}})
		}
	}
	return out
}

// published waits for the diagnostics of the present version of a file. The analysis of the newest snapshot is complete
// when a request about it is answered, and what it has to say is sent before.
func (s *scenario) published(name string) []protocol.Diagnostic {
	s.call("textDocument/hover", name, map[string]any{"position": map[string]int{"line": 0, "character": 0}})
	var newest protocol.PublishDiagnosticsParams
	s.editor.until("diagnostics of "+name, func() bool {
		for _, m := range slices.Backward(s.editor.messages) {
			if m.Method != "textDocument/publishDiagnostics" {
				continue
			}
			var p protocol.PublishDiagnosticsParams
			if err := protocol.Unmarshal(m.Params, &p); err != nil {
				s.t.Errorf("diagnostics: %v", err)
			}
			if version, ok := p.Version.Get(); ok && string(p.URI) == s.uri(name) && int(version) == s.versions[name] {
				newest = p
				return true
			}
		}
		return false
	})
	return newest.Diagnostics
}

// call sends a request about a document.
func (s *scenario) call(method, name string, params map[string]any) json.RawMessage {
	s.t.Helper()
	if params == nil {
		params = map[string]any{}
	}
	params["textDocument"] = map[string]any{"uri": s.uri(name)}
	return s.editor.call(method, params)
}

func decode[T any](s *scenario, raw json.RawMessage) T {
	s.t.Helper()
	var v T
	if err := protocol.Unmarshal(raw, &v); err != nil {
		s.t.Fatalf("%s: %v", raw, err)
	}
	return v
}

func (s *scenario) lenses() []found {
	var out []found
	for name := range s.files {
		for _, l := range decode[[]protocol.CodeLens](s, s.call("textDocument/codeLens", name, nil)) {
			title := l.Command.Title
			out = append(out, found{name, int(l.Range.Start.Line), title, func(m mark) bool {
				return regexp.MustCompile(m.args[0]).MatchString(title)
			}})
		}
	}
	return out
}

func (s *scenario) hints() []found {
	var out []found
	for name := range s.files {
		whole := map[string]any{"start": s.position(name, 0), "end": s.position(name, len(s.files[name]))}
		for _, h := range decode[[]protocol.InlayHint](s, s.call("textDocument/inlayHint", name, map[string]any{"range": whole})) {
			label := string(h.Label.(protocol.String))
			out = append(out, found{name, int(h.Position.Line), label, func(m mark) bool {
				return regexp.MustCompile(m.args[0]).MatchString(label)
			}})
		}
	}
	return out
}

// run checks one mark that asks for something.
func (s *scenario) run(m mark) {
	s.t.Helper()
	switch m.verb {
	case "diag", "lens", "hint":
	case "hover":
		s.golden(m.args[0], s.hover(m))
	case "action":
		s.golden(m.args[1], s.action(m))
	case "fixall":
		s.golden(m.args[0], s.fixAll(m))
	case "def":
		s.golden(m.args[0], s.definition(m))
	case "refs":
		s.golden(m.args[0], s.references(m))
	case "highlight":
		s.golden(m.args[0], s.highlights(m))
	case "complete":
		s.golden(m.args[0], s.completions(m))
	case "rename":
		s.golden(m.args[1], s.rename(m))
	case "symbols":
		s.golden(m.args[0], s.symbols(m))
	case "links":
		s.golden(m.args[0], s.links(m))
	case "edit":
		s.edit(m)
	default:
		s.t.Fatalf("%s:%d: no mark %q", m.file, m.line+1, m.verb)
	}
}

// golden compares with a member of the archive, or rewrites it.
func (s *scenario) golden(name, got string) {
	s.t.Helper()
	if got != "" && !strings.HasSuffix(got, "\n") {
		got += "\n"
	}
	got = strings.ReplaceAll(got, s.dir, "$DIR")
	f, ok := s.member(name)
	switch {
	case ok && string(f.Data) == got:
	case *update && s.encoding == text.UTF8:
		if !ok {
			s.archive.Files = append(s.archive.Files, txtar.File{Name: name})
			f = &s.archive.Files[len(s.archive.Files)-1]
		}
		f.Data = []byte(got)
		s.changed = true
	case !ok:
		s.t.Errorf("no member %s; it would be:\n%s", name, got)
	default:
		s.t.Errorf("%s: got\n%s\nwant\n%s", name, got, f.Data)
	}
}

func (s *scenario) hover(m mark) string {
	start, _ := s.span(m)
	raw := s.call("textDocument/hover", m.file, map[string]any{"position": s.position(m.file, start)})
	if string(raw) == "null" {
		return "none"
	}
	h := decode[protocol.Hover](s, raw)
	under, _, _ := strings.Cut(s.textOf(m.file, *h.Range), "  #@")
	return fmt.Sprintf("[%s]\n%s", under, h.Contents.(*protocol.MarkupContent).Value)
}

func (s *scenario) action(m mark) string {
	start, end := s.span(m)
	return s.pick(m, m.args[0], map[string]any{
		"range":   map[string]any{"start": s.position(m.file, start), "end": s.position(m.file, end)},
		"context": map[string]any{"diagnostics": []any{}},
	})
}

func (s *scenario) fixAll(m mark) string {
	return s.pick(m, "", map[string]any{
		"range":   map[string]any{"start": s.position(m.file, 0), "end": s.position(m.file, 0)},
		"context": map[string]any{"diagnostics": []any{}, "only": []string{"source.fixAll"}},
	})
}

// pick applies the code action of a title, or the only one there is.
func (s *scenario) pick(m mark, title string, params map[string]any) string {
	s.t.Helper()
	var titles []string
	for _, a := range decode[[]protocol.CodeAction](s, s.call("textDocument/codeAction", m.file, params)) {
		titles = append(titles, a.Title)
		if title == "" || a.Title == title {
			return s.applied(a.Edit)
		}
	}
	s.t.Errorf("%s:%d: no action %q among %q", m.file, m.line+1, title, titles)
	return ""
}

// applied is the text of the files that an edit changes, after it.
func (s *scenario) applied(edit *protocol.WorkspaceEdit) string {
	s.t.Helper()
	var b strings.Builder
	for _, change := range edit.DocumentChanges {
		c := change.(*protocol.TextDocumentEdit)
		name := s.name(string(c.TextDocument.URI))
		if v := c.TextDocument.Version; v != nil && int(*v) != s.versions[name] {
			s.t.Errorf("an edit of %s is for version %d", name, *v)
		}
		content, ok := s.files[name]
		if !ok {
			s.t.Fatalf("an edit of %s, which is not open", name)
		}
		type span struct {
			start, end int
			text       string
		}
		var edits []span
		for _, e := range c.Edits {
			t := e.(*protocol.TextEdit)
			edits = append(edits, span{s.offset(name, t.Range.Start), s.offset(name, t.Range.End), t.NewText})
		}
		sort.SliceStable(edits, func(i, j int) bool { return edits[i].start > edits[j].start })
		out := string(content)
		for _, e := range edits {
			out = out[:e.start] + e.text + out[e.end:]
		}
		if len(edit.DocumentChanges) > 1 {
			fmt.Fprintf(&b, "== %s\n", name)
		}
		b.WriteString(withoutMarks(out))
	}
	return b.String()
}

// withoutMarks removes marks, which would otherwise be marks of the golden member too.
func withoutMarks(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if code, rest, ok := strings.Cut(l, "#@"); ok {
			// What an action has put behind the marks stays.
			if _, added, ok := strings.Cut(rest, "  #"); ok {
				code = strings.TrimRight(code, " ") + "  #" + added
			}
			lines[i] = strings.TrimRight(code, " ")
		}
	}
	return strings.Join(lines, "\n")
}

// shownAt prints a place by its text instead of by numbers.
func (s *scenario) shownAt(u string, r protocol.Range) string {
	name := s.name(u)
	content, ok := s.files[name]
	if !ok {
		var err error
		if content, err = os.ReadFile(filepath.Join(s.dir, filepath.FromSlash(name))); err != nil {
			s.t.Fatal(err)
		}
		s.files[name] = content
		defer delete(s.files, name)
	}
	start, end := s.offset(name, r.Start), s.offset(name, r.End)
	first := strings.LastIndexByte(string(content[:start]), '\n') + 1
	last := end + strings.IndexByte(string(content[end:])+"\n", '\n')
	line := string(content[first:start]) + "«" + string(content[start:end]) + "»" + string(content[end:last])
	code, _, _ := strings.Cut(line, "#@")
	return name + ": " + strings.TrimSpace(code)
}

func (s *scenario) places(locations []protocol.Location) string {
	var lines []string
	for _, l := range locations {
		lines = append(lines, s.shownAt(string(l.URI), l.Range))
	}
	return strings.Join(lines, "\n")
}

func (s *scenario) at(m mark) map[string]any {
	start, _ := s.span(m)
	return map[string]any{"position": s.position(m.file, start)}
}

func (s *scenario) definition(m mark) string {
	return s.places(decode[[]protocol.Location](s, s.call("textDocument/definition", m.file, s.at(m))))
}

func (s *scenario) references(m mark) string {
	params := s.at(m)
	params["context"] = map[string]any{"includeDeclaration": true}
	return s.places(decode[[]protocol.Location](s, s.call("textDocument/references", m.file, params)))
}

func (s *scenario) highlights(m mark) string {
	var lines []string
	for _, h := range decode[[]protocol.DocumentHighlight](s, s.call("textDocument/documentHighlight", m.file, s.at(m))) {
		kind := map[protocol.DocumentHighlightKind]string{protocol.DocumentHighlightKindRead: "read", protocol.DocumentHighlightKindWrite: "write"}[h.Kind]
		lines = append(lines, kind+" "+s.shownAt(s.uri(m.file), h.Range))
	}
	return strings.Join(lines, "\n")
}

func (s *scenario) completions(m mark) string {
	_, end := s.span(m)
	list := decode[protocol.CompletionList](s, s.call("textDocument/completion", m.file, map[string]any{"position": s.position(m.file, end)}))
	var lines []string
	for _, item := range list.Items {
		detail, _ := item.Detail.Get()
		line := item.Label + " | " + detail
		if edit, ok := item.TextEdit.(*protocol.TextEdit); ok {
			line += " | " + s.shownAt(s.uri(m.file), edit.Range) + " → " + edit.NewText
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func (s *scenario) rename(m mark) string {
	params := s.at(m)
	if raw := s.call("textDocument/prepareRename", m.file, s.at(m)); string(raw) == "null" {
		return "refused"
	}
	params["newName"] = m.args[0]
	edit := decode[protocol.WorkspaceEdit](s, s.call("textDocument/rename", m.file, params))
	return s.applied(&edit)
}

func (s *scenario) symbols(m mark) string {
	var b strings.Builder
	var show func(list []protocol.DocumentSymbol, indent string)
	show = func(list []protocol.DocumentSymbol, indent string) {
		for _, d := range list {
			detail := ""
			if d.Detail != nil {
				detail = " | " + *d.Detail
			}
			fmt.Fprintf(&b, "%s%s%s | %s\n", indent, d.Name, detail, s.shownAt(s.uri(m.file), d.SelectionRange))
			show(d.Children, indent+"  ")
		}
	}
	show(decode[[]protocol.DocumentSymbol](s, s.call("textDocument/documentSymbol", m.file, nil)), "")
	return b.String()
}

func (s *scenario) workspaceSymbols(query string) string {
	var lines []string
	for _, w := range decode[[]protocol.WorkspaceSymbol](s, s.editor.call("workspace/symbol", map[string]any{"query": query})) {
		l := w.Location.(*protocol.Location)
		lines = append(lines, w.Name+" | "+s.shownAt(string(l.URI), l.Range))
	}
	return strings.Join(lines, "\n")
}

func (s *scenario) links(m mark) string {
	var lines []string
	for _, l := range decode[[]protocol.DocumentLink](s, s.call("textDocument/documentLink", m.file, nil)) {
		lines = append(lines, s.shownAt(s.uri(m.file), l.Range)+" → "+string(*l.Target))
	}
	return strings.Join(lines, "\n")
}

func (s *scenario) edit(m mark) {
	start, end := s.span(m)
	s.versions[m.file]++
	r := map[string]any{"start": s.position(m.file, start), "end": s.position(m.file, end)}
	s.editor.notify("textDocument/didChange", map[string]any{
		"textDocument":   map[string]any{"uri": s.uri(m.file), "version": s.versions[m.file]},
		"contentChanges": []any{map[string]any{"range": r, "text": m.args[0]}},
	})
	old := string(s.files[m.file])
	s.files[m.file] = []byte(old[:start] + m.args[0] + old[end:])
}
