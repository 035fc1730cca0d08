//go:build unix

package main

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/internal/exchange"
	"github.com/ladderback/ladderback/internal/realdata"
)

// TestDataPage: every command of docs/data.md, in order, over the copies at hand.
func TestDataPage(t *testing.T) {
	t.Parallel()
	btc, us := realdata.Dir(t, "polymarket-btc-5m"), realdata.Dir(t, "polymarket-us-sports")
	rounds, err := exchange.Load(btc)
	require.NoError(t, err)
	web := httptest.NewServer(exchange.New(exchange.Config{Rounds: rounds, Now: time.Now}))
	t.Cleanup(web.Close)
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "data.md"))
	require.NoError(t, err)
	dir := t.TempDir()
	clone := filepath.Join(dir, "polymarket-BTC5min-database") // as published: without the list of rounds
	for _, name := range []string{"captures", "parquet"} {
		require.NoError(t, os.CopyFS(filepath.Join(clone, name), os.DirFS(filepath.Join(btc, name))))
	}
	sports := filepath.Join(dir, "polymarket-orderbook-dataset") // as published, of tennis alone
	for _, name := range []string{"markets.parquet", "labels.parquet", "quotes/dt=2026-07-11/data_0.parquet"} {
		rowsWith(t, "wta", filepath.Join(us, name), filepath.Join(sports, name))
	}
	at := map[string]string{"polymarket-BTC5min-database": clone, "polymarket-orderbook-dataset": sports}
	for _, name := range []string{"btc.db", "us.db", "quotes.parquet", "markets.json"} {
		at[name] = filepath.Join(dir, name)
	}
	ran := map[string]result{}
	for _, line := range regexp.MustCompile(`(?m)^    ((?:ladderback|curl) .*)$`).FindAllStringSubmatch(string(page), -1) {
		var args []string
		for _, word := range regexp.MustCompile(`'[^']*'|"[^"]*"|\S+`).FindAllString(line[1], -1) {
			word = strings.Trim(word, `'"`)
			args = append(args, cmp.Or(at[word], word))
		}
		if args[0] == "curl" { // -d NAME=VALUE … > FILE
			query := regexp.MustCompile(`-d (\S+)`).FindAllStringSubmatch(line[1], -1)
			url := web.URL + "/markets?"
			for _, q := range query {
				url += q[1] + "&"
			}
			require.NoError(t, os.WriteFile(args[len(args)-1], []byte(pageOf(t, url)), 0o600))
			continue
		}
		r := runWith(t, t.Context(), map[string]string{"LADDERBACK_RECORD_GAMMA": web.URL}, "", args[1:]...)
		require.Equal(t, exitDone, r.code, "%s: %s", line[1], r.err)
		ran[line[1]] = r
	}
	require.Len(t, ran, 7)
	for line, r := range ran {
		switch {
		case strings.Contains(line, "--backfill"):
			require.Contains(t, r.out, "known to the exchange")
		case strings.Contains(line, " backtest "):
			require.Regexp(t, `83 [a-zA-Z ]*markets|markets +83|83 rounds`, r.out)
		case strings.Contains(line, " import markets.json"):
			require.Regexp(t, `markets +2\b`, r.out+r.err)
		}
	}
	quotes, err := os.Stat(at["quotes.parquet"])
	require.NoError(t, err)
	require.Greater(t, quotes.Size(), int64(20_000))
}

// rowsWith copies the rows of a Parquet file that have a word in any column.
func rowsWith(t *testing.T, word, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	require.NoError(t, err)
	t.Cleanup(func() { _ = in.Close() })
	require.NoError(t, os.MkdirAll(filepath.Dir(to), 0o700))
	out, err := os.Create(to)
	require.NoError(t, err)
	r := parquet.NewReader(in)
	w := parquet.NewWriter(out, r.Schema())
	has := func(v parquet.Value) bool {
		return v.Kind() == parquet.ByteArray && bytes.Contains(v.ByteArray(), []byte(word))
	}
	for rows := make([]parquet.Row, 1000); ; {
		n, err := r.ReadRows(rows)
		for _, row := range rows[:n] {
			if slices.ContainsFunc(row, has) {
				_, err := w.WriteRows([]parquet.Row{row})
				require.NoError(t, err)
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
	}
	require.NoError(t, errors.Join(w.Close(), out.Close()))
}

// undescribed is the file of an archive of the captures at hand, imported without their
// metadata: made once.
var undescribed struct {
	once sync.Once
	file []byte
}

// copyUndescribed writes undescribed into a file; dir has the captures.
func copyUndescribed(t *testing.T, dir, to string) {
	t.Helper()
	undescribed.once.Do(func() {
		path := filepath.Join(t.TempDir(), "undescribed.db")
		r := ladderback(t, "import", filepath.Join(dir, "captures"), filepath.Join(dir, "parquet"), "--quiet", "--archive", path)
		require.Equal(t, exitDone, r.code, r.err)
		var err error
		undescribed.file, err = os.ReadFile(path)
		require.NoError(t, err)
	})
	require.NotEmpty(t, undescribed.file, "the test that made it failed")
	require.NoError(t, os.WriteFile(to, undescribed.file, 0o600))
}

// TestBackfill: the commands of docs/data.md over the captures at hand, from an import
// without metadata to a backtest; stopped in the middle, it goes on with what is left.
func TestBackfill(t *testing.T) {
	t.Parallel()
	dir := realdata.Dir(t, "polymarket-btc-5m")
	rounds, err := exchange.Load(dir)
	require.NoError(t, err)
	pages, refuse := 0, true
	server := exchange.New(exchange.Config{Rounds: rounds, Now: time.Now, Intercept: func(w http.ResponseWriter, r *http.Request) bool {
		if pages++; refuse && pages > 1 {
			http.Error(w, "no more", http.StatusForbidden)
			return true
		}
		return false
	}})
	web := httptest.NewServer(server)
	t.Cleanup(web.Close)
	db := filepath.Join(t.TempDir(), "btc.db")
	env := map[string]string{"LADDERBACK_RECORD_GAMMA": web.URL}
	do := func(args ...string) result { return runWith(t, t.Context(), env, "", append(args, "--archive", db)...) }

	copyUndescribed(t, dir, db)
	first := do("record", "--backfill", "--json")
	require.Equal(t, exitFailed, first.code, "the server refused the second page")
	require.JSONEq(t, `{"error": "failed", "message": "backfill: /markets: 403 Forbidden"}`, first.out)
	refuse = false
	second := do("record", "--backfill", "--json")
	require.Equal(t, exitDone, second.code, second.err)
	require.JSONEq(t, `{"wanting": 33, "asked": 33, "found": 33}`, second.out)
	require.JSONEq(t, `{"wanting": 0, "asked": 0, "found": 0}`, do("record", "--backfill", "--json").out)
	left, err := filepath.Glob(db + ".recording/*")
	require.NoError(t, err)
	for _, path := range left {
		require.NotContains(t, path, "markets.jsonl")
	}
	run := readBody(t, do("backtest", "Buy Up on BTC 5m when Up drops below 40 cents, take profit at 55c, stop at 20c, last 100 markets", "--json"))
	require.Equal(t, 83, run.Report.MarketsFound)
	require.Positive(t, run.Report.MarketsTraded)
}
