package oracle_test

import (
	"context"
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/internal/oracle"
	"github.com/ladderback/ladderback/internal/replaytest"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

// campaignCrowds names the variable that makes a long campaign of
// TestCrowdEqualsOracle: how many random archives are compared.
const campaignCrowds = "LADDERBACK_ORACLE_CROWDS"

// TestCrowdEqualsOracle compares cases that share their entries, in one pass, with
// the oracle that replays each by itself, with every shortcut on and off: over random
// archives, and over the same with rounds that have tops.
func TestCrowdEqualsOracle(t *testing.T) {
	t.Parallel()
	archives, seed := envInt(t, campaignCrowds, 250), envInt(t, campaignSeed, 1)
	const chunks = 8
	var seen tally
	t.Run("archives", func(t *testing.T) {
		for chunk := range chunks {
			t.Run(strconv.Itoa(chunk), func(t *testing.T) {
				t.Parallel()
				for _, i := range some(chunk, chunks, archives) {
					f := fixtures().Example(seed + 6_000_000 + i)
					require.Empty(t, compareCrowd(f.archive, f.archive, f.cases, i, &seen), "seed %d", seed+6_000_000+i)
					f.archive = ladders(f.archive)
					if i%2 == 1 {
						f = rough(f, i)
					}
					require.Empty(t, compareCrowd(f.archive, replaytest.Topped{Archive: f.archive}, f.cases, i, &seen), "seed %d, by the tops", seed+6_000_000+i)
				}
			})
		}
	})
	t.Logf("%d archives\n%s", archives, &seen)
	if archives >= 250 {
		require.Greater(t, seen.trades, archives/2)
	}
}

// rare are archives in which followers hold more than the best bid is known to, when
// the tops fill the entry that they share.
var rare = []int{1016, 1253, 2463}

// some returns the archives of a chunk: every so many of the first ones, and rare ones.
func some(chunk, chunks, archives int) []int {
	var out []int
	for i := chunk; i < archives; i += chunks {
		out = append(out, i)
	}
	for _, i := range rare {
		if i%chunks == chunk && i >= archives {
			out = append(out, i)
		}
	}
	return out
}

// crowded returns the cases, each with other exits behind it where those make a
// strategy.
func crowded(cases []replay.Case) []replay.Case {
	var out []replay.Case
	for _, c := range cases {
		out = append(out, c)
		for _, cents := range []int{1, 4, 15} {
			s := c.Strategy.Strategy()
			s.Exit.TakeProfit, s.Exit.StopLoss, s.Exit.TakeProfitOffset, s.Exit.StopLossOffset = nil, nil, nil, nil
			switch cents {
			case 1:
				s.Exit.TakeProfitOffset = strategy.Cents(cents).Ptr()
			case 4:
				s.Exit.StopLossOffset, s.Exit.MaxHoldSeconds = strategy.Cents(cents).Ptr(), 20
			default:
				s.Exit.TrailingStop = strategy.Cents(cents).Ptr()
			}
			if changed, err := strategy.Canonicalize(s); err == nil {
				v := c
				v.Strategy = changed
				out = append(out, v)
			}
		}
	}
	return out
}

func compareCrowd(a *replaytest.Archive, src replay.Source, cases []replay.Case, n int, seen *tally) string {
	cases = crowded(cases)
	sample, err := replay.Draw(context.Background(), src, cases[0])
	if err != nil {
		return err.Error()
	}
	wants := oracle.Over(a.All, cases[0], cases...)
	for _, want := range wants {
		seen.add(want)
	}
	for _, off := range someSwitches(n) {
		undated := off&(replay.Proven|replay.Bare) != replay.Proven|replay.Bare
		got, err := sample.Replay(context.Background(), src, replay.Parallel{Workers: 1, Off: off, Undated: true}, cases...)
		if err != nil {
			return err.Error()
		}
		for i, want := range wants {
			if g, ok := finds(want, got[i], undated, seen); !ok {
				return difference(a, cases[i], want.String(), fmt.Sprintf("case %d of a crowd, shortcuts off: %05b\n%s", i, off, g))
			}
		}
	}
	return ""
}

// someSwitches are nothing off, everything off, and one of the ways between, all of
// which take turns.
func someSwitches(n int) []replay.Shortcuts {
	all := switches()
	last := len(all) - 1
	return []replay.Shortcuts{all[0], all[1+n%(last-1)], all[last]}
}

// switches are all ways to switch shortcuts off: none of them, and some, and all.
func switches() []replay.Shortcuts {
	var out []replay.Shortcuts
	for off := range (replay.ByTops | replay.Together | replay.Early | replay.Proven | replay.Bare) + 1 {
		out = append(out, off)
	}
	return out
}
