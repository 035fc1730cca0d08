package fills_test

import (
	"fmt"

	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
)

// 50 USD walk up two asks; the fee is part of the budget.
func ExampleBuy() {
	asks := []market.Level{
		{Price: 3400, Size: 100 * market.SizeOne},
		{Price: 3500, Size: 400 * market.SizeOne},
	}
	schedule := fills.Schedule{Rate: 70_000, Exponent: 1, Known: true}
	p := fills.Buy(asks, fills.NoCap, 50*market.CashOne, fills.Unlimited, &schedule)
	fmt.Printf("%s shares for %s USD and a fee of %s USD\n", p.Shares, p.Cash, p.Fee)
	for _, l := range p.Levels {
		fmt.Println(l.Size, "at", l.Price)
	}
	// Output:
	// 139.43 shares for 47.8005 USD and a fee of 2.19872 USD
	// 100 at 0.34
	// 39.43 at 0.35
}

// What is left at the end pays what a share of the token pays.
func ExampleSettle() {
	f := fills.Settle(150*market.SizeOne, market.CashOne)
	fmt.Println(f.Cash, "USD, fee", f.Fee)
	// Output:
	// 150 USD, fee 0
}
