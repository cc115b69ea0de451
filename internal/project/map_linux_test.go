package project

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
)

func TestOpenDumpThatIsCutShort(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dump.txt")
	text := "HloModule m\n\nENTRY main {\n" + strings.Repeat("  // a comment\n", 1000) + "  ROOT x = f32[] constant(1)\n}\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	content, ok := mapFile(path, info)
	if !ok {
		t.Fatal("the file was not mapped")
	}
	if modules, _, problem := openDump(path, content, leavePart); len(modules) != 1 || problem != "" {
		t.Fatalf("before: %d modules, %q", len(modules), problem)
	}
	leavePart(content)
	if string(content) != text {
		t.Fatal("the content changed when its memory was given back")
	}
	if err := os.Truncate(path, 100); err != nil {
		t.Fatal(err)
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	modules, _, problem := openDump(path, content, leavePart)
	if want := "it was cut short while it was being read"; problem != want || modules != nil {
		t.Errorf("%d modules, problem %q; want none, %q", len(modules), problem, want)
	}
}
