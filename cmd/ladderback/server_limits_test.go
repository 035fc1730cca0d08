//go:build unix

package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/internal/pgtest"
)

// limitedPlans is a configuration whose plan lets 40 requests a day through, and
// 30 a minute on another.
const limitedPlans = `plans:
  - {name: Daily, requests_per_minute: 0, requests_per_day: 40, finest_resolution: 250ms, history_days: 0, prices: true, metrics: true, books: true, bulk_points_per_day: 1000}
  - {name: Quick, requests_per_minute: 30, requests_per_day: 0, finest_resolution: 250ms, history_days: 0, prices: true, metrics: true, books: true}
`

// flood sends n requests at once to the servers in turn, and counts the answers
// by status.
func flood(servers []*process, n int, key string) (map[int]int, map[string]bool) {
	var mu sync.Mutex
	var group sync.WaitGroup
	got, minutes := map[int]int{}, map[string]bool{}
	for i := range n {
		group.Go(func() {
			r, _ := http.NewRequest(http.MethodGet, servers[i%len(servers)].base+"/v1/tags", nil)
			r.Header.Set("X-API-Key", key)
			status, minute := 0, ""
			if resp, err := http.DefaultClient.Do(r); err == nil {
				_ = resp.Body.Close()
				status, minute = resp.StatusCode, resp.Header.Get("X-RateLimit-Reset")
			}
			mu.Lock()
			defer mu.Unlock()
			got[status]++
			minutes[minute] = true
		})
	}
	group.Wait()
	return got, minutes
}

// TestLimitsOverProcesses floods several servers on one PostgreSQL, and a server
// on a file: exactly as many requests get through as the plan has, a restart
// forgets none, and a revoked key stops within 5 s everywhere.
func TestLimitsOverProcesses(t *testing.T) {
	t.Parallel()
	archive, err := smallArchive()
	require.NoError(t, err)
	config := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(config, []byte(limitedPlans), 0o600))
	for name, c := range map[string]struct {
		access  func(t *testing.T) string
		servers int
	}{
		"PostgreSQL": {func(t *testing.T) string { return pgtest.Database(t) }, 3},
		"file":       {func(t *testing.T) string { return filepath.Join(t.TempDir(), "keys.db") }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			addr := c.access(t)
			create := func(plan string) string {
				r := runWith(t, t.Context(), nil, "", "keys", "create", "--plan", plan, "--access", addr, "--config", config, "--json")
				require.Equal(t, exitDone, r.code, r.err)
				return strings.Split(strings.SplitN(r.out, `"key": "`, 2)[1], `"`)[0]
			}
			key := create("daily")
			start := func() []*process {
				out := make([]*process, c.servers)
				for i := range out {
					out[i] = serve(t, nil, "--archive", archive, "--access", addr, "--config", config)
				}
				return out
			}
			end := func(servers []*process) {
				for _, p := range servers {
					require.Equal(t, exitDone, p.stop(syscall.SIGTERM), p.log.String())
				}
			}
			today := time.Now().UTC().YearDay()
			servers := start()
			got, _ := flood(servers, 25, key)
			require.Equal(t, map[int]int{200: 25}, got)
			end(servers)
			servers = start()
			got, _ = flood(servers, 60, key)
			if time.Now().UTC().YearDay() == today {
				require.Equal(t, map[int]int{200: 15, 429: 45}, got)
			}
			for range 10 { // as often as a minute ends meanwhile
				quick := create("quick")
				got, minutes := flood(servers, 70, quick)
				if len(minutes) == 1 {
					require.Equal(t, map[int]int{200: 30, 429: 40}, got)
					break
				}
			}

			live := create("daily")
			for _, p := range servers {
				resp, _ := p.get("/v1/usage", live)
				require.Equal(t, http.StatusOK, resp.StatusCode)
			}
			require.Equal(t, exitDone, ladderback(t, "keys", "revoke", live, "--access", addr).code)
			revoked := time.Now()
			for _, p := range servers {
				for {
					begun := time.Now()
					resp, _ := p.get("/v1/usage", live)
					if resp.StatusCode == http.StatusUnauthorized {
						break
					}
					require.Less(t, begun.Sub(revoked), 5*time.Second, "a revoked key was let in")
					time.Sleep(50 * time.Millisecond)
				}
			}
			end(servers)
		})
	}
}
