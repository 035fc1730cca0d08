// Package web holds the workbench page: one document with its script, style and
// font, built from the sources beside it (docs/workbench.md). It imports no other
// package of the project; the page talks to the API over HTTP.
package web

import (
	"embed"
	"io/fs"
)

//go:embed dist
var dist embed.FS

// Files returns the built page: index.html at the top and, in assets/, the files
// that it names. The name of each asset contains a hash of its content, so a name
// never stands for two contents.
func Files() fs.FS {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // "dist" is a valid name
	}
	return files
}
