package catalogue

import (
	"context"
	"database/sql"

	"github.com/ladderback/ladderback/market"
)

// What most markets have in common is stored once: names of venues, payouts, and
// tokens of which only the label is known.

// word returns the number of a text, storing it if it is new; 0 for the empty text.
func (t *Catalogue) word(ctx context.Context, of string) (id int64, err error) {
	if of == "" {
		return 0, nil
	}
	if id, ok := t.words[of]; ok {
		return id, nil
	}
	scan := func(r *sql.Rows) error { return r.Scan(&id) }
	if err = t.Each(ctx, `SELECT id FROM words WHERE text = ?`, []any{of}, scan); err == nil && id == 0 {
		err = t.Each(ctx, `INSERT INTO words (text) VALUES (?) RETURNING id`, []any{of}, scan)
	}
	if err != nil {
		return 0, err
	}
	if t.words == nil || len(t.words) > 1000 {
		t.words = map[string]int64{}
	}
	t.words[of] = id
	return id, nil
}

func (t *Catalogue) putVenue(ctx context.Context, v market.Venue) error {
	if t.venues[v] {
		return nil
	}
	if err := t.Exec(ctx, `INSERT OR IGNORE INTO venues (name) VALUES (?)`, string(v)); err != nil {
		return err
	}
	if t.venues == nil {
		t.venues = map[market.Venue]bool{}
	}
	t.venues[v] = true
	return nil
}
