package block_test

import (
	"fmt"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/market"
)

// Captures of one token and one stream go into a block, and come out again.
func Example() {
	enc, err := block.NewEncoder(block.Trades, block.Options{})
	if err != nil {
		panic(err)
	}
	start := 1_776_088_800 * market.Second
	for i, p := range []market.Price{5000, 5200, 4900} {
		err := enc.Add(&market.Capture{
			Kind: market.KindTrade, Recv: start + market.Instant(i)*market.Second,
			Trade: market.Trade{Price: p, Size: 10 * market.SizeOne, Side: market.Bid},
		})
		if err != nil {
			panic(err)
		}
	}
	b, err := enc.Finish(nil)
	if err != nil {
		panic(err)
	}

	var dec block.Decoder
	if err := dec.Reset(b.Data); err != nil {
		panic(err)
	}
	fmt.Println(dec.Header().Captures, dec.Header().Stream)
	for c := dec.Next(); c != nil; c = dec.Next() {
		fmt.Println(c.Recv, c.Trade.Price)
	}
	// Output:
	// 3 trades
	// 2026-04-13T14:00:00Z 0.5
	// 2026-04-13T14:00:01Z 0.52
	// 2026-04-13T14:00:02Z 0.49
}
