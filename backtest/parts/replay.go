package parts

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/replay/orders"
)

// found is what a chunk found, in whole numbers: a result for each of its markets.
type found struct{ Markets []marketFound }

// marketFound is what was found in one market.
type marketFound struct {
	Signalled bool
	Refusals  replay.Refusals
	Trade     *trade // of the strategy itself; nil: none
	// Made are the trades of the other cases: index of the case (above that of the
	// trade before), pnl, and the cost (of a sweep) or the fees (of the
	// sensitivity), as varints.
	Made []byte
	// Of a strategy with orders beside one entry and one exit:
	Orders *ordersFound
}

// ordersFound is what was found in one market of orders beside one entry and one exit.
type ordersFound struct {
	Then     replay.Refusals
	Limits   []replay.Limit
	Bankroll *orders.Facts
	Queue    []queueFound // under the other rules for what rests
}

type queueFound struct {
	Trade  *trade
	Limits []replay.Limit
}

// note takes in what the result of a case says of orders: of the strategy itself, the first
// case, or under another rule.
func (o *ordersFound) note(k int, r *replay.MarketResult) {
	if k == 0 {
		o.Then, o.Limits, o.Bankroll = r.Then, r.Limits, r.Bankroll
		return
	}
	q := &o.Queue[k-1]
	if q.Limits = r.Limits; r.Trade != nil {
		q.Trade = tradeOf(r.Trade)
	}
}

// trade is a replay.Trade without its market.
type trade struct {
	Token                        int
	Legs                         []replay.Leg
	Signal, EntryTime, ExitTime  market.Instant
	Reason                       replay.ExitReason
	ExitFill                     fills.Kind
	Shares                       market.Size
	Entry, Exit                  fills.Average
	Cost, Proceeds, Fees, Payout market.Cash
	Slippage                     fills.Amount
	AskAtSignal, BidAtSignal     market.Price
	Partial, CapBound            bool
	EntrySeconds                 int
	Entries                      int
	Opposite                     replay.Bought
}

func tradeOf(t *replay.Trade) *trade {
	return &trade{
		Token: t.Token, Legs: t.Legs, Signal: t.Signal, EntryTime: t.EntryTime, ExitTime: t.ExitTime, Reason: t.Reason, ExitFill: t.ExitFill,
		Shares: t.Shares, Entry: t.Entry, Exit: t.Exit, Cost: t.Cost, Proceeds: t.Proceeds, Fees: t.Fees, Payout: t.Payout, Slippage: t.Slippage,
		AskAtSignal: t.AskAtSignal, BidAtSignal: t.BidAtSignal, Partial: t.Partial, CapBound: t.CapBound, EntrySeconds: backtest.EntrySeconds(t),
		Entries: t.Entries, Opposite: t.Opposite,
	}
}

func (t *trade) in(m *market.Market) *replay.Trade {
	return &replay.Trade{
		Market: m, Token: t.Token, Legs: t.Legs, Signal: t.Signal, EntryTime: t.EntryTime, ExitTime: t.ExitTime, Reason: t.Reason, ExitFill: t.ExitFill,
		Shares: t.Shares, Entry: t.Entry, Exit: t.Exit, Cost: t.Cost, Proceeds: t.Proceeds, Fees: t.Fees, Payout: t.Payout, Slippage: t.Slippage,
		AskAtSignal: t.AskAtSignal, BidAtSignal: t.BidAtSignal, Partial: t.Partial, CapBound: t.CapBound,
		Entries: t.Entries, Opposite: t.Opposite,
	}
}

// Replay replays a chunk of the plan and returns what it found, which is the same
// bytes' worth wherever it is done. clock is nil for the first pass, and for the
// baseline how many seconds after its start a round is entered.
func (p *Plan) Replay(ctx context.Context, src replay.Source, j *Job, chunk int, clock *int, par replay.Parallel) ([]byte, error) {
	cases, own, err := j.cases()
	if err != nil {
		return nil, err
	}
	if clock != nil {
		c, ok := backtest.ClockCase(j.base(), *clock)
		if !ok {
			return nil, fmt.Errorf("baseline at %d s: no valid strategy", *clock)
		}
		cases, own = []replay.Case{c}, 0
	}
	from, to := p.Span(chunk)
	s, src, err := p.sample(ctx, src, j, from, to)
	if err != nil {
		return nil, err
	}
	par.Undated = clock != nil || j.Sweep != nil || j.Options.Undated()
	g := gathering{job: j, cases: len(cases), own: own, apart: make([][]made, len(s.Rounds))}
	g.out.Markets = make([]marketFound, len(s.Rounds))
	if j.Strategy.Extended() && j.Sweep == nil {
		if g.rules = 1; clock == nil {
			g.rules += len(backtest.QueueCases(j.base()))
		}
		for i := range g.out.Markets {
			g.out.Markets[i].Orders = &ordersFound{Queue: make([]queueFound, g.rules-1)}
		}
	}
	if err := s.Visit(ctx, src, par, cases, g.take); err != nil {
		return nil, err
	}
	g.close()
	return seal(&g.out)
}

// gathering is what the replay of a chunk has found so far.
type gathering struct {
	job   *Job
	cases int // how many there are
	own   int
	rules int // the first cases, of which the orders are told
	out   found
	apart [][]made // of each market what came case by case
}

// take takes in results of cases in one market.
func (g *gathering) take(round int, which []int, results []replay.MarketResult) {
	m := &g.out.Markets[round]
	for i, k := range which {
		r := &results[i]
		if k == g.own {
			m.Signalled, m.Refusals = r.Signalled, r.Refusals
			if r.Trade != nil {
				m.Trade = tradeOf(r.Trade)
			}
		}
		if k < g.rules {
			m.Orders.note(k, r)
		}
	}
	switch all := g.job.made(which, results); {
	case g.cases == 1 && g.job.Sweep == nil:
	case len(which) == g.cases:
		m.Made = written(all)
	default:
		g.apart[round] = append(g.apart[round], all...)
	}
}

// close writes out what came case by case, in whatever order.
func (g *gathering) close() {
	for round, all := range g.apart {
		if len(all) > 0 {
			slices.SortFunc(all, func(a, b made) int { return cmp.Compare(a.k, b.k) })
			g.out.Markets[round].Made = written(all)
		}
	}
}

// made is a trade of a case: its pnl, and the cost (of a sweep) or the fees (of the
// sensitivity).
type made struct {
	k           int
	pnl, second market.Cash
}

// made returns the trades of some of the cases.
func (j *Job) made(which []int, results []replay.MarketResult) []made {
	var out []made
	for i, k := range which {
		t := results[i].Trade
		if t == nil {
			continue
		}
		m := made{k, t.PnL(), t.Fees}
		if j.Sweep != nil {
			m.second = t.Cost
		}
		out = append(out, m)
	}
	return out
}

// written returns trades, ascending by case, as marketFound.Made has them.
func written(all []made) []byte {
	var b []byte
	last := 0
	for _, m := range all {
		b = binary.AppendUvarint(b, uint64(m.k-last))
		b = binary.AppendVarint(b, int64(m.pnl))
		b = binary.AppendVarint(b, int64(m.second))
		last = m.k
	}
	return b
}

var errBroken = errors.New("the result of a chunk cannot be read")

// each reads what written wrote.
func each(b []byte, visit func(k int, pnl, second market.Cash)) error {
	k := 0
	for len(b) > 0 {
		step, n := binary.Uvarint(b)
		if n <= 0 {
			return errBroken
		}
		pnl, n2 := binary.Varint(b[n:])
		if n2 <= 0 {
			return errBroken
		}
		second, n3 := binary.Varint(b[n+n2:])
		if n3 <= 0 {
			return errBroken
		}
		k += int(step)
		visit(k, market.Cash(pnl), market.Cash(second))
		b = b[n+n2+n3:]
	}
	return nil
}

func read(b []byte) (*found, error) {
	var out found
	if err := unseal(b, &out); err != nil {
		return nil, fmt.Errorf("%w: %w", errBroken, err)
	}
	return &out, nil
}

// Results gives what each chunk of a pass found, in order; each is asked for once.
type Results func(chunk int) ([]byte, error)

// Clock returns how many seconds after its start the baseline enters a round, given
// what the first pass found; ok is false if it traded nothing, or if the clock makes
// no strategy, so that there is no baseline.
func (p *Plan) Clock(j *Job, first Results) (seconds int, ok bool, err error) {
	var all []int
	for i := range p.Ends {
		b, err := first(i)
		if err != nil {
			return 0, false, err
		}
		f, err := read(b)
		if err != nil {
			return 0, false, err
		}
		for _, m := range f.Markets {
			if m.Trade != nil {
				all = append(all, m.Trade.EntrySeconds)
			}
		}
	}
	if seconds, ok = backtest.MedianEntry(all); ok {
		_, ok = backtest.ClockCase(j.base(), seconds)
	}
	return seconds, ok, nil
}
