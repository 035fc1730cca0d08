package replay_test

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/internal/replaytest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
)

type mutant struct {
	name, law string
	broken    func(*lab) *replay.Break
}

// mutants are engines broken in ways in which engines have been wrong, each with
// the law that is to notice.
var mutants = []mutant{
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
		return &replay.Break{Candidate: func(m *market.Market, token int) bool {
			return m.Payout.Fractions[token] == market.CashOne
		}}
	}},
	{"trigger on the last book before the end", "future perturbation", func(l *lab) *replay.Break {
		type side struct {
			r     *replaytest.Round
			token int
		}
		var wins sync.Map // by side: whether its last book is above 0.50
		return &replay.Break{Candidate: func(m *market.Market, token int) bool {
			k := side{find(l.running, m), token}
			won, ok := wins.Load(k)
			if !ok {
				b := newNaiveBook(k.r, token)
				b.to(m.End - 1)
				bid, ask := b.best()
				won = bid+ask > market.PriceOne
				wins.Store(k, won)
			}
			return won.(bool)
		}}
	}},
	{"liquidity not remembered", "never better than the book", func(l *lab) *replay.Break {
		return &replay.Break{Bids: func(m replay.Meeting) []market.Level {
			b := newNaiveBook(find(l.running, m.Market), m.Token)
			b.to(m.At)
			return b.wanted()
		}}
	}},
	{"fee dropped", "conservation", func(*lab) *replay.Break {
		return &replay.Break{Fee: func(market.Cash) market.Cash { return 0 }}
	}},
	{"take profit on the best bid alone", "agreement with the oracle", func(*lab) *replay.Break {
		return &replay.Break{Brings: func(v fills.Average, best market.Level) fills.Average {
			return fills.Average{Value: fills.Value(best.Price, v.Shares), Shares: v.Shares}
		}}
	}},
	{"settlement of a sold share", "conservation", func(*lab) *replay.Break {
		return &replay.Break{Settled: func(bought, _ market.Size) market.Size { return bought }}
	}},
	{"exit without latency", "agreement with the oracle", func(*lab) *replay.Break {
		return &replay.Break{Latency: func(a replay.Action, d market.Span) market.Span {
			if a == replay.Sell {
				return 0
			}
			return d
		}}
	}},
	// Three more, for the laws that the ten above leave alone.
	{"the worst ask first", "monotone in size", func(*lab) *replay.Break {
		return &replay.Break{Asks: func(m replay.Meeting) []market.Level {
			slices.Reverse(m.Levels)
			return m.Levels
		}}
	}},
	{"down pays a tick more", "mirror", func(*lab) *replay.Break {
		return &replay.Break{Asks: func(m replay.Meeting) []market.Level {
			for i := range m.Levels {
				m.Levels[i].Price += market.Price(m.Token)
			}
			return m.Levels
		}}
	}},
	{"latency that grows with every order sent", "any number of workers", func(*lab) *replay.Break {
		var sent atomic.Int64
		return &replay.Break{Latency: func(_ replay.Action, d market.Span) market.Span {
			return d + market.Span(sent.Add(1))
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
			law := lawOf(m.law)
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

func lawOf(name string) law {
	return laws[slices.IndexFunc(laws, func(x law) bool { return x.name == name })]
}
