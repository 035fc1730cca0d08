package strategy_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/internal/strategytest"
	"github.com/ladderback/ladderback/strategy"
)

const (
	noExit  = `{"take_profit":null,"stop_loss":null,"hold_to_expiry":true}`
	fiveMin = `{"coin":"BTC","market_type":"5m"}`
)

func exits(takeProfit, stop, more string) string {
	return `{"take_profit":` + takeProfit + `,"stop_loss":` + stop + `,"hold_to_expiry":true` + more + `}`
}

func sold(more string) string {
	return `{"take_profit":null,"stop_loss":null,"hold_to_expiry":false` + more + `}`
}

func list(conditions ...string) string {
	out := "["
	for i, c := range conditions {
		if i > 0 {
			out += ","
		}
		out += c
	}
	return out + "]"
}

func price(comparator, threshold string) string {
	return cond("price", `"up"`, comparator, threshold, "null")
}

func elapsed(comparator, threshold string) string {
	return cond("time_elapsed", "null", comparator, threshold, "null")
}

func remaining(comparator, threshold string) string {
	return cond("time_remaining", "null", comparator, threshold, "null")
}

// TestRules goes through the rules between fields: an empty field means that
// the strategy is valid.
func TestRules(t *testing.T) {
	t.Parallel()
	type change = map[string]string
	for name, c := range map[string]struct {
		change change
		field  string
		texts  []string
	}{
		"as it is": {change{}, "", nil},

		"price of 0":               {change{"entry": list(price("lt", "0")), "exit": noExit}, "strategy.entry[0].threshold", []string{"0 "}},
		"price of 1":               {change{"entry": list(price("gt", "1")), "exit": noExit}, "strategy.entry[0].threshold", []string{"1 "}},
		"price of 4 decimals":      {change{"entry": list(price("gt", "0.1234")), "exit": noExit}, "", nil},
		"price of 5 decimals":      {change{"entry": list(price("gt", "0.12345")), "exit": noExit}, "strategy.entry[0].threshold", []string{"0.12345", "4 decimals"}},
		"spread of 0":              {change{"entry": list(cond("spread", `"up"`, "lte", "0", "null"))}, "", nil},
		"spread of 1":              {change{"entry": list(cond("spread", `"up"`, "lte", "1", "null"))}, "", nil},
		"spread above 1":           {change{"entry": list(cond("spread", `"up"`, "lte", "1.01", "null"))}, "strategy.entry[0].threshold", []string{"1.01"}},
		"spread below 0":           {change{"entry": list(cond("spread", `"up"`, "lte", "-0.01", "null"))}, "strategy.entry[0].threshold", []string{"-0.01"}},
		"imbalance of 5 decimals":  {change{"entry": list(cond("imbalance", `"up"`, "lte", "0.66667", "null"))}, "strategy.entry[0].threshold", []string{"0.66667"}},
		"depth of 6 decimals":      {change{"entry": list(cond("ask_depth", `"up"`, "gte", "500.123456", "null"))}, "", nil},
		"depth below 0":            {change{"entry": list(cond("ask_depth", `"up"`, "gte", "-1", "null"))}, "strategy.entry[0].threshold", []string{"-1"}},
		"depth crossed":            {change{"entry": list(cond("bid_depth", `"down"`, "crosses_above", "1000", "null"))}, "", nil},
		"change of -1":             {change{"entry": list(cond("price_change", `"up"`, "lte", "-1", "60"))}, "", nil},
		"change below -1":          {change{"entry": list(cond("price_change", `"up"`, "lte", "-1.0001", "60"))}, "strategy.entry[0].threshold", []string{"-1.0001"}},
		"change without window":    {change{"entry": list(cond("price_change", `"up"`, "lte", "-0.1", "null"))}, "strategy.entry[0].within_seconds", []string{"look-back"}},
		"change crossed":           {change{"entry": list(cond("price_change", `"up"`, "crosses_above", "0.1", "60"))}, "strategy.entry[0].comparator", []string{"crosses_above", "price_change"}},
		"time crossed":             {change{"entry": list(elapsed("crosses_above", "60"))}, "strategy.entry[0].comparator", []string{"crosses_above", "time_elapsed"}},
		"time with a token":        {change{"entry": list(cond("time_elapsed", `"up"`, "gte", "60", "null"))}, "strategy.entry[0].token", []string{"up", "null"}},
		"time with a window":       {change{"entry": list(cond("time_elapsed", "null", "gte", "60", "60"))}, "strategy.entry[0].within_seconds", []string{"60", "null"}},
		"time of 6 decimals":       {change{"entry": list(elapsed("gte", "60.123456"))}, "", nil},
		"time below 0":             {change{"entry": list(elapsed("gte", "-1"))}, "strategy.entry[0].threshold", []string{"-1"}},
		"price without a token":    {change{"entry": list(cond("price", "null", "lt", "0.3", "null"))}, "strategy.entry[0].token", []string{"null"}},
		"the other token":          {change{"entry": list(cond("price", `"down"`, "lt", "0.3", "null"))}, "", nil},
		"same with side up":        {change{"entry": list(cond("price", `"same"`, "lt", "0.3", "null"))}, "strategy.entry[0].token", []string{"same", "side up"}},
		"up with side either":      {change{"side": `"either"`}, "strategy.entry[0].token", []string{"up", "either"}},
		"opposite, side either":    {change{"side": `"either"`, "entry": list(cond("price", `"opposite"`, "lt", "0.3", "null"))}, "", nil},
		"fault in an alternative":  {change{"entry_any": list(list(price("lt", "0.3")), list(price("lt", "0.4"), cond("price", `"same"`, "lt", "0.3", "null")))}, "strategy.entry_any[1][1].token", []string{"same"}},
		"within as long as market": {change{"entry": list(cond("price", `"up"`, "lt", "0.35", "900"))}, "", nil},
		"within longer":            {change{"entry": list(cond("price", `"up"`, "lt", "0.35", "901"))}, "strategy.entry[0].within_seconds", []string{"901", "15m", "900"}},
		"look-back as long":        {change{"entry": list(cond("price_change", `"up"`, "lt", "0.35", "900"))}, "", nil},
		"look-back longer":         {change{"entry": list(cond("price_change", `"up"`, "lt", "0.35", "901"))}, "strategy.entry[0].within_seconds", []string{"901", "15m"}},
		"elapsed longer":           {change{"entry": list(elapsed("lte", "900.5"))}, "strategy.entry[0].threshold", []string{"900.5", "15m"}},
		"remaining longer":         {change{"entry": list(remaining("lte", "301")), "market": fiveMin}, "strategy.entry[0].threshold", []string{"301", "5m", "300"}},
		"any length is a day":      {change{"entry": list(remaining("lte", "86400")), "market": `{"coin":"ANY","market_type":"ANY"}`}, "", nil},
		"any length, longer":       {change{"entry": list(remaining("lte", "86400.5")), "market": `{"coin":"ANY","market_type":"ANY"}`}, "strategy.entry[0].threshold", []string{"86400.5", "ANY"}},
		"max hold as long":         {change{"exit": exits("null", "null", `,"max_hold_seconds":900`)}, "", nil},
		"max hold longer":          {change{"exit": exits("null", "null", `,"max_hold_seconds":901`)}, "strategy.exit.max_hold_seconds", []string{"901", "15m"}},
		"exit before longer":       {change{"exit": sold(`,"exit_before_seconds":901`)}, "strategy.exit.exit_before_seconds", []string{"901", "15m"}},

		"exits of 5 decimals":      {change{"exit": exits("0.55555", "null", "")}, "strategy.exit.take_profit", []string{"0.55555"}},
		"offset of 5 decimals":     {change{"exit": exits("null", "null", `,"stop_loss_offset":0.00001`)}, "strategy.exit.stop_loss_offset", []string{"0.00001"}},
		"two targets":              {change{"exit": exits("0.55", "null", `,"take_profit_offset":0.05`)}, "strategy.exit.take_profit", []string{"0.55", "0.05"}},
		"two stops":                {change{"exit": exits("null", "0.2", `,"stop_loss_offset":0.05`)}, "strategy.exit.stop_loss", []string{"0.2", "0.05"}},
		"a stop that trails too":   {change{"exit": exits("null", "0.2", `,"trailing_stop":0.05`)}, "", nil},
		"target under the stop":    {change{"exit": exits("0.4", "0.5", ""), "entry": "[]"}, "strategy.exit.take_profit", []string{"0.4", "0.5"}},
		"target at the stop":       {change{"exit": exits("0.5", "0.5", ""), "entry": "[]"}, "strategy.exit.take_profit", []string{"0.5"}},
		"exit before while held":   {change{"exit": exits("null", "null", `,"exit_before_seconds":30`)}, "strategy.exit.exit_before_seconds", []string{"30", "true"}},
		"exit before":              {change{"exit": sold(`,"exit_before_seconds":30`)}, "", nil},
		"never held":               {change{"exit": sold("")}, "", nil},
		"upper bound, target at":   {change{"exit": exits("0.35", "null", "")}, "strategy.exit.take_profit", []string{"0.35", "price up lt 0.35"}},
		"upper bound, target over": {change{"exit": exits("0.3501", "null", "")}, "", nil},
		"upper bound, stop at":     {change{"exit": exits("null", "0.35", "")}, "strategy.exit.stop_loss", []string{"0.35", "price up lt 0.35"}},
		"upper bound, stop under":  {change{"exit": exits("null", "0.3499", "")}, "", nil},
		"lower bound, stop at":     {change{"entry": list(price("gt", "0.6")), "exit": exits("null", "0.6", "")}, "strategy.exit.stop_loss", []string{"0.6", "price up gt 0.6"}},
		"lower bound, stop under":  {change{"entry": list(price("gt", "0.6")), "exit": exits("null", "0.59", "")}, "", nil},
		"lower bound, target at":   {change{"entry": list(price("gte", "0.6")), "exit": exits("0.6", "null", "")}, "strategy.exit.take_profit", []string{"0.6"}},
		"both, stop between":       {change{"entry": list(price("gte", "0.4"), price("lte", "0.5")), "exit": exits("null", "0.45", "")}, "", nil},
		"both, target between":     {change{"entry": list(price("gte", "0.4"), price("lte", "0.5")), "exit": exits("0.45", "null", "")}, "", nil},
		"both, target at lower":    {change{"entry": list(price("gte", "0.4"), price("lte", "0.5")), "exit": exits("0.4", "null", "")}, "strategy.exit.take_profit", []string{"0.4"}},
		"both, stop at upper":      {change{"entry": list(price("gte", "0.4"), price("lte", "0.5")), "exit": exits("null", "0.5", "")}, "strategy.exit.stop_loss", []string{"0.5"}},
		"tightest over the three":  {change{"entry": list(price("lt", "0.6"), cond("best_ask", `"up"`, "lte", "0.4", "null")), "exit": exits("0.4", "null", "")}, "strategy.exit.take_profit", []string{"best_ask up lte 0.4"}},
		"looser is no matter":      {change{"entry": list(price("lt", "0.6"), cond("best_bid", `"up"`, "lte", "0.4", "null")), "exit": exits("0.5", "null", "")}, "", nil},
		"crossing above bounds":    {change{"entry": list(price("crosses_above", "0.6")), "exit": exits("null", "0.6", "")}, "strategy.exit.stop_loss", []string{"crosses_above"}},
		"crossing below bounds":    {change{"entry": list(price("crosses_below", "0.6")), "exit": exits("0.6", "null", "")}, "strategy.exit.take_profit", []string{"crosses_below"}},
		"the other token bounds not": {change{"entry": list(cond("price", `"down"`, "lt", "0.35", "null")), "exit": exits("0.3", "null", "")}, "",
			nil},
		"groups bound not":      {change{"entry": "[]", "entry_any": list(list(price("lt", "0.5")), list(price("lt", "0.4"))), "exit": exits("0.3", "null", "")}, "", nil},
		"a single group bounds": {change{"entry": "[]", "entry_any": list(list(price("lt", "0.5")), list(price("lt", "0.5"))), "exit": exits("0.3", "null", "")}, "strategy.exit.take_profit", []string{"0.3", "0.5"}},
		"spread bounds not":     {change{"entry": list(cond("spread", `"up"`, "lt", "0.35", "null")), "exit": exits("0.3", "null", "")}, "", nil},
		"either bounds by same": {change{"side": `"either"`, "entry": list(cond("price", `"same"`, "lt", "0.35", "null")), "exit": exits("0.3", "null", "")}, "strategy.exit.take_profit", []string{"price same lt 0.35"}},

		"window of one instant":     {change{"entry": list(elapsed("gte", "60"), elapsed("lte", "60"))}, "", nil},
		"window empty":              {change{"entry": list(elapsed("gte", "61"), elapsed("lte", "60"))}, "strategy.entry[1]", []string{"61", "60"}},
		"window empty, strict":      {change{"entry": list(elapsed("gt", "60"), elapsed("lte", "60"))}, "strategy.entry[1]", []string{"gt 60", "lte 60"}},
		"below is read as at most":  {change{"entry": list(elapsed("gte", "60"), elapsed("lt", "60"))}, "", nil},
		"within before after":       {change{"entry": list(cond("price", `"up"`, "lt", "0.35", "60"), elapsed("gte", "120"))}, "strategy.entry[1]", []string{"within 60 s", "gte 120"}},
		"last against first":        {change{"entry": list(elapsed("lte", "300"), remaining("lte", "300"))}, "strategy.entry[1]", []string{"lte 300"}},
		"last and first meet":       {change{"entry": list(elapsed("lte", "450"), remaining("lte", "450"))}, "", nil},
		"last and first, strict":    {change{"entry": list(elapsed("lte", "450"), remaining("lt", "450"))}, "strategy.entry[1]", nil},
		"at the end":                {change{"entry": list(elapsed("gte", "900"))}, "strategy.entry[0]", []string{"900", "15m"}},
		"just before the end":       {change{"entry": list(elapsed("gte", "899.999999"))}, "", nil},
		"none left":                 {change{"entry": list(remaining("lte", "0"))}, "strategy.entry[0]", []string{"lte 0"}},
		"all left":                  {change{"entry": list(remaining("gte", "900"))}, "", nil},
		"more than all left":        {change{"entry": list(remaining("gt", "900"))}, "strategy.entry", []string{"gt 900"}},
		"at the very start":         {change{"entry": list(elapsed("lte", "0"))}, "", nil},
		"at the clock exit":         {change{"entry": list(remaining("lte", "30")), "exit": sold(`,"exit_before_seconds":30`)}, "strategy.entry[0]", []string{"exit_before_seconds 30"}},
		"before the clock exit":     {change{"entry": list(remaining("lte", "31")), "exit": sold(`,"exit_before_seconds":30`)}, "", nil},
		"after the clock exit":      {change{"entry": list(elapsed("gte", "880")), "exit": sold(`,"exit_before_seconds":30`)}, "strategy.entry[0]", []string{"880", "30"}},
		"exit at the start":         {change{"entry": "[]", "exit": sold(`,"exit_before_seconds":900`)}, "strategy.entry", []string{"900"}},
		"never held, last second":   {change{"entry": list(remaining("lte", "1")), "exit": sold("")}, "strategy.entry[0]", []string{"hold_to_expiry false"}},
		"never held, second before": {change{"entry": list(remaining("lte", "1.5")), "exit": sold("")}, "", nil},
		"held, last second":         {change{"entry": list(remaining("lte", "1")), "exit": noExit}, "", nil},
		"any length, window": {change{"market": `{"coin":"BTC","market_type":"ANY"}`, "entry": list(elapsed("lte", "300"), remaining("lte", "300"))},
			"strategy.entry[1]", []string{"300"}},
		"any length, long window":  {change{"market": `{"coin":"BTC","market_type":"ANY"}`, "entry": list(elapsed("gte", "7200"))}, "", nil},
		"look-back past the bound": {change{"entry": list(cond("price_change", `"up"`, "lte", "-0.1", "300"), elapsed("lte", "299"))}, "strategy.entry[0]", []string{"300", "299"}},
		"look-back at the bound":   {change{"entry": list(cond("price_change", `"up"`, "lte", "-0.1", "300"), elapsed("lte", "300"))}, "", nil},
		"every alternative dead": {change{"entry": list(elapsed("lte", "60")), "entry_any": list(list(elapsed("gte", "61")), list(elapsed("gte", "62")))},
			"strategy.entry_any[1][0]", []string{"62", "60"}},
		"one alternative dead": {change{"entry": list(elapsed("lte", "60")), "entry_any": list(list(elapsed("gte", "61")), list(elapsed("gte", "30")))}, "", nil},

		"bounds that exclude":       {change{"entry": list(price("lt", "0.2"), price("gt", "0.8")), "exit": noExit}, "strategy.entry[0]", []string{"price up lt 0.2", "strategy.entry[1] (price up gt 0.8)"}},
		"bounds that meet":          {change{"entry": list(price("lte", "0.3"), price("gte", "0.3")), "exit": noExit}, "", nil},
		"bounds that meet, strict":  {change{"entry": list(price("lte", "0.3"), price("gt", "0.3")), "exit": noExit}, "strategy.entry[0]", []string{"lte 0.3", "gt 0.3"}},
		"below and at least":        {change{"entry": list(price("lt", "0.3"), price("gte", "0.3")), "exit": noExit}, "strategy.entry[0]", nil},
		"crossing above a cap":      {change{"entry": list(price("lte", "0.3"), price("crosses_above", "0.3")), "exit": noExit}, "strategy.entry[0]", []string{"crosses_above"}},
		"crossing below a floor":    {change{"entry": list(price("gte", "0.3"), price("crosses_below", "0.3")), "exit": noExit}, "strategy.entry[0]", []string{"crosses_below"}},
		"crossing within bounds":    {change{"entry": list(price("lte", "0.4"), price("crosses_above", "0.3")), "exit": noExit}, "", nil},
		"two values are not one":    {change{"entry": list(price("lt", "0.2"), cond("best_bid", `"up"`, "gt", "0.8", "null"), cond("price", `"down"`, "gt", "0.8", "null")), "exit": noExit}, "", nil},
		"spread bounds":             {change{"entry": list(cond("spread", `"up"`, "lt", "0.02", "null"), cond("spread", `"up"`, "gt", "0.05", "null")), "exit": noExit}, "strategy.entry[0]", nil},
		"changes of one look-back":  {change{"entry": list(cond("price_change", `"up"`, "gte", "0.1", "60"), cond("price_change", `"up"`, "lte", "-0.1", "60")), "exit": noExit}, "strategy.entry[0]", []string{"price_change"}},
		"changes of two look-backs": {change{"entry": list(cond("price_change", `"up"`, "gte", "0.1", "60"), cond("price_change", `"up"`, "lte", "-0.1", "120")), "exit": noExit}, "", nil},
		"a group excludes itself":   {change{"entry": "[]", "entry_any": list(list(price("lt", "0.2"), price("gt", "0.8")), list(price("gt", "0.6"))), "exit": noExit}, "strategy.entry_any[1][0]", []string{"strategy.entry_any[1][1]"}},
		"one group against entry":   {change{"entry": list(price("lt", "0.2")), "entry_any": list(list(price("gt", "0.8")), list(price("gt", "0.1"))), "exit": noExit}, "", nil},
		"all groups against entry":  {change{"entry": list(price("lt", "0.2")), "entry_any": list(list(price("gt", "0.8")), list(price("gt", "0.7"))), "exit": noExit}, "strategy.entry[0]", []string{"price up gt 0.", "entry_any"}},
		"no group by time or bound": {change{"entry": list(price("lt", "0.2"), remaining("gt", "600")), "entry_any": list(list(price("gt", "0.8")), list(elapsed("gte", "600"))), "exit": noExit}, "strategy.entry_any[1][0]", nil},
		"a group joins and clashes": {change{"entry": list(price("lt", "0.2")), "entry_any": list(list(price("gt", "0.8")), list(price("gt", "0.8"))), "exit": noExit}, "strategy.entry[0]", []string{"strategy.entry[1]"}},

		"nine once joined": {change{"entry": list(price("lt", "0.41"), price("lt", "0.42"), price("lt", "0.43"), price("lt", "0.44"), price("lt", "0.45"), price("lt", "0.46"), price("lt", "0.47"), price("lt", "0.48")),
			"entry_any": list(list(price("lt", "0.49")), list(price("lt", "0.49")))}, "strategy.entry", []string{"9", "8"}},
		"eight once joined": {change{"entry": list(price("lt", "0.41"), price("lt", "0.42"), price("lt", "0.43"), price("lt", "0.44"), price("lt", "0.45"), price("lt", "0.46"), price("lt", "0.47"), price("lt", "0.48")),
			"entry_any": list(list(price("lt", "0.48")), list(price("lt", "0.48")))}, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := strategy.Decode(with(t, c.change))
			if err == nil {
				err = strategytest.Validate(s)
			}
			if c.field == "" {
				require.NoError(t, err)
				return
			}
			requireFault(t, err, c.field, c.texts...)
		})
	}
}

// TestCanonicalizeTakesNothingForGranted builds objects that no JSON gives.
func TestCanonicalizeTakesNothingForGranted(t *testing.T) {
	t.Parallel()
	valid, err := strategy.Decode([]byte(base))
	require.NoError(t, err)
	for field, breakIt := range map[string]func(*strategy.Strategy){
		"strategy.market.coin":              func(s *strategy.Strategy) { s.Market.Coin = "" },
		"strategy.market.market_type":       func(s *strategy.Strategy) { s.Market.Type = "15M" },
		"strategy.side":                     func(s *strategy.Strategy) { s.Side = "" },
		"strategy.entry[0].type":            func(s *strategy.Strategy) { s.Entry[0].Type = "" },
		"strategy.entry[0].comparator":      func(s *strategy.Strategy) { s.Entry[0].Comparator = "eq" },
		"strategy.entry[0].token":           func(s *strategy.Strategy) { s.Entry[0].Token = "yes" },
		"strategy.entry[0].within_seconds":  func(s *strategy.Strategy) { s.Entry[0].WithinSeconds = -1 },
		"strategy.entry_any":                func(s *strategy.Strategy) { s.EntryAny = make([][]strategy.Condition, 5) },
		"strategy.exit.max_hold_seconds":    func(s *strategy.Strategy) { s.Exit.MaxHoldSeconds = -1 },
		"strategy.exit.exit_before_seconds": func(s *strategy.Strategy) { s.Exit.ExitBeforeSeconds = -1 },
		"strategy.exit.trailing_stop":       func(s *strategy.Strategy) { s.Exit.TrailingStop = strategy.One.Ptr() },
		"strategy.budget_per_trade":         func(s *strategy.Strategy) { s.BudgetPerTrade = -1 },
		"strategy.sample_size":              func(s *strategy.Strategy) { s.SampleSize = 0 },
	} {
		s := valid
		s.Entry = append([]strategy.Condition(nil), valid.Entry...)
		breakIt(&s)
		requireFault(t, strategytest.Validate(s), field)
	}
	requireFault(t, strategytest.Validate(strategy.Strategy{}), "strategy.market.coin")
}

func ExampleCanonicalize() {
	s, _ := strategy.Decode([]byte(`{"market":{"coin":"BTC","market_type":"15m"},"side":"up",
		"entry":[{"type":"price","token":"up","comparator":"lt","threshold":0.35,"within_seconds":300}],
		"exit":{"take_profit":0.3,"stop_loss":null,"hold_to_expiry":true},"budget_per_trade":50,"sample_size":200}`))
	_, err := strategy.Canonicalize(s)
	fmt.Println(err)
	// Output:
	// strategy.exit.take_profit: 0.3 can fire at the entry price itself, as the entry asks for price up lt 0.35 within 300 s: expected a take profit above 0.35
}

// TestWordsOfBounds holds how values out of bounds are told: what was expected,
// without exponents.
func TestWordsOfBounds(t *testing.T) {
	t.Parallel()
	object := func(budget, sample, entry string) string {
		return `{"market":` + fiveMin + `,"side":"up","entry":` + entry + `,"exit":` + noExit + `,"budget_per_trade":` + budget + `,"sample_size":` + sample + `}`
	}
	for text, want := range map[string]string{
		object("1000000.01", "1", "[]"): "strategy.budget_per_trade: 1000000.01: expected at most 1000000",
		object("0", "1", "[]"):          "strategy.budget_per_trade: 0: expected above 0",
		object("1", "0", "[]"):          "strategy.sample_size: 0: expected at least 1",
		object("1", "1", list(price("lt", "0.1"), price("lt", "0.2"), price("lt", "0.3"), price("lt", "0.4"), price("lt", "0.5"),
			price("lt", "0.6"), price("lt", "0.7"), price("lt", "0.8"), price("lt", "0.9"))): "strategy.entry: a list of 9: expected at most 8",
		object("1", "1", list(price("eq", "0.1"))): `strategy.entry[0].comparator: "eq": expected one of "lt"`,
	} {
		_, err := strategy.Decode([]byte(text))
		require.ErrorContains(t, err, want)
	}
}
