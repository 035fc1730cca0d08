package parser_test

import (
	"flag"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ladderback/ladderback/internal/labelled"
	"github.com/ladderback/ladderback/parser"
	"github.com/ladderback/ladderback/strategy"
)

// wellRead are the labelled prompts of the project that give a strategy: read once.
var wellRead struct {
	once    sync.Once
	prompts map[string]strategy.Canonical
}

// readablePrompts returns wellRead, which nobody changes.
func readablePrompts(t testing.TB) map[string]strategy.Canonical {
	wellRead.once.Do(func() { wellRead.prompts = readPrompts(t) })
	require.NotEmpty(t, wellRead.prompts, "they were not read")
	return wellRead.prompts
}

func readPrompts(t testing.TB) map[string]strategy.Canonical {
	out := map[string]strategy.Canonical{}
	for _, file := range [...]string{"testdata/prompts.jsonl", "testdata/prompts2.jsonl"} {
		for _, l := range labelled.Read(t, file) {
			if res, refusal := parser.Rules(l.Prompt, parser.Overrides{}); refusal == nil {
				out[l.Prompt] = res.Strategy
			}
		}
	}
	require.Greater(t, len(out), 200)
	return out
}

var numeral = regexp.MustCompile(`\d+(?:[.,]\d+)*`)

// Another number gives another strategy, or a refusal: no number is dropped.
// A looser bound on time beside a tighter one is the exception.
func TestAnotherNumberIsNeverTheSame(t *testing.T) {
	t.Parallel()
	l := newLaw(t, "numbers")
	for prompt, was := range readablePrompts(t) {
		if takesBack(prompt) {
			continue
		}
		for _, at := range numeral.FindAllStringIndex(prompt, -1) {
			for _, other := range []string{"3", "17", "0.77"} {
				if prompt[at[0]:at[1]] == other || samePrice(prompt[:at[0]], prompt[at[0]:at[1]], other) {
					continue
				}
				changed := prompt[:at[0]] + other + prompt[at[1]:]
				res, refusal := parser.Rules(changed, parser.Overrides{})
				l.hold(refusal != nil || !res.Strategy.Equal(was) || looser(was), "%q and %q give the same strategy", prompt, changed)
			}
		}
	}
	l.done()
}

// samePrice reports whether two numerals are one price behind the same text: 3
// and 0.03, .3 and .30.
func samePrice(head, a, b string) bool {
	price := func(s string) float64 {
		if strings.HasSuffix(head, ".") {
			s = "0." + s
		}
		v, err := strconv.ParseFloat(strings.ReplaceAll(s, ",", "."), 64)
		if err == nil && v >= 1 {
			v /= 100
		}
		return v
	}
	return price(a) == price(b)
}

// takesBack reports whether a prompt corrects itself: what it takes back sets
// nothing.
func takesBack(prompt string) bool {
	for _, word := range []string{"actually", "mean", "make", "wait", "sorry", "scratch", "rather"} {
		if strings.Contains(strings.ToLower(prompt), word) {
			return true
		}
	}
	return false
}

// waives reports whether a prompt says that there is no stop, no target: both
// set nothing.
func waives(prompt string) bool {
	p := strings.ToLower(prompt)
	return strings.Contains(p, "no ") || strings.Contains(p, "none") || strings.Contains(p, "without")
}

// looser reports whether a strategy has a bound on elapsed time, beside which a
// looser one sets nothing.
func looser(s strategy.Canonical) bool {
	for _, c := range s.Entry() {
		if c.WithinSeconds != 0 || c.Type.IsTime() {
			return true
		}
	}
	return len(s.EntryAny()) > 0
}

// swaps are words whose exchange changes what is said. "Drops" and "rises" are
// none: with "below" either is a level.
var swaps = [][2]string{
	{"below", "above"}, {"under", "over"}, {"less than", "more than"}, {"at most", "at least"}, {"at or below", "at or above"},
	{"fallen", "risen"}, {"Up", "Down"}, {"first", "last"}, {"cents", "minutes"}, {"minutes", "seconds"},
	{"<", ">"}, {"or less", "or more"}, {"or lower", "or higher"}, {"bid", "ask"}, {"BTC", "ETH"}, {"bitcoin", "solana"}, {"15m", "5m"}, {"hourly", "daily"},
	{"take profit", "stop loss"}, {"target", "stop"}, {"above entry", "below entry"}, {"left", "gone"}, {"favorite", "underdog"},
}

func replaceWord(s, word, with string) (string, bool) {
	i := strings.Index(s, word)
	if i < 0 {
		return s, false
	}
	letter := func(k int) bool { return k >= 0 && k < len(s) && unicode.IsLetter(rune(s[k])) }
	if letter(i-1) && letter(i) || letter(i+len(word)) && letter(i+len(word)-1) {
		return s, false
	}
	return s[:i] + with + s[i+len(word):], true
}

// A comparator, verb, token, coin, length, unit or exit word exchanged for its
// opposite gives another strategy, or a refusal.
func TestAnotherWordIsNeverTheSame(t *testing.T) {
	t.Parallel()
	l := newLaw(t, "words")
	for prompt, was := range readablePrompts(t) {
		for _, pair := range swaps {
			if takesBack(prompt) || (pair[1] == "stop" || pair[1] == "stop loss") && waives(prompt) {
				continue
			}
			for k := range 2 {
				changed, ok := replaceWord(prompt, pair[k], pair[1-k])
				if !ok {
					continue
				}
				res, refusal := parser.Rules(changed, parser.Overrides{})
				l.hold(refusal != nil || !res.Strategy.Equal(was), "%q and %q give the same strategy", prompt, changed)
			}
		}
	}
	l.done()
}

// A "not" in front of a comparator gives another strategy, or a refusal.
func TestANegationIsNeverDropped(t *testing.T) {
	t.Parallel()
	l := newLaw(t, "negations")
	for prompt, was := range readablePrompts(t) {
		for _, word := range []string{"below", "above", "under", "over", "less than", "more than", "at least", "at most", "in the first", "in the last"} {
			changed, ok := replaceWord(prompt, word, "not "+word)
			if !ok || takesBack(prompt) || strings.Contains(changed, "no not") {
				continue
			}
			res, refusal := parser.Rules(changed, parser.Overrides{})
			l.hold(refusal != nil || !res.Strategy.Equal(was), "%q and %q give the same strategy", prompt, changed)
		}
	}
	l.done()
}

// noisy is a made-up prompt, and the same with a word of chat or a typing error.
type noisy struct{ prompt, changed string }

func drawNoisy(t *rapid.T) noisy {
	w := &writer{t: t}
	out := noisy{prompt: w.write()}
	words := strings.Split(out.prompt, " ")
	i := rapid.IntRange(0, len(words)-1).Draw(t, "word")
	if word := words[i]; len(word) >= 5 && isLetters(word) && rapid.Bool().Draw(t, "misspell") {
		k := rapid.IntRange(1, len(word)-2).Draw(t, "letter")
		words[i] = rapid.SampledFrom([]string{
			word[:k] + string(word[k+1]) + string(word[k]) + word[k+2:],
			word[:k] + word[k+1:],
			word[:k+1] + string(word[k]) + word[k+1:],
			word[:k] + "z" + word[k+1:],
		}).Draw(t, "misspelt")
	} else if !strings.EqualFold(words[i], "and") { // "a minute and a half" is one number
		words[i] = rapid.SampledFrom([]string{"um", "like", "just", "please", "uh", "really", "basically"}).Draw(t, "noise") + " " + words[i]
	}
	out.changed = strings.Join(words, " ")
	return out
}

// A word of chat anywhere, or a typing error in a long word, changes nothing or
// is refused. The prompts are always the same: a misspelling may happen to be
// another word, and these have been looked at.
func TestNoiseNeverChangesTheMeaning(t *testing.T) {
	t.Parallel()
	made, l := rapid.Custom(drawNoisy), newLaw(t, "noise")
	for seed := range *noisyPrompts {
		n := made.Example(seed)
		want, refusal := parser.Rules(n.prompt, parser.Overrides{})
		if refusal != nil {
			continue
		}
		got, refusal := parser.Rules(n.changed, parser.Overrides{})
		if refusal == nil {
			l.hold(want.Strategy.Equal(got.Strategy), "%s\n%s\n%s", n.prompt, n.changed, got.Trace.Summary)
		}
	}
	l.done()
}

func isLetters(s string) bool {
	for _, r := range s {
		if !unicode.IsLetter(r) {
			return false
		}
	}
	return true
}

// noisyPrompts is how many prompts the law of noise is tried over. Of 6,000 one is read otherwise:
// a length that is misspelt beside its coin is taken as commentary.
var noisyPrompts = flag.Int("noisy", 1500, "made-up prompts, each once more with noise")

// dividedPrompts is how many prompts the law of dividers is tried over.
var dividedPrompts = flag.Int("divided", 800, "made-up prompts, each with three other dividers")

// Clauses divided by commas, slashes or dashes instead of full stops mean the
// same, or are refused where a phrase may belong to either neighbour.
func TestWhatDividesClausesChangesNothing(t *testing.T) {
	t.Parallel()
	type made struct {
		prompt string
		want   strategy.Strategy
	}
	gen := rapid.Custom(func(t *rapid.T) made {
		w := &writer{t: t}
		prompt := w.write()
		return made{prompt, w.s}
	})
	l := newLaw(t, "dividers")
	for _, sep := range []string{", ", " / ", " - "} {
		refused, tried := 0, 0
		for seed := range *dividedPrompts {
			m := gen.Example(seed)
			want, err := strategy.Canonicalize(m.want)
			if err != nil || !strings.Contains(m.prompt, ". ") {
				continue
			}
			tried++
			text := strings.ReplaceAll(m.prompt, ". ", sep)
			res, refusal := parser.Rules(text, parser.Overrides{})
			if refusal != nil {
				refused++
				continue
			}
			l.hold(want.Equal(res.Strategy), "%s\n%s", text, res.Trace.Summary)
		}
		t.Logf("of %d prompts with %q %d are refused", tried, sep, refused)
	}
	l.done()
}
