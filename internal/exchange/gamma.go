package exchange

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Listing returns a round as the metadata API answers it at a time: an event with
// its market.
func (s *Server) Listing(slug string, now time.Time) json.RawMessage {
	p := s.bySlug[slug]
	closed, decided := !now.Before(p.End.Add(s.c.Closed)), !now.Before(p.End.Add(s.c.Decided))
	prices := []string{"0.5", "0.5"}
	market := map[string]any{
		"id": "m-" + p.Slug, "slug": p.Slug, "question": p.Slug, "conditionId": p.Condition,
		"outcomes": `["Up", "Down"]`, "clobTokenIds": text(p.Tokens[:]),
		"startDate":      p.Start.Add(-24 * time.Hour).UTC().Format(time.RFC3339),
		"eventStartTime": p.Start.UTC().Format(time.RFC3339), "endDate": p.End.UTC().Format(time.RFC3339),
		"closed": closed, "active": true, "orderPriceMinTickSize": 0.01, "orderMinSize": 5,
	}
	status, updated := "", p.Start.Add(-s.c.Listed)
	if closed {
		updated = p.End.Add(s.c.Closed)
	}
	switch {
	case closed && s.c.Outcome != nil:
		said, word := s.c.Outcome(&p.Round, now)
		updated = now
		decided, status = word == "resolved", word
		if said != nil {
			prices = said
		}
	case decided:
		prices, status = []string{"0", "0"}, "resolved"
		prices[p.Winner] = "1"
		updated = p.End.Add(s.c.Decided)
	}
	market["updatedAt"] = updated.UTC().Format(time.RFC3339Nano)
	if status != "" {
		market["umaResolutionStatus"] = status
	}
	if decided {
		market["closedTime"] = p.End.Add(s.c.Closed).UTC().Format("2006-01-02 15:04:05+00")
	}
	market["outcomePrices"] = text(prices)
	series := strings.ToLower(p.Coin) + "-up-or-down-" + p.Type
	raw, _ := json.Marshal(map[string]any{ // can be written
		"id": "e-" + p.Slug, "slug": p.Slug, "title": p.Slug, "closed": closed, "seriesSlug": series,
		"startTime": p.Start.UTC().Format(time.RFC3339), "endDate": p.End.UTC().Format(time.RFC3339),
		"series":  []any{map[string]any{"id": "s-" + series, "slug": series, "title": series, "recurrence": p.Type}},
		"markets": []any{market},
	})
	return raw
}

func text(list []string) string {
	b, _ := json.Marshal(list) // can be written
	return string(b)
}

// events answers GET /events by series or slug.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	now := s.c.Now()
	var found []json.RawMessage
	for _, p := range s.rounds {
		closed := !now.Before(p.End.Add(s.c.Closed))
		from, _ := time.Parse(time.RFC3339, q.Get("end_date_min"))
		switch {
		case now.Before(p.Start.Add(-s.c.Listed)):
		case q.Has("slug") && q.Get("slug") != p.Slug:
		case q.Has("series_slug") && q.Get("series_slug") != strings.ToLower(p.Coin)+"-up-or-down-"+p.Type:
		case q.Get("closed") == "false" && closed, q.Get("closed") == "true" && !closed, p.End.Before(from):
		default:
			found = append(found, s.Listing(p.Slug, now))
		}
	}
	answer(w, q, found)
}

// answer writes a page of what was found.
func answer(w http.ResponseWriter, q url.Values, found []json.RawMessage) {
	limit, err := strconv.Atoi(q.Get("limit"))
	if err != nil {
		limit = 20
	}
	offset, _ := strconv.Atoi(q.Get("offset")) // none: 0
	found = found[min(offset, len(found)):]
	found = found[:min(limit, len(found))]
	if found == nil {
		found = []json.RawMessage{}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(found) // whoever asked may be gone
}

// markets answers GET /markets by slugs, market ids or token ids; of closed ones only
// with closed=true.
func (s *Server) markets(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	now := s.c.Now()
	var found []json.RawMessage
	for _, p := range s.rounds {
		closed := !now.Before(p.End.Add(s.c.Closed))
		asked := slices.Contains(q["slug"], p.Slug) || slices.Contains(q["condition_ids"], p.Condition) ||
			slices.Contains(q["clob_token_ids"], p.Tokens[0]) || slices.Contains(q["clob_token_ids"], p.Tokens[1])
		if !asked || now.Before(p.Start.Add(-s.c.Listed)) || closed != (q.Get("closed") == "true") {
			continue
		}
		found = append(found, s.market(p.Slug, now))
	}
	answer(w, q, found)
}

// market returns a round as the metadata API answers a market: with its event in it.
func (s *Server) market(slug string, now time.Time) json.RawMessage {
	var event map[string]json.RawMessage
	var list []map[string]json.RawMessage
	_ = json.Unmarshal(s.Listing(slug, now), &event) // our own
	_ = json.Unmarshal(event["markets"], &list)
	delete(event, "markets")
	market := list[0]
	raw, _ := json.Marshal([]any{event}) // can be written
	market["events"] = raw
	raw, _ = json.Marshal(market)
	return raw
}
