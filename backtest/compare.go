package backtest

import (
	"fmt"
	"slices"

	"github.com/ladderback/ladderback/backtest/figures"
	"github.com/ladderback/ladderback/backtest/stats"
)

// Comparison lays two runs side by side.
type Comparison struct {
	// Same: strategies, data and reports are equal; the prompts may differ.
	Same bool `json:"same"`
	// Fields are those of strategy, options, numbers and receipt that differ.
	Fields []FieldDifference `json:"fields"`
	// OnlyA and OnlyB are trades in markets that only one of them traded.
	OnlyA []Trade `json:"only_a"`
	OnlyB []Trade `json:"only_b"`
	// Changed are trades that differ in markets that both traded.
	Changed []TradeDifference `json:"changed"`
	// Equal counts the trades that are the same in both.
	Equal int `json:"equal"`
	// Numbers holds the headline of both, for the table.
	Numbers []NumberPair `json:"numbers"`
}

// FieldDifference is a field that differs, its values as JSON.
type FieldDifference struct {
	Field string `json:"field"`
	A     string `json:"a"`
	B     string `json:"b"`
}

// TradeDifference is a trade that both runs made in another way.
type TradeDifference struct {
	MarketSlug string            `json:"market_slug"`
	MarketID   string            `json:"market_id"`
	Fields     []FieldDifference `json:"fields"`
	PnLChange  stats.Decimal     `json:"pnl_change"` // B − A
}

// NumberPair is a number of both reports, as text.
type NumberPair struct {
	Name string `json:"name"`
	A    string `json:"a"`
	B    string `json:"b"`
}

// Compare compares two saved runs.
func Compare(a, b *Body) (*Comparison, error) {
	c := &Comparison{
		Fields: []FieldDifference{}, OnlyA: []Trade{}, OnlyB: []Trade{}, Changed: []TradeDifference{},
		Numbers: numberPairs(a.Report, b.Report),
	}
	for _, part := range []struct {
		name string
		a, b any
	}{
		{"prompt", a.Prompt, b.Prompt},
		{"strategy", a.Strategy, b.Strategy},
		{"options", a.Report.Options, b.Report.Options},
		{"report", headOf(a.Report), headOf(b.Report)},
	} {
		diff, err := fieldDifferences(part.name, part.a, part.b)
		if err != nil {
			return nil, fmt.Errorf("compare: %s: %w", part.name, err)
		}
		c.Fields = append(c.Fields, diff...)
	}
	if err := c.trades(a.Report, b.Report); err != nil {
		return nil, err
	}
	ha, err := a.Report.hash()
	if err != nil {
		return nil, fmt.Errorf("compare: %w", err)
	}
	hb, err := b.Report.hash()
	if err != nil {
		return nil, fmt.Errorf("compare: %w", err)
	}
	c.Same = ha == hb && !slices.ContainsFunc(c.Fields, func(d FieldDifference) bool { return d.Field != "prompt" })
	return c, nil
}

// headOf returns r without what is compared on its own.
func headOf(r *Report) *Report {
	head := *r
	head.Trades, head.EquityCurve, head.Options = nil, nil, Options{}
	head.Receipt.Report, head.Receipt.Options, head.Receipt.Strategy = "", "", ""
	return &head
}

// key says which market a trade was made in.
func key(t *Trade) string { return marketKey(t.MarketID, t.MarketSlug) }

func marketKey(id, slug string) string { return id + "\x00" + slug }

func (c *Comparison) trades(a, b *Report) error {
	other := make(map[string]*Trade, len(b.Trades))
	for i := range b.Trades {
		other[key(&b.Trades[i])] = &b.Trades[i]
	}
	for i := range a.Trades {
		t := &a.Trades[i]
		u := other[key(t)]
		if u == nil {
			c.OnlyA = append(c.OnlyA, *t)
			continue
		}
		delete(other, key(t))
		diff, err := fieldDifferences("", withLegsOfBoth(t, u), withLegsOfBoth(u, t))
		if err != nil {
			return fmt.Errorf("compare: trade in %s: %w", t.MarketSlug, err)
		}
		if len(diff) == 0 {
			c.Equal++
			continue
		}
		c.Changed = append(c.Changed, TradeDifference{t.MarketSlug, t.MarketID, diff, u.PnL - t.PnL})
	}
	for i := range b.Trades {
		if other[key(&b.Trades[i])] != nil {
			c.OnlyB = append(c.OnlyB, b.Trades[i])
		}
	}
	return nil
}

// withLegsOfBoth returns t, without its legs when the other has none.
func withLegsOfBoth(t, other *Trade) Trade {
	out := *t
	if len(other.Legs) == 0 {
		out.Legs = nil
	}
	return out
}

// tradeDifferences names the fields in which two trades differ.
func tradeDifferences(a, b *Trade) []string {
	diff, err := fieldDifferences("", *a, *b)
	if err != nil {
		return []string{err.Error()}
	}
	names := make([]string, len(diff))
	for i, d := range diff {
		names[i] = d.Field
	}
	return names
}

// fieldDifferences walks two values through their JSON and returns the fields
// that differ, in order of A, then those that only B has. Arrays are compared
// item by item.
func fieldDifferences(path string, a, b any) ([]FieldDifference, error) {
	ja, err := CompactJSON(a)
	if err != nil {
		return nil, err
	}
	jb, err := CompactJSON(b)
	if err != nil {
		return nil, err
	}
	return diffJSON(path, ja, jb)
}

// numberPairs pairs the numbers that a trader looks at first.
func numberPairs(a, b *Report) []NumberPair {
	pair := func(name string, f func(*Report) string) NumberPair { return NumberPair{name, f(a), f(b)} }
	return []NumberPair{
		pair("markets replayed", func(r *Report) string { return figures.Number(r.MarketsFound) }),
		pair("trades", func(r *Report) string { return figures.Number(r.MarketsTraded) }),
		pair("total pnl", func(r *Report) string { return figures.Signed(r.TotalPnL) }),
		pair("mean pnl a trade", func(r *Report) string { return figures.USD(r.Stats.MeanPnL) }),
		pair("  95 % interval", func(r *Report) string { return figures.Interval(r.Stats.MeanPnLInterval, figures.Signed) }),
		pair("win rate", func(r *Report) string { return figures.Rate(r.WinRate) }),
		pair("  95 % interval", func(r *Report) string { return figures.Interval(r.Stats.WinRateInterval, figures.Rate) }),
		pair("edge a share", func(r *Report) string { return figures.SignedPrice(r.Stats.Edge) }),
		pair("max drawdown", func(r *Report) string { return figures.Thousands(figures.Fixed(r.Stats.MaxDrawdown, 2)) }),
		pair("fees", func(r *Report) string { return figures.Thousands(figures.Fixed(r.Stats.Fees, 2)) }),
		pair("verdict", func(r *Report) string { return string(r.Stats.Verdict) }),
	}
}
