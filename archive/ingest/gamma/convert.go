package gamma

import (
	"slices"
	"strings"

	"github.com/ladderback/ladderback/archive/ingest/stream"
	"github.com/ladderback/ladderback/market"
)

// Reasons for not taking an object.
const (
	reasonJSON       = "not valid JSON"
	reasonMember     = "member not understood"
	reasonShape      = "neither market nor event"
	reasonTooLong    = "object too long"
	reasonNoName     = "no market named"
	reasonID         = "id not understood"
	reasonNoTokens   = "market without tokens"
	reasonOutcomes   = "tokens and outcomes do not match"
	reasonSameTokens = "two tokens have one id"
	reasonPrices     = "prices and outcomes do not match"
	reasonTime       = "time not understood"
	reasonEnd        = "end not after start"
	reasonTick       = "tick size not understood"
	reasonMinSize    = "minimum size not understood"
	reasonFees       = "fee schedule not understood"
)

// ReasonCategory is the reason for not taking a market that was understood, and
// is of no category that an archive holds.
const ReasonCategory = "neither crypto nor sports"

// listing is a market with the event and the series it came in; their zero
// values mean none.
type listing struct {
	market market.Market
	event  market.Event
	series market.Series
}

// convert returns what a market object says, or why it cannot be taken. The
// event e, where it is not nil, is the one the object was found in.
func convert(o *marketObject, e *groupEvent) (l listing, reason string) {
	if e == nil && len(o.Events) > 0 {
		e = &o.Events[0]
	}
	m := &l.market
	*m = market.Market{
		Venue: market.Polymarket, VenueID: string(o.ConditionID), AltID: string(o.ID), Slug: string(o.Slug),
		Question: string(o.Question), Description: string(o.Description), Closed: o.Closed,
	}
	if m.VenueID == "" && m.Slug == "" {
		return l, reasonNoName
	}
	for _, id := range append([]string{m.VenueID, m.AltID, m.Slug}, o.TokenIDs...) {
		if !stream.ValidID(id) {
			return l, reasonID
		}
	}
	if e != nil {
		if l.series, reason = convertSeries(e, o.SeriesSlug); reason != "" {
			return l, reason
		}
		if l.event, reason = convertEvent(e); reason != "" {
			return l, reason
		}
		l.event.SeriesID = l.series.VenueID
		m.EventID, m.SeriesID = l.event.VenueID, l.series.VenueID
	}
	isRound := isRound(m.Slug, l.series.Slug)
	l.categorise(o, isRound)
	if m.Category == "" {
		return l, ReasonCategory
	}
	for _, step := range []func(*marketObject, *market.Market) string{tokens, payout, terms} {
		if reason = step(o, m); reason != "" {
			return l, reason
		}
	}
	return l, times(o, m, isRound)
}

// isRound reports whether the slugs are those of an up/down round.
func isRound(slug, series string) bool {
	if _, ok := market.ParseRoundSlug(slug); ok {
		return true
	}
	_, _, ok := market.ParseSeriesSlug(series)
	return ok
}

// categorise sets tags and category of everything in l: crypto for up/down
// rounds and what is tagged crypto, sports for what is tagged sports. Gamma's
// markets name their event and series without tags: those then have the market's
// (a series that is not one of rounds only its category, since its markets differ).
func (l *listing) categorise(o *marketObject, isRound bool) {
	m := &l.market
	m.Tags = mergeTags(tagNames(o.Tags, o.Category), l.event.Tags)
	switch {
	case isRound || slices.Contains(m.Tags, string(market.Crypto)):
		m.Category = market.Crypto
	case slices.Contains(m.Tags, string(market.Sports)):
		m.Category = market.Sports
	}
	l.event.Category, l.series.Category = m.Category, m.Category
	if len(l.event.Tags) == 0 {
		l.event.Tags = m.Tags
	}
	switch {
	case len(l.series.Tags) > 0:
	case isRound:
		l.series.Tags = m.Tags
	case m.Category != "":
		l.series.Tags = []string{string(m.Category)}
	}
}

// tagNames returns the slugs of tags, and the category that old markets have
// in place of tags, sorted and in lower case.
func tagNames(tags []tagObject, category text) []string {
	var names []string
	for _, t := range tags {
		name := t.Slug
		if name == "" {
			name = t.Label
		}
		names = append(names, string(name))
	}
	return mergeTags(names, []string{string(category)})
}

// mergeTags returns the tags of both lists in lower case, sorted, each once.
func mergeTags(a, b []string) []string {
	var all []string
	for _, t := range append(slices.Clone(a), b...) {
		if t = strings.ToLower(strings.TrimSpace(t)); t != "" {
			all = append(all, t)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func convertEvent(e *groupEvent) (out market.Event, reason string) {
	out = market.Event{
		Venue: market.Polymarket, VenueID: string(e.ID), Slug: string(e.Slug), Title: string(e.Title),
		Tags: tagNames(e.Tags, e.Category),
	}
	if out.VenueID == "" {
		out.VenueID = out.Slug
	}
	if !stream.ValidID(out.VenueID) || !stream.ValidID(out.Slug) {
		return out, reasonID
	}
	var ok [3]bool
	out.Start, ok[0] = parseTime(e.StartTime)
	out.End, ok[1] = parseTime(e.EndDate)
	out.UpdatedAt, ok[2] = parseTime(e.UpdatedAt)
	if ok != [3]bool{true, true, true} {
		return out, reasonTime
	}
	return out, ""
}

// convertSeries returns the series of an event: the first that it names.
func convertSeries(e *groupEvent, slug text) (out market.Series, reason string) {
	var s seriesObject
	switch {
	case len(e.Series) > 0:
		s = e.Series[0]
	case e.SeriesSlug != "":
		s.Slug = e.SeriesSlug
	default:
		s.Slug = slug
	}
	if s.Slug == "" && s.ID == "" {
		return market.Series{}, ""
	}
	out = market.Series{
		Venue: market.Polymarket, VenueID: string(s.ID), Slug: string(s.Slug), Title: string(s.Title),
		Recurrence: recurrence(string(s.Recurrence)), Tags: tagNames(s.Tags, ""),
	}
	if out.VenueID == "" {
		out.VenueID = out.Slug
	}
	if !stream.ValidID(out.VenueID) || !stream.ValidID(out.Slug) {
		return out, reasonID
	}
	var ok bool
	if out.UpdatedAt, ok = parseTime(s.UpdatedAt); !ok {
		return out, reasonTime
	}
	return out, ""
}

// recurrence writes Gamma's words for lengths as the archive does.
func recurrence(s string) string {
	switch s = strings.ToLower(s); s {
	case "hourly":
		return "1h"
	case "daily":
		return "1d"
	case "weekly":
		return "1w"
	}
	return s
}

// tokens sets the tokens, in the order in which the exchange lists them.
func tokens(o *marketObject, m *market.Market) string {
	n := max(len(o.Outcomes), len(o.TokenIDs))
	switch {
	case n == 0:
		return reasonNoTokens
	case len(o.Outcomes) > 0 && len(o.TokenIDs) > 0 && len(o.Outcomes) != len(o.TokenIDs):
		return reasonOutcomes
	}
	for i := range n {
		t := token(o, i)
		if t.VenueID == "" && t.Label == "" {
			return reasonNoTokens
		}
		if slices.ContainsFunc(m.Tokens, func(u market.Token) bool { return sameToken(t, u) }) {
			return reasonSameTokens
		}
		m.Tokens = append(m.Tokens, t)
	}
	m.Mirrored = n == 2
	return ""
}

// token returns the token at i of the lists, of which one may be empty.
func token(o *marketObject, i int) market.Token {
	var t market.Token
	if len(o.TokenIDs) > 0 {
		t.VenueID = o.TokenIDs[i]
	}
	if len(o.Outcomes) > 0 {
		t.Label = strings.TrimSpace(o.Outcomes[i])
	}
	switch {
	case strings.EqualFold(t.Label, "up"):
		t.Outcome = market.Up
	case strings.EqualFold(t.Label, "down"):
		t.Outcome = market.Down
	}
	return t
}

// sameToken reports whether t is u by its id or, without one, by its label.
func sameToken(t, u market.Token) bool {
	return t.VenueID != "" && u.VenueID == t.VenueID || t.VenueID == "" && strings.EqualFold(u.Label, t.Label)
}

// payout sets the official payout of a market that is closed and resolved.
func payout(o *marketObject, m *market.Market) string {
	if len(o.OutcomePrices) == 0 {
		return ""
	}
	if len(o.OutcomePrices) != len(m.Tokens) {
		return reasonPrices
	}
	if !o.Closed || o.UMAStatus != "" && !strings.EqualFold(string(o.UMAStatus), "resolved") {
		return ""
	}
	p := market.Payout{Basis: market.Official}
	ones, zeros := 0, 0
	for _, price := range o.OutcomePrices {
		v, err := market.ParseCash(price)
		if err != nil {
			return "" // a price of a trade, too fine to be a payout
		}
		switch v {
		case market.CashOne:
			ones++
		case 0:
			zeros++
		}
		p.Fractions = append(p.Fractions, v)
	}
	n := len(p.Fractions)
	switch {
	case ones == 1 && zeros == n-1:
	case isVoid(p.Fractions) && (o.UMAStatus != "" || o.ClosedTime != ""):
		// Equal shares are also where prices begin, hence the second sign.
	default:
		return ""
	}
	m.Payout = &p
	return ""
}

// isVoid reports whether each token pays the same share of 1 USD.
func isVoid(fractions []market.Cash) bool {
	for _, f := range fractions {
		if f != fractions[0] || f*market.Cash(len(fractions)) != market.CashOne {
			return false
		}
	}
	return true
}

// terms sets tick, minimum size and fees.
func terms(o *marketObject, m *market.Market) string {
	var err error
	if o.TickSize != "" {
		if m.Tick, err = market.ParsePrice(string(o.TickSize)); err != nil || m.Tick == 0 {
			return reasonTick
		}
	}
	if o.MinSize != "" {
		if m.MinSize, err = market.ParseSize(string(o.MinSize)); err != nil {
			return reasonMinSize
		}
	}
	if o.FeeSchedule == nil || o.FeeSchedule.Rate == "" {
		return ""
	}
	f := market.FeeSchedule{Exponent: 1, TakerOnly: o.FeeSchedule.TakerOnly == nil || *o.FeeSchedule.TakerOnly}
	if f.Rate, err = market.ParseDecimal(string(o.FeeSchedule.Rate), 6); err != nil || f.Rate < 0 {
		return reasonFees
	}
	if o.FeeSchedule.Exponent != "" {
		e, err := market.ParseDecimal(string(o.FeeSchedule.Exponent), 0)
		if err != nil || e < 0 || e > 8 {
			return reasonFees
		}
		f.Exponent = int(e)
	}
	m.Fees = &f
	return ""
}

// times sets start, end, close and update. startDate is when the market was
// listed: it is the start only of markets that are no rounds and say nothing
// better.
func times(o *marketObject, m *market.Market, isRound bool) string {
	var listed, game market.Instant
	for _, t := range []struct {
		text text
		at   *market.Instant
	}{
		{o.EventStartTime, &m.Start},
		{o.GameStartTime, &game},
		{o.StartDate, &listed},
		{o.EndDate, &m.End},
		{o.ClosedTime, &m.ClosedAt},
		{o.UpdatedAt, &m.UpdatedAt},
	} {
		var ok bool
		if *t.at, ok = parseTime(t.text); !ok {
			return reasonTime
		}
	}
	if m.Start == 0 && !isRound {
		for _, at := range []market.Instant{game, listed} {
			if at != 0 && (m.End == 0 || at < m.End) {
				m.Start = at
				break
			}
		}
	}
	if m.Start != 0 && m.End != 0 && m.End <= m.Start {
		return reasonEnd
	}
	if !o.Closed {
		m.ClosedAt = 0
	}
	return ""
}
