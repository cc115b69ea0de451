//go:build !windows

package lsp

import (
	"errors"
	"syscall"
)

// processAlive reports whether a process exists, also one that belongs to somebody else.
func processAlive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
