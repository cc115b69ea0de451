package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/shardls/shardls/internal/project"
)

// show prints the files that would be checked, or the settings that hold for the first of them.
func (c *checker) show(ctx context.Context, opts project.Options) error {
	opts.SkipDumps = true
	w, err := project.Load(ctx, opts)
	if err != nil {
		return err
	}
	c.warn(w.Warnings)
	if c.flags.showFiles {
		for _, f := range w.Files {
			if _, err := fmt.Fprintln(c.env.out, f.Display); err != nil {
				return err
			}
		}
		return nil
	}
	dir := w.Dir
	if len(w.Files) > 0 {
		dir = filepath.Dir(w.Files[0].Path)
	}
	settings, err := w.ConfigFor(dir)
	if err != nil {
		return err
	}
	release := w.Release(dir)
	text := settings.Render(project.ReleaseText(release))
	if release.Assumed {
		text = "# no file names a JAX release; the newest known is assumed\n" + text
	}
	if settings.Path != "" {
		text = "# " + displayed(c.env, settings.Path) + "\n" + text
	}
	_, err = fmt.Fprint(c.env.out, text)
	return err
}
