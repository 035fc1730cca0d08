package dome_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/ingest/dome"
	"github.com/ladderback/ladderback/market"
)

// heard is a sink that writes down what it is told.
type heard struct {
	markets int
	lines   []string
}

func (h *heard) note(format string, args ...any) {
	h.lines = append(h.lines, fmt.Sprintf(format, args...))
}

func (h *heard) Market(_ context.Context, m market.Market) (int, error) {
	h.markets++
	h.note("market %s", m.VenueID)
	return h.markets, nil
}

func (h *heard) Token(_ int, t market.Token) int {
	h.note("token %s", t.VenueID)
	return len(t.VenueID)
}
func (h *heard) Gap(_, _ int, g market.Gap)      { h.note("gap %v", g) }
func (h *heard) Diverged(_, _ int, g market.Gap) { h.note("diverged %v", g) }

func (h *heard) Add(_ int, c *market.Capture) error {
	h.note("%s at %d %d: %v %v", c.Kind, c.Recv/market.Millisecond, c.Exch/market.Millisecond, c.Bids, c.Asks)
	return nil
}
func (h *heard) Done(context.Context, int) error { return nil }
func (h *heard) Reject(line int64, _ []byte, reason string) {
	h.note("%d: %s", line, reason)
}

func imported(t *testing.T, text string) (*heard, int64, error) {
	t.Helper()
	h := &heard{}
	n, err := dome.Import(t.Context(), strings.NewReader(text), h)
	return h, n, err
}

const good = `{"assetId":"77","market":"0x1","timestamp":1776081600123,"indexedAt":1776099999999,"tickSize":"0.01",
	"bids":[{"price":"0.4","size":"5"},{"price":"0.39","size":"0"},{"size":7,"price":0.38}],"asks":[{"price":"0.7","size":"1"},{"price":"0.6","size":"2"}]}`

// TestForms: pages one after the other, a page a line, or the snapshots alone; with what
// stands around them left out, and the exchange's clock as the receive time.
func TestForms(t *testing.T) {
	t.Parallel()
	want := []string{"market 0x1", "token 77", "book at 1776081600123 1776081600123: [{0.4 5} {0.38 7}] [{0.6 2} {0.7 1}]"}
	for name, text := range map[string]string{
		"a page":                   `{"snapshots":[` + good + `],"pagination":{"limit":1,"has_more":false,"of":{"a":{}}}}`,
		"with a byte order mark":   "\xef\xbb\xbf" + ` {"pagination":null,"snapshots":[` + good + `]}`,
		"the snapshots alone":      `[` + good + `]`,
		"between empty pages":      `{"snapshots":[]} {"snapshots":[` + good + `]}` + "\n" + `{"snapshots":[]}[]`,
		"deeper, as others answer": `{"data":{"snapshots":[` + good + `]}}`,
	} {
		h, n, err := imported(t, text)
		require.NoError(t, err, name)
		require.EqualValues(t, 1, n, name)
		require.Equal(t, want, h.lines, name)
	}
	two := strings.Replace(good, "0123", "0124", 1)
	two = strings.Replace(two, "1776081600123", "1776081600124", 1)
	h, n, err := imported(t, `{"snapshots":[`+good+`]}`+"\n"+`{"snapshots":[`+two+`]}`)
	require.NoError(t, err)
	require.EqualValues(t, 2, n)
	require.Len(t, h.lines, 4, "the second is of the same token")
}

// TestRejects: each snapshot that says nothing usable is told by its number in the file, and
// why, and takes nothing from those beside it.
func TestRejects(t *testing.T) {
	t.Parallel()
	with := func(old, now string) string {
		out := strings.Replace(good, old, now, 1)
		require.NotEqual(t, good, out)
		return out
	}
	for reason, text := range map[string]string{
		"not a message":              `7`,
		"no token id":                with(`"assetId":"77",`, ``),
		"id not understood":          with(`"assetId":"77"`, `"assetId":"7 7"`),
		"book without bids and asks": `{"assetId":"77","market":"0x1","timestamp":1776081600123}`,
		"no time":                    with(`"timestamp":1776081600123,`, ``),
		"time not understood":        with(`1776081600123`, `"noon"`),
		"price outside 0 to 1":       with(`"0.7"`, `"1.7"`),
		"price finer than 0.0001":    with(`"0.4"`, `"0.40001"`),
		"negative size":              with(`"5"`, `"-5"`),
		"level not understood":       with(`{"price":"0.4","size":"5"}`, `"0.4"`),
		"size finer than 0.000001":   with(`"5"`, `"0.0000005"`),
	} {
		h, n, err := imported(t, `[`+good+`,`+text+`,`+good+`]`)
		require.NoError(t, err, reason)
		require.EqualValues(t, 3, n, reason)
		var told []string
		books := 0
		for _, l := range h.lines {
			if strings.HasPrefix(l, "2: ") {
				told = append(told, l)
			}
			if strings.HasPrefix(l, "book") {
				books++
			}
		}
		require.Len(t, told, 1, "%s: %v", reason, h.lines)
		require.Contains(t, told[0], reason)
		require.Equal(t, 2, books, reason)
	}
}

// TestBrokenFiles end with an error, and keep what came before.
func TestBrokenFiles(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"cut within a snapshot": `{"snapshots":[` + good + `,` + good[:40],
		"cut behind one":        `{"snapshots":[` + good,
		"cut behind the list":   `{"snapshots":[` + good + `]`,
		"cut in a member":       `{"snapshots":[` + good + `],"pag`,
	} {
		h, _, err := imported(t, text)
		require.ErrorIs(t, err, io.ErrUnexpectedEOF, name)
		require.Len(t, h.lines, 3, name)
	}
	_, _, err := imported(t, `[`+good+`,}]`)
	require.ErrorContains(t, err, "invalid character")
	h, _, err := imported(t, `[`+good+`,{"assetId":"`+strings.Repeat("x", 17<<20)+`"}]`)
	require.EqualError(t, err, "a snapshot of more than 16777216 bytes")
	require.Len(t, h.lines, 3)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = dome.Import(ended, strings.NewReader(`[`+strings.Repeat(good+`,`, 300)+good+`]`), &heard{})
	require.ErrorIs(t, err, context.Canceled)
}

func TestRecognise(t *testing.T) {
	t.Parallel()
	for prefix, want := range map[string]bool{
		good: true, "\xef\xbb\xbf \n[" + good: true, `{"snapshots":[` + good[:250]: true,
		``: false, `"assetId" "bids"`: false, `{"assetId":1}`: false, `{"bids":[]}`: false, `{"asset_id":1,"bids":[]}`: false,
	} {
		require.Equal(t, want, dome.Recognise([]byte(prefix)), "%.40q", prefix)
	}
}
