package oauth_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/identity/oauth"
	"github.com/ladderback/ladderback/market"
)

// ask reads the request of a client, with nothing wrong but what the client may be.
func ask(ctx context.Context, s *oauth.Server, id, redirect string) (*oauth.Request, error) {
	return s.Read(ctx, url.Values{
		"response_type": {"code"}, "client_id": {id}, "redirect_uri": {redirect},
		"code_challenge": {strings.Repeat("A", 43)}, "code_challenge_method": {"S256"},
	})
}

func server(t *testing.T, issuer string) *oauth.Server {
	t.Helper()
	s, err := oauth.New(oauth.Config{Issuer: issuer, Resource: "/mcp", Documents: true})
	require.NoError(t, err)
	return s
}

const back = "http://127.0.0.1/callback"

// TestDocument: a client is what the document at its id says, and is asked for once in a
// while.
func TestDocument(t *testing.T) {
	t.Parallel()
	var fetched atomic.Int32
	var there *httptest.Server
	reply := map[string]func(w http.ResponseWriter){
		"/good.json": func(w http.ResponseWriter) {
			_, _ = fmt.Fprintf(w, `{"client_id":"%s/good.json","client_name":"Lens","redirect_uris":["%s"],"logo_uri":"x"}`, there.URL, back)
		},
		"/other.json": func(w http.ResponseWriter) {
			_, _ = fmt.Fprintf(w, `{"client_id":"%s/good.json","client_name":"Lens","redirect_uris":["%s"]}`, there.URL, back)
		},
		"/leads.json": func(w http.ResponseWriter) {
			w.Header().Set("Location", there.URL+"/good.json")
			w.WriteHeader(http.StatusFound)
		},
		"/large.json":  func(w http.ResponseWriter) { _, _ = w.Write([]byte(`{"x":"` + strings.Repeat("x", 1<<20) + `"}`)) },
		"/secret.json": func(w http.ResponseWriter) { _, _ = w.Write(clientAt(there, "secret", `"client_secret":"s"`)) },
		"/method.json": func(w http.ResponseWriter) {
			_, _ = w.Write(clientAt(there, "method", `"token_endpoint_auth_method":"client_secret_basic"`))
		},
		"/grant.json": func(w http.ResponseWriter) { _, _ = w.Write(clientAt(there, "grant", `"grant_types":["password"]`)) },
		"/name.json":  func(w http.ResponseWriter) { _, _ = w.Write(clientAt(there, "name", `"client_name":"Le\u202ens"`)) },
		"/plain.json": func(w http.ResponseWriter) {
			_, _ = w.Write(clientAt(there, "plain", `"redirect_uris":["http://lens.example/back"]`))
		},
		"/script.json": func(w http.ResponseWriter) {
			_, _ = w.Write(clientAt(there, "script", `"redirect_uris":["javascript:alert(1)"]`))
		},
		"/broken.json": func(w http.ResponseWriter) { _, _ = w.Write([]byte(`{`)) },
		"/page.json": func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write(clientAt(there, "page", `"x":1`))
		},
	}
	there = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fetched.Add(1)
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		if f := reply[r.URL.Path]; f != nil {
			f(w)
			return
		}
		w.WriteHeader(http.StatusNotFound)
	}))
	defer there.Close()
	s := server(t, "http://localhost:1")
	for range 3 {
		r, err := ask(t.Context(), s, there.URL+"/good.json", "http://127.0.0.1:4123/callback")
		require.NoError(t, err)
		require.Equal(t, "Lens", r.Client.Name)
		require.Equal(t, strings.TrimPrefix(there.URL, "http://"), r.Client.Host())
	}
	require.EqualValues(t, 1, fetched.Load())
	for path := range reply {
		if path == "/good.json" {
			continue
		}
		_, err := ask(t.Context(), s, there.URL+path, back)
		require.Equal(t, market.CodeBadRequest, market.CodeOf(err), "%s: %v", path, err)
		require.Contains(t, market.AsError(err).Message, "is not there, or is none of a client", path)
	}
	before := fetched.Load()
	for _, id := range []string{"", "lens", "/good.json", "ftp://127.0.0.1/a", there.URL, there.URL + "/", there.URL + "/a#b", there.URL + "/a?b", there.URL + "/a/../good.json",
		strings.Replace(there.URL, "http://", "http://user@", 1) + "/good.json", there.URL + "/%67ood.json", "http://lens.example/client.json", "https://lens.example:8443/client.json"} {
		_, err := ask(t.Context(), s, id, back)
		require.Equal(t, market.CodeBadRequest, market.CodeOf(err), id)
	}
	require.Equal(t, before, fetched.Load(), "asked for without need")
}

// clientAt is a document with one member beside, or in place of, what it needs.
func clientAt(there *httptest.Server, name, member string) []byte {
	return fmt.Appendf(nil, `{"client_id":"%s/%s.json","client_name":"Lens","redirect_uris":["%s"],%s}`, there.URL, name, back, member)
}

// TestNoWayInside: a server on the internet asks no address inside, however it is named.
func TestNoWayInside(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 10)
	inside := httptest.NewTLSServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked <- r.URL.Path }))
	defer inside.Close()
	s := server(t, "https://app.example.com")
	for _, host := range []string{"127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "10.0.0.1", "192.168.0.1", "169.254.169.254", "100.64.0.1", "[fd00::1]", "[fe80::1]", "[64:ff9b::a00:1]", "2130706433", "0x7f000001"} {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		_, err := ask(ctx, s, "https://"+host+"/client.json", back)
		cancel()
		require.Equal(t, market.CodeBadRequest, market.CodeOf(err), host)
		if host[0] != '2' && host[:2] != "0x" { // no address, unless a resolver says so
			require.ErrorContains(t, err, "is no public address", host)
		}
	}
	_, err := ask(t.Context(), s, inside.URL+"/client.json", back) // a port of its own
	require.Equal(t, market.CodeBadRequest, market.CodeOf(err))
	require.Empty(t, asked)
}

// TestClients: those that the operator names have to be such that answers to them are
// safe.
func TestClients(t *testing.T) {
	t.Parallel()
	for _, one := range []struct {
		client oauth.Client
		why    string
	}{
		{oauth.Client{Name: "x", Redirects: []string{back}}, "client_id: missing"},
		{oauth.Client{ID: "x", Redirects: []string{back}}, "client_name"},
		{oauth.Client{ID: "x", Name: "x"}, "redirect_uris: expected 1 to 32"},
		{oauth.Client{ID: "x", Name: "x", Redirects: []string{"http://example.com/"}}, "expected https, or http on loopback"},
		{oauth.Client{ID: "x", Name: "x", Redirects: []string{"https://example.com/#a"}}, "expected https, or http on loopback"},
	} {
		_, err := oauth.New(oauth.Config{Issuer: "https://app.example.com", Clients: []oauth.Client{one.client}})
		require.ErrorContains(t, err, one.why)
	}
	s, err := oauth.New(oauth.Config{Issuer: "https://app.example.com", Clients: []oauth.Client{{ID: "desk", Name: "Desk", Redirects: []string{"https://desk.example/back", back}}}})
	require.NoError(t, err)
	require.False(t, s.Documents())
	for redirect, ok := range map[string]bool{
		"https://desk.example/back": true, "http://127.0.0.1:9/callback": true, back: true,
		"https://desk.example:8443/back": false, "https://desk.example/back/": false, "http://localhost/callback": false, "http://127.0.0.1:9/other": false,
		"http://127.0.0.1:9/callback#x": false, "http://u@127.0.0.1/callback": false, "": false,
	} {
		_, err := ask(t.Context(), s, "desk", redirect)
		require.Equal(t, ok, err == nil, "%s: %v", redirect, err)
	}
	_, err = ask(t.Context(), s, "https://example.com/client.json", back)
	require.ErrorContains(t, err, "none that this server knows")
}
