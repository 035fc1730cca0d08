package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/care"
)

// Rounds whose tops are missing are no damage, but a reader
// learns what to do about them.
func TestVerificationNamesWhatIsSlow(t *testing.T) {
	t.Parallel()
	for untopped, want := range map[int64]bool{0: false, 1200: true} {
		var out bytes.Buffer
		a := &cli{out: &out}
		require.NoError(t, a.tellVerification(&care.Verification{Markets: 2000, Untopped: untopped}))
		require.Contains(t, out.String(), "no damage found")
		require.Equal(t, want, bytes.Contains(out.Bytes(), []byte("1,200 rounds without tops; 'ladderback archive copy' makes them in another archive")))
	}
}
