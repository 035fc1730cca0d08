package fills

// Schedule is a taker fee: Σ over levels of shares × Rate × p^PricePower ×
// (p(1−p))^Exponent, rounded once a leg.
type Schedule struct {
	Name       string // names it in reports: "polymarket crypto from 2026-03-30"
	Source     string // where it was published
	Rate       int64  // in units of 1e-6
	PricePower int    // 0 or 1
	Exponent   int    // 0..4
	Rounding   Rounding
	// Known is false for a venue without a schedule: no fee is charged.
	Known bool
}

// Rounding says how a leg's fee is rounded.
type Rounding uint8

// Roundings.
const (
	Down1e5    Rounding = iota // down to 1e-5 USD
	Nearest1e4                 // to the nearest 1e-4 USD, half up; at least 1e-4 when above 0
	UpCent                     // up to 0.01 USD
)
