package postgres_test

import (
	"crypto/sha256"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/intake"
	"github.com/ladderback/ladderback/archive/simulate"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/archivetest"
	"github.com/ladderback/ladderback/internal/archivetest/contract"
	"github.com/ladderback/ladderback/market"
)

// TestTwoRecorders imports by hand what two recorders heard of one round. The trades of the
// second would count twice: its file is refused and leaves nothing. A file of the same
// recorder, cut or packed otherwise, and one with other trades are taken.
func TestTwoRecorders(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]contract.Open{
		"PostgreSQL": func(t testing.TB) store.Store { s, _ := newStore(t); return s },
		"file":       func(t testing.TB) store.Store { return archivetest.Store(t, filepath.Join(t.TempDir(), "archive.db")) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			heardTwice(t, open)
		})
	}
}

func heardTwice(t *testing.T, open contract.Open) {
	sim, err := simulate.New(simulate.Config{Seed: 3, Pairs: []simulate.Pair{{Coin: "BTC", Type: "5m", Rounds: 2}}, Rate: 0.3, Levels: 8})
	require.NoError(t, err)
	a := archivetest.New(open(t))
	defer a.Close()
	put := func(name string, late market.Span, trades ...int) error { // of the second round, behind all of the first
		imp, err := a.Begin(t.Context(), store.Source{SHA256: sha256.Sum256([]byte(name)), Name: name, Format: "test", Authority: store.FromExchange, ImportedAt: archivetest.Start})
		require.NoError(t, err)
		defer imp.Close()
		for k := range 2 {
			round := sim.Round(k).Market
			m, err := imp.Market(t.Context(), round)
			require.NoError(t, err)
			token := m.Token(round.Tokens[0])
			for _, i := range trades {
				at := round.Start + market.Instant(i)*market.Second
				c := market.Capture{Token: token, Kind: market.KindTrade, Recv: at + market.Instant(late), Exch: at - 40*market.Millisecond,
					Trade: market.Trade{Price: 5000, Size: market.Size(1+i%3) * 1_000_000, Side: market.Bid}}
				if k == 0 { // of which the recorders heard different halves
					c.Exch += market.Instant(late)
				}
				require.NoError(t, m.Add(&c))
			}
			if err := m.Done(t.Context()); err != nil {
				return err
			}
		}
		_, err = imp.Finish(t.Context(), intake.End{Messages: int64(len(trades))})
		return err
	}
	numbers := func(from, to int) (out []int) {
		for i := from; i < to; i++ {
			out = append(out, i)
		}
		return out
	}
	require.NoError(t, put("one.jsonl", 0, numbers(0, 100)...))
	before := archivetest.Dump(t, a)
	err = put("two.jsonl", 7*market.Millisecond, numbers(50, 150)...)
	require.ErrorIs(t, err, store.ErrTwice)
	require.ErrorContains(t, err, "another recorder has recorded the same: one.jsonl has 50 of its trades between 2026-04-01T00:10:50Z and ")
	require.Equal(t, before, archivetest.Dump(t, a), "it leaves nothing")
	require.NoError(t, put("one.jsonl.zst", 0, numbers(0, 100)...), "the same captures in another file")
	require.NoError(t, put("later.jsonl", 7*market.Millisecond, numbers(100, 150)...), "what the first recorder did not hear")
	v, err := a.Verify(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, v.Damage)
}
