package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/driver"
	"github.com/shardls/shardls/internal/config"
	"github.com/shardls/shardls/internal/output"
	"github.com/shardls/shardls/internal/project"
)

// checkFlags are the flags of check.
type checkFlags struct {
	workspaceFlags
	format, outputFile       string
	statistics, exitZero     bool
	failOn                   string
	stdinFilename            string
	requireHLO               bool
	baseline                 string
	updateBaseline           bool
	showSettings, showFiles  bool
	fix, diff, unsafe, watch bool
	ignoreSuppressions       bool
}

func newCheck(env environment) *cobra.Command {
	var flags checkFlags
	cmd := &cobra.Command{
		Use:   "check [PATH...]",
		Short: "Report what is wrong with the sharding of a program",
		Long: `Check Python files and notebooks. Each PATH is a file or a directory; without one the working directory is checked. "-"
reads one file from standard input.

Rules that need only source run at once. Those about communication and precision need an HLO dump, given by --hlo or by the
setting hlo.dumps; "shardls capture" makes one. How many rules could not run stands at the end, and in JSON which and
why.

The exit status is 0 if there is nothing to report, 1 if there are findings of at least the severity of --fail-on, and 2 if
the check could not be made.`,
		Example: `  shardls check
  shardls check train.py --hlo dump/
  shardls check --select SHD1,SHD601 --output-format github
  shardls check --hlo dump/ --hlo-baseline communication.json
  shardls check --fix
  shardls check - --stdin-filename model.py < model.py`,
		RunE: func(cmd *cobra.Command, args []string) error {
			c := &checker{env: env, flags: &flags, colour: colour(cmd, env), paths: args}
			return c.run(cmd.Context())
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	flags.registerRules(f)
	f.BoolVar(&flags.ignoreSuppressions, "ignore-suppressions", false, "report what comments suppress")
	flags.registerHLO(f)
	f.BoolVar(&flags.requireHLO, "require-hlo", false, "fail with status 2 if no dump was read")
	f.StringVar(&flags.baseline, "hlo-baseline", "", "report communication that this `file` does not allow (SHD005)")
	f.BoolVar(&flags.updateBaseline, "update-baseline", false, "write the communication of the dumps to the file of --hlo-baseline")
	f.BoolVar(&flags.fix, "fix", false, "apply safe fixes")
	f.BoolVar(&flags.unsafe, "unsafe-fixes", false, "with --fix or --diff, take unsafe fixes too")
	f.BoolVar(&flags.diff, "diff", false, "show what --fix would change instead of changing it")
	f.StringVar(&flags.format, "output-format", "full", "full, concise, json, sarif, github or gitlab")
	f.StringVarP(&flags.outputFile, "output-file", "o", "", "write the report to this `file`")
	f.BoolVar(&flags.statistics, "statistics", false, "count findings by rule instead of listing them; * marks rules with fixes")
	f.BoolVar(&flags.exitZero, "exit-zero", false, "exit with status 0 even if there are findings")
	f.StringVar(&flags.failOn, "fail-on", "warning", "the lowest severity that makes the status 1: error, warning or info")
	f.BoolVar(&flags.watch, "watch", false, "check again whenever a file changes")
	flags.registerFiles(f)
	f.StringVar(&flags.stdinFilename, "stdin-filename", "", "the `name` of the file on standard input")
	flags.registerConfig(f)
	f.BoolVar(&flags.showSettings, "show-settings", false, "print the settings in force and exit")
	f.BoolVar(&flags.showFiles, "show-files", false, "print the files that would be checked and exit")
	return cmd
}

// checker is one run of check.
type checker struct {
	env    environment
	flags  *checkFlags
	paths  []string
	colour bool
	stdin  string // the absolute path that standard input stands for, "" where it is not read
}

func (c *checker) run(ctx context.Context) error {
	opts, err := c.options()
	if err != nil {
		return err
	}
	switch {
	case c.flags.showFiles || c.flags.showSettings:
		return c.show(ctx, opts)
	case c.flags.watch:
		return c.watch(ctx, opts)
	}
	return c.once(ctx, opts)
}

// options checks the flags and reads standard input where it is a file to check.
func (c *checker) options() (project.Options, error) {
	f := c.flags
	if err := oneOf("output-format", f.format, "full", "concise", "json", "sarif", "github", "gitlab"); err != nil {
		return project.Options{}, err
	}
	if err := oneOf("fail-on", f.failOn, "error", "warning", "info"); err != nil {
		return project.Options{}, err
	}
	opts, warnings, err := f.options(c.env)
	if err != nil {
		return opts, err
	}
	c.warn(warnings)
	opts.IgnoreSuppressions = f.ignoreSuppressions
	opts.Paths = c.paths
	if slices.Contains(c.paths, "") || slices.Contains(opts.HLO, "") {
		return opts, errEmptyPath
	}
	if len(c.paths) == 1 && c.paths[0] == "-" || len(c.paths) == 0 && f.stdinFilename != "" {
		return opts, c.readStandardInput(&opts)
	}
	if slices.Contains(c.paths, "-") {
		return opts, fmt.Errorf("standard input cannot be checked along with other files")
	}
	return opts, nil
}

// errEmptyPath is said of an argument that would otherwise stand for the working directory.
var errEmptyPath = errors.New(`the path "" is empty; name a file or a directory`)

func (c *checker) readStandardInput(opts *project.Options) error {
	if c.flags.watch {
		return fmt.Errorf("--watch cannot be used with standard input")
	}
	content, err := io.ReadAll(c.env.in)
	if err != nil {
		return fmt.Errorf("standard input: %w", err)
	}
	name := c.flags.stdinFilename
	if name == "" {
		name = "stdin.py"
	}
	c.stdin = absolute(c.env.dir, name)
	opts.Paths = []string{c.stdin}
	opts.Overlay = map[string][]byte{c.stdin: content}
	return nil
}

// once loads the workspace, judges it, applies fixes where asked, and reports.
func (c *checker) once(ctx context.Context, opts project.Options) error {
	if c.env.sources != nil {
		c.env.sources()
	}
	opts.Once = true
	w, err := loadWorkspace(ctx, c.env, opts)
	if err != nil {
		return err
	}
	c.warn(w.Warnings)
	c.missing(w)
	c.machine(w)
	if err := c.applyBaseline(w); err != nil {
		return err
	}
	if c.flags.diff || c.flags.fix {
		return c.fixed(ctx, w)
	}
	result, err := driver.Run(ctx, w.Input())
	if err != nil {
		return err
	}
	if err := c.report(w, result, c.env.out); err != nil {
		return err
	}
	return c.verdict(result)
}

// applyBaseline reads the baseline, or writes it anew. Without a dump there is nothing to compare.
func (c *checker) applyBaseline(w *project.Workspace) error {
	if c.flags.baseline == "" {
		if c.flags.updateBaseline {
			return fmt.Errorf("--update-baseline: --hlo-baseline names the file")
		}
		return nil
	}
	if len(w.Modules) == 0 {
		for _, d := range w.Dumps {
			if d.Problem != "" {
				return fmt.Errorf("--hlo-baseline: no HLO dump was read: %s: %s", displayed(c.env, d.Path), d.Problem)
			}
		}
		return fmt.Errorf("--hlo-baseline: no HLO dump was read")
	}
	path := absolute(c.env.dir, c.flags.baseline)
	if c.flags.updateBaseline {
		if err := w.WriteBaseline(path); err != nil {
			return fmt.Errorf("%s: %w", c.flags.baseline, err)
		}
		fmt.Fprintf(c.env.err, "Wrote %s.\n", c.flags.baseline)
		return nil
	}
	b, err := project.ReadBaseline(path)
	if err != nil {
		return fmt.Errorf("%s: %w", c.flags.baseline, err)
	}
	w.SetBaseline(b)
	return nil
}

// report prints a result in the chosen format, to the chosen file or to w.
func (c *checker) report(w *project.Workspace, result *driver.Result, out io.Writer) error {
	result.Problems = append(append([]driver.Problem(nil), w.Problems...), result.Problems...)
	r := findingsReport(w, result, c.env)
	if c.flags.format != "json" && c.flags.format != "sarif" {
		warnOfProblems(c.env, result.Problems)
	}
	if c.flags.outputFile == "" {
		return c.print(out, r, output.Style{Colour: c.colour})
	}
	var b bytes.Buffer
	if err := c.print(&b, r, output.Style{}); err != nil {
		return err
	}
	if err := os.WriteFile(absolute(c.env.dir, c.flags.outputFile), b.Bytes(), 0o644); err != nil {
		return fmt.Errorf("--output-file: %w", err)
	}
	return nil
}

// warnOfProblems says what could not be looked at.
func warnOfProblems(env environment, problems []driver.Problem) {
	for _, p := range problems {
		at := output.Printable(displayed(env, p.Path))
		if p.Line > 0 {
			at = fmt.Sprintf("%s:%d", at, p.Line)
		}
		fmt.Fprintf(env.err, "warning: %s: %s\n", at, p.Message)
	}
}

func (c *checker) print(w io.Writer, r *output.Report, style output.Style) error {
	switch c.flags.format {
	case "json":
		if c.flags.statistics {
			return output.StatisticsJSON(w, r)
		}
		return output.JSON(w, r)
	case "sarif":
		return output.SARIF(w, r)
	case "github":
		return output.GitHub(w, r)
	case "gitlab":
		return output.GitLab(w, r)
	}
	switch {
	case c.flags.statistics:
		return output.Statistics(w, r, style)
	case c.flags.format == "concise":
		return output.Concise(w, r, style)
	}
	return output.Full(w, r, style)
}

// verdict turns findings into the exit status.
func (c *checker) verdict(result *driver.Result) error {
	if c.flags.requireHLO && (result.HLO.State == driver.NoDump || result.HLO.State == driver.UnreadableDumps) {
		return fmt.Errorf("--require-hlo: no HLO dump was read")
	}
	if c.flags.exitZero {
		return nil
	}
	least, _ := config.SeverityFromString(c.flags.failOn)
	for i := range result.Findings {
		if result.Findings[i].Severity >= least && result.Findings[i].Severity != analyzers.Off {
			return errFindings
		}
	}
	return nil
}

func (c *checker) warn(warnings []config.Warning) {
	for _, w := range warnings {
		fmt.Fprintf(c.env.err, "warning: %s\n", w)
	}
}

// missing names the patterns that brought no dump. Nothing else of the run depends on them: a machine may well have none.
func (c *checker) missing(w *project.Workspace) {
	for _, pattern := range w.Missing {
		from := "hlo.dumps"
		if slices.Contains(c.flags.hlo, pattern) {
			from = "--hlo"
		}
		fmt.Fprintf(c.env.err, "warning: %s %s: no dump matches\n", from, pattern)
	}
}

// machine tells of a configured accelerator that is not known: findings need none.
func (c *checker) machine(w *project.Workspace) {
	if _, err := w.Hardware(""); err != nil {
		fmt.Fprintf(c.env.err, "warning: %s\n", err)
	}
}
