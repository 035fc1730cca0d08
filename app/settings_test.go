package app

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A variable that begins like a setting and is none is told: it was mistyped.
func TestUnknownVariables(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"LADDERBACK_ADRESS", "LADDERBACK_LOGLEVEL"}, UnknownVariables([]string{
		"PATH=/bin", "LADDERBACK_LOGLEVEL=debug", "LADDERBACK_LOG_LEVEL=debug", "LADDERBACK_ADRESS=:80", "LADDERBACK_ADDR=:80",
		"LADDERBACK_ARCHIVE=a.db", "LADDERBACK_CACHE=/c", "LADDERBACK_CONFIG=c", "LADDERBACK_ACCOUNTS_PROVIDER_A_SECRET=s",
	}))
}
