package lexicon

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every phrase of the files is found, cut into tokens as a whole, with the meaning that
// the files give it, and no more ways lead through a stem than its phrases have.
func TestStemsWriteOutEveryPhrase(t *testing.T) {
	t.Parallel()
	x := buildTable()
	phrases := 0
	for id, s := range x.stems {
		wordings, heads := s.wordings, map[string]bool{"": true}
		s.write(x)
		for _, w := range wordings {
			each(w.groups, nil, func(phrase []byte) {
				phrases++
				node, head := int32(-1), ""
				for _, k := range tokensOfPhrase(string(phrase)) {
					if node < 0 {
						require.Equal(t, id, x.words[k], "%s", phrase)
						node = 0
						continue
					}
					next, ok := x.step(s, node, k)
					require.True(t, ok, "%s", phrase)
					node, head = next, head+" "+k
					heads[head] = true
				}
				if !slices.Contains(s.ends[node], w.entry) {
					require.Contains(t, s.ends[node], w.entry, "%s", phrase)
				}
				if w.own {
					require.Equal(t, string(phrase), x.entries[w.entry].Name)
					w.entry++
				}
			})
		}
		require.Len(t, s.ends, len(heads))
	}
	require.Greater(t, phrases, 50_000)
}

// tokensOfPhrase returns the tokens that a phrase has in a prompt.
func tokensOfPhrase(phrase string) []string {
	var out []string
	tail, suffix := strings.CutPrefix(phrase, "'")
	if tail == "" {
		return []string{phrase}
	}
	for i, k := range scan(normalise(tail)) {
		if suffix && i == 0 {
			k.text = "'" + k.text
		}
		if k.text != "-" && k.text != "_" {
			out = append(out, k.text)
		}
	}
	return out
}

// What a phrase of the files may look like is written out as it stands there.
func TestWordings(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"up":                  "up",
		"{the, a} up {x, y}":  "the up x|the up y|a up x|a up y",
		"no, {a, b} {c d, e}": "no, a c d|no, a e|no, b c d|no, b e",
	} {
		var got []string
		each(groupsOf(text), nil, func(phrase []byte) { got = append(got, string(phrase)) })
		require.Equal(t, want, strings.Join(got, "|"))
	}
}
