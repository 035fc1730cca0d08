package app

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/tries"
)

// TestTriesAddress: tries are on the record beside the first archive, or in its database.
func TestTriesAddress(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := quiet(map[string]string{"LADDERBACK_CACHE": dir})
	for want, given := range map[string][]string{
		"x/a-tries.db":   {"x/a.db"},
		"c-tries.db":     {"crypto=c.db", "sports=b.db"},
		"postgres://h/d": {"postgres://h/d"},
		filepath.Join(dir, strings.TrimSuffix(DemoName(), ".db")+"-tries.db"): nil,
	} {
		got, err := a.triesAddress(given)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	archive, link := filepath.Join(dir, "real.db"), filepath.Join(dir, "link.db")
	require.NoError(t, os.WriteFile(archive, nil, 0o600))
	require.NoError(t, os.Symlink(archive, link))
	want, err := a.triesAddress([]string{archive})
	require.NoError(t, err)
	got, err := a.triesAddress([]string{link})
	require.NoError(t, err)
	require.Equal(t, want, got, "a link leads to the record of the file")
	_, err = a.triesAddress([]string{"mysql://h"})
	require.ErrorContains(t, err, "unknown scheme")
}

// TestLockbox: asking for a lockbox makes nothing; a record that is there and cannot be read
// ends a command, and one that cannot be made does not.
func TestLockbox(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	given, record := []string{filepath.Join(dir, "a.db")}, filepath.Join(dir, "a-tries.db")
	a := quiet(nil)
	lock, err := a.HoldOut(t.Context(), given)
	require.NoError(t, err)
	require.Nil(t, lock)
	require.NoFileExists(t, record)

	l, lock, err := a.Ledger(t.Context(), given, "Buy Up")
	require.NoError(t, err)
	require.Nil(t, lock)
	require.FileExists(t, record)
	_, err = l.counting.Store.PutAside(t.Context(), tries.Local, 5*market.Second)
	require.NoError(t, err)
	require.NoError(t, l.Close())
	lock, err = a.HoldOut(t.Context(), given)
	require.NoError(t, err)
	require.Equal(t, 5*market.Second, lock.From)
	s, closeTries, err := a.triesOf(t.Context(), given, nil)
	require.NoError(t, err)
	require.NotNil(t, s)
	require.NoError(t, closeTries())

	require.NoError(t, os.WriteFile(record, []byte(strings.Repeat("no database ", 100)), 0o600))
	_, _, err = a.Ledger(t.Context(), given, "Buy Up")
	require.ErrorContains(t, err, "a-tries.db")
	_, _, err = a.triesOf(t.Context(), given, nil)
	require.ErrorContains(t, err, "a-tries.db")

	var said string
	a.Say = func(format string, args ...any) { said = fmt.Sprintf(format, args...) }
	nowhere := []string{filepath.Join(dir, "no", "such", "a.db")}
	l, lock, err = a.Ledger(t.Context(), nowhere, "Buy Up")
	require.NoError(t, err)
	require.Nil(t, lock)
	require.Contains(t, said, "This try is not counted: ")
	require.NoError(t, l.Close())
	var log bytes.Buffer
	s, closeTries, err = a.triesOf(t.Context(), nowhere, slog.New(slog.NewTextHandler(&log, nil)))
	require.NoError(t, err)
	require.Nil(t, s)
	require.Contains(t, log.String(), "tries are not counted, and nothing is held out")
	require.NoError(t, closeTries())
}
