package block

import (
	"fmt"

	"github.com/ladderback/ladderback/market"
)

// prices reads a column of prices, each a distance from the previous one.
type prices struct {
	values []uint64
	unit   market.Price
}

func (p *prices) next(before *int64) (market.Price, bool) {
	*before += unzigzag(p.values[0])
	p.values = p.values[1:]
	if uint64(*before) > uint64(market.PriceOne/p.unit) {
		return 0, false
	}
	return market.Price(*before) * p.unit, true
}

func (x *reader) readQuotes(r *run, b *body) error {
	sides, all := 0, 0
	for _, f := range x.flags.symbols {
		if market.Kind(f&kindBits) == market.KindPrice {
			all++
			continue
		}
		sides += int(f>>sideShift&1) + int(f>>(sideShift+1))
	}
	values, err := x.readInts(b, 0, all+sides)
	if err != nil {
		return fmt.Errorf("prices: %w", err)
	}
	sizes, err := x.readSizes(b, sides)
	if err != nil {
		return fmt.Errorf("sizes: %w", err)
	}
	p := prices{values, b.unit}
	var before [3]int64
	var state [2]amount
	for _, f := range x.flags.symbols {
		var c content
		ok := true
		if market.Kind(f&kindBits) == market.KindPrice {
			c.trade.Price, ok = p.next(&before[2])
		} else {
			c.quote = market.Quote{Bid: market.Level{Price: market.NoPrice}, Ask: market.Level{Price: market.NoPrice}}
			for s, l := range []*market.Level{&c.quote.Bid, &c.quote.Ask} {
				if ok && f&(flagA<<s) != 0 {
					l.Price, ok = p.next(&before[s])
					l.Size = sizes.next(&state[s])
				}
			}
		}
		if !ok {
			return errValues
		}
		r.contents = append(r.contents, c)
	}
	if !sizes.done() {
		return errValues
	}
	return nil
}

func (x *reader) readTrades(r *run, b *body) error {
	values, err := x.readInts(b, 0, b.h.Captures)
	if err != nil {
		return fmt.Errorf("prices: %w", err)
	}
	sizes, err := x.readSizes(b, b.h.Captures)
	if err != nil {
		return fmt.Errorf("sizes: %w", err)
	}
	p := prices{values, b.unit}
	before := int64(0)
	for _, f := range x.flags.symbols {
		var c content
		var ok bool
		if c.trade.Price, ok = p.next(&before); !ok || f>>sideShift > byte(market.Ask) {
			return errValues
		}
		c.trade.Side = market.Side(f >> sideShift)
		c.trade.Size = sizes.next(&amount{})
		r.contents = append(r.contents, c)
	}
	if !sizes.done() {
		return errValues
	}
	return nil
}

func (x *reader) readMetrics(r *run, b *body) error {
	all := 0
	for _, f := range x.flags.symbols {
		all += int(f>>sideShift&1) + int(f>>(sideShift+1))
	}
	unit, err := b.uvarint()
	if err != nil {
		return err
	}
	values, err := x.readInts(b, 0, all)
	if err != nil {
		return fmt.Errorf("amounts: %w", err)
	}
	var before [2]int64
	for _, f := range x.flags.symbols {
		c := content{metric: market.Metric{Liquidity: market.NoMetric, Volume: market.NoMetric}}
		for k, v := range []*market.Cash{&c.metric.Liquidity, &c.metric.Volume} {
			if f&(flagA<<k) == 0 {
				continue
			}
			before[k] += unzigzag(values[0])
			values = values[1:]
			*v = market.Cash(before[k] * int64(unit))
			if *v < 0 {
				return errValues
			}
		}
		r.contents = append(r.contents, c)
	}
	return nil
}
