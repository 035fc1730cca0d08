// Package page serves the workbench: its document, at each of its addresses, and
// its files.
package page

import (
	"bytes"
	"fmt"
	"html"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzip"

	"github.com/ladderback/ladderback/api/wire"
)

// Addresses returns the patterns of the page; the browser decides what each one
// shows.
func Addresses() []string {
	return []string{"/", "/runs", "/runs/{id}", "/runs/{id}/compare/{other}", "/runs/{id}/neighbours", "/markets", "/markets/{id_or_slug}", "/archive", "/account", "/account/{tab}", Shared}
}

// Shared is the address of a shared run.
const Shared = "/r/{token}"

// SharedPicture is the address of the picture in previews of a link to it.
const SharedPicture = Shared + "/preview.png"

// policy lets the page load its own files and ask its own server, and nothing
// else: no script or style in the page, no other host, no frame around it.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; " +
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

func (a *asset) serve(w http.ResponseWriter, r *http.Request, status int) {
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
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client has gone: nobody is left to tell
}

// Page holds the files in memory. It is safe for concurrent use.
type Page struct {
	document asset
	files    map[string]asset // by path, "assets/app-0123456789ab.js"
}

// New reads index.html and the files under assets/.
func New(files fs.FS) (*Page, error) {
	content, err := fs.ReadFile(files, "index.html")
	if err != nil {
		return nil, fmt.Errorf("page: %w", err)
	}
	p := &Page{files: map[string]asset{}}
	if p.document, err = assetOf("index.html", content); err != nil {
		return nil, fmt.Errorf("page: %w", err)
	}
	names, err := fs.Glob(files, "assets/*")
	if err != nil {
		return nil, fmt.Errorf("page: %w", err)
	}
	for _, name := range names {
		if content, err = fs.ReadFile(files, name); err != nil {
			return nil, fmt.Errorf("page: %w", err)
		}
		if p.files[name], err = assetOf(name, content); err != nil {
			return nil, fmt.Errorf("page: %w", err)
		}
	}
	return p, nil
}

// Wanted reports whether the document is to be sent to the address: to browsers, and to
// programs that take anything, such as those that make previews of links. Who asks for
// JSON rather than for HTML, or for nothing, gets the API's answer there.
func Wanted(r *http.Request) bool { return weight(r, true) }

// Browsed reports whether a browser is opening the address: it asks for HTML by name.
func Browsed(r *http.Request) bool { return weight(r, false) }

// weight reports whether the request wants HTML at least as much as JSON; with anything,
// what takes everything counts as HTML.
func weight(r *http.Request, anything bool) bool {
	document, json := 0.0, 0.0
	for _, item := range wire.Weights(r.Header["Accept"]) {
		switch {
		case item.Name == "text/html", anything && (item.Name == "*/*" || item.Name == "text/*"):
			document = max(document, item.Q)
		case item.Name == "application/json":
			json = max(json, item.Q)
		}
	}
	return document > 0 && document >= json
}

// About is what a preview of a link to the page shows.
type About struct {
	Title, Text string
	Picture     string // whole address of one of 1200 by 630
}

// Serve answers with the document at one of Addresses. about, which may be nil, goes
// into its head.
func (p *Page) Serve(w http.ResponseWriter, r *http.Request, address string, about *About) {
	p.headers(w)
	if address == Shared {
		w.Header().Set("X-Robots-Tag", "noindex")
	}
	document := p.document
	if about != nil {
		document = asset{media: document.media, plain: about.into(document.plain)}
	}
	document.serve(w, r, http.StatusOK)
}

// Missing answers a browser that no page is at the address.
func (p *Page) Missing(w http.ResponseWriter, r *http.Request) {
	p.headers(w)
	p.document.serve(w, r, http.StatusNotFound)
}

func (p *Page) headers(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Cache-Control", "no-cache")
	h.Set("Content-Security-Policy", policy)
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
}

// into puts what a preview shows into the head of a document.
func (a *About) into(document []byte) []byte {
	var head strings.Builder
	for _, m := range [][2]string{{"og:type", "article"}, {"og:site_name", "Ladderback"}, {"og:title", a.Title}, {"og:description", a.Text}, {"og:image", a.Picture}, {"og:image:width", "1200"}, {"og:image:height", "630"}} {
		fmt.Fprintf(&head, "<meta property=\"%s\" content=\"%s\">\n", m[0], html.EscapeString(m[1]))
	}
	head.WriteString("<meta name=\"twitter:card\" content=\"summary_large_image\">\n")
	fmt.Fprintf(&head, "<meta name=\"description\" content=\"%s\">\n</head>", html.EscapeString(a.Text))
	return bytes.Replace(document, []byte("</head>"), []byte(head.String()), 1)
}

// Files maps the path of each file to its handler. A file never changes under its
// path and may be cached for ever.
func (p *Page) Files() map[string]http.HandlerFunc {
	out := make(map[string]http.HandlerFunc, len(p.files))
	for name, one := range p.files {
		out["/"+name] = func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
			one.serve(w, r, http.StatusOK)
		}
	}
	return out
}
