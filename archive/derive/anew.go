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

// Listed is what is known of the listed markets of events, or of series: their totals, and
// one market of each. The zero value knows of none.
type Listed struct {
	Totals map[store.ID]store.Totals
	rows   []store.MarketRow
}

// Add adds a market to its event or series, if it is listed.
func (l *Listed) Add(group store.ID, row *store.MarketRow) {
	if group == 0 || row.Market.Category == "" {
		return
	}
	if l.Totals == nil {
		l.Totals = map[store.ID]store.Totals{}
	}
	t := l.Totals[group]
	if t.Markets == 0 {
		l.rows = append(l.rows, *row)
	}
	t.Add(row)
	l.Totals[group] = t
}

// counted is a reader that knows the totals of all groups that it is asked for.
type counted struct {
	readOnly
	of *Listed
}

func (c counted) Totals(context.Context, store.Group, []store.ID) (map[store.ID]store.Totals, error) {
	return c.of.Totals, nil
}

func anew(r store.Reader, markets *Listed) *Refresh {
	if markets == nil {
		return New(readOnly{r}, nil, Tops{})
	}
	f := New(counted{readOnly{r}, markets}, nil, Tops{})
	f.rows = markets.rows
	return f
}

// Events derives the rows of events afresh. Those that neither a source nor a market names
// are not in the result. markets are all that are listed of these events; nil: they are read.
func Events(ctx context.Context, r store.Reader, ids []store.ID, markets *Listed) (map[store.ID]store.EventRow, error) {
	c := &store.Changes{}
	if err := anew(r, markets).sumEvents(ctx, ids, c); err != nil {
		return nil, err
	}
	out := map[store.ID]store.EventRow{}
	for i := range c.Events {
		out[c.Events[i].ID] = c.Events[i]
	}
	return out, nil
}

// Series is Events for series.
func Series(ctx context.Context, r store.Reader, ids []store.ID, markets *Listed) (map[store.ID]store.SeriesRow, error) {
	c := &store.Changes{}
	if err := anew(r, markets).sumSeries(ctx, ids, c); err != nil {
		return nil, err
	}
	out := map[store.ID]store.SeriesRow{}
	for i := range c.Series {
		out[c.Series[i].ID] = c.Series[i]
	}
	return out, nil
}
