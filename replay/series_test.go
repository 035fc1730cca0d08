package replay_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/internal/replaytest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
)

// glance is what a series says of an instant.
type glance struct {
	Mid       [2]market.Mid
	Low, High market.Mid // of the second token, of the minute until then
	Fresh     bool
	InGap     bool
}

// glances asks the series of every round of an archive at some instants of it.
func glances(t *testing.T, src replay.Source, at func(m *market.Market) []market.Instant) map[string][]glance {
	t.Helper()
	s, err := replay.DrawRounds(t.Context(), src, market.RoundDraw{Inferred: true, Limit: 1000})
	require.NoError(t, err)
	out := map[string][]glance{}
	var lock sync.Mutex
	require.NoError(t, s.Follow(t.Context(), src, replay.Parallel{}, nil, func(i int, x *replay.Series) error {
		m := s.Rounds[i].Market
		var all []glance
		for _, at := range at(m) {
			g := glance{Mid: [2]market.Mid{x.Mid(0, at), x.Mid(1, at)}, InGap: x.InGap(1, at)}
			g.Low, g.High = x.Extremes(1, max(m.Start, at-market.Minute), at)
			var err error
			if g.Fresh, err = x.Fresh(at); err != nil {
				return err
			}
			all = append(all, g)
		}
		lock.Lock()
		defer lock.Unlock()
		out[m.VenueID] = all
		return nil
	}))
	return out
}

func TestSeries(t *testing.T) {
	t.Parallel()
	a := replaytest.MustParse(`
market btc-updown-5m-1776088800 winner=up
gap up 100 130
-2   up   book   0.40x10 | 0.44x10
10   up   change 0.42x10 |
10   up   change 0.43x10 |
20   down quote  0.50x1 | 0.52x1 # of a lesser stream: it changes nothing
90   up   change 0.43x0 0.42x0 |
`)
	got := glances(t, a, func(m *market.Market) []market.Instant {
		var all []market.Instant
		for _, s := range []market.Span{0, 9, 10, 50, 51, 90, 129, 130, 299} {
			all = append(all, m.Start+s*market.Second)
		}
		return all
	})
	const open, high = 8400, 8700 // (40 + 44) ÷ 2 and (43 + 44) ÷ 2 cents, as Up shows it
	one := func(up, low, high market.Mid, fresh, gap bool) glance {
		return glance{[2]market.Mid{up, up.Mirror()}, low, high, fresh, gap}
	}
	require.Equal(t, []glance{
		one(open, 11600, 11600, true, false),
		one(open, 11600, 11600, true, false),
		one(high, 11300, 11600, true, false),
		one(high, 11300, 11600, true, false),
		one(high, 11300, 11600, false, false), // 31 s behind the last capture
		one(open, 11300, 11600, true, false),
		one(open, 11300, 11600, false, true),
		one(open, 11300, 11600, false, false),
		one(open, 11600, 11600, false, false),
	}, got["btc-updown-5m-1776088800"])
}

// TestSeriesByTops: what is known by tops is what all captures say, and what comes behind
// an instant has no part in it.
func TestSeriesByTops(t *testing.T) {
	t.Parallel()
	stale, gaps, known := 0, 0, 0
	for seed := range uint64(80) {
		a := replaytest.NewRandom(seed + 9_000_000).Archive(3)
		instants := func(m *market.Market) (all []market.Instant) {
			for k := range market.Span(40) {
				all = append(all, m.Start+(m.End-m.Start)*k/40)
			}
			return all
		}
		want := glances(t, a, instants)
		require.Equal(t, want, glances(t, replaytest.Topped{Archive: a}, instants), "seed %d", seed)
		for _, all := range want {
			for _, g := range all {
				if !g.Fresh {
					stale++
				}
				if g.InGap {
					gaps++
				}
				if g.Mid[0] != market.NoMid {
					known++
				}
			}
		}
		cut := &replaytest.Archive{}
		half := func(m *market.Market) market.Instant { return (m.Start + m.End) / 2 }
		for _, r := range a.All {
			own := *r
			own.Captures = slices.DeleteFunc(slices.Clone(r.Captures), func(c market.Capture) bool { return c.Recv > half(&r.Market) })
			cut.All = append(cut.All, &own)
		}
		past := func(m *market.Market) []market.Instant {
			return slices.DeleteFunc(instants(m), func(at market.Instant) bool { return at > half(m) })
		}
		before := glances(t, cut, past)
		for id, all := range glances(t, a, past) {
			if now, ok := before[id]; ok { // a round may have no capture left
				require.Equal(t, all, now, "seed %d, market %s", seed, id)
			}
		}
	}
	require.Greater(t, known, 1000)
	require.Greater(t, stale, 50)
	require.Greater(t, gaps, 10)
}

// TestFollowChooses: rounds that nobody wants are not read, and an error ends the rest.
func TestFollowChooses(t *testing.T) {
	t.Parallel()
	a := replaytest.NewRandom(3).Archive(6)
	s, err := replay.DrawRounds(t.Context(), a, market.RoundDraw{Inferred: true, Limit: 1000})
	require.NoError(t, err)
	require.Greater(t, len(s.Rounds), 2)
	var seen []int
	require.NoError(t, s.Follow(t.Context(), a, replay.Parallel{Workers: 1}, func(i int) bool { return i == 1 }, func(i int, _ *replay.Series) error {
		seen = append(seen, i)
		return nil
	}))
	require.Equal(t, []int{1}, seen)
	err = s.Follow(t.Context(), a, replay.Parallel{}, nil, func(int, *replay.Series) error { return context.Canceled })
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, err, "market")
}
