package api_test

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/api"
	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/report/words"
)

const runPath = "/v1/ai/backtests"

// aRun is what the tests read of a run.
type aRun struct {
	ID       string
	State    string
	Phase    string
	Done     int
	Total    int
	Prompt   string
	Error    *string
	Shared   bool
	Headline *struct {
		Trades  int `json:"markets_traded"`
		Verdict string
	}
	Result json.RawMessage
	Words  words.Report
}

func runOf(t testing.TB, a *answer) aRun {
	t.Helper()
	var r aRun
	require.NoError(t, json.Unmarshal(a.body, &r), "%s", a.body)
	return r
}

// work lets the scheduler of the world work until the test ends, and waits until it is known
// as a worker.
func (w *world) work(t testing.TB) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var group sync.WaitGroup
	group.Go(func() { w.scheduler.Work(ctx) })
	stop = sync.OnceFunc(func() { cancel(); group.Wait() })
	t.Cleanup(stop)
	db, err := sql.Open("sqlite3", "file:"+w.runs)
	require.NoError(t, err)
	defer db.Close()
	require.Eventually(t, func() bool {
		var n int
		return db.QueryRow(`SELECT count(*) FROM run_workers`).Scan(&n) == nil && n > 0
	}, time.Minute, time.Millisecond)
	return stop
}

// finishedRun starts a run, waits until it is over, and returns its id. The scheduler
// works no longer then.
func (w *world) finishedRun(t testing.TB, plan, body string) string {
	t.Helper()
	return w.finished(t, runPath, plan, body)
}

// finished is finishedRun for runs of any kind.
func (w *world) finished(t testing.TB, path, plan, body string) string {
	t.Helper()
	defer w.work(t)()
	a := w.do(t, request{method: http.MethodPost, path: path, plan: plan, body: body})
	require.Equal(t, http.StatusAccepted, a.status, "%s", a.body)
	r := runOf(t, a)
	require.Equal(t, path+"/"+r.ID, a.header.Get("Location"))
	a = w.do(t, request{path: path + "/" + r.ID + "?wait=60s", plan: plan})
	require.Equal(t, "done", runOf(t, a).State, "%s", a.body)
	return r.ID
}

const smallRun = `{"prompt":"Buy BTC 5m Up when price is below 0.45, take profit at 0.6","options":{"include":["fills"]}}`

// TestRun walks a run through its routes: its result is the body of a backtest,
// byte for byte, and its trades are worked through as the command does.
func TestRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	id := w.finishedRun(t, "", smallRun)
	at := runPath + "/" + id
	direct := w.do(t, request{method: http.MethodPost, path: "/v1/ai/backtest", body: smallRun})
	r := runOf(t, w.do(t, request{path: at}))
	require.Equal(t, strings.TrimRight(string(direct.body), "\n"), string(r.Result))
	require.Equal(t, "baseline", r.Phase)
	require.Equal(t, r.Total, r.Done)
	require.Equal(t, 8, r.Total)
	body, err := backtest.ReadBody(strings.NewReader(string(r.Result)))
	require.NoError(t, err)
	require.NotEmpty(t, body.Report.Trades)
	require.Equal(t, len(body.Report.Trades), r.Headline.Trades)
	require.Equal(t, words.Say(body), r.Words, "the result comes with its sentences")

	x, err := backtest.Explain(t.Context(), w.archive, body, "1")
	require.NoError(t, err)
	want, err := backtest.CompactJSON(x)
	require.NoError(t, err)
	require.JSONEq(t, string(want), string(w.do(t, request{path: at + "/trades/1"}).body))
	require.Equal(t, http.StatusNotFound, w.do(t, request{path: at + "/trades/999"}).status)

	other := w.finishedRun(t, "", `{"prompt":"Buy BTC 5m Up when price is below 0.45, take profit at 0.7"}`)
	c := w.do(t, request{path: at + "/compare/" + other})
	require.Equal(t, http.StatusOK, c.status)
	require.Contains(t, string(c.body), `"answer"`)

	var list struct{ Data []aRun }
	a := w.do(t, request{path: runPath + "?limit=1"})
	require.NoError(t, json.Unmarshal(a.body, &list))
	require.Equal(t, other, list.Data[0].ID, "the newest first")
	require.NotContains(t, string(a.body), `"trades"`)
	next := cursorOf(t, a)
	a = w.do(t, request{path: runPath + "?limit=1&cursor=" + next})
	require.NoError(t, json.Unmarshal(a.body, &list))
	require.Equal(t, id, list.Data[0].ID)
	require.Equal(t, http.StatusBadRequest, w.do(t, request{path: runPath + "?limit=1&state=done&cursor=" + next}).status)
	require.Equal(t, http.StatusUnprocessableEntity, w.do(t, request{path: runPath + "?state=lost&verdict=good"}).status)

	for _, q := range []request{{path: at}, {path: at + "/events"}, {path: at + "/trades/1"}, {path: at + "/compare/" + other}, {method: http.MethodPost, path: at + "/cancel"}, {method: http.MethodPost, path: at + "/share"}, {method: http.MethodDelete, path: at + "/share"}, {method: http.MethodDelete, path: at}} {
		q.header = http.Header{"Authorization": {"Bearer " + w.keyOf(t, "enterprise", "globex")}}
		require.Equal(t, http.StatusNotFound, w.do(t, q).status, "%s %s of another organization", q.method, q.path)
		q.header, q.plan = nil, "starter"
		require.Equal(t, http.StatusForbidden, w.do(t, q).status, "%s %s without the plan", q.method, q.path)
		q.plan = "-"
		require.Equal(t, http.StatusUnauthorized, w.do(t, q).status, "%s %s without a key", q.method, q.path)
	}
	require.Equal(t, http.StatusNoContent, w.do(t, request{method: http.MethodDelete, path: at}).status)
	require.Equal(t, http.StatusNotFound, w.do(t, request{path: at}).status)
	require.Equal(t, http.StatusNotFound, w.do(t, request{method: http.MethodDelete, path: at}).status)
}

// keyOf makes a key of another organization.
func (w *world) keyOf(t testing.TB, plan, organization string) string {
	t.Helper()
	_, secret, err := w.guard.Create(t.Context(), plan, organization, "", 0)
	require.NoError(t, err)
	return secret
}

func cursorOf(t testing.TB, a *answer) string {
	t.Helper()
	var p struct {
		Metadata struct {
			Next string `json:"next_cursor"`
		}
	}
	require.NoError(t, json.Unmarshal(a.body, &p))
	require.NotEmpty(t, p.Metadata.Next)
	return p.Metadata.Next
}

// TestRunIsAskedForOnce sends a request again under its name.
func TestRunIsAskedForOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	ask := func(name, body string) *answer {
		return w.do(t, request{method: http.MethodPost, path: runPath, header: http.Header{"Idempotency-Key": {name}}, body: body})
	}
	first := runOf(t, ask("a", smallRun))
	again := ask("a", strings.ReplaceAll(smallRun, ":", " : "))
	require.Equal(t, first.ID, runOf(t, again).ID, "the same but for spaces")
	require.Equal(t, "true", again.header.Get("Idempotency-Replayed"))
	a := ask("a", `{"prompt":"Buy Up on BTC 5m below 30c"}`)
	require.Equal(t, http.StatusConflict, a.status)
	require.Contains(t, string(a.body), `"conflict"`)
	require.NotEqual(t, first.ID, runOf(t, ask("b", smallRun)).ID)
	unnamed := runOf(t, ask("", smallRun)).ID
	require.NotEqual(t, unnamed, runOf(t, ask("", smallRun)).ID)
	require.Equal(t, http.StatusBadRequest, ask(strings.Repeat("x", 256), smallRun).status)
	refused := ask("c", `{"prompt":"buy when RSI is low"}`)
	require.Equal(t, http.StatusBadRequest, refused.status)
	require.Equal(t, http.StatusForbidden, w.do(t, request{method: http.MethodPost, path: runPath, plan: "pro", body: `{"prompt":"Buy Up below 30c","sampleSize":1001}`}).status)
}

// TestDryRun says how much work a run would be, and starts nothing.
func TestDryRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for body, want := range map[string]string{
		smallRun: `{"markets":8,"replays":16,"blocks":16,"seconds":0.003877}`,
		`{"prompt":"Buy Up on BTC 5m below 45c","sampleSize":3,"options":{"baseline":false}}`: `{"markets":3,"replays":3,"blocks":3,"seconds":0.000718}`,
	} {
		a := w.do(t, request{method: http.MethodPost, path: runPath + "?dry_run=true", body: body})
		require.Equal(t, http.StatusOK, a.status, "%s", a.body)
		require.JSONEq(t, want, string(a.body))
	}
	require.Contains(t, string(w.do(t, request{path: runPath}).body), `"data":[]`)
	require.Equal(t, http.StatusUnprocessableEntity, w.do(t, request{method: http.MethodPost, path: runPath + "?dry_run=perhaps", body: smallRun}).status)
}

// event is a server-sent event.
type event struct{ id, name, data string }

// follow reads the events of a run until the stream ends or stop says so.
func (w *world) follow(t testing.TB, path, last string, stop func(e event) bool) []event {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, w.url+path, nil)
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+w.keys["enterprise"])
	if last != "" {
		r.Header.Set("Last-Event-ID", last)
	}
	resp, err := http.DefaultTransport.RoundTrip(r)
	require.NoError(t, err)
	defer func() { _ = resp.Body.Close() }()
	require.Equal(t, http.StatusOK, resp.StatusCode)
	var out []event
	var e event
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		key, value, _ := strings.Cut(lines.Text(), ": ")
		switch key {
		case "id":
			e.id = value
		case "event":
			e.name = value
		case "data":
			e.data = value
		case "":
			if e.name == "" { // behind a comment
				continue
			}
			out = append(out, e)
			if stop != nil && stop(e) {
				return out
			}
			e = event{}
		}
	}
	require.NoError(t, lines.Err())
	return out
}

// TestRunEvents follows a run with a client that is cut off again and again: it
// sees every state once, in order, and no progress going backwards.
func TestRunEvents(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *api.Config) { c.RunWorkers = 1 })
	r := runOf(t, w.do(t, request{method: http.MethodPost, path: runPath, body: smallRun}))
	at := runPath + "/" + r.ID
	first := w.follow(t, at+"/events", "", func(event) bool { return true })
	require.Equal(t, event{"queued", "state", `{"id":"` + r.ID + `","state":"queued"}`}, first[0])
	w.work(t)
	seen := map[string]int{"queued": 1}
	last, result := first[0].id, ""
	before := map[string]int{}
	for result == "" {
		for _, e := range w.follow(t, at+"/events?result=body", last, func(event) bool { return true }) {
			last = e.id
			var data struct {
				State, Phase string
				Done, Total  int
			}
			require.NoError(t, json.Unmarshal([]byte(e.data), &data))
			switch e.name {
			case "state":
				seen[data.State]++
			case "progress":
				require.GreaterOrEqual(t, data.Done, before[data.Phase], "%s", data.Phase)
				before[data.Phase] = data.Done
			case "result":
				result = e.data
			}
		}
	}
	require.Equal(t, 1, seen["queued"])
	require.LessOrEqual(t, seen["running"], 1) // a short one may be over before it is seen
	require.Equal(t, 1, seen["done"])
	require.Equal(t, string(runOf(t, w.do(t, request{path: at})).Result), result)
	all := w.follow(t, at+"/events", "", nil)
	require.Equal(t, "result", all[len(all)-1].name)
	require.Contains(t, all[len(all)-1].data, at)
	require.Equal(t, http.StatusNotFound, w.do(t, request{path: runPath + "/run_none/events"}).status)
}

// TestCancelledRun stops a run that waits: it is never done.
func TestCancelledRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	r := runOf(t, w.do(t, request{method: http.MethodPost, path: runPath, body: smallRun}))
	at := runPath + "/" + r.ID
	for range 2 { // again changes nothing
		a := w.do(t, request{method: http.MethodPost, path: at + "/cancel"})
		require.Equal(t, "cancelled", runOf(t, a).State)
	}
	require.Equal(t, http.StatusConflict, w.do(t, request{path: at + "/trades/1"}).status)
	require.Equal(t, http.StatusConflict, w.do(t, request{method: http.MethodPost, path: at + "/share"}).status)
	require.JSONEq(t, "null", string(runOf(t, w.do(t, request{path: at + "?wait=1s"})).Result))
	require.Equal(t, http.StatusBadRequest, w.do(t, request{path: at + "?wait=soon"}).status)
	events := w.follow(t, at+"/events", "", nil)
	require.Len(t, events, 1)
	require.Contains(t, events[0].data, "cancelled")
}

// TestSharedRun hands a run on by a link, without a key: only the result, until the
// link is withdrawn.
func TestSharedRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	id := w.finishedRun(t, "", smallRun)
	at := runPath + "/" + id
	link := func() string {
		a := w.do(t, request{method: http.MethodPost, path: at + "/share"})
		require.Equal(t, http.StatusCreated, a.status)
		var s struct{ Path, Token string }
		require.NoError(t, json.Unmarshal(a.body, &s))
		require.NotContains(t, s.Path, id)
		require.Len(t, s.Token, 22, "128 bits")
		return s.Path
	}
	first := link()
	require.True(t, runOf(t, w.do(t, request{path: at})).Shared)
	a := w.do(t, request{path: first, plan: "-"})
	require.Equal(t, http.StatusOK, a.status)
	require.Equal(t, "noindex", a.header.Get("X-Robots-Tag"))
	require.Equal(t, string(runOf(t, w.do(t, request{path: at})).Result), string(runOf(t, a).Result))
	for _, secret := range []string{id, "acme"} {
		require.NotContains(t, string(a.body), secret)
	}
	w.sharedTrade(t, at, first)
	second := link()
	for _, gone := range []string{first, first + "/trades/1", first + "/trades/1/books?start_ts=0&end_ts=1&resolution=1s"} {
		require.Equal(t, http.StatusNotFound, w.do(t, request{path: gone, plan: "-"}).status)
	}
	require.Equal(t, http.StatusNoContent, w.do(t, request{method: http.MethodDelete, path: at + "/share"}).status)
	require.Equal(t, http.StatusNotFound, w.do(t, request{path: second, plan: "-"}).status)
	for _, guess := range []string{"x", id, strings.Repeat("A", 22)} {
		require.Equal(t, http.StatusNotFound, w.do(t, request{path: "/v1/shared/" + guess, plan: "-"}).status)
	}
}

// sharedTrade reads a trade and its book by the link to a run: those of the run, and
// no more of the book than is drawn.
func (w *world) sharedTrade(t *testing.T, run, link string) {
	t.Helper()
	same := func(owner, anybody string) {
		a := w.do(t, request{path: anybody, plan: "-"})
		require.Equal(t, http.StatusOK, a.status, string(a.body))
		require.Equal(t, "noindex", a.header.Get("X-Robots-Tag"))
		require.Equal(t, string(w.do(t, request{path: owner}).body), string(a.body))
	}
	same(run+"/trades/1", link+"/trades/1")
	body, err := backtest.ReadBody(bytes.NewReader(runOf(t, w.do(t, request{path: run})).Result))
	require.NoError(t, err)
	trade := body.Report.Trades[0]
	from, to := trade.EntryTime-10*market.Second, trade.ExitTime+10*market.Second
	window := func(from, to market.Instant) string {
		return "/books?resolution=5s&limit=200&start_ts=" + from.String() + "&end_ts=" + to.String()
	}
	same("/v1/tokens/"+trade.TokenID+window(from, to), link+"/trades/1"+window(from, to))
	for path, status := range map[string]int{
		"/trades/1" + window(from-market.Minute, to): http.StatusForbidden,
		"/trades/1" + window(from, to+market.Minute): http.StatusForbidden,
		"/trades/1/books?start_ts=0":                 http.StatusUnprocessableEntity,
		"/trades/99999":                              http.StatusNotFound,
		"/trades/99999" + window(from, to):           http.StatusNotFound,
	} {
		require.Equal(t, status, w.do(t, request{path: link + path, plan: "-"}).status, path)
	}
}

// TestWithoutDesk answers for a server that keeps no runs.
func TestWithoutDesk(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *api.Config) { c.Scheduler = nil })
	a := w.do(t, request{path: runPath})
	require.Equal(t, http.StatusServiceUnavailable, a.status)
	require.Contains(t, string(a.body), string(market.CodeUnavailable))
}
