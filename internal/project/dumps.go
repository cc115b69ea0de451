package project

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/shardls/shardls/analyzers/driver"
	"github.com/shardls/shardls/analyzers/link"
	"github.com/shardls/shardls/hlomap"
	"github.com/shardls/shardls/internal/capture"
)

// maxDump is the size in bytes of the largest dump file that is read.
const maxDump = 4 << 30

// sniffLength is how much of a file is looked at to tell HLO text from other text.
const sniffLength = 4096

// The ranks of dumps: of one module and stage, the one that the command line names hides the one that is configured.
const (
	rankCommandLine = iota
	rankConfigured
)

// Dump is one dump file that was read. Modules is empty where nothing could be understood.
type Dump struct {
	Path      string // absolute
	Rank      int
	Companion bool // nobody asked for this file; it lies beside one that was named and knows the names of mesh axes
	Named     bool // a person named this very file, rather than a folder or a glob
	ModTime   time.Time
	Size      int64
	Modules   []*hlomap.Module
	Problems  []hlomap.Problem

	framePaths []string // the files that frames of collectives name, outside of installed packages, sorted

	Problem string // why the file is no use; "" where it is

	Capture *link.Capture // what "shardls capture" wrote down about it; nil for other dumps
}

// DumpFinder looks for dump files on disk.
type DumpFinder struct {
	Dir string // relative patterns start here
	Map bool   // map files instead of copying them, see mapFile

	Overlay map[string][]byte // contents of dumps that are on no disk, by absolute path (standard input)

	files   []dumpFile
	seen    map[string]bool
	offered int // how many files were added, those that were known already too
	missing []string
	barred  []string // the folders that may not be read, and why

	captures map[string][]string // by folder: what the capture in it consists of, nil where there is none
}

type dumpFile struct {
	path  string
	rank  int
	named bool
	// companion marks a file that nobody asked for, read for the names that it holds.
	companion bool
	// group holds the files of one module and stage, best first: one of them is enough. It is empty where a person named
	// the file.
	group string
}

// Add looks for what a pattern names: a file, a directory, or a glob over both. A literal path that does not exist is an
// error; a pattern that brings no dump is remembered as missing.
func (f *DumpFinder) Add(pattern string, rank int) error {
	before := f.offered
	err := f.look(pattern, rank)
	if err == nil && f.offered == before || errors.Is(err, fs.ErrNotExist) {
		f.missing = append(f.missing, pattern)
	}
	return err
}

func (f *DumpFinder) look(pattern string, rank int) error {
	path := pattern
	if !filepath.IsAbs(path) {
		path = filepath.Join(f.Dir, path)
	}
	if _, ok := f.Overlay[path]; ok {
		f.add(dumpFile{path: path, rank: rank, named: true})
		return nil
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return f.directory(path, rank)
	case err == nil:
		f.add(dumpFile{path: path, rank: rank, named: true})
		return nil
	case !strings.ContainsAny(pattern, "*?[{"):
		return fmt.Errorf("%s: %w", pattern, reason(err))
	}
	matches, err := doublestar.FilepathGlob(path)
	if err != nil {
		return fmt.Errorf("%s: %w", pattern, err)
	}
	sort.Strings(matches)
	byFolder := map[string][]string{}
	for _, m := range matches {
		info, err := os.Stat(m)
		switch {
		case err == nil && info.IsDir():
			if err := f.directory(m, rank); err != nil {
				return err
			}
			continue
		case err == nil && !info.Mode().IsRegular():
			continue // reading a pipe waits for whoever writes it
		}
		byFolder[filepath.Dir(m)] = append(byFolder[filepath.Dir(m)], filepath.Base(m))
	}
	f.folders(byFolder, rank)
	return nil
}

func (f *DumpFinder) directory(dir string, rank int) error {
	byFolder := map[string][]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && path == dir:
			return fmt.Errorf("%s: %w", dir, reason(err))
		case err != nil:
			f.barred = append(f.barred, fmt.Sprintf("%s: %v", displayPath(f.Dir, path), reason(err)))
			return nil
		case d.IsDir() && path != dir && f.passes(path):
			return fs.SkipDir
		case leadsToFile(path, d):
			byFolder[filepath.Dir(path)] = append(byFolder[filepath.Dir(path)], d.Name())
		}
		return nil
	})
	f.folders(byFolder, rank)
	return err
}

// madeByCapture matches the folder of a compilation in a capture.
var madeByCapture = regexp.MustCompile(`^[0-9]{3,}\.`)

// passes reports whether the files below a folder are none of those around it: it is hidden, or of a capture that does not count.
// What a killed capture left is of another one than the manifest, whose files are in a hidden folder until all are in their places.
func (f *DumpFinder) passes(dir string) bool {
	parent, name := filepath.Split(dir)
	entries, known := f.captures[parent]
	if !known {
		if m, err := capture.Read(parent); err == nil {
			entries = m.Entries()
		}
		if f.captures == nil {
			f.captures = map[string][]string{}
		}
		f.captures[parent] = entries
	}
	if slices.Contains(entries, name) {
		return false
	}
	return strings.HasPrefix(name, ".") || entries != nil && madeByCapture.MatchString(name)
}

// folders adds those files of each folder that hold HLO: by the names that XLA gives, else by what they begin with.
func (f *DumpFinder) folders(byFolder map[string][]string, rank int) {
	dirs := make([]string, 0, len(byFolder))
	for dir := range byFolder {
		dirs = append(dirs, dir)
	}
	sort.Strings(dirs)
	for _, dir := range dirs {
		names := byFolder[dir]
		sort.Strings(names)
		classified := map[string]bool{}
		for i, group := range hlomap.ClassifyDump(names) {
			for _, d := range group {
				classified[d.Name] = true
				if d.Helper {
					continue
				}
				f.add(dumpFile{
					path: filepath.Join(dir, d.Name), rank: rank,
					group: fmt.Sprintf("%s\x00%d\x00%s", dir, i, d.Stage),
				})
			}
		}
		for _, name := range names {
			if path := filepath.Join(dir, name); !classified[name] && looksLikeHLO(path) {
				f.add(dumpFile{path: path, rank: rank})
			}
		}
	}
}

func (f *DumpFinder) add(d dumpFile) {
	f.offered++
	if f.seen == nil {
		f.seen = map[string]bool{}
	}
	if !f.seen[d.path] {
		f.seen[d.path] = true
		f.files = append(f.files, d)
	}
}

// looksLikeHLO reports whether a file that XLA did not name holds HLO. Compressed files are recognised by their names.
func looksLikeHLO(path string) bool {
	name := filepath.Base(path)
	for _, end := range []string{".hlo.pb", ".hlo", ".hlo.gz", ".hlo.zst", ".hlo.pb.gz", ".hlo.pb.zst", ".txt.gz", ".txt.zst"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	if filepath.Ext(name) != ".txt" {
		return false
	}
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	head := make([]byte, sniffLength)
	n, _ := file.Read(head)
	head = bytes.TrimLeft(head[:n], " \t\r\n\ufeff")
	return bytes.HasPrefix(head, []byte("HloModule"))
}

// Read reads the files that were found. Of the files of one module and stage only the best that can be understood is read.
func (f *DumpFinder) Read(ctx context.Context, cache *Cache, progress func(Progress)) ([]*Dump, error) {
	f.companions()
	var dumps []*Dump
	done := map[string]bool{}
	known := newCaptures()
	for i, d := range f.files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if d.group != "" && done[d.group] {
			continue
		}
		if progress != nil {
			progress(Progress{Stage: "reading dumps", Item: d.path, Done: i, Total: len(f.files)})
		}
		dump := f.dump(d.path, cache)
		withRank := *dump
		withRank.Companion = d.companion
		withRank.Rank, withRank.Named, withRank.Capture = d.rank, d.named, known.of(d.path)
		if d.companion && dump.Problem != "" {
			continue
		}
		if d.group != "" && dump.Problem == "" {
			done[d.group] = true
		}
		dumps = append(dumps, &withRank)
	}
	return dumps, nil
}

// dump reads one dump.
func (f *DumpFinder) dump(path string, cache *Cache) *Dump {
	if content, ok := f.Overlay[path]; ok {
		d := &Dump{Path: path, Size: int64(len(content))}
		d.open(content, nil)
		return d
	}
	return cache.dump(path, f.Map)
}

func readDump(path string, info fs.FileInfo, mapped bool) *Dump {
	d := &Dump{Path: path, ModTime: info.ModTime(), Size: info.Size()}
	if d.Size > maxDump {
		d.Problem = "larger than 4 GiB"
		return d
	}
	if mapped {
		if content, ok := mapFile(path, info); ok {
			d.open(content, leavePart)
			return d
		}
	}
	content, err := readFile(path)
	if err != nil {
		d.Problem = reason(err).Error()
		return d
	}
	d.open(content, nil)
	return d
}

// open reads the modules of a dump. Where its content is a mapped file, release is leavePart.
func (d *Dump) open(content []byte, release func(part []byte)) {
	d.Modules, d.Problems, d.Problem = openDump(d.Path, content, release)
	d.framePaths = framePaths(d.Modules)
}

// framePaths lists the files that frames of collectives name, outside of installed packages, sorted.
func framePaths(modules []*hlomap.Module) []string {
	seen := map[string]bool{}
	var out []string
	for _, m := range modules {
		for _, path := range m.FramePaths() {
			if !seen[path] && !installed(path) {
				out = append(out, path)
			}
			seen[path] = true
		}
	}
	sort.Strings(out)
	return out
}

// openDump reads a dump and keeps a defect of the reader from ending the process.
func openDump(path string, content []byte, release func(part []byte)) (modules []*hlomap.Module, problems []hlomap.Problem, problem string) {
	defer func() {
		p := recover()
		switch {
		case p == nil:
		case CutShort(p):
			modules, problem = nil, "it was cut short while it was being read"
		default:
			modules, problem = nil, fmt.Sprintf("the reader stopped: %v", p)
		}
	}()
	modules, problems = hlomap.OpenMapped(path, content, release)
	if len(modules) > 0 {
		return modules, problems, ""
	}
	if len(problems) > 0 {
		return nil, problems, problems[0].Message
	}
	return nil, nil, "it holds no HLO module"
}

// CutShort reports whether a panic is the fault that reading a mapped file behind its end raises. It is a panic only where
// debug.SetPanicOnFault was called on the goroutine; else it ends the process.
func CutShort(panicked any) bool {
	_, fault := panicked.(interface{ Addr() uintptr })
	return fault
}

// driverDumps is what the driver is told of the files.
func driverDumps(dumps []*Dump) []driver.Dump {
	out := make([]driver.Dump, 0, len(dumps))
	for _, d := range dumps {
		if !d.Companion {
			out = append(out, driver.Dump{Path: d.Path, Problem: d.Problem, ModTime: d.ModTime})
		}
	}
	return out
}

// cutOff tells which dumps end before their modules do: what is missing is not judged.
func cutOff(dumps []*Dump) []driver.Problem {
	var out []driver.Problem
	for _, d := range dumps {
		if slices.ContainsFunc(d.Modules, (*hlomap.Module).CutOff) {
			out = append(out, driver.Problem{Path: d.Path, Message: "the dump was cut off: what is missing of it is not known"})
		}
	}
	return out
}

// linkDumps turns modules into what the join with the sources takes.
func linkDumps(dumps []*Dump, cache *Cache, sources *link.Sources) []link.Dump {
	var out []link.Dump
	for _, d := range dumps {
		capture := d.Capture
		if capture == nil {
			capture = cache.asRead(d, sources)
		}
		for _, m := range d.Modules {
			out = append(out, link.Dump{Path: d.Path, Rank: d.Rank, Module: m, Capture: capture})
		}
	}
	return out
}
