package lexicon

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every phrase of the files is found word by word, with the meanings that the files give
// it and in their order, and nothing else is.
func TestStemsWriteOutEveryPhrase(t *testing.T) {
	t.Parallel()
	x, err := buildTable()
	require.NoError(t, err)

	type found struct {
		ids  []int32
		ends []int32
	}
	want, paths := map[string]*found{}, map[string]bool{}
	key := func(ids []int32) string {
		var b strings.Builder
		for _, id := range ids {
			b.WriteString(string(rune(id)) + " ")
		}
		return b.String()
	}
	for i := range x.wordings {
		w := x.wordings[i]
		text := w.text
		if w.ids != nil {
			text = "" // one phrase of it
		}
		each(text, func(phrase []byte) {
			ids := w.ids
			if ids == nil {
				ids = x.tokensOf(string(phrase)) // as a whole, not word by word
			}
			f := want[key(ids)]
			if f == nil {
				f = &found{ids: ids}
				want[key(ids)] = f
			}
			if w.own && w.ids == nil {
				require.Equal(t, string(phrase), x.entries[w.entry].Name)
			}
			if !slices.Contains(f.ends, w.entry) {
				f.ends = append(f.ends, w.entry)
			}
			if w.own {
				w.entry++
			}
			for n := range ids {
				paths[key(ids[:n+1])] = true
			}
		})
	}
	require.Greater(t, len(want), 50_000)

	words := make([]string, len(x.words)+1)
	for w, id := range x.words {
		words[id] = w
	}
	for _, f := range want {
		s := x.stem(words[f.ids[0]])
		node, ok := int32(0), s != nil
		for _, id := range f.ids[1:] {
			require.True(t, ok)
			node, ok = x.step(s, node, words[id])
		}
		require.True(t, ok)
		if !slices.Equal(f.ends, s.ends[node]) {
			require.Equal(t, f.ends, s.ends[node], "%v", f.ids)
		}
	}
	nodes := 0
	for _, w := range words {
		if s := x.stem(w); s != nil {
			nodes += len(s.ends)
		}
	}
	require.Len(t, paths, nodes)
}

// What a phrase of the files may look like is written out as it stands there.
func TestWordings(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"up":                  "up",
		"{the, a} up {x, y}":  "the up x|the up y|a up x|a up y",
		"un{wise, fair} {a}":  "unwise a|unfair a",
		"no end {of":          "no end {of",
		"2,5 cents {up, , b}": "2,5 cents up|2,5 cents |2,5 cents b",
	} {
		var got []string
		each(text, func(phrase []byte) { got = append(got, string(phrase)) })
		require.Equal(t, want, strings.Join(got, "|"))
		require.Equal(t, len(got), phrasesOf(text))
	}
	for text, want := range map[string]bool{
		"up {token, ticket}": false, "it's u.s. {a b, c}": false, "'s": true, "2,5 cents": true, "un{wise, fair}": true,
		"{wise, fair}ly": true, "{, very} wise": true, "{a, , b} wise": true, "stake *= 2": true, "- up": true, "up - down": true, "up-token": false,
	} {
		require.Equal(t, want, asWhole(text), text)
	}
}
