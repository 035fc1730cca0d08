package words

import (
	"fmt"
	"strings"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/figures"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/strategy"
)

// CalibrationVerdict says whether prices and outcomes agree, in two parts.
func CalibrationVerdict(c *backtest.Calibration) [2]string {
	switch c.Verdict {
	case backtest.CalibrationNotEnough:
		return [2]string{"Not enough evidence", fmt.Sprintf("No price at any time was seen in %d rounds with %d distinct ends, which a band needs.", stats.MinTrades, stats.MinEnds)}
	case backtest.Calibrated:
		return [2]string{"Prices and outcomes agree", fmt.Sprintf("Of %s with enough rounds %s outside of its 95%% band, where chance alone puts one in twenty; none does when so many looks are allowed for.",
			figures.Count(c.Judged, "cell"), figures.Number(c.Off)+figures.Plural(c.Off, " lies", " lie"))}
	}
	return [2]string{"Prices and outcomes disagree", fmt.Sprintf("Of %s with enough rounds %s outside of its 95%% band, where chance alone puts one in twenty; %s when so many looks are allowed for.",
		figures.Count(c.Judged, "cell"), figures.Number(c.Off)+figures.Plural(c.Off, " lies", " lie"), figures.Number(c.Sure)+figures.Plural(c.Sure, " still does", " still do"))}
}

// CalibrationNothing says why there was nothing to look at; nil when there was.
func CalibrationNothing(c *backtest.Calibration) []string {
	r := &backtest.Report{MarketsFound: c.Sampled, Available: c.Available}
	r.Funnel.Universe, r.Funnel.Resolved, r.Funnel.Captured = c.Universe, c.Resolved, c.Captured
	r.Options.From, r.Options.To, r.Options.Winners = c.Options.From, c.Options.To, c.Options.Winners
	return Nothing(r, strategy.MarketSpec{Coin: c.Options.Coin, Type: c.Options.Type})
}

// CalibrationSample says what was looked at.
func CalibrationSample(c *backtest.Calibration) string {
	out := fmt.Sprintf("%s of the token Up, in %s with %s", figures.Count(c.Observations, "price"), figures.Count(c.Sampled, "round"), figures.Count(c.Ends, "distinct end"))
	if c.FirstRound != nil {
		out += ", " + figures.Dates(*c.FirstRound, *c.LastRound)
	}
	var left []string
	for _, one := range []struct {
		n   int
		why string
	}{{c.LeftOut.NoPrice, "before any was captured"}, {c.LeftOut.Gap, "in gaps of the recording"}, {c.LeftOut.Stale, "more than 30 s after the last capture"}} {
		if one.n > 0 {
			left = append(left, figures.Number(one.n)+" "+one.why)
		}
	}
	if len(left) > 0 {
		out += "; left out: " + strings.Join(left, ", ")
	}
	return out + "."
}

// CalibrationWorst says where prices were wrong, the worst first; empty where nowhere is
// sure.
func CalibrationWorst(c *backtest.Calibration) (out []string) {
	for _, p := range c.OffFor() {
		out = append(out, fmt.Sprintf("With %s left, at %s (%s on average), Up came true in %s of %s: %s.",
			figures.Seconds(&p.Time.SecondsLeft), CalibrationBand(&p.Cell), figures.Rate(*p.Cell.Price), figures.Rate(*p.Cell.Paid), figures.Count(p.Cell.N, "round"), figures.Points(*p.Cell.Gap)))
	}
	return out
}

// CalibrationBand writes a band of prices: "20¢ to 40¢".
func CalibrationBand(c *backtest.CalibrationCell) string {
	cent := func(d stats.Decimal) string { return strings.TrimSuffix(figures.Fixed(d*100, 1), ".0") + "¢" }
	return cent(c.From) + " to " + cent(c.To)
}

// CalibrationMark is that of a cell: ◆ surely off, • outside of its band, ~ too few rounds for one.
func CalibrationMark(c *backtest.CalibrationCell) string {
	switch {
	case c.Sure:
		return "◆"
	case c.Off:
		return "•"
	case c.N > 0 && c.Band == nil:
		return "~"
	}
	return ""
}

// CalibrationKey explains the marks.
const CalibrationKey = "Percentage points by which outcomes were above the price (+: Up was too cheap, −: Down was). ◆ surely, • outside of the 95% band, ~ fewer than 30 rounds or 20 ends. Below: rounds."
