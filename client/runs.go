package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/compare"
	"github.com/ladderback/ladderback/strategy"
)

// Request asks for a backtest: of a prompt or of a strategy, not both.
type Request struct {
	Prompt   string             `json:"prompt,omitempty"`
	Strategy *strategy.Strategy `json:"strategy,omitempty"`
	// SampleSize and Budget (USD a trade) override what was asked for; 0: they do not.
	SampleSize int      `json:"sampleSize,omitempty"`
	Budget     float64  `json:"budget,omitempty"`
	Options    *Options `json:"options,omitempty"`
}

// Options change how rounds are drawn and replayed. Zero fields leave the server's
// defaults.
type Options struct {
	Sampling    string     `json:"sampling,omitempty"` // recent, random
	Seed        int64      `json:"seed,omitempty"`
	From        *time.Time `json:"from,omitempty"`
	To          *time.Time `json:"to,omitempty"`
	LatencyMS   *int       `json:"latency_ms,omitempty"`
	MaxSlippage any        `json:"max_slippage,omitempty"` // USD a share, or "none"
	StaleMS     *int       `json:"stale_ms,omitempty"`
	Fees        string     `json:"fees,omitempty"`    // venue, none
	Winners     string     `json:"winners,omitempty"` // official, inferred
	MinCoverage float64    `json:"min_coverage,omitempty"`
	Baseline    *bool      `json:"baseline,omitempty"`
	Include     []string   `json:"include,omitempty"` // fills, sensitivity, after
	// Of a sweep.
	BlockHours int `json:"block_hours,omitempty"`
	AlsoTried  int `json:"also_tried,omitempty"`
}

// SweepRequest asks for a sweep: each of Vary such as "entry.0.threshold=0.25:0.45:0.05".
type SweepRequest struct {
	Request
	Vary []string `json:"vary"`
}

// Parse reads a prompt, without running it. A refused one is an Error with At and, where
// they are known, Suggestion, Confirm or Choices.
func (c *Client) Parse(ctx context.Context, prompt string) (*Parsed, error) {
	out := new(Parsed)
	body := map[string]string{"prompt": prompt}
	if err := c.ask(ctx, call{method: http.MethodPost, path: "/v1/ai/parse", body: body, again: true}, out); err != nil {
		return nil, err
	}
	return out, nil
}

// Backtest runs a backtest and waits for it. progress, when it is not nil, is called with
// how many of all rounds are done. When ctx ends, so does the backtest.
func (c *Client) Backtest(ctx context.Context, q Request, progress func(done, total int)) (*backtest.Body, error) {
	a := call{method: http.MethodPost, path: "/v1/ai/backtest", body: q, accept: "text/event-stream"}
	r, err := c.send(ctx, a)
	if err != nil {
		return nil, err
	}
	for e, err := range events(r) {
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", a.method, a.path, err)
		}
		switch e.Name {
		case "progress":
			var p Progress
			if err := json.Unmarshal(e.Data, &p); err != nil {
				return nil, fmt.Errorf("%s %s: progress: %w", a.method, a.path, err)
			}
			if progress != nil {
				progress(p.Done, p.Total)
			}
		case "result":
			return backtest.ReadBody(bytes.NewReader(e.Data))
		}
	}
	return nil, fmt.Errorf("%s %s: %w", a.method, a.path, io.ErrUnexpectedEOF)
}

// Progress is how far a run is.
type Progress struct {
	Phase string `json:"phase"`
	Done  int    `json:"done"` // rounds, of Total
	Total int    `json:"total"`
}

// Message is a message of the stream of a run.
type Message struct {
	ID   string // to go on after it
	Name string // state, progress, result
	Data json.RawMessage
}

// lineBytes bounds a line of a stream: a result is one.
const lineBytes = 256 << 20

// events yields the messages of a stream, and closes it; one that says error, or a
// connection that is cut, is an error.
func events(r *http.Response) iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		defer r.Body.Close()
		lines := bufio.NewScanner(r.Body)
		lines.Buffer(make([]byte, 0, 64<<10), lineBytes)
		var m Message
		for lines.Scan() {
			name, value, _ := strings.Cut(lines.Text(), ":")
			value = strings.TrimPrefix(value, " ")
			switch {
			case name == "id":
				m.ID = value
			case name == "event":
				m.Name = value
			case name == "data":
				m.Data = json.RawMessage(value)
			case lines.Text() == "" && m.Name == "error":
				e := &Error{Status: r.StatusCode, RequestID: r.Header.Get("X-Request-Id")}
				if err := json.Unmarshal(m.Data, e); err != nil {
					e.Message = string(m.Data)
				}
				yield(m, e)
				return
			case lines.Text() == "" && m.Name != "":
				if !yield(m, nil) {
					return
				}
				m = Message{}
			}
		}
		if err := lines.Err(); err != nil {
			yield(m, err)
		}
	}
}

// Runs are the kept backtests of a server, or its sweeps.
type Runs struct {
	client *Client
	path   string
}

// Backtests are the kept backtests of the key's organization.
func (c *Client) Backtests() Runs { return Runs{c, "/v1/ai/backtests"} }

// Sweeps are the sweeps of the key's organization.
func (c *Client) Sweeps() Runs { return Runs{c, "/v1/ai/sweeps"} }

func (r Runs) at(id string, below string) string { return r.path + "/" + url.PathEscape(id) + below }

// Start asks for a run, which the server makes behind the answer: of a Request, or of a
// SweepRequest. once, when it is not empty, names the wish: asked for twice, it is one
// run, and a request that may have been lost is sent again.
func (r Runs) Start(ctx context.Context, q any, once string) (*Run, error) {
	a := call{method: http.MethodPost, path: r.path, body: q}
	if once != "" {
		a.header, a.again = http.Header{"Idempotency-Key": {once}}, true
	}
	return r.change(ctx, a)
}

// Estimate says how much work a run would be.
func (r Runs) Estimate(ctx context.Context, q any) (*Estimate, error) {
	out := new(Estimate)
	a := call{method: http.MethodPost, path: r.path, query: url.Values{"dry_run": {"true"}}, body: q, again: true}
	if err := r.client.ask(ctx, a, out); err != nil {
		return nil, err
	}
	return out, nil
}

func (r Runs) change(ctx context.Context, a call) (*Run, error) {
	out := new(Run)
	if err := r.client.ask(ctx, a, out); err != nil {
		return nil, err
	}
	return out, nil
}

// RunQuery asks for runs. Zero fields ask for nothing.
type RunQuery struct {
	Search, Coin, MarketType, Verdict, State string
	PageSize                                 int
}

// List yields runs without their results, newest first.
func (r Runs) List(ctx context.Context, q RunQuery) iter.Seq2[Run, error] {
	return items[Run](ctx, r.client, r.path, values{
		"search": q.Search, "coin": q.Coin, "market_type": q.MarketType, "verdict": q.Verdict, "state": q.State, "limit": number(q.PageSize),
	}.url())
}

// Get returns a run, at once or, with wait, when it has ended or after that time, of
// which the server waits at most a minute.
func (r Runs) Get(ctx context.Context, id string, wait time.Duration) (*Run, error) {
	q := url.Values{}
	if wait > 0 {
		q.Set("wait", wait.String())
	}
	return get[Run](ctx, r.client, r.at(id, ""), q)
}

// Wait returns a run when it has ended; progress, when it is not nil, is told on the way.
// When ctx ends the run goes on: Cancel ends it.
func (r Runs) Wait(ctx context.Context, id string, progress func(Progress)) (*Run, error) {
	if progress != nil {
		for m, err := range r.Events(ctx, id, "") {
			if err != nil {
				break // what it is says the run itself
			}
			var p Progress
			if m.Name == "progress" && json.Unmarshal(m.Data, &p) == nil {
				progress(p)
			}
		}
	}
	for {
		run, err := r.Get(ctx, id, 20*time.Second)
		if err != nil || run.Ended() {
			return run, err
		}
	}
}

// Events yields what becomes of a run, after the message of an id (empty: from now on).
func (r Runs) Events(ctx context.Context, id, after string) iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		a := call{method: http.MethodGet, path: r.at(id, "/events"), accept: "text/event-stream", again: true}
		if after != "" {
			a.header = http.Header{"Last-Event-Id": {after}}
		}
		answer, err := r.client.send(ctx, a)
		if err != nil {
			yield(Message{}, err)
			return
		}
		for m, err := range events(answer) {
			if !yield(m, err) {
				return
			}
		}
	}
}

// Cancel ends a run.
func (r Runs) Cancel(ctx context.Context, id string) (*Run, error) {
	return r.change(ctx, call{method: http.MethodPost, path: r.at(id, "/cancel"), again: true})
}

// Retry goes on with a failed run, from what was done.
func (r Runs) Retry(ctx context.Context, id string) (*Run, error) {
	return r.change(ctx, call{method: http.MethodPost, path: r.at(id, "/retry")})
}

// Forget removes a run and its result.
func (r Runs) Forget(ctx context.Context, id string) error {
	return r.client.ask(ctx, call{method: http.MethodDelete, path: r.at(id, ""), again: true}, nil)
}

// Backtest returns the result of a backtest that is done.
func (r *Run) Backtest() (*backtest.Body, error) { return readBody(r.Result) }

func readBody(text json.RawMessage) (*backtest.Body, error) {
	return backtest.ReadBody(bytes.NewReader(text))
}

// Explain says of a trade of a backtest, by its number from 1, why it was made as it was.
func (c *Client) Explain(ctx context.Context, run string, trade int) (*backtest.Explanation, error) {
	return get[backtest.Explanation](ctx, c, c.Backtests().at(run, "/trades/"+strconv.Itoa(trade)), nil)
}

// Compare says what differs between two backtests, and whether b is better than a.
func (c *Client) Compare(ctx context.Context, a, b string) (*compare.Comparison, error) {
	return get[compare.Comparison](ctx, c, c.Backtests().at(a, "/compare/"+url.PathEscape(b)), nil)
}

// Share makes a link to a backtest, which anybody may read until Unshare.
func (c *Client) Share(ctx context.Context, run string) (*Share, error) {
	out := new(Share)
	if err := c.ask(ctx, call{method: http.MethodPost, path: c.Backtests().at(run, "/share")}, out); err != nil {
		return nil, err
	}
	return out, nil
}

// Unshare withdraws the link to a backtest.
func (c *Client) Unshare(ctx context.Context, run string) error {
	return c.ask(ctx, call{method: http.MethodDelete, path: c.Backtests().at(run, "/share"), again: true}, nil)
}

func sharedPath(token, below string) string { return "/v1/shared/" + url.PathEscape(token) + below }

// Shared returns a backtest by the token of its link.
func (c *Client) Shared(ctx context.Context, token string) (*SharedRun, error) {
	return get[SharedRun](ctx, c, sharedPath(token, ""), nil)
}

// SharedTrade is Explain by the token of a link.
func (c *Client) SharedTrade(ctx context.Context, token string, trade int) (*backtest.Explanation, error) {
	return get[backtest.Explanation](ctx, c, sharedPath(token, "/trades/"+strconv.Itoa(trade)), nil)
}

// SharedBooks returns books of the token of a trade, around it, by the token of a link.
func (c *Client) SharedBooks(ctx context.Context, token string, trade int, w Window) ([]Book, error) {
	return data[Book](ctx, c, sharedPath(token, "/trades/"+strconv.Itoa(trade)+"/books"), w.values())
}

// Backtest returns the result of a shared run.
func (s *SharedRun) Backtest() (*backtest.Body, error) { return readBody(s.Result) }
