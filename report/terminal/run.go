package terminal

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/guptarohit/asciigraph"
	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/figures"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/report/words"
	"github.com/ladderback/ladderback/strategy"
)

// Run writes b for a terminal: the sentence understood and what was
// assumed, the numbers with their intervals, the verdict and the baseline, an
// equity curve, the first and last trades, where the other markets went, and
// the warnings. Times are UTC.
func Run(w io.Writer, b *backtest.Body, s Screen) error {
	p := newPage(s)
	p.understood(b)
	r := b.Report
	p.result(r)
	p.numbers(r)
	p.equity(r)
	p.trades(r)
	p.funnel(&r.Funnel)
	p.sensitivity(r)
	p.warnings(r.Warnings)
	p.foot(r)
	return p.flush(w)
}

func (p *page) understood(b *backtest.Body) {
	trace := b.Trace()
	p.heading("Understood")
	p.paragraph("  ", clean(b.Summary()))
	for _, a := range trace.Assumptions {
		p.paragraph(p.paint(faint, "  assumed  "), clean(words.Assumption(a)))
	}
	if words := ignoredWords(trace.Ignored); words != "" {
		p.paragraph(p.paint(faint, "  filler   "), words)
	}
	if b.Note != "" {
		p.paragraph(p.paint(faint, "  note     "), clean(b.Note))
	}
}

// ignoredWords lists what set nothing, each once.
func ignoredWords(spans []strategy.Span) string {
	var words []string
	for _, s := range spans {
		if w := fmt.Sprintf("%q", clean(s.Text)); !slices.Contains(words, w) {
			words = append(words, w)
		}
	}
	return strings.Join(words, ", ")
}

// result writes the headline: what came out, and what it is worth.
func (p *page) result(r *backtest.Report) {
	p.heading("Result")
	p.line("  %s over %s in %s",
		p.paint(bold, p.tone(r.TotalPnL, figures.Signed(r.TotalPnL)+" USD")),
		figures.Count(len(r.Trades), "trade"), figures.Count(r.MarketsFound, "market"))
	v := words.Verdict(r)
	p.paragraph("  ", p.paint(verdictInk(r.Stats.Verdict), v[0])+v[1])
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
func (p *page) numbers(r *backtest.Report) {
	if len(r.Trades) == 0 {
		return
	}
	st, base := &r.Stats, r.Baseline.Value
	t := p.grid()
	header := table.Row{"", "value", "95 % interval"}
	row := func(name, value, interval, baseline string) {
		cells := table.Row{name, value, interval}
		if base != nil {
			cells = append(cells, baseline)
		}
		t.AppendRow(cells)
	}
	var b backtest.Baseline
	if base != nil {
		b = *base
		header = append(header, "baseline")
	}
	t.AppendHeader(header)
	right(t, 2, 3, 4)
	row("mean pnl a trade", figures.USD(st.MeanPnL), figures.Interval(st.MeanPnLInterval, figures.Signed), figures.USD(b.MeanPnL))
	row("win rate", figures.Rate(r.WinRate), figures.Interval(st.WinRateInterval, figures.Rate), figures.Rate(b.WinRate))
	row("total pnl", figures.Signed(r.TotalPnL), "", figures.Signed(b.TotalPnL))
	row("trades", figures.Number(len(r.Trades)), "", figures.Number(b.MarketsTraded))
	row("edge a share", figures.SignedPrice(st.Edge), "", "")
	row("average entry price", figures.Plain(st.AvgEntryPrice, 4), "", "")
	row("median pnl", figures.USD(st.MedianPnL), "", "")
	row("deviation of pnl", figures.Plain(st.SDPnL, 2), "", "")
	row("profit factor", figures.Plain(st.ProfitFactor, 2), "", "")
	row("max drawdown", figures.Thousands(figures.Fixed(st.MaxDrawdown, 2)), "", "")
	row("longest losing streak", figures.Number(st.LongestLosingStreak), "", "")
	row("average hold", figures.Seconds(st.AvgHoldSeconds), "", "")
	row("fees", figures.Thousands(figures.Fixed(st.Fees, 2)), "", "")
	row("pnl before fees", figures.Signed(st.GrossPnL), "", "")
	p.WriteByte('\n')
	p.put("  ", t)
	if base != nil {
		p.paragraph("  ", p.paint(faint, words.Baseline(base)))
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
	label := 10 // columns of the axis, at least
	for _, y := range []float64{slices.Min(curve), slices.Max(curve)} {
		label = max(label, len(strconv.FormatFloat(y, 'f', 2, 64)))
	}
	width := p.width - label - 4
	if len(curve) < width {
		width = min(width, 4*len(curve))
	}
	plot := asciigraph.Plot(curve, asciigraph.Height(10), asciigraph.Width(width), asciigraph.Precision(2))
	p.heading("Equity, USD, after each trade in order of exit")
	for l := range strings.SplitSeq(plot, "\n") {
		p.line("  %s", strings.TrimRight(l, " "))
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
	first, last := r.Trades[0].EntryTime, r.Trades[len(r.Trades)-1].ExitTime
	when := "on " + figures.Day(first)
	if figures.Day(first) != figures.Day(last) {
		when = "from " + figures.Day(first) + " to " + figures.Day(last)
	}
	p.heading("Trades " + when + ", times in UTC")
	t := p.grid()
	if wide {
		t.AppendHeader(table.Row{"#", "market", "side", "bought", "shares", "at", "held", "at", "way out", "fees", "pnl"})
		right(t, 1, 5, 6, 7, 8, 10, 11)
	} else {
		t.AppendHeader(table.Row{"#", "bought", "side", "shares", "at", "held", "at", "way out", "pnl"})
		right(t, 1, 4, 5, 6, 7, 9)
	}
	shares, cents := narrowDecimals(r.Trades)
	for i := range r.Trades {
		if hidden := len(r.Trades) - 2*few; hidden > 1 && i >= few && i < len(r.Trades)-few {
			if i == few {
				t.AppendRow(table.Row{"…", fmt.Sprintf("%s more", figures.Number(hidden))})
			}
			continue
		}
		if wide {
			t.AppendRow(p.wideRow(i, &r.Trades[i]))
		} else {
			t.AppendRow(p.narrowRow(i, &r.Trades[i], shares, cents))
		}
	}
	p.put("  ", t)
}

// narrowDecimals are the decimals of shares and pnl that fit a narrow screen:
// large positions are shown without.
func narrowDecimals(ts []backtest.Trade) (shares, pnl int) {
	shares, pnl = 2, 2
	for i := range ts {
		if ts[i].Shares >= 10_000*stats.One {
			shares = 0
		}
		if ts[i].PnL >= 100_000*stats.One || ts[i].PnL <= -100_000*stats.One {
			pnl = 0
		}
	}
	return shares, pnl
}

func (p *page) narrowRow(i int, t *backtest.Trade, shares, pnl int) table.Row {
	return table.Row{
		figures.Number(i + 1), figures.MonthClock(t.EntryTime), t.Side, figures.Fixed(t.Shares, shares), figures.Fixed(t.EntryPrice, 4),
		figures.Span(t.ExitTime - t.EntryTime), figures.Fixed(t.ExitPrice, 4), words.Exit(t.ExitReason), p.tone(t.PnL, figures.SignedTo(t.PnL, pnl)),
	}
}

func (p *page) wideRow(i int, t *backtest.Trade) table.Row {
	return table.Row{
		figures.Number(i + 1), clean(t.MarketSlug), t.Side, figures.Clock(t.EntryTime), figures.Fixed(t.Shares, 2), figures.Fixed(t.EntryPrice, 4),
		figures.Span(t.ExitTime - t.EntryTime), figures.Fixed(t.ExitPrice, 4), words.Exit(t.ExitReason), figures.Fixed(t.Fees, 2), p.tone(t.PnL, figures.Signed(t.PnL)),
	}
}

func (p *page) funnel(f *backtest.Funnel) {
	p.heading("Where the markets went")
	t := p.grid()
	right(t, 2)
	const most = 20
	for _, s := range words.Steps(f) {
		bar := ""
		if f.Universe > 0 {
			bar = strings.Repeat("█", (s.N*most+f.Universe-1)/f.Universe)
		}
		t.AppendRow(table.Row{s.Name, figures.Number(s.N), bar, p.paint(faint, s.Words)})
	}
	p.put("  ", t)
	for _, r := range words.Reasons(&f.Refusals) {
		if r.N > 0 {
			p.line("  %s refused: %s (%s)", figures.Count(r.N, "order"), r.Words, r.Name)
		}
	}
}

func (p *page) sensitivity(r *backtest.Report) {
	grid := r.SensitivityGrid()
	if len(grid) == 0 {
		return
	}
	p.heading("Total pnl under other conditions, USD")
	t := p.grid()
	header := table.Row{"latency", "fees"}
	for _, c := range grid[0] {
		header = append(header, "$"+c.Budget.String())
	}
	t.AppendHeader(header)
	right(t, 1, 3, 4, 5, 6)
	for _, cells := range grid {
		row := table.Row{fmt.Sprintf("%d ms", cells[0].LatencyMS), cells[0].Fees}
		for _, c := range cells {
			row = append(row, p.tone(c.TotalPnL, figures.Signed(c.TotalPnL)))
		}
		t.AppendRow(row)
	}
	p.put("  ", t)
}

func (p *page) warnings(ws []backtest.Warning) {
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
