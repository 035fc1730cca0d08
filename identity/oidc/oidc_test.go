package oidc_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/identity/oidc"
	"github.com/ladderback/ladderback/market"
)

// signingKey is a key of a provider.
type signingKey struct {
	id      string
	private *ecdsa.PrivateKey
}

func newKey(t testing.TB, id string) signingKey {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	return signingKey{id, k}
}

// idp is an identity provider in the process, which lies as it is told.
type idp struct {
	*httptest.Server
	t  testing.TB
	mu sync.Mutex

	signs     signingKey
	published []signingKey
	describe  func(map[string]any)                      // changes what it says of itself
	claim     func(map[string]any)                      // changes the ID token
	sign      func(payload []byte) string               // signs it otherwise
	answer    func(url.Values)                          // changes what the browser brings back
	info      map[string]any                            // userinfo; nil: there is no such route
	fails     map[string]int                            // status by path
	asked     map[string]int                            // how often, by path
	codes     map[string]url.Values                     // what each code was asked for with
	token     func(w http.ResponseWriter, f url.Values) // looks at a request of a token
}

func newIDP(t testing.TB) *idp {
	t.Helper()
	p := &idp{t: t, signs: newKey(t, "one"), fails: map[string]int{}, asked: map[string]int{}, codes: map[string]url.Values{}}
	p.published = []signingKey{p.signs}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", p.discovery)
	mux.HandleFunc("GET /authorize", p.authorize)
	mux.HandleFunc("POST /token", p.tokens)
	mux.HandleFunc("GET /userinfo", func(w http.ResponseWriter, _ *http.Request) { p.json(w, p.info) })
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		var set jose.JSONWebKeySet
		for _, k := range p.published {
			set.Keys = append(set.Keys, jose.JSONWebKey{Key: k.private.Public(), KeyID: k.id, Use: "sig", Algorithm: "ES256"})
		}
		p.json(w, set)
	})
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.asked[r.URL.Path]++
		if status := p.fails[r.URL.Path]; status != 0 {
			w.WriteHeader(status)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(p.Close)
	return p
}

func (p *idp) json(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

func (p *idp) discovery(w http.ResponseWriter, _ *http.Request) {
	d := map[string]any{
		"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token", "jwks_uri": p.URL + "/keys",
		"id_token_signing_alg_values_supported":          []string{"none", "HS256", "ES256"},
		"authorization_response_iss_parameter_supported": true,
	}
	if p.info != nil {
		d["userinfo_endpoint"] = p.URL + "/userinfo"
	}
	if p.describe != nil {
		p.describe(d)
	}
	p.json(w, d)
}

func (p *idp) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	code := rand.Text()
	p.codes[code] = q
	back := url.Values{"code": {code}, "state": {q.Get("state")}, "iss": {p.URL}}
	if p.answer != nil {
		p.answer(back)
	}
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+back.Encode(), http.StatusSeeOther)
}

// tokens holds the client to what a provider may expect of it, then answers.
func (p *idp) tokens(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	q, known := p.codes[r.PostForm.Get("code")]
	delete(p.codes, r.PostForm.Get("code"))
	sum := sha256.Sum256([]byte(r.PostForm.Get("code_verifier")))
	proof := base64.RawURLEncoding.EncodeToString(sum[:])
	if !known || q.Get("code_challenge_method") != "S256" || q.Get("code_challenge") != proof || r.PostForm.Get("redirect_uri") != q.Get("redirect_uri") {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"error":"invalid_grant"}`)
		return
	}
	if p.token != nil {
		p.token(w, r.PostForm)
	}
	now := time.Now()
	c := map[string]any{
		"iss": p.URL, "sub": "subject-1", "aud": "client", "exp": now.Add(time.Minute).Unix(), "iat": now.Unix(),
		"nonce": q.Get("nonce"), "email": "ada@example.com", "email_verified": true,
	}
	if p.claim != nil {
		p.claim(c)
	}
	payload, err := json.Marshal(c)
	require.NoError(p.t, err)
	sign := p.sign
	if sign == nil {
		sign = func(payload []byte) string { return signed(p.t, jose.ES256, p.signs.private, p.signs.id, payload) }
	}
	p.json(w, map[string]any{"access_token": "opaque", "token_type": "Bearer", "expires_in": 60, "id_token": sign(payload)})
}

func signed(t testing.TB, alg jose.SignatureAlgorithm, key any, id string, payload []byte) string {
	t.Helper()
	s, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: jose.JSONWebKey{Key: key, KeyID: id}}, nil)
	require.NoError(t, err)
	object, err := s.Sign(payload)
	require.NoError(t, err)
	text, err := object.CompactSerialize()
	require.NoError(t, err)
	return text
}

func (p *idp) with(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
}

// site is a server that people sign in to.
type site struct {
	*httptest.Server
	mu     sync.Mutex
	person oidc.Person
	err    error
}

func newSite(t testing.TB, providers ...oidc.Provider) *site {
	t.Helper()
	s := &site{}
	mux := http.NewServeMux()
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	p, err := oidc.New(oidc.Config{Providers: providers, BaseURL: s.URL})
	require.NoError(t, err)
	note := func(w http.ResponseWriter, err error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.err = err
		if err != nil {
			w.WriteHeader(market.CodeOf(err).Status())
		}
	}
	mux.HandleFunc("GET /app/providers/{id}", func(w http.ResponseWriter, r *http.Request) {
		if err := p.Start(w, r, r.PathValue("id"), "/runs"); err != nil {
			note(w, err)
		}
	})
	mux.HandleFunc("GET /app/providers/{id}/callback", func(w http.ResponseWriter, r *http.Request) {
		person, err := p.Finish(w, r, r.PathValue("id"))
		note(w, err)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.person = person
	})
	return s
}

// through goes through the provider and back in a browser.
func (s *site) through(t testing.TB, id string) (oidc.Person, error) {
	t.Helper()
	return s.in(t, newBrowser(t), oidc.StartPath(id))
}

func newBrowser(t testing.TB) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	return &http.Client{Jar: jar}
}

func (s *site) in(t testing.TB, browser *http.Client, path string) (oidc.Person, error) {
	t.Helper()
	s.mu.Lock()
	s.person, s.err = oidc.Person{}, nil
	s.mu.Unlock()
	answer, err := browser.Get(s.URL + path)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.person, s.err
}

func client(p *idp) oidc.Provider {
	return oidc.Provider{ID: "house", Name: "House", Issuer: p.URL, ClientID: "client", ClientSecret: "secret"}
}

// TestSignIn goes through a provider that keeps to the rules.
func TestSignIn(t *testing.T) {
	t.Parallel()
	p := newIDP(t)
	s := newSite(t, client(p))
	got, err := s.through(t, "house")
	require.NoError(t, err)
	require.Equal(t, oidc.Person{Issuer: p.URL, Subject: "subject-1", Address: "ada@example.com", Verified: true, Next: "/runs"}, got)
	got, err = s.through(t, "house")
	require.NoError(t, err)
	require.Equal(t, "subject-1", got.Subject)
	require.Equal(t, 1, p.asked["/.well-known/openid-configuration"])
}

// TestAddress: it comes from the ID token, else from userinfo, and is verified only
// if the provider says so.
func TestAddress(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		claim    map[string]any
		info     map[string]any
		address  string
		verified bool
	}{
		"said to be verified":    {map[string]any{"email_verified": true}, nil, "ada@example.com", true},
		"as text":                {map[string]any{"email_verified": "true"}, nil, "ada@example.com", true},
		"not verified":           {map[string]any{"email_verified": false}, nil, "ada@example.com", false},
		"nothing said of it":     {map[string]any{"email_verified": nil}, nil, "ada@example.com", false},
		"neither yes nor no":     {map[string]any{"email_verified": 1}, nil, "ada@example.com", false},
		"none":                   {map[string]any{"email": nil}, nil, "", false},
		"of userinfo":            {map[string]any{"email": nil}, map[string]any{"sub": "subject-1", "email": "b@example.com", "email_verified": true}, "b@example.com", true},
		"of userinfo, unsure":    {map[string]any{"email": nil}, map[string]any{"sub": "subject-1", "email": "b@example.com"}, "b@example.com", false},
		"verified, but not said": {map[string]any{"email": nil}, map[string]any{"sub": "subject-1", "email_verified": true}, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newIDP(t)
			p.info = one.info
			p.claim = func(c map[string]any) { maps.Copy(c, one.claim) }
			got, err := newSite(t, client(p)).through(t, "house")
			require.NoError(t, err)
			require.Equal(t, one.address, got.Address)
			require.Equal(t, one.verified, got.Verified)
		})
	}
}

func set(key string, value any) func(*idp) {
	return func(p *idp) { p.claim = func(c map[string]any) { c[key] = value } }
}

// TestLies: nobody comes in through a provider whose word does not hold.
func TestLies(t *testing.T) {
	t.Parallel()
	const bad, refused, down = market.CodeBadRequest, market.CodeUnauthorized, market.CodeUnavailable
	for name, one := range map[string]struct {
		lie  func(*idp)
		want market.Code
		says string // in the message, or its cause
	}{
		"for another client":                     {set("aud", "another"), refused, "audience"},
		"for another client too":                 {set("aud", []string{"client", "another"}), refused, "authorized"},
		"authorized another":                     {set("azp", "another"), refused, "authorized"},
		"another nonce":                          {set("nonce", "another"), refused, "nonce"},
		"no nonce":                               {set("nonce", nil), refused, "nonce"},
		"another issuer":                         {set("iss", "https://accounts.example.com"), refused, "different provider"},
		"nobody":                                 {set("sub", ""), refused, "subject"},
		"expired":                                {set("exp", time.Now().Add(-time.Second).Unix()), refused, "expired"},
		"not yet":                                {set("nbf", time.Now().Add(time.Hour).Unix()), refused, "before"},
		"another access token":                   {set("at_hash", "AAAAAAAAAAAAAAAAAAAAAA"), refused, "hash"},
		"no ID token":                            {func(p *idp) { p.sign = func([]byte) string { return "" } }, refused, "malformed"},
		"not a token":                            {func(p *idp) { p.sign = func([]byte) string { return "a.b.c" } }, refused, "malformed"},
		"not signed":                             {func(p *idp) { p.sign = unsigned }, refused, "alg"},
		"signed with the secret":                 {func(p *idp) { p.sign = bySecret(p.t) }, refused, "alg"},
		"signed by an unknown key":               {func(p *idp) { p.signs = newKey(p.t, "two") }, refused, "signature"},
		"signed by another key of the same name": {func(p *idp) { p.signs = newKey(p.t, "one") }, refused, "signature"},
		"with a key of its own":                  {func(p *idp) { p.sign = ownKey(p.t) }, refused, "signature"},
		"described as another":                   {func(p *idp) { p.describe = func(d map[string]any) { d["issuer"] = "https://accounts.example.com" } }, down, "did not match"},
		"leads into the clear": {func(p *idp) {
			p.describe = func(d map[string]any) { d["authorization_endpoint"] = "http://example.com/a" }
		}, down, "https"},
		"tokens in the clear":      {func(p *idp) { p.describe = func(d map[string]any) { d["token_endpoint"] = "http://example.com/t" } }, down, "https"},
		"keys in the clear":        {func(p *idp) { p.describe = func(d map[string]any) { d["jwks_uri"] = "http://example.com/k" } }, refused, "https"},
		"answer of another issuer": {func(p *idp) { p.answer = func(q url.Values) { q.Set("iss", "https://accounts.example.com") } }, refused, "issuer"},
		"answer of no issuer":      {func(p *idp) { p.answer = func(q url.Values) { q.Del("iss") } }, refused, "issuer"},
		"answer of two issuers":    {func(p *idp) { p.answer = func(q url.Values) { q.Add("iss", "https://accounts.example.com") } }, refused, "issuer"},
		"another state":            {func(p *idp) { p.answer = func(q url.Values) { q.Set("state", "another") } }, bad, "not begun"},
		"no state":                 {func(p *idp) { p.answer = func(q url.Values) { q.Del("state") } }, bad, "not begun"},
		"two states":               {func(p *idp) { p.answer = func(q url.Values) { q.Add("state", "another") } }, bad, "not begun"},
		"no code":                  {func(p *idp) { p.answer = func(q url.Values) { q.Del("code") } }, refused, "no code"},
		"another code":             {func(p *idp) { p.answer = func(q url.Values) { q.Set("code", "another") } }, refused, "invalid_grant"},
		"given up":                 {func(p *idp) { p.answer = func(q url.Values) { q.Set("error", "access_denied") } }, refused, "given up"},
		"refused":                  {func(p *idp) { p.answer = func(q url.Values) { q.Set("error", "invalid_scope") } }, refused, "(invalid_scope)"},
		"refused in strange words": {func(p *idp) { p.answer = func(q url.Values) { q.Set("error", "<b>call 555</b>") } }, refused, "(unknown reason)"},
		"no description":           {func(p *idp) { p.fails["/.well-known/openid-configuration"] = 503 }, down, "503"},
		"no tokens":                {func(p *idp) { p.fails["/token"] = 500 }, down, "500"},
		"no keys":                  {func(p *idp) { p.fails["/keys"] = 500 }, refused, "500"},
		"an endless answer":        {func(p *idp) { p.describe = func(d map[string]any) { d["x"] = strings.Repeat("x", 2<<20) } }, down, "too large"},
		"another's address": {func(p *idp) {
			p.info = map[string]any{"sub": "subject-2", "email": "a@example.com"}
			set("email", nil)(p)
		}, refused, "another subject"},
		"no userinfo": {func(p *idp) { p.info = map[string]any{}; p.fails["/userinfo"] = 500; set("email", nil)(p) }, refused, "500"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newIDP(t)
			one.lie(p)
			got, err := newSite(t, client(p)).through(t, "house")
			require.Error(t, err)
			require.Empty(t, got.Subject)
			require.Equal(t, one.want, market.CodeOf(err), err)
			e := market.AsError(err)
			whole := e.Message
			if e.Cause != nil {
				whole += ": " + e.Cause.Error()
			}
			require.Contains(t, whole, one.says)
			require.NotContains(t, whole, "secret")
		})
	}
}

// unsigned is a token with the algorithm none.
func unsigned(payload []byte) string {
	return base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`)) + "." + base64.RawURLEncoding.EncodeToString(payload) + "."
}

func bySecret(t testing.TB) func([]byte) string {
	return func(payload []byte) string {
		return signed(t, jose.HS256, []byte("secret-secret-secret-secret-secret"), "one", payload)
	}
}

// ownKey is a token that brings the key it is signed with.
func ownKey(t testing.TB) func([]byte) string {
	return func(payload []byte) string {
		k, err := rsa.GenerateKey(rand.Reader, 2048)
		require.NoError(t, err)
		s, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: k}, &jose.SignerOptions{EmbedJWK: true})
		require.NoError(t, err)
		object, err := s.Sign(payload)
		require.NoError(t, err)
		text, err := object.CompactSerialize()
		require.NoError(t, err)
		return text
	}
}

// TestRotation: keys that come between two sign-ins, with and without those before.
func TestRotation(t *testing.T) {
	t.Parallel()
	p := newIDP(t)
	s := newSite(t, client(p))
	_, err := s.through(t, "house")
	require.NoError(t, err)
	first := p.signs
	p.with(func() { p.signs = newKey(t, "two"); p.published = []signingKey{p.signs, first} })
	_, err = s.through(t, "house")
	require.NoError(t, err)
	p.with(func() { p.published = []signingKey{p.signs}; p.signs = first }) // who was withdrawn, and still signs
	_, err = s.through(t, "house")
	require.NoError(t, err, "keys are asked for when one is unknown, not before")
	p.with(func() { p.signs = newKey(t, "three") })
	_, err = s.through(t, "house")
	require.Equal(t, market.CodeUnauthorized, market.CodeOf(err))
	p.with(func() { p.signs = first })
	_, err = s.through(t, "house")
	require.Equal(t, market.CodeUnauthorized, market.CodeOf(err), "it is gone from the keys since")
}

// TestDown: a provider that was not reached is asked again, and one that was reached
// before needs no second description.
func TestDown(t *testing.T) {
	t.Parallel()
	p := newIDP(t)
	s := newSite(t, client(p))
	const description = "/.well-known/openid-configuration"
	p.with(func() { p.fails[description] = http.StatusBadGateway })
	_, err := s.through(t, "house")
	require.Equal(t, market.CodeUnavailable, market.CodeOf(err))
	require.Positive(t, market.AsError(err).RetryAfter)
	p.with(func() { delete(p.fails, description) })
	_, err = s.through(t, "house")
	require.NoError(t, err)
	p.with(func() { p.fails[description] = http.StatusBadGateway })
	_, err = s.through(t, "house")
	require.NoError(t, err)

	gone := newIDP(t)
	gone.Close()
	_, err = newSite(t, client(gone)).through(t, "house")
	require.Equal(t, market.CodeUnavailable, market.CodeOf(err))
}

// TestTwoProviders: what one says counts for nothing at the other's address, and each
// client shows what it was registered with.
func TestTwoProviders(t *testing.T) {
	t.Parallel()
	a, b := newIDP(t), newIDP(t)
	var form url.Values
	b.describe = func(d map[string]any) { d["token_endpoint_auth_methods_supported"] = []string{"client_secret_post"} }
	b.token = func(_ http.ResponseWriter, f url.Values) { form = f }
	other := client(b)
	other.ID, other.ClientSecret = "other", "s3"
	s := newSite(t, client(a), other)
	_, err := s.through(t, "house")
	require.NoError(t, err)
	_, err = s.through(t, "other")
	require.NoError(t, err)
	require.Equal(t, "client", form.Get("client_id"))
	require.Equal(t, "s3", form.Get("client_secret"))

	// A sign-in begun with one, whose answer is brought to the other's address.
	a.answer = func(q url.Values) { q.Set("iss", b.URL) }
	browser := newBrowser(t)
	var back *url.URL
	browser.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
		if strings.HasSuffix(r.URL.Path, "/callback") {
			back = r.URL
			return http.ErrUseLastResponse
		}
		return nil
	}
	_, err = s.in(t, browser, oidc.StartPath("house"))
	require.NoError(t, err)
	_, err = s.in(t, browser, oidc.CallbackPath("other")+"?"+back.RawQuery)
	require.Equal(t, market.CodeBadRequest, market.CodeOf(err))

	_, err = s.through(t, "third")
	require.Equal(t, market.CodeNotFound, market.CodeOf(err))
}

// TestOnce: an answer belongs to the browser that asked, and counts there once.
func TestOnce(t *testing.T) {
	t.Parallel()
	p := newIDP(t)
	s := newSite(t, client(p))
	var back []*url.URL
	browser := newBrowser(t)
	browser.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
		if strings.HasSuffix(r.URL.Path, "/callback") {
			back = append(back, r.URL)
			return http.ErrUseLastResponse
		}
		return nil
	}
	for range 2 { // in two tabs
		_, err := s.in(t, browser, oidc.StartPath("house"))
		require.NoError(t, err)
	}
	_, err := s.in(t, newBrowser(t), back[0].RequestURI())
	require.Equal(t, market.CodeBadRequest, market.CodeOf(err), "in another browser")
	for _, at := range back {
		_, err := s.in(t, browser, at.RequestURI())
		require.NoError(t, err)
		_, err = s.in(t, browser, at.RequestURI())
		require.Equal(t, market.CodeBadRequest, market.CodeOf(err), "again")
	}
}

// TestCookie: what a browser keeps of a sign-in is for this server alone, and short-lived.
func TestCookie(t *testing.T) {
	t.Parallel()
	p := newIDP(t)
	for base, name := range map[string]string{"https://app.example.com": "__Host-ladderback_flow_", "http://127.0.0.1:8080": "ladderback_flow_"} {
		one, err := oidc.New(oidc.Config{Providers: []oidc.Provider{client(p)}, BaseURL: base + "/"})
		require.NoError(t, err)
		w := httptest.NewRecorder()
		require.NoError(t, one.Start(w, httptest.NewRequest(http.MethodGet, "/", nil), "house", "/"))
		cookies := w.Result().Cookies()
		require.Len(t, cookies, 1)
		c := cookies[0]
		require.True(t, strings.HasPrefix(c.Name, name), c.Name)
		require.Equal(t, strings.HasPrefix(base, "https"), c.Secure)
		require.True(t, c.HttpOnly)
		require.Equal(t, http.SameSiteLaxMode, c.SameSite)
		require.Equal(t, "/", c.Path)
		require.Equal(t, 600, c.MaxAge)
		at, err := w.Result().Location()
		require.NoError(t, err)
		q := at.Query()
		require.Equal(t, base+"/app/providers/house/callback", q.Get("redirect_uri"))
		require.Equal(t, []string{"code", "S256", "openid email", "client"}, []string{q.Get("response_type"), q.Get("code_challenge_method"), q.Get("scope"), q.Get("client_id")})
	}
}

// TestLate: a sign-in that took over ten minutes does not count, whatever the browser kept.
func TestLate(t *testing.T) {
	t.Parallel()
	p := newIDP(t)
	now := time.Now()
	one, err := oidc.New(oidc.Config{Providers: []oidc.Provider{client(p)}, BaseURL: "http://localhost", Now: func() time.Time { return now }})
	require.NoError(t, err)
	w := httptest.NewRecorder()
	require.NoError(t, one.Start(w, httptest.NewRequest(http.MethodGet, "/", nil), "house", "/"))
	at, err := w.Result().Location()
	require.NoError(t, err)
	r := httptest.NewRequest(http.MethodGet, "/?code=c&iss="+url.QueryEscape(p.URL)+"&state="+at.Query().Get("state"), nil)
	r.AddCookie(w.Result().Cookies()[0])
	now = now.Add(10 * time.Minute)
	_, err = one.Finish(httptest.NewRecorder(), r, "house")
	require.Equal(t, market.CodeBadRequest, market.CodeOf(err))
}

// TestValidate: what the configuration may not say.
func TestValidate(t *testing.T) {
	t.Parallel()
	good := oidc.Provider{ID: "house", Issuer: "https://accounts.example.com/tenant", ClientID: "c"}
	require.NoError(t, good.Validate())
	for name, change := range map[string]func(*oidc.Provider){
		"id":        func(p *oidc.Provider) { p.ID = "House/1" },
		"no id":     func(p *oidc.Provider) { p.ID = "" },
		"clear":     func(p *oidc.Provider) { p.Issuer = "http://accounts.example.com" },
		"no issuer": func(p *oidc.Provider) { p.Issuer = "" },
		"a query":   func(p *oidc.Provider) { p.Issuer += "?a=b" },
		"a user":    func(p *oidc.Provider) { p.Issuer = "https://a@example.com" },
		"no client": func(p *oidc.Provider) { p.ClientID = "" },
	} {
		one := good
		change(&one)
		require.Error(t, one.Validate(), name)
	}
	_, err := oidc.New(oidc.Config{Providers: []oidc.Provider{good, good}})
	require.ErrorContains(t, err, "twice")
	p, err := oidc.New(oidc.Config{Providers: []oidc.Provider{good}})
	require.NoError(t, err)
	require.Equal(t, []oidc.Named{{ID: "house", Name: "house"}}, p.List())
}

// TestManyBegunSignIns: sign-ins that are begun and not ended do not fill the browser's
// cookies, and the latest can be ended.
func TestManyBegunSignIns(t *testing.T) {
	t.Parallel()
	p := newIDP(t)
	providers, err := oidc.New(oidc.Config{BaseURL: "http://localhost:1", Providers: []oidc.Provider{{ID: "house", Issuer: p.URL, ClientID: "c"}}})
	require.NoError(t, err)
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	here := &url.URL{Scheme: "http", Host: "localhost:1", Path: "/"}
	for i := range 26 {
		r := httptest.NewRequest(http.MethodGet, "/app/providers/house", nil)
		for _, c := range jar.Cookies(here) {
			r.AddCookie(c)
		}
		w := httptest.NewRecorder()
		require.NoError(t, providers.Start(w, r, "house", "/"+strings.Repeat("n", 300*(i%5))))
		jar.SetCookies(here, w.Result().Cookies())
		left := jar.Cookies(here)
		require.LessOrEqual(t, len(left), 4)
		size := 0
		for _, c := range left {
			size += len(c.Name) + len(c.Value)
		}
		require.Less(t, size, 5000)
	}
}
