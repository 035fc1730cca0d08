package api

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/go-chi/chi/v5"

	"github.com/ladderback/ladderback/api/wire"
	"github.com/ladderback/ladderback/archive/store"
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

func (s *Server) getMarket(w http.ResponseWriter, r *http.Request) error {
	row, err := s.marketOf(r)
	if err != nil {
		return err
	}
	wire.WriteJSON(w, http.StatusOK, marketDetailOf(row))
	return nil
}

// marketOf finds the market of the path.
func (s *Server) marketOf(r *http.Request) (*store.Listing, error) {
	p := wire.ParamsOf(r)
	id := p.Path("id_or_slug", pathParam(r, "id_or_slug"))
	category := p.Category()
	if err := p.Err(); err != nil {
		return nil, err
	}
	row, err := s.catalogue.Market(r.Context(), id, category)
	if errors.Is(err, store.ErrNotFound) {
		return nil, wire.NotFound("market", id)
	}
	return row, err
}

// gapList is the answer of /v1/markets/{id_or_slug}/gaps.
type gapList struct {
	MarketID string      `json:"market_id"`
	Count    int         `json:"count"`
	Data     []gapRecord `json:"data"`
}

// gapRecord is a period [from, to) of a token that a source declared missing.
type gapRecord struct {
	TokenID string `json:"token_id"`
	From    stamp  `json:"from"`
	To      stamp  `json:"to"`
}

// getGaps answers GET /v1/markets/{id_or_slug}/gaps.
func (s *Server) getGaps(w http.ResponseWriter, r *http.Request) error {
	row, err := s.marketOf(r)
	if err != nil {
		return err
	}
	list := gapList{MarketID: row.Market.VenueID, Count: len(row.Gaps), Data: make([]gapRecord, len(row.Gaps))}
	for i, g := range row.Gaps {
		list.Data[i] = gapRecord{row.Market.Tokens[g.Token].VenueID, g.From, g.To}
	}
	wire.WriteJSON(w, http.StatusOK, list)
	return nil
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
	st, err := s.guard.Standing(r.Context(), h)
	if err != nil {
		return wire.Unavailable("the store of limits", err)
	}
	wire.WriteJSON(w, http.StatusOK, usageOf(h, st))
	return nil
}

func usageOf(h identity.Holder, st identity.Standing) usageRecord {
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
