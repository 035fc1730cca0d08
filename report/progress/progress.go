// Package progress shows on a terminal, or in lines, how far long work is.
package progress

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/ladderback/ladderback/report/listing"
)

// every is how often a line is written where no bar can be drawn.
const every = 3 * time.Second

// Bar shows the progress of long work: a bar on a terminal, otherwise a line
// every few seconds, nothing with --quiet. Its methods may be called from any
// goroutine.
type Bar struct {
	mu    sync.Mutex
	out   io.Writer
	label string
	unit  Unit
	bars  *mpb.Progress
	bar   *mpb.Bar
	quiet bool
	begun time.Time
	last  time.Time
	done  int64
	total int64
}

// Start starts to show work called label, counted in unit, on out: as a bar where drawn is
// set, not at all where quiet is. The caller ends it with Stop.
func Start(out io.Writer, label string, unit Unit, drawn, quiet bool) *Bar {
	p := &Bar{out: out, label: label, unit: unit, quiet: quiet, begun: time.Now()}
	p.last = p.begun
	if drawn && !quiet {
		p.bars = mpb.New(mpb.WithOutput(out), mpb.WithWidth(40))
		p.bar = p.bars.AddBar(0,
			mpb.PrependDecorators(decor.Name(label+" ")),
			mpb.AppendDecorators(
				decor.Percentage(),
				decor.Any(func(decor.Statistics) string { return "  " + p.status() }),
			),
			mpb.BarRemoveOnComplete(),
		)
	}
	return p
}

// Set reports done of total; a total of zero is not known yet.
func (p *Bar) Set(done, total int64) {
	p.mu.Lock()
	if done < p.done {
		done = p.done // reports of parallel workers may overtake one another
	}
	p.done, p.total = done, total
	line := ""
	if p.bar == nil && !p.quiet && time.Since(p.last) >= every {
		p.last = time.Now()
		line = p.line()
	}
	p.mu.Unlock()
	// Without the lock: the bar draws in a goroutine of its own, which takes it.
	if p.bar != nil {
		p.bar.SetTotal(total, false)
		p.bar.SetCurrent(done)
	}
	if line != "" {
		fmt.Fprintf(p.out, "%s: %s\n", p.label, line)
	}
}

// status is the line beside the bar; it takes the lock itself.
func (p *Bar) status() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.line()
}

// line states how much is done, how fast, and how long the rest will take.
func (p *Bar) line() string {
	took := time.Since(p.begun)
	if p.total <= 0 {
		return p.unit.write(p.done) + p.unit.name
	}
	s := fmt.Sprintf("%s of %s%s", p.unit.write(p.done), p.unit.write(p.total), p.unit.name)
	if took > time.Second && p.done > 0 {
		rate := float64(p.done) / took.Seconds()
		left := time.Duration(float64(p.total-p.done) / rate * float64(time.Second))
		if rate >= 1 {
			s += fmt.Sprintf(", %s/s", p.unit.write(int64(rate)))
		}
		s += fmt.Sprintf(", %s left", left.Round(time.Second))
	}
	return s
}

// Stop ends the display and leaves the terminal clean.
func (p *Bar) Stop() {
	if p.bar == nil {
		return
	}
	p.bar.Abort(true)
	p.bars.Wait()
}

// Unit is how amounts of work are written.
type Unit struct {
	write func(n int64) string
	name  string // behind the total: " markets"
}

// Count is a unit for whole things: "12 of 40 markets".
func Count(things string) Unit { return Unit{write: listing.Grouped, name: " " + things} }

// Bytes is a unit for numbers of bytes, as people read them.
func Bytes() Unit { return Unit{write: listing.Bytes} }
