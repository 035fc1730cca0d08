package model

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/internal/llmtest"
	"github.com/ladderback/ladderback/parser/guard"
	"github.com/ladderback/ladderback/prompts"
	"github.com/ladderback/ladderback/strategy"
)

// These tests are about the conversation with a model alone: what is sent, when
// it is tried again, what counts. No rules and no grounding take part.

const (
	secret     = "sk-very-secret-0123456789"
	corePrompt = "Buy Up on ETH 5m when Up is below 35c, $50 per trade, 30 markets"
	coreAnswer = `{"market":{"coin":"ETH","market_type":"5m"},"side":"up","entry":[{"type":"price","token":"up","comparator":"lt","threshold":0.35,"within_seconds":null}],"exit":{"take_profit":null,"stop_loss":null,"hold_to_expiry":true},"budget_per_trade":50,"sample_size":30}`
)

// rig is a model over a server that misbehaves.
type rig struct {
	*Model
	server *llmtest.Server
	log    *bytes.Buffer
	calls  []Call
	mu     sync.Mutex
}

func newRig(t *testing.T, change func(*Config), script ...llmtest.Behaviour) *rig {
	t.Helper()
	r := &rig{
		server: &llmtest.Server{Script: script, Answers: map[string]string{corePrompt: coreAnswer}, DripEvery: 20 * time.Millisecond},
		log:    &bytes.Buffer{},
	}
	web := httptest.NewServer(r.server)
	t.Cleanup(web.Close)
	cfg := Config{
		BaseURL: web.URL + "/v1", Key: secret, Model: "test-model", Timeout: time.Minute, Backoff: time.Millisecond,
		Logger: slog.New(slog.NewJSONHandler(&lockedWriter{w: r.log}, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Observe: func(c Call) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.calls = append(r.calls, c)
		},
	}
	if change != nil {
		change(&cfg)
	}
	m, err := New(cfg)
	require.NoError(t, err)
	r.Model = m
	return r
}

type lockedWriter struct {
	mu sync.Mutex
	w  *bytes.Buffer
}

func (l *lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

// sent returns how many requests the server got.
func (r *rig) sent() int { return len(r.server.Requests()) }

func anything(*guard.Answer) *guard.Objection { return nil }

// ask reads the prompt and requires that the key shows up nowhere.
func (r *rig) ask(t *testing.T) (strategy.Canonical, *guard.Failure) {
	t.Helper()
	a, failure := r.read(t.Context(), corePrompt, anything)
	s := strategy.Canonical{}
	if a != nil {
		s = a.Strategy
	}
	if failure != nil {
		require.NotContains(t, failure.Note, secret)
		require.NotContains(t, failure.Note, "127.0.0.1")
	}
	require.NotContains(t, r.log.String(), secret)
	require.NotContains(t, r.log.String(), "ETH", "a prompt in the log")
	return s, failure
}

func TestModelAnswers(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	s, failure := r.ask(t)
	require.Nil(t, failure)
	b, err := json.Marshal(s)
	require.NoError(t, err)
	require.JSONEq(t, coreAnswer, string(b))

	requests := r.server.Requests()
	require.Equal(t, 1, len(requests)) //nolint:testifylint // requests are long to print
	require.Equal(t, secret, requests[0].Key)
	chat := requests[0].Chat
	require.Equal(t, "test-model", chat.Model)
	require.NotNil(t, chat.Temperature)
	require.InDelta(t, 0, *chat.Temperature, 1e-30)
	require.NotNil(t, chat.Seed)
	require.Equal(t, 0, *chat.Seed)
	require.Equal(t, 1500, *chat.MaxTokens)
	require.Equal(t, "json_schema", chat.ResponseFormat.Type)
	require.True(t, chat.ResponseFormat.JSONSchema.Strict)
	ins, err := prompts.Strategy()
	require.NoError(t, err)
	require.JSONEq(t, string(ins.Schema), string(chat.ResponseFormat.JSONSchema.Schema))
	require.Equal(t, []llmtest.Message{{Role: "system", Content: ins.Text}, {Role: "user", Content: corePrompt}}, chat.Messages)

	require.Len(t, r.calls, 1)
	require.Equal(t, "answered", r.calls[0].Outcome)
	require.Equal(t, 1, r.calls[0].Requests)
	require.Positive(t, r.calls[0].PromptTokens)
	require.Positive(t, r.calls[0].CompletionTokens)
	require.Contains(t, r.log.String(), `"prompt_tokens":`)
	require.Contains(t, r.log.String(), `"outcome":"answered"`)
}

// TestMisbehaviour goes through the ways in which a server misbehaves for good,
// and those in which it mends on the second request.
func TestMisbehaviour(t *testing.T) {
	t.Parallel()
	for b, c := range map[llmtest.Behaviour]struct {
		outcome, note string
		requests      int
		mends         bool // a right second answer counts
	}{
		llmtest.Refusal:      {"refused", "declined to answer", 1, false},
		llmtest.Filtered:     {"filtered", "withheld", 1, false},
		llmtest.Cut:          {"cut", "cut off", 2, true},
		llmtest.CutSilently:  {"invalid", "not a valid strategy", 2, true},
		llmtest.Empty:        {"no_answer", "no answer", 2, true},
		llmtest.NoChoices:    {"no_answer", "no answer", 2, true},
		llmtest.Prose:        {"invalid", "not one JSON object", 2, true},
		llmtest.InvalidJSON:  {"invalid", "not one JSON object", 2, true},
		llmtest.UnknownField: {"invalid", "strategy.leverage: is not a field", 2, true},
		llmtest.WrongTypes:   {"invalid", "strategy.budget_per_trade", 2, true},
		llmtest.MissingField: {"invalid", "strategy.sample_size: is missing", 2, true},
		llmtest.Injected:     {"invalid", "not one JSON object", 2, true},
		llmtest.CannotSay:    {"cannot_say", "the part about the weather", 1, false},
		llmtest.NotJSON:      {"protocol", "protocol", 1, false},
		llmtest.Huge:         {"too_large", "too long", 1, false},
		llmtest.Drip:         {"timeout", "did not answer within 3s", 1, false},
		llmtest.Silent:       {"timeout", "did not answer within 3s", 1, false},
		llmtest.Dropped:      {"connection", "could not be reached", 2, true},
		llmtest.Unauthorized: {"unauthorized", "refused the key", 1, false},
		llmtest.RateLimited:  {"rate_limited", "rate limit", 2, true},
		llmtest.ServerError:  {"server_error", "status 500", 3, true}, // of which two in a weaker form
		llmtest.Overloaded:   {"server_error", "status 503", 2, true},
	} {
		slow := func(cfg *Config) {
			if c.outcome == "timeout" {
				cfg.Timeout = 3 * time.Second // in which it has been asked
			}
		}
		t.Run(string(b), func(t *testing.T) {
			t.Parallel()
			r := newRig(t, slow, b)
			start := time.Now()
			_, failure := r.ask(t)
			require.NotNil(t, failure)
			require.Equal(t, c.outcome, failure.Outcome)
			require.Contains(t, failure.Note, c.note)
			require.Equal(t, c.requests, r.sent())
			require.Less(t, time.Since(start), time.Minute)
			require.Equal(t, c.outcome, r.calls[0].Outcome)
			require.Equal(t, c.requests, r.calls[0].Requests)
		})
		t.Run(string(b)+", then right", func(t *testing.T) {
			t.Parallel()
			r := newRig(t, slow, b, llmtest.Correct)
			_, failure := r.ask(t)
			if c.mends {
				require.Nil(t, failure, "%+v", failure)
				return
			}
			require.NotNil(t, failure)
			require.Equal(t, 1, r.sent())
		})
	}
}

func TestRepairFeedsTheErrorBack(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil, llmtest.UnknownField, llmtest.Correct)
	_, failure := r.ask(t)
	require.Nil(t, failure)
	requests := r.server.Requests()
	require.Equal(t, 2, len(requests)) //nolint:testifylint // requests are long to print
	messages := requests[1].Chat.Messages
	require.Len(t, messages, 4)
	require.Equal(t, "assistant", messages[2].Role)
	require.Contains(t, messages[2].Content, "leverage")
	require.Contains(t, messages[3].Content, "strategy.leverage: is not a field of the object")
}

// TestRepairThatFailsKeepsTheFirstReason: what was wrong with the answer says
// more than that the server failed afterwards.
func TestRepairThatFailsKeepsTheFirstReason(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil, llmtest.UnknownField, llmtest.Unauthorized)
	_, failure := r.ask(t)
	require.NotNil(t, failure)
	require.Equal(t, "invalid", failure.Outcome)
	require.Contains(t, failure.Note, "leverage")
}

func TestOneRetryInAll(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil, llmtest.ServerError, llmtest.UnknownField, llmtest.ServerError, llmtest.Correct)
	_, failure := r.ask(t)
	require.NotNil(t, failure)
	require.Equal(t, 3, r.sent())
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	t.Run("is waited for", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, nil, llmtest.RateLimited, llmtest.Correct)
		r.server.RetryAfter = "1"
		start := time.Now()
		_, failure := r.ask(t)
		require.Nil(t, failure)
		require.GreaterOrEqual(t, time.Since(start), time.Second)
	})
	t.Run("is not waited for past the time limit", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, nil, llmtest.RateLimited, llmtest.Correct)
		r.server.RetryAfter = "600"
		start := time.Now()
		_, failure := r.ask(t)
		require.NotNil(t, failure)
		require.Equal(t, "rate_limited", failure.Outcome)
		require.Less(t, time.Since(start), time.Minute)
	})
	for text, want := range map[string]time.Duration{
		"": -1, "2": 2 * time.Second, " 0.5 ": 500 * time.Millisecond, "-1": -1, "soon": -1, "NaN": -1, "1e9": -1,
		"Mon, 02 Jan 2006 15:04:05 GMT": 0,
	} {
		h := exchange{retry: text}
		require.Equal(t, want, h.retryAfter(), text)
	}
}

// TestServersWithoutStrictOutput: a form that is refused is followed by the next, and from
// then on the one that the server took is asked for.
func TestServersWithoutStrictOutput(t *testing.T) {
	t.Parallel()
	const strict, guided, plain = "json_schema", "json_object by a schema", "json_object"
	for b, want := range map[llmtest.Behaviour][]string{
		llmtest.Correct:     {strict, strict},
		llmtest.NoStrict:    {strict, guided, guided},
		llmtest.NoStrict500: {strict, guided, guided},
		llmtest.NoSchema:    {strict, guided, plain, plain},
		llmtest.NoSchema500: {strict, guided, plain, plain},
	} {
		r := newRig(t, func(c *Config) { c.CacheSize = -1 }, b)
		for range 2 {
			_, failure := r.ask(t)
			require.Nil(t, failure, "%s", b)
		}
		var formats []string
		for _, request := range r.server.Requests() {
			f := request.Chat.ResponseFormat
			if formats = append(formats, f.Type); f.Type != strict && f.Has(false) {
				formats[len(formats)-1] = guided
				require.JSONEq(t, string(r.server.Requests()[0].Chat.ResponseFormat.JSONSchema.Schema), string(f.Schema))
			}
		}
		require.Equal(t, want, formats, "%s", b)
	}

	// A server that fails whatever it is asked for is left after three requests, and
	// nothing is remembered of it.
	broken := newRig(t, nil, llmtest.ServerError, llmtest.ServerError, llmtest.ServerError, llmtest.Correct)
	_, failure := broken.ask(t)
	require.Equal(t, "server_error", failure.Outcome)
	require.Equal(t, 3, broken.sent())
	_, failure = broken.ask(t)
	require.Nil(t, failure)
	require.Equal(t, strict, broken.server.Requests()[3].Chat.ResponseFormat.Type)

	insisted := newRig(t, func(c *Config) { c.Format = FormatSchema }, llmtest.NoStrict)
	_, failure = insisted.ask(t)
	require.NotNil(t, failure)
	require.Equal(t, "bad_request", failure.Outcome)
	require.Equal(t, 1, insisted.sent())

	text := newRig(t, func(c *Config) { c.Format = FormatText }, llmtest.Correct)
	_, failure = text.ask(t)
	require.Nil(t, failure)
	require.Nil(t, text.server.Requests()[0].Chat.ResponseFormat)
}

// TestNamesThatRefuseSampling: no temperature, seed or bound on tokens, unless
// they are asked for.
func TestNamesThatRefuseSampling(t *testing.T) {
	t.Parallel()
	for name, off := range map[string]bool{"o1": true, "o3-mini": true, "gpt-5.1": true, "openai/gpt-5": true, "gpt-4o": false, "llama-3": false, "opus": false} {
		r := newRig(t, func(c *Config) { c.Model = name })
		_, failure := r.ask(t)
		require.Nil(t, failure, "%s: %+v", name, failure)
		chat := r.server.Requests()[0].Chat
		require.Equal(t, off, chat.Temperature == nil, name)
		require.Equal(t, off, chat.Seed == nil, name)
		require.Equal(t, off, chat.MaxTokens == nil, name)
	}
	r := newRig(t, func(c *Config) { c.Sampling, c.Temperature, c.Seed, c.MaxTokens = SamplingOff, 0.5, 3, 10 })
	_, failure := r.ask(t)
	require.Nil(t, failure)
	require.Nil(t, r.server.Requests()[0].Chat.Temperature)
	r = newRig(t, func(c *Config) { c.Temperature, c.Seed, c.MaxTokens = 0.5, 3, 10 })
	_, failure = r.ask(t)
	require.Nil(t, failure)
	require.InDelta(t, 0.5, *r.server.Requests()[0].Chat.Temperature, 1e-6)
	require.Equal(t, 3, *r.server.Requests()[0].Chat.Seed)
	require.Equal(t, 10, *r.server.Requests()[0].Chat.MaxTokens)
}

func TestAnswersAreCached(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(c *Config) { c.CacheSize = 2 })
	first, failure := r.ask(t)
	require.Nil(t, failure)
	second, failure := r.ask(t)
	require.Nil(t, failure)
	require.Equal(t, first, second)
	require.Equal(t, 1, r.sent())
	require.Equal(t, "cached", r.calls[1].Outcome)

	for range 2 { // of four prompts at most two are kept
		for _, prompt := range []string{"a", "b", "c", "d"} {
			_, failure = r.read(t.Context(), prompt, anything)
			require.Nil(t, failure)
		}
	}
	require.GreaterOrEqual(t, r.sent(), 1+4+2)

	failing := newRig(t, nil, llmtest.Refusal)
	for range 2 {
		_, failure = failing.ask(t)
		require.NotNil(t, failure)
	}
	require.Equal(t, 2, failing.sent(), "what does not count is not kept")
}

func TestBreakerLeavesAFailingServerAlone(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(c *Config) { c.BreakerFailures, c.BreakerPause = 4, 3*time.Second },
		llmtest.ServerError, llmtest.ServerError, llmtest.ServerError, llmtest.ServerError, llmtest.Correct)
	for range 2 { // two requests each
		_, failure := r.ask(t)
		require.Equal(t, "server_error", failure.Outcome)
	}
	_, failure := r.ask(t)
	require.NotNil(t, failure)
	require.Equal(t, "paused", failure.Outcome)
	require.Contains(t, failure.Note, "left alone")
	require.Equal(t, 4, r.sent())
	require.Eventually(t, func() bool {
		_, failure := r.read(t.Context(), corePrompt, anything)
		return failure == nil
	}, time.Minute, 50*time.Millisecond)
}

func TestBreakerLetsOneThrough(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBreaker(2, time.Minute)
		allowed := func() (tell func(bool)) {
			tell, err := b.Allow()
			require.NoError(t, err)
			return tell
		}
		refused := func() {
			_, err := b.Allow()
			require.Error(t, err)
		}
		allowed()(false)
		allowed()(false)
		time.Sleep(59 * time.Second)
		refused()
		time.Sleep(2 * time.Second)
		one := allowed()
		refused() // one at a time
		one(false)
		time.Sleep(59 * time.Second)
		refused()
		time.Sleep(2 * time.Second)
		allowed()(true)
		allowed()
		allowed()
	})
}

// TestInFlightIsBounded: of many prompts at once no more than the bound are
// with the server, and those that wait in vain say so.
func TestInFlightIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		counting := &countingTransport{server: &llmtest.Server{}}
		m, err := New(Config{BaseURL: "http://model", Model: "m", InFlight: 2, Timeout: 4 * time.Second, CacheSize: -1, Transport: counting})
		require.NoError(t, err)
		outcomes := make(chan string, 12)
		for range cap(outcomes) {
			go func() {
				_, failure := m.read(t.Context(), "x", anything)
				if failure == nil {
					outcomes <- "answered"
					return
				}
				outcomes <- failure.Outcome
			}()
		}
		counts := map[string]int{}
		for range cap(outcomes) {
			counts[<-outcomes]++
		}
		require.Equal(t, 2, counting.most)
		require.GreaterOrEqual(t, counts["answered"], 2)
		require.Equal(t, 8, counts["busy"], "%v", counts)
	})
}

// countingTransport counts the requests that are under way, each of which takes 3 s,
// whether or not anybody still waits.
type countingTransport struct {
	server    http.Handler
	mu        sync.Mutex
	now, most int
}

func (c *countingTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	add := func(n int) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.now += n
		c.most = max(c.most, c.now)
	}
	add(1)
	defer add(-1)
	time.Sleep(3 * time.Second)
	w := httptest.NewRecorder()
	c.server.ServeHTTP(w, r)
	return w.Result(), nil
}

func TestCallerWhoGivesUp(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil, llmtest.Silent)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	_, failure := r.read(ctx, corePrompt, anything)
	require.NotNil(t, failure)
	require.Equal(t, "cancelled", failure.Outcome)
}

func TestServerThatIsNotThere(t *testing.T) {
	t.Parallel()
	web := httptest.NewServer(http.NotFoundHandler())
	web.Close()
	m, err := New(Config{BaseURL: web.URL, Key: secret, Model: "m", Backoff: time.Millisecond})
	require.NoError(t, err)
	_, failure := m.read(t.Context(), corePrompt, anything)
	require.NotNil(t, failure)
	require.Equal(t, "connection", failure.Outcome)
	require.NotContains(t, failure.Note, web.URL)
}

// TestRedirectionIsNotFollowed: the key would go along.
func TestRedirectionIsNotFollowed(t *testing.T) {
	t.Parallel()
	reached := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	t.Cleanup(other.Close)
	web := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	t.Cleanup(web.Close)
	m, err := New(Config{BaseURL: web.URL, Key: secret, Model: "m"})
	require.NoError(t, err)
	_, failure := m.read(t.Context(), corePrompt, anything)
	require.NotNil(t, failure)
	require.False(t, reached)
}

func TestModelConfig(t *testing.T) {
	t.Parallel()
	good := Config{BaseURL: "http://127.0.0.1:1/v1", Model: "m"}
	_, err := New(good)
	require.NoError(t, err)
	for name, breakIt := range map[string]func(*Config){
		"base URL":    func(c *Config) { c.BaseURL = "127.0.0.1:1" },
		"base  URL":   func(c *Config) { c.BaseURL = "" },
		"model":       func(c *Config) { c.Model = "" },
		"times":       func(c *Config) { c.Timeout = -1 },
		"temperature": func(c *Config) { c.Temperature = 3 },
		"format":      func(c *Config) { c.Format = "xml" },
		"sampling":    func(c *Config) { c.Sampling = "maybe" },
	} {
		c := good
		c.Key = secret
		breakIt(&c)
		_, err := New(c)
		require.ErrorContains(t, err, strings.Join(strings.Fields(name), " "))
		require.NotContains(t, err.Error(), secret)
	}
}

func TestSplitAnswer(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"a":1,"cannot_say":null,"b":[2]}`: `{"a":1,"b":[2]}`,
		`{"cannot_say":null}`:               `{}`,
		`{"a":1,"a":2}`:                     `{"a":1,"a":2}`,
		`{"cannot_say":3}`:                  `{"cannot_say":3}`,
	} {
		got, _, err := splitAnswer(text)
		require.NoError(t, err, text)
		require.Equal(t, want, string(got))
	}
	_, beside, err := splitAnswer(`{"cannot_say":"in shares","quotes":[]}`)
	require.NoError(t, err)
	require.Equal(t, map[string]json.RawMessage{"cannot_say": json.RawMessage(`"in shares"`), "quotes": json.RawMessage("[]")}, beside)
	for _, text := range []string{"", "[]", "{", `{"a":1`, `{"a":1}x`, `{"a":1}{}`, `x{}`, `"{}"`, "{} ```"} {
		_, _, err := splitAnswer(text)
		require.Error(t, err, text)
	}
}
