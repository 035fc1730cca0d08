package parser_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/parser"
	"github.com/ladderback/ladderback/strategy"
)

// promptsEnv names the folder of labelled prompts that are no part of the
// project.
const promptsEnv = "LADDERBACK_PROMPTS"

// expectation is one right answer: a strategy or a code.
type expectation struct {
	Strategy json.RawMessage `json:"strategy"`
	Error    string          `json:"error"`
}

type labelled struct {
	ID         string        `json:"id"`
	Prompt     string        `json:"prompt"`
	Expect     expectation   `json:"expect"`
	AlsoAccept []expectation `json:"also_accept"`
}

// readLabelled reads labelled prompts, one JSON object a line.
func readLabelled(t testing.TB, path string) []labelled {
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	var out []labelled
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		if len(in.Bytes()) == 0 {
			continue
		}
		var l labelled
		require.NoError(t, json.Unmarshal(in.Bytes(), &l), "%s", in.Text())
		out = append(out, l)
	}
	require.NoError(t, in.Err())
	return out
}

// verdict judges an answer: "right", "wrong" (a strategy that is not among the
// right ones, or where a refusal is due) or "refused".
func verdict(t testing.TB, l labelled) (string, string) {
	res, refusal := parser.Rules(l.Prompt, parser.Overrides{})
	all := append([]expectation{l.Expect}, l.AlsoAccept...)
	if refusal != nil {
		for _, e := range all {
			if e.Error == refusal.Code {
				return "right", refusal.Code
			}
		}
		return "refused", refusal.Code + ": " + refusal.Message
	}
	got, err := json.Marshal(res.Strategy)
	require.NoError(t, err)
	for _, e := range all {
		if e.Error != "" {
			continue
		}
		want, err := strategy.Parse(e.Strategy)
		require.NoError(t, err, "%s: the label is not valid: %s", l.ID, e.Strategy)
		if want.Equal(res.Strategy) {
			return "right", string(got)
		}
	}
	return "wrong", string(got)
}

// checkLabelled reports every prompt that is not answered rightly.
func checkLabelled(t *testing.T, list []labelled) {
	counts := map[string]int{}
	misses := readMisses(t)
	for _, l := range list {
		v, got := verdict(t, l)
		counts[v]++
		if v != "right" && (v != "refused" || !isMiss(misses, "labelled", l.ID)) {
			want, _ := json.Marshal(l.Expect)
			t.Errorf("%s %s\n prompt %q\n got    %s\n want   %s", v, l.ID, l.Prompt, got, want)
		}
	}
	t.Logf("%d prompts: %d right, %d wrong, %d refused", len(list), counts["right"], counts["wrong"], counts["refused"])
}

// The project's own labelled prompts, written and labelled from the rules alone.
// A wrong strategy is never allowed; what is refused though it can be understood
// is listed.
func TestLabelledPrompts(t *testing.T) {
	t.Parallel()
	misses := readMisses(t)
	for _, file := range []string{"testdata/prompts.jsonl", "testdata/prompts2.jsonl"} {
		counts := map[string]int{}
		for _, l := range readLabelled(t, file) {
			v, got := verdict(t, l)
			counts[v]++
			want := "right"
			if isMiss(misses, "labelled", l.ID) {
				want = "refused"
			}
			if v != want {
				t.Errorf("%s %s: expected %s\n prompt %q\n got    %s", v, l.ID, want, l.Prompt, got)
			}
		}
		t.Logf("%s: %d right, %d wrong, %d refused", file, counts["right"], counts["wrong"], counts["refused"])
	}
}

func TestLabelledPromptsFromOutside(t *testing.T) {
	t.Parallel()
	dir := os.Getenv(promptsEnv)
	if dir == "" {
		wd, err := os.Getwd()
		require.NoError(t, err)
		dir = filepath.Join(filepath.Dir(filepath.Dir(wd)), "shared", "prompts")
	}
	path := filepath.Join(dir, "dev.jsonl")
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no labelled prompts in %s; set %s to a folder that has dev.jsonl", dir, promptsEnv)
	}
	checkLabelled(t, readLabelled(t, path))
}
