package api_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/identity"
	"github.com/ladderback/ladderback/internal/pgtest"
)

// TestTextsThatNoStoreTakes sends null characters and bytes that are not UTF-8 to every
// kind of place that a text is looked up by or kept from: over both stores the same
// refusal, and no alert.
func TestTextsThatNoStoreTakes(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(t *testing.T) (*identity.Store, error){
		"file": func(t *testing.T) (*identity.Store, error) {
			return identity.Open(context.Background(), filepath.Join(t.TempDir(), "access.db"), true)
		},
		"PostgreSQL": func(t *testing.T) (*identity.Store, error) {
			return identity.Open(context.Background(), pgtest.Database(t), true)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, err := open(t)
			require.NoError(t, err)
			w := newTownOver(t, store, nil)
			p := w.settle(t, "ada@example.com")
			for _, bad := range []string{"%00", "a%00b", "%ff", "%c0%80", "%ed%a0%80"} {
				for path, want := range map[string]int{
					"GET /app/audit?before=": http.StatusBadRequest, "DELETE /app/keys/": http.StatusNotFound,
					"DELETE /app/account/sessions/": http.StatusNotFound, "DELETE /app/organization/members/": http.StatusNotFound,
					"DELETE /app/organization/invitations/": http.StatusNotFound, "GET /app/v1/markets/": http.StatusNotFound,
					"GET /app/v1/markets?search=": http.StatusBadRequest,
				} {
					var method, to string
					_, _ = fmt.Sscan(path, &method, &to)
					require.Equal(t, want, p.do(t, method, to+bad, "").status, "%s%s", path, bad)
				}
			}
			for path, body := range map[string]string{
				"/app/account/organization": `{"id":"\u0000"}`, "/app/keys": `{"name":"\u0000"}`, "/app/verify": `{"token":"\u0000"}`,
				"/app/sign-in": `{"email":"a\u0000@example.com","password":"x"}`, "/app/organization": `{"name":"a\u0000"}`,
				"/app/organization/members/x": `{"role":"\u0000"}`, "/app/invitations/accept": `{"token":"\u0000"}`,
			} {
				require.Equal(t, http.StatusBadRequest, p.do(t, http.MethodPost, path, body).status, path)
			}
			require.NotContains(t, w.log.String(), "level=WARN")
			require.NotContains(t, w.log.String(), "status=5")
		})
	}
}

// TestNamesThatDeceive: a name that turns what follows round, or has what nobody sees, is
// refused for keys and organizations.
func TestNamesThatDeceive(t *testing.T) {
	t.Parallel()
	w := newTown(t, nil)
	p := w.settle(t, "ada@example.com")
	for _, bad := range []string{`\u202e`, `\u200b`, `\u2028`, `\u2029`, `\u00ad`, `\ufeff`, `\u2066`, `\ud800`, `\ue000`, `\u034f`, `\udb40\udc41`} {
		for _, path := range []string{"/app/keys", "/app/organization"} {
			require.Equal(t, http.StatusUnprocessableEntity, p.do(t, http.MethodPost, path, `{"name":"a`+bad+`b"}`).status, bad)
		}
	}
	for _, good := range []string{"desk", "Grüße", "取引", "a – b", "🙂"} {
		p.ok(t, http.StatusCreated, http.MethodPost, "/app/keys", fmt.Sprintf(`{"name":%q}`, good))
	}
}

// TestLengthBesideChunks: a connection on which a body came in chunks, with a length
// beside them, is not used again.
func TestLengthBesideChunks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	at, err := url.Parse(w.url)
	require.NoError(t, err)
	c, err := net.Dial("tcp", at.Host)
	require.NoError(t, err)
	defer c.Close()
	require.NoError(t, c.SetDeadline(time.Now().Add(time.Minute)))
	_, err = io.WriteString(c, "POST /v1/ai/parse HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"+
		"GET /v1/tags HTTP/1.1\r\nHost: x\r\n\r\n")
	require.NoError(t, err)
	r := bufio.NewReader(c)
	first, err := http.ReadResponse(r, nil)
	require.NoError(t, err)
	_, err = io.Copy(io.Discard, first.Body)
	require.NoError(t, err)
	require.True(t, first.Close)
	_, err = http.ReadResponse(r, nil)
	require.Error(t, err, "a second request was answered")
}
