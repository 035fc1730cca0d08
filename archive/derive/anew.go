package derive

import (
	"context"

	"github.com/ladderback/ladderback/archive/store"
)

// readOnly lets what derives rows run without writing them.
type readOnly struct{ store.Reader }

// Apply is never called.
func (readOnly) Apply(context.Context, *store.Changes) error { return store.ErrReadOnly }

// PutBlocks is never called.
func (readOnly) PutBlocks(context.Context, []store.Block) error { return store.ErrReadOnly }

// Markets derives the rows, which are as they are kept, afresh from what their sources
// say, except for what Settle determines. A market that no source names any longer is not
// in the result.
func Markets(ctx context.Context, r store.Reader, rows []*store.MarketRow, sum Sums) (map[store.ID]*store.MarketRow, error) {
	f := New(readOnly{r}, sum, Tops{})
	f.have = make(map[store.ID]*store.MarketRow, len(rows))
	for _, row := range rows {
		f.touchRow(row)
		f.have[row.ID] = row
	}
	set, err := f.resolve(ctx)
	if err != nil {
		return nil, err
	}
	if err := set.nameGroups(ctx, r); err != nil {
		return nil, err
	}
	parts, err := set.parts(ctx, r)
	if err != nil {
		return nil, err
	}
	out := map[store.ID]*store.MarketRow{}
	for _, row := range rows {
		mem := set.members[row.ID]
		if mem == nil || len(mem.claims) == 0 {
			continue
		}
		if out[row.ID], err = f.makeRow(ctx, row.ID, mem, parts, nil); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Events derives the rows of events afresh. Those that neither a source nor a
// market names are not in the result.
func Events(ctx context.Context, r store.Reader, ids []store.ID) (map[store.ID]store.EventRow, error) {
	c := &store.Changes{}
	if err := New(readOnly{r}, nil, Tops{}).sumEvents(ctx, ids, c); err != nil {
		return nil, err
	}
	out := map[store.ID]store.EventRow{}
	for i := range c.Events {
		out[c.Events[i].ID] = c.Events[i]
	}
	return out, nil
}

// Series derives the rows of series afresh. Those that neither a source nor a
// market names are not in the result.
func Series(ctx context.Context, r store.Reader, ids []store.ID) (map[store.ID]store.SeriesRow, error) {
	c := &store.Changes{}
	if err := New(readOnly{r}, nil, Tops{}).sumSeries(ctx, ids, c); err != nil {
		return nil, err
	}
	out := map[store.ID]store.SeriesRow{}
	for i := range c.Series {
		out[c.Series[i].ID] = c.Series[i]
	}
	return out, nil
}
