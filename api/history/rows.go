package history

import (
	"bufio"
	"context"
	"errors"
	"io"

	"github.com/ladderback/ladderback/archive/history"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/archive/table"
	"github.com/ladderback/ladderback/market"
)

// WriteRows writes everything that q selects in a form of bulk answers. If it
// fails, what was written before stays written.
func WriteRows(ctx context.Context, w io.Writer, form table.Format, src history.Source, q *history.Query) error {
	f := &found{row: q.Row, token: q.Token, labels: history.Labels(&q.Row.Market)}
	out := bufio.NewWriterSize(w, bulkChunk)
	dst := newRows(out, form, q.Points, f)
	var sent int64
	var failed error
	if err := errors.Join(history.Walk(ctx, src, q, rowEmitter(q, dst, &sent, &failed)), failed); err != nil {
		return err
	}
	return errors.Join(dst.Close(), out.Flush())
}

// TradePoints are trades as they were made, not in buckets: no route has them.
const TradePoints = history.Points(table.Trades)

// WriteTrades writes trades of a market as rows in the form of bulk answers: t,
// token_id, label, side (buy or sell, of who took; absent where the source does
// not say), price, size. each passes the trades to its argument until that
// returns false. Output written before an error stays.
func WriteTrades(w io.Writer, form table.Format, row *store.Listing, each func(func(c *market.Capture) bool) error) error {
	f := &found{row: row, labels: history.Labels(&row.Market)}
	out := bufio.NewWriterSize(w, bulkChunk)
	dst := newRows(out, form, TradePoints, f)
	var failed error
	err := each(func(c *market.Capture) bool {
		failed = dst.Trade(c)
		return failed == nil
	})
	if err := errors.Join(err, failed); err != nil {
		return err
	}
	return errors.Join(dst.Close(), out.Flush())
}

// newRows makes a writer of rows about the market of f.
func newRows(w io.Writer, form table.Format, p history.Points, f *found) table.Rows {
	tokens := make([]table.Token, len(f.labels))
	for i := range tokens {
		tokens[i] = table.Token{ID: f.row.Market.Tokens[i].VenueID, Label: f.labels[i]}
	}
	return table.NewRows(w, form, table.Kind(p), tokens)
}
