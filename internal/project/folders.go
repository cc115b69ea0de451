package project

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// folders answers whether files are there from one listing of each folder. Imports ask that of every folder around a file and of folders
// that are not there at all, some twenty times for each file. It is for any number of goroutines.
type folders struct {
	mu     sync.Mutex
	listed map[string]folder
}

// folder is what imports may mean in a folder: Python files, folders and links, by name.
type folder struct {
	entries map[string]fs.FileMode
	closed  bool // it may not be listed, so that each path has to be asked about
}

// learn takes over what a folder holds from whoever has listed it.
func (l *folders) learn(dir string, entries []fs.DirEntry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.add(dir, entries, false)
}

func (l *folders) add(dir string, entries []fs.DirEntry, closed bool) folder {
	f := folder{closed: closed}
	for _, e := range entries {
		if e.IsDir() || pythonName(e.Name()) || e.Type()&fs.ModeSymlink != 0 {
			if f.entries == nil {
				f.entries = make(map[string]fs.FileMode)
			}
			f.entries[e.Name()] = e.Type()
		}
	}
	if l.listed == nil {
		l.listed = map[string]folder{}
	}
	l.listed[dir] = f
	return f
}

// there reports whether a regular file, or a link to one, is at a path.
func (l *folders) there(path string) bool {
	l.mu.Lock()
	f := l.list(filepath.Dir(path))
	l.mu.Unlock()
	mode, ok := f.entries[filepath.Base(path)]
	if f.closed || ok && mode&fs.ModeSymlink != 0 {
		return regular(path)
	}
	return ok && mode.IsRegular()
}

// folder reports whether a folder may be at a path.
func (l *folders) folder(path string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	f := l.list(filepath.Dir(path))
	mode, ok := f.entries[filepath.Base(path)]
	return f.closed || ok && !mode.IsRegular()
}

// list lists a folder, unless the nearest folder above it that is listed already tells that it is not there.
func (l *folders) list(dir string) folder {
	if f, known := l.listed[dir]; known {
		return f
	}
	for child, parent := dir, filepath.Dir(dir); parent != child; child, parent = parent, filepath.Dir(parent) {
		if f, known := l.listed[parent]; known {
			if _, ok := f.entries[filepath.Base(child)]; !ok && !f.closed {
				return l.add(dir, nil, false)
			}
			break
		}
	}
	entries, err := os.ReadDir(dir)
	return l.add(dir, entries, errors.Is(err, fs.ErrPermission))
}
