package api_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alexedwards/argon2id"
	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/api"
	"github.com/ladderback/ladderback/api/people"
	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/identity"
	"github.com/ladderback/ladderback/identity/accounts"
	"github.com/ladderback/ladderback/identity/mail"
)

// town is a server with accounts.
type town struct {
	*world
	service *accounts.Service
	clock   *testClock
	log     *lockedBuffer
	mails   *lockedBuffer
}

// lockedBuffer is a buffer for several goroutines.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func newTown(t testing.TB, change func(c *accounts.Config)) *town {
	t.Helper()
	store, err := identity.Open(context.Background(), filepath.Join(t.TempDir(), "access.db"), true)
	require.NoError(t, err)
	return newTownOver(t, store, change)
}

// newTownOver is newTown over a store that is open; it closes it.
func newTownOver(t testing.TB, store *identity.Store, change func(c *accounts.Config)) *town {
	t.Helper()
	s, err := archives()
	require.NoError(t, err)
	return townOver(t, s.main, store, change)
}

// townOver is newTownOver over an archive, too.
func townOver(t testing.TB, a *archive.Archive, store *identity.Store, change func(c *accounts.Config)) *town {
	t.Helper()
	var err error
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	w := &town{clock: &testClock{now: time.Date(2026, 5, 1, 12, 0, 10, 0, time.UTC)}, log: &lockedBuffer{}, mails: &lockedBuffer{}}
	w.world = worldOver(t, a, func(c *api.Config) {
		c.Keys = identity.NewKeys(store, identity.DefaultPlans(), w.clock.Now)
		c.Meter = identity.NewMeter(store, w.clock.Now)
		c.Log = slog.New(slog.NewTextHandler(w.log, nil))
		cfg := accounts.Config{
			Store: store, Plans: identity.DefaultPlans(), Mail: mail.NewLog(w.mails), BaseURL: "http://localhost:1", Now: w.clock.Now, Log: c.Log,
			Hash: &argon2id.Params{Memory: 64, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32},
		}
		if change != nil {
			change(&cfg)
		}
		w.service, err = accounts.New(cfg, c.Meter)
		require.NoError(t, err)
		c.People, err = people.New(people.Config{Keys: c.Keys, Accounts: w.service, Now: w.clock.Now})
		require.NoError(t, err)
	})
	return w
}

const (
	phrase     = "staple.Horse-42.battery"
	newPhrase  = "another.Horse-43.battery"
	jsonHeader = "application/json"
)

// person is a browser with a cookie of an account.
type person struct {
	w      *town
	cookie string
}

// do sends a request of the page and keeps the cookie that comes back.
func (p *person) do(t testing.TB, method, path, body string, header ...string) *answer {
	t.Helper()
	h := http.Header{"Sec-Fetch-Site": {"same-origin"}}
	if body != "" {
		h.Set("Content-Type", jsonHeader)
	}
	if p.cookie != "" {
		h.Set("Cookie", "ladderback_session="+p.cookie)
	}
	for i := 0; i+1 < len(header); i += 2 {
		if h.Del(header[i]); header[i+1] != "" {
			h.Set(header[i], header[i+1])
		}
	}
	s := p.w.send(t.Context(), request{method: method, path: path, plan: "-", body: body, header: h})
	require.NoError(t, s.err)
	for _, c := range (&http.Response{Header: s.answer.header}).Cookies() {
		if c.Name == "ladderback_session" {
			p.cookie = c.Value
		}
	}
	return s.answer
}

func (p *person) ok(t testing.TB, status int, method, path, body string) *answer {
	t.Helper()
	a := p.do(t, method, path, body)
	require.Equal(t, status, a.status, "%s %s: %s", method, path, a.body)
	return a
}

var mailedLink = regexp.MustCompile(`(verify|reset|invitation)#([A-Za-z0-9_-]{43})\n`)

// link returns the secret of the last link that was mailed.
func (w *town) link(t testing.TB) string {
	t.Helper()
	require.NoError(t, w.service.Settle(t.Context()))
	found := mailedLink.FindAllStringSubmatch(w.mails.String(), -1)
	require.NotEmpty(t, found)
	return found[len(found)-1][2]
}

func creds(address string) string { return fmt.Sprintf(`{"email":%q,"password":%q}`, address, phrase) }

// settle registers, verifies and signs in.
func (w *town) settle(t testing.TB, address string) *person {
	t.Helper()
	p := &person{w: w}
	p.ok(t, http.StatusAccepted, http.MethodPost, "/app/register", creds(address))
	p.ok(t, http.StatusOK, http.MethodPost, "/app/verify", fmt.Sprintf(`{"token":%q,"password":%q}`, w.link(t), phrase))
	p.ok(t, http.StatusOK, http.MethodPost, "/app/sign-in", creds(address))
	return p
}

// field reads a member of an answer.
func field(t testing.TB, a *answer, name string) string {
	t.Helper()
	var m map[string]any
	require.NoError(t, json.Unmarshal(a.body, &m), "%s", a.body)
	text, ok := m[name].(string)
	require.True(t, ok, "%s: %s", name, a.body)
	return text
}

// TestLifeOfAnAccount goes through what a person does, over HTTP.
func TestLifeOfAnAccount(t *testing.T) {
	t.Parallel()
	w := newTown(t, nil)
	p := &person{w: w}
	p.ok(t, http.StatusAccepted, http.MethodPost, "/app/register", creds("ada@example.com"))
	link := w.link(t)
	p.ok(t, http.StatusOK, http.MethodPost, "/app/sign-in", creds("ada@example.com"))
	before := p.cookie
	p.do(t, http.MethodPost, "/app/keys", `{"name":"desk"}`).fails(t, http.StatusForbidden, "forbidden")
	p.do(t, http.MethodGet, "/app/v1/tags", "").fails(t, http.StatusForbidden, "forbidden")
	a := p.ok(t, http.StatusOK, http.MethodPost, "/app/verify", `{"token":"`+link+`"}`)
	require.JSONEq(t, `{"email":"ada@example.com","purpose":"verify"}`, string(a.body))
	require.NotEqual(t, before, p.cookie, "its rights rose")
	require.Equal(t, "no-store", a.header.Get("Cache-Control"))
	cookie := a.header.Get("Set-Cookie")
	for _, want := range []string{"HttpOnly", "SameSite=Lax", "Path=/"} {
		require.Contains(t, cookie, want)
	}
	a = p.ok(t, http.StatusCreated, http.MethodPost, "/app/keys", `{"name":"desk","expires_at":"2026-05-02T00:00:00Z"}`)
	key, id := field(t, a, "key"), field(t, a, "id")
	withKey := func(path string) *answer {
		return w.do(t, request{path: path, plan: "-", header: http.Header{"X-Api-Key": {key}}})
	}
	require.Contains(t, string(withKey("/v1/usage").body), `"organization":"ada"`)
	require.Equal(t, http.StatusOK, withKey("/v1/tags").status)
	withKey("/v1/markets?limit=x")
	p.ok(t, http.StatusOK, http.MethodGet, "/app/v1/tags", "")
	var usage struct {
		Earliest *string
		Keys     []struct {
			ID  string
			Day struct{ Used int }
		}
		Days []struct {
			Key      string
			Requests int
			Refusals map[string]int
		}
	}
	p.ok(t, http.StatusOK, http.MethodGet, "/app/usage", "").json(t, &usage)
	require.Equal(t, id, usage.Keys[0].ID)
	require.Equal(t, 2, usage.Keys[0].Day.Used)
	require.Len(t, usage.Days, 2)
	require.Equal(t, id, usage.Days[0].Key)
	require.Equal(t, 3, usage.Days[0].Requests)
	require.Equal(t, map[string]int{"invalid": 1}, usage.Days[0].Refusals)
	p.ok(t, http.StatusNoContent, http.MethodDelete, "/app/keys/"+id, "")
	w.clock.add(5 * time.Second)
	require.Equal(t, http.StatusUnauthorized, withKey("/v1/tags").status)

	p.ok(t, http.StatusAccepted, http.MethodPost, "/app/forgotten", `{"email":"ada@example.com"}`)
	p.ok(t, http.StatusNoContent, http.MethodPost, "/app/reset", fmt.Sprintf(`{"token":%q,"password":%q}`, w.link(t), newPhrase))
	require.Empty(t, p.cookie, "a reset signs nobody in")
	thief := &person{w: w, cookie: before}
	thief.do(t, http.MethodGet, "/app/account", "").fails(t, http.StatusUnauthorized, "unauthorized")
	p.do(t, http.MethodPost, "/app/sign-in", creds("ada@example.com")).fails(t, http.StatusUnauthorized, "unauthorized")
	again := fmt.Sprintf(`{"email":"ada@example.com","password":%q}`, newPhrase)
	other := &person{w: w}
	p.ok(t, http.StatusOK, http.MethodPost, "/app/sign-in", again)
	other.ok(t, http.StatusOK, http.MethodPost, "/app/sign-in", again)
	p.ok(t, http.StatusNoContent, http.MethodDelete, "/app/account/sessions", "")
	other.do(t, http.MethodGet, "/app/account", "").fails(t, http.StatusUnauthorized, "unauthorized")
	require.Equal(t, http.StatusNoContent, other.do(t, http.MethodGet, "/app/session", "").status)
	p.ok(t, http.StatusOK, http.MethodGet, "/app/account/export", "")
	p.ok(t, http.StatusNoContent, http.MethodPost, "/app/account/delete", fmt.Sprintf(`{"password":%q}`, newPhrase))
	p.do(t, http.MethodPost, "/app/sign-in", again).fails(t, http.StatusUnauthorized, "unauthorized")
}

// twoRuns are the runs of every organization.
type twoRuns struct{ fail error }

func (twoRuns) ForgetAll(context.Context, string) error { return nil }

func (r twoRuns) Export(_ context.Context, organization string, run func(json.RawMessage) error) error {
	for _, id := range []string{"run_1", "run_2"} {
		if err := run(json.RawMessage(`{"id":"` + id + `","result":{"trades":[]}}`)); err != nil {
			return err
		}
	}
	return r.fail
}

// TestExport: an export is one document, with the results of runs; one that failed
// midway is cut off, so that nobody takes it for whole.
func TestExport(t *testing.T) {
	t.Parallel()
	whole := newTown(t, func(c *accounts.Config) { c.Runs = twoRuns{} })
	p := whole.settle(t, "ada@example.com")
	a := p.ok(t, http.StatusOK, http.MethodGet, "/app/account/export", "")
	var got struct {
		Account struct{ Email string }
		Runs    []struct {
			ID     string
			Result json.RawMessage
		}
	}
	require.NoError(t, json.Unmarshal(a.body, &got))
	require.Equal(t, "ada@example.com", got.Account.Email)
	require.Len(t, got.Runs, 2)
	require.Equal(t, "run_2", got.Runs[1].ID)
	require.JSONEq(t, `{"trades":[]}`, string(got.Runs[1].Result))

	broken := newTown(t, func(c *accounts.Config) { c.Runs = twoRuns{errors.New("the store of runs is down")} })
	p = broken.settle(t, "ada@example.com")
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, broken.url+"/app/account/export", nil)
	require.NoError(t, err)
	r.Header.Set("Cookie", "ladderback_session="+p.cookie)
	resp, err := http.DefaultClient.Do(r)
	if err == nil {
		_, err = io.ReadAll(resp.Body)
		resp.Body.Close()
	}
	require.Error(t, err)
}

// TestFixation: a cookie from before a sign-in is worth nothing after it, whoever put it
// there.
func TestFixation(t *testing.T) {
	t.Parallel()
	w := newTown(t, nil)
	w.settle(t, "ada@example.com")
	eve := w.settle(t, "eve@example.com")
	for _, planted := range []string{eve.cookie, "a." + strings.Repeat("A", 43), "chosen"} {
		victim := &person{w: w, cookie: planted}
		victim.ok(t, http.StatusOK, http.MethodPost, "/app/sign-in", creds("ada@example.com"))
		require.NotEqual(t, planted, victim.cookie)
		attacker := &person{w: w, cookie: planted}
		attacker.do(t, http.MethodGet, "/app/account", "").fails(t, http.StatusUnauthorized, "unauthorized")
	}
}

// appRoutes lists the routes of the page: method and pattern.
func appRoutes(t testing.TB, w *town) (out [][2]string) {
	t.Helper()
	for _, one := range w.api.AllRoutes() {
		if strings.HasPrefix(one[1], "/app/") {
			out = append(out, one)
		}
	}
	require.Greater(t, len(out), 50)
	return out
}

var inPath = regexp.MustCompile(`\{[a-z_]+\}`)

// TestCrossSite sends each request that changes something as other sites can make a
// browser send it.
func TestCrossSite(t *testing.T) {
	t.Parallel()
	w := newTown(t, nil)
	p := w.settle(t, "ada@example.com")
	cookie := p.cookie
	tried := 0
	for _, one := range appRoutes(t, w) {
		if one[0] == http.MethodGet || one[0] == http.MethodHead {
			continue
		}
		path := inPath.ReplaceAllString(one[1], "x")
		for _, header := range [][]string{
			{"Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example"},
			{"Sec-Fetch-Site", "same-site", "Origin", "http://sibling.localhost:1"},
			{"Sec-Fetch-Site", "", "Origin", "https://evil.example"},
			{"Sec-Fetch-Site", "", "Origin", "null"},
			{"Sec-Fetch-Site", "", "Origin", "https://localhost:1"}, // our host under another scheme
			{"Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example", "Content-Type", "text/plain"},
		} {
			a := p.do(t, one[0], path, `{"email":"ada@example.com"}`, header...)
			a.fails(t, http.StatusForbidden, "forbidden")
			require.Empty(t, a.header.Get("Set-Cookie"))
			tried++
		}
	}
	t.Logf("%d requests refused", tried)
	require.Equal(t, cookie, p.cookie)
	p.ok(t, http.StatusOK, http.MethodGet, "/app/account", "")
	// A form of plain text that looks like JSON is refused also where no browser says
	// where it comes from.
	a := p.do(t, http.MethodPost, "/app/keys", `{"name":"x"}`, "Sec-Fetch-Site", "", "Content-Type", "text/plain")
	a.fails(t, http.StatusBadRequest, "bad_request")
}

// TestForeignIDs walks every route as members of one organization with the ids of
// another, as owner and as viewer: none is found, and nothing changes.
func TestForeignIDs(t *testing.T) {
	t.Parallel()
	w := newTown(t, nil)
	owner := w.settle(t, "owner@example.com")
	org := field(t, owner.ok(t, http.StatusOK, http.MethodGet, "/app/account", ""), "organization")
	account := field(t, owner.ok(t, http.StatusOK, http.MethodGet, "/app/account", ""), "id")
	_, err := w.service.SetPlan(t.Context(), org, "pro")
	require.NoError(t, err)
	key := field(t, owner.ok(t, http.StatusCreated, http.MethodPost, "/app/keys", `{"name":"desk"}`), "id")
	invitation := field(t, owner.ok(t, http.StatusAccepted, http.MethodPost, "/app/organization/invitations", `{"email":"guest@example.com","role":"viewer"}`), "id")
	var sessions struct{ Data []struct{ ID string } }
	owner.ok(t, http.StatusOK, http.MethodGet, "/app/account/sessions", "").json(t, &sessions)
	run := field(t, owner.ok(t, http.StatusAccepted, http.MethodPost, "/app/v1/ai/backtests", smallRun), "id")
	owned := []string{"/app/keys", "/app/organization/members", "/app/organization/invitations", "/app/account/sessions", "/app/organization", "/app/v1/ai/backtests/" + run}
	snapshot := func() (out string) {
		for _, path := range owned {
			out += string(owner.ok(t, http.StatusOK, http.MethodGet, path, "").body) + "\n"
		}
		return out
	}
	before := snapshot()

	stranger := w.settle(t, "stranger@example.com")
	theirs := field(t, stranger.ok(t, http.StatusOK, http.MethodGet, "/app/account", ""), "organization")
	_, err = w.service.SetPlan(t.Context(), theirs, "pro")
	require.NoError(t, err)
	stranger.ok(t, http.StatusAccepted, http.MethodPost, "/app/organization/invitations", `{"email":"viewer@example.com","role":"viewer"}`)
	invite := w.link(t)
	viewer := w.settle(t, "viewer@example.com")
	viewer.ok(t, http.StatusOK, http.MethodPost, "/app/invitations/accept", `{"token":"`+invite+`"}`)

	walked := 0
	for role, who := range map[string]*person{"owner": stranger, "viewer": viewer} {
		// In a body.
		who.do(t, http.MethodPost, "/app/account/organization", `{"id":"`+org+`"}`).fails(t, http.StatusNotFound, "not_found")
		for _, one := range appRoutes(t, w) {
			if !strings.Contains(one[1], "{") || strings.Contains(one[1], "/markets/") || strings.Contains(one[1], "/tokens/") || strings.Contains(one[1], "{token}") {
				continue // archives belong to nobody, links to whoever has them
			}
			for _, id := range []string{key, invitation, account, sessions.Data[0].ID, run, org} {
				path := inPath.ReplaceAllString(one[1], id)
				a := who.do(t, one[0], path, cmp.Or(map[bool]string{true: `{"role":"viewer"}`}[one[0] == http.MethodPost], ""))
				require.Contains(t, []int{http.StatusNotFound, http.StatusForbidden, http.StatusUnprocessableEntity}, a.status, "%s: %v: %s", role, one, a.body)
				require.NotContains(t, string(a.body), "owner@example.com")
				walked++
			}
		}
		for _, one := range appRoutes(t, w) { // without an id: what is seen is one's own
			if one[0] != http.MethodGet || strings.Contains(one[1], "{") {
				continue
			}
			a := who.do(t, one[0], one[1], "")
			for _, secret := range []string{org, key, invitation, account, run, "owner@example.com"} {
				require.NotContains(t, string(a.body), secret, "%s: %v", role, one)
			}
			walked++
		}
	}
	t.Logf("%d requests", walked)
	require.Equal(t, before, snapshot())
	// What a viewer may not do in the own organization.
	for _, q := range [][3]string{
		{http.MethodPost, "/app/keys", `{"name":"x"}`}, {http.MethodPost, "/app/organization", `{"name":"x"}`}, {http.MethodPost, "/app/v1/ai/backtests", smallRun},
		{http.MethodPost, "/app/v1/ai/backtest", smallRun}, {http.MethodGet, "/app/audit", ""}, {http.MethodGet, "/app/organization/invitations", ""},
	} {
		viewer.do(t, q[0], q[1], q[2]).fails(t, http.StatusForbidden, "forbidden")
	}
	viewer.ok(t, http.StatusOK, http.MethodPost, "/app/v1/ai/parse", `{"prompt":"Buy Up on BTC 5m below 30c"}`)
	viewer.ok(t, http.StatusOK, http.MethodGet, "/app/v1/ai/backtests", "")
}

// TestSessionTokens: a token of a session is taken by the routes of the AI backtests and
// refused by every data route, and it ends with its session.
func TestSessionTokens(t *testing.T) {
	t.Parallel()
	w := newTown(t, nil)
	p := w.settle(t, "ada@example.com")
	token := field(t, p.ok(t, http.StatusOK, http.MethodPost, "/app/token", ""), "token")
	send := func(method, path, body, token string) *answer {
		return w.do(t, request{method: method, path: path, plan: "-", body: body, header: http.Header{"Authorization": {"Bearer " + token}, "Content-Type": {jsonHeader}}})
	}
	send(http.MethodPost, "/v1/ai/backtest", smallRun, token).fails(t, http.StatusForbidden, "plan_required")
	_, err := w.service.SetPlan(t.Context(), field(t, p.ok(t, http.StatusOK, http.MethodGet, "/app/account", ""), "organization"), "pro")
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, send(http.MethodPost, "/v1/ai/backtest", smallRun, token).status)
	require.Equal(t, http.StatusOK, send(http.MethodPost, "/v1/ai/parse", `{"prompt":"Buy Up on BTC 5m below 30c"}`, token).status)
	data := 0
	for _, one := range w.api.AllRoutes() {
		method, route := one[0], one[1]
		if method != http.MethodGet || !strings.HasPrefix(route, "/v1/") || strings.HasPrefix(route, "/v1/ai/backtests") || strings.HasPrefix(route, "/v1/ai/sweeps") ||
			route == "/v1/ai/calibration" || route == "/v1/ai/tries" || strings.HasPrefix(route, "/v1/shared/") || route == "/v1/health" {
			continue
		}
		path := inPath.ReplaceAllString(route, "x")
		for _, header := range []http.Header{{"Authorization": {"Bearer " + token}}, {"X-Api-Key": {token}}, {"Cookie": {"ladderback_session=" + token}}, {"Cookie": {"ladderback_session=" + p.cookie}}} {
			a := w.do(t, request{path: path, plan: "-", header: header})
			a.fails(t, http.StatusUnauthorized, "unauthorized")
		}
		data++
	}
	require.Greater(t, data, 10)
	w.do(t, request{method: http.MethodPost, path: "/v1/ai/parse", plan: "-", body: `{"prompt":"x"}`, header: http.Header{"X-Api-Key": {token}}}).fails(t, http.StatusUnauthorized, "unauthorized")
	(&person{w: w, cookie: token}).do(t, http.MethodGet, "/app/account", "").fails(t, http.StatusUnauthorized, "unauthorized")
	for _, bad := range []string{token[:len(token)-2], "a.b.c", "..", token + ".x"} {
		send(http.MethodPost, "/v1/ai/parse", `{"prompt":"x"}`, bad).fails(t, http.StatusUnauthorized, "unauthorized")
	}
	p.ok(t, http.StatusNoContent, http.MethodDelete, "/app/session", "")
	send(http.MethodPost, "/v1/ai/parse", `{"prompt":"x"}`, token).fails(t, http.StatusUnauthorized, "unauthorized")
}

// TestBodiesOfAccounts sends what is no body of these routes.
func TestBodiesOfAccounts(t *testing.T) {
	t.Parallel()
	w := newTown(t, nil)
	p := w.settle(t, "ada@example.com")
	for body, want := range map[string]int{
		``: 400, `[]`: 400, `{`: 400, `{"email":"a@example.com","email":"b@example.com","password":"x"}`: 400, `{}`: 422,
		`{"email":1,"password":"x"}`: 422, `{"email":"a@example.com","password":null}`: 422, `{"email":"a@example.com","password":"` + phrase + `","admin":true}`: 422,
		`{"email":"a@example.com","password":"short"}`: 422, `{"email":"no","password":"` + phrase + `"}`: 422, strings.Repeat(" ", 65<<10): 413,
	} {
		a := p.do(t, http.MethodPost, "/app/register", body, "Content-Type", jsonHeader)
		require.Equal(t, want, a.status, "%s: %s", body, a.body)
	}
	require.ElementsMatch(t, []string{"body.email:value_error", "body.password:value_error", "body.x:extra_forbidden"},
		p.do(t, http.MethodPost, "/app/register", `{"email":"no","password":"short","x":1}`).types(t))
	for _, body := range []string{`{"name":""}`, `{"name":"x","expires_at":"tomorrow"}`, `{"name":"x","expires_at":"2020-01-01T00:00:00Z"}`, `{"name":7}`} {
		p.do(t, http.MethodPost, "/app/keys", body).invalid(t)
	}
	require.Equal(t, []string{"body.role:enum"}, p.do(t, http.MethodPost, "/app/organization/invitations", `{"email":"x@example.com","role":"king"}`).types(t))
	// Without accounts there are no such routes, and that is said.
	plain := newWorld(t, nil)
	require.JSONEq(t, `{"accounts":false,"registration":false,"providers":[]}`, string(plain.do(t, request{path: "/app/options", plan: "-"}).body))
	plain.do(t, request{path: "/app/account", plan: "-"}).fails(t, http.StatusNotFound, "not_found")
}

// TestNothingTellsAddressesApart registers, signs in and resets with known and unknown
// addresses: the answers are the same. With LADDERBACK_TIMING=300 as many of each are
// sent, mixed, and their times compared by a rank test.
func TestNothingTellsAddressesApart(t *testing.T) {
	t.Parallel()
	n, measured := 4, false
	if text := os.Getenv("LADDERBACK_TIMING"); text != "" {
		var err error
		n, err = strconv.Atoi(text)
		require.NoError(t, err)
		measured = true
	}
	w := newTown(t, func(c *accounts.Config) {
		if measured {
			c.Hash = nil // the real one
		}
	})
	w.settle(t, "known@example.com")
	type kind struct {
		path string
		body func(address string) string
	}
	kinds := []kind{
		{"/app/register", creds},
		{"/app/sign-in", func(a string) string { return fmt.Sprintf(`{"email":%q,"password":%q}`, a, newPhrase) }},
		{"/app/forgotten", func(a string) string { return fmt.Sprintf(`{"email":%q}`, a) }},
	}
	for _, k := range kinds {
		times, bodies := [2][]float64{}, map[string]bool{}
		for i := range 2 * n {
			w.clock.add(32 * time.Minute) // what bounds tries is forgotten
			known := (i*7919)%2 == i/2%2  // mixed, evenly
			address := "known@example.com"
			if !known {
				address = fmt.Sprintf("unknown%d@example.com", i)
			}
			p := &person{w: w}
			begun := time.Now()
			a := p.do(t, http.MethodPost, k.path, k.body(address))
			took := time.Since(begun).Seconds()
			at := 0
			if known {
				at = 1
			}
			times[at] = append(times[at], took)
			h := a.header.Clone()
			h.Del("X-Request-Id")
			h.Del("Date")
			bodies[fmt.Sprint(a.status, h, string(a.body))] = true
		}
		require.Len(t, bodies, 1, "%s: %v", k.path, bodies)
		require.Len(t, times[0], len(times[1]))
		if measured {
			z := rankTest(times[0], times[1])
			t.Logf("%s: %d of each, z = %.2f", k.path, n, z)
			require.Less(t, z*z, 2.576*2.576, "%s: told apart at 1 %%", k.path)
		}
	}
}

// rankTest returns the z of the Wilcoxon rank-sum test of two samples without ties.
func rankTest(a, b []float64) float64 {
	type one struct {
		at  float64
		ofA bool
	}
	all := make([]one, 0, len(a)+len(b))
	for _, x := range a {
		all = append(all, one{x, true})
	}
	for _, x := range b {
		all = append(all, one{x, false})
	}
	slices.SortFunc(all, func(x, y one) int { return cmp.Compare(x.at, y.at) })
	sum := 0.0
	for i, x := range all {
		if x.ofA {
			sum += float64(i + 1)
		}
	}
	m, n := float64(len(a)), float64(len(b))
	variance := m * n * (m + n + 1) / 12
	return (sum - m*(m+n+1)/2) / math.Sqrt(variance)
}

// TestNothingTellsSecrets lives a life, with what goes wrong in one, and looks for its
// secrets in the log and the metrics.
func TestNothingTellsSecrets(t *testing.T) {
	t.Parallel()
	w := newTown(t, nil)
	p := w.settle(t, "ada@example.com")
	secrets := []string{phrase, newPhrase, p.cookie, p.cookie[2:]}
	key := field(t, p.ok(t, http.StatusCreated, http.MethodPost, "/app/keys", `{"name":"desk"}`), "key")
	token := field(t, p.ok(t, http.StatusOK, http.MethodPost, "/app/token", ""), "token")
	p.ok(t, http.StatusAccepted, http.MethodPost, "/app/forgotten", `{"email":"ada@example.com"}`)
	secrets = append(secrets, key, key[3:], token, w.link(t))
	const sentence = "Buy Up on BTC 5m below 31c"
	p.do(t, http.MethodPost, "/app/v1/ai/parse", `{"prompt":"`+sentence+`","parser":"rules"}`)
	for _, s := range secrets {
		p.do(t, http.MethodPost, "/app/sign-in", fmt.Sprintf(`{"email":"ada@example.com","password":%q}`, s))
		p.do(t, http.MethodPost, "/app/verify", fmt.Sprintf(`{"token":%q}`, s))
		p.do(t, http.MethodPost, "/app/reset", fmt.Sprintf(`{"token":%q,"password":%q}`, s, newPhrase))
		p.do(t, http.MethodPost, "/app/join", fmt.Sprintf(`{"ticket":%q,"password":%q}`, s, newPhrase))
	}
	scraped := httptest.NewRecorder()
	w.api.MetricsHandler().ServeHTTP(scraped, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	log := w.log.String()
	require.Contains(t, log, "/app/sign-in")
	require.Contains(t, scraped.Body.String(), "/app/sign-in")
	for _, s := range append(secrets, sentence, "ada@example.com") {
		require.NotContains(t, log, s)
		require.NotContains(t, scraped.Body.String(), s)
	}
}

// TestManySignIns has many people sign in at once while data routes answer: all of them
// are answered, by a session or by being told to come again, and the data routes by what
// was asked for. With LADDERBACK_SIGN_INS=200 as many come, passwords cost what they do,
// and times and memory are told.
func TestManySignIns(t *testing.T) {
	t.Parallel()
	n, measured := 20, false
	if text := os.Getenv("LADDERBACK_SIGN_INS"); text != "" {
		var err error
		n, err = strconv.Atoi(text)
		require.NoError(t, err)
		measured = true
	}
	w := newTown(t, func(c *accounts.Config) {
		if measured {
			c.Hash = nil // the real one
		}
	})
	p := w.settle(t, "ada@example.com")
	_, err := w.service.SetPlan(t.Context(), field(t, p.ok(t, http.StatusOK, http.MethodGet, "/app/account", ""), "organization"), "enterprise")
	require.NoError(t, err)
	key := field(t, p.ok(t, http.StatusCreated, http.MethodPost, "/app/keys", `{"name":"desk"}`), "key")
	read := func() float64 {
		begun := time.Now()
		s := w.send(t.Context(), request{path: "/v1/markets?include_closed=true&limit=50", plan: "-", header: http.Header{"X-Api-Key": {key}}})
		if s.err != nil || s.answer.status != http.StatusOK {
			t.Errorf("data route: %v %+v", s.err, s.answer)
		}
		return time.Since(begun).Seconds() * 1000
	}
	quiet := make([]float64, 0, 300)
	for range cap(quiet) {
		quiet = append(quiet, read())
	}
	var group sync.WaitGroup
	var mu sync.Mutex
	statuses := map[int]int{}
	for range n {
		group.Go(func() {
			s := w.send(t.Context(), request{method: http.MethodPost, path: "/app/sign-in", plan: "-", body: creds("ada@example.com"), header: http.Header{"Content-Type": {jsonHeader}}})
			mu.Lock()
			defer mu.Unlock()
			if s.err != nil {
				t.Errorf("sign-in: %v", s.err)
				return
			}
			statuses[s.answer.status]++
			if s.answer.status == http.StatusServiceUnavailable && s.answer.header.Get("Retry-After") == "" {
				t.Error("503 without Retry-After")
			}
		})
	}
	done := make(chan struct{})
	go func() { group.Wait(); close(done) }()
	var busy []float64
	peak := uint64(0)
	for going := true; going; {
		busy = append(busy, read())
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		peak = max(peak, m.HeapInuse)
		select {
		case <-done:
			going = false
		default:
		}
	}
	require.Equal(t, n, statuses[http.StatusOK]+statuses[http.StatusServiceUnavailable], "%v", statuses)
	require.GreaterOrEqual(t, statuses[http.StatusOK], 1)
	if measured {
		p99 := func(x []float64) float64 { slices.Sort(x); return x[len(x)*99/100] }
		t.Logf("%d sign-ins: %v; data route p99 %.1f ms before (%d), %.1f ms meanwhile (%d); heap at most %d MB", n, statuses, p99(quiet), len(quiet), p99(busy), len(busy), peak>>20)
	}
}
