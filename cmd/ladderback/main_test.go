package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/internal/realdata"
)

const mainPrompt = "Buy Up on BTC 15m when Up drops below 35 cents in the first 5 minutes, take profit at 55c, stop at 20c, $50 per trade, last 200 markets"

// fixtures is the folder of what is made once for all tests of the package, by the first
// that needs it.
var fixtures string

// demoCache is a cache folder in which the demo archive is: two processes that needed it at
// once made it.
var demoCache = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(fixtures, "demo")
	var both sync.WaitGroup
	var errs [2]error
	for i := range errs {
		cmd := exec.Command(os.Args[0], "archive", "info")
		cmd.Env = []string{asProgram + "=1", "HOME=" + fixtures, "PATH=" + os.Getenv("PATH"), "LADDERBACK_CACHE=" + dir}
		var said bytes.Buffer
		cmd.Stderr = &said
		both.Go(func() {
			if err := cmd.Run(); err != nil {
				errs[i] = fmt.Errorf("%w: %s", err, said.String())
			}
			firstRuns[i] = said.String()
		})
	}
	both.Wait()
	return dir, errors.Join(errs[:]...)
})

// firstRuns is what the processes of demoCache said.
var firstRuns [2]string

// asProgram names the variable that makes the test binary the program itself.
const asProgram = "LADDERBACK_TEST_AS_PROGRAM"

// smallArchive is an archive of a few rounds, for tests that only read it.
var smallArchive = sync.OnceValues(func() (string, error) {
	path := filepath.Join(fixtures, "small.db")
	var errs bytes.Buffer
	a := &cli{in: strings.NewReader(""), out: io.Discard, err: &errs, getenv: func(string) string { return "" }}
	if code := a.run(context.Background(), []string{"simulate", "--quiet", "--archive", path, "--markets", "6", "--coins", "BTC",
		"--types", "1h", "--seed", "3", "--ladder", "50"}); code != exitDone {
		return "", fmt.Errorf("simulate: %s", errs.String())
	}
	return path, nil
})

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	var err error
	if fixtures, err = os.MkdirTemp("", "ladderback-test-"); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(fixtures)
	os.Exit(code)
}

// result is what one command line gave.
type result struct {
	code     int
	out, err string
}

// ladderback runs one command line in this process.
func ladderback(t testing.TB, args ...string) result {
	return runWith(t, context.Background(), nil, "", args...)
}

func runWith(t testing.TB, ctx context.Context, env map[string]string, in string, args ...string) result {
	t.Helper()
	var out, errs bytes.Buffer
	a := &cli{in: strings.NewReader(in), out: &out, err: &errs, width: 100, getenv: func(name string) string { return env[name] }}
	code := a.run(ctx, args)
	return result{code, out.String(), errs.String()}
}

// withDemo runs one command line over the demo archive.
func withDemo(t testing.TB, args ...string) result {
	t.Helper()
	dir, err := demoCache()
	require.NoError(t, err)
	return runWith(t, context.Background(), map[string]string{"LADDERBACK_CACHE": dir}, "", args...)
}

// body is what the tests read of a backtest's JSON.
type body struct {
	Prompt string
	Source string
	Note   string
	Report struct {
		SampleSize    int     `json:"sample_size"`
		MarketsFound  int     `json:"markets_found"`
		MarketsTraded int     `json:"markets_traded"`
		TotalPnL      float64 `json:"total_pnl"`
		EquityCurve   []float64
		Trades        []struct {
			Cost, Proceeds, PnL float64
			EntryFill           string `json:"entry_fill"`
			ExitFill            string `json:"exit_fill"`
			ExitReason          string `json:"exit_reason"`
		}
		Warnings []struct{ Code, Message string }
	}
}

func readBody(t testing.TB, r result) body {
	t.Helper()
	require.Equal(t, exitDone, r.code, r.err)
	var b body
	require.NoError(t, json.Unmarshal([]byte(r.out), &b))
	sum := 0.0
	for i, tr := range b.Report.Trades {
		require.InDelta(t, tr.Proceeds-tr.Cost, tr.PnL, 1e-9, "trade %d", i+1)
		sum += tr.PnL
	}
	require.InDelta(t, sum, b.Report.TotalPnL, 1e-6)
	require.Len(t, b.Report.Trades, b.Report.MarketsTraded)
	return b
}

func (b *body) warning(code string) string {
	for _, w := range b.Report.Warnings {
		if w.Code == code {
			return w.Message
		}
	}
	return ""
}

func TestMainJob(t *testing.T) {
	t.Parallel()
	one := withDemo(t, "backtest", mainPrompt, "--json", "--workers", "1")
	b := readBody(t, one)
	require.Equal(t, "rules", b.Source)
	require.Equal(t, 200, b.Report.MarketsFound)
	require.NotZero(t, b.Report.MarketsTraded)
	require.NotEmpty(t, b.warning("simulated"))
	many := withDemo(t, "backtest", mainPrompt, "--format", "json", "--workers", "5")
	require.Equal(t, one.out, many.out, "the number of workers changes nothing")

	table := withDemo(t, "backtest", mainPrompt)
	require.Equal(t, exitDone, table.code, table.err)
	require.Contains(t, table.out, "Buy Up on BTC 15m markets in the first 5 minutes when Up's price is below 35c.")
	require.Contains(t, table.out, "simulated")
	csv := withDemo(t, "backtest", mainPrompt, "--format", "csv")
	require.Equal(t, b.Report.MarketsTraded+1, strings.Count(csv.out, "\n"))
	html := filepath.Join(t.TempDir(), "report.html")
	require.Equal(t, exitDone, withDemo(t, "backtest", mainPrompt, "--format", "html", "--out", html).code)
	page, err := os.ReadFile(html)
	require.NoError(t, err)
	require.Contains(t, string(page), "</html>")
}

func TestExplainAndCompare(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, latency := range map[string]string{"a.json": "250", "b.json": "1000"} {
		require.Equal(t, exitDone, withDemo(t, "backtest", mainPrompt, "--json", "--latency", latency, "--out", filepath.Join(dir, name)).code)
	}
	a, b := filepath.Join(dir, "a.json"), filepath.Join(dir, "b.json")
	x := withDemo(t, "explain", a, "1")
	require.Equal(t, exitDone, x.code, x.err)
	require.Contains(t, x.out, "Up drops below 35 cents")
	require.NotContains(t, x.out, `"in"`, "a word that opens a phrase says nothing")
	require.Equal(t, exitDone, withDemo(t, "explain", a, "1", "--json").code)
	require.Equal(t, exitFailed, withDemo(t, "explain", a, "9999").code)
	require.Equal(t, exitDone, ladderback(t, "compare", a, a).code)
	differ := ladderback(t, "compare", a, b)
	require.Equal(t, exitFailed, differ.code)
	require.Contains(t, differ.out, "latency_ms")
}

func TestExitCodes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		code int
		args string
		want string
	}{
		{exitUsage, "", "Usage"},
		{exitUsage, "backtest", "expected a PROMPT"},
		{exitUsage, "backtest --bogus", "unknown flag"},
		{exitUsage, "backtest up --format xml", "expected one of"},
		{exitUsage, "backtest up --sample 0", "expected 1 to 10000"},
		{exitUsage, "backtest up --budget -5", "above 0"},
		{exitUsage, "backtest up --from yesterday", "--from"},
		{exitUsage, "backtest up --stale -1", "--stale"},
		{exitUsage, "backtest up --latency -1", "--latency"},
		{exitUsage, "backtest up --winners guessed", "inferred"},
		{exitUsage, "backtest up --parser llm", "no language model is configured"},
		{exitUsage, "frobnicate", "unknown command"},
		{exitUsage, "archive frobnicate", "no subcommand"},
		{exitUsage, "tries opne", "did you mean open?"},
		{exitUsage, "bench --json --rounds 0", `"error": "bad_request"`},
		{exitUsage, "import x.jsonl", "--archive"},
		{exitUsage, "simulate", "an existing archive, or where to create one"},
		{exitUsage, "archive remove --before 2026-04-02", "archive remove needs --archive FILE (or $LADDERBACK_ARCHIVE)\n"},
		{exitUsage, "import --archive x.db", "expected a PATH"},
		{exitUsage, "keys create --plan gold --access x.db", "expected one of"},
		{exitUsage, "completion frob", "no subcommand"},
		{exitUsage, "help frob", "no command"},
		{exitUsage, "backtest up --sample x", "--sample"},
		{exitUsage, "simulate --markets 0 --archive x.db", "--markets"},
		{exitFailed, "import /nowhere.jsonl --archive x.db", "no such file"},
		{exitFailed, "keys create --archive /nowhere/at/all.db", "no archive there"},
		{exitFailed, "archive info --archive /nowhere/at/all.db", "/nowhere/at/all.db"},
		{exitFailed, "keys list --access /nowhere/at/all.db", "does not exist"},
		{exitFailed, "keys create --access /nowhere/at/all.db", "no folder /nowhere/at: create it first"},
		{exitUsage, "backtest Up --out r.pdf", "the extension .pdf means no format"},
		{exitFailed, "explain /nowhere.json 1", "nowhere.json"},
		{exitUsage, "explain main.go", "main.go is a run: expected a TRADE after it"},
		{exitDone, "version", "engine"},
		{exitDone, "backtest --help", "Examples"},
		{exitDone, "completion bash", "ladderback"},
	} {
		r := ladderback(t, strings.Fields(c.args)...)
		if c.args == "" { // help, as nothing was asked
			require.Contains(t, r.out, c.want)
			continue
		}
		require.Equal(t, c.code, r.code, "%s\n%s%s", c.args, r.out, r.err)
		require.Contains(t, r.out+r.err, c.want, c.args)
	}
}

func TestMistakesInJSON(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ code, prompt, flag string }{
		{"unsupported_signal", "buy Up if bitcoin pumps", ""},
		{"unsupported_signal", "buy Up at 35%", ""},
		{"bad_request", "BTC 15m below 35c", ""},
		{"bad_request", strings.Repeat("buy up ", 1500), ""},
		{"bad_request", "buy Up at 35c", "--bogus"},
	} {
		args := []string{"backtest", c.prompt, "--json"}
		if c.flag != "" {
			args = append(args, c.flag)
		}
		r := ladderback(t, args...)
		require.Equal(t, exitUsage, r.code, r.err)
		var e struct{ Error, Message string }
		require.NoError(t, json.Unmarshal([]byte(r.out), &e), r.out)
		require.Equal(t, c.code, e.Error)
		require.NotEmpty(t, e.Message)
	}
	r := ladderback(t, "backtest", "Buy Up on BTC 15m below 35c, 0 per trade")
	require.Equal(t, exitUsage, r.code)
	require.Contains(t, r.err, "single quotes")
}

func TestEveryCommandHasHelpWithAnExample(t *testing.T) {
	t.Parallel()
	a := &cli{out: io.Discard, err: io.Discard, getenv: func(string) string { return "" }}
	commands := a.commands()
	for len(commands) > 0 {
		cmd := commands[0]
		commands = append(commands[1:], cmd.Commands()...)
		require.NotEmpty(t, cmd.Example, cmd.CommandPath())
		require.NotEmpty(t, cmd.Short, cmd.CommandPath())
	}
}

// Lines of an exchange's log, by hand.
const (
	goodMarket = `{"slug":"btc-updown-5m-1776081600","condition_id":"0xabc","coin":"BTC","market_type":"5m","start":1776081600,"end":1776081900,"up_token":"111","down_token":"222","captured_token":"111","winner":"up","winner_basis":"official"}`
	goodBook   = `{"recv":1776081601.5,"slug":"btc-updown-5m-1776081600","msg":{"market":"0xabc","asset_id":"111","timestamp":"1776081601400","event_type":"book","bids":[{"price":"0.3","size":"10"},{"price":"0.4","size":"100"}],"asks":[{"price":"0.6","size":"5"},{"price":"0.5","size":"100"}]}}`
)

func TestBadInput(t *testing.T) {
	t.Parallel()
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	_, err := w.Write([]byte(strings.Repeat(goodBook+"\n", 500)))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	with := func(old, new string) string { return strings.Replace(goodBook, old, new, 1) }
	for name, c := range map[string]struct {
		file string
		code int
		want string
		kept bool // the good line of the file is in the archive
	}{
		"empty.jsonl":        {"", exitFailed, "empty file", false},
		"cut.jsonl.gz":       {zipped.String()[:zipped.Len()-9], exitFailed, "unexpected EOF", true},
		"binary.jsonl":       {goodBook + "\n\x00\x01\xff\xfe binary \x80\n", exitDone, "not valid JSON", true},
		"price.jsonl":        {goodBook + "\n" + with(`"0.6"`, `"1.2"`) + "\n", exitDone, "price outside 0 to 1", true},
		"size.jsonl":         {goodBook + "\n" + with(`"10"`, `"-10"`) + "\n", exitDone, "negative size", true},
		"tokens.jsonl":       {strings.NewReplacer(`"111"`, "null", `"222"`, "null").Replace(goodMarket) + "\n", exitFailed, "market without tokens", false},
		"winner.jsonl":       {strings.Replace(goodMarket, `"winner":"up"`, `"winner":"sideways"`, 1) + "\n", exitFailed, "winner is not a token", false},
		"neither.txt":        {"hello\nworld\n", exitFailed, "format not recognised", false},
		"wrong-shape.jsonl":  {goodBook + "\n[1,2,3]\n", exitDone, "rejected lines", true},
		"several-good.jsonl": {goodBook + "\n" + goodBook + "\n", exitDone, "captures", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path, db, rejects := filepath.Join(dir, name), filepath.Join(dir, "a.db"), filepath.Join(dir, "rejects.jsonl")
			markets := filepath.Join(dir, "markets.jsonl")
			require.NoError(t, os.WriteFile(path, []byte(c.file), 0o600))
			require.NoError(t, os.WriteFile(markets, []byte(goodMarket+"\n"), 0o600))
			r := ladderback(t, "import", path, "--markets", markets, "--archive", db, "--rejects", rejects)
			require.Equal(t, c.code, r.code, "%s%s", r.out, r.err)
			require.Contains(t, r.out+r.err, c.want)
			if c.code == exitFailed {
				require.Contains(t, r.err, name)
			}
			info := ladderback(t, "archive", "info", "--json", "--archive", db)
			require.Equal(t, exitDone, info.code, info.err)
			require.Equal(t, c.kept, strings.Contains(info.out, `"stream": "books"`), info.out)
			require.Equal(t, exitDone, ladderback(t, "archive", "verify", "--archive", db).code)
		})
	}
}

func TestArchiveThatIsNone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := filepath.Join(dir, "text.db")
	require.NoError(t, os.WriteFile(text, []byte("this is no archive"), 0o600))
	r := ladderback(t, "archive", "info", "--archive", text)
	require.Equal(t, exitFailed, r.code)
	require.Contains(t, r.err, "not a Ladderback archive")
	kept, err := os.ReadFile(text)
	require.NoError(t, err)
	require.Equal(t, "this is no archive", string(kept))
	r = ladderback(t, "simulate", "--markets", "1", "--archive", filepath.Join(dir, "no", "folder.db"))
	require.Equal(t, exitFailed, r.code)
	require.Contains(t, r.err, "no folder")
}

func TestInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r := runWith(t, ctx, nil, "", "simulate", "--markets", "5", "--archive", filepath.Join(t.TempDir(), "a.db"))
	require.Equal(t, exitInterrupted, r.code, r.err)
	require.Contains(t, r.err, "interrupted")
}

func TestParseBatch(t *testing.T) {
	t.Parallel()
	var in strings.Builder
	for i := range 300 {
		prompt := fmt.Sprintf("Buy Up on BTC 15m under %dc", 10+i%80)
		if i%7 == 0 {
			prompt = "buy at the RSI"
		}
		fmt.Fprintf(&in, `{"id":%d,"prompt":%q}`+"\n", i, prompt)
	}
	in.WriteString("not json\n\n{\"id\":\"x\"}\n")
	r := runWith(t, context.Background(), nil, in.String(), "parse", "--batch", "-")
	require.Equal(t, exitDone, r.code, r.err)
	lines := strings.Split(strings.TrimSpace(r.out), "\n")
	require.Len(t, lines, 302)
	for i, line := range lines[:300] {
		var got struct {
			ID       int
			Strategy json.RawMessage
			Error    string
		}
		require.NoError(t, json.Unmarshal([]byte(line), &got))
		require.Equal(t, i, got.ID)
		require.Equal(t, i%7 == 0, got.Error != "", line)
		require.Equal(t, i%7 != 0, got.Strategy != nil, line)
	}
	require.Contains(t, lines[300], `{"id":null,"error":"bad_request"`)
	require.Contains(t, lines[301], `{"id":"x","error":"bad_request"`)
}

func TestServe(t *testing.T) {
	t.Parallel()
	dir, err := demoCache()
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	var out, errs syncBuffer
	a := &cli{in: strings.NewReader(""), out: &out, err: &errs, getenv: func(name string) string {
		return map[string]string{"LADDERBACK_CACHE": dir}[name]
	}}
	done := make(chan int, 1)
	go func() {
		done <- a.run(ctx, []string{"serve", "--addr", "127.0.0.1:0", "--metrics-addr", "none", "--local-key", "--access", filepath.Join(t.TempDir(), "k.db")})
	}()
	address := regexp.MustCompile(`http://[0-9.:]+`)
	require.Eventually(t, func() bool { return address.MatchString(errs.String()) }, time.Minute, 10*time.Millisecond, errs.String())
	base, key := address.FindString(errs.String()), strings.TrimSpace(out.String())

	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/v1/ai/backtest", strings.NewReader(fmt.Sprintf(`{"prompt":%q}`, mainPrompt)))
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+key)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	answer, err := io.ReadAll(resp.Body)
	require.NoError(t, errorsJoin(err, resp.Body.Close()))
	require.Equal(t, http.StatusOK, resp.StatusCode, string(answer))
	require.Equal(t, withDemo(t, "backtest", mainPrompt, "--json").out, string(answer), "the same bytes as the command's")

	cancel()
	require.Equal(t, exitDone, <-done, errs.String())
	require.NotContains(t, errs.String(), key, "a key never stands in the log")
}

func errorsJoin(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// syncBuffer is a buffer that one goroutine writes while another reads.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// TestRealCaptures imports real captures and replays a strategy over them.
func TestRealCaptures(t *testing.T) {
	t.Parallel()
	dir := realdata.Dir(t, "polymarket-btc-5m")
	db := filepath.Join(t.TempDir(), "real.db")
	imported := ladderback(t, "import", filepath.Join(dir, "captures"), "--markets", filepath.Join(dir, "markets.jsonl"), "--archive", db)
	require.Equal(t, exitDone, imported.code, imported.err)
	require.Contains(t, imported.out, "210,542")
	require.Contains(t, ladderback(t, "archive", "info", "--archive", db).out, "resolved")

	prompt := "Buy Up on BTC 5m when Up is under 40c in the first 3 minutes, take profit 60c, stop 20c"
	b := readBody(t, ladderback(t, "backtest", prompt, "--archive", db, "--sample", "100", "--json"))
	require.Equal(t, 10, b.Report.MarketsFound)
	b = readBody(t, ladderback(t, "backtest", prompt, "--archive", db, "--sample", "100", "--json", "--winners", "inferred"))
	require.Equal(t, 72, b.Report.MarketsFound)
	require.Contains(t, b.warning("inferred_winners"), "62")
	for _, trade := range b.Report.Trades {
		require.Equal(t, "book_ladder", trade.EntryFill)
	}
	again := ladderback(t, "import", filepath.Join(dir, "captures"), "--archive", db)
	require.Equal(t, exitDone, again.code, again.err)
	require.Contains(t, again.out, "already in the archive")
	require.Equal(t, exitDone, ladderback(t, "archive", "verify", "--archive", db).code)
}

// TestHistory sees that all pages joined are what the bulk answer has.
func TestHistory(t *testing.T) {
	t.Parallel()
	list := withDemo(t, "archive", "info", "--coverage", "--json")
	require.Equal(t, exitDone, list.code, list.err)
	var markets []struct {
		Slug string `json:"market_slug"`
	}
	require.NoError(t, json.Unmarshal([]byte(list.out), &markets))
	slug := markets[0].Slug
	one := withDemo(t, "history", "prices", slug, "--resolution", "1s", "--json")
	require.Equal(t, exitDone, one.code, one.err)
	var h struct {
		Tokens   map[string]string
		Data     map[string][]struct{ T, P any }
		Metadata struct {
			Count      int
			NextCursor *string `json:"next_cursor"`
		}
	}
	require.NoError(t, json.Unmarshal([]byte(one.out), &h))
	require.Nil(t, h.Metadata.NextCursor)
	require.Len(t, h.Tokens, 2)
	require.Equal(t, h.Metadata.Count, len(h.Data["Up"])+len(h.Data["Down"]))
	require.Greater(t, h.Metadata.Count, 400, "more than a page")
	csv := withDemo(t, "history", "prices", slug, "--resolution", "1s", "--format", "csv")
	require.Equal(t, h.Metadata.Count+1, strings.Count(csv.out, "\n"))
	require.Equal(t, h.Metadata.Count, strings.Count(withDemo(t, "history", "prices", slug, "--resolution", "1s", "--format", "ndjson").out, "\n"))
	require.True(t, strings.HasPrefix(withDemo(t, "history", "books", slug, "--format", "parquet").out, "PAR1"))
	for _, kind := range []string{"prices", "books", "quotes", "metrics"} {
		table := withDemo(t, "history", kind, slug)
		require.Equal(t, exitDone, table.code, table.err)
		require.Contains(t, table.out, "time (UTC)")
	}
	require.Equal(t, exitFailed, withDemo(t, "history", "prices", "no-such-market").code)
	require.Equal(t, exitUsage, withDemo(t, "history", "prices", slug, "--resolution", "2s").code)
	day := withDemo(t, "history", "prices", slug, "--resolution", "1d", "--format", "csv")
	require.Equal(t, 3, strings.Count(day.out, "\n"), "a bucket that begins before the round does")
	require.Equal(t, exitUsage, withDemo(t, "history", "weather", slug).code)
	require.Equal(t, exitUsage, withDemo(t, "history", "books", slug, "--token", "Sideways").code)
}

// TestTrades prints trades in every format.
func TestTrades(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	log := filepath.Join(dir, "log.jsonl")
	line := `{"recv":%s,"slug":"btc-updown-5m-1776081600","msg":{"event_type":"last_trade_price","market":"0xab","asset_id":"71","price":"0.4","size":"12.5","side":"%s","timestamp":"1776081602%s"}}` + "\n"
	require.NoError(t, os.WriteFile(log, []byte(fmt.Sprintf(line, "1776081602.25", "BUY", "000")+fmt.Sprintf(line, "1776081603.123456", "SELL", "900")), 0o600))
	list := filepath.Join(dir, "list.jsonl")
	require.NoError(t, os.WriteFile(list, []byte(`{"slug":"btc-updown-5m-1776081600","condition_id":"0xab","coin":"BTC","market_type":"5m","start":1776081600,"end":1776081900,"up_token":"71","down_token":"72"}`), 0o600))
	db := filepath.Join(dir, "a.db")
	require.Equal(t, exitDone, ladderback(t, "import", log, "--markets", list, "--archive", db).code)
	history := func(args ...string) string {
		r := ladderback(t, append([]string{"history", "trades", "btc-updown-5m-1776081600", "--archive", db}, args...)...)
		require.Equal(t, exitDone, r.code, r.err)
		return r.out
	}
	require.Equal(t, "t,token_id,label,side,price,size\n2026-04-13T12:00:02.25Z,71,Up,buy,0.4,12.5\n2026-04-13T12:00:03.123456Z,71,Up,sell,0.4,12.5\n", history("--format", "csv"))
	require.JSONEq(t, `{"t":"2026-04-13T12:00:03.123456Z","token_id":"71","label":"Up","side":"sell","price":0.4,"size":12.5}`,
		history("--format", "ndjson", "--start", "2026-04-13T12:00:03Z"))
	require.JSONEq(t, `{"market_id":"0xab","data":[{"t":"2026-04-13T12:00:02.25Z","token_id":"71","label":"Up","side":"buy","price":0.4,"size":12.5}],"metadata":{"count":1}}`,
		history("--json", "--end", "2026-04-13T12:00:03Z"))
	require.Contains(t, history(), "time (UTC)")
	require.Contains(t, history("--token", "Down"), "no trades")
	require.True(t, strings.HasPrefix(history("--format", "parquet"), "PAR1"))
	require.Equal(t, exitUsage, ladderback(t, "history", "trades", "x", "--resolution", "1s").code)
}

// marketRecord is what a test reads of a market's document.
type marketRecord struct {
	Slug, ID, Status, Coin string
	Type                   string `json:"market_type"`
	Winner                 string `json:"winning_token_label"`
	Tokens                 []any
}

// TestMarkets lists, searches and shows.
func TestMarkets(t *testing.T) {
	t.Parallel()
	r := withDemo(t, "markets", "--search", "btc-updown-15m", "--limit", "2")
	require.Equal(t, exitDone, r.code, r.err)
	require.Contains(t, r.out, "starts (UTC)")
	require.Contains(t, r.out, "There are more")
	require.Equal(t, 2, strings.Count(r.out, "btc-updown-15m-"))
	type list struct {
		Count int
		More  bool
		Data  []marketRecord
	}
	var got list
	for status, n := range map[string]int{"open": 9, "resolved": 560} {
		r := withDemo(t, "markets", "--status", status, "--limit", "1000", "--json")
		require.Equal(t, exitDone, r.code, r.err)
		got = list{}
		require.NoError(t, json.Unmarshal([]byte(r.out), &got))
		require.Len(t, got.Data, n)
		require.False(t, got.More)
		for _, m := range got.Data {
			require.Equal(t, status, m.Status)
		}
	}
	got = list{}
	require.NoError(t, json.Unmarshal([]byte(withDemo(t, "markets", "--coin", "eth", "--type", "1h", "--status", "resolved", "--json").out), &got))
	require.Equal(t, 20, got.Count)
	require.True(t, got.More)
	m := got.Data[7]
	require.Equal(t, "ETH 1h", m.Coin+" "+m.Type)
	shown := withDemo(t, "markets", "show", m.Slug)
	require.Contains(t, shown.out, m.ID)
	require.Contains(t, shown.out, "resolved, winner "+m.Winner)
	var one marketRecord
	require.NoError(t, json.Unmarshal([]byte(withDemo(t, "markets", "show", m.ID, "--json").out), &one))
	require.Equal(t, m.Slug, one.Slug)
	require.Len(t, one.Tokens, 2)
	require.Contains(t, withDemo(t, "markets", "--search", "nothing like it").out, "no market matches")
	require.Equal(t, exitFailed, withDemo(t, "markets", "show", "no-such-market").code)
	require.Equal(t, exitUsage, withDemo(t, "markets", "btc").code)
}

// TestExport writes files, one table to standard output, and refuses what cannot
// be.
func TestExport(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db, out := filepath.Join(dir, "a.db"), filepath.Join(dir, "out")
	require.Equal(t, exitDone, ladderback(t, "simulate", "--markets", "2", "--types", "5m", "--rate", "0.2", "--archive", db).code)
	export := func(args ...string) result {
		return ladderback(t, append([]string{"archive", "export", "--archive", db}, args...)...)
	}
	r := export("--out", out)
	require.Equal(t, exitDone, r.code, r.err)
	require.Contains(t, r.out, "captures")
	require.FileExists(t, filepath.Join(out, "markets", "tokens.parquet"))
	back := filepath.Join(dir, "b.db")
	require.Equal(t, exitDone, ladderback(t, "import", out, "--archive", back).code)
	slugs := func(db string) string { return ladderback(t, "markets", "--json", "--archive", db).out }
	require.Equal(t, slugs(db), slugs(back))
	r = export("--out", out)
	require.Equal(t, exitUsage, r.code)
	require.Contains(t, r.err, "--overwrite")
	require.Equal(t, exitDone, export("--out", out, "--overwrite", "--json").code)
	r = export("prices", "--out", "-", "--format", "csv", "--resolution", "1m")
	require.Equal(t, exitDone, r.code, r.err)
	require.True(t, strings.HasPrefix(r.out, "market_id,slug,t,token_id,label,p\n"))
	require.Equal(t, exitDone, export("quotes", "--out", filepath.Join(dir, "q.jsonl")).code)
	require.FileExists(t, filepath.Join(dir, "q.jsonl"))
	r = export("--out", filepath.Join(dir, "csv"), "--format", "csv")
	require.Equal(t, exitDone, r.code, r.err)
	require.Contains(t, r.err, "captures are written as levels")
	for args, want := range map[string]string{
		"": "needs --out", "weather --out x": `table "weather"`, "--out x.parquet": "is one file", "quotes --out q.csv --format parquet": "expected one format",
		"captures --out x --format csv": "CSV has no lists", "quotes --out x --resolution 1s": "only prices, books and metrics",
		"prices --out x --resolution 7m": "--resolution", "--out x --from y": "--from", "--out x --category art": "--category", "--out x --format xml": "--format",
	} {
		r := export(strings.Fields(args)...)
		require.Equal(t, exitUsage, r.code, args)
		require.Contains(t, r.err, want, args)
	}
	r = export("--out", filepath.Join(dir, "none"), "--coin", "DOGE")
	require.Equal(t, exitFailed, r.code)
	require.Contains(t, r.err, "no market matches")
}

// full is an output that has no room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestResultThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	dir, err := demoCache()
	require.NoError(t, err)
	keys := filepath.Join(t.TempDir(), "k.db")
	for _, args := range []string{
		"version --json", "version", "archive info", "archive sources --json", "keys create --access " + keys, "keys list --access " + keys + " --json",
		"parse buy-up-under-35c", "backtest Up-under-35c --json", "history prices btc-updown-15m-1775005200 --format csv",
	} {
		fields := strings.Fields(args)
		for i := range fields[1:] {
			fields[i+1] = strings.ReplaceAll(fields[i+1], "-under-", " under ")
		}
		fields[len(fields)-1] = strings.ReplaceAll(fields[len(fields)-1], "buy-up", "buy Up")
		var errs bytes.Buffer
		a := &cli{in: strings.NewReader(""), out: full{}, err: &errs, width: 80, getenv: func(name string) string {
			return map[string]string{"LADDERBACK_CACHE": dir}[name]
		}}
		require.Equal(t, exitFailed, a.run(context.Background(), fields), "%s: %s", args, errs.String())
	}
}

// TestKeysCreate: a key may end by itself, which lists tell, and its names are what
// people see of it.
func TestKeysCreate(t *testing.T) {
	t.Parallel()
	access := filepath.Join(t.TempDir(), "keys.db")
	create := func(args ...string) result {
		return ladderback(t, append([]string{"keys", "create", "--access", access, "--json"}, args...)...)
	}
	require.Equal(t, exitDone, create("--name", "desk").code)
	r := create("--name", "guest", "--expires", "2099-01-31")
	require.Equal(t, exitDone, r.code, r.err)
	require.Contains(t, r.out, `"expires_at": "2099-01-31T00:00:00Z"`)
	list := ladderback(t, "keys", "list", "--access", access)
	require.Contains(t, list.out, "2099-01-31 00:00")
	for _, args := range [][]string{
		{"--name", "de\u202Esk"}, {"--name", "two\nlines"}, {"--organization", "a\u200Bcme"}, {"--name", strings.Repeat("x", 81)},
		{"--expires", "2001-01-31"}, {"--expires", "soon"},
	} {
		r := create(args...)
		require.Equal(t, exitUsage, r.code, args)
		require.Contains(t, r.out, args[0], args)
	}
	require.Contains(t, create("--name", "de\u202Esk").out, "U+202E")
	require.Equal(t, list.out, ladderback(t, "keys", "list", "--access", access).out)
}

func TestKeysBeforeTheFirst(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := filepath.Join(dir, "a.db")
	require.Equal(t, exitDone, ladderback(t, "simulate", "--markets", "1", "--types", "5m", "--archive", db).code)
	r := ladderback(t, "keys", "list", "--archive", db, "--json")
	require.Equal(t, exitDone, r.code, r.err)
	require.JSONEq(t, "[]", r.out)
	require.Equal(t, "no keys\n", ladderback(t, "keys", "list", "--archive", db).out)
	env := map[string]string{"LADDERBACK_ACCESS": filepath.Join(dir, "keys.db")}
	require.Equal(t, exitDone, runWith(t, context.Background(), env, "", "keys", "create", "--archive", db).code)
	require.FileExists(t, filepath.Join(dir, "keys.db"), "the configured place is where keys go")
}
