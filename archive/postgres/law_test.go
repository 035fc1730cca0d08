package postgres_test

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/care"
	"github.com/ladderback/ladderback/archive/ingest"
	"github.com/ladderback/ladderback/archive/simulate"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/internal/archivetest"
	"github.com/ladderback/ladderback/internal/realdata"
	"github.com/ladderback/ladderback/internal/replaytest"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

// file makes an archive in the embedded store.
func file(t testing.TB) *archivetest.Archive {
	t.Helper()
	return archivetest.NewFile(t)
}

// database makes an archive in PostgreSQL.
func database(t testing.TB) *archivetest.Archive {
	t.Helper()
	s, _ := newStore(t)
	a := archivetest.New(s)
	t.Cleanup(func() { require.NoError(t, a.Close()) })
	return a
}

func contents(t testing.TB, a *archivetest.Archive) map[string][32]byte {
	t.Helper()
	rows, err := a.Markets(t.Context(), store.MarketQuery{})
	require.NoError(t, err)
	out := map[string][32]byte{}
	for i := range rows {
		out[rows[i].Market.VenueID] = rows[i].Stats.Content
	}
	return out
}

// run of a strategy as the bytes that are saved.
func saved(t testing.TB, a *archivetest.Archive, s strategy.Canonical) []byte {
	t.Helper()
	r, err := backtest.Run(t.Context(), a, s, backtest.DefaultOptions(), replay.Parallel{Workers: 2})
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, (&backtest.Body{Strategy: s, Report: r}).WriteJSON(&out))
	return out.Bytes()
}

// requireSame compares archives: content hashes, and the runs of n strategies.
func requireSame(t testing.TB, n int, archives ...*archivetest.Archive) {
	t.Helper()
	want := contents(t, archives[0])
	for _, a := range archives[1:] {
		require.Equal(t, want, contents(t, a), a.Address())
	}
	traded := 0
	for seed := range n {
		s := replaytest.NewRandom(uint64(seed)).Strategy()
		run := saved(t, archives[0], s)
		traded += bytes.Count(run, []byte(`"entry_price":`))
		for _, a := range archives[1:] {
			require.Equal(t, string(run), string(saved(t, a, s)), "strategy %d over %s", seed, a.Address())
		}
	}
	require.NotZero(t, traded, "no strategy traded")
}

// TestSameRuns holds the law that the same captures give the same receipts from
// any store: from both, and from what was copied between them in both
// directions.
func TestSameRuns(t *testing.T) {
	t.Parallel()
	sim, err := simulate.New(simulate.Config{Seed: 5, Pairs: []simulate.Pair{{Coin: "BTC", Type: "5m", Rounds: 10}, {Coin: "ETH", Type: "5m", Rounds: 3}}, Rate: 0.5, Levels: 20})
	require.NoError(t, err)
	here, there := file(t), database(t)
	for _, a := range []*archivetest.Archive{here, there} {
		_, err := sim.Write(t.Context(), a.Archive, simulate.WriteOptions{})
		require.NoError(t, err)
	}
	copied := [2]*archivetest.Archive{file(t), database(t)}
	for i, from := range []*archivetest.Archive{there, here} {
		r, err := care.Copy(t.Context(), from.Store(), copied[i].Store(), nil)
		require.NoError(t, err)
		require.Empty(t, r.Damage)
		require.Empty(t, r.Differing)
	}
	requireSame(t, 6, here, there, copied[0], copied[1])
}

// TestSameLists reads the same rows, captures and times from both stores after
// files of all sorts.
func TestSameLists(t *testing.T) {
	t.Parallel()
	s := archivetest.NewScenario(21, 200)
	files := append(s.Split(21, 3), archivetest.Metadata(s, 21, 4)...)
	here, there := file(t), database(t)
	for i := range files {
		for _, a := range []*archivetest.Archive{here, there} {
			require.NoError(t, archivetest.Put(t.Context(), a, s, &files[i]))
		}
	}
	require.Equal(t, archivetest.Dump(t, here), archivetest.Dump(t, there))
}

// TestRealCaptures imports real captures into both stores.
func TestRealCaptures(t *testing.T) {
	t.Parallel()
	dir := realdata.Dir(t, "polymarket-btc-5m")
	files, err := filepath.Glob(filepath.Join(dir, "captures", "*.jsonl.gz"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	here, there := file(t), database(t)
	for _, a := range []*archivetest.Archive{here, there} {
		res, err := ingest.Run(t.Context(), a.Archive, ingest.Options{Paths: files[:min(4, len(files))], Markets: []string{filepath.Join(dir, "markets.jsonl")}})
		require.NoError(t, err)
		require.Empty(t, res.Failed())
	}
	requireSame(t, 3, here, there)
	v, err := there.Verify(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, v.Damage)
}
