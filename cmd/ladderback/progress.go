package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/ladderback/ladderback/app"
	"github.com/ladderback/ladderback/report/listing"
)

// every is how often a line is written where no bar can be drawn.
const every = 3 * time.Second

// progress shows the progress of long work: a bar on a terminal, otherwise a line
// every few seconds, nothing with --quiet. Its methods may be called from any
// goroutine.
type progress struct {
	mu    sync.Mutex
	out   io.Writer
	label string
	unit  unit
	bars  *mpb.Progress
	bar   *mpb.Bar
	quiet bool
	begun time.Time
	last  time.Time
	done  int64
	total int64
}

// showProgress is startProgress for what the commands share.
func (a *cli) showProgress(label, things string) app.Progress {
	p := a.startProgress(label, count(things))
	return app.Progress{Set: p.set, Stop: p.stop}
}

// startProgress starts to show work called label, counted in unit. The caller
// ends it with stop.
func (a *cli) startProgress(label string, unit unit) *progress {
	p := &progress{out: a.err, label: label, unit: unit, quiet: a.quiet, begun: time.Now()}
	p.last = p.begun
	if a.terminal && !a.quiet {
		p.bars = mpb.New(mpb.WithOutput(a.err), mpb.WithWidth(40))
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

// set reports done of total; a total of zero is not known yet.
func (p *progress) set(done, total int64) {
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
func (p *progress) status() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.line()
}

// line states how much is done, how fast, and how long the rest will take.
func (p *progress) line() string {
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

// stop ends the display and leaves the terminal clean.
func (p *progress) stop() {
	if p.bar == nil {
		return
	}
	p.bar.Abort(true)
	p.bars.Wait()
}

// unit is how amounts of work are written.
type unit struct {
	write func(n int64) string
	name  string // behind the total: " markets"
}

// count is a unit for whole things: "12 of 40 markets".
func count(things string) unit { return unit{write: listing.Grouped, name: " " + things} }

// inBytes writes a number of bytes as people read it.
func inBytes() unit { return unit{write: listing.Bytes} }
