package capture

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
)

// notes is what one process wrote down: shim/sitecustomize.py, Recorder.record.
type notes struct {
	Python   string       `json:"python"`
	JAX      string       `json:"jax"`
	JAXLib   string       `json:"jaxlib"`
	Problems []string     `json:"problems"`
	Sources  []Source     `json:"sources"`
	Modules  []noteModule `json:"modules"`
	Single   int          `json:"single"`
	Hooked   bool         `json:"hooked"`
}

type noteModule struct {
	Module
	Folder string `json:"folder"`
}

// collect joins the notes of all processes into one manifest and deletes what it does not name.
func (r *Result) collect(o Options, dir string) error {
	m := &Manifest{
		Version: ManifestVersion, Command: o.Command, Directory: o.Dir, Status: &r.Status,
		Problems: []string{}, Sources: []Source{}, Modules: []Module{},
	}
	if o.Target != nil {
		m.Target = o.Target.Name
	}
	r.Manifest = m
	all, err := readNotes(filepath.Join(dir, processesFolder))
	if err != nil {
		return err
	}
	sources := map[Source]bool{}
	var modules []noteModule
	for _, n := range all {
		m.Python, m.JAX, m.JAXLib = n.Python, n.JAX, n.JAXLib
		r.Single += n.Single
		r.Hooked = r.Hooked || n.Hooked
		m.Problems = append(m.Problems, n.Problems...)
		modules = append(modules, n.Modules...)
		for _, s := range n.Sources {
			if !sources[s] {
				sources[s] = true
				m.Sources = append(m.Sources, s)
			}
		}
	}
	sort.SliceStable(modules, func(i, j int) bool { return modules[i].Folder < modules[j].Folder })
	for _, module := range modules {
		if len(module.Files) == 0 { // the process ended inside the compiler, or was killed
			module.Files = findDumps(dir, module.Folder)
			printLog(filepath.Join(dir, filepath.FromSlash(module.Folder), logName), o.Stderr)
			module.Problems = append(module.Problems, "the compilation did not end")
		}
		if len(module.Files) > 0 {
			m.Modules = append(m.Modules, module.Module)
		}
	}
	m.Modules = append(m.Modules, rawModules(dir)...)
	return r.tidy(dir)
}

// readNotes reads the notes of every process in the order of their numbers. A file that is cut short is left out: the
// shim replaces files whole, so there is none unless the disk is full.
func readNotes(dir string) ([]notes, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	sort.Slice(names, func(i, j int) bool {
		return len(names[i]) < len(names[j]) || len(names[i]) == len(names[j]) && names[i] < names[j]
	})
	var all []notes
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		var n notes
		if err := json.Unmarshal(b, &n); err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Base(name), err)
		}
		all = append(all, n)
	}
	return all, nil
}

// stageOf mirrors stage_of of the shim.
func stageOf(name string) string {
	switch {
	case strings.HasSuffix(name, "before_optimizations.txt"):
		return "before-optimizations"
	case strings.HasSuffix(name, "after_optimizations.txt"):
		return "after-optimizations"
	case strings.Contains(name, "spmd-partitioning.before_"), strings.HasSuffix(name, "after_spmd_partitioner.txt"):
		return "after-partitioning"
	}
	return ""
}

func findDumps(dir, folder string) []File {
	if folder == "" || !filepath.IsLocal(folder) {
		return nil
	}
	entries, err := os.ReadDir(filepath.Join(dir, folder))
	if err != nil {
		return nil
	}
	var files []File
	for _, e := range entries {
		if stage := stageOf(e.Name()); stage != "" && e.Type().IsRegular() {
			files = append(files, File{Path: path.Join(folder, e.Name()), Stage: stage, Platform: platformOf(e.Name())})
		}
	}
	return files
}

// printLog prints what the compiler said before it took the process down with it.
func printLog(name string, w io.Writer) {
	f, err := os.Open(name)
	if err != nil {
		return // it said nothing
	}
	defer f.Close()
	_, _ = io.Copy(w, f)
}

func platformOf(name string) string {
	if strings.Contains(name, "gpu_after") || strings.HasSuffix(name, "after_spmd_partitioner.txt") {
		return "cuda"
	}
	return "cpu"
}

var (
	dumpName   = regexp.MustCompile(`^(?:\d+\.)?(module_\d+)\.([\w.-]+?)\.(?:\d{4}\.|before_optimizations|cpu_after|sm_|gfx|after_)`)
	partitions = regexp.MustCompile(`num_partitions=(\d+)`)
	replicas   = regexp.MustCompile(`replica_count=(\d+)`)
)

// rawModules describes what XLA dumped by itself, where the shim could not hook in: only names and device counts.
func rawModules(dir string) []Module {
	byModule := map[string]*Module{}
	var order []string
	for _, f := range findDumps(dir, rawFolder) {
		match := dumpName.FindStringSubmatch(path.Base(f.Path))
		if match == nil {
			continue
		}
		m := byModule[match[1]]
		if m == nil {
			m = &Module{Name: match[2], Devices: devicesOf(filepath.Join(dir, filepath.FromSlash(f.Path)))}
			byModule[match[1]] = m
			order = append(order, match[1])
		}
		m.Files = append(m.Files, f)
	}
	var all []Module
	for _, id := range order {
		if byModule[id].Devices > 1 {
			all = append(all, *byModule[id])
		}
	}
	return all
}

// devicesOf reads partitions times replicas from the first line of an HLO text; 1 where it says nothing.
func devicesOf(name string) int {
	f, err := os.Open(name)
	if err != nil {
		return 0
	}
	defer f.Close()
	head := make([]byte, 1<<16)
	n, _ := f.Read(head) // what could be read is enough
	line, _, _ := strings.Cut(string(head[:n]), "\n")
	count := 1
	for _, field := range []*regexp.Regexp{partitions, replicas} {
		if match := field.FindStringSubmatch(line); match != nil {
			if k, err := strconv.Atoi(match[1]); err == nil {
				count *= k
			}
		}
	}
	return count
}

// tidy deletes every file that the manifest does not name, and empty folders.
func (r *Result) tidy(dir string) error {
	named := map[string]bool{}
	for _, s := range r.Manifest.Sources {
		named[s.Snapshot] = true
	}
	for _, m := range r.Manifest.Modules {
		for _, f := range m.Files {
			named[f.Path] = true
		}
		named[m.Log] = true
	}
	var folders []string
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			folders = append(folders, name)
			return nil
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		if named[filepath.ToSlash(rel)] {
			return nil
		}
		return os.Remove(name)
	})
	if err != nil {
		return err
	}
	for i := len(folders) - 1; i > 0; i-- { // inner ones first; the folder itself stays
		if err := os.Remove(folders[i]); err != nil && !errors.Is(err, fs.ErrExist) && !notEmpty(folders[i]) {
			return err
		}
	}
	return nil
}

func notEmpty(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && len(entries) > 0
}
