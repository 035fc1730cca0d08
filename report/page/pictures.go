package page

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/figures"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/report/words"
	"github.com/ladderback/ladderback/strategy"
)

// verdictPicture draws the mean pnl per trade with its interval, zero, and the
// baseline's mean, on one scale; empty without an interval.
func verdictPicture(r *backtest.Report) template.HTML {
	i := r.Stats.MeanPnLInterval
	if i == nil {
		return ""
	}
	mean, low, high := r.Stats.MeanPnL.Float(), i[0].Float(), i[1].Float()
	from, to := min(low, 0), max(high, 0)
	var base *float64
	if b := r.Baseline.Value; b != nil && b.MeanPnL != nil {
		base = new(b.MeanPnL.Float())
		from, to = min(from, *base), max(to, *base)
	}
	from, to = padded(from, to, 0.08)
	c := newChart(size{width: 380}, "Mean pnl per trade with its 95% interval", 74, from, to, 0, 1)
	c.left, c.right = 12, 12
	y, left, right := 46.0, num(c.left), num(c.width-c.right)
	c.add(`<line class="grid" x1="%s" x2="%s" y1="46" y2="46"/>`, left, right)
	for _, v := range ticks(from, to, 5) {
		x := num(c.px(v))
		c.add(`<line class="zero" x1="%s" x2="%s" y1="43" y2="49"/><text x="%s" y="66" text-anchor="middle">%s</text>`, x, x, x, tickText(v))
	}
	c.add(`<rect class="ci" x="%s" y="22" width="%s" height="10" rx="2"/>`, num(c.px(low)), num(max(c.px(high)-c.px(low), 2)))
	c.add(`<line class="zero" x1="%[1]s" x2="%[1]s" y1="16" y2="49"/>`, num(c.px(0)))
	c.add(`<circle class="mean" cx="%s" cy="27" r="5"/>`, num(c.px(mean)))
	label := min(max(c.px(mean), 24), c.width-24)
	c.add(`<text class="strong" x="%s" y="12" text-anchor="middle">%s</text>`, num(label), figures.USD(*r.Stats.MeanPnL))
	if base != nil {
		x := c.px(*base)
		c.add(`<path class="base" d="M%s %sl5 6l-5 6l-5 -6Z"/>`, num(x), num(y-6))
	}
	return c.svg()
}

// equityPicture draws the cumulative pnl over the time of the exits, with the
// baseline's beside it, and under it how far it stood below its highest value.
func equityPicture(r *backtest.Report) func(size) template.HTML {
	return func(s size) template.HTML {
		if len(r.Trades) < 2 {
			return ""
		}
		start := float64(r.Trades[0].EntryTime)
		curve, fall, base := []point{{start, 0}}, []point{{start, 0}}, []point{{start, 0}}
		var high, low, peak, deepest float64
		end := start
		for i, d := range r.EquityCurve {
			x, y := float64(r.Trades[i].ExitTime), d.Float()
			high, low, peak = max(high, y), min(low, y), max(peak, y)
			deepest, end = max(deepest, peak-y), max(end, x)
			curve = append(curve, point{x, y})
			fall = append(fall, point{x, y - peak})
		}
		for _, p := range r.Analysis.BaselineCurve {
			x, y := float64(p.Time), p.PnL.Float()
			high, low, start, end = max(high, y), min(low, y), min(start, x), max(end, x)
			base = append(base, point{x, y})
		}
		base[0].x = start
		low, high = padded(low, high, 0.06)
		top := newChart(s, "Cumulative pnl over time, with the baseline", s.per(280, 220), start, end, low, high)
		top.byExit = true
		top.axisY(5, tickText)
		at := timeTicks(start, end, int(s.per(8, 3)))
		top.axisX(at, timeLabel(at))
		if len(base) > 1 {
			top.line("baseline", thin(base, s.points), true)
		}
		top.line("line", thin(curve, s.points), true)
		if deepest == 0 {
			return top.svg()
		}
		down := newChart(s, "Drawdown below the highest value before", s.per(96, 72), start, end, -deepest*1.05, 0)
		down.bottom = 8
		down.axisY(2, tickText)
		down.area("fall", thin(fall, s.points), 0)
		return top.svg() + down.svg()
	}
}

// tradesPicture draws each trade's pnl at the time of its exit.
func tradesPicture(r *backtest.Report) func(size) template.HTML {
	return func(s size) template.HTML {
		if len(r.Trades) < 2 {
			return ""
		}
		ps := make([]point, len(r.Trades))
		low, high := 0.0, 0.0
		for i := range r.Trades {
			t := &r.Trades[i]
			ps[i] = point{float64(t.ExitTime), t.PnL.Float()}
			low, high = min(low, ps[i].y), max(high, ps[i].y)
		}
		x0, x1 := padded(ps[0].x, ps[len(ps)-1].x, 0.02)
		low, high = padded(low, high, 0.08)
		c := newChart(s, "Pnl of each trade at the time of its exit", s.per(220, 180), x0, x1, low, high)
		c.byExit = true
		c.axisY(5, tickText)
		at := timeTicks(c.x0, c.x1, int(s.per(7, 3)))
		c.axisX(at, timeLabel(at))
		for _, p := range thin(ps, s.points) {
			class := "gain"
			if p.y <= 0 {
				class = "loss"
			}
			c.add(`<circle class="%s" cx="%s" cy="%s" r="3"><title>%s UTC: %s USD</title></circle>`,
				class, num(c.px(p.x)), num(c.py(p.y)), figures.Clock(market.Instant(p.x)), tickText(math.Round(p.y*100)/100))
		}
		return c.svg()
	}
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
	if d := (1 - (high - low)) / 2; d > 0 { // values of less than a dollar's range are not blown up
		low, high = low-d, high+d
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
func distributionPicture(r *backtest.Report) func(size) template.HTML {
	return func(s size) template.HTML {
		if len(r.Trades) < 2 {
			return ""
		}
		values := make([]float64, len(r.Trades))
		for i := range r.Trades {
			values[i] = r.Trades[i].PnL.Float()
		}
		bins := binsOf(values, int(s.per(30, 14)))
		largest := 0
		for _, b := range bins {
			largest = max(largest, b.n)
		}
		c := newChart(s, "How many trades had which pnl", s.per(200, 170), bins[0].from, bins[len(bins)-1].to, 0, float64(largest)*1.05)
		c.axisY(min(4, largest), tickText)
		c.axisX(ticks(c.x0, c.x1, int(s.per(8, 4))), tickText)
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
			c.add(`<line class="meanline" x1="%s" x2="%s" y1="%s" y2="%s"><title>mean %s</title></line>`,
				x, x, num(c.top), num(c.height-c.bottom), figures.USD(*mean))
		}
		return c.svg()
	}
}

// around is what a price path shows at least on either side of a trade.
const around = float64(market.Minute)

// pathPicture draws the token of a trade while it was held and shortly before and
// after: the spread as a band with its middle, the stretch held shaded, the prices
// that end it, where it was bought and sold; under it the whole round.
func pathPicture(p *backtest.Path, t *backtest.Trade, e *strategy.Exit) func(size) template.HTML {
	return func(s size) template.HTML {
		start, end := float64(p.Start), max(float64(p.End), float64(t.ExitTime))
		in, out := float64(t.EntryTime), float64(t.ExitTime)
		margin := max(around, (out-in)/4)
		from, to := max(start, in-margin), min(end, out+margin)
		runs := spreads(p, from, to)
		low, high := t.EntryPrice.Float(), t.EntryPrice.Float()
		merged := t.ExitPrice == stats.None
		if !merged {
			low, high = min(low, t.ExitPrice.Float()), max(high, t.ExitPrice.Float())
		}
		for _, run := range runs {
			for i := range run.bid {
				low, high = min(low, run.bid[i].y), max(high, run.ask[i].y)
			}
		}
		for _, l := range exitLevels(t, e) {
			if l.at > low-0.15 && l.at < high+0.15 {
				low, high = min(low, l.at), max(high, l.at)
			}
		}
		low, high = padded(low, high, 0.08)
		c := newChart(s, fmt.Sprintf("Price of %s in %s while it was held", t.TokenLabel, t.MarketSlug), s.per(300, 240), from, to, low, high)
		c.top, c.right = 44, s.per(118, 92)
		c.shade(in, out)
		c.axisY(6, tickText)
		at := timeTicks(0, to-start, int(s.per(8, 4))*2)
		at = slices.DeleteFunc(at, func(v float64) bool { return v < from-start })
		for i := range at {
			at[i] += start
		}
		if skip := len(at)/int(s.per(9, 4)) + 1; skip > 1 {
			kept := at[:0]
			for i := 0; i < len(at); i += skip {
				kept = append(kept, at[i])
			}
			at = kept
		}
		c.axisX(at, func(v float64) string { return minuteWords(market.Span(v - start)) })
		for _, run := range runs {
			bid, ask, mid := thin(run.bid, s.points), thin(run.ask, s.points), thin(run.mid, s.points)
			c.band("spread", bid, ask)
			c.line("mid", mid, true)
		}
		c.levels(t, e)
		c.marker("in", "entry", t.EntryTime, t.EntryPrice, 14)
		if !merged {
			c.marker("out", words.Exit(t.ExitReason), t.ExitTime, t.ExitPrice, 30)
		}
		return c.svg() + roundPicture(s, p, start, end, in, out)
	}
}

// roundPicture draws the whole round small, with the stretch held.
func roundPicture(s size, p *backtest.Path, start, end, in, out float64) template.HTML {
	c := newChart(s, "The whole round; shaded: held", 56, start, end, 0, 1)
	c.top, c.bottom, c.right = 2, 24, s.per(118, 92)
	c.shade(in, out)
	at := timeTicks(0, end-start, int(s.per(6, 3)))
	for i := range at {
		at[i] += start
	}
	c.axisX(at, func(v float64) string { return minuteWords(market.Span(v - start)) })
	for _, run := range spreads(p, start, end) {
		c.line("mid", thin(run.mid, s.points/4), true)
	}
	return c.svg()
}

// shade marks a stretch of time.
func (c *chart) shade(from, to float64) {
	c.add(`<rect class="held" x="%s" y="%s" width="%s" height="%s"/>`, num(c.px(from)), num(c.top),
		num(max(c.px(to)-c.px(from), 1.5)), num(c.height-c.top-c.bottom))
}

// spread is a stretch in which a token had both a bid and an ask, or the one of
// them stood for both; the three lines have the same x.
type spread struct{ bid, ask, mid []point }

// spreads cuts what a path shows in [from, to] into stretches in which anything
// was quoted.
func spreads(path *backtest.Path, from, to float64) []spread {
	var out []spread
	var run spread
	add := func(x, bid, ask float64) {
		run.bid, run.ask = append(run.bid, point{x, bid}), append(run.ask, point{x, ask})
		run.mid = append(run.mid, point{x, (bid + ask) / 2})
	}
	flush := func(x float64) {
		if n := len(run.bid); n > 0 {
			add(min(x, to), run.bid[n-1].y, run.ask[n-1].y)
			out = append(out, run)
		}
		run = spread{}
	}
	for i, q := range path.Points {
		x := float64(q.At)
		if i+1 < len(path.Points) && float64(path.Points[i+1].At) <= from {
			continue // another quote holds at from
		}
		if x > to {
			break
		}
		bid, ask := q.Bid, q.Ask
		if bid == market.NoPrice {
			bid = ask
		}
		if ask == market.NoPrice {
			ask = bid
		}
		if bid == market.NoPrice {
			flush(max(x, from))
			continue
		}
		add(max(x, from), min(bid, ask).Float(), max(bid, ask).Float())
	}
	flush(to)
	return out
}

// exitLevel is a price at which a position is sold.
type exitLevel struct {
	class, name string
	at          float64
}

func exitLevels(t *backtest.Trade, e *strategy.Exit) []exitLevel {
	entry := t.EntryPrice.Float()
	var out []exitLevel
	if e.TakeProfit != nil {
		out = append(out, exitLevel{"target", "take profit", e.TakeProfit.Float()})
	}
	if e.TakeProfitOffset != nil {
		out = append(out, exitLevel{"target", "take profit", entry + e.TakeProfitOffset.Float()})
	}
	if e.StopLoss != nil {
		out = append(out, exitLevel{"stop", "stop loss", e.StopLoss.Float()})
	}
	if e.StopLossOffset != nil {
		out = append(out, exitLevel{"stop", "stop loss", entry - e.StopLossOffset.Float()})
	}
	return out
}

// levels draws the prices at which the position is sold, named beside the plot.
func (c *chart) levels(t *backtest.Trade, e *strategy.Exit) {
	for _, l := range exitLevels(t, e) {
		if l.at < c.y0 || l.at > c.y1 {
			continue
		}
		y := num(c.py(l.at))
		c.add(`<line class="%s" x1="%s" x2="%s" y1="%s" y2="%s"/>`, l.class, num(c.left), num(c.width-c.right), y, y)
		c.add(`<text class="side %s" x="%s" y="%s" dy="4">%s %s</text>`, l.class, num(c.width-c.right+6), y, l.name, priceText(l.at))
	}
}

// priceText writes a price with two decimals, or as many as it has.
func priceText(v float64) string {
	s := strconv.FormatFloat(v, 'f', 4, 64)
	return strings.TrimSuffix(strings.TrimSuffix(s, "0"), "0")
}

// marker draws a purchase or a sale: a line up to its name, which stands above the
// plot at the height given, and a point at its price.
func (c *chart) marker(class, name string, at backtest.Time, price stats.Decimal, height float64) {
	x, y := c.px(float64(at)), c.py(price.Float())
	c.add(`<line class="lead" x1="%[1]s" x2="%[1]s" y1="%[2]s" y2="%[3]s"/>`, num(x), num(height-8), num(c.height-c.bottom))
	c.add(`<circle class="%s" cx="%s" cy="%s" r="4.5"><title>%s at %s, %s UTC</title></circle>`, class,
		num(x), num(y), html.EscapeString(name), price, figures.Clock(at))
	anchor, dx := "start", 5.0
	if x > c.left+(c.width-c.left-c.right)*0.6 {
		anchor, dx = "end", -5
	}
	c.add(`<text class="strong" text-anchor="%s" x="%s" y="%s">%s %s</text>`, anchor, num(x+dx), num(height),
		html.EscapeString(name), figures.Price(price))
}

// minuteWords writes a time in the round as minutes and seconds.
func minuteWords(s market.Span) string {
	seconds := int64(s / market.Second)
	return fmt.Sprintf("%d:%02d", seconds/60, seconds%60)
}
