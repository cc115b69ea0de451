package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/shardls/shardls/internal/config"
	"github.com/shardls/shardls/internal/output"
	"github.com/shardls/shardls/internal/project"
)

const docs = "../../docs"

// TestDocumentation wants the generated pages to say what the program says. -update writes them.
func TestDocumentation(t *testing.T) {
	pages := map[string]string{
		"cli.md":              commandPages(),
		"configuration.md":    configurationPage(),
		"rules.md":            ruleTable(),
		"shardls.schema.json": schemaPage(t),
		"hlo.md":              hloPage(t),
	}
	for _, a := range project.Rules() {
		pages[filepath.Join("rules", a.Code+".md")] = output.RulePage(a)
	}
	for name, want := range pages {
		path := filepath.Join(docs, name)
		if *update {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil || string(got) != want {
			t.Errorf("docs/%s is out of date; run: go test ./cmd/shardls -run TestDocumentation -update", filepath.ToSlash(name))
		}
	}
	stored, err := filepath.Glob(filepath.Join(docs, "rules", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range stored {
		if pages[filepath.Join("rules", filepath.Base(path))] == "" {
			t.Errorf("%s is the page of no rule", path)
		}
	}
}

// commandPages is the help of every command.
func commandPages() string {
	var b strings.Builder
	b.WriteString("# Command line\n\nGenerated from the help of the commands. A command ends with status 0 if it did what was asked and with 2 if it could not.\n" +
		"Two can end with 1: `check` where there are findings of the severity of --fail-on, or with --diff something to change, and\n" +
		"`diff` where the increase is above --max-increase. `capture` ends with the status of the command that it ran. Results go to\n" +
		"standard output, everything about the run itself to standard error.\n")
	root := newRoot(environment{getenv: func(string) string { return "" }})
	for _, c := range root.Commands() {
		if c.Hidden || c.Name() == "help" {
			continue
		}
		fmt.Fprintf(&b, "\n## shardls %s\n\n%s.\n\n", c.Name(), c.Short)
		if c.Long != "" {
			fmt.Fprintf(&b, "%s\n\n", paragraphs(c.Long))
		}
		fmt.Fprintf(&b, "```\n%s\n```\n", usageLine(c))
		if c.Example != "" {
			fmt.Fprintf(&b, "\nExamples:\n\n```\n%s\n```\n", unindented(c.Example))
		}
		if c.HasAvailableLocalFlags() {
			fmt.Fprintf(&b, "\nFlags:\n\n```\n%s```\n", c.LocalFlags().FlagUsages())
		}
	}
	fmt.Fprintf(&b, "\n## Flags of every command\n\n```\n%s```\n", root.PersistentFlags().FlagUsages())
	return b.String()
}

func usageLine(c *cobra.Command) string { return c.UseLine() }

// unindented removes the indentation that help texts have.
func unindented(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimPrefix(l, "  ")
	}
	return strings.Join(lines, "\n")
}

// paragraphs keeps columns of help texts, which Markdown would join, as code.
func paragraphs(text string) string {
	parts := strings.Split(text, "\n\n")
	for i, p := range parts {
		if strings.Contains(p, "   ") {
			parts[i] = "```\n" + p + "\n```"
		}
	}
	return strings.Join(parts, "\n\n")
}

func configurationPage() string {
	return `# Configuration

Settings are read from ` + "`.shardls.toml`, `shardls.toml` or the table `[tool.shardls]` of `pyproject.toml`" + `: for each file, from the
nearest folder above it that has one. They are not merged with those further up. A ` + "`pyproject.toml`" + ` without the table is passed
over. ` + "`--config FILE`" + ` reads that file instead, ` + "`--isolated`" + ` none; ` + "`--config 'key = value'`" + ` replaces single settings, and the flags of
the command line refine what results: ` + "`--select`" + ` starts afresh, ` + "`--ignore` and `--extend-select`" + ` take away and add.

An unknown setting is a warning that names the nearest known one. A value of the wrong type ends the run with status 2 and
names file and line. ` + "`shardls check --show-settings`" + ` prints what is in force, ` + "`shardls init`" + ` writes a first file, and
[shardls.schema.json](shardls.schema.json) lets editors complete it.

## Settings

` + config.Markdown() + `
## What the meshes are for

A dump says which devices exchange, and often not what the axes between them are called. The names come from the first of these that has a mesh
of as many devices as the module: the dump itself, its capture, ` + "`mesh`" + `, the sources that the dump points to. So ` + "`mesh`" + ` is for dumps of
programs that compute their mesh, or whose source is elsewhere:

` + "```toml" + `
[mesh]
pod = { data = 2, model = 4 }    # names the axes of modules of 8 devices
host = { data = 2, model = 2 }   # and of 4
` + "```" + `

Devices are counted in row-major order: those that differ in the last axis follow each other. ` + "`pod` and `host`" + ` are labels for people. They are
no names of variables in the program, none has a meaning of its own, ` + "`default`" + ` neither; of two meshes of one size the first that explains a group
of devices names it. Findings from sources alone, such as an unknown axis in a spec, do not use the setting: they know a mesh only by what the program says.

## Where the JAX release comes from

Without ` + "`target-jax`" + ` the release is looked for from the file's folder upwards to the root of the repository, in ` + jaxFiles() + `.
An exact version counts, and so does the lower end of a range that is closed above; an open range such as ` + "`jax>=0.4.30`" + ` says too
little. Without any the newest release known is assumed, and findings that depend on it are ` + "`likely`, not `certain`" + `.

## Which files are checked

Python files (` + "`.py`, `.pyi`" + `) and notebooks (` + "`.ipynb`" + `) below the given paths, without those that ` + "`exclude`, `extend-exclude` or a `.gitignore`" + `
leaves out. A file that is named is checked even so, unless ` + "`--force-exclude`" + ` is given, as in a commit hook.

## Suppressing findings

| comment | what it suppresses |
|---|---|
| ` + "`# shardls: ignore[SHD601] reason`" + ` | the rule on this line; alone on a line, on the next one |
| ` + "`# shardls: file-ignore[SHD601] reason`" + ` | the rule in the whole file |
| ` + "`# noqa: SHD601`" + ` | the rule on this line; ruff keeps such a comment if it is told ` + "`external = [\"SHD\"]`" + ` |

The first two take the name of a rule as well as its code: ` + "`ignore[low-precision-gradient-reduction]`" + `. A comment that keeps nothing quiet is a finding itself ([SHD001](rules/SHD001.md)), unless a rule that it names did not run.
`
}

func jaxFiles() string {
	names := config.JAXFiles()
	for i, n := range names {
		names[i] = "`" + n + "`"
	}
	return strings.Join(names, ", ")
}

func ruleTable() string {
	var b strings.Builder
	b.WriteString("# Rules\n\nGenerated from the rules. `shardls rule CODE` prints the same pages.\n\n| code | name | severity | evidence | finds |\n|---|---|---|---|---|\n")
	for _, a := range project.Rules() {
		fmt.Fprintf(&b, "| [%s](rules/%s.md) | `%s` | %s | %s | %s |\n", a.Code, a.Code, a.Name, a.Severity, a.Evidence, a.Summary)
	}
	return b.String()
}

func schemaPage(t *testing.T) string {
	schema, err := config.Schema()
	if err != nil {
		t.Fatal(err)
	}
	return string(schema)
}
