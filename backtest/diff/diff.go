// Package diff finds the fields in which two values of JSON differ.
package diff

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// absent stands for a field that only the other side has.
const absent = "absent"

// Field is a field that differs, with both values as JSON.
type Field struct {
	Field string `json:"field"`
	A     string `json:"a"`
	B     string `json:"b"`
}

// JSON returns the leaves in which two compact JSON values differ, in order
// of a, then those that only b has. Items of arrays are matched by position.
func JSON(path string, a, b json.RawMessage) ([]Field, error) {
	if bytes.Equal(a, b) {
		return nil, nil
	}
	if len(a) > 0 && len(b) > 0 && a[0] == b[0] && (a[0] == '{' || a[0] == '[') {
		return inParts(path, a, b)
	}
	return []Field{{Field: path, A: string(a), B: string(b)}}, nil
}

func inParts(path string, a, b json.RawMessage) ([]Field, error) {
	namesA, partsA, err := partsOf(path, a)
	if err != nil {
		return nil, err
	}
	namesB, partsB, err := partsOf(path, b)
	if err != nil {
		return nil, err
	}
	var out []Field
	for _, name := range namesA {
		other, ok := partsB[name]
		if !ok {
			out = append(out, Field{name, string(partsA[name]), absent})
			continue
		}
		diff, err := JSON(name, partsA[name], other)
		if err != nil {
			return nil, err
		}
		out = append(out, diff...)
	}
	for _, name := range namesB {
		if _, ok := partsA[name]; !ok {
			out = append(out, Field{name, absent, string(partsB[name])})
		}
	}
	return out, nil
}

// partsOf returns the fields of an object, or the items of an array, under
// their paths, and the paths in order.
func partsOf(path string, v json.RawMessage) ([]string, map[string]json.RawMessage, error) {
	d := json.NewDecoder(bytes.NewReader(v))
	if _, err := d.Token(); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	var names []string
	parts := make(map[string]json.RawMessage)
	for i := 0; d.More(); i++ {
		name := fmt.Sprintf("%s[%d]", path, i)
		if v[0] == '{' {
			t, err := d.Token()
			if err != nil {
				return nil, nil, fmt.Errorf("%s: %w", path, err)
			}
			name = fmt.Sprint(t)
			if path != "" {
				name = path + "." + name
			}
		}
		var part json.RawMessage
		if err := d.Decode(&part); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		names = append(names, name)
		parts[name] = part
	}
	return names, parts, nil
}
