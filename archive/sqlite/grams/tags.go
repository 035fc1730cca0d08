package grams

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"maps"
	"slices"

	"github.com/ladderback/ladderback/archive/sqlite/pool"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// Tags are the rows of one kind that gain and lose tags, to be put together. The table tags has,
// for each sheet and tag within a category, the set of the rows that carry it: these and no others.
type Tags struct {
	kind store.ClaimKind
	of   map[carried]*change
}

// carried is a tag of rows of a sheet.
type carried struct {
	tag      string
	category market.Category
	sheet    int64
}

type change struct{ gain, lose set }

// NewTags returns no changes to the tags of a kind.
func NewTags(kind store.ClaimKind) *Tags { return &Tags{kind, map[carried]*change{}} }

// Gain notes that a row carries tags.
func (t *Tags) Gain(number int64, c market.Category, tags []string) {
	t.each(number, c, tags, func(k *change, i int) { k.gain.add(i); k.lose.drop(i) })
}

// Lose notes that a row carries tags no longer.
func (t *Tags) Lose(number int64, c market.Category, tags []string) {
	t.each(number, c, tags, func(k *change, i int) { k.lose.add(i); k.gain.drop(i) })
}

func (t *Tags) each(number int64, c market.Category, tags []string, f func(*change, int)) {
	for _, tag := range tags {
		at := carried{tag, c, number / sheetRows}
		k := t.of[at]
		if k == nil {
			k = &change{}
			t.of[at] = k
		}
		f(k, int(number%sheetRows))
	}
}

// Put puts them.
func (t *Tags) Put(ctx context.Context, l *pool.Link) error {
	order := func(a, b carried) int {
		return cmp.Or(cmp.Compare(a.tag, b.tag), cmp.Compare(a.category, b.category), cmp.Compare(a.sheet, b.sheet))
	}
	for _, at := range slices.SortedFunc(maps.Keys(t.of), order) { // as the table has them
		key := []any{at.tag, string(at.category), int64(t.kind), at.sheet}
		var now set
		var was []byte
		err := l.Each(ctx, `SELECT rows FROM tags WHERE tag = ? AND category = ? AND kind = ? AND sheet = ?`, key, func(r *sql.Rows) error {
			var b sql.RawBytes
			err := r.Scan(&b)
			was = bytes.Clone(b)
			return err
		})
		if err != nil {
			return err
		}
		now.addAll(was)
		before := now
		for i, k := 0, t.of[at]; i < len(now); i++ {
			now[i] = now[i]&^k.lose[i] | k.gain[i]
		}
		if now == before {
			continue
		}
		if now.len() == 0 {
			err = l.Exec(ctx, `DELETE FROM tags WHERE tag = ? AND category = ? AND kind = ? AND sheet = ?`, key...)
		} else {
			err = l.Exec(ctx, `INSERT OR REPLACE INTO tags (tag, category, kind, sheet, rows) VALUES (?, ?, ?, ?, ?)`, append(key, now.stored())...)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Numbers returns the numbers of the rows of a sheet that a set as it is stored has, in order.
func Numbers(sheet int64, stored []byte) []int64 {
	var s set
	s.addAll(stored)
	out := make([]int64, 0, s.len())
	s.each(func(i int) { out = append(out, sheet*sheetRows+int64(i)) })
	return out
}
