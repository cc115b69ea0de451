package project

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"
)

// maxPiped is the size in bytes of the largest content that is taken from what is no regular file, such as a pipe or a device: it
// may never end.
const maxPiped = 1 << 30

// regular reports whether a path leads to a file that reading neither empties nor waits for.
func regular(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// readWhole returns what a file holds, in the memory of buffer where that is large enough, and when it was written.
func readWhole(buffer []byte, path string) ([]byte, time.Time, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, time.Time{}, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, time.Time{}, err
	}
	content := slices.Grow(buffer[:0], int(min(info.Size(), maxPiped))+1)
	for err == nil {
		var n int
		n, err = file.Read(content[len(content):cap(content)])
		content = content[:len(content)+n]
		if len(content) == cap(content) {
			content = slices.Grow(content, len(content))
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return content, info.ModTime(), err
}

// readFile reads what a person named as a whole, which may be a pipe.
func readFile(path string) ([]byte, error) {
	if regular(path) {
		return os.ReadFile(path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, maxPiped+1))
	if err == nil && len(content) > maxPiped {
		return nil, errors.New("it gives more than 1 GiB, and is no regular file")
	}
	return content, err
}

// readPiped returns the contents of those paths that can be read only once, added to an overlay.
func readPiped(paths []string, overlay map[string][]byte) (map[string][]byte, error) {
	out := map[string][]byte{}
	for path, content := range overlay {
		out[path] = content
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		if _, known := out[path]; known || err != nil || info.IsDir() || info.Mode().IsRegular() {
			continue // what is not there is told of later
		}
		if out[path], err = readFile(path); err != nil {
			return nil, fmt.Errorf("%s: %w", path, reason(err))
		}
	}
	return out, nil
}
