package api_test

import (
	"compress/gzip"
	"encoding/json"
	"html"
	"image/png"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/api"
)

// aPage is a page of two files.
func aPage() fstest.MapFS {
	return fstest.MapFS{
		"index.html":         {Data: []byte("<!doctype html><title>page</title>")},
		"assets/app-0f.js":   {Data: []byte(strings.Repeat("let a = 1;\n", 100))},
		"assets/in-1f.woff2": {Data: []byte("wOF2")},
	}
}

func getPage(t *testing.T, w *world, path, accept, encoding string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.url+path, nil)
	require.NoError(t, err)
	r.Header.Set("Accept", accept)
	r.Header.Set("Accept-Encoding", encoding)
	resp, err := http.DefaultTransport.RoundTrip(r)
	require.NoError(t, err)
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	return resp, string(body)
}

// TestPage: browsers get the page at each of its addresses, and other clients the
// answers that they always got.
func TestPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *api.Config) { c.Page = aPage() })
	for _, path := range []string{"/", "/runs", "/runs/run_1", "/runs/run_1/compare/run_2", "/markets", "/markets/a%2Fb", "/archive", "/account", "/account/keys", "/r/abc"} {
		resp, body := getPage(t, w, path, "text/html,*/*;q=0.8", "identity")
		require.Equal(t, http.StatusOK, resp.StatusCode, path)
		require.Contains(t, body, "<title>page</title>")
		h := resp.Header
		require.Equal(t, "text/html; charset=utf-8", h.Get("Content-Type"))
		require.Equal(t, "no-cache", h.Get("Cache-Control"))
		require.Equal(t, "nosniff", h.Get("X-Content-Type-Options"))
		require.Equal(t, "no-referrer", h.Get("Referrer-Policy"))
		policy := h.Get("Content-Security-Policy")
		require.Contains(t, policy, "default-src 'none'")
		require.NotContains(t, policy, "unsafe")
		require.NotContains(t, policy, "http")
		require.Equal(t, path == "/r/abc", h.Get("X-Robots-Tag") == "noindex", path)
		for accept, status := range map[string]int{"*/*": 200, "text/*;q=0.3": 200, "application/json, */*;q=0.5": 404, "text/html;q=0.1, application/json": 404} {
			resp, _ = getPage(t, w, path, accept, "identity")
			require.Equal(t, status, resp.StatusCode, "%s for %s", path, accept)
		}
		w.do(t, request{path: path, plan: "-"}).fails(t, 404, "not_found")
	}
	for _, path := range []string{"/nothing", "/runs/a/b", "/assets/app-00.js", "/assets/", "/index.html"} {
		resp, body := getPage(t, w, path, "text/html", "identity")
		require.Equal(t, http.StatusNotFound, resp.StatusCode, path)
		require.Contains(t, body, "<title>page</title>", "a browser is told by the page")
		resp, body = getPage(t, w, path, "*/*", "identity")
		require.Equal(t, http.StatusNotFound, resp.StatusCode, path)
		require.Contains(t, body, `"error":"not_found"`)
	}
	resp, body := getPage(t, w, "/v1/nothing", "text/html", "identity")
	require.Equal(t, http.StatusNotFound, resp.StatusCode)
	require.Contains(t, body, `"error":"not_found"`)
	w.do(t, request{method: http.MethodPost, path: "/runs", plan: "-"}).fails(t, 405, "method_not_allowed")
}

// TestPageFiles: files never change under their names, and are sent compressed to who
// can read that.
func TestPageFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *api.Config) { c.Page = aPage() })
	plain := string(aPage()["assets/app-0f.js"].Data)
	resp, body := getPage(t, w, "/assets/app-0f.js", "*/*", "identity")
	require.Equal(t, plain, body)
	require.Equal(t, "public, max-age=31536000, immutable", resp.Header.Get("Cache-Control"))
	require.Equal(t, "Accept-Encoding", resp.Header.Get("Vary"))
	require.Contains(t, resp.Header.Get("Content-Type"), "javascript")
	resp, body = getPage(t, w, "/assets/app-0f.js", "*/*", "br, gzip")
	require.Equal(t, "gzip", resp.Header.Get("Content-Encoding"))
	require.Less(t, len(body), len(plain))
	z, err := gzip.NewReader(strings.NewReader(body))
	require.NoError(t, err)
	unpacked, err := io.ReadAll(z)
	require.NoError(t, err)
	require.Equal(t, plain, string(unpacked))
	resp, _ = getPage(t, w, "/assets/in-1f.woff2", "*/*", "gzip")
	require.Equal(t, "font/woff2", resp.Header.Get("Content-Type"))
	require.Empty(t, resp.Header.Get("Content-Encoding"))
}

// TestRunAsPage: a run that is done can be had as one page that needs nothing else.
func TestRunAsPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	id := w.finishedRun(t, "", smallRun)
	a := w.do(t, request{path: runPath + "/" + id, header: http.Header{"Accept": {"text/html"}}})
	require.Equal(t, http.StatusOK, a.status, "%s", a.body)
	require.Equal(t, "text/html; charset=utf-8", a.header.Get("Content-Type"))
	require.Equal(t, `attachment; filename="`+id+`.html"`, a.header.Get("Content-Disposition"))
	require.Contains(t, string(a.body), "<!DOCTYPE html>")
	require.Contains(t, string(a.body), "Buy BTC 5m Up when price is below 0.45")
	a = w.do(t, request{path: runPath + "/" + id, header: http.Header{"Accept": {"text/html;q=0.5, application/json"}}})
	require.Equal(t, "application/json", a.header.Get("Content-Type"))
}

// TestPreview: a link to a run tells programs that make previews what came out.
func TestPreview(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *api.Config) {
		c.Page = fstest.MapFS{"index.html": {Data: []byte("<!doctype html><head><title>page</title></head>")}}
	})
	id := w.finishedRun(t, "", strings.Replace(smallRun, "when price", "when Up's price", 1))
	run := runOf(t, w.do(t, request{path: runPath + "/" + id}))
	var link struct{ Path string }
	a := w.do(t, request{method: http.MethodPost, path: runPath + "/" + id + "/share"})
	require.NoError(t, json.Unmarshal(a.body, &link))
	_, body := getPage(t, w, strings.Replace(link.Path, "/v1/shared/", "/r/", 1), "*/*", "gzip")
	require.Contains(t, body, `<meta property="og:title" content="`+run.Words.Verdict+`: Buy BTC 5m Up when Up&#39;s price`)
	require.Contains(t, body, `<meta property="og:description" content="`+html.EscapeString(run.Words.Headline)+`">`)
	picture := regexp.MustCompile(`<meta property="og:image" content="([^"]+)">`).FindStringSubmatch(body)
	require.Len(t, picture, 2)
	resp, drawn := getPage(t, w, strings.TrimPrefix(picture[1], w.url), "image/*", "identity")
	require.Equal(t, http.StatusOK, resp.StatusCode, picture[1])
	require.Equal(t, "image/png", resp.Header.Get("Content-Type"))
	require.Equal(t, "noindex", resp.Header.Get("X-Robots-Tag"))
	size, err := png.DecodeConfig(strings.NewReader(drawn))
	require.NoError(t, err)
	require.Equal(t, []int{1200, 630}, []int{size.Width, size.Height})
	_, body = getPage(t, w, "/r/none", "*/*", "identity")
	require.NotContains(t, body, "og:")
	resp, _ = getPage(t, w, "/r/none/preview.png", "image/*", "identity")
	require.Equal(t, http.StatusNotFound, resp.StatusCode)
	for _, encoding := range []string{"gzip", "identity"} { // what the page reads is compressed, what programs read is as it was
		for path, want := range map[string]string{link.Path: strings.TrimPrefix(encoding, "identity"), runPath + "/" + id: ""} {
			resp, _ := getPage(t, w, path, "application/json", encoding)
			require.Equal(t, want, resp.Header.Get("Content-Encoding"), "%s, %s", path, encoding)
		}
	}
}

// TestDocsInTheShell: the page of the documents has the header of the workbench, where
// there is one.
func TestDocsInTheShell(t *testing.T) {
	t.Parallel()
	files := aPage()
	files["assets/inter-2f.woff2"] = &fstest.MapFile{Data: []byte("wOF2")}
	_, with := getPage(t, newWorld(t, func(c *api.Config) { c.Page = files }), "/docs", "text/html", "identity")
	require.Contains(t, with, `<a href="/markets">Markets</a>`)
	require.Contains(t, with, "url(/assets/inter-2f.woff2)")
	_, without := getPage(t, newWorld(t, nil), "/docs", "text/html", "identity")
	require.NotContains(t, without, `<a href="/markets">Markets</a>`)
	for _, body := range []string{with, without} {
		require.Contains(t, body, `<h1 id="title">`)
		require.NotContains(t, body, "shell -->")
		require.NotContains(t, body, "{font}")
	}
}
