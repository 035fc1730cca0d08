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

// Info says what is in an archive.
type Info struct {
	Address string
	Bytes   int64 // on disk
	Sources int
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
	// Inferred counts markets whose payout a source concluded, Disputed those
	// on whose payout sources contradict each other.
	Inferred, Disputed int
	// DisputedMarkets are the first of these, by public id, at most ten.
	DisputedMarkets []string
	// Unlisted counts markets that nothing gives a category, and which therefore
	// are in no list; Unplaced the captures of tokens that no source places in
	// their market. Both are kept and appear once metadata says more.
	Unlisted int
	Unplaced int64
	// Unfinished counts sources whose import was not finished, Waiting the
	// blocks that wait for it.
	Unfinished int
	Waiting    int64
}

// MarketCount is a number of markets of a kind.
type MarketCount struct {
	Category   market.Category
	Coin, Type string
	Status     store.Status
	Markets    int
	Captured   int // with a capture in their round
	// Start and End are the earliest start and the latest end known.
	Start, End market.Instant
}

// StreamTotal sums up a stream. Captures that several sources gave count as
// often as they are stored.
type StreamTotal struct {
	Stream      block.Stream
	Blocks      int64
	Captures    int64
	Changes     int64 // level changes; of books only
	Bytes       int64 // of the blocks
	First, Last market.Instant
}

// PerChange returns the bytes a level change takes, or, in streams other than
// books, those of a capture. It is 0 without any.
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

// MarketSpan is a stretch of time of a market.
type MarketSpan struct {
	ID, Slug string
	Length   market.Span
}

// mostSpans is how many of the longest stretches Info lists.
const mostSpans = 10

// InfoOf sums up what is in the archive.
func InfoOf(ctx context.Context, s store.Store) (*Info, error) {
	in := &informer{out: &Info{Address: s.Address()}, counts: map[MarketCount]*MarketCount{}, streams: map[block.Stream]*StreamTotal{}}
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
	counts  map[MarketCount]*MarketCount
	streams map[block.Stream]*StreamTotal
}

func (in *informer) run(ctx context.Context, r store.Reader) error {
	sources, err := r.Sources(ctx, nil)
	if err != nil {
		return err
	}
	in.out.Sources = len(sources)
	for _, s := range sources {
		if !s.Complete {
			in.out.Unfinished++
		}
	}
	if in.out.Watermarks, err = r.Watermarks(ctx); err != nil {
		return err
	}
	err = store.EachMarket(ctx, r, store.MarketQuery{Unlisted: true}, func(rows []store.MarketRow) error {
		var owners []store.ID
		keys := map[store.ID]bool{}
		for i := range rows {
			owners = append(owners, rows[i].Owners...)
			for _, k := range rows[i].Keys {
				for _, id := range k {
					keys[id] = true
				}
			}
			in.market(&rows[i])
		}
		parts, err := r.Parts(ctx, owners)
		if err != nil {
			return err
		}
		for _, p := range parts {
			in.part(p, keys[p.Token])
		}
		return nil
	})
	in.finish()
	return err
}

func (in *informer) market(row *store.MarketRow) {
	m, o := &row.Market, in.out
	o.Captures += row.Stats.Captures
	if m.Category == "" {
		o.Unlisted++
		return
	}
	key := MarketCount{Category: m.Category, Coin: m.Coin, Type: m.Type, Status: row.Status}
	c := in.counts[key]
	if c == nil {
		c = &key
		in.counts[MarketCount{Category: m.Category, Coin: m.Coin, Type: m.Type, Status: row.Status}] = c
	}
	c.Markets++
	if row.Stats.Captured {
		c.Captured++
	}
	if m.Start != 0 && (c.Start == 0 || m.Start < c.Start) {
		c.Start = m.Start
	}
	c.End = max(c.End, m.End)
	if s := row.Stats; s.Captures > 0 {
		if o.First == 0 || s.First < o.First {
			o.First = s.First
		}
		o.Last = max(o.Last, s.Last)
		if row.Status != store.Open { // the rest of an open round is not silent, it is to come
			o.Silences = longest(o.Silences, MarketSpan{m.VenueID, m.Slug, s.Silence})
		}
	}
	for _, g := range row.Gaps {
		o.Gaps = longest(o.Gaps, MarketSpan{m.VenueID, m.Slug, g.To - g.From})
	}
	if m.Payout != nil && m.Payout.Basis == market.Inferred {
		o.Inferred++
	}
	if row.Disputed {
		o.Disputed++
		o.DisputedMarkets = append(o.DisputedMarkets, m.VenueID)
		slices.Sort(o.DisputedMarkets)
		o.DisputedMarkets = o.DisputedMarkets[:min(mostSpans, len(o.DisputedMarkets))]
	}
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
	return list[:min(mostSpans, len(list))]
}

func (in *informer) part(p store.Part, placed bool) {
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
	for _, c := range in.counts {
		in.out.Markets = append(in.out.Markets, *c)
	}
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
