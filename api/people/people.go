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
	Accounts *accounts.Service
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

// Handler answers the routes of accounts. It is safe for concurrent use.
type Handler struct {
	cfg    Config
	base   *url.URL
	secure bool
}

// New returns a handler. It fails if the service's base URL is none.
func New(cfg Config) (*Handler, error) {
	base, err := url.Parse(cfg.Accounts.BaseURL())
	if err != nil || base.Host == "" || base.Scheme != "https" && base.Scheme != "http" {
		return nil, errors.New("accounts: base_url: expected an address such as https://app.example.com")
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &Handler{cfg, base, base.Scheme == "https"}, nil
}

// Route is one of the routes, with its path below /app.
type Route struct {
	Method, Path string
	Handle       func(w http.ResponseWriter, r *http.Request) error
}

// Routes lists the routes.
func (h *Handler) Routes() []Route {
	const get, post, del = http.MethodGet, http.MethodPost, http.MethodDelete
	in := h.signedIn
	table := []Route{
		{get, "/options", h.options},
		{post, "/register", h.register},
		{post, "/verify", h.verify},
		{post, "/verify/again", in(h.verifyAgain)},
		{post, "/sign-in", h.signIn},
		{post, "/join", h.join},
		{post, "/forgotten", h.forgotten},
		{post, "/reset", h.reset},
		{post, "/token", in(h.token)},

		{get, "/account", in(h.account)},
		{post, "/account/password", in(h.changePassword)},
		{post, "/account/email", in(h.changeAddress)},
		{post, "/account/organization", in(h.workIn)},
		{get, "/account/sessions", in(h.sessions)},
		{del, "/account/sessions/{id}", in(h.endSession)},
		{del, "/account/sessions", in(h.endOthers)},
		{get, "/account/export", in(h.export)},
		{post, "/account/delete", in(h.delete)},

		{get, "/organization", in(h.organization)},
		{post, "/organization", in(h.rename)},
		{get, "/organization/members", in(h.members)},
		{post, "/organization/members/{id}", in(h.setRole)},
		{del, "/organization/members/{id}", in(h.remove)},
		{get, "/organization/invitations", in(h.invitations)},
		{post, "/organization/invitations", in(h.invite)},
		{del, "/organization/invitations/{id}", in(h.uninvite)},
		{post, "/invitations/accept", in(h.accept)},
		{get, "/keys", in(h.keys)},
		{post, "/keys", in(h.makeKey)},
		{del, "/keys/{id}", in(h.revokeKey)},
		{get, "/usage", in(h.usage)},
		{get, "/audit", in(h.audit)},
	}
	for i := range table {
		table[i].Handle = kept(table[i].Handle)
	}
	return table
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

// Host returns the host of the address that people reach the server under.
func (h *Handler) Host() string { return h.base.Host }

// Origin returns the origin of the server's pages.
func (h *Handler) Origin() string { return h.base.Scheme + "://" + h.base.Host }

// Accounts returns the accounts behind the routes.
func (h *Handler) Accounts() *accounts.Service { return h.cfg.Accounts }

// cookieName is that of the session's cookie. Browsers accept the longer one only from
// the host itself, over TLS.
func (h *Handler) cookieName() string {
	if h.secure {
		return "__Host-ladderback_session"
	}
	return "ladderback_session"
}

// Cookie makes the cookie of a session, which whoever follows a link from a mail or comes
// back from a provider has with them; without a token, one that ends it.
func (h *Handler) Cookie(token string) *http.Cookie {
	age := int(accounts.SessionIdle / time.Second)
	if token == "" {
		age = -1
	}
	return &http.Cookie{
		Name: h.cookieName(), Value: token, Path: "/", MaxAge: age,
		HttpOnly: true, Secure: h.secure, SameSite: http.SameSiteLaxMode,
	}
}

// Token returns the token in the request's cookie; empty: there is none.
func (h *Handler) Token(r *http.Request) string {
	c, err := r.Cookie(h.cookieName())
	if err != nil {
		return ""
	}
	return c.Value
}

// From says where a request comes from.
func (h *Handler) From(r *http.Request) accounts.From {
	from := accounts.From{Agent: r.UserAgent()}
	if c, err := r.Cookie(h.deviceCookie("").Name); err == nil {
		from.Device = c.Value
	}
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

// Session returns who is signed in. identity.ErrNoSession: nobody.
func (h *Handler) Session(r *http.Request) (*accounts.Session, error) {
	return h.cfg.Accounts.InSession(r.Context(), h.Token(r))
}

// signedIn lets those through who are signed in.
func (h *Handler) signedIn(f func(w http.ResponseWriter, r *http.Request, in *accounts.Session) error) func(w http.ResponseWriter, r *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		in, err := h.Session(r)
		if err != nil {
			return err
		}
		http.SetCookie(w, h.Cookie(h.Token(r))) // lives on as long as it is used
		return f(w, r, in)
	}
}

// give hands a session to the browser, in place of the one that it had.
func (h *Handler) give(w http.ResponseWriter, in *accounts.SignedIn) {
	w.Header().Del("Set-Cookie")
	http.SetCookie(w, h.Cookie(in.Token))
	if in.Device != "" {
		http.SetCookie(w, h.deviceCookie(in.Device))
	}
}

// deviceLife is how long a browser is known.
const deviceLife = 180 * 24 * time.Hour

// deviceCookie makes the cookie by which a browser is known at its next sign-in.
func (h *Handler) deviceCookie(value string) *http.Cookie {
	return &http.Cookie{
		Name: strings.Replace(h.cookieName(), "session", "device", 1), Value: value, Path: "/", MaxAge: int(deviceLife / time.Second),
		HttpOnly: true, Secure: h.secure, SameSite: http.SameSiteLaxMode,
	}
}

// drop takes the session's cookie from the browser.
func (h *Handler) drop(w http.ResponseWriter) {
	w.Header().Del("Set-Cookie")
	http.SetCookie(w, h.Cookie(""))
}

// Enter begins a session for somebody who signs in: the one that the browser had ends.
func (h *Handler) Enter(w http.ResponseWriter, r *http.Request, in *accounts.SignedIn) error {
	if old := h.Token(r); accounts.IsSession(old) {
		if err := h.cfg.Accounts.SignOut(r.Context(), old); err != nil {
			return err
		}
	}
	h.give(w, in)
	return nil
}

// Watermark and usage need no plan that is not configured: that is told as it is for keys.
func (h *Handler) plan(in *accounts.Session) (identity.Plan, error) {
	holder, err := in.Holder(h.cfg.Accounts.Plans())
	return holder.Plan, err
}
