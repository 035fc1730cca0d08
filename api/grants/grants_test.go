package grants_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/api/grants"
	"github.com/ladderback/ladderback/identity/accounts"
	"github.com/ladderback/ladderback/identity/oauth"
)

// kept are accounts that note what is asked of them.
type kept struct {
	asked string // "exchange", "refresh" or "withdraw"
	claim accounts.Claim
	token string
	fails error
}

func (k *kept) answer(asked string, c *accounts.Claim) (accounts.Tokens, error) {
	k.asked, k.claim = asked, *c
	return accounts.Tokens{Access: "a", Refresh: "r", Scopes: []string{"read", "run"}}, k.fails
}

func (k *kept) Exchange(_ context.Context, c *accounts.Claim) (accounts.Tokens, error) {
	return k.answer("exchange", c)
}

func (k *kept) Refresh(_ context.Context, c *accounts.Claim) (accounts.Tokens, error) {
	return k.answer("refresh", c)
}

func (k *kept) Withdraw(_ context.Context, token, client string) error {
	k.asked, k.token, k.claim.Client = "withdraw", token, client
	return k.fails
}

// call asks an address, and returns the answer and the error of the handler.
func call(t *testing.T, k *kept, r *http.Request) (*httptest.ResponseRecorder, error) {
	t.Helper()
	server, err := oauth.New(oauth.Config{Issuer: "https://lb.example", Resource: "/mcp"})
	require.NoError(t, err)
	w := httptest.NewRecorder()
	for _, route := range grants.New(k, server).Routes() {
		if route.Method == r.Method && route.Path == r.URL.Path {
			err = route.Handle(w, r)
			return w, err
		}
	}
	t.Fatalf("no route: %s %s", r.Method, r.URL.Path)
	return nil, nil
}

func posted(path, form string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(form))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")
	return r
}

// TestToken: what a client asks for is what is redeemed, and the answer is never kept.
func TestToken(t *testing.T) {
	t.Parallel()
	const code = "grant_type=authorization_code&code=c&client_id=id&redirect_uri=http%3A%2F%2F127.0.0.1%2Fback&code_verifier=v"
	basic := func(user, secret, form string) *http.Request {
		r := posted(oauth.TokenPath, form)
		r.SetBasicAuth(user, secret)
		return r
	}
	claim := accounts.Claim{Secret: "c", Client: "id", Redirect: "http://127.0.0.1/back", Verifier: "v"}
	refresh := accounts.Claim{Secret: "r", Client: "id"}
	narrow := refresh
	narrow.Scopes = []string{"read", "all"}
	none := refresh
	none.Scopes = []string{}
	escaped := refresh
	escaped.Client = "https://a.example/c"
	for name, c := range map[string]struct {
		r     *http.Request
		asked string
		claim accounts.Claim
	}{
		"a code":                       {posted(oauth.TokenPath, code), "exchange", claim},
		"for this server":              {posted(oauth.TokenPath, code+"&resource=https%3A%2F%2Flb.example%2Fmcp"), "exchange", claim},
		"with a slash":                 {posted(oauth.TokenPath, code+"&resource=https%3A%2F%2Flb.example%2Fmcp%2F"), "exchange", claim},
		"a refresh token":              {posted(oauth.TokenPath, "grant_type=refresh_token&refresh_token=r&code=c&client_id=id"), "refresh", refresh},
		"for less":                     {posted(oauth.TokenPath, "grant_type=refresh_token&refresh_token=r&client_id=id&scope=read++all"), "refresh", narrow},
		"for nothing, which is said":   {posted(oauth.TokenPath, "grant_type=refresh_token&refresh_token=r&client_id=id&scope="), "refresh", none},
		"by Basic without a password":  {basic("https%3A%2F%2Fa.example%2Fc", "", "grant_type=refresh_token&refresh_token=r"), "refresh", escaped},
		"the form counts before Basic": {basic("other", "", "grant_type=refresh_token&refresh_token=r&client_id=id"), "refresh", refresh},
	} {
		k := &kept{}
		w, err := call(t, k, c.r)
		require.NoError(t, err, name)
		require.Equal(t, http.StatusOK, w.Code, "%s: %s", name, w.Body)
		require.Equal(t, c.asked, k.asked, name)
		require.Equal(t, c.claim, k.claim, name)
		require.JSONEq(t, `{"access_token":"a","token_type":"Bearer","expires_in":600,"refresh_token":"r","scope":"read run"}`, w.Body.String(), name)
		require.Equal(t, "no-store", w.Header().Get("Cache-Control"), name)
		require.Empty(t, w.Header().Get("Access-Control-Allow-Origin"), name)
	}
}

// TestRefusals: each with the code that RFC 6749 or RFC 8707 has for it, before anything is
// redeemed.
func TestRefusals(t *testing.T) {
	t.Parallel()
	typed := func(kind, form string) *http.Request {
		r := posted(oauth.TokenPath, form)
		r.Header.Set("Content-Type", kind)
		return r
	}
	secret := posted(oauth.TokenPath, "grant_type=refresh_token&refresh_token=r")
	secret.SetBasicAuth("id", "secret")
	const ask = "grant_type=refresh_token&refresh_token=r"
	for name, c := range map[string]struct {
		r      *http.Request
		fails  error
		status int
		code   string
	}{
		"JSON":                      {typed("application/json", `{}`), nil, 400, "invalid_request"},
		"no type":                   {typed("", ask+"&client_id=id"), nil, 400, "invalid_request"},
		"a broken form":             {posted(oauth.TokenPath, "grant_type=%zz"), nil, 400, "invalid_request"},
		"a field twice":             {posted(oauth.TokenPath, ask+"&client_id=id&client_id=id"), nil, 400, "invalid_request"},
		"a zero byte":               {posted(oauth.TokenPath, ask+"%00&client_id=id"), nil, 400, "invalid_request"},
		"a long form":               {posted(oauth.TokenPath, ask+"&client_id="+strings.Repeat("x", 16<<10)), nil, 400, "invalid_request"},
		"no client":                 {posted(oauth.TokenPath, ask), nil, 401, "invalid_client"},
		"a client with a password":  {secret, nil, 401, "invalid_client"},
		"another grant":             {posted(oauth.TokenPath, "grant_type=password&client_id=id"), nil, 400, "unsupported_grant_type"},
		"no grant":                  {posted(oauth.TokenPath, "client_id=id"), nil, 400, "unsupported_grant_type"},
		"for another server":        {posted(oauth.TokenPath, ask+"&client_id=id&resource=https%3A%2F%2Fother.example%2Fmcp"), nil, 400, "invalid_target"},
		"for the server, not /mcp":  {posted(oauth.TokenPath, ask+"&client_id=id&resource=https%3A%2F%2Flb.example"), nil, 400, "invalid_target"},
		"a token that is not known": {posted(oauth.TokenPath, ask+"&client_id=id"), accounts.ErrGrant, 400, "invalid_grant"},
		"more than was granted":     {posted(oauth.TokenPath, ask+"&client_id=id"), accounts.ErrScopes, 400, "invalid_scope"},
	} {
		k := &kept{fails: c.fails}
		w, err := call(t, k, c.r)
		require.NoError(t, err, name)
		require.Equal(t, c.status, w.Code, name)
		var said struct {
			Code string `json:"error"`
			Why  string `json:"error_description"`
		}
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &said), name)
		require.Equal(t, c.code, said.Code, "%s: %s", name, said.Why)
		require.NotEmpty(t, said.Why, name)
		require.Equal(t, c.fails != nil, k.asked != "", "%s: redeemed", name)
		require.Equal(t, "no-store", w.Header().Get("Cache-Control"), name)
	}
	w, err := call(t, &kept{fails: errors.New("of the database")}, posted(oauth.TokenPath, ask+"&client_id=id"))
	require.ErrorContains(t, err, "the store of accounts is not available")
	require.Empty(t, w.Body.String(), "nothing has been answered")
}

// TestRevoke: 200 whatever the token is; who asks has to be said.
func TestRevoke(t *testing.T) {
	t.Parallel()
	k := &kept{}
	w, err := call(t, k, posted(oauth.RevokePath, "token=t&client_id=id&token_type_hint=access_token"))
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, w.Code)
	require.Equal(t, []string{"withdraw", "t", "id"}, []string{k.asked, k.token, k.claim.Client})
	k = &kept{}
	w, err = call(t, k, posted(oauth.RevokePath, "token=t"))
	require.NoError(t, err)
	require.Equal(t, http.StatusUnauthorized, w.Code)
	require.Empty(t, k.asked)
	_, err = call(t, &kept{fails: errors.New("of the database")}, posted(oauth.RevokePath, "token=t&client_id=id"))
	require.Error(t, err)
}

// TestMetadata: whoever finds one document finds the other, and every address in them.
func TestMetadata(t *testing.T) {
	t.Parallel()
	get := func(path string) map[string]any {
		t.Helper()
		w, err := call(t, nil, httptest.NewRequest(http.MethodGet, path, nil))
		require.NoError(t, err)
		require.Equal(t, "*", w.Header().Get("Access-Control-Allow-Origin"))
		var out map[string]any
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &out))
		return out
	}
	resource := get("/.well-known/oauth-protected-resource/mcp")
	require.Equal(t, "https://lb.example/mcp", resource["resource"])
	require.Equal(t, []any{"https://lb.example"}, resource["authorization_servers"])
	require.Equal(t, resource, get("/.well-known/oauth-protected-resource"))
	server := get("/.well-known/oauth-authorization-server")
	require.Equal(t, "https://lb.example", server["issuer"])
	require.Equal(t, "https://lb.example"+oauth.TokenPath, server["token_endpoint"])
	require.Equal(t, "https://lb.example"+oauth.RevokePath, server["revocation_endpoint"])
	require.Equal(t, "https://lb.example"+oauth.AuthorizePath, server["authorization_endpoint"])
	require.Equal(t, []any{"S256"}, server["code_challenge_methods_supported"])
	require.Equal(t, server["scopes_supported"], resource["scopes_supported"])
	require.Equal(t, false, server["client_id_metadata_document_supported"])
}
