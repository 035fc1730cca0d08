package grammar_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ladderback/ladderback/parser/grammar"
)

// Every example of a rule is read as its category, by that rule.
func TestExamples(t *testing.T) {
	t.Parallel()
	for _, line := range grammar.Lines() {
		for _, example := range line.Examples() {
			p := grammar.New(example)
			if node, ok := p.As(line.Category); assert.True(t, ok, "%s:%d: %q is no %s", line.File, line.Number, example, line.Category) {
				assert.True(t, uses(&node, line.File, line.Number), "%s:%d: %q is read by other rules", line.File, line.Number, example)
			}
			p.Close()
		}
	}
}

func uses(n *grammar.Node, file string, number int) bool {
	if n.Line != nil && n.Line.File == file && n.Line.Number == number {
		return true
	}
	for i := range n.Parts {
		if uses(&n.Parts[i], file, number) {
			return true
		}
	}
	return false
}
