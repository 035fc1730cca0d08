package strategy_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/strategy"
)

func TestDecodeNamesTheFieldAtFault(t *testing.T) {
	t.Parallel()
	price := func(threshold string) string { return "[" + cond("price", `"up"`, "lt", threshold, "null") + "]" }
	for name, c := range map[string]struct {
		change map[string]string
		field  string
		text   string
	}{
		"side missing":              {map[string]string{"side": ""}, "strategy.side", "missing"},
		"entry missing":             {map[string]string{"entry": ""}, "strategy.entry", "missing"},
		"budget missing":            {map[string]string{"budget_per_trade": ""}, "strategy.budget_per_trade", "missing"},
		"sample missing":            {map[string]string{"sample_size": ""}, "strategy.sample_size", "missing"},
		"coin missing":              {map[string]string{"market": `{"market_type":"5m"}`}, "strategy.market.coin", "missing"},
		"take profit missing":       {map[string]string{"exit": `{"stop_loss":null,"hold_to_expiry":true}`}, "strategy.exit.take_profit", "missing"},
		"hold missing":              {map[string]string{"exit": `{"take_profit":null,"stop_loss":null}`}, "strategy.exit.hold_to_expiry", "missing"},
		"condition leaf missing":    {map[string]string{"entry": `[{"type":"price","token":"up","comparator":"lt","threshold":0.3}]`}, "strategy.entry[0].within_seconds", "missing"},
		"unknown field":             {map[string]string{"leverage": "3"}, "strategy.leverage", "not a field"},
		"unknown field in exit":     {map[string]string{"exit": `{"take_profit":null,"stop_loss":null,"hold_to_expiry":true,"panic":1}`}, "strategy.exit.panic", "not a field"},
		"unknown field in entry":    {map[string]string{"entry": `[{"type":"price","token":"up","comparator":"lt","threshold":0.3,"within_seconds":null,"value":1}]`}, "strategy.entry[0].value", "not a field"},
		"other spelling":            {map[string]string{"Side": `"up"`}, "strategy.Side", "not a field"},
		"side is a number":          {map[string]string{"side": "1"}, "strategy.side", "string"},
		"side unknown":              {map[string]string{"side": `"UP"`}, "strategy.side", `"UP"`},
		"coin in lower case":        {map[string]string{"market": `{"coin":"btc","market_type":"5m"}`}, "strategy.market.coin", `"btc"`},
		"coin unknown":              {map[string]string{"market": `{"coin":"ZZZ","market_type":"5m"}`}, "strategy.market.coin", `"ZZZ"`},
		"length unknown":            {map[string]string{"market": `{"coin":"BTC","market_type":"30m"}`}, "strategy.market.market_type", `"30m"`},
		"entry is null":             {map[string]string{"entry": "null"}, "strategy.entry", "array"},
		"entry is an object":        {map[string]string{"entry": "{}"}, "strategy.entry", "array"},
		"nine conditions":           {map[string]string{"entry": "[" + strings.Repeat(cond("price", `"up"`, "lt", "0.4", "null")+",", 8) + cond("price", `"up"`, "lt", "0.5", "null") + "]"}, "strategy.entry", "8"},
		"one alternative":           {map[string]string{"entry_any": "[" + price("0.4") + "]"}, "strategy.entry_any", "2"},
		"five alternatives":         {map[string]string{"entry_any": "[" + strings.Repeat(price("0.4")+",", 4) + price("0.5") + "]"}, "strategy.entry_any", "4"},
		"an alternative is empty":   {map[string]string{"entry_any": "[[]," + price("0.4") + "]"}, "strategy.entry_any[0]", "1"},
		"no alternatives":           {map[string]string{"entry_any": "[]"}, "strategy.entry_any", "2"},
		"threshold is text":         {map[string]string{"entry": price(`"0.35"`)}, "strategy.entry[0].threshold", "number"},
		"threshold is null":         {map[string]string{"entry": price("null")}, "strategy.entry[0].threshold", "number"},
		"threshold past numbers":    {map[string]string{"entry": price("1e400")}, "strategy.entry[0].threshold", "out of range"},
		"exponent past reason":      {map[string]string{"entry": price("1e999999999")}, "strategy.entry[0].threshold", "1e999999999"},
		"seven decimals":            {map[string]string{"budget_per_trade": "0.1234567"}, "strategy.budget_per_trade", "decimals"},
		"sample is a fraction":      {map[string]string{"sample_size": "1.5"}, "strategy.sample_size", "1.5"},
		"sample is text":            {map[string]string{"sample_size": `"50"`}, "strategy.sample_size", "integer"},
		"sample is zero":            {map[string]string{"sample_size": "0"}, "strategy.sample_size", "1"},
		"sample is too many":        {map[string]string{"sample_size": "10001"}, "strategy.sample_size", "10001"},
		"budget is zero":            {map[string]string{"budget_per_trade": "0"}, "strategy.budget_per_trade", "0"},
		"budget is too much":        {map[string]string{"budget_per_trade": "1000000.01"}, "strategy.budget_per_trade", "1000000.01"},
		"within zero":               {map[string]string{"entry": "[" + cond("price", `"up"`, "lt", "0.3", "0") + "]"}, "strategy.entry[0].within_seconds", "0"},
		"within a fraction":         {map[string]string{"entry": "[" + cond("price", `"up"`, "lt", "0.3", "1.5") + "]"}, "strategy.entry[0].within_seconds", "1.5"},
		"token empty":               {map[string]string{"entry": "[" + cond("price", `""`, "lt", "0.3", "null") + "]"}, "strategy.entry[0].token", `""`},
		"hold is null":              {map[string]string{"exit": `{"take_profit":null,"stop_loss":null,"hold_to_expiry":null}`}, "strategy.exit.hold_to_expiry", "boolean"},
		"take profit of 1":          {map[string]string{"exit": `{"take_profit":1,"stop_loss":null,"hold_to_expiry":true}`}, "strategy.exit.take_profit", "1"},
		"max hold of 0":             {map[string]string{"exit": `{"take_profit":null,"stop_loss":null,"hold_to_expiry":true,"max_hold_seconds":0}`}, "strategy.exit.max_hold_seconds", "0"},
		"second condition at fault": {map[string]string{"entry": "[" + cond("price", `"up"`, "lt", "0.3", "null") + "," + cond("prices", `"up"`, "lt", "0.3", "null") + "]"}, "strategy.entry[1].type", `"prices"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := strategy.Decode(with(t, c.change))
			requireFault(t, err, c.field, c.text)
		})
	}
}

func TestDecodeRefusesWhatIsNotOneObject(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, field, says string }{
		"nothing":           {"", "strategy", "cut off"},
		"white space":       {" \n", "strategy", "cut off"},
		"cut":               {base[:len(base)-1], "strategy", "cut off"},
		"cut in a string":   {base[:len(base)-6], "strategy", "cut off"},
		"null":              {"null", "strategy", "object"},
		"a list":            {"[" + base + "]", "strategy", "object"},
		"two":               {base + base, "strategy", "after"},
		"trailing text":     {base + " x", "strategy", "after"},
		"prose":             {"Sure! " + base, "strategy", "JSON"},
		"side twice":        {strings.Replace(base, `"side":"up"`, `"side":"up","side":"up"`, 1), "strategy.side", "twice"},
		"threshold twice":   {strings.Replace(base, `"threshold":0.35`, `"threshold":0.35,"threshold":0.36`, 1), "strategy.entry[0].threshold", "twice"},
		"escaped key twice": {strings.Replace(base, `"side":"up"`, `"side":"up","s\u0069de":"up"`, 1), "strategy.side", "twice"},
		"broken UTF-8":      {strings.Replace(base, "BTC", "B\xffC", 1), "strategy", "UTF-8"},
		"deep":              {strings.Repeat("[", 100_000), "strategy", "nested"},
		"a comma too many":  {strings.Replace(base, `"sample_size":200}`, `"sample_size":200,}`, 1), "strategy", "JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := strategy.Decode([]byte(c.text))
			require.Error(t, err)
			var e *strategy.Error
			require.ErrorAs(t, err, &e)
			require.True(t, strings.HasPrefix(e.Field, c.field), "%v", err)
			require.Contains(t, err.Error(), c.says)
			require.Less(t, len(err.Error()), 400)
		})
	}
}

func TestDecodeTakesAnySpellingOfANumberAndNullExtensions(t *testing.T) {
	t.Parallel()
	s, err := strategy.Decode([]byte(`{"sample_size":2e2,"budget_per_trade":50.000,"side":"up",
		"exit":{"hold_to_expiry":true,"stop_loss":2e-1,"take_profit":5.5E-1,"trailing_stop":null,"max_hold_seconds":null,
		"take_profit_offset":null,"stop_loss_offset":null,"exit_before_seconds":null},"entry_any":null,
		"entry":[{"within_seconds":300.0,"threshold":0.3500000000,"comparator":"lt","token":"up","type":"price"}],
		"market":{"market_type":"15m","coin":"BTC"}}`))
	require.NoError(t, err)
	b, err := json.Marshal(s)
	require.NoError(t, err)
	require.Equal(t, base, string(b)) //nolint:testifylint // byte by byte: the order of the keys counts
}

func TestMarshalWritesEveryLeaf(t *testing.T) {
	t.Parallel()
	b, err := json.Marshal(strategy.Strategy{
		Market: strategy.MarketSpec{Coin: strategy.Any, Type: "1d"}, Side: strategy.Either,
		EntryAny: [][]strategy.Condition{
			{{Type: strategy.TimeElapsed, Comparator: strategy.GTE, Threshold: strategy.Int(60)}},
			{{Type: strategy.PriceChange, Token: strategy.TokenSame, Comparator: strategy.LTE, Threshold: -strategy.Cents(2), WithinSeconds: 30}},
		},
		Exit: strategy.Exit{TakeProfitOffset: strategy.Cents(5).Ptr(), StopLossOffset: strategy.Cents(6).Ptr(),
			TrailingStop: strategy.Cents(7).Ptr(), MaxHoldSeconds: 90, ExitBeforeSeconds: 10},
		BudgetPerTrade: 1, SampleSize: 1,
	})
	require.NoError(t, err)
	//nolint:testifylint // byte by byte: the order of the keys counts
	require.Equal(t, `{"market":{"coin":"ANY","market_type":"1d"},"side":"either","entry":[],`+
		`"entry_any":[[{"type":"time_elapsed","token":null,"comparator":"gte","threshold":60,"within_seconds":null}],`+
		`[{"type":"price_change","token":"same","comparator":"lte","threshold":-0.02,"within_seconds":30}]],`+
		`"exit":{"take_profit":null,"stop_loss":null,"hold_to_expiry":false,"take_profit_offset":0.05,"stop_loss_offset":0.06,`+
		`"trailing_stop":0.07,"max_hold_seconds":90,"exit_before_seconds":10},"budget_per_trade":0.000001,"sample_size":1}`, string(b))
}

func TestNumber(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"0.35": "0.35", "0.350": "0.35", "35e-2": "0.35", "1e-2": "0.01", "50": "50", "5E1": "50", "-0.02": "-0.02",
		"-0": "0", "0.000001": "0.000001", "9223372036854.775807": "9223372036854.775807", "1000000": "1000000",
	} {
		n, err := strategy.ParseNumber(text)
		require.NoError(t, err, text)
		require.Equal(t, want, n.String(), text)
	}
	for _, text := range []string{"", "x", "1e", "--1", "0.0000001", "9223372036854.775808", "1e400", "NaN", "Inf", "0x10", "1_000"} {
		_, err := strategy.ParseNumber(text)
		require.Error(t, err, text)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(base))
	f.Add([]byte(`{"market":{"coin":"ANY","market_type":"ANY"},"side":"either","entry":[],"entry_any":[[` + cond("spread", `"same"`, "lte", "0.02", "60") + `],[` + cond("time_remaining", "null", "gt", "1e1", "null") + `]],"exit":{"take_profit":null,"stop_loss":null,"hold_to_expiry":false,"exit_before_seconds":5},"budget_per_trade":1,"sample_size":1}`))
	f.Add([]byte(`{"a":[{"b":1e999}],"a":null}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := strategy.Decode(b)
		if err != nil {
			var e *strategy.Error
			require.ErrorAs(t, err, &e)
			require.True(t, strings.HasPrefix(e.Field, "strategy"), "%q", e.Field)
			return
		}
		again, err := json.Marshal(s)
		require.NoError(t, err)
		back, err := strategy.Decode(again)
		require.NoError(t, err, "%s", again)
		require.Equal(t, s, back)
		c, err := strategy.Canonicalize(s)
		if err != nil {
			return
		}
		require.Equal(t, c, canonical(t, c.Strategy()))
		require.NotEmpty(t, c.Summary())
	})
}
