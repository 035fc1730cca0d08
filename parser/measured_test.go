package parser_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/internal/labelled"
	"github.com/ladderback/ladderback/internal/llmtest"
	"github.com/ladderback/ladderback/parser"
	"github.com/ladderback/ladderback/parser/guard"
	"github.com/ladderback/ladderback/strategy"
)

// handlerTransport answers requests by a handler, without a network.
type handlerTransport struct{ http.Handler }

func (h handlerTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result(), nil
}

// answering returns a model whose server always gives one answer.
func answering(t *testing.T, answer string, script ...llmtest.Behaviour) *parser.Model {
	t.Helper()
	m, err := parser.NewModel(parser.ModelConfig{
		BaseURL: "http://model.invalid/v1", Model: "test", Backoff: time.Nanosecond, BreakerFailures: 1 << 30,
		Transport: handlerTransport{&llmtest.Server{Fallback: answer, Script: script}},
	})
	require.NoError(t, err)
	return m
}

func isOneOf(list []strategy.Canonical, s strategy.Canonical) bool {
	return slices.ContainsFunc(list, s.Equal)
}

// figures count what comes out beside a model.
type figures struct {
	prompts, rules       int          // prompts that mean something; read rightly by the rules alone
	right, wrong, quoted int          // with right answers; with quotes
	mutants, through     map[bool]int // by whether the rules read the prompt
	byKind               map[string][2]int
	confirmed            int    // right answers that are offered to confirm
	suggested            int    // … that the rules suggest, or have among the readings to choose from
	misled               [2]int // wrong ones of those that have one thing wrong; that do not mark it
	passing              int    // answers that pass over words where that is wrong
	believed, offered    int    // of these
}

func measure(t *testing.T, list []labelled.Prompt, every int) *figures {
	f := &figures{mutants: map[bool]int{}, through: map[bool]int{}, byKind: map[string][2]int{}}
	for i := range list {
		l := &list[i]
		want := l.Strategies
		if i%every == 0 {
			f.careless(t, l)
		}
		if len(want) == 0 || l.Due {
			continue
		}
		f.prompts++
		alone, refusal := parser.Rules(l.Prompt, parser.Overrides{})
		if refusal == nil && isOneOf(want, alone.Strategy) {
			f.rules++
		}
		answer, err := json.Marshal(want[0])
		require.NoError(t, err)
		res, no := parser.Parse(t.Context(), answering(t, string(answer)), l.Prompt, parser.Overrides{})
		f.judge(t, l, want, res, no)
		whole := withQuotes(t, string(answer), l.Prompt)
		if res, no := parser.Parse(t.Context(), answering(t, whole), l.Prompt, parser.Overrides{}); no == nil && isOneOf(want, res.Strategy) {
			f.quoted++
		}
		if i%every == 0 {
			f.mutate(t, l, want, string(answer), refusal == nil)
		}
	}
	return f
}

// withQuotes adds the sentences of the prompt as quotes of every field.
func withQuotes(t *testing.T, answer, prompt string) string {
	var o map[string]any
	require.NoError(t, json.Unmarshal([]byte(answer), &o))
	var quotes []map[string]string
	for _, field := range []string{"market.coin", "market.market_type", "side", "entry", "exit.take_profit", "exit.stop_loss", "budget_per_trade", "sample_size"} {
		quotes = append(quotes, map[string]string{"field": field, "words": strings.TrimSpace(prompt)})
	}
	o["quotes"] = quotes
	b, err := json.Marshal(o)
	require.NoError(t, err)
	return string(b)
}

func (f *figures) judge(t *testing.T, l *labelled.Prompt, want []strategy.Canonical, res *parser.Result, no *parser.Refusal) {
	switch {
	case no != nil && no.Offer().Confirm != nil && isOneOf(want, *no.Offer().Confirm):
		f.confirmed++
	case no != nil && suggests(no, want):
		f.suggested++
	case no != nil:
		if os.Getenv("LADDERBACK_SHOW") != "" {
			_, why := parser.Rules(l.Prompt, parser.Overrides{})
			note := "not asked"
			if answer, err := json.Marshal(want[0]); err == nil && why.MayBeRead() {
				known := guard.Known{Choices: why.Offer().Choices, Weighed: true}
				for i := range why.Obstacles {
					if o := &why.Obstacles[i]; !o.Unread {
						known.Doubted = append(known.Doubted, o.Span)
					}
				}
				if _, failure := answering(t, string(answer)).Read(t.Context(), l.Prompt, known); failure != nil {
					note = failure.Note
				}
			}
			t.Logf("refused %s %q\n  %s\n  %s", l.ID, l.Prompt, why.Message, note)
		}
	case isOneOf(want, res.Strategy):
		f.right++
	default:
		f.wrong++
		t.Logf("wrong by the %s: %s %q", res.Source, l.ID, l.Prompt)
	}
}

// suggests reports whether a prompt that is suggested means what is wanted, or a reading to
// choose from is that.
func suggests(no *parser.Refusal, want []strategy.Canonical) bool {
	if slices.ContainsFunc(no.Offer().Choices, func(s strategy.Canonical) bool { return isOneOf(want, s) }) {
		return true
	}
	res, _ := parser.Rules(no.Offer().Suggestion, parser.Overrides{})
	return res != nil && isOneOf(want, res.Strategy)
}

func (f *figures) mutate(t *testing.T, l *labelled.Prompt, want []strategy.Canonical, answer string, read bool) {
	for _, m := range llmtest.Mutations(answer) {
		s, err := strategy.Parse([]byte(m.JSON))
		if err != nil || isOneOf(want, s) {
			continue
		}
		f.mutants[read]++
		k := f.byKind[m.Kind]
		k[0]++
		res, no := parser.Parse(t.Context(), answering(t, m.JSON), l.Prompt, parser.Overrides{})
		if no == nil && res.Source == strategy.SourceLLM && !isOneOf(want, res.Strategy) {
			f.through[read]++
			k[1]++
			if os.Getenv("LADDERBACK_SHOW") != "" {
				t.Logf("through %s %s %s %q\n  %s", l.ID, m.Kind, m.Path, l.Prompt, res.Trace.Summary)
			}
		}
		if no != nil && no.Offer().Source == strategy.SourceLLM && !isOneOf(want, *no.Offer().Confirm) {
			f.misled[0]++
			if os.Getenv("LADDERBACK_SHOW") != "" {
				t.Logf("misled %s %s %s %v %q\n  %s", l.ID, m.Kind, m.Path, no.Offer().Alone, l.Prompt, no.Offer().Confirm.Summary())
			}
			if !slices.ContainsFunc(no.Offer().Alone, func(path string) bool { return marks(path, m.Path) }) {
				f.misled[1]++
				t.Logf("not marked %s %s %s %v %q\n  %s", l.ID, m.Kind, m.Path, no.Offer().Alone, l.Prompt, no.Offer().Confirm.Summary())
			}
		}
		f.byKind[m.Kind] = k
	}
}

// marks reports whether a field that is marked is the one that was changed, "a as b": taken
// for the other.
func marks(path, changed string) bool {
	head := func(s string) string {
		s = strings.NewReplacer("[", ".", "]", "").Replace(strings.TrimPrefix(s, "strategy."))
		if strings.HasPrefix(s, "entry") {
			s = "entry"
		}
		return s
	}
	from, to, _ := strings.Cut(changed, " as ")
	return head(path) == head(from) || head(path) == "exit."+to
}

// careless gives a prompt that the rules do not read the answers of a model that
// passes over some of its words: what the rules read without them.
func (f *figures) careless(t *testing.T, l *labelled.Prompt) {
	if _, refusal := parser.Rules(l.Prompt, parser.Overrides{}); refusal == nil || !refusal.MayBeRead() {
		return
	}
	for _, s := range withoutSomeWords(l.Prompt) {
		if isOneOf(l.Strategies, s) {
			continue
		}
		f.passing++
		answer, err := json.Marshal(s)
		require.NoError(t, err)
		res, no := parser.Parse(t.Context(), answering(t, string(answer)), l.Prompt, parser.Overrides{})
		switch {
		case no != nil && no.Offer().Source == strategy.SourceLLM:
			f.offered++
		case no == nil:
			f.believed++
			if os.Getenv("LADDERBACK_SHOW") != "" {
				t.Logf("believed %s %q\n  %s", l.ID, l.Prompt, res.Trace.Summary)
			}
		}
	}
}

// withoutSomeWords lists the strategies that the rules read in a prompt without
// one to ten words in a row.
func withoutSomeWords(prompt string) []strategy.Canonical {
	var out []strategy.Canonical
	words := strings.SplitAfter(prompt, " ")
	for i := range words {
		for j := i + 1; j <= min(i+10, len(words)); j++ {
			res, refusal := parser.Rules(strings.Join(words[:i], "")+strings.Join(words[j:], ""), parser.Overrides{})
			if refusal == nil && !isOneOf(out, res.Strategy) {
				out = append(out, res.Strategy)
			}
		}
	}
	return out
}

func (f *figures) report(t *testing.T, name string) {
	t.Logf("%s: %d prompts with a strategy: rules alone %d, right answers %d (with quotes %d), to confirm %d, suggested by the rules %d, wrong %d", name, f.prompts, f.rules, f.right, f.quoted, f.confirmed, f.suggested, f.wrong)
	t.Logf("  mutated answers offered to confirm: %d, of which the changed field is not marked: %d", f.misled[0], f.misled[1])
	for _, read := range []bool{true, false} {
		t.Logf("  mutated answers, prompts that the rules read=%v: %d, through %d", read, f.mutants[read], f.through[read])
	}
	var kinds []string
	for _, k := range slices.Sorted(maps.Keys(f.byKind)) {
		kinds = append(kinds, fmt.Sprintf("%s %d/%d", k, f.byKind[k][1], f.byKind[k][0]))
	}
	t.Logf("  answers that pass over words, where another answer or none is due: %d, offered to confirm %d, believed %d", f.passing, f.offered, f.believed)
	t.Logf("  through by kind: %s", strings.Join(kinds, ", "))
}

// What comes out beside a model that answers rightly, and beside one that has one
// thing wrong. LADDERBACK_MEASURE names files of labelled prompts to measure in
// place of every 24th of ours; LADDERBACK_SHOW prints what is not right.
func TestMeasuredWithAModel(t *testing.T) {
	t.Parallel()
	files, every := []string{"testdata/prompts.jsonl", "testdata/prompts2.jsonl"}, 24
	if more := os.Getenv("LADDERBACK_MEASURE"); more != "" {
		files, every = strings.Split(more, ","), 1
	}
	var list []labelled.Prompt
	for _, file := range files {
		list = append(list, labelled.Read(t, filepath.FromSlash(file))...)
	}
	f := measure(t, list, every)
	f.report(t, strings.Join(files, " "))
	require.Zero(t, f.through[true])
	require.LessOrEqual(t, (f.through[false]-1)*100, f.mutants[false]) // one of fewer than a hundred is none too many
	require.Zero(t, f.believed)
	require.LessOrEqual(t, (f.misled[0]-1)*50, f.mutants[false])
	require.Zero(t, f.misled[1])
}
