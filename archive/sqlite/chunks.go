package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"

	"github.com/ladderback/ladderback/archive/store"
)

// Claims that a source makes in one transaction resemble each other. Compressed
// together they take a quarter of the space.
const (
	chunkDocs = 128 // claims in a chunk, at most: a change of one writes all anew
	fewDocs   = 16  // are kept each by itself
	chunkSize = 64 << 10
	perChunk  = 256 // places of a chunk
)

// putClaims stores claims; of several with one key the last counts.
func (t *tx) putClaims(ctx context.Context, claims []store.Claim) error {
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
	if err := t.leaveChunks(ctx, now); err != nil {
		return err
	}
	slices.SortStableFunc(now, func(a, b store.Claim) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Kind, b.Kind))
	})
	for len(now) > 0 {
		n, bytes := 1, len(now[0].Doc)
		for n < len(now) && n < chunkDocs && bytes < chunkSize && now[n].Source == now[0].Source && now[n].Kind == now[0].Kind {
			bytes += len(now[n].Doc)
			n++
		}
		if err := t.putChunk(ctx, now[:n]); err != nil {
			return err
		}
		now = now[n:]
	}
	return nil
}

const putClaim = `INSERT INTO claims (kind, owner, source, doc, place) VALUES (?, ?, ?, ?, ?)
	ON CONFLICT (kind, owner, source) DO UPDATE SET doc = excluded.doc, place = excluded.place`

// putChunk stores claims, none of which is in a chunk yet.
func (t *tx) putChunk(ctx context.Context, claims []store.Claim) error {
	var chunk int64
	if len(claims) >= fewDocs {
		docs := make([][]byte, len(claims))
		for i := range claims {
			docs[i] = claims[i].Doc
		}
		const insert = `INSERT INTO chunks (docs) VALUES (?) RETURNING id`
		err := t.each(ctx, insert, []any{store.PackDocs(docs)}, func(r *sql.Rows) error { return r.Scan(&chunk) })
		if err != nil {
			return err
		}
	}
	for i := range claims {
		k := &claims[i]
		doc, place := []byte{}, chunk*perChunk+int64(i)
		if chunk == 0 {
			doc, place = store.PackDoc(k.Doc), 0
		}
		if err := t.exec(ctx, putClaim, int64(k.Kind), int64(k.Owner), int64(k.Source), doc, place); err != nil {
			return err
		}
	}
	return nil
}

// leaveChunks removes from their chunks the claims that are replaced or dropped.
func (t *tx) leaveChunks(ctx context.Context, claims []store.Claim) error {
	owners := map[store.ClaimKind][]store.ID{}
	leaving := make(map[store.ClaimKey]bool, len(claims))
	for i := range claims {
		k := claims[i].ClaimKey
		owners[k.Kind] = append(owners[k.Kind], k.Owner)
		leaving[k] = true
	}
	gone := map[int64][]int{} // lines, by chunk
	const query = `SELECT owner, source, place FROM claims WHERE kind = ? AND owner IN (SELECT value FROM json_each(?)) AND place <> 0`
	for kind, ids := range owners {
		err := t.each(ctx, query, []any{int64(kind), list(ids)}, func(r *sql.Rows) error {
			k := store.ClaimKey{Kind: kind}
			var place int64
			err := r.Scan(&k.Owner, &k.Source, &place)
			if leaving[k] {
				gone[place/perChunk] = append(gone[place/perChunk], int(place%perChunk))
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	for chunk, lines := range gone {
		if err := t.emptyLines(ctx, chunk, lines); err != nil {
			return err
		}
	}
	return nil
}

// emptyLines removes claims from a chunk, and the chunk with its last one.
func (t *tx) emptyLines(ctx context.Context, chunk int64, lines []int) error {
	docs, err := t.chunk(ctx, chunk)
	if err != nil {
		return err
	}
	for _, line := range lines {
		if line < len(docs) {
			docs[line] = nil
		}
	}
	if !slices.ContainsFunc(docs, func(d []byte) bool { return len(d) > 0 }) {
		return t.exec(ctx, `DELETE FROM chunks WHERE id = ?`, chunk)
	}
	return t.exec(ctx, `UPDATE chunks SET docs = ? WHERE id = ?`, store.PackDocs(docs), chunk)
}

// chunk returns the documents of a chunk.
func (t *tx) chunk(ctx context.Context, id int64) (docs [][]byte, err error) {
	found := false
	err = t.each(ctx, `SELECT docs FROM chunks WHERE id = ?`, []any{id}, func(r *sql.Rows) error {
		var packed sql.RawBytes
		err := r.Scan(&packed)
		if err == nil {
			docs, err = store.PlainDocs(packed)
		}
		found = true
		return err
	})
	if err == nil && !found {
		err = t.s.fail(fmt.Errorf("claims of a source: %w: they are missing", store.ErrDamaged))
	}
	return docs, err
}

// Claims returns the claims about owners.
func (t *tx) Claims(ctx context.Context, k store.ClaimKind, owners []store.ID) ([]store.Claim, error) {
	if len(owners) == 0 {
		return nil, nil
	}
	const query = `SELECT owner, source, doc, place FROM claims
		WHERE kind = ? AND owner IN (SELECT value FROM json_each(?)) ORDER BY owner, source`
	var out []store.Claim
	at := map[int64][]place{} // by chunk
	err := t.each(ctx, query, []any{int64(k), list(owners)}, func(r *sql.Rows) error {
		c := store.Claim{ClaimKey: store.ClaimKey{Kind: k}}
		var in int64
		err := r.Scan(&c.Owner, &c.Source, &c.Doc, &in)
		switch {
		case err != nil:
		case in == 0:
			c.Doc, err = store.PlainDoc(c.Doc)
		default:
			at[in/perChunk] = append(at[in/perChunk], place{int(in % perChunk), len(out)})
		}
		out = append(out, c)
		return err
	})
	if err != nil {
		return nil, err
	}
	for id, places := range at {
		docs, err := t.chunk(ctx, id)
		if err != nil {
			return nil, err
		}
		for _, p := range places {
			if p.line >= len(docs) || len(docs[p.line]) == 0 {
				return nil, t.s.fail(fmt.Errorf("claim of a source: %w: it is missing", store.ErrDamaged))
			}
			out[p.claim].Doc = slices.Clone(docs[p.line])
		}
	}
	return out, nil
}

// place is where a claim's document is, and the claim.
type place struct{ line, claim int }

// gatherClaims puts claims that were stored singly into chunks.
func (t *tx) gatherClaims(ctx context.Context) error {
	sources, err := t.ids(ctx, `SELECT DISTINCT source FROM claims`)
	if err != nil {
		return err
	}
	const query = `SELECT c.kind, c.owner, c.doc FROM claims s CROSS JOIN claims c ON c.kind = s.kind AND c.owner = s.owner AND c.source = s.source
		WHERE s.source = ?1 AND (s.kind, s.owner) > (?2, ?3) ORDER BY s.kind, s.owner LIMIT ?4`
	for _, source := range sources {
		after := store.ClaimKey{Owner: -1}
		for {
			var page []store.Claim
			err := t.each(ctx, query, []any{int64(source), int64(after.Kind), int64(after.Owner), 64 * chunkDocs}, func(r *sql.Rows) error {
				c := store.Claim{ClaimKey: store.ClaimKey{Source: store.SourceID(source)}}
				err := r.Scan(&c.Kind, &c.Owner, &c.Doc)
				page = append(page, c)
				return err
			})
			if err != nil {
				return err
			}
			if len(page) == 0 {
				break
			}
			after = page[len(page)-1].ClaimKey
			if err := t.putClaims(ctx, page); err != nil {
				return err
			}
		}
	}
	return nil
}
