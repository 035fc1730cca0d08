package page

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"strings"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/figures"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/report/words"
)

//go:embed sweep.tmpl
var sweepText string

// variantLimit is how many variants the page lists.
const variantLimit = 500

// WriteSweep writes b as one page that needs nothing else: no address outside it
// is asked.
func WriteSweep(w io.Writer, b *backtest.SweepBody) error {
	v, err := newSweepView(b)
	if err != nil {
		return err
	}
	// The style is the one of the page of a run.
	_, rest, _ := strings.Cut(pageText, "<style>")
	style, _, _ := strings.Cut(rest, "</style>")
	t, err := template.New("sweep").Funcs(functions).Parse(strings.Replace(sweepText, "/* style */", style, 1))
	if err != nil {
		return fmt.Errorf("html: %w", err)
	}
	if err := t.Execute(w, v); err != nil {
		return fmt.Errorf("html: %w", err)
	}
	return nil
}

// sweepView is what the page's template reads.
type sweepView struct {
	Title       string
	Prompt      string
	Summary     string
	Simulated   string
	Assumptions []string
	Ignored     []string
	Note        string
	Verdict     [2]string
	Nothing     []string
	Walk        string
	Said        []string // the best, luck, the neighbours
	Counts      string
	Tiles       []words.Figure
	Maps        []mapView
	MapKey      string
	Fields      []string
	Rows        []variantView
	Hidden      string
	Blocks      []blockView
	Equity      template.HTML
	Invalid     []string
	MoreInvalid string
	Warnings    []backtest.Warning
	Options     string
	Receipt     backtest.Receipt
}

type mapView struct {
	Title  string
	Down   string
	Header []string
	Rows   []mapRow
}

type mapRow struct {
	Label string
	Cells []mapCell
}

type mapCell struct {
	Text, Class, Help string
}

type variantView struct {
	Rank                                                               int
	Values                                                             []string
	Trades, WinRate, Mean, Interval, Total, Return, Sharpe, Class, Own string
	TotalBy, MeanBy                                                    string // what the columns are sorted by
}

type blockView struct {
	From, To, Past       string
	Values               []string
	Before, Trades, Mean string
	Total, Class         string
}

func newSweepView(b *backtest.SweepBody) (*sweepView, error) {
	r := b.Sweep
	trace := backtest.Body{Parse: b.Parse}
	v := &sweepView{
		Title: "Sweep: " + b.Prompt, Prompt: b.Prompt, Summary: b.Summary(), Note: b.Note,
		Simulated: words.SweepSimulated(r), Verdict: words.SweepVerdict(r), Nothing: words.SweepNothing(r, b.Strategy.Market()),
		Walk: words.SweepWalk(r), Counts: words.SweepCounts(r), Tiles: words.SweepFigures(r), MapKey: words.SweepMapKey,
		Ignored: words.Ignored(trace.Trace().Ignored), Receipt: r.Receipt, Equity: both(walkPicture(r)),
	}
	for _, line := range []string{words.SweepBest(r), words.SweepLuck(r), words.SweepSurvivors(r), words.SweepNeighbours(r), words.SweepLook(b.Strategy.Market(), b.Tally), words.Lock(r.Options.HoldOut)} {
		if line != "" {
			v.Said = append(v.Said, line)
		}
	}
	for _, w := range r.Warnings {
		if w.Code != backtest.SimulatedData { // the band says it
			v.Warnings = append(v.Warnings, w)
		}
	}
	for _, a := range trace.Trace().Assumptions {
		v.Assumptions = append(v.Assumptions, words.Assumption(a))
	}
	for i := range r.Axes {
		v.Fields = append(v.Fields, words.SweepField(r.Axes[i].Field))
	}
	options, err := backtest.CompactJSON(r.Options)
	if err != nil {
		return nil, fmt.Errorf("html: %w", err)
	}
	v.Options = string(options)
	if v.Nothing != nil {
		return v, nil
	}
	for _, m := range r.Maps() {
		v.Maps = append(v.Maps, mapOf(r, &m))
	}
	v.variants(r)
	for i := range r.WalkForward.Blocks {
		v.Blocks = append(v.Blocks, blockOf(r, &r.WalkForward.Blocks[i]))
	}
	v.invalid(r)
	return v, nil
}

// mapOf makes a table of a map: shades of five by how large the mean is.
func mapOf(r *backtest.Sweep, m *backtest.SweepMap) mapView {
	out := mapView{Title: words.SweepMapTitle(m)}
	if m.Down != nil {
		out.Down = words.SweepField(m.Down.Field)
	}
	most := 0.0
	for _, row := range m.Rows {
		for _, v := range row {
			if v != nil && v.Eligible {
				most = max(most, math.Abs(v.MeanPnL.Float()))
			}
		}
	}
	for _, value := range m.Across.Values {
		out.Header = append(out.Header, value.String())
	}
	for y, row := range m.Rows {
		line := mapRow{}
		if m.Down != nil {
			line.Label = m.Down.Values[y].String()
		}
		for _, v := range row {
			line.Cells = append(line.Cells, cellOf(r, v, most))
		}
		out.Rows = append(out.Rows, line)
	}
	return out
}

func cellOf(r *backtest.Sweep, v *backtest.SweepRow, most float64) mapCell {
	if v == nil {
		return mapCell{Class: "none", Help: "no valid strategy"}
	}
	c := mapCell{Text: figures.None, Help: words.SweepValues(r.Axes, v.Values) + ": no trades"}
	if v.MeanPnL != nil {
		c.Text = figures.Signed(*v.MeanPnL)
		c.Help = fmt.Sprintf("%s: %s per trade (95%% interval: %s), %s, win rate %s, %s in total", words.SweepValues(r.Axes, v.Values),
			figures.USD(*v.MeanPnL), words.Interval(v.Interval, figures.USD), figures.Count(v.Trades, "trade"), figures.Rate(*v.WinRate), figures.USD(v.TotalPnL))
		switch {
		case !v.Eligible:
			c.Class = "pale"
		case most > 0:
			c.Class = fmt.Sprintf("g%d", min(1+int(5*math.Abs(v.MeanPnL.Float())/most), 5))
			if *v.MeanPnL < 0 {
				c.Class = "l" + c.Class[1:]
			}
		}
	}
	if mark := words.SweepMark(v); mark != "" {
		c.Text += " " + mark
	}
	if v.Number == r.Own.Number {
		c.Class += " run"
	}
	if r.Best != nil && v.Number == r.Best.Number {
		c.Class += " best"
	}
	return c
}

func (v *sweepView) variants(r *backtest.Sweep) {
	shown := r.Variants[:min(len(r.Variants), variantLimit)]
	for i := range shown {
		row := &shown[i]
		out := variantView{
			Rank: i + 1, Trades: figures.Number(row.Trades), WinRate: figures.Or(row.WinRate, figures.Rate), Mean: figures.Or(row.MeanPnL, figures.Signed),
			Interval: words.Interval(row.Interval, figures.Signed), Total: figures.Signed(row.TotalPnL), Return: figures.Or(row.ReturnOnStake, figures.SignedRate),
			Sharpe: figures.Plain(row.Sharpe, 4), Class: signClass(row.TotalPnL), TotalBy: row.TotalPnL.String(),
		}
		if row.MeanPnL != nil {
			out.MeanBy = row.MeanPnL.String()
		}
		for _, value := range row.Values {
			out.Values = append(out.Values, words.SweepValue(value))
		}
		if row.Number == r.Own.Number {
			out.Own = "own"
		}
		v.Rows = append(v.Rows, out)
	}
	if hidden := len(r.Variants) - len(shown); hidden > 0 {
		v.Hidden = figures.Count(hidden, "variant") + " more are in the CSV and the JSON."
	}
}

func blockOf(r *backtest.Sweep, b *backtest.SweepBlock) blockView {
	out := blockView{From: words.BlockTime(b.From), To: words.BlockTime(b.To), Past: figures.Number(b.PastEnds)}
	for i := range r.Axes {
		if b.Variant == nil {
			out.Values = append(out.Values, figures.None)
		} else {
			out.Values = append(out.Values, words.SweepValue(b.Values[i].Ptr()))
		}
	}
	out.Before, out.Trades, out.Mean, out.Total = figures.None, figures.None, figures.None, figures.None
	if b.Variant != nil {
		out.Before, out.Trades, out.Mean = figures.Or(b.PastMeanPnL, figures.Signed), figures.Number(b.Trades), figures.Or(b.MeanPnL, figures.Signed)
		out.Total, out.Class = figures.Signed(b.TotalPnL), signClass(b.TotalPnL)
	}
	return out
}

// listedInvalid is how many combinations that are no strategy the page lists.
const listedInvalid = 50

func (v *sweepView) invalid(r *backtest.Sweep) {
	for i := range r.Invalid[:min(len(r.Invalid), listedInvalid)] {
		v.Invalid = append(v.Invalid, words.SweepInvalid(r.Axes, &r.Invalid[i]))
	}
	if hidden := len(r.Invalid) - listedInvalid; hidden > 0 {
		v.MoreInvalid = figures.Number(hidden) + " more are in the JSON."
	}
}

// walkPicture draws what the chosen variants made, block by block.
func walkPicture(r *backtest.Sweep) func(size) template.HTML {
	return func(s size) template.HTML {
		blocks := r.WalkForward.Blocks
		if r.WalkForward.Trades == 0 {
			return ""
		}
		start, end := float64(blocks[0].From), float64(blocks[len(blocks)-1].To)
		curve := []point{{start, 0}}
		var sum stats.Decimal
		low, high := 0.0, 0.0
		for i := range blocks {
			sum += blocks[i].TotalPnL
			low, high = min(low, sum.Float()), max(high, sum.Float())
			curve = append(curve, point{float64(blocks[i].To), sum.Float()})
		}
		low, high = padded(low, high, 0.06)
		c := newChart(s, "Cumulative pnl of the variants chosen on the past", s.per(220, 180), start, end, low, high)
		c.axisY(5, tickText)
		at := timeTicks(start, end, int(s.per(8, 3)))
		c.axisX(at, timeLabel(at))
		c.line("line", thin(curve, s.points), false)
		return c.svg()
	}
}
