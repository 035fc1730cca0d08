package wslog_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/ingest/stream"
	"github.com/ladderback/ladderback/archive/ingest/wslog"
	"github.com/ladderback/ladderback/market"
)

// describe writes a message of the scanner as the reference does.
func describe(m *stream.Message) string {
	switch m.Reject {
	case stream.OK:
	case stream.BadJSON:
		return "not JSON"
	default:
		return rejected
	}
	head := fmt.Sprintf("slug=%s market=%s asset=%s recv=%d exch=%d", m.Slug, m.Market, m.Asset, m.Recv, m.Exch)
	levels := func(l []market.Level) string {
		var b strings.Builder
		for _, v := range l {
			fmt.Fprintf(&b, "[%d %d]", v.Price, v.Size)
		}
		return b.String()
	}
	switch m.Type {
	case stream.Book:
		return fmt.Sprintf("book %s bids=%s asks=%s", head, levels(m.Bids), levels(m.Asks))
	case stream.Change:
		return fmt.Sprintf("change %s bids=%s asks=%s", head, levels(m.Bids), levels(m.Asks))
	case stream.Trade:
		return fmt.Sprintf("trade %s %d %d %s", head, m.Trade.Price, m.Trade.Size, m.Trade.Side)
	case stream.Tick:
		return fmt.Sprintf("tick %s %d", head, m.Trade.Price)
	case stream.Quote:
		return fmt.Sprintf("quote %s %d %d", head, m.Quote.Bid.Price, m.Quote.Ask.Price)
	case stream.Listing:
		return fmt.Sprintf("listing %s %q %q", head, m.Assets, m.Outcomes)
	case stream.Resolved:
		return fmt.Sprintf("resolved %s %q %q %s %q", head, m.Assets, m.Outcomes, m.Winner, m.WinnerOutcome)
	case stream.GapMark:
		return fmt.Sprintf("gap %s %d-%d", head, m.Gap.From, m.Gap.To)
	case stream.ResetMark:
		return "reset " + head
	}
	return fmt.Sprintf("type %d", m.Type)
}

func describeAll(msgs []stream.Message) []string {
	var out []string
	for i := range msgs {
		out = append(out, describe(&msgs[i]))
	}
	return out
}

// allReal asks for every message of the real captures; by default some of the
// first file are compared, since the reference takes its time:
//
//	LADDERBACK_INGEST_ALL=1 go test -v -run RealCaptures ./archive/ingest/wslog
const allReal = "LADDERBACK_INGEST_ALL"

// TestRealCapturesAgainstReference compares messages of the real captures.
func TestRealCapturesAgainstReference(t *testing.T) {
	t.Parallel()
	files, every := 1, 8
	if os.Getenv(allReal) != "" {
		files, every = 83, 1
	}
	compared := 0
	for k := range files {
		text := realText(t, k, k+1)
		r := wslog.NewReader(bytes.NewReader(text))
		n := 0
		for line := range bytes.Lines(text) {
			msgs, err := r.Next()
			require.NoError(t, err)
			if n++; n%every != 0 {
				continue
			}
			want, got := refDecode(line), describeAll(msgs)
			if !slices.Equal(want, got) {
				require.Equal(t, want, got, "%.200s", line)
			}
			compared += len(msgs)
		}
		_, err := r.Next()
		require.ErrorIs(t, err, io.EOF)
	}
	require.NotZero(t, compared)
	t.Logf("%d messages compared", compared)
}

// FuzzDecode: whatever the bytes, scanner and reference say the same.
func FuzzDecode(f *testing.F) {
	for _, s := range seeds() {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if bytes.IndexByte(line, '\n') >= 0 || len(line) > 1<<16 {
			t.Skip()
		}
		var d wslog.Decoder
		got := describeAll(d.Decode(line))
		require.Equal(t, refDecode(line), got, "%q", line)
		require.Equal(t, got, describeAll(d.Decode(line)), "decoded twice: %q", line)
	})
}
