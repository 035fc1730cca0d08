package terminal

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/figures"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/report/words"
)

// Sweep writes b for a terminal: what the best of the variants is worth, what
// choosing on the past made, the first top variants, maps of the mean pnl, and the
// blocks of the walk-forward.
func Sweep(w io.Writer, b *backtest.SweepBody, top int, s Screen) error {
	p := newPage(s)
	r := b.Sweep
	if band := words.SweepSimulated(r); band != "" {
		p.paragraph(p.paint(reverse, " SIMULATED DATA ")+" ", clean(band))
		p.WriteByte('\n')
	}
	p.paragraph("", clean(b.Summary()))
	p.sweepResult(b)
	if r.Funnel.Sampled > 0 {
		p.sweepFigures(r)
		p.sweepRows(r, top)
		maps := r.Maps()
		for i := range maps {
			p.sweepMap(r, &maps[i])
		}
		if len(maps) > 0 {
			p.paragraph("  ", p.paint(faint, words.SweepMapKey))
		}
		p.sweepWalk(r)
	}
	p.sweepInvalid(r)
	p.warnings(r.Warnings)
	p.readSweep(b)
	p.sweepFoot(r)
	return p.flush(w)
}

func (p *page) sweepResult(b *backtest.SweepBody) {
	r := b.Sweep
	v := words.SweepVerdict(r)
	p.heading("Verdict")
	if nothing := words.SweepNothing(r, b.Strategy.Market()); nothing != nil {
		p.nothing(nothing)
		return
	}
	color := amber
	if r.Verdict == backtest.SweepEdge {
		color = green
	}
	p.paragraph("  ", p.paint(color, v[0])+". "+v[1])
	p.paragraph("  ", p.paint(bold, words.SweepWalk(r)))
	for _, line := range []string{words.SweepBest(r), words.SweepLuck(r), words.SweepSurvivors(r), words.SweepNeighbours(r), words.SweepLook(b.Strategy.Market(), b.Tally), words.Lock(r.Options.HoldOut)} {
		if line != "" {
			p.paragraph("  ", line)
		}
	}
	p.paragraph("  ", p.paint(faint, words.SweepCounts(r)))
}

func (p *page) sweepFigures(r *backtest.Sweep) {
	fs := words.SweepFigures(r)
	if len(fs) == 0 {
		return
	}
	p.heading("What luck explains")
	t := p.grid(nil, 2)
	for _, f := range fs {
		t.AppendRow(table.Row{f.Name, f.Value, p.paint(faint, f.Interval)})
	}
	p.put(t)
}

// sweepColumns are the columns behind the fields; those that give way first on a
// narrow screen have the higher rank.
var sweepColumns = []struct {
	name string
	rank int
	text func(p *page, v *backtest.SweepRow) string
}{
	{"trades", 0, func(_ *page, v *backtest.SweepRow) string { return figures.Number(v.Trades) }},
	{"win rate", 3, func(_ *page, v *backtest.SweepRow) string { return figures.Or(v.WinRate, figures.Rate) }},
	{"per trade", 0, func(p *page, v *backtest.SweepRow) string {
		if v.MeanPnL == nil {
			return figures.None
		}
		return p.tone(*v.MeanPnL, figures.Signed(*v.MeanPnL))
	}},
	{"95% interval", 1, func(_ *page, v *backtest.SweepRow) string { return words.Interval(v.Interval, figures.Signed) }},
	{"total pnl", 0, func(p *page, v *backtest.SweepRow) string { return p.tone(v.TotalPnL, figures.Signed(v.TotalPnL)) }},
	{"Sharpe", 2, func(_ *page, v *backtest.SweepRow) string { return figures.Plain(v.Sharpe, 3) }},
}

// sweepRows writes the best variants, and the strategy itself where it is not
// among them.
func (p *page) sweepRows(r *backtest.Sweep, top int) {
	shown := min(top, len(r.Variants))
	heading, order := "Variants, best first", "In the order of the Sharpe ratio per round end"
	switch tooFew := slices.IndexFunc(r.Variants[:shown], func(v backtest.SweepRow) bool { return !v.Eligible }); {
	case tooFew == 0:
		heading, order = "Variants, the most trades first", "None has enough trades to be ranked"
	case tooFew > 0:
		order += ", those with too few trades behind"
	}
	p.heading(heading)
	for rank := 4; rank > 0; rank-- { // as many columns as fit
		if t := p.sweepTable(r, shown, rank); rank == 1 || p.fits(t) {
			p.put(t)
			break
		}
	}
	note := "* the sentence's own values"
	if hidden := len(r.Variants) - shown; hidden > 0 {
		note += fmt.Sprintf(". %s more: --top %d, --format csv or html", figures.Count(hidden, "variant"), len(r.Variants))
	}
	p.paragraph("  ", p.paint(faint, note+". "+order+"; intervals are those of each variant alone."))
}

// sweepTable has the columns below a rank.
func (p *page) sweepTable(r *backtest.Sweep, shown, rank int) *grid {
	header := table.Row{""}
	for i := range r.Axes {
		header = append(header, fieldHead(r.Axes[i].Field))
	}
	for _, c := range sweepColumns {
		if c.rank < rank {
			header = append(header, c.name)
		}
	}
	columns := make([]int, len(header))
	for i := range columns {
		columns[i] = i + 1
	}
	t := p.grid(header, columns...)
	add := func(v *backtest.SweepRow, place string) {
		mark := " "
		if v.Number == r.Own.Number {
			mark = "*"
		}
		row := table.Row{place + mark}
		for _, value := range v.Values {
			row = append(row, words.SweepValue(value))
		}
		for _, c := range sweepColumns {
			if c.rank < rank {
				row = append(row, c.text(p, v))
			}
		}
		t.AppendRow(row)
	}
	marked := false
	for i := range shown {
		add(&r.Variants[i], figures.Number(i+1))
		marked = marked || r.Variants[i].Number == r.Own.Number
	}
	if !marked {
		place := "…"
		if k := slices.IndexFunc(r.Variants, func(v backtest.SweepRow) bool { return v.Number == r.Own.Number }); k >= 0 {
			place = figures.Number(k + 1)
		}
		add(&r.Own, place)
	}
	return t
}

// fieldHead breaks the name of a field of a condition, to keep its column narrow.
func fieldHead(field string) string {
	name := words.SweepField(field)
	if k := strings.LastIndexByte(name, '.'); k >= 0 {
		return name[:k+1] + "\n" + name[k+1:]
	}
	return name
}

// sweepMap draws the mean pnl over two axes.
func (p *page) sweepMap(r *backtest.Sweep, m *backtest.SweepMap) {
	p.heading(words.SweepMapTitle(m))
	label, width, most := 0, 0, 0.0
	if m.Down != nil {
		for _, v := range m.Down.Values {
			label = max(label, len(v.String()))
		}
	}
	for _, v := range m.Across.Values {
		width = max(width, len(v.String()))
	}
	for _, row := range m.Rows {
		for _, v := range row {
			width = max(width, text.StringWidth(cellText(v)))
			if v != nil && v.Eligible {
				most = max(most, math.Abs(v.MeanPnL.Float()))
			}
		}
	}
	fit := max((p.width-4-label)/(width+3), 1)
	columns := len(m.Across.Values)
	if columns > 3*fit {
		p.sweepGlyphs(r, m, label)
		return
	}
	for from := 0; from < columns; from += fit {
		to := min(from+fit, columns)
		if from > 0 {
			p.WriteByte('\n')
		}
		var head strings.Builder
		head.WriteString(strings.Repeat(" ", 2+label))
		for _, v := range m.Across.Values[from:to] {
			head.WriteString(text.AlignRight.Apply(v.String(), width+2) + " ")
		}
		p.line("%s", p.paint(faint, strings.TrimRight(head.String(), " ")))
		for y, row := range m.Rows {
			var line strings.Builder
			line.WriteString("  " + text.AlignRight.Apply(rowLabel(m, y), label))
			for _, v := range row[from:to] {
				line.WriteString(p.sweepCell(v, v != nil && v.Number == r.Own.Number, width, most))
			}
			p.line("%s", strings.TrimRight(line.String(), " "))
		}
	}
}

func rowLabel(m *backtest.SweepMap, y int) string {
	if m.Down == nil {
		return ""
	}
	return m.Down.Values[y].String()
}

func cellText(v *backtest.SweepRow) string {
	if v == nil {
		return ""
	}
	if v.MeanPnL == nil {
		return figures.None
	}
	return figures.Signed(*v.MeanPnL)
}

// shades are backgrounds from weak to strong, of losses and of gains.
var shades = [2][3]ink{
	{"30;48;5;224", "30;48;5;217", "30;48;5;210"},
	{"30;48;5;194", "30;48;5;157", "30;48;5;114"},
}

// sweepCell writes one cell of width + 3 columns: a frame around the strategy's
// own, and the cell's mark.
func (p *page) sweepCell(v *backtest.SweepRow, own bool, width int, most float64) string {
	open, shut, dot := " ", " ", " "
	if own {
		open, shut = "[", "]"
	}
	if mark := words.SweepMark(v); mark != "" {
		dot = mark
	}
	s := text.AlignRight.Apply(cellText(v), width) + dot
	switch {
	case v == nil || v.MeanPnL == nil:
	case !v.Eligible:
		s = p.paint(faint, s)
	case most > 0:
		gain := 0
		if *v.MeanPnL > 0 {
			gain = 1
		}
		s = p.paint(shades[gain][min(int(3*math.Abs(v.MeanPnL.Float())/most), 2)], s)
	}
	return open + s + shut
}

// sweepGlyphs draws a map that is too wide for numbers, a letter a cell.
func (p *page) sweepGlyphs(r *backtest.Sweep, m *backtest.SweepMap, label int) {
	columns := m.Across.Values
	if len(columns) > p.width-3-label {
		p.paragraph("  ", p.paint(faint, fmt.Sprintf("%s are too many for this terminal: --format html draws them.", figures.Count(len(columns), "column"))))
		return
	}
	for y, row := range m.Rows {
		var line strings.Builder
		line.WriteString("  " + text.AlignRight.Apply(rowLabel(m, y), label) + " ")
		for _, v := range row {
			line.WriteString(p.glyph(v, v != nil && v.Number == r.Own.Number))
		}
		p.line("%s", strings.TrimRight(line.String(), " "))
	}
	p.paragraph("  ", p.paint(faint, fmt.Sprintf("Columns from %s to %s. + gain, − loss, ▲ ▼ the same where the interval excludes zero, ◆ survives, · too few trades for a verdict, o the sentence's own values, empty: no valid strategy. --format html has the numbers.",
		columns[0], columns[len(columns)-1])))
}

func (p *page) glyph(v *backtest.SweepRow, own bool) string {
	switch {
	case v == nil:
		return " "
	case own:
		return p.paint(bold, "o")
	case !v.Eligible:
		return p.paint(faint, "·")
	case v.Survives:
		return p.paint(green, "◆")
	case v.Verdict == stats.Positive:
		return p.paint(green, "▲")
	case v.Verdict == stats.Negative:
		return p.paint(red, "▼")
	case *v.MeanPnL > 0:
		return p.paint(green, "+")
	}
	return p.paint(red, "−")
}

// maxBlocks is how many blocks of the walk-forward are listed at most.
const maxBlocks = 14

func (p *page) sweepWalk(r *backtest.Sweep) {
	w := r.WalkForward
	if len(w.Blocks) == 0 {
		return
	}
	p.heading("Walk-forward: chosen on the past, traded in the block, UTC")
	t := p.sweepBlocks(r, true)
	if !p.fits(t) {
		t = p.sweepBlocks(r, false)
	}
	p.put(t)
	p.paragraph("  ", p.paint(faint, "Past: distinct ends of rounds that the choice rests on; rounds that were not over when the block began are left out of it."))
}

// sweepBlocks lists the blocks; wide: with how the variant had done before.
func (p *page) sweepBlocks(r *backtest.Sweep, wide bool) *grid {
	header := table.Row{"from", "past"}
	for i := range r.Axes {
		header = append(header, fieldHead(r.Axes[i].Field))
	}
	if wide {
		header = append(header, "before,\nper trade")
	}
	header = append(header, "trades", "per trade", "pnl")
	columns := []int{}
	for i := range header {
		columns = append(columns, i+2)
	}
	t := p.grid(header, columns...)
	blocks := r.WalkForward.Blocks
	for i := range blocks {
		if hidden := len(blocks) - maxBlocks; hidden > 1 && i >= maxBlocks/2 && i < len(blocks)-maxBlocks/2 {
			if i == maxBlocks/2 {
				t.AppendRow(table.Row{fmt.Sprintf("… %s more", figures.Number(hidden))})
			}
			continue
		}
		t.AppendRow(p.blockRow(r, &blocks[i], wide))
	}
	return t
}

func (p *page) blockRow(r *backtest.Sweep, b *backtest.SweepBlock, wide bool) table.Row {
	row := table.Row{words.BlockTime(b.From), figures.Number(b.PastEnds)}
	rest := table.Row{figures.None, figures.None, figures.None, figures.None}
	for i := range r.Axes {
		if b.Variant == nil {
			row = append(row, figures.None)
		} else {
			row = append(row, words.SweepValue(b.Values[i].Ptr()))
		}
	}
	if b.Variant != nil {
		rest = table.Row{figures.Or(b.PastMeanPnL, figures.Signed), figures.Number(b.Trades), figures.Or(b.MeanPnL, figures.Signed),
			p.tone(b.TotalPnL, figures.Signed(b.TotalPnL))}
	}
	if !wide {
		rest = rest[1:]
	}
	return append(row, rest...)
}

// maxInvalid is how many invalid combinations are listed.
const maxInvalid = 3

func (p *page) sweepInvalid(r *backtest.Sweep) {
	if len(r.Invalid) == 0 {
		return
	}
	p.heading(figures.Count(len(r.Invalid), "combination") + figures.Plural(len(r.Invalid), " is", " are") + " no valid strategy")
	for i := range r.Invalid[:min(maxInvalid, len(r.Invalid))] {
		p.paragraph("  ", clean(words.SweepInvalid(r.Axes, &r.Invalid[i])))
	}
	if hidden := len(r.Invalid) - maxInvalid; hidden > 0 {
		p.line("  %s", p.paint(faint, fmt.Sprintf("%s more: --format json lists all.", figures.Number(hidden))))
	}
}

func (p *page) readSweep(b *backtest.SweepBody) {
	p.read(&backtest.Body{Parse: b.Parse, Note: b.Note})
}

func (p *page) sweepFoot(r *backtest.Sweep) {
	p.WriteByte('\n')
	p.paragraph("", p.paint(faint, fmt.Sprintf("latency %d ms, fees %s, %s sampling, seed %d", r.Options.LatencyMS, r.Options.Fees, r.Options.Sampling, r.Options.Seed)))
	p.paragraph("", p.paint(faint, fmt.Sprintf("receipt: strategy %.12s data %.12s engine %d report %.12s",
		r.Receipt.Strategy, r.Receipt.Data, r.Receipt.Engine, r.Receipt.Report)))
}
