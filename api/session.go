package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/maypok86/otter/v2"
	"golang.org/x/time/rate"

	"github.com/ladderback/ladderback/api/question"
	"github.com/ladderback/ladderback/api/wire"
	"github.com/ladderback/ladderback/identity"
	"github.com/ladderback/ladderback/identity/accounts"
	"github.com/ladderback/ladderback/market"
)

// page adds the routes of the workbench page: those of the API for whoever is signed in,
// with the same handlers, and those of sessions and accounts.
func (s *Server) page(r chi.Router) {
	r.Route("/app", func(r chi.Router) {
		r.Use(s.ownHost, s.ownSite)
		for _, one := range s.cfg.People.Routes() {
			r.With(s.bounded).Method(one.Method, one.Path, s.handle(one.Handle))
		}
		for _, one := range s.routeTable() {
			switch {
			case one.id == "parse":
				s.register(r.With(typed, s.inSession), one)
			case strings.HasPrefix(one.path, "/v1/"):
				s.register(r.With(smaller(), s.inSession), one)
			}
		}
	})
}

// smaller compresses the JSON of an answer for who accepts that: a run weighs a fifth. What
// accounts answer is not sent through it: secrets are not compressed beside what others chose.
func smaller() func(http.Handler) http.Handler { return middleware.Compress(5, "application/json") }

// ownSite refuses requests from other sites that would change something.
func (s *Server) ownSite(next http.Handler) http.Handler {
	var protection http.CrossOriginProtection
	if at := s.cfg.People.Origin(); at != "" { // behind a proxy, the host that a request names may be another
		_ = protection.AddTrustedOrigin(at) // an origin: checked when it was made
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := protection.Check(r); err != nil || s.otherScheme(r) {
			s.fail(w, r, market.Errorf(market.CodeForbidden, "the request comes from another site"))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// otherScheme reports whether a browser that does not say how its page relates to this
// server (Sec-Fetch-Site) sends a change from a page of the server's host under another
// scheme than people reach it by: anybody on the way can serve a page over http.
func (s *Server) otherScheme(r *http.Request) bool {
	if r.Method == http.MethodGet || r.Method == http.MethodHead || r.Header.Get("Sec-Fetch-Site") != "" {
		return false
	}
	from, err := url.Parse(r.Header.Get("Origin"))
	return err == nil && s.cfg.People.IsHost(from.Host) && !strings.EqualFold(from.String(), s.cfg.People.Origin())
}

// ownHost makes a server that listens on loopback answer only to loopback names, so
// that no other page can reach it through a name of its own that resolves to it.
func (s *Server) ownHost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if at, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok && wire.IsLoopback(at.String()) && !wire.IsLoopback(r.Host) && !s.cfg.People.IsHost(r.Host) {
			s.fail(w, r, market.Errorf(market.CodeForbidden, "this server answers to loopback names only, such as localhost"))
			return
		}
		next.ServeHTTP(w, r)
	})
}

type sessionKey struct{}

// inSession finds the session that a request is in. The route's further checks
// apply to that session's key; keys in headers are ignored here.
func (s *Server) inSession(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var h *identity.Holder // nil: nobody is signed in, which some routes do not need
		ctx, cancel := context.WithTimeout(r.Context(), s.cfg.RequestTimeout)
		found, err := allowed(r)(s.cfg.People.Subject(r.WithContext(ctx)))
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

// allowed returns how a subject counts if it may do what a request asks: who has not
// verified the address reads nothing, and viewers only read.
func allowed(r *http.Request) func(who accounts.Subject, err error) (identity.Holder, error) {
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead || strings.HasSuffix(r.URL.Path, "/v1/ai/parse")
	return func(who accounts.Subject, err error) (identity.Holder, error) {
		if refused := who.May(reads); refused != nil {
			return identity.Holder{}, refused
		}
		return who.Holder, err
	}
}

// heldInSession returns who is signed in, and whether the request came through the
// page's routes at all.
func heldInSession(ctx context.Context) (h *identity.Holder, ok bool) {
	h, ok = ctx.Value(sessionKey{}).(*identity.Holder)
	return h, ok
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
