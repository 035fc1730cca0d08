package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRemove previews a removal, refuses and accepts the question, and tells what is
// partly removed from what was interrupted.
func TestRemove(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	require.Equal(t, exitDone, ladderback(t, "simulate", "--archive", path, "--markets", "3", "--types", "5m", "--rate", "0.1").code)
	slug := anyRound(t, path)
	count := func() (markets int, out string) {
		r := ladderback(t, "archive", "info", "--archive", path, "--json")
		var doc struct {
			Markets []struct{ Markets int }
			Partly  int `json:"partly_removed_sources"`
			Broken  int `json:"unfinished_imports"`
		}
		require.NoError(t, json.Unmarshal([]byte(r.out), &doc))
		for _, m := range doc.Markets {
			markets += m.Markets
		}
		require.Zero(t, doc.Broken)
		if markets < 3 {
			require.Equal(t, 1, doc.Partly)
		}
		return markets, ladderback(t, "archive", "info", "--archive", path).out
	}
	all, _ := count()
	remove := []string{"archive", "remove", "--market", slug, "--archive", path}
	r := ladderback(t, append(remove, "--dry-run")...)
	require.Equal(t, exitDone, r.code, r.err)
	require.Contains(t, r.out, slug)
	require.Contains(t, r.out, "would be removed: 1 market, 0 sources")
	left, _ := count()
	require.Equal(t, all, left)

	ask := func(answer string) result {
		var out, errs bytes.Buffer
		a := &cli{in: strings.NewReader(answer), out: &out, err: &errs, asks: true, width: 100, getenv: func(string) string { return "" }}
		return result{a.run(t.Context(), remove), out.String(), errs.String()}
	}
	r = ask("n\n")
	require.Equal(t, exitFailed, r.code)
	require.Contains(t, r.err, "Remove this? [y/N]")
	require.Contains(t, r.err, "Nothing was removed.")
	left, _ = count()
	require.Equal(t, all, left)
	r = ask("yes\n")
	require.Equal(t, exitDone, r.code, r.err)
	require.Contains(t, r.out, "removed: 1 market, 0 sources; ")
	left, out := count()
	require.Equal(t, all-1, left)
	require.Contains(t, out, "1 source is partly removed")
	require.NotContains(t, out, "run them again")
	require.Contains(t, ladderback(t, "archive", "sources", "--archive", path).out, "1 market removed")

	require.Equal(t, exitUsage, ladderback(t, append(remove, "--yes", "--dry-run")...).code)
}
