package ingest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/ingest"
	"github.com/ladderback/ladderback/internal/archivetest"
	"github.com/ladderback/ladderback/market"
)

const (
	round   = "btc-updown-5m-1776081600"
	start   = 1776081600
	up      = "71"
	down    = "72"
	listed  = `{"slug":"btc-updown-5m-1776081600","condition_id":"0xab","coin":"BTC","market_type":"5m","start":1776081600,"end":1776081900,"up_token":"71","down_token":"72","winner":"up","winner_basis":"official"}` + "\n"
	garbage = "\x00\x01\x02\xff\n"
)

// book is a line with a book of token, received sec seconds after the start.
func book(token string, sec int, bid string) string {
	return fmt.Sprintf(`{"recv":%d.25,"slug":%q,"msg":{"market":"0xab","asset_id":%q,"timestamp":"%d000","event_type":"book","bids":[{"price":"0.01","size":"5"},{"price":%q,"size":"10"}],"asks":[{"price":"0.99","size":"7"}]}}`+"\n",
		start+sec, round, token, start+sec, bid)
}

func newArchive(t testing.TB) *archive.Archive {
	t.Helper()
	a := archive.New(archivetest.Store(t, filepath.Join(t.TempDir(), "a.db")))
	t.Cleanup(func() { require.NoError(t, a.Close()) })
	return a
}

// describedArchive returns an archive that knows the round.
func describedArchive(t testing.TB) *archive.Archive {
	t.Helper()
	a := newArchive(t)
	run(t, a, ingest.Options{Paths: []string{write(t, "list.jsonl", []byte(listed))}})
	return a
}

// write makes a file in a folder of the test and returns its path.
func write(t testing.TB, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, content, 0o600))
	return path
}

func gz(text string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	return b.Bytes()
}

func zst(text string) []byte {
	var b bytes.Buffer
	w, _ := zstd.NewWriter(&b)
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	return b.Bytes()
}

func run(t testing.TB, a *archive.Archive, o ingest.Options) *ingest.Result {
	t.Helper()
	res, err := ingest.Run(t.Context(), a, o)
	require.NoError(t, err)
	return res
}

func rounds(t testing.TB, a *archive.Archive) []market.Round {
	t.Helper()
	r, err := a.Rounds(t.Context(), market.RoundFilter{})
	require.NoError(t, err)
	return r
}

// captures returns the captures of the archive's only round, as text.
func captures(t testing.TB, a *archive.Archive) []string {
	t.Helper()
	all := rounds(t, a)
	require.Len(t, all, 1)
	var out []string
	b := new(market.Book)
	for c, err := range a.Captures(t.Context(), all[0].Market) {
		require.NoError(t, err)
		text := fmt.Sprintf("%v %s %.2f", c.Kind, all[0].Market.Tokens[c.Token].VenueID, float64(c.Recv-start*market.Second)/1e6)
		if c.IsLadder() {
			b.Apply(c)
			q := b.Quote()
			text += fmt.Sprintf(" %v×%v %v×%v", q.Bid.Price, q.Bid.Size, q.Ask.Price, q.Ask.Size)
		}
		out = append(out, text)
	}
	return out
}

func TestRun(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	log := write(t, "log.jsonl", []byte(book(up, -1, "0.4")+book(up, 1, "0.41")+garbage+book(up, 301, "0.99")))
	list := write(t, "markets.jsonl", []byte(listed))
	res := run(t, a, ingest.Options{Paths: []string{log, list}})
	require.Empty(t, res.Failed())
	require.Equal(t, []string{"markets", "polymarket-ws"}, []string{res.Files[0].Format, res.Files[1].Format})
	require.EqualValues(t, 5, res.Messages)
	require.Equal(t, 1, res.Markets)
	require.EqualValues(t, 3, res.Captures)
	require.EqualValues(t, 1, res.Blocks)
	require.Equal(t, map[string]int64{"not valid JSON": 1}, res.Rejected)
	require.Equal(t, []string{"book 71 -0.75 0.4×10 0.99×7", "book 71 1.25 0.41×10 0.99×7", "book 71 301.25 0.99×10 0.99×7"}, captures(t, a))
	r := rounds(t, a)[0]
	require.True(t, r.Captured)
	require.Equal(t, "BTC", r.Market.Coin)
	require.Equal(t, market.Official, r.Market.Payout.Basis)
	require.Equal(t, 0, r.Market.Payout.Winner())

	again := run(t, a, ingest.Options{Paths: []string{log, list}})
	require.Empty(t, again.Failed())
	require.Equal(t, 2, again.Already)
	require.Zero(t, again.Messages+again.Captures+again.Blocks)
	require.Equal(t, r, rounds(t, a)[0])
}

// TestWrappings: one content, however it is packed and handed over.
func TestWrappings(t *testing.T) {
	t.Parallel()
	text := book(up, -1, "0.4") + book(up, 1, "0.41") + book(up, 2, "0.42")
	half := len(book(up, -1, "0.4")) + 20
	plain := describedArchive(t)
	run(t, plain, ingest.Options{Paths: []string{write(t, "x", []byte(text))}})
	want := captures(t, plain)
	require.Len(t, want, 3)
	for name, content := range map[string][]byte{
		"log.jsonl":         []byte(text),
		"no name at all":    []byte(strings.TrimSuffix(text, "\n")),
		"log.jsonl.gz":      gz(text),
		"members.gz":        append(gz(text[:half]), gz(text[half:])...),
		"log.jsonl.zst":     zst(text),
		"frames.zst":        append(zst(text[:half]), zst(text[half:])...),
		"skippable.zst":     append([]byte{0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 'h', 'i'}, zst(text)...),
		"wrong.suffix.gz":   []byte(text),
		"byte order mark":   []byte("\xef\xbb\xbf" + text),
		"dos.jsonl":         []byte(strings.ReplaceAll(text, "\n", "\r\n")),
		"array":             []byte("[" + strings.ReplaceAll(strings.TrimSpace(text), "\n", ",") + "]"),
		"sub/folder/x.json": []byte(text),
	} {
		path := write(t, name, content)
		ways := []ingest.Options{{Paths: []string{path}}}
		if name == "log.jsonl.gz" {
			ways = append(ways,
				ingest.Options{Paths: []string{filepath.Dir(path)}},
				ingest.Options{Paths: []string{"-"}, Stdin: bytes.NewReader(content)},
				ingest.Options{Paths: []string{path}, Format: "polymarket-ws"},
			)
		}
		for _, o := range ways {
			a := describedArchive(t)
			res := run(t, a, o)
			require.Empty(t, res.Failed(), name)
			require.Equal(t, want, captures(t, a), name)
			require.Equal(t, rounds(t, plain)[0].Content, rounds(t, a)[0].Content, name)
		}
	}
}

// TestFilesThatFail: each with a clear message, and nothing lost of the others.
func TestFilesThatFail(t *testing.T) {
	t.Parallel()
	good := book(up, 1, "0.41") + book(up, 2, "0.42") + book(up, 3, "0.43")
	packed := gz(good + strings.Repeat(book(up, 4, "0.44"), 2000))
	empty := t.TempDir()
	for name, c := range map[string]struct {
		path string
		want string
		is   error
	}{
		"missing":       {filepath.Join(empty, "none.jsonl"), "no such file", os.ErrNotExist},
		"empty":         {write(t, "empty.jsonl", nil), "empty file", ingest.ErrNothing},
		"blank":         {write(t, "blank.jsonl", []byte(" \n\n")), "empty file", ingest.ErrNothing},
		"empty gzip":    {write(t, "empty.gz", gz("")), "empty file", ingest.ErrNothing},
		"empty folder":  {empty, "no files", ingest.ErrNothing},
		"binary":        {write(t, "x.jsonl", []byte(strings.Repeat(garbage, 100))), "format not recognised", ingest.ErrFormat},
		"text":          {write(t, "README", []byte("Hello\nthere\n")), "format not recognised", ingest.ErrFormat},
		"parquet":       {write(t, "x.parquet", []byte("PAR1xxxxPAR1")), "a Parquet file", ingest.ErrFormat},
		"xz":            {write(t, "x.xz", []byte("\xfd7zXZ\x00\x00\x04")), "xz", ingest.ErrCompression},
		"half a gzip":   {write(t, "half.gz", packed[:len(packed)/2]), "unexpected EOF", io.ErrUnexpectedEOF},
		"gzip header":   {write(t, "head.gz", packed[:5]), "unexpected EOF", io.ErrUnexpectedEOF},
		"bad checksum":  {write(t, "sum.gz", append(bytes.Clone(packed[:len(packed)-8]), "12345678"...)), "checksum", nil},
		"half a zstd":   {write(t, "half.zst", zst(good)[:60]), "unexpected EOF", io.ErrUnexpectedEOF},
		"all rejected":  {write(t, "rej.jsonl", []byte(book(up, 1, "1.2"))), "1 messages, all rejected", ingest.ErrNothing},
		"all heartbeat": {write(t, "pong.jsonl", []byte("PONG\nPONG\n")), "format not recognised", ingest.ErrFormat},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := describedArchive(t)
			other := write(t, "good.jsonl", []byte(book(up, 100, "0.5")))
			for range 2 { // the second time it is known, and no better for it
				res := run(t, a, ingest.Options{Paths: []string{c.path, other}})
				require.Len(t, res.Failed(), 1)
				f := res.Failed()[0]
				require.ErrorContains(t, f.Err, c.want)
				if c.is != nil && !f.Already {
					require.ErrorIs(t, f.Err, c.is)
				}
				require.Equal(t, c.path, f.Path)
				require.False(t, f.Whole && errors.Is(c.is, io.ErrUnexpectedEOF))
			}
			got := captures(t, a)
			require.Equal(t, "book 71 100.25 0.5×10 0.99×7", got[len(got)-1])
		})
	}
}

func TestTruncatedGzipKeepsWhatWasRead(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for k := range 3000 {
		text.WriteString(book(up, k/10, fmt.Sprintf("0.%02d", 10+k%80)))
	}
	whole := gz(text.String())
	a := describedArchive(t)
	path := write(t, "cut.gz", whole[:len(whole)*3/4])
	res := run(t, a, ingest.Options{Paths: []string{path}})
	require.Len(t, res.Failed(), 1)
	require.Greater(t, res.Captures, int64(100))
	require.Less(t, res.Captures, int64(2999))
	require.Empty(t, res.Rejected, "the line that was cut is no bad line")
	require.NotEmpty(t, res.Files[0].Source.Problem)
	require.Len(t, captures(t, a), int(res.Captures))
	// The whole file is another one, and adds what was missing.
	res = run(t, a, ingest.Options{Paths: []string{write(t, "whole.gz", whole)}})
	require.Empty(t, res.Failed())
	b := describedArchive(t)
	run(t, b, ingest.Options{Paths: []string{write(t, "whole.gz", whole)}})
	require.Equal(t, rounds(t, b)[0].Content, rounds(t, a)[0].Content)
}

func TestRejects(t *testing.T) {
	t.Parallel()
	a := describedArchive(t)
	bad := strings.Replace(book(up, 2, "0.5"), `"10"`, `"-10"`, 1)
	log := write(t, "log.jsonl", []byte(book(up, 1, "0.4")+"\n"+bad+garbage+book(up, 3, "1.2")))
	list := write(t, "markets.jsonl", []byte(strings.Replace(listed, `"winner":"up"`, `"winner":"sideways"`, 1)+listed))
	var first string
	for n := range 2 { // again from a file that is already there
		var out bytes.Buffer
		res := run(t, a, ingest.Options{Paths: []string{log}, Markets: []string{list}, Rejects: &out, Workers: 1})
		require.Empty(t, res.Failed())
		require.EqualValues(t, 4, res.RejectedTotal(), "as many as are kept")
		if n == 0 {
			first = out.String()
		}
		require.Equal(t, first, out.String())
	}
	var got []ingest.Reject
	d := json.NewDecoder(strings.NewReader(first))
	for d.More() {
		var r ingest.Reject
		require.NoError(t, d.Decode(&r))
		got = append(got, r)
	}
	require.Equal(t, []ingest.Reject{
		{File: list, Line: 1, Reason: "winner is not a token of the market", Text: strings.TrimSpace(strings.Replace(listed, `"winner":"up"`, `"winner":"sideways"`, 1))},
		{File: log, Line: 3, Reason: "negative size", Text: strings.TrimSpace(bad)},
		{File: log, Line: 4, Reason: "not valid JSON", Base64: []byte(strings.TrimSpace(garbage))},
		{File: log, Line: 5, Reason: "price outside 0 to 1", Text: strings.TrimSpace(book(up, 3, "1.2"))},
	}, got)
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestRejectsThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	a := describedArchive(t)
	log := write(t, "log.jsonl", []byte(book(up, 1, "0.4")+garbage))
	_, err := ingest.Run(t.Context(), a, ingest.Options{Paths: []string{log}, Rejects: brokenWriter{}})
	require.ErrorIs(t, err, os.ErrClosed)
	require.ErrorContains(t, err, "rejected lines")
	require.Len(t, captures(t, a), 1)
}

func TestSameContentTwice(t *testing.T) {
	t.Parallel()
	a := describedArchive(t)
	dir := t.TempDir()
	var paths []string
	for k := range 6 {
		p := filepath.Join(dir, fmt.Sprint(k))
		require.NoError(t, os.WriteFile(p, []byte(book(up, 1, "0.4")), 0o600))
		paths = append(paths, p)
	}
	res := run(t, a, ingest.Options{Paths: append(paths, dir, paths[0]), Workers: 4})
	require.Empty(t, res.Failed())
	require.Len(t, res.Files, 6, "a file named twice is read once")
	require.Equal(t, 5, res.Already)
	require.EqualValues(t, 1, res.Captures)
	require.Len(t, captures(t, a), 1)
}

func TestFolders(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, content := range map[string]string{
		"b/2.jsonl": book(up, 2, "0.42"), "a.jsonl": book(up, 1, "0.41"), "b/1.jsonl": book(up, 3, "0.43"),
		".hidden": "x", ".git/config": "x", "z/list.jsonl": listed,
	} {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	}
	require.NoError(t, os.Symlink(filepath.Join(dir, "missing"), filepath.Join(dir, "dangling")))
	a := newArchive(t)
	res := run(t, a, ingest.Options{Paths: []string{dir}})
	var order []string
	for _, f := range res.Files {
		rel, err := filepath.Rel(dir, f.Path)
		require.NoError(t, err)
		order = append(order, rel)
	}
	require.Equal(t, []string{"z/list.jsonl", "a.jsonl", "b/1.jsonl", "b/2.jsonl", "dangling"}, order)
	require.Len(t, res.Failed(), 1)
	require.Len(t, captures(t, a), 3)
}

func TestWrongFormatName(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	_, err := ingest.Run(t.Context(), a, ingest.Options{Paths: []string{write(t, "x", []byte(listed))}, Format: "csv"})
	require.ErrorContains(t, err, `unknown format "csv": expected one of dome, polymarket-ws, polymarket-parquet, markets, gamma`)
	// Insisting on the wrong one: every line is rejected, and that is an error.
	res := run(t, a, ingest.Options{Paths: []string{write(t, "x", []byte(listed))}, Format: "polymarket-ws"})
	require.ErrorIs(t, res.Failed()[0].Err, ingest.ErrNothing)
	require.Empty(t, rounds(t, a))
	// Read as what it is, it takes the place of what was made of it before.
	res = run(t, a, ingest.Options{Paths: []string{write(t, "x", []byte(listed))}})
	require.Empty(t, res.Failed())
	require.Len(t, rounds(t, a), 1)
	sources, err := a.Sources(t.Context())
	require.NoError(t, err)
	require.Len(t, sources, 1)
	require.Equal(t, "markets", sources[0].Format)
	// And what was taken from it does not give way to a mistake.
	res = run(t, a, ingest.Options{Paths: []string{write(t, "x", []byte(listed))}, Format: "gamma"})
	require.ErrorContains(t, res.Failed()[0].Err, "it is in the archive as markets")
	require.Len(t, rounds(t, a), 1)
}

func TestProgress(t *testing.T) {
	t.Parallel()
	a := describedArchive(t)
	path := write(t, "log.gz", gz(strings.Repeat(book(up, 1, "0.4"), 10_000)))
	bad := write(t, "bad", []byte("hello"))
	st, err := os.Stat(path)
	require.NoError(t, err)
	var last ingest.Progress
	var calls atomic.Int64
	run(t, a, ingest.Options{Paths: []string{path, bad}, Progress: func(p ingest.Progress) {
		calls.Add(1)
		require.GreaterOrEqual(t, p.Done, last.Done)
		require.LessOrEqual(t, p.Done, p.Total)
		last = p
	}})
	require.Positive(t, calls.Load())
	require.Equal(t, st.Size(), last.Total)
	require.Equal(t, last.Total, last.Done)
	require.EqualValues(t, 1, last.Files)
	require.EqualValues(t, 1, last.FilesDone)
}

// TestInterrupted: what was whole is kept, and a second import ends like one
// that was never interrupted.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	var paths []string
	for k := range 8 {
		var text strings.Builder
		for s := range 2000 {
			text.WriteString(book(up, k*30+s/70, fmt.Sprintf("0.%03d", 100+(k*31+s)%800)))
		}
		paths = append(paths, write(t, "log.jsonl", []byte(text.String())))
	}
	whole := describedArchive(t)
	run(t, whole, ingest.Options{Paths: paths})
	want := rounds(t, whole)[0].Content

	a := describedArchive(t)
	ctx, cancel := context.WithCancel(t.Context())
	stopper := &stopAfter{cancel: cancel, left: 3}
	res, err := ingest.Run(ctx, a, ingest.Options{Paths: append(paths[:3:3], "-"), Stdin: stopper, Workers: 1})
	require.ErrorIs(t, err, context.Canceled)
	require.True(t, res.Interrupted)

	ctx, cancel = context.WithCancel(t.Context())
	done := 0
	res, err = ingest.Run(ctx, a, ingest.Options{Paths: paths, Workers: 1, Rejects: io.Discard, Progress: func(p ingest.Progress) {
		if p.FilesDone >= 2 {
			cancel()
		}
		done = int(p.FilesDone)
	}})
	if err != nil {
		require.ErrorIs(t, err, context.Canceled)
		require.True(t, res.Interrupted)
		require.GreaterOrEqual(t, done, 2)
	}
	cancel()
	run(t, a, ingest.Options{Paths: paths})
	require.Equal(t, want, rounds(t, a)[0].Content)
}

// stopAfter cancels while standard input is read.
type stopAfter struct {
	cancel context.CancelFunc
	left   int
}

func (s *stopAfter) Read(p []byte) (int, error) {
	if s.left--; s.left == 0 {
		s.cancel()
	}
	return copy(p, garbage), nil
}

// TestUnknownTokens: captures of a round that no metadata describes are kept,
// and show as soon as metadata says which token is Up.
func TestUnknownTokens(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	res := run(t, a, ingest.Options{Paths: []string{write(t, "log.jsonl", []byte(book(down, 1, "0.41")))}})
	require.Equal(t, []string{round}, res.Undescribed)
	r := rounds(t, a)
	require.Len(t, r, 1)
	require.Equal(t, "5m", r[0].Market.Type)
	require.Equal(t, "0xab:down", r[0].Market.Tokens[1].VenueID)
	require.False(t, r[0].Captured)
	require.Empty(t, captures(t, a))
	oneKnown := strings.Replace(listed, `"up_token":"71"`, `"up_token":null`, 1)
	res = run(t, a, ingest.Options{Paths: []string{write(t, "list.jsonl", []byte(oneKnown))}})
	require.Empty(t, res.Undescribed)
	m := rounds(t, a)[0].Market
	require.Equal(t, "0xab:up", m.Tokens[0].VenueID)
	require.True(t, m.Tokens[0].Derived)
	require.Equal(t, "72", m.Tokens[1].VenueID)
	require.Equal(t, market.Down, m.Tokens[1].Outcome)
	// The other token turns up in captures.
	res = run(t, a, ingest.Options{Paths: []string{write(t, "more.jsonl", []byte(book(up, 2, "0.6")))}})
	require.Empty(t, res.Undescribed)
	m = rounds(t, a)[0].Market
	require.Equal(t, "71", m.Tokens[0].VenueID)
	require.Equal(t, market.Up, m.Tokens[0].Outcome)
	require.Len(t, captures(t, a), 2)
}

// TestUnderstoodAndNotTaken: metadata of other categories is rejected by
// reason, and the file is no failure for that.
func TestUnderstoodAndNotTaken(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	text := `{"conditionId":"0xcd","slug":"will-it-rain","question":"?","outcomes":["Yes","No"],"clobTokenIds":["1","2"],"tags":[{"slug":"weather"}]}`
	path := write(t, "gamma.json", []byte(text))
	res := run(t, a, ingest.Options{Paths: []string{path}, Markets: []string{path}})
	require.Len(t, res.Files, 1, "named twice, read once")
	require.Empty(t, res.Failed())
	require.Equal(t, map[string]int64{"neither crypto nor sports": 1}, res.Rejected)
}

// TestMetadataOfTheLog: a log that names its tokens and its winner needs no
// other metadata.
func TestMetadataOfTheLog(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	res := run(t, a, ingest.Options{Paths: []string{write(t, "log.jsonl", []byte(book(down, 1, "0.41")+
		`{"recv":1776081901,"slug":"btc-updown-5m-1776081600","msg":{"event_type":"market_resolved","market":"0xab","assets_ids":["71","72"],"outcomes":["Up","Down"],"winning_asset_id":"72","winning_outcome":"Down","timestamp":"1776081900900"}}`+"\n"))}})
	require.Empty(t, res.Failed())
	require.Empty(t, res.Undescribed)
	r := rounds(t, a)[0]
	require.True(t, r.Captured)
	require.Equal(t, &market.Payout{Basis: market.Inferred, Fractions: []market.Cash{0, market.CashOne}}, r.Market.Payout)
	require.Equal(t, []string{"book 72 1.25 0.41×10 0.99×7"}, captures(t, a))
}

// TestDeclaredGaps reach the round, on both tokens of the pair.
func TestDeclaredGaps(t *testing.T) {
	t.Parallel()
	a := describedArchive(t)
	run(t, a, ingest.Options{Paths: []string{write(t, "log.jsonl", []byte(book(down, 1, "0.41")+
		`{"recv":1776081680,"slug":"btc-updown-5m-1776081600","gap":{"from":1776081660,"to":1776081679.5}}`+"\n"+
		`{"recv":1776081680,"slug":"btc-updown-5m-1776081600","reset":true}`+"\n"))}})
	gaps := rounds(t, a)[0].Gaps
	require.NotEmpty(t, gaps)
	for _, g := range gaps {
		require.Equal(t, market.Gap{From: 1776081660 * market.Second, To: 1776081679*market.Second + 500*market.Millisecond}, g.Gap)
	}
	require.Equal(t, []string{"book 72 1.25 0.41×10 0.99×7", "reset 72 80.00"}, captures(t, a))
}
