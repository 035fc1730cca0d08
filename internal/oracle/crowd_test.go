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
// the oracle that replays each by itself: over random archives, and over the same with
// rounds that have tops, by these and by every capture.
func TestCrowdEqualsOracle(t *testing.T) {
	t.Parallel()
	archives, seed := envInt(t, campaignCrowds, 125), envInt(t, campaignSeed, 1)
	const chunks = 8
	var seen tally
	t.Run("archives", func(t *testing.T) {
		for chunk := range chunks {
			t.Run(strconv.Itoa(chunk), func(t *testing.T) {
				t.Parallel()
				for _, i := range some(chunk, chunks, archives) {
					f := fixtures().Example(seed + 6_000_000 + i)
					require.Empty(t, compareCrowd(f.archive, f.archive, f.cases, &seen), "seed %d", seed+6_000_000+i)
					f.archive = ladders(f.archive)
					if i%2 == 1 {
						f = rough(f, i)
					}
					require.Empty(t, compareCrowd(f.archive, replaytest.Topped{Archive: f.archive}, f.cases, &seen), "seed %d, by the tops", seed+6_000_000+i)
				}
			})
		}
	})
	t.Logf("%d archives\n%s", archives, &seen)
	if archives >= 125 {
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

func compareCrowd(a *replaytest.Archive, src replay.Source, cases []replay.Case, seen *tally) string {
	cases = crowded(cases)
	sample, err := replay.Draw(context.Background(), src, cases[0])
	if err != nil {
		return err.Error()
	}
	wants := oracle.Over(a.All, cases[0], cases...)
	for _, want := range wants {
		seen.add(want)
	}
	for _, way := range []struct {
		src     replay.Source
		undated bool
	}{{src, false}, {src, true}, {captured{src}, true}} {
		got, err := sample.Replay(context.Background(), way.src, replay.Parallel{Workers: 1, Undated: way.undated}, cases...)
		if err != nil {
			return err.Error()
		}
		for i, want := range wants {
			if g, ok := finds(want, got[i], way.undated, seen); !ok {
				return difference(a, cases[i], want.String(), fmt.Sprintf("case %d of a crowd, %T, undated: %t\n%s", i, way.src, way.undated, g))
			}
		}
	}
	return ""
}

// captured is a source that knows nothing but captures.
type captured struct{ replay.Source }
