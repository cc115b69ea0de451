package lsp

import (
	"path/filepath"
	"testing"

	"go.lsp.dev/uri"
)

// TestPathFromURI: a path that is not absolute would be looked for on disk, and a workspace with a file that is not there has no
// findings at all.
func TestPathFromURI(t *testing.T) {
	seen := map[string]string{}
	for _, text := range []string{
		"file:///w/a.py", "file:///w/with%20space.py", "file:///c%3A/w/a.py", "file:///C:/w/b.py", "file://server/share/a.py",
		"untitled:Untitled-1", "git:/w/a.py?HEAD", "vscode-notebook-cell:/w/n.ipynb#1",
	} {
		path := pathFromURI(uri.URI(canonicalURI(text)))
		if !filepath.IsAbs(path) {
			t.Errorf("%s is kept under %q, which is not absolute", text, path)
		}
		if other, taken := seen[path]; taken {
			t.Errorf("%s and %s share the path %q", text, other, path)
		}
		seen[path] = text
	}
	if got := pathFromURI("file:///w/with%20space.py"); filepath.ToSlash(got) != "/w/with space.py" && filepath.Separator == '/' {
		t.Errorf("path = %q", got)
	}
}
