package config

import (
	"fmt"
	"strconv"
	"strings"
)

// Render prints settings as TOML, with every default spelled out. The release is the one in force.
func (r *Resolved) Render(release string) string {
	var b strings.Builder
	line := func(key, value string) { fmt.Fprintf(&b, "%s = %s\n", key, value) }
	line("select", tomlStrings(r.Select))
	line("extend-select", tomlStrings(r.ExtendSelect))
	line("ignore", tomlStrings(r.Ignore))
	for _, f := range r.flags {
		if f.Select != nil || f.Ignore != nil || f.ExtendSelect != nil {
			fmt.Fprintf(&b, "# refined by flags: --select %s --extend-select %s --ignore %s\n",
				strings.Join(f.Select, ","), strings.Join(f.ExtendSelect, ","), strings.Join(f.Ignore, ","))
		}
	}
	line("exclude", tomlStrings(r.Exclude))
	line("extend-exclude", tomlStrings(r.ExtendExclude))
	line("src", tomlStrings(r.Src))
	line("target-jax", strconv.Quote(release))
	r.renderTables(&b, line)
	return b.String()
}

func (r *Resolved) renderTables(b *strings.Builder, line func(key, value string)) {
	table := func(name string, rows int) {
		if rows > 0 {
			fmt.Fprintf(b, "\n[%s]\n", name)
		}
	}
	table("hlo", 1)
	line("dumps", tomlStrings(r.HLO.Dumps))
	line("log", tomlStrings(r.HLO.Logs))
	line("min-bytes", strconv.FormatInt(*r.HLO.MinBytes, 10))
	line("min-unsharded-bytes", strconv.FormatInt(*r.HLO.MinUnshardedBytes, 10))
	if r.HLO.MaxAge > 0 {
		line("max-age", strconv.Quote(r.HLO.MaxAge.String()))
	}
	if r.HLO.Profile != "" {
		line("profile", strconv.Quote(r.HLO.Profile))
	}
	table("hlo.path-map", len(r.HLO.PathMap))
	for _, m := range r.HLO.PathMap {
		line(strconv.Quote(m.From), strconv.Quote(m.To))
	}
	table("per-file-ignores", len(r.PerFileIgnores))
	for _, p := range r.PerFileIgnores {
		line(strconv.Quote(p.Pattern), tomlStrings(p.Codes))
	}
	table("severity", len(r.Severity))
	for _, s := range r.Severity {
		line(s.Prefix, strconv.Quote(s.Severity.String()))
	}
	for _, m := range r.Mesh {
		table("mesh."+strconv.Quote(m.Name), 1)
		for _, a := range m.Axes {
			line(strconv.Quote(a.Name), strconv.Itoa(a.Size))
		}
	}
	table("logical-axis-rules", len(r.LogicalAxisRules))
	for _, l := range r.LogicalAxisRules {
		line(strconv.Quote(l.Name), tomlStrings(l.Axes))
	}
	if r.Hardware != (Hardware{}) {
		table("hardware", 1)
		if r.Hardware.Name != "" {
			line("name", strconv.Quote(r.Hardware.Name))
		}
		if r.Hardware.ICIGBps > 0 {
			line("ici-gbps", strconv.FormatFloat(r.Hardware.ICIGBps, 'g', -1, 64))
		}
		if r.Hardware.DCNGBps > 0 {
			line("dcn-gbps", strconv.FormatFloat(r.Hardware.DCNGBps, 'g', -1, 64))
		}
	}
	r.renderBudget(table, line)
}

func (r *Resolved) renderBudget(table func(name string, rows int), line func(key, value string)) {
	table("budget", 1)
	line("low-precision-gradients", strconv.FormatBool(*r.Budget.LowPrecisionGradients))
	line("no-implicit-collectives", tomlStrings(r.Budget.NoImplicitCollectives))
	table("budget.bytes-per-step", len(r.Budget.BytesPerStep))
	for _, a := range r.Budget.BytesPerStep {
		line(strconv.Quote(a.Axis), strconv.FormatInt(a.Bytes, 10))
	}
}
