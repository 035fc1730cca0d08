package question_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/api/question"
	"github.com/ladderback/ladderback/api/wire"
	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/replay/queue"
	"github.com/ladderback/ladderback/strategy"
)

func read(body string, form question.Form) (*question.Question, error) {
	return question.Read(httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body)), form)
}

// TestWhatIsAsked: each field and option reaches the question; null leaves a default.
func TestWhatIsAsked(t *testing.T) {
	t.Parallel()
	q, err := read(`{"prompt":"Buy Up","sampleSize":5.0,"budget":12.5,"options":{"sampling":"random","queue":"front","fees":"none",
		"winners":"inferred","seed":-9223372036854775808,"latency_ms":0,"stale_ms":1000,"from":1775000000,"to":"2026-04-02T00:00:00Z",
		"max_slippage":"none","min_coverage":0.95,"baseline":false,"include":["sensitivity","fills","fills"]}}`, question.Backtest)
	require.NoError(t, err)
	require.Equal(t, "Buy Up", q.Prompt)
	require.Equal(t, 5, *q.Sample)
	require.Equal(t, "12.5", q.Budget.String())
	from, to := 1775000000*market.Second, 1775088000*market.Second
	want := backtest.DefaultOptions()
	want.Sampling, want.Queue, want.Fees, want.Winners = replay.Random, queue.Front, replay.FeesNone, replay.WinnersInferred
	want.Seed, want.LatencyMS, want.StaleMS = -1<<63, 0, 1000
	want.From, want.To = new(market.Instant(from)), new(market.Instant(to))
	want.MaxSlippage, want.MinCoverage, want.Baseline = replay.NoCap, 950_000, false
	want.Include = []backtest.Include{backtest.IncludeFills, backtest.IncludeSensitivity}
	require.Equal(t, want, q.Options)

	q, err = read(`{"prompt":"Buy Up","sampleSize":null,"strategy":null,"options":{"seed":null,"from":null,"include":null,"baseline":null}}`, question.Backtest)
	require.NoError(t, err)
	require.Nil(t, q.Sample)
	require.Equal(t, backtest.DefaultOptions(), q.Options)
	q, err = read(`{"prompt":"Buy Up","options":{"include":[]}}`, question.Backtest)
	require.NoError(t, err)
	require.NotNil(t, q.Options.Include, "none is not the default")

	q, err = read(`{"prompt":"Buy Up","parser":"rules"}`, question.Parse)
	require.NoError(t, err)
	require.True(t, q.Rules)

	q, err = read(`{"prompt":"Buy Up","vary":["take_profit=0.5,0.6",{"field":"stop_loss","values":[0.1,0.2]}],
		"options":{"block_hours":24,"also_tried":7,"deflation":"2014"}}`, question.Sweep)
	require.NoError(t, err)
	require.Len(t, q.Axes, 2)
	require.EqualValues(t, 24, q.BlockHours)
	require.Equal(t, 7, q.AlsoTried)
	require.Equal(t, backtest.DeflateByScatter, q.Deflation)
	require.False(t, q.Options.Baseline, "a sweep has none")
}

// TestWaysToVary: a list or an object says what a sweep varies, each field by values or by
// a range; and what else a sweep takes stands beside it, or among the options, which win.
func TestWaysToVary(t *testing.T) {
	t.Parallel()
	want := []backtest.SweepAxis{{Field: "entry.0.threshold", Values: []strategy.Number{300_000, 350_000, 400_000}}, {Field: "take_profit", Values: []strategy.Number{500_000, 600_000}}}
	for _, vary := range []string{
		`["entry.0.threshold=0.3:0.4:0.05","take_profit=0.5,0.6"]`,
		`[{"field":"entry.0.threshold","from":0.3,"to":0.4,"step":0.05},{"field":"take_profit","values":[0.5,0.6]}]`,
		`{"take_profit":[0.5,0.6],"entry.0.threshold":{"from":0.3,"to":0.4,"step":0.05}}`,
		`{"take_profit":{"values":[0.5,0.6]},"entry.0.threshold":[0.3,0.35,0.4]}`,
	} {
		q, err := read(`{"prompt":"a","vary":`+vary+`}`, question.Sweep)
		require.NoError(t, err, vary)
		require.Equal(t, want, q.Axes, vary)
	}

	q, err := read(`{"prompt":"a","vary":["take_profit=0.5,0.6"],"also_tried":7,"block_hours":24,"options":{"block_hours":48,"also_tried":null}}`, question.Sweep)
	require.NoError(t, err)
	require.Equal(t, 7, q.AlsoTried)
	require.EqualValues(t, 48, q.BlockHours)
}

// TestMistakes: what fails validation is a 422 that names every place, whatever else is
// not allowed a 400 that says what was expected.
func TestMistakes(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 40) + strings.Repeat("]", 40)
	for _, c := range []struct {
		form question.Form
		body string
		want string // of a 422: location and kind of each mistake; of a 400: its words
	}{
		{question.Backtest, ``, "body: not valid JSON"},
		{question.Backtest, `[]`, "body: expected a JSON object"},
		{question.Backtest, `null`, "body: expected a JSON object"},
		{question.Backtest, `{} {}`, "body: something follows the JSON object"},
		{question.Backtest, `{"prompt":"a","prompt":"b"}`, "prompt: the key stands twice"},
		{question.Backtest, `{"prompt":"a","options":{"seed":1,"seed":2}}`, "options.seed: the key stands twice"},
		{question.Sweep, `{"prompt":"a","vary":["x",{"field":"a","field":"b"}]}`, "vary[1].field: the key stands twice"},
		{question.Backtest, `{"prompt":` + deep + `}`, "nested deeper than 32 levels"},
		{question.Backtest, `{"prompt":"a\u0000"}`, "a text has a null character"},
		{question.Backtest, "{\"prompt\":\"\xff\"}", "not valid UTF-8"},
		{question.Backtest, `{"prompt":"` + strings.Repeat("a", 64<<10) + `"}`, "body too large: at most 65536 bytes"},
		{question.Backtest, `{}`, "prompt: missing; send a prompt (or a strategy)"},
		{question.Backtest, `{"prompt":"a","strategy":{}}`, "strategy.market: is missing"},
		{question.Parse, `{}`, "[body prompt] missing"},
		{question.Parse, `{"prompt":"a","options":{}}`, "[body options] extra_forbidden"},
		{question.Parse, `{"prompt":"a","parser":"llm"}`, "[body parser] enum"},
		{question.Backtest, `{"prompt":"a","parser":"rules"}`, "[body parser] extra_forbidden"},
		{question.Backtest, `{"prompt":1,"sampleSize":0,"budget":"5"}`, "[body budget] float_type, [body prompt] string_type, [body sampleSize] greater_than_equal"},
		{question.Backtest, `{"prompt":"","sampleSize":10001,"budget":0}`, "[body budget] greater_than, [body prompt] string_too_short, [body sampleSize] less_than_equal"},
		{question.Backtest, `{"prompt":"` + strings.Repeat("ü", 2001) + `","sampleSize":1.5,"budget":1000000.000001}`, "[body budget] less_than_equal, [body prompt] string_too_long, [body sampleSize] int_type"},
		{question.Backtest, `{"prompt":"a","budget":1.0000001}`, "budget 1.0000001: expected at most 6 decimals"},
		{question.Backtest, `{"prompt":"a","options":[]}`, "options: expected a JSON object"},
		{question.Backtest, `{"prompt":"a","options":{"nothing":1,"seed":"1","fees":"all","baseline":1,"min_coverage":1.1,"max_slippage":-0.1,"include":["all"]}}`,
			"[body options baseline] bool_parsing, [body options fees] enum, [body options include 0] enum, [body options max_slippage] greater_than_equal, [body options min_coverage] less_than_equal, [body options nothing] extra_forbidden, [body options seed] int_type"},
		{question.Backtest, `{"prompt":"a","options":{"latency_ms":-1,"stale_ms":1000000000001,"max_slippage":1.5,"min_coverage":-0.1,"include":1,"from":true}}`,
			"[body options from] string_type, [body options include] enum, [body options latency_ms] greater_than_equal, [body options max_slippage] less_than_equal, [body options min_coverage] greater_than_equal, [body options stale_ms] less_than_equal"},
		{question.Backtest, `{"prompt":"a","options":{"max_slippage":"some","min_coverage":"all"}}`, "[body options max_slippage] float_type, [body options min_coverage] float_type"},
		{question.Backtest, `{"prompt":"a","options":{"max_slippage":0.0000001}}`, "options.max_slippage 0.0000001: expected at most 6 decimals"},
		{question.Backtest, `{"prompt":"a","options":{"min_coverage":0.0000001}}`, "options.min_coverage 0.0000001: expected at most 6 decimals"},
		{question.Backtest, `{"prompt":"a","options":{"from":"soon"}}`, "invalid timestamp in options.from"},
		{question.Backtest, `{"prompt":"a","options":{"from":2000000000,"to":2000000000}}`, "options.to: expected a time after options.from"},
		{question.Sweep, `{"prompt":"a"}`, "[body vary] missing"},
		{question.Sweep, `{"prompt":"a","vary":[]}`, "[body vary] list_type"},
		{question.Sweep, `{"prompt":"a","vary":[5,{"field":"a"},{"field":"a","values":[1],"more":1}]}`, "[body vary 0] axis_type, [body vary 1] axis_type, [body vary 2] axis_type"},
		{question.Sweep, `{"prompt":"a","vary":null}`, "[body vary] missing"},
		{question.Sweep, `{"prompt":"a","vary":{}}`, "[body vary] list_type"},
		{question.Sweep, `{"prompt":"a","vary":"take_profit=0.5,0.6"}`, "[body vary] list_type"},
		{question.Sweep, `{"prompt":"a","vary":[{"field":"a","from":0,"to":1},{"field":"a","values":[1],"from":0,"to":1,"step":1},{"field":"a","values":[1],"step":1},{"values":[1]}]}`,
			"[body vary 0] axis_type, [body vary 1] axis_type, [body vary 2] axis_type, [body vary 3] axis_type"},
		{question.Sweep, `{"prompt":"a","vary":{"a":0.5,"b":[],"c":{"from":0,"to":1},"d":{"field":"e","values":[1]}}}`,
			"[body vary a] axis_type, [body vary b] axis_type, [body vary c] axis_type, [body vary d] axis_type"},
		{question.Sweep, `{"prompt":"a","vary":["a=1,2"],"also_tried":-1,"block_hours":"1"}`, "[body also_tried] greater_than_equal, [body block_hours] int_type"},
		{question.Backtest, `{"prompt":"a","also_tried":1}`, "[body also_tried] extra_forbidden"},
		{question.Sweep, `{"prompt":"a","vary":["take_profit"]}`, "vary: "},
		{question.Sweep, `{"prompt":"a","vary":["take_profit=0.5,0.6"],"options":{"baseline":true,"include":[],"block_hours":8761,"also_tried":-1,"deflation":"none"}}`,
			"[body options also_tried] greater_than_equal, [body options baseline] extra_forbidden, [body options block_hours] less_than_equal, [body options deflation] enum, [body options include] extra_forbidden"},
		{question.Backtest, `{"prompt":"a","options":{"block_hours":24}}`, "[body options block_hours] extra_forbidden"},
	} {
		_, err := read(c.body, c.form)
		require.Error(t, err, c.body)
		details, invalid := errors.AsType[wire.Details](err)
		if !invalid {
			require.ErrorContains(t, err, c.want, c.body)
			continue
		}
		var places []string
		for _, d := range details {
			places = append(places, fmt.Sprintf("%v %s", d.Loc, d.Type))
		}
		require.Equal(t, c.want, strings.Join(places, ", "), c.body)
	}
}

// TestBrokenOff: a body that ends before its end is no shorter body.
func TestBrokenOff(t *testing.T) {
	t.Parallel()
	r := httptest.NewRequest(http.MethodPost, "/", iotest.ErrReader(errors.New("gone")))
	_, err := question.Read(r, question.Backtest)
	require.ErrorContains(t, err, "incomplete")
}

// TestDigest: spaces between the parts of a body make no other request, those in a text do.
func TestDigest(t *testing.T) {
	t.Parallel()
	digest := func(body string) [32]byte {
		q, err := read(body, question.Backtest)
		require.NoError(t, err)
		return q.Digest
	}
	plain := digest(`{"prompt":"Buy Up","sampleSize":5}`)
	require.Equal(t, plain, digest("{ \"prompt\" : \"Buy Up\",\n\t\"sampleSize\": 5 }\n"))
	require.NotEqual(t, plain, digest(`{"prompt":"Buy  Up","sampleSize":5}`))
	require.NotEqual(t, plain, digest(`{"sampleSize":5,"prompt":"Buy Up"}`))
}
