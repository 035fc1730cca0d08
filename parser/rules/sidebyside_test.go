package rules_test

import (
	"bufio"
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/parser"
	"github.com/ladderback/ladderback/parser/rules"
	"github.com/ladderback/ladderback/strategy"
)

var sideBySide = flag.Int("sidebyside", 0, "how many perturbed prompts to read by both parsers")

// Perturbed prompts are read by both parsers; every difference is listed, to be
// settled by the specification.
func TestSideBySide(t *testing.T) {
	if *sideBySide == 0 {
		t.Skip("run with -sidebyside N")
	}
	var prompts []string
	for _, path := range []string{"../testdata/prompts.jsonl", "../testdata/prompts2.jsonl", "../../../shared/prompts/voices.jsonl", "../../../shared/prompts/dev.jsonl"} {
		f, err := os.Open(path)
		require.NoError(t, err)
		in := bufio.NewScanner(f)
		in.Buffer(nil, 1<<20)
		for in.Scan() {
			var l struct {
				Prompt string
				Expect struct{ Strategy json.RawMessage }
			}
			require.NoError(t, json.Unmarshal(in.Bytes(), &l))
			if l.Expect.Strategy != nil {
				prompts = append(prompts, l.Prompt)
			}
		}
		require.NoError(t, f.Close())
	}
	rng := rand.New(rand.NewPCG(1, 2))
	both, differ, onlyNew, onlyOld := 0, 0, 0, 0
	for range *sideBySide {
		p := perturb(rng, prompts[rng.IntN(len(prompts))])
		old, oldNo := parser.Rules(p, parser.Overrides{})
		res, no := rules.Read(p, rules.Overrides{})
		switch {
		case oldNo == nil && no == nil:
			both++
			if !equal(old.Strategy, res.Strategy) {
				differ++
				t.Logf("DIFFER %q\n old %s\n new %s", p, old.Trace.Summary, res.Trace.Summary)
			}
		case no == nil:
			onlyNew++
			if onlyNew%20 == 0 {
				t.Logf("ONLYNEW %q\n new %s\n old %s", p, res.Trace.Summary, oldNo.Message)
			}
		case oldNo == nil:
			onlyOld++
		}
	}
	t.Logf("both %d, of them different %d; the new alone %d, the old alone %d", both, differ, onlyNew, onlyOld)
}

func equal(a, b strategy.Canonical) bool { return a.Equal(b) }

func perturb(rng *rand.Rand, p string) string {
	w := strings.Fields(p)
	if len(w) < 3 {
		return p
	}
	i := rng.IntN(len(w))
	switch rng.IntN(3) {
	case 0:
		w = append(w[:i:i], w[i+1:]...)
	case 1:
		j := min(i+1, len(w)-1)
		w[i], w[j] = w[j], w[i]
	default:
		w = append(w[:i:i], append([]string{w[i]}, w[i:]...)...)
	}
	return strings.Join(w, " ")
}
