// Package sieve tells which ids have surely not gone over to the tables ids_mid and ids_old, which
// are large, and whose pages a look-up of each would read.
//
// The table ids_sieve has a row for each time that ids went over to the one, and then one for all that
// go over from there to the other: a Bloom filter of 16 bits an
// id, made by id_sieve, by which one in 1,700 of those that did not seems to. Ids are hashes.
// Those of tokens are in none.
package sieve

import (
	"context"
	"database/sql"
	"errors"
	"iter"
	"slices"

	"github.com/ncruces/go-sqlite3"

	"github.com/ladderback/ladderback/archive/sqlite/pool"
	"github.com/ladderback/ladderback/archive/store"
)

// Register has statements of a connection make sieves.
func Register(c *sqlite3.Conn) error {
	return c.CreateAggregateFunction("id_sieve", 1, sqlite3.DETERMINISTIC|sqlite3.INNOCUOUS, func(ctx *sqlite3.Context, of iter.Seq[[]sqlite3.Value]) {
		var ids []store.ID
		for v := range of {
			ids = append(ids, store.ID(v[0].Int64()))
		}
		ctx.ResultBlob(Of(ids))
	})
}

// Sift returns those of ids that may have gone over.
func Sift(ctx context.Context, l *pool.Link, ids []store.ID) (passed []store.ID, err error) {
	left := slices.Clone(ids)
	err = l.Each(ctx, `SELECT bits FROM ids_sieve`, nil, func(r *sql.Rows) error {
		var bits sql.RawBytes
		err := r.Scan(&bits)
		left = slices.DeleteFunc(left, func(id store.ID) bool {
			has := Has(bits, id)
			if has {
				passed = append(passed, id)
			}
			return has
		})
		return err
	})
	return passed, err
}

// Missing counts those of ids that Sift takes for others than have gone over.
func Missing(c *sqlite3.Conn, ids []store.ID) (int, error) {
	st, _, err := c.Prepare(`SELECT bits FROM ids_sieve`)
	if err != nil {
		return 0, err
	}
	left := slices.Clone(ids)
	for st.Step() {
		bits := st.ColumnRawBlob(0)
		left = slices.DeleteFunc(left, func(id store.ID) bool { return Has(bits, id) })
	}
	return len(left), errors.Join(st.Err(), st.Close())
}

const (
	bitsEach = 16 // of a sieve, for each of its ids
	probes   = 8  // bits that an id sets
)

// Of returns the sieve of ids, in whatever order and however often they come; empty: of none.
// It sorts ids.
func Of(ids []store.ID) []byte {
	slices.Sort(ids)
	ids = slices.Compact(ids)
	out := make([]byte, len(ids)*bitsEach/8)
	for _, id := range ids {
		places(out, id, func(bit uint64) bool { out[bit/8] |= 1 << (bit % 8); return true })
	}
	return out
}

// Has reports whether an id may be among those of a sieve: of one that is, always.
func Has(sieve []byte, id store.ID) (has bool) {
	places(sieve, id, func(bit uint64) bool { has = sieve[bit/8]&(1<<(bit%8)) != 0; return has })
	return has
}

// places passes the places of an id's bits, until one is refused. An empty sieve has none.
func places(sieve []byte, id store.ID, visit func(bit uint64) bool) {
	n := uint64(len(sieve)) * 8
	at, step := uint64(uint32(id)), uint64(uint32(id>>31))|1
	for range probes {
		if n == 0 || !visit(at*n>>32) {
			return
		}
		at = (at + step) & (1<<32 - 1)
	}
}
