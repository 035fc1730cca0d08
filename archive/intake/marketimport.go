package intake

import (
	"cmp"
	"container/list"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/archive/derive"
	"github.com/ladderback/ladderback/archive/scan"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// lateCaptures is how many captures received before one that was added already
// are kept before they become blocks of their own.
const lateCaptures = 4096

// MarketImport imports what one file says about one market.
type MarketImport struct {
	i     *Import
	at    *list.Element // of i.markets
	owner store.ID
	doc   *derive.MarketDoc
	done  bool

	feeds []*feed
	order
	blocks []store.Block // not yet committed
	bytes  int           // of blocks
	dups   int64
	watch  *observer // nil before the first capture
	buf    []byte
}

// Token returns the index, for Capture.Token, of the token that t describes
// (equal VenueID, else equal Outcome, else equal Label), adding it if the file
// has not named it before. Empty fields of a known token are filled in from t.
func (m *MarketImport) Token(t market.Token) int {
	n := len(m.doc.Tokens)
	at := m.doc.Token(derive.TokenDoc{ID: t.VenueID, Label: t.Label, Outcome: t.Outcome})
	if at == n && m.doc.Payout != nil {
		m.doc.Payout.Fractions = append(m.doc.Payout.Fractions, unknownFraction)
	}
	return at
}

// unknownFraction stands in a claim for the payout of a token that the source
// named after it gave the payout.
const unknownFraction market.Cash = -1

// Gap records a period that the file itself declares missing.
func (m *MarketImport) Gap(token int, g market.Gap) {
	m.doc.Gaps = append(m.doc.Gaps, derive.GapDoc{Token: token, From: g.From, To: g.To})
}

// amend adds what d says.
func (m *MarketImport) amend(d *derive.MarketDoc) {
	at := make([]int, len(d.Tokens))
	for k, t := range d.Tokens {
		at[k] = m.Token(market.Token{VenueID: t.ID, Label: t.Label, Outcome: t.Outcome})
	}
	if d.Payout != nil {
		f := slices.Repeat([]market.Cash{unknownFraction}, len(m.doc.Tokens))
		for k, v := range d.Payout.Fractions {
			f[at[k]] = v
		}
		m.doc.Payout = &derive.PayoutDoc{Basis: d.Payout.Basis, Fractions: f}
	}
	m.doc.Add(d)
}

// reload makes m go on from what this run of the import put before.
func (m *MarketImport) reload(ctx context.Context) error {
	now := m.doc
	for _, d := range m.i.pending.docs {
		if was, ok := d.Says.(*derive.MarketDoc); ok && d.Owner == m.owner {
			m.doc = was
			m.amend(now)
			return nil
		}
	}
	if m.i.deferred {
		was, err := m.i.in.ledger.claim(m.i, m.owner)
		if err != nil {
			return err
		}
		if was != nil {
			m.doc = was
			m.amend(now)
			return nil
		}
	}
	return m.i.in.store.View(ctx, func(r store.Reader) error {
		claims, err := r.Claims(ctx, store.MarketClaim, []store.ID{m.owner})
		if err != nil {
			return err
		}
		for k := range claims {
			if claims[k].Source == m.i.src.ID {
				if m.doc, err = derive.Decode[derive.MarketDoc](&claims[k]); err != nil {
					return err
				}
				m.amend(now)
			}
		}
		return nil
	})
}

// Add adds a capture. Captures are added in file order, which decides between
// captures with the same receive time (c.Ord is ignored). c.Token is an index
// returned by Token, or an index in the Tokens given to Import.Market. A
// KindBook is the full ladder, with Replace set. Levels are sorted best first,
// with no price twice on a side. An error that wraps block.ErrCapture means
// that this capture cannot be kept; the import continues without it. c and its
// slices are not retained. What does not fit into memory is written under the
// context given to Intake.Begin.
func (m *MarketImport) Add(c *market.Capture) error {
	if m.done {
		return fmt.Errorf("import %s: market %s: %w", m.i.src.Name, m.label(), errDone)
	}
	if err := m.check(c); err != nil {
		return err
	}
	if m.watch == nil {
		var err error
		if m.watch, err = m.i.newObserver(m.owner, m.doc); err != nil {
			return err
		}
	}
	f, err := m.feedOf(c.Token, block.StreamOf(c.Kind))
	if err != nil {
		return err
	}
	m.buf = scan.AppendContent(m.buf[:0], c)
	if f.holds(c.Recv, m.buf) {
		m.dups++
		return nil
	}
	if err := m.store(f, c); err != nil {
		return err
	}
	m.watch.stored(m.doc, c, m.buf)
	return m.makeRoom(f, c)
}

// store puts a capture, whose content is in m.buf, where it belongs.
func (m *MarketImport) store(f *feed, c *market.Capture) error {
	stored := *c
	stored.Ord = m.next(c.Recv)
	if f.any && c.Recv < f.last {
		f.late = append(f.late, copyCapture(&stored))
		m.count++
		return nil
	}
	if err := f.add(&stored, m.buf); err != nil {
		return err
	}
	m.last, m.ord = max(m.last, c.Recv), stored.Ord
	m.count++
	return nil
}

// makeRoom makes blocks of what fills them, or does not fit into memory.
func (m *MarketImport) makeRoom(f *feed, c *market.Capture) error {
	var err error
	switch {
	case f.hold(c):
		err = f.giveUp()
	case len(f.late) >= lateCaptures:
		err = f.flushLate()
	case m.i.in.full(f.enc):
		err = f.finish()
	}
	if err == nil && m.bytes >= m.i.in.limits.stageBytes {
		err = m.stage(m.i.ctx)
	}
	return err
}

func (m *MarketImport) check(c *market.Capture) error {
	switch {
	case c.Token < 0 || c.Token >= len(m.doc.Tokens):
		return fmt.Errorf("capture at %v: token %d of %d: %w", c.Recv, c.Token, len(m.doc.Tokens), block.ErrCapture)
	case block.StreamOf(c.Kind) == 0:
		return fmt.Errorf("capture at %v: kind %d: %w", c.Recv, c.Kind, block.ErrCapture)
	case c.Kind == market.KindBook && !c.Replace:
		return fmt.Errorf("book at %v: a difference: expected the full ladder: %w", c.Recv, block.ErrCapture)
	case c.Recv <= 0:
		return fmt.Errorf("capture without receive time: %w", block.ErrCapture)
	}
	return nil
}

// next returns the place among the messages of one receive time. Where
// receive times go backwards, it is the number of the capture in the file,
// which comes after any that was given out for that time.
func (m *order) next(recv market.Instant) uint32 {
	switch {
	case recv > m.last || m.count == 0:
		return 0
	case recv == m.last:
		return m.ord + 1
	}
	return uint32(min(m.count, math.MaxUint32))
}

func (m *MarketImport) label() string { return cmp.Or(m.doc.Slug, m.doc.VenueID, m.doc.AltID) }

// stage commits the blocks made so far, not yet visible, and what the file has
// said of the market, so that they belong to something.
func (m *MarketImport) stage(ctx context.Context) error {
	m.i.mu.Lock()
	defer m.i.mu.Unlock()
	m.hand(false)
	m.i.pending.docs = append(m.i.pending.docs, derive.Doc{Kind: store.MarketClaim, Owner: m.owner, Says: m.doc})
	return m.i.commit(ctx, false)
}

// hand moves blocks and parts into the batch. i.mu is held.
func (m *MarketImport) hand(whole bool) {
	b := &m.i.pending
	b.changes.Blocks = append(b.changes.Blocks, m.blocks...)
	b.bytes += m.bytes
	c := &m.i.src.Counts
	for _, k := range m.blocks {
		c.Blocks++
		c.Captures += int64(k.Captures)
		c.Changes += int64(k.Changes)
		c.Bytes += int64(k.Bytes)
	}
	m.blocks, m.bytes = nil, 0
	c.Duplicates += m.dups
	m.dups = 0
	for _, f := range m.feeds {
		p := f.sum.Part
		p.Whole = whole
		b.changes.Parts = append(b.changes.Parts, p)
	}
}

// Done says that the file has no more data for this market. What was added
// becomes visible with the next transaction. Without Done or Import.Finish, no
// capture becomes visible.
func (m *MarketImport) Done(ctx context.Context) error {
	if m.done {
		return nil
	}
	for _, f := range m.feeds {
		if err := f.giveUp(); err != nil {
			return err
		}
	}
	m.done = true
	i := m.i
	i.mu.Lock()
	defer i.mu.Unlock()
	m.hand(true)
	m.release()
	i.markets.Remove(m.at)
	for _, n := range m.doc.Names() {
		delete(i.open, n)
		if m.count > 0 {
			i.owners[n] = m.owner
		}
	}
	i.seen[m.owner] = struct{}{}
	if m.count > 0 {
		i.orders[m.owner] = m.order
	}
	i.pending.docs = append(i.pending.docs, derive.Doc{Kind: store.MarketClaim, Owner: m.owner, Says: m.doc})
	if strong := m.doc.Owner(); strong != m.owner {
		// The file gave the id after it had begun with a name.
		also := *m.doc
		also.Tokens, also.Gaps = slices.Clone(m.doc.Tokens), nil
		for k := range also.Tokens {
			also.Tokens[k].Key = 0
		}
		i.seen[strong] = struct{}{}
		i.pending.docs = append(i.pending.docs, derive.Doc{Kind: store.MarketClaim, Owner: strong, Says: &also})
	}
	i.src.Counts.Markets++
	if m.watch != nil {
		i.watched[m.owner] = m.watch
	}
	return i.commitIfLarge(ctx)
}

// release gives the encoders back.
func (m *MarketImport) release() {
	for _, f := range m.feeds {
		m.i.held.Add(-f.held)
		m.i.feeds.Add(-1)
		m.i.in.encoders[f.stream].Put(f.enc)
	}
	m.feeds = nil
}
