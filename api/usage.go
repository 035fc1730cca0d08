package api

import (
	"net/http"
	"net/url"

	"github.com/go-chi/chi/v5"

	"github.com/ladderback/ladderback/api/wire"
	"github.com/ladderback/ladderback/identity"
	"github.com/ladderback/ladderback/market"
)

// pathParam returns a parameter of the path as the caller meant it: chi matches
// the escaped path, so that an id may hold an escaped slash.
func pathParam(r *http.Request, name string) string {
	v := chi.URLParam(r, name)
	if r.URL.RawPath != "" {
		if plain, err := url.PathUnescape(v); err == nil {
			return plain
		}
	}
	return v
}

// usageRecord is the answer of /v1/usage.
type usageRecord struct {
	Plan         string      `json:"plan"`
	Organization string      `json:"organization"`
	Limits       usageLimits `json:"limits"`
	ResetAt      *int64      `json:"reset_at"` // Unix seconds; null: no limits
}

type usageLimits struct {
	RequestsPerMinute  int         `json:"requests_per_minute"`
	RequestsRemaining  int         `json:"requests_remaining"`
	GranularityAllowed string      `json:"granularity_allowed"`
	MaxHistoryDays     int         `json:"max_history_days"`
	DataPoints         usagePoints `json:"data_points"`
}

type usagePoints struct {
	Metrics bool `json:"metrics"`
	Prices  bool `json:"prices"`
	Books   bool `json:"books"`
}

func (s *Server) usage(w http.ResponseWriter, r *http.Request) error {
	h := holderOf(r.Context())
	st, err := s.keys.Quota(r.Context(), h)
	if err != nil {
		return wire.Unavailable("the store of limits", err)
	}
	wire.WriteJSON(w, http.StatusOK, usageOf(h, st))
	return nil
}

func usageOf(h identity.Holder, st identity.Quota) usageRecord {
	u := usageRecord{Plan: h.Plan.ID(), Organization: h.Key.Organization, Limits: usageLimits{
		RequestsPerMinute: identity.Unlimited, RequestsRemaining: identity.Unlimited,
		GranularityAllowed: h.Plan.Finest, MaxHistoryDays: identity.UnlimitedDays,
		DataPoints: usagePoints{Metrics: h.Plan.Metrics, Prices: h.Plan.Prices, Books: h.Plan.Books},
	}}
	if h.Plan.HistoryDays > 0 {
		u.Limits.MaxHistoryDays = h.Plan.HistoryDays
	}
	if h.Plan.Limited() {
		reset := int64(st.Reset / market.Second)
		u.ResetAt = &reset
		u.Limits.RequestsPerMinute, u.Limits.RequestsRemaining = st.Limit, st.Remaining
	}
	return u
}
