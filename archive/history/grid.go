package history

import (
	"fmt"

	"github.com/ladderback/ladderback/market"
)

// Grid is the step on which captures are read before they are put in buckets.
const Grid = 250 * market.Millisecond

// Resolution is the size of a bucket.
type Resolution struct {
	Name string      // as it is asked for and answered: "1m"
	Span market.Span // a multiple of Grid
}

// Resolutions in the order in which messages list them. "60s" is "1m".
var resolutions = [...]Resolution{
	{"250ms", Grid}, {"1s", market.Second}, {"5s", 5 * market.Second}, {"15s", 15 * market.Second},
	{"30s", 30 * market.Second}, {"1m", market.Minute}, {"60s", market.Minute}, {"5m", 5 * market.Minute},
	{"10m", 10 * market.Minute}, {"15m", 15 * market.Minute}, {"1h", market.Hour}, {"6h", 6 * market.Hour},
	{"1d", market.Day},
}

// Resolutions returns every resolution, in the order used in messages.
func Resolutions() []Resolution { return resolutions[:] }

// FindResolution returns the resolution of that name.
func FindResolution(name string) (Resolution, bool) {
	for _, r := range resolutions {
		if r.Name == name {
			return r, true
		}
	}
	return Resolution{}, false
}

// Window selects the buckets at the multiples t of Resolution with Start ≤ t <
// End. The last bucket may extend beyond End.
type Window struct {
	Start, End market.Instant
	Resolution market.Span // a positive multiple of Grid
}

// Validate returns an error that says what is wrong with w, or nil.
func (w Window) Validate() error {
	switch {
	case w.Resolution <= 0 || w.Resolution%Grid != 0:
		return fmt.Errorf("resolution of %d µs: expected a positive multiple of 250 ms", w.Resolution)
	case w.Start >= w.End:
		return fmt.Errorf("window from %s to %s: expected a start before the end", w.Start, w.End)
	}
	return nil
}

// First returns the time of the first bucket that lies in w, which may be at or
// after End when there is none.
func (w Window) First() market.Instant { return ceil(w.Start, w.Resolution) }

// Stop returns the end of the last bucket of w: captures from then on are
// irrelevant.
func (w Window) Stop() market.Instant { return ceil(w.End, w.Resolution) }

// Known says which grid points t have a value at all: From ≤ t < To. From is
// the market's first capture. To is when it was closed, where the source says
// so; else, for a market no longer open, the later of its end and its last
// capture; else the watermark of its category.
type Known struct {
	From, To market.Instant
}

// ceil returns the smallest multiple of step at or after t.
func ceil(t market.Instant, step market.Span) market.Instant {
	q := t / step
	if t%step > 0 {
		q++
	}
	return q * step
}

// floor returns the largest multiple of step at or before t.
func floor(t market.Instant, step market.Span) market.Instant {
	q := t / step
	if t%step < 0 {
		q--
	}
	return q * step
}

// points returns how many grid points lie in [from, to).
func points(from, to market.Instant) int64 {
	if to <= from {
		return 0
	}
	return int64((ceil(to, Grid) - ceil(from, Grid)) / Grid)
}
