package archive

import (
	"context"
	"slices"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/market"
)

// freshStats sums up a market's captures while they are written, under the
// assumption that no other source has any and that the market will be what is
// known of it now. When that turns out right nothing needs to be read again.
type freshStats struct {
	source   SourceID
	owner    ID
	place    func(doc *marketDoc, token int) (int, bool)
	index    map[int]int // token of the claim → index in the market
	keys     map[ID]int
	ladder   int // token of the claim that has ladders; −1: none yet
	start    market.Instant
	end      market.Instant
	tally    *tally
	captures int64
	spoiled  bool
}

func (f *freshStats) spoil() {
	if f != nil {
		f.spoiled = true
	}
}

// foresee looks up what is known of m's market.
func (a *Archive) foresee(ctx context.Context, m *MarketImport) (*freshStats, error) {
	var others []said
	err := a.store.View(ctx, func(r Reader) error {
		owners := []ID{m.doc.owner()}
		for _, n := range m.doc.names() {
			owners = append(owners, weakOwner(n.Venue, n.Text))
		}
		rows, err := r.Markets(ctx, MarketQuery{Names: m.doc.names(), Unlisted: true})
		if err != nil {
			return err
		}
		for _, row := range rows {
			owners = append(owners, row.Owners...)
		}
		slices.Sort(owners)
		claims, err := r.Claims(ctx, MarketClaim, slices.Compact(owners))
		if err != nil {
			return err
		}
		for i := range claims {
			if claims[i].Source == m.i.src.ID {
				continue
			}
			d, err := decodeDoc[marketDoc](&claims[i])
			if err != nil {
				return err
			}
			others = append(others, said{source: claims[i].Source, owner: claims[i].Owner, doc: d})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	source, owner := m.i.src.ID, m.owner
	merge := func(doc *marketDoc) *merged {
		id, _ := doc.ownName()
		for _, o := range others {
			if o.doc.VenueID != "" && doc.VenueID == "" {
				id = o.doc.VenueID
			}
		}
		return mergeClaims(doc.Venue, id, append(slices.Clone(others), said{source: source, owner: owner, doc: doc}))
	}
	now := merge(m.doc)
	f := &freshStats{
		source: source, owner: owner, index: map[int]int{}, keys: map[ID]int{}, ladder: -1,
		start: now.market.Start, end: now.market.End, tally: newTally(now.market.Start, now.market.End),
		spoiled: now.noStart || now.undated,
	}
	f.place = func(doc *marketDoc, token int) (int, bool) {
		at, ok := merge(doc).place[tokenOf{source, owner, token}]
		return at, ok
	}
	return f, nil
}

// add takes in a capture that m has stored.
func (f *freshStats) add(m *MarketImport, c *market.Capture, content []byte) {
	if f.spoiled {
		return
	}
	at, ok := f.index[c.Token]
	if !ok {
		if at, ok = f.place(m.doc, c.Token); !ok {
			f.spoiled = true
			return
		}
		f.index[c.Token] = at
		f.keys[m.doc.Tokens[c.Token].Key] = at
	}
	if c.IsLadder() {
		if f.ladder >= 0 && f.ladder != c.Token { // pairs are looked at on reading
			f.spoiled = true
			return
		}
		f.ladder = c.Token
	}
	f.captures++
	f.tally.add(at, c, content, true)
}

// fits reports whether the sums are those of the row, whose visible parts are
// given.
func (f *freshStats) fits(row *MarketRow, own []placed) bool {
	if f.spoiled || f.start != row.Market.Start || f.end != row.Market.End {
		return false
	}
	captures := int64(0)
	for _, p := range own {
		at, ok := f.keys[p.Token]
		if !ok || at != p.index || p.Source != f.source || p.Owner != f.owner || p.Stream > block.Metrics {
			return false
		}
		captures += p.Captures
	}
	return captures == f.captures
}
