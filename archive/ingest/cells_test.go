package ingest_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/ingest"
	"github.com/ladderback/ladderback/market"
)

// cells returns the rows of a table that says the events.
func (s *subject) cells(events []event) (table [][]string) {
	for _, e := range events {
		table = append(table, s.row(e))
	}
	return table
}

// plausible are what may be kept of an event of which one value is not known: what
// it says, or what is left of it.
func (s *subject) plausible(e event) (out []string) {
	for _, bid := range []string{e.bid, ""} {
		for _, ask := range []string{e.ask, ""} {
			if left := (event{e.sec, e.round, bid, ask, e.size}); bid != "" || s.ladder || s.sizes || s.csv && s.format == "quotes-csv" {
				out = append(out, s.says(left))
			}
		}
	}
	return out
}

// TestContractCells: a null where a value belongs, a column that is missing, and one
// of a type that says nothing, cost what they were to say: no other row, and nothing
// is kept that the file does not say.
func TestContractCells(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s subject) {
		if s.text != nil {
			t.Skip("no columns")
		}
		const hit = 2
		events := good()
		others := s.all(slices.Delete(good(), hit, hit+1))
		var any []string
		for _, e := range events {
			any = append(any, s.plausible(e)...)
		}
		for i, c := range s.cols {
			if table := s.cells(events); table[hit][i] != "" {
				table[hit][i] = ""
				res, got := s.imported(t, s.table(t, s.cols, table))
				require.Empty(t, res.Failed(), "null in %s", c.name)
				var rest []string
				for _, line := range got[0] {
					if slices.Contains(others, line) {
						rest = append(rest, line)
					} else {
						require.Contains(t, s.plausible(events[hit]), line, "null in %s", c.name)
					}
				}
				require.Equal(t, others, rest, "null in %s", c.name)
				require.EqualValues(t, len(events)-len(got[0]), res.RejectedTotal(), "null in %s", c.name)
			}
			var without [][]string
			for _, row := range s.cells(events) {
				without = append(without, slices.Delete(slices.Clone(row), i, i+1))
			}
			tables := map[string][]byte{"without": s.table(t, slices.Delete(slices.Clone(s.cols), i, i+1), without)}
			if s.parquet() && c.of != asLevels {
				cols := slices.Clone(s.cols)
				cols[i].of = asBool
				tables["a bool as"] = s.table(t, cols, s.cells(events))
			}
			for what, data := range tables {
				res, got := s.imported(t, data)
				for _, line := range got[0] {
					require.Contains(t, any, line, "%s %s", what, c.name)
				}
				require.Empty(t, got[1], "%s %s", what, c.name)
				if len(got[0]) < len(events) {
					require.True(t, len(res.Failed()) == 1 || res.RejectedTotal() > 0, "%s %s: %v", what, c.name, got[0])
				}
			}
		}
	})
}

// TestContractScales: prices and sizes as text, numbers and decimals of any scale are
// the same.
func TestContractScales(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s subject) {
		numbers := func(c col) bool {
			return slices.Contains([]string{"bid_price", "bid_size", "ask_price", "ask_size", "p"}, c.name)
		}
		if !s.parquet() || !slices.ContainsFunc(s.cols, numbers) {
			t.Skip("no columns of numbers")
		}
		for _, as := range []cellType{asText, asReal, asSize18x6, asDecimal38} {
			cols := slices.Clone(s.cols)
			for i := range cols {
				if numbers(cols[i]) {
					cols[i].of = as
				}
			}
			res, got := s.imported(t, s.table(t, cols, s.cells(good())))
			require.Empty(t, res.Failed())
			require.Equal(t, s.all(good()), got[0], "column type %d", as)
		}
	})
}

// TestContractTimesInText: whole numbers in text are told apart by their magnitude,
// like those in columns.
func TestContractTimesInText(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s subject) {
		if s.parquet() || s.format == "quotes-csv" {
			t.Skip("times are columns, or have a form of their own")
		}
		for _, unit := range []float64{1, 1e3, 1e6, 1e9} {
			data := s.make(t, good())
			for _, e := range good() {
				data = bytes.ReplaceAll(data, []byte(e.at()), []byte(e.scaled(unit)))
			}
			res, got := s.imported(t, data)
			require.Empty(t, res.Rejected)
			require.Equal(t, s.all(good()), got[0], "a second is %g", unit)
		}
	})
}

// metadata are files of what is not captures of a round, by format.
func metadata(t *testing.T) map[string][]byte {
	t.Helper()
	type usMarket struct {
		Slug     string `parquet:"slug"`
		Question string `parquet:"question"`
		Category string `parquet:"category"`
		N        int64  `parquet:"n_snaps"`
		First    int64  `parquet:"first_ts,timestamp(microsecond)"`
		Last     int64  `parquet:"last_ts,timestamp(microsecond)"`
	}
	bid := 0.25
	gamma := fmt.Sprintf(`{"id":"1","slug":%q,"question":"Bitcoin Up or Down","conditionId":%q,"outcomes":"[\"Up\",\"Down\"]","clobTokenIds":"[\"%s\",\"%s\"]",`+
		`"outcomePrices":"[\"1\",\"0\"]","closed":true,"endDate":"2026-04-13T12:05:00Z","eventStartTime":"2026-04-13T12:00:00Z"}`, slugs[0], conditions[0], ups[0], downs[0])
	type watch struct {
		TS         int64    `parquet:"ts,timestamp(microsecond)"`
		Slug       string   `parquet:"slug"`
		Bid        *float64 `parquet:"bid,optional"`
		Ask        *float64 `parquet:"ask,optional"`
		Mid        *float64 `parquet:"mid,optional"`
		LastTraded *float64 `parquet:"last_traded,optional"`
	}
	var telonex []col
	for _, name := range strings.Fields("market_id slug question outcome_0 outcome_1 asset_id_0 asset_id_1 status result_id") {
		telonex = append(telonex, col{name, asText})
	}
	telonex = append(telonex, col{"start_date_us", asInt}, col{"end_date_us", asInt})
	return map[string][]byte{
		"dome": []byte(fmt.Sprintf(`{"snapshots":[{"assetId":%q,"market":%q,"timestamp":1776081610000,"bids":[{"size":"10","price":"0.4"}],"asks":[],"indexedAt":1776081999000}],"pagination":{"has_more":false}}`, ups[0], conditions[0])),
		"us-watch": parquetOf(t, watch{TS: 1783715146000000, Slug: "aec-nba-lal-bos", Bid: &bid}, watch{TS: 1783715146000001, Slug: "aec-nba-lal-chi", Bid: &bid},
			watch{TS: 1783715166000000, Slug: "aec-nba-lal-bos", Ask: &bid}),
		"telonex-markets": parquetTable(t, telonex, [][]string{{conditions[0], slugs[0], "Bitcoin Up or Down", "Up", "Down", ups[0], downs[0], "resolved", "1", "1776000000000000", "1776081900000000"}}),
		"markets":         list(), "marketlens-markets": lensMarkets(), "gamma": []byte(gamma),
		"us-markets": parquetOf(t, usMarket{"aec-nba-lal-bos", "Who will win?", "sports", 3, 1783715146000000, 1783715146000000}),
		"us-labels":  parquetOf(t, usLabel{"aec-nba-lal-bos", 1, "api"}, usLabel{"aec-nba-lal-chi", 0, "inferred"}),
		"us-quotes":  parquetOf(t, usQuote{TS: 1783715146000000, Slug: "aec-nba-lal-bos", Category: "sports", Bid: &bid}),
	}
}

// TestContractDamagedMetadata: a cut, and any wrong byte, is an error or says less, and
// never a crash; an outcome is the one that was said, or none.
func TestContractDamagedMetadata(t *testing.T) {
	t.Parallel()
	for format, data := range metadata(t) {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			try := func(a int, bad []byte) {
				in := newArchive(t)
				path := filepath.Join(dir, "file")
				require.NoError(t, os.WriteFile(path, bad, 0o600))
				_, err := ingest.Run(t.Context(), in, ingest.Options{Paths: []string{path}})
				require.NoError(t, err, a)
			}
			in := newArchive(t)
			res := run(t, in, ingest.Options{Paths: []string{write(t, "file", data)}})
			require.Empty(t, res.Failed())
			require.Equal(t, format, res.Files[0].Format)
			for n := range 10 {
				try(n, data[:len(data)*n/10])
			}
			for i := 0; i < len(data); i += max(1, len(data)/30) {
				bad := bytes.Clone(data)
				bad[i] ^= 0xff
				try(i, bad)
			}
		})
	}
}

// TestContractMetadataTypes: a table of metadata of which a column says something else.
func TestContractMetadataTypes(t *testing.T) {
	t.Parallel()
	type noSource struct {
		Slug string `parquet:"slug"`
		Y    int32  `parquet:"y"`
	}
	type textY struct {
		Slug   string `parquet:"slug"`
		Y      string `parquet:"y"`
		Source string `parquet:"source"`
	}
	for name, data := range map[string][]byte{
		"no source": parquetOf(t, noSource{"aec-nba-lal-bos", 1}), "y is a text": parquetOf(t, textY{"aec-nba-lal-bos", "yes", "api"}),
		"y is 2": parquetOf(t, usLabel{"aec-nba-lal-bos", 2, "api"}),
	} {
		a := newArchive(t)
		res := run(t, a, ingest.Options{Paths: []string{write(t, "file", data)}})
		require.Len(t, res.Failed(), 1, name)
		_, err := a.Market(t.Context(), "aec-nba-lal-bos", market.Sports)
		require.Error(t, err, name)
	}
}
