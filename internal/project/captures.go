package project

import (
	"os"
	"path/filepath"

	"github.com/shardls/shardls/analyzers/link"
	"github.com/shardls/shardls/hlomap"
	"github.com/shardls/shardls/internal/capture"
)

// manifestDepth is how far above a dump its capture's manifest can be: DIR/TARGET/NNN.NAME/module….txt, in a folder of work until
// the capture is in its place.
const manifestDepth = 4

// captures finds what "shardls capture" wrote down about dumps. The zero value is not ready; see newCaptures.
type captures struct {
	byDir map[string]*manifest // nil where the folder is no capture
}

type manifest struct {
	dir     string
	content *capture.Manifest
	modules map[string]*capture.Module // by path of a dump, absolute
	links   map[*capture.Module]*link.Capture
	sources map[string][]byte // by path at the time of the capture
}

func newCaptures() *captures { return &captures{byDir: map[string]*manifest{}} }

// of returns what is known of the dump at an absolute path, nil where it is not part of a capture.
func (c *captures) of(dump string) *link.Capture {
	dir := filepath.Dir(dump)
	for range manifestDepth {
		if m := c.manifest(dir); m != nil {
			if module := m.modules[dump]; module != nil {
				return m.link(module)
			}
			return nil
		}
		dir = filepath.Dir(dir)
	}
	return nil
}

// manifest reads the manifest in dir once. A file of that name that is something else is no capture's.
func (c *captures) manifest(dir string) *manifest {
	if m, ok := c.byDir[dir]; ok {
		return m
	}
	c.byDir[dir] = nil
	content, err := capture.Read(dir)
	if err != nil {
		return nil
	}
	m := &manifest{
		dir: dir, content: content, modules: map[string]*capture.Module{},
		links: map[*capture.Module]*link.Capture{}, sources: map[string][]byte{},
	}
	for i := range content.Modules {
		for _, f := range content.Modules[i].Files {
			m.modules[m.path(f.Path)] = &content.Modules[i]
		}
	}
	for _, s := range content.Sources {
		// A snapshot that is gone only means that lines cannot be followed.
		if b, err := os.ReadFile(m.path(s.Snapshot)); err == nil {
			m.sources[s.Path] = b
		}
	}
	c.byDir[dir] = m
	return m
}

// path makes a path of the manifest absolute; [capture.Parse] has seen that it stays inside.
func (m *manifest) path(rel string) string { return filepath.Join(m.dir, filepath.FromSlash(rel)) }

func (m *manifest) link(module *capture.Module) *link.Capture {
	if l := m.links[module]; l != nil {
		return l
	}
	l := &link.Capture{JAX: m.content.JAX, Sources: map[string][]byte{}}
	for _, mesh := range module.Meshes {
		// Partition i of the HLO is position i of the mesh, so the device ids do not matter here.
		known := hlomap.Mesh{Source: "python"}
		for _, axis := range mesh.Axes {
			known.Axes = append(known.Axes, hlomap.MeshAxis{Name: axis.Name, Size: axis.Size})
		}
		l.Meshes = append(l.Meshes, known)
	}
	if module.Log != "" {
		if b, err := os.ReadFile(m.path(module.Log)); err == nil {
			l.Log = b
		}
	}
	for _, path := range module.Sources {
		if b, ok := m.sources[path]; ok {
			l.Sources[path] = b
		}
	}
	m.links[module] = l
	return l
}
