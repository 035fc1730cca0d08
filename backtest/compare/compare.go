// Package compare says in what two saved backtests differ, and whether one is better.
package compare

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/diff"
	"github.com/ladderback/ladderback/backtest/looks"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/market"
)

// Comparison is a comparison of two runs.
type Comparison struct {
	// Same: strategies, data and reports are equal; the prompts may differ.
	Same bool `json:"same"`
	// Fields are the fields of strategy, options, numbers and receipt that
	// differ.
	Fields []diff.Field `json:"fields"`
	// OnlyA and OnlyB are trades in markets that only one of the runs traded.
	OnlyA []backtest.Trade `json:"only_a"`
	OnlyB []backtest.Trade `json:"only_b"`
	// Changed are trades that differ in markets that both traded.
	Changed []TradeDifference `json:"changed"`
	// Equal counts the trades that are the same in both runs.
	Equal int `json:"equal"`
	// Exits groups the markets that the runs traded differently by how the
	// trade ended in each, largest effect first. Never nil.
	Exits []ExitChange `json:"exits"`
	// Numbers are the headline numbers of both.
	Numbers []NumberPair `json:"numbers"`
	// Paired says whether B is better than A.
	Paired Paired `json:"paired"`
	// Names are the names of the two runs, A first; empty unless the caller
	// sets them.
	Names [2]string `json:"names"`
	// Simulated is what a run with rounds that no exchange made is warned of; left out:
	// neither has any.
	Simulated string `json:"simulated,omitempty"`
}

// TradeDifference is a trade that the two runs made differently.
type TradeDifference struct {
	MarketSlug string        `json:"market_slug"`
	MarketID   string        `json:"market_id"`
	Fields     []diff.Field  `json:"fields"`
	PnLA       stats.Decimal `json:"pnl_a"`
	PnLB       stats.Decimal `json:"pnl_b"`
	PnLChange  stats.Decimal `json:"pnl_change"` // B − A
}

// ExitChange counts the markets that ended one way in A and another way in B.
type ExitChange struct {
	// A and B are exit reasons, or "not traded".
	A         string        `json:"a"`
	B         string        `json:"b"`
	Trades    int           `json:"trades"`
	PnLChange stats.Decimal `json:"pnl_change"` // B − A
}

// notTraded stands for the exit of a trade that a run did not make.
const notTraded = "not traded"

// NumberPair is one number of both reports, under its name there; nil if a
// report does not have it.
type NumberPair struct {
	Name       string         `json:"name"`
	A          *stats.Decimal `json:"a"`
	B          *stats.Decimal `json:"b"`
	Difference *stats.Decimal `json:"difference"` // B − A
}

// Answer says whether B is better than A.
type Answer string

// Answers, by the 95 % interval of the mean difference B − A per round.
const (
	Unknown      Answer = "not_enough_evidence" // fewer than 30 rounds, or 20 distinct ends
	Better       Answer = "better"              // the whole interval is above 0
	Worse        Answer = "worse"               // the whole interval is below 0
	NoDifference Answer = "no_difference"       // it contains 0
)

// Paired compares the pnl of two runs round by round.
type Paired struct {
	// Rounds counts the pairs. SameSample: both runs replayed the same rounds;
	// every round that either run traded is a pair, and the pnl of a round not
	// traded is 0. Otherwise only rounds that both runs traded are pairs.
	Rounds     int  `json:"rounds"`
	SameSample bool `json:"same_sample"`
	// MeanDifference is the mean of pnl B − pnl A over the pairs; nil if there
	// are none.
	MeanDifference *stats.Decimal `json:"mean_difference"`
	// Interval is the 95 % interval of the mean difference, resampled by
	// clusters of rounds that end together; nil if the answer is Unknown.
	Interval *stats.Interval `json:"interval"`
	Answer   Answer          `json:"answer"`
	// Deflated holds the difference against luck in the tries before B, or A where that
	// is the later one; left out where they were not counted, or there is no interval.
	Deflated *looks.Deflated `json:"deflated,omitempty"`
}

// Runs compares two saved runs.
func Runs(a, b *backtest.Body) (*Comparison, error) {
	c := &Comparison{
		Fields: []diff.Field{}, OnlyA: []backtest.Trade{}, OnlyB: []backtest.Trade{}, Changed: []TradeDifference{},
		Exits:   exitChanges(a.Report, b.Report),
		Numbers: numberPairs(a.Report, b.Report), Paired: paired(a.Report, b.Report),
	}
	for _, w := range slices.Concat(a.Report.Warnings, b.Report.Warnings) {
		if w.Code == backtest.SimulatedData {
			c.Simulated = w.Message
		}
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
	ha, err := a.Report.Hash()
	if err != nil {
		return nil, fmt.Errorf("compare: %w", err)
	}
	hb, err := b.Report.Hash()
	if err != nil {
		return nil, fmt.Errorf("compare: %w", err)
	}
	later := a.Tally
	if b.Tally.Look > later.Look {
		later = b.Tally
	}
	if later.Look > 0 {
		c.Paired.Deflated = later.Deflate(c.Paired.MeanDifference, c.Paired.Interval)
	}
	c.Same = ha == hb && !slices.ContainsFunc(c.Fields, func(d diff.Field) bool { return d.Field != "prompt" })
	return c, nil
}

// headOf returns r without what is compared on its own.
func headOf(r *backtest.Report) *backtest.Report {
	head := *r
	head.Trades, head.EquityCurve, head.Options, head.Analysis = nil, nil, backtest.Options{}, backtest.Analysis{}
	head.Receipt.Report, head.Receipt.Options, head.Receipt.Strategy = "", "", ""
	return &head
}

func (c *Comparison) trades(a, b *backtest.Report) error {
	other := make(map[string]*backtest.Trade, len(b.Trades))
	for i := range b.Trades {
		other[b.Trades[i].MarketKey()] = &b.Trades[i]
	}
	for i := range a.Trades {
		t := &a.Trades[i]
		u := other[t.MarketKey()]
		if u == nil {
			c.OnlyA = append(c.OnlyA, *t)
			continue
		}
		delete(other, t.MarketKey())
		diff, err := fieldDifferences("", withLegsOfBoth(t, u), withLegsOfBoth(u, t))
		if err != nil {
			return fmt.Errorf("compare: trade in %s: %w", t.MarketSlug, err)
		}
		if len(diff) == 0 {
			c.Equal++
			continue
		}
		c.Changed = append(c.Changed, TradeDifference{t.MarketSlug, t.MarketID, diff, t.PnL, u.PnL, u.PnL - t.PnL})
	}
	for i := range b.Trades {
		if other[b.Trades[i].MarketKey()] != nil {
			c.OnlyB = append(c.OnlyB, b.Trades[i])
		}
	}
	return nil
}

// withLegsOfBoth returns t, without its legs when the other has none.
func withLegsOfBoth(t, other *backtest.Trade) backtest.Trade {
	out := *t
	if len(other.Legs) == 0 {
		out.Legs = nil
	}
	return out
}

// fieldDifferences walks two values through their JSON and returns the fields
// that differ, in order of A, then those that only B has. Arrays are compared
// item by item.
func fieldDifferences(path string, a, b any) ([]diff.Field, error) {
	ja, err := backtest.CompactJSON(a)
	if err != nil {
		return nil, err
	}
	jb, err := backtest.CompactJSON(b)
	if err != nil {
		return nil, err
	}
	return diff.JSON(path, ja, jb)
}

// numberPairs pairs the numbers that a trader looks at first.
func numberPairs(a, b *backtest.Report) []NumberPair {
	count := func(n int) *stats.Decimal { return new(stats.Decimal(n) * stats.One) }
	pair := func(name string, f func(*backtest.Report) *stats.Decimal) NumberPair {
		p := NumberPair{Name: name, A: f(a), B: f(b)}
		if p.A != nil && p.B != nil {
			p.Difference = new(*p.B - *p.A)
		}
		return p
	}
	return []NumberPair{
		pair("markets_found", func(r *backtest.Report) *stats.Decimal { return count(r.MarketsFound) }),
		pair("markets_traded", func(r *backtest.Report) *stats.Decimal { return count(r.MarketsTraded) }),
		pair("mean_pnl", func(r *backtest.Report) *stats.Decimal { return r.Stats.MeanPnL }),
		pair("win_rate", func(r *backtest.Report) *stats.Decimal { return &r.WinRate }),
		pair("total_pnl", func(r *backtest.Report) *stats.Decimal { return &r.TotalPnL }),
		pair("return_on_stake", func(r *backtest.Report) *stats.Decimal { return r.Analysis.ReturnOnStake }),
		pair("edge", func(r *backtest.Report) *stats.Decimal { return r.Stats.Edge }),
		pair("avg_win", func(r *backtest.Report) *stats.Decimal { return r.Analysis.AvgWin }),
		pair("avg_loss", func(r *backtest.Report) *stats.Decimal { return r.Analysis.AvgLoss }),
		pair("max_drawdown", func(r *backtest.Report) *stats.Decimal { return &r.Stats.MaxDrawdown }),
		pair("fees", func(r *backtest.Report) *stats.Decimal { return &r.Stats.Fees }),
	}
}

// tradePair is what two runs did in one round; nil: that run did not trade it.
type tradePair struct {
	a, b *backtest.Trade
	end  market.Instant // of the round; 0: not known
}

func (p *tradePair) change() stats.Decimal {
	var d stats.Decimal
	if p.b != nil {
		d += p.b.PnL
	}
	if p.a != nil {
		d -= p.a.PnL
	}
	return d
}

// pairsOf returns the rounds that either run traded, those of A first.
func pairsOf(a, b *backtest.Report) []tradePair {
	var pairs []tradePair
	at := make(map[string]int)
	add := func(r *backtest.Report, set func(*tradePair, *backtest.Trade)) {
		for i := range r.Trades {
			t := &r.Trades[i]
			k, ok := at[t.MarketKey()]
			if !ok {
				k = len(pairs)
				at[t.MarketKey()] = k
				pairs = append(pairs, tradePair{})
			}
			set(&pairs[k], t)
			if i < len(r.Analysis.RoundEnds) {
				pairs[k].end = r.Analysis.RoundEnds[i]
			}
		}
	}
	add(a, func(p *tradePair, t *backtest.Trade) { p.a = t })
	add(b, func(p *tradePair, t *backtest.Trade) { p.b = t })
	return pairs
}

// paired answers whether B is better than A. Runs that were saved without the ends
// of their rounds give a mean and no interval.
func paired(a, b *backtest.Report) Paired {
	out := Paired{SameSample: a.Receipt.Data == b.Receipt.Data, Answer: Unknown}
	var diffs []stats.Trade
	known := true
	for _, p := range pairsOf(a, b) {
		if p.a != nil && p.b != nil || out.SameSample {
			diffs = append(diffs, stats.Trade{Close: p.end, PnL: market.Cash(p.change())})
			known = known && p.end != 0
		}
	}
	st := stats.Of(diffs, a.Options.Seed)
	out.Rounds, out.MeanDifference = len(diffs), st.MeanPnL
	if !known {
		return out
	}
	out.Interval = st.MeanPnLInterval
	switch st.Verdict {
	case stats.Positive:
		out.Answer = Better
	case stats.Negative:
		out.Answer = Worse
	case stats.NoEdge:
		out.Answer = NoDifference
	}
	return out
}

func exitChanges(a, b *backtest.Report) []ExitChange {
	exit := func(t *backtest.Trade) string {
		if t == nil {
			return notTraded
		}
		return string(t.ExitReason)
	}
	out := []ExitChange{}
	for _, p := range pairsOf(a, b) {
		change := p.change()
		if exit(p.a) == exit(p.b) && change == 0 {
			continue
		}
		i := slices.IndexFunc(out, func(e ExitChange) bool { return e.A == exit(p.a) && e.B == exit(p.b) })
		if i < 0 {
			i = len(out)
			out = append(out, ExitChange{A: exit(p.a), B: exit(p.b)})
		}
		out[i].Trades++
		out[i].PnLChange += change
	}
	slices.SortStableFunc(out, func(x, y ExitChange) int { return cmp.Compare(y.PnLChange.Abs(), x.PnLChange.Abs()) })
	return out
}
