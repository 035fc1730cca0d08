package ingest

import (
	"path/filepath"
	"slices"
	"strings"
)

// plainly are names of files that lie beside captures and are none: the part
// before the first dot, in lower case; or endings.
var (
	plainNames = [...]string{
		"license", "licence", "notice", "copying", "readme", "changelog", "citation", "authors", "contributing",
		"sha256sums", "sha512sums", "sha1sums", "md5sums", "checksums", "checksum", "manifest", "thumbs", "desktop", "_success",
	}
	plainEndings = [...]string{".md", ".sha256", ".sha512", ".sha1", ".md5", ".crc", ".sig", ".asc", ".url", ".pdf", ".html", ".png", ".jpg", ".py", ".ipynb"}
)

// recorderState is where the recorder keeps, beside its captures, how far it is.
const recorderState = "state.json"

// plainlyNone reports whether the name of a file says that it holds no captures.
func plainlyNone(path string) bool {
	name := strings.ToLower(filepath.Base(path))
	stem, _, _ := strings.Cut(name, ".")
	return name == recorderState || slices.Contains(plainNames[:], stem) || slices.Contains(plainEndings[:], filepath.Ext(name))
}
