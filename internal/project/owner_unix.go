//go:build unix

package project

import (
	"io/fs"
	"os"
	"syscall"
)

// ownAlone reports whether a file belongs to the user and group of this process and has one name, so that a new file in its place is
// as good.
func ownAlone(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid() && int(stat.Gid) == os.Getegid() && stat.Nlink == 1
}
