package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSimulationsAreNotMixedWithCaptures: invented rounds get among those of an exchange
// only when that is asked for, and what is then said takes them out again.
func TestSimulationsAreNotMixedWithCaptures(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	log, db := filepath.Join(dir, "log.jsonl"), filepath.Join(dir, "real.db")
	require.NoError(t, os.WriteFile(log, []byte(`{"event_type":"last_trade_price","asset_id":"1","price":"0.2","size":"3","side":"BUY","timestamp":"1776081700000","market":"0x1"}`+"\n"), 0o600))
	r := ladderback(t, "import", log, "--archive", db)
	require.Equal(t, exitDone, r.code, r.err)
	before := ladderback(t, "archive", "sources", "--archive", db).out

	simulate := []string{"simulate", "--markets", "1", "--types", "5m", "--archive", db}
	r = ladderback(t, simulate...)
	require.Equal(t, exitUsage, r.code, r.err)
	require.Contains(t, r.err, "real.db holds captures of an exchange (log.jsonl)")
	require.Contains(t, r.err, "--mix")
	require.Equal(t, before, ladderback(t, "archive", "sources", "--archive", db).out)

	r = ladderback(t, append(simulate, "--mix")...)
	require.Equal(t, exitDone, r.code, r.err)
	undo := regexp.MustCompile(`'ladderback (archive remove .*)'`).FindStringSubmatch(r.err)
	require.NotNil(t, undo, r.err)
	r = ladderback(t, strings.Fields(undo[1])...)
	require.Equal(t, exitDone, r.code, r.err)
	require.Equal(t, before, ladderback(t, "archive", "sources", "--archive", db).out)

	pure := []string{"simulate", "--markets", "1", "--types", "5m", "--archive", filepath.Join(dir, "sim.db")}
	require.Equal(t, exitDone, ladderback(t, pure...).code)
	require.Equal(t, exitDone, ladderback(t, append(pure, "--seed", "2")...).code, "simulations may stand together")
}
