package capture

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestLeftovers wants the folders of killed captures gone, and all others there.
func TestLeftovers(t *testing.T) {
	dead := exec.Command(os.Args[0], "-test.run=^$")
	if err := dead.Run(); err != nil {
		t.Fatal(err)
	}
	parent := t.TempDir()
	t.Setenv("TMPDIR", filepath.Join(parent, "tmp"))
	name := func(prefix, host string, pid int) string { return fmt.Sprintf("%s%s.%d.7", prefix, host, pid) }
	killed := name(workPrefix, hostName(), dead.Process.Pid)
	for _, folder := range []string{
		"out/" + killed + "/processes", "beside/" + killed, "tmp/" + name(shimPrefix, hostName(), dead.Process.Pid),
		"out/" + name(workPrefix, hostName(), os.Getppid()), "out/" + name(workPrefix, "another", dead.Process.Pid), "out/" + workPrefix + "123", "out/mine",
		"far/below/" + killed,
	} {
		if err := os.MkdirAll(filepath.Join(parent, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	clearLeftovers(filepath.Join(parent, "out"), time.Now().Add(-time.Hour))
	count(t, parent, "out", 5)
	clearLeftovers(filepath.Join(parent, "out"), time.Now().Add(time.Hour))
	count(t, parent, "out", 4)
	count(t, parent, "beside", 0)
	count(t, parent, "tmp", 0)
	count(t, parent, "far/below", 1)
	clearLeftovers(filepath.Join(parent, "out"), time.Now().Add(namelessAge+time.Hour))
	count(t, parent, "out", 3)
}

func count(t *testing.T, parent, folder string, want int) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(parent, folder))
	if err != nil || len(entries) != want {
		t.Errorf("%s holds %v, %v, want %d", folder, entries, err, want)
	}
}

// TestHostName: where processes of a container have numbers of their own, its folders are not those of the host.
func TestHostName(t *testing.T) {
	space, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		space = ""
	}
	number := strings.Trim(space, "pid:[]")
	if name := hostName(); !strings.HasSuffix(name, number) || strings.ContainsAny(name, "./:[]") {
		t.Errorf("the name is %q, which should end in %q and have no mark but a dash", name, number)
	}
}
