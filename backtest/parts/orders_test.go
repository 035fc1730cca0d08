package parts_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/parts"
	"github.com/ladderback/ladderback/internal/backtesttest"
	"github.com/ladderback/ladderback/internal/strategytest"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

// TestOrdersInParts: what rests, under each rule for who is filled first, further orders,
// entries again and what is merged come out of chunks as they do in one go, byte for byte.
func TestOrdersInParts(t *testing.T) {
	t.Parallel()
	src := backtesttest.Archive(t, 40)
	rests := backtesttest.Strategy()
	rests.Order = &strategy.Order{RestFromBid: strategy.Cents(1).Ptr(), CancelAfterSeconds: 120}
	target := backtesttest.Strategy()
	target.Exit.RestTakeProfit = true
	again := backtesttest.Strategy()
	again.Again = &strategy.Again{MaxEntries: 3, AfterSeconds: 20}
	pair := backtesttest.Strategy()
	pair.Exit, pair.Merge = strategy.Exit{HoldToExpiry: true}, true
	pair.Then = []strategy.Then{{
		Do: strategy.Buy, On: strategy.OnEntry, Token: strategy.TokenOpposite, USD: strategy.Int(20), Times: 1,
		Order: &strategy.Order{RestFromBid: strategy.Cents(0).Ptr()},
	}}
	for name, s := range map[string]strategy.Strategy{"rests": rests, "target": target, "again": again, "pair": pair} {
		o := backtest.DefaultOptions()
		o.Include = []backtest.Include{backtest.IncludeFills, backtest.IncludeSensitivity}
		j := &parts.Job{Strategy: strategytest.Canonicalize(s), Options: o}
		want, err := backtest.Run(t.Context(), src, j.Strategy, j.Options, replay.Parallel{})
		require.NoError(t, err, name)
		require.NotEmpty(t, want.Trades, name)
		require.Equal(t, j.Strategy.Rests(), want.Queue != nil, name)
		text, err := backtest.CompactJSON(want)
		require.NoError(t, err)
		for size, work := range sizes {
			_, got := inParts(t, src, j, work)
			again, err := backtest.CompactJSON(got.Report)
			require.NoError(t, err)
			require.Equal(t, string(text), string(again), "%s in chunks of %s", name, size)
		}
	}
}

// TestBrokenChunks: what a worker found makes no answer, and a plan is none, once a table has
// lost, added or changed a bit of it.
func TestBrokenChunks(t *testing.T) {
	t.Parallel()
	src := backtesttest.Archive(t, 16)
	s := backtesttest.Strategy()
	s.Order = &strategy.Order{RestFromBid: strategy.Cents(1).Ptr()}
	o := backtest.DefaultOptions()
	o.Baseline = false
	j := &parts.Job{Strategy: strategytest.Canonicalize(s), Options: o}
	p, _, err := parts.Draw(t.Context(), src, j, 1, nil)
	require.NoError(t, err)
	var chunks [][]byte
	for i := range p.Ends {
		b, err := p.Replay(t.Context(), src, j, i, nil, replay.Parallel{})
		require.NoError(t, err)
		chunks = append(chunks, b)
	}
	merge := func(which int, with []byte) (*parts.Answer, error) {
		return p.Merge(t.Context(), src, j, func(i int) ([]byte, error) {
			if i == which {
				return with, nil
			}
			return chunks[i], nil
		}, nil, nil, 1)
	}
	_, err = merge(0, chunks[0])
	require.NoError(t, err)
	for n := 0; n < len(chunks[3]); n += 1 + n%9 {
		_, err := merge(3, chunks[3][:n])
		require.Error(t, err, "the first %d of %d bytes", n, len(chunks[3]))
	}
	_, err = merge(3, slices.Concat(chunks[3], chunks[4]))
	require.Error(t, err, "more than it")
	r := rand.New(rand.NewPCG(8, 9))
	for range 400 {
		which := r.IntN(len(chunks))
		b := bytes.Clone(chunks[which])
		b[r.IntN(len(b))] ^= byte(1 << r.IntN(8))
		_, err := merge(which, b)
		require.Error(t, err, "chunk %d with another bit", which)
	}
	text, err := p.MarshalBinary()
	require.NoError(t, err)
	var plan parts.Plan
	require.NoError(t, plan.UnmarshalBinary(text))
	require.Equal(t, p.Ends, plan.Ends)
	for i := range text {
		b := bytes.Clone(text)
		b[i] ^= byte(1 << r.IntN(8))
		require.Error(t, new(parts.Plan).UnmarshalBinary(b), "another bit of byte %d", i)
		require.Error(t, new(parts.Plan).UnmarshalBinary(text[:i]), "the first %d bytes", i)
	}
}
