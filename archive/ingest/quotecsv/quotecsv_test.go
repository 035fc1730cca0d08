package quotecsv_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/ingest/quotecsv"
	"github.com/ladderback/ladderback/internal/ingesttest"
)

const header = "Timestamp,TargetTime,Expiration,UpBid,UpAsk,DownBid,DownAsk\n"

// imported reads a file of rows behind the header.
func imported(t *testing.T, o quotecsv.Options, rows ...string) (*ingesttest.Heard, int64) {
	t.Helper()
	h := &ingesttest.Heard{}
	n, err := quotecsv.Import(t.Context(), strings.NewReader(header+strings.Join(rows, "\n")), "quotes_Bitcoin.csv", o, h)
	require.NoError(t, err)
	return h, n
}

const round = "2026-04-13 12:00:00,2026-04-13 12:15:00" // 1776081600

// TestQuotes: a row is a quote of Up in the round that it names, of the coin that the file's
// name has; an empty side has no price, and each round is a market of its own.
func TestQuotes(t *testing.T) {
	t.Parallel()
	h, n := imported(t, quotecsv.Options{},
		"2026-04-13 12:00:01.250000,"+round+",0.48,0.52,0.47,0.51",
		"2026-04-13T12:00:02,"+round+",0,0.53,,",
		"2026-04-13 14:00:03+02,"+round+",0.5,,,",
		"2026-04-13 12:15:04,2026-04-13 12:15:00,2026-04-13 12:20:00,0.30,1,,",
		"2026-04-13 12:15:04,"+round+",0.99,1,,",
	)
	require.EqualValues(t, 5, n)
	require.Empty(t, h.Rejected)
	require.Equal(t, []string{
		`market "" "btc-updown-15m-1776081600"`, `token "" "Up"`,
		"quote of 0 at 1776081601250000, said 0: {0.48 0} {0.52 0}",
		"quote of 0 at 1776081602000000, said 0: {-0.0001 0} {0.53 0}",
		"quote of 0 at 1776081603000000, said 0: {0.5 0} {-0.0001 0}",
		`market "" "btc-updown-5m-1776082500"`, `token "" "Up"`,
		"quote of 1 at 1776082504000000, said 0: {0.3 0} {-0.0001 0}",
		"quote of 0 at 1776082504000000, said 0: {0.99 0} {-0.0001 0}",
	}, h.Lines, "an ask of 1 is none")
}

// TestZone: the time zone is that of the column Timestamp alone.
func TestZone(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("", 2*60*60)
	h, _ := imported(t, quotecsv.Options{Coin: "ETH", Zone: zone}, "2026-04-13 14:00:01,"+round+",0.48,0.52,,")
	require.Equal(t, []string{`market "" "eth-updown-15m-1776081600"`, `token "" "Up"`, "quote of 0 at 1776081601000000, said 0: {0.48 0} {0.52 0}"}, h.Lines)
}

// TestRejectedRows: each row that says nothing usable is named with what is wrong, and costs
// no other.
func TestRejectedRows(t *testing.T) {
	t.Parallel()
	for row, why := range map[string]string{
		"2026-04-13 14:00:01," + round + ",0.48,0.52,,":                             "time far from its round (another time zone? --timezone)",
		"2026-04-13 11:49:59," + round + ",0.48,0.52,,":                             "time far from its round (another time zone? --timezone)",
		"2026-04-13 12:00:01,2026-04-13 12:00:00,2026-04-13 12:00:30,0.48,0.52,,":   "round not understood",
		"2026-04-13 12:00:01,2026-04-13 12:00:00,2026-04-13 12:05:00.5,0.48,0.52,,": "round not understood",
		"2026-04-13 12:00:01,2026-04-13 12:15:00,2026-04-13 12:00:00,0.48,0.52,,":   "round not understood",
		"2026-04-13 12:00:01,,2026-04-13 12:15:00,0.48,0.52,,":                      "no time",
		"2026-04-13 12:00:01,2026-04-13 12:00:00,later,0.48,0.52,,":                 "time not understood",
		"," + round + ",0.48,0.52,,":                                                "no time",
		"noon," + round + ",0.48,0.52,,":                                            "time not understood",
		"2026-04-13 12:00:01," + round + ",half,0.52,,":                             "price not a number",
		"2026-04-13 12:00:01," + round + ",0.48,1.5,,":                              "price outside 0 to 1",
		"2026-04-13 12:00:01," + round + ",0.48,0.52001,,":                          "price finer than 0.0001",
	} {
		good := "2026-04-13 12:00:09," + round + ",0.1,0.2,,"
		h, n := imported(t, quotecsv.Options{}, good, row, good)
		require.EqualValues(t, 3, n, row)
		require.Len(t, h.Rejected, 1, row)
		require.Equal(t, `2 "`+strings.Split(row, ",")[0]+`": `+why, h.Rejected[0], row)
		require.Len(t, h.Lines, 4, row)
	}
}

// TestCoin: the coin is a word of the file's name, or given; without one there is nothing to
// call the rounds by.
func TestCoin(t *testing.T) {
	t.Parallel()
	for name, coin := range map[string]string{
		"eth.csv": "eth", "a/b/2026-04-13_SOLANA-quotes.csv": "sol", "bitcoin/quotes.csv": "", "quotes.csv": "", "methane.csv": "",
	} {
		h := &ingesttest.Heard{}
		_, err := quotecsv.Import(t.Context(), strings.NewReader(header+"2026-04-13 12:00:09,"+round+",0.1,0.2,,"), name, quotecsv.Options{}, h)
		if coin == "" {
			require.ErrorIs(t, err, quotecsv.ErrCoin, name)
			require.Empty(t, h.Lines)
			continue
		}
		require.NoError(t, err, name)
		require.Equal(t, `market "" "`+coin+`-updown-15m-1776081600"`, h.Lines[0])
	}
}
