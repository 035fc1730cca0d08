package simulate

import (
	"crypto/sha256"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTables: every simulated archive that was ever recorded depends on these
// numbers, to the last digit.
func TestTables(t *testing.T) {
	t.Parallel()
	sum := func(v []int64) string { return fmt.Sprintf("%d %x", len(v), sha256.Sum256(fmt.Append(nil, v)))[:19] }
	require.Equal(t, "97 5e21b8898c449612", sum(cdfTable))
	require.Equal(t, "33 fbceba294b15469f", sum(slopeTable))
	require.Equal(t, []int64{500_000_000, 841_344_746, 977_249_868, 998_650_102}, []int64{cdfTable[0], cdfTable[16], cdfTable[32], cdfTable[48]})
	require.EqualValues(t, 398_942_280, slopeTable[32])
}
