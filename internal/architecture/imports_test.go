package architecture

import (
	"regexp"
	"strings"
	"testing"
)

const (
	treeSitter = "github.com/smacker/go-tree-sitter"
	protocol   = "go.lsp.dev"
	logger     = "go.uber.org/zap"
	flags      = "github.com/spf13"
)

// analysis is the list of invariant 1 in docs/architecture.md.
var analysis = []string{"pyparse", "hlomap", "analyzers", "internal/text"}

// outside is what analysis must not touch: files, processes, the network, loggers. path/filepath is among them because it
// asks the operating system, and its separators would differ between machines.
var outside = []string{"os", "net", "syscall", "log", "io/ioutil", "path/filepath", "plugin", "runtime/debug", protocol, logger, flags}

// rule says that no file under one of the folders imports one of the packages.
type rule struct {
	because string
	folders []string
	except  []string
	forbid  []string
}

var rules = []rule{
	{"analysis takes bytes and returns plain values", analysis, nil, outside},
	{"analysis knows no front end and no disk", analysis, nil, []string{"cmd", "lsp", "internal/project", "internal/config", "internal/output"}},
	{"only pyparse reads Python syntax trees", []string{"."}, []string{"pyparse"}, []string{treeSitter}},
	{"only lsp speaks the protocol", []string{"."}, []string{"lsp"}, []string{protocol}},
	{"only the command line knows flags", []string{"."}, []string{"cmd"}, []string{flags}},
	{"pyparse knows neither JAX nor HLO", []string{"pyparse"}, nil, []string{"hlomap", "analyzers"}},
	{"hlomap knows neither Python nor rules", []string{"hlomap"}, nil, []string{"pyparse", "analyzers"}},
	{"flow knows no HLO", []string{"analyzers/flow"}, nil, []string{"hlomap"}},
	{"text is the bottom", []string{"internal/text"}, nil, []string{"pyparse", "hlomap", "analyzers", "internal"}},
	{"settings hold no analysis", []string{"internal/config"}, nil, []string{"pyparse", "hlomap", "analyzers/driver", "analyzers/link", "internal/project"}},
	{"a page does not know how facts are made", []string{"report"}, nil, []string{"pyparse", "hlomap", "analyzers", "internal", "cmd", "lsp", "os", "net"}},
	{"printers do not make findings", []string{"internal/output"}, nil, []string{"pyparse", "internal/project", "cmd", "lsp"}},
	{"the project knows no front end", []string{"internal/project"}, nil, []string{"cmd", "lsp"}},
	{"front ends hold no analysis", []string{"cmd"}, nil, []string{"pyparse"}},
}

func TestImports(t *testing.T) {
	_, files := readTree(t)
	for _, r := range rules {
		seen := false
		for _, f := range files {
			if f.isTest() || !inFolders(f.folder(), r) {
				continue
			}
			seen = true
			for _, name := range f.imports() {
				if under(name, r.forbid...) {
					t.Errorf("%s imports %s, but %s", f.path, name, r.because)
				}
			}
		}
		if !seen {
			t.Errorf("no file under %v: the rule %q checks nothing", r.folders, r.because)
		}
	}
}

func inFolders(folder string, r rule) bool {
	if under(folder, r.except...) {
		return false
	}
	return r.folders[0] == "." || under(folder, r.folders...)
}

// TestEveryFolderIsDescribed compares the table in docs/architecture.md with the tree, both ways.
func TestEveryFolderIsDescribed(t *testing.T) {
	_, files := readTree(t)
	var listed []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)/` ").FindAllStringSubmatch(readFile(t, "docs/architecture.md"), -1) {
		listed = append(listed, row[1])
	}
	used := map[string]bool{"editors": true} // holds no Go
	missing := map[string]bool{}
	for _, f := range files {
		found := false
		for _, folder := range listed {
			if under(f.folder(), folder) {
				used[folder] = true
				found = true
			}
		}
		if !found && !missing[f.folder()] {
			missing[f.folder()] = true
			t.Errorf("%s/ is not in the table of docs/architecture.md", f.folder())
		}
	}
	for _, folder := range listed {
		if !used[folder] {
			t.Errorf("docs/architecture.md describes %s/, which holds no Go file", folder)
		}
	}
}

// TestEveryDependencyIsExplained compares go.mod's direct requirements with docs/dependencies.md, both ways.
func TestEveryDependencyIsExplained(t *testing.T) {
	required := map[string]bool{}
	for _, line := range strings.Split(readFile(t, "go.mod"), "\n") {
		line = strings.TrimPrefix(strings.TrimSpace(line), "require ")
		name, version, ok := strings.Cut(line, " ")
		if ok && strings.HasPrefix(version, "v") && !strings.HasSuffix(line, "// indirect") {
			required[name] = true
		}
	}
	if len(required) == 0 {
		t.Fatal("go.mod names no dependency")
	}
	explained := map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(readFile(t, "docs/dependencies.md"), -1) {
		explained[row[1]] = true
	}
	for name := range required {
		if !explained[name] {
			t.Errorf("go.mod requires %s: docs/dependencies.md has no line for it", name)
		}
	}
	for name := range explained {
		if strings.Contains(strings.SplitN(name, "/", 2)[0], ".") && !required[name] {
			t.Errorf("docs/dependencies.md explains %s, which go.mod does not require", name)
		}
	}
}
