package wire_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/api/wire"
)

// TestAnswersComeWhole: an answer of any length comes as it is, one after the other on a
// connection.
func TestAnswersComeWhole(t *testing.T) {
	t.Parallel()
	var body atomic.Pointer[[]byte]
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		all := *body.Load()
		_ = wire.Send(r.Context(), w, wire.Identity, all[:len(all)/3], all[len(all)/3:])
	}))
	server.Listener = wire.Together(server.Listener)
	server.Config.ConnContext = wire.WithConn
	server.Start()
	t.Cleanup(server.Close)
	for _, n := range []int{0, 1, 2047, 2048, 3500, 3960, 4000, 4096, 4097, 5000, 8192, 8300, 12_000, 70_000, 300_000} {
		want := bytes.Repeat([]byte("0123456789"), n/10+1)[:n]
		body.Store(&want)
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			r, err := http.NewRequest(method, server.URL, nil)
			require.NoError(t, err)
			got, err := server.Client().Do(r) // on one connection, which framing gone wrong would end
			require.NoError(t, err)
			text, err := io.ReadAll(got.Body)
			require.NoError(t, err)
			require.EqualValues(t, n, got.ContentLength)
			if method == http.MethodGet {
				require.Equal(t, want, text, "%d", n)
			}
		}
	}
}

// TestWithin: a clock runs from when somebody waits on, and what comes from such a context ends
// with it.
func TestWithin(t *testing.T) {
	t.Parallel()
	type key struct{}
	parent, cancel := context.WithCancel(context.WithValue(t.Context(), key{}, 1))
	ctx, end := wire.Within(parent, time.Millisecond)
	require.Equal(t, 1, ctx.Value(key{}))
	child, stop := context.WithCancel(ctx)
	defer stop()
	<-child.Done()
	require.ErrorIs(t, child.Err(), context.DeadlineExceeded)
	require.Equal(t, 1, child.Value(key{}))
	end()

	ctx, end = wire.Within(parent, time.Hour)
	require.NoError(t, ctx.Err())
	at, ok := ctx.Deadline()
	require.True(t, ok)
	require.Greater(t, time.Until(at), time.Minute)
	end()
	require.ErrorIs(t, ctx.Err(), context.Canceled)

	ctx, end = wire.Within(parent, time.Hour)
	end() // nobody has waited
	cancel()
	<-ctx.Done()
	require.ErrorIs(t, ctx.Err(), context.Canceled)
}
