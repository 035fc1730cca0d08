package replay

import (
	"cmp"
	"context"
	"iter"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay/orders"
	"github.com/ladderback/ladderback/replay/queue"
	"github.com/ladderback/ladderback/replay/tape"
)

// Rounds that share a purse are played together, in the order of time, by one worker:
// at each instant first the world and the messages of all, then what settles, then the
// triggers of all by market id.

// together plays the cases that have a purse, each by itself, as many at a time as p has
// workers.
func (s *Sample) together(ctx context.Context, src Source, p Parallel, cases []Case, pursed []int, visit func(round int, which []int, results []MarketResult)) error {
	workers := p.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	var lock sync.Mutex
	total := len(s.Rounds)
	settled := 0 // rounds, of all cases
	report := func() {
		if p.Progress != nil {
			p.Progress(settled/len(pursed), total)
		}
	}
	report()
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(workers)
	for _, k := range pursed {
		group.Go(func() error {
			return caught(func() error {
				return s.shared(ctx, src, p, &cases[k], nil, -1, func(round int, r MarketResult) {
					lock.Lock()
					defer lock.Unlock()
					visit(round, []int{k}, []MarketResult{r})
					if settled++; settled%len(pursed) == 0 {
						report()
					}
				})
			}, func(err error) error { return err })
		})
	}
	return group.Wait()
}

// shared plays a case whose rounds share a purse, and calls visit with the result of each as
// it is settled; with a trace, which records one of them, until that one is settled.
func (s *Sample) shared(ctx context.Context, src Source, q Parallel, c *Case, trace *Trace, traced int, visit func(round int, r MarketResult)) error {
	p := &party{sample: s, c: c, undated: q.Undated, visit: visit, trace: trace, traced: traced}
	p.purse = orders.NewPurse(c.Strategy, c.budget())
	for i := range s.Rounds {
		p.waiting = append(p.waiting, i)
	}
	slices.SortFunc(p.waiting, func(a, b int) int {
		x, y := s.Rounds[a].Market, s.Rounds[b].Market
		return cmp.Or(cmp.Compare(x.Start, y.Start), strings.Compare(x.VenueID, y.VenueID))
	})
	ordered := Sample{Rounds: make([]market.Round, len(s.Rounds))} // as they are played
	for i, at := range p.waiting {
		ordered.Rounds[i] = s.Rounds[at]
	}
	if p.src = ordered.planFor(src); s.seam != nil {
		p.src.tops = nil
	}
	defer p.stop()
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		at := p.next()
		if at == market.Latest || p.told {
			break
		}
		if err := p.instant(ctx, at); err != nil {
			return err
		}
	}
	p.facts = p.purse.Facts()
	return nil
}

// party is all rounds of a case with a purse.
type party struct {
	sample  *Sample
	c       *Case
	src     plannedSource
	purse   *orders.Purse
	waiting []int   // rounds that have not begun, by start
	seats   []*seat // those that have, and are not settled, by market id
	visit   func(round int, r MarketResult)
	facts   orders.Facts // once all is over
	undated bool         // see Parallel.Undated
	spare   []*tape.Tape // of seats that are settled
	trace   *Trace       // of one of them; nil: nothing is recorded
	traced  int
	told    bool // it is settled
}

// seat is one round of a party.
type seat struct {
	course
	index    int
	schedule fills.Schedule
	pull     func() (instant, error, bool)
	stop     func()
	next     instant        // at which its player may do something
	over     bool           // there is none
	settles  market.Instant // when it has ended and is settled, with shares held
	now      bool           // something happens at the instant
}

// ends returns when the round is settled as things stand: one that holds nothing at its end
// is so then.
func (x *seat) ends() market.Instant {
	if x.players[0].Holds() {
		return x.settles
	}
	return x.round.Market.End
}

// advance moves on to the next instant.
func (x *seat) advance() error {
	i, err, ok := x.pull()
	if x.next, x.over = i, !ok; err != nil {
		return &MarketError{x.round.Market, err}
	}
	return nil
}

// next returns the next instant at which anything happens; market.Latest: none.
func (p *party) next() market.Instant {
	at := market.Latest
	if len(p.waiting) > 0 {
		at = p.sample.Rounds[p.waiting[0]].Market.Start
	}
	for _, x := range p.seats {
		if at = min(at, x.ends()); !x.over {
			at = min(at, x.next.at)
		}
	}
	return at
}

// instant plays one instant.
func (p *party) instant(ctx context.Context, at market.Instant) error {
	p.purse.Reach(at)
	for len(p.waiting) > 0 && p.sample.Rounds[p.waiting[0]].Market.Start <= at {
		if err := p.sit(ctx, p.waiting[0]); err != nil {
			return &MarketError{p.sample.Rounds[p.waiting[0]].Market, err}
		}
		p.waiting = p.waiting[1:]
	}
	for _, x := range p.seats {
		if x.now = !x.over && x.next.at == at; x.now {
			if x.next.capture {
				x.players[0].World(x.next.tape, at)
			}
			x.players[0].Messages(x.next.tape, at, x.next.capture)
		}
	}
	p.settle(at)
	for _, x := range p.seats {
		if !x.now {
			continue
		}
		x.players[0].Evaluate(x.next.tape, at, x.next.capture)
		if err := x.advance(); err != nil {
			return err
		}
	}
	return nil
}

// blank returns a tape for a round.
func (p *party) blank() *tape.Tape {
	n := len(p.spare)
	if n == 0 {
		return new(tape.Tape)
	}
	t := p.spare[n-1]
	p.spare = p.spare[:n-1]
	return t
}

// sit begins a round: what was received before its start is taken in.
func (p *party) sit(ctx context.Context, i int) error {
	round := &p.sample.Rounds[i]
	m := round.Market
	r, err := ratesOf(m)
	if err != nil {
		return err
	}
	t := r.charged(*p.c.terms(orders.Variant{Exit: p.c.Strategy.Exit()}), p.c.Options.Fees)
	if t.Purse, t.Undated, t.Seam = p.purse, p.undated, p.sample.seam; p.trace != nil && i == p.traced {
		t.Trace = p.trace.orders()
	}
	d := orders.New(t, m)
	x := &seat{index: i, schedule: r.taker}
	x.course = course{
		round: round, tape: p.blank(), tops: p.blank(), prints: new(queue.Prints), players: []*orders.Player{d}, history: tape.UsesHistory(p.c.Strategy),
		undated: p.undated,
	}
	x.settles = max(m.End, d.SettledAt())
	x.pull, x.stop = iter.Pull2(x.instants(ctx, p.src))
	p.purse.Join(d)
	at, _ := slices.BinarySearchFunc(p.seats, m.VenueID, func(s *seat, id string) int { return strings.Compare(s.round.Market.VenueID, id) })
	p.seats = slices.Insert(p.seats, at, x)
	return x.advance()
}

// settle settles the rounds whose instant it is.
func (p *party) settle(at market.Instant) {
	p.seats = slices.DeleteFunc(p.seats, func(x *seat) bool {
		d := x.players[0]
		if at < x.ends() {
			return false
		}
		x.stop()
		p.spare = append(p.spare, x.tape, x.tops)
		r := resultOf(x.round, x.schedule, d.Finish())
		p.purse.Leave(d)
		if r.Trade != nil {
			p.purse.Closed(at, r.Trade.PnL())
		}
		r.Bankroll = &p.facts
		p.visit(x.index, r)
		p.told = p.told || p.trace != nil && x.index == p.traced
		return true
	})
}

func (p *party) stop() {
	for _, x := range p.seats {
		x.stop()
	}
}
