package parser_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/internal/labelled"
	"github.com/ladderback/ladderback/parser"
)

// clause is something that is said beside a prompt.
type clause struct{ kind, text string }

func readClauses(t *testing.T, path string) []clause {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var out []clause
	for line := range strings.Lines(string(text)) {
		kind, list, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if ok && line[0] != '#' {
			for c := range strings.SplitSeq(list, " | ") {
				out = append(out, clause{kind, strings.TrimSpace(c)})
			}
		}
	}
	return out
}

// places say how a clause is put beside a prompt, and where: they return what is
// before the clause, the clause, and what is behind it.
var places = []struct {
	name string
	put  func(prompt, clause string) (head, said, tail string)
}{
	{"end", func(p, c string) (string, string, string) { p, stop := unstopped(p); return p + ", ", c, stop }},
	{"bare end", func(p, c string) (string, string, string) { p, stop := unstopped(p); return p + " ", c, stop }},
	{"sentence", func(p, c string) (string, string, string) { p, _ = unstopped(p); return p + ". ", capital(c), "." }},
	{"before", func(p, c string) (string, string, string) { return "", capital(c), ". " + p }},
	{"head", func(p, c string) (string, string, string) { return "", c, ", " + p }},
	{"middle", inTheMiddle},
	{"brackets", func(p, c string) (string, string, string) { p, stop := unstopped(p); return p + " (", c, ")" + stop }},
	{"item", func(p, c string) (string, string, string) { return p + "\n- ", c, "" }},
	{"semicolon", func(p, c string) (string, string, string) { p, stop := unstopped(p); return p + "; ", c, stop }},
	{"dash", func(p, c string) (string, string, string) { p, stop := unstopped(p); return p + " - ", c, stop }},
}

func unstopped(p string) (text, stop string) {
	text = strings.TrimRight(p, ".!? \n")
	return text, strings.TrimSpace(p[len(text):])
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// inTheMiddle puts a clause behind the border of clauses nearest to the middle.
func inTheMiddle(p, c string) (head, said, tail string) {
	at, best := 0, len(p)
	for _, border := range []string{", ", ". ", "; ", " and ", " when ", " if ", "\n"} {
		for from := 0; ; {
			k := strings.Index(p[from:], border)
			if k < 0 {
				break
			}
			from += k + 1
			if far := max(from-len(p)/2, len(p)/2-from); far < best {
				best, at = far, from-1
			}
		}
	}
	if at == 0 {
		return p + ", ", c, ""
	}
	return p[:at] + ", ", c, ", " + strings.TrimLeft(p[at:], ",;. \n")
}

// saying is a prompt with a clause beside it.
type saying struct {
	head, said, tail string
	base             string
	spans            []quotedField // of the base, in bytes
}

type quotedField struct {
	field    string
	from, to int
}

// answers are an answer without the clause, by what it quotes: nothing, the whole
// prompt, each field's words, and those words with all that stands between them and
// the clause.
func (s *saying) answers(t *testing.T, answer string) map[string]string {
	prompt := s.head + s.said + s.tail
	var tight, wide []map[string]string
	for _, q := range s.spans {
		words := s.base[q.from:q.to]
		from := strings.Index(prompt, words)
		if from < 0 {
			continue
		}
		tight = append(tight, map[string]string{"field": q.field, "words": words})
		lo, hi := min(from, len(s.head)), max(from+len(words), len(s.head)+len(s.said))
		wide = append(wide, map[string]string{"field": q.field, "words": prompt[lo:hi]})
	}
	quoting := func(quotes []map[string]string) string {
		var o map[string]any
		require.NoError(t, json.Unmarshal([]byte(answer), &o))
		o["quotes"] = quotes
		b, err := json.Marshal(o)
		require.NoError(t, err)
		return string(b)
	}
	return map[string]string{"none": answer, "whole": withQuotes(t, answer, prompt), "words": quoting(tight), "wide": quoting(wide)}
}

// passed counts what became of prompts with a clause beside them.
type passed struct {
	made, read, silent, known, asked int
	believed                         map[string]int // by what is quoted
	any                              int            // prompts with one that is
	kinds                            map[string][2]int
}

func (f *passed) try(t *testing.T, l *labelled.Prompt, c clause, place int, spans []quotedField) {
	s := saying{base: l.Prompt, spans: spans}
	s.head, s.said, s.tail = places[place].put(l.Prompt, c.text)
	prompt := s.head + s.said + s.tail
	f.made++
	show := os.Getenv("LADDERBACK_SHOW") != ""
	k := f.kinds[c.kind]
	defer func() { f.kinds[c.kind] = k }()
	k[0]++
	res, refusal := parser.Rules(prompt, parser.Overrides{})
	switch {
	case refusal == nil && isOneOf(l.Strategies, res.Strategy):
		f.silent++
		if show {
			t.Logf("silent %s/%s %q", c.kind, places[place].name, prompt)
		}
		return
	case refusal == nil:
		f.read++
		if show {
			t.Logf("read %s/%s %q\n  %s\n  %s", c.kind, places[place].name, prompt, l.Strategies[0].Summary(), res.Trace.Summary)
		}
		return
	case !refusal.Unread:
		f.known++
		return
	}
	f.asked++
	answer, err := json.Marshal(l.Strategies[0])
	require.NoError(t, err)
	var by []string
	for name, a := range s.answers(t, string(answer)) {
		if _, no := parser.Parse(t.Context(), answering(t, a), prompt, parser.Overrides{}); no == nil {
			f.believed[name]++
			by = append(by, name)
		}
	}
	if len(by) > 0 {
		f.any++
		k[1]++
		if show {
			slices.Sort(by)
			t.Logf("believed %s/%s %v %q", c.kind, places[place].name, by, prompt)
		}
	}
}

// spansOf are the words of a prompt that became each field, in bytes.
func spansOf(prompt string, res *parser.Result) []quotedField {
	at := []int{}
	for i := range prompt {
		at = append(at, i)
	}
	at = append(at, len(prompt))
	var out []quotedField
	for _, s := range res.Trace.Spans {
		if s.Field != "" {
			out = append(out, quotedField{s.Field, at[s.Start], at[s.End]})
		}
	}
	return out
}

// An answer that passes over a clause which the object cannot say, or which changes
// what is beside it, is not believed, whatever it quotes. LADDERBACK_ADDED is how many
// clauses are put beside each prompt of LADDERBACK_MEASURE, else of every eighth of
// ours; LADDERBACK_CLAUSES names another list of them.
func TestAClauseIsNeverPassedOver(t *testing.T) {
	t.Parallel()
	files, every, each := []string{"testdata/prompts.jsonl", "testdata/prompts2.jsonl"}, 8, 3
	if more := os.Getenv("LADDERBACK_MEASURE"); more != "" {
		files, every = strings.Split(more, ","), 1
	}
	if n, err := strconv.Atoi(os.Getenv("LADDERBACK_ADDED")); err == nil {
		each = n
	}
	path := "testdata/added.txt"
	if p := os.Getenv("LADDERBACK_CLAUSES"); p != "" {
		path = p
	}
	clauses := readClauses(t, path)
	f, draw, n := &passed{believed: map[string]int{}, kinds: map[string][2]int{}}, rand.New(rand.NewPCG(1, 2)), 0
	for _, file := range files {
		for _, l := range labelled.Read(t, filepath.FromSlash(file)) {
			if n++; n%every != 0 || len(l.Strategies) == 0 || l.Due || strings.HasPrefix(l.Prompt, "{") {
				continue
			}
			res, refusal := parser.Rules(l.Prompt, parser.Overrides{})
			if refusal != nil || !isOneOf(l.Strategies, res.Strategy) {
				continue
			}
			spans := spansOf(l.Prompt, res)
			for range each {
				f.try(t, &l, clauses[draw.IntN(len(clauses))], draw.IntN(len(places)), spans)
			}
		}
	}
	t.Logf("%d prompts with a clause beside them: refused by the rules as known %d, read as the prompt without it %d, as something else %d", f.made, f.known, f.silent, f.read)
	t.Logf("  asked %d; answers without the clause believed %d: by quotes %v", f.asked, f.any, f.believed)
	var kinds []string
	for _, k := range slices.Sorted(maps.Keys(f.kinds)) {
		if f.kinds[k][1] > 0 {
			kinds = append(kinds, fmt.Sprintf("%s %d/%d", k, f.kinds[k][1], f.kinds[k][0]))
		}
	}
	t.Logf("  believed by kind: %s", strings.Join(kinds, ", "))
	require.Greater(t, f.asked, 100)
	require.LessOrEqual(t, f.any*100, f.asked*7)
}
