package parser_test

import (
	"errors"
	"fmt"

	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/parser"
)

func ExampleRules() {
	res, refusal := parser.Rules("BTC 15m: buy Up below 35c, take profit 55c, $20 per trade", parser.Overrides{})
	if refusal != nil {
		panic(refusal)
	}
	fmt.Println(res.Strategy.Summary())
	for _, a := range res.Trace.Assumptions {
		fmt.Printf("assumed: %s = %s\n", a.Field, a.Value)
	}
	// Output:
	// Buy Up on BTC 15m markets when Up's price is below 35c. Take profit at 55c. Otherwise hold to expiry. $20 per trade. Sample of 50 markets.
	// assumed: sample_size = 50
}

// A refusal names the phrase that cannot be read and, where there is one, the
// nearest prompt that can.
func ExampleRules_refused() {
	_, refusal := parser.Rules("Buy Up below 40c if funding is positive, tp 60c", parser.Overrides{})
	fmt.Println(refusal.Code)
	fmt.Println(refusal.Offer().Suggestion)
	var e *market.Error
	fmt.Println(errors.As(refusal, &e))
	// Output:
	// unsupported_signal
	// Buy Up below 40c, tp 60c
	// true
}
