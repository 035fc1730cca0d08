package tries

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/strategy"
)

// One is a try as it is counted. Equal ones are one, however often they are made: nothing new
// is seen.
type One struct {
	Coin, Type string // those of the strategy; each may be strategy.Any
	Side       strategy.Side
	// Strategy, Data and Terms are SHA-256 in lower-case hex: of the canonical strategy and
	// the axes of a sweep, of the rounds (backtest.Receipt.Data), and of how orders are filled.
	Strategy, Data, Terms string
	// Variants is how many strategies are looked at: 1 for a backtest.
	Variants int
	// First is the start of the first round, Last the end of the last.
	First, Last market.Instant
}

// Of returns the try that something looked at is.
func Of(l *backtest.Looked) (*One, error) {
	spec, o := l.Strategy.Market(), l.Options
	t := &One{Coin: spec.Coin, Type: spec.Type, Side: l.Strategy.Strategy().Side, Strategy: l.Strategy.Hash(), Variants: l.Variants, Data: l.Data, First: market.Latest, Last: market.Earliest}
	if len(l.Axes) > 0 {
		text, err := backtest.CompactJSON(l.Axes)
		if err != nil {
			return nil, fmt.Errorf("try: axes: %w", err)
		}
		t.Strategy = sum(append([]byte(t.Strategy), text...))
	}
	// Which rounds there are, the data say; the seed draws them, and resamples.
	terms, err := backtest.CompactJSON([]any{o.LatencyMS, o.MaxSlippage, o.StaleMS, o.Fees, o.Queue})
	if err != nil {
		return nil, fmt.Errorf("try: options: %w", err)
	}
	t.Terms = sum(terms)
	for i := range l.Rounds {
		m := l.Rounds[i].Market
		t.First, t.Last = min(t.First, m.Start), max(t.Last, m.End)
	}
	return t, nil
}

func sum(text []byte) string {
	h := sha256.Sum256(text)
	return hex.EncodeToString(h[:])
}
