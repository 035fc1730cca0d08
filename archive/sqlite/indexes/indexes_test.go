package indexes_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/sqlite/indexes"
	"github.com/ladderback/ladderback/internal/sqlitetest"
)

// TestUnsound: an index that has not the rows of its table, once each and in order, is told from
// one that has.
func TestUnsound(t *testing.T) {
	t.Parallel()
	const rows = `INSERT INTO t (a, b, c) VALUES ('one', 1, x'01'), ('two', -2, x''), ('', 3, NULL), ('two', 0, x'00')`
	// as has statements run with the index as if it were another one.
	as := func(other string, statements ...string) []string {
		out := []string{`UPDATE sqlite_schema SET sql = '` + other + `' WHERE name = 't_b'`, `PRAGMA writable_schema = RESET`}
		out = append(out, statements...)
		return append(out, `PRAGMA writable_schema = ON`, `UPDATE sqlite_schema SET sql = 'CREATE INDEX t_b ON t (b, a)' WHERE name = 't_b'`)
	}
	const none = `CREATE INDEX t_b ON t (b, a) WHERE 0`
	for name, test := range map[string]struct {
		sound bool
		harm  []string
	}{
		"whole":            {true, nil},
		"empty":            {true, []string{`DELETE FROM t`}},
		"changed":          {true, []string{`DELETE FROM t WHERE b = 1`, `UPDATE t SET b = b + 1`, rows}},
		"a row is missing": {false, as(none, `INSERT INTO t (a, b) VALUES ('x', 5)`)},
		"a row too many":   {false, as(none, `DELETE FROM t WHERE b = 1`)},
		"another number":   {false, as(none, `UPDATE t SET b = b + 1 WHERE b = 1`)},
		"another text":     {false, as(none, `UPDATE t SET a = 'ond' WHERE a = 'one'`)},
		"another row":      {false, as(none, `UPDATE t SET number = number + 10 WHERE b = 1`)},
		"out of order":     {false, append([]string{`DROP INDEX t_b`, `CREATE INDEX t_b ON t (b DESC, a)`}, as(none)...)},
		"not unique": {false, append([]string{`DROP INDEX t_b`, `CREATE INDEX t_b ON t (a)`},
			`UPDATE sqlite_schema SET sql = 'CREATE UNIQUE INDEX t_b ON t (a)' WHERE name = 't_b'`)},
		"unique":      {true, []string{`CREATE UNIQUE INDEX t_u ON t (a, b)`}},
		"nulls":       {true, []string{`CREATE INDEX t_c ON t (c)`}},
		"some":        {true, []string{`CREATE INDEX t_some ON t (a, c) WHERE b > 0`}},
		"without row": {true, []string{`CREATE INDEX w_b ON w (b) WHERE b <> 7`, `INSERT INTO w VALUES ('x', 7), ('y', 8), ('z', 8)`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tx := sqlitetest.New(t)
			for _, statement := range append([]string{
				`CREATE TABLE t (number INTEGER PRIMARY KEY, a TEXT, b INTEGER, c BLOB)`, `CREATE TABLE w (a TEXT PRIMARY KEY, b INTEGER) WITHOUT ROWID`,
				`CREATE INDEX t_b ON t (b, a)`, rows, `PRAGMA writable_schema = ON`,
			}, append(test.harm, `PRAGMA writable_schema = RESET`)...) {
				_, err := tx.Link.Conn.ExecContext(t.Context(), statement)
				require.NoError(t, err, statement)
			}
			sound, err := indexes.Sound(t.Context(), tx.Link)
			require.NoError(t, err)
			require.Equal(t, test.sound, sound)
			var says string
			require.NoError(t, tx.Link.Conn.QueryRowContext(t.Context(), `PRAGMA integrity_check`).Scan(&says))
			require.Equal(t, test.sound, strings.TrimSpace(says) == "ok", says)
		})
	}
}
