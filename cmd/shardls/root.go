package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
)

// The exit statuses of every command.
const (
	statusClean    = 0 // ran, nothing to report
	statusFindings = 1 // ran, with findings at or above the failing severity
	statusTrouble  = 2 // could not do what was asked
)

// environment is what a command sees of the process it runs in.
type environment struct {
	in       io.Reader
	out, err io.Writer
	dir      string // working directory, absolute
	getenv   func(string) string
}

func processEnvironment() environment {
	dir, err := os.Getwd()
	if err != nil {
		dir = "."
	}
	return environment{in: os.Stdin, out: os.Stdout, err: os.Stderr, dir: dir, getenv: os.Getenv}
}

// errFindings ends a command that ran and has something to report; it prints nothing.
var errFindings = errors.New("findings")

// Main runs one command line and returns its exit status.
func Main(ctx context.Context, args []string, env environment) int {
	root := newRoot(env)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	var ran statusError
	switch {
	case err == nil:
		return statusClean
	case errors.As(err, &ran):
		return int(ran)
	case errors.Is(err, errFindings):
		return statusFindings
	default:
		fmt.Fprintf(env.err, "shardls: %v\n", err)
		return statusTrouble
	}
}

func newRoot(env environment) *cobra.Command {
	root := &cobra.Command{
		Use:           "shardls",
		Short:         "Check the sharding of JAX programs and explain the communication it causes",
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetIn(env.in)
	root.SetOut(env.out)
	root.SetErr(env.err)
	root.AddCommand(newVersion(env))
	root.AddCommand(newCapture(env))
	root.AddCommand(newServe(env))
	return root
}
