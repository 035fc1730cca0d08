package forms_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/api/page/forms"
	"github.com/ladderback/ladderback/identity"
	"github.com/ladderback/ladderback/identity/accounts"
	"github.com/ladderback/ladderback/identity/credentials"
	"github.com/ladderback/ladderback/identity/oauth"
	"github.com/ladderback/ladderback/identity/oidc"
	"github.com/ladderback/ladderback/market"
)

const good = "correct horse battery"

// people answers as accounts do, of one person: ada, whose session's token is "new".
type people struct {
	closed bool
	kind   string
	err    error
	in     *accounts.Session // who is signed in
	asked  []string
}

func ada(verified bool) accounts.Session {
	return accounts.Session{ID: "s_1", Account: accounts.Account{ID: "a_1", Address: "ada@example.com", Verified: verified}}
}

func (p *people) did(what ...string) error {
	p.asked = append(p.asked, strings.Join(what, " "))
	return p.err
}

func (p *people) Closed() bool     { return p.closed }
func (p *people) MailKind() string { return p.kind }

func (p *people) Register(_ context.Context, address, password string, _ accounts.From) error {
	return p.did("register", address, password)
}

func (p *people) SignIn(_ context.Context, address, password string, _ accounts.From) (accounts.SignedIn, error) {
	if password != good {
		return accounts.SignedIn{}, accounts.ErrWrong
	}
	return accounts.SignedIn{Session: ada(address != "new@example.com"), Token: "new"}, p.did("sign in", address)
}

func (p *people) Verify(_ context.Context, secret, _ string, in *accounts.Session, _ accounts.From) (accounts.Verified, error) {
	out := accounts.Verified{Address: "ada@example.com", Purpose: "verify"}
	if in != nil {
		out.Session = &accounts.SignedIn{Session: ada(true), Token: "new"}
	}
	return out, p.did("verify", secret)
}

func (p *people) Forgotten(_ context.Context, address string, _ accounts.From) error {
	return p.did("forgotten", address)
}

func (p *people) Reset(_ context.Context, secret, password string, _ bool, _ accounts.From) error {
	if err := credentials.CheckPassword(password, "ada@example.com"); err != nil {
		return err
	}
	return p.did("reset", secret, password)
}

func (p *people) SignInWithIdentity(_ context.Context, issuer, subject, address string, verified bool, _ accounts.From) (accounts.SignedIn, error) {
	return accounts.SignedIn{Session: ada(true), Token: "new"}, p.did("identity", issuer, subject, address)
}

func (p *people) Join(_ context.Context, ticket, password string, _ accounts.From) (accounts.SignedIn, error) {
	switch {
	case ticket != "ticket":
		return accounts.SignedIn{}, accounts.ErrLink
	case password != good:
		return accounts.SignedIn{}, accounts.ErrWrong
	}
	return accounts.SignedIn{Session: ada(true), Token: "new"}, p.did("join")
}

func (p *people) Accept(_ context.Context, _ *accounts.Session, secret string, _ accounts.From) (accounts.SignedIn, error) {
	return accounts.SignedIn{Session: ada(true), Token: "new"}, p.did("accept", secret)
}

func (p *people) Allow(_ context.Context, _ *accounts.Session, g *accounts.Grant, proof accounts.Proof, _ accounts.From) (string, error) {
	return "a&code", p.did("allow", g.Client, strings.Join(g.Scopes, "+"), proof.Redirect)
}

func (p *people) From(*http.Request) accounts.From { return accounts.From{} }

func (p *people) Session(*http.Request) (*accounts.Session, error) {
	if p.in == nil {
		return nil, identity.ErrNoSession
	}
	return p.in, nil
}

func (p *people) Enter(w http.ResponseWriter, _ *http.Request, in *accounts.SignedIn) error {
	w.Header().Del("Set-Cookie")
	http.SetCookie(w, &http.Cookie{Name: "session", Value: in.Token})
	return nil
}

// site serves the pages of somebody.
func site(t testing.TB, p *people, providers ...oidc.Provider) http.Handler {
	t.Helper()
	agents, err := oauth.New(oauth.Config{Issuer: "https://app.example.com", Resource: "/mcp", Clients: []oauth.Client{
		{ID: "desk", Name: "Desk", Redirects: []string{"https://desk.example/back?x=1"}},
	}})
	require.NoError(t, err)
	cfg := forms.Config{Accounts: p, Browser: p, Agents: agents, Assets: fstest.MapFS{
		"assets/style-1.css": {}, "assets/inter-1.woff2": {}, "assets/forms-1.js": {}, "assets/app-1.js": {},
	}}
	if len(providers) > 0 {
		cfg.Providers, err = oidc.New(oidc.Config{Providers: providers, BaseURL: "http://localhost"})
		require.NoError(t, err)
	}
	f, err := forms.New(cfg)
	require.NoError(t, err)
	mux := http.NewServeMux()
	for _, one := range f.Routes() {
		mux.HandleFunc(one.Method+" "+one.Path, one.Handle)
	}
	return mux
}

type shown struct {
	status  int
	header  http.Header
	body    string
	cookies map[string]string
}

func ask(t testing.TB, h http.Handler, r *http.Request) shown {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	res := w.Result()
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	s := shown{res.StatusCode, res.Header, string(body), map[string]string{}}
	for _, c := range res.Cookies() {
		s.cookies[c.Name] = c.Value
	}
	return s
}

func get(t testing.TB, h http.Handler, path string) shown {
	t.Helper()
	return ask(t, h, httptest.NewRequest(http.MethodGet, path, nil))
}

func post(t testing.TB, h http.Handler, path string, fields ...string) shown {
	t.Helper()
	q := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		q.Set(fields[i], fields[i+1])
	}
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(q.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")
	return ask(t, h, r)
}

// TestPages: each opens without asking anything of accounts, holds no script or style of
// its own, and is shown in no frame.
func TestPages(t *testing.T) {
	t.Parallel()
	for _, in := range []bool{false, true} {
		p := &people{kind: "log"}
		if in {
			one := ada(true)
			p.in = &one
		}
		h := site(t, p)
		for path, fields := range map[string][]string{
			"/register": {`autocomplete="username"`, `autocomplete="new-password"`}, "/verify": {`autocomplete="one-time-code"`},
			"/forgotten": {`autocomplete="username"`}, "/reset": {`autocomplete="new-password"`}, "/join": {`autocomplete="current-password"`},
			"/invitation": nil,
		} {
			s := get(t, h, path)
			require.Equal(t, http.StatusOK, s.status, path)
			for _, one := range fields {
				require.Contains(t, s.body, one, path)
			}
			require.Equal(t, "no-store", s.header.Get("Cache-Control"))
			require.Equal(t, "nosniff", s.header.Get("X-Content-Type-Options"))
			policy := s.header.Get("Content-Security-Policy")
			require.Contains(t, policy, "default-src 'none'")
			require.Contains(t, policy, "frame-ancestors 'none'")
			require.Contains(t, policy, "form-action 'self'")
			require.NotContains(t, policy, "unsafe")
			require.NotRegexp(t, `<script[^>]*>[^<]|<style|style=|\son\w+=|https?://`, s.body)
			require.Contains(t, s.body, `href="/assets/style-1.css"`)
			require.Contains(t, s.body, `src="/assets/forms-1.js"`)
			require.NotContains(t, s.body, "app-1.js")
			if path != "/join" {
				require.Contains(t, s.body, "This server sends no mail.", path)
				require.NotContains(t, s.body, "mail: log", path)
			}
		}
		require.Empty(t, p.asked)
	}
}

// TestSignIn: right and wrong, and where it leads.
func TestSignIn(t *testing.T) {
	t.Parallel()
	p := &people{}
	h := site(t, p)
	require.Contains(t, get(t, h, "/sign-in").body, `autocomplete="current-password"`)
	s := post(t, h, "/sign-in", "email", `a"><b>@example.com`, "password", "wrong")
	require.Equal(t, http.StatusUnauthorized, s.status)
	require.Contains(t, s.body, "The address or the password is wrong.")
	require.NotContains(t, s.body, "<b>")
	require.NotContains(t, s.body, `value="wrong"`)
	require.Empty(t, s.cookies)

	for next, to := range map[string]string{
		"": "/", "/runs?x=1": "/runs?x=1", "https://example.com": "/", "//example.com": "/", `/\example.com`: "/", "javascript:alert(1)": "/",
		"/\t/example.com": "/", "\t//example.com": "/", "http:/a": "/", "runs": "/", "/%": "/", "//": "/", "///example.com": "/", "/ /example.com": "/",
	} {
		s := post(t, h, "/sign-in", "email", "ada@example.com", "password", good, "next", next)
		require.Equal(t, http.StatusSeeOther, s.status)
		require.Equal(t, to, s.header.Get("Location"), next)
		require.Equal(t, map[string]string{"session": "new"}, s.cookies)
	}
	require.Equal(t, "/account/keys", post(t, h, "/sign-in", "email", "new@example.com", "password", good).header.Get("Location"), "where it is said that the address is to be verified")
	require.Contains(t, get(t, h, "/sign-in?next=%2Fruns").body, `name="next" value="/runs"`)
	require.NotContains(t, get(t, h, "/sign-in?next=%2F%2Fexample.com").body, "example.com")

	one := ada(true)
	p.in = &one
	s = get(t, h, "/sign-in?next=//example.com")
	require.Equal(t, http.StatusSeeOther, s.status)
	require.Equal(t, "/", s.header.Get("Location"))
}

// TestFailures: what people are told when it is not their fault, or too often.
func TestFailures(t *testing.T) {
	t.Parallel()
	for _, one := range []struct {
		err    error
		status int
		says   string
		wait   string
	}{
		{&market.Error{Code: market.CodeRateLimited, Message: "x", RetryAfter: 30}, 429, "wait 30 s before", "30"},
		{&market.Error{Code: market.CodeRateLimited, Message: "x", RetryAfter: 901}, 429, "wait 16 minutes before", "901"},
		{credentials.ErrBusy, 503, "Too many people are signing in at the moment.", "5"},
		{errors.New("password 12345: the disk is full"), 503, "not your fault", ""},
	} {
		h := site(t, &people{err: one.err})
		for _, s := range []shown{
			post(t, h, "/sign-in", "email", "ada@example.com", "password", good),
			post(t, h, "/register", "email", "ada@example.com", "password", good),
			post(t, h, "/forgotten", "email", "ada@example.com"),
			post(t, h, "/verify", "code", "c"),
			post(t, h, "/reset", "code", "c", "password", good),
		} {
			require.Equal(t, one.status, s.status)
			require.Contains(t, s.body, one.says)
			require.Contains(t, s.body, `role="alert"`)
			require.Equal(t, one.wait, s.header.Get("Retry-After"))
			require.NotContains(t, s.body, "disk")
			require.Empty(t, s.cookies)
		}
	}
}

// TestRegister: what is wrong is said at its field; else the answer is the same for all.
func TestRegister(t *testing.T) {
	t.Parallel()
	p := &people{}
	h := site(t, p)
	for _, one := range [][3]string{
		{"ada", good, "Expected an address"}, {"ada@example.com", "short", "Expected at least 12 characters."}, {"ada@example.com", "aaaaaaaaaaaa", "first: choose another"},
	} {
		s := post(t, h, "/register", "email", one[0], "password", one[1])
		require.Equal(t, http.StatusUnprocessableEntity, s.status)
		require.Contains(t, s.body, one[2])
		require.Equal(t, 1, strings.Count(s.body, `aria-invalid="true"`))
		require.Equal(t, 1, strings.Count(s.body, `role="alert"`))
		require.Contains(t, s.body, `value="`+one[0]+`"`)
		require.NotContains(t, s.body, one[1])
	}
	require.Empty(t, p.asked)
	s := post(t, h, "/register", "email", "ada@example.com", "password", good)
	require.Equal(t, http.StatusAccepted, s.status)
	require.Equal(t, []string{"register ada@example.com " + good}, p.asked)
	require.Equal(t, s.body, post(t, h, "/register", "email", "b@example.com", "password", good).body)

	p.closed, p.asked = true, nil
	require.Contains(t, get(t, h, "/register").body, "takes no registrations")
	require.Equal(t, http.StatusForbidden, post(t, h, "/register", "email", "ada@example.com", "password", good).status)
	require.NotContains(t, get(t, h, "/sign-in").body, "/register")
	require.Empty(t, p.asked)
}

// TestLinks: codes of mails, as they are pasted.
func TestLinks(t *testing.T) {
	t.Parallel()
	p := &people{}
	h := site(t, p)
	for _, code := range []string{"abc", " abc\n", "https://app.example.com/verify#abc", "a b c"} {
		require.Equal(t, http.StatusOK, post(t, h, "/verify", "code", code).status)
		require.Equal(t, "verify abc", p.asked[len(p.asked)-1])
	}
	require.Empty(t, post(t, h, "/verify", "code", "abc").cookies)
	s := post(t, h, "/reset", "code", "abc", "password", "short")
	require.Equal(t, http.StatusUnprocessableEntity, s.status)
	require.Contains(t, s.body, `value="abc"`, "the code is not to be pasted again")
	s = post(t, h, "/reset", "code", "abc", "password", good)
	require.Equal(t, http.StatusOK, s.status)
	require.Empty(t, s.cookies, "a reset never signs in")
	require.Equal(t, http.StatusUnauthorized, post(t, h, "/invitation", "code", "abc").status)

	one := ada(true)
	p.in = &one
	require.Equal(t, map[string]string{"session": "new"}, post(t, h, "/verify", "code", "abc").cookies)
	s = post(t, h, "/invitation", "code", "abc")
	require.Equal(t, "/account/members", s.header.Get("Location"))
	require.Equal(t, map[string]string{"session": "new"}, s.cookies)
	p.err = accounts.ErrLink
	for _, path := range []string{"/verify", "/reset", "/invitation"} {
		s := post(t, h, path, "code", "abc", "password", good)
		require.Equal(t, http.StatusBadRequest, s.status, path)
		require.Contains(t, s.body, "too old: ask for another", path)
	}
}

// TestNoForm: what is no form of a browser does nothing.
func TestNoForm(t *testing.T) {
	t.Parallel()
	p := &people{}
	h := site(t, p)
	for _, kind := range []string{"text/plain", "application/json", "multipart/form-data; boundary=x", ""} {
		r := httptest.NewRequest(http.MethodPost, "/forgotten", strings.NewReader("email=ada@example.com"))
		r.Header.Set("Content-Type", kind)
		require.Equal(t, http.StatusBadRequest, ask(t, h, r).status)
	}
	require.Equal(t, http.StatusBadRequest, post(t, h, "/forgotten", "email", strings.Repeat("a", 32<<10)).status)
	require.Empty(t, p.asked)
}

// TestIdentity: through a provider and back, and joined to the account that there is.
func TestIdentity(t *testing.T) {
	t.Parallel()
	down := httptest.NewServer(http.NotFoundHandler())
	down.Close()
	p := &people{}
	h := site(t, p, oidc.Provider{ID: "house", Name: "House & Co", Issuer: down.URL, ClientID: "c"})
	body := get(t, h, "/sign-in?next=/runs").body
	require.Contains(t, body, `href="/app/providers/house?next=%2Fruns"`)
	require.Contains(t, body, "Continue with House &amp; Co")
	s := get(t, h, "/app/providers/house")
	require.Equal(t, http.StatusServiceUnavailable, s.status)
	require.Contains(t, s.body, "does not answer at the moment")
	require.Equal(t, http.StatusNotFound, get(t, h, "/app/providers/other").status)
	s = get(t, h, "/app/providers/house/callback?state=a&code=b")
	require.Equal(t, http.StatusBadRequest, s.status)
	require.Contains(t, s.body, "not begun in this browser")
	require.Empty(t, p.asked)

	join := func(ticket, password string) shown {
		r := httptest.NewRequest(http.MethodPost, "/join", strings.NewReader(url.Values{"password": {password}, "next": {"/runs"}}.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.AddCookie(&http.Cookie{Name: "ladderback_join", Value: ticket})
		return ask(t, h, r)
	}
	s = join("ticket", "wrong")
	require.Equal(t, http.StatusUnauthorized, s.status)
	require.Contains(t, s.body, "The password is wrong.")
	s = join("ticket", good)
	require.Equal(t, "/runs", s.header.Get("Location"))
	require.Equal(t, map[string]string{"session": "new", "ladderback_join": ""}, s.cookies)
	s = join("other", good)
	require.Equal(t, http.StatusBadRequest, s.status)
	require.Contains(t, s.body, "sign in again")
}

// TestConsent: a client is allowed what the person ticks, and by whoever may.
func TestConsent(t *testing.T) {
	t.Parallel()
	p := &people{}
	h := site(t, p)
	const request = "response_type=code&client_id=desk&redirect_uri=https%3A%2F%2Fdesk.example%2Fback%3Fx%3D1&scope=read+run&state=s" +
		"&code_challenge=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA&code_challenge_method=S256"
	s := get(t, h, "/oauth/authorize?"+request)
	require.Equal(t, "/sign-in?next="+url.QueryEscape("/oauth/authorize?"+request), s.header.Get("Location"))
	s = post(t, h, "/sign-in", "email", "ada@example.com", "password", good, "next", "/oauth/authorize?"+request)
	require.Equal(t, "/oauth/authorize?"+request, s.header.Get("Location"))

	one := ada(false)
	p.in, p.asked = &one, nil
	require.Equal(t, http.StatusForbidden, get(t, h, "/oauth/authorize?"+request).status)
	one = ada(true)
	one.Organization = accounts.Membership{Name: "Ada & Co", Role: accounts.Owner}
	s = get(t, h, "/oauth/authorize?"+request)
	require.Equal(t, http.StatusOK, s.status)
	require.Contains(t, s.body, "Ada &amp; Co")
	require.Contains(t, s.body, `name="run"`)
	require.Contains(t, s.body, `name="answer" value="no"`)
	require.Contains(t, s.header.Get("Content-Security-Policy"), "form-action 'self' https://desk.example;")
	for run, did := range map[string]string{"yes": "read+run", "": "read"} {
		s = post(t, h, "/oauth/authorize", "request", request, "answer", "yes", "run", run)
		require.Equal(t, "https://desk.example/back?code=a%26code&iss=https%3A%2F%2Fapp.example.com&state=s&x=1", s.header.Get("Location"))
		require.Equal(t, "allow desk "+did+" https://desk.example/back?x=1", p.asked[len(p.asked)-1])
	}
	onlyRead := strings.Replace(request, "read+run", "read", 1)
	require.NotContains(t, get(t, h, "/oauth/authorize?"+onlyRead).body, `name="run"`)
	post(t, h, "/oauth/authorize", "request", onlyRead, "answer", "yes", "run", "yes")
	require.Contains(t, p.asked[len(p.asked)-1], "desk read https")
	one.Organization.Role = accounts.Viewer
	require.NotContains(t, get(t, h, "/oauth/authorize?"+request).body, `name="run"`)

	p.asked = nil
	require.Contains(t, post(t, h, "/oauth/authorize", "request", request, "answer", "no").header.Get("Location"), "error=access_denied")
	for _, broken := range []string{"", "%", request + "&state=again", strings.Replace(request, "desk.example", "evil.example", 1)} {
		s = post(t, h, "/oauth/authorize", "request", broken, "answer", "yes")
		require.Equal(t, http.StatusBadRequest, s.status, broken)
		require.Empty(t, s.header.Get("Location"), broken)
	}
	require.Empty(t, p.asked)
	p.err = &market.Error{Code: market.CodeConflict, Message: "50 agents are connected, the most: end one first"}
	s = post(t, h, "/oauth/authorize", "request", request, "answer", "yes")
	require.Equal(t, http.StatusConflict, s.status)
	require.Contains(t, s.body, "50 agents are connected")
}
