package telonex

import (
	"context"
	"strconv"

	"github.com/ladderback/ladderback/archive/ingest/rows"
	"github.com/ladderback/ladderback/archive/ingest/scalar"
	"github.com/ladderback/ladderback/archive/ingest/stream"
	"github.com/ladderback/ladderback/market"
)

// NeedsMarkets returns the columns that identify the list of markets.
func NeedsMarkets() []rows.Want {
	return append(rows.Needs("market_id slug question outcome_0 outcome_1 asset_id_0 asset_id_1 status result_id", rows.Text),
		rows.Needs("start_date_us end_date_us", rows.Integer, rows.Time)...)
}

// The columns that are read, in the order of marketColumns.
const (
	colID = iota
	colSlug
	colQuestion
	colOutcome
	_
	colAsset
	_
	colStatus
	colResult
	colEnd
)

var marketColumns = []string{
	"market_id", "slug", "question", "outcome_0", "outcome_1", "asset_id_0", "asset_id_1", "status", "result_id", "end_date_us",
}

// ImportMarkets reads the list of markets to its end and returns how many rows it
// held. Markets that are no up/down rounds are rejected: the list is of all that the
// exchange has.
func ImportMarkets(ctx context.Context, p *rows.Parquet, to rows.MarketSink) (n int64, err error) {
	t, err := p.Read(marketColumns...)
	if err != nil {
		return 0, err
	}
	return rows.Markets(ctx, t, to, colSlug, listed)
}

const (
	reasonCategory = stream.Reason("neither crypto nor sports")
	reasonResult   = stream.Reason("outcome not understood")
)

// listed is the market of a row. When a round starts, its slug says; the row's
// start_date_us is when it was listed.
func listed(t rows.Table) (m market.Market, reason stream.Reason) {
	m = market.Market{
		Venue: market.Polymarket, VenueID: string(t.Text(colID)), Slug: string(t.Text(colSlug)), Question: string(t.Text(colQuestion)), Mirrored: true,
	}
	if !scalar.ID(t.Text(colID)) || !scalar.ID(t.Text(colSlug)) {
		return m, stream.BadID
	}
	if _, ok := market.ParseRoundSlug(m.Slug); !ok {
		return m, reasonCategory
	}
	if !t.Null(colEnd) {
		if m.End, reason = t.Time(colEnd); reason != stream.OK {
			return m, reason
		}
	}
	for i := range 2 {
		id, label := t.Text(colAsset+i), string(t.Text(colOutcome+i))
		if !scalar.ID(id) {
			return m, stream.BadID
		}
		if label == "" || len(label) > scalar.MaxID {
			return m, stream.BadOutcome
		}
		m.Tokens = append(m.Tokens, market.Token{VenueID: string(id), Label: label, Outcome: stream.OutcomeOf(label)})
	}
	return m, result(&m, t)
}

// result sets who won.
func result(m *market.Market, t rows.Table) stream.Reason {
	won := string(t.Text(colResult))
	if string(t.Text(colStatus)) != "resolved" || won == "" {
		return stream.OK
	}
	p := market.Payout{Basis: market.Official, Fractions: make([]market.Cash, len(m.Tokens))}
	for i, token := range m.Tokens {
		if won == token.VenueID || won == token.Label || won == strconv.Itoa(i) {
			p.Fractions[i] = market.CashOne
			m.Payout = &p
			return stream.OK
		}
	}
	return reasonResult
}
