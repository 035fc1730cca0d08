package identity

import (
	"fmt"
	"testing"

	"github.com/ncruces/go-sqlite3"
	"github.com/stretchr/testify/require"
)

// TestFullDisk: a full disk is told as that, not as what failed for it.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	s := &Store{addr: "keys.db"}
	err := s.wrapError(fmt.Errorf("migration 1: %w", sqlite3.FULL))
	require.ErrorIs(t, err, ErrFull)
	require.Equal(t, "keys.db: no space left", err.Error())
	require.ErrorContains(t, s.wrapError(fmt.Errorf("migration: %w", sqlite3.CORRUPT)), "migration")
}
