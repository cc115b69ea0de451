package config

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/shardls/shardls/analyzers"
)

// kind is the type of a setting.
type kind uint8

const (
	stringKind kind = iota
	integerKind
	numberKind
	stringsKind  // an array of strings
	tableKind    // a table with fixed keys
	codesMap     // a table from patterns to arrays of rule codes
	stringMap    // a table from strings to strings
	meshMap      // a table from mesh names to tables from axis names to sizes
	axesMap      // a table from logical names to an axis name or an array of them
	severityMap  // a table from code prefixes to severities
	durationKind // a string such as "7d" or "12h"
	bytesMap     // a table from axis names to numbers of bytes
	booleanKind
)

// setting is one key of a table: the single source of what is read, of the JSON schema and of the documentation.
type setting struct {
	name    string
	kind    kind
	def     string // the default, as TOML
	doc     string
	example string // as TOML
	keys    []setting
	set     func(*Config, *node) error
}

// settings is the table of every key below [tool.shardls].
func settings() []setting {
	return []setting{
		{name: "select", kind: stringsKind, def: `["SHD"]`, example: `["SHD1", "SHD601"]`,
			doc: "Rules to run: codes or prefixes of codes. The longest prefix that matches a rule decides, so `select = [\"SHD101\"]` with `ignore = [\"SHD1\"]` runs SHD101.",
			set: stringsInto(func(c *Config) *[]string { return &c.Select })},
		{name: "extend-select", kind: stringsKind, def: `[]`, example: `["SHD7"]`,
			doc: "Rules to run in addition to `select`.",
			set: stringsInto(func(c *Config) *[]string { return &c.ExtendSelect })},
		{name: "ignore", kind: stringsKind, def: `[]`, example: `["SHD206"]`,
			doc: "Rules not to run.",
			set: stringsInto(func(c *Config) *[]string { return &c.Ignore })},
		{name: "per-file-ignores", kind: codesMap, def: `{}`, example: `{ "tests/**" = ["SHD3"] }`,
			doc: "Rules not to run on the files that a pattern matches. A leading `!` turns the pattern round.",
			set: setPerFileIgnores},
		{name: "severity", kind: severityMap, def: `{}`, example: `{ SHD601 = "error", SHD2 = "info" }`,
			doc: "The severity of rules, by code or prefix: `error`, `warning`, `info` or `off`.",
			set: setSeverity},
		{name: "exclude", kind: stringsKind, def: tomlStrings(defaultExclude()), example: `["third_party"]`,
			doc: "Files and directories that are not looked at. A pattern without a slash matches a name anywhere; others start at the configuration file.",
			set: patternsInto(func(c *Config) *[]string { return &c.Exclude })},
		{name: "extend-exclude", kind: stringsKind, def: `[]`, example: `["third_party"]`,
			doc: "More of `exclude`.",
			set: patternsInto(func(c *Config) *[]string { return &c.ExtendExclude })},
		{name: "src", kind: stringsKind, def: `[".", "src"]`, example: `["src", "lib"]`,
			doc: "Directories that imports start from, relative to the configuration file.",
			set: stringsInto(func(c *Config) *[]string { return &c.Src })},
		{name: "target-jax", kind: stringKind, def: `the release in a lock or requirements file, else the newest known`, example: `"0.10.2"`,
			doc: "The JAX release that the code runs on. Findings that depend on the release name it.",
			set: setTargetJAX},
		{name: "hlo", kind: tableKind, doc: "Where the HLO dumps are and which communication matters.", keys: hloSettings()},
		{name: "mesh", kind: meshMap, def: `{}`, example: `{ default = { data = 8, model = 4 } }`,
			doc: "Meshes that name the axes in dumps that do not name them: for each label, the axes in row-major order and their sizes in devices. A mesh counts for modules of as many devices.",
			set: setMesh},
		{name: "logical-axis-rules", kind: axesMap, def: `{}`, example: `{ batch = "data", embed = ["fsdp", "tensor"], head = [] }`,
			doc: "What logical axis names stand for: a mesh axis, an array of them, or none.",
			set: setLogicalAxisRules},
		{name: "hardware", kind: tableKind, doc: "The accelerator that costs are estimated for.", keys: hardwareSettings()},
		{name: "budget", kind: tableKind, doc: "How much communication a step may have. What goes beyond is reported as SHD006, an error.", keys: budgetSettings()},
	}
}

func budgetSettings() []setting {
	return []setting{
		{name: "bytes-per-step", kind: bytesMap, def: `no limit`, example: `{ data = 67108864, "*" = 268435456 }`,
			doc: "Bytes that one device may move over a mesh axis in one step of a module, by axis; `*` stands for all exchanges together.",
			set: setBytesPerStep},
		{name: "low-precision-gradients", kind: booleanKind, def: `true`, example: `false`,
			doc: "Whether gradients may be summed over devices in 16 bits or less.",
			set: func(c *Config, n *node) error {
				b, ok := n.value.(bool)
				if !ok {
					return n.want("a boolean")
				}
				c.Budget.LowPrecisionGradients = &b
				return nil
			}},
		{name: "no-implicit-collectives", kind: stringsKind, def: `[]`, example: `["layers/**"]`,
			doc: "Files in which every exchange between devices has to be written in the source; the partitioner may add none there.",
			set: patternsInto(func(c *Config) *[]string { return &c.Budget.NoImplicitCollectives })},
	}
}

func setBytesPerStep(c *Config, n *node) error {
	c.Budget.BytesPerStep = []AxisBytes{}
	return n.each("a table from axis names to numbers of bytes", func(key string, v *node) error {
		i, ok := v.value.(int64)
		if !ok {
			return v.want("an integer")
		}
		if i < 0 {
			return v.errorf("want a number of bytes for axis %q, got %d", key, i)
		}
		c.Budget.BytesPerStep = append(c.Budget.BytesPerStep, AxisBytes{Axis: key, Bytes: i})
		return nil
	})
}

func hloSettings() []setting {
	return []setting{
		{name: "dumps", kind: stringsKind, def: `[]`, example: `["dumps/**/*.txt"]`,
			doc: "Globs, files or directories of HLO dumps, relative to the configuration file.",
			set: stringsInto(func(c *Config) *[]string { return &c.HLO.Dumps })},
		{name: "log", kind: stringsKind, def: `[]`, example: `["train.log"]`,
			doc: "Logs of the compiler; the partitioner's warnings in them become findings.",
			set: setLogs},
		{name: "min-bytes", kind: integerKind, def: `1048576`, example: `0`,
			doc: "Communication below this many bytes per step raises no SHD4 or SHD5 finding.",
			set: bytesInto(func(c *Config) **int64 { return &c.HLO.MinBytes })},
		{name: "min-unsharded-bytes", kind: integerKind, def: `67108864`, example: `0`,
			doc: "Arrays below this many bytes raise no finding about size without communication.",
			set: bytesInto(func(c *Config) **int64 { return &c.HLO.MinUnshardedBytes })},
		{name: "path-map", kind: stringMap, def: `{}`, example: `{ "/workspace" = "." }`,
			doc: "Prefixes of paths in dumps and what they are here, relative to the configuration file.",
			set: setPathMap},
		{name: "profile", kind: stringKind, def: `none`, example: `"plugins/profile/run1"`,
			doc: "A profile whose measured times are shown beside the estimates: a `*.xplane.pb`, a `*.trace.json(.gz)`, or a folder that holds one.",
			set: func(c *Config, n *node) (err error) { c.HLO.Profile, err = n.asString(); return err }},
		{name: "max-age", kind: durationKind, def: `no limit`, example: `"7d"`,
			doc: "Dumps older than this are reported as old (SHD003).",
			set: setMaxAge},
	}
}

func hardwareSettings() []setting {
	return []setting{
		{name: "name", kind: stringKind, def: `chosen by the dump`, example: `"tpu-v5p"`,
			doc: "The accelerator.",
			set: func(c *Config, n *node) (err error) { c.Hardware.Name, err = n.asString(); return err }},
		{name: "ici-gbps", kind: numberKind, def: `the accelerator's`, example: `90`,
			doc: "Gigabytes per second and direction of one link inside a slice or host.",
			set: func(c *Config, n *node) (err error) { c.Hardware.ICIGBps, err = n.asRate(); return err }},
		{name: "dcn-gbps", kind: numberKind, def: `the accelerator's`, example: `25`,
			doc: "Gigabytes per second and direction between slices or hosts.",
			set: func(c *Config, n *node) (err error) { c.Hardware.DCNGBps, err = n.asRate(); return err }},
	}
}

func stringsInto(field func(*Config) *[]string) func(*Config, *node) error {
	return func(c *Config, n *node) (err error) {
		*field(c), err = n.asStrings()
		return err
	}
}

// patternsInto takes patterns of paths.
func patternsInto(field func(*Config) *[]string) func(*Config, *node) error {
	return func(c *Config, n *node) (err error) {
		if *field(c), err = n.asStrings(); err != nil {
			return err
		}
		if err := CheckPatterns(*field(c)...); err != nil {
			return n.errorf("%v", err)
		}
		return nil
	}
}

func bytesInto(field func(*Config) **int64) func(*Config, *node) error {
	return func(c *Config, n *node) error {
		i, ok := n.value.(int64)
		if !ok {
			return n.want("an integer")
		}
		if i < 0 {
			return n.errorf("want a number of bytes, got %d", i)
		}
		*field(c) = &i
		return nil
	}
}

func setLogs(c *Config, n *node) (err error) {
	if s, ok := n.value.(string); ok {
		c.HLO.Logs = []string{s}
		return nil
	}
	c.HLO.Logs, err = n.asStrings()
	return err
}

func setPerFileIgnores(c *Config, n *node) error {
	return n.each("a table from patterns to arrays of codes", func(key string, v *node) error {
		if err := CheckPatterns(key); err != nil {
			return v.errorf("%v", err)
		}
		codes, err := v.asStrings()
		c.PerFileIgnores = append(c.PerFileIgnores, PerFileIgnore{Pattern: key, Codes: codes})
		return err
	})
}

func setSeverity(c *Config, n *node) error {
	return n.each("a table from codes to severities", func(key string, v *node) error {
		name, err := v.asString()
		if err != nil {
			return err
		}
		s, ok := SeverityFromString(name)
		if !ok {
			return v.errorf("want error, warning, info or off, got %q", name)
		}
		c.Severity = append(c.Severity, SeverityOverride{Prefix: key, Severity: s})
		return nil
	})
}

// SeverityFromString reads the name of a severity.
func SeverityFromString(name string) (analyzers.Severity, bool) {
	for _, s := range []analyzers.Severity{analyzers.Off, analyzers.Info, analyzers.Warning, analyzers.Error} {
		if s.String() == name {
			return s, true
		}
	}
	return analyzers.Off, false
}

var releasePattern = regexp.MustCompile(`^\d{1,4}\.\d{1,4}(\.\d{1,4})?$`)

func setTargetJAX(c *Config, n *node) error {
	s, err := n.asString()
	if err != nil {
		return err
	}
	if !releasePattern.MatchString(s) {
		return n.errorf("want a release such as \"0.10.2\", got %q", s)
	}
	c.TargetJAX = s
	return nil
}

func setPathMap(c *Config, n *node) error {
	return n.each("a table from prefixes to directories", func(key string, v *node) error {
		to, err := v.asString()
		c.HLO.PathMap = append(c.HLO.PathMap, PathMapping{From: key, To: to})
		return err
	})
}

func setMaxAge(c *Config, n *node) error {
	s, err := n.asString()
	if err != nil {
		return err
	}
	text, factor := s, time.Duration(1)
	if days, ok := strings.CutSuffix(s, "d"); ok {
		text, factor = days+"h", 24
	}
	age, err := time.ParseDuration(text)
	if err != nil || age < 0 {
		return n.errorf("want a duration such as \"12h\" or \"7d\", got %q", s)
	}
	c.HLO.MaxAge = age * factor
	return nil
}

// setMesh accepts a table of named meshes and, for the common case of one, a table of axes.
func setMesh(c *Config, n *node) error {
	var single Mesh
	err := n.each("a table from mesh names to axes", func(key string, v *node) error {
		if size, ok := v.value.(int64); ok {
			axis, err := meshAxis(key, size, v)
			single.Axes = append(single.Axes, axis)
			return err
		}
		m := Mesh{Name: key}
		err := v.each("a table from axis names to sizes", func(name string, size *node) error {
			i, ok := size.value.(int64)
			if !ok {
				return size.want("an integer")
			}
			axis, err := meshAxis(name, i, size)
			m.Axes = append(m.Axes, axis)
			return err
		})
		c.Mesh = append(c.Mesh, m)
		return err
	})
	if len(single.Axes) > 0 {
		single.Name = "default"
		c.Mesh = append(c.Mesh, single)
	}
	return err
}

func meshAxis(name string, size int64, n *node) (MeshAxis, error) {
	if size < 1 || size > 1<<30 {
		return MeshAxis{}, n.errorf("want a number of devices for axis %q, got %d", name, size)
	}
	return MeshAxis{Name: name, Size: int(size)}, nil
}

func setLogicalAxisRules(c *Config, n *node) error {
	return n.each("a table from logical names to mesh axes", func(key string, v *node) error {
		rule := LogicalAxisRule{Name: key, Axes: []string{}}
		if s, ok := v.value.(string); ok {
			if s != "" {
				rule.Axes = []string{s}
			}
		} else {
			axes, err := v.asStrings()
			if err != nil {
				return v.want("a string or an array of strings")
			}
			rule.Axes = axes
		}
		c.LogicalAxisRules = append(c.LogicalAxisRules, rule)
		return nil
	})
}

func (n *node) asString() (string, error) {
	s, ok := n.value.(string)
	if !ok {
		return "", n.want("a string")
	}
	return s, nil
}

func (n *node) asStrings() ([]string, error) {
	items, ok := n.value.([]*node)
	if !ok {
		return nil, n.want("an array of strings")
	}
	out := make([]string, 0, len(items))
	for _, item := range items {
		s, ok := item.value.(string)
		if !ok {
			return nil, n.errorf("want an array of strings, got %s in it", item.typeName())
		}
		out = append(out, s)
	}
	return out, nil
}

func (n *node) asRate() (float64, error) {
	f, ok := n.value.(float64)
	if i, isInt := n.value.(int64); isInt {
		f, ok = float64(i), true
	}
	if !ok {
		return 0, n.want("a number")
	}
	if f <= 0 {
		return 0, n.errorf("want a positive number, got %v", f)
	}
	return f, nil
}

func (n *node) each(want string, f func(key string, v *node) error) error {
	t, ok := n.value.(*table)
	if !ok {
		return n.want(want)
	}
	for _, key := range t.keys {
		if err := f(key, t.nodes[key]); err != nil {
			return err
		}
	}
	return nil
}

func (n *node) want(what string) error {
	return n.errorf("want %s, got %s", what, n.typeName())
}

func (n *node) errorf(format string, args ...any) error {
	return &Error{Line: n.line, Message: fmt.Sprintf(format, args...)}
}
