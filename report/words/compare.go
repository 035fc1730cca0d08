package words

import (
	"fmt"
	"strings"

	"github.com/ladderback/ladderback/backtest/compare"
	"github.com/ladderback/ladderback/backtest/figures"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/replay"
)

// Answer says whether the second run is better than the first, in two parts: the
// answer and what it rests on.
func Answer(p *compare.Paired, a, b string) [2]string {
	over := figures.Count(p.Rounds, "round")
	if p.SameSample {
		over += " that either traded"
	} else {
		over += " that both traded (the runs replayed different rounds)"
	}
	if p.MeanDifference == nil {
		return [2]string{"Not enough evidence", "There are no rounds to pair."}
	}
	why := fmt.Sprintf("%s − %s is %s per round (95%% interval: %s) over %s.",
		b, a, figures.USD(*p.MeanDifference), Interval(p.Interval, figures.USD), over)
	if d := p.Deflated; d != nil && d.Look > 1 && (p.Answer == compare.Better || p.Answer == compare.Worse) {
		holds := "holds"
		if !d.Holds {
			holds = "does not hold"
		}
		why += fmt.Sprintf(" At the %s look at these rounds it %s: beyond what luck gives the best of so many with a chance of %s, of the %s that it takes.",
			Ordinal(d.Look), holds, figures.Rate(d.Probability), figures.Rate(neededRate))
	}
	switch p.Answer {
	case compare.Better:
		return [2]string{b + " is better than " + a, why}
	case compare.Worse:
		return [2]string{b + " is worse than " + a, why}
	case compare.NoDifference:
		return [2]string{"No difference shown", why}
	}
	return [2]string{"Not enough evidence", why}
}

// pairs are the names and the writing of the numbers of a comparison.
var pairs = map[string]struct {
	name          string
	value, change func(stats.Decimal) string
}{
	"markets_found":   {"markets replayed", whole, signedWhole},
	"markets_traded":  {"trades", whole, signedWhole},
	"mean_pnl":        {"mean pnl per trade", figures.USD, figures.USD},
	"win_rate":        {"win rate", figures.Rate, figures.Points},
	"total_pnl":       {"total pnl", figures.USD, figures.USD},
	"return_on_stake": {"return on money staked", figures.SignedRate, figures.Points},
	"edge":            {"edge per share", figures.SignedPrice, figures.SignedPrice},
	"avg_win":         {"average win", figures.USD, figures.USD},
	"avg_loss":        {"average loss", figures.USD, figures.USD},
	"max_drawdown":    {"max drawdown", figures.Dollars, figures.USD},
	"fees":            {"fees", figures.Dollars, figures.USD},
}

func whole(d stats.Decimal) string { return figures.Thousands(figures.Fixed(d, 0)) }

func signedWhole(d stats.Decimal) string { return figures.SignedTo(d, 0) }

// Pair writes a number of two reports: its name, both values, and second minus
// first.
func Pair(n *compare.NumberPair) [4]string {
	w, ok := pairs[n.Name]
	if !ok {
		w.name, w.value, w.change = n.Name, figures.USD, figures.USD
	}
	return [4]string{w.name, figures.Or(n.A, w.value), figures.Or(n.B, w.value), figures.Or(n.Difference, w.change)}
}

// Change is a run of words that both texts have (Op ' '), or only the first
// ('-') or the second ('+').
type Change struct {
	Op   rune
	Text string
}

// Diff compares two texts word by word, by their longest common subsequence.
func Diff(a, b string) []Change {
	x, y := strings.Fields(a), strings.Fields(b)
	// common[i][j] is the length of the longest common subsequence of x[i:], y[j:].
	common := make([][]int, len(x)+1)
	for i := range common {
		common[i] = make([]int, len(y)+1)
	}
	for i := len(x) - 1; i >= 0; i-- {
		for j := len(y) - 1; j >= 0; j-- {
			common[i][j] = max(common[i+1][j], common[i][j+1])
			if x[i] == y[j] {
				common[i][j] = common[i+1][j+1] + 1
			}
		}
	}
	var out []Change
	add := func(op rune, word string) {
		if n := len(out); n > 0 && out[n-1].Op == op {
			out[n-1].Text += " " + word
			return
		}
		out = append(out, Change{op, word})
	}
	i, j := 0, 0
	for i < len(x) || j < len(y) {
		switch {
		case i < len(x) && j < len(y) && x[i] == y[j]:
			add(' ', x[i])
			i, j = i+1, j+1
		case i < len(x) && (j == len(y) || common[i+1][j] >= common[i][j+1]):
			add('-', x[i])
			i++
		default:
			add('+', y[j])
			j++
		}
	}
	return out
}

// ExitOf is Exit for a value of a comparison, which may be "not traded".
func ExitOf(s string) string { return Exit(replay.ExitReason(s)) }
