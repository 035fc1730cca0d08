package txn

import (
	"context"
	"fmt"
	"slices"

	"github.com/ladderback/ladderback/archive/sqlite/pool"
	"github.com/ladderback/ladderback/archive/sqlite/sieve"
	"github.com/ladderback/ladderback/archive/store"
)

// What an id in the table ids is of, beside the row of a market, an event or a series.
const (
	TokenIDs store.ClaimKind = 4 + iota // of a market
	EventsOf                            // of a market
	OwnerIDs                            // of claims
)

// InList are the ids of the JSON array that is bound.
const InList = "IN (SELECT value FROM json_each(?))"

// At returns a query, in brackets, for the numbers that ids have: ids is what follows
// the column.
func At(kind store.ClaimKind, ids string) string {
	return fmt.Sprintf("(SELECT at FROM ids WHERE kind = %d AND id %s)", kind, ids)
}

// FewIDs are so few that to look them up reads no more than to sift them.
const FewIDs = 256

// Look passes the ids that are there, and what they are kept with, to scan. They are none
// of tokens.
func (t *Tx) Look(ctx context.Context, kind store.ClaimKind, ids []store.ID, scan func(*pool.Row) error) (err error) {
	ids = slices.Clone(ids) // each once, in the order of the tables
	slices.Sort(ids)
	ids = slices.Compact(ids)
	old := ids
	if len(ids) >= FewIDs {
		if old, err = sieve.Sift(ctx, t.Link, ids); err != nil {
			return t.Fail(err)
		}
		slices.Sort(old)
	}
	const query = `SELECT i.id, i.at FROM json_each(?2) j CROSS JOIN ids_old i WHERE i.kind = ?1 AND i.id = j.value
		UNION ALL SELECT i.id, i.at FROM json_each(?2) j CROSS JOIN ids_mid i WHERE i.kind = ?1 AND i.id = j.value
		UNION ALL SELECT i.id, i.at FROM json_each(?3) j CROSS JOIN ids_new i WHERE i.kind = ?1 AND i.id = j.value`
	return t.EachRow(ctx, query, []any{int64(kind), List(old), List(ids)}, scan)
}

// Numbers returns those of the rows that have ids; of several that have one id any.
func (t *Tx) Numbers(ctx context.Context, kind store.ClaimKind, ids []store.ID) (map[store.ID]int64, error) {
	out := map[store.ID]int64{}
	if len(ids) == 0 {
		return out, nil
	}
	return out, t.Look(ctx, kind, ids, func(r *pool.Row) error {
		id := store.ID(r.Int())
		out[id] = r.Int()
		return nil
	})
}

// Rows returns the numbers of all rows that have ids.
func (t *Tx) Rows(ctx context.Context, kind store.ClaimKind, ids []store.ID) ([]int64, error) {
	out := []int64{}
	return out, t.Look(ctx, kind, ids, func(r *pool.Row) error {
		r.Int() // the id
		out = append(out, r.Int())
		return nil
	})
}
