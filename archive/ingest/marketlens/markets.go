package marketlens

import (
	"context"
	"io"
	"path"
	"strings"

	"github.com/ladderback/ladderback/archive/ingest/rows"
	"github.com/ladderback/ladderback/archive/ingest/scalar"
	"github.com/ladderback/ladderback/archive/ingest/stream"
	"github.com/ladderback/ladderback/market"
)

// Columns of markets.csv, by their place among those read.
const (
	atCondition = iota
	atFile
	atSeries
	atEventSlug
	atQuestion
	atOutcomes
	atWinner
	atOpen
	atClose
	atResolved
	atMarket
)

// NeedsMarkets returns the columns that identify markets.csv.
func NeedsMarkets() []rows.Want {
	return rows.Needs("condition_id file series event question outcomes winning_outcome open_time close_time resolved_at market_id", rows.Text)
}

// ImportMarkets reads markets.csv to its end and puts what it says into to.
func ImportMarkets(ctx context.Context, r io.Reader, to rows.MarketSink) (n int64, err error) {
	f, err := rows.OpenCSV(r)
	if err != nil {
		return 0, err
	}
	t, err := f.Read(rows.Names(NeedsMarkets())...)
	if err != nil {
		return 0, err
	}
	return rows.Markets(ctx, t, to, atCondition, marketOf)
}

func marketOf(t rows.Table) (m market.Market, r stream.Reason) {
	id := t.Text(atCondition)
	if !scalar.ID(id) {
		return m, stream.BadID
	}
	m = market.Market{Venue: market.Polymarket, VenueID: string(id), Question: string(t.Text(atQuestion)), Mirrored: true}
	if file := t.Text(atFile); len(file) > 0 {
		m.AltID = path.Base(string(file))
	} else if own := t.Text(atMarket); len(own) > 0 {
		m.AltID = "history-" + string(own) + ".parquet"
	}
	if m.AltID != "" && !scalar.ID([]byte(m.AltID)) {
		return m, BadFile
	}
	if m.Start, r = instant(t, atOpen); r != stream.OK {
		return m, r
	}
	if m.End, r = instant(t, atClose); r != stream.OK {
		return m, r
	}
	labels := strings.Split(string(t.Text(atOutcomes)), "|")
	if len(labels) != 2 {
		return m, stream.BadOutcome
	}
	for _, l := range labels {
		if l = strings.TrimSpace(l); l == "" || len(l) > scalar.MaxID {
			return m, stream.BadOutcome
		}
		m.Tokens = append(m.Tokens, market.Token{Label: l, Outcome: stream.OutcomeOf(l)})
	}
	nameRound(&m, t)
	return m, payout(&m, t)
}

// instant reads a time; none is zero.
func instant(t rows.Table, at int) (market.Instant, stream.Reason) {
	if t.Null(at) {
		return 0, stream.OK
	}
	return t.Time(at)
}

// nameRound sets what tells an up/down round: the slug, where the event is one,
// else coin and length of the series.
func nameRound(m *market.Market, t rows.Table) {
	event, series := string(t.Text(atEventSlug)), string(t.Text(atSeries))
	if _, ok := market.ParseRoundSlug(event); ok {
		m.Slug = event
		m.Start, m.End = 0, 0 // the slug says them
		return
	}
	coin, typ, ok := market.ParseSeriesSlug(series)
	if !ok || m.End == 0 {
		return
	}
	if _, span, ok := market.ParseLength(typ); ok {
		m.Coin, m.Type, m.Start = coin, typ, m.End-span
	}
}

// payout sets who won: official when the market is said to be resolved.
func payout(m *market.Market, t rows.Table) stream.Reason {
	winner := strings.TrimSpace(string(t.Text(atWinner)))
	resolved, r := instant(t, atResolved)
	if r != stream.OK || winner == "" {
		return r
	}
	m.Payout = &market.Payout{Basis: market.Inferred, Fractions: make([]market.Cash, len(m.Tokens))}
	if resolved != 0 {
		m.Payout.Basis, m.Closed, m.ClosedAt = market.Official, true, resolved
	}
	for i, k := range m.Tokens {
		if strings.EqualFold(k.Label, winner) {
			m.Payout.Fractions[i] = market.CashOne
			return stream.OK
		}
	}
	return stream.WinnerNotAToken
}
