package replay_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/internal/replaytest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
)

// generous is a source that returns every round, whatever it is asked for.
type generous struct{ *replaytest.Archive }

func (g generous) Rounds(ctx context.Context, _ market.RoundFilter) ([]market.Round, error) {
	return g.Archive.Rounds(ctx, market.RoundFilter{})
}

// TestDrawFiltersItself: from ≤ end < to, the coin and the length hold also over
// a source that leaves the choice to the engine.
func TestDrawFiltersItself(t *testing.T) {
	t.Parallel()
	a := replaytest.MustParse(`
market btc-updown-5m-1776088200 winner=up
1 up book | 0.5x1
market btc-updown-5m-1776088500 winner=up
1 up book | 0.5x1
market btc-updown-5m-1776088800 winner=up
1 up book | 0.5x1
market eth-updown-5m-1776088500 winner=up
1 up book | 0.5x1
market btc-updown-15m-1776087900 winner=up
1 up book | 0.5x1
`)
	end := func(i int64) *market.Instant { // of the i-th round of BTC 5m
		at := market.Instant(1_776_088_500+300*i) * market.Second
		return &at
	}
	after := func(at *market.Instant) *market.Instant { next := *at + 1; return &next }
	for _, c := range []struct {
		name     string
		from, to *market.Instant
		want     []string
	}{
		{"no bounds", nil, nil, []string{"btc-updown-5m-1776088800", "btc-updown-5m-1776088500", "btc-updown-5m-1776088200"}},
		{"ends at from", end(1), nil, []string{"btc-updown-5m-1776088800", "btc-updown-5m-1776088500"}},
		{"ends before from", after(end(1)), nil, []string{"btc-updown-5m-1776088800"}},
		{"ends at to", nil, end(1), []string{"btc-updown-5m-1776088200"}},
		{"ends before to", nil, after(end(1)), []string{"btc-updown-5m-1776088500", "btc-updown-5m-1776088200"}},
		{"from one end to the next", end(0), end(1), []string{"btc-updown-5m-1776088200"}},
	} {
		for _, src := range []replay.Source{a, generous{a}} {
			k := usualCase(t)
			k.Options.From, k.Options.To = c.from, c.to
			s, err := replay.Draw(t.Context(), src, k)
			require.NoError(t, err, c.name)
			var got []string
			for _, r := range s.Rounds {
				got = append(got, r.Market.Slug)
			}
			require.Equal(t, c.want, got, "%s, %T", c.name, src)
			require.Equal(t, len(c.want), s.Funnel.Universe, "%s, %T", c.name, src)
		}
	}
}

// TestMinCoverage: of rounds of 300 s only those are drawn of which at least the
// share asked for lies within 30 s behind a capture, exactly.
func TestMinCoverage(t *testing.T) {
	t.Parallel()
	a := replaytest.MustParse(`
market btc-updown-5m-1776088200 winner=up
0 up book | 0.5x1
30 up book | 0.5x1
60 up book | 0.5x1
market btc-updown-5m-1776088500 winner=up
100 up book | 0.5x1
market btc-updown-5m-1776088800 winner=up basis=inferred
0 up book | 0.5x1
30 up book | 0.5x1
60 up book | 0.5x1
`)
	for _, c := range []struct {
		least             replay.Share
		covered, inferred int
	}{{0, 2, 1}, {100_000, 2, 1}, {100_001, 1, 1}, {300_000, 1, 1}, {300_001, 0, 0}, {replay.AllOfIt, 0, 0}} {
		k := usualCase(t)
		k.Options.MinCoverage = c.least
		s, err := replay.Draw(t.Context(), a, k)
		require.NoError(t, err)
		require.Equal(t, replay.Funnel{Universe: 3, Resolved: 2, Captured: 2, Covered: c.covered, Sampled: c.covered}, s.Funnel, c.least)
		require.Len(t, s.Rounds, c.covered)
		require.Equal(t, c.inferred, s.Inferred, c.least)
	}
	k := usualCase(t)
	k.Options.MinCoverage = replay.AllOfIt + 1
	_, err := replay.Draw(t.Context(), a, k)
	require.ErrorContains(t, err, "min_coverage: 1.000001: expected a number from 0 to 1")
}
