package page_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/klauspost/compress/gzip"
	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/api/page"
)

const document = "<!doctype html><html><head><title>Workbench</title></head><body>one two three one two three one two three</body></html>"

var files = fstest.MapFS{
	"index.html":                 {Data: []byte(document)},
	"assets/app-0123.js":         {Data: []byte(strings.Repeat("let a = 1;\n", 40))},
	"assets/inter-4567.woff2":    {Data: []byte(strings.Repeat("font", 40))},
	"elsewhere/not-served-89.js": {Data: []byte("no")},
}

// ask returns what a handler answers to a request with a header.
func ask(h http.HandlerFunc, target, header, value string) *http.Response {
	r := httptest.NewRequest(http.MethodGet, target, nil)
	if header != "" {
		r.Header.Set(header, value)
	}
	w := httptest.NewRecorder()
	h(w, r)
	return w.Result()
}

// read returns the body of an answer, whose length is the one it says.
func read(t *testing.T, a *http.Response) string {
	t.Helper()
	body, err := io.ReadAll(a.Body)
	require.NoError(t, err)
	require.Equal(t, strconv.Itoa(len(body)), a.Header.Get("Content-Length"))
	require.Equal(t, "nosniff", a.Header.Get("X-Content-Type-Options"))
	if a.Header.Get("Content-Encoding") == "" {
		return string(body)
	}
	require.Equal(t, "gzip", a.Header.Get("Content-Encoding"))
	z, err := gzip.NewReader(bytes.NewReader(body))
	require.NoError(t, err)
	plain, err := io.ReadAll(z)
	require.NoError(t, err)
	return string(plain)
}

// TestWhoGetsThePage: browsers do, and programs that take anything; who asks for JSON
// rather than for HTML, or for nothing, does not.
func TestWhoGetsThePage(t *testing.T) {
	t.Parallel()
	for accept, want := range map[string][2]bool{ // wanted, browsed
		"text/html,application/xhtml+xml,*/*;q=0.8": {true, true},
		"*/*":                                {true, false},
		"text/*":                             {true, false},
		"":                                   {false, false},
		"application/json":                   {false, false},
		"application/json, */*;q=0.5":        {false, false},
		"application/json, text/html":        {true, true},
		"application/json, text/html;q=0.9":  {false, false},
		"application/json;q=0.1, */*":        {true, false},
		"text/html;q=0":                      {false, false},
		"image/png, text/html;q=0.2":         {true, true},
		"application/json;q=0.3, text/*":     {true, false},
		"text/event-stream, application/xml": {false, false},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		if accept != "" {
			r.Header.Set("Accept", accept)
		}
		require.Equal(t, want, [2]bool{page.Wanted(r), page.Browsed(r)}, "%q", accept)
	}
}

// TestDocument: one document stands at every address, compressed for who takes that, never
// kept without asking, and in no frame; a shared run is in no index.
func TestDocument(t *testing.T) {
	t.Parallel()
	p, err := page.New(files)
	require.NoError(t, err)
	for _, address := range page.Addresses() {
		for encoding, compressed := range map[string]bool{"": false, "gzip": true, "gzip;q=0": false, "br, gzip;q=0.5": true, "identity": false} {
			a := ask(func(w http.ResponseWriter, r *http.Request) { p.Serve(w, r, address, nil) }, "/", "Accept-Encoding", encoding)
			require.Equal(t, http.StatusOK, a.StatusCode)
			require.Equal(t, compressed, a.Header.Get("Content-Encoding") != "", "%s: %q", address, encoding)
			require.Equal(t, document, read(t, a))
			require.Equal(t, "text/html; charset=utf-8", a.Header.Get("Content-Type"))
			require.Equal(t, "Accept-Encoding", a.Header.Get("Vary"))
			require.Equal(t, "no-cache", a.Header.Get("Cache-Control"))
			require.Contains(t, a.Header.Get("Content-Security-Policy"), "frame-ancestors 'none'")
			require.NotContains(t, a.Header.Get("Content-Security-Policy"), "unsafe")
			require.Equal(t, address == page.Shared, a.Header.Get("X-Robots-Tag") == "noindex", address)
		}
	}
	missing := ask(p.Missing, "/nowhere", "", "")
	require.Equal(t, http.StatusNotFound, missing.StatusCode)
	require.Equal(t, document, read(t, missing))
}

// TestAbout: what a preview shows is in the head, once, whatever it says; the document that
// others get is as it was.
func TestAbout(t *testing.T) {
	t.Parallel()
	p, err := page.New(files)
	require.NoError(t, err)
	about := &page.About{Title: `Bid "40c" </head><script>`, Text: "won 3 & lost 1", Picture: "https://example.com/r/a/preview.png"}
	serve := func(about *page.About) string {
		return read(t, ask(func(w http.ResponseWriter, r *http.Request) { p.Serve(w, r, page.Shared, about) }, "/r/a", "Accept-Encoding", "gzip"))
	}
	got := serve(about)
	require.Equal(t, 1, strings.Count(got, "</head>"))
	require.NotContains(t, got, "<script>")
	head, body, _ := strings.Cut(got, "</head>")
	require.Contains(t, head, `<meta property="og:title" content="Bid &#34;40c&#34; &lt;/head&gt;&lt;script&gt;">`)
	require.Contains(t, head, `<meta property="og:image" content="https://example.com/r/a/preview.png">`)
	require.Contains(t, head, `<meta name="description" content="won 3 &amp; lost 1">`)
	require.True(t, strings.HasSuffix(document, body))
	require.Equal(t, document, serve(nil))
}

// TestFiles: the files under assets are served, for ever; a font, compressed in itself, as it is.
func TestFiles(t *testing.T) {
	t.Parallel()
	p, err := page.New(files)
	require.NoError(t, err)
	served := p.Files()
	require.Len(t, served, 2)
	for name, want := range map[string][2]string{"/assets/app-0123.js": {"text/javascript; charset=utf-8", "gzip"}, "/assets/inter-4567.woff2": {"font/woff2", ""}} {
		a := ask(served[name], name, "Accept-Encoding", "gzip")
		require.Equal(t, want, [2]string{a.Header.Get("Content-Type"), a.Header.Get("Content-Encoding")})
		require.Equal(t, "public, max-age=31536000, immutable", a.Header.Get("Cache-Control"))
		require.Equal(t, string(files[strings.TrimPrefix(name, "/")].Data), read(t, a))
	}
	_, err = page.New(fstest.MapFS{"assets/app.js": {Data: []byte("1")}})
	require.ErrorContains(t, err, "index.html")
}

// TestDocumentsBesideThePage: one that holds its own script and style says so, and stands in
// the workbench's header where there is a workbench.
func TestDocumentsBesideThePage(t *testing.T) {
	t.Parallel()
	a := ask(page.File("text/html", []byte(document)), "/docs", "", "")
	require.Equal(t, document, read(t, a))
	require.Equal(t, "text/html", a.Header.Get("Content-Type"))
	require.Contains(t, a.Header.Get("Content-Security-Policy"), "script-src 'unsafe-inline'")
	require.Contains(t, a.Header.Get("Content-Security-Policy"), "default-src 'none'")
	a = ask(func(w http.ResponseWriter, _ *http.Request) { page.Picture(w, []byte("png")) }, "/r/a/preview.png", "", "")
	require.Equal(t, "png", read(t, a))
	require.Equal(t, []string{"image/png", "no-cache"}, []string{a.Header.Get("Content-Type"), a.Header.Get("Cache-Control")})

	const marked = "before\n<!-- shell -->\n<b style={font}>head</b>\n<!-- /shell -->\nafter\n"
	require.Equal(t, "before\nafter\n", string(page.InShell([]byte(marked), nil)))
	require.Equal(t, "before\n<b style=/assets/inter-4567.woff2>head</b>\nafter\n", string(page.InShell([]byte(marked), files)))
	require.Equal(t, "before\n<b style=data:,>head</b>\nafter\n", string(page.InShell([]byte(marked), fstest.MapFS{})))
	require.Equal(t, document, string(page.InShell([]byte(document), files)))

	r := httptest.NewRequest(http.MethodGet, "http://host.example:8080/r/a%2Fb?x=1", nil)
	require.Equal(t, "http://host.example:8080/r/a%2Fb/preview.png", page.PictureAt("", r))
	require.Equal(t, "https://public.example/r/a%2Fb/preview.png", page.PictureAt("https://public.example", r))
}
