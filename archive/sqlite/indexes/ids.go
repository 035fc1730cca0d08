package indexes

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ncruces/go-sqlite3"

	"github.com/ladderback/ladderback/archive/sqlite/pool"
	"github.com/ladderback/ladderback/archive/sqlite/sieve"
	"github.com/ladderback/ladderback/archive/sqlite/txn"
	"github.com/ladderback/ladderback/archive/store"
)

// OfIDs is what the tables of ids have.
type OfIDs struct {
	// Rows are sums over all rows of a kind, Each over its ids, each once and with itself.
	Rows, Each map[store.ClaimKind]Sums
	// Doubled counts ids that have two rows or more, though markets share none of them: but tokens and
	// events, of which a market has one.
	Doubled int64
	// Unsifted counts ids that have gone over and are in no sieve.
	Unsifted int64
}

// Sums are of ids and what each is kept with: equal ones are of the same rows.
type Sums struct{ N, IDs, At int64 }

// Columns returns the columns of a statement that are the Sums of rows.
func Columns(id, at string) string {
	return fmt.Sprintf(`count(*), coalesce(sum(%[1]s & 0xffffffff), 0), coalesce(sum((%[1]s >> 32 & 4095) * %[2]s), 0)`, id, at)
}

func add(to map[store.ClaimKind]Sums, kind store.ClaimKind, id store.ID, at int64) {
	s := to[kind]
	to[kind] = Sums{s.N + 1, s.IDs + int64(id)&0xffffffff, s.At + (int64(id)>>32&4095)*at}
}

// idTables are the tables of ids, the newest first.
var idTables = [...]string{"ids_new", "ids_mid", "ids_old"}

// IDs goes through the tables of ids, all in their order: nothing is held but what sieves are asked for together.
func IDs(ctx context.Context, l *pool.Link) (out OfIDs, err error) {
	out.Rows, out.Each = map[store.ClaimKind]Sums{}, map[store.ClaimKind]Sums{}
	err = l.Raw(ctx, func(c *sqlite3.Conn) (err error) {
		var tables [len(idTables)]idRows
		for i, name := range idTables {
			if err == nil {
				tables[i].st, _, err = c.Prepare(`SELECT kind, id, at FROM ` + name + ` ORDER BY kind, id, at`)
			}
			defer func() { err = errors.Join(err, tables[i].st.Close()) }()
		}
		var went []store.ID
		for err == nil {
			one, some, e := nextID(&tables)
			if err = e; some && err == nil {
				went = out.add(one, went)
			}
			if err == nil && (len(went) >= siftedAtOnce || !some) {
				var missing int
				missing, err = sieve.Missing(c, went)
				out.Unsifted += int64(missing)
				went = went[:0]
			}
			if !some {
				break
			}
		}
		return err
	})
	return out, err
}

// siftedAtOnce is how many ids the sieves, which may be large, are read for.
const siftedAtOnce = 1 << 18

// idRows are the rows of a table of ids, those of one id at a time.
type idRows struct {
	st      *sqlite3.Stmt
	started bool
	ended   bool
	key     idKey   // of the next
	at      []int64 // of the rows of the id that is gone through
}

type idKey struct {
	kind store.ClaimKind
	id   store.ID
}

func (k idKey) before(o idKey) bool { return k.kind < o.kind || k.kind == o.kind && k.id < o.id }

func (t *idRows) step() error {
	t.started = true
	if t.ended = !t.st.Step(); t.ended {
		return t.st.Err()
	}
	t.key = idKey{store.ClaimKind(t.st.ColumnInt64(0)), store.ID(t.st.ColumnInt64(1))}
	return nil
}

// sameID is an id with its rows in each of the tables.
type sameID struct {
	idKey
	at [len(idTables)][]int64
}

// nextID returns the next id of any table; false: there is none.
func nextID(tables *[len(idTables)]idRows) (one sameID, some bool, err error) {
	for i := range tables {
		t := &tables[i]
		if !t.started {
			err = t.step()
		}
		if err != nil {
			return one, false, err
		}
		if !t.ended && (!some || t.key.before(one.idKey)) {
			one.idKey, some = t.key, true
		}
	}
	for i := range tables {
		t := &tables[i]
		t.at = t.at[:0]
		for !t.ended && some && t.key == one.idKey {
			t.at = append(t.at, t.st.ColumnInt64(2))
			if err := t.step(); err != nil {
				return one, false, err
			}
		}
		one.at[i] = t.at
	}
	return one, some, nil
}

// add adds an id, and to those that have gone over, if it has.
func (o *OfIDs) add(one sameID, went []store.ID) []store.ID {
	shared := one.kind == txn.TokenIDs || one.kind == txn.EventsOf
	add(o.Each, one.kind, one.id, int64(one.id))
	for i, rows := range one.at {
		for _, at := range rows {
			add(o.Rows, one.kind, one.id, at)
			for _, older := range one.at[i+1:] {
				if len(older) > 0 && !shared || slices.Contains(older, at) {
					o.Doubled++
				}
			}
		}
		if len(rows) > 1 && !shared {
			o.Doubled++
		}
		if i > 0 && len(rows) > 0 && one.kind != txn.TokenIDs {
			went = append(went, one.id)
		}
	}
	return went
}
