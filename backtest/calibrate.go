package backtest

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/ladderback/ladderback/backtest/calibration"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

// CalibrationOptions say which rounds are looked at, and how finely.
type CalibrationOptions struct {
	Coin string `json:"coin"`        // upper-case ticker, or strategy.Any
	Type string `json:"market_type"` // "5m", "15m", …
	// From and To bound the end of the rounds: From ≤ end < To. Nil: no bound.
	From *market.Instant `json:"from"`
	To   *market.Instant `json:"to"`
	// Winners is which payouts count.
	Winners replay.Winners `json:"winners"`
	Last    int            `json:"last"`  // so many rounds, the newest, 1 to MaxCalibrated
	Bands   int            `json:"bands"` // of prices, 1 to MaxCalibrationBands
	Times   int            `json:"times"` // in a round, likewise
	// HoldOut is that of replay.Options.
	HoldOut *replay.HoldOut `json:"hold_out,omitempty"`
}

// Bounds of CalibrationOptions.
const (
	MaxCalibrated       = 10_000
	MaxCalibrationBands = 20
)

// DefaultCalibrationOptions returns the options used where none are given: they lack a
// coin and a length.
func DefaultCalibrationOptions() CalibrationOptions {
	return CalibrationOptions{Winners: replay.WinnersOfficial, Last: 1000, Bands: 5, Times: 5}
}

// Validate returns an error with code bad_request for options out of range.
func (o *CalibrationOptions) Validate() error {
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
	case o.Last < 1 || o.Last > MaxCalibrated:
		return bad("last", o.Last, fmt.Sprintf("1 to %d", MaxCalibrated))
	case o.Bands < 1 || o.Bands > MaxCalibrationBands:
		return bad("bands", o.Bands, fmt.Sprintf("1 to %d", MaxCalibrationBands))
	case o.Times < 1 || o.Times > MaxCalibrationBands:
		return bad("times", o.Times, fmt.Sprintf("1 to %d", MaxCalibrationBands))
	}
	return d.Validate()
}

// Facts of a calibration, for those who render them.
type (
	CalibrationCell    = calibration.Cell
	CalibrationTime    = calibration.Time
	CalibrationScores  = calibration.Scores
	CalibrationVerdict = calibration.Verdict
)

// Verdicts of a calibration.
const (
	CalibrationNotEnough = calibration.NotEnough
	Calibrated           = calibration.Calibrated
	CalibrationOff       = calibration.Off
)

// Calibration holds the price of the token Up against what it paid: of every round sampled,
// whether or not a strategy would trade in it, at equally spaced times.
type Calibration struct {
	Options    CalibrationOptions `json:"options"`
	Universe   int                `json:"universe"` // as those of replay.Funnel
	Resolved   int                `json:"resolved"`
	Captured   int                `json:"captured"`
	Sampled    int                `json:"sampled"`
	FirstRound *Time              `json:"first_round"` // start of the first
	LastRound  *Time              `json:"last_round"`  // end of the last
	// LeftOut counts the looks that found no price to go by.
	LeftOut LeftOut `json:"left_out"`
	calibration.Facts
	Warnings []Warning `json:"warnings"` // never nil
	// Available says what the archive has when nothing was found; else it is left out.
	Available []Holding `json:"available,omitempty"`
}

// LeftOut counts looks at which an order could not have gone by the price.
type LeftOut struct {
	NoPrice int `json:"no_price"` // nothing had been captured by then
	Gap     int `json:"gap"`      // within a gap that the source declares
	Stale   int `json:"stale"`    // a ladder of which nothing had been captured for 30 s
}

// seen is what a look found.
type seen uint8

const (
	unseen seen = iota // of the zero value: nothing was known
	inGap
	stale
	good
)

// Calibrate looks at rounds of a coin and length that src holds. The price at a time is that
// of the last capture at or before it. The result is the same on any number of workers.
func Calibrate(ctx context.Context, src replay.Source, o CalibrationOptions, p replay.Parallel) (*Calibration, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	o.Type, _, _ = market.ParseLength(o.Type) // in its usual form
	d := market.RoundDraw{RoundFilter: market.RoundFilter{Coin: o.Coin, Type: o.Type}, Inferred: o.Winners == replay.WinnersInferred, Limit: o.Last}
	if d.Coin == strategy.Any {
		d.Coin = ""
	}
	if o.From != nil {
		d.From = *o.From
	}
	if o.To != nil {
		d.To = *o.To
	}
	if err := o.HoldOut.Bound(&d.RoundFilter); err != nil {
		return nil, err
	}
	sample, err := replay.DrawRounds(ctx, src, d)
	if err != nil {
		return nil, err
	}
	looks := make([]calibration.Observation, len(sample.Rounds)*o.Times)
	found := make([]seen, len(looks))
	if err := sample.Follow(ctx, src, p, nil, func(i int, x *replay.Series) error {
		m := sample.Rounds[i].Market
		up := m.TokenIndex(market.Up)
		if up < 0 {
			return nil
		}
		for k, at := range calibration.At(m, o.Times) {
			n := i*o.Times + k
			looks[n] = calibration.Observation{End: m.End, Time: k, Price: x.Mid(up, at), Paid: m.Payout.Fractions[up]}
			s, err := lookAt(x, up, at, looks[n].Price)
			if err != nil {
				return err
			}
			found[n] = s
		}
		return nil
	}); err != nil {
		return nil, err
	}
	return calibrationOf(ctx, src, sample, o, looks, found)
}

// lookAt says what there is to go by at an instant.
func lookAt(x *replay.Series, token int, at market.Instant, price market.Mid) (seen, error) {
	switch {
	case price == market.NoMid:
		return unseen, nil
	case x.InGap(token, at):
		return inGap, nil
	}
	fresh, err := x.Fresh(at)
	if err != nil || !fresh {
		return stale, err
	}
	return good, nil
}

func calibrationOf(ctx context.Context, src replay.Source, sample *replay.Sample, o CalibrationOptions, looks []calibration.Observation, found []seen) (*Calibration, error) {
	f := sample.Funnel
	out := &Calibration{Options: o, Universe: f.Universe, Resolved: f.Resolved, Captured: f.Captured, Sampled: f.Sampled, Warnings: []Warning{}}
	res := &replay.Result{Options: replay.DefaultOptions(), Inferred: sample.Inferred}
	for i := range sample.Rounds {
		m := sample.Rounds[i].Market
		if out.FirstRound == nil || m.Start < *out.FirstRound {
			out.FirstRound = new(m.Start)
		}
		if out.LastRound == nil || m.End > *out.LastRound {
			out.LastRound = new(m.End)
		}
		res.Markets = append(res.Markets, replay.MarketResult{Round: sample.Rounds[i]})
	}
	kept := make([]calibration.Observation, 0, len(looks))
	for n, s := range found {
		switch s {
		case unseen:
			out.LeftOut.NoPrice++
		case inGap:
			out.LeftOut.Gap++
		case stale:
			out.LeftOut.Stale++
		case good:
			kept = append(kept, looks[n])
		}
	}
	_, length, _ := market.ParseLength(o.Type)
	out.Facts = calibration.Of(kept, length, o.Bands, o.Times)
	for _, w := range []Warning{{InferredWinners, inferredWinners(res)}, {SimulatedData, simulated(res)}} {
		if w.Message != "" {
			out.Warnings = append(out.Warnings, w)
		}
	}
	var err error
	if len(sample.Rounds) == 0 {
		out.Available, err = Available(ctx, src)
	}
	return out, err
}

// WriteJSON writes c as one line of JSON, ended by a line feed.
func (c *Calibration) WriteJSON(w io.Writer) error {
	if err := writeLine(w, c); err != nil {
		return fmt.Errorf("write calibration: %w", err)
	}
	return nil
}

// OffFor returns the cells that are surely off, those furthest from their outcomes first.
func (c *Calibration) OffFor() []CalibrationPlace {
	var out []CalibrationPlace
	for _, t := range c.Times {
		for _, cell := range t.Cells {
			if cell.Sure {
				out = append(out, CalibrationPlace{t, cell})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b CalibrationPlace) int { return int(b.Cell.Gap.Abs() - a.Cell.Gap.Abs()) })
	return out
}

// CalibrationPlace is a cell and its time.
type CalibrationPlace struct {
	Time CalibrationTime
	Cell CalibrationCell
}
