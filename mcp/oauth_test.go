package mcp_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/app"
	"github.com/ladderback/ladderback/client"
	"github.com/ladderback/ladderback/internal/servertest"
	"github.com/ladderback/ladderback/mcp"
)

// post box of a server with mail: log.
type postBox struct {
	lock sync.Mutex
	text strings.Builder
}

func (b *postBox) Write(p []byte) (int, error) {
	b.lock.Lock()
	defer b.lock.Unlock()
	return b.text.Write(p)
}

func (b *postBox) String() string {
	b.lock.Lock()
	defer b.lock.Unlock()
	return b.text.String()
}

// hosted is a server with accounts, one of which is signed in, in a browser.
type hosted struct {
	*servertest.Server
	browser *http.Client
}

const passphrase = "staple.Horse-42.battery"

// host starts a server whose accounts may let agents act for them.
func host(t *testing.T, rounds int) *hosted {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	at := l.Addr().String()
	require.NoError(t, l.Close())
	mails := &postBox{}
	h := &hosted{Server: servertest.StartWith(t, rounds, servertest.Options{
		Addr: at, Mails: mails, Config: fmt.Sprintf(`
accounts:
  enabled: true
  base_url: http://%s
  plan: pro
  agents:
    client_documents: true
    clients:
      - {id: desk, name: Desk assistant, redirect_uris: ["http://127.0.0.1/callback"]}
mail: log
`, at),
		Agents: func(to app.AgentsOptions) (http.Handler, error) {
			return mcp.NewHandler(mcp.Door(to), mcp.Config{})
		},
	})}
	h.browser = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	person := map[string]string{"email": "ada@example.com", "password": passphrase}
	require.Equal(t, http.StatusAccepted, h.json(t, "/app/register", person).StatusCode)
	var code []string
	require.Eventually(t, func() bool {
		code = regexp.MustCompile(`/verify#([A-Za-z0-9_-]{43})`).FindStringSubmatch(mails.String())
		return code != nil
	}, time.Minute, 20*time.Millisecond)
	require.Equal(t, http.StatusOK, h.json(t, "/app/verify", map[string]string{"token": code[1], "password": passphrase}).StatusCode)
	in := h.json(t, "/app/sign-in", person)
	require.Equal(t, http.StatusOK, in.StatusCode)
	h.browser.Transport = cookied{in.Cookies()}
	return h
}

// cookied sends cookies with every request.
type cookied struct{ list []*http.Cookie }

func (c cookied) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for _, one := range c.list {
		r.AddCookie(one)
	}
	return http.DefaultTransport.RoundTrip(r)
}

func (h *hosted) json(t *testing.T, path string, body any) *http.Response {
	t.Helper()
	text, err := json.Marshal(body)
	require.NoError(t, err)
	r, err := h.browser.Post(h.Base+path, "application/json", strings.NewReader(string(text)))
	require.NoError(t, err)
	require.NoError(t, r.Body.Close())
	return r
}

// text returns the status and the body of an answer, and where it leads.
func text(t testing.TB, r *http.Response, err error) (int, string, *url.URL) {
	t.Helper()
	require.NoError(t, err)
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	to, _ := url.Parse(r.Header.Get("Location"))
	return r.StatusCode, string(body), to
}

// decide opens the page of a request for authorization and sends its form.
func (h *hosted) decide(t testing.TB, at string, fields ...string) *url.URL {
	t.Helper()
	r, err := h.browser.Get(at)
	status, body, _ := text(t, r, err)
	require.Equal(t, http.StatusOK, status, body)
	u, err := url.Parse(at)
	require.NoError(t, err)
	form := url.Values{"request": {u.RawQuery}}
	for _, one := range fields {
		name, value, _ := strings.Cut(one, "=")
		form.Set(name, value)
	}
	r, err = h.browser.PostForm(h.Base+"/oauth/authorize", form)
	status, body, to := text(t, r, err)
	require.Equal(t, http.StatusSeeOther, status, body)
	return to
}

// TestSDKSignsIn: a client of the official SDK, which knows nothing but the address, is
// led to a page on which a person allows it, and then asks for the person.
func TestSDKSignsIn(t *testing.T) {
	t.Parallel()
	h := host(t, 40)
	handler, err := auth.NewAuthorizationCodeHandler(&auth.AuthorizationCodeHandlerConfig{
		PreregisteredClient: &oauthex.ClientCredentials{ClientID: "desk"}, RedirectURL: "http://127.0.0.1:4567/callback",
		AuthorizationCodeFetcher: func(_ context.Context, a *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
			q := h.decide(t, a.URL, "answer=yes", "run=yes").Query()
			return &auth.AuthorizationResult{Code: q.Get("code"), State: q.Get("state"), Iss: q.Get("iss")}, nil
		},
	})
	require.NoError(t, err)
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &sdk.StreamableClientTransport{
		Endpoint: h.Base + "/mcp", OAuthHandler: handler, DisableStandaloneSSE: true, MaxRetries: -1,
	}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = session.Close() })
	said, _ := use(t, session, "get_usage", nil)
	require.Contains(t, said, `"plan":"pro"`)
	require.Contains(t, said, `"organization":"ada"`)
	_, run := use(t, session, "run_backtest", map[string]any{"prompt": prompt})
	want, err := client.New(h.Base, h.Key).Backtest(t.Context(), client.Request{Prompt: prompt}, nil)
	require.NoError(t, err)
	require.Equal(t, want.Report.Receipt.Report, run["receipt"].(map[string]any)["report"])
}

// asker is a client that does each step of a sign-in by hand.
type asker struct {
	h  *hosted
	id string
}

const (
	verifier = "a-verifier-that-has-at-least-forty-three-characters"
	comeBack = "http://127.0.0.1:4000/callback"
)

func challenge() string {
	d := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(d[:])
}

// request is the address of a request for authorization, changed by name=value; an empty
// value leaves the parameter out.
func (a *asker) request(changes ...string) string {
	q := url.Values{
		"response_type": {"code"}, "client_id": {a.id}, "redirect_uri": {comeBack}, "state": {"s t"}, "scope": {"read run"},
		"code_challenge": {challenge()}, "code_challenge_method": {"S256"}, "resource": {a.h.Base + "/mcp"},
	}
	for _, one := range changes {
		name, value, _ := strings.Cut(one, "=")
		if q.Set(name, value); value == "" {
			q.Del(name)
		}
	}
	return a.h.Base + "/oauth/authorize?" + q.Encode()
}

// token asks for tokens.
func (a *asker) token(t testing.TB, fields ...string) (int, map[string]any) {
	t.Helper()
	form := url.Values{"client_id": {a.id}, "redirect_uri": {comeBack}, "code_verifier": {verifier}, "resource": {a.h.Base + "/mcp"}}
	for _, one := range fields {
		name, value, _ := strings.Cut(one, "=")
		form.Set(name, value)
	}
	r, err := http.PostForm(a.h.Base+"/oauth/token", form)
	status, body, _ := text(t, r, err)
	require.Equal(t, "no-store", r.Header.Get("Cache-Control"))
	out := map[string]any{}
	require.NoError(t, json.Unmarshal([]byte(body), &out), body)
	return status, out
}

// tokens goes all the way, and returns the answer with the tokens, and the code.
func (a *asker) tokens(t testing.TB, fields ...string) (out map[string]any, code string) {
	t.Helper()
	q := a.h.decide(t, a.request(), append(fields, "answer=yes")...).Query()
	code = q.Get("code")
	require.Equal(t, "s t", q.Get("state"))
	require.Equal(t, a.h.Base, q.Get("iss"))
	status, out := a.token(t, "grant_type=authorization_code", "code="+code)
	require.Equal(t, http.StatusOK, status, out)
	require.Equal(t, "Bearer", out["token_type"])
	require.InEpsilon(t, 600, out["expires_in"], 0)
	return out, code
}

// ask asks an address with a bearer.
func (a *asker) ask(t testing.TB, method, path, bearer, body string) (int, string, http.Header) {
	t.Helper()
	q, err := http.NewRequestWithContext(t.Context(), method, a.h.Base+path, strings.NewReader(body))
	require.NoError(t, err)
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("Accept", "application/json, text/event-stream")
	if bearer != "" {
		q.Header.Set("Authorization", "Bearer "+bearer)
	}
	r, err := http.DefaultClient.Do(q)
	status, said, _ := text(t, r, err)
	return status, said, r.Header
}

const listTools = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`

// TestAuthorization: each step of a sign-in, and each way in which it is refused.
func TestAuthorization(t *testing.T) {
	t.Parallel()
	h := host(t, 2)
	var documents *httptest.Server
	documents = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"client_id":"%s/client.json","client_name":"<b>Lens</b>","redirect_uris":["http://127.0.0.1/callback"],"token_endpoint_auth_method":"none"}`, documents.URL)
	}))
	defer documents.Close()
	a := &asker{h, documents.URL + "/client.json"}

	status, _, header := a.ask(t, "POST", "/mcp", "", listTools)
	require.Equal(t, 401, status)
	at := regexp.MustCompile(`resource_metadata="([^"]+)", scope="read run"$`).FindStringSubmatch(header.Get("WWW-Authenticate"))
	require.NotNil(t, at, header.Get("WWW-Authenticate"))
	var resource struct {
		Resource string
		Servers  []string `json:"authorization_servers"`
	}
	_, body, _ := a.ask(t, "GET", strings.TrimPrefix(at[1], h.Base), "", "")
	require.NoError(t, json.Unmarshal([]byte(body), &resource))
	require.Equal(t, h.Base+"/mcp", resource.Resource)
	require.Equal(t, []string{h.Base}, resource.Servers)
	_, body, _ = a.ask(t, "GET", "/.well-known/oauth-authorization-server", "", "")
	require.Contains(t, body, `"code_challenge_methods_supported":["S256"]`)
	require.Contains(t, body, `"client_id_metadata_document_supported":true`)

	// The page says who asks, from where, and for what; nobody who is not signed in sees it.
	r, err := h.browser.Get(a.request())
	status, body, _ = text(t, r, err)
	require.Equal(t, 200, status)
	for _, one := range []string{"“&lt;b&gt;Lens&lt;/b&gt;” asks", strings.TrimPrefix(documents.URL, "http://"), "127.0.0.1:4000, a program on this computer", "ada@example.com", "run: start backtests", "Do not allow"} {
		require.Contains(t, body, one)
	}
	require.Contains(t, r.Header.Get("Content-Security-Policy"), "form-action 'self' http://127.0.0.1:4000;")
	require.Contains(t, r.Header.Get("Content-Security-Policy"), "frame-ancestors 'none'")
	stranger := &http.Client{CheckRedirect: h.browser.CheckRedirect}
	r, err = stranger.Get(a.request())
	status, _, to := text(t, r, err)
	require.Equal(t, 303, status)
	require.Equal(t, "/sign-in", to.Path)
	require.Equal(t, strings.TrimPrefix(a.request(), h.Base), to.Query().Get("next"))
	q, err := http.NewRequestWithContext(t.Context(), "POST", h.Base+"/oauth/authorize", strings.NewReader(url.Values{"answer": {"yes"}, "request": {strings.SplitN(a.request(), "?", 2)[1]}}.Encode()))
	require.NoError(t, err)
	q.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	q.Header.Set("Origin", "https://evil.example")
	r, err = h.browser.Do(q)
	status, _, _ = text(t, r, err)
	require.Equal(t, 403, status, "a form of another site")

	// What is told on a page, since it is not known who asks; and to the client.
	for _, one := range []string{"client_id=", "client_id=nobody", "client_id=" + documents.URL + "/other.json", "client_id=http://10.0.0.1/client.json", "client_id=https://localhost:1/client.json",
		"redirect_uri=", "redirect_uri=http://127.0.0.1:4000/other", "redirect_uri=https://evil.example/callback"} {
		r, err := h.browser.Get(a.request(one))
		status, body, to := text(t, r, err)
		require.Equal(t, 400, status, one)
		require.Empty(t, to.String(), one)
		require.Contains(t, body, `role="alert"`, one)
	}
	for one, code := range map[string]string{
		"response_type=token": "unsupported_response_type", "code_challenge=": "invalid_request", "code_challenge=short": "invalid_request", "code_challenge_method=plain": "invalid_request",
		"scope=read everything": "invalid_scope", "resource=https://other.example/mcp": "invalid_target",
	} {
		r, err := h.browser.Get(a.request(one))
		status, _, to := text(t, r, err)
		require.Equal(t, 303, status, one)
		require.Equal(t, "127.0.0.1:4000", to.Host)
		require.Equal(t, code, to.Query().Get("error"), one)
		require.Equal(t, "s t", to.Query().Get("state"))
	}
	require.Equal(t, "access_denied", h.decide(t, a.request(), "answer=no").Query().Get("error"))

	// Tokens: for agents alone, of their scope, once.
	out, code := a.tokens(t, "run=yes")
	access := out["access_token"].(string)
	require.Equal(t, "read run", out["scope"])
	status, body, _ = a.ask(t, "POST", "/mcp", access, listTools)
	require.Equal(t, 200, status, body)
	r, err = h.browser.Post(h.Base+"/mcp", "application/json", strings.NewReader(listTools))
	status, _, _ = text(t, r, err)
	require.Equal(t, 401, status, "a session is nobody's key at /mcp")
	status, _, _ = a.ask(t, "POST", "/mcp", out["refresh_token"].(string), listTools)
	require.Equal(t, 401, status, "a refresh token is no access token")
	for _, path := range []string{"/v1/usage", "/v1/markets", "/v1/ai/backtests", "/app/account"} {
		status, _, _ = a.ask(t, "GET", path, access, "")
		require.Equal(t, 401, status, "%s: a token of /mcp", path)
	}
	status, said := a.token(t, "grant_type=authorization_code", "code="+code, "client_id=")
	require.Equal(t, 401, status)
	require.Equal(t, "invalid_client", said["error"])
	status, _, _ = a.ask(t, "POST", "/mcp", access, listTools)
	require.Equal(t, 200, status, "whoever does not say who asks ends nothing")
	status, said = a.token(t, "grant_type=authorization_code", "code="+code)
	require.Equal(t, 400, status)
	require.Equal(t, "invalid_grant", said["error"])
	status, _, header = a.ask(t, "POST", "/mcp", access, listTools)
	require.Equal(t, 401, status, "the code was used twice")
	require.Contains(t, header.Get("WWW-Authenticate"), `error="invalid_token"`)

	reads, _ := a.tokens(t)
	require.Equal(t, "read", reads["scope"])
	session := connect(t, h.Base+"/mcp", reads["access_token"].(string), nil)
	refused, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "run_backtest", Arguments: map[string]any{"prompt": prompt}})
	require.NoError(t, err)
	require.True(t, refused.IsError)
	require.Contains(t, refused.Content[0].(*sdk.TextContent).Text, "the scope read alone")
	said2, _ := use(t, session, "parse_strategy", map[string]any{"prompt": prompt})
	require.Contains(t, said2, "Read as")

	refresh := reads["refresh_token"].(string)
	status, next := a.token(t, "grant_type=refresh_token", "refresh_token="+refresh)
	require.Equal(t, 200, status)
	status, said = a.token(t, "grant_type=refresh_token", "refresh_token="+refresh)
	require.Equal(t, 400, status)
	require.Equal(t, "invalid_grant", said["error"])
	for _, one := range []any{reads["access_token"], next["access_token"]} {
		status, _, _ = a.ask(t, "POST", "/mcp", one.(string), listTools)
		require.Equal(t, 401, status, "the family has ended")
	}

	// What is no request for tokens.
	for _, fields := range [][]string{{"grant_type=password"}, {}, {"grant_type=authorization_code", "code=x", "resource=https://other.example"}} {
		status, said = a.token(t, fields...)
		require.Equal(t, 400, status)
		require.NotEmpty(t, said["error"])
	}
	for _, body := range []string{`{"grant_type":"refresh_token"}`, strings.Repeat("x", 32<<10)} {
		status, _, _ = a.ask(t, "POST", "/oauth/token", "", body)
		require.Equal(t, 400, status)
	}
	r, err = http.Post(h.Base+"/oauth/token", "application/x-www-form-urlencoded", strings.NewReader("grant_type=refresh_token&refresh_token=a&refresh_token=b"))
	status, body, _ = text(t, r, err)
	require.Equal(t, 400, status, body)

	// Whoever signed in sees what is connected, and ends it; so does the client.
	last, _ := a.tokens(t)
	var list struct {
		Data []struct{ ID, Name, Client string }
	}
	r, err = h.browser.Get(h.Base + "/app/account/agents")
	_, body, _ = text(t, r, err)
	require.NoError(t, json.Unmarshal([]byte(body), &list))
	require.Len(t, list.Data, 1)
	require.Equal(t, a.id, list.Data[0].Client)
	q, err = http.NewRequestWithContext(t.Context(), "DELETE", h.Base+"/app/account/agents/"+list.Data[0].ID, nil)
	require.NoError(t, err)
	r, err = h.browser.Do(q)
	status, _, _ = text(t, r, err)
	require.Equal(t, 204, status)
	status, _, _ = a.ask(t, "POST", "/mcp", last["access_token"].(string), listTools)
	require.Equal(t, 401, status)
	last, _ = a.tokens(t)
	r, err = http.PostForm(h.Base+"/oauth/revoke", url.Values{"token": {last["refresh_token"].(string)}, "client_id": {a.id}})
	status, _, _ = text(t, r, err)
	require.Equal(t, 200, status)
	status, _, _ = a.ask(t, "POST", "/mcp", last["access_token"].(string), listTools)
	require.Equal(t, 401, status)
}
