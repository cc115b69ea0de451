// Package testtools finds the programs that tests need and that "make tools" installs under .cache: Python environments
// with given JAX releases, Neovim, and checkers.
//
// A test whose program is missing is skipped, so that "go test ./..." works with Go alone; "make test" installs all of
// them and counts every skip as a failure.
package testtools

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// JAX returns the interpreter of the Python environment with that JAX release: "0.10.2", which also has flax and optax, or
// "0.6.2".
func JAX(t testing.TB, release string) string {
	t.Helper()
	return program(t, "jax-"+release, "bin", "python")
}

// Target returns the interpreter of the Python environment with the newest JAX release and its compiler for a platform: "tpu" or
// "gpu". "make test-targets" installs it.
func Target(t testing.TB, platform string) string {
	t.Helper()
	return program(t, "target-"+platform, "bin", "python")
}

// Python returns the interpreter of the environment that holds the checkers (jsonschema).
func Python(t testing.TB) string {
	t.Helper()
	return program(t, "tools", "bin", "python")
}

// Neovim returns the nvim executable.
func Neovim(t testing.TB) string {
	t.Helper()
	return program(t, "tools", "bin", "nvim")
}

func program(t testing.TB, elem ...string) string {
	t.Helper()
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(append([]string{root, ".cache"}, elem...)...)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		t.Skipf("%s is not installed: run make tools", filepath.Join(elem...))
	} else if err != nil {
		t.Fatal(err)
	}
	return path
}

// moduleRoot walks up from the test's folder to the one with go.mod.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("no go.mod above the test's folder")
		}
		dir = parent
	}
}
