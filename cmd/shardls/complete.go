package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/shardls/shardls/hlomap"
	"github.com/shardls/shardls/internal/capture"
	"github.com/shardls/shardls/internal/project"
)

// completeValues teaches the shell the values of the flags that take one of a few names. The names of a format, an order or a severity
// are those that the flag's own help lists.
func completeValues(cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		completeValues(sub)
	}
	for _, name := range []string{"output-format", "by", "sort", "fail-on", "log-level"} {
		complete(cmd, name, func() []string { return namesIn(cmd.Flags().Lookup(name).Usage) })
	}
	for _, name := range []string{"select", "ignore", "extend-select"} {
		complete(cmd, name, ruleCodes)
	}
	complete(cmd, "hardware", presetNames)
	complete(cmd, "target", capture.Targets)
	complete(cmd, "color", func() []string { return []string{"auto", "always", "never"} })
}

func complete(cmd *cobra.Command, flag string, values func() []string) {
	if cmd.Flags().Lookup(flag) == nil && cmd.PersistentFlags().Lookup(flag) == nil {
		return
	}
	// The error is for a flag that is not there or is completed already.
	_ = cmd.RegisterFlagCompletionFunc(flag, func(_ *cobra.Command, _ []string, given string) ([]string, cobra.ShellCompDirective) {
		before := ""
		if at := strings.LastIndexByte(given, ','); at >= 0 {
			before = given[:at+1] // one of a list
		}
		var out []string
		for _, v := range values() {
			if strings.HasPrefix(before+v, given) {
				out = append(out, before+v)
			}
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	})
}

// namesIn reads the names that a help text lists: "text, json or csv", "sum by line or axis", "the lowest severity …: error or info".
func namesIn(usage string) []string {
	if _, list, ok := strings.Cut(usage, ": "); ok {
		usage = list
	}
	usage = strings.TrimPrefix(usage, "sum by ")
	usage = strings.ReplaceAll(usage, " (the default)", "")
	var names []string
	for part := range strings.SplitSeq(strings.ReplaceAll(usage, " or ", ", "), ",") {
		if part = strings.TrimSpace(part); part != "" {
			names = append(names, part)
		}
	}
	return names
}

// ruleCodes lists the codes of all rules, each with what it is about.
func ruleCodes() []string {
	var codes []string
	for _, a := range project.Rules() {
		codes = append(codes, a.Code+"\t"+a.Summary)
	}
	return codes
}

func presetNames() []string {
	list, err := hlomap.Presets()
	if err != nil {
		return nil
	}
	names := make([]string, len(list))
	for k := range list {
		names[k] = list[k].Name
	}
	return names
}
