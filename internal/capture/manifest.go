package capture

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// ManifestName is the file of a capture that describes it.
const ManifestName = "manifest.json"

// ManifestVersion is the format that this package writes; docs/capture.md describes it.
const ManifestVersion = 1

// Manifest says what a capture holds: what HLO itself does not. Pointers and slices are nil where something is unknown.
type Manifest struct {
	Version   int      `json:"version"`
	Command   []string `json:"command"`
	Directory string   `json:"directory"` // working directory of the command
	Status    *int     `json:"status"`    // exit status of the command; nil if it was not seen to end
	Target    string   `json:"target,omitempty"`
	Python    string   `json:"python,omitempty"`
	JAX       string   `json:"jax,omitempty"`
	JAXLib    string   `json:"jaxlib,omitempty"`
	Problems  []string `json:"problems"`
	Sources   []Source `json:"sources"`
	Modules   []Module `json:"modules"`
}

// Source is a file that the traced functions came from, as it was at that moment.
type Source struct {
	Path     string `json:"path"` // absolute
	SHA256   string `json:"sha256"`
	Snapshot string `json:"snapshot"` // a copy, relative to the manifest
}

// Module is one compilation over more than one device.
type Module struct {
	Name        string       `json:"name"` // of the HLO module: jit_train_step
	Function    string       `json:"function,omitempty"`
	Devices     int          `json:"devices"`
	Seconds     float64      `json:"seconds"` // of the compilation
	Files       []File       `json:"files"`
	Log         string       `json:"log,omitempty"` // the partitioner's warnings, relative to the manifest; "" for none
	Meshes      []Mesh       `json:"meshes"`
	Arguments   []Argument   `json:"arguments"`
	Results     []string     `json:"results"` // tree paths
	Annotations []Annotation `json:"annotations"`
	Sources     []string     `json:"sources"` // absolute paths, keys into Manifest.Sources
	Problems    []string     `json:"problems,omitempty"`
}

// File is one dump.
type File struct {
	Path     string `json:"path"`     // relative to the manifest
	Stage    string `json:"stage"`    // "before-optimizations", "before-partitioning", "after-partitioning", "after-optimizations"
	Platform string `json:"platform"` // "cpu", "tpu" or "cuda"
}

// Mesh is a mesh that the function was traced with. Partition i of the HLO is position i of it in row-major order,
// whatever the device ids are.
type Mesh struct {
	Axes      []Axis   `json:"axes"`
	Types     []string `json:"types"` // "auto", "explicit" or "manual", one an axis
	DeviceIDs []int    `json:"deviceIds"`
}

// Axis is one mesh axis and its size in devices.
type Axis struct {
	Name string `json:"name"`
	Size int    `json:"size"`
}

// Sharding is a PartitionSpec over one of the module's meshes, or another sharding as JAX prints it. A PartitionSpec with reduced or
// unreduced axes is both, because its dimensions alone do not tell.
type Sharding struct {
	Mesh *int   `json:"mesh"` // index into Module.Meshes
	Spec []any  `json:"spec"` // per dimension: nil, an axis name, or a list of them
	Text string `json:"text,omitempty"`
}

// Argument is one array that the function takes.
type Argument struct {
	Name      string    `json:"name"` // tree path: params['w']
	DType     string    `json:"dtype"`
	Shape     []int     `json:"shape"`
	Sharding  *Sharding `json:"sharding"`
	Donated   bool      `json:"donated"`
	Parameter *int      `json:"parameter"` // number of the HLO parameter; nil if JAX dropped the argument as unused
}

// Annotation is a sharding that the traced function states: a constraint, a reshard, or the specs of a shard_map. The
// backward pass repeats those of the forward pass.
type Annotation struct {
	Kind     string    `json:"kind"`
	Path     string    `json:"path,omitempty"`
	Line     int       `json:"line,omitempty"` // 1-based
	Sharding *Sharding `json:"sharding,omitempty"`
	InSpecs  []any     `json:"inSpecs,omitempty"`
	OutSpecs []any     `json:"outSpecs,omitempty"`
}

// Read reads the manifest of the capture in dir. The error wraps fs.ErrNotExist if there is none.
func Read(dir string) (*Manifest, error) {
	name := filepath.Join(dir, ManifestName)
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	m, err := Parse(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

// Parse decodes a manifest. Paths that would lead out of its folder are an error: a manifest may come from anywhere.
func Parse(b []byte) (*Manifest, error) {
	m := new(Manifest)
	if err := json.Unmarshal(b, m); err != nil {
		return nil, fmt.Errorf("not a capture manifest: %w", err)
	}
	if m.Version != ManifestVersion {
		return nil, fmt.Errorf("capture manifest has version %d, want %d", m.Version, ManifestVersion)
	}
	for _, s := range m.Sources {
		if err := inside(s.Snapshot); err != nil {
			return nil, err
		}
	}
	for _, module := range m.Modules {
		for _, f := range module.Files {
			if err := inside(f.Path); err != nil {
				return nil, err
			}
		}
		if module.Log != "" {
			if err := inside(module.Log); err != nil {
				return nil, err
			}
		}
	}
	return m, nil
}

func inside(name string) error {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return fmt.Errorf("capture manifest names %q, which is not inside its folder", name)
	}
	return nil
}

// Entries are the names of what the capture consists of, in its folder.
func (m *Manifest) Entries() []string {
	names := map[string]bool{ManifestName: true}
	add := func(rel string) {
		if first, _, _ := strings.Cut(path.Clean(rel), "/"); rel != "" && first != "." {
			names[first] = true
		}
	}
	for _, s := range m.Sources {
		add(s.Snapshot)
	}
	for _, module := range m.Modules {
		add(module.Log)
		for _, f := range module.Files {
			add(f.Path)
		}
	}
	return slices.Sorted(maps.Keys(names))
}

func (m *Manifest) write(name string) error {
	b, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return fmt.Errorf("encode the manifest: %w", err)
	}
	return os.WriteFile(name, append(b, '\n'), 0o644)
}
