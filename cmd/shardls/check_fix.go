package main

import (
	"context"
	"errors"
	"fmt"
	"sort"

	"github.com/shardls/shardls/internal/output"
	"github.com/shardls/shardls/internal/project"
)

// displayed is a path as printed.
func displayed(env environment, path string) string { return output.DisplayPath(env.dir, path) }

// fixed applies fixes to a workspace, writes or shows them, and reports what is left.
func (c *checker) fixed(ctx context.Context, w *project.Workspace) error {
	fixes, err := w.Fix(ctx, c.flags.unsafe)
	if err != nil {
		return err
	}
	if c.flags.diff {
		return c.showDiff(fixes)
	}
	out := c.env.out
	if c.stdin != "" {
		// A filter: the program goes to standard output, so that the report has to go elsewhere.
		content, err := fixes.Workspace.Content(c.stdin)
		if err != nil {
			return err
		}
		if _, err := out.Write(content); err != nil {
			return err
		}
		out = c.env.err
	} else if err := c.writeFixes(fixes); err != nil {
		return err
	}
	if err := c.report(fixes.Workspace, fixes.Result, out); err != nil {
		return err
	}
	if fixes.Applied > 0 {
		again := ""
		if fixes.FromDump {
			again = " The dumps describe the program as it was: capture it again."
		}
		fmt.Fprintf(c.env.err, "Fixed %s.%s\n", counted(fixes.Applied, "finding"), again)
	}
	return c.verdict(fixes.Result)
}

// writeFixes writes the files that changed. What keeps one from being written keeps no other.
func (c *checker) writeFixes(fixes *project.Fixes) error {
	var failures []error
	for _, path := range changed(fixes) {
		if err := fixes.Write(path); err != nil {
			failures = append(failures, fmt.Errorf("%s: %w", displayed(c.env, path), err))
		}
	}
	return errors.Join(failures...)
}

func changed(fixes *project.Fixes) []string {
	paths := make([]string, 0, len(fixes.After))
	for path := range fixes.After {
		paths = append(paths, path)
	}
	sort.Strings(paths)
	return paths
}

// showDiff prints what fixes would change. The status is 1 where there is something to change.
func (c *checker) showDiff(fixes *project.Fixes) error {
	paths := changed(fixes)
	for _, path := range paths {
		name := displayed(c.env, path)
		text := output.UnifiedDiff(name, string(fixes.Before[path]), string(fixes.After[path]))
		if _, err := fmt.Fprint(c.env.out, text); err != nil {
			return err
		}
	}
	if len(paths) > 0 && !c.flags.exitZero {
		return errFindings
	}
	if len(paths) == 0 {
		fmt.Fprintln(c.env.err, c.nothingToFix(fixes))
	}
	return nil
}

// nothingToFix says why there is no difference to show.
func (c *checker) nothingToFix(fixes *project.Fixes) string {
	if c.flags.unsafe {
		return "No fix applies."
	}
	unsafe := 0
	for i := range fixes.Result.Findings {
		if len(fixes.Result.Findings[i].Fixes) > 0 {
			unsafe++
		}
	}
	if unsafe == 0 {
		return "No fix applies."
	}
	return fmt.Sprintf("No safe fix applies; --unsafe-fixes shows those of %s.", counted(unsafe, "finding"))
}
