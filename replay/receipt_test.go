package replay_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/care"
	"github.com/ladderback/ladderback/archive/postgres"
	"github.com/ladderback/ladderback/archive/simulate"
	"github.com/ladderback/ladderback/archive/sqlite"
	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/internal/oracle"
	"github.com/ladderback/ladderback/internal/pgtest"
	"github.com/ladderback/ladderback/internal/strategytest"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

// workers: one worker or many, the results are the same.
func workers(l *lab) error {
	l.running = l.archive
	s, err := replay.Draw(context.Background(), l.archive, l.c)
	if err != nil {
		return err
	}
	first := ""
	for _, n := range []int{1, 7} {
		r, err := s.Broken(l.broken).Replay(context.Background(), l.archive, replay.Parallel{Workers: n}, l.c, l.c)
		if err != nil {
			return err
		}
		for i := range r {
			switch text := oracle.Of(r[i]).String(); {
			case first == "":
				first = text
			case text != first:
				return fmt.Errorf("one worker\n%s%d workers, case %d\n%s", first, n, i, text)
			}
		}
	}
	return nil
}

// TestSameReceipt: one worker or many, one store or another, one process or
// several at once: the same receipts.
func TestSameReceipt(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	opened, _, err := sqlite.Create(t.Context(), path)
	require.NoError(t, err)
	a := archive.New(opened)
	t.Cleanup(func() { require.NoError(t, a.Close()) })
	sim, err := simulate.New(simulate.Config{Seed: 3, Markets: 24, Coins: []string{"BTC", "ETH"}, Types: []string{"5m"}, Levels: 10})
	require.NoError(t, err)
	_, err = sim.Write(t.Context(), a, simulate.WriteOptions{})
	require.NoError(t, err)

	want := receipts(t, a, 1)
	t.Run("workers", func(t *testing.T) {
		t.Parallel()
		for _, n := range []int{2, 9} {
			require.Equal(t, want, receipts(t, a, n), "%d workers", n)
		}
	})
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := open(t)
			_, err := care.Copy(t.Context(), a.Store(), b.Store(), nil)
			require.NoError(t, err)
			require.Equal(t, want, receipts(t, b, 2))
		})
	}
	for _, procs := range []string{"1", "4"} {
		t.Run("process with GOMAXPROCS="+procs, func(t *testing.T) {
			t.Parallel()
			c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestReceiptsOfChild$")
			c.Env = append(os.Environ(), childArchive+"="+path, "GOMAXPROCS="+procs)
			out, err := c.CombinedOutput()
			require.NoError(t, err, "%s", out)
			_, line, ok := bytes.Cut(out, []byte(childMark))
			require.True(t, ok, "%s", out)
			line, _, _ = bytes.Cut(line, []byte("\n"))
			require.Equal(t, want, string(line))
		})
	}
}

// stores open an empty archive on each store that there is.
var stores = map[string]func(testing.TB) *archive.Archive{
	"sqlite": func(t testing.TB) *archive.Archive {
		opened, _, err := sqlite.Create(t.Context(), filepath.Join(t.TempDir(), "b.db"))
		require.NoError(t, err)
		a := archive.New(opened)
		t.Cleanup(func() { require.NoError(t, a.Close()) })
		return a
	},
	"postgres": func(t testing.TB) *archive.Archive {
		opened, _, err := postgres.Create(t.Context(), pgtest.Database(t))
		require.NoError(t, err)
		a := archive.New(opened)
		t.Cleanup(func() { require.NoError(t, a.Close()) })
		return a
	},
}

const (
	childArchive = "LADDERBACK_TEST_RECEIPTS_OF" // the archive that a child process reads
	childMark    = "receipts: "
)

// TestReceiptsOfChild prints receipts for TestSameReceipt, in a process of its
// own.
func TestReceiptsOfChild(t *testing.T) {
	path := os.Getenv(childArchive)
	if path == "" {
		t.Skip("only as a child of TestSameReceipt")
	}
	opened, err := sqlite.OpenReadOnly(t.Context(), path)
	require.NoError(t, err)
	a := archive.New(opened)
	fmt.Printf("%s%s\n", childMark, receipts(t, a, 0))
	require.NoError(t, a.Close())
}

// receipts returns the receipts of some backtests as JSON.
func receipts(t *testing.T, a *archive.Archive, workers int) string {
	t.Helper()
	var all []backtest.Receipt
	trades := 0
	for i, c := range fairFamily(8) {
		o := backtest.DefaultOptions()
		o.Options = c.Options
		if i == 0 {
			o.Include = []backtest.Include{backtest.IncludeFills}
		}
		c.Strategy = strategytest.Changed(c.Strategy, func(s *strategy.Strategy) { s.Market.Coin, s.SampleSize = strategy.Any, 15 })
		r, err := backtest.Run(t.Context(), a, c.Strategy, o, replay.Parallel{Workers: workers})
		require.NoError(t, err)
		require.Equal(t, 15, r.MarketsFound)
		trades += len(r.Trades)
		all = append(all, r.Receipt)
	}
	require.Greater(t, trades, 30)
	text, err := json.Marshal(all)
	require.NoError(t, err)
	return string(text)
}
