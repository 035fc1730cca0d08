package ingest_test

import (
	"bytes"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/ingest"
	"github.com/ladderback/ladderback/market"
)

type usQuote struct {
	TS       int64    `parquet:"ts,timestamp(microsecond)"`
	Slug     string   `parquet:"slug"`
	Category string   `parquet:"category"`
	Bid      *float64 `parquet:"bid"`
	Ask      *float64 `parquet:"ask"`
	Segment  int32    `parquet:"segment"`
}

type usLabel struct {
	Slug   string `parquet:"slug"`
	Y      int32  `parquet:"y"`
	Source string `parquet:"source"`
}

func parquetOf[T any](t *testing.T, rows ...T) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, parquet.Write(&b, rows))
	return b.Bytes()
}

// TestUSSports: a market without ids, dates or a mirrored token.
func TestUSSports(t *testing.T) {
	t.Parallel()
	bid, ask := 0.25, 0.31
	quotes := parquetOf(t,
		usQuote{TS: 1783715146000000, Slug: "aec-nba-lal-bos", Category: "sports", Bid: &bid, Ask: &ask},
		usQuote{TS: 1783715268000000, Slug: "aec-nba-lal-bos", Category: "sports", Ask: &ask})
	a := newArchive(t)
	res := run(t, a, ingest.Options{Paths: []string{
		write(t, "quotes.parquet", quotes),
		write(t, "labels.parquet", parquetOf(t, usLabel{Slug: "aec-nba-lal-bos", Y: 1, Source: "api"})),
		write(t, "packed.parquet.gz", gz(string(quotes))),
	}})
	require.Len(t, res.Failed(), 1)
	require.ErrorContains(t, res.Failed()[0].Err, "decompress it first")
	require.Empty(t, res.Undescribed)
	m, err := a.Market(t.Context(), "aec-nba-lal-bos", market.Sports)
	require.NoError(t, err)
	require.Equal(t, "aec-nba-lal-bos", m.Market.VenueID)
	require.Equal(t, "aec-nba-lal-bos:yes", m.Market.Tokens[0].VenueID)
	require.Equal(t, "aec-nba-lal-bos:no", m.Market.Tokens[1].VenueID)
	require.False(t, m.Market.Mirrored)
	require.Equal(t, 0, m.Market.Payout.Winner())
	n := 0
	for c, err := range a.Captures(t.Context(), &m.Market) {
		require.NoError(t, err)
		require.Equal(t, market.KindQuote, c.Kind)
		n++
	}
	require.Equal(t, 2, n)
}
