package link

import (
	"sort"
	"strings"
)

// PathRule maps the paths of another machine to those of the workspace: a frame path that begins with From means the
// file whose path has To in its place.
type PathRule struct {
	From, To string
}

// Sources finds the file of a workspace that a path in a dump means. A dump may have been written on another machine and
// from another directory, so only the ends of paths can be trusted.
type Sources struct {
	known     map[string]bool
	rules     []PathRule
	arguments *suffixes
	workspace *suffixes
	resolved  map[string]string
}

// NewSources indexes the files of a workspace. Arguments are those of them that the user named (files, or files under
// named directories); they are matched first. All paths are slash-separated; resolved answers are paths of files.
func NewSources(files, arguments []string, rules []PathRule) *Sources {
	s := &Sources{
		known:     make(map[string]bool, len(files)),
		rules:     append([]PathRule(nil), rules...),
		arguments: newSuffixes(arguments),
		workspace: newSuffixes(files),
		resolved:  map[string]string{},
	}
	for _, f := range files {
		s.known[f] = true
	}
	for _, f := range arguments {
		s.known[f] = true
	}
	// The longest prefix is the most specific rule.
	sort.SliceStable(s.rules, func(i, j int) bool { return len(s.rules[i].From) > len(s.rules[j].From) })
	for _, f := range append(append([]string(nil), files...), arguments...) {
		s.resolved[f] = f
	}
	return s
}

// Match returns the workspace file that a path of a dump means: first among the arguments, then by the path rules, then by
// the longest suffix that only one file has. It returns false where no file or more than one file fits.
//
// Match is not safe for concurrent use before [Sources.Resolve] has seen every path; afterwards it only reads.
func (s *Sources) Match(path string) (string, bool) {
	if s == nil || path == "" {
		return "", false
	}
	if file, ok := s.resolved[path]; ok {
		return file, file != ""
	}
	return s.match(path)
}

// Resolve remembers the answers for paths, so that later calls of Match only read.
func (s *Sources) Resolve(paths []string) {
	for _, p := range paths {
		if _, ok := s.resolved[p]; !ok {
			s.resolved[p], _ = s.match(p)
		}
	}
}

func (s *Sources) match(path string) (string, bool) {
	path = strings.ReplaceAll(path, "\\", "/")
	if s.known[path] {
		return path, true
	}
	if file, ok := s.arguments.find(path); ok {
		return file, true
	}
	for _, r := range s.rules {
		rest, ok := cutDirectory(path, r.From)
		if !ok {
			continue
		}
		mapped := strings.TrimPrefix(strings.TrimSuffix(r.To, "/")+"/"+rest, "./")
		if s.known[mapped] {
			return mapped, true
		}
		// The rule names a directory relative to a root that the file paths spell out.
		if file, ok := s.workspace.exact(mapped); ok {
			return file, true
		}
	}
	return s.workspace.find(path)
}

// cutDirectory removes a leading directory, at a path separator only.
func cutDirectory(path, directory string) (string, bool) {
	directory = strings.TrimSuffix(directory, "/")
	rest, ok := strings.CutPrefix(path, directory)
	if !ok || !strings.HasPrefix(rest, "/") {
		return "", false
	}
	return rest[1:], true
}

// suffixes indexes files by their base name; the files of one base name are few.
type suffixes struct {
	byBase map[string][]string
}

func newSuffixes(files []string) *suffixes {
	x := &suffixes{byBase: map[string][]string{}}
	seen := map[string]bool{}
	for _, f := range files {
		if !seen[f] {
			seen[f] = true
			base := f[strings.LastIndexByte(f, '/')+1:]
			x.byBase[base] = append(x.byBase[base], f)
		}
	}
	return x
}

// find returns the only file that shares the longest suffix of whole path components with path.
func (x *suffixes) find(path string) (string, bool) {
	best, length, ties := "", 0, 0
	for _, f := range x.byBase[path[strings.LastIndexByte(path, '/')+1:]] {
		switch n := common(path, f); {
		case n > length:
			best, length, ties = f, n, 1
		case n == length:
			ties++
		}
	}
	// A library has its own linear.py: for a file below site-packages the base name alone proves nothing.
	if ties != 1 || length < 2 && installed(path) {
		return "", false
	}
	return best, true
}

// exact returns the only file that ends in all components of path.
func (x *suffixes) exact(path string) (string, bool) {
	want := strings.Count(path, "/") + 1
	best, ties := "", 0
	for _, f := range x.byBase[path[strings.LastIndexByte(path, '/')+1:]] {
		if common(path, f) >= want {
			best = f
			ties++
		}
	}
	return best, ties == 1
}

// common counts the whole path components that a and b share from the end.
func common(a, b string) int {
	n := 0
	for a != "" && b != "" {
		i, j := strings.LastIndexByte(a, '/'), strings.LastIndexByte(b, '/')
		if a[i+1:] != b[j+1:] {
			break
		}
		n++
		if i < 0 || j < 0 {
			break
		}
		a, b = a[:i], b[:j]
	}
	return n
}

// installed reports whether a path lies where packages are installed.
func installed(path string) bool {
	return strings.Contains(path, "/site-packages/") || strings.Contains(path, "/dist-packages/") || strings.Contains(path, "/lib/python")
}
