package sweep

import (
	"context"
	"slices"
	"sync"

	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
)

// MaxCells is the most results (variants × distinct ends) held at a time.
const MaxCells = 40_000_000

// Ledger holds what every variant made at every end of rounds.
type Ledger struct {
	Sample *replay.Sample
	Grid   *Grid
	// Ends are the distinct ends of the rounds, ascending.
	Ends []market.Instant
	// Own are the results of the strategy itself, in the order of the sample.
	Own []replay.MarketResult

	starts []market.Instant // by end: the earliest start of its rounds
	cases  []series         // the variants, and the strategy itself when it is none of them
}

// series is what one case made.
type series struct {
	pnl    []int64  // by end, in micro-dollars; 0 where it did not trade
	count  []uint16 // by end: trades
	trades int
	ends   int // with a trade
	wins   int
	total  int64 // of pnl
	staked market.Cash
}

// Run replays c and every variant of g over a sample of c in one pass over the
// captures. Each variant gets the results that replay.Run gives for it alone. A sample
// and a grid that are too large together are an error with code bad_request.
func Run(ctx context.Context, src replay.Source, sample *replay.Sample, c replay.Case, g *Grid, p replay.Parallel) (*Ledger, error) {
	cases, own := g.Cases(c)
	l, err := NewLedger(sample, g)
	if err != nil {
		return nil, err
	}
	var lock sync.Mutex
	p.Undated = true // nobody sees the executions
	err = sample.Visit(ctx, src, p, cases, func(round int, which []int, results []replay.MarketResult) {
		lock.Lock()
		defer lock.Unlock()
		for i, k := range which {
			if k == own {
				l.Own[round] = results[i]
			}
			if t := results[i].Trade; t != nil {
				l.Book(round, k, t.PnL(), t.Cost)
			}
		}
	})
	return l, err
}

// Cases returns what a sweep of c replays: a case for each variant and, when c is
// none of them, c itself; own is the index of c.
func (g *Grid) Cases(c replay.Case) (cases []replay.Case, own int) {
	cases = make([]replay.Case, len(g.Variants), len(g.Variants)+1)
	for i := range g.Variants {
		cases[i] = c
		cases[i].Strategy = g.Variants[i].Strategy
	}
	if g.Own >= 0 {
		return cases, g.Own
	}
	return append(cases, c), len(cases)
}

// Book enters a trade of a case, by its index in Cases, in a round of the sample.
// The order of the trades makes no difference. Not safe for concurrent use.
func (l *Ledger) Book(round, k int, pnl, cost market.Cash) {
	end, _ := slices.BinarySearch(l.Ends, l.Sample.Rounds[round].Market.End)
	l.cases[k].add(end, pnl, cost)
}

// NewLedger returns a ledger without trades. Own is to be filled in, a result for
// each round. A sample and a grid that are too large together are an error with
// code bad_request.
func NewLedger(s *replay.Sample, g *Grid) (*Ledger, error) {
	l := newLedger(s, g)
	cases := len(g.Variants)
	if g.Own < 0 {
		cases++
	}
	if err := Fits(cases, len(l.Ends)); err != nil {
		return nil, err
	}
	l.cases = make([]series, cases)
	for k := range l.cases {
		l.cases[k] = series{pnl: make([]int64, len(l.Ends)), count: make([]uint16, len(l.Ends))}
	}
	return l, nil
}

// Fits returns an error with code bad_request for more cases over more ends of
// rounds than a ledger holds.
func Fits(cases, ends int) error {
	if cases*ends > MaxCells {
		return market.Errorf(market.CodeBadRequest, "%d variants over %d ends of rounds: at most %d together; vary less, or replay a smaller sample",
			cases, ends, MaxCells)
	}
	return nil
}

func newLedger(s *replay.Sample, g *Grid) *Ledger {
	l := &Ledger{Sample: s, Grid: g, Own: make([]replay.MarketResult, len(s.Rounds))}
	for i := range s.Rounds {
		l.Ends = append(l.Ends, s.Rounds[i].Market.End)
	}
	slices.Sort(l.Ends)
	l.Ends = slices.Compact(l.Ends)
	l.starts = make([]market.Instant, len(l.Ends))
	for i := range l.starts {
		l.starts[i] = market.Latest
	}
	for i := range s.Rounds {
		m := s.Rounds[i].Market
		end, _ := slices.BinarySearch(l.Ends, m.End)
		l.starts[end] = min(l.starts[end], m.Start)
	}
	return l
}

// add books a trade.
func (s *series) add(end int, pnl, cost market.Cash) {
	v := int64(pnl)
	if s.count[end] == 0 {
		s.ends++
	}
	s.pnl[end] += v
	s.count[end]++
	s.trades++
	s.total += v
	s.staked += cost
	if v > 0 {
		s.wins++
	}
}

// eligible reports whether there is enough to judge by: what a verdict needs.
func (s *series) eligible() bool { return s.trades >= stats.MinTrades && s.ends >= stats.MinEnds }

// clustered returns the ends with trades alone, of [from, to).
func (s *series) clustered(from, to int) stats.Clustered {
	n := min(s.ends, to-from)
	c := stats.Clustered{PnL: make([]int64, 0, n), Trades: make([]int64, 0, n)}
	for end := from; end < to; end++ {
		if s.count[end] > 0 {
			c.PnL, c.Trades = append(c.PnL, s.pnl[end]), append(c.Trades, int64(s.count[end]))
		}
	}
	return c
}
