package terminal

import (
	"io"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/figures"
	"github.com/ladderback/ladderback/report/words"
)

// Calibration writes c for a terminal: whether prices and outcomes agree, where they do not
// by price and time left, both over all times, and how good the prices were as forecasts.
func Calibration(w io.Writer, c *backtest.Calibration, s Screen) error {
	p := newPage(s)
	if band := words.Simulated(&backtest.Report{Warnings: c.Warnings}); band != "" {
		p.paragraph(p.paint(reverse, " SIMULATED DATA ")+" ", clean(band))
	}
	v := words.CalibrationVerdict(c)
	color := amber
	if c.Verdict == backtest.Calibrated {
		color = green
	}
	p.heading("Are prices right?")
	if nothing := words.CalibrationNothing(c); nothing != nil {
		p.nothing(nothing)
		p.evidence("", words.Lock(c.Options.HoldOut))
		return p.flush(w)
	}
	p.paragraph("  ", p.paint(color, v[0])+". "+v[1])
	for _, line := range words.CalibrationWorst(c) {
		p.paragraph("  ", line)
	}
	p.evidence("", words.Lock(c.Options.HoldOut))
	p.paragraph("  ", p.paint(faint, words.CalibrationSample(c)))
	if c.Observations > 0 {
		p.calibrationMap(c)
		p.calibrationPrices(c)
		p.calibrationScores(c)
	}
	p.warnings(c.Warnings)
	return p.flush(w)
}

// calibrationMap writes the gaps by price and time left, with as many times at once as fit.
func (p *page) calibrationMap(c *backtest.Calibration) {
	p.heading("Outcome − price, by price and time left")
	const label, column = 16, 10
	fit := max((p.width-label)/column, 1)
	for from := 0; from < len(c.Times); from += fit {
		times := c.Times[from:min(from+fit, len(c.Times))]
		header, columns := table.Row{"price"}, []int{}
		for i := range times {
			header = append(header, figures.Seconds(&times[i].SecondsLeft))
			columns = append(columns, i+2)
		}
		t := p.grid(header, columns...)
		for b := range c.Prices {
			gaps, rounds := table.Row{words.CalibrationBand(&c.Prices[b])}, table.Row{""}
			for i := range times {
				cell := &times[i].Cells[b]
				gaps = append(gaps, p.calibrationGap(cell))
				rounds = append(rounds, p.paint(faint, figures.Number(cell.N)+" "))
			}
			t.AppendRow(gaps)
			t.AppendRow(rounds)
		}
		p.put(t)
	}
	p.paragraph("  ", p.paint(faint, words.CalibrationKey))
}

func (p *page) calibrationGap(c *backtest.CalibrationCell) string {
	if c.Gap == nil {
		return figures.None + " "
	}
	mark := words.CalibrationMark(c)
	if mark == "" {
		mark = " "
	}
	gap := figures.SignedTo(*c.Gap*100, 1) + mark
	switch {
	case c.Off:
		return p.tone(*c.Gap, gap)
	case c.Band == nil:
		return p.paint(faint, gap)
	}
	return gap
}

func (p *page) calibrationPrices(c *backtest.Calibration) {
	p.heading("All times together")
	t := p.grid(table.Row{"price", "mean price", "came true", "95% band", "looks"}, 2, 3, 4, 5)
	for i := range c.Prices {
		cell := &c.Prices[i]
		t.AppendRow(table.Row{
			words.CalibrationBand(cell), figures.Or(cell.Price, figures.Rate), figures.Or(cell.Paid, figures.Rate),
			figures.Interval(cell.Band, figures.Rate), figures.Number(cell.N),
		})
	}
	p.put(t)
}

func (p *page) calibrationScores(c *backtest.Calibration) {
	p.heading("Prices as forecasts (lower is better, but for resolution)")
	t := p.grid(table.Row{"time left", "Brier", "log", "reliability", "resolution", "uncertainty"}, 2, 3, 4, 5, 6)
	add := func(name string, s *backtest.CalibrationScores) {
		t.AppendRow(table.Row{name, figures.Plain(s.Brier, 4), figures.Plain(s.Log, 4), figures.Plain(s.Reliability, 4), figures.Plain(s.Resolution, 4), figures.Plain(s.Uncertainty, 4)})
	}
	for i := range c.Times {
		add(figures.Seconds(&c.Times[i].SecondsLeft), &c.Times[i].Scores)
	}
	add("all", &c.Scores)
	p.put(t)
	p.paragraph("  ", p.paint(faint, "Saying 50% always scores 0.25 and 0.6931. Brier = reliability − resolution + uncertainty, but for what the bands leave of the prices within them."))
}
