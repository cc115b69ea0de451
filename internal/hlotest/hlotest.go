// Package hlotest gives tests the stored HLO dumps and the answers to them, which were made with XLA's own code
// (testdata/hlo/README.md).
package hlotest

import (
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// Dump is one program compiled with one release of JAX for one target.
type Dump struct {
	Set  string // "cpu", "tpu", "gpu", "big", or "jax-0.6.2" for older releases on CPU
	Name string // of the program
	dir  string
}

// Dumps returns all stored dumps. The test stops when there are none.
func Dumps(t testing.TB) []Dump {
	t.Helper()
	root := filepath.Join(Root(t), "testdata", "hlo")
	found, err := filepath.Glob(filepath.Join(root, "*", "*", "expected.json.zst"))
	if err != nil || len(found) < 50 {
		t.Fatalf("found %d dumps under %s: %v", len(found), root, err)
	}
	sort.Strings(found)
	dumps := make([]Dump, len(found))
	for k, f := range found {
		dir := filepath.Dir(f)
		dumps[k] = Dump{Set: filepath.Base(filepath.Dir(dir)), Name: filepath.Base(dir), dir: dir}
	}
	return dumps
}

// Root returns the root folder of the module.
func Root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatal("no go.mod above the working directory")
		}
		dir = parent
	}
}

// String returns "set/name".
func (d Dump) String() string { return d.Set + "/" + d.Name }

// Has reports whether the dump has a file of that name.
func (d Dump) Has(name string) bool {
	_, err := os.Stat(filepath.Join(d.dir, name+".zst"))
	return err == nil
}

// File returns a file of the dump, such as "after_spmd.txt". Where the text that JAX prints (as_text.txt) is the same as
// the final dump, only that is stored.
func (d Dump) File(t testing.TB, name string) []byte {
	t.Helper()
	if name == "as_text.txt" && !d.Has(name) {
		name = "after_opt.txt"
	}
	b, err := os.ReadFile(filepath.Join(d.dir, name+".zst"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	out, err := r.DecodeAll(b, nil)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return out
}

// Path returns where a file of the dump is stored, compressed with zstd.
func (d Dump) Path(name string) string { return filepath.Join(d.dir, name+".zst") }

// Expected returns the answers.
func (d Dump) Expected(t testing.TB) *Expected {
	t.Helper()
	e := &Expected{}
	if err := json.Unmarshal(d.File(t, "expected.json"), e); err != nil {
		t.Fatalf("%s: %v", d, err)
	}
	return e
}

// Files returns the names of the dump's texts that the answers speak of, without ".txt".
func (e *Expected) Files() []string {
	var names []string
	for n := range e.Modules {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// Expected is the part of expected.json that tests use.
type Expected struct {
	Program  string            `json:"program"`
	JAX      string            `json:"jax"`
	Devices  int               `json:"devices"`
	Mesh     map[string]int    `json:"mesh"`
	XLANames map[string]string `json:"files"` // stored name to the name XLA gave the file
	Modules  map[string]Module `json:"modules"`
	Truth    json.RawMessage   `json:"truth"`
}

// Module is what XLA read in one module.
type Module struct {
	Module              string         `json:"module"`
	Entry               string         `json:"entry"`
	Computations        int            `json:"computations"`
	Instructions        int            `json:"instructions"`
	Opcodes             map[string]int `json:"opcodes"`
	Parameters          []Parameter    `json:"parameters"`
	Loops               []Loop         `json:"loops"`
	Collectives         []Collective   `json:"collectives"`
	LogicalCollectives  map[string]int `json:"logical_collectives"`
	InstructionsInEntry int            `json:"instructions_in_entry"`
}

// Parameter is an entry parameter.
type Parameter struct {
	Number   int     `json:"number"`
	Name     string  `json:"name"`
	OpName   string  `json:"op_name"`
	Type     []Array `json:"type"`
	Sharding string  `json:"sharding"`
}

// Loop is a while instruction.
type Loop struct {
	While string `json:"while"`
	Trips *int64 `json:"trips"`
}

// Array is one array.
type Array struct {
	DType string  `json:"dtype"`
	Shape []int64 `json:"shape"`
	Bytes int64   `json:"bytes"`
	Param *string `json:"param"`
}

// Frame is one Python frame; the column is 0-based.
type Frame struct {
	File     string `json:"file"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
	Function string `json:"function"`
}

// Wrapper is an instruction around a collective.
type Wrapper struct {
	Kind        string `json:"kind"`
	Computation string `json:"computation"`
	Instruction string `json:"instruction"`
	In          string `json:"in"`
}

// Collective is one collective instruction as XLA read it.
type Collective struct {
	Name         string    `json:"name"`
	Opcode       string    `json:"opcode"`
	Base         string    `json:"base"`
	Computation  string    `json:"computation"`
	Operands     []Array   `json:"operands"`
	Results      []Array   `json:"results"`
	DoneResults  []Array   `json:"done_results"`
	Groups       [][]int   `json:"replica_groups"`
	Pairs        [][2]int  `json:"source_target_pairs"`
	Channel      *int64    `json:"channel_id"`
	OpName       string    `json:"op_name"`
	SourceFile   string    `json:"source_file"`
	SourceLine   int       `json:"source_line"`
	Location     *string   `json:"location"`
	Frames       []Frame   `json:"frames"`
	Executions   *int64    `json:"executions"`
	ReducerDType *string   `json:"reducer_dtype"`
	WrappedIn    []Wrapper `json:"wrapped_in"`
	Async        *bool     `json:"async"`
	Logical      *bool     `json:"logical"`
	Start        string    `json:"start"`
	Axes         []string  `json:"axes"`
}

// Stored returns the names of all stored files of the dump.
func (d Dump) Stored(t testing.TB) []string {
	t.Helper()
	var names []string
	entries, err := fs.ReadDir(os.DirFS(d.dir), ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(path.Base(e.Name()), ".zst"))
	}
	return names
}
