package people

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/ladderback/ladderback/api/wire"
	"github.com/ladderback/ladderback/identity"
	"github.com/ladderback/ladderback/identity/accounts"
	"github.com/ladderback/ladderback/market"
)

// Config configures a Handler.
type Config struct {
	Keys     *identity.Keys    // and the sessions that they begin
	Accounts *accounts.Service // nil: there are sessions of keys alone
	// Proxies are the networks of proxies whose X-Forwarded-For is believed.
	Proxies []netip.Prefix
	// Providers are the identity providers that people can sign in through.
	Providers []Provider
	// Watermark is the newest capture; zero: there is none.
	Watermark func(ctx context.Context) (market.Instant, error)
	Now       func() time.Time // nil: time.Now
}

// Provider is an identity provider, as the sign-in page shows it.
type Provider struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Handler answers the routes of sessions and of accounts. It is safe for concurrent use.
type Handler struct {
	cfg  Config
	auth accounts.Authenticator
	base *url.URL // how people reach the server; nil: as a request says
}

// New returns a handler. It fails if the service's base URL is none.
func New(cfg Config) (*Handler, error) {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	h := &Handler{cfg: cfg, auth: accounts.Authenticator{Keys: cfg.Keys, People: cfg.Accounts}}
	if cfg.Accounts == nil {
		return h, nil
	}
	base, err := url.Parse(cfg.Accounts.BaseURL())
	if err != nil || base.Host == "" || base.Scheme != "https" && base.Scheme != "http" {
		return nil, errors.New("accounts: base_url: expected an address such as https://app.example.com")
	}
	h.base = base
	return h, nil
}

// Route is one of the routes, with its path below /app.
type Route struct {
	Method, Path string
	Handle       func(w http.ResponseWriter, r *http.Request) error
}

// Routes lists the routes: most of them only where there are accounts.
func (h *Handler) Routes() []Route {
	table := []Route{
		{http.MethodPost, "/session", h.enterByKey},
		{http.MethodGet, "/session", h.tellSubject},
		{http.MethodDelete, "/session", h.signOut},
		{http.MethodGet, "/options", h.options},
	}
	if h.cfg.Accounts != nil {
		table = append(table, h.accountRoutes()...)
	}
	for i := range table {
		table[i].Handle = kept(table[i].Handle)
	}
	return table
}

func (h *Handler) accountRoutes() []Route {
	const get, post, del = http.MethodGet, http.MethodPost, http.MethodDelete
	in := h.signedIn
	return []Route{
		{post, "/register", filledByAny(h.register)},
		{post, "/verify", filledByAny(h.verify)},
		{post, "/verify/again", in(h.verifyAgain)},
		{post, "/sign-in", filledByAny(h.signIn)},
		{post, "/join", filledByAny(h.join)},
		{post, "/forgotten", filledByAny(h.forgotten)},
		{post, "/reset", filledByAny(h.reset)},
		{post, "/token", in(h.token)},

		{get, "/account", in(h.tellAccount)},
		{post, "/account/password", in(filled(h.changePassword))},
		{post, "/account/email", in(filled(h.changeAddress))},
		{post, "/account/organization", in(filled(h.workIn))},
		{get, "/account/sessions", in(h.sessions)},
		{del, "/account/sessions/{id}", in(h.endSession)},
		{del, "/account/sessions", in(h.endOthers)},
		{get, "/account/agents", in(h.agents)},
		{del, "/account/agents/{id}", in(h.endAgent)},
		{get, "/account/export", in(h.export)},
		{post, "/account/delete", in(filled(h.delete))},

		{get, "/organization", in(h.tellOrganization)},
		{post, "/organization", in(filled(h.rename))},
		{get, "/organization/members", in(h.members)},
		{post, "/organization/members/{id}", in(filled(h.setRole))},
		{del, "/organization/members/{id}", in(h.remove)},
		{get, "/organization/invitations", in(h.invitations)},
		{post, "/organization/invitations", in(filled(h.invite))},
		{del, "/organization/invitations/{id}", in(h.uninvite)},
		{post, "/invitations/accept", in(filled(h.accept))},
		{get, "/keys", in(h.keys)},
		{post, "/keys", in(filled(h.makeKey))},
		{del, "/keys/{id}", in(h.revokeKey)},
		{get, "/usage", in(h.usage)},
		{get, "/audit", in(h.audit)},
	}
}

// filled hands the fields of the body to what somebody who is signed in asks for.
func filled(handle func(w http.ResponseWriter, r *http.Request, in *accounts.Session, f *form) error) func(w http.ResponseWriter, r *http.Request, in *accounts.Session) error {
	return func(w http.ResponseWriter, r *http.Request, in *accounts.Session) error {
		f, err := read(r)
		if err != nil {
			return err
		}
		return handle(w, r, in, f)
	}
}

// filledByAny is filled for what anybody may ask for.
func filledByAny(handle func(w http.ResponseWriter, r *http.Request, f *form) error) func(w http.ResponseWriter, r *http.Request) error {
	of := filled(func(w http.ResponseWriter, r *http.Request, _ *accounts.Session, f *form) error {
		return handle(w, r, f)
	})
	return func(w http.ResponseWriter, r *http.Request) error { return of(w, r, nil) }
}

// kept has no answer cached, and tells that the store is down where an error says nothing
// else.
func kept(f func(w http.ResponseWriter, r *http.Request) error) func(w http.ResponseWriter, r *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("Cache-Control", "no-store")
		err := f(w, r)
		if err != nil && market.AsError(err) == nil {
			return wire.Unavailable("the store of accounts", err)
		}
		return err
	}
}

// IsHost reports whether people reach the server under that host, whatever it listens on.
func (h *Handler) IsHost(host string) bool {
	return h.base != nil && strings.EqualFold(host, h.base.Host)
}

// Origin returns the origin of the server's pages; empty: the one that a request names.
func (h *Handler) Origin() string {
	if h.base == nil {
		return ""
	}
	return h.base.Scheme + "://" + h.base.Host
}

// Authenticator says who asks.
func (h *Handler) Authenticator() *accounts.Authenticator { return &h.auth }

// cookieFor makes a cookie of this host alone, for so many seconds; below 0: one that
// ends it. Without accounts nobody comes from another site: only then is it kept from
// whoever follows a link from a mail or comes back from a provider.
func (h *Handler) cookieFor(r *http.Request, name, value string, age int) *http.Cookie {
	c := &http.Cookie{
		Name: "ladderback_" + name, Value: value, Path: "/", MaxAge: age,
		HttpOnly: true, Secure: r.TLS != nil, SameSite: http.SameSiteStrictMode,
	}
	if h.base != nil {
		c.Secure, c.SameSite = h.base.Scheme == "https", http.SameSiteLaxMode
	}
	if c.Secure { // browsers accept it only from the host itself, over TLS
		c.Name = "__Host-" + c.Name
	}
	return c
}

// cookie makes the cookie of a session; without a token, one that ends it.
func (h *Handler) cookie(r *http.Request, token string) *http.Cookie {
	age := int(identity.SessionIdle / time.Second)
	if token == "" {
		age = -1
	}
	return h.cookieFor(r, "session", token, age)
}

// tokenOf returns the token of the session that a request is in; empty: it is in none.
func (h *Handler) tokenOf(r *http.Request) string { return valueOf(r, h.cookie(r, "").Name) }

// valueOf returns the value of a cookie; empty: there is none.
func valueOf(r *http.Request, name string) string {
	c, err := r.Cookie(name)
	if err != nil {
		return ""
	}
	return c.Value
}

// Subject returns whose session a request is in, as [accounts.Authenticator.BySession] does.
func (h *Handler) Subject(r *http.Request) (accounts.Subject, error) {
	return h.auth.BySession(r.Context(), h.tokenOf(r))
}

// From says where a request comes from.
func (h *Handler) From(r *http.Request) accounts.From {
	from := accounts.From{Agent: r.UserAgent(), Device: valueOf(r, h.deviceCookie(r, "").Name)}
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return from
	}
	from.Address = at.Addr().Unmap()
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0 && h.isProxy(from.Address); i-- {
		a, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		from.Address = a.Unmap()
	}
	return from
}

func (h *Handler) isProxy(a netip.Addr) bool {
	for _, p := range h.cfg.Proxies {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

// Session returns which person is signed in. identity.ErrNoSession: nobody.
func (h *Handler) Session(r *http.Request) (*accounts.Session, error) {
	return h.cfg.Accounts.InSession(r.Context(), h.tokenOf(r))
}

// signedIn lets those through who are signed in.
func (h *Handler) signedIn(f func(w http.ResponseWriter, r *http.Request, in *accounts.Session) error) func(w http.ResponseWriter, r *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		in, err := h.Session(r)
		if err != nil {
			return err
		}
		http.SetCookie(w, h.cookie(r, h.tokenOf(r))) // lives on as long as it is used
		return f(w, r, in)
	}
}

// give hands a session to the browser, in place of the one that it had.
func (h *Handler) give(w http.ResponseWriter, r *http.Request, in *accounts.SignedIn) {
	w.Header().Del("Set-Cookie")
	http.SetCookie(w, h.cookie(r, in.Token))
	if in.Device != "" {
		http.SetCookie(w, h.deviceCookie(r, in.Device))
	}
}

// deviceLife is how long a browser is known.
const deviceLife = 180 * 24 * time.Hour

// deviceCookie makes the cookie by which a browser is known at its next sign-in.
func (h *Handler) deviceCookie(r *http.Request, value string) *http.Cookie {
	return h.cookieFor(r, "device", value, int(deviceLife/time.Second))
}

// drop takes the session's cookie from the browser.
func (h *Handler) drop(w http.ResponseWriter, r *http.Request) {
	w.Header().Del("Set-Cookie")
	http.SetCookie(w, h.cookie(r, ""))
}

// Enter begins a session for somebody who signs in: the one that the browser had ends.
func (h *Handler) Enter(w http.ResponseWriter, r *http.Request, in *accounts.SignedIn) error {
	if err := h.auth.SignOut(r.Context(), h.tokenOf(r)); err != nil {
		return err
	}
	h.give(w, r, in)
	return nil
}

// Watermark and usage need no plan that is not configured: that is told as it is for keys.
func (h *Handler) plan(in *accounts.Session) (identity.Plan, error) {
	holder, err := in.Holder(h.cfg.Accounts.Plans())
	return holder.Plan, err
}
