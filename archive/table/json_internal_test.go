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
			return market.Level{Price: market.Price(rapid.IntRange(0, 10_000).Draw(t, "price")), Size: market.Size(rapid.Int64Range(0, 1<<rapid.IntRange(1, 62).Draw(t, "bits")).Draw(t, "size"))}
		})
		books.Clear()
		var ladder market.Book
		for range rapid.IntRange(1, 5).Draw(t, "snapshots") {
			var change [2][]market.Level
			for i, side := range []market.Side{market.Bid, market.Ask} {
				change[i] = rapid.SliceOfN(level, 0, 4).Draw(t, "levels")
				for _, l := range ladder.Append(nil, side) { // which may change, stay, or go
					l.Size = rapid.SampledFrom([]market.Size{0, 1, l.Size, l.Size, 1 << 62}).Draw(t, "now")
					change[i] = append(change[i], l)
				}
				if rapid.IntRange(0, 3).Draw(t, "order") > 0 {
					slices.SortFunc(change[i], func(a, b market.Level) int { return int(a.Price-b.Price) * (2*i - 1) })
				}
			}
			whole := rapid.Bool().Draw(t, "whole")
			if whole {
				ladder.Clear()
			}
			for i, side := range []market.Side{market.Bid, market.Ask} {
				for _, l := range change[i] {
					ladder.Set(side, l.Price, l.Size)
				}
				if whole {
					change[i] = rapid.Permutation(ladder.Append(nil, side)).Draw(t, "ladder")
				}
			}
			if whole {
				books.Replace(change[0], change[1])
			} else {
				books.Set(change[0], change[1])
			}
			bids, asks := ladder.Append(nil, market.Bid), ladder.Append(nil, market.Ask)
			for _, other := range []bool{false, true} {
				if other {
					bids, asks = mirrored(asks), mirrored(bids)
				}
				encoded, err = json.Marshal(struct {
					T    string           `json:"t"`
					Bids [][2]json.Number `json:"bids"`
					Asks [][2]json.Number `json:"asks"`
				}{text, levels(bids), levels(asks)})
				require.NoError(t, err)
				require.Equal(t, string(encoded), string(books.Append(nil, stamp, other)))
			}
		}

		s := rapid.String().Draw(t, "text")
		var back string
		require.NoError(t, json.Unmarshal(AppendString(nil, s), &back))
		require.Equal(t, s, back)
	})
}

// mirrored returns levels as the other token of a pair sees them.
func mirrored(levels []market.Level) []market.Level {
	var out []market.Level
	for _, l := range levels {
		out = append(out, market.Level{Price: l.Price.Mirror(), Size: l.Size})
	}
	return out
}
