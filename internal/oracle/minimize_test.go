package oracle_test

import (
	"context"
	"os"
	"slices"

	"github.com/ladderback/ladderback/internal/oracle"
	"github.com/ladderback/ladderback/internal/replaytest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

// minimize drops rounds, captures, levels, gaps, conditions and exits as long as
// differs stays true, so that a difference can be read; nobody reads those of an engine that
// was broken on purpose.
func minimize(a *replaytest.Archive, c replay.Case, differs func(*replaytest.Archive, replay.Case) bool) (*replaytest.Archive, replay.Case) {
	for again := os.Getenv(brokenEnv) == ""; again; {
		again = false
		for _, try := range append(smallerArchives(a), smallerRounds(a)...) {
			if differs(try, c) {
				a, again = try, true
				break
			}
		}
		if again {
			continue
		}
		for _, try := range smallerCases(c) {
			if differs(a, try) {
				c, again = try, true
				break
			}
		}
	}
	return a, c
}

func copyOf(a *replaytest.Archive) *replaytest.Archive {
	out := &replaytest.Archive{}
	for _, r := range a.All {
		next := *r
		next.Captures, next.Gaps = slices.Clone(r.Captures), slices.Clone(r.Gaps)
		out.All = append(out.All, &next)
	}
	return out
}

func smallerArchives(a *replaytest.Archive) []*replaytest.Archive {
	var out []*replaytest.Archive
	for i := range a.All {
		try := copyOf(a)
		try.All = slices.Delete(try.All, i, i+1)
		out = append(out, try)
	}
	for i, r := range a.All {
		for n := len(r.Captures) / 2; n > 0; n /= 2 {
			for from := 0; from+n <= len(r.Captures); from += n {
				try := copyOf(a)
				try.All[i].Captures = slices.Delete(try.All[i].Captures, from, from+n)
				out = append(out, try)
			}
		}
	}
	return out
}

func smallerRounds(a *replaytest.Archive) []*replaytest.Archive {
	var out []*replaytest.Archive
	change := func(i int, f func(*replaytest.Round) bool) {
		try := copyOf(a)
		if f(try.All[i]) {
			out = append(out, try)
		}
	}
	for i, r := range a.All {
		change(i, func(r *replaytest.Round) bool { had := len(r.Gaps) > 0; r.Gaps = nil; return had })
		change(i, func(r *replaytest.Round) bool { had := r.Market.Fees != nil; r.Market.Fees = nil; return had })
		change(i, func(r *replaytest.Round) bool { had := r.Market.MinSize != 0; r.Market.MinSize = 0; return had })
		change(i, func(r *replaytest.Round) bool { had := r.Market.ClosedAt != 0; r.Market.ClosedAt = 0; return had })
		for k := range r.Captures {
			change(i, func(r *replaytest.Round) bool { had := r.Captures[k].Exch != 0; r.Captures[k].Exch = 0; return had })
			for n := range r.Captures[k].Bids {
				change(i, func(r *replaytest.Round) bool {
					r.Captures[k].Bids = slices.Delete(slices.Clone(r.Captures[k].Bids), n, n+1)
					return true
				})
			}
			for n := range r.Captures[k].Asks {
				change(i, func(r *replaytest.Round) bool {
					r.Captures[k].Asks = slices.Delete(slices.Clone(r.Captures[k].Asks), n, n+1)
					return true
				})
			}
			for _, side := range [][]market.Level{r.Captures[k].Bids, r.Captures[k].Asks} {
				for n := range side {
					if side[n].Size == 0 || side[n].Size == 100*market.SizeOne {
						continue
					}
					change(i, func(r *replaytest.Round) bool {
						c := &r.Captures[k]
						c.Bids, c.Asks = slices.Clone(c.Bids), slices.Clone(c.Asks)
						for _, l := range [][]market.Level{c.Bids, c.Asks} {
							if n < len(l) && l[n] == side[n] {
								l[n].Size = 100 * market.SizeOne
							}
						}
						return true
					})
				}
			}
		}
	}
	return out
}

func smallerCases(c replay.Case) []replay.Case {
	var out []replay.Case
	change := func(f func(s *strategy.Strategy, o *replay.Options)) {
		try := c
		s := c.Strategy.Strategy()
		f(&s, &try.Options)
		var err error
		try.Strategy, err = strategy.Canonicalize(s)
		same := err == nil && try.Strategy.Equal(c.Strategy) && try.Options == c.Options
		if err == nil && !same {
			out = append(out, try)
		}
	}
	d := replay.DefaultOptions()
	change(func(_ *strategy.Strategy, o *replay.Options) { *o = d })
	change(func(_ *strategy.Strategy, o *replay.Options) { o.LatencyMS = d.LatencyMS })
	change(func(_ *strategy.Strategy, o *replay.Options) { o.MaxSlippage = d.MaxSlippage })
	change(func(_ *strategy.Strategy, o *replay.Options) { o.StaleMS = d.StaleMS })
	change(func(_ *strategy.Strategy, o *replay.Options) { o.Sampling, o.Seed = d.Sampling, d.Seed })
	change(func(_ *strategy.Strategy, o *replay.Options) { o.From = nil })
	change(func(_ *strategy.Strategy, o *replay.Options) { o.To = nil })
	change(func(s *strategy.Strategy, _ *replay.Options) { s.EntryAny = nil })
	for i := range c.Strategy.Entry() {
		change(func(s *strategy.Strategy, _ *replay.Options) { s.Entry = slices.Delete(slices.Clone(s.Entry), i, i+1) })
	}
	change(func(s *strategy.Strategy, _ *replay.Options) { s.Exit = strategy.Exit{HoldToExpiry: true} })
	change(func(s *strategy.Strategy, _ *replay.Options) { s.Exit.TakeProfit = nil })
	change(func(s *strategy.Strategy, _ *replay.Options) { s.Exit.StopLoss = nil })
	change(func(s *strategy.Strategy, _ *replay.Options) { s.Exit.TakeProfitOffset = nil })
	change(func(s *strategy.Strategy, _ *replay.Options) { s.Exit.StopLossOffset = nil })
	change(func(s *strategy.Strategy, _ *replay.Options) { s.Exit.TrailingStop = nil })
	change(func(s *strategy.Strategy, _ *replay.Options) { s.Exit.MaxHoldSeconds = 0 })
	change(func(s *strategy.Strategy, _ *replay.Options) { s.Exit.ExitBeforeSeconds = 0 })
	change(func(s *strategy.Strategy, _ *replay.Options) {
		s.Exit.HoldToExpiry, s.Exit.ExitBeforeSeconds = true, 0
	})
	return append(out, lessOrders(c)...)
}

// ledgers replays one case on both engines.
func ledgers(a *replaytest.Archive, c replay.Case) (want, got string) {
	want = oracle.Run(a.All, c)[0].String()
	r, err := replay.Run(context.Background(), a, c, replay.Parallel{Workers: 1})
	if err != nil {
		return want, "error: " + err.Error()
	}
	return want, oracle.Of(r).String()
}
