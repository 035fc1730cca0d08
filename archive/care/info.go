package care

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// Info summarises the contents of an archive.
type Info struct {
	Address string
	Bytes   int64 // on disk
	// Packs sums up the packs of each depot: objects outside the archive with blocks.
	Packs []PackTotal
	// Metadata is Bytes without those of captures: what sources say, rows, indexes,
	// and free space.
	Metadata int64
	Sources  int
	// Markets counts markets by category, coin, length and status, in that
	// order. Coin and length are empty for those that are no up/down rounds.
	Markets []MarketCount
	// Streams sums up the visible captures of each stream that has any.
	Streams []StreamTotal
	// Captures counts the visible captures of all streams, equal ones once;
	// Repeated those that are stored once more: another source gave them too, or
	// the same one after its clock had gone back. Results do not depend on them.
	Captures, Repeated int64
	// First and Last are the earliest and the latest capture; zero: none.
	First, Last market.Instant
	Watermarks  map[market.Category]market.Instant
	// Silences are the markets with the longest stretches of their round without
	// a capture, longest first, at most ten; open markets and those without
	// captures are not among them. Gaps are the longest stretches that sources declare as
	// missing.
	Silences []MarketSpan
	Gaps     []MarketSpan
	// Inferred counts markets with an inferred payout, Disputed those on whose
	// payout sources contradict each other.
	Inferred, Disputed int
	// DisputedMarkets are the first of these, by slug, at most ten.
	DisputedMarkets []string
	// Unlisted counts markets that nothing gives a category, and which therefore
	// are in no list; Unplaced the captures of tokens that no source places in
	// their market. Both are kept and appear once metadata says more.
	Unlisted int
	Unplaced int64
	// Unfinished counts sources whose import was not finished, Waiting the
	// blocks that wait for it. Reduced counts those of which markets were removed.
	Unfinished int
	Waiting    int64
	Reduced    int
}

// MarketCount is a number of markets of a kind.
type MarketCount struct {
	Category   market.Category
	Coin, Type string
	Status     store.Status
	Markets    int
	Captured   int // with a capture within the round
	// Start and End are the earliest start and the latest end known.
	Start, End market.Instant
}

// StreamTotal summarises a stream. Captures from several sources count as often
// as they are stored.
type StreamTotal struct {
	Stream      block.Stream
	Blocks      int64
	Captures    int64
	Changes     int64 // level changes; of books only
	Bytes       int64 // of the blocks
	First, Last market.Instant
}

// PackTotal sums up the packs of a depot.
type PackTotal struct {
	Address string
	Packs   int
	Bytes   int64 // of the objects
	// Blocks and UsedBytes are what the archive has in them; the other bytes are of
	// what was removed.
	Blocks, UsedBytes int64
}

// PerChange returns the bytes per level change or, in streams other than books,
// per capture. It is 0 if there are none.
func (s StreamTotal) PerChange() float64 {
	n := s.Captures
	if s.Stream == block.Books {
		n = s.Changes
	}
	if n == 0 {
		return 0
	}
	return float64(s.Bytes) / float64(n)
}

// MarketSpan is a period of a market.
type MarketSpan struct {
	ID, Slug string
	Length   market.Span
}

// maxSpans is how many of the longest stretches Info lists.
const maxSpans = 10

// InfoOf summarises the contents of the archive.
func InfoOf(ctx context.Context, s store.Store) (*Info, error) {
	in := &informer{out: &Info{Address: s.Address()}, streams: map[block.Stream]*StreamTotal{}}
	var err error
	if in.out.Bytes, err = s.Size(ctx); err != nil {
		return nil, fmt.Errorf("info: %w", err)
	}
	if err := s.View(ctx, func(r store.Reader) error { return in.run(ctx, r) }); err != nil {
		return nil, fmt.Errorf("info: %w", err)
	}
	return in.out, nil
}

type informer struct {
	out     *Info
	streams map[block.Stream]*StreamTotal
	stored  int64 // bytes of all blocks
	packed  int64 // of those in packs
}

// run reads what is kept of all markets together, every part, and of single
// markets only those that are named.
func (in *informer) run(ctx context.Context, r store.Reader) error {
	o := in.out
	sources, err := r.Sources(ctx, nil)
	if err != nil {
		return err
	}
	o.Sources = len(sources)
	for i := range sources {
		switch {
		case sources[i].Interrupted():
			o.Unfinished++
		case !sources[i].Complete:
			o.Reduced++
		}
	}
	if o.Watermarks, err = r.Watermarks(ctx); err != nil {
		return err
	}
	tallies, err := store.TotalsOf(ctx, r)
	if err != nil {
		return err
	}
	for i := range tallies {
		in.tally(&tallies[i])
	}
	for _, step := range []func(context.Context, store.Reader) error{in.parts, in.named, in.packs} {
		if err := step(ctx, r); err != nil {
			return err
		}
	}
	in.finish()
	return nil
}

func (in *informer) tally(t *store.Tally) {
	o := in.out
	o.Captures += t.Captures
	if t.Category == "" {
		o.Unlisted += int(t.Markets)
		return
	}
	o.Markets = append(o.Markets, MarketCount{
		Category: t.Category, Coin: t.Coin, Type: t.Type, Status: t.Status,
		Markets: int(t.Markets), Captured: int(t.Captured), Start: t.Start, End: t.End,
	})
	if t.First != 0 && (o.First == 0 || t.First < o.First) {
		o.First = t.First
	}
	o.Last = max(o.Last, t.Last)
	o.Inferred += int(t.Inferred)
	o.Disputed += int(t.Disputed)
}

// packs sums up the packs.
func (in *informer) packs(ctx context.Context, r store.Reader) error {
	packs, err := r.Packs(ctx)
	at := map[string]int{}
	for i := range packs {
		p := &packs[i]
		k, ok := at[p.Address]
		if !ok {
			k = len(in.out.Packs)
			at[p.Address] = k
			in.out.Packs = append(in.out.Packs, PackTotal{Address: p.Address})
		}
		t := &in.out.Packs[k]
		t.Packs++
		t.Bytes += p.Bytes
		t.Blocks += p.Used
		t.UsedBytes += p.UsedBytes
		in.packed += p.UsedBytes
	}
	return err
}

// partPage is how many parts are looked at at a time.
const partPage = 5000

// parts sums up the parts. Those of a token without a place in its market are in no
// stream.
func (in *informer) parts(ctx context.Context, r store.Reader) error {
	keys, err := r.Placed(ctx)
	if err != nil {
		return err
	}
	placed := make(map[store.ID]bool, len(keys))
	for _, k := range keys {
		placed[k] = true
	}
	after := store.PartKey{Owner: -1}
	for {
		page, err := r.PartsAfter(ctx, after, partPage)
		if err != nil {
			return err
		}
		for _, p := range page {
			in.part(p, placed[p.Token])
		}
		if len(page) < partPage {
			return ctx.Err()
		}
		after = page[len(page)-1].PartKey
	}
}

// named looks up the markets that are named: of the longest silences and gaps, and
// those on whose payout sources contradict each other.
func (in *informer) named(ctx context.Context, r store.Reader) error {
	o := in.out
	for _, stretch := range []store.Stretch{store.Silences, store.Gaps} {
		ids, err := r.Longest(ctx, stretch, maxSpans)
		if err != nil {
			return err
		}
		rows, err := r.Markets(ctx, store.MarketQuery{IDs: append([]store.ID{}, ids...)})
		if err != nil {
			return err
		}
		for i := range rows {
			m := &rows[i].Market
			if stretch == store.Silences {
				o.Silences = longest(o.Silences, MarketSpan{m.VenueID, m.Slug, rows[i].Stats.Silence})
				continue
			}
			for _, g := range rows[i].Gaps {
				o.Gaps = longest(o.Gaps, MarketSpan{m.VenueID, m.Slug, g.To - g.From})
			}
		}
	}
	if o.Disputed == 0 {
		return nil
	}
	rows, err := r.Markets(ctx, store.MarketQuery{Disputed: true})
	for i := range rows {
		o.DisputedMarkets = append(o.DisputedMarkets, cmp.Or(rows[i].Market.Slug, rows[i].Market.VenueID))
	}
	slices.Sort(o.DisputedMarkets)
	o.DisputedMarkets = o.DisputedMarkets[:min(maxSpans, len(o.DisputedMarkets))]
	return err
}

// longest keeps the longest spans, longest first, ties by id.
func longest(list []MarketSpan, s MarketSpan) []MarketSpan {
	if s.Length <= 0 {
		return list
	}
	list = append(list, s)
	slices.SortFunc(list, func(a, b MarketSpan) int {
		return cmp.Or(cmp.Compare(b.Length, a.Length), cmp.Compare(a.ID, b.ID))
	})
	return list[:min(maxSpans, len(list))]
}

func (in *informer) part(p store.Part, placed bool) {
	in.stored += p.Bytes
	switch {
	case !p.Whole:
		in.out.Waiting += p.Blocks
		return
	case !placed:
		in.out.Unplaced += p.Captures
		return
	}
	s := in.streams[p.Stream]
	if s == nil {
		s = &StreamTotal{Stream: p.Stream, First: p.First}
		in.streams[p.Stream] = s
	}
	s.Blocks += p.Blocks
	s.Captures += p.Captures
	s.Changes += p.Changes
	s.Bytes += p.Bytes
	s.First, s.Last = min(s.First, p.First), max(s.Last, p.Last)
}

func (in *informer) finish() {
	in.out.Metadata = max(0, in.out.Bytes-(in.stored-in.packed))
	slices.SortFunc(in.out.Markets, func(a, b MarketCount) int {
		_, la, _ := market.ParseLength(a.Type)
		_, lb, _ := market.ParseLength(b.Type)
		return cmp.Or(cmp.Compare(a.Category, b.Category), cmp.Compare(a.Coin, b.Coin), cmp.Compare(la, lb),
			cmp.Compare(a.Type, b.Type), cmp.Compare(a.Status, b.Status))
	})
	in.out.Repeated = -in.out.Captures
	for _, s := range in.streams {
		in.out.Repeated += s.Captures
	}
	for _, s := range []block.Stream{block.Books, block.Quotes, block.Trades, block.Metrics} {
		if t := in.streams[s]; t != nil {
			in.out.Streams = append(in.out.Streams, *t)
		}
	}
}
