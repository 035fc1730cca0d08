package catalogue

import (
	"context"
	"database/sql"

	"github.com/ladderback/ladderback/archive/sqlite/grams"
	"github.com/ladderback/ladderback/archive/sqlite/pool"
	"github.com/ladderback/ladderback/archive/sqlite/short"
	"github.com/ladderback/ladderback/archive/sqlite/txn"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// Drop removes markets, with all that stands beside them here, events and series.
func (t *Catalogue) Drop(ctx context.Context, c *store.Changes) error {
	if err := t.dropRows(ctx, store.MarketClaim, c.DropMarkets,
		`DELETE FROM gaps WHERE token_id IN (SELECT id FROM tokens WHERE market = ?)`, `DELETE FROM tokens WHERE market = ?`, `DELETE FROM schedules WHERE market = ?`); err != nil {
		return err
	}
	if err := t.dropRows(ctx, store.EventClaim, c.DropEvents); err != nil {
		return err
	}
	return t.dropRows(ctx, store.SeriesClaim, c.DropSeries)
}

// dropRows removes rows with their tags, and what other tables have of their numbers.
func (t *Catalogue) dropRows(ctx context.Context, kind store.ClaimKind, ids []store.ID, beside ...string) error {
	numbers, err := t.Numbers(ctx, kind, ids)
	if err != nil {
		return err
	}
	tags, steps := grams.NewTags(kind), pool.Steps{On: t}
	for _, id := range ids {
		n := numbers[id]
		if err := t.dropTags(ctx, kind, n, tags); err != nil {
			return err
		}
		for _, q := range append(beside, `DELETE FROM `+txn.Tables[kind]+` WHERE number = ?`) {
			steps.Exec(ctx, q, n)
		}
	}
	if steps.Err != nil {
		return steps.Err
	}
	return t.Fail(tags.Put(ctx, t.Link))
}

// dropTags notes that a row is to have no tags.
func (t *Catalogue) dropTags(ctx context.Context, kind store.ClaimKind, number int64, all *grams.Tags) error {
	var category market.Category
	var tags []string
	err := t.Each(ctx, `SELECT category, tags FROM `+txn.Tables[kind]+` WHERE number = ?`, []any{number}, func(r *sql.Rows) error {
		var raw sql.RawBytes
		if err := r.Scan(&category, &raw); err != nil {
			return err
		}
		return short.Untext(raw, &tags)
	})
	all.Lose(number, category, tags)
	return err
}
