package backtest

import (
	"context"
	"fmt"
	"io"

	"github.com/ladderback/ladderback/backtest/calibration"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

// CalibrationOptions say which rounds are looked at, and how finely.
type CalibrationOptions = calibration.Options

// Bounds of CalibrationOptions.
const (
	MaxCalibrated       = calibration.MaxRounds
	MaxCalibrationBands = calibration.MaxBands
)

// DefaultCalibrationOptions returns the options used where none are given: they lack a
// coin and a length.
func DefaultCalibrationOptions() CalibrationOptions { return calibration.DefaultOptions() }

// Facts of a calibration, for those who render them.
type (
	CalibrationCell   = calibration.Cell
	CalibrationScores = calibration.Scores
)

// Verdicts of a calibration, beside calibration.Off.
const (
	CalibrationNotEnough = calibration.NotEnough
	Calibrated           = calibration.Calibrated
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
	d := market.RoundDraw{
		RoundFilter: replay.RoundsOf(strategy.MarketSpec{Coin: o.Coin, Type: o.Type}, o.From, o.To),
		Inferred:    o.Winners == replay.WinnersInferred, Limit: o.Last,
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
