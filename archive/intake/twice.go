package intake

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/archive/scan"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// execution is what two recorders have in common of a trade that both heard.
type execution struct {
	at    market.Instant // the exchange's clock
	trade market.Trade
}

// heardTwice returns store.ErrTwice if a part of c that has become whole has the trades of
// another source: the same executions, by the exchange's clock, price, size and side, which
// were received at other times. Each of them would count twice. Trades received at the same
// time are captures of one recorder, which count once however often they are imported.
//
// It asks for at least half of the trades of the time in which both heard the market, of the
// source that has fewer there: a feed may repeat a message. A source hears from its first
// capture of the market to its last, of whatever kind.
func (i *Import) heardTwice(ctx context.Context, w store.Writer, c *store.Changes) error {
	var own []store.Part
	var owners []store.ID
	for _, p := range c.Parts {
		if p.Whole && p.Stream == block.Trades {
			own, owners = append(own, p), append(owners, p.Owner)
		}
	}
	if len(own) == 0 {
		return nil
	}
	slices.Sort(owners)
	there, err := w.Parts(ctx, slices.Compact(owners))
	if err != nil {
		return err
	}
	listens := listening(there)
	for _, p := range own {
		mine := listens[listener{p.Owner, p.Source}]
		for _, q := range there {
			theirs := listens[listener{q.Owner, q.Source}]
			both := stretch{max(mine.first, theirs.first), min(mine.last, theirs.last)}
			if q.Source == i.src.ID || !q.Whole || q.Stream != block.Trades || q.Token != p.Token || both.first > both.last {
				continue
			}
			if err := compareParts(ctx, w, p, q, both); err != nil {
				return err
			}
		}
	}
	return nil
}

// listener is a source that heard a market.
type listener struct {
	market store.ID
	source store.SourceID
}

// stretch is from the first instant to the last.
type stretch struct{ first, last market.Instant }

// listening returns who heard what when.
func listening(parts []store.Part) map[listener]stretch {
	out := map[listener]stretch{}
	for _, p := range parts {
		l := listener{p.Owner, p.Source}
		if s, ok := out[l]; ok {
			p.First, p.Last = min(p.First, s.first), max(p.Last, s.last)
		}
		out[l] = stretch{p.First, p.Last}
	}
	return out
}

// apart is how much later than another a recorder may hear a trade, at the ends of the time
// in which both listen.
const apart = 500 * market.Millisecond

// compareParts returns store.ErrTwice if two parts of one token have the same executions of
// the time in which both sources listened.
func compareParts(ctx context.Context, w store.Writer, p, q store.Part, heard stretch) error {
	from, to := heard.first-market.Instant(apart), heard.last+market.Instant(apart)
	a, err := executions(ctx, w, p.PartKey, from, to)
	if err != nil {
		return err
	}
	b, err := executions(ctx, w, q.PartKey, from, to)
	if err != nil {
		return err
	}
	fewer, both := min(count(a), count(b)), 0
	for e, heard := range a {
		both += min(len(without(heard, b[e])), len(without(b[e], heard)))
	}
	if both == 0 || 2*both < fewer {
		return nil
	}
	sources, err := w.Sources(ctx, []store.SourceID{q.Source})
	if err != nil || len(sources) == 0 {
		return err
	}
	return fmt.Errorf("%w: %s has %d of its trades between %s and %s, with the same exchange time, price and size, received at other times: "+
		"each would count twice; import one of the two files", store.ErrTwice, sources[0].Name, both,
		heard.first.Time().Format(time.RFC3339), heard.last.Time().Format(time.RFC3339))
}

// executions returns when the trades of a part that were received in [from, to] were
// received, by what they are. Those without an exchange time are left out.
func executions(ctx context.Context, r store.Reader, k store.PartKey, from, to market.Instant) (map[execution][]market.Instant, error) {
	refs, err := scan.PartRefs(ctx, r, k)
	if err != nil {
		return nil, err
	}
	out := map[execution][]market.Instant{}
	refs = slices.DeleteFunc(refs, func(b store.BlockRef) bool { return b.Last < from || b.First > to })
	var d block.Decoder
	return out, r.ReadBlocks(ctx, refs, func(_ int, data []byte) error {
		if err := d.Open(data); err != nil {
			return err
		}
		for c := d.Next(); c != nil; c = d.Next() {
			if c.Kind == market.KindTrade && c.Exch != 0 && from <= c.Recv && c.Recv <= to {
				e := execution{c.Exch, c.Trade}
				out[e] = append(out[e], c.Recv)
			}
		}
		return d.Err()
	})
}

func count(all map[execution][]market.Instant) (n int) {
	for _, heard := range all {
		n += len(heard)
	}
	return n
}

// without returns a without the times that are in b, each as often as it is there.
func without(a, b []market.Instant) []market.Instant {
	left := slices.Clone(a)
	for _, t := range b {
		if k := slices.Index(left, t); k >= 0 {
			left = slices.Delete(left, k, k+1)
		}
	}
	return left
}
