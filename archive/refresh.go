package archive

import (
	"context"
	"maps"
	"slices"

	"github.com/ladderback/ladderback/market"
)

// refresh brings everything that is derived from claims and parts up to date
// within a transaction that changed some of them. What it derives depends on
// the claims and parts alone, not on what was derived before.
type refresh struct {
	w Writer
	// Touched by the transaction: owners of claims, and names of weak ones.
	markets map[ID]strongName // owners that are ids of markets
	weak    map[ID]Name       // owners that are names
	events  map[ID]bool
	series  map[ID]bool
	// fresh holds sums that an import made while it wrote, by owner.
	fresh map[ID]*freshStats
	// shrunk: captures were removed, so watermarks may go back.
	shrunk bool

	rows   []MarketRow
	old    map[ID]*MarketRow // rows as they were, of those in rows and drop
	drop   []ID
	groups groups
}

// strongName is the public id behind the ID of a market.
type strongName struct {
	venue market.Venue
	id    string
}

// groups are the events and series whose sums may have changed.
type groups struct {
	events map[ID]bool
	series map[ID]*change
}

// change is how the sums of a series change, unless all of its markets have to
// be looked at.
type change struct {
	markets int64
	updated market.Instant
	// category is the first in byte order of those that rows are put with.
	category market.Category
	all      bool
}

// see notes what a market's row was and is; nil: there was or is none.
func (g *groups) see(was, is *MarketRow) {
	if was != nil {
		g.events[was.Event] = true
		c := g.change(was.Series)
		if was.Market.Category != "" {
			c.markets--
			// Its update may have been the newest, and its category the only one.
			c.all = c.all || is == nil || is.Series != was.Series || is.UpdatedAt < was.UpdatedAt ||
				is.Market.Category != was.Market.Category
		}
	}
	if is != nil {
		g.events[is.Event] = true
		c := g.change(is.Series)
		if is.Market.Category != "" {
			c.markets++
			c.updated = max(c.updated, is.UpdatedAt)
			if c.category == "" || is.Market.Category < c.category {
				c.category = is.Market.Category
			}
		}
	}
}

func (g *groups) change(id ID) *change {
	c := g.series[id]
	if c == nil {
		c = &change{}
		g.series[id] = c
	}
	return c
}

func newRefresh(w Writer) *refresh {
	return &refresh{
		w: w, markets: map[ID]strongName{}, weak: map[ID]Name{}, events: map[ID]bool{}, series: map[ID]bool{},
		fresh:  map[ID]*freshStats{},
		groups: groups{map[ID]bool{}, map[ID]*change{}},
	}
}

// touch notes that a claim was put.
func (r *refresh) touch(k ClaimKind, owner ID, d any) {
	switch k {
	case MarketClaim:
		r.touchMarket(owner, d.(*marketDoc))
	case EventClaim:
		r.events[owner] = true
	case SeriesClaim:
		r.series[owner] = true
	}
}

// touchMarket notes that a claim about a market, or a part under it, was put or
// removed.
func (r *refresh) touchMarket(owner ID, d *marketDoc) {
	if d.VenueID != "" && owner == MarketID(d.Venue, d.VenueID) {
		r.markets[owner] = strongName{d.Venue, d.VenueID}
		return
	}
	for _, n := range d.names() {
		if owner == weakOwner(n.Venue, n.Text) {
			r.weak[owner] = n
		}
	}
}

// run derives and puts all that depends on what was touched.
func (r *refresh) run(ctx context.Context) error {
	if err := r.putGroups(ctx); err != nil {
		return err
	}
	if err := r.mergeMarkets(ctx); err != nil {
		return err
	}
	if err := r.moveWatermarks(ctx); err != nil {
		return err
	}
	return r.sumGroups(ctx)
}

// mergeMarkets makes the rows of the markets touched, and of those that gain or
// lose claims of a weak owner by it.
func (r *refresh) mergeMarkets(ctx context.Context) error {
	set, err := r.resolve(ctx)
	if err != nil {
		return err
	}
	if err := set.nameGroups(ctx, r.w); err != nil {
		return err
	}
	r.old = set.old
	byOwner, err := set.parts(ctx, r.w)
	if err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(set.members)) {
		mem := set.members[id]
		if len(mem.claims) == 0 {
			r.drop = append(r.drop, id)
			continue
		}
		row, err := r.makeRow(ctx, id, mem, byOwner, set.old[id])
		if err != nil {
			return err
		}
		r.rows = append(r.rows, *row)
	}
	return nil
}

// makeRow merges the claims about one market and sums up its captures, unless
// they are those that its sums were made from.
func (r *refresh) makeRow(ctx context.Context, id ID, mem *member, parts map[ID][]Part, old *MarketRow) (*MarketRow, error) {
	m := mergeClaims(mem.venue, mem.venueID, mem.claims)
	m.market.EventID, m.market.SeriesID = mem.eventID, mem.seriesID
	var all []Part
	for _, o := range mem.owners {
		all = append(all, parts[o]...)
	}
	own := m.placeParts(all)
	row := &MarketRow{ID: id, Market: m.market, Owners: mem.owners, Gaps: m.gaps, Undated: m.undated, Disputed: m.disputed}
	k := &row.Market
	if k.EventID != "" {
		row.Event = EventID(k.Venue, k.EventID)
	}
	if k.SeriesID != "" {
		row.Series = SeriesID(k.Venue, k.SeriesID)
	}
	row.Keys = make([][]ID, len(k.Tokens))
	for _, p := range own {
		if !slices.Contains(row.Keys[p.index], p.Token) {
			row.Keys[p.index] = append(row.Keys[p.index], p.Token)
		}
	}
	m.boundByCaptures(row, own)
	if len(own) > 0 {
		row.Basis = basis(k, own)
	}
	stats, err := r.sum(ctx, row, own, old)
	row.Stats = stats
	return row, err
}

// boundByCaptures gives a market without dates those of its captures.
func (m *merged) boundByCaptures(row *MarketRow, own []placed) {
	if !m.noStart && !m.undated || len(own) == 0 {
		return
	}
	first, last := own[0].First, own[0].Last
	for _, p := range own {
		first, last = min(first, p.First), max(last, p.Last)
	}
	if m.noStart {
		row.Market.Start = first
	}
	if m.undated {
		row.Market.End = last
	}
}

func (r *refresh) sum(ctx context.Context, row *MarketRow, own []placed, old *MarketRow) (Stats, error) {
	if len(own) == 0 {
		return Stats{}, nil
	}
	if old != nil && old.Basis == row.Basis {
		return old.Stats, nil
	}
	if f := r.fresh[own[0].Owner]; f != nil && f.fits(row, own) {
		return f.tally.done(row.Market.Tokens), nil
	}
	// gatherRefs reads parts anew: only those of this row are whole and placed.
	return summarise(ctx, r.w, row)
}

// moveWatermarks settles status and times of the rows, moves the watermark of
// each category, and settles the markets whose end it passed.
func (r *refresh) moveWatermarks(ctx context.Context) error {
	marks, err := r.w.Watermarks(ctx)
	if err != nil {
		return err
	}
	was := maps.Clone(marks)
	for i := range r.rows {
		row := &r.rows[i]
		if c := row.Market.Category; c != "" {
			marks[c] = max(marks[c], row.Stats.Last)
		}
	}
	there := r.old
	if r.shrunk {
		// What is left of the rows must be in the store to be asked.
		if err := r.apply(ctx, marks, there); err != nil {
			return err
		}
		there = nil
		for _, c := range []market.Category{market.Crypto, market.Sports} {
			if marks[c], err = r.w.NewestCapture(ctx, c); err != nil {
				return err
			}
		}
	}
	if err := r.apply(ctx, marks, there); err != nil {
		return err
	}
	for i := range r.rows {
		r.groups.see(r.old[r.rows[i].ID], &r.rows[i])
	}
	for _, id := range r.drop {
		r.groups.see(r.old[id], nil)
	}
	for c, at := range marks {
		q := MarketQuery{Category: c}
		switch {
		case at > was[c]:
			q.Closing = at
		case at < was[c]:
			q.Reopening = max(at, 1)
		default:
			continue
		}
		if err := r.resettle(ctx, q, at); err != nil {
			return err
		}
	}
	return nil
}

// apply puts the rows, settled by the watermarks. was are those that are there
// now, as far as known.
func (r *refresh) apply(ctx context.Context, marks map[market.Category]market.Instant, was map[ID]*MarketRow) error {
	for i := range r.rows {
		r.rows[i].settle(marks[r.rows[i].Market.Category])
	}
	return r.w.Apply(ctx, &Changes{DropMarkets: r.drop, Markets: r.rows, Was: was, Watermarks: marks})
}

// resettle settles rows that only the watermark has changed.
func (r *refresh) resettle(ctx context.Context, q MarketQuery, at market.Instant) error {
	rows, err := r.w.Markets(ctx, q)
	if err != nil || len(rows) == 0 {
		return err
	}
	c := &Changes{Markets: rows, Was: map[ID]*MarketRow{}}
	for i := range rows {
		was := rows[i]
		rows[i].settle(at)
		r.groups.see(&was, &rows[i])
		c.Was[was.ID] = &was
	}
	return r.w.Apply(ctx, c)
}

// settle works out the status and times that depend on the watermark.
func (row *MarketRow) settle(watermark market.Instant) {
	m := &row.Market
	row.ClosedAt = m.ClosedAt
	switch {
	case m.Payout != nil && m.Payout.Basis == market.Official:
		row.Status = Resolved
	case m.Closed || !row.Undated && m.End != 0 && m.End <= watermark:
		row.Status = Closed
	default:
		row.Status = Open
	}
	if row.Status != Open && row.ClosedAt == 0 {
		row.ClosedAt = m.End
	}
	row.UpdatedAt = m.UpdatedAt
	if row.UpdatedAt == 0 {
		row.UpdatedAt = row.Stats.Last
		if row.Status != Open {
			row.UpdatedAt = max(row.UpdatedAt, row.ClosedAt)
		}
		if row.UpdatedAt == 0 {
			row.UpdatedAt = m.Start
		}
	}
}
