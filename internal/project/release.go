package project

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"sync"

	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/internal/config"
)

// releases finds and remembers the JAX release of directories.
type releases struct {
	isolated bool // look at no files
	mu       sync.Mutex
	byDir    map[string]string
}

// of returns the release that holds for the files of dir: the configured one, else what the nearest lock or requirements
// file names, else the newest known one, which is then an assumption.
func (r *releases) of(c *config.Resolved, dir string) flow.Release {
	text := c.TargetJAX
	if text == "" && !r.isolated {
		r.mu.Lock()
		defer r.mu.Unlock()
		text = r.search(dir)
	}
	if release, ok := parseRelease(text); ok {
		return release
	}
	newest := newestRelease()
	newest.Assumed = true
	return newest
}

func (r *releases) search(dir string) string {
	if found, ok := r.byDir[dir]; ok {
		return found
	}
	found := ""
	for _, pattern := range config.JAXFiles() {
		names, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			continue // a directory name with glob characters
		}
		sort.Strings(names)
		for _, name := range names {
			content, err := os.ReadFile(name)
			if err != nil {
				continue
			}
			if found = config.JAXRelease(filepath.Base(name), content); found != "" {
				break
			}
		}
		if found != "" {
			break
		}
	}
	parent := filepath.Dir(dir)
	if _, err := os.Stat(filepath.Join(dir, ".git")); found == "" && err != nil && parent != dir {
		found = r.search(parent)
	}
	if r.byDir == nil {
		r.byDir = map[string]string{}
	}
	r.byDir[dir] = found
	return found
}

// parseRelease reads "0.10.2" or "0.10". A release without a patch number means the first of its series.
func parseRelease(text string) (flow.Release, bool) {
	var numbers [3]int
	parts := strings.Split(text, ".")
	if len(parts) < 2 || len(parts) > 3 {
		return flow.Release{}, false
	}
	for i, p := range parts {
		n, err := strconv.Atoi(p)
		if err != nil {
			return flow.Release{}, false
		}
		numbers[i] = n
	}
	return flow.Release{Major: numbers[0], Minor: numbers[1], Patch: numbers[2]}, true
}

// newestRelease is the newest release whose behaviour the tables of the rules describe.
func newestRelease() flow.Release { return flow.Release{Minor: 10, Patch: 2} }

// Release is the JAX release that holds for the files of a directory.
func (w *Workspace) Release(dir string) flow.Release {
	c, err := w.shared.settings.forDir(dir)
	if err != nil {
		return newestRelease()
	}
	return w.shared.releases.of(c, dir)
}

// ReleaseText prints a release as 0.10.2.
func ReleaseText(r flow.Release) string {
	return fmt.Sprintf("%d.%d.%d", r.Major, r.Minor, r.Patch)
}
