package api

import (
	"context"
	"net/http"
	"strconv"

	"github.com/ladderback/ladderback/api/wire"
	"github.com/ladderback/ladderback/identity"
	"github.com/ladderback/ladderback/identity/accounts"
	"github.com/ladderback/ladderback/market"
)

type holderKey struct{}

// holderOf returns the key that a request came with.
func holderOf(ctx context.Context) identity.Holder {
	h, _ := ctx.Value(holderKey{}).(identity.Holder)
	return h
}

// authenticated lets through requests with a live key, and counts them against
// its limits unless free is set. bearerOnly refuses the X-API-Key header.
func (s *Server) authenticated(free, bearerOnly bool) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			h, err := s.let(w, r, free, bearerOnly)
			if err != nil {
				s.fail(w, r, err)
				return
			}
			next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), holderKey{}, h)))
		})
	}
}

// let finds who asks, and counts the request, within the time limit of a data
// route.
func (s *Server) let(w http.ResponseWriter, r *http.Request, free, bearerOnly bool) (identity.Holder, error) {
	ctx, end := wire.Within(r.Context(), s.cfg.RequestTimeout)
	defer end()
	h, err := s.caller(ctx, r, bearerOnly)
	if err != nil {
		return h, err
	}
	wire.LogOf(ctx).Key = h.Key.ID
	if ctx.Value(agentsKey{}) != nil {
		w.Header().Set(HolderHeader, h.Key.ID)
	}
	if ctx.Value(typedKey{}) != nil {
		return h, s.mayType(h.Key.ID)
	}
	return h, s.admit(ctx, w, h, free)
}

// caller finds who asks: by session on the page's routes, by key on all others.
func (s *Server) caller(ctx context.Context, r *http.Request, bearerOnly bool) (identity.Holder, error) {
	if h, ok := heldInSession(ctx); ok {
		if h == nil {
			return identity.Holder{}, identity.ErrNoSession
		}
		return *h, nil
	}
	var h identity.Holder
	var err error
	if secret := wire.KeyOf(r, bearerOnly); identity.IsKey(secret) { // may do whatever its plan has
		h, err = s.keys.Find(ctx, secret)
	} else {
		h, err = allowed(r)(s.bearing(ctx, secret, bearerOnly))
	}
	if err != nil {
		return h, denied(r, err, bearerOnly)
	}
	return h, nil
}

type agentsKey struct{}

// Agents answers the requests that agents' tools make, in which clients may act for people:
// their tokens are for that alone, and no good on the routes themselves. It says in the
// header HolderHeader who asks.
func (s *Server) Agents() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), agentsKey{}, true)))
	})
}

// HolderHeader is the header of answers to agents' tools that has the id of the key which
// their requests count against, whatever they bear.
const HolderHeader = "Ladderback-Holder"

// bearing finds which person bears a token, where persons is set, or for whom an agent acts.
func (s *Server) bearing(ctx context.Context, token string, persons bool) (accounts.Subject, error) {
	switch {
	case s.cfg.Grants != nil && ctx.Value(agentsKey{}) != nil:
		return s.cfg.People.Authenticator().ByGrant(ctx, token, s.cfg.Grants.Server().Resource())
	case persons:
		return s.cfg.People.Authenticator().ByToken(ctx, token)
	}
	return accounts.Subject{}, identity.ErrUnauthorized
}

// denied says why a request without a live key is not answered.
func denied(r *http.Request, err error, bearerOnly bool) error {
	switch market.CodeOf(err) {
	case market.CodeForbidden: // its plan is not configured
		return err
	case market.CodeUnauthorized:
	default:
		return wire.Unavailable("the store of keys", err)
	}
	switch {
	case bearerOnly && wire.Bearer(r) == "" && r.Header.Get("X-API-Key") != "":
		return market.Errorf(market.CodeUnauthorized, "X-API-Key is not accepted on this route: send the key as 'Authorization: Bearer <key>'")
	case bearerOnly:
		return market.Errorf(market.CodeUnauthorized, "API key missing, invalid or expired: send it as 'Authorization: Bearer <key>'")
	}
	return market.Errorf(market.CodeUnauthorized, "API key missing, invalid or expired: send it as 'X-API-Key: <key>' or 'Authorization: Bearer <key>'")
}

// admit counts a request and writes how the key stands.
func (s *Server) admit(ctx context.Context, w http.ResponseWriter, h identity.Holder, free bool) error {
	standing := s.keys.Count
	if free {
		standing = s.keys.Quota
	}
	st, err := standing(ctx, h)
	if err != nil {
		return wire.Unavailable("the store of limits", err)
	}
	if h.Plan.Limited() {
		header := w.Header() // of names as net/http has them
		header.Set("X-Ratelimit-Limit", strconv.Itoa(st.Limit))
		header.Set("X-Ratelimit-Remaining", strconv.Itoa(st.Remaining))
		header.Set("X-Ratelimit-Reset", strconv.FormatInt(int64(st.Reset/market.Second), 10))
	}
	if st.RetryAfter == 0 || free {
		return nil
	}
	window, limit := "minute", h.Plan.RequestsPerMinute
	if st.Daily {
		window, limit = "day", h.Plan.RequestsPerDay
	}
	s.metrics.limited.WithLabelValues(window).Inc()
	over := market.Errorf(market.CodeRateLimited, "rate limit exceeded: %d requests per %s on plan %s; try again in %d s",
		limit, window, h.Plan.Name, st.RetryAfter)
	over.RetryAfter = st.RetryAfter
	return over
}

// canBacktest refuses keys whose plan has no backtest, before the body is read.
func (s *Server) canBacktest(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h := holderOf(r.Context()); !h.Plan.Backtest {
			s.fail(w, r, market.Errorf(market.CodePlanRequired, "backtests need plan Pro or above; this key is on plan %s", h.Plan.Name))
			return
		}
		next.ServeHTTP(w, r)
	})
}
