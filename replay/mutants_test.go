package replay_test

import (
	"slices"
	"testing"

	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
)

// mutants are engines broken in ways in which engines have been wrong, each with
// the law that is to notice.
var mutants = []struct {
	name, law string
	broken    func(*lab) *replay.Break
}{
	{"fill at mid", "never better than the book", func(l *lab) *replay.Break {
		return &replay.Break{Asks: func(m replay.Meeting) []market.Level {
			b := newNaiveBook(find(l.running, m.Market), m.Token)
			b.to(m.At)
			bid, ask := b.best()
			return unlimited((bid + ask) / 2)
		}}
	}},
	{"fill on the triggering book", "never better than the book", func(l *lab) *replay.Break {
		return &replay.Break{Asks: func(m replay.Meeting) []market.Level {
			b := newNaiveBook(find(l.running, m.Market), m.Token)
			b.to(m.Signal)
			return b.offered()
		}}
	}},
	{"fill on the next better book", "future perturbation", func(l *lab) *replay.Break {
		return &replay.Break{Asks: func(m replay.Meeting) []market.Level {
			b := newNaiveBook(find(l.running, m.Market), m.Token)
			b.to(m.At)
			_, ask := b.best()
			for len(b.captures) > 0 {
				b.to(b.captures[0].Recv)
				if _, a := b.best(); a < ask {
					return b.offered()
				}
			}
			return m.Levels
		}}
	}},
	{"trigger on the winner", "future perturbation", func(*lab) *replay.Break {
		return &replay.Break{Holds: func(m *market.Market, token int, _ market.Instant, holds bool) bool {
			return holds && m.Payout.Fractions[token] == market.CashOne
		}}
	}},
	{"trigger on the last book before the end", "future perturbation", func(l *lab) *replay.Break {
		return &replay.Break{Holds: func(m *market.Market, token int, _ market.Instant, holds bool) bool {
			b := newNaiveBook(find(l.running, m), token)
			b.to(m.End - 1)
			bid, ask := b.best()
			return holds && bid+ask > market.PriceOne
		}}
	}},
	{"liquidity not remembered", "never better than the book", func(*lab) *replay.Break {
		return &replay.Break{Forget: true}
	}},
	{"fee dropped", "conservation", func(*lab) *replay.Break {
		return &replay.Break{Fee: func(market.Cash) market.Cash { return 0 }}
	}},
	{"take profit on the best bid alone", "justified", func(*lab) *replay.Break {
		return &replay.Break{Whole: func(v fills.Average, best market.Level) fills.Average {
			return fills.Average{Value: fills.Value(best.Price, v.Shares), Shares: v.Shares}
		}}
	}},
	{"settlement of a sold share", "conservation", func(*lab) *replay.Break {
		return &replay.Break{Settled: func(bought, _ market.Size) market.Size { return bought }}
	}},
	{"exit without latency", "justified", func(*lab) *replay.Break {
		return &replay.Break{Latency: func(a replay.Action, d market.Span) market.Span {
			if a == replay.Sell {
				return 0
			}
			return d
		}}
	}},
}

// TestMutants shows that the laws can fail: each mutant is caught by its law.
func TestMutants(t *testing.T) {
	t.Parallel()
	const most = 300
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			law := laws[slices.IndexFunc(laws, func(x law) bool { return x.name == m.law })]
			for seed := range uint64(most) {
				l := newLab(seed)
				l.broken = m.broken(l)
				if err := law.check(l); err != nil {
					t.Logf("%s: caught by %q in archive %d: %v", m.name, m.law, seed, err)
					return
				}
			}
			t.Errorf("%s: %q noticed nothing in %d archives", m.name, m.law, most)
		})
	}
}
