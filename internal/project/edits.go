package project

import (
	"path/filepath"
	"time"

	"github.com/shardls/shardls/analyzers/link"
)

// dumpVersion is one state of a dump file.
type dumpVersion struct {
	path    string
	modTime time.Time
	size    int64
}

// asRead returns what the sources of a dump were when this state of it was first read. A dump says nothing of that, unless
// it was made by capture, but while a program keeps the cache, edits made since then can be followed, so that lines
// that only moved are not taken for others. It is nil without a cache.
func (c *Cache) asRead(d *Dump, sources *link.Sources) *link.Capture {
	if c == nil {
		return nil
	}
	version := dumpVersion{d.Path, d.ModTime, d.Size}
	c.mu.Lock()
	known := c.firstRead[version]
	c.mu.Unlock()
	if known != nil {
		return known
	}
	first := &link.Capture{Sources: map[string][]byte{}, Late: true}
	for _, framePath := range d.framePaths {
		if file, ok := sources.Match(framePath); ok {
			if content, _, err := c.read(filepath.FromSlash(file)); err == nil {
				first.Sources[framePath] = content
			}
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.firstRead == nil {
		c.firstRead = map[dumpVersion]*link.Capture{}
	}
	c.firstRead[version] = first
	return first
}
