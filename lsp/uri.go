package lsp

import (
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
// ones, notebook cells, other schemes) are known by their URI, which no file's path equals: uri.FsPath would make a
// relative path of them.
func pathFromURI(u uri.URI) string {
	if u.IsFile() {
		return u.FsPath()
	}
	return string(u)
}

// uriFromPath is the inverse of pathFromURI.
func uriFromPath(path string) uri.URI {
	if u, err := uri.ParseStrict(path); err == nil && len(u.Scheme()) > 1 && !u.IsFile() {
		return u // a scheme of one letter is a Windows drive
	}
	return uri.File(path)
}
