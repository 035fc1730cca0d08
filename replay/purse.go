package replay

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay/desk"
	"github.com/ladderback/ladderback/replay/tape"
)

// Rounds that share a purse are played together, in the order of time, by one worker:
// at each instant first the world and the messages of all, then what settles, then the
// triggers of all by market id.

// together plays the cases that have a purse; nil for the others. The results of a
// case are in the order of the sample's rounds.
func (s *Sample) together(ctx context.Context, src Source, cases []Case) ([][]MarketResult, error) {
	out := make([][]MarketResult, len(cases))
	for i := range cases {
		if cases[i].Strategy.Bankroll() == nil {
			continue
		}
		p, err := s.shared(ctx, src, &cases[i], nil, -1)
		if err != nil {
			return nil, err
		}
		out[i] = p.results
	}
	return out, nil
}

// shared plays a case whose rounds share a purse; with a trace, which records one of them,
// until that one is settled.
func (s *Sample) shared(ctx context.Context, src Source, c *Case, trace *Trace, traced int) (*party, error) {
	p := &party{sample: s, c: c, results: make([]MarketResult, len(s.Rounds)), trace: trace, traced: traced}
	p.purse = desk.NewPurse(c.terms(fills.Schedule{}, fills.Schedule{}, nil, nil))
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
	p.src = ordered.planFor(src)
	defer p.stop()
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		at := p.next()
		if at == market.Latest || trace != nil && p.results[traced].Round.Market != nil {
			break
		}
		if err := p.instant(ctx, at); err != nil {
			return nil, err
		}
	}
	facts := p.purse.Facts()
	for i := range p.results {
		p.results[i].Bankroll = &facts
	}
	return p, nil
}

// party is all rounds of a case with a purse.
type party struct {
	sample  *Sample
	c       *Case
	src     Source
	purse   *desk.Purse
	waiting []int   // rounds that have not begun, by start
	seats   []*seat // those that have, and are not settled, by market id
	results []MarketResult
	trace   *Trace // of one of them; nil: nothing is recorded
	traced  int
}

// seat is one round of a party.
type seat struct {
	table
	index    int
	round    *market.Round
	schedule fills.Schedule
	capture  *market.Capture // the next one; nil: there is none before the end
	pull     func() (*market.Capture, error, bool)
	stop     func()
	settles  market.Instant // when it has ended and is settled
	now      bool           // something happens at the instant
}

// next returns the next instant at which anything happens; market.Latest: none.
func (p *party) next() market.Instant {
	at := market.Latest
	if len(p.waiting) > 0 {
		at = p.sample.Rounds[p.waiting[0]].Market.Start
	}
	for _, x := range p.seats {
		at = min(at, x.settles, x.desks[0].Due())
		if x.capture != nil {
			at = min(at, x.capture.Recv)
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
		if err := x.collect(at); err != nil {
			return &MarketError{x.round.Market, err}
		}
		if d := x.desks[0]; x.now {
			if x.open {
				d.World(x.tape, at)
			}
			d.Messages(x.tape, at, x.open)
		}
	}
	p.settle(at)
	for _, x := range p.seats {
		if x.now {
			x.desks[0].Evaluate(x.tape, at, x.open)
		}
	}
	return nil
}

// sit begins a round: what was received before its start is taken in.
func (p *party) sit(ctx context.Context, i int) error {
	round := &p.sample.Rounds[i]
	m := round.Market
	taker, err := fills.ScheduleOf(m)
	if err != nil {
		return err
	}
	maker, err := fills.MakerOf(m)
	if err != nil {
		return err
	}
	var told *desk.Trace
	if p.trace != nil && i == p.traced {
		told = p.trace.desk()
	}
	d := newDesk(p.c.terms(taker, maker, p.purse, told), m, p.sample.seam)
	x := &seat{index: i, round: round, schedule: taker}
	x.tape = new(tape.Tape)
	x.tape.Load(round, tape.UsesHistory(p.c.Strategy))
	x.desks, x.at, x.settles = []*desk.Desk{d}, market.Earliest, max(m.End, d.SettledAt())
	x.pull, x.stop = iter.Pull2(p.src.Captures(ctx, m))
	p.purse.Join(d)
	at, _ := slices.BinarySearchFunc(p.seats, m.VenueID, func(s *seat, id string) int { return strings.Compare(s.round.Market.VenueID, id) })
	p.seats = slices.Insert(p.seats, at, x)
	if err := x.advance(); err != nil {
		return err
	}
	return x.seed()
}

// seed takes in what was received before the start.
func (x *seat) seed() error {
	for x.capture != nil && x.capture.Recv < x.round.Market.Start {
		x.at = x.capture.Recv
		x.take(x.capture)
		if err := x.advance(); err != nil {
			return err
		}
	}
	x.tape.Refresh()
	x.tape.Remember(x.at)
	return nil
}

// advance moves on to the next capture.
func (x *seat) advance() error {
	for {
		c, err, ok := x.pull()
		if ok && err == nil {
			err = c.Follows(x.at, x.round.Market)
		}
		switch {
		case !ok:
			x.capture = nil
			return nil
		case err != nil:
			return err
		case c.Recv >= x.round.Market.End:
			x.capture = nil
			return nil
		case c.Kind != market.KindReset:
			x.capture = c
			return nil
		}
	}
}

// collect takes in what is received at an instant.
func (x *seat) collect(at market.Instant) error {
	x.open = false
	for x.capture != nil && x.capture.Recv == at {
		x.at, x.open = at, true
		x.take(x.capture)
		if err := x.advance(); err != nil {
			return err
		}
	}
	if x.open {
		x.tape.Refresh()
		x.tape.Remember(at)
	}
	if x.desks[0].Settled() {
		x.capture = nil
	}
	x.now = x.open || x.desks[0].Due() == at
	return nil
}

// settle settles the rounds whose instant it is.
func (p *party) settle(at market.Instant) {
	p.seats = slices.DeleteFunc(p.seats, func(x *seat) bool {
		d := x.desks[0]
		held := d.Holds()
		if !held && at < x.round.Market.End || held && at < x.settles {
			return false
		}
		x.stop()
		r := resultOf(x.round, x.schedule, d.Finish())
		p.purse.Leave(d)
		if r.Trade != nil {
			p.purse.Closed(at, r.Trade.PnL())
		}
		p.results[x.index] = r
		return true
	})
}

func (p *party) stop() {
	for _, x := range p.seats {
		x.stop()
	}
}
