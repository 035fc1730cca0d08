package postgres

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// upsert returns the statement that puts a row of the columns, in their order,
// replacing the row of the same key, which is the first keys of them.
func upsert(table string, keys int, columns string) string {
	list := strings.Fields(columns)
	values := make([]string, len(list))
	var set []string
	for i, c := range list {
		values[i] = fmt.Sprintf("$%d", i+1)
		if i >= keys {
			set = append(set, c+" = excluded."+c)
		}
	}
	return fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s) ON CONFLICT (%s) DO UPDATE SET %s", table,
		strings.Join(list, ", "), strings.Join(values, ", "), strings.Join(list[:keys], ", "), strings.Join(set, ", "))
}

var (
	upsertSource = upsert("sources", 1, `id sha256 name size format authority licence imported_at complete problem
		messages rejected markets captures duplicates changes blocks bytes removed sum`)
	upsertPart   = upsert("parts", 4, `owner source token kind whole blocks captures changes bytes first last span refs sum`)
	upsertSeries = upsert("series", 1, `id venue venue_id slug title recurrence category tags
		source_updated_at updated_at markets search`)
)

// What many rows come into at once.
var (
	claimsIn  = columnsOf("claims", `kind owner source doc`)
	marketsIn = columnsOf("markets", `id venue venue_id alt_id slug question description category
		event series event_id series_id tags coin type start_at end_at
		source_closed source_closed_at source_updated_at mirrored tick min_size
		status closed_at updated_at undated disputed owners
		captures first last captured coverage silence pair_lag trades_once content basis
		payout fractions fee_rate fee_exponent taker_only tokens labels outcomes derived places token_ids search keys standing sum`)
	eventsIn = columnsOf("events", `id venue venue_id slug title series series_id category tags
		start_at end_at source_updated_at updated_at status markets search keys`)
)

// putMarkets puts rows in place of those that are replaced. They come in the order of their
// times: to the indexes for lists, which are in it, that is far less work.
func (b *batch) putMarkets(rows []*store.MarketRow, replaced []int64, tags map[tagUse]int64) {
	if len(rows) == 0 {
		return
	}
	if len(replaced) > 0 {
		b.dropMarkets(replaced)
	}
	slices.SortStableFunc(rows, func(x, y *store.MarketRow) int {
		return cmp.Or(cmp.Compare(x.UpdatedAt, y.UpdatedAt), cmp.Compare(x.Market.End, y.Market.End))
	})
	pieces := map[piece]bool{}
	for _, row := range rows {
		m, s := &row.Market, &row.Stats
		search := searchText(m.Question, m.Slug)
		for p := range piecesOf(search) {
			pieces[p] = true
		}
		b.putGaps(row)
		k := tokensOf(row)
		var payout *string
		var fractions []int64
		if p := m.Payout; p != nil {
			payout, fractions = (*string)(&p.Basis), numbers(p.Fractions)
		}
		var rate, exponent *int64
		var taker *bool
		if f := m.Fees; f != nil {
			e := int64(f.Exponent)
			rate, exponent, taker = &f.Rate, &e, &f.TakerOnly
		}
		b.copy(marketsIn, int64(row.ID), keep(string(m.Venue)), keep(m.VenueID), keep(m.AltID), keep(m.Slug),
			keep(m.Question), keep(m.Description), keep(string(m.Category)),
			int64(row.Event), int64(row.Series), keep(m.EventID), keep(m.SeriesID), keepAll(m.Tags), keep(m.Coin), keep(m.Type), int64(m.Start), int64(m.End),
			m.Closed, int64(m.ClosedAt), int64(m.UpdatedAt), m.Mirrored, int64(m.Tick), int64(m.MinSize),
			int16(row.Status), int64(row.ClosedAt), int64(row.UpdatedAt), row.Undated, row.Disputed, numbers(row.Owners),
			s.Captures, int64(s.First), int64(s.Last), s.Captured, s.Coverage, int64(s.Silence), int64(s.PairLag), s.TradesOnce, s.Content[:], row.Basis[:],
			payout, fractions, rate, exponent, taker, k.ids, k.labels, k.outcomes, k.derived, k.places, k.hashes, search, listKeys(m.Tags, m.Category, row.Series, row.Status), int64(store.StandingOf(row)), row.Sum())
		countTags(tags, m.Category, m.Tags)
	}
	b.putPieces(store.MarketClaim, pieces)
}

func (b *batch) putGaps(row *store.MarketRow) {
	for _, g := range row.Gaps {
		b.add("market "+row.Market.VenueID, `INSERT INTO gaps (market_id, token, from_at, to_at) VALUES ($1, $2, $3, $4)
			ON CONFLICT (market_id, token, from_at) DO UPDATE SET to_at = excluded.to_at`, int64(row.ID), int16(g.Token), int64(g.From), int64(g.To))
	}
}

// tokens are a market's tokens as columns of its row hold them.
type tokens struct {
	ids, labels []string
	outcomes    []int16
	derived     []bool
	places      []int64
	hashes      []int64
}

func tokensOf(row *store.MarketRow) tokens {
	n := len(row.Market.Tokens)
	out := tokens{make([]string, n), make([]string, n), make([]int16, n), make([]bool, n), []int64{}, make([]int64, n)}
	for i, t := range row.Market.Tokens {
		out.ids[i], out.labels[i], out.outcomes[i], out.derived[i] = keep(t.VenueID), keep(t.Label), int16(t.Outcome), t.Derived
		out.hashes[i] = tokenHash(t.VenueID)
		if i < len(row.Keys) {
			for _, key := range row.Keys[i] {
				out.places = append(out.places, int64(i), int64(key))
			}
		}
	}
	return out
}

// tokenBits is how many bits of a hash tokens are found by: with 2^18 numbers the index is a third
// of what it is with one for each token, and a day touches far fewer of its pages.
const tokenBits = 18

// tokenHash is what a token is found by, with some others.
func tokenHash(venueID string) int64 { return int64(store.TokenID("", venueID)) & (1<<tokenBits - 1) }

// putVenues notes which venues rows are of.
func (b *batch) putVenues(c *store.Changes) {
	seen := map[market.Venue]bool{}
	for i := range c.Markets {
		seen[c.Markets[i].Market.Venue] = true
	}
	for i := range c.Events {
		seen[c.Events[i].Event.Venue] = true
	}
	for _, v := range slices.Sorted(maps.Keys(seen)) {
		b.add("venue", `INSERT INTO venues (name) VALUES ($1) ON CONFLICT DO NOTHING`, keep(string(v)))
	}
}

// putEvents does for events what putMarkets does for markets.
func (b *batch) putEvents(rows []*store.EventRow, replaced []int64, tags map[tagUse]int64) {
	if len(rows) == 0 {
		return
	}
	if len(replaced) > 0 {
		b.add("events", `DELETE FROM events WHERE id = ANY ($1::bigint[])`, replaced)
	}
	slices.SortStableFunc(rows, func(x, y *store.EventRow) int {
		return cmp.Or(cmp.Compare(x.UpdatedAt, y.UpdatedAt), cmp.Compare(x.Event.End, y.Event.End))
	})
	pieces := map[piece]bool{}
	for _, row := range rows {
		e := &row.Event
		search := searchText(e.Title, e.Slug)
		for p := range piecesOf(search) {
			pieces[p] = true
		}
		b.copy(eventsIn, int64(row.ID), keep(string(e.Venue)), keep(e.VenueID), keep(e.Slug), keep(e.Title),
			int64(row.Series), keep(e.SeriesID), keep(string(e.Category)), keepAll(e.Tags),
			int64(e.Start), int64(e.End), int64(e.UpdatedAt), int64(row.UpdatedAt), int16(row.Status), row.Markets, search,
			listKeys(e.Tags, e.Category, row.Series, row.Status))
		countTags(tags, e.Category, e.Tags)
	}
	b.putPieces(store.EventClaim, pieces)
}

func (b *batch) putSeries(rows []*store.SeriesRow, tags map[tagUse]int64) {
	for _, row := range rows {
		s := &row.Series
		b.add("series "+s.VenueID, upsertSeries, int64(row.ID), keep(string(s.Venue)), keep(s.VenueID), keep(s.Slug), keep(s.Title), keep(s.Recurrence),
			keep(string(s.Category)), keepAll(s.Tags),
			int64(s.UpdatedAt), int64(row.UpdatedAt), row.Markets, searchText(s.Title, s.Slug))
		countTags(tags, s.Category, s.Tags)
	}
}
