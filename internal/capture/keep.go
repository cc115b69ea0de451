package capture

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A capture takes the place of an earlier one in steps, between any two of which it may be killed. The manifest says what counts, and is
// replaced in one step: first by one that names the files where they were made, in the folder of work, and when each of them has its
// place by the final one. So a reader finds either capture whole at any time, and what else lies in the folder belongs to nobody. A
// capture that was killed in between is brought to its end by the next one.

// earlierName is the copy of the manifest that a capture replaces, in its folder of work.
const earlierName = "earlier.json"

// keep puts the finished capture, which lies in a folder of work in out, in its place. Of what else lies in out only an earlier
// capture goes.
func (r *Result) keep(out, partial string) error {
	earlier, err := Read(out)
	if err != nil {
		earlier = &Manifest{}
	}
	if len(r.Manifest.Modules) == 0 {
		r.Earlier = len(earlier.Modules) > 0
		return nil
	}
	old := earlier.Entries()
	for _, name := range r.Manifest.Entries() {
		if _, err := os.Lstat(filepath.Join(out, name)); err == nil && !slices.Contains(old, name) {
			return fmt.Errorf("%s: %w", filepath.Join(out, name), fs.ErrExist)
		}
	}
	if err == nil {
		if err := earlier.write(filepath.Join(partial, earlierName)); err != nil {
			return err
		}
	}
	work := filepath.Base(partial)
	if err := r.Manifest.moved(func(name string) string { return path.Join(work, name) }).replace(out, work); err != nil {
		return err
	}
	return settle(out, work)
}

// settle gives the files of a capture their places, whose manifest names them in a folder of work.
func settle(out, work string) error {
	m, err := Read(out)
	if err != nil {
		return err
	}
	m = m.moved(func(name string) string { return strings.TrimPrefix(name, work+"/") })
	earlier := &Manifest{}
	if b, err := os.ReadFile(filepath.Join(out, work, earlierName)); err == nil {
		if earlier, err = Parse(b); err != nil {
			return err
		}
	}
	// What the earlier capture named goes, and what a settling that was killed has put in place.
	for _, name := range append(earlier.Entries(), m.Entries()...) {
		if name == ManifestName {
			continue
		}
		if err := os.RemoveAll(filepath.Join(out, name)); err != nil {
			return err
		}
	}
	for _, name := range m.Entries() {
		if name == ManifestName {
			continue
		}
		if err := linkAll(filepath.Join(out, work, name), filepath.Join(out, name)); err != nil {
			return err
		}
	}
	if err := m.replace(out, work); err != nil {
		return err
	}
	return os.RemoveAll(filepath.Join(out, work))
}

// recoverKilled brings a capture in out to its end that was killed while it replaced another one.
func recoverKilled(out string) {
	m, err := Read(out)
	if err != nil {
		return
	}
	for _, name := range m.Entries() {
		if rest, ok := strings.CutPrefix(name, workPrefix); ok && abandoned(rest) {
			_ = settle(out, name) // what cannot be put in place can still be read where it is
		}
	}
}

// discard removes a folder of work, unless the capture in out names it.
func discard(out, partial string) {
	if m, err := Read(out); err == nil && slices.Contains(m.Entries(), filepath.Base(partial)) {
		return
	}
	os.RemoveAll(partial)
}

// moved returns a copy of the manifest with other paths of its files.
func (m *Manifest) moved(place func(string) string) *Manifest {
	c := *m
	c.Sources, c.Modules = slices.Clone(m.Sources), slices.Clone(m.Modules)
	for k := range c.Sources {
		if s := &c.Sources[k]; s.Snapshot != "" {
			s.Snapshot = place(s.Snapshot)
		}
	}
	for k := range c.Modules {
		module := &c.Modules[k]
		module.Files = slices.Clone(module.Files)
		for n := range module.Files {
			module.Files[n].Path = place(module.Files[n].Path)
		}
		if module.Log != "" {
			module.Log = place(module.Log)
		}
	}
	return &c
}

// replace makes m the manifest of the capture in out, in one step.
func (m *Manifest) replace(out, work string) error {
	name := filepath.Join(out, work, ManifestName)
	if err := m.write(name); err != nil {
		return err
	}
	return os.Rename(name, filepath.Join(out, ManifestName))
}

// linkAll makes a file, or all files of a folder, available under another name on the same disk; where that has no links, as copies.
func linkAll(from, to string) error {
	return filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		if d.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		if os.Link(name, target) == nil {
			return nil
		}
		return copyFile(name, target)
	})
}

func copyFile(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	_, err = io.Copy(out, in)
	return err
}
