// Package page writes a run as one self-contained HTML page with pictures.
package page

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"regexp"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/figures"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/report/words"
)

//go:embed page.tmpl
var pageText string

// rowLimit is how many trades the page lists; of more, the first and the last
// half of them.
const rowLimit = 1000

// Write writes b as a self-contained page, which loads nothing from outside.
// paths may be nil; they become the pictures of selected trades. program is the
// program's version, archive the archive's name; empty leaves it out.
func Write(w io.Writer, b *backtest.Body, paths []backtest.Path, program, archive string) error {
	view, err := newView(b, paths)
	if err != nil {
		return err
	}
	view.Program, view.Archive = program, archive
	t, err := template.New("page").Funcs(functions).Parse(pageText)
	if err != nil {
		return fmt.Errorf("html: %w", err)
	}
	if err := t.Execute(w, view); err != nil {
		return fmt.Errorf("html: %w", err)
	}
	return nil
}

// whole matches what is never parted at the end of a line: amounts, dates, flags.
var whole = regexp.MustCompile(`[+−-]?\$\d[\d,]*(?:\.\d+)?|\d{4}-\d\d-\d\d|--[a-z][a-z-]*`)

// functions are those that templates call: prose is running text, in which a line never
// ends within an amount, such as after the minus of −$5.
var functions = template.FuncMap{"prose": func(text string) template.HTML {
	return template.HTML(whole.ReplaceAllString(template.HTMLEscapeString(text), `<span class="nb">${0}</span>`))
}}

// view is what the page's template reads.
type view struct {
	Title       string
	Program     string
	Archive     string
	Prompt      string
	Summary     string
	Simulated   string
	Assumptions []string
	Ignored     []string
	Note        string
	Verdict     [2]string
	Evidence    []string // which look, and what of the lockbox
	Headline    string
	Nothing     []string
	Interval    template.HTML
	HasBaseline bool
	Tiles       []words.Figure
	Parts       [3][]words.Figure
	Baseline    string
	Equity      template.HTML
	Times       template.HTML
	Pnls        template.HTML
	Orders      []words.Grid
	Breakdowns  []breakdownView
	Paths       []pathView
	Drawn       string
	Steps       []stepView
	Reasons     []stepView
	Grid        gridView
	After       []string
	NoFees      string
	Rows        []rowView
	Marked      bool
	Hidden      string
	Warnings    []backtest.Warning
	Options     string
	Fees        []string
	Receipt     backtest.Receipt
}

type breakdownView struct {
	Name string
	Long bool // folded
	Rows []breakdownRow
}

type breakdownRow struct {
	Key, Trades, WinRate, Mean, Total, Return, Class string
}

type pathView struct {
	ID      int
	Label   string
	PnL     string
	Class   string
	Picture template.HTML
}

type stepView struct {
	Name, Words, Count string
	Share              string // of the widest bar, in per cent
}

type gridView struct {
	Header []string
	Rows   []gridRow
}

type gridRow struct {
	Latency, Fees string
	Cells         []gridCell
}

type gridCell struct {
	Text, Class string
}

// rowView is a trade in the table; At, In, Out and so on are what it is sorted by.
type rowView struct {
	ID                                                                      int
	HasPath                                                                 bool
	Slug, Side, Entered, Shares, Entry, Held, Exit, Reason, Fees, PnL, Fill string
	Class, Bar                                                              string
	At, HeldFor, Exited                                                     int64
	Sum                                                                     string // pnl of all trades up to this one
	Value                                                                   string
	Mark                                                                    string
}

func newView(b *backtest.Body, paths []backtest.Path) (*view, error) {
	r := b.Report
	trace := b.Trace()
	v := &view{
		Title: "Backtest: " + b.Prompt, Prompt: b.Prompt, Summary: b.Summary(), Note: b.Note,
		Simulated: words.Simulated(r), Verdict: words.Verdict(r), Headline: words.Headline(r),
		Nothing: words.Nothing(r, b.Strategy.Market()), Interval: verdictPicture(r), Ignored: words.Ignored(trace.Ignored),
		Equity: both(equityPicture(r)), Times: both(tradesPicture(r)), Pnls: both(distributionPicture(r)),
		Fees: r.FeeSchedules, Receipt: r.Receipt, Grid: gridOf(r), After: words.After(r), NoFees: words.NoFees,
	}
	for _, line := range []string{words.Look(r, b.Strategy.Market(), b.Tally), words.Lock(r.Options.HoldOut)} {
		if line != "" {
			v.Evidence = append(v.Evidence, line)
		}
	}
	for _, w := range r.Warnings {
		if w.Code != backtest.SimulatedData { // the band says it
			v.Warnings = append(v.Warnings, w)
		}
	}
	for _, a := range trace.Assumptions {
		v.Assumptions = append(v.Assumptions, words.Assumption(a))
	}
	options, err := backtest.CompactJSON(r.Options)
	if err != nil {
		return nil, fmt.Errorf("html: %w", err)
	}
	v.Options = string(options)
	if len(r.Trades) > 0 {
		v.figures(b)
	}
	v.Orders = words.Orders(r)
	v.breakdowns(r)
	v.funnel(r)
	for i := range paths {
		t := &r.Trades[paths[i].Trade]
		v.Paths = append(v.Paths, pathView{
			ID:    paths[i].Trade + 1,
			Label: fmt.Sprintf("#%d · %s · %s · %s", paths[i].Trade+1, t.TokenLabel, t.MarketSlug, words.Exit(t.ExitReason)),
			PnL:   figures.USD(t.PnL), Class: signClass(t.PnL),
			Picture: both(pathPicture(&paths[i], t, b.Strategy.Exit())),
		})
	}
	if len(paths) < len(r.Trades) {
		v.Drawn = fmt.Sprintf("%s of %s are drawn: the best, the worst, the first and the last.",
			figures.Number(len(paths)), figures.Count(len(r.Trades), "trade"))
	}
	v.rows(r, paths)
	return v, nil
}

func signClass(d stats.Decimal) string {
	switch {
	case d > 0:
		return "up"
	case d < 0:
		return "down"
	}
	return ""
}

// headlines are the figures that stand in the first row, by name.
var headlines = []string{
	"total pnl", "return on money staked", "win rate", "priced-in win rate", "payoff ratio", "edge per share", "max drawdown", "most at risk at once",
}

// figures fills the numbers of a report that has trades.
func (v *view) figures(body *backtest.Body) {
	r := body.Report
	v.Parts = words.Figures(r)
	for _, name := range headlines {
		for _, part := range v.Parts {
			for _, f := range part {
				if f.Name == name {
					v.Tiles = append(v.Tiles, f)
				}
			}
		}
	}
	if b := r.Baseline.Value; b != nil {
		v.Baseline, v.HasBaseline = words.Baseline(b, body.Strategy), b.MeanPnL != nil
	}
}

func (v *view) breakdowns(r *backtest.Report) {
	for _, b := range words.Breakdowns(r) {
		out := breakdownView{Name: b.Name, Long: len(b.Rows) > 10}
		for _, g := range b.Rows {
			out.Rows = append(out.Rows, breakdownRow{
				g.Key, figures.Number(g.Trades), figures.Rate(g.WinRate), figures.USD(g.MeanPnL), figures.USD(g.TotalPnL),
				figures.Or(g.ReturnOnStake, figures.SignedRate), signClass(g.TotalPnL),
			})
		}
		v.Breakdowns = append(v.Breakdowns, out)
	}
}

func (v *view) funnel(r *backtest.Report) {
	f := &r.Funnel
	step := func(s words.Step) stepView {
		share := "0"
		if f.Universe > 0 {
			share = figures.Fixed(min(stats.Ratio(int64(s.N), int64(f.Universe)), stats.One)*100, 1)
		}
		return stepView{s.Name, s.Words, figures.Number(s.N), share}
	}
	if f.Universe == 0 {
		return
	}
	for _, s := range words.Steps(f) {
		if s.Name != "covered" || r.Options.MinCoverage > 0 {
			v.Steps = append(v.Steps, step(s))
		}
	}
	for _, s := range words.Reasons(f) {
		v.Reasons = append(v.Reasons, step(s))
	}
}

func gridOf(r *backtest.Report) gridView {
	var g gridView
	for i, cells := range r.SensitivityGrid() {
		row := gridRow{Latency: figures.Number(int(cells[0].LatencyMS)) + " ms", Fees: string(cells[0].Fees)}
		for column, c := range cells {
			if i == 0 {
				g.Header = append(g.Header, "$"+figures.Thousands(c.Budget.String()))
			}
			cell := gridCell{figures.Signed(c.TotalPnL), signClass(c.TotalPnL)}
			if words.AsRun(r, &c, column) {
				cell.Class += " run"
			}
			row.Cells = append(row.Cells, cell)
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

func (v *view) rows(r *backtest.Report, paths []backtest.Path) {
	drawn := make(map[int]bool, len(paths))
	for i := range paths {
		drawn[paths[i].Trade] = true
	}
	n := len(r.Trades)
	largest := stats.Decimal(1)
	for i := range r.Trades {
		largest = max(largest, r.Trades[i].PnL.Abs())
	}
	for i := range r.Trades {
		if n > rowLimit && i >= rowLimit/2 && i < n-rowLimit/2 {
			continue
		}
		t := &r.Trades[i]
		row := rowView{
			ID: i + 1, HasPath: drawn[i], Slug: t.MarketSlug, Side: t.Side,
			Entered: figures.Minute(t.EntryTime), Shares: figures.Thousands(figures.Fixed(t.Shares, 2)), Entry: figures.Price(t.EntryPrice),
			Held: figures.Span(t.ExitTime - t.EntryTime), Exit: figures.Price(t.ExitPrice), Reason: words.Exit(t.ExitReason), Fill: string(t.EntryFill),
			Fees: figures.Fixed(t.Fees, 2), PnL: figures.Signed(t.PnL), Class: signClass(t.PnL),
			Bar: figures.Fixed(stats.Ratio(int64(t.PnL.Abs()), int64(largest))*100, 0),
			At:  int64(t.EntryTime), HeldFor: int64(t.ExitTime - t.EntryTime), Value: t.PnL.String(),
			Exited: int64(t.ExitTime), Sum: figures.USD(r.EquityCurve[i]),
		}
		if t.Coverage != nil {
			row.Mark = "The round is recorded for " + figures.Rate(*t.Coverage) + " of its length only"
			v.Marked = true
		}
		v.Rows = append(v.Rows, row)
	}
	if n > rowLimit {
		v.Hidden = fmt.Sprintf("%s trades between the first and the last %s are not listed; the CSV has them all.", figures.Number(n-rowLimit), figures.Number(rowLimit/2))
	}
}
