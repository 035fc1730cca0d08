package ingest_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/ingest"
	pq "github.com/ladderback/ladderback/archive/ingest/parquet"
)

// other is a table of a format that is no subject of the contract, since it says
// something else than books, quotes or prices of up/down rounds.
type other struct {
	format string
	cols   []col
	row    []string // that is taken
	text   string   // a column of texts that is read
	// spoilt are values that a row is rejected for, by column and by what stands there,
	// with the reason.
	spoilt map[string]map[string]string
}

func columnsOf(of cellType, names string) (out []col) {
	for name := range strings.FieldsSeq(names) {
		out = append(out, col{name, of})
	}
	return out
}

// others are all formats of tables that are no subjects.
func others() []other {
	const at, quoted, odd = "1776081610", "aec-nba-lal-bos", "price outside 0 to 1, or finer than 0.0001"
	price := map[string]string{"1.2": "price outside 0 to 1", "-0.1": "price outside 0 to 1", "0.12345": "price finer than 0.0001", "": "no price"}
	size := map[string]string{"-10": "negative size", "1.0000001": "size finer than 0.000001"}
	market := []string{"polymarket", conditions[0], slugs[0]}
	return []other{{
		format: "telonex-trades", text: "side",
		cols: slices.Concat(columnsOf(asInt, "timestamp_us local_timestamp_us"), columnsOf(asText, "exchange market_id slug asset_id outcome"),
			columnsOf(asReal, "price size"), columnsOf(asText, "side trade_id origin_asset_id")),
		row:    []string{"", at + "000000", "polymarket", conditions[0], slugs[0], ups[0], "Up", "0.4", "3", "buy", "x", ups[0]},
		spoilt: map[string]map[string]string{"price": price, "size": size, "side": {"up": "side not understood"}, "local_timestamp_us": {"": "no time"}},
	}, {
		format: "us-quotes", text: "slug",
		cols:   slices.Concat(columnsOf(asMicros, "ts"), columnsOf(asText, "slug category"), columnsOf(asReal, "bid ask"), columnsOf(asInt, "segment")),
		row:    []string{at, quoted, "sports", "0.25", "0.31", "0"},
		spoilt: map[string]map[string]string{"bid": {"1.2": odd, "-0.1": odd, "0.12345": odd}, "ts": {"": "time not understood"}},
	}, {
		format: "us-markets", text: "question",
		cols: slices.Concat(columnsOf(asText, "slug question category"), columnsOf(asInt, "n_snaps"), columnsOf(asMicros, "first_ts last_ts")),
		row:  []string{quoted, "Who will win?", "sports", "3", at, at},
	}, {
		format: "us-labels", text: "source",
		cols: slices.Concat(columnsOf(asText, "slug"), columnsOf(asInt, "y"), columnsOf(asText, "source")),
		row:  []string{quoted, "1", "api"},
	}, {
		format: "ladderback-levels", text: "label",
		cols: slices.Concat(columnsOf(asText, "venue category market_id slug token_id label"), columnsOf(asInt, "seq"), columnsOf(asMicros, "t exchange_t"),
			columnsOf(asText, "kind side"), columnsOf(asInt, "level"), columnsOf(asReal, "price size liquidity volume")),
		row: []string{"polymarket", "crypto", conditions[0], slugs[0], ups[0], "Up", "1", at, "", "book", "bid", "1", "0.4", "12.5", "", ""},
		spoilt: map[string]map[string]string{
			"price": price, "size": size, "t": {"": "no time"}, "kind": {"books": "kind not understood"}, "seq": {"": "number of the capture not understood"},
			"side": {"up": "side not understood"}, "venue": {"": "no venue"}, "category": {"": "neither crypto nor sports"},
		},
	}, {
		format: "ladderback-markets", text: "question",
		cols: slices.Concat(columnsOf(asText, "venue market_id slug alt_id question description category event_id series_id tags coin type"),
			columnsOf(asMicros, "start end source_closed_at source_updated_at"), columnsOf(asBool, "undated source_closed mirrored fee_taker_only"),
			columnsOf(asReal, "tick min_size fee_rate"), columnsOf(asInt, "fee_exponent")),
		row: append(slices.Clone(market), "", "A question?", "", "crypto", "", "", "", "BTC", "5m", "1776081600", "1776081900", "", "", "false", "true", "true", "true",
			"0.01", "5", "0.25", "2"),
		spoilt: map[string]map[string]string{
			"tick": {"1.2": price["1.2"]}, "min_size": size, "category": {"": "neither crypto nor sports"}, "fee_exponent": {"-1": "number not understood"}, "venue": {"": "no venue"},
		},
	}, {
		format: "ladderback-tokens", text: "label",
		cols: slices.Concat(columnsOf(asText, "venue market_id slug token_id label outcome"), columnsOf(asBool, "derived")),
		row:  append(slices.Clone(market), ups[0], "Up", "up", "false"), spoilt: map[string]map[string]string{"venue": {"": "no venue"}},
	}, {
		format: "ladderback-payouts", text: "basis",
		cols:   slices.Concat(columnsOf(asText, "venue market_id slug token_id label basis"), columnsOf(asReal, "pays")),
		row:    append(slices.Clone(market), ups[0], "Up", "official", "1"),
		spoilt: map[string]map[string]string{"pays": {"1.2": "outcome not understood", "-1": "outcome not understood", "": "outcome not understood"}, "basis": {"": "outcome not understood"}},
	}, {
		format: "ladderback-gaps", text: "label",
		cols:   slices.Concat(columnsOf(asText, "venue market_id slug token_id label"), columnsOf(asMicros, "gap_from gap_to")),
		row:    append(slices.Clone(market), ups[0], "Up", "1776081610", "1776081620"),
		spoilt: map[string]map[string]string{"gap_from": {"": "no time", "1776081630": "gap not understood"}},
	}, {
		format: "ladderback-events", text: "title",
		cols: slices.Concat(columnsOf(asText, "venue event_id slug title series_id category tags"), columnsOf(asMicros, "start end updated_at")),
		row:  []string{"polymarket", "e1", "an-event", "An event", "", "crypto", "", at, at, at}, spoilt: map[string]map[string]string{"venue": {"": "no venue"}},
	}, {
		format: "ladderback-series", text: "title",
		cols: slices.Concat(columnsOf(asText, "venue series_id slug title recurrence category tags"), columnsOf(asMicros, "updated_at")),
		row:  []string{"polymarket", "s1", "a-series", "A series", "daily", "crypto", "", at}, spoilt: map[string]map[string]string{"venue": {"": "no venue"}},
	}}
}

// tables are all formats of Parquet, subjects too.
func tables() []other {
	out := others()
	text := map[string]string{
		"polymarket-parquet": "raw_data", "pmxt-v2": "bids", "pmxt-v1": "data", "marketlens": "bids", "prices-parquet": "token_id",
	}
	for _, s := range subjects() {
		if s.parquet() {
			o := other{format: s.format, cols: s.cols, row: s.row(good()[0]), text: text[s.format]}
			if o.text == "" {
				o.text = "slug"
			}
			out = append(out, o)
		}
	}
	return out
}

// made returns what imports a table into an archive that knows the rounds.
func made(t *testing.T) (a *archive.Archive, put func(data []byte) *ingest.Result) {
	t.Helper()
	a = newArchive(t)
	run(t, a, ingest.Options{Paths: []string{write(t, "list.jsonl", list()), write(t, "markets.csv", lensMarkets())}})
	return a, func(data []byte) *ingest.Result {
		t.Helper()
		return run(t, a, ingest.Options{Paths: []string{write(t, "history-0f1e.parquet", data)}})
	}
}

func (o *other) at(name string) int {
	return slices.IndexFunc(o.cols, func(c col) bool { return c.name == name })
}

// TestContractCoversAll: every format is under the contract.
func TestContractCoversAll(t *testing.T) {
	t.Parallel()
	under := map[string]bool{}
	for _, s := range subjects() {
		under[s.format] = true
	}
	for _, o := range others() {
		under[o.format] = true
	}
	for format := range metadata(t) {
		under[format] = true
	}
	require.ElementsMatch(t, ingest.Formats(), slices.Collect(maps.Keys(under)))
}

// TestContractOthers: tables of other formats are taken, their bad rows rejected by
// reason and nothing else with them, and a column that is missing or of no use costs
// what it was to say.
func TestContractOthers(t *testing.T) {
	t.Parallel()
	for _, o := range others() {
		t.Run(o.format, func(t *testing.T) {
			t.Parallel()
			_, put := made(t)
			res := put(parquetTable(t, o.cols, [][]string{o.row}))
			require.Empty(t, res.Failed())
			require.Empty(t, res.Rejected)
			require.Equal(t, o.format, res.Files[len(res.Files)-1].Format)
			for name, values := range o.spoilt {
				for value, reason := range values {
					bad := slices.Clone(o.row)
					bad[o.at(name)] = value
					if seq := o.at("seq"); seq >= 0 && name != "seq" {
						bad[seq] = "2"
					}
					res := put(parquetTable(t, o.cols, [][]string{bad, o.row}))
					require.Empty(t, res.Failed(), "%s is %q", name, value)
					require.Equal(t, map[string]int64{reason: 1}, res.Rejected, "%s is %q", name, value)
				}
			}
			for i, c := range o.cols {
				cols, row := slices.Delete(slices.Clone(o.cols), i, i+1), slices.Delete(slices.Clone(o.row), i, i+1)
				other := slices.Clone(o.cols)
				other[i].of = asBool
				for what, data := range map[string][]byte{"without": parquetTable(t, cols, [][]string{row}), "a bool as": parquetTable(t, other, [][]string{o.row})} {
					res := put(data)
					for _, f := range res.Failed() {
						if !errors.Is(f.Err, ingest.ErrNothing) && !errors.Is(f.Err, ingest.ErrDerived) { // no row was left of it
							require.ErrorIs(t, f.Err, ingest.ErrFormat, "%s %s", what, c.name)
							require.ErrorContains(t, f.Err, "docs/formats.md", "%s %s", what, c.name)
						}
					}
				}
			}
		})
	}
}

// TestContractHostile: a table that is cut, or says that it is larger than it is, is an
// error, and one that unpacks to far more fills no archive, whatever the format.
func TestContractHostile(t *testing.T) {
	t.Parallel()
	for _, o := range tables() {
		t.Run(o.format, func(t *testing.T) {
			t.Parallel()
			a, put := made(t)
			good := parquetTable(t, o.cols, [][]string{o.row})
			bomb := slices.Clone(o.row)
			bomb[o.at(o.text)] = strings.Repeat("a", 64<<10)
			var rowsOf [][]string
			for range 500 {
				rowsOf = append(rowsOf, bomb)
			}
			for name, c := range map[string]struct {
				data []byte
				want []error
			}{
				"cut":              {good[:len(good)*4/5], []error{pq.ErrFile}},
				"LZ4":              {parquetTable(t, o.cols, [][]string{o.row}, parquet.Compression(&parquet.Lz4Raw)), []error{pq.ErrCodec}},
				"many rows":        {declared(t, good, func(m *format.FileMetaData) { m.NumRows, m.RowGroups[0].NumRows = 1e10, 1e10 }), []error{pq.ErrLarge, pq.ErrFile}},
				"10 GB of a chunk": {declared(t, good, grow), []error{pq.ErrLarge, pq.ErrFile}},
			} {
				res := put(c.data)
				require.Len(t, res.Failed(), 1, name)
				err := res.Failed()[0].Err
				require.True(t, slices.ContainsFunc(c.want, func(w error) bool { return errors.Is(err, w) }), "%s: %v", name, err)
			}
			// 32 MB of text from a dictionary: it is read within bounds and little is kept.
			data := parquetTable(t, o.cols, rowsOf, parquet.MaxRowsPerRowGroup(10_000), parquet.Compression(&parquet.Zstd), parquet.DataPageStatistics(false))
			require.Less(t, len(data), 1<<20)
			put(data)
			size, err := a.Store().Size(t.Context())
			require.NoError(t, err)
			require.Less(t, size, int64(4<<20))
		})
	}
}

// grow says that every column chunk has 10 GB.
func grow(m *format.FileMetaData) {
	for i := range m.RowGroups {
		for k := range m.RowGroups[i].Columns {
			c := &m.RowGroups[i].Columns[k].MetaData
			c.TotalCompressedSize, c.TotalUncompressedSize = 10<<30, 10<<30
		}
	}
}

// declared is a Parquet file with another footer.
func declared(t testing.TB, data []byte, change func(m *format.FileMetaData)) []byte {
	t.Helper()
	return declaredWith(t, data, func(m *format.FileMetaData) []byte {
		change(m)
		return bytes.Clone(data[:len(data)-8-int(binary.LittleEndian.Uint32(data[len(data)-8:]))])
	})
}
