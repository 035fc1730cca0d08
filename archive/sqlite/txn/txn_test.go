package txn_test

import (
	"encoding/json"
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/sqlite/txn"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/sqlitetest"
)

// TestList: what is written is the JSON array of the numbers.
func TestList(t *testing.T) {
	t.Parallel()
	for _, ids := range [][]store.ID{{}, {0}, {-1, 7, math.MaxInt64, math.MinInt64}} {
		var got []store.ID
		require.NoError(t, json.Unmarshal([]byte(txn.List(ids)), &got))
		require.Equal(t, ids, got)
	}
	require.Equal(t, "[]", txn.List[int64](nil))
}

// TestLookUps: ids are found in whichever table they are, however many are asked for, and
// each with what it is kept with.
func TestLookUps(t *testing.T) {
	t.Parallel()
	tx := sqlitetest.New(t)
	want := map[store.ID]int64{}
	id := func(n int64) store.ID { return store.ID(n * 0x9e3779b97f4a7c1) } // as a hash is
	put := func(table string, kind store.ClaimKind, id store.ID, at int64) {
		t.Helper()
		require.NoError(t, tx.Exec(t.Context(), `INSERT INTO `+table+` (kind, id, at) VALUES (?, ?, ?)`, int64(kind), int64(id), at))
	}
	for n := range int64(600) {
		table := []string{"ids_old", "ids_new", "ids_old", "ids_mid"}[n%4]
		if n%3 > 0 {
			put(table, store.MarketClaim, id(n), n+1)
			want[id(n)] = n + 1
		}
		put(table, store.EventClaim, id(n), -n-1) // another kind of the same id
	}
	require.NoError(t, tx.Exec(t.Context(), `INSERT INTO ids_sieve (bits) SELECT id_sieve(id) FROM (SELECT id FROM ids_old UNION ALL SELECT id FROM ids_mid)`))
	for _, many := range []int64{0, 1, txn.FewIDs - 1, txn.FewIDs, 700} {
		var ask []store.ID
		some := map[store.ID]int64{}
		for n := range many {
			ask = append(ask, id(n))
			if at, ok := want[id(n)]; ok {
				some[id(n)] = at
			}
		}
		got, err := tx.Numbers(t.Context(), store.MarketClaim, ask)
		require.NoError(t, err)
		require.Equal(t, some, got, "%d asked for", many)
		rows, err := tx.Rows(t.Context(), store.MarketClaim, ask)
		require.NoError(t, err)
		require.Len(t, rows, len(some))
	}

	put("ids_old", txn.EventsOf, 5, 70)
	put("ids_mid", txn.EventsOf, 5, 72)
	put("ids_new", txn.EventsOf, 5, 71)
	rows, err := tx.Rows(t.Context(), txn.EventsOf, []store.ID{5})
	require.NoError(t, err)
	require.ElementsMatch(t, []int64{70, 71, 72}, rows, "an event of three markets")
	ids, err := tx.IDs(t.Context(), "SELECT value FROM json_each(?) WHERE value IN "+txn.At(txn.EventsOf, txn.InList), "[69,70,71,72,73]", "[5,6]")
	require.NoError(t, err)
	require.Equal(t, []store.ID{70, 71, 72}, ids)
}

// TestStatements: a row that is put has its number, one that may not be is an error that says
// which archive and which statement.
func TestStatements(t *testing.T) {
	t.Parallel()
	tx := sqlitetest.New(t)
	first, err := tx.Insert(t.Context(), `INSERT INTO words (text) VALUES (?)`, "up")
	require.NoError(t, err)
	second, err := tx.Insert(t.Context(), `INSERT INTO words (text) VALUES (?)`, "down")
	require.NoError(t, err)
	require.Equal(t, first+1, second)
	has, err := tx.Has(t.Context(), `SELECT EXISTS (SELECT 1 FROM words WHERE text = ?)`, "down")
	require.NoError(t, err)
	require.True(t, has)
	has, err = tx.Has(t.Context(), `SELECT 1 FROM words WHERE text = ?`, "none")
	require.NoError(t, err)
	require.False(t, has, "without a row")

	_, err = tx.Insert(t.Context(), `INSERT INTO words (text) VALUES (?)`, "up")
	require.ErrorContains(t, err, "archive.db: INSERT INTO words (text): ")
	require.Error(t, errors.Unwrap(err))
	require.ErrorContains(t, tx.Exec(t.Context(), `DELETE FROM nothing`), "archive.db: DELETE FROM nothing: ")
}
