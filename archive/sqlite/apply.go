package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/market"
)

// Apply deletes, then puts.
func (t *tx) Apply(ctx context.Context, c *archive.Changes) error {
	for _, step := range []func(context.Context, *archive.Changes) error{
		t.drop, t.putSources, t.putCaptures, t.putMarkets, t.putEvents, t.putSeries, t.putWatermarks,
	} {
		if err := step(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) drop(ctx context.Context, c *archive.Changes) error {
	for _, id := range c.DropSources {
		if err := t.exec(ctx, `DELETE FROM sources WHERE id = ?`, int64(id)); err != nil {
			return err
		}
	}
	for _, k := range c.DropClaims {
		if err := t.exec(ctx, `DELETE FROM claims WHERE kind = ? AND owner = ? AND source = ?`, int64(k.Kind), int64(k.Owner), int64(k.Source)); err != nil {
			return err
		}
	}
	for _, k := range c.DropParts {
		if err := t.exec(ctx, `DELETE FROM parts WHERE owner = ? AND source = ? AND token = ? AND kind = ?`,
			int64(k.Owner), int64(k.Source), int64(k.Token), int64(k.Stream)); err != nil {
			return err
		}
		if err := t.exec(ctx, `DELETE FROM blocks WHERE token_id = ? AND kind = ? AND source = ?`,
			int64(k.Token), int64(k.Stream), int64(k.Source)); err != nil {
			return err
		}
	}
	for _, id := range c.DropMarkets {
		if err := t.dropMarket(ctx, id, true); err != nil {
			return err
		}
	}
	for _, id := range c.DropEvents {
		if err := t.dropGroup(ctx, `DELETE FROM events WHERE id = ?`, archive.EventClaim, `SELECT category, tags FROM events WHERE id = ?`, id); err != nil {
			return err
		}
	}
	for _, id := range c.DropSeries {
		if err := t.dropGroup(ctx, `DELETE FROM series WHERE id = ?`, archive.SeriesClaim, `SELECT category, tags FROM series WHERE id = ?`, id); err != nil {
			return err
		}
	}
	return nil
}

// dropMarket removes what stands beside a market's row and depends on it, and,
// with the row, everything. Without a row there is nothing beside it.
func (t *tx) dropMarket(ctx context.Context, id archive.ID, row bool) error {
	there, err := t.dropTags(ctx, archive.MarketClaim, `SELECT category, tags FROM markets WHERE id = ?`, id)
	if err != nil || !there {
		return err
	}
	for _, q := range []string{
		`DELETE FROM gaps WHERE token_id IN (SELECT id FROM tokens WHERE market_id = ?)`,
		`DELETE FROM tokens WHERE market_id = ?`,
		`DELETE FROM payouts WHERE market_id = ?`,
		`DELETE FROM schedules WHERE market_id = ?`,
	} {
		if err := t.exec(ctx, q, int64(id)); err != nil {
			return err
		}
	}
	if !row {
		return nil
	}
	return t.exec(ctx, `DELETE FROM markets WHERE id = ?`, int64(id))
}

func (t *tx) dropGroup(ctx context.Context, del string, kind archive.ClaimKind, sel string, id archive.ID) error {
	if _, err := t.dropTags(ctx, kind, sel, id); err != nil {
		return err
	}
	return t.exec(ctx, del, int64(id))
}

// dropTags removes the tags of a row, which the query sel gives with its
// category, and reports whether there is such a row.
func (t *tx) dropTags(ctx context.Context, kind archive.ClaimKind, sel string, id archive.ID) (there bool, err error) {
	var category string
	var tags []string
	err = t.each(ctx, sel, []any{int64(id)}, func(r *sql.Rows) error {
		there = true
		var raw sql.RawBytes
		if err := r.Scan(&category, &raw); err != nil {
			return err
		}
		return untext(raw, &tags)
	})
	if err != nil {
		return there, err
	}
	for _, tag := range tags {
		if err := t.exec(ctx, `DELETE FROM tags WHERE tag = ? AND category = ? AND kind = ? AND owner = ?`,
			tag, category, int64(kind), int64(id)); err != nil {
			return there, err
		}
	}
	return there, nil
}

func (t *tx) putTags(ctx context.Context, kind archive.ClaimKind, id archive.ID, c market.Category, tags []string) error {
	if c == "" {
		return nil
	}
	for _, tag := range tags {
		if err := t.exec(ctx, `INSERT OR IGNORE INTO tags (tag, category, kind, owner) VALUES (?, ?, ?, ?)`,
			tag, string(c), int64(kind), int64(id)); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) putSources(ctx context.Context, c *archive.Changes) error {
	const query = `INSERT OR REPLACE INTO sources (id, sha256, name, size, format, authority, licence, imported_at, complete, problem,
			messages, rejected, markets, captures, duplicates, changes, blocks, bytes)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	for i := range c.Sources {
		s := &c.Sources[i]
		n := &s.Counts
		err := t.exec(ctx, query, int64(s.ID), s.SHA256[:], s.Name, s.Size, s.Format, int64(s.Authority), s.Licence, int64(s.ImportedAt), s.Complete, s.Problem,
			n.Messages, text(n.Rejected), n.Markets, n.Captures, n.Duplicates, n.Changes, n.Blocks, n.Bytes)
		if err != nil {
			return err
		}
	}
	return nil
}

// putCaptures puts claims, parts and blocks.
func (t *tx) putCaptures(ctx context.Context, c *archive.Changes) error {
	const claim = `INSERT OR REPLACE INTO claims (kind, owner, source, doc) VALUES (?, ?, ?, ?)`
	for i := range c.Claims {
		k := &c.Claims[i]
		if err := t.exec(ctx, claim, int64(k.Kind), int64(k.Owner), int64(k.Source), k.Doc); err != nil {
			return err
		}
	}
	const part = `INSERT OR REPLACE INTO parts (owner, source, token, kind, whole, blocks, captures, changes, bytes, first, last, span)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	for i := range c.Parts {
		p := &c.Parts[i]
		if err := t.exec(ctx, part, int64(p.Owner), int64(p.Source), int64(p.Token), int64(p.Stream), p.Whole, p.Blocks, p.Captures,
			p.Changes, p.Bytes, int64(p.First), int64(p.Last), int64(p.Span)); err != nil {
			return err
		}
	}
	const block = `INSERT INTO blocks (token_id, kind, first, sequence, last, source, position, captures, changes, kinds, bytes,
			checksum, anchor, keyframe, version, data)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`
	for i := range c.Blocks {
		b := &c.Blocks[i]
		if err := t.exec(ctx, block, int64(b.Token), int64(b.Stream), int64(b.First), b.Sequence, int64(b.Last), int64(b.Source), b.Position,
			b.Captures, b.Changes, int64(b.Kinds), b.Bytes, int64(b.Checksum), int64(b.Anchor), b.Keyframe, int64(b.Version), b.Data); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) putMarkets(ctx context.Context, c *archive.Changes) error {
	const query = `INSERT OR REPLACE INTO markets (id, venue, venue_id, alt_id, slug, question, description, category,
			event, series, event_id, series_id, tags, coin, type, start_at, end_at,
			source_closed, source_closed_at, source_updated_at, mirrored, tick, min_size,
			status, closed_at, updated_at, undated, disputed, owners,
			captures, first, last, captured, coverage, silence, pair_lag, content, basis, search)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	for i := range c.Markets {
		row := &c.Markets[i]
		m, s := &row.Market, &row.Stats
		if err := t.dropMarket(ctx, row.ID, false); err != nil {
			return err
		}
		err := t.exec(ctx, query, int64(row.ID), string(m.Venue), m.VenueID, m.AltID, m.Slug, m.Question, m.Description, string(m.Category),
			int64(row.Event), int64(row.Series), m.EventID, m.SeriesID, text(m.Tags), m.Coin, m.Type, int64(m.Start), int64(m.End),
			m.Closed, int64(m.ClosedAt), int64(m.UpdatedAt), m.Mirrored, int64(m.Tick), int64(m.MinSize),
			int64(row.Status), int64(row.ClosedAt), int64(row.UpdatedAt), row.Undated, row.Disputed, packIDs(row.Owners),
			s.Captures, int64(s.First), int64(s.Last), s.Captured, s.Coverage, int64(s.Silence), int64(s.PairLag), s.Content[:], row.Basis[:],
			searchText(m.Question, m.Slug))
		if err != nil {
			return fmt.Errorf("market %s: %w", m.VenueID, err)
		}
		if err := t.putBeside(ctx, row); err != nil {
			return fmt.Errorf("market %s: %w", m.VenueID, err)
		}
	}
	return nil
}

// putBeside puts what stands in other tables than the market's own.
func (t *tx) putBeside(ctx context.Context, row *archive.MarketRow) error {
	m := &row.Market
	for i, k := range m.Tokens {
		var keys []archive.ID
		if i < len(row.Keys) {
			keys = row.Keys[i]
		}
		if err := t.exec(ctx, `INSERT INTO tokens (market_id, position, id, venue_id, label, outcome, derived, keys) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
			int64(row.ID), i, int64(archive.TokenID(m.Venue, k.VenueID)), k.VenueID, k.Label, int64(k.Outcome), k.Derived, packIDs(keys)); err != nil {
			return err
		}
	}
	for _, g := range row.Gaps {
		if err := t.exec(ctx, `INSERT OR REPLACE INTO gaps (token_id, from_at, to_at) VALUES (?, ?, ?)`,
			int64(archive.TokenID(m.Venue, m.Tokens[g.Token].VenueID)), int64(g.From), int64(g.To)); err != nil {
			return err
		}
	}
	if p := m.Payout; p != nil {
		if err := t.exec(ctx, `INSERT INTO payouts (market_id, basis, fractions) VALUES (?, ?, ?)`, int64(row.ID), string(p.Basis), text(p.Fractions)); err != nil {
			return err
		}
	}
	if f := m.Fees; f != nil {
		if err := t.exec(ctx, `INSERT INTO schedules (market_id, rate, exponent, taker_only) VALUES (?, ?, ?, ?)`,
			int64(row.ID), f.Rate, f.Exponent, f.TakerOnly); err != nil {
			return err
		}
	}
	return t.putTags(ctx, archive.MarketClaim, row.ID, m.Category, m.Tags)
}

func (t *tx) putEvents(ctx context.Context, c *archive.Changes) error {
	const query = `INSERT OR REPLACE INTO events (id, venue, venue_id, slug, title, series, series_id, category, tags,
			start_at, end_at, source_updated_at, updated_at, status, markets, search)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	for i := range c.Events {
		row := &c.Events[i]
		e := &row.Event
		if _, err := t.dropTags(ctx, archive.EventClaim, `SELECT category, tags FROM events WHERE id = ?`, row.ID); err != nil {
			return err
		}
		if err := t.exec(ctx, query, int64(row.ID), string(e.Venue), e.VenueID, e.Slug, e.Title, int64(row.Series), e.SeriesID, string(e.Category), text(e.Tags),
			int64(e.Start), int64(e.End), int64(e.UpdatedAt), int64(row.UpdatedAt), int64(row.Status), row.Markets, searchText(e.Title, e.Slug)); err != nil {
			return fmt.Errorf("event %s: %w", e.VenueID, err)
		}
		if err := t.putTags(ctx, archive.EventClaim, row.ID, e.Category, e.Tags); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) putSeries(ctx context.Context, c *archive.Changes) error {
	const query = `INSERT OR REPLACE INTO series (id, venue, venue_id, slug, title, recurrence, category, tags,
			source_updated_at, updated_at, markets, search)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	for i := range c.Series {
		row := &c.Series[i]
		s := &row.Series
		if _, err := t.dropTags(ctx, archive.SeriesClaim, `SELECT category, tags FROM series WHERE id = ?`, row.ID); err != nil {
			return err
		}
		if err := t.exec(ctx, query, int64(row.ID), string(s.Venue), s.VenueID, s.Slug, s.Title, s.Recurrence, string(s.Category), text(s.Tags),
			int64(s.UpdatedAt), int64(row.UpdatedAt), row.Markets, searchText(s.Title, s.Slug)); err != nil {
			return fmt.Errorf("series %s: %w", s.VenueID, err)
		}
		if err := t.putTags(ctx, archive.SeriesClaim, row.ID, s.Category, s.Tags); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) putWatermarks(ctx context.Context, c *archive.Changes) error {
	for category, at := range c.Watermarks {
		if err := t.exec(ctx, `INSERT OR REPLACE INTO watermarks (category, at) VALUES (?, ?)`, string(category), int64(at)); err != nil {
			return err
		}
	}
	return nil
}

// Shrink gives free pages back to the system.
func (s *store) Shrink(ctx context.Context) error {
	if s.writer == nil {
		return fmt.Errorf("%s: %w", s.path, archive.ErrReadOnly)
	}
	l, err := s.writer.take(ctx)
	if err != nil {
		return s.fail(err)
	}
	defer s.writer.give(l, true)
	// Each step of the statement frees a page.
	err = l.each(ctx, `PRAGMA incremental_vacuum`, nil, func(*sql.Rows) error { return nil })
	if err != nil {
		return s.fail(err)
	}
	return s.fail(l.each(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`, nil, func(*sql.Rows) error { return nil }))
}

// Check runs SQLite's own checks on the file.
func (s *store) Check(ctx context.Context) ([]string, error) {
	l, err := s.readers.take(ctx)
	if err != nil {
		return nil, s.fail(err)
	}
	defer s.readers.give(l, true)
	var out []string
	err = l.each(ctx, `PRAGMA integrity_check(1000)`, nil, func(r *sql.Rows) error {
		var line string
		err := r.Scan(&line)
		if line != "ok" {
			out = append(out, line)
		}
		return err
	})
	return out, s.fail(err)
}
