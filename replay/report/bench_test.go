package report_test

import (
	"testing"

	"github.com/ladderback/ladderback/replay/report"
)

// go test ./replay/report -run '^$' -bench Build
func BenchmarkBuild(b *testing.B) {
	for _, size := range []struct {
		name string
		n    int
	}{{"200", 200}, {"10000", 10_000}} {
		b.Run(size.name, func(b *testing.B) {
			res := fixture(size.n)
			for b.Loop() {
				build(b, res, report.IncludeFills)
			}
		})
	}
}
