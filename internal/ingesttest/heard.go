// Package ingesttest has what importers of captures are tried with: a sink that writes down
// what it is told, and files of Parquet.
package ingesttest

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/ingest/rows"
	"github.com/ladderback/ladderback/market"
)

// Heard is a sink that writes down what it is told, a line each. Markets and tokens get
// numbers from 0 in the order in which they are named.
type Heard struct {
	Lines []string
	// Rejected are the rows that say nothing usable: their number, and why.
	Rejected []string

	names map[string]int
}

func (h *Heard) note(format string, args ...any) {
	h.Lines = append(h.Lines, fmt.Sprintf(format, args...))
}

// number returns the number of a name, and whether it is new.
func (h *Heard) number(kind, name string) (n int, isNew bool) {
	if h.names == nil {
		h.names = map[string]int{}
	}
	if n, ok := h.names[kind+name]; ok {
		return n, false
	}
	n = h.names[kind]
	h.names[kind], h.names[kind+name] = n+1, n
	return n, true
}

// Market implements stream.Sink.
func (h *Heard) Market(_ context.Context, m market.Market) (int, error) {
	n, isNew := h.number("market ", m.VenueID+" "+m.Slug)
	if isNew {
		h.note("market %q %q", m.VenueID, m.Slug)
	}
	return n, nil
}

// Token implements stream.Sink.
func (h *Heard) Token(handle int, t market.Token) int {
	n, isNew := h.number("token ", fmt.Sprint(handle, t.VenueID, t.Label))
	if isNew {
		h.note("token %q %q", t.VenueID, t.Label)
	}
	return n
}

// Gap implements stream.Sink.
func (h *Heard) Gap(_, token int, g market.Gap) { h.note("gap of %d: %d to %d", token, g.From, g.To) }

// Diverged implements stream.Sink.
func (h *Heard) Diverged(_, token int, g market.Gap) {
	h.note("diverged %d: %d to %d", token, g.From, g.To)
}

// Add implements stream.Sink.
func (h *Heard) Add(_ int, c *market.Capture) error {
	says := ""
	switch {
	case c.IsLadder():
		says = fmt.Sprint(c.Bids, c.Asks)
	case c.Kind == market.KindQuote:
		says = fmt.Sprint(c.Quote.Bid, c.Quote.Ask)
	case c.Kind == market.KindTrade:
		says = fmt.Sprint(c.Trade.Price, c.Trade.Size, c.Trade.Side)
	}
	h.note("%s of %d at %d, said %d: %s", c.Kind, c.Token, c.Recv, c.Exch, says)
	return nil
}

// Done implements stream.Sink.
func (h *Heard) Done(context.Context, int) error { return nil }

// Reject implements stream.Sink.
func (h *Heard) Reject(line int64, text []byte, reason string) {
	h.Rejected = append(h.Rejected, fmt.Sprintf("%d %q: %s", line, text, reason))
}

// Parquet makes a file of rows, whose columns are the fields of T by their tags.
func Parquet[T any](t testing.TB, of []T) *rows.Parquet {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, parquet.Write(&b, of))
	p, err := rows.OpenParquet(bytes.NewReader(b.Bytes()), int64(b.Len()))
	require.NoError(t, err)
	return p
}
