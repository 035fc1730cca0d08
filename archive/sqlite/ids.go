package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/ladderback/ladderback/archive/store"
)

// What an id in the table ids is of, beside the row of a market, an event or a series.
const (
	tokenIDs store.ClaimKind = 4 + iota // of a market
	eventsOf                            // of a market
	ownerIDs                            // of claims
)

// inList are the ids of the JSON array that is bound.
const inList = "IN (SELECT value FROM json_each(?))"

// at returns a query, in brackets, for the numbers that ids have: ids is what follows
// the column.
func at(kind store.ClaimKind, ids string) string {
	return fmt.Sprintf("(SELECT at FROM ids WHERE kind = %d AND id %s)", kind, ids)
}

// numbers returns those of the rows that have ids.
func (t *tx) numbers(ctx context.Context, kind store.ClaimKind, ids []store.ID) (map[store.ID]int64, error) {
	out := map[store.ID]int64{}
	if len(ids) == 0 {
		return out, nil
	}
	err := t.each(ctx, `SELECT id, at FROM ids WHERE kind = ? AND id `+inList, []any{int64(kind), list(ids)}, func(r *sql.Rows) error {
		var id store.ID
		var n int64
		err := r.Scan(&id, &n)
		out[id] = n
		return err
	})
	return out, err
}
