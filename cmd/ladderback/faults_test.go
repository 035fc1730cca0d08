//go:build linux

package main

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/ncruces/go-sqlite3/driver"
	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/app"
	"github.com/ladderback/ladderback/internal/pgtest"
)

// reference is one process over a file that nothing happens to.
type reference struct {
	*process
	file, key string
}

func newReference(t *testing.T) *reference {
	t.Helper()
	file := runArchive(t)
	keys, byPlan := newKeys(t, "enterprise")
	return &reference{serve(t, nil, "--archive", file, "--access", keys), file, byPlan["enterprise"]}
}

// runsPath is where runs are asked for.
const runsPath = "/v1/ai/backtests"

// ordersSaid are strategies of orders: what rests, and a bankroll.
var ordersSaid = []string{
	"Bid 45c for Up on BTC 15m, cancel after 5 minutes, sell with a limit at 60c",
	"Buy Up on BTC 15m below 50c, half Kelly with a 60c fair value, bankroll of $1,000",
}

// varied is a body that no other run of the test has; every other has more parts, and
// of every four one has orders that rest, one a bankroll.
func varied(i int) string {
	include := ""
	if i%2 == 1 {
		include = `,"include":["sensitivity"]`
	}
	said := "Buy Up on BTC 15m below 45c, take profit at 55c"
	if i%4 > 1 {
		said = ordersSaid[i%4-2]
	}
	return fmt.Sprintf(`{"prompt":%q,"options":{"latency_ms":%d%s}}`, said, 250+i, include)
}

// same requires that a run is done with the bytes of the reference.
func (ref *reference) same(t *testing.T, r workedRun, body string) {
	t.Helper()
	ref.sameAsAtOnce(t, ref.key, r, body)
}

// submitted asks for a run, again while the archive does not answer.
func (p *process) submitted(t *testing.T, key, body string) (r workedRun) {
	t.Helper()
	status, answer := p.post(t, runsPath, key, body)
	for tries := 0; status == http.StatusServiceUnavailable && tries < 100; tries++ {
		time.Sleep(100 * time.Millisecond)
		status, answer = p.post(t, runsPath, key, body)
	}
	require.Equal(t, http.StatusAccepted, status, "%s", answer)
	require.NoError(t, json.Unmarshal(answer, &r))
	return r
}

// aWorker starts a worker and waits until it works.
func aWorker(t *testing.T, args ...string) *process {
	t.Helper()
	w := begin(t, nil, append([]string{"worker", "--metrics-addr", "none"}, args...)...)
	require.Eventually(t, func() bool { return strings.Contains(w.log.String(), "Working on runs") }, time.Minute, 5*time.Millisecond, "%s", w.log.String())
	return w
}

// crew is a server that only answers and workers, over an archive and runs in one
// database.
type crew struct {
	t       *testing.T
	ref     *reference
	addr    string
	key     string
	front   *process
	workers []*process
	asked   int
}

// newCrew copies the archive of the reference into the database at direct, and starts
// the processes on it by the address addr.
func newCrew(t *testing.T, ref *reference, direct, addr string, workers int, flags ...string) *crew {
	t.Helper()
	r := ladderback(t, "archive", "copy", ref.file, direct)
	require.Equal(t, exitDone, r.code, r.err)
	c := &crew{t: t, ref: ref, addr: addr, key: newKey(t, direct, "enterprise")}
	c.front = serve(t, nil, "--archive", addr, "--access", addr, "--work=false")
	for range workers {
		c.workers = append(c.workers, aWorker(t, append([]string{"--archive", addr, "--access", addr, "--chunk", "1ns", "--slots", "1"}, flags...)...))
	}
	return c
}

// through lets a fault happen at some moment of two runs, which end as if it had not.
func (c *crew) through(within time.Duration, fault func()) {
	c.t.Helper()
	bodies := []string{varied(c.asked), varied(c.asked + 1)}
	c.asked += 2
	var all []workedRun
	for _, body := range bodies {
		all = append(all, c.front.submitted(c.t, c.key, body))
	}
	time.Sleep(rand.N(within))
	fault()
	for i, body := range bodies {
		c.ref.same(c.t, c.front.endOf(c.t, c.key, runsPath, all[i].ID), body)
	}
}

// stop ends the workers.
func (c *crew) stop() {
	for _, w := range c.workers {
		require.Zero(c.t, w.stop(syscall.SIGTERM), w.log.String())
		require.NotContains(c.t, w.log.String(), "take profit", "a sentence in the log")
	}
}

// TestDatabaseFaults kills the database in the middle of runs, cuts the connections to
// it, and lets them hang, for two seconds, in a campaign for a minute; campaigns do
// so in ten places at once.
func TestDatabaseFaults(t *testing.T) {
	t.Parallel()
	n, away, lanes := killsOf(t), 2*time.Second, 1
	flags := []string{"--lease", "2s"}
	if n > 1 {
		away, lanes, flags = time.Minute, 10, nil
	}
	ref := newReference(t)
	db := pgtest.NewServer(t)
	newLane := func(t *testing.T, name string) (*crew, *pgtest.Proxy) {
		conn, err := pgx.Connect(t.Context(), db.Address("postgres"))
		require.NoError(t, err)
		_, err = conn.Exec(t.Context(), `CREATE DATABASE `+name)
		require.NoError(t, err)
		require.NoError(t, conn.Close(t.Context()))
		proxy := pgtest.NewProxy(t, db)
		return newCrew(t, ref, db.Address(name), proxy.Address(name), 2, flags...), proxy
	}
	t.Run("killed", func(t *testing.T) {
		c, _ := newLane(t, "killed")
		for range n {
			c.through(1500*time.Millisecond, func() { db.Kill(); time.Sleep(rand.N(time.Second)); db.Start() })
		}
		c.stop()
	})
	t.Run("away", func(t *testing.T) {
		for lane := range lanes {
			t.Run(strconv.Itoa(lane), func(t *testing.T) {
				if lanes > 1 {
					t.Parallel()
				}
				c, proxy := newLane(t, fmt.Sprint("away", lane))
				for i := range (n + lanes - 1) / lanes {
					c.through(1500*time.Millisecond, func() { proxy.Down(); time.Sleep(away); proxy.Up() })
					c.through(1500*time.Millisecond, func() { proxy.Hang(); time.Sleep(away); proxy.Resume() })
					t.Logf("%d times", i+1)
				}
				c.stop()
			})
		}
	})
}

// TestDatabaseFull fills the disk of the database in the middle of runs: they go on
// once there is room.
func TestDatabaseFull(t *testing.T) {
	t.Parallel()
	ref := newReference(t)
	db := pgtest.NewServer(t)
	disk := filepath.Join(db.Dir, "disk")
	require.NoError(t, os.Mkdir(disk, 0o700))
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", disk).CombinedOutput(); err != nil {
		t.Skipf("a small disk cannot be mounted here: %s", out)
	}
	t.Cleanup(func() {
		db.Kill()
		require.NoError(t, exec.Command("umount", disk).Run())
	})
	uid, gid := db.Owner()
	require.NoError(t, os.Chown(disk, uid, gid))
	conn, err := pgx.Connect(t.Context(), db.Address("postgres"))
	require.NoError(t, err)
	for _, text := range []string{`CREATE TABLESPACE small LOCATION '` + disk + `'`, `CREATE DATABASE small TABLESPACE small TEMPLATE template0`} {
		_, err := conn.Exec(t.Context(), text)
		require.NoError(t, err)
	}
	require.NoError(t, conn.Close(t.Context()))
	c := newCrew(t, ref, db.Address("small"), db.Address("small"), 2, "--lease", "2s")
	ballast, refused := filepath.Join(disk, "ballast"), 0
	// Those whose runs fill the disk are others, who wait for nothing that is replayed:
	// else what they leave behind is in the way of the runs that are looked at.
	filler := newKey(t, db.Address("small"), "enterprise", "--organization", "filler")
	for range killsOf(t) {
		c.through(time.Second, func() {
			require.ErrorIs(t, os.WriteFile(ballast, make([]byte, 64<<20), 0o600), syscall.ENOSPC)
			// Something that writes until it is refused, so that no page is left.
			status := 0
			for i := 0; status != http.StatusServiceUnavailable && status != http.StatusInternalServerError && i < 3000; i++ {
				status, _ = c.front.post(t, "/v1/ai/backtests", filler, fmt.Sprintf(`{"prompt":"Buy Up on ETH 15m below 45c","options":{"seed":%d}}`, rand.Int64()))
			}
			if status == http.StatusServiceUnavailable {
				refused++
			}
			time.Sleep(rand.N(2 * time.Second))
			require.NoError(t, os.Remove(ballast))
		})
	}
	require.Equal(t, killsOf(t), refused, "the server answers 503 while the disk is full")
	c.stop()
}

// heldIn returns how to ask which worker has a chunk of a run in a store of runs; empty:
// none.
func heldIn(t *testing.T, addr string) func(run string, chunk int) string {
	t.Helper()
	if !app.IsPostgres(addr) {
		db, err := driver.Open((&url.URL{Scheme: "file", OmitHost: true, Path: addr}).String() + "?mode=ro&_pragma=busy_timeout(10000)")
		require.NoError(t, err)
		t.Cleanup(func() { _ = db.Close() })
		return func(run string, chunk int) (worker string) {
			_ = db.QueryRow(`SELECT worker FROM run_chunks WHERE run = ? AND chunk = ? AND state = 'released'`, run, chunk).Scan(&worker) // none
			return worker
		}
	}
	conn, err := pgx.Connect(t.Context(), addr)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return func(run string, chunk int) (worker string) {
		err := conn.QueryRow(t.Context(), `SELECT worker FROM run_chunks WHERE run = $1 AND chunk = $2 AND state = 'released'`, run, chunk).Scan(&worker)
		if err != nil {
			require.ErrorIs(t, err, sql.ErrNoRows)
		}
		return worker
	}
}

// TestKilledInPlanAndMerge kills the process that plans a run, or puts it together,
// while it does so; the next one does it, to the same bytes.
func TestKilledInPlanAndMerge(t *testing.T) {
	t.Parallel()
	ref := newReference(t)
	for name, place := range map[string]int{"plan": -2, "merge": 1_000_000} {
		t.Run(name+", file", func(t *testing.T) {
			t.Parallel()
			access, keys := newKeys(t, "enterprise")
			start := func() *process {
				return serve(t, nil, "--archive", ref.file, "--access", access, "--chunk", "1h", "--lease", "1s")
			}
			killedAt(t, ref, place, access, keys["enterprise"], 5*time.Millisecond, start, nil)
		})
		t.Run(name+", PostgreSQL", func(t *testing.T) {
			t.Parallel()
			db := pgtest.NewServer(t)
			proxy := pgtest.NewProxy(t, db)
			direct, slow := db.Address("postgres"), proxy.Address("postgres")
			c := newCrew(t, ref, direct, direct, 0)
			proxy.Slow(3 * time.Millisecond) // each statement takes that long
			start := func() *process {
				return aWorker(t, "--archive", slow, "--access", slow, "--chunk", "1h", "--lease", "1s")
			}
			killedAt(t, ref, place, direct, c.key, 60*time.Millisecond, start, c.front)
		})
	}
}

// killedAt kills a process while it has a place of a run, at some moment within a time
// after it took it. front answers; nil: the process does.
func killedAt(t *testing.T, ref *reference, place int, access, key string, within time.Duration, start func() *process, front *process) {
	p := start()
	held := heldIn(t, access)
	tries, n := 0, killsOf(t)
	for landed := 0; landed < n; tries++ {
		require.Less(t, tries, 20*n+50, "the process is never killed in time")
		at := front
		if at == nil {
			at = p
		}
		body := varied(2*tries + 1)
		r := at.submitted(t, key, body)
		for held(r.ID, place) == "" && p.alive() {
			if _, answer := at.get("/v1/ai/backtests/"+r.ID, key); strings.Contains(string(answer), `"state":"done"`) {
				break // it was too fast
			}
		}
		time.Sleep(rand.N(within))
		p.stop(syscall.SIGKILL)
		if held(r.ID, place) != "" {
			landed++
		}
		p = start()
		if at = front; at == nil {
			at = p
		}
		ref.same(t, at.endOf(t, key, runsPath, r.ID), body)
	}
	t.Logf("%d of %d kills fell into it", n, tries)
	require.Zero(t, p.stop(syscall.SIGTERM), p.log.String())
}

// alive reports whether the process has not ended.
func (p *process) alive() bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// TestStoppedWorker ends a worker with SIGTERM in the midst of runs, as a service
// manager does: it leaves nothing in its name, and the next one goes on.
func TestStoppedWorker(t *testing.T) {
	t.Parallel()
	ref := newReference(t)
	addr := pgtest.Database(t)
	c := newCrew(t, ref, addr, addr, 1, "--lease", "1m") // nobody waits for a lease
	conn, err := pgx.Connect(t.Context(), addr)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(context.Background())) }()
	for range killsOf(t) {
		c.through(1500*time.Millisecond, func() {
			c.stop()
			var held int
			require.NoError(t, conn.QueryRow(t.Context(), `SELECT count(*) FROM run_chunks WHERE worker <> ''`).Scan(&held))
			require.Zero(t, held, "chunks that the worker has left in its name")
			c.workers[0] = aWorker(t, "--archive", addr, "--access", addr, "--chunk", "1ns", "--slots", "1", "--lease", "1m")
		})
	}
	c.stop()
}

// TestPooler works on runs with a pooler in transaction mode between the processes and
// the database: for the archive alone, the runs by a direct address; then for both.
func TestPooler(t *testing.T) {
	t.Parallel()
	ref := newReference(t)
	direct := pgtest.Database(t)
	pooled := pgtest.Bouncer(t, direct, 12)
	c := newCrew(t, ref, direct, pooled, 2, "--lease", "2s")
	c.workers = append(c.workers, aWorker(t, "--archive", pooled, "--access", direct, "--chunk", "1ns", "--slots", "1"))
	for range killsOf(t) {
		c.through(time.Second, func() {
			k := rand.N(2)
			c.workers[k].stop(syscall.SIGKILL)
			c.workers[k] = aWorker(t, "--archive", pooled, "--access", pooled, "--chunk", "1ns", "--slots", "1", "--lease", "2s")
		})
	}
	c.stop()
}

// TestCutClients sends one request a hundred times at once to two servers: it makes one
// run, which a client follows that is cut off at least twenty times: it sees every state
// once, in order, and no progress going backwards.
func TestCutClients(t *testing.T) {
	t.Parallel()
	ref := newReference(t)
	addr := pgtest.Database(t)
	c := newCrew(t, ref, addr, addr, 0)
	fronts := []*process{c.front, serve(t, nil, "--archive", addr, "--access", addr, "--work=false")}
	for i := range killsOf(t) {
		body := varied(i)
		ids := make(chan string, 100)
		var made atomic.Int32
		var group sync.WaitGroup
		for k := range cap(ids) {
			group.Go(func() {
				r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, fronts[k%2].base+"/v1/ai/backtests", strings.NewReader(body))
				if err != nil {
					panic(err) // never: it is a constant
				}
				r.Header.Set("Authorization", "Bearer "+c.key)
				r.Header.Set("Idempotency-Key", fmt.Sprint("once ", i))
				resp, err := http.DefaultClient.Do(r)
				if err != nil {
					t.Error(err)
					return
				}
				defer resp.Body.Close()
				var run workedRun
				if err := json.NewDecoder(resp.Body).Decode(&run); err != nil || resp.StatusCode != http.StatusAccepted {
					t.Error(resp.Status, err)
				}
				if resp.Header.Get("Idempotency-Replayed") == "" {
					made.Add(1)
				}
				ids <- run.ID
			})
		}
		group.Wait()
		close(ids)
		require.EqualValues(t, 1, made.Load(), "runs made by 100 equal requests")
		id := <-ids
		for other := range ids {
			require.Equal(t, id, other)
		}
		c.followed(id, fronts)
		ref.same(t, c.front.endOf(t, c.key, runsPath, id), body)
	}
}

// followed follows a run over several servers in turn, cut off again and again: first
// while it waits, then while a worker that it starts works on it.
func (c *crew) followed(id string, fronts []*process) {
	t := c.t
	states, done, last, cuts := []string{}, map[string]int{}, "", 0
	var w *process
	for len(states) == 0 || states[len(states)-1] != "result" {
		if cuts == 10 {
			w = aWorker(t, "--archive", c.addr, "--access", c.addr, "--chunk", "1ns", "--slots", "1")
		}
		for _, e := range cutOff(t, fronts[cuts%2], c.key, id, last) {
			last = e.id
			if e.name == "progress" {
				var p struct {
					Phase string
					Done  int
				}
				require.NoError(t, json.Unmarshal([]byte(e.data), &p))
				require.GreaterOrEqual(t, p.Done, done[p.Phase], "%s", p.Phase)
				done[p.Phase] = p.Done
				continue
			}
			if e.name == "state" {
				var s struct{ State string }
				require.NoError(t, json.Unmarshal([]byte(e.data), &s))
				e.name = s.State
			}
			require.NotContains(t, states, e.name)
			states = append(states, e.name)
		}
		cuts++
	}
	require.Equal(t, []string{"queued", "running", "done", "result"}, states)
	require.GreaterOrEqual(t, cuts, 20)
	require.Zero(t, w.stop(syscall.SIGTERM))
}

// streamed is an event of a run.
type streamed struct{ id, name, data string }

// cutOff follows a run behind the event last until the first event, or some
// milliseconds, and returns what came whole.
func cutOff(t *testing.T, p *process, key, id, last string) (out []streamed) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, p.base+"/v1/ai/backtests/"+id+"/events", nil)
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+key)
	if last != "" {
		r.Header.Set("Last-Event-ID", last)
	}
	resp, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer resp.Body.Close()
	require.Equal(t, http.StatusOK, resp.StatusCode)
	time.AfterFunc(5*time.Millisecond+rand.N(25*time.Millisecond), cancel)
	var e streamed
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		switch name, value, _ := strings.Cut(lines.Text(), ": "); name {
		case "id":
			e.id = value
		case "event":
			e.name = value
		case "data":
			e.data = value
		case "":
			if e.name != "" {
				return append(out, e)
			}
		}
	}
	return out
}

// TestBucketFaults works on runs over an archive whose blocks are in a bucket that asks
// to slow down, cuts its answers, has them wrong on the way or is slow. What is wrong
// again and again is named and never used, and the run can be tried again.
func TestBucketFaults(t *testing.T) {
	t.Parallel()
	ref := newReference(t)
	backend := s3mem.New()
	require.NoError(t, backend.CreateBucket("captures"))
	real := gofakes3.New(backend).Server()
	var fault atomic.Pointer[func(w http.ResponseWriter, r *http.Request) http.ResponseWriter]
	var hit atomic.Int32
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if f := fault.Load(); f != nil && r.Method == http.MethodGet && r.Header.Get("Range") != "" {
			hit.Add(1)
			if w = (*f)(w, r); w == nil {
				return
			}
		}
		real.ServeHTTP(w, r)
	}))
	t.Cleanup(h.Close)
	env := []string{"AWS_ACCESS_KEY_ID=reader", "AWS_SECRET_ACCESS_KEY=0123456789"}
	packed := filepath.Join(t.TempDir(), "packed.db")
	r := ladderback(t, "archive", "copy", ref.file, packed)
	require.Equal(t, exitDone, r.code, r.err)
	p := begin(t, env, "archive", "pack", "--all", "--archive", packed, "--to", "s3://captures/all?endpoint="+h.URL)
	<-p.ended
	require.NoError(t, p.err, p.log.String())

	sometimes := func(f func(http.ResponseWriter) http.ResponseWriter) func(http.ResponseWriter, *http.Request) http.ResponseWriter {
		return func(w http.ResponseWriter, _ *http.Request) http.ResponseWriter {
			if rand.N(3) > 0 {
				return w
			}
			return f(w)
		}
	}
	wrong := func(w http.ResponseWriter) http.ResponseWriter { return &spoiling{ResponseWriter: w} }
	faults := map[string]func(http.ResponseWriter, *http.Request) http.ResponseWriter{
		"slow down": sometimes(func(w http.ResponseWriter) http.ResponseWriter {
			w.Header().Set("Content-Type", "application/xml")
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = io.WriteString(w, `<?xml version="1.0"?><Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>`)
			return nil
		}),
		"cut":   sometimes(func(w http.ResponseWriter) http.ResponseWriter { return &spoiling{w, 1 + rand.N(2000)} }),
		"reset": sometimes(func(http.ResponseWriter) http.ResponseWriter { panic(http.ErrAbortHandler) }),
		"wrong": sometimes(wrong),
		"slow": func(w http.ResponseWriter, _ *http.Request) http.ResponseWriter {
			time.Sleep(30 * time.Millisecond)
			return w
		},
		"always wrong": func(w http.ResponseWriter, _ *http.Request) http.ResponseWriter { return wrong(w) },
	}
	settings := filepath.Join(t.TempDir(), "settings.yaml")
	cache := filepath.Join(t.TempDir(), "cache")
	require.NoError(t, os.WriteFile(settings, []byte("packs:\n  cache: "+cache+"\n"), 0o600))
	access, keys := newKeys(t, "enterprise")
	key := keys["enterprise"]
	asked := 0
	for name, f := range faults {
		for range killsOf(t) { // each with a process that has nothing in memory
			require.NoError(t, os.RemoveAll(cache))
			asked++
			hit.Store(0)
			fault.Store(&f)
			s := serve(t, env, "--config", settings, "--archive", packed, "--access", access, "--chunk", "1ns", "--pause", "10ms")
			run := s.submitted(t, key, varied(asked))
			if name == "always wrong" {
				failed := s.endOf(t, key, runsPath, run.ID)
				require.Equal(t, "failed", failed.State)
				require.NotNil(t, failed.Error)
				// A bankroll is one chunk, of all markets.
				require.Regexp(t, `^chunk \d+ of (12|1) \(markets \d+ to \d+ of 12\): market \S+: `, *failed.Error)
				require.Regexp(t, `market 0x[0-9a-f]{64}.*bytes \d+ to \d+`, s.log.String(), "the log names the market and the range")
				fault.Store(nil)
				status, answer := s.post(t, "/v1/ai/backtests/"+run.ID+"/retry", key, "")
				require.Equal(t, http.StatusAccepted, status, "%s", answer)
			}
			ref.same(t, s.endOf(t, key, runsPath, run.ID), varied(asked))
			require.NotZero(t, hit.Load(), "%s: nothing was read while the bucket was spoiled", name)
			fault.Store(nil)
			require.Zero(t, s.stop(syscall.SIGTERM), s.log.String())
		}
	}
}

// spoiling breaks an answer off after some bytes, or, with none, has bits of it wrong.
type spoiling struct {
	http.ResponseWriter
	after int
}

func (s *spoiling) Write(p []byte) (int, error) {
	if s.after == 0 {
		spoiled := append([]byte{}, p...)
		for i := rand.N(64); i < len(spoiled); i += 64 {
			spoiled[i] ^= 4
		}
		return s.ResponseWriter.Write(spoiled)
	}
	if s.after -= len(p); s.after <= 0 {
		_, _ = s.ResponseWriter.Write(p[:max(0, len(p)+s.after)])
		panic(http.ErrAbortHandler)
	}
	return s.ResponseWriter.Write(p)
}
