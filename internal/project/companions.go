package project

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"

	"github.com/shardls/shardls/hlomap"
)

// A module knows the names of its mesh axes only before optimizations, and what its results are on the whole only before partitioning.
// Where a person names one file of a later stage, the files of the earlier stage beside it, which XLA wrote in the same run, are read as
// well: for what they know, not to be shown.

// companions adds the modules before optimizations that lie beside the files that were named, or else those before partitioning.
func (f *DumpFinder) companions() {
	for _, d := range f.files {
		if _, ok := f.Overlay[d.path]; ok || !d.named || !regular(d.path) || strings.Contains(filepath.Base(d.path), "before_opt") {
			continue
		}
		dir := filepath.Dir(d.path)
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		if !f.addCompanions(d, dir, entries, "before_opt") {
			f.addCompanions(d, dir, entries, "before_spmd")
		}
	}
}

// addCompanions adds those of the files beside one that bear the name of a stage and are of the same module, and reports whether there
// are any.
func (f *DumpFinder) addCompanions(d dumpFile, dir string, entries []os.DirEntry, stage string) (found bool) {
	module := moduleName(d.path)
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if !strings.Contains(e.Name(), stage) || path == d.path || !regular(path) || !looksLikeHLO(path) {
			continue
		}
		if module != "" && moduleName(path) != module || number(d.path) != number(path) {
			continue
		}
		if found = true; !f.seen[path] {
			f.add(dumpFile{path: path, rank: d.rank, companion: true})
		}
	}
	return found
}

// moduleName reads the name in the first line of an HLO text, "" where the file is no plain HLO text.
func moduleName(path string) string {
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	head := make([]byte, sniffLength)
	n, _ := file.Read(head)
	rest, ok := bytes.CutPrefix(bytes.TrimLeft(head[:n], " \t\r\n\ufeff"), []byte("HloModule "))
	if !ok {
		return ""
	}
	end := bytes.IndexAny(rest, ", \r\n")
	if end < 0 {
		return ""
	}
	return strings.TrimPrefix(string(rest[:end]), "%")
}

// number is what tells XLA's files of one module from those of another: the time stamp and module_NNNN.
func number(path string) string {
	for _, group := range hlomap.ClassifyDump([]string{filepath.Base(path)}) {
		for _, d := range group {
			name, _, _ := strings.Cut(d.Name, "module_")
			return name + strings.SplitN(d.Name[len(name):], ".", 2)[0]
		}
	}
	return ""
}
