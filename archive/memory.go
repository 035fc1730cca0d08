package archive

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/ladderback/ladderback/archive/history"
	"github.com/ladderback/ladderback/market"
)

// Moment tells the states that an archive goes through apart.
type Moment struct {
	// Write is of the transaction that wrote last, as of NewWrite: as long as it
	// is the same, every row is. It is no count: one that is restored from a
	// backup, or made anew, comes to the same count again with other rows.
	Write int64
	// Watermarks are those that were last put. Nobody changes the map.
	Watermarks map[market.Category]market.Instant
}

// NewWrite returns a number that no other transaction is marked by.
func NewWrite() int64 { return rand.Int64() }

// memory is what an archive keeps of its answers. Rows are kept for one Moment
// alone; prices by what they were made from, which stays.
type memory struct {
	bytes int
	mids  *recent[midsKey, *history.Mids]

	mu  sync.Mutex
	now *known
}

// known is what is known of an archive as of one moment.
type known struct {
	Moment
	rows *recent[rowKey, place]
}

// rowKey is what a market was asked for by.
type rowKey struct {
	token    bool
	name     string
	category market.Category
}

// place is a market, and the index of the token that was asked for.
type place struct {
	row   *Listing
	token int
}

// midsKey names the prices of a chunk of a market's captures.
type midsKey struct {
	id       ID
	content  [32]byte
	mirrored bool
	from     market.Instant
}

// Remember makes a keep up to about that many bytes of what Market, Token,
// Watermarks, CapturesFrom and Prices read, to answer the next ones from. What
// is kept is never older than the call: one that follows a write of any process
// sees what was written. It is called before anything else is.
func (a *Archive) Remember(bytes int) {
	a.memory = &memory{bytes: bytes, mids: newRecent[midsKey, *history.Mids](bytes / 2)}
}

// lookAt returns what is known of the archive as it is now.
func (a *Archive) lookAt(ctx context.Context) (*known, error) {
	now, err := a.store.Moment(ctx)
	if err != nil {
		return nil, err
	}
	m := a.memory
	if m == nil {
		return &known{now, newRecent[rowKey, place](0)}, nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.now == nil || m.now.Write != now.Write {
		m.now = &known{now, newRecent[rowKey, place](m.bytes / 2)}
	}
	return m.now, nil
}

// remembered returns the market that k names as it is now, from memory or else
// by find.
func (a *Archive) remembered(ctx context.Context, k rowKey, find func() (*Listing, int, error)) (*Listing, int, error) {
	now, err := a.lookAt(ctx)
	if err != nil {
		return nil, 0, err
	}
	for try := 0; ; try++ {
		if p, ok := now.rows.get(k); ok {
			return p.row, p.token, nil
		}
		row, token, err := find()
		if err != nil {
			return nil, 0, err
		}
		was := now
		if now, err = a.lookAt(ctx); err != nil {
			return nil, 0, err
		}
		row.Watermark = was.Watermarks[row.Market.Category]
		if now.Write == was.Write {
			row.shared = &shared{key: k, write: now.Write}
			now.rows.put(k, place{row, token}, row.bytes(k))
		} else if try < mostTries {
			continue
		}
		return row, token, nil
	}
}

// mostTries is how often a row is read again because of a write meanwhile.
const mostTries = 3

// bytes estimates what row takes in memory under the key, without its blocks.
func (row *Listing) bytes(k rowKey) int {
	m := &row.Market
	return 2000 + len(k.name) + len(m.Description) + len(m.Question) + 400*len(m.Tokens) + 50*len(m.Tags) + 50*len(row.Gaps)
}

// shared is what all who were given the same Listing find out about it.
type shared struct {
	key   rowKey
	write int64 // Moment.Write when it was read
	mu    sync.Mutex
	plan  *plan
}

// planOf returns where row's captures are.
func (a *Archive) planOf(ctx context.Context, row *Listing) (*plan, error) {
	s := row.shared
	if s == nil {
		return a.planAs(ctx, &row.MarketRow)
	}
	s.mu.Lock()
	p := s.plan
	s.mu.Unlock()
	if p != nil {
		return p, nil
	}
	p, err := a.planAt(ctx, &row.MarketRow, s.write)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.plan = p
	s.mu.Unlock()
	a.weigh(s, row.bytes(s.key)+p.bytes())
	return p, nil
}

// weigh notes what a row that is kept takes in memory from now on.
func (a *Archive) weigh(s *shared, bytes int) {
	m := a.memory
	if m == nil {
		return
	}
	m.mu.Lock()
	now := m.now
	m.mu.Unlock()
	if now != nil && now.Write == s.write {
		now.rows.resize(s.key, bytes)
	}
}

// bytes returns roughly what the blocks of p take in memory: a BlockRef each.
func (p *plan) bytes() int { return 128*cap(p.refs) + 32*len(p.index) }

// planAt is planAs for a row that was read when that write was the last: as long
// as it is, the row is not read again.
func (a *Archive) planAt(ctx context.Context, row *MarketRow, write int64) (*plan, error) {
	p := &plan{row: *row}
	err := a.store.View(ctx, func(r Reader) (err error) {
		p.refs, p.index, err = gatherRefs(ctx, r, row)
		return err
	})
	now, failed := a.store.Moment(ctx)
	if failed != nil {
		return nil, failed
	}
	if now.Write != write {
		return a.planAs(ctx, row)
	}
	return p, err
}

// planAs is plan for the captures that row sums up, or ErrChanged.
func (a *Archive) planAs(ctx context.Context, row *MarketRow) (*plan, error) {
	p, err := a.plan(ctx, &row.Market)
	if errors.Is(err, ErrNotFound) || err == nil && p.row.Basis != row.Basis {
		err = ErrChanged
	}
	return p, err
}

// blame returns what err, met while the blocks of p were read, is: of those that
// a write has taken away since, ErrChanged.
func (a *Archive) blame(ctx context.Context, p *plan, err error) error {
	if !errors.Is(err, ErrDamaged) {
		return err
	}
	now, again := a.planAs(ctx, &p.row)
	if errors.Is(again, ErrChanged) || again == nil && !slices.Equal(now.refs, p.refs) {
		return ErrChanged
	}
	return err
}

// untouched returns when the first block begins that does not begin before end.
func (p *plan) untouched(end market.Instant) market.Instant {
	first := market.Latest
	for i := range p.refs {
		if at := p.refs[i].First; at >= end {
			first = min(first, at)
		}
	}
	return first
}

const (
	// mostChunks is up to how many chunks prices are kept for at a time.
	mostChunks = 32
	// mostBooks is up to how many tokens a market has whose prices are kept: a
	// chunk holds all of them, whichever is asked for.
	mostBooks = 200
)

// Prices is history.Prices over the captures of a market that Market or Token
// returned. until is about how far emit will let it get; q.Window.End at most.
// It cares for q.Exact itself.
func (a *Archive) Prices(ctx context.Context, row *Listing, q history.Request, until market.Instant, emit func(t market.Instant, p []int64) bool) error {
	first := max(q.Window.First(), q.Known.From)
	if a.memory == nil || until-first > mostChunks*history.Chunk || len(row.Market.Tokens) > mostBooks {
		q.Exact = first
		return history.Prices(q, a.CapturesFrom(ctx, row, first, min(q.Window.Stop(), q.Known.To), ForPrices), emit)
	}
	chunk := func(from market.Instant) (*history.Mids, error) {
		return a.mids(ctx, row, from, min(until, q.Known.To))
	}
	return history.PricesOf(q, chunk, emit)
}

// mids returns the chunk that begins at from. When it is not kept, those that
// follow are read with it as far as they begin before until or take no further
// block to be decoded.
func (a *Archive) mids(ctx context.Context, row *Listing, from, until market.Instant) (*history.Mids, error) {
	key := func(from market.Instant) midsKey {
		return midsKey{row.ID, row.Stats.Content, row.Market.Mirrored, from}
	}
	if m, ok := a.memory.mids.get(key(from)); ok {
		return m, nil
	}
	p, err := a.planOf(ctx, row)
	if err != nil {
		return nil, err
	}
	end, n := from+history.Chunk, 1
	for bound := p.untouched(max(end, until)); n < mostChunks; n++ {
		if end >= until && (end+history.Chunk > bound || end > row.Stats.Last) {
			break
		}
		if _, ok := a.memory.mids.get(key(end)); ok {
			break
		}
		end += history.Chunk
	}
	made, err := history.ReadMids(&row.Market, from, n, a.CapturesFrom(ctx, row, from, end, ForPrices))
	if err != nil {
		return nil, err
	}
	for i, m := range made {
		a.memory.mids.put(key(from+market.Instant(i)*history.Chunk), m, m.Bytes()+64)
	}
	return made[0], nil
}
