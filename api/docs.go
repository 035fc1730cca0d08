package api

import (
	"bytes"
	_ "embed"
	"net/http"
	"strconv"

	"github.com/ladderback/ladderback/docs"
)

//go:embed openapi.json
var openAPI []byte

//go:embed docs.html
var docsPage []byte

// guidePlace is where the guide goes in the page.
const guidePlace = "<!-- guide -->"

// docsWithGuide returns the page of the API's documents: the guide, then every
// operation, which the page makes from the OpenAPI document.
func docsWithGuide() ([]byte, error) {
	guide, err := docs.HTML("api")
	if err != nil {
		return nil, err
	}
	return bytes.Replace(docsPage, []byte(guidePlace), guide, 1), nil
}

// Document returns the OpenAPI document of the API. The caller must not change
// it.
func Document() []byte { return openAPI }

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
