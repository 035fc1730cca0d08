package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
)

//go:embed page.tmpl
var pageText string

// mostRows is how many trades the page lists; of more, the first and the last
// half of them.
const mostRows = 1000

// WriteHTML writes b as one page that needs nothing else: no address outside it
// is asked. paths may be nil; they become the pictures of chosen trades.
func (b *Body) WriteHTML(w io.Writer, paths []Path) error {
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
	Warnings    []Warning
	Options     string
	Fees        []string
	Receipt     Receipt
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

func newView(b *Body, paths []Path) (*view, error) {
	r := b.Report
	trace := b.Trace()
	v := &view{
		Title: "Backtest: " + b.Prompt, Prompt: b.Prompt, Summary: b.Summary(), Note: b.Note,
		Equity: equityPicture(r), Times: tradesPicture(r), Pnls: distributionPicture(r),
		Warnings: r.Warnings, Fees: r.FeeSchedules, Receipt: r.Receipt, Grid: gridOf(r),
	}
	for _, a := range trace.Assumptions {
		v.Assumptions = append(v.Assumptions, assumptionWords(a))
	}
	for _, i := range trace.Ignored {
		v.Ignored = append(v.Ignored, i.Text)
	}
	options, err := encode(r.Options)
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
			Label:   fmt.Sprintf("%d · %s · %s · %s USD", paths[i].Trade+1, t.MarketSlug, exitWords(t.ExitReason), signed(t.PnL)),
			Picture: pathPicture(&paths[i], t, b.Strategy.Exit()),
		})
	}
	v.rows(r, paths)
	return v, nil
}

func signClass(d Decimal) string {
	switch {
	case d > 0:
		return "up"
	case d < 0:
		return "down"
	}
	return ""
}

func (v *view) headline(r *Report) {
	st := &r.Stats
	words := verdictWords(r)
	v.Verdict, v.VerdictName, v.VerdictWhy = string(st.Verdict), words[0], strings.TrimPrefix(words[1], ": ")
	mean := Decimal(0)
	if st.MeanPnL != nil {
		mean = *st.MeanPnL
	}
	var b Baseline
	base := func(string) string { return "" }
	if r.Baseline.Value != nil {
		b = *r.Baseline.Value
		base = func(s string) string { return "; baseline " + s }
		v.Baseline = baselineWords(&b)
	}
	v.Tiles = []tile{
		{"Total pnl", signed(r.TotalPnL) + " USD", fmt.Sprintf("%s in %s", count(len(r.Trades), "trade"), count(r.MarketsFound, "market")), signClass(r.TotalPnL)},
		{"Mean pnl a trade", usd(st.MeanPnL) + " USD", "95 %: " + intervalWords(st.MeanPnLInterval, signed) + base(usd(b.MeanPnL)), signClass(mean)},
		{"Win rate", rate(r.WinRate), "95 %: " + intervalWords(st.WinRateInterval, rate) + base(rate(b.WinRate)), ""},
		{"Edge a share", signedPrice(st.Edge), "average entry price " + plain(st.AvgEntryPrice, 4), ""},
	}
	v.Stats = [][2]string{
		{"Median pnl", usd(st.MedianPnL)},
		{"Deviation of pnl", plain(st.SDPnL, 2)},
		{"Profit factor", plain(st.ProfitFactor, 2)},
		{"Max drawdown", thousands(fixed(st.MaxDrawdown, 2))},
		{"Longest losing streak", number(st.LongestLosingStreak)},
		{"Average hold", holdWords(st.AvgHoldSeconds)},
		{"Fees", thousands(fixed(st.Fees, 2))},
		{"Pnl before fees", signed(st.GrossPnL)},
	}
}

func (v *view) funnel(f *Funnel) {
	share := func(n, of int) string {
		if of == 0 {
			return "0"
		}
		return fixed(ratio(int64(n), int64(of))*100, 1)
	}
	for _, s := range f.steps() {
		v.Steps = append(v.Steps, stepView{s.name, s.words, number(s.n), share(s.n, f.Universe)})
	}
	most := 0
	for _, r := range f.Refusals.reasons() {
		most = max(most, r.n)
	}
	for _, r := range f.Refusals.reasons() {
		if r.n > 0 {
			v.Reasons = append(v.Reasons, stepView{r.name, r.words, number(r.n), share(r.n, most)})
		}
	}
}

func gridOf(r *Report) gridView {
	var g gridView
	columns := len(gridBudget)
	if len(r.Sensitivity) < columns {
		return g
	}
	for _, c := range r.Sensitivity[:columns] {
		g.Header = append(g.Header, "$"+thousands(c.Budget.String()))
	}
	for i := 0; i+columns <= len(r.Sensitivity); i += columns {
		row := gridRow{Name: fmt.Sprintf("%d ms, fees %s", r.Sensitivity[i].LatencyMS, r.Sensitivity[i].Fees)}
		for _, c := range r.Sensitivity[i : i+columns] {
			row.Cells = append(row.Cells, gridCell{signed(c.TotalPnL), signClass(c.TotalPnL)})
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

func (v *view) rows(r *Report, paths []Path) {
	drawn := make(map[int]bool, len(paths))
	for i := range paths {
		drawn[paths[i].Trade] = true
	}
	n := len(r.Trades)
	for i := range r.Trades {
		if n > mostRows && i >= mostRows/2 && i < n-mostRows/2 {
			continue
		}
		t := &r.Trades[i]
		v.Rows = append(v.Rows, rowView{
			ID: i + 1, HasPath: drawn[i], Slug: t.MarketSlug, Side: t.Side,
			Bought: clock(t.EntryTime), Shares: thousands(fixed(t.Shares, 2)), Entry: fixed(t.EntryPrice, 4),
			Held: spanWords(t.ExitTime - t.EntryTime), Exit: fixed(t.ExitPrice, 4), Reason: exitWords(t.ExitReason), Fill: string(t.EntryFill),
			Fees: fixed(t.Fees, 2), PnL: signed(t.PnL), Class: signClass(t.PnL),
		})
	}
	if n > mostRows {
		v.Hidden = fmt.Sprintf("%s trades between the first and the last %s are not listed; the CSV has them all.", number(n-mostRows), number(mostRows/2))
	}
}
