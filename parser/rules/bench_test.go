package rules_test

import (
	"testing"

	"github.com/ladderback/ladderback/internal/labelled"
	"github.com/ladderback/ladderback/parser/rules"
)

// go test ./parser/rules -run xxx -bench Read
func BenchmarkRead(b *testing.B) {
	list := labelled.Read(b, "../testdata/prompts2.jsonl")
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		_, _ = rules.Read(list[i%len(list)].Prompt, rules.Overrides{})
	}
}
