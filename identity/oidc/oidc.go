// Package oidc lets people sign in through identity providers that speak OpenID
// Connect: the code flow with PKCE (S256), state, nonce, and the issuer of the answer
// (RFC 9207). It knows no accounts: Finish says whom a provider vouches for.
package oidc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	gooidc "github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
	"golang.org/x/sync/singleflight"

	"github.com/ladderback/ladderback/market"
)

// Provider is an identity provider, as it is configured.
type Provider struct {
	ID   string `koanf:"id"`   // in addresses: small letters, digits and hyphens, at most 32
	Name string `koanf:"name"` // for people; empty: the ID
	// Issuer is the provider's own name for itself, to the letter: an https address, below
	// which /.well-known/openid-configuration is. Plain http is taken on loopback alone.
	Issuer   string `koanf:"issuer"`
	ClientID string `koanf:"client_id"`
	// ClientSecret is empty for a client that is registered without one.
	ClientSecret string `koanf:"client_secret"`
	// Scopes are asked for beside openid. Empty: email.
	Scopes []string `koanf:"scopes"`
}

var idForm = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}$`)

// Validate reports what cannot work.
func (p *Provider) Validate() error {
	u, err := url.Parse(p.Issuer)
	switch {
	case !idForm.MatchString(p.ID):
		return fmt.Errorf("provider %q: id: expected small letters, digits and hyphens, at most 32", p.ID)
	case err != nil || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil:
		return fmt.Errorf("provider %s: issuer %q: expected an address such as https://accounts.example.com", p.ID, p.Issuer)
	case u.Scheme != "https" && (u.Scheme != "http" || !isLoopback(u.Hostname())):
		return fmt.Errorf("provider %s: issuer %q: expected https", p.ID, p.Issuer)
	case p.ClientID == "":
		return fmt.Errorf("provider %s: client_id is needed", p.ID)
	}
	return nil
}

func isLoopback(host string) bool {
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

// Config configures Providers. A zero field takes its default where it has one.
type Config struct {
	Providers []Provider
	// BaseURL is how people reach the server, without a slash at its end. Providers send
	// them back to CallbackPath below it.
	BaseURL string
	Client  *http.Client     // nil: one with a timeout of 10 s
	Now     func() time.Time // nil: time.Now
}

// CallbackPath is where a provider sends people back to.
func CallbackPath(id string) string { return StartPath(id) + "/callback" }

// StartPath is where a sign-in begins.
func StartPath(id string) string { return "/app/providers/" + id }

// Bounds of what is asked of a provider.
const (
	patience  = 10 * time.Second
	mostBytes = 1 << 20
	// discoveryLife is how long a provider's description is used before it is asked for again.
	// Its keys have no such life: an unknown one is always asked for.
	discoveryLife = time.Hour
)

// Providers are the identity providers of a server. They are safe for concurrent use.
type Providers struct {
	cfg    Config
	client *http.Client
	list   []*provider
}

// provider is one of them, and what it says of itself.
type provider struct {
	Provider
	asking singleflight.Group

	mu    sync.Mutex
	found *described // nil: it was not reached yet
}

// described is what a provider says of itself.
type described struct {
	*gooidc.Provider
	at   time.Time
	more struct {
		SaysIssuer  bool     `json:"authorization_response_iss_parameter_supported"`
		AuthMethods []string `json:"token_endpoint_auth_methods_supported"`
	}
}

// New returns the providers. None of them is asked anything before somebody signs in
// through it.
func New(cfg Config) (*Providers, error) {
	cfg.BaseURL = strings.TrimSuffix(cfg.BaseURL, "/")
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	p := &Providers{cfg: cfg, client: cfg.Client}
	if p.client == nil {
		p.client = &http.Client{Timeout: patience}
	}
	client := *p.client
	client.Transport = careful{cmp.Or[http.RoundTripper](client.Transport, http.DefaultTransport)}
	p.client = &client
	seen := map[string]bool{}
	for _, one := range cfg.Providers {
		if err := one.Validate(); err != nil {
			return nil, err
		}
		if seen[one.ID] || seen[one.Issuer] {
			return nil, fmt.Errorf("provider %s: the id or the issuer is there twice", one.ID)
		}
		seen[one.ID], seen[one.Issuer] = true, true
		one.Name = cmp.Or(one.Name, one.ID)
		p.list = append(p.list, &provider{Provider: one})
	}
	return p, nil
}

// careful bounds answers, and sends nothing in the clear to another machine.
type careful struct{ http.RoundTripper }

func (c careful) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme != "https" && !isLoopback(r.URL.Hostname()) {
		return nil, fmt.Errorf("%s: expected https", r.URL.Redacted())
	}
	answer, err := c.RoundTripper.RoundTrip(r)
	if err == nil {
		answer.Body = http.MaxBytesReader(nil, answer.Body, mostBytes)
	}
	return answer, err
}

// Named is a provider as people see it.
type Named struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// List names the providers in the order of the configuration; empty, never nil, if there
// are none.
func (p *Providers) List() []Named {
	out := []Named{}
	for _, one := range p.list {
		out = append(out, Named{one.ID, one.Name})
	}
	return out
}

func (p *Providers) find(id string) (*provider, error) {
	i := slices.IndexFunc(p.list, func(one *provider) bool { return one.ID == id })
	if i < 0 {
		return nil, market.Errorf(market.CodeNotFound, "identity provider not found: %s", id)
	}
	return p.list[i], nil
}

// describe returns what a provider says of itself, and asks it where that is not known, or
// is old. A provider that does not answer is taken as it was.
func (p *Providers) describe(ctx context.Context, one *provider) (*described, error) {
	one.mu.Lock()
	found := one.found
	one.mu.Unlock()
	now := p.cfg.Now()
	if found != nil && now.Sub(found.at) < discoveryLife {
		return found, nil
	}
	asked := one.asking.DoChan("", func() (any, error) {
		return p.ask(context.WithoutCancel(ctx), one, now)
	})
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case answer := <-asked:
		switch {
		case answer.Err == nil:
			return answer.Val.(*described), nil
		case found != nil:
			return found, nil
		}
		return nil, unreachable(one, answer.Err)
	}
}

func (p *Providers) ask(ctx context.Context, one *provider, now time.Time) (*described, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	answer, err := gooidc.NewProvider(gooidc.ClientContext(ctx, p.client), one.Issuer)
	if err != nil {
		return nil, err
	}
	d := &described{Provider: answer, at: now}
	if err := answer.Claims(&d.more); err != nil {
		return nil, err
	}
	if at, err := url.Parse(d.Endpoint().AuthURL); err != nil || at.Scheme != "https" && !isLoopback(at.Hostname()) {
		return nil, fmt.Errorf("authorization_endpoint %q: expected https", d.Endpoint().AuthURL)
	}
	one.mu.Lock()
	one.found = d
	one.mu.Unlock()
	return d, nil
}

// oauth returns how to talk to a provider as its client.
func (p *Providers) oauth(one *provider, d *described) *oauth2.Config {
	end := d.Endpoint()
	end.AuthStyle = oauth2.AuthStyleInHeader // the default of OpenID Connect
	methods := d.more.AuthMethods
	if one.ClientSecret == "" || len(methods) > 0 && !slices.Contains(methods, "client_secret_basic") {
		end.AuthStyle = oauth2.AuthStyleInParams
	}
	scopes := one.Scopes
	if len(scopes) == 0 {
		scopes = []string{"email"}
	}
	return &oauth2.Config{
		ClientID: one.ClientID, ClientSecret: one.ClientSecret, Endpoint: end,
		RedirectURL: p.cfg.BaseURL + CallbackPath(one.ID), Scopes: append([]string{gooidc.ScopeOpenID}, scopes...),
	}
}

func unreachable(one *provider, cause error) error {
	return &market.Error{
		Code: market.CodeUnavailable, Message: one.Name + " does not answer at the moment: try again, or sign in another way",
		Cause: fmt.Errorf("identity provider %s: %w", one.ID, cause), RetryAfter: 5,
	}
}

// untrusted is for an answer that the provider cannot have meant for us, or not now.
func untrusted(one *provider, cause error) error {
	return &market.Error{
		Code: market.CodeUnauthorized, Message: "the answer of " + one.Name + " does not hold: sign in again",
		Cause: fmt.Errorf("identity provider %s: %w", one.ID, cause),
	}
}

// asked tells a provider that did not answer from one whose answer does not hold.
func asked(one *provider, err error) error {
	if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
		if refused.Response.StatusCode >= http.StatusInternalServerError {
			return unreachable(one, fmt.Errorf("status %d", refused.Response.StatusCode))
		}
		// Its body may repeat what was sent.
		return untrusted(one, fmt.Errorf("status %d, error %q", refused.Response.StatusCode, refused.ErrorCode))
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		return unreachable(one, err)
	}
	return untrusted(one, err)
}
