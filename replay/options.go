package replay

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay/queue"
)

// Options control how a strategy is replayed. Start from DefaultOptions: the zero
// value is invalid. Unmarshalling JSON into the defaults keeps them for fields
// that are absent or null.
type Options struct {
	// Sampling chooses which of the qualifying rounds are replayed.
	Sampling Sampling `json:"sampling"`
	// Seed drives random sampling (and the report's resampling). Default 1.
	Seed int64 `json:"seed"`
	// From and To bound the end of the rounds: From ≤ end < To. Nil: no bound.
	From *market.Instant `json:"from"`
	To   *market.Instant `json:"to"`
	// LatencyMS is the order latency in milliseconds, ≥ 0. Default 250.
	LatencyMS int64 `json:"latency_ms"`
	// MaxSlippage bounds what an entry pays above the best ask at its signal.
	MaxSlippage Slippage `json:"max_slippage"`
	// StaleMS is the maximum age of the market's last capture when an order arrives.
	StaleMS Stale `json:"stale_ms"`
	// Fees is whether the venue's fee is charged.
	Fees Fees `json:"fees"`
	// Winners is which payouts count.
	Winners Winners `json:"winners"`
	// MinCoverage is the share of a round that must lie within 30 s after a
	// capture for the round to be sampled. Default 0: every round with a capture.
	MinCoverage Share `json:"min_coverage"`
	// Queue is the rule by which resting orders fill; empty: through. It says nothing
	// where nothing rests.
	Queue queue.Rule `json:"queue,omitempty"`
	// HoldOut is the lockbox in force: it bounds what is sampled until it is opened. Nil,
	// and left out: there is none.
	HoldOut *HoldOut `json:"hold_out,omitempty"`
}

// Sampling is a rule for choosing rounds.
type Sampling string

// Samplings: the newest rounds, or those whose seeded hash sorts first.
const (
	Recent Sampling = "recent"
	Random Sampling = "random"
)

// Fees is a rule for charging fees.
type Fees string

// Fees: the market's own schedule or its venue's, or none at all.
const (
	FeesVenue Fees = "venue"
	FeesNone  Fees = "none"
)

// Winners says which payouts count.
type Winners string

// Winners: official payouts only, or also those that a source inferred.
const (
	WinnersOfficial Winners = "official"
	WinnersInferred Winners = "inferred"
)

// Share is a fraction in units of 1e-6, 0 to AllOfIt. Its JSON form is a number
// from 0 to 1.
type Share int64

// AllOfIt is the Share 1.
const AllOfIt Share = 1_000_000

// Slippage is a bound in units of 1e-6 USD, at least 0, or NoCap. Its JSON form
// is USD, or "none".
type Slippage int64

// NoCap lets an entry walk up the whole ladder.
const NoCap Slippage = -1

// Stale is an age in milliseconds, or StaleDefault. 0 switches the check off.
// Its JSON form is a whole number; that of StaleDefault is 30000.
type Stale int64

// StaleDefault is 30,000 ms for orders that meet a ladder, and off for those
// that meet a quote or a price. An explicit value, even 30,000, applies to every
// stream.
const StaleDefault Stale = -1

// defaultStaleMS is what StaleDefault means for ladders.
const defaultStaleMS = 30_000

// maxMS bounds times in milliseconds so that instants cannot overflow.
const maxMS = 1_000_000_000_000

// wantMS says what such a time is.
const wantMS = "whole milliseconds, 0 to 1000000000000"

// DefaultOptions returns the default options.
func DefaultOptions() Options {
	return Options{
		Sampling:    Recent,
		Seed:        1,
		LatencyMS:   250,
		MaxSlippage: 50_000,
		StaleMS:     StaleDefault,
		Fees:        FeesVenue,
		Winners:     WinnersOfficial,
	}
}

// OptionError reports an option with an invalid value. Via errors.As it is also a
// *market.Error with code bad_request.
type OptionError struct {
	Field string // JSON name
	Value string
	Want  string
}

func (e *OptionError) Error() string {
	return fmt.Sprintf("option %s: %s: expected %s", e.Field, e.Value, e.Want)
}

// Unwrap returns the equivalent *market.Error.
func (e *OptionError) Unwrap() error { return market.Errorf(market.CodeBadRequest, "%s", e.Error()) }

// Validate returns an *OptionError for the first option, in the order of the
// struct, that is out of range.
func (o Options) Validate() error {
	bad := func(field string, value any, want string) error {
		return &OptionError{Field: field, Value: fmt.Sprint(value), Want: want}
	}
	switch {
	case !oneOf(o.Sampling, Recent, Random):
		return bad("sampling", o.Sampling, `"recent" or "random"`)
	case o.From != nil && o.To != nil && *o.From >= *o.To:
		return bad("to", *o.To, fmt.Sprintf("a time after from (%s)", *o.From))
	case !within(o.LatencyMS, maxMS):
		return bad("latency_ms", o.LatencyMS, wantMS)
	case o.MaxSlippage != NoCap && !within(o.MaxSlippage, Slippage(market.CashOne)):
		return bad("max_slippage", market.Cash(o.MaxSlippage), `0 to 1 USD, or "none"`)
	case o.StaleMS != StaleDefault && !within(o.StaleMS, maxMS):
		return bad("stale_ms", int64(o.StaleMS), wantMS)
	case !oneOf(o.Fees, FeesVenue, FeesNone):
		return bad("fees", o.Fees, `"venue" or "none"`)
	case !oneOf(o.Winners, WinnersOfficial, WinnersInferred):
		return bad("winners", o.Winners, `"official" or "inferred"`)
	case !o.Queue.Valid():
		return bad("queue", o.Queue, `"through", "back" or "front"`)
	case o.MinCoverage < 0 || o.MinCoverage > AllOfIt:
		return bad("min_coverage", market.FormatDecimal(int64(o.MinCoverage), 6), wantShare)
	}
	return nil
}

// wantShare says what a Share is in JSON.
const wantShare = "a number from 0 to 1 with at most 6 decimals"

func oneOf[T comparable](v, a, b T) bool { return v == a || v == b }

// within reports whether 0 ≤ v ≤ high.
func within[T ~int64](v, high T) bool { return v >= 0 && v <= high }

// rule returns the rule by which resting orders fill.
func (o Options) rule() queue.Rule {
	if o.Queue == "" {
		return queue.Through
	}
	return o.Queue
}

// Latency returns LatencyMS as a duration.
func (o Options) Latency() market.Span { return market.Span(o.LatencyMS) * market.Millisecond }

// staleAfter returns the age at which a ladder (or another stream) is stale;
// 0: never.
func (o Options) staleAfter(ladder bool) market.Span {
	switch {
	case o.StaleMS != StaleDefault:
		return market.Span(o.StaleMS) * market.Millisecond
	case ladder:
		return defaultStaleMS * market.Millisecond
	}
	return 0
}

// MarshalJSON writes USD with as many decimals as needed, or "none".
func (s Slippage) MarshalJSON() ([]byte, error) {
	if s == NoCap {
		return []byte(`"none"`), nil
	}
	return []byte(market.Cash(s).String()), nil
}

// UnmarshalJSON reads a number of USD with at most six decimals, or "none";
// null changes nothing.
func (s *Slippage) UnmarshalJSON(b []byte) error {
	switch {
	case bytes.Equal(b, []byte("null")):
		return nil
	case bytes.Equal(b, []byte(`"none"`)):
		*s = NoCap
		return nil
	}
	v, err := market.ParseDecimal(string(b), 6)
	if err != nil || v < 0 {
		return &OptionError{Field: "max_slippage", Value: string(b), Want: `0 to 1 USD with at most 6 decimals, or "none"`}
	}
	*s = Slippage(v)
	return nil
}

// MarshalJSON writes a number with as many decimals as needed.
func (s Share) MarshalJSON() ([]byte, error) {
	return []byte(market.FormatDecimal(int64(s), 6)), nil
}

// UnmarshalJSON reads a number from 0 to 1 with at most six decimals; null
// changes nothing.
func (s *Share) UnmarshalJSON(b []byte) error {
	if bytes.Equal(b, []byte("null")) {
		return nil
	}
	v, err := market.ParseDecimal(string(b), 6)
	if err != nil || v < 0 || v > int64(AllOfIt) {
		return &OptionError{Field: "min_coverage", Value: string(b), Want: wantShare}
	}
	*s = Share(v)
	return nil
}

// MarshalJSON writes whole milliseconds; the default is written as 30000.
func (s Stale) MarshalJSON() ([]byte, error) {
	if s == StaleDefault {
		s = defaultStaleMS
	}
	return json.Marshal(int64(s))
}

// UnmarshalJSON reads whole milliseconds, at least 0; null changes nothing.
func (s *Stale) UnmarshalJSON(b []byte) error {
	if bytes.Equal(b, []byte("null")) {
		return nil
	}
	v, err := market.ParseDecimal(string(b), 0)
	if err != nil || v < 0 {
		return &OptionError{Field: "stale_ms", Value: string(b), Want: "whole milliseconds, 0 or more"}
	}
	*s = Stale(v)
	return nil
}
