package guard

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/ladderback/ladderback/strategy"
)

// differ lists the fields in which two canonical strategies differ, in the
// order of their paths; none when they are the same. A list of another length
// is one difference.
func differ(llm, rules *strategy.Strategy) []strategy.Difference {
	a, errA := json.Marshal(llm)
	b, errB := json.Marshal(rules)
	if errA != nil || errB != nil || bytes.Equal(a, b) {
		return nil
	}
	var out []strategy.Difference
	walkDifferences("", a, b, &out)
	return out
}

func walkDifferences(path string, a, b json.RawMessage, out *[]strategy.Difference) {
	if bytes.Equal(a, b) {
		return
	}
	if keys, x, y, ok := bothObjects(a, b); ok {
		for _, key := range keys {
			walkDifferences(joinPath(path, key), orNull(x[key]), orNull(y[key]), out)
		}
		return
	}
	var x, y []json.RawMessage
	if a[0] == '[' && b[0] == '[' && json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && len(x) == len(y) {
		for i := range x {
			walkDifferences(joinPath(path, strconv.Itoa(i)), x[i], y[i], out)
		}
		return
	}
	*out = append(*out, strategy.Difference{Field: path, LLM: a, Rules: b})
}

// bothObjects reads two JSON objects and the keys of both, in alphabetical order.
func bothObjects(a, b json.RawMessage) (keys []string, x, y map[string]json.RawMessage, ok bool) {
	if a[0] != '{' || b[0] != '{' || json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return nil, nil, nil, false
	}
	keys = slices.AppendSeq(slices.Collect(maps.Keys(x)), maps.Keys(y))
	slices.Sort(keys)
	return slices.Compact(keys), x, y, true
}

func orNull(m json.RawMessage) json.RawMessage {
	if m == nil {
		return json.RawMessage("null")
	}
	return m
}

func joinPath(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
