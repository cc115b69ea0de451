package project

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/shardls/shardls/analyzers/driver"
	"github.com/shardls/shardls/internal/config"
)

// tree writes an archive to a folder of its own.
func tree(t *testing.T, archive string) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func load(t *testing.T, opts Options) *Workspace {
	t.Helper()
	w, err := Load(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestReleaseOfAFolder(t *testing.T) {
	dir := tree(t, `
-- .git/HEAD --
-- uv.lock --
[[package]]
name = "jax"
version = "0.6.2"
-- a.py --
-- old/requirements.txt --
jax==0.4.35
-- old/deep/a.py --
-- set/shardls.toml --
target-jax = "0.9"
-- set/a.py --
-- own/.git/HEAD --
-- own/a.py --
`)
	tests := []struct {
		folder, want string
		assumed      bool
	}{
		{".", "0.6.2", false}, {"old/deep", "0.4.35", false}, {"set", "0.9.0", false},
		{"own", "0.10.2", true}, // another repository: what lies around it is not its
	}
	w := load(t, Options{Dir: dir, Cache: &Cache{}})
	for _, tt := range tests {
		got := w.Release(filepath.Join(dir, tt.folder))
		if ReleaseText(got) != tt.want || got.Assumed != tt.assumed {
			t.Errorf("release of %s = %s, assumed %v; want %s, %v", tt.folder, ReleaseText(got), got.Assumed, tt.want, tt.assumed)
		}
	}
	isolated := load(t, Options{Dir: dir, Isolated: true, Cache: &Cache{}})
	if got := isolated.Release(dir); !got.Assumed {
		t.Errorf("an isolated run takes %s from the files around it", ReleaseText(got))
	}
}

// TestImportsAreFollowed checks one file whose mesh is made in others: next to it, in its package, and below a source root.
func TestImportsAreFollowed(t *testing.T) {
	dir := tree(t, `
-- src/pkg/__init__.py --
-- src/pkg/meshes.py --
import jax
mesh = jax.make_mesh((4, 2), ("data", "model"))
-- src/pkg/sub/__init__.py --
-- src/pkg/sub/relative.py --
from jax.sharding import NamedSharding, PartitionSpec as P
from ..meshes import mesh
s = NamedSharding(mesh, P("dta"))
-- src/pkg/sub/absolute.py --
from jax.sharding import NamedSharding, PartitionSpec as P
from pkg.meshes import mesh
s = NamedSharding(mesh, P("dta"))
-- train.py --
from jax.sharding import NamedSharding, PartitionSpec as P
import pkg.meshes as meshes
s = NamedSharding(meshes.mesh, P("dta"))
`)
	for _, name := range []string{"src/pkg/sub/relative.py", "src/pkg/sub/absolute.py", "train.py"} {
		w := load(t, Options{Dir: dir, Paths: []string{name}, Cache: &Cache{}, Overrides: []config.Config{{Select: []string{"SHD101"}}}})
		result, err := driver.Run(t.Context(), w.Input())
		if err != nil {
			t.Fatal(err)
		}
		if len(result.Findings) != 1 || !strings.Contains(result.Findings[0].Message, "dta") {
			t.Errorf("%s: findings = %v, want the axis that the imported mesh lacks", name, result.Findings)
		}
	}
}

// TestImportsWithinAProject looks at a file from a folder deep in a project whose packages hold no __init__.py.
func TestImportsWithinAProject(t *testing.T) {
	dir := tree(t, `
-- pyproject.toml --
[tool.shardls]
select = ["SHD101"]
-- space/inner/meshes.py --
import jax
mesh = jax.make_mesh((8,), ("data",))
-- space/other/train.py --
from jax.sharding import NamedSharding, PartitionSpec as P
from space.inner.meshes import mesh
s = NamedSharding(mesh, P("dta"))
`)
	w := load(t, Options{Dir: filepath.Join(dir, "space", "other"), Paths: []string{"train.py"}, Cache: &Cache{}})
	result, err := driver.Run(t.Context(), w.Input())
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Findings) != 1 || !strings.Contains(result.Findings[0].Message, "dta") {
		t.Errorf("findings = %v, want the axis that the imported mesh lacks", result.Findings)
	}
}

// TestWith edits a workspace without touching the one it came from.
func TestWith(t *testing.T) {
	dir := tree(t, `
-- a.py --
x = 1
-- b.py --
y = 1  # shardls: ignore[SHD002]
`)
	cache := &Cache{}
	before := load(t, Options{Dir: dir, Cache: cache})
	a := filepath.Join(dir, "a.py")
	after, err := before.With(t.Context(), map[string][]byte{a: []byte("x = 1  # shardls: ignore[SHD002]\n")})
	if err != nil {
		t.Fatal(err)
	}
	again, err := after.With(t.Context(), map[string][]byte{a: nil})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		w    *Workspace
		want int
	}{{"before", before, 1}, {"after", after, 2}, {"with the edit taken back", again, 1}} {
		result, err := driver.Run(t.Context(), tt.w.Input())
		if err != nil || len(result.Findings) != tt.want {
			t.Errorf("%s: %d findings, %v; want %d", tt.name, len(result.Findings), err, tt.want)
		}
	}
	b := filepath.Join(dir, "b.py")
	if before.File(b).Syntax() != after.File(b).Syntax() {
		t.Error("a file that did not change was parsed again")
	}
}

func TestFixStopsAtWhatDoesNotParse(t *testing.T) {
	dir := tree(t, "-- a.py --\nx = 1  # shardls: ignore[SHD002]\n")
	w := load(t, Options{Dir: dir, Cache: &Cache{}})
	path := filepath.Join(dir, "a.py")
	if w.parses(map[string][]byte{path: []byte("x = = 1\n")}) {
		t.Error("broken syntax passes")
	}
	fixes, err := w.Fix(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(fixes.After[path]); got != "x = 1\n" || fixes.Applied != 1 || len(fixes.Result.Findings) != 0 {
		t.Errorf("fixed to %q, %d applied, %d left", got, fixes.Applied, len(fixes.Result.Findings))
	}
	if content, err := os.ReadFile(path); err != nil || string(content) != "x = 1  # shardls: ignore[SHD002]\n" {
		t.Errorf("Fix wrote %q, %v; it only computes", content, err)
	}
}

func TestReplaceFileKeepsModeAndLink(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "real.py"), filepath.Join(dir, "link.py")
	if err := os.WriteFile(target, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	if err := replaceFile(link, []byte("new")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(target)
	if err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode = %v, %v; want that of before", info.Mode(), err)
	}
	if content, err := os.ReadFile(target); err != nil || string(content) != "new" {
		t.Errorf("content = %q, %v", content, err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link was replaced by a file")
	}
}

// TestFixLeavesWhatChanged: an edit that somebody made meanwhile is not overwritten.
func TestFixLeavesWhatChanged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.py")
	writeFile(t, path, "theirs\n")
	fixes := &Fixes{Before: map[string][]byte{path: []byte("before\n")}, After: map[string][]byte{path: []byte("after\n")}}
	if err := fixes.Write(path); err == nil {
		t.Error("Write overwrote an edit")
	}
	if content, err := os.ReadFile(path); err != nil || string(content) != "theirs\n" {
		t.Errorf("content = %q, %v", content, err)
	}
}

const (
	beforeHLO = "HloModule jit_f, num_partitions=2, frontend_attributes={xla.sdy.meshes=\"{mesh = #sdy.mesh<[\\\"data\\\"=2]>}\"}\n\nENTRY main {\n  ROOT x = f32[4]{0} parameter(0)\n}\n"
	afterHLO  = "HloModule jit_f, num_partitions=2\n\nENTRY main_spmd {\n  ROOT x = f32[2]{0} parameter(0)\n}\n"
)

// TestDumpsOfAFolder wants one file for each module and stage, files of no module left out, and the command line before
// configuration.
func TestDumpsOfAFolder(t *testing.T) {
	dir := tree(t, `
-- a.py --
-- dump/module_0001.jit_f.before_optimizations.txt --
`+beforeHLO+`-- dump/module_0001.jit_f.0001.spmd-partitioner.after_spmd-partitioning.before_x.txt --
`+afterHLO+`-- dump/module_0001.jit_f.cpu_after_optimizations.txt --
`+afterHLO+`-- dump/module_0001.jit_f.cpu_after_optimizations-memory-usage-report.txt --
not HLO
-- dump/notes.txt --
not HLO
-- other/f.hlo.txt --
`+afterHLO)
	w := load(t, Options{Dir: dir, HLO: []string{"dump"}, Cache: &Cache{}, Overrides: []config.Config{{HLO: config.HLO{Dumps: []string{"other/*", "gone/*"}}}}})
	var names []string
	for _, d := range w.Dumps {
		if d.Problem != "" {
			t.Errorf("%s: %s", d.Path, d.Problem)
		}
		names = append(names, filepath.Base(d.Path))
	}
	if len(names) != 4 {
		t.Errorf("read %q, want three stages and the configured file", names)
	}
	if len(w.Missing) != 1 || w.Missing[0] != "gone/*" {
		t.Errorf("missing = %q, want the glob without matches", w.Missing)
	}
}

// TestCompanions wants a named file of a later stage to bring the module that knows the names of the axes, unlisted, or else the one that
// the partitioner took.
func TestCompanions(t *testing.T) {
	other := "-- other_before_opt.txt --\n" + strings.ReplaceAll(beforeHLO, "jit_f", "jit_g")
	for name, beside := range map[string]string{
		"before_opt.txt":  "-- before_opt.txt --\n" + beforeHLO + "-- before_spmd.txt --\n" + beforeHLO,
		"before_spmd.txt": "-- before_spmd.txt --\n" + beforeHLO,
	} {
		dir := tree(t, beside+"-- after_spmd.txt --\n"+afterHLO+other)
		w := load(t, Options{Dir: dir, HLO: []string{"after_spmd.txt"}, Cache: &Cache{}})
		if len(w.Modules) != 1 || w.Modules[0].Mesh() == nil || w.Modules[0].Mesh().Axes[0].Name != "data" {
			t.Fatalf("%s: modules = %v, want one that knows the axis data", name, w.Modules)
		}
		if before := w.Modules[0].Before; before == nil || filepath.Base(before.Path) != name {
			t.Errorf("before partitioning it was %v, want %s", before, name)
		}
		if shown := w.Shown(); len(shown) != 1 || filepath.Base(shown[0].Dump.Path) != "after_spmd.txt" {
			t.Errorf("%s: shown = %v, want the named file alone", name, shown)
		}
		if dumps := w.Input().Dumps; len(dumps) != 1 {
			t.Errorf("%s: the driver is told of %v, want the named file alone", name, dumps)
		}
	}
}

func TestLoadErrors(t *testing.T) {
	dir := tree(t, "-- a.py --\n-- bad/shardls.toml --\nselect = 1\n-- bad/a.py --\n")
	tests := []struct {
		opts Options
		want string
	}{
		{Options{Dir: dir, Paths: []string{"gone.py"}}, "gone.py: no such file or directory"},
		{Options{Dir: dir}, "bad/shardls.toml:1: select"},
		{Options{Dir: dir, Paths: []string{"a.py"}, ConfigFile: "gone.toml"}, "gone.toml: no such file or directory"},
		{Options{Dir: dir, Paths: []string{"a.py"}, HLO: []string{"gone.txt"}}, "gone.txt: no such file or directory"},
		{Options{Dir: dir, Paths: []string{"a.py"}, Logs: []string{"gone.log"}}, "gone.log: no such file or directory"},
	}
	for _, tt := range tests {
		if _, err := Load(t.Context(), tt.opts); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Load = %v, want %s", err, tt.want)
		}
	}
}
