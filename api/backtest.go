package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/ladderback/ladderback/api/question"
	"github.com/ladderback/ladderback/api/wire"
	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/parser"
	"github.com/ladderback/ladderback/strategy"
)

// progressEvery is how often a stream tells how far a run is.
const progressEvery = 250 * time.Millisecond

// parse answers POST /v1/ai/parse.
func (s *Server) parse(w http.ResponseWriter, r *http.Request) error {
	q, err := question.Read(r, question.Parse)
	if err != nil {
		return err
	}
	q.Rules = q.Rules || !holderOf(r.Context()).Plan.Backtest
	body, err := s.answer(r.Context(), q)
	if err != nil {
		return withSpans(err)
	}
	wire.WriteJSON(w, http.StatusOK, body)
	return nil
}

// withSpans adds to a refusal what was read of the prompt all the same.
func withSpans(err error) error {
	refusal, ok := errors.AsType[*parser.Refusal](err)
	if !ok {
		return err
	}
	e := *market.AsError(err)
	e.Spans = make([]market.Reading, len(refusal.Spans))
	for i, s := range refusal.Spans {
		e.Spans[i] = market.Reading(s)
	}
	return &e
}

// answer reads the strategy of a question, without replaying it.
func (s *Server) answer(ctx context.Context, q *question.Question) (*backtest.Body, error) {
	if q.Strategy != nil {
		return given(*q.Strategy, q.Sample, q.Budget)
	}
	over := parser.Overrides{SampleSize: q.Sample, Budget: q.Budget}
	read := func() (*parser.Result, *parser.Refusal) { return parser.Parse(ctx, s.cfg.Model, q.Prompt, over) }
	if q.Rules {
		read = func() (*parser.Result, *parser.Refusal) { return parser.Rules(q.Prompt, over) }
	}
	result, refusal := read()
	if refusal != nil {
		return nil, refusal
	}
	return &backtest.Body{
		Prompt: q.Prompt, Strategy: result.Strategy, Source: result.Source, Note: result.Note, Parse: &result.Trace,
	}, nil
}

// given makes the body for a strategy that was sent as an object.
func given(st strategy.Strategy, sample *int, budget *strategy.Number) (*backtest.Body, error) {
	if sample != nil {
		st.SampleSize = *sample
	}
	if budget != nil {
		st.BudgetPerTrade = *budget
	}
	canonical, err := strategy.Canonicalize(st)
	if err != nil {
		return nil, err
	}
	return &backtest.Body{Prompt: canonical.Summary(), Strategy: canonical, Source: strategy.SourceRules}, nil
}

// backtest answers POST /v1/ai/backtest.
func (s *Server) backtest(w http.ResponseWriter, r *http.Request) error {
	q, err := question.Read(r, question.Backtest)
	if err != nil {
		return err
	}
	body, err := s.answer(r.Context(), q)
	if err != nil {
		return err
	}
	if err := wire.Unhurried(w, r); err != nil {
		return err
	}
	h := holderOf(r.Context())
	if err := withinPlan(&h.Plan, body.Strategy); err != nil {
		return err
	}
	if q.Options.HoldOut, err = s.holdOut(r.Context()); err != nil {
		return err
	}
	leave, err := s.places.Line()
	if err != nil {
		return err
	}
	defer leave()
	run := &replayed{server: s, holder: h, body: body, options: q.Options}
	if !run.large(r.Context()) {
		leave, err := s.places.Turn(r.Context())
		if err != nil {
			return err
		}
		defer leave()
		run.turn = true
	}
	if wantsStream(r) {
		return s.stream(w, r, run)
	}
	text, err := run.answer(r.Context(), nil)
	if err != nil {
		return err
	}
	if err := s.deadline(w); err != nil {
		return err
	}
	return wire.Send(r.Context(), w, wire.Identity, text)
}

// wantsStream reports whether the client asked for events by name, and not for
// JSON rather than for them.
func wantsStream(r *http.Request) bool {
	weight := map[string]float64{}
	for _, item := range wire.Weights(r.Header["Accept"]) {
		weight[item.Name] = max(weight[item.Name], item.Q)
	}
	events := weight["text/event-stream"]
	return events > 0 && events >= weight["application/json"]
}

// stream runs a backtest and tells how far it is: "progress" events, then
// "result" with the body, or "error" with the envelope.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, run *replayed) error {
	rc := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	if err := rc.Flush(); err != nil {
		return nil // the client has gone
	}

	type step struct{ done, total int }
	steps := make(chan step, 1)
	finished := make(chan error, 1)
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	var text []byte // before finished
	go func() {
		var err error
		defer func() {
			if v := recover(); v != nil {
				err = fmt.Errorf("panic: %v", v)
			}
			finished <- err
		}()
		text, err = run.answer(ctx, func(done, total int) {
			select { // only the newest step matters
			case <-steps:
			default:
			}
			steps <- step{done, total}
		})
	}()
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	tell := func(st step) error { return s.event(w, rc, "", "progress", progressEvent{st.done, st.total}) }
	for {
		select {
		case <-tick.C:
			select {
			case st := <-steps:
				if err := tell(st); err != nil {
					cancel() // the client has gone
				}
			default:
			}
		case err := <-finished:
			select {
			case st := <-steps:
				_ = tell(st) // the result follows, which says whether the client is there
			default:
			}
			return s.finish(w, r, rc, text, err)
		}
	}
}

type progressEvent struct {
	Done  int `json:"done"`
	Total int `json:"total"`
}

// finish sends the last event of a stream. Its own errors mean that the client
// has gone.
func (s *Server) finish(w http.ResponseWriter, r *http.Request, rc *http.ResponseController, text []byte, err error) error {
	if wire.ClientGone(r.Context()) {
		wire.LogOf(r.Context()).Cut = true
		return nil
	}
	if err != nil {
		_ = s.event(w, rc, "", "error", wire.EnvelopeOf(s.told(r.Context(), err)))
		return nil
	}
	_ = s.event(w, rc, "", "result", json.RawMessage(bytes.TrimRight(text, "\n")))
	return nil
}

// event sends one event, its data on one line; id may be empty.
func (s *Server) event(w http.ResponseWriter, rc *http.ResponseController, id, name string, v any) error {
	data, err := backtest.CompactJSON(v)
	if err != nil {
		return err
	}
	if err := s.hurry(rc); err != nil {
		return err
	}
	if id != "" {
		id = "id: " + id + "\n"
	}
	if _, err := w.Write([]byte(id + "event: " + name + "\ndata: " + string(data) + "\n\n")); err != nil {
		return err
	}
	return rc.Flush()
}

// hurry gives a client the time of a write to read what is sent next.
func (s *Server) hurry(rc *http.ResponseController) error {
	err := rc.SetWriteDeadline(time.Now().Add(s.cfg.WriteTimeout))
	if errors.Is(err, http.ErrNotSupported) {
		return nil
	}
	return err
}

// conditions answers GET /v1/ai/conditions.
func (s *Server) conditions(w http.ResponseWriter, _ *http.Request) error {
	types := strategy.ConditionTypes()
	wire.WriteJSON(w, http.StatusOK, struct {
		Count  int                      `json:"count"`
		Data   []strategy.ConditionType `json:"data"`
		Orders []strategy.ConditionType `json:"orders"`
	}{len(types), types, strategy.OrderConditionTypes()})
	return nil
}
