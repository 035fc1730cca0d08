package market

// RoundFilter selects up/down rounds. The zero value selects all of them.
type RoundFilter struct {
	Coin string // upper-case ticker; empty: every coin
	Type string // "5m", "15m", …; empty: every length
	// From and To bound the end of the round: From ≤ End < To. Zero: no bound.
	From, To Instant
}

// Passes reports whether m is an up/down round that the filter selects.
func (f RoundFilter) Passes(m *Market) bool {
	return m.IsUpDown() &&
		(f.Coin == "" || m.Coin == f.Coin) && (f.Type == "" || m.Type == f.Type) &&
		(f.From == 0 || m.End >= f.From) && (f.To == 0 || m.End < f.To)
}

// Round is an up/down market with what an archive knows about its captures.
type Round struct {
	Market *Market
	// Captured: at least one capture of the market lies in [Start, End).
	Captured bool
	// Content is the content hash: SHA-256 over the market's decoded captures
	// in order. It does not depend on how the captures were imported.
	Content [32]byte
	// Coverage is the fraction of the round during which a value no older than
	// 30 s was known, in units of 1e-6: 0..1,000,000.
	Coverage int64
	// Captures counts the captures, roughly: it says how much work a replay is, and
	// nothing about its result. 0: not known.
	Captures int64
	// Gaps are the periods that a source declared missing, by token, in order
	// of From.
	Gaps []TokenGap
}

// TokenGap is a Gap of one token of a market.
type TokenGap struct {
	Token int // index in Market.Tokens
	Gap
}

// Covers reports whether t lies in the gap.
func (g Gap) Covers(t Instant) bool { return g.From <= t && t < g.To }
