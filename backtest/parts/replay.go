package parts

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"

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

// ordersOf returns what the results of a market say of orders: of the strategy itself, and
// under the other rules.
func ordersOf(results []replay.MarketResult) *ordersFound {
	r := &results[0]
	out := &ordersFound{Then: r.Then, Limits: r.Limits, Bankroll: r.Bankroll}
	for i := range results[1:] {
		q := queueFound{Limits: results[i+1].Limits}
		if t := results[i+1].Trade; t != nil {
			q.Trade = tradeOf(t)
		}
		out.Queue = append(out.Queue, q)
	}
	return out
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
	s, err := p.sample(ctx, src, j, from, to)
	if err != nil {
		return nil, err
	}
	out := found{Markets: make([]marketFound, len(s.Rounds))}
	par.Undated = clock != nil || j.Sweep != nil || j.Options.Undated()
	err = s.Visit(ctx, src, par, cases, func(round int, results []replay.MarketResult) {
		m := &out.Markets[round]
		m.Signalled, m.Refusals = results[own].Signalled, results[own].Refusals
		if t := results[own].Trade; t != nil {
			m.Trade = tradeOf(t)
		}
		m.Made = j.made(results)
		if j.Strategy.Extended() && j.Sweep == nil {
			n := 1
			if clock == nil {
				n += len(backtest.QueueCases(j.base()))
			}
			m.Orders = ordersOf(results[:n])
		}
	})
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = gob.NewEncoder(&b).Encode(&out)
	return b.Bytes(), err
}

// made writes the trades of all cases, as marketFound.Made has them; nil: there is
// but one case.
func (j *Job) made(results []replay.MarketResult) []byte {
	if len(results) == 1 && j.Sweep == nil {
		return nil
	}
	var b []byte
	last := 0
	for k := range results {
		t := results[k].Trade
		if t == nil {
			continue
		}
		second := t.Fees
		if j.Sweep != nil {
			second = t.Cost
		}
		b = binary.AppendUvarint(b, uint64(k-last))
		b = binary.AppendVarint(b, int64(t.PnL()))
		b = binary.AppendVarint(b, int64(second))
		last = k
	}
	return b
}

var errBroken = errors.New("the result of a chunk cannot be read")

// each reads what made wrote.
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
	if err := gob.NewDecoder(bytes.NewReader(b)).Decode(&out); err != nil {
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
