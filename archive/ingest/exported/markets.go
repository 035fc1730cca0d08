package exported

import (
	"context"
	"slices"
	"strings"

	"github.com/ladderback/ladderback/archive/ingest/rows"
	"github.com/ladderback/ladderback/archive/ingest/scalar"
	"github.com/ladderback/ladderback/archive/ingest/stream"
	"github.com/ladderback/ladderback/market"
)

// MarketSink receives what is known about markets.
type MarketSink interface {
	Sink
	Series(ctx context.Context, s market.Series) error
	Event(ctx context.Context, e market.Event) error
}

// Kind is a table of what is known about markets.
type Kind uint8

// Kinds of table.
const (
	Markets Kind = iota + 1
	Tokens
	Payouts
	Gaps
	Events
	Series
)

var flag = []rows.Kind{rows.Text, rows.Other}

// Needs returns the columns that identify a table, in the order in which its rows are
// taken in.
func Needs(k Kind) []rows.Want {
	switch k {
	case Markets:
		out := rows.Needs("venue market_id slug alt_id question description category event_id series_id tags coin type", rows.Text)
		out = append(out, rows.Needs("start end source_closed_at source_updated_at", rows.Times...)...)
		out = append(out, rows.Needs("undated source_closed mirrored fee_taker_only", flag...)...)
		out = append(out, rows.Needs("tick min_size fee_rate", rows.Numbers...)...)
		return append(out, rows.Needs("fee_exponent", rows.Text, rows.Integer)...)
	case Tokens:
		out := rows.Needs("venue market_id slug token_id label outcome", rows.Text)
		return append(out, rows.Needs("derived", flag...)...)
	case Payouts:
		out := rows.Needs("venue market_id slug token_id label basis", rows.Text)
		return append(out, rows.Needs("pays", rows.Numbers...)...)
	case Gaps:
		out := rows.Needs("venue market_id slug token_id label", rows.Text)
		return append(out, rows.Needs("gap_from gap_to", rows.Times...)...)
	case Events:
		out := rows.Needs("venue event_id slug title series_id category tags", rows.Text)
		return append(out, rows.Needs("start end updated_at", rows.Times...)...)
	}
	out := rows.Needs("venue series_id slug title recurrence category tags", rows.Text)
	return append(out, rows.Needs("updated_at", rows.Times...)...)
}

// Reasons for rejecting a row.
const (
	reasonBasis   = "outcome not understood"
	reasonNumber  = "number not understood"
	reasonPayouts = "payouts of one market differ in basis"
)

// ImportMarkets reads a table of what is known about markets to the end of t, as
// Captures does. The rows of a market are consecutive.
func ImportMarkets(ctx context.Context, k Kind, t rows.Table, to MarketSink) (int64, error) {
	im := &metadata{t: t, to: to}
	take := map[Kind]func(context.Context) (scalar.Reason, error){
		Markets: im.market, Tokens: im.token, Payouts: im.payout, Gaps: im.gap, Events: im.event, Series: im.series,
	}[k]
	n, err := rows.Each(ctx, t, func() error {
		r, err := take(ctx)
		if err == nil && r != scalar.OK {
			to.Reject(t.Row(), t.Text(1), string(r))
		}
		return err
	})
	if err != nil {
		return n, err
	}
	return n, im.put(ctx)
}

// metadata reads one file.
type metadata struct {
	t  rows.Table
	to MarketSink
	// m is the market whose rows are being read, with the gaps of its tokens by
	// index; nil: none.
	m    *market.Market
	gaps []market.TokenGap
}

func (im *metadata) text(i int) string { return string(im.t.Text(i)) }

// names reads the names that every row begins with, of the market or group.
func (im *metadata) names() scalar.Reason {
	switch {
	case im.text(0) == "":
		return reasonVenue
	case !scalar.ID(im.t.Text(1)), len(im.t.Text(2)) > 0 && !scalar.ID(im.t.Text(2)):
		return scalar.BadID
	}
	return scalar.OK
}

// times reads consecutive columns of times; null is none.
func (im *metadata) times(at int, into ...*market.Instant) scalar.Reason {
	for i, v := range into {
		t, r := im.t.Time(at + i)
		if r != scalar.OK && r != scalar.NoTime {
			return r
		}
		*v = t
	}
	return scalar.OK
}

func (im *metadata) tags(i int) []string {
	if im.t.Null(i) {
		return nil
	}
	return strings.Split(im.text(i), ",")
}

// put puts the market at hand.
func (im *metadata) put(ctx context.Context) error {
	if im.m == nil {
		return nil
	}
	m := im.m
	im.m = nil
	h, err := im.to.Market(ctx, *m)
	if err != nil {
		return err
	}
	for _, g := range im.gaps {
		im.to.Gap(h, im.to.Token(h, m.Tokens[g.Token]), g.Gap)
	}
	im.gaps = im.gaps[:0]
	return im.to.Done(ctx, h)
}

// begin goes to the market of the row.
func (im *metadata) begin(ctx context.Context) (scalar.Reason, error) {
	if r := im.names(); r != scalar.OK {
		return r, nil
	}
	m := named(im.text(0), im.text(1), im.text(2))
	if im.m != nil && im.m.Venue == m.Venue && im.m.VenueID == m.VenueID && im.m.Slug == m.Slug {
		return scalar.OK, nil
	}
	if err := im.put(ctx); err != nil {
		return scalar.OK, err
	}
	im.m = &m
	return scalar.OK, nil
}

func (im *metadata) market(ctx context.Context) (scalar.Reason, error) {
	if r, err := im.begin(ctx); r != scalar.OK || err != nil {
		return r, err
	}
	m := im.m
	m.AltID, m.Question, m.Description, m.Category = im.text(3), im.text(4), im.text(5), market.Category(im.text(6))
	m.EventID, m.SeriesID, m.Tags, m.Coin, m.Type = im.text(7), im.text(8), im.tags(9), im.text(10), im.text(11)
	if r := im.rest(m); r != scalar.OK {
		im.m = nil
		return r, nil
	}
	return scalar.OK, im.put(ctx)
}

// rest reads what is no text of a market.
func (im *metadata) rest(m *market.Market) (r scalar.Reason) {
	if !m.Category.Valid() {
		return reasonCategory
	}
	if r = im.times(12, &m.Start, &m.End, &m.ClosedAt, &m.UpdatedAt); r != scalar.OK {
		return r
	}
	if im.t.Flag(16) { // no source says when it starts or ends
		m.Start, m.End = 0, 0
	}
	m.Closed, m.Mirrored = im.t.Flag(17), im.t.Flag(18)
	if !im.t.Null(20) {
		if m.Tick, r = im.t.Price(20); r != scalar.OK {
			return r
		}
	}
	if !im.t.Null(21) {
		if m.MinSize, r = im.t.Size(21); r != scalar.OK {
			return r
		}
	}
	if im.t.Null(22) {
		return scalar.OK
	}
	rate, r := im.t.Size(22) // of the same scale
	if r != scalar.OK {
		return r
	}
	exponent, ok := im.t.Int(23)
	if !ok || exponent < 0 || exponent > 100 {
		return reasonNumber
	}
	m.Fees = &market.FeeSchedule{Rate: int64(rate), Exponent: int(exponent), TakerOnly: im.t.Flag(19)}
	return scalar.OK
}

// ofToken goes to the market of a row about a token of it.
func (im *metadata) ofToken(ctx context.Context) (scalar.Reason, error) {
	if len(im.t.Text(4)) > maxLabel {
		return scalar.BadID, nil
	}
	return im.begin(ctx)
}

func (im *metadata) token(ctx context.Context) (scalar.Reason, error) {
	t := market.Token{VenueID: im.text(3), Label: im.text(4)}
	switch im.text(5) {
	case market.Up.String():
		t.Outcome = market.Up
	case market.Down.String():
		t.Outcome = market.Down
	}
	if im.t.Flag(6) {
		t.VenueID = ""
	} else if !scalar.ID(im.t.Text(3)) {
		return scalar.BadID, nil
	}
	if t.VenueID == "" && t.Label == "" && t.Outcome == market.OutcomeOther {
		return scalar.BadID, nil
	}
	if r, err := im.ofToken(ctx); r != scalar.OK || err != nil {
		return r, err
	}
	return im.add(t), nil
}

// add adds a token to the market at hand.
func (im *metadata) add(t market.Token) scalar.Reason {
	if len(im.m.Tokens) == maxTokens {
		return stream.TooManyTokens
	}
	im.m.Tokens = append(im.m.Tokens, t)
	return scalar.OK
}

const (
	maxTokens = 64   // of a market
	maxLabel  = 1000 // bytes
)

func (im *metadata) payout(ctx context.Context) (scalar.Reason, error) {
	pays, r := im.t.Size(6) // of the same scale
	if r != scalar.OK || market.Cash(pays) > market.CashOne {
		return reasonBasis, nil
	}
	basis := market.Basis(im.text(5))
	if basis != market.Official && basis != market.Inferred {
		return reasonBasis, nil
	}
	if !scalar.ID(im.t.Text(3)) {
		return scalar.BadID, nil
	}
	if r, err := im.ofToken(ctx); r != scalar.OK || err != nil {
		return r, err
	}
	if im.m.Payout == nil {
		im.m.Payout = &market.Payout{Basis: basis}
	}
	if im.m.Payout.Basis != basis {
		return reasonPayouts, nil
	}
	if r := im.add(tokenOf(im.text(1), im.text(3), im.text(4))); r != scalar.OK {
		return r, nil
	}
	im.m.Payout.Fractions = append(im.m.Payout.Fractions, market.Cash(pays))
	return scalar.OK, nil
}

func (im *metadata) gap(ctx context.Context) (scalar.Reason, error) {
	var g market.Gap
	switch r := im.times(5, &g.From, &g.To); {
	case r != scalar.OK:
		return r, nil
	case g.From == 0, g.To == 0:
		return scalar.NoTime, nil
	case g.From >= g.To:
		return stream.BadGap, nil
	case !scalar.ID(im.t.Text(3)):
		return scalar.BadID, nil
	}
	if r, err := im.ofToken(ctx); r != scalar.OK || err != nil {
		return r, err
	}
	if len(im.gaps) == maxGaps {
		return stream.TooManyGaps, nil
	}
	t := tokenOf(im.text(1), im.text(3), im.text(4))
	at := slices.Index(im.m.Tokens, t)
	if at < 0 {
		at = len(im.m.Tokens)
		if r := im.add(t); r != scalar.OK {
			return r, nil
		}
	}
	im.gaps = append(im.gaps, market.TokenGap{Token: at, Gap: g})
	return scalar.OK, nil
}

// maxGaps bounds the gaps of a market.
const maxGaps = 100_000

func (im *metadata) event(ctx context.Context) (scalar.Reason, error) {
	if r := im.names(); r != scalar.OK {
		return r, nil
	}
	e := market.Event{
		Venue: market.Venue(im.text(0)), VenueID: im.text(1), Slug: im.text(2), Title: im.text(3),
		SeriesID: im.text(4), Category: market.Category(im.text(5)), Tags: im.tags(6),
	}
	if r := im.times(7, &e.Start, &e.End, &e.UpdatedAt); r != scalar.OK {
		return r, nil
	}
	return scalar.OK, im.to.Event(ctx, e)
}

func (im *metadata) series(ctx context.Context) (scalar.Reason, error) {
	if r := im.names(); r != scalar.OK {
		return r, nil
	}
	s := market.Series{
		Venue: market.Venue(im.text(0)), VenueID: im.text(1), Slug: im.text(2), Title: im.text(3),
		Recurrence: im.text(4), Category: market.Category(im.text(5)), Tags: im.tags(6),
	}
	if r := im.times(7, &s.UpdatedAt); r != scalar.OK {
		return r, nil
	}
	return scalar.OK, im.to.Series(ctx, s)
}

// Derived reports whether a table is one that export computes from captures, so
// that it holds nothing to import: bucketed prices, books and metrics, quotes,
// trades.
func Derived(have []rows.Column) bool {
	has := func(names string, kinds ...rows.Kind) bool {
		return len(rows.Missing(have, rows.Needs(names, kinds...))) == 0
	}
	return has("market_id slug", rows.Text) && has("t", rows.Times...) && !has("seq", rows.Text, rows.Integer) &&
		(has("token_id label", rows.Text) || has("liquidity spread volume", rows.Numbers...))
}
