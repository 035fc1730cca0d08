package diff_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/backtest/diff"
)

func TestJSON(t *testing.T) {
	t.Parallel()
	type fields = []diff.Field
	for _, c := range []struct {
		path, a, b string
		want       fields
	}{
		{"", `{"a":1}`, `{"a":1}`, nil},
		{"run", `1`, `2`, fields{{"run", "1", "2"}}},
		{"run", `1`, `1.0`, fields{{"run", "1", "1.0"}}}, // of text, not of numbers: both were written by one hand
		{"run", `null`, `{"a":1}`, fields{{"run", "null", `{"a":1}`}}},
		{"run", `[]`, `{}`, fields{{"run", "[]", "{}"}}},
		{"run", ``, `{}`, fields{{"run", "", "{}"}}},
		{"run", `{}`, `{"a":{"b":1}}`, fields{{"run.a", "absent", `{"b":1}`}}},
		{"", `{"b":1,"a":[1,2,3],"x":"q"}`, `{"z":0,"a":[1,9],"b":2,"x":"q"}`,
			fields{{"b", "1", "2"}, {"a[1]", "2", "9"}, {"a[2]", "3", "absent"}, {"z", "absent", "0"}}},
		{"s", `[[{"p":1}],[]]`, `[[{"p":2,"q":3}],[4]]`,
			fields{{"s[0][0].p", "1", "2"}, {"s[0][0].q", "absent", "3"}, {"s[1][0]", "absent", "4"}}},
		{"", `{"a":null}`, `{}`, fields{{"a", "null", "absent"}}}, // a field with no value is not a field that is not there
		{"", `{"a,b":{"]}":1}}`, `{"a,b":{"]}":2}}`, fields{{"a,b.]}", "1", "2"}}},
	} {
		got, err := diff.JSON(c.path, json.RawMessage(c.a), json.RawMessage(c.b))
		require.NoError(t, err)
		require.Equal(t, c.want, got, "%s against %s", c.a, c.b)
	}
}

func TestBrokenJSONIsNamedByItsPlace(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{
		{`{"a":{"b":1,}}`, `{"a":{"b":2}}`, "run.a"},
		{`[1,2]`, `[1,x]`, "run[1]"},
		{`{1:2}`, `{"a":2}`, "run"},
	} {
		_, err := diff.JSON("run", json.RawMessage(c[0]), json.RawMessage(c[1]))
		require.ErrorContains(t, err, c[2]+": ", "%s against %s", c[0], c[1])
	}
}

// TestDifferencesMakeOneOfTheOther: b is what a becomes by the differences, which come in
// the same number from the other side, and there are none of a value and itself.
func TestDifferencesMakeOneOfTheOther(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 6))
	var value func(depth int) any
	value = func(depth int) any {
		switch n := random.IntN(4); {
		case depth == 0 || n == 0:
			return random.IntN(3)
		case n == 1:
			out := make([]any, random.IntN(3))
			for i := range out {
				out[i] = value(depth - 1)
			}
			return out
		default:
			out := map[string]any{}
			for range random.IntN(4) {
				out[strconv.Itoa(random.IntN(5))] = value(depth - 1)
			}
			return out
		}
	}
	for range 2000 {
		a, b := value(3), value(3)
		there, err := diff.JSON("v", compact(t, a), compact(t, b))
		require.NoError(t, err)
		back, err := diff.JSON("v", compact(t, b), compact(t, a))
		require.NoError(t, err)
		require.Len(t, back, len(there))
		require.Equal(t, bytes.Equal(compact(t, a), compact(t, b)), len(there) == 0)
		leaves := flat("v", a)
		for _, f := range there {
			require.NotEqual(t, f.A, f.B)
			for name := range leaves {
				if within(name, f.Field) {
					delete(leaves, name)
				}
			}
			if f.B != "absent" {
				var v any
				require.NoError(t, json.Unmarshal([]byte(f.B), &v))
				for name, text := range flat(f.Field, v) {
					leaves[name] = text
				}
			}
		}
		for name, text := range flat("v", b) {
			if text == "{}" || text == "[]" { // may be what is left of one that had parts
				continue
			}
			require.Equal(t, text, leaves[name], "%s of %s against %s: %v", name, compact(t, a), compact(t, b), there)
			delete(leaves, name)
		}
		for name, text := range leaves {
			require.Contains(t, []string{"{}", "[]"}, text, "%s is left of %s against %s: %v", name, compact(t, a), compact(t, b), there)
		}
	}
}

func compact(t *testing.T, v any) json.RawMessage {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return b
}

// within reports whether a path lies at another, or below it.
func within(path, of string) bool {
	return path == of || len(path) > len(of) && path[:len(of)] == of && (path[len(of)] == '.' || path[len(of)] == '[')
}

// flat is a value as its leaves by their paths; an empty object or array is a leaf.
func flat(path string, v any) map[string]string {
	out := map[string]string{}
	var parts int
	take := func(name string, v any) {
		parts++
		for n, text := range flat(name, v) {
			out[n] = text
		}
	}
	switch v := v.(type) {
	case map[string]any:
		for name, part := range v {
			take(path+"."+name, part)
		}
	case []any:
		for i, part := range v {
			take(path+"["+strconv.Itoa(i)+"]", part)
		}
	}
	if parts == 0 {
		text, _ := json.Marshal(v)
		out[path] = string(text)
	}
	return out
}
