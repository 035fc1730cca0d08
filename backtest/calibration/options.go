package calibration

import (
	"fmt"
	"slices"

	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

// Options say which rounds are looked at, and how finely.
type Options struct {
	Coin string `json:"coin"`        // upper-case ticker, or strategy.Any
	Type string `json:"market_type"` // "5m", "15m", …
	// From and To bound the end of the rounds: From ≤ end < To. Nil: no bound.
	From *market.Instant `json:"from"`
	To   *market.Instant `json:"to"`
	// Winners is which payouts count.
	Winners replay.Winners `json:"winners"`
	Last    int            `json:"last"`  // so many rounds, the newest, 1 to MaxRounds
	Bands   int            `json:"bands"` // of prices, 1 to MaxBands
	Times   int            `json:"times"` // in a round, likewise
	// HoldOut is that of replay.Options.
	HoldOut *replay.HoldOut `json:"hold_out,omitempty"`
}

// Bounds of Options.
const (
	MaxRounds = 10_000
	MaxBands  = 20
)

// DefaultOptions returns the options used where none are given: they lack a
// coin and a length.
func DefaultOptions() Options {
	return Options{Winners: replay.WinnersOfficial, Last: 1000, Bands: 5, Times: 5}
}

// Validate returns an error with code bad_request for options out of range.
func (o *Options) Validate() error {
	bad := func(field string, value any, want string) error {
		return market.Errorf(market.CodeBadRequest, "%s: %v: expected %s", field, value, want)
	}
	_, _, length := market.ParseLength(o.Type)
	d := replay.DefaultOptions()
	d.From, d.To, d.Winners = o.From, o.To, o.Winners
	switch {
	case o.Coin != strategy.Any && !strategy.KnownCoin(o.Coin):
		return bad("coin", o.Coin, "a ticker such as BTC, or any")
	case !length:
		return bad("market_type", o.Type, "the length of a round, such as 15m")
	case o.Last < 1 || o.Last > MaxRounds:
		return bad("last", o.Last, fmt.Sprintf("1 to %d", MaxRounds))
	case o.Bands < 1 || o.Bands > MaxBands:
		return bad("bands", o.Bands, fmt.Sprintf("1 to %d", MaxBands))
	case o.Times < 1 || o.Times > MaxBands:
		return bad("times", o.Times, fmt.Sprintf("1 to %d", MaxBands))
	}
	return d.Validate()
}

// OffFor returns the cells that are surely off, those furthest from their outcomes first.
func (f *Facts) OffFor() []Place {
	var out []Place
	for _, t := range f.Times {
		for _, cell := range t.Cells {
			if cell.Sure {
				out = append(out, Place{t, cell})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Place) int { return int(b.Cell.Gap.Abs() - a.Cell.Gap.Abs()) })
	return out
}

// Place is a cell and its time.
type Place struct {
	Time Time
	Cell Cell
}
