package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/ladderback/ladderback/archive/sqlite/short"
	"github.com/ladderback/ladderback/archive/store"
)

// moveRows moves claims and markets from the tables of version 3, which it drops.
func (t *tx) moveRows(ctx context.Context) error {
	for _, move := range []func(context.Context) error{t.moveChunks, t.moveClaims, t.moveMarkets} {
		if err := move(ctx); err != nil {
			return err
		}
	}
	for _, table := range []string{"claims3", "chunks3", "markets3"} {
		if err := t.exec(ctx, "DROP TABLE "+table); err != nil {
			return err
		}
	}
	return nil
}

// moveChunks moves the claims that version 3 kept together.
func (t *tx) moveChunks(ctx context.Context) error {
	const query = `SELECT kind, owner, source, place FROM claims3 WHERE place <> 0 ORDER BY place`
	type placed struct {
		store.ClaimKey
		at place
	}
	var all []placed
	err := t.each(ctx, query, nil, func(r *sql.Rows) error {
		var p placed
		err := r.Scan(&p.Kind, &p.Owner, &p.Source, &p.at)
		all = append(all, p)
		return err
	})
	if err != nil {
		return err
	}
	for len(all) > 0 {
		docs, err := t.chunk3(ctx, all[0].at.chunk())
		if err != nil {
			return err
		}
		var claims []store.Claim
		n := 0
		for ; n < len(all) && all[n].at.chunk() == all[0].at.chunk(); n++ {
			line := all[n].at.line()
			if line >= len(docs) || len(docs[line]) == 0 {
				return t.s.fail(fmt.Errorf("claim of a source: %w: it is missing", store.ErrDamaged))
			}
			claims = append(claims, store.Claim{ClaimKey: all[n].ClaimKey, Doc: docs[line]})
		}
		if err := t.putClaims(ctx, claims); err != nil {
			return err
		}
		all = all[n:]
	}
	return nil
}

// chunk3 returns the documents of a chunk of version 3; none: there is no such.
func (t *tx) chunk3(ctx context.Context, id int64) (docs [][]byte, err error) {
	err = t.each(ctx, `SELECT docs FROM chunks3 WHERE id = ?`, []any{id}, func(r *sql.Rows) error {
		var packed sql.RawBytes
		err := r.Scan(&packed)
		if err == nil {
			docs, err = store.PlainDocs(packed)
		}
		return err
	})
	return docs, err
}

// moveClaims moves the claims that were kept each by itself, as all were before
// version 3.
func (t *tx) moveClaims(ctx context.Context) error {
	sources, err := t.ids(ctx, `SELECT DISTINCT source FROM claims3 WHERE place = 0`)
	if err != nil {
		return err
	}
	// The index gives their order.
	const query = `SELECT c.kind, c.owner, c.doc FROM claims3 s CROSS JOIN claims3 c ON c.kind = s.kind AND c.owner = s.owner AND c.source = s.source
		WHERE s.source = ?1 AND (s.kind, s.owner) > (?2, ?3) AND c.place = 0 ORDER BY s.kind, s.owner LIMIT ?4`
	for _, source := range sources {
		after := store.ClaimKey{Owner: nobody}
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

// moveMarkets moves the rows of markets. Their checksums stay: what they are of does
// not change.
func (t *tx) moveMarkets(ctx context.Context) error {
	const query = `SELECT id, venue, venue_id, alt_id, slug, question, description, category, event, series, event_id, series_id,
			tags, coin, type, start_at, end_at, source_closed, source_closed_at, source_updated_at, mirrored, tick, min_size,
			status, closed_at, updated_at, undated, disputed, owners, captures, first, last, captured, coverage, silence, pair_lag,
			trades_once, content, basis, payout, outcomes, sum
		FROM markets3 WHERE id > ? ORDER BY id LIMIT 2000`
	after := store.ID(nobody)
	for {
		var rows [][]any
		var members []member
		err := t.each(ctx, query, []any{int64(after)}, func(r *sql.Rows) error {
			row, payout, outcomes, sum, err := scanMarket3(r)
			after = row.ID
			rows = append(rows, append([]any{int64(row.ID)}, marketArgs(row, payout, outcomes, sum)...))
			if timelessMarket(row) {
				members = append(members, member{id: row.ID, venueID: row.Market.VenueID})
			}
			return err
		})
		if err != nil || len(rows) == 0 {
			return err
		}
		for _, row := range rows {
			if err := t.exec(ctx, marketTable.insert, row...); err != nil {
				return err
			}
		}
		if err := t.moveTimeless(ctx, members); err != nil {
			return err
		}
	}
}

// scanMarket3 reads a row of version 3, without what other tables have of it.
func scanMarket3(r *sql.Rows) (row *store.MarketRow, payout, outcomes, sum int64, err error) {
	row = &store.MarketRow{}
	m, s := &row.Market, &row.Stats
	var tags, owners, content, basis sql.RawBytes
	err = r.Scan(&row.ID, &m.Venue, &m.VenueID, &m.AltID, &m.Slug, &m.Question, &m.Description, &m.Category,
		&row.Event, &row.Series, &m.EventID, &m.SeriesID, &tags, &m.Coin, &m.Type, &m.Start, &m.End,
		&m.Closed, &m.ClosedAt, &m.UpdatedAt, &m.Mirrored, &m.Tick, &m.MinSize,
		&row.Status, &row.ClosedAt, &row.UpdatedAt, &row.Undated, &row.Disputed, &owners,
		&s.Captures, &s.First, &s.Last, &s.Captured, &s.Coverage, &s.Silence, &s.PairLag, &s.TradesOnce, &content, &basis,
		&payout, &outcomes, &sum)
	if err != nil {
		return row, 0, 0, 0, err
	}
	row.Owners = short.ReadIDs(owners)
	copy(s.Content[:], content)
	copy(row.Basis[:], basis)
	m.Slug = short.LongSlug(m.Slug, m.VenueID)
	return row, payout, outcomes, sum, short.Untext(tags, &m.Tags)
}
