package wsparquet_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/ingest/rows"
	"github.com/ladderback/ladderback/archive/ingest/wsparquet"
	"github.com/ladderback/ladderback/internal/ingesttest"
)

// row is a message as the collector keeps it.
type row struct {
	Timestamp int64  `parquet:"timestamp,timestamp(microsecond)"`
	Slug      string `parquet:"slug,optional"`
	Raw       string `parquet:"raw_data"`
}

const at = 1_776_081_600_000_000

// book is a message of a ladder of one level a side.
func book(asset string, bid int) string {
	return fmt.Sprintf(`{"event_type":"book","market":"0x1","asset_id":%q,"timestamp":"1776081599900","bids":[{"price":"0.%d","size":"5"}],"asks":[{"price":"0.60","size":"7"}]}`, asset, bid)
}

// TestMessages: a row is the messages of a line of a log with its receive time and slug.
func TestMessages(t *testing.T) {
	t.Parallel()
	p := ingesttest.Parquet(t, []row{
		{at, "btc-updown-15m-1776081600", book("71", 40)},
		{at + 1, "btc-updown-15m-1776081600", `[` + book("71", 41) + `,` + book("72", 30) + `]`},
		{at + 2, "", "[]"},
		{at + 3, "", book("71", 42)},
	})
	require.Empty(t, rows.Missing(p.Columns(), wsparquet.Needs()))
	h := &ingesttest.Heard{}
	n, err := wsparquet.Import(t.Context(), p, h)
	require.NoError(t, err)
	require.EqualValues(t, 4, n, "what is no message is none")
	require.Empty(t, h.Rejected)
	var ladders []string
	for _, l := range h.Lines {
		if strings.HasPrefix(l, "book") {
			ladders = append(ladders, l)
		} else if strings.HasPrefix(l, "market") {
			require.Contains(t, l, `"0x1"`, "all are of one market")
		}
	}
	require.Len(t, ladders, 4)
	require.Equal(t, "book of 0 at 1776081600000000, said 1776081599900000: [{0.4 5}] [{0.6 7}]", ladders[0])
	require.Contains(t, ladders[1], "at 1776081600000001, said 1776081599900000: [{0.41 5}]")
	require.Contains(t, ladders[2], "of 1 at 1776081600000001")
	require.Contains(t, ladders[3], "of 0 at 1776081600000003")
}

// TestRejectedRows: each row that says nothing usable is named with what is wrong, and costs
// no other.
func TestRejectedRows(t *testing.T) {
	t.Parallel()
	for why, bad := range map[string]row{
		"no time":           {0, "", book("71", 40)},
		"id not understood": {at, "a slug with spaces", book("71", 40)},
		"not valid JSON":    {at, "", `{"event_type":`},
	} {
		p := ingesttest.Parquet(t, []row{{at, "", book("71", 40)}, bad, {at + 1, "", book("71", 41)}})
		h := &ingesttest.Heard{}
		n, err := wsparquet.Import(t.Context(), p, h)
		require.NoError(t, err)
		require.EqualValues(t, 3, n, why)
		require.Len(t, h.Rejected, 1, why)
		require.True(t, strings.HasPrefix(h.Rejected[0], "2 "), why)
		require.True(t, strings.HasSuffix(h.Rejected[0], ": "+why), "%s: %.60s", why, h.Rejected[0])
		require.Contains(t, h.Lines[len(h.Lines)-1], "at 1776081600000001", why)
	}
}
