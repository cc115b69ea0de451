//go:build unix

package capture

import (
	"errors"
	"syscall"
)

// gone reports whether no process has a number. Another user's process is there.
func gone(pid int) bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }
