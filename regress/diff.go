package regress

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Difference is one field that differs from what was recorded.
type Difference struct {
	Field    string `json:"field"` // "strategy.entry[0].threshold"
	Expected string `json:"expected"`
	Got      string `json:"got"`
}

// Absent stands for the value of a field that only the other side has.
const Absent = "absent"

// differences compares what was recorded with what came out, in the order of
// what came out, then what only was recorded.
func differences(expected *yaml.Node, got *Record) ([]Difference, error) {
	tree, err := got.tree()
	if err != nil {
		return nil, err
	}
	if d, ok := oneRefused(expected, got); ok {
		return []Difference{d}, nil
	}
	recorded := leaves("", expected)
	byPath := make(map[string]string, len(recorded))
	for _, l := range recorded {
		byPath[l.path] = l.text
	}
	var out []Difference
	seen := make(map[string]bool, len(recorded))
	for _, l := range leaves("", tree) {
		seen[l.path] = true
		text, ok := byPath[l.path]
		if !ok {
			text = Absent
		}
		if !ok || text != l.text {
			out = append(out, Difference{l.path, text, l.text})
		}
	}
	for _, l := range recorded {
		if !seen[l.path] {
			out = append(out, Difference{l.path, l.text, Absent})
		}
	}
	return out, nil
}

// oneRefused sums up a case that was refused only then or only now: that says it
// all.
func oneRefused(expected *yaml.Node, got *Record) (Difference, bool) {
	_, then := fieldOf(expected, "refused")
	switch {
	case then != nil && got.Refused == nil:
		var parts []string
		for _, l := range leaves("", then) {
			parts = append(parts, l.text)
		}
		return Difference{"refused", strings.Join(parts, ": "), "not refused: " + got.Summary}, true
	case then == nil && got.Refused != nil:
		return Difference{"refused", "not refused", got.Refused.Error + ": " + got.Refused.Message}, true
	}
	return Difference{}, false
}

// hidden reports whether all that differs are hashes, so that what differs is in
// no field that a suite keeps.
func hidden(diff []Difference) bool {
	kept := func(d Difference) bool { return !strings.HasPrefix(d.Field, "receipt.") }
	return len(diff) > 0 && !slices.ContainsFunc(diff, kept)
}
