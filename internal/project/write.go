package project

import (
	"os"
	"path/filepath"
)

// replaceFile replaces the content of a file that is there as a whole: a reader sees the old or the new content, never a part. What
// else is known of the file stays: its permissions and owner, the symbolic link that leads to it, and its other names.
func replaceFile(path string, content []byte) error {
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	// What may not be written may not be replaced either.
	file, err := os.OpenFile(target, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	temporary, err := os.CreateTemp(filepath.Dir(target), ".shardls-*")
	if err != nil { // a folder that nothing can be added to
		return overwrite(file, content)
	}
	defer os.Remove(temporary.Name()) // without effect after the rename
	err = overwrite(temporary, content)
	if closed := temporary.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err // there is no room for it
	}
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if !ownAlone(info) || os.Chmod(temporary.Name(), info.Mode().Perm()) != nil || os.Rename(temporary.Name(), target) != nil {
		return overwrite(file, content)
	}
	return nil
}

// overwrite makes content all that an open file holds.
func overwrite(file *os.File, content []byte) error {
	if _, err := file.WriteAt(content, 0); err != nil {
		return err
	}
	return file.Truncate(int64(len(content)))
}
