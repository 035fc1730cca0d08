package history_test

import (
	"fmt"

	"github.com/ladderback/ladderback/archive/history"
	"github.com/ladderback/ladderback/market"
)

// Prices at three moments become one price a second: what was captured last holds
// until something else is, and a bucket has the mean over its time.
func ExamplePrices() {
	m := &market.Market{Tokens: []market.Token{{Label: "Up"}, {Label: "Down"}}, Mirrored: true}
	captures := func(yield func(*market.Capture, error) bool) {
		for _, v := range []struct {
			at market.Instant
			p  market.Price
		}{{0, 5000}, {1500 * market.Millisecond, 6000}, {3 * market.Second, 4000}} {
			c := market.Capture{Kind: market.KindPrice, Recv: v.at}
			c.Trade.Price = v.p
			if !yield(&c, nil) {
				return
			}
		}
	}
	err := history.Prices(history.Request{
		Market: m,
		Window: history.Window{Start: 0, End: 4 * market.Second, Resolution: market.Second},
		Known:  history.Known{To: 4 * market.Second},
	}, captures, func(t market.Instant, p []int64) bool {
		fmt.Println(t, market.FormatDecimal(p[0], 6), market.FormatDecimal(p[1], 6))
		return true
	})
	if err != nil {
		panic(err)
	}
	// Output:
	// 1970-01-01T00:00:00Z 0.5 0.5
	// 1970-01-01T00:00:01Z 0.55 0.45
	// 1970-01-01T00:00:02Z 0.6 0.4
	// 1970-01-01T00:00:03Z 0.4 0.6
}
