package orders_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/internal/labelled"
	"github.com/ladderback/ladderback/parser/orders"
	"github.com/ladderback/ladderback/strategy"
)

// Phrases stand in the order of the prompt and share no word, whatever joins them.
func TestPhrasesShareNoWord(t *testing.T) {
	t.Parallel()
	anything := func(string, strategy.MarketSpec, strategy.Side) ([]strategy.Condition, bool) {
		return []strategy.Condition{{Type: strategy.Spread, Token: strategy.TokenUp, Comparator: strategy.LT, Threshold: strategy.Cents(2)}}, true
	}
	for _, name := range []string{"orders1", "orders2", "batch20"} {
		for _, l := range labelled.Read(t, "../testdata/"+name+".jsonl") {
			found := orders.Find(l.Prompt, false, anything)
			if found == nil {
				continue
			}
			end := 0
			for _, s := range found.Spans {
				require.GreaterOrEqual(t, s.Start, end, "%s: %q", l.Prompt, s.Text)
				end = s.End
			}
		}
	}
}
