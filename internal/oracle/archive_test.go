package oracle_test

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/intake"
	"github.com/ladderback/ladderback/archive/sqlite"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/oracle"
	"github.com/ladderback/ladderback/internal/oracle/drawn"
	"github.com/ladderback/ladderback/internal/replaytest"
	"github.com/ladderback/ladderback/internal/strategytest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

// TestStoredArchive compares both engines over random rounds that went through a
// real archive: blocks of differences, merged and applied again. The oracle has
// the captures as they went in.
func TestStoredArchive(t *testing.T) {
	t.Parallel()
	rounds := envInt(t, campaignRounds, 200)
	seed := envInt(t, campaignSeed, 1)
	all := randomRounds(rounds, seed)
	opened, _, err := sqlite.Create(t.Context(), filepath.Join(t.TempDir(), "a.db"))
	require.NoError(t, err)
	a := archive.New(opened)
	t.Cleanup(func() { require.NoError(t, a.Close()) })
	for from := 0; from < rounds; from += 100 { // several sources
		storeRounds(t, a, all.All[from:min(from+100, rounds)], from, intake.Config{})
	}
	var cases []replay.Case
	for i := range 20 {
		c := replay.Case{Strategy: drawn.Strategies(all).Example(seed + i), Options: drawn.Options().Example(seed + i)}
		c.Strategy = strategytest.Changed(c.Strategy, func(s *strategy.Strategy) {
			s.SampleSize = 10_000
			s.Market = strategy.MarketSpec{Coin: strategy.Any, Type: strategy.Any}
		})
		cases = append(cases, c)
	}
	trades := 0
	for i, want := range oracle.Run(all.All, cases...) {
		got, err := replay.Run(t.Context(), a, cases[i], replay.Parallel{})
		require.NoError(t, err)
		require.Equal(t, want.String(), oracle.Of(got).String(), "case %d", i)
		trades += want.Filled
	}
	t.Logf("%d rounds x %d strategies: %d trades", rounds, len(cases), trades)
	require.Greater(t, trades, rounds)
}

// campaignRounds names the variable that says how many random rounds
// TestStoredArchive stores.
const campaignRounds = "LADDERBACK_ORACLE_ROUNDS"

// randomRounds draws n rounds with ids of their own. Of captures that are equal
// in token, kind, both times and content an archive keeps one; so it is here.
func randomRounds(n, seed int) *replaytest.Archive {
	all := &replaytest.Archive{}
	gen := drawn.Archives(3)
	for i := 0; len(all.All) < n; i++ {
		for k, r := range gen.Example(seed + 7_000_000 + i).All {
			m := &r.Market
			m.VenueID = fmt.Sprintf("r%d-%d", i, k)
			m.Slug = m.VenueID
			m.SeriesID = strings.ToLower(m.Coin) + "-up-or-down-" + m.Type // says coin and length
			m.Tokens[0].VenueID, m.Tokens[1].VenueID = m.VenueID+m.Tokens[0].VenueID, m.VenueID+m.Tokens[1].VenueID
			m.Category = market.Crypto // what an archive knows of every up/down round
			m.Mirrored = m.Mirrored || m.Venue == market.Polymarket || m.Venue == market.Simulated
			r.Captures = distinct(r.Captures)
			all.All = append(all.All, r)
		}
	}
	all.All = all.All[:n]
	return all
}

func distinct(captures []market.Capture) []market.Capture {
	var out []market.Capture
	for _, c := range captures {
		c.Ord = 0
		same := func(x market.Capture) bool { return reflect.DeepEqual(x, c) }
		if !slices.ContainsFunc(out, same) {
			out = append(out, c)
		}
	}
	return out
}

// storeRounds imports the rounds as one source.
func storeRounds(t *testing.T, a *archive.Archive, rounds []*replaytest.Round, n int, c intake.Config) {
	t.Helper()
	ctx := t.Context()
	imp, err := intake.New(a.Store(), c).Begin(ctx, store.Source{
		SHA256: sha256.Sum256(fmt.Append(nil, n)), Name: fmt.Sprintf("rounds from %d", n), Format: "random", Authority: store.FromExchange,
	})
	require.NoError(t, err)
	for _, r := range rounds {
		require.NoError(t, imp.Series(ctx, market.Series{Venue: r.Market.Venue, VenueID: r.Market.SeriesID, Slug: r.Market.SeriesID}))
		m, err := imp.Market(ctx, r.Market)
		require.NoError(t, err)
		for _, g := range r.Gaps {
			m.Gap(g.Token, g.Gap)
		}
		for i := range r.Captures {
			require.NoError(t, m.Add(&r.Captures[i]), "%s: %+v", r.Market.VenueID, r.Captures[i])
		}
		require.NoError(t, m.Done(ctx))
	}
	_, err = imp.Finish(ctx, intake.End{})
	require.NoError(t, err)
	require.NoError(t, imp.Close())
}

// every hides that an archive knows the tops of its rounds: every capture is read.
type every struct{ replay.Source }

// TestStoredTops compares what is found by the tops that an archive keeps with
// what is found by every capture, and by the oracle: random rounds of ladders and
// trades, half of them captured of both tokens, in several sources.
func TestStoredTops(t *testing.T) {
	t.Parallel()
	rounds := envInt(t, campaignRounds, 200)
	seed := envInt(t, campaignSeed, 1)
	all := ladders(randomRounds(rounds, seed+500_000))
	for i, r := range all.All {
		r.Captures = distinct(r.Captures)
		r.Market.Mirrored = true
		if i%2 == 0 { // one lane of ladders, as most rounds have
			for k := range r.Captures {
				c := &r.Captures[k]
				if c.Token == 1 && c.IsLadder() {
					c.Token = 0
				}
			}
			r.Captures = distinct(r.Captures)
		}
	}
	opened, _, err := sqlite.Create(t.Context(), filepath.Join(t.TempDir(), "a.db"))
	require.NoError(t, err)
	a := archive.New(opened)
	t.Cleanup(func() { require.NoError(t, a.Close()) })
	for from := 0; from < rounds; from += 100 {
		// Small blocks: what is read begins in the middle of rounds.
		storeRounds(t, a, all.All[from:min(from+100, rounds)], from, intake.Config{BlockCaptures: 5})
	}
	src := every{a}
	known := 0
	for _, m := range marketsOf(t, a) {
		g, err := a.Tops([]*market.Market{m})(t.Context(), m)
		require.NoError(t, err)
		if g != nil {
			known++
		}
	}
	require.Greater(t, known, rounds/3, "rounds with tops")
	trades := 0
	var seen tally
	var cases []replay.Case
	for i := range 20 {
		c := replay.Case{Strategy: drawn.Strategies(all).Example(seed + 900 + i), Options: drawn.Options().Example(seed + 900 + i)}
		c.Strategy = strategytest.Changed(c.Strategy, func(s *strategy.Strategy) {
			s.SampleSize = 10_000
			s.Market = strategy.MarketSpec{Coin: strategy.Any, Type: strategy.Any}
		})
		cases = append(cases, c)
	}
	for i, want := range oracle.Run(all.All, cases...) {
		got, err := replay.Run(t.Context(), a, cases[i], replay.Parallel{})
		require.NoError(t, err)
		plain, err := replay.Run(t.Context(), src, cases[i], replay.Parallel{})
		require.NoError(t, err)
		require.Equal(t, oracle.Of(plain).String(), oracle.Of(got).String(), "case %d", i)
		require.True(t, reflect.DeepEqual(plain, got), "case %d", i)
		require.Equal(t, want.String(), oracle.Of(got).String(), "case %d", i)
		less, err := replay.Run(t.Context(), a, cases[i], replay.Parallel{Undated: true})
		require.NoError(t, err)
		text, ok := finds(want, less, true, &seen)
		require.True(t, ok, "case %d:\n%s\n%s", i, want, text)
		trades += want.Filled
	}
	t.Logf("%d rounds, %d with tops, x %d strategies: %d trades, %d orders filled by the tops", rounds, known, len(cases), trades, seen.proven)
	require.Greater(t, trades, rounds)
	require.Greater(t, seen.proven, rounds/4)
}

func marketsOf(t *testing.T, a *archive.Archive) []*market.Market {
	t.Helper()
	list, err := a.Rounds(t.Context(), market.RoundFilter{})
	require.NoError(t, err)
	var out []*market.Market
	for i := range list {
		out = append(out, list[i].Market)
	}
	return out
}
