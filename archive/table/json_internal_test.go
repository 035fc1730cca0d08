package table

import (
	"encoding/json"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ladderback/ladderback/market"
)

// TestEncoder checks the encoder of history points against encoding/json.
func TestEncoder(t *testing.T) {
	t.Parallel()
	number := func(v int64, decimals int) json.Number { return json.Number(market.FormatDecimal(v, decimals)) }
	levels := func(in []market.Level) [][2]json.Number {
		out := [][2]json.Number{}
		for _, l := range in {
			out = append(out, [2]json.Number{number(int64(l.Price), 4), number(int64(l.Size), 6)})
		}
		return out
	}
	var c Clock
	var books Snapshots
	rapid.Check(t, func(t *rapid.T) {
		// Years 0 to 9999, as times are read.
		at := market.Instant(rapid.Int64Range(-62_167_219_200*4, 253_402_300_799*4).Draw(t, "time")) * 250 * market.Millisecond
		stamp := c.Append(nil, at)
		want := at.Time().Format("2006-01-02T15:04:05.000Z")
		if at%market.Second == 0 {
			want = at.Time().Format("2006-01-02T15:04:05Z")
		}
		require.Equal(t, want, string(stamp))
		text := string(stamp)

		v := rapid.Int64().Draw(t, "value")
		encoded, err := json.Marshal(struct {
			T string      `json:"t"`
			P json.Number `json:"p"`
		}{text, number(v, 6)})
		require.NoError(t, err)
		require.Equal(t, string(encoded), string(AppendPrice(nil, stamp, v)))
		f, err := strconv.ParseFloat(string(appendDecimal(nil, v%1_000_000_000_000, 6)), 64)
		require.NoError(t, err)
		require.InDelta(t, float64(v%1_000_000_000_000)/1e6, f, 0, "the nearest number")

		liquidity, volume, spread := rapid.Int64().Draw(t, "liquidity"), rapid.Int64().Draw(t, "volume"), rapid.Int64().Draw(t, "spread")
		encoded, err = json.Marshal(struct {
			T         string      `json:"t"`
			Liquidity json.Number `json:"liquidity"`
			Spread    json.Number `json:"spread"`
			Volume    json.Number `json:"volume"`
		}{text, number(liquidity, 6), number(spread, 6), number(volume, 6)})
		require.NoError(t, err)
		require.Equal(t, string(encoded), string(AppendMetric(nil, stamp, liquidity, spread, volume)))

		level := rapid.Custom(func(t *rapid.T) market.Level {
			return market.Level{Price: market.Price(rapid.IntRange(0, 10_000).Draw(t, "price")), Size: market.Size(rapid.Int64Range(0, 1<<62).Draw(t, "size"))}
		})
		bids, asks := rapid.SliceOfN(level, 0, 4).Draw(t, "bids"), rapid.SliceOfN(level, 0, 4).Draw(t, "asks")
		books.Begin()
		var written, all []byte
		for range rapid.IntRange(1, 5).Draw(t, "snapshots") {
			encoded, err = json.Marshal(struct {
				T    string           `json:"t"`
				Bids [][2]json.Number `json:"bids"`
				Asks [][2]json.Number `json:"asks"`
			}{text, levels(bids), levels(asks)})
			require.NoError(t, err)
			all = append(all, encoded...)
			written = books.Append(written, stamp, bids, asks)
			bids, asks = changed(t, level, bids, -1), changed(t, level, asks, 1)
		}
		require.Equal(t, string(all), string(written))

		s := rapid.String().Draw(t, "text")
		var back string
		require.NoError(t, json.Unmarshal(AppendString(nil, s), &back))
		require.Equal(t, s, back)
	})
}

// changed returns levels of which some are gone and others new, in order, now and then not.
func changed(t *rapid.T, level *rapid.Generator[market.Level], levels []market.Level, by market.Price) []market.Level {
	var out []market.Level
	for _, l := range levels {
		if rapid.IntRange(0, 3).Draw(t, "stays") > 0 {
			out = append(out, l)
		}
	}
	out = append(out, rapid.SliceOfN(level, 0, 3).Draw(t, "new")...)
	if rapid.IntRange(0, 4).Draw(t, "order") > 0 {
		slices.SortFunc(out, func(a, b market.Level) int { return int(by * (a.Price - b.Price)) })
	}
	return out
}
