package fills

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ladderback/ladderback/market"
)

// feeRow is one line of the table of fees. It holds for markets of the venue
// that end at or after start, until a later line that holds for them too.
type feeRow struct {
	venue    market.Venue
	category market.Category // empty: every category
	types    []string        // lengths of up/down rounds; nil: every market
	from     string          // UTC date; empty: always
	start    market.Instant  // of that date
	schedule Schedule
	maker    int64 // the rate that an order pays that rested; 0: none
}

// Where the schedules were published. Dates are those from which markets carry
// the fee.
const (
	polymarketFees = "https://docs.polymarket.com/trading/fees"
	polymarketNews = "https://docs.polymarket.com/changelog"
	kalshiFees     = "https://kalshi.com/docs/kalshi-fee-schedule.pdf"
)

// feeTable is every taker fee that we know, by venue and in order of date. To
// add a line, add its source; results change, so the engine's number goes up.
var feeTable = []feeRow{
	// Polymarket charged nothing at first.
	{venue: market.Polymarket, schedule: Schedule{Source: polymarketFees}},
	// The first fees: shares × p × 0.25 × (p(1−p))², on 15-minute crypto rounds,
	// then on 5-minute rounds, then on all of crypto.
	{
		venue: market.Polymarket, category: market.Crypto, types: []string{"15m"}, from: "2026-01-05",
		schedule: Schedule{Source: polymarketNews, Rate: 250_000, PricePower: 1, Exponent: 2, Rounding: Nearest1e4},
	},
	{
		venue: market.Polymarket, category: market.Crypto, types: []string{"5m"}, from: "2026-02-12",
		schedule: Schedule{Source: polymarketNews, Rate: 250_000, PricePower: 1, Exponent: 2, Rounding: Nearest1e4},
	},
	{
		venue: market.Polymarket, category: market.Crypto, from: "2026-03-06",
		schedule: Schedule{Source: polymarketNews, Rate: 250_000, PricePower: 1, Exponent: 2, Rounding: Nearest1e4},
	},
	// Sports: shares × p × 0.0175 × p(1−p).
	{
		venue: market.Polymarket, category: market.Sports, from: "2026-02-18",
		schedule: Schedule{Source: polymarketNews, Rate: 17_500, PricePower: 1, Exponent: 1, Rounding: Nearest1e4},
	},
	// Since 30 March 2026: shares × rate × p(1−p), cut to 1e-5 USD.
	{
		venue: market.Polymarket, category: market.Crypto, from: "2026-03-30",
		schedule: Schedule{Source: polymarketFees, Rate: 70_000, Exponent: 1, Rounding: Down1e5},
	},
	{
		venue: market.Polymarket, category: market.Sports, from: "2026-03-30",
		schedule: Schedule{Source: polymarketFees, Rate: 30_000, Exponent: 1, Rounding: Down1e5},
	},
	{
		venue: market.Polymarket, category: market.Sports, from: "2026-07-10",
		schedule: Schedule{Source: polymarketFees, Rate: 50_000, Exponent: 1, Rounding: Down1e5},
	},
	// Kalshi: 0.07 × contracts × p(1−p), rounded up to the cent; makers a quarter of it.
	{
		venue:    market.Kalshi,
		schedule: Schedule{Source: kalshiFees, Rate: 70_000, Exponent: 1, Rounding: UpCent},
		maker:    17_500,
	},
}

// feeRows are the lines of the table with what follows from what they say.
var feeRows = sync.OnceValue(func() []feeRow {
	out := slices.Clone(feeTable)
	for i := range out {
		r := &out[i]
		r.start = market.Earliest
		if r.from != "" {
			t, err := time.Parse(time.DateOnly, r.from)
			if err != nil {
				panic("fills: table of fees: " + err.Error())
			}
			r.start = market.InstantOf(t)
		}
		r.schedule.Known, r.schedule.Name = true, r.name()
	}
	return out
})

// venueSchedule returns what takers pay by the last line of the table that holds for m.
func venueSchedule(m *market.Market) Schedule {
	if row := rowOf(m); row != nil {
		return row.schedule
	}
	return Schedule{Name: "none known for " + string(venueOf(m))}
}

// rowOf returns the last line of the table that holds for m; nil: there is none.
func rowOf(m *market.Market) *feeRow {
	venue, rows := venueOf(m), feeRows()
	for i := len(rows) - 1; i >= 0; i-- {
		row := &rows[i]
		if row.venue == venue && (row.category == "" || row.category == m.Category) &&
			(row.types == nil || slices.Contains(row.types, m.Type)) && m.End >= row.start {
			return row
		}
	}
	return nil
}

// venueOf returns the venue whose rules hold for m.
func venueOf(m *market.Market) market.Venue {
	if m.Venue == market.Simulated {
		return market.Polymarket // simulated rounds follow its rules
	}
	return m.Venue
}

// name names the line in reports.
func (r *feeRow) name() string {
	n := strings.Join(append([]string{string(r.venue)}, r.types...), " ")
	if r.category != "" {
		n += " " + string(r.category)
	}
	if r.from != "" {
		return n + " from " + r.from
	}
	return n
}
