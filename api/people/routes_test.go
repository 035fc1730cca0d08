package people_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alexedwards/argon2id"
	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/api/people"
	"github.com/ladderback/ladderback/api/wire"
	"github.com/ladderback/ladderback/identity"
	"github.com/ladderback/ladderback/identity/accounts"
	"github.com/ladderback/ladderback/identity/mail"
	"github.com/ladderback/ladderback/market"
)

// timed is a house with a clock, whose mails are read.
type timed struct {
	house
	now   time.Time
	mails bytes.Buffer
	shut  func() error // the store, once
}

// newTimed makes a house with accounts at 12:00:00 on 1 May 2026.
func newTimed(t *testing.T, change func(c *people.Config)) *timed {
	t.Helper()
	store, err := identity.Open(t.Context(), filepath.Join(t.TempDir(), "access.db"), true)
	require.NoError(t, err)
	h := &timed{now: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC), shut: sync.OnceValue(store.Close)}
	t.Cleanup(func() { require.NoError(t, h.shut()) })
	clock := func() time.Time { return h.now }
	h.keys = identity.NewKeys(store, identity.DefaultPlans(), clock)
	h.service, err = accounts.New(accounts.Config{
		Store: store, Plans: identity.DefaultPlans(), Mail: mail.NewLog(&h.mails), BaseURL: "http://localhost:1", Now: clock,
		Hash: &argon2id.Params{Memory: 64, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32},
	}, identity.NewMeter(store, clock))
	require.NoError(t, err)
	cfg := people.Config{Keys: h.keys, Accounts: h.service, Now: clock}
	if change != nil {
		change(&cfg)
	}
	h.Handler, err = people.New(cfg)
	require.NoError(t, err)
	return h
}

// ask sends a body to a route; the last part of a path that ends in {id} is the id.
func (h *timed) ask(t *testing.T, method, path, body string, in *http.Cookie) (*httptest.ResponseRecorder, error) {
	t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json; charset=utf-8")
	if in != nil {
		r.AddCookie(in)
	}
	at, id := r.URL.Path, ""
	for _, one := range h.Routes() {
		if prefix, ok := strings.CutSuffix(one.Path, "{id}"); ok && one.Method == method && strings.HasPrefix(at, prefix) {
			at, id = one.Path, strings.TrimPrefix(at, prefix)
		}
	}
	r.SetPathValue("id", id)
	for _, one := range h.Routes() {
		if one.Method == method && one.Path == at {
			w := httptest.NewRecorder()
			err := one.Handle(w, r)
			require.Equal(t, "no-store", w.Header().Get("Cache-Control"), "%s %s", method, path)
			return w, err
		}
	}
	t.Fatalf("no route: %s %s", method, path)
	return nil, nil
}

// get returns the answer of a route as an object.
func (h *timed) get(t *testing.T, status int, method, path, body string, in *http.Cookie) (out map[string]any) {
	t.Helper()
	w, err := h.ask(t, method, path, body, in)
	require.NoError(t, err, "%s %s", method, path)
	require.Equal(t, status, w.Code, "%s %s", method, path)
	if status != http.StatusNoContent {
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &out), "%s", w.Body)
	}
	return out
}

var secretOf = regexp.MustCompile(`#([A-Za-z0-9_-]{43})\n`)

// person registers, verifies and signs in.
func (h *timed) person(t *testing.T, address string) *http.Cookie {
	t.Helper()
	body := h.register(t, address)
	found := secretOf.FindAllStringSubmatch(h.mails.String(), -1)
	require.NotEmpty(t, found)
	h.get(t, http.StatusOK, http.MethodPost, "/verify", fmt.Sprintf(`{"token":%q,"password":%q}`, found[len(found)-1][1], password), nil)
	return h.enter(t, "/sign-in", body)
}

// TestBodies: a body is refused with all that is wrong with it: first the fields of the route
// in its order, then what it does not know by name, each once; null is as good as left out.
func TestBodies(t *testing.T) {
	t.Parallel()
	h := newTimed(t, nil)
	in := h.person(t, "a@example.com")
	for _, c := range []struct {
		path, body, want string
		code             market.Code
	}{
		{"/register", ``, "body: not valid JSON", market.CodeBadRequest},
		{"/register", `[]`, "body: expected a JSON object", market.CodeBadRequest},
		{"/register", `null`, "body: expected a JSON object", market.CodeBadRequest},
		{"/register", "{\"email\":\"\xff\"}", "body: not valid UTF-8", market.CodeBadRequest},
		{"/register", `{}`, "email: Field required; password: Field required", market.CodeInvalid},
		{"/sign-in", `{"password":null,"email":null}`, "email: Field required; password: Field required", market.CodeInvalid},
		{"/sign-in", `{"email":7,"password":[]}`, "email: Input should be a valid string; password: Input should be a valid string", market.CodeInvalid},
		{"/sign-in", `{"email":"a@example.com","remember":true}`, "password: Field required; remember: Extra inputs are not permitted", market.CodeInvalid},
		{"/sign-in", `{"z":1,"y":1,"password":"p","email":"e","x":1,"a":1}`, strings.Join([]string{"a", "x", "y", "z: Extra inputs are not permitted"}, ": Extra inputs are not permitted; "), market.CodeInvalid},
		{"/join", `{"ticket":"x"}`, "password: Field required", market.CodeInvalid},
		{"/reset", `{"token":"x","password":"` + password + `","revoke":"yes"}`, "revoke: Input should be a valid boolean", market.CodeInvalid},
		{"/organization/invitations", `{"email":"x@example.com","role":"king"}`, "role: Input should be 'owner', 'member' or 'viewer'", market.CodeInvalid},
		{"/organization/members/x", `{"role":null}`, "role: Field required", market.CodeInvalid},
		{"/keys", `{"name":"k","expires_at":"tomorrow"}`, "expires_at: expected a time such as 2026-12-31T00:00:00Z", market.CodeInvalid},
		{"/keys", `{"name":"k","expires_at":"2026-05-01T12:00:00Z"}`, "expires_at: expected a time to come", market.CodeInvalid},
		{"/keys", `{"name":"k","expires_at":"2026-05-01T14:00:00+02:00"}`, "expires_at: expected a time to come", market.CodeInvalid},
		{"/keys", `{"name":"k","expires_at":5}`, "expires_at: Input should be a valid string", market.CodeInvalid},
	} {
		_, err := h.ask(t, http.MethodPost, c.path, c.body, in)
		require.Equal(t, c.code, market.CodeOf(err), "%s: %v", c.body, err)
		require.Equal(t, c.want, market.AsError(err).Message, c.body)
	}
	for _, kind := range []string{"", "text/plain", "application/jsonp", "application/json;;"} {
		r := httptest.NewRequest(http.MethodPost, "/sign-in", strings.NewReader(`{}`))
		r.Header.Set("Content-Type", kind)
		_, err := h.call(t, r)
		require.ErrorContains(t, err, "Content-Type: expected application/json", kind)
	}
	var items wire.Details
	_, err := h.ask(t, http.MethodPost, "/register", `{"email":"no","password":"short","x":1}`, nil)
	require.ErrorAs(t, err, &items)
	require.Equal(t, []any{"body", "email"}, items[0].Loc)
	require.Equal(t, []string{"value_error", "value_error", "extra_forbidden"}, []string{items[0].Type, items[1].Type, items[2].Type})
	h.get(t, http.StatusCreated, http.MethodPost, "/keys", `{"name":" k ","expires_at":null}`, in)
}

// TestEnterByKey: one of a key and a ticket; a ticket works once, within ten minutes.
func TestEnterByKey(t *testing.T) {
	t.Parallel()
	h := newTimed(t, nil)
	_, secret, err := h.keys.Create(t.Context(), "pro", "acme", "k", 0)
	require.NoError(t, err)
	ticket := func() string {
		got, err := h.keys.Ticket(secret)
		require.NoError(t, err)
		return fmt.Sprintf(`{"ticket":%q}`, got)
	}
	const neither = `body: expected {"key": "lb_…"}, or {"ticket": "…"}`
	for _, body := range []string{`{}`, `{"key":"","ticket":""}`, `{"key":"a","ticket":"b"}`, `{"key":7}`} {
		_, err := h.ask(t, http.MethodPost, "/session", body, nil)
		require.Equal(t, market.CodeBadRequest, market.CodeOf(err), body)
		require.Equal(t, neither, market.AsError(err).Message, body)
	}
	_, err = h.ask(t, http.MethodPost, "/session", `{"key":"lb_nobody"}`, nil)
	require.Equal(t, market.CodeUnauthorized, market.CodeOf(err))
	require.Equal(t, "API key invalid or revoked", market.AsError(err).Message)
	got := h.get(t, http.StatusOK, http.MethodPost, "/session", fmt.Sprintf(`{"key":" %s\n"}`, secret), nil)
	require.Equal(t, map[string]any{"organization": "acme", "plan": identity.DefaultPlans()["pro"].Name, "backtest": true}, got)

	person := h.person(t, "a@example.com")
	h.get(t, http.StatusOK, http.MethodPost, "/session", fmt.Sprintf(`{"key":%q}`, secret), person)
	_, err = h.ask(t, http.MethodGet, "/account", "", person)
	require.ErrorIs(t, err, identity.ErrNoSession, "the session that the browser had ends")

	const over = "the link was used before, or is older than ten minutes: sign in with a key"
	once, late := ticket(), ticket()
	h.get(t, http.StatusOK, http.MethodPost, "/session", once, nil)
	_, err = h.ask(t, http.MethodPost, "/session", once, nil)
	require.Equal(t, over, market.AsError(err).Message)
	h.now = h.now.Add(10*time.Minute + time.Second)
	_, err = h.ask(t, http.MethodPost, "/session", late, nil)
	require.Equal(t, over, market.AsError(err).Message)
	require.Equal(t, market.CodeUnauthorized, market.CodeOf(err))
}

// TestNobody: that nobody is signed in is no error of who asks, and neither is signing out
// then; what needs somebody says so.
func TestNobody(t *testing.T) {
	t.Parallel()
	h := newTimed(t, nil)
	w, err := h.ask(t, http.MethodGet, "/session", "", nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusNoContent, w.Code)
	require.Empty(t, w.Result().Cookies())
	w, err = h.ask(t, http.MethodDelete, "/session", "", nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusNoContent, w.Code)
	require.Negative(t, w.Result().Cookies()[0].MaxAge)
	open := map[string]bool{"/session": true, "/options": true, "/register": true, "/verify": true, "/sign-in": true, "/join": true, "/forgotten": true, "/reset": true}
	for _, route := range h.Routes() {
		if !open[route.Path] {
			_, err := h.ask(t, route.Method, strings.ReplaceAll(route.Path, "{id}", "x"), `{}`, nil)
			require.ErrorIs(t, err, identity.ErrNoSession, "%s %s", route.Method, route.Path)
		}
	}
}

// TestStoreDown: that the store cannot be reached is told as such by every route, and never
// as a session that is over.
func TestStoreDown(t *testing.T) {
	t.Parallel()
	h := newTimed(t, nil)
	in := h.person(t, "a@example.com")
	key, err := identity.NewKey(nil)
	require.NoError(t, err)
	require.NoError(t, h.shut())
	for _, c := range []struct{ method, path, body, what string }{
		{http.MethodGet, "/session", "", "the store of sessions"},
		{http.MethodDelete, "/session", "", "the store of sessions"},
		{http.MethodPost, "/session", `{"key":"` + key + `"}`, "the store of keys"},
		{http.MethodGet, "/account", "", "the store of accounts"},
		{http.MethodPost, "/sign-in", `{"email":"b@example.com","password":"` + password + `"}`, "the store of accounts"},
	} {
		_, err := h.ask(t, c.method, c.path, c.body, in)
		require.Equal(t, market.CodeUnavailable, market.CodeOf(err), "%s %s: %v", c.method, c.path, err)
		require.ErrorContains(t, err, c.what, c.path)
	}
}

// TestKeysOverTime: a key is live until the instant at which it expires.
func TestKeysOverTime(t *testing.T) {
	t.Parallel()
	h := newTimed(t, nil)
	in := h.person(t, "a@example.com")
	never := h.get(t, http.StatusCreated, http.MethodPost, "/keys", `{"name":" bots "}`, in)
	require.Equal(t, "bots", never["name"], "without the spaces around it")
	require.Nil(t, never["expires_at"])
	require.Nil(t, never["revoked_at"])
	require.Equal(t, "a@example.com", never["made_by"])
	soon := h.get(t, http.StatusCreated, http.MethodPost, "/keys", `{"name":"soon","expires_at":"2026-05-01T12:00:01Z"}`, in)
	require.Equal(t, "live", soon["state"])
	states := func() map[string]string {
		out := map[string]string{}
		all := h.get(t, http.StatusOK, http.MethodGet, "/keys", "", in)
		require.EqualValues(t, accounts.MostKeys, all["most"])
		for _, k := range all["data"].([]any) {
			require.NotContains(t, k, "key", "the secret is told once")
			out[k.(map[string]any)["name"].(string)] = k.(map[string]any)["state"].(string)
		}
		return out
	}
	require.Equal(t, map[string]string{"bots": "live", "soon": "live"}, states())
	h.now = h.now.Add(time.Second - time.Microsecond)
	require.Equal(t, map[string]string{"bots": "live", "soon": "live"}, states())
	h.now = h.now.Add(time.Microsecond)
	require.Equal(t, map[string]string{"bots": "live", "soon": "expired"}, states())
	_, err := h.keys.Find(t.Context(), never["key"].(string))
	require.NoError(t, err)
	h.get(t, http.StatusNoContent, http.MethodDelete, "/keys/"+never["id"].(string), "", in)
	require.Equal(t, "revoked", states()["bots"])
	_, err = h.keys.Find(t.Context(), never["key"].(string))
	require.ErrorIs(t, err, identity.ErrUnauthorized, "at once, in the server that was asked")
	_, err = h.ask(t, http.MethodDelete, "/keys/none", "", in)
	require.Equal(t, market.CodeNotFound, market.CodeOf(err))

	last := h.get(t, http.StatusCreated, http.MethodPost, "/keys", `{"name":"last"}`, in)["key"].(string)
	_, err = h.keys.Find(t.Context(), last)
	require.NoError(t, err)
	h.get(t, http.StatusNoContent, http.MethodPost, "/account/delete", `{"password":"`+password+`"}`, in)
	_, err = h.keys.Find(t.Context(), last)
	require.ErrorIs(t, err, identity.ErrUnauthorized, "with the account")
}

// TestSessionsOfAPerson: the one that asks is told apart; to end it takes its cookie, to end
// another does not.
func TestSessionsOfAPerson(t *testing.T) {
	t.Parallel()
	h := newTimed(t, nil)
	in := h.person(t, "a@example.com")
	h.enter(t, "/sign-in", `{"email":"a@example.com","password":"`+password+`"}`)
	ids := func() map[bool][]string {
		out := map[bool][]string{}
		for _, s := range h.get(t, http.StatusOK, http.MethodGet, "/account/sessions", "", in)["data"].([]any) {
			one := s.(map[string]any)
			out[one["current"].(bool)] = append(out[one["current"].(bool)], one["id"].(string))
		}
		return out
	}
	before := ids()
	require.Len(t, before[true], 1)
	require.NotEmpty(t, before[false])
	w, err := h.ask(t, http.MethodDelete, "/account/sessions/"+before[false][0], "", in)
	require.NoError(t, err)
	for _, c := range w.Result().Cookies() {
		require.GreaterOrEqual(t, c.MaxAge, 0, "its own stays")
	}
	h.get(t, http.StatusNoContent, http.MethodDelete, "/account/sessions", "", in)
	require.Equal(t, map[bool][]string{true: before[true]}, ids())
	w, err = h.ask(t, http.MethodDelete, "/account/sessions/"+before[true][0], "", in)
	require.NoError(t, err)
	require.Len(t, w.Result().Cookies(), 1)
	require.Negative(t, w.Result().Cookies()[0].MaxAge)
	_, err = h.ask(t, http.MethodGet, "/account", "", in)
	require.ErrorIs(t, err, identity.ErrNoSession)
}

// TestExportIsWhole: all that there is of an account, as one JSON object; lists without
// anything are empty and not null.
func TestExportIsWhole(t *testing.T) {
	t.Parallel()
	h := newTimed(t, nil)
	in := h.person(t, "a@example.com")
	w, err := h.ask(t, http.MethodGet, "/account/export", "", in)
	require.NoError(t, err)
	require.Equal(t, `attachment; filename="ladderback-account.json"`, w.Header().Get("Content-Disposition"))
	var all map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &all), "%s", w.Body)
	for _, name := range []string{"account", "identities", "sessions", "agents", "organizations", "mails", "runs"} {
		require.Contains(t, all, name)
		require.NotEqual(t, "null", string(all[name]), name)
	}
	require.JSONEq(t, `[]`, string(all["runs"]))
	require.NotContains(t, w.Body.String(), password)
}

// TestUsageOfAPlan: a limit that a plan has not is null; the first date is counted from the
// newest capture, and is not told where there is none.
func TestUsageOfAPlan(t *testing.T) {
	t.Parallel()
	newest := market.Instant(0)
	var down error
	h := newTimed(t, func(c *people.Config) {
		c.Watermark = func(context.Context) (market.Instant, error) { return newest, down }
	})
	in := h.person(t, "a@example.com")
	plan := identity.DefaultPlans()["starter"]
	got := h.get(t, http.StatusOK, http.MethodGet, "/usage", "", in)
	require.Equal(t, plan.ID(), got["plan"])
	require.Nil(t, got["earliest"])
	require.Len(t, got["keys"], 1, "the session itself counts as one")
	require.Equal(t, []any{}, got["days"])
	limits := got["limits"].(map[string]any)
	for name, n := range map[string]int64{"requests_per_minute": int64(plan.RequestsPerMinute), "requests_per_day": int64(plan.RequestsPerDay),
		"bulk_points_per_day": plan.BulkPointsPerDay, "history_days": int64(plan.HistoryDays)} {
		if n == 0 {
			require.Nil(t, limits[name], name)
			continue
		}
		require.EqualValues(t, n, limits[name], name)
	}
	require.NotZero(t, plan.HistoryDays)
	newest = market.InstantOf(time.Date(2026, 4, 30, 23, 59, 59, 0, time.UTC))
	got = h.get(t, http.StatusOK, http.MethodGet, "/usage", "", in)
	require.Equal(t, time.Date(2026, 4, 30, 0, 0, 0, 0, time.UTC).AddDate(0, 0, -plan.HistoryDays).Format(time.DateOnly), got["earliest"])
	down = fmt.Errorf("the disk is gone")
	_, err := h.ask(t, http.MethodGet, "/usage", "", in)
	require.Equal(t, market.CodeUnavailable, market.CodeOf(err))
}

// TestWithoutAccounts: there are the routes of keys alone, and that is told.
func TestWithoutAccounts(t *testing.T) {
	t.Parallel()
	h := &timed{house: *newHouse(t, "", identity.DefaultPlans())}
	var paths []string
	for _, r := range h.Routes() {
		paths = append(paths, r.Method+" "+r.Path)
	}
	require.Equal(t, []string{"POST /session", "GET /session", "DELETE /session", "GET /options"}, paths)
	require.Equal(t, map[string]any{"accounts": false, "registration": false, "providers": []any{}}, h.get(t, http.StatusOK, http.MethodGet, "/options", "", nil))
	require.False(t, h.IsHost(""))
	some := newTimed(t, func(c *people.Config) { c.Providers = []people.Provider{{ID: "g", Name: "G"}} })
	require.Equal(t, map[string]any{"accounts": true, "registration": true, "mail": "log", "providers": []any{map[string]any{"id": "g", "name": "G"}}},
		some.get(t, http.StatusOK, http.MethodGet, "/options", "", nil))
}
