package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/shardls/shardls/internal/output"
)

func newVersion(env environment) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Long:    `Print the version, and with --output-format json also the commit, the grammar and the libraries it was built with.`,
		Example: "  shardls version\n  shardls version --output-format json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := oneOf("output-format", format, "text", "json"); err != nil {
				return err
			}
			return printVersion(env, format)
		},
	}
	cmd.Flags().StringVar(&format, "output-format", "text", "text or json")
	return cmd
}

type versionDocument struct {
	Version  int     `json:"version"`
	Release  string  `json:"release"`
	Commit   *string `json:"commit"`
	Go       string  `json:"go"`
	Platform string  `json:"platform"`
	Grammar  *string `json:"grammar"`
	Protocol *string `json:"protocol"`
}

func printVersion(env environment, format string) error {
	doc := versionDocument{Version: 1, Release: shownVersion(env), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				doc.Commit = &s.Value
			}
		}
		for _, d := range info.Deps {
			switch d.Path {
			case "github.com/smacker/go-tree-sitter":
				doc.Grammar = &d.Version
			case "go.lsp.dev/protocol":
				doc.Protocol = &d.Version
			}
		}
	}
	if format == "json" {
		return output.WriteJSON(env.out, doc)
	}
	_, err := fmt.Fprintf(env.out, "shardls %s\n", doc.Release)
	return err
}

// shownVersion is the version that the linker set, else that of the module, else "devel".
func shownVersion(env environment) string {
	if env.version != "" {
		return env.version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}
