package api

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ladderback/ladderback/archive/history"
	"github.com/ladderback/ladderback/market"
)

// params reads the parameters of one request. Mistakes are collected: every
// parameter that fails validation at once (422), then the first that has no
// place there (400).
type params struct {
	query   url.Values
	invalid details
	bad     error // the first 400
}

func paramsOf(r *http.Request) *params { return &params{query: queryOf(r.URL.RawQuery)} }

// queryOf reads a query string as browsers do: a semicolon is no separator, and
// an escape that is none stands for itself. net/url leaves out what has either,
// and a parameter that was sent would count as absent.
func queryOf(raw string) url.Values {
	out := url.Values{}
	for part := range strings.SplitSeq(raw, "&") {
		if part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		name = unescape(name)
		out[name] = append(out[name], unescape(value))
	}
	return out
}

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

// err returns what is wrong with the parameters read so far.
func (p *params) err() error {
	if len(p.invalid) > 0 {
		return invalid(p.invalid)
	}
	return p.bad
}

func (p *params) fail(kind, msg string, loc ...any) {
	p.invalid = append(p.invalid, detail{Loc: loc, Msg: msg, Type: kind})
}

// refuse keeps the first 400.
func (p *params) refuse(err error) {
	if p.bad == nil {
		p.bad = err
	}
}

// last returns the last value of a parameter, and whether it is there.
func (p *params) last(name string) (string, bool) {
	v := p.query[name]
	if len(v) == 0 {
		return "", false
	}
	return v[len(v)-1], true
}

// text returns a parameter of at most most characters; empty when absent.
func (p *params) text(name string, most int) string {
	v, _ := p.last(name)
	if utf8.RuneCountInString(v) > most {
		p.fail("string_too_long", fmt.Sprintf("String should have at most %d characters", most), "query", name)
	}
	if !utf8.ValidString(v) || strings.ContainsRune(v, 0) {
		p.refuse(badRequest("%s: expected UTF-8 text", name))
		return ""
	}
	return v
}

// path checks the length of an id in the path and returns it.
func (p *params) path(name, value string) string {
	switch n := utf8.RuneCountInString(value); {
	case n < 1:
		p.fail("string_too_short", "String should have at least 1 character", "path", name)
	case n > 200:
		p.fail("string_too_long", "String should have at most 200 characters", "path", name)
	}
	return value
}

// choice returns one of the allowed values; def when absent.
func (p *params) choice(name, def string, allowed ...string) string {
	v, ok := p.last(name)
	if !ok {
		return def
	}
	if !slices.Contains(allowed, v) {
		p.fail("enum", "Input should be "+orList(allowed), "query", name)
		return def
	}
	return v
}

// orList writes 'a', 'b' or 'c'.
func orList(values []string) string {
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = "'" + v + "'"
	}
	if len(quoted) == 1 {
		return quoted[0]
	}
	return strings.Join(quoted[:len(quoted)-1], ", ") + " or " + quoted[len(quoted)-1]
}

// flag returns a boolean in any of its usual spellings; def when absent.
func (p *params) flag(name string, def bool) bool {
	v, ok := p.last(name)
	if !ok {
		return def
	}
	switch strings.ToLower(v) {
	case "true", "1", "yes", "y", "on", "t":
		return true
	case "false", "0", "no", "n", "off", "f":
		return false
	}
	p.fail("bool_parsing", "Input should be a valid boolean, unable to interpret input", "query", name)
	return def
}

// number returns a whole number of at least 1; def when absent. One above most
// is given to over, which says what becomes of it.
func (p *params) number(name string, def, most int, over func(text string)) int {
	v, ok := p.last(name)
	if !ok {
		return def
	}
	digits := strings.TrimPrefix(strings.TrimPrefix(v, "+"), "-")
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		p.fail("int_parsing", "Input should be a valid integer, unable to parse string as an integer", "query", name)
		return def
	}
	n := 0
	for _, d := range digits {
		if n = n*10 + int(d-'0'); n > most {
			break
		}
	}
	switch {
	case v[0] == '-' || n == 0:
		p.fail("greater_than_equal", "Input should be greater than or equal to 1", "query", name)
		return def
	case n > most:
		over(v)
		return def
	}
	return n
}

// listLimit reads the limit of a list: 1 to 1000, default 100.
func (p *params) listLimit() int {
	return p.number("limit", 100, 1000, func(string) {
		p.fail("less_than_equal", "Input should be less than or equal to 1000", "query", "limit")
	})
}

// historyLimit reads the limit of a history page: 1 to 200, default 100.
func (p *params) historyLimit() int {
	return p.number("limit", 100, 200, func(text string) {
		p.refuse(badRequest("limit too large. Requested: %s, Maximum: 200", brief(strings.TrimPrefix(text, "+"))))
	})
}

// instant reads a point in time; zero when absent.
func (p *params) instant(name string, required bool) market.Instant {
	v, ok := p.last(name)
	if !ok || !required && v == "" {
		if required {
			p.fail("missing", "Field required", "query", name)
		}
		return 0
	}
	t, err := market.ParseTime(v)
	if err != nil {
		p.refuse(badRequest("invalid timestamp in %s: %s", name, err))
	}
	return t
}

// resolution reads the size of buckets, which is required.
func (p *params) resolution() history.Resolution {
	v, ok := p.last("resolution")
	if !ok {
		p.fail("missing", "Field required", "query", "resolution")
		return history.Resolution{}
	}
	r, ok := history.FindResolution(v)
	if !ok {
		all := history.Resolutions()
		names := make([]string, len(all))
		for i := range all {
			names[i] = all[i].Name
		}
		p.fail("enum", "Unsupported resolution '"+brief(v)+"'. Allowed: "+strings.Join(names, ", "), "query", "resolution")
	}
	return r
}

// category reads the category that a request is pinned to; empty: none.
func (p *params) category() market.Category {
	return market.Category(p.choice("category", "", string(market.Crypto), string(market.Sports)))
}

// maxTags bounds the tags that a list may be filtered by.
const maxTags = 50

// tags reads the tags filter, repeated or comma-separated, in lower case and
// sorted, at most maxTags of them, and whether one of them is enough.
func (p *params) tags() (tags []string, any bool) {
	for _, v := range p.query["tags"] {
		if !utf8.ValidString(v) || strings.ContainsRune(v, 0) {
			p.refuse(badRequest("tags: expected UTF-8 text"))
		}
		for tag := range strings.SplitSeq(v, ",") {
			if tag = strings.ToLower(strings.TrimSpace(tag)); tag != "" && len(tags) <= maxTags && !slices.Contains(tags, tag) {
				tags = append(tags, tag)
			}
		}
	}
	if len(tags) > maxTags {
		p.fail("too_long", fmt.Sprintf("List should have at most %d items", maxTags), "query", "tags")
		tags = nil
	}
	slices.Sort(tags)
	return tags, p.choice("tags_match", "all", "all", "any") == "any"
}

// ignoredHeader names the parameters of a request that its route does not know:
// they are ignored, and a misspelt one would otherwise be silently without effect.
const ignoredHeader = "X-Ignored-Parameters"

// tellIgnored names in the answer the parameters that are none of those known.
func tellIgnored(w http.ResponseWriter, r *http.Request, known []string) {
	if r.URL.RawQuery == "" {
		return
	}
	const most = 10
	var names []string
	for name := range queryOf(r.URL.RawQuery) {
		if !slices.Contains(known, name) {
			names = append(names, url.QueryEscape(brief(name)))
		}
	}
	if len(names) == 0 {
		return
	}
	slices.Sort(names)
	w.Header().Set(ignoredHeader, strings.Join(names[:min(most, len(names))], ", "))
}
