package strategy_test

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ladderback/ladderback/internal/strategytest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/strategy"
)

func compile(t testing.TB, schema []byte) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft2020
	require.NoError(t, c.AddResource("s.json", bytes.NewReader(schema)))
	s, err := c.Compile("s.json")
	require.NoError(t, err)
	return s
}

func schema(t require.TestingT) []byte {
	text, err := os.ReadFile("schema.json")
	require.NoError(t, err)
	return text
}

func document(t require.TestingT, b []byte) any {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var v any
	require.NoError(t, d.Decode(&v))
	return v
}

func TestSchemaAdmitsEveryValidStrategy(t *testing.T) {
	t.Parallel()
	full, strict := compile(t, schema(t)), compile(t, strategy.StrictSchema())
	root := document(t, strategy.StrictSchema()).(map[string]any)
	rapid.Check(t, func(t *rapid.T) {
		b, err := json.Marshal(rapid.OneOf(strategytest.Valid(), strategytest.Extended()).Draw(t, "s"))
		require.NoError(t, err)
		require.NoError(t, full.Validate(document(t, b)), "%s", b)

		filled := document(t, b)
		fill(root, root, filled)
		require.NoError(t, strict.Validate(filled), "%v", filled)
		again, err := json.Marshal(filled)
		require.NoError(t, err)
		_, err = strategy.Parse(again)
		require.NoError(t, err, "%s", again)
	})
}

// fill puts null where an object of v lacks a property of its schema.
func fill(root, schema map[string]any, v any) {
	if ref, ok := schema["$ref"].(string); ok {
		schema = root["$defs"].(map[string]any)[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
	}
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			fill(root, schema["items"].(map[string]any), x)
		}
	case map[string]any:
		for name, p := range schema["properties"].(map[string]any) {
			if _, ok := v[name]; !ok {
				v[name] = nil
			}
			fill(root, p.(map[string]any), v[name])
		}
	}
}

// TestStrictSchema holds what language models with strict output demand of a
// schema: an object at the root, every property required, closed objects, and
// none of the keywords that they do not take.
func TestStrictSchema(t *testing.T) {
	t.Parallel()
	root := document(t, strategy.StrictSchema()).(map[string]any)
	require.Equal(t, "object", root["type"])
	var walk func(path string, v any, properties bool)
	walk = func(path string, v any, properties bool) {
		switch v := v.(type) {
		case []any:
			for _, x := range v {
				walk(path, x, false)
			}
		case map[string]any:
			for k, x := range v {
				if !properties {
					require.NotContains(t, []string{"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "minimum", "maximum", "exclusiveMinimum",
						"exclusiveMaximum", "minItems", "maxItems", "pattern", "$schema", "$id", "default"}, k, path)
				}
				walk(path+"/"+k, x, k == "properties" || k == "$defs")
			}
			p, ok := v["properties"].(map[string]any)
			if !ok || properties {
				return
			}
			require.Equal(t, false, v["additionalProperties"], path)
			var names, required []string
			for k := range p {
				names = append(names, k)
			}
			for _, k := range v["required"].([]any) {
				required = append(required, k.(string))
			}
			require.ElementsMatch(t, names, required, path)
		}
	}
	walk("", root, false)
	first, second := strategy.StrictSchema(), strategy.StrictSchema()
	require.Equal(t, first, second, "every call gives the same")
}

func TestTablesAgreeWithTheSchema(t *testing.T) {
	t.Parallel()
	root := document(t, schema(t)).(map[string]any)
	at := func(v any, path ...string) any {
		for _, p := range path {
			v = v.(map[string]any)[p]
		}
		return v
	}
	spec := at(root, "properties", "market", "properties")
	var tickers []any
	for _, c := range market.Coins() {
		tickers = append(tickers, c.Ticker)
		require.True(t, strategy.KnownCoin(c.Ticker))
		require.NotEmpty(t, c.Name)
	}
	require.False(t, strategy.KnownCoin(strategy.Any))
	require.Equal(t, append(slices.Clone(tickers), strategy.Any), at(spec, "coin", "enum"),
		"strategy/schema.json lists the coins of market/coins.go by hand: properties.market.properties.coin.enum")
	require.GreaterOrEqual(t, len(tickers), 40)
	require.Len(t, unique(tickers), len(tickers))

	var types []any
	for _, name := range strategytest.MarketTypes {
		types = append(types, name)
		_, ok := strategy.Length(name)
		require.True(t, ok)
	}
	require.Equal(t, types, at(spec, "market_type", "enum"), "strategy/schema.json: properties.market.properties.market_type.enum")

	condition := at(root, "$defs", "condition", "properties")
	var kinds []any
	for _, c := range strategy.ConditionTypes() {
		kinds = append(kinds, string(c.Type))
		require.NotEmpty(t, c.Description)
		require.Equal(t, c.Type.IsTime(), len(c.Tokens) == 0)
		require.Equal(t, c.Type.IsLevel(), slices.Contains(c.Comparators, strategy.CrossesAbove))
	}
	require.Equal(t, kinds, at(condition, "type", "enum"), "strategy/schema.json: $defs.condition.properties.type.enum lists strategy.ConditionTypes")

	kinds = nil
	for _, c := range strategy.OrderConditionTypes() {
		kinds = append(kinds, string(c.Type))
		require.NotEmpty(t, c.Description)
		require.Equal(t, c.Type.ReadsToken(), len(c.Tokens) != 0)
		require.Equal(t, c.Type.IsLevel(), slices.Contains(c.Comparators, strategy.CrossesAbove))
	}
	require.Equal(t, kinds, at(root, "$defs", "order_condition", "properties", "type", "enum"))
	var reasons []any
	for _, r := range strategytest.Reasons {
		reasons = append(reasons, string(r))
	}
	require.Equal(t, reasons, at(root, "properties", "again", "properties", "after", "items", "enum"))
}

func unique(list []any) map[any]bool {
	out := map[any]bool{}
	for _, v := range list {
		out[v] = true
	}
	return out
}

func TestConditionTypesAsJSON(t *testing.T) {
	t.Parallel()
	b, err := json.Marshal(strategy.ConditionTypes()[4])
	require.NoError(t, err)
	require.JSONEq(t, `{"type":"ask_depth","unit":"usd","min":0,"max":null,"comparators":["lt","lte","gt","gte","crosses_above","crosses_below"],
		"tokens":["up","down","same","opposite"],"description":"US dollars offered within 0.05 of the best ask: the sum of price times size."}`, string(b))
	b, err = json.Marshal(strategy.ConditionTypes()[8])
	require.NoError(t, err)
	require.Contains(t, string(b), `"tokens":[]`)
}
