package runs

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/parts"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

// State is how far a run has come. It only moves forward, unless a failed run is
// tried again.
type State string

// States, in order. The last three are final.
const (
	Queued    State = "queued"
	Running   State = "running"
	Done      State = "done"
	Failed    State = "failed"
	Cancelled State = "cancelled"
)

// States returns all states, in order.
func States() []State { return []State{Queued, Running, Done, Failed, Cancelled} }

// Final reports whether a run in this state no longer changes.
func (s State) Final() bool { return s != Queued && s != Running }

// Kind is what a run is of.
type Kind string

// Kinds of runs.
const (
	Backtest Kind = "backtest"
	Sweep    Kind = "sweep"
)

// prefix is what the ids of a kind begin with.
func (k Kind) prefix() string {
	if k == Sweep {
		return "sweep_"
	}
	return "run_"
}

// HasID reports whether id may be that of a run of this kind.
func (k Kind) HasID(id string) bool { return strings.HasPrefix(id, k.prefix()) }

// Spec is all that determines a replay, except the archive.
type Spec struct {
	// Body is the strategy as understood, without a report.
	Body    backtest.Body    `json:"body"`
	Options backtest.Options `json:"options"`         // of a sweep: those of its replays, without baseline and parts
	Sweep   *parts.Sweep     `json:"sweep,omitempty"` // nil: a backtest
}

// Kind returns what the run is of.
func (s *Spec) Kind() Kind {
	if s.Sweep != nil {
		return Sweep
	}
	return Backtest
}

// job returns what the spec asks for.
func (s *Spec) job() *parts.Job {
	return &parts.Job{Strategy: s.Body.Strategy, Options: s.Options, Sweep: s.Sweep}
}

// job returns what the run does: a sweep is deflated for the tries before it.
func (r *Run) job() *parts.Job {
	j := r.Spec.job()
	if j.Sweep != nil {
		s := *j.Sweep
		s.TriesBefore = r.Tally.Before
		j.Sweep = &s
	}
	return j
}

// SweepOptions returns the options of a sweep as applied.
func (r *Run) SweepOptions() backtest.SweepOptions { return r.job().Sweep.With(r.Spec.Options) }

// Estimate says how much work the run would be.
func (s *Spec) Estimate(ctx context.Context, src replay.Source) (parts.Estimate, error) {
	return parts.EstimateOf(ctx, src, s.job())
}

// renderAnswer returns the answer to a spec as the client gets it, and what a list shows of
// it: the headline as JSON, and the verdict.
func renderAnswer(a *parts.Answer, s *Spec) (body, headline []byte, verdict string, err error) {
	var out bytes.Buffer
	b := s.Body
	var head any
	if a.Sweep != nil {
		full := backtest.SweepBody{Prompt: b.Prompt, Strategy: b.Strategy, Source: b.Source, Note: b.Note, Parse: b.Parse, Sweep: a.Sweep}
		err, head, verdict = full.WriteJSON(&out), sweepHeadlineOf(a.Sweep), string(a.Sweep.Verdict)
	} else {
		b.Report = a.Report
		err, head, verdict = b.WriteJSON(&out), headlineOf(a.Report), string(a.Report.Stats.Verdict)
	}
	if err != nil {
		return nil, nil, "", err
	}
	headline, err = json.Marshal(head)
	return out.Bytes(), headline, verdict, err
}

// Progress is how far a run has come within a phase, in rounds.
type Progress struct {
	Phase backtest.Pass `json:"phase"`
	Done  int           `json:"done"`
	Total int           `json:"total"`
}

// Run is a row of the table, without the result.
type Run struct {
	ID           string // "run_", "sweep_", or "answer_" of an interactive one, and 26 letters and digits
	Organization string
	Key          string // ID of the key that asked
	State        State
	Progress     Progress
	Spec         Spec
	// Headline is nil unless the run is done, and a backtest; SweepHeadline likewise
	// for a sweep.
	Headline      *Headline
	SweepHeadline *SweepHeadline
	// Error says why a run failed; empty otherwise.
	Error string
	// CreatedAt is when the run was requested, StartedAt when it was first claimed,
	// EndedAt when it ended; zero: not yet.
	CreatedAt, StartedAt, EndedAt market.Instant
	// Expires is when the run may be forgotten; zero: never. A shared run is kept
	// regardless.
	Expires market.Instant
	Shared  bool
	// Engine is the number of the engine that works on it.
	Engine int
	// Cached: the result is that of an earlier run of the same.
	Cached bool
	// Interactive: see Request.
	Interactive bool
	// Tally is which try of its rounds it is; zero: not counted, or not yet.
	Tally       backtest.Tally
	tryIdentity string // identity of the try; empty: not counted
}

// Headline is what a list shows of a finished run. Money is in USD.
type Headline struct {
	MarketsFound    int             `json:"markets_found"`
	MarketsTraded   int             `json:"markets_traded"`
	WinRate         stats.Decimal   `json:"win_rate"` // 0 to 1
	TotalPnL        stats.Decimal   `json:"total_pnl"`
	MeanPnL         *stats.Decimal  `json:"mean_pnl"`
	MeanPnLInterval *stats.Interval `json:"mean_pnl_interval"`
	ExcessMeanPnL   *stats.Decimal  `json:"excess_mean_pnl"` // above the baseline; nil without one
	Verdict         stats.Verdict   `json:"verdict"`
	MaxDrawdown     stats.Decimal   `json:"max_drawdown"` // at least 0
}

func headlineOf(r *backtest.Report) *Headline {
	h := &Headline{
		MarketsFound: r.MarketsFound, MarketsTraded: r.MarketsTraded, WinRate: r.WinRate, TotalPnL: r.TotalPnL,
		MeanPnL: r.Stats.MeanPnL, MeanPnLInterval: r.Stats.MeanPnLInterval, Verdict: r.Stats.Verdict,
		MaxDrawdown: r.Stats.MaxDrawdown,
	}
	if b := r.Baseline.Value; b != nil {
		h.ExcessMeanPnL = b.ExcessMeanPnL
	}
	return h
}

// SweepHeadline is what a list shows of a finished sweep. Money is in USD.
type SweepHeadline struct {
	MarketsFound int                   `json:"markets_found"`
	Tried        int                   `json:"tried"`
	Eligible     int                   `json:"eligible"`
	Verdict      backtest.SweepVerdict `json:"verdict"`
	BestMeanPnL  *stats.Decimal        `json:"best_mean_pnl"` // per trade; nil without an eligible variant
	// What choosing on the past and trading what came next made.
	WalkForwardTrades   int           `json:"walk_forward_trades"`
	WalkForwardTotalPnL stats.Decimal `json:"walk_forward_total_pnl"`
}

func sweepHeadlineOf(s *backtest.Sweep) *SweepHeadline {
	h := &SweepHeadline{MarketsFound: s.Funnel.Sampled, Tried: s.Tried, Eligible: s.Eligible, Verdict: s.Verdict}
	if s.Best != nil {
		h.BestMeanPnL = s.Best.MeanPnL
	}
	if w := s.WalkForward; w != nil {
		h.WalkForwardTrades, h.WalkForwardTotalPnL = w.Trades, w.TotalPnL
	}
	return h
}

// Market returns which rounds the run is about.
func (r *Run) Market() strategy.MarketSpec { return r.Spec.Body.Strategy.Strategy().Market }

// Request asks for a run.
type Request struct {
	Organization, Key string
	Spec              Spec
	// Idempotency is the client's name for the request; empty: every request is a
	// run of its own. Digest identifies the body, and so tells apart requests of
	// the same name.
	Idempotency string
	Digest      [sha256.Size]byte
	// MaxQueued is how many queued runs the organization may have; 0: any number.
	MaxQueued int
	// MaxConcurrent is how many runs of the organization are worked on at a time; 0: 8.
	MaxConcurrent int
	// Retention is how long the run is kept after it was requested; 0: for ever.
	Retention market.Span
	// Interactive: a client waits for the answer on an open connection. Such a run is
	// worked on at once, beside those that the organization may have at work, before
	// large ones, and fails when the archive is away. It is in no list, and whoever
	// asked removes it.
	Interactive bool
}

// prefix is what the id of the run begins with.
func (q *Request) prefix() string {
	if q.Interactive {
		return "answer_"
	}
	return q.Spec.Kind().prefix()
}

// boolInt is how the tables have a yes or no.
func boolInt(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

func (q *Request) digest() string { return hex.EncodeToString(q.Digest[:]) }

// Filter selects runs for a list. The zero value selects all.
type Filter struct {
	Kind    Kind   // empty: all
	Search  string // in the prompt, without regard to case
	Coin    string
	Type    string
	Verdict string
	State   State
	// Interactive selects the runs that clients wait for, instead of those that are kept.
	Interactive bool
	Limit       int // at least 1
	// After continues behind a run already listed; the zero value starts at the
	// top.
	After Cursor
}

// Cursor is the position of a run in a list, which is newest first.
type Cursor struct {
	CreatedAt market.Instant
	ID        string
}

// Cursor returns the position of the run.
func (r *Run) Cursor() Cursor { return Cursor{r.CreatedAt, r.ID} }

// Errors of runs.
var (
	ErrNoRun error = market.Errorf(market.CodeNotFound, "no such run")
	// ErrOtherBody: the idempotency key was used with another body.
	ErrOtherBody error = market.Errorf(market.CodeConflict, "Idempotency-Key: already used with another body")
	// ErrNotDone: only finished runs have a result or can be shared.
	ErrNotDone error = market.Errorf(market.CodeConflict, "the run is not done")
	// ErrNotFailed: only failed runs can be tried again.
	ErrNotFailed error = market.Errorf(market.CodeConflict, "only a run that failed can be tried again")
)

// newID returns an id of 128 random bits.
func newID(prefix string) string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return prefix + strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(b[:]))
}

// newShare returns the token of a link, 128 random bits, and the digest that is
// stored of it.
func newShare() (token string, digest []byte) {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	token = base64.RawURLEncoding.EncodeToString(b[:])
	return token, shareDigest(token)
}

func shareDigest(token string) []byte {
	d := sha256.Sum256([]byte("share " + token))
	return d[:]
}

func (s *Spec) text() (string, error) {
	text, err := json.Marshal(s)
	return string(text), err
}
