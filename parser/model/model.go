// Package model asks a language model for the strategy of a prompt, through any
// server that speaks the OpenAI chat API, within bounds of time and size, and
// has its answer held against the prompt.
package model

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/maypok86/otter/v2"
	"github.com/sony/gobreaker/v2"

	"github.com/ladderback/ladderback/parser/guard"
	"github.com/ladderback/ladderback/prompts"
)

// AnswerFormat is the form in which a model is asked to answer. The answer is
// always checked against the schema, whatever the form.
type AnswerFormat string

// Formats.
const (
	// FormatAuto asks for FormatSchema; when the server refuses such a request
	// (some answer 500 to it), for FormatGuided, and when it refuses that, for
	// FormatJSON. What it takes it is asked for in the next ten minutes.
	FormatAuto   AnswerFormat = ""
	FormatSchema AnswerFormat = "json_schema"        // strict output by our schema
	FormatGuided AnswerFormat = "json_object_schema" // JSON decoded by our schema, as servers of llama.cpp take it
	FormatJSON   AnswerFormat = "json_object"        // any JSON
	FormatText   AnswerFormat = "text"               // nothing asked; for servers that know no format
)

// forms are the formats that FormatAuto asks for, in order.
var forms = [...]AnswerFormat{FormatSchema, FormatGuided, FormatJSON}

// Sampling says whether temperature, seed and the token limit are sent.
type Sampling string

// Samplings.
const (
	// SamplingAuto sends them, except to models whose names begin with o1, o3,
	// o4, gpt-5 or gpt-6, which refuse them.
	SamplingAuto Sampling = ""
	SamplingOn   Sampling = "on"
	SamplingOff  Sampling = "off"
)

// Config says which language model is asked, and how. BaseURL and Model are
// required; any other zero field takes its default.
type Config struct {
	// BaseURL is the address of an OpenAI-compatible API, including its
	// version: "https://api.openai.com/v1", "http://127.0.0.1:8080/v1".
	BaseURL string
	// Key is sent as a bearer token; empty: none. It is never logged.
	Key string
	// Model is the server's name for the model.
	Model string

	// Timeout bounds all attempts and the repair of one prompt together.
	// Default 15 s.
	Timeout time.Duration
	// Backoff is the pause before the single retry if the server names none.
	// Default 250 ms.
	Backoff time.Duration
	Format  AnswerFormat
	// Sampling, Temperature (0..2, default 0), Seed (default 0) and MaxTokens
	// (default 1500).
	Sampling    Sampling
	Temperature float64
	Seed        int
	MaxTokens   int

	// InFlight bounds the prompts waiting for the model at the same time.
	// Default 8.
	InFlight int
	// BreakerFailures is how many prompts in a row must find the server
	// unusable before it is left alone for BreakerPause. Defaults 5 and 30 s.
	BreakerFailures int
	BreakerPause    time.Duration
	// CacheSize is how many accepted answers are cached. Default 1000;
	// negative: none.
	CacheSize int

	// Transport carries the requests; nil: http.DefaultTransport.
	Transport http.RoundTripper
	// Logger gets one line per call, with the tokens used; nil: nothing is
	// logged.
	Logger *slog.Logger
	// Observe is called after every prompt meant for the model, from the
	// parsing goroutine; nil: not called. It must not block.
	Observe func(Call)
}

// DefaultInFlight is the default of Config.InFlight.
const DefaultInFlight = 8

// Call is the outcome of one prompt meant for the model.
type Call struct {
	// Outcome is "answered", "cached", or why the answer did not count:
	// "timeout", "invalid", "ungrounded", "differs", …
	Outcome string
	// Requests is how many requests were sent: 0 to 3.
	Requests         int
	PromptTokens     int
	CompletionTokens int
	Took             time.Duration
}

// withDefaults returns c with its zero fields set, or says what is wrong with
// it.
func (c Config) withDefaults() (Config, error) {
	u, err := url.Parse(c.BaseURL)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return c, errors.New("language model: base URL: expected an address like https://api.openai.com/v1")
	}
	if c.Model == "" {
		return c, errors.New("language model: model: expected the name of a model")
	}
	c.Timeout, c.Backoff = cmp.Or(c.Timeout, 15*time.Second), cmp.Or(c.Backoff, 250*time.Millisecond)
	c.MaxTokens, c.InFlight, c.CacheSize = cmp.Or(c.MaxTokens, 1500), cmp.Or(c.InFlight, DefaultInFlight), cmp.Or(c.CacheSize, 1000)
	c.BreakerFailures, c.BreakerPause = cmp.Or(c.BreakerFailures, 5), cmp.Or(c.BreakerPause, 30*time.Second)
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	return c, c.check()
}

// check says which setting is out of its range.
func (c *Config) check() error {
	switch {
	case min(c.Timeout, c.Backoff, c.BreakerPause) < 0 || min(c.MaxTokens, c.InFlight, c.BreakerFailures) < 0:
		return errors.New("language model: times and bounds: expected none below 0")
	case c.Temperature < 0 || c.Temperature > 2:
		return fmt.Errorf("language model: temperature %v: expected 0 to 2", c.Temperature)
	case !slices.Contains([]AnswerFormat{FormatAuto, FormatSchema, FormatGuided, FormatJSON, FormatText}, c.Format):
		return fmt.Errorf("language model: format %q: expected json_schema, json_object_schema, json_object or text", c.Format)
	case !slices.Contains([]Sampling{SamplingAuto, SamplingOn, SamplingOff}, c.Sampling):
		return fmt.Errorf("language model: sampling %q: expected on or off", c.Sampling)
	}
	return nil
}

// samplingOff reports whether temperature, seed and the bound on tokens are
// left out.
func (c *Config) samplingOff() bool {
	if c.Sampling != SamplingAuto {
		return c.Sampling == SamplingOff
	}
	name := c.Model[strings.LastIndexByte(c.Model, '/')+1:]
	return slices.ContainsFunc([]string{"o1", "o3", "o4", "gpt-5", "gpt-6"}, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// Model reads prompts by asking a language model. It believes an answer only as
// far as it can be checked. It is safe for concurrent use.
type Model struct {
	cfg          Config
	client       *chatClient
	instructions prompts.Instructions
	slots        chan struct{}
	takes        atomic.Pointer[taken] // what the server took; nil: it refused nothing
	breaker      *gobreaker.TwoStepCircuitBreaker[chatAnswer]
	cache        *otter.Cache[string, *guard.Answer] // nil: nothing is kept
}

// taken is the form, an index into forms, that a server took after it had refused those
// before it, and until when it is asked for at once.
type taken struct {
	form  int
	until time.Time
}

// New returns a Model. Nothing is sent before the first prompt.
func New(cfg Config) (*Model, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	instructions, err := prompts.Strategy()
	if err != nil {
		return nil, err
	}
	return &Model{
		cfg:          cfg,
		client:       newChatClient(cfg),
		instructions: instructions,
		slots:        make(chan struct{}, cfg.InFlight),
		breaker:      newBreaker(cfg.BreakerFailures, cfg.BreakerPause),
		cache:        newCache(cfg.CacheSize),
	}, nil
}

// newBreaker returns what leaves a server alone for a while after failures in a
// row. Of the requests after the pause one is let through to see whether it is back.
func newBreaker(failures int, pause time.Duration) *gobreaker.TwoStepCircuitBreaker[chatAnswer] {
	return gobreaker.NewTwoStepCircuitBreaker[chatAnswer](gobreaker.Settings{
		MaxRequests: 1, Timeout: pause,
		ReadyToTrip: func(c gobreaker.Counts) bool { return int(c.ConsecutiveFailures) >= failures },
	})
}

// newCache returns what keeps the answers that counted, by prompt; nil: nothing is
// kept. The model and the instructions are the same for all of them.
func newCache(size int) *otter.Cache[string, *guard.Answer] {
	if size < 0 {
		return nil
	}
	return otter.Must(&otter.Options[string, *guard.Answer]{
		MaximumSize: size,
		Executor:    func(f func()) { f() }, // no goroutine outlives a call
	})
}
