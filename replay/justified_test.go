package replay_test

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
)

// justified: orders take their time, and the exit's signal is one that the book
// of its instant gives: the take profit on the whole position, the stop on what
// the bids take, the clock at its instant.
func justified(l *lab) error {
	r, err := l.run(l.archive, l.c)
	if err != nil {
		return err
	}
	for _, t := range r.Trades {
		if err := l.timely(t); err != nil {
			return fmt.Errorf("market %s: %w", t.Market.VenueID, err)
		}
		if t.Reason == replay.Expiry {
			continue
		}
		if err := l.triggers(t); err != nil {
			return fmt.Errorf("market %s: %s: %w", t.Market.VenueID, t.Reason, err)
		}
	}
	return nil
}

// timely checks that orders arrive after their latency, and later tries of an
// exit come with captures.
func (l *lab) timely(t *replay.Trade) error {
	latency := l.c.Options.Latency()
	var signal market.Instant
	for _, leg := range t.Legs {
		if leg.Action == replay.Settle {
			continue
		}
		if leg.Signal != 0 {
			signal = leg.Signal
		}
		if arrival := signal + latency; leg.Time < arrival || leg.Time > arrival && (leg.Action == replay.Buy || leg.AsOf != leg.Time) {
			return fmt.Errorf("%s signalled at %s at %s, latency %d ms", leg.Action, signal, leg.Time, l.c.Options.LatencyMS)
		}
	}
	return nil
}

func (l *lab) triggers(t *replay.Trade) error {
	signal := t.Legs[1].Signal
	b := newNaiveBook(l.round(t.Market), t.Token)
	b.to(signal)
	value, takes := b.sellable(t.Shares)
	x := l.c.Strategy.Exit()
	entry := t.Entry.Rat()
	switch t.Reason {
	case replay.TakeProfit:
		target := new(big.Rat)
		if x.TakeProfit != nil {
			target.SetFrac64(int64(*x.TakeProfit), 1_000_000)
		} else {
			target.Add(entry, big.NewRat(int64(*x.TakeProfitOffset), 1_000_000))
		}
		if got := new(big.Rat).Quo(value, sizeRat(t.Shares)); got.Cmp(target) < 0 {
			return fmt.Errorf("at %s the position would bring %s a share, the target is %s", signal, got, target)
		}
	case replay.StopLoss:
		if x.TrailingStop != nil {
			return nil // its high water is another matter
		}
		stop := new(big.Rat)
		if x.StopLoss != nil {
			stop.SetFrac64(int64(*x.StopLoss), 1_000_000)
		} else {
			stop.Sub(entry, big.NewRat(int64(*x.StopLossOffset), 1_000_000))
		}
		if takes == 0 {
			return fmt.Errorf("at %s nobody bids", signal)
		}
		if got := new(big.Rat).Quo(value, sizeRat(takes)); got.Cmp(stop) > 0 {
			return fmt.Errorf("at %s the bids give %s a share, the stop is %s", signal, got, stop)
		}
	case replay.EndOfWindow:
		held := x.MaxHoldSeconds > 0 && signal >= t.EntryTime+market.Span(x.MaxHoldSeconds)*market.Second
		left := t.Market.End - signal
		late := !x.HoldToExpiry && (x.ExitBeforeSeconds > 0 && left <= market.Span(x.ExitBeforeSeconds)*market.Second ||
			x.ExitBeforeSeconds == 0 && left <= market.Second+l.c.Options.Latency())
		if !held && !late {
			return fmt.Errorf("signalled at %s, filled at %s, %d µs before the end", signal, t.EntryTime, left)
		}
	}
	return nil
}

// sellable walks down the bids.
func (b *naiveBook) sellable(shares market.Size) (value *big.Rat, takes market.Size) {
	var prices []market.Price
	for p := range b.bids {
		prices = append(prices, p)
	}
	slices.SortFunc(prices, func(a, b market.Price) int { return int(b - a) })
	value = new(big.Rat)
	for _, p := range prices {
		size := min(b.bids[p], shares-takes)
		value.Add(value, new(big.Rat).Mul(priceRat(p), sizeRat(size)))
		takes += size
	}
	return value, takes
}

// best returns the best prices shown; 0 bid and 1 asked where a side is empty.
func (b *naiveBook) best() (bid, ask market.Price) {
	ask = market.PriceOne
	for p := range b.bids {
		bid = max(bid, p)
	}
	for p := range b.asks {
		ask = min(ask, p)
	}
	return bid, ask
}

// offered returns the asks, best first.
func (b *naiveBook) offered() []market.Level {
	var levels []market.Level
	for p, s := range b.asks {
		levels = append(levels, market.Level{Price: p, Size: s})
	}
	slices.SortFunc(levels, func(a, b market.Level) int { return int(a.Price - b.Price) })
	return levels
}

// wanted returns the bids, best first.
func (b *naiveBook) wanted() []market.Level {
	var levels []market.Level
	for p, s := range b.bids {
		levels = append(levels, market.Level{Price: p, Size: s})
	}
	slices.SortFunc(levels, func(a, b market.Level) int { return int(b.Price - a.Price) })
	return levels
}

// unlimited is a level that fills everything.
func unlimited(p market.Price) []market.Level {
	return []market.Level{{Price: p, Size: fills.Unlimited}}
}
