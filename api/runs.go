package api

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ladderback/ladderback/api/lists"
	workbench "github.com/ladderback/ladderback/api/page"
	"github.com/ladderback/ladderback/api/question"
	"github.com/ladderback/ladderback/api/wire"
	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/compare"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/identity"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/report/words"
	"github.com/ladderback/ladderback/runs"
	"github.com/ladderback/ladderback/strategy"
)

// Where runs are.
const (
	runsPath   = "/v1/ai/backtests"
	sweepsPath = "/v1/ai/sweeps"
)

// pathOf returns where a run is.
func pathOf(r *runs.Run) string {
	if r.Spec.Kind() == runs.Sweep {
		return sweepsPath + "/" + r.ID
	}
	return runsPath + "/" + r.ID
}

// runBase is what a run of any kind shows, without its result.
type runBase struct {
	ID         string          `json:"id"`
	State      runs.State      `json:"state"`
	Phase      backtest.Pass   `json:"phase"`
	Done       int             `json:"done"`
	Total      int             `json:"total"`
	CreatedAt  market.Instant  `json:"created_at"`
	StartedAt  *market.Instant `json:"started_at"`
	EndedAt    *market.Instant `json:"ended_at"`
	ExpiresAt  *market.Instant `json:"expires_at"`
	Shared     bool            `json:"shared"`
	Cached     bool            `json:"cached"` // the result is that of an earlier run
	Prompt     string          `json:"prompt"`
	Summary    string          `json:"summary"`
	Coin       string          `json:"coin"`
	MarketType string          `json:"market_type"`
	Side       string          `json:"side"`
	SampleSize int             `json:"sample_size"`
	Budget     strategy.Number `json:"budget"`
	// Tries is which try of its rounds the run is; left out until it is counted.
	Tries *backtest.Tally `json:"tries,omitempty"`
}

// runRecord is a backtest without its result.
type runRecord struct {
	runBase
	Options  backtest.Options `json:"options"`
	Headline *runs.Headline   `json:"headline"`
	Error    *string          `json:"error"`
}

// runDetail is a run by itself.
type runDetail struct {
	runRecord
	// Result is the body of a backtest; null until the run is done.
	Result json.RawMessage `json:"result"`
	Words  *words.Report   `json:"words,omitempty"` // the result in sentences
}

func recordOf(r *runs.Run) runRecord {
	return runRecord{runBase: baseOf(r), Options: r.Spec.Options, Headline: r.Headline, Error: wire.SomeText(r.Error)}
}

func baseOf(r *runs.Run) runBase {
	s := r.Spec.Body.Strategy.Strategy()
	out := runBase{
		ID: r.ID, State: r.State, Phase: r.Progress.Phase, Done: r.Progress.Done, Total: r.Progress.Total,
		CreatedAt: r.CreatedAt, StartedAt: r.StartedAt.Known(), EndedAt: r.EndedAt.Known(), ExpiresAt: r.Expires.Known(), Shared: r.Shared, Cached: r.Cached,
		Prompt: r.Spec.Body.Prompt, Summary: r.Spec.Body.Summary(), Coin: s.Market.Coin, MarketType: s.Market.Type, Side: string(s.Side),
		SampleSize: s.SampleSize, Budget: s.BudgetPerTrade,
	}
	if r.Tally.Look > 0 {
		out.Tries = &r.Tally
	}
	return out
}

// withScheduler adapts a handler of runs, which do not exist without a store.
func (s *Server) withScheduler(f func(w http.ResponseWriter, r *http.Request, d *runs.Scheduler) error) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		if s.cfg.Scheduler == nil {
			return wire.Unavailable("the store of runs", errors.New("this server keeps none"))
		}
		err := f(w, r, s.cfg.Scheduler)
		if err != nil && market.AsError(err) == nil && !outOfReach(err) {
			return wire.Unavailable("the store of runs", err)
		}
		return err
	}
}

// withKind is withScheduler for routes of one kind of run: another's id is not found.
func (s *Server) withKind(k runs.Kind, f func(w http.ResponseWriter, r *http.Request, d *runs.Scheduler) error) func(http.ResponseWriter, *http.Request) error {
	return s.withScheduler(func(w http.ResponseWriter, r *http.Request, d *runs.Scheduler) error {
		for _, name := range []string{"id", "other"} {
			if id := pathParam(r, name); id != "" && (!k.HasID(id) || !wire.Storable(id)) {
				return runs.ErrNoRun
			}
		}
		return f(w, r, d)
	})
}

// organization returns whose runs a request may see.
func organization(r *http.Request) string {
	h := holderOf(r.Context())
	return h.Key.Tenant()
}

// maxIdempotency bounds an Idempotency-Key, in characters.
const maxIdempotency = 255

// startRun answers POST /v1/ai/backtests.
func (s *Server) startRun(w http.ResponseWriter, r *http.Request, d *runs.Scheduler) error {
	q, err := question.Read(r, question.Backtest)
	if err != nil {
		return err
	}
	return s.start(w, r, d, q, func(body *backtest.Body, h identity.Holder) (*runs.Spec, error) {
		return &runs.Spec{Body: *body, Options: q.Options}, withinPlan(&h.Plan, body.Strategy)
	})
}

// start answers a request for a run, whose spec is made of what was read.
func (s *Server) start(w http.ResponseWriter, r *http.Request, d *runs.Scheduler, q *question.Question, specOf func(*backtest.Body, identity.Holder) (*runs.Spec, error)) error {
	p := wire.ParamsOf(r)
	dry := p.Flag("dry_run", false)
	if err := p.Err(); err != nil {
		return err
	}
	name := r.Header.Get("Idempotency-Key")
	if !utf8.ValidString(name) || utf8.RuneCountInString(name) > maxIdempotency {
		return wire.BadRequest("Idempotency-Key: expected at most %d characters", maxIdempotency)
	}
	body, err := s.answer(r.Context(), q)
	if err != nil {
		return err
	}
	h := holderOf(r.Context())
	spec, err := specOf(body, h)
	if err != nil {
		return err
	}
	if spec.Options.HoldOut, err = s.holdOut(r.Context()); err != nil {
		return err
	}
	if dry {
		return s.estimate(w, r, spec)
	}
	run, existed, err := d.Submit(r.Context(), runs.Request{
		Organization: h.Key.Tenant(), Key: h.Key.ID, Spec: *spec,
		Idempotency: name, Digest: q.Digest, MaxQueued: h.Plan.BacktestsWaiting, MaxConcurrent: h.Plan.BacktestsRunning,
		Retention: market.Span(h.Plan.RunDays) * market.Day,
	})
	if err != nil {
		return err
	}
	w.Header().Set("Location", pathOf(&run))
	if existed {
		w.Header().Set("Idempotency-Replayed", "true")
	}
	wire.WriteJSON(w, http.StatusAccepted, shown(&run))
	return nil
}

// shown returns the record of a run of either kind.
func shown(r *runs.Run) any {
	if r.Spec.Kind() == runs.Sweep {
		return sweepRecordOf(r)
	}
	return recordOf(r)
}

// estimateRecord says how much work a run would be.
type estimateRecord struct {
	Markets int           `json:"markets"` // that would be replayed
	Replays int           `json:"replays"` // of a market each: of the strategy and its baseline, or of every variant
	Blocks  int64         `json:"blocks"`  // of captures that would be read, about
	Seconds stats.Decimal `json:"seconds"` // of processor time, about
}

// estimate answers a request for a run that is not to be made.
func (s *Server) estimate(w http.ResponseWriter, r *http.Request, spec *runs.Spec) error {
	e, err := spec.Estimate(r.Context(), s.Rounds(r.Context()))
	if err != nil {
		return err
	}
	wire.WriteJSON(w, http.StatusOK, estimateRecord{e.Markets, e.Replays, e.Blocks, stats.Decimal(e.Work.Microseconds())})
	return nil
}

// verdicts are the values of the list's filter.
var verdicts = []string{string(stats.Positive), string(stats.Negative), string(stats.NoEdge), string(stats.NotEnough)}

// listRuns answers GET /v1/ai/backtests.
func (s *Server) listRuns(w http.ResponseWriter, r *http.Request, d *runs.Scheduler) error {
	return list(w, r, d, runs.Backtest, verdicts, recordOf)
}

// list answers with the runs of a kind, each as show makes it.
func list[T any](w http.ResponseWriter, r *http.Request, d *runs.Scheduler, kind runs.Kind, verdicts []string, show func(*runs.Run) T) error {
	p := wire.ParamsOf(r)
	limit := lists.Limit(p)
	states := make([]string, 0, len(runs.States()))
	for _, one := range runs.States() {
		states = append(states, string(one))
	}
	f := runs.Filter{
		Kind: kind, Search: p.Text("search", 200), Coin: strings.ToUpper(p.Text("coin", 20)), Type: p.Text("market_type", 20),
		Verdict: p.Choice("verdict", "", verdicts...), State: runs.State(p.Choice("state", "", states...)),
		Limit: limit + 1,
	}
	digest := wire.DigestOf(string(kind), organization(r), f.Search, f.Coin, f.Type, f.Verdict, string(f.State))
	if cursor, ok := p.Last("cursor"); ok && cursor != "" {
		place, err := decodeRunCursor(digest, cursor)
		if err != nil {
			p.Refuse(err)
		}
		f.After = place
	}
	if err := p.Err(); err != nil {
		return err
	}
	found, err := d.List(r.Context(), organization(r), f)
	if err != nil {
		return err
	}
	out := lists.Page[T]{Data: []T{}, Metadata: lists.Metadata{Limit: limit}}
	if len(found) > limit {
		found = found[:limit]
		next := encodeRunCursor(digest, found[limit-1].Cursor())
		out.Metadata.NextCursor = &next
	}
	for i := range found {
		out.Data = append(out.Data, show(&found[i]))
	}
	out.Metadata.Count = len(out.Data)
	wire.WriteJSON(w, http.StatusOK, out)
	return nil
}

func encodeRunCursor(d wire.Digest, p runs.Cursor) string {
	return wire.EncodeCursor(wire.ListCursor, d, append(binary.BigEndian.AppendUint64(nil, uint64(p.CreatedAt)), p.ID...))
}

func decodeRunCursor(d wire.Digest, cursor string) (runs.Cursor, error) {
	b, err := wire.DecodeCursor(wire.ListCursor, d, cursor)
	if err != nil || len(b) < 8 {
		return runs.Cursor{}, wire.ErrCursor
	}
	return runs.Cursor{CreatedAt: market.Instant(binary.BigEndian.Uint64(b)), ID: string(b[8:])}, nil
}

// maxWait bounds how long a request waits for a run to change.
const maxWait = time.Minute

// getRun answers GET /v1/ai/backtests/{id}.
func (s *Server) getRun(w http.ResponseWriter, r *http.Request, d *runs.Scheduler) error {
	p := wire.ParamsOf(r)
	id := p.Path("id", pathParam(r, "id"))
	wait := time.Duration(0)
	if text, ok := p.Last("wait"); ok && text != "" {
		var err error
		if wait, err = waitOf(text); err != nil {
			p.Refuse(err)
		}
	}
	if err := p.Err(); err != nil {
		return err
	}
	run, err := d.Find(r.Context(), organization(r), id)
	if err != nil {
		return err
	}
	if wait > 0 && !run.State.Final() {
		if err := wire.Unhurried(w, r); err != nil {
			return err
		}
		if run, err = s.untilDone(r.Context(), d, run, wait); err != nil {
			return err
		}
		if err := s.deadline(w); err != nil {
			return err
		}
	}
	if run.State == runs.Done && run.Spec.Kind() == runs.Backtest && workbench.Browsed(r) {
		return s.writeRunPage(w, r, d, &run)
	}
	return s.writeRun(r.Context(), w, d, &run)
}

// waitOf reads how long to wait: 20s, or 20.
func waitOf(text string) (time.Duration, error) {
	if _, err := strconv.ParseUint(text, 10, 16); err == nil {
		text += "s"
	}
	wait, err := time.ParseDuration(text)
	if err != nil || wait < 0 {
		return 0, wire.BadRequest("wait %s: expected a time such as 20s", wire.Brief(text))
	}
	return min(wait, maxWait), nil
}

// untilDone waits for the end of a run, at most for wait, and not while the server stops.
func (s *Server) untilDone(ctx context.Context, d *runs.Scheduler, run runs.Run, wait time.Duration) (runs.Run, error) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	defer context.AfterFunc(s.stopping, cancel)()
	for ctx.Err() == nil && !run.State.Final() {
		var err error
		if run, err = d.Await(ctx, run.Organization, run.ID, runs.SeenOf(&run)); err != nil {
			return run, err
		}
	}
	if !run.State.Final() && s.stopping.Err() != nil {
		return run, &market.Error{Code: market.CodeUnavailable, Message: "the server is stopping: ask again", RetryAfter: wire.RetryUnavailable}
	}
	return run, nil
}

// writeRun answers with a run and, once it is done, its result.
func (s *Server) writeRun(ctx context.Context, w http.ResponseWriter, d *runs.Scheduler, run *runs.Run) error {
	var result json.RawMessage
	if run.State == runs.Done {
		text, err := d.Result(ctx, run.Organization, run.ID)
		if err != nil {
			return err
		}
		result = bytes.TrimRight(text, "\n")
	}
	if run.Spec.Kind() == runs.Sweep {
		wire.WriteJSON(w, http.StatusOK, sweepDetail{sweepRecordOf(run), result, words.ReadSweep(result, run.Tally)})
	} else {
		wire.WriteJSON(w, http.StatusOK, runDetail{recordOf(run), result, words.Read(result, run.Tally)})
	}
	return nil
}

// cancelRun answers POST /v1/ai/backtests/{id}/cancel.
func (s *Server) cancelRun(w http.ResponseWriter, r *http.Request, d *runs.Scheduler) error {
	run, err := d.Stop(r.Context(), organization(r), pathParam(r, "id"))
	if err != nil {
		return err
	}
	wire.WriteJSON(w, http.StatusOK, shown(&run))
	return nil
}

// retryRun answers POST /v1/ai/backtests/{id}/retry.
func (s *Server) retryRun(w http.ResponseWriter, r *http.Request, d *runs.Scheduler) error {
	run, err := d.Retry(r.Context(), organization(r), pathParam(r, "id"), holderOf(r.Context()).Plan.BacktestsWaiting)
	if err != nil {
		return err
	}
	w.Header().Set("Location", pathOf(&run))
	wire.WriteJSON(w, http.StatusAccepted, shown(&run))
	return nil
}

// forgetRun answers DELETE /v1/ai/backtests/{id}.
func (s *Server) forgetRun(w http.ResponseWriter, r *http.Request, d *runs.Scheduler) error {
	return wire.Done(w, d.Delete(r.Context(), organization(r), pathParam(r, "id")))
}

// resultOf reads the result of a run that is done.
func resultOf(ctx context.Context, d *runs.Scheduler, organization, id string) (*backtest.Body, error) {
	text, err := d.Result(ctx, organization, id)
	if err != nil {
		return nil, err
	}
	return backtest.ReadBody(bytes.NewReader(text))
}

// explainTrade answers GET /v1/ai/backtests/{id}/trades/{n}.
func (s *Server) explainTrade(w http.ResponseWriter, r *http.Request, d *runs.Scheduler) error {
	body, err := resultOf(r.Context(), d, organization(r), pathParam(r, "id"))
	if err != nil {
		return err
	}
	return s.explain(w, r, body)
}

// compareRuns answers GET /v1/ai/backtests/{id}/compare/{other}.
func (s *Server) compareRuns(w http.ResponseWriter, r *http.Request, d *runs.Scheduler) error {
	var bodies [2]*backtest.Body
	for i, name := range []string{"id", "other"} {
		var err error
		if bodies[i], err = resultOf(r.Context(), d, organization(r), pathParam(r, name)); err != nil {
			return err
		}
		run, err := d.Find(r.Context(), organization(r), pathParam(r, name))
		if err != nil {
			return err
		}
		bodies[i].Tally = run.Tally
	}
	c, err := compare.Runs(bodies[0], bodies[1])
	if err != nil {
		return err
	}
	wire.WriteJSON(w, http.StatusOK, words.SayComparison(c))
	return nil
}

// shareRecord is a link to a run.
type shareRecord struct {
	Token string `json:"token"` // shown once; a digest is stored
	Path  string `json:"path"`
}

// shareRun answers POST /v1/ai/backtests/{id}/share.
func (s *Server) shareRun(w http.ResponseWriter, r *http.Request, d *runs.Scheduler) error {
	token, err := d.Share(r.Context(), organization(r), pathParam(r, "id"))
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	wire.WriteJSON(w, http.StatusCreated, shareRecord{token, "/v1/shared/" + token})
	return nil
}

// unshareRun answers DELETE /v1/ai/backtests/{id}/share.
func (s *Server) unshareRun(w http.ResponseWriter, r *http.Request, d *runs.Scheduler) error {
	return wire.Done(w, d.Unshare(r.Context(), organization(r), pathParam(r, "id")))
}

// sharedRun is what a link shows of a run: neither its owner nor its id.
type sharedRun struct {
	CreatedAt market.Instant  `json:"created_at"`
	Result    json.RawMessage `json:"result"`
	Words     *words.Report   `json:"words,omitempty"`
}

// getShared answers GET /v1/shared/{token}.
func (s *Server) getShared(w http.ResponseWriter, r *http.Request, d *runs.Scheduler) error {
	run, result, err := d.Shared(r.Context(), pathParam(r, "token"))
	if err != nil {
		return err
	}
	w.Header().Set("X-Robots-Tag", "noindex")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	wire.WriteJSON(w, http.StatusOK, sharedRun{run.CreatedAt, bytes.TrimRight(result, "\n"), words.Read(result, run.Tally)})
	return nil
}

// withinPlan refuses a sample larger than the plan allows.
func withinPlan(p *identity.Plan, s strategy.Canonical) error {
	if limit := p.BacktestMarkets; limit > 0 && s.SampleSize() > limit {
		return wire.Forbidden("sample of %d markets: plan %s allows at most %d markets per backtest", s.SampleSize(), p.Name, limit)
	}
	return nil
}

// Rounds returns the archive that the server has open now, or, within a request, that
// of the request. Use it as runs.DeskConfig.Source.
func (s *Server) Rounds(ctx context.Context) replay.Source { return s.catalogue.of(ctx).rounds }

// ObserveTask counts a task of kept runs that ended here. Use it as
// runs.DeskConfig.Observe.
func (s *Server) ObserveTask(kind runs.TaskKind, outcome string, took time.Duration) {
	s.metrics.tasks.Observe(kind, outcome, took)
}

// runEvents answers GET /v1/ai/backtests/{id}/events: "state" and "progress"
// events, then "result". The id of an event says what has been seen: a client that
// returns with it gets what follows, without repeated states or progress going
// backwards.
func (s *Server) runEvents(w http.ResponseWriter, r *http.Request, d *runs.Scheduler) error {
	p := wire.ParamsOf(r)
	id := p.Path("id", pathParam(r, "id"))
	whole := p.Choice("result", "link", "link", "body") == "body"
	if err := p.Err(); err != nil {
		return err
	}
	run, err := d.Find(r.Context(), organization(r), id)
	if err != nil {
		return err
	}
	if err := wire.Unhurried(w, r); err != nil {
		return err
	}
	e := &eventStream{server: s, w: w, rc: http.NewResponseController(w), run: &run, seen: seenFrom(r.Header.Get("Last-Event-ID"))}
	return e.serve(r.Context(), d, whole)
}

// commentEvery is how often a stream without news shows that it is alive.
const commentEvery = 15 * time.Second

// eventStream sends one run to one client.
type eventStream struct {
	server *Server
	w      http.ResponseWriter
	rc     *http.ResponseController
	run    *runs.Run
	seen   runs.Seen
}

// serve sends events until the run is over, the server stops, or the client has gone, which
// is what errors of sending mean.
func (e *eventStream) serve(ctx context.Context, d *runs.Scheduler, whole bool) error {
	h := e.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	e.w.WriteHeader(http.StatusOK)
	if e.rc.Flush() != nil {
		return nil
	}
	for {
		if e.seen.Behind(e.run) {
			if e.news() != nil {
				return nil
			}
		}
		if e.run.State.Final() {
			_ = e.last(ctx, d, whole)
			return nil
		}
		if e.server.stopping.Err() != nil {
			return nil
		}
		wait, cancel := context.WithTimeout(ctx, commentEvery)
		kept := context.AfterFunc(e.server.stopping, cancel)
		run, err := d.Await(wait, e.run.Organization, e.run.ID, e.seen)
		quiet := wait.Err() != nil && kept()
		cancel()
		switch {
		case ctx.Err() != nil:
			wire.LogOf(ctx).Cut = true
			return nil
		case err != nil:
			_ = e.server.event(e.w, e.rc, "", "error", wire.EnvelopeOf(e.server.told(ctx, err)))
			return nil
		case quiet:
			if e.comment() != nil {
				return nil
			}
		}
		e.run = &run
	}
}

// news returns what of the run has not been seen.
func (e *eventStream) news() error {
	was, now := e.seen, runs.SeenOf(e.run)
	e.seen = now
	if was.State != now.State {
		if err := e.server.event(e.w, e.rc, seenText(runs.Seen{State: now.State}), "state", stateEvent{e.run.ID, now.State, wire.SomeText(e.run.Error)}); err != nil {
			return err
		}
	}
	if now.State != runs.Running || now.Total == 0 {
		return nil
	}
	return e.server.event(e.w, e.rc, seenText(now), "progress", now.Progress)
}

type stateEvent struct {
	ID    string     `json:"id"`
	State runs.State `json:"state"`
	Error *string    `json:"error,omitempty"`
}

type resultEvent struct {
	Location string `json:"location"`
}

// last sends the result of a run that is done.
func (e *eventStream) last(ctx context.Context, d *runs.Scheduler, whole bool) error {
	if e.run.State != runs.Done {
		return nil
	}
	id := seenText(runs.SeenOf(e.run))
	if !whole {
		return e.server.event(e.w, e.rc, id, "result", resultEvent{pathOf(e.run)})
	}
	result, err := d.Result(ctx, e.run.Organization, e.run.ID)
	if err != nil {
		return e.server.event(e.w, e.rc, "", "error", wire.EnvelopeOf(e.server.told(ctx, err)))
	}
	return e.server.event(e.w, e.rc, id, "result", json.RawMessage(bytes.TrimRight(result, "\n")))
}

// comment shows that the stream is alive.
func (e *eventStream) comment() error {
	if err := e.server.hurry(e.rc); err != nil {
		return err
	}
	if _, err := e.w.Write([]byte(": still running\n\n")); err != nil {
		return err
	}
	return e.rc.Flush()
}

// seenText writes what has been seen as the id of an event.
func seenText(m runs.Seen) string {
	if m.Phase == "" {
		return string(m.State)
	}
	return fmt.Sprintf("%s.%s.%d", m.State, m.Phase, m.Done)
}

// seenFrom reads it; an id that is not ours has seen nothing.
func seenFrom(text string) runs.Seen {
	state, rest, _ := strings.Cut(text, ".")
	phase, done, _ := strings.Cut(rest, ".")
	n, _ := strconv.Atoi(done)
	return runs.Seen{State: runs.State(state), Progress: runs.Progress{Phase: backtest.Pass(phase), Done: n}}
}
