package strategy_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/strategy"
)

// base is a valid strategy in JSON that cases are made from.
const base = `{"market":{"coin":"BTC","market_type":"15m"},"side":"up",` +
	`"entry":[{"type":"price","token":"up","comparator":"lt","threshold":0.35,"within_seconds":300}],` +
	`"exit":{"take_profit":0.55,"stop_loss":0.2,"hold_to_expiry":true},"budget_per_trade":50,"sample_size":200}`

// with returns base with parts of it replaced: keys are the fields "market",
// "side", "entry", "entry_any", "exit", "budget_per_trade" and "sample_size",
// values are JSON, and an empty value removes the field.
func with(t testing.TB, change map[string]string) []byte {
	t.Helper()
	var fields map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(base), &fields))
	for k, v := range change {
		if v == "" {
			delete(fields, k)
			continue
		}
		fields[k] = json.RawMessage(v)
	}
	b, err := json.Marshal(fields)
	require.NoError(t, err)
	return b
}

// requireFault requires that err is an *Error about the field, with every
// given text in its message.
func requireFault(t testing.TB, err error, field string, texts ...string) {
	t.Helper()
	require.Error(t, err)
	var e *strategy.Error
	require.ErrorAs(t, err, &e, "%T: %v", err, err)
	require.Equal(t, field, e.Field, "%v", err)
	require.Equal(t, market.CodeBadRequest, market.CodeOf(e))
	for _, text := range texts {
		require.Contains(t, err.Error(), text)
	}
}

// cond writes a condition in JSON; token and within are JSON.
func cond(kind, token, comparator, threshold, within string) string {
	return `{"type":"` + kind + `","token":` + token + `,"comparator":"` + comparator + `","threshold":` + threshold + `,"within_seconds":` + within + `}`
}

// canonical returns the canonical form of a valid strategy.
func canonical(t require.TestingT, s strategy.Strategy) strategy.Canonical {
	c, err := strategy.Canonicalize(s)
	require.NoError(t, err)
	return c
}
