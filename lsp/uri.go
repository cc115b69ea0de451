package lsp

import (
	"net/url"
	"path/filepath"

	"go.lsp.dev/uri"
)

// canonicalURI is the one spelling under which documents are kept: editors differ in what they percent-encode.
func canonicalURI(s string) string {
	u, err := uri.Parse(s)
	if err != nil {
		return s
	}
	return string(u)
}

// pathFromURI is the path under which a document is known to the rest of shardls. Documents that are no files (untitled
// ones, notebook cells, other schemes), or files of another system (drives, where there are none), get an absolute path that no file
// has, made of the whole URI: uri.FsPath would make a relative path of them, which could be that of another file.
func pathFromURI(u uri.URI) string {
	if path := filepath.Clean(u.FsPath()); u.IsFile() && filepath.IsAbs(path) {
		return path
	}
	return string(filepath.Separator) + url.PathEscape(string(u))
}
