// Package claims keeps what sources say of markets, events and series, word for word, in
// the embedded store.
package claims

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"github.com/ladderback/ladderback/archive/sqlite/pool"
	"github.com/ladderback/ladderback/archive/sqlite/short"
	"github.com/ladderback/ladderback/archive/sqlite/txn"
	"github.com/ladderback/ladderback/archive/store"
)

// Claims that a source makes in one transaction resemble each other. They are kept
// together in chunks, compressed, with what they have in common beside them; what
// is kept of each by itself is where it stands.
const (
	chunkDocs = 128 // claims in a chunk, at most: a change of one writes all anew
	chunkSize = 64 << 10
	perChunk  = 256 // places of a chunk
	nobody    = -1  // the owner of a line that is empty
)

// Chunks are the claims as one transaction sees them.
type Chunks struct {
	*txn.Tx
	keys keysOf
}

// New returns the claims of a transaction.
func New(t *txn.Tx) *Chunks { return &Chunks{Tx: t} }

// place is where a claim is: the id of its chunk × perChunk and the number of the
// line.
type place int64

func (p place) chunk() int64 { return int64(p / perChunk) }
func (p place) line() int    { return int(p % perChunk) }

func packPlaces(places []place) []byte {
	b := make([]byte, 0, 5*len(places))
	for _, p := range places {
		b = binary.AppendUvarint(b, uint64(p))
	}
	return b
}

func unpackPlaces(b []byte) (places []place, err error) {
	for len(b) > 0 {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			return nil, fmt.Errorf("claims of a source: %w: their places", store.ErrDamaged)
		}
		places, b = append(places, place(v)), b[n:]
	}
	return places, nil
}

// head is what the claims of a chunk have in common.
type head struct {
	source store.SourceID
	kind   store.ClaimKind
}

// placesOf returns the places of the claims about owners, of any kind, by owner.
func (t *Chunks) placesOf(ctx context.Context, owners []store.ID) (map[store.ID][]place, error) {
	out := map[store.ID][]place{}
	err := t.Look(ctx, txn.OwnerIDs, owners, func(r *pool.Row) (err error) {
		owner := store.ID(r.Int())
		out[owner], err = unpackPlaces(r.Bytes())
		return err
	})
	return out, err
}

// heads returns those of the chunks of places, by chunk.
func (t *Chunks) heads(ctx context.Context, of map[store.ID][]place) (map[int64]head, error) {
	out := map[int64]head{}
	var ids []int64
	for _, places := range of {
		for _, p := range places {
			if _, ok := out[p.chunk()]; !ok {
				out[p.chunk()] = head{}
				ids = append(ids, p.chunk())
			}
		}
	}
	if len(ids) == 0 {
		return out, nil
	}
	slices.Sort(ids)
	err := t.Each(ctx, `SELECT id, source, kind FROM chunks WHERE id IN (SELECT value FROM json_each(?))`, []any{txn.List(ids)}, func(r *sql.Rows) error {
		var id int64
		var h head
		err := r.Scan(&id, &h.source, &h.kind)
		out[id] = h
		return err
	})
	return out, err
}

// Put stores claims; of several with one key the last counts.
func (t *Chunks) Put(ctx context.Context, claims []store.Claim) error {
	last := make(map[store.ClaimKey]int, len(claims))
	for i := range claims {
		last[claims[i].ClaimKey] = i
	}
	var now []store.Claim
	for i := range claims {
		if last[claims[i].ClaimKey] != i {
			continue
		}
		doc, err := store.PlainDoc(claims[i].Doc)
		if err != nil {
			return err
		}
		now = append(now, store.Claim{ClaimKey: claims[i].ClaimKey, Doc: doc})
	}
	keys := store.Column(now, func(v *store.Claim) store.ClaimKey { return v.ClaimKey })
	places, err := t.leaveChunks(ctx, keys)
	if err != nil {
		return err
	}
	was := maps.Clone(places)
	slices.SortStableFunc(now, func(a, b store.Claim) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Kind, b.Kind))
	})
	for len(now) > 0 {
		n, bytes := 1, len(now[0].Doc)
		for n < len(now) && n < chunkDocs && bytes < chunkSize && now[n].Source == now[0].Source && now[n].Kind == now[0].Kind {
			bytes += len(now[n].Doc)
			n++
		}
		if err := t.putChunk(ctx, now[:n], places); err != nil {
			return err
		}
		now = now[n:]
	}
	return t.putPlaces(ctx, was, places)
}

// putChunk stores claims of one source and kind, and adds their places.
func (t *Chunks) putChunk(ctx context.Context, claims []store.Claim, places map[store.ID][]place) error {
	docs, owners := make([][]byte, len(claims)), make([]store.ID, len(claims))
	for i := range claims {
		docs[i], owners[i] = claims[i].Doc, claims[i].Owner
	}
	const insert = `INSERT INTO chunks (source, kind, owners, docs) VALUES (?, ?, ?, ?) RETURNING id`
	var chunk int64
	args := []any{int64(claims[0].Source), int64(claims[0].Kind), short.IDs(owners), store.PackDocs(docs)}
	err := t.Each(ctx, insert, args, func(r *sql.Rows) error { return r.Scan(&chunk) })
	for i, owner := range owners {
		places[owner] = append(places[owner], place(chunk*perChunk+int64(i)))
	}
	return err
}

// putPlaces writes where the claims about owners are. was has the owners that have had any.
func (t *Chunks) putPlaces(ctx context.Context, was, places map[store.ID][]place) error {
	t.keys.of = 0
	for _, owner := range slices.Sorted(maps.Keys(places)) { // as the table has them
		var err error
		switch _, had := was[owner]; {
		case len(places[owner]) == 0:
			err = t.Exec(ctx, `DELETE FROM ids WHERE kind = 6 AND id = ?`, int64(owner))
		case had:
			err = t.Exec(ctx, `UPDATE ids SET at = ? WHERE kind = 6 AND id = ?`, packPlaces(places[owner]), int64(owner))
		default:
			err = t.Exec(ctx, `INSERT INTO ids_new (kind, id, at) VALUES (6, ?, ?)`, int64(owner), packPlaces(places[owner]))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Drop removes claims.
func (t *Chunks) Drop(ctx context.Context, keys []store.ClaimKey) error {
	if len(keys) == 0 {
		return nil
	}
	places, err := t.leaveChunks(ctx, keys)
	if err != nil {
		return err
	}
	return t.putPlaces(ctx, places, places)
}

// leaveChunks removes claims from their chunks, and returns the places of those
// that are left to their owners.
func (t *Chunks) leaveChunks(ctx context.Context, keys []store.ClaimKey) (map[store.ID][]place, error) {
	leaving := make(map[store.ClaimKey]bool, len(keys))
	owners := make([]store.ID, len(keys))
	for i, k := range keys {
		leaving[k], owners[i] = true, k.Owner
	}
	there, err := t.placesOf(ctx, owners)
	if err != nil {
		return nil, err
	}
	heads, err := t.heads(ctx, there)
	if err != nil {
		return nil, err
	}
	gone := map[int64][]int{} // lines, by chunk
	for owner, places := range there {
		there[owner] = slices.DeleteFunc(places, func(p place) bool {
			h := heads[p.chunk()]
			leaves := leaving[store.ClaimKey{Kind: h.kind, Owner: owner, Source: h.source}]
			if leaves {
				gone[p.chunk()] = append(gone[p.chunk()], p.line())
			}
			return leaves
		})
	}
	for id, lines := range gone {
		if err := t.emptyLines(ctx, id, lines); err != nil {
			return nil, err
		}
	}
	return there, nil
}

// emptyLines removes claims from a chunk, and the chunk with its last one.
func (t *Chunks) emptyLines(ctx context.Context, id int64, lines []int) error {
	c, err := t.chunk(ctx, id)
	if err != nil {
		return err
	}
	for _, line := range lines {
		if line < len(c.docs) {
			c.docs[line], c.owners[line] = nil, nobody
		}
	}
	if !slices.ContainsFunc(c.docs, func(d []byte) bool { return len(d) > 0 }) {
		return t.Exec(ctx, `DELETE FROM chunks WHERE id = ?`, id)
	}
	return t.Exec(ctx, `UPDATE chunks SET owners = ?, docs = ? WHERE id = ?`, short.IDs(c.owners), store.PackDocs(c.docs), id)
}

// chunk is some claims of a source.
type chunk struct {
	head
	owners []store.ID
	docs   [][]byte
}

func (t *Chunks) chunk(ctx context.Context, id int64) (*chunk, error) {
	var c *chunk
	err := t.Each(ctx, `SELECT source, kind, owners, docs FROM chunks WHERE id = ?`, []any{id}, func(r *sql.Rows) error {
		c = &chunk{}
		var owners, docs sql.RawBytes
		err := r.Scan(&c.source, &c.kind, &owners, &docs)
		if err == nil {
			c.owners = short.ReadIDs(owners)
			c.docs, err = store.PlainDocs(docs)
		}
		if known := c.kind >= store.MarketClaim && c.kind <= store.SeriesClaim; err == nil && !known {
			err = fmt.Errorf("claims of a source: %w: of kind %d", store.ErrDamaged, c.kind)
		}
		if err == nil && len(c.owners) != len(c.docs) {
			err = fmt.Errorf("claims of a source: %w: %d of %d owners", store.ErrDamaged, len(c.docs), len(c.owners))
		}
		return err
	})
	if err == nil && c == nil {
		err = t.Fail(fmt.Errorf("claims of a source: %w: they are missing", store.ErrDamaged))
	}
	return c, err
}

// Claims returns the claims about owners.
func (t *Chunks) Claims(ctx context.Context, k store.ClaimKind, owners []store.ID) ([]store.Claim, error) {
	if len(owners) == 0 {
		return nil, nil
	}
	places, err := t.placesOf(ctx, owners)
	if err != nil {
		return nil, err
	}
	at := map[int64][]owned{} // by chunk
	for owner, of := range places {
		for _, p := range of {
			at[p.chunk()] = append(at[p.chunk()], owned{owner, p.line()})
		}
	}
	var out []store.Claim
	for id, lines := range at {
		c, err := t.chunk(ctx, id)
		if err != nil {
			return nil, err
		}
		for _, l := range lines {
			if l.line >= len(c.docs) || c.owners[l.line] != l.owner {
				return nil, t.Fail(fmt.Errorf("claim of a source: %w: it is missing", store.ErrDamaged))
			}
			if c.kind != k {
				continue
			}
			key := store.ClaimKey{Kind: k, Owner: l.owner, Source: c.source}
			out = append(out, store.Claim{ClaimKey: key, Doc: slices.Clone(c.docs[l.line])})
		}
	}
	slices.SortFunc(out, func(a, b store.Claim) int {
		return cmp.Or(cmp.Compare(a.Owner, b.Owner), cmp.Compare(a.Source, b.Source))
	})
	return out, nil
}

// owned is the line of a claim within its chunk.
type owned struct {
	owner store.ID
	line  int
}

// keysOf is the keys of the claims of the source that was asked for last, in order.
type keysOf struct {
	of   store.SourceID // 0: none
	keys []store.ClaimKey
}

// ClaimsOf returns claims of one source.
func (t *Chunks) ClaimsOf(ctx context.Context, s store.SourceID, after store.ClaimKey, limit int) ([]store.ClaimKey, error) {
	if t.keys.of != s || s == 0 {
		keys, err := t.allClaimsOf(ctx, s)
		if err != nil {
			return nil, err
		}
		t.keys = keysOf{s, keys}
	}
	if after.Kind == 0 {
		after.Owner = nobody
	}
	at, found := slices.BinarySearchFunc(t.keys.keys, after, byKind)
	if found {
		at++
	}
	return slices.Clone(t.keys.keys[at:min(at+limit, len(t.keys.keys))]), nil
}

func byKind(a, b store.ClaimKey) int {
	return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Owner, b.Owner))
}

func (t *Chunks) allClaimsOf(ctx context.Context, s store.SourceID) ([]store.ClaimKey, error) {
	var out []store.ClaimKey
	err := t.Each(ctx, `SELECT kind, owners FROM chunks WHERE source = ?`, []any{int64(s)}, func(r *sql.Rows) error {
		k := store.ClaimKey{Source: s}
		var owners sql.RawBytes
		err := r.Scan(&k.Kind, &owners)
		for _, k.Owner = range short.ReadIDs(owners) {
			if k.Owner != nobody {
				out = append(out, k)
			}
		}
		return err
	})
	slices.SortFunc(out, byKind)
	return out, err
}
