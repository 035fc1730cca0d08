package api

import (
	_ "embed"
	"net/http"
	"strconv"
	"strings"

	"github.com/ladderback/ladderback/market"
)

//go:embed openapi.json
var openAPI []byte

//go:embed docs.html
var docsPage []byte

// Document returns the OpenAPI document of the API. The caller must not change
// it.
func Document() []byte { return openAPI }

// home leads a browser that opens the server's address to the documentation;
// anything else is told that there is nothing.
func home(w http.ResponseWriter, r *http.Request) error {
	if strings.Contains(r.Header.Get("Accept"), "text/html") {
		http.Redirect(w, r, "/docs", http.StatusFound)
		return nil
	}
	return market.Errorf(market.CodeNotFound, "no such route: /; the documentation is at /docs")
}

// serveFile answers with an embedded file.
func serveFile(media string, file []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		h := w.Header()
		h.Set("Content-Type", media)
		h.Set("Content-Length", strconv.Itoa(len(file)))
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Content-Security-Policy", "default-src 'none'; connect-src 'self'; img-src 'self' data:; "+
			"script-src 'unsafe-inline'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'")
		w.WriteHeader(http.StatusOK)
		_, _ = w.Write(file) // the client has gone: nobody is left to tell
	}
}
