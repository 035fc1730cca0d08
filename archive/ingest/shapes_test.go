package ingest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/ingest"
	"github.com/ladderback/ladderback/market"
)

// TestShapes: files as other collectors and services write them say the same as the
// formats that they wrap.
func TestShapes(t *testing.T) {
	t.Parallel()
	levels := `"bids":[{"price":"0.4","size":"10"}],"asks":[{"price":"0.5","size":"7"}]`
	rest := func(at int) string {
		return fmt.Sprintf(`{"market":%q,"asset_id":%q,"timestamp":"%d000",%s}`, conditions[0], ups[0], at, levels)
	}
	snapshot := func(at int) string {
		return fmt.Sprintf(`{"assetId":%q,"market":%q,"timestamp":%d000,%s,"tickSize":"0.01","indexedAt":1776089999000}`, ups[0], conditions[0], at, levels)
	}
	for name, data := range map[string]string{
		"a wrapped answer of /book": fmt.Sprintf(`{"ts":1776081610,"slug":%q,"book":%s}`+"\n"+`{"ts":1776081620.0,"slug":%q,"book":%s}`+"\n", slugs[0], rest(1776081609), slugs[0], rest(1776081619)),
		"pages of Dome":             fmt.Sprintf(`{"snapshots":[%s],"pagination":{"limit":1}}`+"\n"+`{"pagination":{},"snapshots":[%s]}`, snapshot(1776081610), snapshot(1776081620)),
		"snapshots of Dome":         fmt.Sprintf("[%s,\n%s]", snapshot(1776081610), snapshot(1776081620)),
	} {
		res, got := kinds(t, ingest.Options{Paths: []string{write(t, "file", []byte(data))}})
		require.Empty(t, res.Failed(), name)
		require.Empty(t, res.Rejected, name)
		require.Equal(t, []string{"book up 10", "book up 20"}, got, name)
	}
	bad := fmt.Sprintf(`[%s,{"assetId":null,"timestamp":1776081611000,"bids":[]},{"assetId":"7","bids":[]},{"assetId":"7","timestamp":17,"bids":[{"price":"2","size":"1"}]},{"assetId":"7","timestamp":1776081611000},7]`, snapshot(1776081610))
	res, got := kinds(t, ingest.Options{Paths: []string{write(t, "file", []byte(bad))}})
	require.Empty(t, res.Failed())
	require.Len(t, got, 1)
	require.Equal(t, map[string]int64{"no token id": 1, "no time": 1, "price outside 0 to 1": 1, "book without bids and asks": 1, "not a message": 1}, res.Rejected)
	res, _ = kinds(t, ingest.Options{Paths: []string{write(t, "file", []byte(bad[:len(bad)-30]))}})
	require.ErrorContains(t, res.Failed()[0].Err, "truncated")
}

// TestShapesOfMetadata: lists of rounds in camelCase, in lines or as an array, and
// Telonex's list of markets, describe a round as a list of ours does.
func TestShapesOfMetadata(t *testing.T) {
	t.Parallel()
	object := fmt.Sprintf(`{"slug":%q,"conditionId":%q,"upTokenId":%q,"downTokenId":%q,"startTs":1776081600,"winner":"down","winner_basis":"official"}`,
		slugs[0], conditions[0], ups[0], downs[0])
	for name, data := range map[string]string{
		"lines": object + "\n", "an array": "\n[" + object + "]", "with a mark": "\ufeff[" + object + "]", "Telonex": string(metadata(t)["telonex-markets"]),
	} {
		a := newArchive(t)
		res := run(t, a, ingest.Options{Paths: []string{write(t, "file", []byte(data))}})
		require.Empty(t, res.Failed(), name)
		require.Empty(t, res.Rejected, name)
		m, err := a.Market(t.Context(), slugs[0], market.Crypto)
		require.NoError(t, err, name)
		require.Equal(t, [2]string{ups[0], downs[0]}, [2]string{m.Market.Tokens[0].VenueID, m.Market.Tokens[1].VenueID}, name)
		require.Equal(t, market.Official, m.Market.Payout.Basis, name)
		require.Equal(t, []market.Cash{0, market.CashOne}, m.Market.Payout.Fractions, name)
	}
}

// TestSkipUnknown: a folder as it is published, or as the recorder leaves it, imports
// what it can.
func TestSkipUnknown(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	type quality struct {
		Issue string `parquet:"issue"`
	}
	for name, data := range map[string][]byte{
		"log.jsonl": []byte(book(up, 1, "0.4")), "state.json": []byte(`{"rounds":[]}`), "data_quality.parquet": parquetOf(t, quality{"one"}),
		"empty.parquet": parquetOf[quality](t),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o600))
	}
	res := run(t, describedArchive(t), ingest.Options{Paths: []string{dir}})
	require.Len(t, res.Failed(), 1)
	require.ErrorIs(t, res.Failed()[0].Err, ingest.ErrFormat)
	require.Equal(t, 2, res.Skipped, "the recorder's state, and what is empty")
	a := describedArchive(t)
	res = run(t, a, ingest.Options{Paths: []string{dir}, SkipUnknown: true})
	require.Empty(t, res.Failed())
	require.Equal(t, []string{filepath.Join(dir, "data_quality.parquet")}, res.Unknown)
	require.Len(t, captures(t, a), 1)
	res = run(t, a, ingest.Options{Paths: []string{filepath.Join(dir, "data_quality.parquet")}, SkipUnknown: true})
	require.Len(t, res.Failed(), 1, "a file that was asked for by name is an error")
}

// TestEmptyTable: a Parquet file without rows is an empty file, whatever its columns.
func TestEmptyTable(t *testing.T) {
	t.Parallel()
	type other struct {
		A int64 `parquet:"a"`
	}
	for _, data := range [][]byte{parquetOf[usLabel](t), parquetOf[other](t)} {
		res := run(t, newArchive(t), ingest.Options{Paths: []string{write(t, "file", data)}})
		require.Empty(t, res.Failed())
		require.Zero(t, res.Messages)
	}
}

// TestWhatItIs: what is not recognised is told what it is.
func TestWhatItIs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ data, want string }{
		{`{"time":1,"price":2}`, `JSON whose members are time, price; a collector's log has lines such as {"recv": `},
		{`[{"time":1,"` + strings.Repeat("x", 1000), "JSON whose members are time; "},
		{`[{"proxyWallet":"0x1","side":"BUY","conditionId":"0x2","transactionHash":"0x3"}]`, "members are proxyWallet, side"},
		{"SQLite format 3\x00abc", "`ladderback archive copy`"},
		{"time,low,high\n1,2,3\n", "its columns are time (text), low (text), high (text); docs/formats.md"},
	} {
		res := run(t, newArchive(t), ingest.Options{Paths: []string{write(t, "file", []byte(c.data))}})
		require.Len(t, res.Failed(), 1)
		require.ErrorContains(t, res.Failed()[0].Err, c.want)
		require.NotContains(t, res.Failed()[0].Err.Error(), "nearest")
	}
}
