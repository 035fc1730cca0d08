package terminal

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/guptarohit/asciigraph"
	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/figures"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/report/words"
)

// Run writes b for a terminal: a banner if the data is simulated, the strategy
// in one sentence, the verdict with its interval, the numbers, the equity
// curve, where the pnl came from, the first and last trades, where the other
// markets went, the warnings, and how the prompt was read. Times are UTC.
func Run(w io.Writer, b *backtest.Body, s Screen) error {
	p := newPage(s)
	r := b.Report
	p.simulated(r)
	p.paragraph("", clean(b.Summary()))
	p.result(b)
	p.numbers(b)
	p.orders(r)
	p.equity(r)
	p.breakdowns(r)
	p.trades(r)
	p.funnel(r)
	p.after(r)
	p.sensitivity(r)
	p.warnings(r.Warnings)
	p.read(b)
	p.foot(r)
	return p.flush(w)
}

// simulated writes the band over everything else.
func (p *page) simulated(r *backtest.Report) {
	if text := words.Simulated(r); text != "" {
		p.paragraph(p.paint(reverse, " SIMULATED DATA ")+" ", clean(text))
		p.WriteByte('\n')
	}
}

// result writes the headline: the verdict, and what came out.
func (p *page) result(b *backtest.Body) {
	r := b.Report
	v := words.Verdict(r)
	p.heading("Verdict")
	p.paragraph("  ", p.paint(verdictInk(r.Stats.Verdict), v[0])+": "+v[1])
	if r.MarketsFound > 0 {
		p.paragraph("  ", p.paint(bold, words.Headline(r)))
	}
	p.evidence(words.Look(r, b.Strategy.Market(), b.Tally), words.Lock(r.Options.HoldOut))
	p.nothing(words.Nothing(r, b.Strategy.Market()))
}

// nothing writes why there was nothing to replay, and what there is.
func (p *page) nothing(lines []string) {
	for i, line := range lines {
		p.paragraph(strings.Repeat(" ", 2+2*min(i, 1)), clean(line))
	}
}

// evidence writes which look it was, and what of the lockbox.
func (p *page) evidence(look, lock string) {
	for _, text := range []string{look, lock} {
		if text != "" {
			p.paragraph("  ", text)
		}
	}
}

// read says how the prompt became the strategy.
func (p *page) read(b *backtest.Body) {
	trace := b.Trace()
	ignored := words.Ignored(trace.Ignored)
	if len(trace.Assumptions)+len(ignored)+len(b.Note) == 0 {
		return
	}
	p.heading("How the prompt was read")
	for _, a := range trace.Assumptions {
		p.paragraph(p.paint(faint, "  assumed  "), clean(words.Assumption(a)))
	}
	if len(ignored) > 0 {
		p.paragraph(p.paint(faint, "  ignored  "), clean(strings.Join(ignored, ", ")))
	}
	if b.Note != "" {
		p.paragraph(p.paint(faint, "  note     "), clean(b.Note))
	}
}

func verdictInk(v stats.Verdict) ink {
	switch v {
	case stats.Positive:
		return green
	case stats.Negative:
		return red
	}
	return amber
}

// numbers writes the statistics, those that have them with their interval and
// the baseline's value.
func (p *page) numbers(b *backtest.Body) {
	r := b.Report
	if len(r.Trades) == 0 {
		return
	}
	base := r.Baseline.Value
	header := table.Row{"", "value", "95% interval"}
	if base != nil {
		header = append(header, "baseline")
	}
	t := p.grid(header, 2, 3, 4)
	for i, part := range words.Figures(r) {
		if i > 0 {
			t.AppendRow(table.Row{""})
		}
		for _, f := range part {
			row := table.Row{f.Name, p.toned(f.Sign, f.Value), f.Interval}
			if base != nil {
				row = append(row, f.Baseline)
			}
			t.AppendRow(row)
		}
	}
	p.WriteByte('\n')
	p.put(t)
	if base != nil {
		p.WriteByte('\n')
		p.paragraph("  ", p.paint(faint, words.Baseline(base, b.Strategy)))
	}
}

// equity draws the cumulative pnl after each trade, from 0 on.
func (p *page) equity(r *backtest.Report) {
	if len(r.EquityCurve) < 2 {
		return
	}
	curve := []float64{0}
	for _, d := range r.EquityCurve {
		curve = append(curve, d.Float())
	}
	low, high, rows, label := roundTicks(slices.Min(curve), slices.Max(curve))
	width := p.width - label - 5
	if len(curve) < width {
		width = min(width, 4*len(curve))
	}
	plot := asciigraph.Plot(curve, asciigraph.Height(rows), asciigraph.Width(width), asciigraph.Precision(0),
		asciigraph.LowerBound(low), asciigraph.UpperBound(high))
	p.heading("Equity, USD, after each trade in order of exit")
	for l := range strings.SplitSeq(plot, "\n") {
		p.line("  %s", strings.TrimRight(strings.Replace(l, " -", " −", 1), " "))
	}
	first, last := figures.Day(r.Trades[0].ExitTime), figures.Day(r.Trades[len(r.Trades)-1].ExitTime)
	axis := fmt.Sprintf("trade 1, %s", first)
	end := fmt.Sprintf("trade %s, %s", figures.Number(len(r.Trades)), last)
	if room := width - len(axis) - len(end); room > 1 {
		p.line("  %s%s%s%s", strings.Repeat(" ", label+2), axis, strings.Repeat(" ", room), end)
	}
}

// roundTicks returns bounds of an axis over [low, high] that a round step divides
// into about ten rows, and how wide its labels are.
func roundTicks(low, high float64) (from, to float64, rows, label int) {
	step := max(figures.Step(max(high-low, 1)/10), 1)
	from, to = math.Floor(low/step)*step, math.Ceil(high/step)*step
	rows = max(int(math.Round((to-from)/step)), 1)
	for _, y := range []float64{from, to} {
		label = max(label, len(strconv.FormatFloat(y, 'f', 0, 64)))
	}
	return from, to, rows, label
}

// orders writes what became of orders that rest, of pairs and of a bankroll.
func (p *page) orders(r *backtest.Report) {
	for _, g := range words.Orders(r) {
		p.heading(g.Title)
		row := func(cells []string) table.Row {
			out := make(table.Row, len(cells))
			for i := range cells {
				out[i] = cells[i]
			}
			return out
		}
		t := p.grid(row(g.Head), 2, 3, 4)
		for _, r := range g.Rows {
			t.AppendRow(row(r))
		}
		p.put(t)
		p.paragraph("  ", p.paint(faint, g.Note))
	}
}

// breakdowns writes pnl by what trades have in common.
func (p *page) breakdowns(r *backtest.Report) {
	for _, b := range words.Breakdowns(r) {
		if b.Name == words.HourOfEntry { // 24 rows are too many here
			p.paragraph("  ", p.paint(faint, "By hour of entry: --format html, or by_hour in --format json."))
			continue
		}
		p.heading("Pnl by " + b.Name)
		t := p.grid(table.Row{b.Name, "trades", "win rate", "pnl per trade", "total pnl", "return"}, 2, 3, 4, 5, 6)
		for _, g := range b.Rows {
			t.AppendRow(table.Row{
				clean(g.Key), figures.Number(g.Trades), figures.Rate(g.WinRate), figures.USD(g.MeanPnL),
				p.tone(g.TotalPnL, figures.USD(g.TotalPnL)), figures.Or(g.ReturnOnStake, figures.SignedRate),
			})
		}
		p.put(t)
	}
}

// wideWidth is how many columns the trades need with their markets.
const wideWidth = 120

// few is how many of the first and of the last trades are shown.
const few = 5

func (p *page) trades(r *backtest.Report) {
	if len(r.Trades) == 0 {
		return
	}
	wide := p.width >= wideWidth
	p.heading("Trades, " + figures.Dates(r.Trades[0].EntryTime, r.Trades[len(r.Trades)-1].ExitTime) + ", times in UTC")
	t := p.grid(table.Row{"#", "entry time", "side", "entry", "held", "exit", "exit reason", "pnl"}, 1, 4, 5, 6, 8)
	if wide {
		t = p.grid(table.Row{"#", "market", "side", "entry time", "shares", "entry", "held", "exit", "exit reason", "pnl"}, 1, 5, 6, 7, 8, 10)
	}
	marked := false
	for i := range r.Trades {
		if hidden := len(r.Trades) - 2*few; hidden > 1 && i >= few && i < len(r.Trades)-few {
			if i == few {
				t.AppendRow(table.Row{"…", fmt.Sprintf("%s more", figures.Number(hidden))})
			}
			continue
		}
		marked = marked || r.Trades[i].Coverage != nil
		if wide {
			t.AppendRow(p.wideRow(i, &r.Trades[i]))
		} else {
			t.AppendRow(p.narrowRow(i, &r.Trades[i]))
		}
	}
	p.put(t)
	if marked {
		p.line("  * recorded for less than 90%% of the round")
	}
}

// numberOf writes the number of a trade, marked where its round was poorly
// recorded.
func numberOf(i int, t *backtest.Trade) string {
	if t.Coverage != nil {
		return figures.Number(i+1) + "*"
	}
	return figures.Number(i+1) + " "
}

func (p *page) narrowRow(i int, t *backtest.Trade) table.Row {
	return table.Row{
		numberOf(i, t), figures.Minute(t.EntryTime), t.Side, figures.Price(t.EntryPrice),
		figures.Span(t.ExitTime - t.EntryTime), figures.Price(t.ExitPrice), words.Exit(t.ExitReason), p.tone(t.PnL, figures.Signed(t.PnL)),
	}
}

func (p *page) wideRow(i int, t *backtest.Trade) table.Row {
	return table.Row{
		numberOf(i, t), clean(t.MarketSlug), t.Side, figures.Clock(t.EntryTime), figures.Thousands(figures.Fixed(t.Shares, 2)), figures.Price(t.EntryPrice),
		figures.Span(t.ExitTime - t.EntryTime), figures.Price(t.ExitPrice), words.Exit(t.ExitReason), p.tone(t.PnL, figures.Signed(t.PnL)),
	}
}

func (p *page) funnel(r *backtest.Report) {
	f := &r.Funnel
	if f.Universe == 0 {
		return
	}
	p.heading("Where the markets went")
	t := p.grid(nil, 2)
	const limit = 16
	for _, s := range words.Steps(f) {
		if s.Name == "covered" && r.Options.MinCoverage == 0 {
			continue
		}
		bar := ""
		if f.Universe > 0 {
			bar = strings.Repeat("█", (s.N*limit+f.Universe-1)/f.Universe)
		}
		t.AppendRow(table.Row{s.Name, figures.Number(s.N), bar, p.paint(faint, s.Words)})
	}
	p.put(t)
	for _, r := range words.Reasons(f) {
		p.paragraph("  ", fmt.Sprintf("%s refused: %s (%s)", figures.Count(r.N, "order"), r.Words, r.Name))
	}
}

func (p *page) after(r *backtest.Report) {
	lines := words.After(r)
	if len(lines) == 0 {
		return
	}
	p.heading("After the fill")
	for _, line := range lines {
		p.paragraph("  ", line)
	}
}

func (p *page) sensitivity(r *backtest.Report) {
	grid := r.SensitivityGrid()
	if len(grid) == 0 {
		return
	}
	p.heading("Total pnl under other conditions, USD")
	header := table.Row{"latency", "fees"}
	for _, c := range grid[0] {
		header = append(header, "$"+c.Budget.String())
	}
	t := p.grid(header, 1, 3, 4, 5, 6)
	for _, cells := range grid {
		row := table.Row{figures.Number(int(cells[0].LatencyMS)) + " ms", cells[0].Fees}
		for column, c := range cells {
			mark := " "
			if words.AsRun(r, &c, column) {
				mark = "*"
			}
			row = append(row, p.tone(c.TotalPnL, figures.Signed(c.TotalPnL))+mark)
		}
		t.AppendRow(row)
	}
	p.put(t)
	p.paragraph("  ", p.paint(faint, "* as run. "+words.NoFees))
}

func (p *page) warnings(ws []backtest.Warning) {
	ws = slices.DeleteFunc(slices.Clone(ws), func(w backtest.Warning) bool { return w.Code == backtest.SimulatedData }) // the band says it
	if len(ws) == 0 {
		return
	}
	p.heading("Warnings")
	for _, w := range ws {
		p.paragraph("  "+p.paint(amber, "! "), clean(w.Message)+" ("+clean(string(w.Code))+")")
	}
}

// foot says which fees and latency were used and how to know the result again.
func (p *page) foot(r *backtest.Report) {
	p.WriteByte('\n')
	fees := "no fees charged"
	if len(r.FeeSchedules) > 0 {
		fees = "fees " + clean(strings.Join(r.FeeSchedules, "; "))
	}
	p.paragraph("", p.paint(faint, fmt.Sprintf("latency %d ms, %s, %s sampling, seed %d",
		r.Options.LatencyMS, fees, r.Options.Sampling, r.Options.Seed)))
	p.paragraph("", p.paint(faint, fmt.Sprintf("receipt: strategy %.12s data %.12s engine %d report %.12s",
		r.Receipt.Strategy, r.Receipt.Data, r.Receipt.Engine, r.Receipt.Report)))
}
