package oauth

import (
	"context"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/ladderback/ladderback/identity/accounts"
	"github.com/ladderback/ladderback/market"
)

// Addresses of the authorization server, below its issuer.
const (
	AuthorizePath = "/oauth/authorize"
	TokenPath     = "/oauth/token"
	RevokePath    = "/oauth/revoke"
)

// Config configures a Server.
type Config struct {
	// Issuer is how people reach the server, without a slash at its end.
	Issuer string
	// Resource is what tokens are for, below Issuer, such as "/mcp".
	Resource string
	// Clients are those that the operator named.
	Clients []Client
	// Documents lets a client's id be the address of its metadata document, which is
	// fetched. Of addresses on loopback only where Issuer is on loopback, too.
	Documents bool
}

// Server reads requests for authorization. It is safe for concurrent use.
type Server struct {
	cfg       Config
	documents *documents // nil: none are fetched
}

// New returns a server. It fails if a client of Config cannot be one.
func New(cfg Config) (*Server, error) {
	s := &Server{cfg: cfg}
	for i := range cfg.Clients {
		if err := cfg.Clients[i].check(); err != nil {
			return nil, fmt.Errorf("client %q: %w", cfg.Clients[i].ID, err)
		}
	}
	if cfg.Documents {
		issuer, err := url.Parse(cfg.Issuer)
		if err != nil {
			return nil, err
		}
		s.documents = newDocuments(IsLoopback(issuer.Hostname()))
	}
	return s, nil
}

// Resource returns what tokens are for: their audience.
func (s *Server) Resource() string { return s.cfg.Issuer + s.cfg.Resource }

// ResourcePath returns the path of what tokens are for.
func (s *Server) ResourcePath() string { return s.cfg.Resource }

// Issuer returns how people reach the server.
func (s *Server) Issuer() string { return s.cfg.Issuer }

// Documents reports whether clients may be known by their metadata documents.
func (s *Server) Documents() bool { return s.documents != nil }

// Request is what a client asks a person to allow.
type Request struct {
	Client   Client
	Redirect string // where the answer goes
	State    string // goes back with it
	Scopes   []string
	Proof    accounts.Proof

	issuer string
}

// Refusal is an error that the client is told of, through the browser.
type Refusal struct {
	To  string // where the browser goes
	Why string
}

// Error implements error.
func (r *Refusal) Error() string { return r.Why }

// Read reads a request. *Refusal: something is wrong with it, of which the client is told.
// CodeBadRequest: it is not known who asks, or where the answer would go: the browser may
// be led nowhere.
func (s *Server) Read(ctx context.Context, q url.Values) (*Request, error) {
	for name, values := range q {
		if len(values) > 1 {
			return nil, market.Errorf(market.CodeBadRequest, "%s: given twice", name)
		}
	}
	client, err := s.client(ctx, q.Get("client_id"))
	if err != nil {
		return nil, err
	}
	r := &Request{Client: *client, Redirect: q.Get("redirect_uri"), State: q.Get("state"), issuer: s.cfg.Issuer}
	if !client.leadsTo(r.Redirect) {
		return nil, market.Errorf(market.CodeBadRequest, "redirect_uri: %q is none of the client's", r.Redirect)
	}
	r.Proof = accounts.Proof{Redirect: r.Redirect, Challenge: q.Get("code_challenge")}
	r.Scopes, err = scopesOf(q.Get("scope"))
	switch resource := q.Get("resource"); {
	case q.Get("response_type") != "code":
		return nil, r.refuse("unsupported_response_type", "response_type: expected code")
	case q.Get("code_challenge_method") != "S256" || !challenge.MatchString(r.Proof.Challenge):
		return nil, r.refuse("invalid_request", "code_challenge: expected one with code_challenge_method S256")
	case resource != "" && strings.TrimSuffix(resource, "/") != s.Resource():
		return nil, r.refuse("invalid_target", "resource: expected "+s.Resource())
	case err != nil:
		return nil, r.refuse("invalid_scope", err.Error())
	}
	return r, nil
}

// challenge is a SHA-256 in base64url.
var challenge = regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)

// scopesOf reads scopes, separated by spaces; none: all.
func scopesOf(text string) ([]string, error) {
	out := strings.Fields(text)
	for _, one := range out {
		if !slices.Contains(accounts.Scopes[:], one) {
			return nil, market.Errorf(market.CodeBadRequest, "scope: expected some of %s", strings.Join(accounts.Scopes[:], ", "))
		}
	}
	if len(out) == 0 {
		out = accounts.Scopes[:]
	}
	return out, nil
}

// Allowed returns where the browser takes an authorization code.
func (r *Request) Allowed(code string) string { return r.answer(url.Values{"code": {code}}) }

// Denied returns where the browser takes the answer of a person who does not allow it.
func (r *Request) Denied() string {
	return r.answer(url.Values{"error": {"access_denied"}, "error_description": {"the person did not allow it"}})
}

func (r *Request) refuse(code, why string) error {
	return &Refusal{r.answer(url.Values{"error": {code}, "error_description": {why}}), why}
}

// answer adds parameters to the redirect, with the issuer (RFC 9207).
func (r *Request) answer(q url.Values) string {
	u, err := url.Parse(r.Redirect)
	if err != nil { // it is one of the client's, which were checked
		return r.issuer
	}
	all := u.Query()
	for name := range q {
		all.Set(name, q.Get(name))
	}
	if r.State != "" {
		all.Set("state", r.State)
	}
	all.Set("iss", r.issuer)
	u.RawQuery = all.Encode()
	return u.String()
}
