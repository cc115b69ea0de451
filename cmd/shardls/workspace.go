package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/shardls/shardls/internal/config"
	"github.com/shardls/shardls/internal/project"
)

// workspaceFlags are the flags of every command that looks at a workspace.
type workspaceFlags struct {
	configs  []string
	isolated bool
	hlo      []string
	logs     []string

	selected, ignored, extended []string
	perFileIgnores              []string
	exclude, extendExclude      []string
	forceExclude                bool
}

func (w *workspaceFlags) registerConfig(f *pflag.FlagSet) {
	f.StringArrayVar(&w.configs, "config", nil, "a configuration `file`, or a setting as TOML such as 'target-jax = \"0.10.2\"'; repeatable")
	f.BoolVar(&w.isolated, "isolated", false, "read no configuration file")
}

func (w *workspaceFlags) registerHLO(f *pflag.FlagSet) {
	f.StringArrayVar(&w.hlo, "hlo", nil, "HLO dumps: a file, a directory or a `glob`; repeatable")
	f.StringArrayVar(&w.logs, "log", nil, "a compiler log `file` with the partitioner's warnings; repeatable")
}

func (w *workspaceFlags) registerRules(f *pflag.FlagSet) {
	f.StringSliceVar(&w.selected, "select", nil, "run only the rules with these codes or prefixes of codes")
	f.StringSliceVar(&w.ignored, "ignore", nil, "do not run these rules")
	f.StringSliceVar(&w.extended, "extend-select", nil, "run these rules in addition to the selected ones")
	f.StringArrayVar(&w.perFileIgnores, "per-file-ignores", nil, "do not run rules on some files: `PATTERN:CODE,...`; repeatable")
}

func (w *workspaceFlags) registerFiles(f *pflag.FlagSet) {
	f.StringSliceVar(&w.exclude, "exclude", nil, "leave out what these patterns match, instead of the configured ones")
	f.StringSliceVar(&w.extendExclude, "extend-exclude", nil, "leave out what these patterns match as well")
	f.BoolVar(&w.forceExclude, "force-exclude", false, "leave out excluded files even where they are named")
}

// options turns the flags into what a load takes, with the odd things found in inline settings.
func (w *workspaceFlags) options(env environment) (project.Options, []config.Warning, error) {
	opts := project.Options{
		Dir: env.dir, Isolated: w.isolated, ForceExclude: w.forceExclude, HLO: w.hlo, Logs: w.logs, Cache: &project.Cache{},
	}
	var warnings []config.Warning
	for _, c := range w.configs {
		if c == "" {
			return opts, nil, fmt.Errorf("--config: %w", errEmptyPath)
		}
		path := c
		if !filepath.IsAbs(path) {
			path = filepath.Join(env.dir, path)
		}
		if _, err := os.Stat(path); err == nil || !strings.Contains(c, "=") {
			if opts.ConfigFile != "" {
				return opts, nil, fmt.Errorf("--config: two files, %s and %s", opts.ConfigFile, c)
			}
			if err != nil {
				return opts, nil, fmt.Errorf("--config %s: no such file", c)
			}
			opts.ConfigFile = c
			continue
		}
		inline, odd, err := config.ParseInline(c)
		if err != nil {
			return opts, nil, err
		}
		for _, w := range inline.UnknownCodes(project.Rules()) {
			w.Message = "--config: " + w.Message
			odd = append(odd, w)
		}
		warnings = append(warnings, odd...)
		opts.Overrides = append(opts.Overrides, *inline)
	}
	if opts.ConfigFile != "" && w.isolated {
		return opts, nil, fmt.Errorf("--isolated and --config %s exclude each other", opts.ConfigFile)
	}
	flags, err := w.flagConfig()
	if err != nil {
		return opts, nil, err
	}
	opts.Overrides = append(opts.Overrides, flags)
	return opts, warnings, nil
}

// flagConfig is the layer of settings that flags make.
func (w *workspaceFlags) flagConfig() (config.Config, error) {
	c := config.Config{
		Flags:  true,
		Select: w.selected, Ignore: w.ignored, ExtendSelect: w.extended, Exclude: w.exclude, ExtendExclude: w.extendExclude,
	}
	if w.selected != nil && len(w.selected) == 0 {
		return c, fmt.Errorf("--select: it is empty, so that no rule would run")
	}
	for flag, codes := range map[string][]string{"select": w.selected, "ignore": w.ignored, "extend-select": w.extended} {
		if len(codes) == 0 {
			continue
		}
		for i := range codes {
			codes[i] = strings.TrimSpace(codes[i])
		}
		if unknown := config.UnknownSelectors(codes, project.Rules()); len(unknown) > 0 {
			return c, fmt.Errorf("--%s: no rule's code begins with %s; see \"shardls rule\"", flag, strings.Join(unknown, ", "))
		}
	}
	for _, p := range w.perFileIgnores {
		// The last colon separates: a pattern may hold a drive letter.
		at := strings.LastIndexByte(p, ':')
		if at <= 0 || at == len(p)-1 {
			return c, fmt.Errorf("--per-file-ignores: want PATTERN:CODE,..., got %q", p)
		}
		if err := config.CheckPatterns(p[:at]); err != nil {
			return c, fmt.Errorf("--per-file-ignores: %w", err)
		}
		c.PerFileIgnores = append(c.PerFileIgnores, config.PerFileIgnore{
			Pattern: p[:at], Codes: strings.Split(strings.ReplaceAll(p[at+1:], " ", ""), ","),
		})
	}
	for flag, patterns := range map[string][]string{"exclude": w.exclude, "extend-exclude": w.extendExclude} {
		if err := config.CheckPatterns(patterns...); err != nil {
			return c, fmt.Errorf("--%s: %w", flag, err)
		}
	}
	return c, nil
}

// loadWorkspace loads a workspace and shows on a terminal how far it is.
func loadWorkspace(ctx context.Context, env environment, opts project.Options) (*project.Workspace, error) {
	progress := newProgress(env)
	opts.Progress = progress.report
	defer progress.clear()
	return project.Load(ctx, opts)
}
