package block_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/internal/realdata"
	"github.com/ladderback/ladderback/market"
)

// realBooks reads the book messages of one file of the exchange's WebSocket
// log, by token. It knows the messages of that one data set, no others.
func realBooks(t testing.TB, path string) map[string][]market.Capture {
	f, err := os.Open(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	out := map[string][]market.Capture{}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<22)
	for lines.Scan() {
		line := lines.Bytes()
		c := market.Capture{Kind: market.KindBook, Replace: true}
		c.Recv, err = market.ParseUnix(string(field(line, `"recv":`)))
		require.NoError(t, err)
		c.Exch, err = market.ParseUnixMillis(string(field(line, `"timestamp":"`)))
		require.NoError(t, err)
		c.Bids, c.Asks = realLevels(t, line, `"bids":[`), realLevels(t, line, `"asks":[`)
		token := string(field(line, `"asset_id":"`))
		out[token] = append(out[token], c)
	}
	require.NoError(t, lines.Err())
	return out
}

// field returns what stands behind the label, to the next comma or quote.
func field(b []byte, label string) []byte {
	_, b, _ = bytes.Cut(b, []byte(label))
	return b[:bytes.IndexAny(b, `,"`)]
}

// realLevels reads a list of levels, which stand best last.
func realLevels(t testing.TB, b []byte, label string) []market.Level {
	_, b, _ = bytes.Cut(b, []byte(label))
	out := []market.Level{}
	for len(b) > 0 && b[0] != ']' {
		p, err := market.ParsePrice(string(field(b, `"price":"`)))
		require.NoError(t, err)
		s, err := market.ParseSize(string(field(b, `"size":"`)))
		require.NoError(t, err)
		out = append(out, market.Level{Price: p, Size: s})
		b = b[bytes.IndexByte(b, '}')+1:]
		b = bytes.TrimPrefix(b, []byte(","))
	}
	slices.Reverse(out)
	return out
}

func realFiles(t testing.TB) []string {
	files, err := filepath.Glob(filepath.Join(realdata.Dir(t, "polymarket-btc-5m"), "captures", "*.jsonl.gz"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	return files
}

// everyFile names the variable that makes TestRealLadders read all files.
const everyFile = "LADDERBACK_BLOCK_ALL"

// TestRealLadders holds that every ladder of the real captures comes back
// exactly, with both clocks, and what that takes. Skipped without them; one file
// in six, or all of them:
//
//	LADDERBACK_BLOCK_ALL=1 go test -v -run RealLadders ./archive/block
func TestRealLadders(t *testing.T) {
	files := realFiles(t)
	if os.Getenv(everyFile) == "" {
		kept := files[:0]
		for i, f := range files {
			if i%6 == 0 {
				kept = append(kept, f)
			}
		}
		files = kept
	}
	var ladders, changes, size, blocks atomic.Int64
	t.Run("files", func(t *testing.T) {
		for _, file := range files {
			t.Run(filepath.Base(file), func(t *testing.T) {
				t.Parallel()
				for _, captures := range realBooks(t, file) {
					encoded := encode(t, block.Books, block.Options{}, captures, 0)
					requireLadders(t, captures, encoded)
					ladders.Add(int64(len(captures)))
					for _, b := range encoded {
						changes.Add(int64(b.Header.Changes))
						size.Add(int64(len(b.Data)))
						blocks.Add(1)
					}
				}
			})
		}
	})
	perChange := float64(size.Load()) / float64(changes.Load())
	t.Logf("%d ladders, %d level changes, %d blocks, %d bytes, %.3f bytes a change",
		ladders.Load(), changes.Load(), blocks.Load(), size.Load(), perChange)
	require.Less(t, perChange, 2.0)
}

// requireLadders requires that applying the decoded captures to a book gives
// every ladder that was encoded.
func requireLadders(t *testing.T, want []market.Capture, blocks []block.Block) {
	var d block.Decoder
	var book market.Book
	bids, asks := []market.Level{}, []market.Level{}
	at := 0
	for _, b := range blocks {
		require.NoError(t, d.Reset(b.Data))
		for c := d.Next(); c != nil; c = d.Next() {
			w := &want[at]
			at++
			book.Apply(c)
			bids, asks = book.Append(bids[:0], market.Bid), book.Append(asks[:0], market.Ask)
			if w.Recv != c.Recv || w.Exch != c.Exch || !slices.Equal(w.Bids, bids) || !slices.Equal(w.Asks, asks) {
				got := market.Capture{Kind: c.Kind, Recv: c.Recv, Exch: c.Exch, Replace: true, Bids: bids, Asks: asks}
				require.Equal(t, *w, got, "ladder %d", at-1)
			}
		}
	}
	require.Len(t, want, at)
}

// benchCaptures returns captures of several tokens: real ones where they are,
// else made ones.
func benchCaptures(b *testing.B) [][]market.Capture {
	var out [][]market.Capture
	if !b.Run("real", func(b *testing.B) {
		for _, f := range realFiles(b)[:12] {
			for _, c := range realBooks(b, f) {
				out = append(out, c)
			}
		}
	}) || len(out) == 0 {
		for i := range uint64(12) {
			out = append(out, quoting(i, 2000))
		}
	}
	runtime.GC()
	return out
}

// BenchmarkEncode adds whole ladders and finishes blocks.
//
//	go test -run - -bench Encode ./archive/block
func BenchmarkEncode(b *testing.B) {
	all := benchCaptures(b)
	b.Run("books", func(b *testing.B) {
		e, err := block.NewEncoder(block.Books, block.Options{})
		require.NoError(b, err)
		var buf []byte
		changes, size := 0, 0
		for b.Loop() {
			for _, captures := range all {
				e.Reset(block.Books)
				for i := range captures {
					if err := e.Add(&captures[i]); err != nil {
						b.Fatal(err)
					}
					if !e.Full() && i+1 < len(captures) {
						continue
					}
					done, err := e.Finish(buf[:0])
					if err != nil {
						b.Fatal(err)
					}
					buf = done.Data
					changes += done.Header.Changes
					size += len(done.Data)
				}
			}
		}
		b.ReportMetric(float64(changes)/b.Elapsed().Seconds()/1e6, "Mchanges/s")
		b.ReportMetric(float64(size)/float64(changes), "B/change")
	})
}

// BenchmarkDecode reads blocks, without and with applying what they hold to a
// book.
//
//	go test -run - -bench Decode ./archive/block
func BenchmarkDecode(b *testing.B) {
	var blocks []block.Block
	changes := 0
	for _, captures := range benchCaptures(b) {
		for _, e := range encode(b, block.Books, block.Options{}, captures, 0) {
			blocks = append(blocks, e)
			changes += e.Header.Changes
		}
	}
	var d block.Decoder
	var book market.Book
	run := func(name string, each func(*market.Capture)) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				for i := range blocks {
					if err := d.Reset(blocks[i].Data); err != nil {
						b.Fatal(err)
					}
					for c := d.Next(); c != nil; c = d.Next() {
						each(c)
					}
				}
			}
			b.ReportMetric(float64(changes*b.N)/b.Elapsed().Seconds()/1e6, "Mchanges/s")
		})
	}
	run("read", func(*market.Capture) {})
	run("apply", func(c *market.Capture) { book.Apply(c) })
}
