package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/maypok86/otter/v2"
	"golang.org/x/time/rate"

	"github.com/ladderback/ladderback/api/question"
	"github.com/ladderback/ladderback/api/wire"
	"github.com/ladderback/ladderback/identity"
	"github.com/ladderback/ladderback/identity/accounts"
	"github.com/ladderback/ladderback/market"
)

// Names of the session's cookie. Under TLS browsers accept it only from this host
// itself, and over TLS.
const (
	sessionCookie       = "ladderback_session"
	secureSessionCookie = "__Host-ladderback_session"
)

func cookieName(r *http.Request) string {
	if r.TLS != nil {
		return secureSessionCookie
	}
	return sessionCookie
}

// cookieOf makes the cookie of a session; without a token, one that ends it.
func (s *Server) cookieOf(r *http.Request, token string) *http.Cookie {
	if s.cfg.People != nil {
		return s.cfg.People.Cookie(token)
	}
	age := int(identity.SessionIdle / time.Second)
	if token == "" {
		age = -1
	}
	return &http.Cookie{
		Name: cookieName(r), Value: token, Path: "/", MaxAge: age,
		HttpOnly: true, Secure: r.TLS != nil, SameSite: http.SameSiteStrictMode,
	}
}

func (s *Server) tokenOf(r *http.Request) string {
	if s.cfg.People != nil {
		return s.cfg.People.Token(r)
	}
	c, err := r.Cookie(cookieName(r))
	if err != nil {
		return ""
	}
	return c.Value
}

// sessionRecord says who is signed in.
type sessionRecord struct {
	Organization string `json:"organization"`
	Plan         string `json:"plan"`
	Backtest     bool   `json:"backtest"` // whether the plan has backtests
	// Account is whose session it is; nil: that of a key.
	Account *sessionAccount `json:"account,omitempty"`
}

// sessionAccount is the account of a session.
type sessionAccount struct {
	ID       string        `json:"id"`
	Email    string        `json:"email"`
	Verified bool          `json:"verified"`
	Role     accounts.Role `json:"role"`
}

func sessionOf(h identity.Holder) sessionRecord {
	return sessionRecord{h.Key.Organization, h.Plan.Name, h.Plan.Backtest, nil}
}

// page adds the routes of the workbench page: those of the API for whoever is
// signed in, with the same handlers, and signing in and out.
func (s *Server) page(r chi.Router) {
	r.Route("/app", func(r chi.Router) {
		r.Use(s.ownHost, s.ownSite)
		r.Post("/session", s.handle(s.signIn))
		r.Get("/session", s.handle(s.signedIn))
		r.Delete("/session", s.handle(s.signOut))
		if s.cfg.People != nil {
			for _, one := range s.cfg.People.Routes() {
				r.With(s.bounded).Method(one.Method, one.Path, s.handle(one.Handle))
			}
		}
		for _, one := range s.routeTable() {
			switch {
			case one.id == "parse":
				s.register(r.With(typed, s.inSession), one)
			case strings.HasPrefix(one.path, "/v1/"):
				s.register(r.With(s.inSession), one)
			}
		}
	})
}

// ownSite refuses requests from other sites that would change something.
func (s *Server) ownSite(next http.Handler) http.Handler {
	var protection http.CrossOriginProtection
	if s.cfg.People != nil { // behind a proxy, the host that a request names may be another
		_ = protection.AddTrustedOrigin(s.cfg.People.Origin()) // an origin: checked when it was made
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := protection.Check(r); err != nil {
			s.fail(w, r, market.Errorf(market.CodeForbidden, "the request comes from another site"))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// ownHost makes a server that listens on loopback answer only to loopback names, so
// that no other page can reach it through a name of its own that resolves to it.
func (s *Server) ownHost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if at, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok && wire.IsLoopback(at.String()) && !wire.IsLoopback(r.Host) && !s.ours(r.Host) {
			s.fail(w, r, market.Errorf(market.CodeForbidden, "this server answers to loopback names only, such as localhost"))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// ours reports whether people reach the server under that host, through a proxy.
func (s *Server) ours(host string) bool {
	return s.cfg.People != nil && strings.EqualFold(host, s.cfg.People.Host())
}

type sessionKey struct{}

// inSession finds the session that a request is in. The route's further checks
// apply to that session's key; keys in headers are ignored here.
func (s *Server) inSession(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var h *identity.Holder // nil: nobody is signed in, which some routes do not need
		ctx, cancel := context.WithTimeout(r.Context(), s.cfg.RequestTimeout)
		found, err := s.holderIn(ctx, r)
		cancel()
		switch {
		case err == nil:
			h = &found
		case errors.Is(err, identity.ErrNoSession):
		case market.CodeOf(err) == market.CodeForbidden:
			s.fail(w, r, err)
			return
		default:
			s.fail(w, r, wire.Unavailable("the store of sessions", err))
			return
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), sessionKey{}, h)))
	})
}

// holderIn returns how whoever is signed in counts: as the key behind the session, or as
// the account.
func (s *Server) holderIn(ctx context.Context, r *http.Request) (identity.Holder, error) {
	token := s.tokenOf(r)
	if s.cfg.People == nil || !accounts.IsSession(token) {
		return s.guard.InSession(ctx, token)
	}
	in, err := s.cfg.People.Accounts().InSession(ctx, token)
	if err != nil {
		return identity.Holder{}, err
	}
	return s.holderAs(r, in)
}

// holderAs returns how an account's session counts, if it may do what a request asks:
// who has not verified the address reads nothing, and viewers only read.
func (s *Server) holderAs(r *http.Request, in *accounts.Session) (identity.Holder, error) {
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead || strings.HasSuffix(r.URL.Path, "/v1/ai/parse")
	switch {
	case !in.Account.Verified:
		return identity.Holder{}, accounts.ErrUnverified
	case !reads && !in.Organization.Role.May(accounts.Member):
		return identity.Holder{}, accounts.ErrRole
	}
	return in.Holder(s.cfg.People.Accounts().Plans())
}

// heldInSession returns who is signed in, and whether the request came through the
// page's routes at all.
func heldInSession(ctx context.Context) (h *identity.Holder, ok bool) {
	h, ok = ctx.Value(sessionKey{}).(*identity.Holder)
	return h, ok
}

// signIn answers POST /app/session with a key or a ticket, which works once.
func (s *Server) signIn(w http.ResponseWriter, r *http.Request) error {
	text, err := question.Body(r)
	if err != nil {
		return err
	}
	var q struct{ Key, Ticket string }
	if _, err := question.Object("body", text); err != nil {
		return err
	}
	if err := json.Unmarshal(text, &q); err != nil || (q.Key == "") == (q.Ticket == "") {
		return wire.BadRequest(`body: expected {"key": "lb_…"}, or {"ticket": "…"}`)
	}
	var token string
	var h identity.Holder
	if q.Key != "" {
		token, h, err = s.guard.SignIn(r.Context(), strings.TrimSpace(q.Key))
	} else {
		token, h, err = s.guard.Redeem(r.Context(), q.Ticket)
	}
	switch {
	case errors.Is(err, identity.ErrUnauthorized) && q.Ticket != "":
		return market.Errorf(market.CodeUnauthorized, "the link was used before, or is older than ten minutes: sign in with a key")
	case errors.Is(err, identity.ErrUnauthorized):
		return market.Errorf(market.CodeUnauthorized, "API key invalid or revoked")
	case err != nil && market.CodeOf(err) != market.CodeForbidden:
		return wire.Unavailable("the store of keys", err)
	case err != nil:
		return err
	}
	wire.LogOf(r.Context()).Key = h.Key.ID
	http.SetCookie(w, s.cookieOf(r, token))
	w.Header().Set("Cache-Control", "no-store")
	wire.WriteJSON(w, http.StatusOK, sessionOf(h))
	return nil
}

// signedIn answers GET /app/session.
func (s *Server) signedIn(w http.ResponseWriter, r *http.Request) error {
	record, err := s.whoIsIn(r)
	if err != nil {
		if market.AsError(err) == nil {
			return wire.Unavailable("the store of sessions", err)
		}
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	http.SetCookie(w, s.cookieOf(r, s.tokenOf(r))) // lives on as long as it is used
	wire.WriteJSON(w, http.StatusOK, record)
	return nil
}

// whoIsIn says who is signed in.
func (s *Server) whoIsIn(r *http.Request) (sessionRecord, error) {
	token := s.tokenOf(r)
	if s.cfg.People == nil || !accounts.IsSession(token) {
		h, err := s.guard.InSession(r.Context(), token)
		return sessionOf(h), err
	}
	in, err := s.cfg.People.Accounts().InSession(r.Context(), token)
	if err != nil {
		return sessionRecord{}, err
	}
	h, err := in.Holder(s.cfg.People.Accounts().Plans())
	out := sessionOf(h)
	out.Account = &sessionAccount{in.Account.ID, in.Account.Address, in.Account.Verified, in.Organization.Role}
	return out, err
}

// signOut answers DELETE /app/session.
func (s *Server) signOut(w http.ResponseWriter, r *http.Request) error {
	if token := s.tokenOf(r); token != "" {
		end := s.guard.SignOut
		if s.cfg.People != nil && accounts.IsSession(token) {
			end = s.cfg.People.Accounts().SignOut
		}
		if err := end(r.Context(), token); err != nil {
			return wire.Unavailable("the store of sessions", err)
		}
	}
	http.SetCookie(w, s.cookieOf(r, ""))
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// Limits of typing on the page: sentences read by the rules per second, and at
// once. They do not count against the limits of the key.
const (
	typedPerSecond = 10
	typedAtOnce    = 20
	typists        = 10_000 // whose count is kept
)

// newTyping keeps the counts of those who type, by key.
func newTyping() *otter.Cache[string, *rate.Limiter] {
	return otter.Must(&otter.Options[string, *rate.Limiter]{MaximumSize: typists, Executor: func(f func()) { f() }})
}

type typedKey struct{}

// typed marks a request from the page in which the rules alone read a sentence.
func typed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, err := question.Body(r)
		if err == nil {
			r.Body = io.NopCloser(bytes.NewReader(text))
			var q struct{ Parser string }
			if json.Unmarshal(text, &q) == nil && q.Parser == question.RulesParser {
				r = r.WithContext(context.WithValue(r.Context(), typedKey{}, true))
			}
		} else { // the handler reads the rest, and refuses the body as it refuses any
			r.Body = io.NopCloser(io.MultiReader(bytes.NewReader(text), r.Body))
		}
		next.ServeHTTP(w, r)
	})
}

// mayType counts a sentence that somebody typed.
func (s *Server) mayType(key string) error {
	l, _ := s.typing.ComputeIfAbsent(key, func() (*rate.Limiter, bool) { return rate.NewLimiter(typedPerSecond, typedAtOnce), false })
	if l.Allow() {
		return nil
	}
	fast := market.Errorf(market.CodeRateLimited, "more than %d sentences a second", typedPerSecond)
	fast.RetryAfter = 1
	return fast
}
