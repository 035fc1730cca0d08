package parser

import (
	"bufio"
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/internal/llmtest"
	"github.com/ladderback/ladderback/strategy"
)

// labelled is a prompt with the answers that are right; none: it has to be
// refused.
type labelled struct {
	ID     string `json:"id"`
	Prompt string `json:"prompt"`
	Expect struct {
		Strategy json.RawMessage `json:"strategy"`
		Error    string          `json:"error"`
	} `json:"expect"`
	AlsoAccept []struct {
		Strategy json.RawMessage `json:"strategy"`
		Error    string          `json:"error"`
	} `json:"also_accept"`
}

// accepted returns the canonical JSON of every right answer.
func (l *labelled) accepted(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, raw := range append([]json.RawMessage{l.Expect.Strategy}, l.also()...) {
		if len(raw) == 0 || string(raw) == "null" {
			continue
		}
		s, err := strategy.Parse(raw)
		require.NoError(t, err, l.ID)
		out = append(out, jsonOf(t, s))
	}
	return out
}

func (l *labelled) also() []json.RawMessage {
	var out []json.RawMessage
	for _, a := range l.AlsoAccept {
		out = append(out, a.Strategy)
	}
	return out
}

func jsonOf(t *testing.T, s strategy.Canonical) string {
	t.Helper()
	b, err := json.Marshal(s)
	require.NoError(t, err)
	return string(b)
}

func readLabelled(t *testing.T, path string) []labelled {
	t.Helper()
	text, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		t.Skipf("no labelled prompts: %v", err)
	}
	require.NoError(t, err)
	var out []labelled
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var l labelled
		require.NoError(t, json.Unmarshal(lines.Bytes(), &l), "%s", lines.Bytes())
		out = append(out, l)
	}
	require.NoError(t, lines.Err())
	return out
}

// handlerTransport answers requests by a handler, without a network.
type handlerTransport struct{ http.Handler }

func (h handlerTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result(), nil
}

// answering returns a model whose server always gives one answer.
func answering(t *testing.T, answer string, script ...llmtest.Behaviour) *Model {
	t.Helper()
	m, err := NewModel(ModelConfig{
		BaseURL: "http://model.invalid/v1", Model: "test", Backoff: time.Nanosecond, BreakerFailures: 1 << 30,
		Transport: handlerTransport{&llmtest.Server{Fallback: answer, Script: script}},
	})
	require.NoError(t, err)
	return m
}

// tally counts what became of prompts.
type tally struct{ asked, right, refused, wrong, llm int }

// count judges one outcome and reports whether it is wrong by the model.
func (c *tally) count(t *testing.T, l *labelled, res *Result) (wrongByModel bool) {
	t.Helper()
	c.asked++
	switch {
	case res == nil:
		c.refused++
	case slices.Contains(l.accepted(t), jsonOf(t, res.Strategy)):
		c.right++
	default:
		c.wrong++
		wrongByModel = res.Source == strategy.SourceLLM
		if os.Getenv("LADDERBACK_SHOW_WRONG") != "" {
			t.Logf("wrong: %s (%s, %s): %q: %s", l.ID, res.Source, res.Note, l.Prompt, jsonOf(t, res.Strategy))
		}
	}
	if res != nil && res.Source == strategy.SourceLLM {
		c.llm++
	}
	return wrongByModel
}

// measures is what TestGuardsOnLabelledPrompts counts.
type measures struct {
	rules, correct, silent, refusals tally
	byKind                           map[string]*mutants
}

// mutants counts what became of answers with one thing changed.
type mutants struct {
	tally
	valid   int // that are valid strategies
	by      int // let through by grounding alone
	through int // let through by everything
}

// TestGuardsOnLabelledPrompts measures what comes out when a model answers
// rightly, wrongly in every way that is one change away, where a refusal is
// due, and not at all. LADDERBACK_PROMPTS names another file of labelled
// prompts and has all of both measured, not every eighth prompt of ours;
// LADDERBACK_SHOW_WRONG prints what is wrong.
func TestGuardsOnLabelledPrompts(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{"ours": filepath.Join("testdata", "prompts.jsonl"), "given": os.Getenv("LADDERBACK_PROMPTS")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if path == "" {
				t.Skip("set LADDERBACK_PROMPTS to a file of labelled prompts")
			}
			prompts := readLabelled(t, path)
			step := 1
			if os.Getenv("LADDERBACK_PROMPTS") == "" {
				step = 8 // all of them take half a minute
			}
			m := &measures{byKind: map[string]*mutants{}}
			for i := 0; i < len(prompts); i += step {
				m.prompt(t, &prompts[i])
			}
			m.report(t, len(prompts))
			require.Zero(t, m.correct.wrong-m.rules.wrong, "a right answer made something wrong")
			require.Equal(t, m.rules, m.silent, "without a model it is the rules alone")
			all, through := 0, 0
			for _, k := range m.byKind {
				all, through = all+k.valid, through+k.through
			}
			require.Less(t, float64(through), 0.02*float64(all), "of %d wrong answers %d were believed", all, through)
		})
	}
}

func (m *measures) prompt(t *testing.T, l *labelled) {
	rules, _ := Rules(l.Prompt, Overrides{})
	accepted := l.accepted(t)
	if len(accepted) == 0 {
		// The model makes something up: the rules' reading of nothing.
		res, _ := Parse(t.Context(), answering(t, ""), l.Prompt, Overrides{})
		m.refusals.count(t, l, res)
		return
	}
	m.rules.count(t, l, rules)
	res, _ := Parse(t.Context(), answering(t, accepted[0]), l.Prompt, Overrides{})
	m.correct.count(t, l, res)
	res, _ = Parse(t.Context(), answering(t, "", llmtest.Unauthorized), l.Prompt, Overrides{})
	m.silent.count(t, l, res)
	for _, mutation := range llmtest.Mutations(accepted[0]) {
		s, err := strategy.Parse([]byte(mutation.JSON))
		if err != nil || slices.Contains(accepted, jsonOf(t, s)) {
			continue
		}
		k := m.byKind[mutation.Kind]
		if k == nil {
			k = &mutants{}
			m.byKind[mutation.Kind] = k
		}
		k.valid++
		p, refusal := prepare(l.Prompt)
		require.Nil(t, refusal)
		object := s.Strategy()
		if gather(p).ground(&object) == nil {
			k.by++
		}
		res, _ := Parse(t.Context(), answering(t, mutation.JSON), l.Prompt, Overrides{})
		if k.count(t, l, res) {
			k.through++
		}
	}
}

func (m *measures) report(t *testing.T, prompts int) {
	t.Logf("%d prompts; with a strategy: rules alone %+v, right answers %+v, no answers %+v", prompts, m.rules, m.correct, m.silent)
	t.Logf("where a refusal is due and the model answers all the same: %+v", m.refusals)
	all := mutants{}
	for _, kind := range slices.Sorted(maps.Keys(m.byKind)) {
		k := m.byKind[kind]
		t.Logf("  %-10s %4d wrong answers: believed by grounding alone %3d, by all guards %3d", kind, k.valid, k.by, k.through)
		all.valid, all.by, all.through = all.valid+k.valid, all.by+k.by, all.through+k.through
	}
	t.Logf("  %-10s %4d wrong answers: believed by grounding alone %3d, by all guards %3d", "all", all.valid, all.by, all.through)
}
