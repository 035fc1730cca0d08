// Package grants serves what clients of OAuth 2.1 ask an authorization server for without a
// person: what it is and can do, tokens for a code or a refresh token, and to end them. The
// page on which a person allows a client something is one of package forms.
package grants

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/ladderback/ladderback/api/wire"
	"github.com/ladderback/ladderback/identity/accounts"
	"github.com/ladderback/ladderback/identity/oauth"
)

// Accounts keeps the grants; *accounts.Service does it.
type Accounts interface {
	Exchange(ctx context.Context, claim *accounts.Claim) (accounts.Tokens, error)
	Refresh(ctx context.Context, claim *accounts.Claim) (accounts.Tokens, error)
	Withdraw(ctx context.Context, token, client string) error
}

// Handler serves the addresses. It is safe for concurrent use.
type Handler struct {
	accounts Accounts
	server   *oauth.Server
}

// New returns a handler.
func New(a Accounts, s *oauth.Server) *Handler { return &Handler{a, s} }

// Server says who asks, and for what.
func (h *Handler) Server() *oauth.Server { return h.server }

// Where metadata are: of the authorization server (RFC 8414), and of what its tokens are for
// (RFC 9728), whose path follows.
const (
	serverPath   = "/.well-known/oauth-authorization-server"
	resourcePath = "/.well-known/oauth-protected-resource"
)

// MetadataURL is where the metadata are of what tokens are for.
func (h *Handler) MetadataURL() string {
	return h.server.Issuer() + resourcePath + h.server.ResourcePath()
}

// Route is an address.
type Route struct {
	Method, Path string
	Handle       func(w http.ResponseWriter, r *http.Request) error
}

// Routes lists the addresses.
func (h *Handler) Routes() []Route {
	return []Route{
		{http.MethodGet, serverPath, h.describeServer},
		{http.MethodGet, resourcePath, h.describeResource},
		{http.MethodGet, resourcePath + h.server.ResourcePath(), h.describeResource},
		{http.MethodPost, oauth.TokenPath, h.token},
		{http.MethodPost, oauth.RevokePath, h.revoke},
	}
}

// serverMetadata are those of RFC 8414.
type serverMetadata struct {
	Issuer        string   `json:"issuer"`
	Authorize     string   `json:"authorization_endpoint"`
	Token         string   `json:"token_endpoint"`
	Revoke        string   `json:"revocation_endpoint"`
	Scopes        []string `json:"scopes_supported"`
	Responses     []string `json:"response_types_supported"`
	Modes         []string `json:"response_modes_supported"`
	Grants        []string `json:"grant_types_supported"`
	Methods       []string `json:"token_endpoint_auth_methods_supported"`
	RevokeMethods []string `json:"revocation_endpoint_auth_methods_supported"`
	Challenges    []string `json:"code_challenge_methods_supported"`
	SaysIssuer    bool     `json:"authorization_response_iss_parameter_supported"`
	Documents     bool     `json:"client_id_metadata_document_supported"`
	Docs          string   `json:"service_documentation"`
}

func (h *Handler) describeServer(w http.ResponseWriter, _ *http.Request) error {
	at, none := h.server.Issuer(), []string{"none"}
	tell(w, serverMetadata{
		Issuer: at, Authorize: at + oauth.AuthorizePath, Token: at + oauth.TokenPath, Revoke: at + oauth.RevokePath,
		Scopes: accounts.Scopes[:], Responses: []string{"code"}, Modes: []string{"query"},
		Grants: []string{"authorization_code", "refresh_token"}, Methods: none, RevokeMethods: none, Challenges: []string{"S256"},
		SaysIssuer: true, Documents: h.server.Documents(), Docs: at + docsPath,
	})
	return nil
}

// docsPath is the page on agents.
const docsPath = "/docs/agents"

// resourceMetadata are those of RFC 9728.
type resourceMetadata struct {
	Resource string   `json:"resource"`
	Name     string   `json:"resource_name"`
	Servers  []string `json:"authorization_servers"`
	Scopes   []string `json:"scopes_supported"`
	Methods  []string `json:"bearer_methods_supported"`
	Docs     string   `json:"resource_documentation"`
}

func (h *Handler) describeResource(w http.ResponseWriter, _ *http.Request) error {
	at := h.server.Issuer()
	tell(w, resourceMetadata{h.server.Resource(), "Ladderback", []string{at}, accounts.Scopes[:], []string{"header"}, at + docsPath})
	return nil
}

// tell answers with metadata, which pages of other sites may read, too: they are no secret.
func tell(w http.ResponseWriter, metadata any) {
	w.Header().Set("Access-Control-Allow-Origin", "*")
	w.Header().Set("Cache-Control", "public, max-age=300")
	wire.WriteJSON(w, http.StatusOK, metadata)
}

// refusal is an error as RFC 6749 has it, 5.2.
type refusal struct {
	Code string `json:"error"`
	Why  string `json:"error_description"`
}

// granted is the answer of RFC 6749, 5.1.
type granted struct {
	Access  string `json:"access_token"`
	Type    string `json:"token_type"`
	Life    int    `json:"expires_in"` // seconds
	Refresh string `json:"refresh_token"`
	Scope   string `json:"scope"`
}

// formBytes bounds a form.
const formBytes = 16 << 10

// form reads a form each of whose fields is there once; else it has been answered.
func form(w http.ResponseWriter, r *http.Request) (url.Values, bool) {
	w.Header().Set("Cache-Control", "no-store")
	why := "expected a form of type application/x-www-form-urlencoded"
	kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	r.Body = http.MaxBytesReader(w, r.Body, formBytes)
	if strings.EqualFold(strings.TrimSpace(kind), "application/x-www-form-urlencoded") && r.ParseForm() == nil {
		why = ""
	}
	for _, values := range r.PostForm {
		if len(values) > 1 || !wire.Storable(values[0]) {
			why = "a field is given twice, or has characters that it cannot have"
		}
	}
	if why != "" {
		wire.WriteJSON(w, http.StatusBadRequest, refusal{"invalid_request", why})
		return nil, false
	}
	return r.PostForm, true
}

// clientOf returns who asks: by the form, or, as libraries try that know of clients with
// secrets alone, by Basic authentication without a password. Else it has been answered.
func clientOf(w http.ResponseWriter, r *http.Request, f url.Values) (id string, ok bool) {
	id = f.Get("client_id")
	if user, secret, basic := r.BasicAuth(); basic && id == "" && secret == "" {
		if plain, err := url.QueryUnescape(user); err == nil && wire.Storable(plain) {
			id = plain
		}
	}
	if id == "" {
		wire.WriteJSON(w, http.StatusUnauthorized, refusal{"invalid_client", "client_id: missing"})
	}
	return id, id != ""
}

func (h *Handler) token(w http.ResponseWriter, r *http.Request) error {
	f, ok := form(w, r)
	if !ok {
		return nil
	}
	client, ok := clientOf(w, r, f)
	if !ok {
		return nil
	}
	claim := &accounts.Claim{Client: client, Redirect: f.Get("redirect_uri"), Verifier: f.Get("code_verifier")}
	if f.Has("scope") {
		claim.Scopes = strings.Fields(f.Get("scope"))
	}
	var redeem func(ctx context.Context, claim *accounts.Claim) (accounts.Tokens, error)
	switch f.Get("grant_type") {
	case "authorization_code":
		redeem, claim.Secret = h.accounts.Exchange, f.Get("code")
	case "refresh_token":
		redeem, claim.Secret = h.accounts.Refresh, f.Get("refresh_token")
	default:
		wire.WriteJSON(w, http.StatusBadRequest, refusal{"unsupported_grant_type", "grant_type: expected authorization_code or refresh_token"})
		return nil
	}
	if resource := f.Get("resource"); resource != "" && strings.TrimSuffix(resource, "/") != h.server.Resource() {
		wire.WriteJSON(w, http.StatusBadRequest, refusal{"invalid_target", "resource: expected " + h.server.Resource()})
		return nil
	}
	out, err := redeem(r.Context(), claim)
	switch {
	case errors.Is(err, accounts.ErrGrant):
		wire.WriteJSON(w, http.StatusBadRequest, refusal{"invalid_grant", err.Error()})
	case errors.Is(err, accounts.ErrScopes):
		wire.WriteJSON(w, http.StatusBadRequest, refusal{"invalid_scope", err.Error()})
	case err != nil:
		return wire.Unavailable("the store of accounts", err)
	default:
		wire.WriteJSON(w, http.StatusOK, granted{out.Access, "Bearer", int(accounts.AccessLife / time.Second), out.Refresh, strings.Join(out.Scopes, " ")})
	}
	return nil
}

// revoke ends a grant by one of its tokens (RFC 7009); there may be none.
func (h *Handler) revoke(w http.ResponseWriter, r *http.Request) error {
	f, ok := form(w, r)
	if !ok {
		return nil
	}
	client, ok := clientOf(w, r, f)
	if !ok {
		return nil
	}
	if err := h.accounts.Withdraw(r.Context(), f.Get("token"), client); err != nil {
		return wire.Unavailable("the store of accounts", err)
	}
	w.WriteHeader(http.StatusOK)
	return nil
}
