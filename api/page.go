package api

import (
	"bytes"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"

	"github.com/go-chi/chi/v5"
	"github.com/klauspost/compress/gzip"

	"github.com/ladderback/ladderback/api/wire"
)

// pagePaths are the addresses of the workbench page; what each shows is decided in the
// browser. Its own files are below /assets/.
var pagePaths = [...]string{
	"/", "/runs", "/runs/{id}", "/runs/{id}/compare/{other}", "/markets", "/markets/{id_or_slug}", "/archive", "/r/{token}",
}

// sharedPage is the address of a shared run.
const sharedPage = "/r/{token}"

// pagePolicy lets the page load its own files and ask its own server, and nothing
// else: no script or style in the page, no other host, no frame around it.
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// asset is a file of the page, as it is and compressed.
type asset struct {
	media        string
	plain, gzips []byte // gzips is empty where it would save nothing
}

func assetOf(name string, content []byte) (asset, error) {
	a := asset{media: mime.TypeByExtension(path.Ext(name)), plain: content}
	if path.Ext(name) == ".woff2" { // compressed in itself
		a.media = "font/woff2"
		return a, nil
	}
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return a, err
	}
	if _, err := z.Write(content); err != nil {
		return a, err
	}
	if err := z.Close(); err != nil {
		return a, err
	}
	a.gzips = b.Bytes()
	return a, nil
}

func (a *asset) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", a.media)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Vary", "Accept-Encoding")
	body := a.plain
	for _, item := range wire.Weights(r.Header["Accept-Encoding"]) {
		if item.Name == "gzip" && item.Q > 0 && len(a.gzips) > 0 {
			h.Set("Content-Encoding", "gzip")
			body = a.gzips
		}
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(body) // the client has gone: nobody is left to tell
}

// workbench adds the page to the router: its document at every address that it has,
// for whoever accepts HTML, and its files, which never change under their names.
func (s *Server) workbench(r chi.Router) error {
	if s.cfg.Page == nil {
		r.Get("/", s.handle(home))
		return nil
	}
	content, err := fs.ReadFile(s.cfg.Page, "index.html")
	if err != nil {
		return fmt.Errorf("api: page: %w", err)
	}
	document, err := assetOf("index.html", content)
	if err != nil {
		return fmt.Errorf("api: page: %w", err)
	}
	for _, at := range pagePaths {
		r.Get(at, s.handle(func(w http.ResponseWriter, req *http.Request) error {
			if !strings.Contains(req.Header.Get("Accept"), "text/html") {
				return noRoute(req)
			}
			h := w.Header()
			h.Set("Cache-Control", "no-cache")
			h.Set("Content-Security-Policy", pagePolicy)
			h.Set("Referrer-Policy", "no-referrer")
			h.Set("Cross-Origin-Opener-Policy", "same-origin")
			if at == sharedPage {
				h.Set("X-Robots-Tag", "noindex")
			}
			document.serve(w, req)
			return nil
		}))
	}
	files, err := fs.Glob(s.cfg.Page, "assets/*")
	if err != nil {
		return fmt.Errorf("api: page: %w", err)
	}
	for _, name := range files {
		content, err := fs.ReadFile(s.cfg.Page, name)
		if err != nil {
			return fmt.Errorf("api: page: %w", err)
		}
		one, err := assetOf(name, content)
		if err != nil {
			return fmt.Errorf("api: page: %w", err)
		}
		r.Get("/"+name, func(w http.ResponseWriter, req *http.Request) {
			w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
			one.serve(w, req)
		})
	}
	return nil
}
