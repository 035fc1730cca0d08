package api_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/api"
	"github.com/ladderback/ladderback/runs"
)

// many asks for so many markets that it is left to the workers, where any work is more
// than little.
func many(i int) request {
	return request{method: http.MethodPost, path: backtestPath, body: fmt.Sprintf(`{"prompt":"Buy BTC 5m Up when the price is below 0.45, take profit at 0.7","sampleSize":1001,"options":{"latency_ms":%d,"include":["fills","sensitivity"]}}`, 250+i)}
}

// leaving is a world whose server leaves all that it may to the workers.
func leaving(t *testing.T, more func(*api.Config)) *world {
	return newWorld(t, func(c *api.Config) {
		if c.Little = time.Nanosecond; more != nil {
			more(c)
		}
	})
}

// keeps returns how many runs there are, also those of no list.
func (w *world) keeps(t *testing.T) int {
	t.Helper()
	var n int
	for _, interactive := range []bool{false, true} {
		list, err := w.scheduler.List(t.Context(), "acme", runs.Filter{Interactive: interactive, Limit: 100})
		require.NoError(t, err)
		n += len(list)
	}
	return n
}

// TestAnsweredByWorkers compares the answers of a server that leaves backtests to the
// workers with those of one that replays them itself, as JSON and as events: the same
// bytes, and nothing is kept. Without a worker, the server replays.
func TestAnsweredByWorkers(t *testing.T) {
	t.Parallel()
	w, alone := leaving(t, nil), newWorld(t, nil)
	events := func(w *world, i int) string {
		r := many(i)
		r.header = http.Header{"Accept": {"text/event-stream"}}
		a := w.do(t, r)
		require.Equal(t, 200, a.status, "%s", a.body)
		parts := strings.Split(string(a.body), "event: ")
		require.Contains(t, string(a.body), "event: progress")
		return parts[len(parts)-1]
	}
	for name, work := range map[string]func() func(){"workers": func() func() { return w.work(t) }, "none": func() func() { return func() {} }} {
		stop := work()
		for i := range 2 {
			want := alone.do(t, many(i))
			require.Equal(t, 200, want.status, "%s", want.body)
			a := w.do(t, many(i))
			require.Equal(t, 200, a.status, "%s", a.body)
			require.Equal(t, string(want.body), string(a.body), name)
			require.Equal(t, want.header.Get("Content-Length"), a.header.Get("Content-Length"))
			require.Equal(t, events(alone, i), events(w, i), name)
		}
		require.Zero(t, w.keeps(t), name)
		stop()
	}
	require.Contains(t, w.measured(), `ladderback_tasks_total{kind="merge",outcome="done"} 4`, "by the workers")
}

// TestInteractiveRunsAreHidden: while clients wait, what is done for them is in no list and
// at no route, takes no place of the organization's runs, and ends with the client.
func TestInteractiveRunsAreHidden(t *testing.T) {
	t.Parallel()
	slow := &slowRounds{started: make(chan struct{}, 1), release: make(chan struct{})}
	w := leaving(t, func(c *api.Config) {
		slow.Source = c.Rounds
		c.Rounds, c.RunWorkers = slow, 1
	})
	stop := w.work(t)
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan sent, 1)
	go func() { gone <- w.send(ctx, many(0)) }()
	<-slow.started
	require.Equal(t, 1, w.keeps(t))
	require.Contains(t, w.measured(), `ladderback_backtests{state="running"} 1`)
	require.NotContains(t, string(w.do(t, request{path: runPath, plan: "enterprise"}).body), `"id"`)
	list, err := w.scheduler.List(t.Context(), "acme", runs.Filter{Interactive: true, Limit: 1})
	require.NoError(t, err)
	id := list[0].ID
	require.Regexp(t, `^answer_`, id)
	require.Equal(t, 404, w.do(t, request{path: runPath + "/" + id, plan: "enterprise"}).status)
	cancel()
	<-gone
	require.Eventually(t, func() bool { return slow.stopped.Load() > 0 && w.keeps(t) == 0 }, time.Minute, 5*time.Millisecond)
	require.Eventually(t, func() bool { return !w.api.Asked() }, time.Minute, 5*time.Millisecond)
	close(slow.release)
	stop()
}
