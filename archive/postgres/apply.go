package postgres

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// writer is a transaction begun for writing: an archive.Writer.
type writer struct {
	tx
	t       pgx.Tx
	markets int  // put
	whole   bool // a source was completed
}

// Apply deletes, then stores. Statements are sent to the server in batches.
func (t *writer) Apply(ctx context.Context, c *store.Changes) error {
	replaced, err := t.replaced(ctx, c)
	if err != nil {
		return err
	}
	tags, err := t.tagsGone(ctx, replaced)
	if err != nil {
		return err
	}
	b := &batch{}
	b.drop(c)
	b.putSources(c)
	if err := t.putClaims(ctx, b, c); err != nil {
		return err
	}
	b.putParts(c)
	if err := t.send(ctx, b); err != nil {
		return err
	}
	if err := t.PutBlocks(ctx, c.Blocks); err != nil {
		return err
	}
	t.markets += len(c.Markets)
	t.whole = t.whole || slices.ContainsFunc(c.Sources, func(s store.Source) bool { return s.Complete })
	b = &batch{}
	b.putMarkets(lastOf(c.Markets, func(r *store.MarketRow) store.ID { return r.ID }), replaced["markets"], tags)
	b.putEvents(lastOf(c.Events, func(r *store.EventRow) store.ID { return r.ID }), replaced["events"], tags)
	b.putSeries(lastOf(c.Series, func(r *store.SeriesRow) store.ID { return r.ID }), tags)
	b.putTags(tags)
	b.putVenues(c)
	b.putTallies(c)
	for category, at := range c.Watermarks {
		b.add("watermark", `INSERT INTO watermarks (category, at) VALUES ($1, $2)
			ON CONFLICT (category) DO UPDATE SET at = excluded.at`, keep(string(category)), int64(at))
	}
	if err := t.send(ctx, b); err != nil {
		return err
	}
	return t.putPacks(ctx, c)
}

// lastOf returns the last row of each id, in order.
func lastOf[R any](rows []R, id func(*R) store.ID) []*R {
	at := map[store.ID]int{}
	var out []*R
	for i := range rows {
		r := &rows[i]
		if k, ok := at[id(r)]; ok {
			out[k] = r
			continue
		}
		at[id(r)] = len(out)
		out = append(out, r)
	}
	return out
}

// batch is statements for one way to the server and back, with what each is
// about, for messages; and rows to be copied in after them. A statement takes the
// server longer to understand than to carry out, so what comes in numbers is copied.
type batch struct {
	pgx.Batch
	about  []string
	copies []*copied
}

// target is a table, and columns of it, that rows are copied into.
type target struct {
	table   string
	columns []string
}

func columnsOf(table, columns string) *target { return &target{table, strings.Fields(columns)} }

type copied struct {
	*target
	rows [][]any
}

// copy adds a row, of which the table has none with its key by then.
func (b *batch) copy(to *target, row ...any) {
	i := slices.IndexFunc(b.copies, func(c *copied) bool { return c.target == to })
	if i < 0 {
		i = len(b.copies)
		b.copies = append(b.copies, &copied{target: to})
	}
	b.copies[i].rows = append(b.copies[i].rows, row)
}

func (b *batch) add(about, query string, args ...any) {
	b.Queue(query, args...)
	b.about = append(b.about, about)
}

// most statements that are sent before their results are read.
const batchStatements = 2000

func (t *writer) send(ctx context.Context, b *batch) error {
	for len(b.about) > 0 {
		n := min(len(b.about), batchStatements)
		part := &pgx.Batch{QueuedQueries: b.QueuedQueries[:n]}
		results := t.t.SendBatch(ctx, part)
		for _, about := range b.about[:n] {
			if _, err := results.Exec(); err != nil {
				_ = results.Close()
				return t.s.fail(ctx, fmt.Errorf("%s: %w", about, err))
			}
		}
		if err := results.Close(); err != nil {
			return t.s.fail(ctx, err)
		}
		b.QueuedQueries, b.about = b.QueuedQueries[n:], b.about[n:]
	}
	for _, c := range b.copies {
		if _, err := t.t.CopyFrom(ctx, pgx.Identifier{c.table}, c.columns, pgx.CopyFromRows(c.rows)); err != nil {
			return t.s.fail(ctx, fmt.Errorf("%s: %w", c.table, err))
		}
	}
	return nil
}

// tagUse is a tag within a category.
type tagUse struct{ tag, category string }

// replaced returns the rows that go or are replaced and are there, by table: what is new
// needs no look into every index for what it replaces.
func (t *writer) replaced(ctx context.Context, c *store.Changes) (map[string][]int64, error) {
	ids := map[string][]int64{
		"markets": numbers(c.DropMarkets), "events": numbers(c.DropEvents), "series": numbers(c.DropSeries),
	}
	for i := range c.Markets {
		if id := c.Markets[i].ID; !c.New || c.Was[id] != nil {
			ids["markets"] = append(ids["markets"], int64(id))
		}
	}
	for i := range c.Events {
		ids["events"] = append(ids["events"], int64(c.Events[i].ID))
	}
	for i := range c.Series {
		ids["series"] = append(ids["series"], int64(c.Series[i].ID))
	}
	for table, some := range ids {
		if len(some) == 0 {
			continue
		}
		found, err := t.ids(ctx, `SELECT id FROM `+table+` WHERE id = ANY ($1::bigint[])`, some)
		if err != nil {
			return nil, err
		}
		ids[table] = numbers(found)
	}
	return ids, nil
}

// tagsGone returns by how much the uses of tags change for the rows that go or
// are replaced.
func (t *writer) tagsGone(ctx context.Context, ids map[string][]int64) (map[tagUse]int64, error) {
	out := map[tagUse]int64{}
	for _, table := range []string{"markets", "events", "series"} {
		if len(ids[table]) == 0 {
			continue
		}
		query := `SELECT u.tag, m.category, count(*) FROM ` + table + ` m, unnest(m.tags) u(tag)
			WHERE m.id = ANY ($1::bigint[]) AND m.category <> '' GROUP BY 1, 2`
		err := t.each(ctx, query, []any{ids[table]}, func(r pgx.Rows) error {
			var u tagUse
			var n int64
			err := r.Scan(&u.tag, &u.category, &n)
			out[u] -= n
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func countTags(uses map[tagUse]int64, c market.Category, tags []string) {
	if c == "" {
		return
	}
	for _, tag := range tags {
		uses[tagUse{keep(tag), keep(string(c))}]++
	}
}

func (b *batch) putTags(uses map[tagUse]int64) {
	maps.DeleteFunc(uses, func(_ tagUse, n int64) bool { return n == 0 })
	keys := slices.SortedFunc(maps.Keys(uses), func(x, y tagUse) int {
		return cmp.Or(cmp.Compare(x.tag, y.tag), cmp.Compare(x.category, y.category))
	})
	for _, k := range keys {
		b.add("tag", `INSERT INTO tags AS t (tag, category, uses) VALUES ($1, $2, $3)
			ON CONFLICT (tag, category) DO UPDATE SET uses = t.uses + excluded.uses`, k.tag, k.category, uses[k])
		if uses[k] < 0 {
			b.add("tag", `DELETE FROM tags WHERE tag = $1 AND category = $2 AND uses <= 0`, k.tag, k.category)
		}
	}
}

func (b *batch) drop(c *store.Changes) {
	if len(c.DropSources) > 0 {
		b.add("drop sources", `DELETE FROM sources WHERE id = ANY ($1::bigint[])`, numbers(c.DropSources))
	}
	for _, k := range c.DropClaims {
		b.add("drop claims", `DELETE FROM claims WHERE kind = $1 AND owner = $2 AND source = $3`, int16(k.Kind), int64(k.Owner), int64(k.Source))
	}
	for _, k := range c.DropParts {
		b.add("drop parts", `DELETE FROM parts WHERE owner = $1 AND source = $2 AND token = $3 AND kind = $4`,
			int64(k.Owner), int64(k.Source), int64(k.Token), int16(k.Stream))
		b.add("drop blocks", `DELETE FROM blocks WHERE token_id = $1 AND kind = $2 AND source = $3`,
			int64(k.Token), int16(k.Stream), int64(k.Source))
	}
	if ids := numbers(c.DropMarkets); len(ids) > 0 {
		b.dropMarkets(ids)
		b.add("drop tops", dropTops, ids)
	}
	if len(c.DropTops) > 0 {
		b.add("drop tops", dropTops, numbers(c.DropTops))
	}
	if len(c.DropEvents) > 0 {
		b.add("drop events", `DELETE FROM events WHERE id = ANY ($1::bigint[])`, numbers(c.DropEvents))
	}
	if len(c.DropSeries) > 0 {
		b.add("drop series", `DELETE FROM series WHERE id = ANY ($1::bigint[])`, numbers(c.DropSeries))
	}
	b.dropPacks(c)
}

const dropTops = `DELETE FROM blocks WHERE token_id = ANY ($1::bigint[]) AND kind = 5`

func (b *batch) dropMarkets(ids []int64) {
	b.add("drop gaps", `DELETE FROM gaps WHERE market_id = ANY ($1::bigint[])`, ids)
	b.add("drop markets", `DELETE FROM markets WHERE id = ANY ($1::bigint[])`, ids)
}

func (b *batch) putSources(c *store.Changes) {
	for i := range c.Sources {
		s := &c.Sources[i]
		n := &s.Counts
		rejected := []byte("{}")
		if len(n.Rejected) > 0 {
			rejected, _ = json.Marshal(n.Rejected) // of text and numbers: it cannot fail
		}
		b.add("source "+s.Name, upsertSource, int64(s.ID), s.SHA256[:], keep(s.Name), s.Size, keep(s.Format), int16(s.Authority), keep(s.Licence),
			int64(s.ImportedAt), s.Complete, keep(s.Problem), n.Messages, string(rejected), n.Markets, n.Captures, n.Duplicates, n.Changes, n.Blocks, n.Bytes, s.Removed, s.Sum())
	}
}

// putClaims puts claims, of one key the last. Where their sources have none yet, no claim is
// looked for to be removed.
func (t *writer) putClaims(ctx context.Context, b *batch, c *store.Changes) error {
	if len(c.Claims) == 0 {
		return nil
	}
	from := map[int64]bool{}
	for i := range c.Claims {
		from[int64(c.Claims[i].Source)] = true
	}
	again, err := t.ids(ctx, `SELECT s FROM unnest($1::bigint[]) s WHERE EXISTS (SELECT FROM claims WHERE source = s)`, slices.Collect(maps.Keys(from)))
	if err != nil {
		return err
	}
	last := make(map[store.ClaimKey]int, len(c.Claims))
	for i := range c.Claims {
		last[c.Claims[i].ClaimKey] = i
	}
	kinds, owners, sources := []int16{}, []int64{}, []int64{}
	for i := range c.Claims {
		k := &c.Claims[i]
		if last[k.ClaimKey] != i {
			continue
		}
		if slices.Contains(again, store.ID(k.Source)) {
			kinds, owners, sources = append(kinds, int16(k.Kind)), append(owners, int64(k.Owner)), append(sources, int64(k.Source))
		}
		b.copy(claimsIn, int16(k.Kind), int64(k.Owner), int64(k.Source), store.PackDoc(k.Doc))
	}
	if len(owners) > 0 {
		b.add("claims", `DELETE FROM claims c USING unnest($1::smallint[], $2::bigint[], $3::bigint[]) k(kind, owner, source)
			WHERE c.kind = k.kind AND c.owner = k.owner AND c.source = k.source`, kinds, owners, sources)
	}
	return nil
}

func (b *batch) putParts(c *store.Changes) {
	for i := range c.Parts {
		p := &c.Parts[i]
		b.add("part", upsertPart, int64(p.Owner), int64(p.Source), int64(p.Token), int16(p.Stream), p.Whole, p.Blocks, p.Captures,
			p.Changes, p.Bytes, int64(p.First), int64(p.Last), int64(p.Span), p.Refs, p.Sum())
	}
}
