package main

import (
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite the expected output in the scripts")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"shardls": func() {
			os.Exit(Main(context.Background(), os.Args[1:], processEnvironment()))
		},
	})
}

// TestScripts runs the sessions in testdata/script: each is a txtar archive of files and commands. "exits N" runs a command
// and wants that status; "unpack DIR" copies a stored program with its dumps; "-update" rewrites the output that cmp wants.
func TestScripts(t *testing.T) {
	stored, err := filepath.Abs("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                "testdata/script",
		UpdateScripts:      *update,
		RequireUniqueNames: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("STORED", stored)
			env.Setenv("NO_COLOR", "")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":  exits,
			"unpack": unpack,
			"age":    age,
		},
	})
}

// exits N COMMAND [ARGUMENT...] runs a command and compares its exit status.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits N COMMAND [ARGUMENT...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	status := 0
	var exit *exec.ExitError
	switch err := ts.Exec(args[1], args[2:]...); {
	case errors.As(err, &exit):
		status = exit.ExitCode()
	case err != nil:
		ts.Check(err)
	}
	if status != want {
		ts.Fatalf("status %d, want %d\nstdout:\n%s\nstderr:\n%s", status, want, ts.ReadFile("stdout"), ts.ReadFile("stderr"))
	}
}

// unpack PATH copies the files of a folder below testdata into the working directory.
func unpack(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: unpack PATH")
	}
	ts.Check(os.CopyFS(ts.MkAbs("."), os.DirFS(filepath.Join(ts.Getenv("STORED"), filepath.FromSlash(args[0])))))
}

// age FILE DURATION makes a file as old as that.
func age(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: age FILE DURATION")
	}
	d, err := time.ParseDuration(args[1])
	ts.Check(err)
	then := time.Now().Add(-d)
	ts.Check(os.Chtimes(ts.MkAbs(args[0]), then, then))
}
