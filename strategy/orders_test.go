package strategy_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ladderback/ladderback/internal/strategytest"
	"github.com/ladderback/ladderback/strategy"
)

// full uses every field of orders that go together, in canonical form.
const full = `{"market":{"coin":"BTC","market_type":"15m"},"side":"up",` +
	`"entry":[{"type":"price","token":"up","comparator":"lt","threshold":0.35,"within_seconds":300}],` +
	`"exit":{"take_profit":0.55,"stop_loss":0.2,"hold_to_expiry":true,"rest_take_profit":true},"budget_per_trade":50,"sample_size":200,` +
	`"order":{"rest_at":0.3,"post_only":true,"cancel_after_seconds":120,"cancel_when":[` +
	`{"type":"spread","token":"same","comparator":"gt","threshold":0.06,"within_seconds":null}]},` +
	`"then":[{"do":"buy","token":"opposite","when":[{"type":"pair_cost","token":null,"comparator":"lt","threshold":0.97,"within_seconds":null}],"match":true},` +
	`{"do":"sell","token":"same","fraction":0.5,"order":{"rest_at":0.6}},` +
	`{"do":"buy","token":"same","on":"start","usd":20,"order":{"rest_from_bid":0}},` +
	`{"do":"buy","token":"opposite","on":"stop_loss","when":[{"type":"time_remaining","token":null,"comparator":"gte","threshold":60,"within_seconds":null},` +
	`{"type":"held_profit","token":"same","comparator":"lte","threshold":-0.05,"within_seconds":null},` +
	`{"type":"since_entry","token":null,"comparator":"gte","threshold":30,"within_seconds":null}],"shares":10,"order":{"rest_from_ask":0.01},"times":3,"after_seconds":10}],` +
	`"again":{"max_entries":4,"after_seconds":60,"after":["stop_loss","cancelled"]},"merge":true,` +
	`"size":{"kelly":{"probability":0.6,"fraction":0.5}},"bankroll":{"start":1000,"daily_loss":100,"max_open":200,"max_losing_streak":4}}`

func TestOrdersKeepTheirOrderAndBytes(t *testing.T) {
	t.Parallel()
	c, err := strategy.Parse([]byte(full))
	require.NoError(t, err)
	b, err := json.Marshal(c)
	require.NoError(t, err)
	require.Equal(t, full, string(b)) //nolint:testifylint // byte by byte: the order of the keys counts

	require.True(t, c.Extended())
	require.Equal(t, strategy.Cents(30), *c.Order().RestAt)
	require.True(t, c.Exit().RestTakeProfit)
	require.True(t, c.Merges())
	require.Equal(t, strategy.OnEntry, c.Then()[0].On)
	require.Equal(t, 1, c.Then()[0].Times)
	require.Equal(t, 3, c.Then()[3].Times)
	require.True(t, c.Again().Follows(strategy.ReasonCancelled))
	require.False(t, c.Again().Follows(strategy.ReasonMerged))
	require.Equal(t, strategy.Cents(60), c.Size().Kelly.Probability)
	require.EqualValues(t, 1_000_000_000, c.Bankroll().Start.Cash())
	require.EqualValues(t, 10_000_000, c.Then()[3].Shares)
}

// TestWithoutOrdersNothingChanges: the bytes and the hash of an object that uses
// no field of orders are those it had before there were any.
func TestWithoutOrdersNothingChanges(t *testing.T) {
	t.Parallel()
	c, err := strategy.Parse([]byte(base))
	require.NoError(t, err)
	b, err := json.Marshal(c)
	require.NoError(t, err)
	require.Equal(t, base, string(b)) //nolint:testifylint // byte by byte: the order of the keys counts
	require.Equal(t, "7e755be16325d1006aa7d801f9193d173e9725367acfe63f81104f46fd2a12c0", c.Hash())
	require.False(t, c.Extended())
}

// TestOrdersDefaults: null, defaults and duplicates leave no trace in the
// canonical form.
func TestOrdersDefaults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ change, same map[string]string }{
		"null is left out": {
			map[string]string{"order": "null", "then": "null", "again": "null", "merge": "null", "size": "null", "bankroll": "null"},
			map[string]string{},
		},
		"false is left out": {
			map[string]string{"merge": "false", "order": `{"rest_at":0.3,"post_only":false,"rest_from_bid":null,"cancel_when":null}`},
			map[string]string{"order": `{"rest_at":0.3}`},
		},
		"defaults of an order": {
			map[string]string{"then": `[{"do":"sell","token":"same","on":"entry","when":[],"fraction":1,"order":{"rest_at":0.9},"times":1,"after_seconds":0}]`},
			map[string]string{"then": `[{"do":"sell","token":"same","fraction":1,"order":{"rest_at":0.9}}]`},
		},
		"conditions are folded as an entry's are": {
			map[string]string{"order": `{"rest_at":0.3,"cancel_when":[` + elapsed("lt", "60") + `,` + cond("spread", `"same"`, "gt", "0.1", "null") + `,` + cond("best_bid", `"same"`, "lt", "0.2", "90") + `]}`},
			map[string]string{"order": `{"rest_at":0.3,"cancel_when":[` + cond("best_bid", `"same"`, "lt", "0.2", "60") + `,` + cond("spread", `"same"`, "gt", "0.1", "60") + `]}`},
		},
		"every reason is none": {
			map[string]string{"again": `{"max_entries":2,"after_seconds":0,"after":["cancelled","expiry","merged","order","end_of_window","stop_loss","take_profit","order"]}`},
			map[string]string{"again": `{"max_entries":2}`},
		},
		"reasons are in their order": {
			map[string]string{"again": `{"max_entries":2,"after":["order","stop_loss","order"]}`},
			map[string]string{"again": `{"max_entries":2,"after":["stop_loss","order"]}`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, err := strategy.Parse(with(t, c.change))
			require.NoError(t, err)
			b, err := strategy.Parse(with(t, c.same))
			require.NoError(t, err)
			require.Equal(t, b, a)
			require.Equal(t, b.Hash(), a.Hash())
		})
	}
	zero := canonical(t, strategy.Strategy{
		Market: strategy.MarketSpec{Coin: "BTC", Type: "5m"}, Side: strategy.Up, BudgetPerTrade: strategy.One, SampleSize: 1, Exit: strategy.Exit{HoldToExpiry: true},
		Then: []strategy.Then{{Do: strategy.Sell, Token: strategy.TokenSame, Shares: strategy.One, Order: &strategy.Order{RestAt: strategy.Cents(90).Ptr()}}},
	})
	require.Equal(t, strategy.OnEntry, zero.Then()[0].On)
	require.Equal(t, 1, zero.Then()[0].Times)
}

// TestThenKeepsItsOrder: it is precedence.
func TestThenKeepsItsOrder(t *testing.T) {
	t.Parallel()
	one, two := `{"do":"buy","token":"same","usd":20,"order":{"rest_at":0.3}}`, `{"do":"buy","token":"opposite","usd":10,"order":{"rest_at":0.3}}`
	a, err := strategy.Parse(with(t, map[string]string{"then": list(one, two)}))
	require.NoError(t, err)
	b, err := strategy.Parse(with(t, map[string]string{"then": list(two, one)}))
	require.NoError(t, err)
	require.False(t, a.Equal(b))
	require.NotEqual(t, a.Hash(), b.Hash())
}

// TestExtendedIsACopy: nothing that Strategy returns is shared with the canonical
// form.
func TestExtendedIsACopy(t *testing.T) {
	t.Parallel()
	c, err := strategy.Parse([]byte(full))
	require.NoError(t, err)
	s := c.Strategy()
	*s.Order.RestAt, s.Order.CancelWhen[0].Threshold = strategy.Cents(31), strategy.Cents(1)
	s.Then[0].When[0].Threshold, *s.Then[1].Order.RestAt = strategy.Cents(1), strategy.Cents(61)
	s.Again.After[0], s.Again.MaxEntries = strategy.ReasonMerged, 9
	s.Size.Kelly.Probability, s.Bankroll.Start = strategy.Cents(61), strategy.One
	b, err := json.Marshal(c)
	require.NoError(t, err)
	require.Equal(t, full, string(b)) //nolint:testifylint // byte by byte
}

// TestOrderRules goes through the rules of the fields of orders: an empty field
// means that the strategy is valid.
func TestOrderRules(t *testing.T) {
	t.Parallel()
	type change = map[string]string
	order := func(fields string) change { return change{"order": "{" + fields + "}"} }
	then := func(fields string) change { return change{"then": "[{" + fields + "}]"} }
	buy, sell := func(more string) change { return then(`"do":"buy","token":"same"` + more) }, func(more string) change { return then(`"do":"sell","token":"same"` + more) }
	const rests, when = `,"order":{"rest_at":0.3}`, `,"when":[{"type":"best_ask","token":"same","comparator":"lte","threshold":0.3,"within_seconds":null}]`
	whenOf := func(conditions ...string) change { return buy(`,"usd":5,"when":` + list(conditions...)) }
	and := func(a, b change) change {
		out := change{}
		for _, m := range []change{a, b} {
			for k, v := range m {
				out[k] = v
			}
		}
		return out
	}
	nine := list(make([]string, 0)...)
	for i := range 9 {
		nine = nine[:len(nine)-1] + map[bool]string{true: ",", false: ""}[i > 0] + cond("best_ask", `"same"`, "gte", "0.0"+string(rune('1'+i)), "null") + "]"
	}
	for name, c := range map[string]struct {
		change change
		field  string
		texts  []string
	}{
		"no price":                   {order(`"post_only":true`), "strategy.order", []string{"none of", "rest_at"}},
		"two prices":                 {order(`"rest_at":0.3,"rest_from_bid":0`), "strategy.order.rest_at", []string{"strategy.order.rest_from_bid", "exactly one"}},
		"rests at":                   {order(`"rest_at":0.3`), "", nil},
		"rests at 0":                 {order(`"rest_at":0`), "strategy.order.rest_at", []string{"0"}},
		"rests at 1":                 {order(`"rest_at":1`), "strategy.order.rest_at", []string{"1"}},
		"rests at 5 decimals":        {order(`"rest_at":0.30001`), "strategy.order.rest_at", []string{"4 decimals"}},
		"joins the bid":              {order(`"rest_from_bid":0`), "", nil},
		"under the bid":              {order(`"rest_from_bid":-0.02`), "", nil},
		"under the bid by 1":         {order(`"rest_from_bid":-1`), "strategy.order.rest_from_bid", []string{"-1"}},
		"under the ask":              {order(`"rest_from_ask":0.01`), "", nil},
		"at the ask":                 {order(`"rest_from_ask":0`), "strategy.order.rest_from_ask", []string{"0 is", "between 0 and 1"}},
		"over the ask":               {order(`"rest_from_ask":-0.01`), "strategy.order.rest_from_ask", []string{"-0.01"}},
		"sells over the ask":         {sell(`,"fraction":1,"order":{"rest_from_ask":-0.01}`), "", nil},
		"sells at the bid":           {sell(`,"fraction":1,"order":{"rest_from_bid":0}`), "strategy.then[0].order.rest_from_bid", []string{"sell"}},
		"sells over the bid":         {sell(`,"fraction":1,"order":{"rest_from_bid":0.01}`), "", nil},
		"post only in words":         {order(`"rest_at":0.3,"post_only":"yes"`), "strategy.order.post_only", []string{`"yes"`}},
		"cancelled after 0":          {order(`"rest_at":0.3,"cancel_after_seconds":0`), "strategy.order.cancel_after_seconds", []string{"0"}},
		"cancelled after the end":    {order(`"rest_at":0.3,"cancel_after_seconds":901`), "strategy.order.cancel_after_seconds", []string{"901", "15m"}},
		"cancelled after a half":     {order(`"rest_at":0.3,"cancel_after_seconds":1.5`), "strategy.order.cancel_after_seconds", nil},
		"cancelled when nothing":     {order(`"rest_at":0.3,"cancel_when":[]`), "strategy.order.cancel_when", []string{"1"}},
		"cancelled when five":        {order(`"rest_at":0.3,"cancel_when":` + nine), "strategy.order.cancel_when", []string{"4"}},
		"cancelled when up":          {order(`"rest_at":0.3,"cancel_when":` + list(price("lt", "0.3"))), "strategy.order.cancel_when[0].token", nil},
		"cancelled, no value left":   {order(`"rest_at":0.3,"cancel_when":` + list(cond("price", `"same"`, "lt", "0.3", "null"), cond("price", `"same"`, "gt", "0.4", "null"))), "strategy.order.cancel_when[0]", []string{"cancel_when[1]"}},
		"cancelled at no time":       {order(`"rest_at":0.3,"cancel_when":` + list(remaining("lt", "30"), elapsed("lte", "60"))), "strategy.order.cancel_when[1]", []string{"time", "empty"}},
		"cancelled before the start": {order(`"rest_at":0.3,"cancel_when":` + list(remaining("gt", "900"))), "strategy.order.cancel_when", []string{"empty"}},
		"an unknown field":           {order(`"rest_at":0.3,"tif":"gtc"`), "strategy.order.tif", nil},
		"target at the limit":        {and(order(`"rest_at":0.3`), change{"entry": "[]", "exit": exits("0.3", "null", "")}), "strategy.exit.take_profit", []string{"order.rest_at 0.3"}},
		"target over the limit":      {and(order(`"rest_at":0.3`), change{"entry": "[]", "exit": exits("0.31", "null", "")}), "", nil},
		"stop at the limit":          {and(order(`"rest_at":0.3`), change{"entry": "[]", "exit": exits("null", "0.3", "")}), "strategy.exit.stop_loss", []string{"order.rest_at 0.3"}},
		"rests under a lower bound":  {and(order(`"rest_at":0.3`), change{"entry": list(price("gt", "0.6")), "exit": exits("0.5", "0.2", "")}), "", nil},
		"a lower bound under it":     {and(order(`"rest_at":0.3`), change{"entry": list(price("gt", "0.2")), "exit": exits("0.2", "null", "")}), "strategy.exit.take_profit", []string{"price up gt 0.2"}},
		"the tighter bound":          {and(order(`"rest_at":0.5`), change{"exit": exits("null", "0.35", "")}), "strategy.exit.stop_loss", []string{"price up lt 0.35"}},
		"rests for the target":       {change{"exit": exits("0.55", "null", `,"rest_take_profit":true`)}, "", nil},
		"rests for an offset":        {change{"exit": exits("null", "null", `,"take_profit_offset":0.05,"rest_take_profit":true`)}, "", nil},
		"rests for nothing":          {change{"exit": exits("null", "0.2", `,"rest_take_profit":true`)}, "strategy.exit.rest_take_profit", []string{"target"}},

		"no orders":               {change{"then": "[]"}, "strategy.then", []string{"1"}},
		"no action":               {then(`"token":"same","usd":5` + rests), "strategy.then[0].do", []string{"missing"}},
		"short":                   {then(`"do":"short","token":"same","usd":5` + rests), "strategy.then[0].do", []string{`"short"`}},
		"the token by name":       {then(`"do":"buy","token":"up","usd":5` + rests), "strategy.then[0].token", []string{`"up"`}},
		"no amount":               {buy(rests), "strategy.then[0]", []string{"none of", "usd"}},
		"two amounts":             {buy(`,"usd":5,"shares":5` + rests), "strategy.then[0].usd", []string{"strategy.then[0].shares"}},
		"dollars and a match":     {buy(`,"usd":5,"match":true` + rests), "strategy.then[0].usd", []string{"strategy.then[0].match"}},
		"dollars":                 {buy(`,"usd":5` + rests), "", nil},
		"dollars of 0":            {buy(`,"usd":0` + rests), "strategy.then[0].usd", nil},
		"too many dollars":        {buy(`,"usd":1000001` + rests), "strategy.then[0].usd", []string{"1000000"}},
		"sells dollars":           {sell(`,"usd":5` + rests), "strategy.then[0].usd", []string{"sell"}},
		"shares":                  {buy(`,"shares":0.01` + rests), "", nil},
		"sells shares":            {sell(`,"shares":5` + rests), "", nil},
		"shares below 0":          {buy(`,"shares":-1` + rests), "strategy.then[0].shares", []string{"-1"}},
		"too many shares":         {buy(`,"shares":1000001` + rests), "strategy.then[0].shares", nil},
		"sells a fraction":        {sell(`,"fraction":0.3333` + rests), "", nil},
		"sells all":               {sell(`,"fraction":1` + rests), "", nil},
		"sells more than all":     {sell(`,"fraction":1.01` + rests), "strategy.then[0].fraction", nil},
		"sells none":              {sell(`,"fraction":0` + rests), "strategy.then[0].fraction", nil},
		"fraction of 5 decimals":  {sell(`,"fraction":0.33333` + rests), "strategy.then[0].fraction", []string{"4 decimals"}},
		"buys a fraction":         {buy(`,"fraction":0.5` + rests), "strategy.then[0].fraction", []string{"buy"}},
		"matches":                 {buy(`,"match":true` + when), "", nil},
		"sells a match":           {sell(`,"match":true` + when), "strategy.then[0].match", []string{"sell"}},
		"at once, taking":         {buy(`,"usd":5`), "strategy.then[0].when", []string{"strategy.then[0].order"}},
		"on start, taking":        {buy(`,"usd":5,"on":"start"`), "strategy.then[0].when", nil},
		"on start":                {buy(`,"usd":5,"on":"start"` + rests), "", nil},
		"on start, either":        {and(change{"side": `"either"`, "entry": "[]"}, buy(`,"usd":5,"on":"start"`+rests)), "strategy.then[0].on", []string{"either"}},
		"on stop, taking at once": {buy(`,"usd":5,"on":"stop_loss"`), "", nil},
		"on stop, none":           {and(change{"exit": exits("0.55", "null", "")}, buy(`,"usd":5,"on":"stop_loss"`)), "strategy.then[0].on", []string{"stop"}},
		"on stop, trailing":       {and(change{"exit": exits("null", "null", `,"trailing_stop":0.05`)}, buy(`,"usd":5,"on":"stop_loss"`)), "", nil},
		"on target":               {buy(`,"usd":5,"on":"take_profit"`), "", nil},
		"on target, none":         {and(change{"exit": exits("null", "0.2", "")}, buy(`,"usd":5,"on":"take_profit"`)), "strategy.then[0].on", []string{"target"}},
		"on the clock":            {and(change{"exit": exits("null", "null", `,"max_hold_seconds":60`)}, buy(`,"usd":5,"on":"end_of_window"`)), "", nil},
		"on the clock, none":      {buy(`,"usd":5,"on":"end_of_window"`), "strategy.then[0].on", []string{"clock"}},
		"on exit":                 {buy(`,"usd":5,"on":"exit"`), "", nil},
		"on exit, none":           {and(change{"exit": noExit}, buy(`,"usd":5,"on":"exit"`)), "strategy.then[0].on", []string{"exit"}},
		"on a whim":               {buy(`,"usd":5,"on":"whim"` + rests), "strategy.then[0].on", []string{`"whim"`, `"exit", null`}},
		"nine conditions":         {buy(`,"usd":5,"when":` + nine), "strategy.then[0].when", []string{"8"}},
		"held profit":             {whenOf(cond("held_profit", `"opposite"`, "gte", "-1", "null")), "", nil},
		"held profit, too much":   {whenOf(cond("held_profit", `"same"`, "gte", "1.01", "null")), "strategy.then[0].when[0].threshold", nil},
		"held profit of null":     {whenOf(cond("held_profit", "null", "gte", "0.1", "null")), "strategy.then[0].when[0].token", nil},
		"held profit of up":       {whenOf(cond("held_profit", `"up"`, "gte", "0.1", "null")), "strategy.then[0].when[0].token", []string{`"up"`}},
		"held profit, early":      {whenOf(cond("held_profit", `"same"`, "gte", "0.1", "60")), "strategy.then[0].when[0].within_seconds", []string{"60"}},
		"held profit crosses":     {whenOf(cond("held_profit", `"same"`, "crosses_above", "0.1", "null")), "strategy.then[0].when[0].comparator", nil},
		"pair cost":               {whenOf(cond("pair_cost", "null", "lt", "2", "null")), "", nil},
		"pair cost, too much":     {whenOf(cond("pair_cost", "null", "lt", "2.01", "null")), "strategy.then[0].when[0].threshold", []string{"2.01"}},
		"pair cost, 5 decimals":   {whenOf(cond("pair_cost", "null", "lt", "0.97001", "null")), "strategy.then[0].when[0].threshold", nil},
		"pair cost of same":       {whenOf(cond("pair_cost", `"same"`, "lt", "0.97", "null")), "strategy.then[0].when[0].token", nil},
		"since entry":             {whenOf(cond("since_entry", "null", "gte", "900", "null")), "", nil},
		"since entry, too long":   {whenOf(cond("since_entry", "null", "gte", "901", "null")), "strategy.then[0].when[0].threshold", []string{"15m"}},
		"since entry, no value":   {whenOf(cond("since_entry", "null", "gte", "90", "null"), cond("since_entry", "null", "lt", "30", "null")), "strategy.then[0].when[0]", nil},
		"held profit at entry":    {change{"entry": list(cond("held_profit", `"up"`, "gte", "0.1", "null"))}, "strategy.entry[0].type", []string{"held_profit"}},
		"no time":                 {whenOf(elapsed("gte", "600"), remaining("gte", "600")), "strategy.then[0].when[0]", []string{"time", "empty"}},
		"twenty times":            {buy(`,"usd":5,"times":20,"after_seconds":900` + rests), "", nil},
		"no times":                {buy(`,"usd":5,"times":0` + rests), "strategy.then[0].times", nil},
		"too many times":          {buy(`,"usd":5,"times":21` + rests), "strategy.then[0].times", nil},
		"after the end":           {buy(`,"usd":5,"after_seconds":901` + rests), "strategy.then[0].after_seconds", []string{"15m"}},
		"after less than nothing": {buy(`,"usd":5,"after_seconds":-1` + rests), "strategy.then[0].after_seconds", nil},
		"the second order":        {change{"then": `[{"do":"buy","token":"same","usd":5` + rests + `},{"do":"buy","token":"same","usd":5,"order":{"rest_at":2}}]`}, "strategy.then[1].order.rest_at", nil},

		"again":                    {change{"again": `{"max_entries":20,"after_seconds":900,"after":["expiry"]}`}, "", nil},
		"again without a count":    {change{"again": `{"after_seconds":60}`}, "strategy.again.max_entries", []string{"missing"}},
		"again once":               {change{"again": `{"max_entries":1}`}, "strategy.again.max_entries", nil},
		"again too often":          {change{"again": `{"max_entries":21}`}, "strategy.again.max_entries", nil},
		"again after the end":      {change{"again": `{"max_entries":2,"after_seconds":901}`}, "strategy.again.after_seconds", []string{"15m"}},
		"again for no reason":      {change{"again": `{"max_entries":2,"after":[]}`}, "strategy.again.after", nil},
		"again for a whim":         {change{"again": `{"max_entries":2,"after":["whim"]}`}, "strategy.again.after[0]", []string{`"whim"`}},
		"merges":                   {and(change{"merge": "true"}, then(`"do":"buy","token":"opposite","match":true`+when)), "", nil},
		"merges one token":         {and(change{"merge": "true"}, buy(`,"usd":5`+rests)), "strategy.merge", []string{"opposite"}},
		"shares of an entry":       {change{"size": `{"shares":20}`}, "", nil},
		"no size":                  {change{"size": `{}`}, "strategy.size", []string{"none of"}},
		"two sizes":                {change{"size": `{"shares":20,"bankroll_fraction":0.5}`, "bankroll": `{"start":1}`}, "strategy.size.shares", []string{"bankroll_fraction"}},
		"fraction of a bankroll":   {change{"size": `{"bankroll_fraction":1}`, "bankroll": `{"start":1000}`}, "", nil},
		"fraction of no bankroll":  {change{"size": `{"bankroll_fraction":0.05}`}, "strategy.size.bankroll_fraction", []string{"bankroll.start"}},
		"fraction without a start": {change{"size": `{"bankroll_fraction":0.05}`, "bankroll": `{"max_open":50}`}, "strategy.size.bankroll_fraction", []string{"bankroll.start"}},
		"more than the bankroll":   {change{"size": `{"bankroll_fraction":1.1}`, "bankroll": `{"start":1000}`}, "strategy.size.bankroll_fraction", nil},
		"kelly":                    {change{"size": `{"kelly":{"probability":0.6,"fraction":1}}`, "bankroll": `{"start":1000}`}, "", nil},
		"kelly, sure":              {change{"size": `{"kelly":{"probability":1,"fraction":1}}`, "bankroll": `{"start":1000}`}, "strategy.size.kelly.probability", nil},
		"kelly, twice":             {change{"size": `{"kelly":{"probability":0.6,"fraction":2}}`, "bankroll": `{"start":1000}`}, "strategy.size.kelly.fraction", nil},
		"kelly without fraction":   {change{"size": `{"kelly":{"probability":0.6}}`, "bankroll": `{"start":1000}`}, "strategy.size.kelly.fraction", []string{"missing"}},
		"kelly without a bankroll": {change{"size": `{"kelly":{"probability":0.6,"fraction":1}}`}, "strategy.size.kelly", []string{"bankroll.start"}},
		"an empty bankroll":        {change{"bankroll": `{}`}, "strategy.bankroll", []string{"start"}},
		"a bankroll's limits":      {change{"bankroll": `{"daily_loss":100,"max_open":50,"max_losing_streak":3}`}, "", nil},
		"a start of 0":             {change{"bankroll": `{"start":0}`}, "strategy.bankroll.start", nil},
		"a loss below 0":           {change{"bankroll": `{"daily_loss":-5}`}, "strategy.bankroll.daily_loss", nil},
		"a streak of 0":            {change{"bankroll": `{"max_losing_streak":0}`}, "strategy.bankroll.max_losing_streak", nil},
		"too much open":            {change{"bankroll": `{"max_open":1000000001}`}, "strategy.bankroll.max_open", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := strategy.Parse(with(t, c.change))
			if c.field == "" {
				require.NoError(t, err)
				return
			}
			requireFault(t, err, c.field, c.texts...)
		})
	}
}

// TestOrderRulesOfLiterals: what the schema refuses in JSON is refused in a
// literal, too.
func TestOrderRulesOfLiterals(t *testing.T) {
	t.Parallel()
	rest := &strategy.Order{RestAt: strategy.Cents(30).Ptr()}
	for field, change := range map[string]func(s *strategy.Strategy){
		"strategy.order.rest_at": func(s *strategy.Strategy) { s.Order = &strategy.Order{RestAt: strategy.One.Ptr()} },
		"strategy.order.cancel_after_seconds": func(s *strategy.Strategy) {
			s.Order = &strategy.Order{RestAt: strategy.Cents(30).Ptr(), CancelAfterSeconds: -1}
		},
		"strategy.order.cancel_when": func(s *strategy.Strategy) {
			s.Order = &strategy.Order{RestAt: strategy.Cents(30).Ptr(), CancelWhen: make([]strategy.Condition, 5)}
		},
		"strategy.then":       func(s *strategy.Strategy) { s.Then = make([]strategy.Then, 20) },
		"strategy.then[0].do": func(s *strategy.Strategy) { s.Then = make([]strategy.Then, 1) },
		"strategy.then[0].on": func(s *strategy.Strategy) {
			s.Then = []strategy.Then{{Do: strategy.Buy, Token: strategy.TokenSame, On: "x"}}
		},
		"strategy.then[0].usd": func(s *strategy.Strategy) {
			s.Then = []strategy.Then{{Do: strategy.Buy, Token: strategy.TokenSame, USD: -1, Order: rest}}
		},
		"strategy.then[0].times": func(s *strategy.Strategy) {
			s.Then = []strategy.Then{{Do: strategy.Buy, Token: strategy.TokenSame, USD: 1, Order: rest, Times: 21}}
		},
		"strategy.then[0].after_seconds": func(s *strategy.Strategy) {
			s.Then = []strategy.Then{{Do: strategy.Buy, Token: strategy.TokenSame, USD: 1, Order: rest, AfterSeconds: -1}}
		},
		"strategy.again.max_entries":          func(s *strategy.Strategy) { s.Again = &strategy.Again{} },
		"strategy.again.after_seconds":        func(s *strategy.Strategy) { s.Again = &strategy.Again{MaxEntries: 2, AfterSeconds: -1} },
		"strategy.again.after[0]":             func(s *strategy.Strategy) { s.Again = &strategy.Again{MaxEntries: 2, After: []strategy.Reason{"x"}} },
		"strategy.size":                       func(s *strategy.Strategy) { s.Size = &strategy.Size{} },
		"strategy.size.shares":                func(s *strategy.Strategy) { s.Size = &strategy.Size{Shares: -1} },
		"strategy.size.kelly.probability":     func(s *strategy.Strategy) { s.Size = &strategy.Size{Kelly: &strategy.Kelly{}} },
		"strategy.bankroll":                   func(s *strategy.Strategy) { s.Bankroll = &strategy.Bankroll{} },
		"strategy.bankroll.max_losing_streak": func(s *strategy.Strategy) { s.Bankroll = &strategy.Bankroll{MaxLosingStreak: -1} },
	} {
		s, err := strategy.Decode([]byte(base))
		require.NoError(t, err)
		change(&s)
		requireFault(t, strategytest.Validate(s), field)
	}
}

// TestExtendedHashesTellObjectsApart: two objects are equal when their hashes are.
func TestExtendedHashesTellObjectsApart(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := strategytest.CanonicalExtended().Draw(t, "a"), strategytest.CanonicalExtended().Draw(t, "b")
		require.Equal(t, a.Equal(b), a.Hash() == b.Hash())
		require.True(t, a.Extended())
	})
}
