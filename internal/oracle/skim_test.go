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
	"github.com/ladderback/ladderback/strategy"
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
	archives, seed := envInt(t, campaignSkims, 200), envInt(t, campaignSeed, 1)
	const chunks = 8
	var seen tally
	t.Run("archives", func(t *testing.T) {
		for chunk := range chunks {
			t.Run(strconv.Itoa(chunk), func(t *testing.T) {
				t.Parallel()
				for i := chunk; i < archives; i += chunks {
					f := fixtures().Example(seed + 3_000_000 + i)
					f.archive = ladders(f.archive)
					if i%2 == 1 {
						f = rough(f, i)
					}
					require.Empty(t, compareSkims(f, &seen), "seed %d", seed+3_000_000+i)
				}
			})
		}
	})
	for _, seed := range []int{
		4_052_701,  // a bound that lies before the start of the round
		33_097_328, // an instant named between two captures that are read, and a crossing behind it
		12_100_348, // an order that the ladders alone refuse, and a trade behind it
		12_106_784, // the same, after it was stale
		73_051_856, // a token without an ask, whose entry lapses before that of the other
		93_002_076, // the price of the last trade beside a depth
		3_002_805,  // an order that arrives when it is sent, long after the last ladder
	} {
		f := fixtures().Example(seed)
		f.archive = ladders(f.archive)
		require.Empty(t, compareSkims(f, &seen), "seed %d", seed)
	}
	t.Logf("%d archives\n%s", archives, &seen)
	if archives >= 200 {
		require.Greater(t, seen.trades, archives/10)
		require.Greater(t, seen.proven, archives/2)
	}
}

// TestDearerByTheLastTrade: while a depth is waited for, a trade says which of two tokens
// is dearer, and so is bought.
func TestDearerByTheLastTrade(t *testing.T) {
	t.Parallel()
	a := replaytest.MustParse(`market btc-updown-5m-1776088800 winner=up

0 up book 0.30x1 | 0.60x1
1 up trade 0.58x10
2 up book 0.30x1000 | 0.60x1000
`)
	s, err := strategy.Parse([]byte(`{"market": {"coin": "BTC", "market_type": "5m"}, "side": "either",
		"entry": [{"type": "ask_depth", "token": "same", "comparator": "gte", "threshold": 100, "within_seconds": null}],
		"exit": {"take_profit": null, "stop_loss": null, "hold_to_expiry": true}, "budget_per_trade": 10, "sample_size": 50}`))
	require.NoError(t, err)
	c := replay.Case{Strategy: s, Options: replay.DefaultOptions()}
	want := oracle.Run(a.All, c)[0]
	require.Len(t, want.Trades, 1)
	require.Equal(t, 0, want.Trades[0].Token)
	var seen tally
	for _, undated := range []bool{false, true} {
		found, ok := skims(a, c, want, undated, &seen)
		require.True(t, ok, "%s\n%s", want, found)
	}
}

func compareSkims(f fixture, seen *tally) string {
	for i, want := range oracle.Run(f.archive.All, f.cases...) {
		seen.add(want)
		for _, undated := range []bool{false, true} {
			if _, ok := skims(f.archive, f.cases[i], want, undated, seen); ok {
				continue
			}
			less, c := minimize(f.archive, f.cases[i], func(a *replaytest.Archive, c replay.Case) bool {
				_, ok := skims(a, c, oracle.Run(a.All, c)[0], undated, seen)
				return !ok
			})
			want := oracle.Run(less.All, c)[0]
			got, _ := skims(less, c, want, undated, seen)
			return difference(less, c, want.String(), got)
		}
	}
	return skimTogether(f, seen)
}

// skims replays a case by the tops and reports whether it finds what is wanted.
func skims(a *replaytest.Archive, c replay.Case, want *oracle.Ledger, undated bool, seen *tally) (found string, ok bool) {
	got, err := replay.Run(context.Background(), replaytest.Topped{Archive: a}, c, replay.Parallel{Workers: 1, Undated: undated})
	if err != nil {
		return err.Error(), false
	}
	return finds(want, got, undated, seen)
}

// finds reports whether a result is what is wanted. Of one that is undated the time
// of the last capture before a leg is that, or left out.
func finds(want *oracle.Ledger, got *replay.Result, undated bool, seen *tally) (found string, ok bool) {
	if !undated {
		found = oracle.Of(got).String()
		return found, found == want.String()
	}
	found = oracle.Of(seen.dated(got, want)).String()
	return found, found == want.String()
}

// dated returns the result with the times filled in that were left out, and counts
// those.
func (n *tally) dated(r *replay.Result, want *oracle.Ledger) *replay.Result {
	times := map[string][]oracle.Leg{}
	for _, t := range want.Trades {
		times[t.MarketID] = t.Legs
	}
	left := 0
	for _, t := range r.Trades {
		legs := times[t.Market.VenueID]
		for i := range t.Legs {
			if t.Legs[i].AsOf == 0 && t.Legs[i].Action != replay.Settle && i < len(legs) {
				t.Legs[i].AsOf = legs[i].AsOf
				left++
			}
		}
	}
	n.Lock()
	defer n.Unlock()
	n.proven += left
	return r
}

// skimTogether replays all cases in one pass over the sample of the first.
func skimTogether(f fixture, seen *tally) string {
	src := replaytest.Topped{Archive: f.archive}
	sample, err := replay.Draw(context.Background(), src, f.cases[0])
	if err != nil {
		return err.Error()
	}
	for _, undated := range []bool{false, true} {
		got, err := sample.Replay(context.Background(), src, replay.Parallel{Workers: 1, Undated: undated}, f.cases...)
		if err != nil {
			return err.Error()
		}
		for i, want := range oracle.Over(f.archive.All, f.cases[0], f.cases...) {
			if g, ok := finds(want, got[i], undated, seen); !ok {
				return difference(f.archive, f.cases[i], want.String(), "case "+strconv.Itoa(i)+" of one pass by the tops\n"+g)
			}
		}
	}
	return ""
}
