// Package sqlitetest gives tests of the rooms of the embedded store a transaction of
// their own.
package sqlitetest

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/sqlite/file"
	"github.com/ladderback/ladderback/archive/sqlite/pool"
	"github.com/ladderback/ladderback/archive/sqlite/txn"
)

// New returns a connection to a new archive, which ends with the test. No transaction is
// begun on it: each statement is one.
func New(t testing.TB) *txn.Tx {
	t.Helper()
	path := filepath.Join(t.TempDir(), "archive.db")
	_, err := file.Prepare(t.Context(), path, file.Defaults())
	require.NoError(t, err)
	db, err := file.Connect(path, file.ReadWrite, false, file.Defaults())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	conn, err := db.Conn(t.Context())
	require.NoError(t, err)
	l := pool.NewLink(conn)
	t.Cleanup(func() { require.NoError(t, l.Close()) })
	return &txn.Tx{Link: l, Fail: func(err error) error { return file.Failure(path, err) }}
}
