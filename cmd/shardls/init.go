package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/shardls/shardls/internal/config"
)

func newInit(env environment) *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:   "init [DIRECTORY]",
		Short: "Write a first configuration",
		Long: `Write shardls.toml into a directory, with the settings that are worth a look and what they mean. An existing file stays unless
--force is given. The same settings work in pyproject.toml below [tool.shardls].`,
		Example: "  shardls init\n  shardls init --force training/",
		Args:    args(0, 1, "one directory or none"),
		RunE: func(_ *cobra.Command, args []string) error {
			dir := env.dir
			if len(args) == 1 {
				dir = args[0]
				if !filepath.IsAbs(dir) {
					dir = filepath.Join(env.dir, dir)
				}
			}
			return writeFirstConfiguration(env, filepath.Join(dir, "shardls.toml"), force)
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "replace an existing file")
	return cmd
}

func writeFirstConfiguration(env environment, path string, force bool) error {
	mode := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if force {
		mode = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	file, err := os.OpenFile(path, mode, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists; --force replaces it", displayed(env, path))
	}
	if dir := filepath.Dir(path); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: no such directory", displayed(env, dir))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", displayed(env, path), errors.Unwrap(err))
	}
	if _, err := file.WriteString(config.Template()); err != nil {
		file.Close()
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(env.out, "Wrote %s. Next: shardls check\n", displayed(env, path))
	return err
}
