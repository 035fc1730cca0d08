package ingest_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/ingest/marketlens"
	"github.com/ladderback/ladderback/archive/ingest/pmxt"
	"github.com/ladderback/ladderback/archive/ingest/prices"
	"github.com/ladderback/ladderback/archive/ingest/quotecsv"
	"github.com/ladderback/ladderback/archive/ingest/rows"
	"github.com/ladderback/ladderback/archive/ingest/stream"
	"github.com/ladderback/ladderback/archive/ingest/telonex"
	"github.com/ladderback/ladderback/archive/ingest/wslog"
	"github.com/ladderback/ladderback/archive/ingest/wsparquet"
	"github.com/ladderback/ladderback/market"
)

var update = flag.Bool("update-corpus", false, "write the seeds of the fuzz targets anew")

// keeper is a sink that takes what an archive would and fails a test over
// anything else.
type keeper struct {
	t       testing.TB
	markets int
	tokens  []int
	open    map[int]bool
}

func (k *keeper) Market(_ context.Context, m market.Market) (int, error) {
	require.NotEmpty(k.t, m.Venue)
	require.NotEmpty(k.t, m.VenueID+m.Slug+m.AltID)
	require.LessOrEqual(k.t, len(m.VenueID), 200)
	k.markets++
	k.tokens = append(k.tokens, len(m.Tokens))
	if k.open == nil {
		k.open = map[int]bool{}
	}
	k.open[k.markets-1] = true
	return k.markets - 1, nil
}

func (k *keeper) Token(h int, t market.Token) int {
	require.True(k.t, k.open[h])
	require.True(k.t, t.VenueID != "" || t.Label != "" || t.Outcome != market.OutcomeOther)
	k.tokens[h]++
	return k.tokens[h] - 1
}

func (k *keeper) Gap(h, token int, g market.Gap) {
	require.True(k.t, k.open[h] && token < k.tokens[h] && g.From < g.To, "%v", g)
}

func (k *keeper) Diverged(h, token int, g market.Gap) { k.Gap(h, token, g) }

func (k *keeper) Add(h int, c *market.Capture) error {
	require.True(k.t, k.open[h] && c.Token < k.tokens[h] && c.Recv > 0 && c.Exch >= 0)
	for i, side := range [][]market.Level{c.Bids, c.Asks} {
		for n, l := range side {
			require.True(k.t, l.Price.Valid() && l.Size >= 0, "%v", l)
			if n > 0 {
				require.Equal(k.t, i == 0, side[n-1].Price > l.Price)
			}
		}
	}
	for _, p := range []market.Price{c.Quote.Bid.Price, c.Quote.Ask.Price, c.Trade.Price} {
		require.True(k.t, p == market.NoPrice || p.Valid())
	}
	return nil
}

func (k *keeper) Done(_ context.Context, h int) error {
	k.open[h] = false
	return nil
}

func (k *keeper) Reject(int64, []byte, string) {}

// decoder reads the content of a file of a format into a sink.
type decoder func(ctx context.Context, data []byte, to stream.Sink) (int64, error)

func ofParquet(read func(context.Context, *rows.Parquet, stream.Sink) (int64, error)) decoder {
	return func(ctx context.Context, data []byte, to stream.Sink) (int64, error) {
		p, err := rows.OpenParquet(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return 0, err
		}
		return read(ctx, p, to)
	}
}

func ofTelonex(c telonex.Channel) decoder {
	return ofParquet(func(ctx context.Context, p *rows.Parquet, to stream.Sink) (int64, error) {
		return telonex.Import(ctx, c, p, to)
	})
}

var priceOptions = prices.Options{MarketOf: func(context.Context, string) (string, error) { return "m", nil }}

// decoders are the decoders of all formats of captures.
var decoders = map[string]decoder{
	"polymarket-ws": func(ctx context.Context, data []byte, to stream.Sink) (int64, error) {
		return wslog.Import(ctx, bytes.NewReader(data), to)
	},
	"polymarket-parquet": ofParquet(wsparquet.Import),
	"pmxt-v2":            ofParquet(pmxt.ImportV2),
	"pmxt-v1":            ofParquet(pmxt.ImportV1),
	"telonex-books":      ofTelonex(telonex.Books),
	"telonex-best":       ofTelonex(telonex.Best),
	"telonex-quotes":     ofTelonex(telonex.Quotes),
	"marketlens": ofParquet(func(ctx context.Context, p *rows.Parquet, to stream.Sink) (int64, error) {
		return marketlens.ImportHistory(ctx, p, "history-1.parquet", to)
	}),
	"quotes-csv": func(ctx context.Context, data []byte, to stream.Sink) (int64, error) {
		return quotecsv.Import(ctx, bytes.NewReader(data), "btc.csv", quotecsv.Options{}, to)
	},
	"price-history": func(ctx context.Context, data []byte, to stream.Sink) (int64, error) {
		prices.RecogniseJSON(data)
		return prices.ImportJSON(ctx, bytes.NewReader(data), ups[0], priceOptions, to)
	},
	"prices-csv": func(ctx context.Context, data []byte, to stream.Sink) (int64, error) {
		return prices.ImportCSV(ctx, bytes.NewReader(data), ups[0], priceOptions, to)
	},
	"prices-parquet": ofParquet(func(ctx context.Context, p *rows.Parquet, to stream.Sink) (int64, error) {
		return prices.ImportParquet(ctx, p, ups[0], priceOptions, to)
	}),
}

// fuzz runs a decoder over whatever comes: it takes only what an archive may be
// given, and a file's end or an error is reached.
func fuzz(f *testing.F, format string) {
	f.Helper()
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<20 {
			return
		}
		n, _ := decoders[format](t.Context(), data, &keeper{t: t})
		require.GreaterOrEqual(t, n, int64(0))
	})
}

func FuzzPolymarketWS(f *testing.F)      { fuzz(f, "polymarket-ws") }
func FuzzPolymarketParquet(f *testing.F) { fuzz(f, "polymarket-parquet") }
func FuzzPMXTv2(f *testing.F)            { fuzz(f, "pmxt-v2") }
func FuzzPMXTv1(f *testing.F)            { fuzz(f, "pmxt-v1") }
func FuzzTelonexBooks(f *testing.F)      { fuzz(f, "telonex-books") }
func FuzzTelonexBest(f *testing.F)       { fuzz(f, "telonex-best") }
func FuzzTelonexQuotes(f *testing.F)     { fuzz(f, "telonex-quotes") }
func FuzzMarketlens(f *testing.F)        { fuzz(f, "marketlens") }
func FuzzQuotesCSV(f *testing.F)         { fuzz(f, "quotes-csv") }
func FuzzPriceHistory(f *testing.F)      { fuzz(f, "price-history") }
func FuzzPricesCSV(f *testing.F)         { fuzz(f, "prices-csv") }
func FuzzPricesParquet(f *testing.F)     { fuzz(f, "prices-parquet") }

// targets are the fuzz targets by format.
var targets = map[string]string{
	"polymarket-ws": "FuzzPolymarketWS", "polymarket-parquet": "FuzzPolymarketParquet", "pmxt-v2": "FuzzPMXTv2", "pmxt-v1": "FuzzPMXTv1",
	"telonex-books": "FuzzTelonexBooks", "telonex-best": "FuzzTelonexBest", "telonex-quotes": "FuzzTelonexQuotes", "marketlens": "FuzzMarketlens",
	"quotes-csv": "FuzzQuotesCSV", "price-history": "FuzzPriceHistory", "prices-csv": "FuzzPricesCSV", "prices-parquet": "FuzzPricesParquet",
}

// TestCorpus: each target has seeds: a good file, one with changes where the
// format has any, and files that are wrong in the ways that others are.
func TestCorpus(t *testing.T) {
	t.Parallel()
	for _, s := range subjects() {
		dir := filepath.Join("testdata", "fuzz", targets[s.format])
		if *update {
			require.NoError(t, os.MkdirAll(dir, 0o755))
			for name, data := range s.seeds(t) {
				text := fmt.Sprintf("go test fuzz v1\n[]byte(%q)\n", data)
				require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
			}
		}
		files, err := os.ReadDir(dir)
		require.NoError(t, err, s.format)
		require.GreaterOrEqual(t, len(files), 3, s.format)
	}
}

func (s *subject) seeds(t *testing.T) map[string][]byte {
	t.Helper()
	bad := good()
	bad[0].bid, bad[1].size, bad[2].sec, bad[3].bid = "1.2", "-1", "", "0.123456"
	whole := s.make(t, good())
	out := map[string][]byte{"good": whole, "rejected": s.make(t, bad), "cut": whole[:len(whole)*3/4]}
	for _, f := range changeFormats {
		if f == s.format {
			_, out["changes"] = withChanges(t, f, book0, []move{{"20", "BUY", "0.42", "7", "0.42", "0.50"}, {"30", "SELL", "0.48", "0", "0.45", "0.5"}}, f != "marketlens")
		}
	}
	return out
}
