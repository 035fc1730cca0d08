// Package preview draws the picture that a preview of a link to a run shows.
package preview

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"strings"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/figures"
	"github.com/ladderback/ladderback/report/words"
)

// Width and Height of the picture in pixels: those that programs which make previews ask for.
const (
	Width  = 1200
	Height = 630
)

const (
	margin = 64
	top    = 380 // of the curve
	bottom = 556
)

// The colours of the page by day.
var (
	paper = color.RGBA{0xf8, 0xf8, 0xf6, 0xff}
	ink   = color.RGBA{0x15, 0x18, 0x1c, 0xff}
	muted = color.RGBA{0x56, 0x5e, 0x68, 0xff}
	rule  = color.RGBA{0xc7, 0xca, 0xc6, 0xff}
	gain  = color.RGBA{0x08, 0x70, 0x4d, 0xff}
	loss  = color.RGBA{0xb8, 0x25, 0x3f, 0xff}
	band  = color.RGBA{0xd9, 0x9a, 0x1c, 0xff}
)

// Write draws a run that is done, as said reports it, and writes it to w as PNG: the
// verdict, the headline, the sentence and the equity after every trade. The same run gives
// the same bytes.
func Write(w io.Writer, body *backtest.Body, said *words.Report) error {
	regular, err := opentype.Parse(goregular.TTF)
	if err != nil {
		return err
	}
	bold, err := opentype.Parse(gobold.TTF)
	if err != nil {
		return err
	}
	c := canvas{img: image.NewRGBA(image.Rect(0, 0, Width, Height)), regular: regular, bold: bold}
	draw.Draw(c.img, c.img.Rect, image.NewUniform(paper), image.Point{}, draw.Src)
	c.text(bold, 34, ink, margin, 88, 1, "Ladderback")
	c.text(bold, 64, ink, margin, 178, 1, said.Verdict)
	c.text(regular, 30, ink, margin, 230, 2, said.Headline)
	c.text(regular, 26, muted, margin, 310, 2, body.Prompt)
	c.equity(body.Report)
	for i := range body.Report.Warnings {
		if body.Report.Warnings[i].Code == backtest.SimulatedData {
			c.box(image.Rect(0, Height-44, Width, Height), band)
			c.text(bold, 24, ink, margin, Height-13, 1, "SIMULATED DATA. No exchange made these prices.")
		}
	}
	if c.err != nil {
		return c.err
	}
	return png.Encode(w, c.img)
}

// canvas is drawn on from back to front. err is the first that happened.
type canvas struct {
	img           *image.RGBA
	regular, bold *opentype.Font
	err           error
}

// box fills a rectangle.
func (c *canvas) box(r image.Rectangle, of color.RGBA) {
	draw.Draw(c.img, r, image.NewUniform(of), image.Point{}, draw.Src)
}

// text writes words from (x, y), the foot of the first line, in at most so many lines down
// to the right margin; what has no room is an ellipsis.
func (c *canvas) text(f *opentype.Font, size float64, of color.RGBA, x, y, lines int, s string) {
	face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: size, DPI: 72})
	if err != nil {
		c.err = err
		return
	}
	d := font.Drawer{Dst: c.img, Src: image.NewUniform(of), Face: face}
	for i, line := range wrapped(strings.Fields(s), lines, func(s string) bool { return d.MeasureString(s).Ceil() <= Width-margin-x }) {
		d.Dot = fixed.P(x, y+int(float64(i)*size*1.35))
		d.DrawString(line)
	}
}

// wrapped puts words into at most so many lines that fit.
func wrapped(list []string, lines int, fits func(string) bool) []string {
	var out []string
	for len(list) > 0 && len(out) < lines {
		n := 1
		for n < len(list) && fits(strings.Join(list[:n+1], " ")) {
			n++
		}
		line := strings.Join(list[:n], " ")
		if n < len(list) && len(out) == lines-1 {
			line += " …"
		}
		for letters := []rune(line); len(letters) > 1 && !fits(line); {
			letters = letters[:len(letters)-1]
			line = string(letters) + "…"
		}
		out, list = append(out, line), list[n:]
	}
	return out
}

// equity draws the sum of the pnl after every trade, around a line at zero.
func (c *canvas) equity(r *backtest.Report) {
	low, high := 0.0, 0.0
	for _, v := range r.EquityCurve {
		low, high = min(low, v.Float()), max(high, v.Float())
	}
	if low == high {
		return
	}
	const right = Width - margin - 190 // beside it is the sum
	at := func(i int) (float32, float32) {
		v := 0.0
		if i > 0 {
			v = r.EquityCurve[i-1].Float()
		}
		return margin + float32(i)/float32(len(r.EquityCurve))*(right-margin), float32(bottom - (v-low)/(high-low)*(bottom-top))
	}
	_, zero := at(0)
	c.box(image.Rect(margin, int(zero), right, int(zero)+2), rule)
	of := gain
	if r.TotalPnL < 0 {
		of = loss
	}
	line := vector.NewRasterizer(Width, Height)
	x, y := at(0)
	for i := range r.EquityCurve {
		x2, y2 := at(i + 1)
		stroke(line, x, y, x2, y2)
		x, y = x2, y2
	}
	line.Draw(c.img, c.img.Rect, image.NewUniform(of), image.Point{})
	c.text(c.bold, 34, of, right+20, int(min(max(y+12, top+30), bottom)), 1, figures.USD(r.TotalPnL))
	c.text(c.regular, 22, muted, right+20, int(min(max(y+12, top+30), bottom))-38, 1, fmt.Sprintf("%s trades", figures.Number(len(r.Trades))))
}

// stroke adds a line of three pixels.
func stroke(z *vector.Rasterizer, x, y, x2, y2 float32) {
	const half = 1.5
	dx, dy := x2-x, y2-y
	long := max(dx, -dx) + max(dy, -dy) // near enough to its length for the width of a line
	nx, ny := -dy/long*half, dx/long*half
	z.MoveTo(x+nx, y+ny)
	z.LineTo(x2+nx, y2+ny)
	z.LineTo(x2-nx, y2-ny)
	z.LineTo(x-nx, y-ny)
	z.ClosePath()
}
