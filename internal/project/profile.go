package project

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/shardls/shardls/hlomap"
)

// Profile reads the profile of measured times: the named one, else the configured one; nil where there is none. The problems are
// parts of it that could not be understood.
func (w *Workspace) Profile(name string) (*hlomap.Profile, []hlomap.Problem, error) {
	at := w.absolute(name)
	if name == "" {
		c, err := w.Config()
		if err != nil || c.HLO.Profile == "" {
			return nil, nil, err
		}
		name, at = c.HLO.Profile, c.HLO.Profile
		if !filepath.IsAbs(at) {
			at = filepath.Join(baseDir(c, w.Dir), at)
		}
	}
	p, err := w.options.Cache.profile(at)
	if err != nil {
		return nil, nil, fmt.Errorf("profile %s: %w", name, err)
	}
	return p.profile, p.problems, nil
}

// profileOnDisk is a profile as it was read at a time.
type profileOnDisk struct {
	modTime  time.Time
	size     int64
	profile  *hlomap.Profile
	problems []hlomap.Problem
}

// profile returns a profile, reading it only where size or time changed.
func (c *Cache) profile(path string) (*profileOnDisk, error) {
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		if path, err = profileIn(path); err == nil {
			info, err = os.Stat(path)
		}
	}
	if err != nil {
		return nil, reason(err)
	}
	if c != nil {
		c.mu.Lock()
		known := c.profiles[path]
		c.mu.Unlock()
		if known != nil && known.modTime.Equal(info.ModTime()) && known.size == info.Size() {
			return known, nil
		}
	}
	p := &profileOnDisk{modTime: info.ModTime(), size: info.Size()}
	content, err := readFile(path)
	if err != nil {
		return nil, reason(err)
	}
	p.profile, p.problems = hlomap.OpenProfile(path, content)
	if len(p.profile.Ops) == 0 {
		if len(p.problems) > 0 {
			return nil, fmt.Errorf("%s", p.problems[0].Message)
		}
		return nil, fmt.Errorf("it holds no event of an HLO instruction")
	}
	if c != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.profiles == nil {
			c.profiles = map[string]*profileOnDisk{}
		}
		c.profiles[path] = p
	}
	return p, nil
}

// profileIn finds the one XSpace below a folder or, where there is none, the one Chrome trace. Either may be compressed.
func profileIn(dir string) (string, error) {
	var found, traces []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		switch name := strings.TrimSuffix(strings.TrimSuffix(d.Name(), ".gz"), ".zst"); {
		case strings.HasSuffix(name, "xplane.pb"):
			found = append(found, path)
		case strings.HasSuffix(name, "trace.json"):
			traces = append(traces, path)
		}
		return nil
	})
	if len(found) == 0 {
		found = traces
	}
	switch {
	case err != nil:
		return "", err
	case len(found) == 0:
		return "", fmt.Errorf("no *xplane.pb or *trace.json(.gz) below it")
	case len(found) > 1:
		return "", fmt.Errorf("%d profiles below it; name one, such as %s", len(found), found[0])
	}
	return found[0], nil
}
