package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/guptarohit/asciigraph"
	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/ladderback/ladderback/strategy"
)

// WriteTable writes b for a terminal: the sentence understood and what was
// assumed, the numbers with their intervals, the verdict and the baseline, an
// equity curve, the first and last trades, where the other markets went, and
// the warnings. Times are UTC.
func (b *Body) WriteTable(w io.Writer, s Screen) error {
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

func (p *page) understood(b *Body) {
	trace := b.Trace()
	p.heading("Understood")
	p.paragraph("  ", clean(b.Summary()))
	for _, a := range trace.Assumptions {
		p.paragraph(p.paint(faint, "  assumed  "), clean(assumptionWords(a)))
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

func assumptionWords(a strategy.Assumption) string {
	value := "null"
	if len(a.Value) > 0 {
		value = strings.Trim(string(a.Value), `"`)
	}
	s := a.Field + " = " + value
	if a.Why != "" {
		s += ": " + a.Why
	}
	return s
}

// result writes the headline: what came out, and what it is worth.
func (p *page) result(r *Report) {
	p.heading("Result")
	p.line("  %s over %s in %s",
		p.paint(bold, p.tone(r.TotalPnL, signed(r.TotalPnL)+" USD")),
		count(len(r.Trades), "trade"), count(r.MarketsFound, "market"))
	v := verdictWords(r)
	p.paragraph("  ", p.paint(verdictInk(r.Stats.Verdict), v[0])+v[1])
}

func verdictInk(v Verdict) ink {
	switch v {
	case Positive:
		return green
	case Negative:
		return red
	}
	return amber
}

// verdictWords says the verdict and why, in two parts.
func verdictWords(r *Report) [2]string {
	switch r.Stats.Verdict {
	case Positive:
		return [2]string{"Positive", ": the mean gain a trade is above 0 in the whole of its 95 % interval."}
	case Negative:
		return [2]string{"Negative", ": the mean gain a trade is below 0 in the whole of its 95 % interval."}
	case NoEdge:
		return [2]string{"No edge", ": the 95 % interval of the mean gain a trade contains 0."}
	}
	if len(r.Trades) == 0 {
		return [2]string{"Not enough evidence", ": there were no trades."}
	}
	return [2]string{"Not enough evidence", fmt.Sprintf(": a verdict needs %d trades in rounds with %d distinct ends.", minTrades, minEnds)}
}

// numbers writes the statistics, those that have them with their interval and
// the baseline's value.
func (p *page) numbers(r *Report) {
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
	var b Baseline
	if base != nil {
		b = *base
		header = append(header, "baseline")
	}
	t.AppendHeader(header)
	right(t, 2, 3, 4)
	row("mean pnl a trade", usd(st.MeanPnL), intervalWords(st.MeanPnLInterval, signedCents), usd(b.MeanPnL))
	row("win rate", rate(r.WinRate), intervalWords(st.WinRateInterval, rate), rate(b.WinRate))
	row("total pnl", signedCents(r.TotalPnL), "", signedCents(b.TotalPnL))
	row("trades", number(len(r.Trades)), "", number(b.MarketsTraded))
	row("edge a share", signedPrice(st.Edge), "", "")
	row("average entry price", plain(st.AvgEntryPrice, 4), "", "")
	row("median pnl", usd(st.MedianPnL), "", "")
	row("deviation of pnl", plain(st.SDPnL, 2), "", "")
	row("profit factor", plain(st.ProfitFactor, 2), "", "")
	row("max drawdown", thousands(fixed(st.MaxDrawdown, 2)), "", "")
	row("longest losing streak", number(st.LongestLosingStreak), "", "")
	row("average hold", holdWords(st.AvgHoldSeconds), "", "")
	row("fees", thousands(fixed(st.Fees, 2)), "", "")
	row("pnl before fees", signedCents(st.GrossPnL), "", "")
	p.WriteByte('\n')
	p.put("  ", t)
	if base != nil {
		p.paragraph("  ", p.paint(faint, baselineWords(base)))
	}
}

func baselineWords(b *Baseline) string {
	s := fmt.Sprintf("Baseline: the same side, exits and money, bought %s s after the start whatever the market says.", number(b.EntrySeconds))
	if b.ExcessMeanPnL != nil {
		switch d := *b.ExcessMeanPnL; {
		case d > 0:
			s += fmt.Sprintf(" The entry rule made %s USD a trade more than that.", fixed(d, 2))
		case d < 0:
			s += fmt.Sprintf(" The entry rule made %s USD a trade less than that.", fixed(-d, 2))
		default:
			s += " The entry rule made no difference."
		}
	}
	return s
}

// equity draws the cumulative pnl after each trade, from 0 on.
func (p *page) equity(r *Report) {
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

func (p *page) trades(r *Report) {
	if len(r.Trades) == 0 {
		return
	}
	wide := p.width >= wideWidth
	first, last := r.Trades[0].EntryTime, r.Trades[len(r.Trades)-1].ExitTime
	when := "on " + day(first)
	if day(first) != day(last) {
		when = "from " + day(first) + " to " + day(last)
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
				t.AppendRow(table.Row{"…", fmt.Sprintf("%s more", number(hidden))})
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
func narrowDecimals(ts []Trade) (shares, pnl int) {
	shares, pnl = 2, 2
	for i := range ts {
		if ts[i].Shares >= 10_000*DecimalOne {
			shares = 0
		}
		if ts[i].PnL >= 100_000*DecimalOne || ts[i].PnL <= -100_000*DecimalOne {
			pnl = 0
		}
	}
	return shares, pnl
}

func (p *page) narrowRow(i int, t *Trade, shares, pnl int) table.Row {
	return table.Row{
		number(i + 1), monthClock(t.EntryTime), t.Side, fixed(t.Shares, shares), fixed(t.EntryPrice, 4),
		spanWords(t.ExitTime - t.EntryTime), fixed(t.ExitPrice, 4), exitWords(t.ExitReason), p.tone(t.PnL, signedTo(t.PnL, pnl)),
	}
}

func (p *page) wideRow(i int, t *Trade) table.Row {
	return table.Row{
		number(i + 1), clean(t.MarketSlug), t.Side, clock(t.EntryTime), fixed(t.Shares, 2), fixed(t.EntryPrice, 4),
		spanWords(t.ExitTime - t.EntryTime), fixed(t.ExitPrice, 4), exitWords(t.ExitReason), fixed(t.Fees, 2), p.tone(t.PnL, signedCents(t.PnL)),
	}
}

// step is one count of the funnel.
type step struct {
	name, words string
	n           int
}

// steps are the counts of the funnel in order.
func (f *Funnel) steps() []step {
	return []step{
		{"universe", "of this coin, length and dates", f.Universe},
		{"resolved", "with a payout that counts", f.Resolved},
		{"captured", "with captures during the round", f.Captured},
		{"sampled", "replayed", f.Sampled},
		{"signalled", "where the entry held", f.Signalled},
		{"filled", "traded", f.Filled},
	}
}

// reason is one count of the refusals.
type reason struct {
	name, words string
	n           int
}

// reasons are the counts of the refusals in order of the checks.
func (r *Refusals) reasons() []reason {
	return []reason{
		{"too_late", "arrived at or after the end", r.TooLate},
		{"gap", "arrived in a gap that the source declares", r.Gap},
		{"stale", "met a book that was too old", r.Stale},
		{"crossed", "met a bid above the ask", r.Crossed},
		{"no_liquidity", "found no ask", r.NoLiquidity},
		{"capped", "found no ask at or under the price cap", r.Capped},
		{"below_min_size", "could buy less than the smallest order", r.BelowMinSize},
	}
}

func (p *page) funnel(f *Funnel) {
	p.heading("Where the markets went")
	t := p.grid()
	right(t, 2)
	const most = 20
	for _, s := range f.steps() {
		bar := ""
		if f.Universe > 0 {
			bar = strings.Repeat("█", (s.n*most+f.Universe-1)/f.Universe)
		}
		t.AppendRow(table.Row{s.name, number(s.n), bar, p.paint(faint, s.words)})
	}
	p.put("  ", t)
	for _, r := range f.Refusals.reasons() {
		if r.n > 0 {
			p.line("  %s refused: %s (%s)", count(r.n, "order"), r.words, r.name)
		}
	}
}

func (p *page) sensitivity(r *Report) {
	if len(r.Sensitivity) == 0 {
		return
	}
	p.heading("Total pnl under other conditions, USD")
	t := p.grid()
	header := table.Row{"latency", "fees"}
	columns := len(gridBudget)
	for i := range columns {
		header = append(header, "$"+r.Sensitivity[i].Budget.String())
	}
	t.AppendHeader(header)
	right(t, 1, 3, 4, 5, 6)
	for i := 0; i+columns <= len(r.Sensitivity); i += columns {
		row := table.Row{fmt.Sprintf("%d ms", r.Sensitivity[i].LatencyMS), r.Sensitivity[i].Fees}
		for _, c := range r.Sensitivity[i : i+columns] {
			row = append(row, p.tone(c.TotalPnL, signedCents(c.TotalPnL)))
		}
		t.AppendRow(row)
	}
	p.put("  ", t)
}

func (p *page) warnings(ws []Warning) {
	if len(ws) == 0 {
		return
	}
	p.heading("Warnings")
	for _, w := range ws {
		p.paragraph("  "+p.paint(amber, "! "), clean(w.Message)+" ("+clean(string(w.Code))+")")
	}
}

// foot says which fees and latency were used and how to know the result again.
func (p *page) foot(r *Report) {
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
