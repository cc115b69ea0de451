package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/shardls/shardls/internal/project"
)

// The exit statuses of every command.
const (
	statusClean    = 0 // ran, nothing to report
	statusFindings = 1 // ran, with findings at or above the failing severity
	statusTrouble  = 2 // could not do what was asked
)

// errFindings ends a command that ran and has something to report; it prints nothing.
var errFindings = errors.New("findings")

// Main runs one command line and returns its exit status.
func Main(ctx context.Context, args []string, env environment) (status int) {
	defer func() {
		p := recover()
		switch {
		case p == nil:
			return
		case project.CutShort(p):
			fmt.Fprintln(env.err, "shardls: a dump was cut short while it was being read")
		default:
			fmt.Fprintf(env.err, "shardls: internal error: %v\n", p)
		}
		status = statusTrouble
	}()
	root := newRoot(env)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	var ran statusError
	switch {
	case err == nil:
		return statusClean
	case errors.Is(err, errFindings):
		return statusFindings
	case errors.As(err, &ran):
		return int(ran)
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		err = context.Cause(ctx) // the signal
	}
	fmt.Fprintf(env.err, "shardls: %v\n", err)
	return statusTrouble
}

func newRoot(env environment) *cobra.Command {
	root := &cobra.Command{
		Use:   "shardls",
		Short: "Check the sharding of JAX programs and explain the communication it causes",
		Long: `shardls reads Python and the HLO dumps that XLA writes. It never imports or runs your code, it needs no devices, and
where it does not know something it says so.

Start with "shardls demo", which needs no set-up, or "shardls check" in a project.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          knownCommand,
	}
	// The library's own flag would print with a text template, and a program that holds those must keep every method there is.
	version := root.Flags().BoolP("version", "v", false, "version for shardls")
	root.RunE = func(cmd *cobra.Command, _ []string) error {
		if *version {
			return printVersion(env, "text")
		}
		return cmd.Help()
	}
	root.SuggestionsMinimumDistance = 2 // the library sets its default only for suggestions of its own
	root.SetIn(env.in)
	root.SetOut(env.out)
	root.SetErr(env.err)
	root.PersistentFlags().String("color", "auto", "color the output: auto, always or never (NO_COLOR and FORCE_COLOR are honored)")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		var number *strconv.NumError
		if errors.As(err, &number) { // the message names functions of this program
			err = fmt.Errorf("%s: want a number", strings.TrimSuffix(err.Error(), ": "+number.Error()))
		}
		return fmt.Errorf("%w; see %q", err, cmd.CommandPath()+" --help")
	})
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		flag, err := cmd.Flags().GetString("color")
		if err != nil {
			return nil // a command of the library's own
		}
		return oneOf("color", flag, "auto", "always", "never")
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddCommand(
		newCheck(env), newCollectives(env), newGradients(env), newExplain(env), newDiff(env), newReport(env), newDemo(env), newCapture(env), newServe(env), newRule(env), newInit(env), newVersion(env), newCompletion(env),
	)
	completeValues(root)
	return root
}

// knownCommand refuses what is no command, and names those that are close to it.
func knownCommand(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	near := ""
	if names := root.SuggestionsFor(args[0]); len(names) > 0 {
		near = fmt.Sprintf("; did you mean %s?", strings.Join(names, " or "))
	}
	return fmt.Errorf("unknown command %q for %q%s", args[0], root.CommandPath(), near)
}

// args refuses a number of arguments outside of least and most, with words that say what is wanted; most < 0 sets no bound.
func args(least, most int, want string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if n := len(args); n < least || most >= 0 && n > most {
			return fmt.Errorf("%s: want %s, got %s; see %q", cmd.Name(), want, counted(n, "argument"), cmd.CommandPath()+" --help")
		}
		return nil
	}
}

// counted is a number with its noun.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// oneOf checks the value of a flag that takes one of a few names. An empty name allows the flag to be absent; the error leaves it out.
func oneOf(flag, value string, names ...string) error {
	if slices.Contains(names, value) {
		return nil
	}
	named := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == "" })
	return fmt.Errorf("--%s: want one of %s, got %q", flag, strings.Join(named, ", "), value)
}

// style is how a command paints its output.
func colour(cmd *cobra.Command, env environment) bool {
	flag, err := cmd.Flags().GetString("color")
	return err == nil && env.colours(flag)
}
