package project

import (
	"io/fs"
	"os"
	"syscall"
)

// mapFile returns the content of a regular file without copying it: the pages are those of the system's file cache, all of them
// entered at once. It answers false where the file cannot be mapped. The mapping lasts as long as the process.
//
// Reading a file that is cut short while it is mapped is a fault, see [CutShort], so that only a command that ends soon may do this.
func mapFile(path string, info fs.FileInfo) ([]byte, bool) {
	size := info.Size()
	if !info.Mode().IsRegular() || size == 0 || int64(int(size)) != size {
		return nil, false
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, false
	}
	defer file.Close()
	content, err := syscall.Mmap(int(file.Fd()), 0, int(size), syscall.PROT_READ, syscall.MAP_PRIVATE|syscall.MAP_POPULATE)
	return content, err == nil
}

// leavePart takes the pages of a part of a mapped file, which begins with a whole page, out of the memory of the process; they enter
// again where it is read. That it may not work is of no importance.
func leavePart(part []byte) { _ = syscall.Madvise(part, syscall.MADV_DONTNEED) }
