package listing

import (
	"fmt"
	"io"
	"slices"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/ladderback/ladderback/archive/care"
	"github.com/ladderback/ladderback/market"
)

// Coverage is how well one market was captured.
type Coverage struct {
	ID       string          `json:"market_id"`
	Slug     string          `json:"market_slug"`
	Coin     string          `json:"coin"`
	Type     string          `json:"market_type"`
	Status   string          `json:"status"`
	Start    *market.Instant `json:"start"`
	Captures int64           `json:"captures"`
	Coverage float64         `json:"coverage"`
	Gap      float64         `json:"gap_seconds"`
	Silence  float64         `json:"longest_silence_seconds"`
	OneSided *float64        `json:"one_sided"`
	Crossed  *float64        `json:"crossed"`
	Resets   int             `json:"reconnections"`
	Trades   int64           `json:"trades"`
	Sized    int64           `json:"trades_with_size"`
}

// brief writes seconds in at most seven columns.
func brief(seconds float64) string {
	switch {
	case seconds == 0:
		return ""
	case seconds < 1000:
		return fmt.Sprintf("%.1f s", seconds)
	}
	return fmt.Sprintf("%.0f s", seconds)
}

// traded says how many trades were captured, and how many of them have no size.
func traded(r Coverage) string {
	if r.Sized == r.Trades {
		return Grouped(r.Trades)
	}
	return Grouped(r.Trades) + ", " + Grouped(r.Trades-r.Sized) + " unsized"
}

// CoverageTable writes one line per market. The columns crossed and gaps appear
// where there is anything in them.
func CoverageTable(w io.Writer, records []Coverage) {
	percent := func(f *float64) string {
		if f == nil {
			return ""
		}
		return fmt.Sprintf("%.1f%%", *f*100)
	}
	gaps := slices.ContainsFunc(records, func(r Coverage) bool { return r.Gap > 0 })
	columns := []string{"start (UTC)", "market", "captures", "trades", "cover", "silence", "1-sided"}
	crossed := slices.ContainsFunc(records, func(r Coverage) bool { return r.Crossed != nil && *r.Crossed > 0 })
	if crossed {
		columns = append(columns, "crossed")
	}
	if gaps {
		columns = append(columns, "gaps")
	}
	t := NewTable(w, columns...)
	NumbersRight(t, 3, 4, 5, 6, 7, 8, 9)
	for _, r := range records {
		start := ""
		if r.Start != nil {
			start = ToMinute(*r.Start)
		}
		name := r.Slug
		if r.Coin != "" { // its start is in the first column
			name = r.Coin + " " + r.Type
		}
		row := table.Row{start, name, Grouped(r.Captures), traded(r), percent(&r.Coverage), brief(r.Silence), percent(r.OneSided)}
		if crossed {
			row = append(row, percent(r.Crossed))
		}
		if gaps && r.Gap > 0 {
			row = append(row, fmt.Sprintf("%.0f s", r.Gap))
		}
		t.AppendRow(row)
	}
	t.Render()
	if len(records) == 0 {
		fmt.Fprintln(w, "no up/down rounds: coverage needs a round's start and end")
		return
	}
	fmt.Fprint(w, `
Trades: messages of trades in the round; those without a size fill no order that
rests. Cover: share of the round with a value at most 30 s old. Silence: the
longest time without a capture. 1-sided: share of the time with one side of the
book empty; crossed: with a bid above the ask. Gaps: time that sources
declare missing.
`)
}

// CoverageOf is the coverage of a market as a row of the table, and as a document.
func CoverageOf(c *care.Coverage) Coverage {
	share := func(v int64) *float64 {
		if v < 0 {
			return nil
		}
		f := float64(v) / 1e6
		return &f
	}
	return Coverage{
		ID: c.Market.VenueID, Slug: c.Market.Slug, Coin: c.Market.Coin, Type: c.Market.Type, Status: c.Status.String(), Start: c.Market.Start.Known(), Captures: c.Stats.Captures,
		Coverage: float64(c.Stats.Coverage) / 1e6, Gap: float64(c.Gap) / float64(market.Second),
		Silence: float64(c.Stats.Silence) / float64(market.Second), OneSided: share(c.OneSided), Crossed: share(c.Crossed), Resets: c.Resets,
		Trades: c.Trades, Sized: c.Sized,
	}
}
