package postgres_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/archivetest"
	"github.com/ladderback/ladderback/market"
)

// TestDamagedColumns changes one value of every column that a replay, a history or
// info relies on, one after the other, as a flipped bit in a page without checksums
// would: it is found, or changes no answer.
func TestDamagedColumns(t *testing.T) {
	t.Parallel()
	s, addr := newStore(t)
	a := archivetest.New(s)
	t.Cleanup(func() { require.NoError(t, a.Close()) })
	scenario := archivetest.NewScenario(11, 60)
	for _, f := range append(scenario.Split(11, 3), archivetest.Metadata(scenario, 11, 3)...) {
		require.NoError(t, archivetest.Put(t.Context(), a, scenario, &f))
	}
	answers := func() (string, error) {
		rounds, err := a.Rounds(t.Context(), market.RoundFilter{})
		if err != nil {
			return "", err
		}
		all := []any{rounds}
		listed, err := a.Markets(t.Context(), store.MarketQuery{})
		if err != nil {
			return "", err
		}
		for i := range listed {
			trace, err := archivetest.Trace(&listed[i].Market, a.Captures(t.Context(), &listed[i].Market))
			if err != nil {
				return "", err
			}
			all = append(all, listed[i], trace)
		}
		info, err := a.Info(t.Context())
		if err != nil {
			return "", err
		}
		info.Bytes, info.Metadata = 0, 0
		b, err := json.Marshal(append(all, info))
		return string(b), err
	}
	want, err := answers()
	require.NoError(t, err)
	conn, err := pgx.Connect(t.Context(), addr)
	require.NoError(t, err)
	defer func() { _ = conn.Close(t.Context()) }()
	const columns = `SELECT table_name, column_name, data_type FROM information_schema.columns
		WHERE table_schema = current_schema() AND table_name = ANY ($1) AND is_generated = 'NEVER' ORDER BY 1, ordinal_position`
	rows, err := conn.Query(t.Context(), columns, []string{"sources", "markets", "venues", "gaps", "parts", "blocks", "tallies", "days"})
	require.NoError(t, err)
	list, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) ([3]string, error) {
		var c [3]string
		return c, r.Scan(&c[0], &c[1], &c[2])
	})
	require.NoError(t, err)
	require.Greater(t, len(list), 100)
	changes := map[string]string{
		"text": "%[1]s || 'x'", "boolean": "NOT %[1]s", "bigint": "%[1]s # 4", "integer": "%[1]s # 4", "smallint": "(%[1]s # 64::smallint)::smallint",
		"bytea": "%[1]s || '\\x01'::bytea", "ARRAY": "%[1]s[2:]",
	}
	exec := func(sql string) {
		_, err := conn.PgConn().Exec(t.Context(), sql).ReadAll()
		require.NoError(t, err, sql)
	}
	found := 0
	for _, c := range list {
		change, ok := changes[c[2]]
		if !ok || slices.Contains([]string{"search", "data"}, c[1]) {
			continue // what is searched is no answer; data has a checksum of its own
		}
		var victim, names string // the row, and the columns that are put
		require.NoError(t, conn.QueryRow(t.Context(), fmt.Sprintf(`SELECT coalesce(max(ctid)::text, ''), (SELECT string_agg(column_name, ', ' ORDER BY ordinal_position)
			FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = '%[1]s' AND is_generated = 'NEVER') FROM %[1]s`, c[0])).Scan(&victim, &names))
		if victim == "" {
			continue
		}
		exec(fmt.Sprintf(`CREATE TABLE kept_rows AS SELECT %s FROM %s; UPDATE %s SET %s = %s WHERE ctid = '%s'`, names, c[0], c[0], c[1], fmt.Sprintf(change, c[1]), victim))
		got, err := answers()
		if err != nil {
			require.ErrorIs(t, err, store.ErrDamaged, "%s.%s", c[0], c[1])
			found++
		} else {
			require.Equal(t, want, got, "%s.%s", c[0], c[1])
		}
		exec(fmt.Sprintf(`DELETE FROM %[1]s; INSERT INTO %[1]s (%[2]s) SELECT %[2]s FROM kept_rows; DROP TABLE kept_rows`, c[0], names))
	}
	t.Logf("%d of %d changed columns found, the others change no answer", found, len(list))
	require.Greater(t, found, 40)
	got, err := answers()
	require.NoError(t, err)
	require.Equal(t, want, got, "all is as it was")
}
