package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"

	"github.com/go-git/go-git/v5/plumbing/format/gitignore"

	"github.com/shardls/shardls/internal/capture"
	"github.com/shardls/shardls/internal/config"
)

// discovery finds the Python files below some paths.
type discovery struct {
	settings     *settingsTree
	forceExclude bool
	overlay      map[string][]byte
	dir          string // errors name paths relative to it
	folders      *folders
	names        map[string]bool // base names of the files to take below directories; nil takes all

	seen  map[string]bool
	files []string
	// within is a directory that was named although configuration leaves it out: below it, exclusions start anew.
	within string
}

// discover returns the absolute paths of the Python files and notebooks that paths name, sorted. Directories are walked,
// leaving out what configuration excludes and what git ignores; a file that is named is taken as it is, unless exclusions
// are forced.
func (d *discovery) discover(paths []string) ([]string, error) {
	d.seen = map[string]bool{}
	for _, path := range paths {
		if _, open := d.overlay[path]; open {
			if err := d.named(path); err != nil {
				return nil, err
			}
			continue
		}
		info, err := os.Stat(path)
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s: %w", displayPath(d.dir, path), reason(err))
		case info.IsDir():
			err = d.walk(path)
		default:
			err = d.named(path)
		}
		if err != nil {
			return nil, err
		}
	}
	sort.Strings(d.files)
	return d.files, nil
}

// reason is the part of a file error that says what is wrong, without the system call and the path.
func reason(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

func (d *discovery) named(path string) error {
	if d.forceExclude {
		out, err := d.excluded(path)
		if err != nil || out {
			return err
		}
	}
	d.add(path)
	return nil
}

func (d *discovery) add(path string) {
	if !d.seen[path] {
		d.seen[path] = true
		d.files = append(d.files, path)
	}
}

// excluded reports whether configuration leaves path out, by its own name or by a directory above it.
func (d *discovery) excluded(path string) (bool, error) {
	c, err := d.settings.forDir(filepath.Dir(path))
	if err != nil {
		return false, err
	}
	if d.within != "" {
		return c.Excluded(relativeTo(d.within, path)), nil
	}
	return c.Excluded(relativeTo(c.Dir, path)), nil
}

func relativeTo(dir, path string) string {
	rel, err := filepath.Rel(dir, path)
	if err != nil {
		return filepath.ToSlash(path)
	}
	return filepath.ToSlash(rel)
}

func (d *discovery) walk(root string) error {
	var ignored []gitignore.Pattern
	for _, dir := range upToRepository(root) {
		ignored = append(ignored, readIgnore(dir)...)
	}
	if !d.forceExclude && gitignore.NewMatcher(ignored).Match(components(root), true) {
		ignored = nil // whoever names an ignored directory means it, as with a file
	}
	d.within = ""
	if out, err := d.excluded(root); err != nil {
		return err
	} else if out && !d.forceExclude {
		d.within = root
	}
	entries, err := os.ReadDir(root)
	if err != nil {
		return fmt.Errorf("%s: %w", displayPath(d.dir, root), reason(err))
	}
	return d.directory(root, entries, ignored)
}

func (d *discovery) directory(dir string, entries []fs.DirEntry, ignored []gitignore.Pattern) error {
	d.folders.learn(dir, entries)
	ignored = append(ignored[:len(ignored):len(ignored)], readIgnore(dir)...)
	matcher := gitignore.NewMatcher(ignored)
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		isDir := e.IsDir()
		if !isDir && (!d.wants(e.Name()) || !leadsToFile(path, e)) || matcher.Match(components(path), isDir) {
			continue
		}
		out, err := d.excluded(path)
		if err != nil {
			return err
		}
		switch {
		case out:
		case isDir && holdsCapture(path): // its snapshot of the sources is no code of its own
		case isDir:
			if err := d.below(path, ignored); err != nil {
				return err
			}
		default:
			d.add(path)
		}
	}
	return nil
}

// wants reports whether a file of this base name is looked for.
func (d *discovery) wants(name string) bool {
	return pythonName(name) && (d.names == nil || d.names[name])
}

// leadsToFile reports whether an entry is a file or a link to one. Links to directories may lead round in circles, and reading a
// pipe waits for whoever writes it.
func leadsToFile(path string, e fs.DirEntry) bool {
	if e.Type()&fs.ModeSymlink == 0 {
		return e.Type().IsRegular()
	}
	return regular(path)
}

// below walks a directory that was met on the way. One that may not be read costs only itself, and is named.
func (d *discovery) below(dir string, ignored []gitignore.Pattern) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		d.settings.warn(config.Warning{Message: fmt.Sprintf("%s: %v", displayPath(d.dir, dir), reason(err))})
		return nil
	}
	return d.directory(dir, entries, ignored)
}

// holdsCapture reports whether a directory is one that "shardls capture" wrote.
func holdsCapture(dir string) bool {
	_, err := capture.Read(dir)
	return err == nil
}

func pythonName(name string) bool {
	switch filepath.Ext(name) {
	case ".py", ".pyi", ".ipynb":
		return true
	}
	return false
}

// upToRepository lists the directories above dir, outermost first, from the root of its git repository; none where it is
// in no repository.
func upToRepository(dir string) []string {
	var above []string
	for {
		if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
			for i, j := 0, len(above)-1; i < j; i, j = i+1, j-1 {
				above[i], above[j] = above[j], above[i]
			}
			return above
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return nil
		}
		above = append(above, parent)
		dir = parent
	}
}

func readIgnore(dir string) []gitignore.Pattern {
	path := filepath.Join(dir, ".gitignore")
	if !regular(path) {
		return nil
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	var patterns []gitignore.Pattern
	for line := range strings.Lines(string(content)) {
		line = strings.TrimRight(line, "\r\n")
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		// The library knows [^x], git also [!x].
		line = strings.ReplaceAll(line, "[!", "[^")
		patterns = append(patterns, gitignore.ParsePattern(line, components(dir)))
	}
	return patterns
}

func components(path string) []string {
	return strings.Split(strings.Trim(filepath.ToSlash(path), "/"), "/")
}

// settingsTree finds and remembers the configuration of directories.
type settingsTree struct {
	dir       string // the working directory, for inline settings
	file      string // read this instead of searching
	isolated  bool
	lenient   bool // a broken file leaves out what it holds for, see broken
	overrides []*config.Config

	mu       sync.Mutex
	byDir    map[string]*config.Resolved
	byConfig map[*config.Config]*config.Resolved // nil is the key of what holds without a file
	byFile   map[string]*config.Config
	warnings []config.Warning
	broken   []error // what is wrong with the files that were found broken
}

// warn keeps a warning to print before the findings.
func (s *settingsTree) warn(w config.Warning) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.warnings = append(s.warnings, w)
}

// forDir returns what holds for the files of a directory: the nearest configuration above it, under the command line's.
func (s *settingsTree) forDir(dir string) (*config.Resolved, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.byDir[dir]; c != nil {
		return c, nil
	}
	found, err := s.nearest(dir)
	if err != nil {
		return nil, err
	}
	if s.byDir == nil {
		s.byDir, s.byConfig = map[string]*config.Resolved{}, map[*config.Config]*config.Resolved{}
	}
	if s.byConfig[found] == nil {
		s.byConfig[found] = s.resolve(found)
	}
	s.byDir[dir] = s.byConfig[found]
	return s.byDir[dir], nil
}

// resolve puts the command line's settings over those of a file, which is nil where there is none.
func (s *settingsTree) resolve(found *config.Config) *config.Resolved {
	layers := []*config.Config{found}
	if found == nil {
		layers[0] = &config.Config{Dir: s.dir}
	}
	for _, o := range s.overrides {
		c := *o
		c.Path, c.Dir = "", ""
		layers = append(layers, &c)
	}
	return config.Resolve(layers...)
}

func (s *settingsTree) nearest(dir string) (*config.Config, error) {
	if s.file != "" {
		c, err := s.read(s.file, true)
		if c != nil {
			c.Dir = s.dir // patterns of a file that is named start at the working directory
		}
		return c, err
	}
	if s.isolated {
		return nil, nil
	}
	for {
		for _, name := range []string{".shardls.toml", "shardls.toml", "pyproject.toml"} {
			c, err := s.read(filepath.Join(dir, name), false)
			if c != nil || err != nil {
				return c, err
			}
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return nil, nil
		}
		dir = parent
	}
}

func (s *settingsTree) read(path string, required bool) (*config.Config, error) {
	if c, known := s.byFile[path]; known {
		return c, nil
	}
	if s.byFile == nil {
		s.byFile = map[string]*config.Config{}
	}
	if !required && !regular(path) {
		s.byFile[path] = nil
		return nil, nil
	}
	c, err := s.parse(path)
	if err != nil {
		if !s.lenient {
			return nil, err
		}
		s.broken = append(s.broken, err)
		c = &config.Config{ExtendExclude: []string{"*"}} // nothing is judged by settings that nobody can read
	}
	if c != nil {
		c.Path, c.Dir = path, filepath.Dir(path)
	}
	s.byFile[path] = c
	return c, nil
}

// parse reads a configuration file; nil means that it is about other tools only.
func (s *settingsTree) parse(path string) (*config.Config, error) {
	content, err := readFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", displayPath(s.dir, path), reason(err))
	}
	c, warnings, err := config.Parse(displayPath(s.dir, path), content)
	if err != nil {
		return nil, err
	}
	s.warnings = append(s.warnings, warnings...)
	if c != nil {
		s.warnings = append(s.warnings, c.UnknownCodes(Rules())...)
	}
	return c, nil
}

// displayPath is a path as printed: relative to dir where it lies under it.
func displayPath(dir, path string) string {
	rel, err := filepath.Rel(dir, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return filepath.ToSlash(path)
	}
	return filepath.ToSlash(rel)
}
