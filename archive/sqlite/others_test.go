package sqlite_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/sqlite"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/archivetest"
	"github.com/ladderback/ladderback/internal/sqlstore"
)

// TestOtherTablesInTheFile has another part of the program keep tables in an archive's
// file, whose pages it takes from the archive's free ones and gives back, and drop one,
// which moves a table of the archive: nothing of that is taken for damage, and what is
// written afterwards is held again.
func TestOtherTablesInTheFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(memory(t), "shared.db")
	opened, _, err := sqlite.Create(t.Context(), path)
	require.NoError(t, err)
	a := archivetest.New(opened)
	s := archivetest.NewScenario(23, 4000)
	files := append(s.Split(23, 4), archivetest.Metadata(s, 23, 2)...)
	other, err := sqlstore.Open(t.Context(), path, sqlstore.Options{})
	require.NoError(t, err)
	exec := func(query string, args ...any) {
		_, err := other.ExecContext(t.Context(), query, args...)
		require.NoError(t, err, query)
	}
	sound := func(what string) {
		_, err := answers(t.Context(), path)
		require.NoError(t, err, what)
	}
	for i := range files {
		require.NoError(t, archivetest.Put(t.Context(), a, s, &files[i]))
		free(t, opened)
		table := fmt.Sprint("other", i)
		exec("CREATE TABLE " + table + " (id INTEGER PRIMARY KEY, text TEXT)")
		exec("INSERT INTO "+table+" SELECT value, hex(randomblob(3000)) FROM json_each(?)", "[1,2,3,4,5,6,7,8,9]")
		sound("rows of others after " + files[i].Name)
		switch i % 3 {
		case 0:
			exec("DELETE FROM " + table)
		case 1:
			exec("DROP TABLE " + table)
			sound("a table is gone")
		case 2:
			require.NoError(t, opened.Shrink(t.Context()))
			sound("free pages are gone")
		}
	}
	require.NoError(t, other.Close())
	problems, err := opened.Check(t.Context())
	require.NoError(t, err)
	require.Empty(t, problems)
	require.NoError(t, a.Close())
	sound("closed")
}

// free drops the tops of all markets, and leaves their pages in the file.
func free(t *testing.T, opened *sqlite.Store) {
	require.NoError(t, opened.Update(t.Context(), func(w store.Writer) error {
		rows, err := w.Markets(t.Context(), store.MarketQuery{})
		if err != nil {
			return err
		}
		var c store.Changes
		for i := range rows {
			c.DropTops = append(c.DropTops, rows[i].ID)
		}
		return w.Apply(t.Context(), &c)
	}))
}
