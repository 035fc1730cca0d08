package intake

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/ladderback/ladderback/archive/derive"
	"github.com/ladderback/ladderback/archive/store"
)

// ledger holds what files of metadata say until it is settled: the files name the
// same markets, and each market is derived once from all of them. Documents are held
// packed, as many together as a store keeps them, which takes a few bytes each.
type ledger struct {
	mu sync.Mutex
	// pledges are the imports that the archive does not have in whole.
	pledges []*pledge
	lines   []line
	newest  [store.SeriesClaim + 1]map[store.ID]int32 // line by what it is about
	groups  []*group
}

// pledge is what a file is known to have been said so far.
type pledge struct {
	i    *Import
	src  store.Source
	last bool                      // there is no more to come
	open map[store.ClaimKind]int32 // groups that are being filled
}

// line is where a document is, and what it is about. There may be hundreds of
// thousands.
type line struct {
	owner  store.ID
	group  int32
	before int32 // line about the same; −1: none
	at     uint8 // within the group
	kind   store.ClaimKind
}

// group is documents of one file and kind: plain until there are enough of them.
type group struct {
	of     *pledge
	plain  [][]byte
	packed []byte
}

func (g *group) docs() ([][]byte, error) {
	if g.packed == nil {
		return g.plain, nil
	}
	return store.PlainDocs(g.packed)
}

func (g *group) pack() { g.packed, g.plain = store.PackDocs(g.plain), nil }

const (
	groupDocs = 128 // at most 256, see line.at
	// updateSteps is after how many steps a transaction ends, which others wait for.
	updateSteps = 10
)

// Defer makes the import keep what the file says of series, events and markets
// until Intake.Settle. It is to be called before anything is imported. An import that
// comes to captures goes on without.
func (i *Import) Defer() { i.deferred = !i.done }

// Settle puts what deferred imports have said so far, and all that follows from it,
// into the archive, in transactions of some ten thousand documents. Once it has
// returned nil, the deferred imports that are finished are on disk; after an error,
// importing their files again completes them. progress, which may be nil, is told how
// many of all documents are through.
func (in *Intake) Settle(ctx context.Context, progress func(done, all int)) error {
	l := &in.ledger
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.settle(ctx, in, progress)
}

// put takes what a file says. Where too much is held it is settled. i.mu is held.
func (l *ledger) put(ctx context.Context, i *Import, docs []derive.Doc, last bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.pledge(i)
	p.src, p.last = i.src, last
	for _, d := range docs {
		l.add(p, d)
	}
	if len(l.lines) < i.in.limits.ledgerDocs {
		return nil
	}
	return l.settle(ctx, i.in, nil)
}

// finished returns the source of a file that has been read and not been settled.
func (l *ledger) finished(id store.SourceID) (store.Source, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.pledges {
		if p.src.ID == id && p.last {
			return p.src, true
		}
	}
	return store.Source{}, false
}

func (l *ledger) pledge(i *Import) *pledge {
	for _, p := range l.pledges {
		if p.i == i {
			return p
		}
	}
	p := &pledge{i: i, open: map[store.ClaimKind]int32{}}
	l.pledges = append(l.pledges, p)
	return p
}

func (l *ledger) add(p *pledge, d derive.Doc) {
	at, ok := p.open[d.Kind]
	if !ok {
		at = int32(len(l.groups))
		p.open[d.Kind] = at
		l.groups = append(l.groups, &group{of: p})
	}
	g := l.groups[at]
	before, ok := l.newest[d.Kind][d.Owner]
	if !ok {
		before = -1
	}
	if l.newest[d.Kind] == nil {
		l.newest[d.Kind] = map[store.ID]int32{}
	}
	l.newest[d.Kind][d.Owner] = int32(len(l.lines))
	l.lines = append(l.lines, line{owner: d.Owner, kind: d.Kind, group: at, at: uint8(len(g.plain)), before: before})
	if g.plain = append(g.plain, derive.Encode(d.Says)); len(g.plain) == groupDocs {
		g.pack()
		delete(p.open, d.Kind)
	}
}

// claim returns what a file has said last about a market; nil: nothing that is still
// here.
func (l *ledger) claim(i *Import, owner store.ID) (*derive.MarketDoc, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at, ok := l.newest[store.MarketClaim][owner]
	for ; ok && at >= 0; at = l.lines[at].before {
		ln := &l.lines[at]
		g := l.groups[ln.group]
		if g.of.i != i {
			continue
		}
		docs, err := g.docs()
		if err != nil {
			return nil, err
		}
		return derive.Decode[derive.MarketDoc](&store.Claim{Doc: docs[ln.at]})
	}
	return nil, nil
}

// settle puts everything. l.mu is held.
func (l *ledger) settle(ctx context.Context, in *Intake, progress func(done, all int)) error {
	if len(l.pledges) == 0 {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	steps, done := l.steps(ctx, in.limits.stepDocs), 0
	for more := true; more; {
		more = false
		err := in.store.Update(ctx, func(w store.Writer) error {
			if err := l.putSources(ctx, w, false); err != nil {
				return err
			}
			for range updateSteps {
				step, ok := <-steps
				if !ok {
					return l.putSources(ctx, w, true)
				}
				if err := step.put(ctx, w); err != nil {
					return err
				}
				if done += len(step.claims); progress != nil {
					progress(done, len(l.lines))
				}
			}
			more = true
			return nil
		})
		if err != nil {
			return fmt.Errorf("import: %w", err)
		}
	}
	l.pledges, l.lines, l.groups = nil, nil, nil
	clear(l.newest[:])
	return nil
}

// putSources puts the rows of the files; whole: all that they have said is there.
func (l *ledger) putSources(ctx context.Context, w store.Writer, whole bool) error {
	for _, p := range l.pledges {
		last := whole && p.last
		c := &store.Changes{Sources: []store.Source{p.src}}
		c.Sources[0].Complete = last
		r := derive.New(w, sums(nil), tops) // of what is dropped
		if err := p.i.replace(ctx, w, r, c, last); err != nil {
			return err
		}
		if err := w.Apply(ctx, c); err != nil {
			return err
		}
		if len(c.DropClaims) > 0 {
			if err := r.Run(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// step is some documents, all that are held about some subjects, in the order of the
// files about each.
type step struct {
	claims []store.Claim
	docs   []derive.Doc
	err    error
}

// steps reads all documents, about size at a time and a step ahead of who puts them.
// Events and series come first: markets depend on them.
func (l *ledger) steps(ctx context.Context, size int) <-chan *step {
	out := make(chan *step, 1)
	go func() {
		defer close(out)
		send := func(lines []int32) bool {
			s := l.read(lines)
			select {
			case out <- s:
				return s.err == nil
			case <-ctx.Done():
				return false
			}
		}
		var lines []int32
		for _, kind := range []store.ClaimKind{store.SeriesClaim, store.EventClaim, store.MarketClaim} {
			for i := range l.lines {
				ln := &l.lines[i]
				if ln.kind != kind || ln.before >= 0 {
					continue // with the first about its subject
				}
				n := len(lines)
				for at := l.newest[kind][ln.owner]; at >= 0; at = l.lines[at].before {
					lines = append(lines, at)
				}
				slices.Reverse(lines[n:])
				if len(lines) >= size {
					if !send(lines) {
						return
					}
					lines = lines[:0]
				}
			}
			if len(lines) > 0 && !send(lines) {
				return
			}
			lines = lines[:0]
		}
	}()
	return out
}

// read reads documents, each group that they are in once.
func (l *ledger) read(lines []int32) *step {
	s := &step{claims: make([]store.Claim, len(lines)), docs: make([]derive.Doc, len(lines))}
	byGroup := make([]int, len(lines))
	for i := range byGroup {
		byGroup[i] = i
	}
	slices.SortFunc(byGroup, func(a, b int) int { return cmp.Compare(l.lines[lines[a]].group, l.lines[lines[b]].group) })
	var docs [][]byte
	was := int32(-1)
	for _, i := range byGroup {
		ln := &l.lines[lines[i]]
		g := l.groups[ln.group]
		if ln.group != was {
			if docs, s.err = g.docs(); s.err != nil {
				return s
			}
			was = ln.group
		}
		c := &s.claims[i]
		*c = store.Claim{ClaimKey: store.ClaimKey{Kind: ln.kind, Owner: ln.owner, Source: g.of.src.ID}, Doc: docs[ln.at]}
		if s.docs[i], s.err = derive.Read(c); s.err != nil {
			return s
		}
	}
	return s
}

// put puts claims, and all that follows from them.
func (s *step) put(ctx context.Context, w store.Writer) error {
	if s.err != nil {
		return s.err
	}
	r := derive.New(w, sums(nil), tops)
	return r.Put(ctx, s.claims, s.docs)
}
