package jsonlex_test

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/ingest/jsonlex"
)

// valid reports whether a cursor takes all of a text for one value.
func valid(c *jsonlex.Cursor, text string) bool {
	c.Reset([]byte(text))
	c.Skip()
	return !c.Bad && c.AtEnd()
}

// TestValidIsThatOfTheStandardLibrary: documents, broken at a few places by bytes that
// JSON gives a meaning to, are valid for a cursor when they are for encoding/json.
func TestValidIsThatOfTheStandardLibrary(t *testing.T) {
	t.Parallel()
	const spoil = "{}[]\",:\\ \t\n0123456789-+.eEtrufalsn\x00\x1f\x7f\xff\xc3\xa9x/b"
	seeds := []string{
		`{"a":[1,-0.5,1e9,2E-3,0],"b":{"c":null,"d":true,"e":false},"f":"g\u00e9\n\"\\"}`,
		`["","\ud83d\ude00","\u0000",[],{},[[]],{"":{}}]`,
		` { "price" : "0.35" , "size" : 12.50 } `,
		`-1`, `"x"`, `null`, `true`, `1E+5`, `0`, ``,
	}
	random := rand.New(rand.NewPCG(1, 2))
	var c jsonlex.Cursor
	sound, broken := 0, 0
	for range 60_000 {
		text := []byte(seeds[random.IntN(len(seeds))])
		for range random.IntN(4) {
			at, ch := random.IntN(len(text)+1), spoil[random.IntN(len(spoil))]
			switch {
			case at == len(text):
				text = append(text, ch)
			case random.IntN(3) == 0:
				text = append(text[:at], text[at+1:]...)
			default:
				text[at] = ch
			}
		}
		want := json.Valid(text) && utf8.Valid(text)
		if want {
			sound++
		} else {
			broken++
		}
		if got := valid(&c, string(text)); got != want {
			t.Fatalf("%q: taken for valid: %v, is: %v", text, got, want)
		}
	}
	require.Greater(t, sound, 10_000)
	require.Greater(t, broken, 10_000)
}

func TestEdgesOfTheGrammar(t *testing.T) {
	t.Parallel()
	var c jsonlex.Cursor
	for text, want := range map[string]bool{
		``: false, ` `: false, `nul`: false, `nullx`: false, `01`: false, `-`: false, `-01`: false, `1.`: false, `.5`: false, `+1`: false,
		`1e`: false, `1e+`: false, `0e0`: true, `-0`: true, `[,]`: false, `[1,]`: false, `[1 2]`: false, `[1`: false, `[1}`: false,
		`{"a":1,}`: false, `{"a"}`: false, `{"a" 1}`: false, `{"a":}`: false, `{1:2}`: false, `{"a":1 "b":2}`: false, `{"a":1]`: false,
		"\"a\nb\"": false, `"a`: false, `"a\`: false, `"a\"`: false, `"\x"`: false, `"\u12"`: false, `"\u12g4"`: false, `"\/\b\f"`: true,
		"\"\x7f\"": true, "\"\xff\"": false, "1\x00": false, "\x00": false, "\ufeff1": false, "\v1": false, `1 1`: false, `"" ""`: false,
	} {
		require.Equal(t, want, valid(&c, text), "%q", text)
	}
}

// TestDepth: what is nested deeper is bad; how much stands side by side does not count,
// and neither does what the cursor read before.
func TestDepth(t *testing.T) {
	t.Parallel()
	nested := func(n int) string { return strings.Repeat(`[`, n) + strings.Repeat(`]`, n) }
	objects := func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat(`}`, n) }
	var c jsonlex.Cursor
	require.True(t, valid(&c, nested(jsonlex.MaxDepth)))
	require.False(t, valid(&c, nested(jsonlex.MaxDepth+1)))
	require.True(t, valid(&c, nested(jsonlex.MaxDepth)), "after one that was left in the middle")
	require.True(t, valid(&c, objects(jsonlex.MaxDepth)))
	require.False(t, valid(&c, objects(jsonlex.MaxDepth+1)))
	require.True(t, valid(&c, "["+strings.Repeat(nested(2)+",", 200)+nested(jsonlex.MaxDepth-1)+"]"))
	require.False(t, valid(&c, strings.Repeat(`[`, 1<<20)), "and takes no stack")
}

// TestMembers walks an object as the readers of messages do: names and texts are those
// that encoding/json reads, and stay so until the next text.
func TestMembers(t *testing.T) {
	t.Parallel()
	const text = ` {"plain" : "x", "esc\u0061ped":"a\tb\u00e9", "q\"":"\\", "n":-1.50e2, "none":null, "skip":{"a":[1,{"b":"]}"}]}, "yes":true, "last":""} `
	type member struct {
		name, text string
		null, ok   bool
	}
	want := []member{
		{"plain", "x", false, true}, {"escaped", "a\tbé", false, true}, {`q"`, `\`, false, true}, {"n", "-1.50e2", false, true},
		{"none", "", true, true}, {"skip", "", false, false}, {"yes", "", false, false}, {"last", "", false, true},
	}
	var c jsonlex.Cursor
	for range 2 { // a cursor is used again
		c.Reset([]byte(text))
		var names, texts [][]byte
		var got []member
		require.True(t, c.Enter('{'))
		for first := true; c.More(first, '}'); first = false {
			names = append(names, c.Key())
			text, null, ok := c.Scalar()
			texts = append(texts, text)
			got = append(got, member{null: null, ok: ok})
		}
		require.False(t, c.Bad)
		require.True(t, c.AtEnd())
		for i := range got { // only now: later strings did not write over earlier ones
			got[i].name, got[i].text = string(names[i]), string(texts[i])
		}
		require.Equal(t, want, got)
	}
}

// TestBadStaysBad: after a mistake nothing follows, so that loops over elements end.
func TestBadStaysBad(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`[1,x,2]`, `[1,"\q",2]`, `[1,[2,3,4]`, "[1,\"\xff\",2]"} {
		var c jsonlex.Cursor
		c.Reset([]byte(text))
		n := 0
		c.Enter('[')
		for first := true; c.More(first, ']') && n < 10; first = false {
			n++
			c.Skip()
		}
		require.True(t, c.Bad, "%q", text)
		require.Less(t, n, 5, "%q", text)
		require.False(t, c.More(true, ']'), "%q", text)
		c.Reset([]byte(`[1]`))
		require.False(t, c.Bad, "a new text begins anew")
	}
	var c jsonlex.Cursor
	c.Reset([]byte(`{"a":1}`))
	require.False(t, c.Enter('['))
	require.True(t, c.Bad)
	c.Reset([]byte(`nuil`))
	c.Skip()
	require.True(t, c.Bad, "said at the word, not only where the text goes on")
}
