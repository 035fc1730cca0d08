package wire

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ladderback/ladderback/market"
)

// Params reads the parameters of one request and collects what is wrong with
// them: all parameters that fail validation at once (422), otherwise the first
// that is not allowed (400).
type Params struct {
	query   []parameter
	invalid Details
	bad     error // the first 400
}

// ParamsOf returns the query parameters of a request.
func ParamsOf(r *http.Request) *Params { return &Params{query: queryOf(r.URL.RawQuery)} }

// queryOf reads a query string as browsers do: a semicolon is no separator, and
// an escape that is none stands for itself. net/url leaves out what has either,
// and a parameter that was sent would count as absent.
func queryOf(raw string) []parameter {
	out := make([]parameter, 0, strings.Count(raw, "&")+1)
	for part := range strings.SplitSeq(raw, "&") {
		if part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		out = append(out, parameter{unescape(name), unescape(value)})
	}
	return out
}

// parameter is one of a query.
type parameter struct{ name, value string }

func unescape(text string) string {
	if out, err := url.QueryUnescape(text); err == nil {
		return out
	}
	const hex = "0123456789abcdefABCDEF"
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && (len(text) < i+3 || !strings.Contains(hex, text[i+1:i+2]) || !strings.Contains(hex, text[i+2:i+3])) {
			b.WriteString("%25")
			continue
		}
		b.WriteByte(text[i])
	}
	out, _ := url.QueryUnescape(b.String()) // nothing is broken any more
	return out
}

// Err returns what is wrong with the parameters read so far.
func (p *Params) Err() error {
	if len(p.invalid) > 0 {
		return Invalid(p.invalid)
	}
	return p.bad
}

// Fail records a 422: its kind, its message and the location of the value.
func (p *Params) Fail(kind, msg string, loc ...any) {
	p.invalid = append(p.invalid, Detail{Loc: loc, Msg: msg, Type: kind})
}

// Refuse records a 400; only the first counts.
func (p *Params) Refuse(err error) {
	if p.bad == nil {
		p.bad = err
	}
}

// Last returns the last value of a parameter, and whether it is there.
func (p *Params) Last(name string) (string, bool) {
	for _, v := range slices.Backward(p.query) {
		if v.name == name {
			return v.value, true
		}
	}
	return "", false
}

// All returns every value of a parameter, in order.
func (p *Params) All(name string) (values []string) {
	for _, v := range p.query {
		if v.name == name {
			values = append(values, v.value)
		}
	}
	return values
}

// Text returns a parameter of at most limit characters; empty when absent.
func (p *Params) Text(name string, limit int) string {
	v, _ := p.Last(name)
	if utf8.RuneCountInString(v) > limit {
		p.Fail("string_too_long", fmt.Sprintf("String should have at most %d characters", limit), "query", name)
	}
	if !utf8.ValidString(v) || strings.ContainsRune(v, 0) {
		p.Refuse(BadRequest("%s: expected UTF-8 text", name))
		return ""
	}
	return v
}

// Path returns an id from the path after checking its length.
func (p *Params) Path(name, value string) string {
	switch n := utf8.RuneCountInString(value); {
	case n < 1:
		p.Fail("string_too_short", "String should have at least 1 character", "path", name)
	case n > 200:
		p.Fail("string_too_long", "String should have at most 200 characters", "path", name)
	}
	return value
}

// Choice returns one of the allowed values; def when absent.
func (p *Params) Choice(name, def string, allowed ...string) string {
	v, ok := p.Last(name)
	if !ok {
		return def
	}
	if !slices.Contains(allowed, v) {
		p.Fail("enum", "Input should be "+OrList(allowed), "query", name)
		return def
	}
	return v
}

// OrList writes 'a', 'b' or 'c'.
func OrList(values []string) string {
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = "'" + v + "'"
	}
	if len(quoted) == 1 {
		return quoted[0]
	}
	return strings.Join(quoted[:len(quoted)-1], ", ") + " or " + quoted[len(quoted)-1]
}

// Flag returns a boolean in any of its usual spellings; def when absent.
func (p *Params) Flag(name string, def bool) bool {
	v, ok := p.Last(name)
	if !ok {
		return def
	}
	switch strings.ToLower(v) {
	case "true", "1", "yes", "y", "on", "t":
		return true
	case "false", "0", "no", "n", "off", "f":
		return false
	}
	p.Fail("bool_parsing", "Input should be a valid boolean, unable to interpret input", "query", name)
	return def
}

// Number returns a whole number of at least 1; def when absent. A value above
// limit is passed to over, which decides what becomes of it.
func (p *Params) Number(name string, def, limit int, over func(text string)) int {
	v, ok := p.Last(name)
	if !ok {
		return def
	}
	digits := strings.TrimPrefix(strings.TrimPrefix(v, "+"), "-")
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		p.Fail("int_parsing", "Input should be a valid integer, unable to parse string as an integer", "query", name)
		return def
	}
	n := 0
	for _, d := range digits {
		if n = n*10 + int(d-'0'); n > limit {
			break
		}
	}
	switch {
	case v[0] == '-' || n == 0:
		p.Fail("greater_than_equal", "Input should be greater than or equal to 1", "query", name)
		return def
	case n > limit:
		over(v)
		return def
	}
	return n
}

// Instant returns a point in time; zero when absent.
func (p *Params) Instant(name string, required bool) market.Instant {
	v, ok := p.Last(name)
	if !ok || !required && v == "" {
		if required {
			p.Fail("missing", "Field required", "query", name)
		}
		return 0
	}
	t, err := market.ParseTime(v)
	if err != nil {
		p.Refuse(BadRequest("invalid timestamp in %s: %s", name, err))
	}
	return t
}

// Category returns the category that a request is limited to; empty: none.
func (p *Params) Category() market.Category {
	return market.Category(p.Choice("category", "", string(market.Crypto), string(market.Sports)))
}

// IgnoredHeader lists the parameters that the route does not know. They are
// ignored; without the header a misspelt one would have no effect and nobody
// would notice.
const IgnoredHeader = "X-Ignored-Parameters"

// TellIgnored sets IgnoredHeader to the parameters of r that are not among
// known.
func TellIgnored(w http.ResponseWriter, r *http.Request, known []string) {
	if r.URL.RawQuery == "" {
		return
	}
	const limit = 10
	var names []string
	for part := range strings.SplitSeq(r.URL.RawQuery, "&") {
		name, _, _ := strings.Cut(part, "=")
		if name = unescape(name); part != "" && !slices.Contains(known, name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return
	}
	for i, name := range names {
		names[i] = url.QueryEscape(Brief(name))
	}
	slices.Sort(names)
	w.Header().Set(IgnoredHeader, strings.Join(names[:min(limit, len(names))], ", "))
}

// Brief shortens client input for use in a message.
func Brief(text string) string {
	const limit = 60
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return string([]rune(text)[:limit]) + "…"
}
