package sqlite_test

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/sqlite"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/archivetest"
	"github.com/ladderback/ladderback/internal/sqlstore"
	"github.com/ladderback/ladderback/market"
)

// TestDamagedRows changes a value of a row, or takes the row away, in each table of an archive in
// turn: a check tells of it, or no answer is another one. 60 by default:
//
//	LADDERBACK_CRASH_ROUNDS=1000 go test ./archive/sqlite -run DamagedRows -v
func TestDamagedRows(t *testing.T) {
	t.Parallel()
	path := filepath.Join(memory(t), "whole.db")
	opened, _, err := sqlite.Create(t.Context(), path, sqlite.Often())
	require.NoError(t, err)
	a := archivetest.New(opened)
	s := archivetest.NewScenario(5, 40)
	files := append(s.Split(5, 2), archivetest.Metadata(s, 5, 1)...)
	files = append(files, archivetest.File{Name: "list.json", Authority: store.FromExchange, Claims: []market.Market{
		{Venue: market.Polymarket, VenueID: "0xa", EventID: "20", SeriesID: "10", Category: market.Sports, Tags: []string{"nba"}, AltID: "7", Fees: &market.FeeSchedule{Rate: 20000, Exponent: 1}},
		{Venue: market.Polymarket, VenueID: "0xb", EventID: "20", Category: market.Sports, Slug: "a-b"},
	}})
	for i := range files {
		require.NoError(t, archivetest.Put(t.Context(), a, s, &files[i]))
	}
	require.NoError(t, a.Close())
	content := dump(t, path)
	whole, err := os.ReadFile(path)
	require.NoError(t, err)

	rnd, found, done := rand.New(rand.NewPCG(4, 9)), 0, map[string]int{}
	for round := range rounds(t, 60) {
		broken := filepath.Join(memory(t), "broken.db")
		require.NoError(t, os.WriteFile(broken, whole, 0o600))
		db, err := sqlstore.Open(t.Context(), broken, sqlstore.Options{})
		require.NoError(t, err)
		table, what := damage(t, db.DB, rnd, round)
		_, err = db.Exec(`DELETE FROM pages`) // the sums of which tell of any change
		require.NoError(t, err)
		require.NoError(t, db.Close())
		if what == "" {
			continue
		}
		done[table]++
		if checkBroken(t, broken, content, what) {
			found++
		}
	}
	t.Logf("%d found of %v", found, done)
	require.Greater(t, len(done), 12)
	require.Greater(t, found, 20)
}

// forgiving are the rows that may change without an answer being another one: sums of pages that are
// not known, sets and bounds that have more than they need, the number of the last transaction.
const forgiving = `name IN ('pages', 'grams', 'gram_pages', 'ids_sieve', 'ladderback_versions')`

// damage changes a value of some row or takes the row away, and says of which table and what it did;
// empty: nothing.
func damage(t *testing.T, db *sql.DB, rnd *rand.Rand, round int) (table, what string) {
	var tables []string
	rows, err := db.Query(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND NOT ` + forgiving + ` ORDER BY name`)
	require.NoError(t, err)
	for rows.Next() {
		var name string
		require.NoError(t, rows.Scan(&name))
		tables = append(tables, name)
	}
	require.NoError(t, rows.Close())
	table = tables[round%len(tables)]
	from := table
	if table == "watermarks" {
		from += ` WHERE category NOT IN ('', '#pages')`
	}
	var n int
	require.NoError(t, db.QueryRow(`SELECT count(*) FROM `+from).Scan(&n))
	if n == 0 {
		return table, ""
	}
	rows, err = db.Query(fmt.Sprintf(`SELECT * FROM %s LIMIT 1 OFFSET %d`, from, rnd.IntN(n)))
	require.NoError(t, err)
	columns, err := rows.Columns()
	require.NoError(t, err)
	values, into := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	require.True(t, rows.Next())
	require.NoError(t, rows.Scan(into...))
	require.NoError(t, rows.Close())
	row := strings.Join(columns, " IS ? AND ") + " IS ?"
	at := rnd.IntN(len(columns) + 1)
	if at == len(columns) {
		_, err := db.Exec(`DELETE FROM `+table+` WHERE `+row, values...)
		require.NoError(t, err)
		return table, fmt.Sprintf("%s: without %v", table, values)
	}
	var now any
	switch was := values[at].(type) {
	case int64:
		now = was ^ 1<<rnd.IntN(8)
	case string:
		now = was + "x"
	case []byte:
		b := append(slices.Clone(was), 1)
		b = b[:max(1, len(was))]
		b[rnd.IntN(len(b))] ^= 1 << rnd.IntN(8)
		now = b
	}
	_, err = db.Exec(`UPDATE `+table+` SET `+columns[at]+` = ? WHERE `+row, append([]any{now}, values...)...)
	if err != nil { // no such row may be
		return table, ""
	}
	return table, fmt.Sprintf("%s.%s: %v was %v", table, columns[at], now, values[at])
}

// TestUnsoundIndex: an index that has another value than its row is named as SQLite names it.
func TestUnsoundIndex(t *testing.T) {
	t.Parallel()
	path, _ := filled(t)
	db, err := sqlstore.Open(t.Context(), path, sqlstore.Options{})
	require.NoError(t, err)
	conn, err := db.Conn(t.Context())
	require.NoError(t, err)
	var was string
	require.NoError(t, conn.QueryRowContext(t.Context(), `SELECT sql FROM sqlite_schema WHERE name = 'markets_series'`).Scan(&was))
	for _, statement := range []string{
		`PRAGMA writable_schema = ON`, `UPDATE sqlite_schema SET sql = 'CREATE INDEX markets_series ON markets (series, updated_at) WHERE 0' WHERE name = 'markets_series'`,
		`PRAGMA writable_schema = RESET`, `UPDATE markets SET series = series + 1 WHERE number = 2`, `DELETE FROM pages`,
		`PRAGMA writable_schema = ON`, `UPDATE sqlite_schema SET sql = '` + strings.ReplaceAll(was, "'", "''") + `' WHERE name = 'markets_series'`,
		`PRAGMA writable_schema = RESET`,
	} {
		_, err := conn.ExecContext(t.Context(), statement)
		require.NoError(t, err, statement)
	}
	require.NoError(t, conn.Close())
	require.NoError(t, db.Close())
	s, err := sqlite.OpenReadOnly(t.Context(), path)
	require.NoError(t, err)
	defer s.Close()
	lines, err := s.Check(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"index markets_series: row 2 missing from index markets_series"}, lines)
}
