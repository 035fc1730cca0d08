// Package prompts holds the instructions that a language model gets before a
// trader's sentence: versioned text, compiled in. There is nothing in them but
// the language of strategies.
package prompts

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/ladderback/ladderback/strategy"
)

// Version is the version of the instructions. It is raised with every change to
// what a model gets; a test ties it to the hash.
const Version = "3"

//go:embed strategy.md
var strategyText string

//go:embed examples.json
var examplesText []byte

// CannotSay is the property that the schema for models adds to those of the
// strategy: null, or words of the sentence that no field can hold.
const CannotSay = "cannot_say"

// Quotes is the property with the words of the sentence that fields came from:
// null, or a list of {field, words}.
const Quotes = "quotes"

// Instructions is what a model gets before the sentence.
type Instructions struct {
	Version string
	// Text is the system message: the object, the reading rules that models get
	// wrong, and a few examples.
	Text string
	// Schema is the JSON Schema of the answer: strategy.StrictSchema with the
	// properties CannotSay and Quotes.
	Schema []byte
	// Hash is the SHA-256 of Text and Schema, in lower-case hex.
	Hash string
}

// Example is a sentence and the strategy that it means.
type Example struct {
	Prompt   string
	Strategy strategy.Canonical
}

// Strategy returns the current instructions, which are put together once. Schema belongs to
// the caller.
func Strategy() (Instructions, error) {
	ins, err := made()
	ins.Schema = bytes.Clone(ins.Schema)
	return ins, err
}

var made = sync.OnceValues(func() (Instructions, error) {
	schema, err := answerSchema()
	if err != nil {
		return Instructions{}, err
	}
	examples, err := Examples()
	if err != nil {
		return Instructions{}, err
	}
	var text strings.Builder
	text.WriteString(strategyText)
	text.WriteString("\n# Examples\n")
	for _, e := range examples {
		answer, err := Answer(e.Strategy)
		if err != nil {
			return Instructions{}, err
		}
		fmt.Fprintf(&text, "%s\n%s\n\n", e.Prompt, answer)
	}
	ins := Instructions{Version: Version, Text: strings.TrimRight(text.String(), "\n") + "\n", Schema: schema}
	sum := sha256.Sum256(append([]byte(ins.Text+"\x00"), schema...))
	ins.Hash = hex.EncodeToString(sum[:])
	return ins, nil
})

// Examples returns the examples that the instructions hold.
func Examples() ([]Example, error) {
	var list []struct {
		Prompt   string          `json:"prompt"`
		Strategy json.RawMessage `json:"strategy"`
	}
	if err := json.Unmarshal(examplesText, &list); err != nil {
		return nil, fmt.Errorf("prompts: examples.json: %w", err)
	}
	out := make([]Example, len(list))
	for i, e := range list {
		s, err := strategy.Parse(e.Strategy)
		if err != nil {
			return nil, fmt.Errorf("prompts: examples.json: example %d: %w", i, err)
		}
		out[i] = Example{Prompt: e.Prompt, Strategy: s}
	}
	return out, nil
}

// Answer writes a strategy as a model is asked to write it: every property is
// there, null where it is unused.
func Answer(s strategy.Canonical) ([]byte, error) {
	b, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("prompts: %w", err)
	}
	var parts struct {
		Market json.RawMessage `json:"market"`
		Side   json.RawMessage `json:"side"`
		Entry  json.RawMessage `json:"entry"`
		Any    json.RawMessage `json:"entry_any"`
		Exit   struct {
			TakeProfit       *json.RawMessage `json:"take_profit"`
			StopLoss         *json.RawMessage `json:"stop_loss"`
			Hold             json.RawMessage  `json:"hold_to_expiry"`
			TakeProfitOffset *json.RawMessage `json:"take_profit_offset"`
			StopLossOffset   *json.RawMessage `json:"stop_loss_offset"`
			Trailing         *json.RawMessage `json:"trailing_stop"`
			MaxHold          *json.RawMessage `json:"max_hold_seconds"`
			ExitBefore       *json.RawMessage `json:"exit_before_seconds"`
			RestTakeProfit   *json.RawMessage `json:"rest_take_profit"`
		} `json:"exit"`
		Budget    json.RawMessage  `json:"budget_per_trade"`
		Sample    json.RawMessage  `json:"sample_size"`
		Order     *json.RawMessage `json:"order"`
		Then      *json.RawMessage `json:"then"`
		Again     *json.RawMessage `json:"again"`
		Merge     *json.RawMessage `json:"merge"`
		Size      *json.RawMessage `json:"size"`
		Bankroll  *json.RawMessage `json:"bankroll"`
		CannotSay *string          `json:"cannot_say"`
		Quotes    *string          `json:"quotes"`
	}
	if err := json.Unmarshal(b, &parts); err != nil {
		return nil, fmt.Errorf("prompts: %w", err)
	}
	if parts.Any == nil {
		parts.Any = json.RawMessage("null")
	}
	var root map[string]any
	if err := json.Unmarshal(strategy.StrictSchema(), &root); err != nil {
		return nil, fmt.Errorf("prompts: schema: %w", err)
	}
	properties, _ := root["properties"].(map[string]any)
	for name, part := range map[string]*json.RawMessage{"order": parts.Order, "then": parts.Then, "again": parts.Again, "size": parts.Size, "bankroll": parts.Bankroll} {
		if part == nil {
			continue
		}
		d := json.NewDecoder(bytes.NewReader(*part))
		d.UseNumber()
		var v any
		if err := d.Decode(&v); err != nil {
			return nil, fmt.Errorf("prompts: %s: %w", name, err)
		}
		fill(root, properties[name], v)
		if *part, err = json.Marshal(v); err != nil {
			return nil, fmt.Errorf("prompts: %s: %w", name, err)
		}
	}
	return json.Marshal(parts)
}

// fill puts null where an object of v lacks a property of its schema.
func fill(root map[string]any, schema, v any) {
	s, _ := schema.(map[string]any)
	if ref, ok := s["$ref"].(string); ok {
		defs, _ := root["$defs"].(map[string]any)
		s, _ = defs[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
	}
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			fill(root, s["items"], x)
		}
	case map[string]any:
		properties, _ := s["properties"].(map[string]any)
		for name, p := range properties {
			if _, ok := v[name]; !ok {
				v[name] = nil
			}
			fill(root, p, v[name])
		}
	}
}

// Repair returns the message that sends an answer back to the model, with what
// is wrong with it.
func Repair(problem string) string {
	return "That answer does not count: " + problem + "\nRead the sentence again and answer with the corrected object alone."
}

// answerSchema adds CannotSay and Quotes to the strict schema of the strategy.
func answerSchema() ([]byte, error) {
	var root map[string]any
	if err := json.Unmarshal(strategy.StrictSchema(), &root); err != nil {
		return nil, fmt.Errorf("prompts: schema: %w", err)
	}
	properties, _ := root["properties"].(map[string]any)
	required, _ := root["required"].([]any)
	if properties == nil || required == nil {
		return nil, fmt.Errorf("prompts: schema: expected an object with properties and required")
	}
	properties[CannotSay] = map[string]any{
		"type":        []any{"string", "null"},
		"description": "Null, or the words of the sentence that no field can hold.",
	}
	text := func(what string) map[string]any { return map[string]any{"type": "string", "description": what} }
	properties[Quotes] = map[string]any{
		"type":        []any{"array", "null"},
		"description": "For each field that is no default, the words of the sentence it came from, copied letter by letter; null when that cannot be said.",
		"items": map[string]any{
			"type": "object", "additionalProperties": false, "required": []any{"field", "words"},
			"properties": map[string]any{"field": text("Path of the field: market.coin, side, entry, exit.take_profit, …"), "words": text("Words of the sentence.")},
		},
	}
	root["required"] = append(required, CannotSay, Quotes)
	return json.Marshal(root)
}
