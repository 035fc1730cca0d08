package derive

import (
	"context"
	"maps"
	"slices"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// Refresh brings everything derived from claims and parts up to date within a
// transaction that changed some of them. The result depends only on the claims
// and parts, not on what was derived before.
type Refresh struct {
	w store.Writer
	// Touched by the transaction: owners of claims, and names of weak ones.
	markets map[store.ID]strongName // owners that are ids of markets
	weak    map[store.ID]store.Name // owners that are names
	events  map[store.ID]bool
	series  map[store.ID]bool
	// known is all that sources say of these owners of claims about markets.
	known map[store.ID][]said
	// have are rows of markets as they are, which need not be read; the others are.
	have map[store.ID]*store.MarketRow
	sum  Sums
	top  Tops
	// shrunk: captures were removed, so watermarks may go back.
	shrunk bool
	// replaced: blocks were put in the place of others.
	replaced bool

	rows []store.MarketRow
	old  map[store.ID]*store.MarketRow // rows as they were, of those in rows and drop
	drop []store.ID
	// tops are new ones, and noTops the markets whose tops they replace or that
	// are to have none.
	tops   []store.Block
	noTops []store.ID
	groups groups
	// seen are markets as they were and are, for the tallies.
	seen []store.Seen
}

// strongName is the public id behind the ID of a market.
type strongName struct {
	venue market.Venue
	id    string
}

// groups are the events and series whose sums may have changed.
type groups struct {
	events map[store.ID]bool
	series map[store.ID]*change
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
func (g *groups) see(was, is *store.MarketRow) {
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

func (g *groups) change(id store.ID) *change {
	c := g.series[id]
	if c == nil {
		c = &change{}
		g.series[id] = c
	}
	return c
}

// Sums computes the statistics of a market's captures. parts are its visible
// parts, in an order that depends only on the parts.
type Sums func(ctx context.Context, r store.Reader, row *store.MarketRow, parts []Placed) (store.Stats, error)

// Tops derives the tops of markets. The zero value derives none.
type Tops struct {
	// Make derives those of a market from its captures, as a block to store; nil:
	// none are kept of it.
	Make func(ctx context.Context, r store.Reader, row *store.MarketRow) (*store.Block, error)
	// Sound returns which markets have tops that can stay.
	Sound func(ctx context.Context, r store.Reader, rows []*store.MarketRow) (map[store.ID]bool, error)
}

// New returns a Refresh within the transaction of w.
func New(w store.Writer, sum Sums, top Tops) *Refresh {
	return &Refresh{
		w: w, markets: map[store.ID]strongName{}, weak: map[store.ID]store.Name{}, events: map[store.ID]bool{}, series: map[store.ID]bool{},
		sum: sum, top: top,
		groups: groups{map[store.ID]bool{}, map[store.ID]*change{}},
	}
}

// Replaced notes that blocks of the markets touched were put in the place of others. Tops
// say where blocks are, and are derived anew even where the captures are what they were.
func (r *Refresh) Replaced() { r.replaced = true }

// Touch notes that a claim was stored.
func (r *Refresh) Touch(d Doc) {
	switch d.Kind {
	case store.MarketClaim:
		r.touchMarket(d.Owner, d.Says.(*MarketDoc))
	case store.EventClaim:
		r.events[d.Owner] = true
	case store.SeriesClaim:
		r.series[d.Owner] = true
	}
}

// Put stores claims, and derives and stores everything that depends on them. docs are
// their documents. Of claims about one owner by one source the last counts.
func (r *Refresh) Put(ctx context.Context, claims []store.Claim, docs []Doc) error {
	last := make(map[store.ClaimKey]int, len(claims))
	var owners []store.ID
	for i := range claims {
		last[claims[i].ClaimKey] = i
		if claims[i].Kind == store.MarketClaim {
			owners = append(owners, claims[i].Owner)
		}
	}
	slices.Sort(owners)
	owners = slices.Compact(owners)
	// Most have none yet: they need not be read back.
	there, err := r.w.Claims(ctx, store.MarketClaim, owners)
	if err != nil {
		return err
	}
	if err := r.w.Apply(ctx, &store.Changes{Claims: claims}); err != nil {
		return err
	}
	r.known = make(map[store.ID][]said, len(owners))
	for _, id := range owners {
		r.known[id] = nil
	}
	for i := range there {
		k := &there[i]
		if _, replaced := last[k.ClaimKey]; replaced {
			continue
		}
		d, err := Decode[MarketDoc](k)
		if err != nil {
			return err
		}
		r.known[k.Owner] = append(r.known[k.Owner], said{source: k.Source, owner: k.Owner, doc: d})
	}
	for i := range claims {
		k := claims[i].ClaimKey
		if r.Touch(docs[i]); k.Kind == store.MarketClaim && last[k] == i {
			r.known[k.Owner] = append(r.known[k.Owner], said{source: k.Source, owner: k.Owner, doc: docs[i].Says.(*MarketDoc)})
		}
	}
	return r.Run(ctx)
}

// touchMarket notes that a claim about a market, or a part under it, was put or
// removed.
func (r *Refresh) touchMarket(owner store.ID, d *MarketDoc) {
	if d.VenueID != "" && owner == store.MarketID(d.Venue, d.VenueID) {
		r.markets[owner] = strongName{d.Venue, d.VenueID}
		return
	}
	for _, n := range d.Names() {
		if owner == store.NameID(n.Venue, n.Text) {
			r.weak[owner] = n
		}
	}
}

// Run derives and stores everything that depends on what was touched.
func (r *Refresh) Run(ctx context.Context) error {
	if err := r.putGroups(ctx); err != nil {
		return err
	}
	if err := r.mergeMarkets(ctx); err != nil {
		return err
	}
	if err := r.moveWatermarks(ctx); err != nil {
		return err
	}
	if err := r.tally(ctx); err != nil {
		return err
	}
	return r.sumGroups(ctx)
}

// mergeMarkets makes the rows of the markets touched, and of those that gain or
// lose claims of a weak owner by it.
func (r *Refresh) mergeMarkets(ctx context.Context) error {
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
	r.rows = slices.Grow(r.rows, len(set.members))
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
	return r.topTheRest(ctx)
}

// topTheRest derives the tops of rounds that have been touched and whose tops are
// missing, as in an archive made before any were kept, or damaged.
func (r *Refresh) topTheRest(ctx context.Context) error {
	if r.top.Make == nil {
		return nil
	}
	made := map[store.ID]bool{}
	for _, id := range r.noTops {
		made[id] = true
	}
	var rest []*store.MarketRow
	for i := range r.rows {
		if row := &r.rows[i]; row.Market.IsUpDown() && row.Basis != [32]byte{} && !made[row.ID] {
			rest = append(rest, row)
		}
	}
	if len(rest) == 0 {
		return nil
	}
	sound, err := r.top.Sound(ctx, r.w, rest)
	if err != nil {
		return err
	}
	for _, row := range rest {
		if !sound[row.ID] {
			if err := r.retop(ctx, row); err != nil {
				return err
			}
		}
	}
	return nil
}

// makeRow merges the claims about one market and sums up its captures, unless
// they are those that its sums were made from.
func (r *Refresh) makeRow(ctx context.Context, id store.ID, mem *member, parts map[store.ID][]store.Part, old *store.MarketRow) (*store.MarketRow, error) {
	m := mergeClaims(mem.venue, mem.venueID, mem.claims)
	m.market.EventID, m.market.SeriesID = mem.eventID, mem.seriesID
	var all []store.Part
	for _, o := range mem.owners {
		all = append(all, parts[o]...)
	}
	own := m.placeParts(all)
	row := &store.MarketRow{ID: id, Market: m.market, Owners: mem.owners, Gaps: m.gaps, Undated: m.undated, Disputed: m.disputed}
	k := &row.Market
	if k.EventID != "" {
		row.Event = store.EventID(k.Venue, k.EventID)
	}
	if k.SeriesID != "" {
		row.Series = store.SeriesID(k.Venue, k.SeriesID)
	}
	row.Keys = make([][]store.ID, len(k.Tokens))
	for _, p := range own {
		if !slices.Contains(row.Keys[p.Index], p.Token) {
			row.Keys[p.Index] = append(row.Keys[p.Index], p.Token)
		}
	}
	m.boundByCaptures(row, own)
	if len(own) > 0 {
		row.Basis = store.BasisOf(k, own)
	}
	stats, err := r.stats(ctx, row, own, old)
	row.Stats = stats
	was := [32]byte{} // of no captures: then there are no tops either
	if old != nil {
		was = old.Basis
	}
	if err == nil && (was != row.Basis || r.replaced || old != nil && old.Damaged) {
		err = r.retop(ctx, row)
	}
	return row, err
}

// retop derives the tops of a market whose captures are not what, or not where, they were.
func (r *Refresh) retop(ctx context.Context, row *store.MarketRow) error {
	if r.top.Make == nil {
		return nil
	}
	r.noTops = append(r.noTops, row.ID)
	b, err := r.top.Make(ctx, r.w, row)
	if b != nil {
		r.tops = append(r.tops, *b)
	}
	return err
}

// boundByCaptures gives a market without dates those of its captures.
func (m *merged) boundByCaptures(row *store.MarketRow, own []Placed) {
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

func (r *Refresh) stats(ctx context.Context, row *store.MarketRow, own []Placed, old *store.MarketRow) (store.Stats, error) {
	if len(own) == 0 {
		return store.Stats{}, nil
	}
	if old != nil && old.Basis == row.Basis && !old.Damaged {
		return old.Stats, nil
	}
	return r.sum(ctx, r.w, row, own)
}

// moveWatermarks settles status and times of the rows, moves the watermark of
// each category, and settles the markets whose end it passed.
func (r *Refresh) moveWatermarks(ctx context.Context) error {
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
	if r.recedes(was) {
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
		r.see(r.old[r.rows[i].ID], &r.rows[i])
	}
	for _, id := range r.drop {
		r.see(r.old[id], nil)
	}
	for c, at := range marks {
		q := store.MarketQuery{Category: c}
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

// recedes reports whether captures were removed, or a market that has the newest
// capture of its category no longer has it there: a claim may hide captures, or move
// the market.
func (r *Refresh) recedes(marks map[market.Category]market.Instant) bool {
	if r.shrunk {
		return true
	}
	newest := func(old *store.MarketRow) bool {
		return old != nil && old.Market.Category != "" && old.Stats.Last != 0 && old.Stats.Last >= marks[old.Market.Category]
	}
	for i := range r.rows {
		row := &r.rows[i]
		if old := r.old[row.ID]; newest(old) && (row.Market.Category != old.Market.Category || row.Stats.Last < old.Stats.Last) {
			return true
		}
	}
	return slices.ContainsFunc(r.drop, func(id store.ID) bool { return newest(r.old[id]) })
}

// apply puts the rows, settled by the watermarks. was are those that are there
// now, as far as known.
func (r *Refresh) apply(ctx context.Context, marks map[market.Category]market.Instant, was map[store.ID]*store.MarketRow) error {
	for i := range r.rows {
		Settle(&r.rows[i], marks[r.rows[i].Market.Category])
	}
	c := &store.Changes{DropMarkets: r.drop, Markets: r.rows, Was: was, New: was != nil, Watermarks: marks, DropTops: r.noTops, Blocks: r.tops}
	r.noTops, r.tops = nil, nil
	return r.w.Apply(ctx, c)
}

// resettle settles rows that only the watermark has changed.
func (r *Refresh) resettle(ctx context.Context, q store.MarketQuery, at market.Instant) error {
	rows, err := r.w.Markets(ctx, q)
	if err != nil || len(rows) == 0 {
		return err
	}
	c := &store.Changes{Markets: rows, Was: map[store.ID]*store.MarketRow{}}
	for i := range rows {
		was := rows[i]
		Settle(&rows[i], at)
		r.see(&was, &rows[i])
		c.Was[was.ID] = &was
	}
	return r.w.Apply(ctx, c)
}

// Settle determines the status and times that depend on the watermark.
func Settle(row *store.MarketRow, watermark market.Instant) {
	m := &row.Market
	row.ClosedAt = m.ClosedAt
	switch {
	case m.Payout != nil && m.Payout.Basis == market.Official:
		row.Status = store.Resolved
	case m.Closed || !row.Undated && m.End != 0 && m.End <= watermark:
		row.Status = store.Closed
	default:
		row.Status = store.Open
	}
	if row.Status != store.Open && row.ClosedAt == 0 {
		row.ClosedAt = m.End
	}
	row.UpdatedAt = m.UpdatedAt
	if row.UpdatedAt == 0 {
		row.UpdatedAt = row.Stats.Last
		if row.Status != store.Open {
			row.UpdatedAt = max(row.UpdatedAt, row.ClosedAt)
		}
		if row.UpdatedAt == 0 {
			row.UpdatedAt = m.Start
		}
	}
}
