package heap_test

import (
	"os"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/app/heap"
)

// After the first collection garbage is collected as it usually is.
func TestUsualAfterTheFirstCollection(t *testing.T) {
	if os.Getenv("GOGC") != "" {
		t.Skip("GOGC is set")
	}
	percent := func() int {
		p := debug.SetGCPercent(heap.Usual)
		debug.SetGCPercent(p)
		return p
	}
	require.GreaterOrEqual(t, percent(), heap.Usual)
	require.Eventually(t, func() bool { runtime.GC(); return percent() == heap.Usual }, time.Minute, time.Millisecond)
}
