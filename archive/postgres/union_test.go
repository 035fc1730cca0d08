//go:build unix

package postgres_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/api"
	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/postgres"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/identity"
	"github.com/ladderback/ladderback/internal/archivetest"
	"github.com/ladderback/ladderback/internal/pgtest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
)

// proxied opens the sports half of a union through a proxy that can be cut, in
// front of a server of its own, beside the crypto half in the embedded store.
// Both have the markets of a scenario.
func proxied(t *testing.T, through func(server *pgtest.Server) *pgtest.Proxy) (*archive.Union, *pgtest.Proxy, error) {
	t.Helper()
	s := archivetest.NewScenario(61, 150)
	files := append(s.Split(61, 2), archivetest.Metadata(s, 61, 2)...)
	here := file(t)
	require.NoError(t, put(t, here, s, files))
	server := pgtest.NewServer(t)
	there := archivetest.New(mustCreate(t, server.Address("postgres")))
	require.NoError(t, put(t, there, s, files))
	require.NoError(t, there.Close())
	p := through(server)
	opened, away, err := postgres.OpenLater(t.Context(), p.Address("postgres")+"&connect_timeout=1")
	require.NoError(t, err)
	sports := archivetest.New(opened)
	t.Cleanup(func() { require.NoError(t, sports.Close()) })
	u, err := archive.NewUnion(archive.Member{Category: market.Crypto, Archive: here.Archive}, archive.Member{Category: market.Sports, Archive: sports.Archive})
	require.NoError(t, err)
	return u, p, away
}

// readable is an archive, or several as one.
type readable interface {
	api.Catalogue
	replay.Source
}

// client asks an API over an archive.
type client struct {
	server *api.Server
	key    string
}

func newClient(t testing.TB, u readable, patience time.Duration) *client {
	t.Helper()
	keys, err := identity.Open(t.Context(), filepath.Join(t.TempDir(), "keys.db"), true)
	require.NoError(t, err)
	t.Cleanup(func() { _ = keys.Close() })
	guard := identity.NewKeys(keys, identity.DefaultPlans(), nil)
	_, key, err := guard.Create(t.Context(), "enterprise", "", "", 0)
	require.NoError(t, err)
	s, err := api.New(api.Config{Catalogue: u, Rounds: u, Keys: guard, RequestTimeout: patience})
	require.NoError(t, err)
	return &client{s, key}
}

func (c *client) get(t testing.TB, path string) (status int, body string) {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, path, nil).WithContext(t.Context())
	r.Header.Set("Authorization", "Bearer "+c.key)
	w := httptest.NewRecorder()
	c.server.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// cryptoPath is the path of a page of history of a crypto market.
func cryptoPath(t *testing.T, u *archive.Union) string {
	t.Helper()
	rows, err := u.Markets(t.Context(), store.MarketQuery{Category: market.Crypto})
	require.NoError(t, err)
	require.NotEmpty(t, rows)
	return "/v1/markets/" + rows[0].Market.VenueID + "/prices?category=crypto&resolution=1m&start_ts=" +
		rows[0].Stats.First.String() + "&end_ts=" + rows[0].Stats.Last.String()
}

// TestUnionMemberDownAtStart opens a union of which one server is down: the
// other archive answers for its category, what needs both is refused by name,
// and when the server comes up its archive is there without a restart.
func TestUnionMemberDownAtStart(t *testing.T) {
	t.Parallel()
	var server *pgtest.Server
	u, p, away := proxied(t, func(s *pgtest.Server) *pgtest.Proxy {
		server = s
		server.Kill()
		return pgtest.NewProxy(t, server)
	})
	require.ErrorIs(t, away, store.ErrUnreachable)
	c := newClient(t, u, time.Minute)
	crypto := cryptoPath(t, u)
	for _, path := range []string{"/v1/markets?category=crypto", "/v1/tags?category=crypto", crypto, "/readyz"} {
		status, body := c.get(t, path)
		require.Equal(t, http.StatusOK, status, "%s: %s", path, body)
	}
	for _, path := range []string{"/v1/markets", "/v1/markets?category=sports", "/v1/tags", "/v1/events"} {
		status, body := c.get(t, path)
		require.Equal(t, http.StatusServiceUnavailable, status, "%s: %s", path, body)
		require.Contains(t, body, "sports", path)
		require.NotContains(t, body, p.Listen, "addresses are not for clients")
	}
	_, err := u.Markets(t.Context(), store.MarketQuery{})
	require.ErrorIs(t, err, store.ErrUnreachable)
	require.ErrorContains(t, err, p.Listen)
	require.Equal(t, 1, strings.Count(err.Error(), "archive of sports"))

	server.Start()
	for _, path := range []string{"/v1/markets", "/v1/markets?category=sports", "/v1/tags", "/v1/events", crypto} {
		status, body := c.get(t, path)
		require.Equal(t, http.StatusOK, status, "%s: %s", path, body)
	}
	marks, err := u.Watermarks(t.Context(), "")
	require.NoError(t, err)
	require.Len(t, marks, 2)
}

// TestOpenLaterRefuses what Open refuses, now or when the server answers.
func TestOpenLaterRefuses(t *testing.T) {
	t.Parallel()
	_, _, err := postgres.OpenLater(t.Context(), pgtest.Database(t))
	require.ErrorIs(t, err, store.ErrNoStore)

	server := pgtest.NewServer(t)
	server.Kill()
	opened, away, err := postgres.OpenLater(t.Context(), server.Address("postgres"))
	require.NoError(t, err)
	a := archivetest.New(opened)
	defer a.Close()
	require.ErrorIs(t, away, store.ErrUnreachable)
	server.Start()
	for range 2 {
		_, err = a.Markets(t.Context(), store.MarketQuery{})
		require.ErrorIs(t, err, store.ErrNoStore)
	}
	require.NoError(t, mustCreate(t, server.Address("postgres")).Close())
	_, err = a.Markets(t.Context(), store.MarketQuery{})
	require.NoError(t, err)
}

// TestUnionMemberHangs lets one server accept everything and answer nothing:
// what the other archive answers for does not wait for it.
func TestUnionMemberHangs(t *testing.T) {
	t.Parallel()
	u, p, away := proxied(t, func(s *pgtest.Server) *pgtest.Proxy { return pgtest.NewProxy(t, s) })
	require.NoError(t, away)
	c, hurried := newClient(t, u, time.Minute), newClient(t, u, 4*time.Second)
	crypto := cryptoPath(t, u)
	status, body := c.get(t, "/v1/markets")
	require.Equal(t, http.StatusOK, status, body)
	p.Hang()

	for range 5 {
		status, body = c.get(t, crypto)
		require.Equal(t, http.StatusOK, status, body)
	}
	marks, err := u.Watermarks(t.Context(), "")
	require.NoError(t, err)
	require.Contains(t, marks, market.Crypto)
	require.NotContains(t, marks, market.Sports)
	status, body = c.get(t, "/readyz")
	require.Equal(t, http.StatusOK, status, body)
	status, body = hurried.get(t, "/v1/markets")
	require.Equal(t, http.StatusServiceUnavailable, status, body)
	require.Contains(t, body, "sports")

	ctx, cancel := context.WithTimeout(t.Context(), time.Second/2)
	defer cancel()
	_, err = u.Watermarks(ctx, market.Sports)
	require.Error(t, err)
	require.ErrorContains(t, err, "archive of sports is not available")

	p.Resume()
	status, body = c.get(t, "/v1/markets")
	require.Equal(t, http.StatusOK, status, body)
}
