package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

// maxBody bounds the body of a request.
const maxBody = 64 << 10

// question is the body of a backtest or a parse.
type question struct {
	prompt   string
	strategy *strategy.Strategy // nil: a prompt was sent
	sample   *int
	budget   *strategy.Number
	options  backtest.Options
}

// bodyReader reads the fields of a JSON object and collects mistakes as params
// does.
type bodyReader struct {
	*params
}

// readQuestion reads a body. parseOnly leaves out what only a backtest takes.
func readQuestion(r *http.Request, parseOnly bool) (*question, error) {
	text, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	switch {
	case err != nil:
		return nil, badRequest("body: it could not be read to its end")
	case len(text) > maxBody:
		return nil, &apiError{code: codePayloadTooLarge, message: fmt.Sprintf("body too large: at most %d bytes", maxBody)}
	case !utf8.Valid(text):
		return nil, badRequest("body: not valid UTF-8")
	}
	fields, err := objectOf("body", text)
	if err != nil {
		return nil, err
	}
	b := &bodyReader{params: &params{}}
	q := &question{options: backtest.DefaultOptions()}
	for _, name := range sortedKeys(fields) {
		raw := fields[name]
		known := name == "prompt" || name == "sampleSize" || name == "budget" ||
			!parseOnly && (name == "strategy" || name == "options")
		switch {
		case !known:
			b.fail("extra_forbidden", "Extra inputs are not permitted", "body", name)
		case string(raw) != "null":
			b.field(q, name, raw)
		}
	}
	has := func(name string) bool { return len(fields[name]) > 0 && string(fields[name]) != "null" }
	switch {
	case has("prompt") && has("strategy"):
		b.refuse(badRequest("prompt, strategy: send one of them, not both"))
	case !has("prompt") && !has("strategy") && parseOnly:
		b.fail("missing", "Field required", "body", "prompt")
	case !has("prompt") && !has("strategy"):
		b.refuse(badRequest("prompt: missing; send a prompt (or a strategy)"))
	}
	return q, b.err()
}

func (b *bodyReader) field(q *question, name string, raw json.RawMessage) {
	switch name {
	case "prompt":
		q.prompt = b.promptText(raw)
	case "sampleSize":
		if n, ok := b.whole(raw, 1, 10_000, "body", name); ok {
			size := int(n)
			q.sample = &size
		}
	case "budget":
		q.budget = b.money(raw)
	case "strategy":
		b.strategy(q, raw)
	case "options":
		b.options(&q.options, raw)
	}
}

func (b *bodyReader) promptText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		b.fail("string_type", "Input should be a valid string", "body", "prompt")
		return ""
	}
	switch n := utf8.RuneCountInString(text); {
	case n < 1:
		b.fail("string_too_short", "String should have at least 1 character", "body", "prompt")
	case n > 2000:
		b.fail("string_too_long", "String should have at most 2000 characters", "body", "prompt")
	}
	return text
}

// whole reads a whole number; 5.0 is one.
func (b *bodyReader) whole(raw json.RawMessage, low, high int64, loc ...any) (int64, bool) {
	text := string(raw)
	if !isNumber(raw) {
		b.fail("int_type", "Input should be a valid integer", loc...)
		return 0, false
	}
	n, err := market.ParseDecimal(text, 0)
	negative := strings.HasPrefix(text, "-")
	switch {
	case err != nil && !errors.Is(err, market.ErrRange):
		b.fail("int_type", "Input should be a valid integer", loc...)
	case err != nil && negative, err == nil && n < low:
		b.fail("greater_than_equal", fmt.Sprintf("Input should be greater than or equal to %d", low), loc...)
	case err != nil, n > high:
		b.fail("less_than_equal", fmt.Sprintf("Input should be less than or equal to %d", high), loc...)
	default:
		return n, true
	}
	return 0, false
}

func (b *bodyReader) money(raw json.RawMessage) *strategy.Number {
	if !isNumber(raw) {
		b.fail("float_type", "Input should be a valid number", "body", "budget")
		return nil
	}
	v, err := market.ParseDecimal(string(raw), 6)
	switch {
	case errors.Is(err, market.ErrPrecision):
		b.refuse(badRequest("budget %s: expected at most 6 decimals", raw))
	case strings.HasPrefix(string(raw), "-"), err == nil && v <= 0:
		b.fail("greater_than", "Input should be greater than 0", "body", "budget")
	case err != nil, v > 1_000_000_000_000:
		b.fail("less_than_equal", "Input should be less than or equal to 1000000", "body", "budget")
	default:
		n := strategy.Number(v)
		return &n
	}
	return nil
}

func (b *bodyReader) strategy(q *question, raw json.RawMessage) {
	s, err := strategy.Decode(raw)
	if err != nil {
		b.refuse(err)
		return
	}
	q.strategy = &s
}

// options reads the options; unknown and mistyped ones are validation errors.
func (b *bodyReader) options(o *backtest.Options, raw json.RawMessage) {
	fields, err := objectOf("options", raw)
	if err != nil {
		b.refuse(err)
		return
	}
	for _, name := range sortedKeys(fields) {
		value := fields[name]
		if string(value) == "null" {
			value = nil
		}
		b.option(o, name, value)
	}
	if o.From != nil && o.To != nil && *o.From >= *o.To {
		b.refuse(badRequest("options.to: expected a time after options.from"))
	}
}

// option reads one option; a nil raw is null, which leaves the default, but the
// name must be known all the same.
func (b *bodyReader) option(o *backtest.Options, name string, raw json.RawMessage) {
	set := raw != nil
	loc := []any{"body", "options", name}
	const mostMS = 1_000_000_000_000
	switch name {
	case "sampling":
		enum(b, set, raw, &o.Sampling, loc, replay.Recent, replay.Random)
	case "fees":
		enum(b, set, raw, &o.Fees, loc, replay.FeesVenue, replay.FeesNone)
	case "winners":
		enum(b, set, raw, &o.Winners, loc, replay.WinnersOfficial, replay.WinnersInferred)
	case "seed":
		if n, ok := b.optionalWhole(set, raw, -1<<63, 1<<63-1, loc); ok {
			o.Seed = n
		}
	case "latency_ms":
		if n, ok := b.optionalWhole(set, raw, 0, mostMS, loc); ok {
			o.LatencyMS = n
		}
	case "stale_ms":
		if n, ok := b.optionalWhole(set, raw, 0, mostMS, loc); ok {
			o.StaleMS = replay.Stale(n)
		}
	case "from":
		b.time(set, raw, &o.From, loc)
	case "to":
		b.time(set, raw, &o.To, loc)
	case "max_slippage":
		b.slippage(set, raw, o, loc)
	case "baseline":
		if set && json.Unmarshal(raw, &o.Baseline) != nil {
			b.fail("bool_parsing", "Input should be a valid boolean, unable to interpret input", loc...)
		}
	case "include":
		b.include(set, raw, o, loc)
	default:
		b.fail("extra_forbidden", "Extra inputs are not permitted", loc...)
	}
}

func (b *bodyReader) optionalWhole(set bool, raw json.RawMessage, low, high int64, loc []any) (int64, bool) {
	if !set {
		return 0, false
	}
	return b.whole(raw, low, high, loc...)
}

// enum reads one of the allowed words.
func enum[T ~string](b *bodyReader, set bool, raw json.RawMessage, into *T, loc []any, allowed ...T) {
	if !set {
		return
	}
	var v T
	if json.Unmarshal(raw, &v) != nil || !slices.Contains(allowed, v) {
		words := make([]string, len(allowed))
		for i, a := range allowed {
			words[i] = string(a)
		}
		b.fail("enum", "Input should be "+orList(words), loc...)
		return
	}
	*into = v
}

// time reads a point in time: text, or Unix seconds as a number.
func (b *bodyReader) time(set bool, raw json.RawMessage, into **market.Instant, loc []any) {
	if !set {
		return
	}
	text := string(raw)
	if !isNumber(raw) && json.Unmarshal(raw, &text) != nil {
		b.fail("string_type", "Input should be a valid string", loc...)
		return
	}
	t, err := market.ParseTime(text)
	if err != nil {
		b.refuse(badRequest("invalid timestamp in options.%v: %s", loc[2], err))
		return
	}
	*into = &t
}

func (b *bodyReader) slippage(set bool, raw json.RawMessage, o *backtest.Options, loc []any) {
	if !set {
		return
	}
	if string(raw) == `"none"` {
		o.MaxSlippage = replay.NoCap
		return
	}
	v, err := market.ParseDecimal(string(raw), 6)
	switch {
	case !isNumber(raw):
		b.fail("float_type", `Input should be a valid number, or "none"`, loc...)
	case errors.Is(err, market.ErrPrecision):
		b.refuse(badRequest("options.max_slippage %s: expected at most 6 decimals", raw))
	case strings.HasPrefix(string(raw), "-") && v != 0:
		b.fail("greater_than_equal", "Input should be greater than or equal to 0", loc...)
	case err != nil || v > int64(market.CashOne):
		b.fail("less_than_equal", "Input should be less than or equal to 1", loc...)
	default:
		o.MaxSlippage = replay.Slippage(v)
	}
}

func (b *bodyReader) include(set bool, raw json.RawMessage, o *backtest.Options, loc []any) {
	if !set {
		return
	}
	allowed := []backtest.Include{backtest.IncludeFills, backtest.IncludeSensitivity}
	var parts []backtest.Include
	if json.Unmarshal(raw, &parts) != nil {
		b.fail("enum", "Input should be a list of 'fills' and 'sensitivity'", loc...)
		return
	}
	for i, p := range parts {
		if !slices.Contains(allowed, p) {
			b.fail("enum", "Input should be 'fills' or 'sensitivity'", append(slices.Clone(loc), i)...)
		}
	}
	slices.Sort(parts)
	o.Include = slices.Compact(parts)
	if o.Include == nil {
		o.Include = []backtest.Include{}
	}
}

// isNumber reports whether raw is a JSON number.
func isNumber(raw json.RawMessage) bool {
	return len(raw) > 0 && (raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9')
}

func sortedKeys(m map[string]json.RawMessage) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// objectOf reads a JSON object into its fields; what names it in errors. A key
// that stands twice, here or deeper, is refused.
func objectOf(what string, text []byte) (map[string]json.RawMessage, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	if err := noTwins(dec, what); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, badRequest("%s: something follows the JSON object", what)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil || fields == nil {
		return nil, badRequest("%s: expected a JSON object", what)
	}
	return fields, nil
}

// noTwins reads one JSON value and refuses an object with a key twice.
func noTwins(dec *json.Decoder, path string) error {
	t, err := dec.Token()
	if err != nil {
		return badRequest("%s: not valid JSON", path)
	}
	open, ok := t.(json.Delim)
	if !ok {
		return nil
	}
	seen := map[string]bool{}
	for i := 0; dec.More(); i++ {
		inner := fmt.Sprintf("%s[%d]", path, i)
		if open == '{' {
			key, err := dec.Token()
			name, isText := key.(string)
			if err != nil || !isText {
				return badRequest("%s: not valid JSON", path)
			}
			inner = path + "." + name
			if seen[name] {
				return badRequest("%s: the key stands twice", strings.TrimPrefix(inner, "body."))
			}
			seen[name] = true
		}
		if err := noTwins(dec, inner); err != nil {
			return err
		}
	}
	if _, err := dec.Token(); err != nil {
		return badRequest("%s: not valid JSON", path)
	}
	return nil
}
