package runs_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/internal/backtesttest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/runs"
)

// TestInteractive lets a run that a client waits for begin beside those that the
// organization may have at work; it takes no place of theirs and is in no list.
func TestInteractive(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, open func() *runs.Store) {
		ctx, s := t.Context(), open()
		add := func(q runs.Request) (runs.Run, error) {
			r, _, err := s.Add(ctx, q, 1)
			return r, err
		}
		q := ask(t, "acme", "kept")
		q.MaxConcurrent, q.MaxQueued = 1, 3
		var kept []runs.Run
		for range 2 {
			r, err := add(q)
			require.NoError(t, err)
			kept = append(kept, r)
		}
		interactive := ask(t, "acme", "interactive")
		interactive.MaxConcurrent, interactive.Interactive = 1, true
		a, err := add(interactive)
		require.NoError(t, err)
		require.True(t, a.Interactive)
		require.Regexp(t, `^answer_`, a.ID)
		for id, want := range map[string]map[string]int{kept[0].ID: {"released": 1}, kept[1].ID: {}, a.ID: {"released": 1}} {
			got, err := s.Chunks(ctx, id)
			require.NoError(t, err)
			require.Equal(t, want, got)
		}
		_, err = add(q)
		require.NoError(t, err, "three wait, beside the one that is interactive")
		_, err = add(q)
		require.Equal(t, market.CodeRateLimited, market.CodeOf(err))
		list, err := s.List(ctx, "acme", runs.Filter{Limit: 10})
		require.NoError(t, err)
		require.Len(t, list, 3)
		list, err = s.List(ctx, "acme", runs.Filter{Interactive: true, Limit: 10})
		require.NoError(t, err)
		require.Equal(t, a.ID, list[0].ID)
	})
}

// TestAnswer has workers answer a client that waits: the bytes of one go, after
// progress that only grows, and nothing is kept. An archive that is away is not
// waited for, and without a worker nobody is kept waiting.
func TestAnswer(t *testing.T) {
	t.Parallel()
	archive := backtesttest.Archive(t, 12)
	stores(t, func(t *testing.T, open func() *runs.Store) {
		var mode atomic.Int32 // 0: all is well; 1: the archive is away; 2: it takes for ever
		begun := make(chan struct{}, 1)
		source := &odd{Source: archive, captures: func(ctx context.Context, _ *market.Market) error {
			switch mode.Load() {
			case 1:
				return market.Errorf(market.CodeUnavailable, "the archive is away")
			case 2:
				select {
				case begun <- struct{}{}:
				default:
				}
				<-ctx.Done()
				return ctx.Err()
			}
			return nil
		}}
		idle := runs.NewScheduler(runs.Config{Store: open()})
		q := ask(t, "acme", "interactive")
		_, err := idle.Answer(t.Context(), q, nil)
		require.ErrorIs(t, err, runs.ErrUnavailable, "no worker")

		d, stop := schedulerOver(t, source, runs.Config{Store: open(), MinChunkWork: 1})
		defer stop()
		first := spec(t, "until there is a worker")
		first.Options.LatencyMS = 1
		require.Equal(t, runs.Done, untilFinal(t, d, submit(t, d, "acme", first)).State)
		last := 0
		got, err := d.Answer(t.Context(), q, func(done, total int) {
			require.Equal(t, 24, total)
			require.GreaterOrEqual(t, done, last)
			last = done
		})
		require.NoError(t, err)
		require.Equal(t, text(t, archive, &q.Spec), string(got))
		require.Equal(t, 24, last)

		mode.Store(1)
		_, err = d.Answer(t.Context(), q, nil)
		require.ErrorIs(t, err, runs.ErrUnavailable)
		require.ErrorContains(t, err, "the archive is away")

		mode.Store(2)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		go func() { <-begun; cancel() }()
		_, err = d.Answer(ctx, q, nil)
		require.ErrorIs(t, err, context.Canceled)
		list, err := d.List(t.Context(), "acme", runs.Filter{Interactive: true, Limit: 10})
		require.NoError(t, err)
		require.Empty(t, list)
	})
}
