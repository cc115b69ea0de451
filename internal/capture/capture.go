// Package capture runs a command and keeps the HLO that its JAX functions compile to, with a manifest of what HLO itself
// does not say: argument tree paths, shardings, mesh axes, releases, and the sources as they were.
//
// A Python file of shardls' own (shim/sitecustomize.py) does the recording inside the interpreter; it is put first on the
// module path of the command. Nothing else in shardls runs code of the user's.
package capture

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

//go:embed shim/sitecustomize.py
var shim []byte

const (
	rawFolder       = "raw"       // dump of the whole process, in case the shim cannot hook in
	processesFolder = "processes" // one file of notes a process
	logName         = "compiler.log"
	workPrefix      = ".shardls-" // of folders that a capture works in
	passes          = "spmd-partitioning"
)

// Options say what to run and where the capture goes.
type Options struct {
	Command []string
	Dir     string   // working directory, absolute
	Env     []string // of the command, "NAME=value"
	Out     string   // folder of the capture, absolute

	Devices     int     // simulated devices; 0 leaves it to XLA_FLAGS or the target, else 8
	RealDevices bool    // leave the platform alone instead of simulating devices on the CPU
	Target      *Target // accelerators to compile for as well; nil for none

	// Foreground says that the command shares a terminal with this process, which sends Ctrl-C to both.
	Foreground bool
	// Again brings the signals that come after the one that ended the context; nil for none. A program may save something at the first
	// and end at the second.
	Again <-chan os.Signal

	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// Result is what came of a capture.
type Result struct {
	Manifest    *Manifest
	Status      int  // exit status of the command, 128 + n after signal n
	Interrupted bool // the context ended before the command
	Single      int  // compilations for one device, of which nothing is kept
	Hooked      bool // the recorder was active in some process
	Earlier     bool // nothing was captured, so the capture that was there before is kept
	Notes       []string
}

// ErrNotCapture says that the folder for the capture holds something else.
var ErrNotCapture = errors.New("the folder is neither empty nor an earlier capture")

// Run runs the command and leaves the capture in o.Out, replacing an earlier one if the command compiled anything for more
// than one device. Its error says why the command could not be run at all or the result not be kept; how the command
// itself fared is in the result.
func Run(ctx context.Context, o Options) (*Result, error) {
	if err := replaceable(o.Out); err != nil {
		return nil, err
	}
	program, err := lookPath(o)
	if err != nil {
		return nil, err
	}
	recoverKilled(o.Out)
	clearLeftovers(o.Out, time.Now())
	if _, err := os.Stat(o.Out); errors.Is(err, fs.ErrNotExist) {
		defer os.Remove(o.Out) // without effect where it holds a capture then
	}
	partial, err := workFolder(o.Out)
	if err != nil {
		return nil, err
	}
	defer discard(o.Out, partial)
	shimDir, err := writeShim()
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(shimDir)

	env, notes, err := o.environment(shimDir, partial)
	if err != nil {
		return nil, err
	}
	status, err := o.run(ctx, program, env)
	if err != nil {
		return nil, err
	}
	result := &Result{Status: status, Interrupted: ctx.Err() != nil, Notes: notes}
	if err := result.collect(o, partial); err != nil {
		return nil, err
	}
	return result, result.keep(o.Out, partial)
}

// replaceable reports an error if out holds anything but a capture, or what a killed one left.
func replaceable(out string) error {
	entries, err := os.ReadDir(out)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	left := slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !strings.HasPrefix(e.Name(), workPrefix) })
	if !left {
		return nil
	}
	if _, err := Read(out); err != nil {
		return fmt.Errorf("%s: %w", out, ErrNotCapture)
	}
	return nil
}

// workFolder makes the folder that the capture is written to until it is complete. It lies in out, which may be a mount point or
// a link to another disk, or stand where nothing else may be written.
func workFolder(out string) (string, error) {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return "", err
	}
	dir, err := ownFolder(out, workPrefix)
	if err != nil {
		return "", err
	}
	return dir, os.Mkdir(filepath.Join(dir, processesFolder), 0o755)
}

// lookPath finds the program as a shell in o.Dir would.
func lookPath(o Options) (string, error) {
	name := o.Command[0]
	if filepath.Base(name) != name && !filepath.IsAbs(name) {
		name = filepath.Join(o.Dir, name)
	}
	program, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("cannot run %s: %w", o.Command[0], errors.Unwrap(err))
	}
	return program, nil
}

func writeShim() (string, error) {
	dir, err := ownFolder("", shimPrefix)
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, "sitecustomize.py"), shim, 0o644); err != nil {
		os.RemoveAll(dir)
		return "", err
	}
	return dir, nil
}

// SignalError is the cause with which a context ends because a signal came to this process.
type SignalError struct{ Signal os.Signal }

func (s SignalError) Error() string { return s.Signal.String() }

// run returns the exit status of the command. When ctx ends the command is told by the same signal, else interrupted, and waited
// for, so that it can write what it wants to keep; a terminal has interrupted it already.
func (o *Options) run(ctx context.Context, program string, env []string) (int, error) {
	cmd := exec.CommandContext(ctx, program, o.Command[1:]...)
	cmd.Args[0] = o.Command[0]
	cmd.Dir, cmd.Env = o.Dir, env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = o.Stdin, o.Stdout, o.Stderr
	pass := func(sent os.Signal) error {
		if o.Foreground && sent == os.Interrupt {
			return nil
		}
		return cmd.Process.Signal(sent)
	}
	ended := make(chan struct{})
	defer close(ended)
	cmd.Cancel = func() error {
		go func() {
			for {
				select {
				case sent := <-o.Again:
					_ = pass(sent) // it may just have ended
				case <-ended:
					return
				}
			}
		}()
		var by SignalError
		if errors.As(context.Cause(ctx), &by) {
			return pass(by.Signal)
		}
		return pass(os.Interrupt)
	}
	err := cmd.Run()
	if cmd.ProcessState == nil { // never started
		return 0, fmt.Errorf("cannot run %s: %w", o.Command[0], err)
	}
	if wait, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && wait.Signaled() {
		return 128 + int(wait.Signal()), nil
	}
	return cmd.ProcessState.ExitCode(), nil
}
