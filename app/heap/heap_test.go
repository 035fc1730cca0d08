package heap_test

import (
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/app/heap"
)

// child has what GOGC is to be after the first collection, in a program that this test starts.
const child = "LADDERBACK_HEAP_TEST"

// TestUsualAfterTheFirstCollection: garbage is collected late at first, and after that as it usually
// is; where GOGC is set, as that says. A program of its own tells: tests run with a GOGC.
func TestUsualAfterTheFirstCollection(t *testing.T) {
	t.Parallel()
	if then := os.Getenv(child); then != "" {
		want, err := strconv.Atoi(then)
		require.NoError(t, err)
		if os.Getenv("GOGC") == "" {
			require.Greater(t, percent(), heap.Usual)
		}
		require.Eventually(t, func() bool { runtime.GC(); return percent() == want }, time.Minute, time.Millisecond)
		return
	}
	for gogc, want := range map[string]int{"": heap.Usual, "250": 250} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestUsualAfterTheFirstCollection$", "-test.count=1")
		cmd.Env = slices.DeleteFunc(os.Environ(), func(s string) bool { return strings.HasPrefix(s, "GOGC=") })
		if cmd.Env = append(cmd.Env, child+"="+strconv.Itoa(want)); gogc != "" {
			cmd.Env = append(cmd.Env, "GOGC="+gogc)
		}
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
}

// percent is GOGC as it is.
func percent() int {
	p := debug.SetGCPercent(heap.Usual)
	debug.SetGCPercent(p)
	return p
}
