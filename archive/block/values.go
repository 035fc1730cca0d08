package block

import (
	"fmt"
	"slices"

	"github.com/ladderback/ladderback/market"
)

// valueReader puts the columns of quotes and trades together, some captures at a
// time.
type valueReader struct {
	prices intColumn
	sizes  amountReader
	bare   bool                  // sizes are left out
	trades bool                  // there is nothing but trades
	some   [2 * together]uint64  // prices that were read
	before [3]int64              // of a bid, an ask, and a price alone or a trade
	state  [2]held               // of a bid and an ask
	shown  *[together]market.Top // see quoted
}

// openValues unpacks the columns of quotes or trades.
func (x *reader) openValues(r *run, b *body) error {
	v := &x.quotes
	prices, sizes := 0, 0
	for f, n := range &x.tally {
		switch market.Kind(f & kindBits) {
		case market.KindPrice:
			prices += n
		case market.KindTrade:
			prices += n
			sizes += n
		default:
			sizes += n * (f>>sideShift&1 + f>>(sideShift+1))
		}
	}
	if b.h.Stream == Quotes {
		prices += sizes
	}
	if err := x.openInts(b, &v.prices, prices, 0); err != nil {
		return fmt.Errorf("prices: %w", err)
	}
	var err error
	if v.bare, v.trades = x.bare, b.h.Stream == Trades; v.bare {
		v.sizes = amountReader{}
		err = x.skipSizes(b, sizes)
	} else {
		v.sizes, err = x.readSizes(b, sizes)
	}
	if err != nil {
		return fmt.Errorf("sizes: %w", err)
	}
	v.before, v.state = [3]int64{}, [2]held{}
	r.contents = slices.Grow(r.contents[:0], b.h.Captures)
	return nil
}

// more reads what the captures with these flags hold.
func (v *valueReader) more(r *run, flags []byte, unit market.Price) error {
	if v.bare && v.trades {
		return v.bareTrades(r, len(flags), unit)
	}
	n, _ := pricesOf(flags)
	prices := v.some[:n]
	if !v.prices.fill(prices) {
		return errColumn
	}
	at := len(r.contents)
	r.contents = r.contents[:at+len(flags)]
	out, most := r.contents[at:], uint64(market.PriceOne/unit)
	for i, f := range flags {
		var ok bool
		if prices, ok = v.one(&out[i], f, prices, unit, most); !ok || v.sizes.broken {
			return errValues
		}
	}
	return nil
}

// pricesOf returns how many prices captures with these flags have, and whether all are
// quotes with a bid and an ask.
func pricesOf(flags []byte) (n int, both bool) {
	both = true
	for i := 0; i < len(flags); {
		f, k := flags[i], 1
		if i+swar <= len(flags) && same(flags[i:]) {
			k = swar
		}
		i += k
		if market.Kind(f&kindBits) == market.KindQuote {
			n += k * (int(f>>sideShift&1) + int(f>>(sideShift+1)))
		} else {
			n += k
		}
		both = both && f&(kindBits|flagA|flagB) == byte(market.KindQuote)|flagA|flagB
	}
	return n, both
}

// one reads what a capture with these flags holds, and returns the prices left.
func (v *valueReader) one(c *content, f byte, prices []uint64, unit market.Price, most uint64) (left []uint64, ok bool) {
	*c = content{}
	switch market.Kind(f & kindBits) {
	case market.KindPrice:
		c.trade.Price, ok = v.price(2, prices[0], unit, most)
		return prices[1:], ok
	case market.KindTrade:
		c.trade.Price, ok = v.price(2, prices[0], unit, most)
		c.trade.Side, c.trade.Size = market.Side(f>>sideShift), v.size(&held{})
		return prices[1:], ok && c.trade.Side <= market.Ask
	}
	ok = true
	c.quote = market.Quote{Bid: market.Level{Price: market.NoPrice}, Ask: market.Level{Price: market.NoPrice}}
	for s, l := range []*market.Level{&c.quote.Bid, &c.quote.Ask} {
		if ok && f&(flagA<<s) != 0 {
			l.Price, ok = v.price(s, prices[0], unit, most)
			prices = prices[1:]
			l.Size = v.size(&v.state[s])
		}
	}
	return prices, ok
}

// price returns the price that a value leads to.
func (v *valueReader) price(of int, value uint64, unit market.Price, most uint64) (market.Price, bool) {
	v.before[of] += unzigzag(value)
	p := v.before[of]
	return market.Price(p) * unit, uint64(p) <= most
}

// size lets a follow to its next size, which it returns; 0: sizes are left out.
func (v *valueReader) size(a *held) market.Size {
	if v.bare {
		return 0
	}
	return v.sizes.next(a)
}

// bareTrades reads the prices of the next n trades.
func (v *valueReader) bareTrades(r *run, n int, unit market.Price) error {
	prices := v.some[:n]
	if !v.prices.fill(prices) {
		return errColumn
	}
	at := len(r.contents)
	r.contents = r.contents[:at+n]
	p, most := v.before[2], uint64(market.PriceOne/unit)
	for i, c := range prices {
		if p += unzigzag(c); uint64(p) > most {
			return errValues
		}
		r.contents[at+i].trade = market.Trade{Price: market.Price(p) * unit}
	}
	v.before[2] = p
	return nil
}

// done reports whether the columns have been read to their end.
func (v *valueReader) done() bool { return v.prices.done() && (v.bare || v.sizes.done()) }

func (x *reader) readMetrics(r *run, b *body) error {
	all := 0
	for _, f := range x.flags.Symbols {
		all += int(f>>sideShift&1) + int(f>>(sideShift+1))
	}
	unit, err := b.uvarint()
	if err != nil {
		return err
	}
	values, err := x.readInts(b, all)
	if err != nil {
		return fmt.Errorf("amounts: %w", err)
	}
	var before [2]int64
	for _, f := range x.flags.Symbols {
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
