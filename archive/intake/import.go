package intake

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/archive/derive"
	"github.com/ladderback/ladderback/archive/scan"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// Import is the import of one file. Its methods may be called from several
// goroutines; a MarketImport belongs to one goroutine at a time. Imports of
// different files may run concurrently.
//
// Data is committed to the archive in transactions of a few megabytes, unless it is
// deferred. After an error, or if Finish is never called, what was committed remains,
// and importing the file again completes it.
type Import struct {
	in  *Intake
	ctx context.Context // of Begin, for what Add must write
	// held and feeds are the bytes of captures that are not yet in blocks, and
	// what they are spread over.
	held, feeds atomic.Int64
	// again: an earlier import of this file left something, which is replaced.
	again bool
	// keep: what an earlier import left, or another one is putting right now, is
	// sound and stays. Putting it again meets the same keys.
	keep bool
	done bool // it had been imported in whole
	// undated: of the time of the market that was looked up last nothing was known.
	undated atomic.Bool
	// deferred: what the file says goes to the ledger.
	deferred bool
	alone    bool // see Alone
	// torn are parts whose blocks turned out to be cut differently by an earlier
	// import that was not finished. They were dropped.
	torn map[store.PartKey]bool

	mu      sync.Mutex
	src     store.Source
	open    map[store.Name]*MarketImport
	markets list.List               // open *MarketImport, in order of opening
	seen    map[store.ID]struct{}   // owners of claims put in this run
	orders  map[store.ID]order      // of those that captures were added of
	owners  map[store.Name]store.ID // of markets whose captures were put in this run
	parts   map[partID]*partSum     // of captures put in this run
	pending batch
	watched map[store.ID]*observer // of the markets in pending, by owner
}

// order is what must be known of a market's captures so far to say where the
// next one stands.
type order struct {
	last  market.Instant // latest receive time
	ord   uint32         // of the capture at last that was added last
	count int64          // captures added, with late ones
}

// partID names a part within a source.
type partID struct {
	token  store.ID
	stream block.Stream
}

// partSum is what an import knows of a part after its market is done.
type partSum struct {
	store.Part
	lanes int64 // used so far
	put   bool  // its row was put in this run
}

// batch is what waits for the next transaction.
type batch struct {
	changes store.Changes
	docs    []derive.Doc
	bytes   int
}

// Begin starts or resumes the import of one file. src gives SHA256, Name, Size,
// Format, Authority and Licence; a zero ImportedAt means now. The import fills
// in the rest.
//
// When the file has been imported before, and every block of it is sound,
// Import.Complete is true and there is nothing to do. Otherwise importing it
// replaces what an earlier import left, damaged blocks included.
func (in *Intake) Begin(ctx context.Context, src store.Source) (*Import, error) {
	if src.Authority < store.FromCaptures || src.Authority > store.FromExchange {
		return nil, fmt.Errorf("import %s: authority %d: expected 1 to 3", src.Name, src.Authority)
	}
	src.ID = src.SourceID()
	src.Complete, src.Problem, src.Counts = false, "", store.Counts{}
	if src.ImportedAt == 0 {
		src.ImportedAt = market.InstantOf(time.Now())
	}
	i := &Import{
		in: in, ctx: ctx, src: src, open: map[store.Name]*MarketImport{}, seen: map[store.ID]struct{}{}, orders: map[store.ID]order{}, torn: map[store.PartKey]bool{}, owners: map[store.Name]store.ID{}, parts: map[partID]*partSum{},
		watched: map[store.ID]*observer{},
	}
	known, err := store.Look(ctx, in.store, func(r store.Reader) ([]store.Source, error) {
		return r.Sources(ctx, []store.SourceID{src.ID})
	})
	if err != nil {
		return nil, fmt.Errorf("import %s: %w", src.Name, err)
	}
	if src, ok := in.ledger.finished(src.ID); ok {
		i.src, i.done = src, true
		i.src.Complete = true
		return i, nil
	}
	if len(known) > 0 {
		i.again = true
		i.src.ImportedAt = known[0].ImportedAt
		if i.keep, err = scan.Sound(ctx, in.store, src.ID, known[0].Complete); err != nil {
			return nil, fmt.Errorf("import %s: %w", src.Name, err)
		}
		if known[0].Complete && i.keep {
			i.src, i.done = known[0], true
		}
	}
	return i, nil
}

// BeginAnew is Begin after removing everything stored by an earlier import of
// the file.
func (in *Intake) BeginAnew(ctx context.Context, src store.Source) (*Import, error) {
	if err := in.Settle(ctx, nil); err != nil {
		return nil, err
	}
	err := in.store.Update(ctx, func(w store.Writer) error {
		return derive.DropSource(ctx, w, src.SourceID(), sums(nil), tops)
	})
	if err != nil {
		return nil, fmt.Errorf("import %s: %w", src.Name, err)
	}
	return in.Begin(ctx, src)
}

// Alone makes the import fail with store.ErrTwice, and leave nothing, when another file
// of the same format has captures of the same markets between this file's first and
// last: two recorders heard the same, and every trade would count twice. It is called
// before the first capture.
func (i *Import) Alone() { i.alone = true }

// Complete reports whether the file had already been imported completely.
func (i *Import) Complete() bool { return i.done }

// Source returns the source with the counts so far.
func (i *Import) Source() store.Source {
	i.mu.Lock()
	defer i.mu.Unlock()
	s := i.src
	s.Counts.Rejected = maps.Clone(s.Counts.Rejected)
	return s
}

// Series stores what the file says about a series. Venue and either VenueID or
// Slug are required; unknown fields stay zero.
func (i *Import) Series(ctx context.Context, s market.Series) error {
	if s.VenueID == "" {
		s.VenueID = s.Slug
	}
	if s.Venue == "" || s.VenueID == "" {
		return fmt.Errorf("import %s: series without venue or id", i.src.Name)
	}
	d := &derive.SeriesDoc{
		Authority: i.src.Authority, Venue: s.Venue, VenueID: s.VenueID, Slug: s.Slug, Title: s.Title,
		Recurrence: s.Recurrence, Category: s.Category, Tags: derive.CleanTags(s.Tags), UpdatedAt: derive.Unix(s.UpdatedAt),
	}
	return i.put(ctx, derive.Doc{Kind: store.SeriesClaim, Owner: store.SeriesID(s.Venue, s.VenueID), Says: d})
}

// Event stores what the file says about an event. Venue and either VenueID or
// Slug are required; unknown fields stay zero.
func (i *Import) Event(ctx context.Context, e market.Event) error {
	if e.VenueID == "" {
		e.VenueID = e.Slug
	}
	if e.Venue == "" || e.VenueID == "" {
		return fmt.Errorf("import %s: event without venue or id", i.src.Name)
	}
	d := &derive.EventDoc{
		Authority: i.src.Authority, Venue: e.Venue, VenueID: e.VenueID, Slug: e.Slug, Title: e.Title,
		SeriesID: e.SeriesID, Category: e.Category, Tags: derive.CleanTags(e.Tags),
		Start: derive.Unix(e.Start), End: derive.Unix(e.End), UpdatedAt: derive.Unix(e.UpdatedAt),
	}
	return i.put(ctx, derive.Doc{Kind: store.EventClaim, Owner: store.EventID(e.Venue, e.VenueID), Says: d})
}

func (i *Import) put(ctx context.Context, d derive.Doc) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.pending.docs = append(i.pending.docs, d)
	return i.commitIfLarge(ctx)
}

// Market begins what the file says about one market: m holds what the file
// itself says and nothing else. Venue and one of VenueID, Slug and AltID are
// required; every other field may stay zero and is then taken from other
// sources or derived:
//
//   - VenueID empty: the file does not know the condition id.
//   - Tokens: those the file knows, in any number and order. A token needs a
//     VenueID, an Outcome or a Label. Derived ids are not given here.
//   - Coin, Type, Start, End, Category, Question, SeriesID, EventID and Tags
//     need not be worked out from the slug or the series: the archive does it.
//   - Payout goes with Tokens, one fraction for each.
//
// Opening the same market again adds to what is known: a nonzero field replaces
// what the file said before.
func (i *Import) Market(ctx context.Context, m market.Market) (*MarketImport, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	doc := derive.NewMarketDoc(i.src.Authority, &m)
	if err := i.check(doc, m.Slug); err != nil {
		return nil, err
	}
	for _, n := range doc.Names() {
		if was := i.open[n]; was != nil {
			was.amend(doc)
			i.name(was)
			return was, nil
		}
	}
	owner := doc.Owner()
	for _, n := range doc.Names() {
		if was, ok := i.owners[n]; ok {
			owner = was
			break
		}
	}
	now := &MarketImport{i: i, owner: owner, doc: doc}
	if _, ok := i.seen[owner]; ok {
		now.order = i.orders[owner]
		if err := now.reload(ctx); err != nil {
			return nil, fmt.Errorf("import %s: %w", i.src.Name, err)
		}
	}
	i.seen[owner] = struct{}{}
	now.at = i.markets.PushBack(now)
	i.name(now)
	return now, nil
}

// check refuses what a file cannot say of a market that is called slug.
func (i *Import) check(doc *derive.MarketDoc, slug string) error {
	if doc.Venue == "" || doc.VenueID == "" && doc.Slug == "" && doc.AltID == "" {
		return fmt.Errorf("import %s: market without venue or name", i.src.Name)
	}
	for _, t := range doc.Tokens {
		if t.ID == "" && t.Label == "" && t.Outcome == market.OutcomeOther {
			return fmt.Errorf("import %s: market %s: token without id, label or outcome", i.src.Name, slug)
		}
	}
	if doc.Payout != nil && len(doc.Payout.Fractions) != len(doc.Tokens) {
		return fmt.Errorf("import %s: market %s: payout of %d tokens: expected %d",
			i.src.Name, slug, len(doc.Payout.Fractions), len(doc.Tokens))
	}
	return nil
}

// name makes an open market findable by all its names.
func (i *Import) name(m *MarketImport) {
	for _, n := range m.doc.Names() {
		i.open[n] = m
	}
}

// End says how reading a file ended.
type End struct {
	Messages int64            // messages or rows read
	Rejected map[string]int64 // messages rejected, by reason
	Problem  string           // why it could not be read to its end; empty: it was
}

// Finish commits the rest, including markets not yet done, and marks the source
// complete. Once it has returned nil, everything is on disk; of a deferred import, once
// Intake.Settle has.
func (i *Import) Finish(ctx context.Context, e End) (store.Source, error) {
	if i.done {
		return i.src, nil
	}
	for {
		i.mu.Lock()
		first := i.markets.Front()
		if first == nil {
			break
		}
		i.mu.Unlock()
		if err := first.Value.(*MarketImport).Done(ctx); err != nil {
			return store.Source{}, err
		}
	}
	defer i.mu.Unlock()
	i.src.Counts.Messages, i.src.Counts.Rejected, i.src.Problem = e.Messages, maps.Clone(e.Rejected), e.Problem
	if err := i.commit(ctx, true); err != nil {
		return store.Source{}, err
	}
	if len(i.torn) > 0 {
		return store.Source{}, fmt.Errorf("import %s: %d of its parts had been started differently and were dropped: %w", i.src.Name, len(i.torn), store.ErrAgain)
	}
	i.done = true
	return i.src, nil
}

// Close ends the import. Without a preceding Finish, what was committed remains
// and the source is incomplete. It may be called after Finish.
func (i *Import) Close() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	for e := i.markets.Front(); e != nil; e = e.Next() {
		e.Value.(*MarketImport).release()
	}
	i.markets.Init()
	i.open, i.pending = nil, batch{}
	return nil
}

// errDone is returned when a market is added to after Done.
var errDone = errors.New("market is done: open it again")
