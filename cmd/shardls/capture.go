package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/shardls/shardls/internal/capture"
)

// statusError ends shardls with the exit status of the command that capture ran; it prints nothing.
type statusError int

func (s statusError) Error() string { return fmt.Sprintf("the command ended with status %d", int(s)) }

type captureFlags struct {
	out         string
	devices     int
	target      string
	realDevices bool
}

func newCapture(env environment) *cobra.Command {
	var flags captureFlags
	cmd := &cobra.Command{
		Use:   "capture [flags] -- COMMAND [ARGUMENT...]",
		Short: "Run a command and keep the HLO that its JAX functions compile to",
		Long: `Run a command, unchanged, and keep the HLO of every function that it compiles for more than one device, with the
meshes, the shardings, the tree paths of the arguments, and a copy of the sources as they are now. JAX simulates the
devices on the CPU unless --real-devices is given. The exit status is that of the command.`,
		Example: `  shardls capture -- python train.py --steps 1
  shardls capture --devices 32 -o dumps -- python -m project.train
  shardls capture --target tpu-v5e:2x4 -- python train.py`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("capture: want a command to run, as in: shardls capture -- python train.py")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return runCapture(cmd, env, flags, args) },
	}
	cmd.Flags().SetInterspersed(false) // what follows the command's name is the command's
	cmd.Flags().StringVarP(&flags.out, "output", "o", "shardls-capture", "folder to write to; an earlier capture in it is replaced")
	cmd.Flags().IntVar(&flags.devices, "devices", 0, "number of simulated devices (default: what XLA_FLAGS or --target says, else 8)")
	cmd.Flags().StringVar(&flags.target, "target", "", "compile for these accelerators as well, which need not be there: tpu-v5e:2x4, tpu-v5p:2x2x2, h100:8")
	cmd.Flags().BoolVar(&flags.realDevices, "real-devices", false, "run on the devices that JAX finds instead of simulated ones")
	return cmd
}

func runCapture(cmd *cobra.Command, env environment, flags captureFlags, args []string) error {
	if cmd.Flags().Changed("devices") && flags.devices < 1 {
		return fmt.Errorf("--devices %d: want at least 1", flags.devices)
	}
	if flags.realDevices && cmd.Flags().Changed("devices") {
		return errors.New("--devices simulates devices, --real-devices does not: give one of them")
	}
	if flags.out == "" {
		return errEmptyPath
	}
	opts := capture.Options{
		Command: args, Dir: env.dir, Env: os.Environ(),
		Out: absolute(env.dir, flags.out), Devices: flags.devices, RealDevices: flags.realDevices,
		Foreground: isTerminal(env.in), Again: env.again,
		Stdin: env.in, Stdout: env.out, Stderr: env.err,
	}
	if flags.target != "" {
		target, err := capture.ParseTarget(flags.target)
		if err != nil {
			return err
		}
		opts.Target = target
	}
	result, err := capture.Run(cmd.Context(), opts)
	if err != nil {
		return fmt.Errorf("capture: %w", err)
	}
	reportCapture(env.err, flags.out, result)
	if result.Status != 0 {
		return statusError(result.Status)
	}
	return nil
}

func absolute(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

func isTerminal(r io.Reader) bool {
	f, ok := r.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// reportCapture says what was found and what to type next.
func reportCapture(w io.Writer, out string, r *capture.Result) {
	for _, note := range r.Notes {
		fmt.Fprintf(w, "shardls capture: %s\n", note)
	}
	m := r.Manifest
	kept := ""
	if len(m.Modules) > 0 {
		kept = "; what was compiled before is kept"
	}
	switch {
	case r.Interrupted:
		fmt.Fprintf(w, "shardls capture: interrupted%s\n", kept)
	case r.Status != 0:
		fmt.Fprintf(w, "shardls capture: the command ended with status %d%s\n", r.Status, kept)
	}
	if len(m.Modules) == 0 {
		fmt.Fprintf(w, "shardls capture: nothing was captured: %s\n", nothingBecause(r))
		if r.Earlier {
			fmt.Fprintf(w, "shardls capture: the earlier capture in %s is still there\n", out)
		}
		return
	}
	fmt.Fprintf(w, "\nCaptured %s%s in %s%s\n", counted(len(m.Modules), "module"), compiledFor(m), out, release(m))
	for _, module := range m.Modules {
		fmt.Fprintf(w, "  %s\n", describeModule(module))
		for _, problem := range module.Problems {
			fmt.Fprintf(w, "    %s\n", problem)
		}
	}
	fmt.Fprintf(w, "\nNext:\n  shardls check --hlo %[1]s\n  shardls collectives %[1]s\n  shardls gradients %[1]s\n", quote(out))
}

// compiledFor names the target, where the dumps are its own.
func compiledFor(m *capture.Manifest) string {
	for _, module := range m.Modules {
		for _, f := range module.Files {
			if f.Platform != "cpu" && m.Target != "" {
				return " for " + m.Target
			}
		}
	}
	return ""
}

func nothingBecause(r *capture.Result) string {
	switch {
	case r.Hooked && r.Single > 0:
		return fmt.Sprintf("%s for one device only; is the mesh made from jax.devices(), and are the arguments placed on it?", everyCompilation(r.Single))
	case r.Hooked:
		return "JAX was imported, but compiled nothing"
	case len(r.Manifest.Problems) > 0:
		return r.Manifest.Problems[0]
	}
	return "the command did not import JAX in a Python that reads PYTHONPATH (python -I, -E and -S do not)"
}

func everyCompilation(n int) string {
	if n == 1 {
		return "the one compilation was"
	}
	return fmt.Sprintf("all %d compilations were", n)
}

func release(m *capture.Manifest) string {
	if m.JAX == "" {
		return ""
	}
	return fmt.Sprintf(" (JAX %s)", m.JAX)
}

func describeModule(m capture.Module) string {
	parts := []string{m.Name, counted(m.Devices, "device")}
	for _, mesh := range m.Meshes {
		axes := make([]string, len(mesh.Axes))
		for i, axis := range mesh.Axes {
			axes[i] = fmt.Sprintf("%s=%d", axis.Name, axis.Size)
		}
		parts = append(parts, "mesh "+strings.Join(axes, " "))
	}
	if m.Arguments != nil {
		parts = append(parts, counted(len(m.Arguments), "argument"))
	}
	parts = append(parts, counted(len(m.Files), "dump file"))
	return strings.Join(parts, ", ")
}

// quote makes a path one word of a POSIX shell.
func quote(path string) string {
	if strings.ContainsFunc(path, func(r rune) bool { return !strings.ContainsRune("/._-+=:,@%", r) && !isWord(r) }) {
		return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return path
}

func isWord(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}
