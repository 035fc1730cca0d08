package lexicon

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every form of a number has an example, and reads it, or the part of it that
// stands in brackets, whole.
func TestFormsReadTheirExamples(t *testing.T) {
	t.Parallel()
	for name, rule := range numberForms() {
		require.NotEmpty(t, rule.forms, "nothing is %s", name)
		for _, f := range rule.forms {
			assert.NotEmpty(t, f.examples, "phrases/numbers.txt:%d: no example", f.line)
			for _, example := range f.examples {
				from, to := strings.IndexByte(example, '['), strings.IndexByte(example, ']')-1
				text := strings.NewReplacer("[", "", "]", "").Replace(example)
				if from < 0 {
					from, to = 0, len(text)
				}
				norm := normalise(text)
				x := &reader{lex: theTable(), Lattice: Lattice{norm: norm, tokens: scan(norm)}}
				first, last := 0, 0
				for _, k := range x.tokens {
					if int(k.start) < utf8.RuneCountInString(text[:from]) {
						first++
					}
					if int(k.start) < utf8.RuneCountInString(text[:to]) {
						last++
					}
				}
				_, end, ok := x.form(&f, first)
				assert.True(t, ok && end == last, "phrases/numbers.txt:%d: %q is no %s", f.line, example, name)
			}
		}
	}
}
