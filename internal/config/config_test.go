package config

import (
	"encoding/json"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/shardls/shardls/analyzers"
)

func rule(code string, s analyzers.Severity) *analyzers.Analyzer {
	return &analyzers.Analyzer{Code: code, Severity: s}
}

func registry() []*analyzers.Analyzer {
	return []*analyzers.Analyzer{
		rule("SHD101", analyzers.Error), rule("SHD102", analyzers.Error), rule("SHD201", analyzers.Warning), rule("SHD206", analyzers.Info),
	}
}

func TestParseReadsEverySetting(t *testing.T) {
	c, warnings, err := Parse("pyproject.toml", []byte(`
[project]
name = "x"

[tool.shardls]
select = ["SHD1"]
extend-select = ["SHD2"]
ignore = ["SHD206"]
exclude = ["a"]
extend-exclude = ["b"]
src = ["lib"]
target-jax = "0.6"

[tool.shardls.per-file-ignores]
"tests/**" = ["SHD1"]
"!src/**" = []

[tool.shardls.severity]
SHD2 = "error"

[tool.shardls.hlo]
dumps = ["d/*.txt"]
log = "train.log"
min-bytes = 1_000
min-unsharded-bytes = 0
max-age = "7d"
path-map = { "/workspace" = ".", "/other" = "lib" }

[tool.shardls.mesh.default]
model = 4
data = 2

[tool.shardls.logical-axis-rules]
batch = "data"
embed = ["fsdp", "model"]
head = ""

[tool.shardls.hardware]
name = "tpu-v5p"
ici-gbps = 90
dcn-gbps = 12.5
`))
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	min, zero := int64(1000), int64(0)
	want := &Config{
		Path: "pyproject.toml", Select: []string{"SHD1"}, ExtendSelect: []string{"SHD2"}, Ignore: []string{"SHD206"},
		Exclude: []string{"a"}, ExtendExclude: []string{"b"}, Src: []string{"lib"}, TargetJAX: "0.6",
		PerFileIgnores: []PerFileIgnore{{"tests/**", []string{"SHD1"}}, {"!src/**", []string{}}},
		Severity:       []SeverityOverride{{"SHD2", analyzers.Error}},
		HLO: HLO{
			Dumps: []string{"d/*.txt"}, Logs: []string{"train.log"}, MinBytes: &min, MinUnshardedBytes: &zero, MaxAge: 7 * 24 * time.Hour,
			PathMap: []PathMapping{{"/workspace", "."}, {"/other", "lib"}},
		},
		// The order of axes is that of the file: it is the order of devices.
		Mesh:             []Mesh{{"default", []MeshAxis{{"model", 4}, {"data", 2}}}},
		LogicalAxisRules: []LogicalAxisRule{{"batch", []string{"data"}}, {"embed", []string{"fsdp", "model"}}, {"head", []string{}}},
		Hardware:         Hardware{Name: "tpu-v5p", ICIGBps: 90, DCNGBps: 12.5},
	}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("Parse = %+v\nwant %+v", c, want)
	}
}

func TestParseWhereTheTableIs(t *testing.T) {
	tests := []struct {
		name, file, text string
		want             bool
	}{
		{"pyproject without a table", "pyproject.toml", "[tool.ruff]\nselect = [\"E\"]", false},
		{"pyproject with one", "a/pyproject.toml", "[tool.shardls]\nselect = []", true},
		{"pyproject with a table further in", "pyproject.toml", "[tool.shardls.hlo]\nmin-bytes = 1", true},
		{"own file", "shardls.toml", "select = []", true},
		{"own file with the long name", "shardls.toml", "[tool.shardls]\nselect = []", true},
		{"empty own file", ".shardls.toml", "", true},
		{"byte order mark", "shardls.toml", "\ufeffselect = []", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, warnings, err := Parse(tt.file, []byte(tt.text))
			if err != nil || len(warnings) > 0 || (c != nil) != tt.want {
				t.Errorf("Parse = %v, %v, %v; want a configuration: %v", c, warnings, err, tt.want)
			}
		})
	}
}

func TestParseErrorsNameTheLine(t *testing.T) {
	tests := []struct{ text, want string }{
		{"select = 1", "shardls.toml:1: select: want an array of strings, got an integer"},
		{"\nselect = [\"a\", 1]", "shardls.toml:2: select: want an array of strings, got an integer in it"},
		{"[hlo]\nmin-bytes = \"1\"", "shardls.toml:2: hlo.min-bytes: want an integer, got a string"},
		{"[hlo]\nmin-bytes = -1", "shardls.toml:2: hlo.min-bytes: want a number of bytes, got -1"},
		{"hlo.max-age = \"soon\"", "shardls.toml:1: hlo.max-age: want a duration such as \"12h\" or \"7d\", got \"soon\""},
		{"hlo = 1", "shardls.toml:1: hlo: want a table, got an integer"},
		{"target-jax = \"latest\"", "shardls.toml:1: target-jax: want a release such as \"0.10.2\", got \"latest\""},
		{"mesh = { data = 0 }", "shardls.toml:1: mesh: want a number of devices for axis \"data\", got 0"},
		{"mesh = { a = { data = \"x\" } }", "shardls.toml:1: mesh: want an integer, got a string"},
		{"severity = { SHD1 = \"fatal\" }", "shardls.toml:1: severity: want error, warning, info or off, got \"fatal\""},
		{"hardware = { ici-gbps = true }", "shardls.toml:1: hardware.ici-gbps: want a number, got a boolean"},
		{"hardware = { ici-gbps = 0 }", "shardls.toml:1: hardware.ici-gbps: want a positive number, got 0"},
		{"logical-axis-rules = { a = 1 }", "shardls.toml:1: logical-axis-rules: want a string or an array of strings, got an integer"},
		{"per-file-ignores = []", "shardls.toml:1: per-file-ignores: want a table from patterns to arrays of codes, got an array"},
		{"src = 1979-05-27", "shardls.toml:1: src: want an array of strings, got a date or time"},
		{"exclude = [\"a\", \"[\"]", "shardls.toml:1: exclude: want a pattern of paths, got \"[\""},
		{"per-file-ignores = { \"!{\" = [] }", "shardls.toml:1: per-file-ignores: want a pattern of paths, got \"!{\""},
		{"budget.no-implicit-collectives = [\"[\"]", "shardls.toml:1: budget.no-implicit-collectives: want a pattern of paths, got \"[\""},
		{"target-jax = \"0.99999999999999999999\"", "shardls.toml:1: target-jax: want a release"},
		{"[tool]\nshardls = 1", "shardls.toml:2: tool.shardls: want a table, got an integer"},
		{"[[tool.shardls]]\nignore = []", "shardls.toml:1: tool.shardls: want a table, got an array"},
		{"a = 1\na = 2", "shardls.toml:2: "},
		{"a = ", "shardls.toml:1: "},
	}
	for _, tt := range tests {
		_, _, err := Parse("shardls.toml", []byte(tt.text))
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("Parse(%q) = %v, want %s", tt.text, err, tt.want)
		}
	}
}

func TestUnknownSettings(t *testing.T) {
	_, warnings, err := Parse("shardls.toml", []byte("\nselct = []\n[hlo]\nmax_age = 1\nnonsense-of-another-kind = 1\n[[extra]]\nx = 1"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"shardls.toml:2: unknown setting selct; did you mean select?",
		"shardls.toml:4: unknown setting hlo.max_age; did you mean hlo.max-age?",
		"shardls.toml:5: unknown setting hlo.nonsense-of-another-kind",
		"shardls.toml:6: unknown setting extra",
	}
	var got []string
	for _, w := range warnings {
		got = append(got, w.String())
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("warnings = %q\nwant %q", got, want)
	}
}

func TestRules(t *testing.T) {
	tests := []struct {
		name   string
		layers []*Config
		path   string
		want   string
	}{
		{"defaults", nil, "a.py", "SHD101 SHD102 SHD201 SHD206"},
		{"a family", []*Config{{Select: []string{"SHD1"}}}, "a.py", "SHD101 SHD102"},
		{"the longest prefix decides", []*Config{{Select: []string{"SHD101"}, Ignore: []string{"SHD1"}}}, "a.py", "SHD101"},
		{"ignore wins a tie", []*Config{{Select: []string{"SHD1"}, Ignore: []string{"SHD1"}}}, "a.py", ""},
		{"all", []*Config{{Select: []string{"ALL"}, Ignore: []string{"SHD2"}}}, "a.py", "SHD101 SHD102"},
		{"inline settings replace", []*Config{{Ignore: []string{"SHD1"}}, {Ignore: []string{"SHD2"}}}, "a.py", "SHD101 SHD102"},
		{"flags refine", []*Config{{Ignore: []string{"SHD1"}}, {Flags: true, Ignore: []string{"SHD206"}}}, "a.py", "SHD201"},
		{"a flag starts afresh", []*Config{{Ignore: []string{"SHD1"}}, {Flags: true, Select: []string{"SHD1"}}}, "a.py", "SHD101 SHD102"},
		{"a flag adds", []*Config{{Select: []string{"SHD2"}}, {Flags: true, ExtendSelect: []string{"SHD101"}}}, "a.py", "SHD101 SHD201 SHD206"},
		{"off", []*Config{{Severity: []SeverityOverride{{"SHD2", analyzers.Off}, {"SHD206", analyzers.Info}}}}, "a.py", "SHD101 SHD102 SHD206"},
		{"per file", []*Config{{PerFileIgnores: []PerFileIgnore{{"tests/*", []string{"SHD1"}}}}}, "tests/deep/a.py", "SHD201 SHD206"},
		{"per file, another file", []*Config{{PerFileIgnores: []PerFileIgnore{{"tests/*", []string{"SHD1"}}}}}, "a.py", "SHD101 SHD102 SHD201 SHD206"},
		{"per file, negated", []*Config{{PerFileIgnores: []PerFileIgnore{{"!tests/*", []string{"SHD1"}}}}}, "a.py", "SHD201 SHD206"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			on := Resolve(tt.layers...).Rules(tt.path, registry())
			var got []string
			for _, a := range registry() {
				if _, ok := on[a.Code]; ok {
					got = append(got, a.Code)
				}
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("rules = %v, want %s", got, tt.want)
			}
		})
	}
}

func TestMatchPath(t *testing.T) {
	tests := []struct {
		pattern, path string
		want          bool
	}{
		{"build", "build", true}, {"build", "src/build/x.py", true}, {"build", "builder.py", false}, {"*.py", "a/b.py", true},
		{"tests/*", "tests/a/b.py", true}, {"tests/*", "src/tests/a.py", false}, {"/tests", "tests/a.py", true}, {"./a/", "a/b.py", true},
		{"a/**/c.py", "a/b/b/c.py", true}, {"a/**/c.py", "a/c.py", true}, {"[", "[", false}, {"x", "../x", true}, {"{a,b}.py", "b.py", true},
	}
	for _, tt := range tests {
		if got := MatchPath(tt.pattern, tt.path); got != tt.want {
			t.Errorf("MatchPath(%q, %q) = %v", tt.pattern, tt.path, got)
		}
	}
}

func TestJAXRelease(t *testing.T) {
	lock := "version = 1\n\n[[package]]\nname = \"jax\"\nversion = \"0.6.2\"\nsource = {}\n\n[[package]]\nname = \"jaxlib\"\nversion = \"0.6.1\"\n"
	tests := []struct{ file, content, want string }{
		{"uv.lock", lock, "0.6.2"},
		{"poetry.lock", strings.ReplaceAll(lock, "\n", "\r\n"), "0.6.2"},
		{"pdm.lock", "[[package]]\nname = \"jaxlib\"\nversion = \"0.6.1\"\n", ""},
		{"requirements.txt", "numpy\njax[tpu]==0.4.35  # pinned\n", "0.4.35"},
		{"requirements.txt", "jaxlib==0.4.34\nflax==0.8\n", ""},
		{"requirements.txt", "# jax==0.4.1\njax>=0.6,<0.7\n", "0.6"},
		{"requirements.txt", "jax ~= 0.5.3\n", "0.5.3"},
		{"requirements.txt", "jax>=0.4.30\n", ""},
		{"requirements.txt", "jax!=0.4.30\n", ""},
		{"requirements.txt", "my-jax==1.0\ndm-haiku==0.1\n", ""},
		{"requirements.txt", "jax==0.4.35.dev20240101\n", "0.4.35"},
		{"pyproject.toml", "[project]\ndependencies = [\"numpy\", \"jax[cuda12]>=0.8.1, <0.9\"]\n", "0.8.1"},
		{"pyproject.toml", "[tool.poetry.dependencies]\njax = \"^0.4.30\"\n", "0.4.30"},
		{"environment.yml", "dependencies:\n  - jax=0.4.35\n  - pip:\n    - flax\n", "0.4.35"},
		{"requirements.txt", "", ""},
	}
	for _, tt := range tests {
		if got := JAXRelease(tt.file, []byte(tt.content)); got != tt.want {
			t.Errorf("JAXRelease(%s, %q) = %q, want %q", tt.file, tt.content, got, tt.want)
		}
	}
}

var settingLine = regexp.MustCompile(`^(\[|[a-z-]+ = )`)

// TestExamplesAreValid reads back what the reference, the template and the printed settings show.
func TestExamplesAreValid(t *testing.T) {
	page := Markdown()
	_, example, _ := strings.Cut(page, "```toml\n")
	example, _, _ = strings.Cut(example, "```")
	template := strings.ReplaceAll(Template(), "\n# ", "\n") // what a person does who wants a setting
	kept := strings.Split(template, "\n")
	for i, line := range kept {
		if !settingLine.MatchString(line) {
			kept[i] = "# " + line
		}
	}
	rendered := Resolve(&Config{Mesh: []Mesh{{"m", []MeshAxis{{"a", 2}}}}, Hardware: Hardware{Name: "x", ICIGBps: 1.5}}).Render("0.10.2")
	for name, text := range map[string]string{"reference": example, "template": strings.Join(kept, "\n"), "rendered": rendered} {
		c, warnings, err := Parse("shardls.toml", []byte(text))
		if err != nil || len(warnings) > 0 || c.TargetJAX != "0.10.2" {
			t.Errorf("the %s is not valid: %v, %v\n%s", name, err, warnings, text)
		}
	}
}

func TestSchemaHasEverySetting(t *testing.T) {
	out, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(out, &schema); err != nil {
		t.Fatal(err)
	}
	each("", settings(), func(name string, _ setting) {
		node := schema
		for _, part := range strings.Split(name, ".") {
			properties, _ := node["properties"].(map[string]any)
			node, _ = properties[part].(map[string]any)
		}
		if node["description"] == nil {
			t.Errorf("the schema lacks %s", name)
		}
	})
}

func TestNearest(t *testing.T) {
	names := []string{"select", "ignore", "extend-select"}
	tests := []struct{ name, want string }{{"selct", "select"}, {"Ignore", "ignore"}, {"extendselect", "extend-select"}, {"mesh", ""}, {"", ""}}
	for _, tt := range tests {
		if got := Nearest(tt.name, names); got != tt.want {
			t.Errorf("Nearest(%q) = %q, want %q", tt.name, got, tt.want)
		}
	}
	if got := Nearest("SHD699", []string{"SHD109", "SHD601", "SHD602"}); got != "SHD601" {
		t.Errorf("of several as near, got %s, want the first that begins most alike", got)
	}
}
