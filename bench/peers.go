package bench

import (
	"context"

	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/sqlite"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

// peersCase is the strategy that bench/peers replays, with its limits in cents.
func peersCase(below, target, stop, rounds int) (replay.Case, error) {
	s, err := strategy.Canonicalize(strategy.Strategy{
		Market: strategy.MarketSpec{Coin: "BTC", Type: "5m"}, Side: strategy.Up,
		Entry: []strategy.Condition{{
			Type: strategy.BestAsk, Token: strategy.TokenUp, Comparator: strategy.LT, Threshold: strategy.Cents(below),
			WithinSeconds: 180,
		}},
		Exit:           strategy.Exit{HoldToExpiry: true, TakeProfit: strategy.Cents(target).Ptr(), StopLoss: strategy.Cents(stop).Ptr()},
		BudgetPerTrade: strategy.Int(50), SampleSize: rounds,
	})
	o := replay.DefaultOptions()
	o.Winners = replay.WinnersInferred
	return replay.Case{Strategy: s, Options: o}, err
}

// variants are 100 variants of that strategy.
func variants(rounds int) ([]replay.Case, error) {
	var out []replay.Case
	for below := 25; below <= 45; below += 5 {
		for target := 50; target <= 70; target += 5 {
			for stop := 5; stop <= 20; stop += 5 {
				c, err := peersCase(below, target, stop, rounds)
				if err != nil {
					return nil, err
				}
				out = append(out, c)
			}
		}
	}
	return out, nil
}

// peers measures what bench/peers measures, in process, where the archive has rounds
// for it: the archive is opened each time.
func (r *runner) peers(ctx context.Context) error {
	rounds, err := r.archive.Rounds(ctx, market.RoundFilter{Coin: "BTC", Type: "5m"})
	if err != nil || len(rounds) == 0 {
		return err
	}
	one, err := peersCase(35, 55, 20, r.options.Rounds)
	if err != nil {
		return err
	}
	many, err := variants(r.options.Rounds)
	if err != nil {
		return err
	}
	for _, k := range []struct {
		name  string
		cases []replay.Case
	}{{"peers: a stop and a target", []replay.Case{one}}, {"peers: 100 variants", many}} {
		f := Figure{Name: k.name, Units: "rounds"}
		err := r.measure(f, int64(len(rounds)), func() error {
			a, done, err := r.again(ctx)
			if err != nil {
				return err
			}
			defer done()
			s, err := replay.Draw(ctx, a, k.cases[0])
			if err != nil {
				return err
			}
			results, err := s.Replay(ctx, a, replay.Parallel{Undated: true}, k.cases...)
			if err != nil {
				return err
			}
			f.Trades = 0
			for _, got := range results {
				f.Trades += len(got.Trades)
			}
			return nil
		})
		if err != nil {
			return err
		}
		r.found(f)
	}
	return nil
}

// again opens the archive once more where it is a file; otherwise it is the one that
// is open.
func (r *runner) again(ctx context.Context) (*archive.Archive, func(), error) {
	if _, ok := r.archive.Store().(*sqlite.Store); !ok {
		return r.archive, func() {}, nil
	}
	s, err := sqlite.Open(ctx, r.archive.Address())
	if err != nil {
		return nil, nil, err
	}
	a := archive.New(s)
	return a, func() { _ = a.Close() }, nil
}
