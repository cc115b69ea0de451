package project

import (
	"bytes"
	"os"
	"sync"
	"time"

	"github.com/shardls/shardls/analyzers/link"
	"github.com/shardls/shardls/pyparse"
)

// Cache keeps what loads of one workspace learn: parsed files by path and content, dumps by path, size and time, and the
// list of files. It is safe for concurrent use. The zero value is empty and ready; a nil Cache remembers nothing.
type Cache struct {
	mu       sync.Mutex
	parsed   map[string]*pyparse.File
	sources  map[string]onDisk
	dumps    map[string]*Dump
	profiles map[string]*profileOnDisk // by path

	firstRead map[dumpVersion]*link.Capture // see asRead
}

// onDisk is the content of a file and when it was like that.
type onDisk struct {
	content []byte
	modTime time.Time
	size    int64
}

// ForgetFiles makes the next load read sources again, whatever their times say.
func (c *Cache) ForgetFiles() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sources = nil
}

// ForgetDumps makes the next load read dumps again, whatever their times say.
func (c *Cache) ForgetDumps() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dumps = nil
}

// parse returns the syntax of a source, parsing it only where its content is new.
func (c *Cache) parse(parsers *pyparse.Parsers, path string, source []byte) *pyparse.File {
	if c == nil {
		return parsers.Parse(path, source)
	}
	c.mu.Lock()
	known := c.parsed[path]
	c.mu.Unlock()
	if known != nil && bytes.Equal(known.Source, source) {
		return known
	}
	f := parsers.Parse(path, source)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.parsed == nil {
		c.parsed = map[string]*pyparse.File{}
	}
	c.parsed[path] = f
	return f
}

// read returns the content of a file, from memory where size and time are as they were.
func (c *Cache) read(path string) ([]byte, time.Time, error) {
	if c == nil {
		return readWhole(nil, path)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, time.Time{}, err
	}
	c.mu.Lock()
	known, ok := c.sources[path]
	c.mu.Unlock()
	if ok && known.modTime.Equal(info.ModTime()) && known.size == info.Size() {
		return known.content, known.modTime, nil
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, info.ModTime(), err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sources == nil {
		c.sources = map[string]onDisk{}
	}
	c.sources[path] = onDisk{content: content, modTime: info.ModTime(), size: info.Size()}
	return content, info.ModTime(), nil
}

// dump returns a dump, reading it only where size or time changed.
func (c *Cache) dump(path string, mapped bool) *Dump {
	info, err := os.Stat(path)
	if err != nil {
		return &Dump{Path: path, Problem: reason(err).Error()}
	}
	if c == nil {
		return readDump(path, info, mapped)
	}
	c.mu.Lock()
	known := c.dumps[path]
	c.mu.Unlock()
	if known != nil && known.ModTime.Equal(info.ModTime()) && known.Size == info.Size() {
		return known
	}
	d := readDump(path, info, mapped)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dumps == nil {
		c.dumps = map[string]*Dump{}
	}
	c.dumps[path] = d
	return d
}
