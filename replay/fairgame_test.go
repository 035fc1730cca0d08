package replay_test

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"iter"
	"math"
	"slices"
	"sort"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/simulate"
	"github.com/ladderback/ladderback/internal/replaytest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
)

// How large the fair game is.
var (
	fairMarkets    = flag.Int("fairmarkets", 800, "number of simulated fair rounds")
	fairStrategies = flag.Int("fairstrategies", 200, "number of random strategies that play them")
)

// familyWise is the chance of one false alarm or more over the whole family.
const familyWise = 0.01

// TestFairGame: over rounds whose fair value is a martingale that ends at the
// payout, quoted around it throughout, nobody wins on average.
//
// Each strategy is tested by a bet against the claim that its mean is at most
// zero: of a wealth of 1 a fixed share is staked on every trade, which pays
// pnl ÷ budget. As no trade loses more than the budget the wealth never falls
// below zero, and under the claim it does not grow on average, so a wealth of w
// has a chance of at most 1/w (Markov): that is the p-value, valid for any
// number of trades and however lopsided they are, where a t-test would be fooled
// by the many small gains of buying favourites. The wealth is the mean over ten
// shares. The family is controlled by Holm's method.
//
// The same is asked of what the moves of the fair value alone brought, which
// knows no spread to hide behind; and no single trade may bring more than that.
func TestFairGame(t *testing.T) {
	t.Parallel()
	g := newFairGame(t, *fairMarkets)
	require.LessOrEqual(t, g.most, 500, "captures of a round")
	found, err := g.play(nil, nil, fairFamily(*fairStrategies))
	require.NoError(t, err)
	t.Log(found)
	require.Empty(t, found.alarms())
	require.Greater(t, found.busy, *fairStrategies*3/4, "strategies that traded 30 times or more")
}

// fairGame is a set of fair rounds; it is a replay.Source.
type fairGame struct {
	rounds []market.Round // newest end first
	byID   map[string]*simulate.Round
	values map[string][]fairValue
	most   int // captures of a round
}

// fairValue is the chance of Up from an instant on, in units of 1e-9.
type fairValue struct {
	from   market.Instant
	chance int64
}

func newFairGame(t testing.TB, n int) *fairGame {
	t.Helper()
	sim, err := simulate.New(simulate.Config{Seed: 7, Fair: true, Markets: n, Types: []string{"5m"}, Levels: 12})
	require.NoError(t, err)
	g := &fairGame{byID: map[string]*simulate.Round{}, values: map[string][]fairValue{}}
	for i := range sim.Len() {
		r := sim.Round(i)
		id := r.Market.VenueID
		g.byID[id] = r
		g.rounds = append(g.rounds, market.Round{Market: &r.Market, Captured: true, Gaps: r.Gaps})
		for at, chance := range r.Values() {
			g.values[id] = append(g.values[id], fairValue{at, chance})
		}
		captures := 0
		for range r.Captures() {
			captures++
		}
		g.most = max(g.most, captures)
	}
	slices.SortFunc(g.rounds, func(a, b market.Round) int {
		return cmp.Or(cmp.Compare(b.Market.End, a.Market.End), cmp.Compare(a.Market.VenueID, b.Market.VenueID))
	})
	return g
}

// Rounds returns all rounds.
func (g *fairGame) Rounds(context.Context, market.RoundFilter) ([]market.Round, error) {
	return g.rounds, nil
}

// Captures makes the captures of a round anew.
func (g *fairGame) Captures(_ context.Context, m *market.Market) iter.Seq2[*market.Capture, error] {
	return func(yield func(*market.Capture, error) bool) {
		for c := range g.byID[m.VenueID].Captures() {
			if !yield(c, nil) {
				return
			}
		}
	}
}

// archive returns the rounds with their captures in memory.
func (g *fairGame) archive() *replaytest.Archive {
	a := &replaytest.Archive{}
	for _, r := range g.rounds {
		x := &replaytest.Round{Market: *r.Market, Gaps: r.Gaps}
		for c := range g.byID[r.Market.VenueID].Captures() {
			held := *c
			held.Bids, held.Asks = slices.Clone(c.Bids), slices.Clone(c.Asks)
			x.Captures = append(x.Captures, held)
		}
		a.All = append(a.All, x)
	}
	return a
}

// fair returns the fair value of a token as of an instant in [0, 1e9].
func (g *fairGame) fair(m *market.Market, token int, at market.Instant) int64 {
	values := g.values[m.VenueID]
	i := sort.Search(len(values), func(i int) bool { return values[i].from > at })
	chance := values[max(i-1, 0)].chance
	if m.Tokens[token].Outcome == market.Down {
		chance = 1_000_000_000 - chance
	}
	return chance
}

// fairFound is what a family of strategies made of the game.
type fairFound struct {
	markets, strategies, trades, busy int
	pnl, luck                         []float64 // adjusted p-values, smallest first
	meanPnL, meanLuck                 float64   // USD a trade
	won, lost                         int       // strategies with a mean pnl above and below zero
	best                              float64   // largest t statistic of a mean pnl, of 100 trades or more
	tooGood                           string    // the first trade that brought more than fair values moved
}

func (f *fairFound) String() string {
	return fmt.Sprintf("%d markets, %d strategies (%d with 30 trades or more), %d trades: "+
		"mean pnl %.4f USD a trade, from moves of the fair value %.4f; "+
		"%d strategies won, %d lost; smallest adjusted p of a mean pnl %.3g, of the moves %.3g; largest t of a mean pnl %.2f",
		f.markets, f.strategies, f.busy, f.trades, f.meanPnL, f.meanLuck, f.won, f.lost, f.pnl[0], f.luck[0], f.best)
}

// alarms says what a fair game does not show; empty: nothing.
func (f *fairFound) alarms() []string {
	var out []string
	if f.pnl[0] <= familyWise {
		out = append(out, fmt.Sprintf("a mean pnl above zero: adjusted p %.3g", f.pnl[0]))
	}
	if f.luck[0] <= familyWise {
		out = append(out, fmt.Sprintf("decisions that knew where the fair value would move: adjusted p %.3g", f.luck[0]))
	}
	if f.tooGood != "" {
		out = append(out, f.tooGood)
	}
	return out
}

// play replays the cases, on an engine that may be broken, from src or, when it
// is nil, from the game itself.
func (g *fairGame) play(src replay.Source, broken *replay.Break, cases []replay.Case) (*fairFound, error) {
	if src == nil {
		src = g
	}
	sample := (&replay.Sample{Rounds: g.rounds}).Broken(broken)
	results, err := sample.Replay(context.Background(), src, replay.Parallel{}, cases...)
	if err != nil {
		return nil, err
	}
	f := &fairFound{markets: len(g.rounds), strategies: len(cases), best: math.Inf(-1)}
	for i, r := range results {
		g.judge(f, r.Trades, cases[i].Strategy.BudgetPerTrade().Float())
	}
	f.meanPnL, f.meanLuck = f.meanPnL/float64(f.trades), f.meanLuck/float64(f.trades)
	f.pnl, f.luck = holm(f.pnl), holm(f.luck)
	return f, nil
}

// judge adds one strategy.
func (g *fairGame) judge(f *fairFound, trades []*replay.Trade, budget float64) {
	var pnl, luck bet
	for _, t := range trades {
		moved := g.moved(t)
		gain := t.PnL().Float()
		if gain > moved+1e-6 && f.tooGood == "" {
			f.tooGood = fmt.Sprintf("market %s: a trade brought %.6f USD, the fair value moved by %.6f", t.Market.VenueID, gain, moved)
		}
		pnl.add(gain / budget)
		luck.add(moved / budget)
		f.meanPnL += gain
		f.meanLuck += moved
	}
	f.trades += len(trades)
	f.pnl, f.luck = append(f.pnl, pnl.p()), append(f.luck, luck.p())
	if len(trades) >= 30 {
		f.busy++
	}
	if len(trades) >= 100 {
		f.best = max(f.best, pnl.t())
	}
	switch {
	case pnl.sum > 0:
		f.won++
	case pnl.sum < 0:
		f.lost++
	}
}

// moved is what the position gained at fair values: from the entry to each exit,
// and to the payout.
func (g *fairGame) moved(t *replay.Trade) float64 {
	bought := g.fair(t.Market, t.Token, t.EntryTime)
	sum := 0.0
	for _, l := range t.Legs[1:] {
		at := t.Payout.Float()
		if l.Action == replay.Sell {
			at = float64(g.fair(t.Market, t.Token, l.Time)) / 1e9
		}
		sum += l.Shares.Float() * (at - float64(bought)/1e9)
	}
	return sum
}

// bet stakes shares of 1/2, 1/4 … 1/1024 of a wealth on every trade.
type bet struct {
	wealth       [10]float64 // its logarithm
	sum, squares float64
	n            float64
}

// add takes a trade that pays x a dollar staked, x ≥ −1; only an engine that is
// wrong loses more.
func (b *bet) add(x float64) {
	x = max(x, -1)
	for i := range b.wealth {
		b.wealth[i] += math.Log1p(math.Ldexp(x, -i-1))
	}
	b.sum += x
	b.squares += x * x
	b.n++
}

// p bounds the chance of such a wealth when the mean is at most zero.
func (b *bet) p() float64 {
	top := slices.Max(b.wealth[:])
	mean := 0.0
	for _, w := range b.wealth {
		mean += math.Exp(w-top) / float64(len(b.wealth))
	}
	return math.Min(1, math.Exp(-top-math.Log(mean)))
}

func (b *bet) t() float64 {
	mean := b.sum / b.n
	return mean / math.Sqrt((b.squares/b.n-mean*mean)/(b.n-1))
}

// holm adjusts the p-values of a family (Holm, 1979), smallest first.
func holm(p []float64) []float64 {
	p = slices.Sorted(slices.Values(p))
	for i := range p {
		p[i] = math.Min(1, p[i]*float64(len(p)-i))
		if i > 0 {
			p[i] = max(p[i], p[i-1])
		}
	}
	return p
}
