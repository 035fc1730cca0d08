package page

import (
	"bytes"
	"io/fs"
	"net/http"
	"strconv"
)

// File answers with a page or a document that holds its own script and style.
func File(media string, file []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		h := w.Header()
		h.Set("Content-Type", media)
		h.Set("Content-Length", strconv.Itoa(len(file)))
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Content-Security-Policy", "default-src 'none'; connect-src 'self'; img-src 'self' data:; font-src 'self'; "+
			"script-src 'unsafe-inline'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'")
		w.WriteHeader(http.StatusOK)
		_, _ = w.Write(file) // the client has gone: nobody is left to tell
	}
}

// What stands between these marks of a document is around it where there is a workbench.
var (
	shellBegin = []byte("<!-- shell -->\n")
	shellEnd   = []byte("<!-- /shell -->\n")
	shellFont  = []byte("{font}")
)

// InShell returns a document with the header and the font of the workbench, whose files
// are given; nil: there is none, and the document stands alone.
func InShell(document []byte, files fs.FS) []byte {
	before, rest, _ := bytes.Cut(document, shellBegin)
	shell, after, _ := bytes.Cut(rest, shellEnd)
	if files == nil {
		return bytes.Join([][]byte{before, after}, nil)
	}
	font := []byte("data:,")
	if names, err := fs.Glob(files, "assets/inter-*.woff2"); err == nil && len(names) > 0 {
		font = []byte("/" + names[0])
	}
	return bytes.Join([][]byte{before, bytes.Replace(shell, shellFont, font, 1), after}, nil)
}

// Picture answers with a picture of a run that is shared: its link may be withdrawn, so it
// is asked for each time.
func Picture(w http.ResponseWriter, png []byte) {
	h := w.Header()
	h.Set("Cache-Control", "no-cache")
	h.Set("Content-Type", "image/png")
	h.Set("Content-Length", strconv.Itoa(len(png)))
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(png) // the client has gone: nobody is left to tell
}

// PictureAt is the whole address of the picture of a shared run whose address a request
// names; origin is what people reach the server by, empty: what the request was sent to.
func PictureAt(origin string, r *http.Request) string {
	if origin == "" {
		origin = "http://" + r.Host
	}
	return origin + r.URL.EscapedPath() + "/preview.png"
}
