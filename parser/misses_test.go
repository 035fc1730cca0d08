package parser_test

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// missesFile lists what the rules are known not to read, one a line: a kind, the
// id or the prompt (of a law: the most that may break it), and why. Nothing is
// added to it: what is read again is taken out.
const missesFile = "testdata/misses.txt"

type miss struct{ kind, key, why string }

func readMisses(t testing.TB) []miss {
	data, err := os.ReadFile(missesFile)
	require.NoError(t, err)
	var out []miss
	for line := range strings.SplitSeq(string(data), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		f := strings.Split(line, "\t")
		require.Len(t, f, 3, "%s", line)
		out = append(out, miss{f[0], f[1], f[2]})
	}
	return out
}

// isMiss reports whether something is known not to be read.
func isMiss(list []miss, kind, key string) bool {
	return slices.ContainsFunc(list, func(m miss) bool { return m.kind == kind && m.key == key })
}

// law counts how often something that should always hold does not.
type law struct {
	t      testing.TB
	name   string
	limit  int
	broken []string
	tried  int
}

func newLaw(t testing.TB, name string) *law {
	l := &law{t: t, name: name}
	for _, m := range readMisses(t) {
		if m.kind == "law" {
			if of, limit, _ := strings.Cut(m.key, " "); of == name {
				n, err := strconv.Atoi(limit)
				require.NoError(t, err)
				l.limit = n
			}
		}
	}
	return l
}

func (l *law) hold(ok bool, format string, args ...any) {
	l.tried++
	if !ok {
		l.broken = append(l.broken, fmt.Sprintf(format, args...))
	}
}

// done fails the test where the law is broken more often than is known.
func (l *law) done() {
	l.t.Logf("law %s: %d of %d broken, %d known", l.name, len(l.broken), l.tried, l.limit)
	if len(l.broken) > l.limit {
		for _, b := range l.broken[:min(len(l.broken), l.limit+5)] {
			l.t.Error(b)
		}
	}
}
