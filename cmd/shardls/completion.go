package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

func newCompletion(env environment) *cobra.Command {
	return &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "Print the completion script of a shell",
		Long:  `Print a script that teaches a shell to complete shardls' commands and flags.`,
		Example: `  shardls completion bash > /etc/bash_completion.d/shardls
  shardls completion zsh > "${fpath[1]}/_shardls"
  shardls completion fish > ~/.config/fish/completions/shardls.fish`,
		Args:      args(1, 1, "one shell"),
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch args[0] {
			default:
				return fmt.Errorf("completion: want one of %s, got %q", strings.Join(cmd.ValidArgs, ", "), args[0])
			case "bash":
				return cmd.Root().GenBashCompletionV2(env.out, true)
			case "zsh":
				return cmd.Root().GenZshCompletion(env.out)
			case "fish":
				return cmd.Root().GenFishCompletion(env.out, true)
			case "powershell":
				return cmd.Root().GenPowerShellCompletionWithDesc(env.out)
			}
		},
	}
}
