package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/shardls/shardls/analyzers/driver"
	"github.com/shardls/shardls/internal/config"
	"github.com/shardls/shardls/internal/demo"
	"github.com/shardls/shardls/internal/output"
	"github.com/shardls/shardls/internal/project"
)

// demoRows is how many rows of the demo's table of collectives are shown.
const demoRows = 8

func newDemo(env environment) *cobra.Command {
	var keep string
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Show on an example what shardls finds",
		Long: `Show what shardls finds in a small training script and its HLO dump, both of which are part of shardls: nothing has to be set
up and nothing is run. With -o the example is written to a folder to try other commands on.`,
		Example: "  shardls demo\n  shardls demo -o example",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runDemo(cmd.Context(), env, keep, output.Style{Colour: colour(cmd, env)})
		},
	}
	cmd.Flags().StringVarP(&keep, "output", "o", "", "write the example to this new `folder` and leave it there")
	return cmd
}

func runDemo(ctx context.Context, env environment, keep string, style output.Style) error {
	dir, remove, err := demoFolder(env, keep)
	if err != nil {
		return err
	}
	defer remove()
	everything := int64(0) // the example is small; the usual thresholds would pass over it
	w, err := project.Load(ctx, project.Options{
		Dir: dir, Isolated: true, HLO: []string{demo.DumpDir}, Paths: []string{demo.Script},
		Overrides: []config.Config{{HLO: config.HLO{MinBytes: &everything}}},
	})
	if err != nil {
		return err
	}
	result, err := driver.Run(ctx, w.Input())
	if err != nil {
		return err
	}
	d := &demonstration{env: env, style: style, w: w}
	d.env.dir, d.env.now = dir, nil // how old the example is tells nothing
	d.say("1. What is wrong?  shardls check %s --hlo %s/", demo.Script, demo.DumpDir)
	if err := output.Full(env.out, findingsReport(w, result, d.env), style); err != nil {
		return err
	}
	shown := w.Deciding()
	modules := shownModules(w, shown)
	addGradients(modules, shown)
	d.say("\n2. What is communicated?  shardls collectives %s/ --top %d", demo.DumpDir, demoRows)
	if err := output.Collectives(env.out, modules, output.TableOptions{Top: demoRows, Style: style}); err != nil {
		return err
	}
	d.say("\n3. Which gradients are reduced, and how?  shardls gradients %s/", demo.DumpDir)
	if err := output.Gradients(env.out, modules, "text", style); err != nil {
		return err
	}
	d.say("\nNow your own program:")
	fmt.Fprint(env.out, `  shardls check                                   rules that need no dump
  shardls capture -o dump -- python train.py      run it once on simulated devices and keep its HLO
  shardls check --hlo dump                        all rules
  shardls explain train.py:31 --hlo dump          everything about one line
  shardls report dump                             all of it as one page of HTML
`)
	return nil
}

type demonstration struct {
	env   environment
	style output.Style
	w     *project.Workspace
}

func (d *demonstration) say(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	if d.style.Colour {
		line = "\x1b[1m" + line + "\x1b[0m"
	}
	fmt.Fprintln(d.env.out, line)
}

// demoFolder writes the example to a folder: the one to keep, or one that remove deletes.
func demoFolder(env environment, keep string) (dir string, remove func(), err error) {
	remove = func() {}
	if keep == "" {
		if dir, err = os.MkdirTemp("", "shardls-demo-"); err != nil {
			return "", remove, err
		}
		remove = func() { os.RemoveAll(dir) }
	} else {
		dir = absolute(env.dir, keep)
		if _, err := os.Stat(dir); err == nil {
			return "", remove, fmt.Errorf("%s exists", keep)
		}
	}
	if err := os.CopyFS(dir, demo.Files()); err != nil {
		remove()
		return "", func() {}, fmt.Errorf("write the example: %w", unwrapPath(err))
	}
	return dir, remove, nil
}

// unwrapPath drops the temporary path from an error of the file system.
func unwrapPath(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return fmt.Errorf("%s: %w", filepath.Base(at.Path), at.Err)
	}
	return err
}
