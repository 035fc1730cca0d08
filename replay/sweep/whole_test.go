package sweep_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/replay/sweep"
)

// Amounts are read as people write them, exactly.
func TestAxisInCents(t *testing.T) {
	t.Parallel()
	want, err := sweep.ParseAxis("exit.take_profit=0.5:0.6:0.05")
	require.NoError(t, err)
	for _, text := range []string{"exit.take_profit=50c:60c:5c", "exit.take_profit=$0.5:$0.6:$0.05"} {
		got, err := sweep.ParseAxis(text)
		require.NoError(t, err)
		require.Equal(t, want, got, text)
	}
	_, err = sweep.ParseAxis("exit.take_profit=0.00005c,1c")
	require.ErrorContains(t, err, "0.00005c")
}
