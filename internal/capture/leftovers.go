package capture

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A capture that was killed leaves its folders. Their names tell who made them, so that a later capture can tell those apart from the
// folders of one that still runs, here or on another machine that shares the disk.

// shimPrefix begins the name of the folder in the system's temporary directory that holds the Python shim.
const shimPrefix = "shardls-capture-"

// ownFolder makes a folder of this process in dir.
func ownFolder(dir, prefix string) (string, error) {
	return os.MkdirTemp(dir, fmt.Sprintf("%s%s.%d.", prefix, hostName(), os.Getpid()))
}

// hostName is the name of this machine and, on Linux, of the group of processes that share their numbers: a container may have the
// host's name and numbers of its own. It is in letters that a file name may hold and no dot.
func hostName() string {
	name, err := os.Hostname()
	if err != nil {
		return ""
	}
	if space, err := os.Readlink("/proc/self/ns/pid"); err == nil {
		name += "-" + strings.Trim(space, "pid:[]")
	}
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '-'
	}, name)
}

// clearLeftovers removes what killed captures of this machine left in the folder of a capture and in those beside it, and their
// shims. What cannot be removed stays: it is in nobody's way.
func clearLeftovers(out string, now time.Time) {
	clearIn(out, workPrefix, now)
	clearIn(os.TempDir(), shimPrefix, now)
	beside, err := os.ReadDir(filepath.Dir(out))
	if err != nil {
		return
	}
	for _, e := range beside {
		if e.IsDir() {
			clearIn(filepath.Join(filepath.Dir(out), e.Name()), workPrefix, now)
		}
	}
}

// clearIn removes the folders in dir that a process made which is gone.
func clearIn(dir, prefix string, now time.Time) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		rest, ours := strings.CutPrefix(e.Name(), prefix)
		if !e.IsDir() || !ours || !abandoned(rest) && !nameless(rest) {
			continue
		}
		before := now
		if nameless(rest) {
			before = now.Add(-namelessAge)
		}
		if info, err := e.Info(); err != nil || !info.ModTime().Before(before) {
			continue
		}
		discard(dir, filepath.Join(dir, e.Name()))
	}
}

// namelessAge is how old a folder must be that does not tell its process. No program runs for so long with few steps.
const namelessAge = 7 * 24 * time.Hour

// nameless reports whether the rest of a folder's name is a number alone, as before names told processes.
func nameless(rest string) bool {
	_, err := strconv.ParseUint(rest, 10, 64)
	return err == nil
}

// abandoned reports whether the rest of a folder's name tells a process of this machine that is gone.
func abandoned(rest string) bool {
	parts := strings.Split(rest, ".")
	if len(parts) != 3 || parts[0] != hostName() || parts[0] == "" {
		return false
	}
	pid, err := strconv.Atoi(parts[1])
	return err == nil && pid > 0 && pid != os.Getpid() && gone(pid)
}
