package main

import "github.com/spf13/cobra"

func newCompletion(env environment) *cobra.Command {
	return &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "Print the completion script of a shell",
		Long:  `Print a script that teaches a shell to complete shardls' commands and flags.`,
		Example: `  shardls completion bash > /etc/bash_completion.d/shardls
  shardls completion zsh > "${fpath[1]}/_shardls"
  shardls completion fish > ~/.config/fish/completions/shardls.fish`,
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch args[0] {
			case "bash":
				return cmd.Root().GenBashCompletionV2(env.out, true)
			case "zsh":
				return cmd.Root().GenZshCompletion(env.out)
			case "fish":
				return cmd.Root().GenFishCompletion(env.out, true)
			}
			return cmd.Root().GenPowerShellCompletionWithDesc(env.out)
		},
	}
}
