package app

import (
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRoomyPercent(t *testing.T) {
	t.Parallel()
	const before = 100
	for inUse, want := range map[uint64]int{
		0: before, 1 << 20: 1600, 8 << 20: 700, 16 << 20: 300, 32 << 20: before, 63 << 20: before, 64 << 20: before, 1 << 30: before,
	} {
		require.Equal(t, want, gcPercent(inUse, before), inUse)
	}
	require.Equal(t, 400, gcPercent(60<<20, 400), "never less than before")
	require.Equal(t, serverGC, gcPercent(60<<20, serverGC))
}

// The collector is as it was once a command has ended, also when it has run meanwhile.
func TestRoomyEnds(t *testing.T) {
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	a := &App{Getenv: func(string) string { return "" }}
	end := a.LargeHeap()
	require.Greater(t, debug.SetGCPercent(200), 100)
	runtime.GC()
	end()
	runtime.GC()
	require.Equal(t, 100, debug.SetGCPercent(100))

	end = a.serverHeap()
	require.Greater(t, debug.SetGCPercent(200), 100, "of a server with little in use")
	end()
	require.Equal(t, 100, debug.SetGCPercent(100))

	a.Getenv = func(string) string { return "50" }
	end = a.LargeHeap()
	require.Equal(t, 100, debug.SetGCPercent(100), "set by the user")
	end()
}
