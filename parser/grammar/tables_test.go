package grammar

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/parser/lexicon"
)

// The tables name nothing that is not defined, define nothing that is not used,
// and go round in no circle.
func TestTables(t *testing.T) {
	t.Parallel()
	g := load()
	require.NoError(t, errors.Join(g.checkNames(), g.checkUse(), g.checkActions(), g.checkCycles()))
}

// checkActions reports named actions that no rule takes.
func (g *table) checkActions() error {
	used := map[string]bool{}
	for i := range g.rules {
		for _, s := range g.rules[i].steps {
			used[s.name] = true
		}
	}
	var errs []error
	for name := range actions {
		if !used[name] && !strings.Contains(name, ":") { // ranges are of any quantity
			errs = append(errs, fmt.Errorf("no rule takes %s", name))
		}
	}
	return errors.Join(errs...)
}

// Actions write the slots that they declare, and no others: on every example.
func TestActionsWriteWhatTheyDeclare(t *testing.T) {
	t.Parallel()
	g := load()
	wrote := map[string]bool{}
	for i := range g.rules {
		for k := range g.rules[i].steps {
			s := &g.rules[i].steps[k]
			name, act := s.name, s.act
			s.act.f = func(parts []*Meaning, out *Meaning) bool {
				before := *out
				ok := act.f(parts, out)
				for r := Slot(0); ok && r < nSlots; r++ {
					if out.Has(r) && (!before.Has(r) || out.v[r] != before.v[r]) && act.writes&(1<<r) == 0 {
						t.Errorf("%s writes slot %d", name, r)
					}
				}
				if ok && out.x != nil && (before.x == nil || out.x.hash != before.x.hash) && act.writes&xBit == 0 {
					t.Errorf("%s writes conditions", name)
				}
				wrote[name] = true
				return ok
			}
		}
	}
	c := newChart()
	for i := range g.lines {
		for _, example := range g.lines[i].Examples() {
			c.reset(g, lexicon.Read(example))
			c.parse()
		}
	}
	for name := range actions {
		require.True(t, wrote[name] || strings.Contains(name, ":"), "no example takes %s", name)
	}
}

func isCategory(name string) bool { return name[0] != '\'' && strings.ToLower(name) == name }

// checkNames reports symbols that nothing defines.
func (g *table) checkNames() error {
	have := map[string]bool{}
	for i := range g.rules {
		have[g.names[g.rules[i].lhs]] = true
	}
	define := func(e *lexicon.Entry) { have[e.Class], have["'"+e.Name+"'"] = true, true }
	heads := lexicon.Heads()
	for i := range heads {
		define(&heads[i])
	}
	texts := []string{"9:30", "more than -100c below"} // in no example
	for _, name := range g.names {
		texts = append(texts, strings.Trim(name, "'"))
	}
	for i := range g.lines {
		texts = append(texts, g.lines[i].Examples()...)
	}
	for _, text := range texts { // numbers, and the names that phrases give themselves
		for _, x := range lexicon.Read(text).Lexemes {
			define(lexicon.Entries()[x.Entry])
		}
	}
	var errs []error
	for _, name := range g.names[1:] {
		if !have[name] {
			errs = append(errs, fmt.Errorf("nothing is %s", name))
		}
	}
	return errors.Join(errs...)
}

// partsOfLine returns the parts of a rule, as partsOf does.
func (g *table) partsOfLine(i int) []symbol {
	rhs, _, _ := strings.Cut(g.lines[i].Text, " : ")
	return g.partsOf(nil, rhs)
}

// splitParts goes through the parts, without their ends.
func splitParts(parts []symbol) iter.Seq[[]symbol] {
	return func(yield func([]symbol) bool) {
		for end := 0; len(parts) > 0; parts = parts[end+1:] {
			if end = slices.Index(parts, endOfPart); !yield(parts[:end]) {
				return
			}
		}
	}
}

// checkUse reports categories that nothing uses.
func (g *table) checkUse() error {
	used := make([]bool, len(g.names))
	for i := range g.rules {
		for _, s := range g.partsOfLine(i) {
			if s > 0 && s != g.rules[i].lhs {
				used[s] = true
			}
		}
	}
	var errs []error
	for s, name := range g.names[1:] {
		if isCategory(name) && !used[s+1] && g.kind[s+1] == notItem {
			errs = append(errs, fmt.Errorf("nothing uses %s", name))
		}
	}
	return errors.Join(errs...)
}

// checkCycles reports categories that are themselves by unary rules that do
// not change the meaning.
func (g *table) checkCycles() error {
	unary := map[symbol][]symbol{}
	for i := range g.rules {
		parts := slices.Collect(splitParts(g.partsOfLine(i)))
		for k, part := range parts {
			others := slices.Delete(slices.Clone(parts), k, k+1)
			if !slices.ContainsFunc(others, func(p []symbol) bool { return p[0] != maybe }) {
				unary[g.rules[i].lhs] = append(unary[g.rules[i].lhs], part...)
			}
		}
	}
	var errs []error
	for s := range unary {
		if reaches(unary, s, s, map[symbol]bool{}) {
			errs = append(errs, fmt.Errorf("%s is itself by rules of one part", g.names[s]))
		}
	}
	return errors.Join(errs...)
}

func reaches(unary map[symbol][]symbol, from, to symbol, seen map[symbol]bool) bool {
	for _, s := range unary[from] {
		if s == to {
			return true
		}
		if !seen[s] {
			seen[s] = true
			if reaches(unary, s, to, seen) {
				return true
			}
		}
	}
	return false
}

// Every flag of the table of what may be passed over is one, and every line of it
// has a bound and a verdict.
func TestPasses(t *testing.T) {
	t.Parallel()
	for line := range strings.Lines(passesText) {
		head, _, ok := strings.Cut(line, ": ")
		if !ok || line[0] == '#' {
			continue
		}
		words := formParts(head)
		require.Contains(t, []string{"clause", "sentence", "part", "story", "mood", "opening", "word", "left", "rest", "lead", "behind", "statement", "aside"}, words[0], line)
		require.Contains(t, []string{"rule", "pass"}, words[1], line)
		require.LessOrEqual(t, len(words), 3, line)
		for _, part := range formParts(strings.TrimSpace(strings.Replace(line, ": ", " : ", 1))) {
			if part[0] != '[' {
				continue
			}
			for name := range strings.FieldsSeq(strings.Trim(part, "[]*:")) {
				require.NotZero(t, flagOf[strings.TrimPrefix(name, "-")], line)
			}
		}
	}
}
