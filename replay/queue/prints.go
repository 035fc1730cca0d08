package queue

import "github.com/ladderback/ladderback/market"

// Prints are the trade messages of a mirrored market that those of the other token may
// still repeat. The zero value has none.
type Prints struct{ open map[print]int }

// print is what two messages of one trade have in common.
type print struct {
	exch  market.Instant
	price market.Price // of the first token
	size  market.Size
	token int
}

// Reset forgets all messages.
func (p *Prints) Reset() { clear(p.open) }

// Repeats takes in the next trade message. Of two messages of one exchange time and size
// that mirror each other the later repeats the other, and is no trade.
func (p *Prints) Repeats(c *market.Capture) bool {
	if c.Exch == 0 || c.Trade.Size == 0 {
		return false
	}
	if p.open == nil {
		p.open = map[print]int{}
	}
	k := print{c.Exch, c.Trade.Price, c.Trade.Size, 1 - c.Token}
	if c.Token != 0 {
		k.price = k.price.Mirror()
	}
	if p.open[k] > 0 {
		p.open[k]--
		return true
	}
	k.token = c.Token
	p.open[k]++
	return false
}
