package progress_test

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/report/progress"
)

// TestLines: where no bar is drawn, a line is written every three seconds, with what is left;
// a report that comes late takes nothing back, and an unknown total is left out.
func TestLines(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		bar := progress.Start(&out, "Replaying", progress.Count("markets"), false, false)
		said := func() string { defer out.Reset(); return out.String() }
		time.Sleep(2 * time.Second)
		bar.Set(1000, 4000)
		require.Empty(t, said())
		time.Sleep(time.Second)
		bar.Set(1500, 4000)
		require.Equal(t, "Replaying: 1,500 of 4,000 markets, 500/s, 5s left\n", said())
		bar.Set(1600, 4000)
		require.Empty(t, said(), "one a time")
		time.Sleep(3 * time.Second)
		bar.Set(900, 4000)
		require.Equal(t, "Replaying: 1,600 of 4,000 markets, 266/s, 9s left\n", said())
		bar.Stop()
		require.Empty(t, said())

		bar = progress.Start(&out, "Importing", progress.Bytes(), false, false)
		time.Sleep(4 * time.Second)
		bar.Set(1_500_000, 0)
		require.Equal(t, "Importing: 1.5 MB\n", said())
		time.Sleep(8 * time.Second)
		bar.Set(2_000_000, 2_000_003)
		require.Equal(t, "Importing: 2.0 MB of 2.0 MB, 166.7 kB/s, 0s left\n", said())

		bar = progress.Start(&out, "Slowly", progress.Count("rounds"), false, false)
		time.Sleep(10 * time.Second)
		bar.Set(5, 10)
		require.Equal(t, "Slowly: 5 of 10 rounds, 10s left\n", said(), "less than one a second is no rate")
	})
}

// TestQuiet: nothing is written, with or without a bar.
func TestQuiet(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		for _, drawn := range []bool{true, false} {
			bar := progress.Start(&out, "Replaying", progress.Count("markets"), drawn, true)
			time.Sleep(time.Hour)
			bar.Set(1, 2)
			bar.Stop()
		}
		require.Empty(t, out.String())
	})
}
