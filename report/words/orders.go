package words

import (
	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/figures"
	"github.com/ladderback/ladderback/backtest/stats"
)

// Grid is a small table of a report: a name in the first column, values in the others.
type Grid struct {
	Title string     `json:"title"`
	Head  []string   `json:"head"` // one more than a row has values; the first may be empty
	Rows  [][]string `json:"rows"`
	Note  string     `json:"note"` // what the numbers mean; may be empty
}

// Orders returns what became of orders that rest, of pairs and of a bankroll; nil where a
// report has none of them.
func Orders(r *backtest.Report) (out []Grid) {
	if q := r.Queue; q != nil {
		out = append(out, resting(q))
	}
	if p := r.Pairs; p != nil {
		out = append(out, Grid{Title: "Both tokens", Head: []string{"", "value"}, Rows: [][]string{
			{"pairs held", figures.Fixed(p.Pairs, 2)},
			{"mean cost of a pair", figures.Or(p.MeanCost, figures.Price)},
			{"rounds that settled with a leg alone", figures.Number(p.Stranded)},
			{"pnl of those rounds", figures.USD(p.StrandedPnL)},
		}, Note: "A pair pays $1 whoever wins; its cost is without fees."})
	}
	if b := r.Bankroll; b != nil {
		out = append(out, purse(b))
	}
	return out
}

// resting is the table of the three rules.
func resting(q *backtest.QueueReport) Grid {
	g := Grid{
		Title: "Orders that rest, by the place in the queue", Head: []string{"", "through", "back", "front"},
		Note: "Nobody outside the exchange knows the place in the queue. Through: filled only by what must have met the order. " +
			"Back: behind all who stood there. Front: before all of them. Filled more where its token lost than where it won: " +
			"those who sold to it knew better. Rebates and rewards are not counted.",
	}
	sides := []*backtest.QueueSide{&q.Through, &q.Back, &q.Front}
	add := func(name string, value func(*backtest.QueueSide) string) {
		row := []string{name}
		for _, s := range sides {
			row = append(row, value(s))
		}
		g.Rows = append(g.Rows, row)
	}
	add("orders accepted", func(s *backtest.QueueSide) string { return figures.Number(s.Orders) })
	add("shares filled", func(s *backtest.QueueSide) string { return figures.Thousands(figures.Fixed(s.FilledShares, 2)) })
	add("of the shares sent", func(s *backtest.QueueSide) string { return figures.Rate(s.FillRate) })
	add("filled where its token won", func(s *backtest.QueueSide) string { return figures.Or(s.FilledIfWon, figures.Rate) })
	add("filled where it lost", func(s *backtest.QueueSide) string { return figures.Or(s.FilledIfLost, figures.Rate) })
	add("trades", func(s *backtest.QueueSide) string { return figures.Number(s.Trades) })
	add("win rate", func(s *backtest.QueueSide) string { return figures.Rate(s.WinRate) })
	add("pnl per trade", func(s *backtest.QueueSide) string { return figures.Or(s.MeanPnL, figures.USD) })
	add("total pnl", func(s *backtest.QueueSide) string { return figures.USD(s.TotalPnL) })
	add("verdict", func(s *backtest.QueueSide) string { return verdictNames[s.Verdict] })
	return g
}

// verdictNames are verdicts in a cell of a table.
var verdictNames = map[stats.Verdict]string{
	stats.Positive: "positive", stats.Negative: "negative", stats.NoEdge: "no edge", stats.NotEnough: "too few trades",
}

// purse is the table of a bankroll.
func purse(b *backtest.Bankroll) Grid {
	ruined := "never"
	if b.RuinedAt != nil {
		ruined = figures.Clock(*b.RuinedAt)
	}
	rows := [][]string{{"most open at once", figures.Dollars(b.MostOpen)}}
	if b.Start != nil {
		rows = append([][]string{
			{"start", figures.Or(b.Start, figures.Dollars)}, {"end", figures.Or(b.End, figures.Dollars)},
			{"lowest cash", figures.Or(b.LowestCash, figures.Dollars)},
			{"deepest fall of equity", figures.Or(b.MaxDrawdown, figures.Dollars)},
			{"of the peak before it", figures.Or(b.Share, figures.Rate)},
		}, append(rows, []string{"ruined", ruined})...)
	}
	return Grid{Title: "Bankroll", Head: []string{"", "value"}, Rows: rows, Note: "One path through one history: another order of the same rounds compounds otherwise."}
}
