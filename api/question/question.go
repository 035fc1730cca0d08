// Package question reads the body of a request that asks for a backtest, or for a
// prompt to be read.
package question

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ladderback/ladderback/api/wire"
	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/replay/queue"
	"github.com/ladderback/ladderback/strategy"
)

// maxBody bounds the body of a request.
const maxBody = 64 << 10

// Question is the body of a backtest or a parse.
type Question struct {
	Prompt   string
	Strategy *strategy.Strategy // nil: a prompt was sent
	Sample   *int
	Budget   *strategy.Number
	Options  backtest.Options
	Rules    bool                 // the rules alone are to read the prompt
	Axes     []backtest.SweepAxis // of a sweep: what is varied
	// Of a sweep: length of a block of the walk-forward, variants tried before, and how
	// the best is deflated.
	BlockHours int64
	AlsoTried  int
	Deflation  backtest.Deflation
	Digest     [sha256.Size]byte // of the text, without the spaces between its parts
}

// Form is which request a body belongs to.
type Form int

// Forms of bodies.
const (
	Backtest Form = iota
	Parse
	Sweep
)

// takes reports whether a body of this form has a field.
func (f Form) takes(name string) bool {
	switch name {
	case "prompt", "sampleSize", "budget":
		return true
	case "strategy", "options":
		return f != Parse
	case "parser":
		return f == Parse
	case "vary", "block_hours", "also_tried":
		return f == Sweep
	}
	return false
}

// Who is asked to read a prompt: the language model if there is one, or the rules
// alone.
const (
	AutoParser  = "auto"
	RulesParser = "rules"
)

// bodyReader reads the fields of a JSON object and collects mistakes as wire.Params
// does.
type bodyReader struct {
	*wire.Params
	form Form
}

// Body reads the text of a body. One that says that it is too large is not waited for.
func Body(r *http.Request) ([]byte, error) {
	large := market.Errorf(market.CodePayloadTooLarge, "body too large: at most %d bytes", maxBody)
	if r.ContentLength > maxBody {
		return nil, large
	}
	text, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	switch {
	case err != nil:
		return nil, wire.BadRequest("body: incomplete; it could not be read to the end")
	case len(text) > maxBody:
		return nil, large
	case !utf8.Valid(text):
		return nil, wire.BadRequest("body: not valid UTF-8")
	}
	return text, nil
}

// Read reads a body of a form.
func Read(r *http.Request, form Form) (*Question, error) {
	text, err := Body(r)
	if err != nil {
		return nil, err
	}
	fields, err := Object("body", text)
	if err != nil {
		return nil, err
	}
	b := &bodyReader{Params: &wire.Params{}, form: form}
	q := &Question{Options: backtest.DefaultOptions(), Digest: digestOf(text)}
	for _, name := range sortedKeys(fields) {
		raw := fields[name]
		switch {
		case !form.takes(name):
			b.Fail("extra_forbidden", "Extra inputs are not permitted", "body", wire.Brief(name))
		case string(raw) != "null":
			b.field(q, name, raw)
		}
	}
	b.promptOrStrategy(fields, form == Parse)
	if form == Sweep {
		q.Options.Baseline = false
		if vary := fields["vary"]; vary == nil || string(vary) == "null" {
			b.Fail("missing", "Field required", "body", "vary")
		}
	}
	return q, b.Err()
}

// digestOf hashes a JSON text without the spaces between its parts.
func digestOf(text []byte) [sha256.Size]byte {
	var compact bytes.Buffer
	_ = json.Compact(&compact, text) // valid: it was read
	return sha256.Sum256(compact.Bytes())
}

// promptOrStrategy refuses a body that has both or neither.
func (b *bodyReader) promptOrStrategy(fields map[string]json.RawMessage, parseOnly bool) {
	has := func(name string) bool { return len(fields[name]) > 0 && string(fields[name]) != "null" }
	prompt, object := has("prompt"), has("strategy")
	switch {
	case prompt && object:
		b.Refuse(wire.BadRequest("prompt, strategy: send one, not both"))
	case prompt || object:
	case parseOnly:
		b.Fail("missing", "Field required", "body", "prompt")
	default:
		b.Refuse(wire.BadRequest("prompt: missing; send a prompt (or a strategy)"))
	}
}

func (b *bodyReader) field(q *Question, name string, raw json.RawMessage) {
	switch name {
	case "prompt":
		q.Prompt = b.promptText(raw)
	case "sampleSize":
		if n, ok := b.whole(raw, 1, 10_000, "body", name); ok {
			size := int(n)
			q.Sample = &size
		}
	case "budget":
		q.Budget = b.money(raw)
	case "parser":
		name := AutoParser
		enum(b, true, raw, &name, []any{"body", "parser"}, AutoParser, RulesParser)
		q.Rules = name == RulesParser
	case "strategy":
		b.object(q, raw)
	case "options":
		b.options(q, raw)
	case "vary":
		b.vary(q, raw)
	case "block_hours", "also_tried":
		b.sweepOption(q, name, raw, "body", name)
	}
}

// vary reads what a sweep varies: a list of texts as --vary takes them and of objects of
// a field, or an object of fields.
func (b *bodyReader) vary(q *Question, raw json.RawMessage) {
	var items []json.RawMessage
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &items) != nil && json.Unmarshal(raw, &fields) != nil || len(items)+len(fields) == 0 {
		b.Fail("list_type", "Input should be a list of texts such as 'entry.0.threshold=0.25:0.45:0.05' and of objects "+axisForms+
			"; or an object of fields, each with a list of values or {from, to, step}", "body", "vary")
		return
	}
	for i, item := range items {
		var v varied
		if json.Unmarshal(item, &v.text) != nil && !v.read(item) {
			b.Fail("axis_type", "Input should be a text such as 'entry.0.threshold=0.25:0.45:0.05', or an object "+axisForms, "body", "vary", i)
			continue
		}
		b.axis(q, v.text)
	}
	for _, name := range sortedKeys(fields) {
		v := varied{Field: name}
		if json.Unmarshal(fields[name], &v.Values) != nil && (!v.read(fields[name]) || v.Field != name) || !v.write() {
			b.Fail("axis_type", "Input should be a list of values, or an object {from, to, step}", "body", "vary", wire.Brief(name))
			continue
		}
		b.axis(q, v.text)
	}
}

// axis reads what --vary takes.
func (b *bodyReader) axis(q *Question, text string) {
	axis, err := backtest.ParseSweepAxis(text)
	if err != nil {
		b.Refuse(wire.BadRequest("vary: %s", err))
		return
	}
	q.Axes = append(q.Axes, axis)
}

// axisForms are the objects that a list of what is varied may have.
const axisForms = "{field, values} or {field, from, to, step}"

// varied is a field of a strategy with values, or with a range that has both its ends.
type varied struct {
	Field          string
	Values         []json.Number
	From, To, Step json.Number

	text string // as --vary takes it
}

// read reads an object, and reports whether it is whole.
func (v *varied) read(raw json.RawMessage) bool {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	return d.Decode(v) == nil && v.write()
}

// write sets the text, and reports whether there is a field with either values or a range.
func (v *varied) write() bool {
	span := []json.Number{v.From, v.To, v.Step}
	values, separator := v.Values, ","
	ranged := !slices.Contains(span, "")
	if ranged {
		values, separator = span, ":"
	}
	texts := make([]string, len(values))
	for i, one := range values {
		texts[i] = string(one)
	}
	v.text = v.Field + "=" + strings.Join(texts, separator)
	return v.Field != "" && len(values) > 0 && ranged == (len(v.Values) == 0) && ranged == (v.From+v.To+v.Step != "")
}

func (b *bodyReader) promptText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		b.Fail("string_type", "Input should be a valid string", "body", "prompt")
		return ""
	}
	switch n := utf8.RuneCountInString(text); {
	case n < 1:
		b.Fail("string_too_short", "String should have at least 1 character", "body", "prompt")
	case n > 2000:
		b.Fail("string_too_long", "String should have at most 2000 characters", "body", "prompt")
	}
	return text
}

// whole reads a whole number; 5.0 is one.
func (b *bodyReader) whole(raw json.RawMessage, low, high int64, loc ...any) (int64, bool) {
	text := string(raw)
	if !isNumber(raw) {
		b.Fail("int_type", "Input should be a valid integer", loc...)
		return 0, false
	}
	n, err := market.ParseDecimal(text, 0)
	negative := strings.HasPrefix(text, "-")
	switch {
	case err != nil && !errors.Is(err, market.ErrRange):
		b.Fail("int_type", "Input should be a valid integer", loc...)
	case err != nil && negative, err == nil && n < low:
		b.Fail("greater_than_equal", fmt.Sprintf("Input should be greater than or equal to %d", low), loc...)
	case err != nil, n > high:
		b.Fail("less_than_equal", fmt.Sprintf("Input should be less than or equal to %d", high), loc...)
	default:
		return n, true
	}
	return 0, false
}

func (b *bodyReader) money(raw json.RawMessage) *strategy.Number {
	if !isNumber(raw) {
		b.Fail("float_type", "Input should be a valid number", "body", "budget")
		return nil
	}
	v, err := market.ParseDecimal(string(raw), 6)
	switch {
	case errors.Is(err, market.ErrPrecision):
		b.Refuse(wire.BadRequest("budget %s: expected at most 6 decimals", wire.Brief(string(raw))))
	case strings.HasPrefix(string(raw), "-"), err == nil && v <= 0:
		b.Fail("greater_than", "Input should be greater than 0", "body", "budget")
	case err != nil, v > 1_000_000_000_000:
		b.Fail("less_than_equal", "Input should be less than or equal to 1000000", "body", "budget")
	default:
		n := strategy.Number(v)
		return &n
	}
	return nil
}

func (b *bodyReader) object(q *Question, raw json.RawMessage) {
	s, err := strategy.Decode(raw)
	if err != nil {
		b.Refuse(err)
		return
	}
	q.Strategy = &s
}

// options reads the options; unknown and mistyped ones are validation errors.
func (b *bodyReader) options(q *Question, raw json.RawMessage) {
	o := &q.Options
	fields, err := Object("options", raw)
	if err != nil {
		b.Refuse(err)
		return
	}
	for _, name := range sortedKeys(fields) {
		value := fields[name]
		if string(value) == "null" {
			value = nil
		}
		if b.form == Sweep && b.sweepOption(q, name, value, "body", "options", name) {
			continue
		}
		b.option(o, name, value)
	}
	if o.From != nil && o.To != nil && *o.From >= *o.To {
		b.Refuse(wire.BadRequest("options.to: expected a time after options.from"))
	}
}

// sweepOption reads an option that only sweeps take, or refuses one that they do
// not; false: it is neither.
func (b *bodyReader) sweepOption(q *Question, name string, raw json.RawMessage, loc ...any) bool {
	const (
		maxTried = 1_000_000_000
		maxHours = 365 * 24
	)
	switch name {
	case "block_hours":
		optionalWhole(b, raw != nil, raw, &q.BlockHours, 0, maxHours, loc)
	case "also_tried":
		optionalWhole(b, raw != nil, raw, &q.AlsoTried, 0, maxTried, loc)
	case "deflation":
		way := backtest.DeflateByNull
		enum(b, raw != nil, raw, &way, loc, backtest.DeflateByNull, backtest.DeflateByScatter)
		q.Deflation, _ = backtest.ParseDeflation(string(way))
	case "baseline", "include":
		b.Fail("extra_forbidden", "Extra inputs are not permitted", loc...)
	default:
		return false
	}
	return true
}

// option reads one option; a nil raw is null, which leaves the default, but the
// name must be known all the same.
func (b *bodyReader) option(o *backtest.Options, name string, raw json.RawMessage) {
	set := raw != nil
	loc := []any{"body", "options", wire.Brief(name)}
	const maxMS = 1_000_000_000_000
	switch name {
	case "sampling":
		enum(b, set, raw, &o.Sampling, loc, replay.Recent, replay.Random)
	case "queue":
		enum(b, set, raw, &o.Queue, loc, queue.Through, queue.Back, queue.Front)
	case "fees":
		enum(b, set, raw, &o.Fees, loc, replay.FeesVenue, replay.FeesNone)
	case "winners":
		enum(b, set, raw, &o.Winners, loc, replay.WinnersOfficial, replay.WinnersInferred)
	case "seed":
		optionalWhole(b, set, raw, &o.Seed, -1<<63, 1<<63-1, loc)
	case "latency_ms":
		optionalWhole(b, set, raw, &o.LatencyMS, 0, maxMS, loc)
	case "stale_ms":
		optionalWhole(b, set, raw, &o.StaleMS, 0, maxMS, loc)
	case "from":
		b.time(set, raw, &o.From, loc)
	case "to":
		b.time(set, raw, &o.To, loc)
	case "max_slippage":
		b.slippage(set, raw, o, loc)
	case "min_coverage":
		b.share(set, raw, &o.MinCoverage, loc)
	case "baseline":
		b.flagOf(set, raw, &o.Baseline, loc)
	case "include":
		b.include(set, raw, o, loc)
	default:
		b.Fail("extra_forbidden", "Extra inputs are not permitted", loc...)
	}
}

func optionalWhole[T ~int | ~int64](b *bodyReader, set bool, raw json.RawMessage, into *T, low, high int64, loc []any) {
	if !set {
		return
	}
	if n, ok := b.whole(raw, low, high, loc...); ok {
		*into = T(n)
	}
}

func (b *bodyReader) flagOf(set bool, raw json.RawMessage, into *bool, loc []any) {
	if set && json.Unmarshal(raw, into) != nil {
		b.Fail("bool_parsing", "Input should be a valid boolean, unable to interpret input", loc...)
	}
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
		b.Fail("enum", "Input should be "+wire.OrList(words), loc...)
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
		b.Fail("string_type", "Input should be a valid string", loc...)
		return
	}
	t, err := market.ParseTime(text)
	if err != nil {
		b.Refuse(wire.BadRequest("invalid timestamp in options.%v: %s", loc[2], err))
		return
	}
	*into = &t
}

// share reads a number from 0 to 1.
func (b *bodyReader) share(set bool, raw json.RawMessage, into *replay.Share, loc []any) {
	if !set {
		return
	}
	v, err := market.ParseDecimal(string(raw), 6)
	switch {
	case !isNumber(raw):
		b.Fail("float_type", "Input should be a valid number", loc...)
	case errors.Is(err, market.ErrPrecision):
		b.Refuse(wire.BadRequest("options.%v %s: expected at most 6 decimals", loc[2], wire.Brief(string(raw))))
	case strings.HasPrefix(string(raw), "-"), err == nil && v < 0:
		b.Fail("greater_than_equal", "Input should be greater than or equal to 0", loc...)
	case err != nil, v > int64(replay.AllOfIt):
		b.Fail("less_than_equal", "Input should be less than or equal to 1", loc...)
	default:
		*into = replay.Share(v)
	}
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
		b.Fail("float_type", `Input should be a valid number, or "none"`, loc...)
	case errors.Is(err, market.ErrPrecision):
		b.Refuse(wire.BadRequest("options.max_slippage %s: expected at most 6 decimals", wire.Brief(string(raw))))
	case strings.HasPrefix(string(raw), "-") && v != 0:
		b.Fail("greater_than_equal", "Input should be greater than or equal to 0", loc...)
	case err != nil || v > int64(market.CashOne):
		b.Fail("less_than_equal", "Input should be less than or equal to 1", loc...)
	default:
		o.MaxSlippage = replay.Slippage(v)
	}
}

func (b *bodyReader) include(set bool, raw json.RawMessage, o *backtest.Options, loc []any) {
	if !set {
		return
	}
	allowed := backtest.Includes()
	var parts []backtest.Include
	if json.Unmarshal(raw, &parts) != nil {
		b.Fail("enum", "Input should be a list of 'fills', 'sensitivity' and 'after'", loc...)
		return
	}
	for i, p := range parts {
		if !slices.Contains(allowed, p) {
			b.Fail("enum", "Input should be 'fills', 'sensitivity' or 'after'", append(slices.Clone(loc), i)...)
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

// maxDepth is how deep a body may be nested.
const maxDepth = 32

// Object reads a JSON object into its fields; what names it in errors. A key
// that stands twice, here or deeper, and one nested deeper than maxDepth are
// refused.
func Object(what string, text []byte) (map[string]json.RawMessage, error) {
	if err := noTwins(what, text); err != nil {
		return nil, err
	}
	if nullCharacter.Match(text) {
		return nil, wire.BadRequest("%s: a text has a null character", what)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil || fields == nil {
		return nil, wire.BadRequest("%s: expected a JSON object", what)
	}
	return fields, nil
}

// nullCharacter finds the only way in which JSON writes what no store takes.
var nullCharacter = regexp.MustCompile(`(^|[^\\])(\\\\)*\\u0000`)

// container is an object or an array that a reader of JSON stands in.
type container struct {
	keys map[string]bool // those seen; nil: an array
	key  string          // of the value that is read
	read bool            // key has been read, its value has not
	at   int             // index of the value that is read
}

// noTwins reads one JSON value, all of text, and refuses an object with a key
// twice and containers nested deeper than maxDepth.
func noTwins(what string, text []byte) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var in []container
	for {
		t, err := dec.Token()
		if err != nil {
			return wire.BadRequest("%s: not valid JSON", what)
		}
		switch key, isText := t.(string); {
		case t == json.Delim('{') || t == json.Delim('['):
			if len(in) == maxDepth {
				return wire.BadRequest("%s: nested deeper than %d levels", what, maxDepth)
			}
			c := container{}
			if t == json.Delim('{') {
				c.keys = map[string]bool{}
			}
			in = append(in, c)
			continue
		case t == json.Delim('}') || t == json.Delim(']'):
			in = in[:len(in)-1]
		case isText && len(in) > 0 && in[len(in)-1].wantsKey():
			inner := &in[len(in)-1]
			inner.key, inner.read = key, true
			if inner.keys[key] {
				return wire.BadRequest("%s: the key stands twice", pathOf(what, in))
			}
			inner.keys[key] = true
			continue
		}
		if len(in) == 0 {
			break
		}
		in[len(in)-1].next()
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return wire.BadRequest("%s: something follows the JSON object", what)
	}
	return nil
}

// wantsKey reports whether the next text is a key.
func (c *container) wantsKey() bool { return c.keys != nil && !c.read }

// next moves on to the value after the one that has been read.
func (c *container) next() {
	c.at++
	c.read = false
}

// pathOf names the value that is read within what, for an error.
func pathOf(what string, in []container) string {
	var b strings.Builder
	if what != "body" {
		b.WriteString(what)
	}
	for _, c := range in {
		switch {
		case c.keys == nil:
			fmt.Fprintf(&b, "[%d]", c.at)
		case b.Len() > 0:
			b.WriteString("." + wire.Brief(c.key))
		default:
			b.WriteString(wire.Brief(c.key))
		}
	}
	return b.String()
}
