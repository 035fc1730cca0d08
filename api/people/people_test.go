package people_test

import (
	"crypto/tls"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/alexedwards/argon2id"
	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/api/people"
	"github.com/ladderback/ladderback/identity"
	"github.com/ladderback/ladderback/identity/accounts"
	"github.com/ladderback/ladderback/identity/mail"
	"github.com/ladderback/ladderback/market"
)

const password = "staple.Horse-42.battery"

// house is a handler with its stores. service is nil where there are no accounts.
type house struct {
	*people.Handler
	keys    *identity.Keys
	service *accounts.Service
}

// newHouse makes a handler; base is how people reach it, empty: without accounts.
func newHouse(t *testing.T, base string, plans identity.Plans) *house {
	t.Helper()
	store, err := identity.Open(t.Context(), filepath.Join(t.TempDir(), "access.db"), true)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	h := &house{keys: identity.NewKeys(store, plans, nil)}
	cfg := people.Config{Keys: h.keys, Proxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}
	if base != "" {
		h.service, err = accounts.New(accounts.Config{
			Store: store, Plans: plans, Mail: mail.NewLog(io.Discard), BaseURL: base,
			Hash: &argon2id.Params{Memory: 64, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32},
		}, identity.NewMeter(store, nil))
		require.NoError(t, err)
		cfg.Accounts = h.service
	}
	h.Handler, err = people.New(cfg)
	require.NoError(t, err)
	return h
}

// call sends a request to the route at its method and path.
func (h *house) call(t *testing.T, r *http.Request) (*http.Response, error) {
	t.Helper()
	for _, one := range h.Routes() {
		if one.Method == r.Method && one.Path == r.URL.Path {
			w := httptest.NewRecorder()
			err := one.Handle(w, r)
			return w.Result(), err
		}
	}
	t.Fatalf("no route: %s %s", r.Method, r.URL.Path)
	return nil, nil
}

// enter signs in with a body and returns the cookie of the session.
func (h *house) enter(t *testing.T, path, body string, with ...*http.Cookie) *http.Cookie {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	for _, c := range with {
		r.AddCookie(c)
	}
	resp, err := h.call(t, r)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, resp.StatusCode)
	require.Equal(t, "no-store", resp.Header.Get("Cache-Control"))
	require.NotEmpty(t, resp.Cookies())
	return resp.Cookies()[0]
}

func (h *house) key(t *testing.T) string {
	t.Helper()
	_, secret, err := h.keys.Create(t.Context(), "pro", "acme", "k", 0)
	require.NoError(t, err)
	return `{"key":"` + secret + `"}`
}

// register makes an account, which is not verified yet, and returns the body of its
// sign-in.
func (h *house) register(t *testing.T, address string) string {
	t.Helper()
	require.NoError(t, h.service.Register(t.Context(), address, password, accounts.From{}))
	require.NoError(t, h.service.Settle(t.Context()))
	return `{"email":"` + address + `","password":"` + password + `"}`
}

func with(c *http.Cookie) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "/session", nil)
	if c != nil {
		r.AddCookie(c)
	}
	return r
}

// TestSubject: who asks is found from one cookie, whether a key began the session or a
// person did.
func TestSubject(t *testing.T) {
	t.Parallel()
	h := newHouse(t, "http://localhost:1", identity.DefaultPlans())
	_, err := h.Subject(with(nil))
	require.ErrorIs(t, err, identity.ErrNoSession)

	key := h.enter(t, "/session", h.key(t))
	who, err := h.Subject(with(key))
	require.NoError(t, err)
	require.Nil(t, who.Person)
	require.Equal(t, "acme", who.Key.Organization)
	require.NoError(t, who.May(false))
	_, err = h.Session(with(key))
	require.ErrorIs(t, err, identity.ErrNoSession, "a key is no person")

	person := h.enter(t, "/sign-in", h.register(t, "a@example.com"))
	require.Equal(t, key.Name, person.Name, "one cookie")
	who, err = h.Subject(with(person))
	require.NoError(t, err)
	require.Equal(t, "a@example.com", who.Person.Account.Address)
	require.ErrorIs(t, who.May(true), accounts.ErrUnverified)
	who.Person.Account.Verified, who.Person.Organization.Role = true, accounts.Viewer
	require.NoError(t, who.May(true))
	require.ErrorIs(t, who.May(false), accounts.ErrRole)

	resp, err := h.call(t, with(person))
	require.NoError(t, err)
	var told map[string]any
	require.NoError(t, json.NewDecoder(resp.Body).Decode(&told))
	require.Equal(t, "a@example.com", told["account"].(map[string]any)["email"])
}

// TestEnterEndsWhatWas: a session ends with the next one of its browser, and with signing
// out, whoever began it.
func TestEnterEndsWhatWas(t *testing.T) {
	t.Parallel()
	h := newHouse(t, "http://localhost:1", identity.DefaultPlans())
	body := h.register(t, "a@example.com")
	key := h.enter(t, "/session", h.key(t))
	first := h.enter(t, "/sign-in", body, key)
	_, err := h.Subject(with(key))
	require.ErrorIs(t, err, identity.ErrNoSession)
	second := h.enter(t, "/sign-in", body, first)
	_, err = h.Subject(with(first))
	require.ErrorIs(t, err, identity.ErrNoSession)

	for _, c := range []*http.Cookie{second, h.enter(t, "/session", h.key(t))} {
		r := httptest.NewRequest(http.MethodDelete, "/session", nil)
		r.AddCookie(c)
		resp, err := h.call(t, r)
		require.NoError(t, err)
		require.Negative(t, resp.Cookies()[0].MaxAge)
		_, err = h.Subject(with(c))
		require.ErrorIs(t, err, identity.ErrNoSession)
	}
}

// TestCookies: a cookie over TLS is of the host alone; without accounts no other site
// leads here.
func TestCookies(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		base   string
		tls    bool
		cookie string
		same   http.SameSite
	}{
		"plain":                 {"", false, "ladderback_session", http.SameSiteStrictMode},
		"TLS":                   {"", true, "__Host-ladderback_session", http.SameSiteStrictMode},
		"accounts":              {"http://localhost:1", true, "ladderback_session", http.SameSiteLaxMode},
		"accounts behind https": {"https://app.example.com", false, "__Host-ladderback_session", http.SameSiteLaxMode},
	} {
		h := newHouse(t, c.base, identity.DefaultPlans())
		r := httptest.NewRequest(http.MethodPost, "/session", strings.NewReader(h.key(t)))
		r.TLS = nil
		if c.tls {
			r.TLS = &tls.ConnectionState{}
		}
		resp, err := h.call(t, r)
		require.NoError(t, err, name)
		got := resp.Cookies()[0]
		require.Equal(t, c.cookie, got.Name, name)
		require.Equal(t, c.same, got.SameSite, name)
		require.Equal(t, strings.HasPrefix(c.cookie, "__Host-"), got.Secure, name)
		require.True(t, got.HttpOnly, name)
		require.Equal(t, int(identity.SessionIdle/time.Second), got.MaxAge, name)
		require.Equal(t, c.base != "", len(h.Routes()) > 4, "%s: routes of accounts", name)
		require.Equal(t, c.base, h.Origin(), name)
		require.Equal(t, name == "accounts behind https", h.IsHost("APP.example.com"), name)
	}
}

// TestPlanIsGone: whoever has no plan on this server is told so, and is not taken for
// nobody.
func TestPlanIsGone(t *testing.T) {
	t.Parallel()
	plans := identity.DefaultPlans()
	h := newHouse(t, "http://localhost:1", plans)
	key, person := h.enter(t, "/session", h.key(t)), h.enter(t, "/sign-in", h.register(t, "a@example.com"))
	delete(plans, "pro")
	delete(plans, "starter")
	for _, c := range []*http.Cookie{key, person} {
		_, err := h.Subject(with(c))
		require.Equal(t, market.CodeForbidden, market.CodeOf(err))
		require.ErrorContains(t, err, "not configured")
	}
}

// TestFrom: an address that proxies of ours tell is believed, up to the first that is
// none of theirs.
func TestFrom(t *testing.T) {
	t.Parallel()
	h := newHouse(t, "", identity.DefaultPlans())
	for _, c := range []struct{ peer, forwarded, want string }{
		{"198.51.100.7:1", "", "198.51.100.7"},
		{"198.51.100.7:1", "203.0.113.9", "198.51.100.7"},
		{"10.0.0.1:1", "203.0.113.9", "203.0.113.9"},
		{"10.0.0.1:1", "192.0.2.1, 203.0.113.9, 10.0.0.2", "203.0.113.9"},
		{"10.0.0.1:1", "nonsense", "10.0.0.1"},
		{"[::ffff:10.0.0.1]:1", "2001:db8::1", "2001:db8::1"},
	} {
		r := with(nil)
		r.RemoteAddr = c.peer
		r.Header.Set("X-Forwarded-For", c.forwarded)
		require.Equal(t, c.want, h.From(r).Address.String(), "%+v", c)
	}
}
