package market_test

import (
	"fmt"

	"github.com/ladderback/ladderback/market"
)

// A full ladder, then a change of two levels: one removed, one added.
func ExampleBook() {
	var b market.Book
	b.Apply(&market.Capture{
		Kind: market.KindBook, Replace: true,
		Bids: []market.Level{{Price: 4800, Size: 100 * market.SizeOne}, {Price: 4700, Size: 50 * market.SizeOne}},
		Asks: []market.Level{{Price: 5200, Size: 80 * market.SizeOne}},
	})
	b.Apply(&market.Capture{
		Kind: market.KindChange,
		Bids: []market.Level{{Price: 4800}},
		Asks: []market.Level{{Price: 5100, Size: 20 * market.SizeOne}},
	})
	bid, ask := b.Best(market.Bid), b.Best(market.Ask)
	fmt.Println("bid", bid.Price, "x", bid.Size)
	fmt.Println("ask", ask.Price, "x", ask.Size)
	// Output:
	// bid 0.47 x 50
	// ask 0.51 x 20
}

// The slug of an up/down round says which coin it is on, and when it begins and
// ends.
func ExampleParseRoundSlug() {
	r, ok := market.ParseRoundSlug("btc-updown-5m-1776088800")
	fmt.Println(r.Coin, r.Type, r.Start, r.End, ok)
	_, ok = market.ParseRoundSlug("will-it-rain")
	fmt.Println(ok)
	// Output:
	// BTC 5m 2026-04-13T14:00:00Z 2026-04-13T14:05:00Z true
	// false
}
