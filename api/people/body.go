package people

import (
	"encoding/json"
	"maps"
	"mime"
	"net/http"
	"slices"
	"time"

	"github.com/ladderback/ladderback/api/question"
	"github.com/ladderback/ladderback/api/wire"
	"github.com/ladderback/ladderback/market"
)

// form reads the body of a request and collects what is wrong with its fields.
type form struct {
	fields  map[string]json.RawMessage
	known   map[string]bool
	invalid wire.Details
}

// read reads the body, a JSON object.
func read(r *http.Request) (*form, error) {
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/json" {
		return nil, wire.BadRequest("Content-Type: expected application/json")
	}
	text, err := question.Body(r)
	if err != nil {
		return nil, err
	}
	fields, err := question.Object("body", text)
	if err != nil {
		return nil, err
	}
	return &form{fields: fields, known: map[string]bool{}}, nil
}

func (f *form) bad(name, kind, msg string) {
	f.invalid = append(f.invalid, wire.Detail{Loc: []any{"body", name}, Msg: msg, Type: kind})
}

// text returns a field that has to be text.
func (f *form) text(name string) string {
	text, ok := f.maybe(name)
	if !ok {
		f.bad(name, "missing", "Field required")
	}
	return text
}

// maybe returns a field that is text; false: it was left out, or null.
func (f *form) maybe(name string) (text string, ok bool) {
	f.known[name] = true
	raw, ok := f.fields[name]
	if !ok || string(raw) == "null" {
		return "", false
	}
	if err := json.Unmarshal(raw, &text); err != nil {
		f.bad(name, "string_type", "Input should be a valid string")
	}
	return text, true
}

// yes returns a field that is true or false; left out, it is false.
func (f *form) yes(name string) (yes bool) {
	f.known[name] = true
	if raw, ok := f.fields[name]; ok && json.Unmarshal(raw, &yes) != nil {
		f.bad(name, "bool_type", "Input should be a valid boolean")
	}
	return yes
}

// time returns a field that is a time to come; zero: it was left out, or null.
func (f *form) time(name string, now market.Instant) market.Instant {
	text, ok := f.maybe(name)
	if !ok || f.is(name) {
		return 0
	}
	at, err := time.Parse(time.RFC3339, text)
	switch {
	case err != nil:
		f.bad(name, "datetime_parsing", "expected a time such as 2026-12-31T00:00:00Z")
	case market.InstantOf(at) <= now || at.Year() > 9999:
		f.bad(name, "datetime_future", "expected a time to come")
	default:
		return market.InstantOf(at)
	}
	return 0
}

// check adds what a check of a field says, unless it is nil.
func (f *form) check(name string, err error) {
	if err != nil && !f.is(name) {
		f.bad(name, "value_error", err.Error())
	}
}

// is reports whether something is wrong with a field already.
func (f *form) is(name string) bool {
	for _, d := range f.invalid {
		if d.Loc[1] == name {
			return true
		}
	}
	return false
}

// err returns what is wrong with the body; nil: nothing.
func (f *form) err() error {
	for _, name := range slices.Sorted(maps.Keys(f.fields)) {
		if !f.known[name] {
			f.bad(name, "extra_forbidden", "Extra inputs are not permitted")
		}
	}
	if len(f.invalid) > 0 {
		return wire.Invalid(f.invalid)
	}
	return nil
}
