package page

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"strconv"
	"strings"

	"github.com/ladderback/ladderback/backtest/figures"
	"github.com/ladderback/ladderback/market"
)

// point is a place in the units of the data.
type point struct{ x, y float64 }

// thin returns at most so many of ps, which are in order of x: of each of equally
// long runs the first, the lowest, the highest and the last point, so that no peak
// is lost.
func thin(ps []point, limit int) []point {
	if len(ps) <= limit {
		return ps
	}
	parts := limit / 4
	out := make([]point, 0, limit)
	for k := range parts {
		from, to := k*len(ps)/parts, (k+1)*len(ps)/parts
		low, high := from, from
		for i := from; i < to; i++ {
			if ps[i].y < ps[low].y {
				low = i
			}
			if ps[i].y > ps[high].y {
				high = i
			}
		}
		last := -1
		for _, i := range []int{from, min(low, high), max(low, high), to - 1} {
			if i > last {
				out = append(out, ps[i])
				last = i
			}
		}
	}
	return out
}

// chart is one SVG picture: a frame with two linear axes.
type chart struct {
	strings.Builder
	size
	title                    string
	width, height            float64
	left, right, top, bottom float64 // margins
	x0, x1, y0, y1           float64 // ranges of the data, x0 < x1, y0 < y1
	byExit                   bool    // x is the time of exits: a pointer over it shows the trade nearest to it
}

// size is how large a picture is drawn: wide for a screen, narrow for a phone,
// where the same letters take more of it.
type size struct {
	width  float64
	points int // of a line, at most
	narrow bool
}

var (
	wide   = size{width: 960, points: 800}
	narrow = size{width: 360, points: 240, narrow: true}
)

// per returns the number for the size.
func (s size) per(wide, narrow float64) float64 {
	if s.narrow {
		return narrow
	}
	return wide
}

// both draws a picture in both sizes, of which the page shows the one that fits.
func both(draw func(size) template.HTML) template.HTML {
	w := draw(wide)
	if w == "" {
		return ""
	}
	return `<div class="w">` + w + `</div><div class="s">` + draw(narrow) + `</div>`
}

// newChart begins a picture that shows the ranges given; a range without extent is
// widened.
func newChart(s size, title string, height, x0, x1, y0, y1 float64) *chart {
	c := &chart{
		size: s, title: title, width: s.width, height: height,
		left: s.per(64, 52), right: s.per(16, 10), top: 12, bottom: 28,
		x0: x0, x1: x1, y0: y0, y1: y1,
	}
	if !(c.x1 > c.x0) {
		c.x0, c.x1 = c.x0-0.5, c.x0+0.5
	}
	if !(c.y1 > c.y0) {
		c.y0, c.y1 = c.y0-0.5, c.y0+0.5
	}
	return c
}

// padded widens a range by a share of its extent.
func padded(low, high, share float64) (float64, float64) {
	d := (high - low) * share
	return low - d, high + d
}

func (c *chart) px(x float64) float64 {
	return c.left + (x-c.x0)/(c.x1-c.x0)*(c.width-c.left-c.right)
}

func (c *chart) py(y float64) float64 {
	return c.height - c.bottom - (y-c.y0)/(c.y1-c.y0)*(c.height-c.top-c.bottom)
}

// num writes a coordinate with one decimal at most.
func num(v float64) string {
	s := strconv.FormatFloat(v, 'f', 1, 64)
	return strings.TrimSuffix(s, ".0")
}

func (c *chart) add(format string, args ...any) { _, _ = fmt.Fprintf(c, format, args...) }

// ticks returns round numbers in [low, high], about n of them.
func ticks(low, high float64, n int) []float64 {
	raw := (high - low) / float64(n)
	if raw <= 0 || math.IsInf(raw, 0) || math.IsNaN(raw) {
		return nil
	}
	step := figures.Step(raw)
	var out []float64
	for k := math.Ceil(low / step); k*step <= high+step*1e-9; k++ {
		out = append(out, k*step)
	}
	return out
}

// tickText writes a tick without needless decimals.
func tickText(v float64) string {
	s := strconv.FormatFloat(v, 'f', 4, 64)
	s = strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
	if s == "-0" || s == "" {
		return "0"
	}
	return figures.Thousands(strings.Replace(s, "-", "−", 1))
}

// axisY draws the horizontal grid with its labels; the line at 0 is stronger.
func (c *chart) axisY(n int, label func(float64) string) {
	for _, v := range ticks(c.y0, c.y1, n) {
		class := "grid"
		if math.Abs(v) < 1e-12 {
			class = "zero"
		}
		y := num(c.py(v))
		c.add(`<line class="%s" x1="%s" x2="%s" y1="%s" y2="%s"/>`, class, num(c.left), num(c.width-c.right), y, y)
		c.add(`<text class="tick" text-anchor="end" x="%s" y="%s" dy="4">%s</text>`, num(c.left-8), y, label(v))
	}
}

// axisX draws labels under the frame.
func (c *chart) axisX(at []float64, label func(float64) string) {
	for _, v := range at {
		x := num(c.px(v))
		c.add(`<line class="grid" x1="%s" x2="%s" y1="%s" y2="%s"/>`, x, x, num(c.top), num(c.height-c.bottom))
		c.add(`<text class="tick" text-anchor="middle" x="%s" y="%s">%s</text>`, x, num(c.height-c.bottom+18), html.EscapeString(label(v)))
	}
}

// line draws a polyline through ps; with stairs each value holds until the
// next point.
func (c *chart) line(class string, ps []point, stairs bool) {
	if len(ps) == 0 {
		return
	}
	c.add(`<path class="%s" d="%s"/>`, class, c.track(ps, stairs))
}

// band fills between two stairs over the same x.
func (c *chart) band(class string, low, high []point) {
	if len(low) == 0 || len(high) == 0 {
		return
	}
	var back strings.Builder
	for i := len(low) - 1; i >= 0; i-- {
		p := low[i]
		if i < len(low)-1 {
			fmt.Fprintf(&back, "V%s", num(c.py(p.y)))
		}
		fmt.Fprintf(&back, "H%s", num(c.px(p.x)))
	}
	c.add(`<path class="%s" d="%sV%s%sZ"/>`, class, c.track(high, true), num(c.py(low[len(low)-1].y)), back.String())
}

func (c *chart) track(ps []point, stairs bool) string {
	var b strings.Builder
	for i, p := range ps {
		switch {
		case i == 0:
			fmt.Fprintf(&b, "M%s %s", num(c.px(p.x)), num(c.py(p.y)))
		case stairs:
			fmt.Fprintf(&b, "H%sV%s", num(c.px(p.x)), num(c.py(p.y)))
		default:
			fmt.Fprintf(&b, "L%s %s", num(c.px(p.x)), num(c.py(p.y)))
		}
	}
	return b.String()
}

// area fills between stairs and the height base.
func (c *chart) area(class string, ps []point, base float64) {
	if len(ps) == 0 {
		return
	}
	y := num(c.py(base))
	c.add(`<path class="%s" d="%sV%sH%sZ"/>`, class, c.track(ps, true), y, num(c.px(ps[0].x)))
}

// svg returns the finished picture.
func (c *chart) svg() template.HTML {
	exits := ""
	if c.byExit {
		exits = fmt.Sprintf(` data-exits="%.4f %.4f %.0f %.0f"`, c.left/c.width, 1-c.right/c.width, c.x0, c.x1)
	}
	return template.HTML(fmt.Sprintf(`<svg viewBox="0 0 %s %s" role="img" aria-label="%s"%s>%s</svg>`,
		num(c.width), num(c.height), html.EscapeString(c.title), exits, c.String()))
}

// timeTicks returns instants (in µs) on round UTC times, about n in [low, high].
func timeTicks(low, high float64, n int) []float64 {
	raw := (high - low) / float64(n)
	steps := []market.Span{
		market.Second, 5 * market.Second, 15 * market.Second, 30 * market.Second,
		market.Minute, 2 * market.Minute, 5 * market.Minute, 15 * market.Minute, 30 * market.Minute,
		market.Hour, 2 * market.Hour, 3 * market.Hour, 6 * market.Hour, 12 * market.Hour,
		market.Day, 2 * market.Day, 7 * market.Day, 14 * market.Day, 28 * market.Day, 91 * market.Day, 364 * market.Day,
	}
	step := float64(steps[len(steps)-1])
	for _, s := range steps {
		if float64(s) >= raw {
			step = float64(s)
			break
		}
	}
	var out []float64
	for k := math.Ceil(low / step); k*step <= high; k++ {
		out = append(out, k*step)
	}
	return out
}
