package store

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"maps"
	"math"
	"reflect"
	"slices"

	"github.com/maypok86/otter/v2"

	"github.com/ladderback/ladderback/market"
)

// Cached returns s with lookups of single markets (their ids, their rows, where their blocks
// are, and those that are read under KeepBlocks) cached in memory up to about that many
// bytes; zero: no cache. The cache is
// never staler than the call it answers: a call that follows a write by any
// process sees that write. The result takes ownership of s.
func Cached(s Store, bytes int) Store {
	if bytes <= 0 {
		return s
	}
	return &cached{s, otter.Must(&otter.Options[lookup, answer]{
		MaximumWeight: uint64(bytes),
		Weigher:       func(_ lookup, a answer) uint32 { return uint32(min(a.bytes(), math.MaxUint32)) },
		Executor:      func(f func()) { f() }, // no goroutine outlives a call
	})}
}

type cached struct {
	Store
	kept *otter.Cache[lookup, answer]
}

// lookup is a frequent query, with the write as of which its answer held.
type lookup struct {
	write    int64
	what     byte
	text     string // a name, or the id of a token
	category market.Category
	venue    market.Venue
	ids      string // eight bytes each
}

// Kinds of lookup.
const (
	aMarkets byte = iota
	aListings
	aTokens
	aBlocks
	aBlock // whose checksum stands in the place of the write
)

// answer is what one kind of lookup gives.
type answer struct {
	rows     []MarketRow
	listings []Listing
	ids      []ID
	refs     []BlockRef
	data     []byte
}

func (a *answer) bytes() int {
	n := 200 + 8*len(a.ids) + 128*cap(a.refs) + len(a.data)
	for i := range a.rows {
		n += a.rows[i].bytes()
	}
	for i := range a.listings {
		n += a.listings[i].bytes()
	}
	return n
}

// bytes estimates what the row takes in memory.
func (row *MarketRow) bytes() int {
	m := &row.Market
	return 1500 + len(m.Description) + len(m.Question) + 400*len(m.Tokens) + 50*len(m.Tags) + 50*len(row.Gaps)
}

// View implements Store. All queries of read are answered either from memory or
// from one snapshot; answers from a snapshot are cached unless a write came in
// between.
func (c *cached) View(ctx context.Context, read func(Reader) error) error {
	now, err := c.Store.Moment(ctx)
	if err != nil {
		return err
	}
	err = read(&fromMemory{c: c, now: now})
	if !errors.Is(err, errNotKept) {
		return err
	}
	k := &keeping{write: now.Write, found: map[lookup]answer{}}
	err = c.Store.View(ctx, func(r Reader) error {
		k.Reader = r
		return read(k)
	})
	if err != nil || len(k.found) == 0 {
		return err
	}
	then, err := c.Store.Moment(ctx)
	if err == nil && then.Write == now.Write {
		for q, a := range k.found {
			c.kept.Set(q, a)
		}
	}
	return err
}

type keepBlocks struct{}

// KeepBlocks returns a context under which a store of Cached keeps the blocks that are read:
// they will be asked for again.
func KeepBlocks(ctx context.Context) context.Context {
	return context.WithValue(ctx, keepBlocks{}, true)
}

// fewBlocks is up to how many blocks are looked for in memory: who reads more at once
// reads on, and not soon again.
const fewBlocks = 4

// ReadBlocks implements BlockReader. Blocks never change.
func (c *cached) ReadBlocks(ctx context.Context, refs []BlockRef, each func(i int, data []byte) error) error {
	if len(refs) > fewBlocks || ctx.Value(keepBlocks{}) == nil {
		return c.Store.ReadBlocks(ctx, refs, each)
	}
	var missing []BlockRef
	var at []int // in refs
	for i := range refs {
		a, ok := c.kept.GetIfPresent(blockLookup(&refs[i]))
		if !ok {
			missing, at = append(missing, refs[i]), append(at, i)
		} else if err := each(i, a.data); err != nil {
			return err
		}
	}
	if len(missing) == 0 {
		return ctx.Err()
	}
	return c.Store.ReadBlocks(ctx, missing, func(i int, data []byte) error {
		if ref := &missing[i]; len(data) == ref.Bytes && Checksum(data) == ref.Checksum {
			c.kept.Set(blockLookup(ref), answer{data: bytes.Clone(data)})
		}
		return each(at[i], data)
	})
}

func blockLookup(ref *BlockRef) lookup {
	return lookup{write: int64(ref.Checksum), what: aBlock, ids: packed(ref.Token, ID(ref.Sequence), ID(ref.First), ID(ref.Stream))}
}

// maxIDs is the maximum number of ids in a lookup.
const maxIDs = 4

// marketLookup returns the lookup that a query amounts to; false: it is a list.
func marketLookup(write int64, what byte, q MarketQuery) (lookup, bool) {
	k := lookup{write: write, what: what, text: q.Name, category: q.Category, venue: q.Venue}
	if len(q.IDs) > maxIDs || q.IDs == nil && q.Name == "" || q.Unlisted != (what == aMarkets) {
		return k, false
	}
	k.ids = packed(q.IDs...)
	if q.Limit != 0 {
		k.ids += "+"
	}
	q.IDs, q.Name, q.Category, q.Venue, q.Unlisted, q.Limit = nil, "", "", "", false, 0
	return k, reflect.ValueOf(&q).Elem().IsZero()
}

func packed(ids ...ID) string {
	var b []byte
	for _, id := range ids {
		b = binary.BigEndian.AppendUint64(b, uint64(id))
	}
	return string(b)
}

func blocksLookup(write int64, row *MarketRow) lookup {
	return lookup{write: write, what: aBlocks, text: string(row.Basis[:]), ids: packed(row.ID)}
}

// errNotKept ends a View that cannot be answered from memory.
var errNotKept = errors.New("not kept")

// fromMemory is a Reader that answers from memory, or errNotKept.
type fromMemory struct {
	nothing
	c   *cached
	now Moment
}

func (r *fromMemory) get(k lookup) (answer, error) {
	if a, ok := r.c.kept.GetIfPresent(k); ok {
		return a, nil
	}
	return answer{}, errNotKept
}

func (r *fromMemory) Markets(_ context.Context, q MarketQuery) ([]MarketRow, error) {
	if k, ok := marketLookup(r.now.Write, aMarkets, q); ok {
		a, err := r.get(k)
		return slices.Clone(a.rows), err
	}
	return nil, errNotKept
}

func (r *fromMemory) Listings(_ context.Context, q MarketQuery) ([]Listing, error) {
	if k, ok := marketLookup(r.now.Write, aListings, q); ok {
		a, err := r.get(k)
		return slices.Clone(a.listings), err
	}
	return nil, errNotKept
}

func (r *fromMemory) Tokens(_ context.Context, venueID string) ([]ID, error) {
	a, err := r.get(lookup{write: r.now.Write, what: aTokens, text: venueID})
	return a.ids, err
}

func (r *fromMemory) Blocks(_ context.Context, row *MarketRow) ([]BlockRef, error) {
	a, err := r.get(blocksLookup(r.now.Write, row))
	return a.refs, err
}

func (r *fromMemory) Watermarks(context.Context) (map[market.Category]market.Instant, error) {
	return maps.Clone(r.now.Watermarks), nil
}

// keeping is a Reader that records its answers.
type keeping struct {
	Reader
	write int64
	found map[lookup]answer
}

func (r *keeping) Markets(ctx context.Context, q MarketQuery) ([]MarketRow, error) {
	rows, err := r.Reader.Markets(ctx, q)
	if k, ok := marketLookup(r.write, aMarkets, q); ok && len(rows) > 0 && err == nil {
		r.found[k] = answer{rows: slices.Clone(rows)}
	}
	return rows, err
}

func (r *keeping) Listings(ctx context.Context, q MarketQuery) ([]Listing, error) {
	list, err := r.Reader.Listings(ctx, q)
	if k, ok := marketLookup(r.write, aListings, q); ok && len(list) > 0 && err == nil {
		r.found[k] = answer{listings: slices.Clone(list)}
		for i := range list { // their captures will be read next
			own, _ := marketLookup(r.write, aMarkets, MarketQuery{IDs: []ID{list[i].ID}, Unlisted: true})
			r.found[own] = answer{rows: []MarketRow{list[i].MarketRow}}
		}
	}
	return list, err
}

func (r *keeping) Tokens(ctx context.Context, venueID string) ([]ID, error) {
	ids, err := r.Reader.Tokens(ctx, venueID)
	if len(ids) > 0 && err == nil {
		r.found[lookup{write: r.write, what: aTokens, text: venueID}] = answer{ids: ids}
	}
	return ids, err
}

func (r *keeping) Blocks(ctx context.Context, row *MarketRow) ([]BlockRef, error) {
	refs, err := r.Reader.Blocks(ctx, row)
	if err == nil {
		r.found[blocksLookup(r.write, row)] = answer{refs: refs}
	}
	return refs, err
}

// nothing is a Reader with nothing cached.
type nothing struct{}

func (nothing) ReadBlocks(context.Context, []BlockRef, func(int, []byte) error) error {
	return errNotKept
}
func (nothing) Alone(context.Context) (IDs, error) { return IDs{}, errNotKept }

func (nothing) CountMarkets(context.Context) (int64, error)                { return 0, errNotKept }
func (nothing) Tallies(context.Context, TallyQuery) ([]Tally, error)       { return nil, errNotKept }
func (nothing) Days(context.Context, int64, int64) ([]Day, error)          { return nil, errNotKept }
func (nothing) Seal(context.Context) (int64, error)                        { return 0, errNotKept }
func (nothing) Placed(context.Context) ([]ID, error)                       { return nil, errNotKept }
func (nothing) Longest(context.Context, Stretch, int) ([]ID, error)        { return nil, errNotKept }
func (nothing) BoundsOf(context.Context, TallyKey) (Bounds, error)         { return Bounds{}, errNotKept }
func (nothing) Events(context.Context, GroupQuery) ([]EventRow, error)     { return nil, errNotKept }
func (nothing) Series(context.Context, GroupQuery) ([]SeriesRow, error)    { return nil, errNotKept }
func (nothing) Tags(context.Context, market.Category) ([]string, error)    { return nil, errNotKept }
func (nothing) Totals(context.Context, Group, []ID) (map[ID]Totals, error) { return nil, errNotKept }
func (nothing) Sources(context.Context, []SourceID) ([]Source, error)      { return nil, errNotKept }
func (nothing) Claims(context.Context, ClaimKind, []ID) ([]Claim, error)   { return nil, errNotKept }
func (nothing) Parts(context.Context, []ID) ([]Part, error)                { return nil, errNotKept }
func (nothing) Tops(context.Context, []ID) ([]BlockRef, error)             { return nil, errNotKept }
func (nothing) Places(context.Context, []ID, []ID, []ID) (*Places, error)  { return nil, errNotKept }
func (nothing) BlockTokens(context.Context, ID, int) ([]ID, error)         { return nil, errNotKept }
func (nothing) NewestCapture(context.Context, market.Category) (market.Instant, error) {
	return 0, errNotKept
}
func (nothing) RoundKeys(context.Context, string, string, market.Instant, market.Instant, func(*RoundKey)) error {
	return errNotKept
}
func (nothing) PartsAfter(context.Context, PartKey, int) ([]Part, error) { return nil, errNotKept }
func (nothing) ClaimsOf(context.Context, SourceID, ClaimKey, int) ([]ClaimKey, error) {
	return nil, errNotKept
}
func (nothing) Refs(context.Context, []ID, market.Instant, market.Instant) ([]BlockRef, error) {
	return nil, errNotKept
}
func (nothing) Depots(context.Context) ([]Depot, error)         { return nil, errNotKept }
func (nothing) Packs(context.Context) ([]PackUse, error)        { return nil, errNotKept }
func (nothing) Loose(context.Context, []ID) ([]BlockRef, error) { return nil, errNotKept }
func (nothing) PackRefs(context.Context, ID, int64, int) ([]PackedRef, error) {
	return nil, errNotKept
}
