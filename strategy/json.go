package strategy

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/ladderback/ladderback/market"
)

// maxDepth is how deep a document may be nested before it is refused.
const maxDepth = 16

// MarshalJSON writes the fields in canonical order, TokenNone as null, and a
// WithinSeconds of zero as null.
func (c Condition) MarshalJSON() ([]byte, error) {
	wire := struct {
		Type          Type       `json:"type"`
		Token         *Token     `json:"token"`
		Comparator    Comparator `json:"comparator"`
		Threshold     Number     `json:"threshold"`
		WithinSeconds *int       `json:"within_seconds"`
	}{Type: c.Type, Comparator: c.Comparator, Threshold: c.Threshold}
	if c.Token != TokenNone {
		wire.Token = &c.Token
	}
	if c.WithinSeconds != 0 {
		wire.WithinSeconds = &c.WithinSeconds
	}
	return json.Marshal(wire)
}

// MarshalJSON writes the fields in canonical order; a nil Entry becomes [] and
// unused extension fields are omitted. It neither validates nor folds: see
// Canonicalize.
func (s Strategy) MarshalJSON() ([]byte, error) {
	type wire Strategy
	if s.Entry == nil {
		s.Entry = []Condition{}
	}
	return json.Marshal(wire(s))
}

// UnmarshalJSON reads the object as Decode does.
func (s *Strategy) UnmarshalJSON(b []byte) error {
	v, err := Decode(b)
	if err != nil {
		return err
	}
	*s = v
	return nil
}

// Decode reads one strategy object strictly: a field that is unknown, missing,
// repeated or of the wrong type yields an *Error with its path, and so does text
// that is not exactly one JSON value in valid UTF-8. A null extension field counts
// as omitted. The result has the shape of the schema; Canonicalize applies the
// remaining rules.
func Decode(b []byte) (Strategy, error) {
	document, err := readDocument(b)
	if err != nil {
		return Strategy{}, err
	}
	if err := checkSchema(document); err != nil {
		return Strategy{}, err
	}
	return build(document.(map[string]any)), nil
}

// Parse decodes a strategy object and returns its canonical form.
func Parse(b []byte) (Canonical, error) {
	s, err := Decode(b)
	if err != nil {
		return Canonical{}, err
	}
	return Canonicalize(s)
}

// readDocument reads one JSON value into maps, slices, json.Number and so on.
// Every number in it is a Number.
func readDocument(b []byte) (any, error) {
	if !utf8.Valid(b) {
		return nil, fault("", "is not valid UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	v, err := readValue(d, "", 0)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fault("", "has text after the object")
	}
	return v, nil
}

func readValue(d *json.Decoder, path string, depth int) (any, error) {
	if depth > maxDepth {
		return nil, fault(path, "is nested deeper than %d levels", maxDepth)
	}
	t, err := d.Token()
	if err != nil {
		return nil, syntaxFault(path, err)
	}
	switch t := t.(type) {
	case json.Delim:
		if t == '{' {
			return readObject(d, path, depth)
		}
		return readArray(d, path, depth)
	case json.Number:
		if _, err := market.ParseDecimal(t.String(), numberDecimals); err != nil {
			return nil, fault(path, "%s %s", clip(t.String()), numberProblem(err))
		}
		return t, nil
	}
	return t, nil
}

func readObject(d *json.Decoder, path string, depth int) (any, error) {
	object := map[string]any{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, syntaxFault(path, err)
		}
		key := t.(string)
		inner := clip(key)
		if path != "" {
			inner = path + "." + inner
		}
		if _, twice := object[key]; twice {
			return nil, fault(inner, "is given twice")
		}
		if object[key], err = readValue(d, inner, depth+1); err != nil {
			return nil, err
		}
	}
	if _, err := d.Token(); err != nil {
		return nil, syntaxFault(path, err)
	}
	return object, nil
}

func readArray(d *json.Decoder, path string, depth int) (any, error) {
	array := []any{}
	for d.More() {
		v, err := readValue(d, fmt.Sprintf("%s[%d]", path, len(array)), depth+1)
		if err != nil {
			return nil, err
		}
		array = append(array, v)
	}
	if _, err := d.Token(); err != nil {
		return nil, syntaxFault(path, err)
	}
	return array, nil
}

func syntaxFault(path string, err error) *Error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fault(path, "is cut off: expected more JSON")
	}
	return fault(path, "is not valid JSON: %v", err)
}

// build makes the strategy out of a document that has passed the schema.
func build(o map[string]any) Strategy {
	spec, exit := o["market"].(map[string]any), o["exit"].(map[string]any)
	s := Strategy{
		Market: MarketSpec{Coin: spec["coin"].(string), Type: spec["market_type"].(string)},
		Side:   Side(o["side"].(string)),
		Entry:  buildConditions(o["entry"].([]any)),
		Exit: Exit{
			TakeProfit:        optional(exit["take_profit"]),
			StopLoss:          optional(exit["stop_loss"]),
			HoldToExpiry:      exit["hold_to_expiry"].(bool),
			TakeProfitOffset:  optional(exit["take_profit_offset"]),
			StopLossOffset:    optional(exit["stop_loss_offset"]),
			TrailingStop:      optional(exit["trailing_stop"]),
			MaxHoldSeconds:    whole(exit["max_hold_seconds"]),
			ExitBeforeSeconds: whole(exit["exit_before_seconds"]),
			RestTakeProfit:    is(exit["rest_take_profit"]),
		},
		BudgetPerTrade: number(o["budget_per_trade"]),
		SampleSize:     whole(o["sample_size"]),
	}
	if groups, ok := o["entry_any"].([]any); ok {
		for _, g := range groups {
			s.EntryAny = append(s.EntryAny, buildConditions(g.([]any)))
		}
	}
	buildOrders(&s, o)
	return s
}

// buildOrders sets the fields of orders out of a document that has passed the
// schema.
func buildOrders(s *Strategy, o map[string]any) {
	s.Order = buildOrder(o["order"])
	list, _ := o["then"].([]any)
	for _, v := range list {
		t := v.(map[string]any)
		on, _ := t["on"].(string)
		when, _ := t["when"].([]any)
		s.Then = append(s.Then, Then{
			Do: Action(t["do"].(string)), Token: Token(t["token"].(string)), On: cmp.Or(Trigger(on), OnEntry), When: nilIfEmpty(buildConditions(when)),
			USD: number(t["usd"]), Shares: number(t["shares"]), Fraction: number(t["fraction"]), Match: is(t["match"]),
			Order: buildOrder(t["order"]), Times: max(whole(t["times"]), 1), AfterSeconds: whole(t["after_seconds"]),
		})
	}
	if a, ok := o["again"].(map[string]any); ok {
		s.Again = &Again{MaxEntries: whole(a["max_entries"]), AfterSeconds: whole(a["after_seconds"])}
		after, _ := a["after"].([]any)
		for _, r := range after {
			s.Again.After = append(s.Again.After, Reason(r.(string)))
		}
	}
	s.Merge = is(o["merge"])
	if z, ok := o["size"].(map[string]any); ok {
		s.Size = &Size{Shares: number(z["shares"]), BankrollFraction: number(z["bankroll_fraction"])}
		if k, ok := z["kelly"].(map[string]any); ok {
			s.Size.Kelly = &Kelly{Probability: number(k["probability"]), Fraction: number(k["fraction"])}
		}
	}
	if b, ok := o["bankroll"].(map[string]any); ok {
		s.Bankroll = &Bankroll{Start: number(b["start"]), DailyLoss: number(b["daily_loss"]),
			MaxOpen: number(b["max_open"]), MaxLosingStreak: whole(b["max_losing_streak"])}
	}
}

func buildOrder(v any) *Order {
	o, ok := v.(map[string]any)
	if !ok {
		return nil
	}
	cancel, _ := o["cancel_when"].([]any)
	return &Order{
		RestAt: optional(o["rest_at"]), RestFromBid: optional(o["rest_from_bid"]), RestFromAsk: optional(o["rest_from_ask"]),
		PostOnly: is(o["post_only"]), CancelAfterSeconds: whole(o["cancel_after_seconds"]), CancelWhen: nilIfEmpty(buildConditions(cancel)),
	}
}

// is reports whether v is true; null, and a field left out, are not.
func is(v any) bool { b, _ := v.(bool); return b }

func nilIfEmpty(list []Condition) []Condition {
	if len(list) == 0 {
		return nil
	}
	return list
}

func buildConditions(list []any) []Condition {
	conditions := make([]Condition, len(list))
	for i, v := range list {
		o := v.(map[string]any)
		token, _ := o["token"].(string)
		conditions[i] = Condition{
			Type:          Type(o["type"].(string)),
			Token:         Token(token),
			Comparator:    Comparator(o["comparator"].(string)),
			Threshold:     number(o["threshold"]),
			WithinSeconds: whole(o["within_seconds"]),
		}
	}
	return conditions
}

// number returns a JSON number that readDocument has found to be a Number, and
// zero for null or a field left out.
func number(v any) Number {
	text, ok := v.(json.Number)
	if !ok {
		return 0
	}
	n, _ := market.ParseDecimal(text.String(), numberDecimals)
	return Number(n)
}

func optional(v any) *Number {
	if v == nil {
		return nil
	}
	return number(v).Ptr()
}

func whole(v any) int {
	n, _ := number(v).Whole()
	return n
}
