package market

// RoundFilter says which up/down rounds are asked for. The zero value asks for
// all of them.
type RoundFilter struct {
	Coin string // upper-case ticker; empty: every coin
	Type string // "5m", "15m", …; empty: every length
	// From and To bound the end of the round: From ≤ End < To. Zero: no bound.
	From, To Instant
}

// Round is an up/down market with what an archive knows of its captures.
type Round struct {
	Market *Market
	// Captured: at least one capture of the market lies in [Start, End).
	Captured bool
	// Content is the content hash: SHA-256 over the market's decoded captures
	// in order. It is the same however the captures came in.
	Content [32]byte
	// Coverage is the share of the round for which a value was known and not
	// older than 30 s, in units of 1e-6: 0..1,000,000.
	Coverage int64
	// Gaps are the stretches that a source declared as missing, by token, in
	// order of From.
	Gaps []TokenGap
}

// TokenGap is a Gap of one token of a market.
type TokenGap struct {
	Token int // index in Market.Tokens
	Gap
}

// Covers reports whether t lies in the gap.
func (g Gap) Covers(t Instant) bool { return g.From <= t && t < g.To }
