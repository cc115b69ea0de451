package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

func newVersion(env environment) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(env.out, "shardls")
			return err
		},
	}
}
