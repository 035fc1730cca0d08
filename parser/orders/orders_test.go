package orders_test

import (
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/parser/orders"
	"github.com/ladderback/ladderback/strategy"
)

// none reads no conditions.
func none(string, strategy.MarketSpec, strategy.Side) ([]strategy.Condition, bool) { return nil, false }

// What is left has as many code points, and what is kept stands where it stood.
func TestRestKeepsItsPlaces(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{
		"Bid 30¢ for Up – cancel after 2 minutes":                "buy         Up –                       ",
		"Buy Up below 35c, 20 shares, stop at 20c":               "Buy Up below 35c,          , stop at 20c",
		"Buy Up below 40c, sell half at 60c and the rest at 80c": "Buy Up below 40c,                  and sell     at 80c",
	} {
		f := orders.Find(prompt, false, none)
		require.NotNil(t, f, prompt)
		require.Equal(t, want, f.Rest)
		require.Equal(t, utf8.RuneCountInString(prompt), utf8.RuneCountInString(f.Rest))
		for _, s := range f.Spans {
			require.Equal(t, string([]rune(prompt)[s.Start:s.End]), s.Text)
		}
	}
}

// Nothing is taken out of a negation, out of the middle of a clause, or beside a
// condition or time that may be its own.
func TestPhrasesAreWholeClauses(t *testing.T) {
	t.Parallel()
	for _, prompt := range []string{
		"Buy Up below 35c", "Buy Up below 35c, never post only", "Don't bid 30c for Up", "Buy Up below 35c without 20 shares",
		"Buy Up below 35c. In the last minute, sell half at 60c", "Buy Up below 35c, 20 shares, if the spread is under 3c",
		"Buy Up below 35c, 20 shares of luck", "Bid 1 for Up", "Buy Up below 35c, add $20 if it rains", "Buy Up below 35c, stop at 20c, rest at 60c",
	} {
		require.Nil(t, orders.Find(prompt, false, none), prompt)
	}
}

// added is the strategy of a plain purchase with what a prompt says of orders.
func added(t *testing.T, prompt string) (*strategy.Strategy, []strategy.Assumption, *orders.Fault) {
	t.Helper()
	f := orders.Find(prompt, false, none)
	require.NotNil(t, f, prompt)
	s := &strategy.Strategy{Market: strategy.MarketSpec{Coin: "BTC", Type: "15m"}, Side: strategy.Up, BudgetPerTrade: strategy.Int(100)}
	assumed, fault := f.Add(s, func(string) bool { return false })
	return s, assumed, fault
}

// TestOrdersAreAdded: what phrases make of the order of the entry.
func TestOrdersAreAdded(t *testing.T) {
	t.Parallel()
	at := func(n strategy.Number) *strategy.Number { return &n }
	for prompt, want := range map[string]strategy.Order{
		"Bid 30c for Up":                                      {RestAt: at(strategy.Cents(30))},
		"Bid 30c for Up, cancel after 2 minutes":              {RestAt: at(strategy.Cents(30)), CancelAfterSeconds: 120},
		"Bid 30c for Up, post only":                           {RestAt: at(strategy.Cents(30)), PostOnly: true},
		"Post only, bid 30c for Up":                           {RestAt: at(strategy.Cents(30)), PostOnly: true},
		"Bid 30c for Up, post only, cancel after 1.5 minutes": {RestAt: at(strategy.Cents(30)), PostOnly: true, CancelAfterSeconds: 90},
	} {
		s, assumed, fault := added(t, prompt)
		require.Nil(t, fault, prompt)
		require.Equal(t, &want, s.Order, prompt)
		require.Empty(t, assumed, prompt)
		require.Empty(t, s.Then, prompt)
	}
	s, assumed, fault := added(t, "Bid 30 for Up")
	require.Nil(t, fault)
	require.Equal(t, at(strategy.Cents(30)), s.Order.RestAt)
	require.Len(t, assumed, 1, "a number without a unit")
}

// TestOrdersThatCannotBeAdded: a value that is said twice, and an end without an order.
func TestOrdersThatCannotBeAdded(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{
		"Bid 30c for Up, bid 20c for Up":           "two values",
		"Buy Up below 35c, post only":              "which order?",
		"Bid 30c for Up, cancel after 1.5 seconds": "whole number of seconds",
	} {
		_, _, fault := added(t, prompt)
		require.NotNil(t, fault, prompt)
		require.Contains(t, fault.Message, want, prompt)
	}
}
