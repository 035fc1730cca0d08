package oracle_test

import (
	"context"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/internal/oracle"
	"github.com/ladderback/ladderback/internal/replaytest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
)

// campaignSkims names the variable that makes a long campaign of
// TestSkimEqualsOracle: how many random archives are compared.
const campaignSkims = "LADDERBACK_ORACLE_SKIMS"

// ladders makes the rounds of an archive such as have tops: those of a mirrored
// pair whose captures are ladders, trades and what says nothing of either.
func ladders(a *replaytest.Archive) *replaytest.Archive {
	out := &replaytest.Archive{}
	for _, r := range a.All {
		c := *r
		c.Market.Mirrored = true
		c.Captures = nil
		for _, x := range r.Captures {
			if x.Kind != market.KindQuote && x.Kind != market.KindPrice {
				c.Captures = append(c.Captures, x)
				continue
			}
			book := market.Capture{Token: x.Token, Kind: market.KindBook, Recv: x.Recv, Exch: x.Exch, Ord: x.Ord, Replace: true}
			if x.Kind == market.KindQuote && x.Quote.Bid.Price >= 0 {
				book.Bids = []market.Level{{Price: x.Quote.Bid.Price, Size: max(x.Quote.Bid.Size, 1)}}
			}
			if x.Kind == market.KindQuote && x.Quote.Ask.Price >= 0 {
				book.Asks = []market.Level{{Price: x.Quote.Ask.Price, Size: max(x.Quote.Ask.Size, 1)}}
			}
			c.Captures = append(c.Captures, book)
		}
		out.All = append(out.All, &c)
	}
	return out
}

// TestSkimEqualsOracle compares, over random archives whose rounds have tops, what
// is found by the tops with what is found by every capture and by the oracle.
func TestSkimEqualsOracle(t *testing.T) {
	t.Parallel()
	archives, seed := envInt(t, campaignSkims, 400), envInt(t, campaignSeed, 1)
	const chunks = 8
	var seen tally
	t.Run("archives", func(t *testing.T) {
		for chunk := range chunks {
			t.Run(strconv.Itoa(chunk), func(t *testing.T) {
				t.Parallel()
				for i := chunk; i < archives; i += chunks {
					f := fixtures().Example(seed + 3_000_000 + i)
					f.archive = ladders(f.archive)
					require.Empty(t, compareSkims(f, &seen), "seed %d", seed+3_000_000+i)
				}
			})
		}
	})
	for _, seed := range []int{
		4_052_701,  // a bound that lies before the start of the round
		33_097_328, // an instant named between two captures that are read, and a crossing behind it
	} {
		f := fixtures().Example(seed)
		f.archive = ladders(f.archive)
		require.Empty(t, compareSkims(f, &seen), "seed %d", seed)
	}
	t.Logf("%d archives\n%s", archives, &seen)
	if archives >= 400 {
		require.Greater(t, seen.trades, archives/10)
	}
}

func compareSkims(f fixture, seen *tally) string {
	skims := func(a *replaytest.Archive, c replay.Case) string {
		got, err := replay.Run(context.Background(), replaytest.Glancing{Archive: a}, c, replay.Parallel{Workers: 1})
		if err != nil {
			return err.Error()
		}
		return oracle.Of(got).String()
	}
	for i, want := range oracle.Run(f.archive.All, f.cases...) {
		seen.add(want)
		if want.String() == skims(f.archive, f.cases[i]) {
			continue
		}
		less, c := minimize(f.archive, f.cases[i], func(a *replaytest.Archive, c replay.Case) bool {
			return oracle.Run(a.All, c)[0].String() != skims(a, c)
		})
		return difference(less, c, oracle.Run(less.All, c)[0].String(), skims(less, c))
	}
	return skimTogether(f)
}

// skimTogether replays all cases in one pass over the sample of the first.
func skimTogether(f fixture) string {
	src := replaytest.Glancing{Archive: f.archive}
	sample, err := replay.Draw(context.Background(), src, f.cases[0])
	if err != nil {
		return err.Error()
	}
	got, err := sample.Replay(context.Background(), src, replay.Parallel{Workers: 1}, f.cases...)
	if err != nil {
		return err.Error()
	}
	for i, want := range oracle.Over(f.archive.All, f.cases[0], f.cases...) {
		if w, g := want.String(), oracle.Of(got[i]).String(); w != g {
			return difference(f.archive, f.cases[i], w, "case "+strconv.Itoa(i)+" of one pass by the tops\n"+g)
		}
	}
	return ""
}
