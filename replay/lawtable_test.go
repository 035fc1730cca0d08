package replay_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var updateTable = flag.Bool("update-laws", false, "write the table of mutants into docs/internals/laws.md")

const (
	lawsDoc    = "../docs/internals/laws.md"
	tableBegin = "<!-- mutants -->\n"
	tableEnd   = "<!-- end -->\n"
)

// TestLawTable holds the table of docs/internals/laws.md: which laws notice which mutant.
func TestLawTable(t *testing.T) {
	t.Parallel()
	const archives = 150
	shown := []string{
		"future perturbation", "never better than the book", "monotone in size", "conservation", "mirror",
		"agreement with the oracle", "any number of workers",
	}
	g := newFairGame(t, 200)
	family, inMemory := fairFamily(24), g.archive()
	var b strings.Builder
	b.WriteString("| Mutant | 1 future | 2 fair game | 3 book | 3 size | 4 conservation | 5 mirror | 6 oracle | 7 workers |\n")
	b.WriteString("|---|---|---|---|---|---|---|---|---|\n")
	for _, m := range mutants {
		row := []string{m.name}
		for _, name := range shown {
			row = append(row, noticed(m, name, archives))
		}
		l := &lab{archive: inMemory, running: inMemory}
		found, err := g.play(inMemory, m.broken(l), family)
		require.NoError(t, err)
		fair := found.kinds()
		row = append(row[:2], append([]string{fair}, row[2:]...)...)
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
		require.NotEmpty(t, strings.Join(row[1:], ""), "%s: no law notices", m.name)
	}

	doc, err := os.ReadFile(lawsDoc)
	require.NoError(t, err)
	before, rest, ok := strings.Cut(string(doc), tableBegin)
	require.True(t, ok)
	table, after, ok := strings.Cut(rest, tableEnd)
	require.True(t, ok)
	if *updateTable {
		require.NoError(t, os.WriteFile(lawsDoc, []byte(before+tableBegin+b.String()+tableEnd+after), 0o644))
		return
	}
	require.Equal(t, table, b.String(), "run go test ./replay -run TestLawTable -update-laws")
}

// noticed returns a tick when the law notices the mutant in one of the archives.
func noticed(m mutant, name string, archives uint64) string {
	law := lawOf(name)
	for seed := range archives {
		l := newLab(seed)
		l.broken = m.broken(l)
		if law.check(l) != nil {
			return "✓"
		}
	}
	return ""
}

// kinds says by what the game was found unfair, briefly.
func (f *fairFound) kinds() string {
	var out []string
	if f.pnl[0] <= familyWise {
		out = append(out, "pnl")
	}
	if f.luck[0] <= familyWise {
		out = append(out, "moves")
	}
	if f.tooGood != "" {
		out = append(out, "a trade")
	}
	return strings.Join(out, ", ")
}
