package listing

import (
	"fmt"
	"io"
	"strings"

	"github.com/ladderback/ladderback/backtest/figures"
	"github.com/ladderback/ladderback/report/words"
	"github.com/ladderback/ladderback/tries"
)

// Tries writes how often which rounds were looked at, on a screen of so many columns.
func Tries(w io.Writer, r *tries.Record, width int) {
	for i := range r.Lockboxes {
		fmt.Fprintln(w, words.Lock(&r.Lockboxes[i].HoldOut))
	}
	if len(r.Families) == 0 {
		fmt.Fprintln(w, "No tries are counted: every backtest and sweep will be.")
	} else {
		t := NewTable(w, "rounds", "side", "tries", "variants", "independent", "open", "first (UTC)", "last (UTC)")
		NumbersRight(t, 3, 4, 5, 6)
		for i := range r.Families {
			f := &r.Families[i]
			t.AppendRow([]any{
				f.Coin + " " + f.Type, string(f.Side), figures.Number(f.Tries), figures.Number(f.Variants), figures.Thousands(figures.Fixed(f.Independent, 1)),
				figures.Number(f.Unfinished), figures.Minute(f.FirstMade), figures.Minute(f.LastMade),
			})
		}
		t.Render()
		fmt.Fprintln(w)
		newestTries(w, r.Tries, width)
	}
	for _, reset := range r.Resets {
		fmt.Fprintf(w, "Reset %s: %s on %s %s taken out of the count: %s\n", figures.Clock(reset.MadeAt), figures.Count(reset.Tries, "try"), reset.Coin, reset.Type, reset.Reason)
	}
	if len(r.Families) > 0 {
		fmt.Fprintln(w, "\nA verdict on these rounds is held against all tries before it, of either side.\nThe same strategy over the same rounds counts once. Open: not come to an end.")
	}
}

func newestTries(w io.Writer, list []tries.Try, width int) {
	const newest = 10
	t := NewTable(w, "look", "made (UTC)", "rounds", "kind", "variants", "strategy")
	NumbersRight(t, 1, 5)
	for i := range list[:min(newest, len(list))] {
		x := &list[i]
		prompt := []rune(strings.Join(strings.Fields(x.Prompt), " "))
		if room := max(16, width-60); len(prompt) > room {
			prompt = append(prompt[:room-1], '…')
		}
		kind := x.Kind
		if x.DoneAt == nil {
			kind += ", not ended"
		}
		t.AppendRow([]any{words.Ordinal(x.Look), figures.Minute(x.MadeAt), x.Coin + " " + x.Type, kind, figures.Number(x.Variants), string(prompt)})
	}
	t.Render()
}
