package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/shardls/shardls/analyzers/driver"
	"github.com/shardls/shardls/internal/output"
	"github.com/shardls/shardls/internal/units"
)

func newReport(env environment) *cobra.Command {
	flags := dumpFlags{judged: true}
	var file, hardware, profile string
	cmd := &cobra.Command{
		Use:   "report DUMP...",
		Short: "Write one page of HTML about dumps and the lines behind them",
		Long: `Write a page that stands alone: what the rules find, where gradients are reduced, what is communicated by line, mesh axis, opcode and
parameter, and the lines of Python that cause it. The page loads nothing and runs no script, so that it can be sent to others or kept
with a run. DUMP is a file, a folder that XLA dumped into, or "-" for standard input.`,
		Example: "  shardls report dump/\n  shardls report dump/ -o step.html --hardware tpu-v5p",
		Args:    args(1, -1, "a dump"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runReport(cmd.Context(), env, &flags, args, file, hardware, profile)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVarP(&file, "output-file", "o", "shardls-report.html", "write the page to this `file`; \"-\" is standard output")
	f.StringVar(&hardware, "hardware", "", "estimate times for this accelerator, such as tpu-v5p or h100-sxm (default: the configured one)")
	f.StringVar(&profile, "profile", "", profileUsage)
	flags.register(f)
	return cmd
}

func runReport(ctx context.Context, env environment, flags *dumpFlags, dumps []string, file, hardware, profile string) error {
	if file == "" {
		return fmt.Errorf("--output-file: %w", errEmptyPath)
	}
	w, err := flags.load(ctx, env, dumps)
	if err != nil {
		return err
	}
	machine, err := w.Hardware(hardware)
	if err != nil {
		return err
	}
	shown := w.Shown()
	modules, err := measuredModules(env, w, shown, profile)
	if err != nil {
		return err
	}
	addGradients(modules, shown)
	for i := range modules {
		modules[i].Hardware = machine
	}
	result, err := driver.Run(ctx, w.Input())
	if err != nil {
		return err
	}
	var page bytes.Buffer
	if err := output.HTML(&page, findingsReport(w, result, env), modules); err != nil {
		return err
	}
	if file == "-" {
		_, err := env.out.Write(page.Bytes())
		return err
	}
	path := absolute(env.dir, file)
	if other(path) {
		return fmt.Errorf("--output-file: %s is there and is no page of HTML", file)
	}
	if err := os.WriteFile(path, page.Bytes(), 0o644); err != nil {
		return fmt.Errorf("--output-file: %w", err)
	}
	_, err = fmt.Fprintf(env.out, "Wrote %s (%s).\n", file, units.Bytes(int64(page.Len())))
	return err
}

// other reports whether a file has content that is no page, such as a dump or a program that was named by mistake.
func other(path string) bool {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false // writing will fail, too
	}
	defer f.Close()
	start := make([]byte, len("<!DOCTYPE html>"))
	_, err = io.ReadFull(f, start)
	return err != nil || !bytes.EqualFold(start, []byte("<!DOCTYPE html>"))
}
