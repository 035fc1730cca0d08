package page_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/figures"
	"github.com/ladderback/ladderback/internal/backtesttest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/report/page"
)

// fixturePaths makes a wandering quote for the first trades of r.
func fixturePaths(r *backtest.Report, n int) []backtest.Path {
	var out []backtest.Path
	for i := range min(n, len(r.Trades)) {
		start := r.Trades[i].EntryTime - 61_500_000
		p := backtest.Path{Trade: i, Start: start, End: start + 15*market.Minute}
		for k := range 3000 {
			mid := 0.4 + 0.15*math.Sin(float64(k)/200+float64(i)) + 0.02*math.Sin(float64(k)/7)
			q := backtest.PathPoint{At: start + market.Instant(k)*300*market.Millisecond, Bid: market.Price(mid*100) * 100, Ask: market.Price(mid*100)*100 + 100}
			if k > 2900 {
				q.Ask = market.NoPrice
			}
			p.Points = append(p.Points, q)
		}
		out = append(out, p)
	}
	return out
}

func written(t *testing.T, b *backtest.Body, paths []backtest.Path) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, page.Write(&out, b, paths, "1.2.3", "real.db"))
	return out.String()
}

// TestHTMLHasItsTools: the trades can be filtered and saved, each row says when it
// exited and what had been made by then, and the footer which archive it was.
func TestHTMLHasItsTools(t *testing.T) {
	t.Parallel()
	r := backtesttest.Build(t, backtesttest.Result(40))
	text := written(t, backtesttest.Body(r), nil)
	for _, id := range []string{"filter", "won", "csv", "shown", "tools"} {
		require.Contains(t, text, `id="`+id+`"`)
	}
	require.Equal(t, 4, strings.Count(text, ` data-exits="`), "equity and trades, each in two sizes")
	for i := range r.Trades {
		require.Contains(t, text, fmt.Sprintf(`<tr data-exit="%d" data-sum="%s">`, r.Trades[i].ExitTime, strings.ReplaceAll(figures.USD(r.EquityCurve[i]), "+", "&#43;")))
	}
	require.Contains(t, text, "from real.db.")
	require.Contains(t, text, "Made by Ladderback 1.2.3, engine")
	require.Contains(t, text, `\r\n`, "the script's own line ends, not the page's")
}

// Set this to a file to look at the page of the fixture in a browser.
const lookAt = "LADDERBACK_HTML_OUT"

func TestHTML(t *testing.T) {
	t.Parallel()
	r := backtesttest.Build(t, backtesttest.Result(200), backtest.IncludeSensitivity)
	text := written(t, backtesttest.Body(r), fixturePaths(r, 12))
	if path := os.Getenv(lookAt); path != "" {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	require.NotContains(t, text, "http:", "no outside addresses")
	require.NotContains(t, text, "https:")
	require.NotContains(t, text, "//", "nor addresses without a scheme")
	require.NotContains(t, text, "@import")
	require.NotContains(t, text, "url(")
	require.NotContains(t, text, "NaN")
	require.NotContains(t, text, "ZgotmplZ")
	// The verdict, and in two sizes equity with drawdown, trades, distribution and the
	// paths with their rounds.
	require.Equal(t, 1+2*(2+1+1+2*12), strings.Count(text, "<svg"))
	require.Equal(t, 1+2*(len(r.Trades)+2*12), strings.Count(text, "<circle"))
	for _, w := range r.Warnings {
		require.Contains(t, text, string(w.Code))
	}
}

func TestHTMLOfFewTrades(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 2} {
		text := written(t, backtesttest.Body(backtesttest.Build(t, backtesttest.Result(n))), nil)
		require.NotContains(t, text, "NaN")
		require.NotContains(t, text, "Inf")
		require.Contains(t, text, "Where the markets went")
	}
}

// A page that someone sends on must not run what stood in a prompt.
func TestHTMLEscapes(t *testing.T) {
	t.Parallel()
	r := backtesttest.Build(t, backtesttest.Result(3))
	r.Trades[0].MarketSlug = `"><script>alert(2)</script>`
	r.Trades[0].TokenLabel = `<b onmouseover=alert(3)>`
	b := backtesttest.Body(r)
	b.Prompt = `<script>alert(1)</script>`
	b.Note = `<img src=x onerror=alert(4)>`
	text := written(t, b, fixturePaths(r, 1))
	require.NotContains(t, text, "<script>alert")
	require.NotContains(t, text, "<img")
	require.NotContains(t, text, "<b on")
	require.Equal(t, 1, strings.Count(text, "<script>"))
}

func TestHTMLStaysSmall(t *testing.T) {
	t.Parallel()
	r := backtesttest.Build(t, backtesttest.Result(5000))
	text := written(t, backtesttest.Body(r), fixturePaths(r, 24))
	require.Less(t, len(text), 3<<20)
	require.Contains(t, text, "trades between the first and the last 500 are not listed")
	require.LessOrEqual(t, strings.Count(text, "<circle"), 1+800+240+2*2*24)
}

func TestThinKeepsPeaks(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 9000).Draw(t, "n")
		seed := rapid.Uint64().Draw(t, "seed")
		xs, ys := make([]float64, n), make([]float64, n)
		low, high := math.Inf(1), math.Inf(-1)
		for i := range n {
			seed = seed*6364136223846793005 + 1442695040888963407
			xs[i], ys[i] = float64(i), float64(seed>>40)
			low, high = min(low, ys[i]), max(high, ys[i])
		}
		tx, ty := page.Thin(xs, ys)
		require.LessOrEqual(t, len(tx), 2000)
		if n == 0 {
			return
		}
		// A delta of 0: points are kept or left out, never moved.
		require.InDelta(t, xs[0], tx[0], 0)
		require.InDelta(t, xs[n-1], tx[len(tx)-1], 0)
		l, h := math.Inf(1), math.Inf(-1)
		for i := range tx {
			require.InDelta(t, ys[int(tx[i])], ty[i], 0)
			if i > 0 {
				require.Greater(t, tx[i], tx[i-1])
			}
			l, h = min(l, ty[i]), max(h, ty[i])
		}
		require.InDelta(t, low, l, 0)
		require.InDelta(t, high, h, 0)
	})
}

// Trades that neither win nor lose draw a flat line.
func TestPageOfNothingWon(t *testing.T) {
	t.Parallel()
	res := backtesttest.Result(12)
	for _, one := range res.Trades {
		one.Proceeds = one.Cost
	}
	r := backtesttest.Build(t, res)
	require.NotContains(t, written(t, backtesttest.Body(r), fixturePaths(r, 1)), "NaN")
}

// A page over simulated data says so before anything else, and once; one over real
// data does not.
func TestPageOfSimulatedData(t *testing.T) {
	t.Parallel()
	const band = "<b>SIMULATED DATA.</b>"
	res := backtesttest.Result(40)
	require.NotContains(t, written(t, backtesttest.Body(backtesttest.Build(t, res)), nil), band)
	for i := range res.Markets {
		res.Markets[i].Round.Market.Venue = market.Simulated
	}
	text := written(t, backtesttest.Body(backtesttest.Build(t, res)), nil)
	require.Less(t, strings.Index(text, band), strings.Index(text, "<h1>"))
	require.Equal(t, 1, strings.Count(text, "They came from no exchange")+strings.Count(text, "they came from no exchange"))
}

// The verdict and its interval stand before how the prompt was read, which is
// folded; trades of poorly recorded rounds are marked.
func TestPageBeginsWithTheVerdict(t *testing.T) {
	t.Parallel()
	res := backtesttest.Result(60)
	for i := range res.Markets {
		res.Markets[i].Round.Coverage = 400_000
	}
	text := written(t, backtesttest.Body(backtesttest.Build(t, res)), nil)
	at := -1
	for _, part := range []string{"<h1>No edge</h1>", `95% interval: <span class="nb">−$`, "return on money staked", "<details><summary>How the prompt was read", "Equity and drawdown", "baseline", "By exit reason", `id="trades"`} {
		i := strings.Index(text[at+1:], part)
		require.GreaterOrEqual(t, i, 0, part)
		at += 1 + i
	}
	few := written(t, backtesttest.Body(backtesttest.Build(t, backtesttest.Result(4))), nil)
	require.Contains(t, few, "95% interval: too few trades")
	require.NotContains(t, few, "class=\"ci\"")
	require.Contains(t, text, "recorded for 40.0% of its length only")
}

func TestPageHasAPictureAPath(t *testing.T) {
	t.Parallel()
	src := backtesttest.Archive(t, 9)
	b := backtesttest.Saved(t, src, backtesttest.Strategy(), backtest.DefaultOptions())
	paths, err := backtest.Paths(t.Context(), src, b.Report, b.Strategy.Market(), 100)
	require.NoError(t, err)
	require.Equal(t, 9, strings.Count(written(t, b, paths), `class="path"`))
}
