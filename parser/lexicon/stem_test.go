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
	for token, id := range x.words {
		s, heads := x.stem(token), map[string]bool{"": true}
		for i := x.latest[id]; i > 0; i = x.wordings[i].before {
			w := x.wordings[i]
			groups := groupsOf(w.text)
			groups[0] = groups[0][w.first : w.first+1]
			for _, phrase := range phrasesOf(groups) {
				phrases++
				at, head := s, ""
				for i, k := range tokensOfPhrase(phrase) {
					if i == 0 {
						require.Equal(t, token, k, "%s", phrase)
						continue
					}
					at, head = x.step(at, k), head+" "+k
					require.NotNil(t, at, "%s", phrase)
					heads[head] = true
				}
				if !slices.Contains(at.ends, w.entry) {
					require.Contains(t, at.ends, w.entry, "%s", phrase)
				}
				require.NotEmpty(t, x.entries[w.entry].Class, "%s", phrase)
				if w.own {
					require.Equal(t, x.heads[w.head].Class, x.entries[w.entry].Class, "%s", phrase)
					require.Equal(t, phrase, x.entries[w.entry].Name)
					w.entry++
				}
			}
		}
		if s != nil {
			require.Equal(t, len(heads), x.all(s), token)
		}
	}
	require.Greater(t, phrases, 50_000)
}

// groupsOf cuts a text into what stands between braces and the alternatives in them.
func groupsOf(text string) (out [][]string) {
	for group := []string(nil); text != ""; {
		group, text = alternatives(text)
		out = append(out, group)
	}
	return out
}

// phrasesOf returns the phrases that groups stand for, the last group varied first.
func phrasesOf(groups [][]string) []string {
	phrases := groups[0]
	for _, group := range groups[1:] {
		var longer []string
		for _, head := range phrases {
			for _, words := range group {
				longer = append(longer, head+" "+words)
			}
		}
		phrases = longer
	}
	return phrases
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
		require.Equal(t, want, strings.Join(phrasesOf(groupsOf(text)), "|"))
	}
}
