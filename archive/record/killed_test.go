package record_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/internal/exchange"
)

// TestKilled: what a recorder leaves that was killed in the middle of a write is
// taken up by the next, which declares what is missing.
func TestKilled(t *testing.T) {
	t.Parallel()
	rounds := exchange.Synthetic(2, time.Unix(1776081600, 0), 3)
	after := t.TempDir()
	s := inBubble(t, exchange.Config{Rounds: rounds, Changes: 60, Seed: 1}, func(s *stage) {
		ctx, stop := context.WithCancel(context.Background())
		defer stop()
		played := make(chan error, 1)
		go func() { played <- s.server.Play(ctx) }()
		first := s.config()
		first.Keeper, first.Rotate = nil, time.Hour
		killed := rounds[0].Start.Add(2*time.Minute + 300*time.Millisecond)
		go func() {
			_ = s.sleep(ctx, killed)
			s.leave(after)
		}()
		s.run(first, killed.Add(time.Second))
		_ = s.sleep(ctx, killed.Add(10*time.Second))
		s.dir = after
		s.run(s.config(), rounds[1].End.Add(10*time.Minute))
		require.NoError(s.t, <-played)
	})
	sum := check(t, s.archive, s.server, s.dir)
	require.Positive(t, sum.inGap)
	require.Less(t, sum.gapTime, 4*15*time.Second, "of four tokens, from the kill to the first book")
	parts, err := filepath.Glob(filepath.Join(after, "*.part"))
	require.NoError(t, err)
	require.Empty(t, parts)
}

// leave copies the recorder's folder as it is, the file at hand cut short.
func (s *stage) leave(to string) {
	entries, err := os.ReadDir(s.dir)
	require.NoError(s.t, err)
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(s.dir, e.Name()))
		require.NoError(s.t, err)
		if strings.HasSuffix(e.Name(), ".part") {
			data = data[:len(data)-100]
		}
		require.NoError(s.t, os.WriteFile(filepath.Join(to, e.Name()), data, 0o644))
	}
}
