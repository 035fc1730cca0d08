package backtest_test

import (
	"testing"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/internal/backtesttest"
)

// BenchmarkBuild test ./replay/report -run '^$' -bench Build
func BenchmarkBuild(b *testing.B) {
	for _, size := range []struct {
		name string
		n    int
	}{{"200", 200}, {"10000", 10_000}} {
		b.Run(size.name, func(b *testing.B) {
			res := backtesttest.Result(size.n)
			for b.Loop() {
				backtesttest.Build(b, res, backtest.IncludeFills)
			}
		})
	}
}
