package intake

import (
	"sync/atomic"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/archive/derive"
	"github.com/ladderback/ladderback/archive/scan"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// observer is told what an import stores of a market, in the order of the file,
// and sums it up under the assumption that no other source has any captures of it
// and that the market will be what is known of it now. When that turns out right
// nothing needs to be read again.
type observer struct {
	source   store.SourceID
	owner    store.ID
	forecast *derive.Forecast
	index    map[int]int // token of the claim → index in the market
	keys     map[store.ID]int
	ladder   int // token of the claim that has ladders; −1: none yet
	last     market.Instant
	tally    *scan.Tally
	ladders  scan.Ladders
	buf      []byte
	captures int64
	wrong    bool         // the sums are not those of the market
	undated  *atomic.Bool // Import.undated
}

// newObserver looks up what is known of the market that doc describes, unless nothing
// was known of the time of the one before, and doc says nothing of it either: the
// others of a file are mostly alike.
func (i *Import) newObserver(owner store.ID, doc *derive.MarketDoc) (*observer, error) {
	o := &observer{source: i.src.ID, owner: owner, index: map[int]int{}, keys: map[store.ID]int{}, ladder: -1, undated: &i.undated}
	if i.undated.Load() && !doc.SaysWhen() {
		o.forecast = derive.ForeseeUndated(o.source, owner)
	} else {
		err := i.in.store.View(i.ctx, func(r store.Reader) (err error) {
			o.forecast, err = derive.Foresee(i.ctx, r, o.source, owner, doc)
			return err
		})
		if err != nil {
			return nil, err
		}
		i.undated.Store(o.forecast.Undated)
	}
	switch {
	case o.forecast.Undated:
		o.tally = scan.NewUndatedTally()
	case o.forecast.Dated:
		o.tally = scan.NewTally(o.forecast.Start, o.forecast.End)
	default:
		o.wrong = true
	}
	return o, nil
}

// stored takes in a capture that was stored, and its content. Captures that
// will be read in another order than they came in, and ladders of both tokens,
// of which the rule for mirrored pairs may leave some out, are summed up on
// reading.
func (o *observer) stored(doc *derive.MarketDoc, c *market.Capture, content []byte) {
	o.wrong = o.wrong || c.Recv < o.last || c.IsLadder() && o.ladder >= 0 && o.ladder != c.Token
	if o.wrong {
		return
	}
	at, ok := o.index[c.Token]
	if !ok {
		if at, ok = o.forecast.Place(doc, c.Token); !ok {
			o.wrong = true
			return
		}
		o.index[c.Token] = at
		o.keys[doc.Tokens[c.Token].Key] = at
	}
	if c.IsLadder() {
		o.ladder = c.Token
	}
	o.last = c.Recv
	o.captures++
	if change := o.ladders.Change(c); change != c {
		o.buf = scan.AppendContent(o.buf[:0], change)
		content = o.buf
	}
	o.tally.Add(at, c, content, true)
}

// sums returns the sums of the row's captures; false: they are not those of its
// parts.
func (o *observer) sums(row *store.MarketRow, own []derive.Placed) (store.Stats, bool) {
	if o.wrong {
		return store.Stats{}, false
	}
	if start, end := o.tally.Bounds(); start != row.Market.Start || end != row.Market.End {
		if !row.Undated {
			o.undated.Store(false)
		}
		return store.Stats{}, false
	}
	captures := int64(0)
	for _, p := range own {
		at, ok := o.keys[p.Token]
		if !ok || at != p.Index || p.Source != o.source || p.Owner != o.owner || p.Stream > block.Metrics {
			return store.Stats{}, false
		}
		captures += p.Captures
	}
	if captures != o.captures {
		return store.Stats{}, false
	}
	return o.tally.Done(row.Market.Tokens), true
}
