package page

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"slices"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/figures"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/report/words"
	"github.com/ladderback/ladderback/strategy"
)

// equityPicture draws the cumulative pnl over the number of trades, and the
// drawdown below its highest value hanging from the top of a second frame.
func equityPicture(r *backtest.Report) template.HTML {
	curve, fall := []point{{0, 0}}, []point{{0, 0}}
	var high, low, peak, deepest float64
	for i, d := range r.EquityCurve {
		y := d.Float()
		high, low = max(high, y), min(low, y)
		peak = max(peak, y)
		deepest = max(deepest, peak-y)
		curve = append(curve, point{float64(i + 1), y})
		fall = append(fall, point{float64(i + 1), y - peak})
	}
	n := float64(len(r.EquityCurve))
	low, high = padded(low, high, 0.06)
	top := newChart("Cumulative pnl after each trade", 260, 0, n, low, high)
	top.axisY(5, tickText)
	top.axisX(ticks(0, n, 8), tickText)
	top.area("area", thin(curve), 0)
	top.line("line", thin(curve), false)
	down := newChart("Drawdown below the highest value before", 110, 0, n, -deepest*1.05, 0)
	down.bottom = 8
	down.axisY(3, tickText)
	down.area("fall", thin(fall), 0)
	down.line("loss-line", thin(fall), false)
	return top.svg() + down.svg()
}

// tradesPicture draws each trade's pnl at the time of its exit.
func tradesPicture(r *backtest.Report) template.HTML {
	ps := make([]point, len(r.Trades))
	low, high := 0.0, 0.0
	for i := range r.Trades {
		t := &r.Trades[i]
		ps[i] = point{float64(t.ExitTime), t.PnL.Float()}
		low, high = min(low, ps[i].y), max(high, ps[i].y)
	}
	if len(ps) == 0 {
		return ""
	}
	x0, x1 := padded(ps[0].x, ps[len(ps)-1].x, 0.02)
	low, high = padded(low, high, 0.08)
	c := newChart("Pnl of each trade at the time of its exit", 240, x0, x1, low, high)
	c.axisY(5, tickText)
	at := timeTicks(c.x0, c.x1, 7)
	c.axisX(at, timeLabel(at))
	for _, p := range thin(ps) {
		class := "gain"
		if p.y <= 0 {
			class = "loss"
		}
		c.add(`<circle class="%s" cx="%s" cy="%s" r="3.5"><title>%s UTC: %s USD</title></circle>`,
			class, num(c.px(p.x)), num(c.py(p.y)), figures.Clock(market.Instant(p.x)), tickText(math.Round(p.y*100)/100))
	}
	return c.svg()
}

// timeLabel returns the writer of time ticks: with the date where it changes,
// or the date alone where ticks are days apart.
func timeLabel(at []float64) func(float64) string {
	days := len(at) > 1 && at[1]-at[0] >= float64(market.Day)
	seen := ""
	return func(v float64) string {
		t := market.Instant(v).Time()
		date := t.Format("Jan 2")
		switch {
		case days:
			return date
		case date != seen:
			seen = date
			return date + " " + t.Format("15:04")
		}
		return t.Format("15:04")
	}
}

// bin is one bar of a distribution: [from, to).
type bin struct {
	from, to float64
	n        int
}

// binsOf sorts values into about so many bars with round bounds, 0 among them.
func binsOf(values []float64, about int) []bin {
	if len(values) == 0 {
		return nil
	}
	low, high := slices.Min(values), slices.Max(values)
	if low == high {
		low, high = low-0.5, high+0.5
	}
	marks := ticks(low, high, about)
	step := (high - low) / float64(about)
	if len(marks) > 1 {
		step = marks[1] - marks[0]
	}
	first := math.Floor(low / step)
	bins := make([]bin, int(math.Floor(high/step)-first)+1)
	for i := range bins {
		bins[i] = bin{from: (first + float64(i)) * step, to: (first + float64(i) + 1) * step}
	}
	for _, v := range values {
		i := min(max(int(math.Floor(v/step)-first), 0), len(bins)-1)
		bins[i].n++
	}
	return bins
}

// distributionPicture draws how many trades had which pnl.
func distributionPicture(r *backtest.Report) template.HTML {
	values := make([]float64, len(r.Trades))
	for i := range r.Trades {
		values[i] = r.Trades[i].PnL.Float()
	}
	bins := binsOf(values, 30)
	if bins == nil {
		return ""
	}
	most := 0
	for _, b := range bins {
		most = max(most, b.n)
	}
	c := newChart("How many trades had which pnl", 220, bins[0].from, bins[len(bins)-1].to, 0, float64(most)*1.05)
	c.axisY(4, tickText)
	c.axisX(ticks(c.x0, c.x1, 8), tickText)
	for _, b := range bins {
		if b.n == 0 {
			continue
		}
		class := "gain"
		if b.from < 0 {
			class = "loss"
		}
		x, y := c.px(b.from)+1, c.py(float64(b.n))
		c.add(`<rect class="%s" x="%s" y="%s" width="%s" height="%s"><title>%s to %s USD: %s</title></rect>`, class,
			num(x), num(y), num(max(c.px(b.to)-x-1, 1)), num(c.py(0)-y), tickText(b.from), tickText(b.to), figures.Count(b.n, "trade"))
	}
	if mean := r.Stats.MeanPnL; mean != nil {
		x := num(c.px(mean.Float()))
		c.add(`<line class="mean" x1="%s" x2="%s" y1="%s" y2="%s"><title>mean %s USD</title></line>`,
			x, x, num(c.top), num(c.height-c.bottom), figures.Signed(*mean))
	}
	return c.svg()
}

// pathPicture draws the best bid and ask of the token of a trade through its
// round, the levels of its exits, and where it was bought and sold.
func pathPicture(p *backtest.Path, t *backtest.Trade, e *strategy.Exit) template.HTML {
	bids, low, high := pathLines(p, func(q backtest.PathPoint) market.Price { return q.Bid })
	asks, low2, high2 := pathLines(p, func(q backtest.PathPoint) market.Price { return q.Ask })
	low, high = min(low, low2, t.EntryPrice.Float(), t.ExitPrice.Float()), max(high, high2, t.EntryPrice.Float(), t.ExitPrice.Float())
	low, high = padded(low, high, 0.06)
	start, end := float64(p.Start), max(float64(p.End), float64(t.ExitTime))
	c := newChart(fmt.Sprintf("Best bid and ask of %s in %s", t.TokenLabel, t.MarketSlug), 280, start, end, low, high)
	c.axisY(6, tickText)
	offsets := timeTicks(0, end-start, 8)
	for i := range offsets {
		offsets[i] += start
	}
	c.axisX(offsets, func(v float64) string { return minuteWords(market.Span(v - start)) })
	c.levels(t, e)
	for _, run := range bids {
		c.line("bid", run, true)
	}
	for _, run := range asks {
		c.line("ask", run, true)
	}
	c.marker("in", "bought", t.EntryTime, t.EntryPrice, t)
	c.marker("out", words.Exit(t.ExitReason), t.ExitTime, t.ExitPrice, t)
	return c.svg()
}

// pathLines cuts one side of a path into runs without empty stretches and
// returns its lowest and highest price.
func pathLines(path *backtest.Path, side func(backtest.PathPoint) market.Price) (runs [][]point, low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	var run []point
	flush := func() {
		if len(run) > 0 {
			runs = append(runs, thin(run))
		}
		run = nil
	}
	for _, q := range path.Points {
		p := side(q)
		if p == market.NoPrice {
			if len(run) > 0 { // the last price held until now
				run = append(run, point{float64(q.At), run[len(run)-1].y})
			}
			flush()
			continue
		}
		run = append(run, point{float64(q.At), p.Float()})
		low, high = min(low, p.Float()), max(high, p.Float())
	}
	if len(run) > 0 {
		run = append(run, point{float64(path.End), run[len(run)-1].y})
	}
	flush()
	return runs, low, high
}

// levels draws the absolute prices at which the position is sold.
func (c *chart) levels(t *backtest.Trade, e *strategy.Exit) {
	draw := func(class, name string, at float64) {
		if at < c.y0 || at > c.y1 {
			return
		}
		y := num(c.py(at))
		c.add(`<line class="%s" x1="%s" x2="%s" y1="%s" y2="%s"/>`, class, num(c.left), num(c.width-c.right), y, y)
		c.add(`<text class="mark" x="%s" y="%s" dy="-4">%s</text>`, num(c.left+4), y, name)
	}
	entry := t.EntryPrice.Float()
	if e.TakeProfit != nil {
		draw("target", "target", e.TakeProfit.Float())
	}
	if e.TakeProfitOffset != nil {
		draw("target", "target", entry+e.TakeProfitOffset.Float())
	}
	if e.StopLoss != nil {
		draw("stop", "stop", e.StopLoss.Float())
	}
	if e.StopLossOffset != nil {
		draw("stop", "stop", entry-e.StopLossOffset.Float())
	}
}

// marker draws a purchase or a sale.
func (c *chart) marker(class, name string, at backtest.Time, price stats.Decimal, t *backtest.Trade) {
	x, y := c.px(float64(at)), c.py(price.Float())
	tip := 9.0 // triangle downwards
	if class == "in" {
		tip = -9
	}
	c.add(`<path class="%s" d="M%s %sl-6 %sh12Z"><title>%s at %s, %s UTC</title></path>`, class,
		num(x), num(y), num(-tip), html.EscapeString(name), price, figures.Clock(at))
	anchor, dx := "start", 9.0
	if x > c.width*0.8 {
		anchor, dx = "end", -9
	}
	c.add(`<text class="mark" text-anchor="%s" x="%s" y="%s" dy="4">%s %s</text>`, anchor, num(x+dx), num(y),
		html.EscapeString(name), figures.Fixed(price, 4))
}

// minuteWords writes a time in the round as minutes and seconds.
func minuteWords(s market.Span) string {
	seconds := int64(s / market.Second)
	return fmt.Sprintf("%d:%02d", seconds/60, seconds%60)
}
