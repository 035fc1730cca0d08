// Package page writes a run as one HTML page with pictures that needs nothing
// else.
package page

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"

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

// Write writes b as one page that needs nothing else: no address outside it
// is asked. paths may be nil; they become the pictures of chosen trades.
func Write(w io.Writer, b *backtest.Body, paths []backtest.Path) error {
	view, err := newView(b, paths)
	if err != nil {
		return err
	}
	t, err := template.New("page").Parse(pageText)
	if err != nil {
		return fmt.Errorf("html: %w", err)
	}
	if err := t.Execute(w, view); err != nil {
		return fmt.Errorf("html: %w", err)
	}
	return nil
}

// view is what the page's template reads.
type view struct {
	Title       string
	Prompt      string
	Summary     string
	Assumptions []string
	Ignored     []string
	Note        string
	Verdict     string // class
	VerdictName string
	VerdictWhy  string
	Tiles       []tile
	Baseline    string
	Stats       [][2]string
	Equity      template.HTML
	Times       template.HTML
	Pnls        template.HTML
	Paths       []pathView
	Steps       []stepView
	Reasons     []stepView
	Grid        gridView
	Rows        []rowView
	Hidden      string
	Warnings    []backtest.Warning
	Options     string
	Fees        []string
	Receipt     backtest.Receipt
}

type tile struct {
	Name, Value, Note, Class string
}

type pathView struct {
	ID      int
	Label   string
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
	Name  string
	Cells []gridCell
}

type gridCell struct {
	Text, Class string
}

type rowView struct {
	ID                                                               int
	HasPath                                                          bool
	Slug, Side, Bought, Shares, Entry, Held, Exit, Reason, Fees, PnL string
	Fill, Class                                                      string
}

func newView(b *backtest.Body, paths []backtest.Path) (*view, error) {
	r := b.Report
	trace := b.Trace()
	v := &view{
		Title: "Backtest: " + b.Prompt, Prompt: b.Prompt, Summary: b.Summary(), Note: b.Note,
		Equity: equityPicture(r), Times: tradesPicture(r), Pnls: distributionPicture(r),
		Warnings: r.Warnings, Fees: r.FeeSchedules, Receipt: r.Receipt, Grid: gridOf(r),
	}
	for _, a := range trace.Assumptions {
		v.Assumptions = append(v.Assumptions, words.Assumption(a))
	}
	for _, i := range trace.Ignored {
		v.Ignored = append(v.Ignored, i.Text)
	}
	options, err := backtest.CompactJSON(r.Options)
	if err != nil {
		return nil, fmt.Errorf("html: %w", err)
	}
	v.Options = string(options)
	v.headline(r)
	v.funnel(&r.Funnel)
	for i := range paths {
		t := &r.Trades[paths[i].Trade]
		v.Paths = append(v.Paths, pathView{
			ID:      paths[i].Trade + 1,
			Label:   fmt.Sprintf("%d · %s · %s · %s USD", paths[i].Trade+1, t.MarketSlug, words.Exit(t.ExitReason), figures.Signed(t.PnL)),
			Picture: pathPicture(&paths[i], t, b.Strategy.Exit()),
		})
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

func (v *view) headline(r *backtest.Report) {
	st := &r.Stats
	verdict := words.Verdict(r)
	v.Verdict, v.VerdictName, v.VerdictWhy = string(st.Verdict), verdict[0], strings.TrimPrefix(verdict[1], ": ")
	mean := stats.Decimal(0)
	if st.MeanPnL != nil {
		mean = *st.MeanPnL
	}
	var b backtest.Baseline
	base := func(string) string { return "" }
	if r.Baseline.Value != nil {
		b = *r.Baseline.Value
		base = func(s string) string { return "; baseline " + s }
		v.Baseline = words.Baseline(&b)
	}
	v.Tiles = []tile{
		{"Total pnl", figures.Signed(r.TotalPnL) + " USD", fmt.Sprintf("%s in %s", figures.Count(len(r.Trades), "trade"), figures.Count(r.MarketsFound, "market")), signClass(r.TotalPnL)},
		{"Mean pnl a trade", figures.USD(st.MeanPnL) + " USD", "95 %: " + figures.Interval(st.MeanPnLInterval, figures.Signed) + base(figures.USD(b.MeanPnL)), signClass(mean)},
		{"Win rate", figures.Rate(r.WinRate), "95 %: " + figures.Interval(st.WinRateInterval, figures.Rate) + base(figures.Rate(b.WinRate)), ""},
		{"Edge a share", figures.SignedPrice(st.Edge), "average entry price " + figures.Plain(st.AvgEntryPrice, 4), ""},
	}
	v.Stats = [][2]string{
		{"Median pnl", figures.USD(st.MedianPnL)},
		{"Deviation of pnl", figures.Plain(st.SDPnL, 2)},
		{"Profit factor", figures.Plain(st.ProfitFactor, 2)},
		{"Max drawdown", figures.Thousands(figures.Fixed(st.MaxDrawdown, 2))},
		{"Longest losing streak", figures.Number(st.LongestLosingStreak)},
		{"Average hold", figures.Seconds(st.AvgHoldSeconds)},
		{"Fees", figures.Thousands(figures.Fixed(st.Fees, 2))},
		{"Pnl before fees", figures.Signed(st.GrossPnL)},
	}
}

func (v *view) funnel(f *backtest.Funnel) {
	share := func(n, of int) string {
		if of == 0 {
			return "0"
		}
		return figures.Fixed(stats.Ratio(int64(n), int64(of))*100, 1)
	}
	for _, s := range words.Steps(f) {
		v.Steps = append(v.Steps, stepView{s.Name, s.Words, figures.Number(s.N), share(s.N, f.Universe)})
	}
	most := 0
	for _, r := range words.Reasons(&f.Refusals) {
		most = max(most, r.N)
	}
	for _, r := range words.Reasons(&f.Refusals) {
		if r.N > 0 {
			v.Reasons = append(v.Reasons, stepView{r.Name, r.Words, figures.Number(r.N), share(r.N, most)})
		}
	}
}

func gridOf(r *backtest.Report) gridView {
	var g gridView
	for i, cells := range r.SensitivityGrid() {
		row := gridRow{Name: fmt.Sprintf("%d ms, fees %s", cells[0].LatencyMS, cells[0].Fees)}
		for _, c := range cells {
			if i == 0 {
				g.Header = append(g.Header, "$"+figures.Thousands(c.Budget.String()))
			}
			row.Cells = append(row.Cells, gridCell{figures.Signed(c.TotalPnL), signClass(c.TotalPnL)})
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
	for i := range r.Trades {
		if n > rowLimit && i >= rowLimit/2 && i < n-rowLimit/2 {
			continue
		}
		t := &r.Trades[i]
		v.Rows = append(v.Rows, rowView{
			ID: i + 1, HasPath: drawn[i], Slug: t.MarketSlug, Side: t.Side,
			Bought: figures.Clock(t.EntryTime), Shares: figures.Thousands(figures.Fixed(t.Shares, 2)), Entry: figures.Fixed(t.EntryPrice, 4),
			Held: figures.Span(t.ExitTime - t.EntryTime), Exit: figures.Fixed(t.ExitPrice, 4), Reason: words.Exit(t.ExitReason), Fill: string(t.EntryFill),
			Fees: figures.Fixed(t.Fees, 2), PnL: figures.Signed(t.PnL), Class: signClass(t.PnL),
		})
	}
	if n > rowLimit {
		v.Hidden = fmt.Sprintf("%s trades between the first and the last %s are not listed; the CSV has them all.", figures.Number(n-rowLimit), figures.Number(rowLimit/2))
	}
}
