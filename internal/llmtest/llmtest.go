// Package llmtest is a chat server that speaks the protocol of the OpenAI chat
// API and misbehaves on request: what a client of language models has to
// survive, without one.
//
// A Server answers each request by the next step of its script, the last step
// for ever after. It answers a prompt that it knows (Answers) with the JSON
// given for it, and any other with Fallback; a step says in which way that
// answer goes wrong.
//
// By hand:
//
//	go run ./internal/llmtest/cmd --addr 127.0.0.1:9999 --script hallucinated,correct
package llmtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Behaviour is one way to answer a request.
type Behaviour string

// Behaviours. From Huge on it is the transport that misbehaves; the last eight
// answer with another status than 200.
const (
	Correct      Behaviour = "correct"       // the answer known for the prompt
	Refusal      Behaviour = "refusal"       // the model declines: no content, a refusal
	Cut          Behaviour = "cut"           // half of the answer, finish_reason length
	CutSilently  Behaviour = "cut_silently"  // half of the answer, finish_reason stop
	Filtered     Behaviour = "filtered"      // finish_reason content_filter
	Prose        Behaviour = "prose"         // prose and a code fence around the answer
	InvalidJSON  Behaviour = "invalid_json"  // an answer that is no JSON
	Empty        Behaviour = "empty"         // empty content
	UnknownField Behaviour = "unknown_field" // one property that the schema does not have
	WrongTypes   Behaviour = "wrong_types"   // numbers as text
	MissingField Behaviour = "missing_field" // a required property left out
	Hallucinated Behaviour = "hallucinated"  // a threshold that nobody asked for
	Budget       Behaviour = "budget"        // another budget
	Flipped      Behaviour = "flipped"       // a comparator turned round
	OtherToken   Behaviour = "other_token"   // the other token bought
	CannotSay    Behaviour = "cannot_say"    // the answer, with cannot_say filled in
	NoChoices    Behaviour = "no_choices"    // an empty list of choices
	Injected     Behaviour = "injected"      // obeys "answer with {…}" or "set budget to …" in the prompt; else gives its instructions away
	NotJSON      Behaviour = "not_json"      // status 200 with a page of HTML
	Huge         Behaviour = "huge"          // an answer of 10 MB
	Drip         Behaviour = "drip"          // the answer byte by byte, too slowly
	Silent       Behaviour = "silent"        // nothing until the client goes away
	Dropped      Behaviour = "dropped"       // the connection is closed in the middle of the answer
	Unauthorized Behaviour = "unauthorized"  // 401, and the key is repeated in the message
	NoStrict     Behaviour = "no_strict"     // 400 for a request with a JSON schema; else the known answer
	NoStrict500  Behaviour = "no_strict_500" // the same with 500, as llama-cpp-python's server does
	NoSchema     Behaviour = "no_schema"     // 400 for a request with a schema in any form; else the known answer
	NoSchema500  Behaviour = "no_schema_500" // the same with 500
	RateLimited  Behaviour = "rate_limited"  // 429 with Retry-After
	ServerError  Behaviour = "server_error"  // 500, plain text
	Overloaded   Behaviour = "overloaded"    // 503, JSON
)

// Behaviours returns all of them, in the order above.
func Behaviours() []Behaviour {
	return []Behaviour{
		Correct, Refusal, Cut, CutSilently, Filtered, Prose, InvalidJSON, Empty, UnknownField, WrongTypes, MissingField, Hallucinated,
		Budget, Flipped, OtherToken, CannotSay, NoChoices, Injected, NotJSON, Huge, Drip, Silent, Dropped,
		Unauthorized, NoStrict, NoStrict500, NoSchema, NoSchema500, RateLimited, ServerError, Overloaded,
	}
}

// Server is an http.Handler for POST …/chat/completions. Set its fields before
// the first request. It is safe for concurrent use.
type Server struct {
	// Script is what the first, second, … request gets; the last step is
	// repeated. Empty: Correct.
	Script []Behaviour
	// Answers maps a prompt (the last user message, or an earlier one of the
	// same conversation) to the JSON of its strategy.
	Answers map[string]string
	// Fallback answers any other prompt; empty: a strategy that buys Up on BTC
	// 15m at the start.
	Fallback string
	// RetryAfter is the header of RateLimited and Overloaded; empty: "0".
	RetryAfter string
	// DripEvery is the pause between two bytes of Drip; zero: 50 ms.
	DripEvery time.Duration

	mu       sync.Mutex
	requests []Request
}

// Request is what a client sent.
type Request struct {
	Key   string // what stood behind "Bearer "
	Body  []byte
	Chat  Chat
	Given Behaviour // how it was answered
}

// Chat is the part of a request's body that matters here.
type Chat struct {
	Model          string          `json:"model"`
	Messages       []Message       `json:"messages"`
	Temperature    *float64        `json:"temperature"`
	Seed           *int            `json:"seed"`
	MaxTokens      *int            `json:"max_tokens"`
	MaxCompletion  *int            `json:"max_completion_tokens"`
	ResponseFormat *ResponseFormat `json:"response_format"`
}

// Message is one message of the conversation.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// ResponseFormat is the form that the client asks the answer in.
type ResponseFormat struct {
	Type       string `json:"type"`
	JSONSchema *struct {
		Name   string          `json:"name"`
		Strict bool            `json:"strict"`
		Schema json.RawMessage `json:"schema"`
	} `json:"json_schema"`
	Schema json.RawMessage `json:"schema"` // beside json_object: by which it is decoded
}

// Has reports whether an answer by a schema is asked for; strictly: in the form of
// OpenAI's own API.
func (f *ResponseFormat) Has(strictly bool) bool {
	return f != nil && (f.Type == "json_schema" || !strictly && f.Schema != nil)
}

const fallback = `{"market":{"coin":"BTC","market_type":"15m"},"side":"up","entry":[],"exit":{"take_profit":null,"stop_loss":null,"hold_to_expiry":true},"budget_per_trade":100,"sample_size":50}`

// Requests returns what has been sent so far, in order.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// step records a request and says how to answer it.
func (s *Server) step(r Request) Behaviour {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.requests)
	b := Correct
	switch {
	case n < len(s.Script):
		b = s.Script[n]
	case len(s.Script) > 0:
		b = s.Script[len(s.Script)-1]
	}
	r.Given = b
	s.requests = append(s.requests, r)
	return b
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/chat/completions") {
		http.Error(w, "expected POST …/chat/completions", http.StatusNotFound)
		return
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	if err != nil {
		http.Error(w, "request body: "+err.Error(), http.StatusBadRequest)
		return
	}
	request := Request{Body: body, Key: strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")}
	if err := json.Unmarshal(body, &request.Chat); err != nil {
		http.Error(w, "request body: "+err.Error(), http.StatusBadRequest)
		return
	}
	a := answering{server: s, w: w, r: r, request: request}
	a.give(s.step(request))
}

// answering is one request on its way to an answer.
type answering struct {
	server  *Server
	w       http.ResponseWriter
	r       *http.Request
	request Request
}

// known returns the right answer and the prompt it answers.
func (a *answering) known() (answer, prompt string) {
	for _, m := range a.request.Chat.Messages {
		if m.Role != "user" {
			continue
		}
		if prompt == "" {
			prompt = m.Content
		}
		if found, ok := a.server.Answers[m.Content]; ok {
			return found, m.Content
		}
	}
	if a.server.Fallback != "" {
		return a.server.Fallback, prompt
	}
	return fallback, prompt
}

func (a *answering) give(b Behaviour) {
	answer, prompt := a.known()
	switch b {
	case Refusal:
		a.choice(choice{Refusal: "I can't help with trading.", Finish: "stop"})
	case Cut:
		a.choice(choice{Content: answer[:len(answer)/2], Finish: "length"})
	case CutSilently:
		a.choice(choice{Content: answer[:len(answer)/2], Finish: "stop"})
	case Filtered:
		a.choice(choice{Finish: "content_filter"})
	case NoChoices:
		a.json(http.StatusOK, map[string]any{"id": "x", "object": "chat.completion", "choices": []any{}})
	case NotJSON:
		a.w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(a.w, "<html><body>Welcome to the proxy</body></html>")
	case Huge:
		a.choice(choice{Content: answer + strings.Repeat(" ", 10<<20), Finish: "stop"})
	case Drip, Silent, Dropped:
		a.slow(b, answer)
	case Unauthorized, RateLimited, ServerError, Overloaded:
		a.fail(b)
	case NoStrict, NoStrict500, NoSchema, NoSchema500:
		if a.request.Chat.ResponseFormat.Has(b == NoStrict || b == NoStrict500) {
			status := http.StatusBadRequest
			if b == NoStrict500 || b == NoSchema500 {
				status = http.StatusInternalServerError
			}
			a.json(status, errorBody("invalid_request_error", "response_format json_schema is not supported by this model"))
			return
		}
		a.choice(choice{Content: answer, Finish: "stop"})
	default:
		a.choice(choice{Content: Spoil(b, answer, prompt), Finish: "stop"})
	}
}

type choice struct{ Content, Refusal, Finish string }

// completion writes a whole answer of the protocol.
func (a *answering) completion(c choice) []byte {
	message := map[string]any{"role": "assistant", "content": c.Content}
	if c.Refusal != "" {
		message["content"], message["refusal"] = nil, c.Refusal
	}
	b, err := json.Marshal(map[string]any{
		"id": "chatcmpl-llmtest", "object": "chat.completion", "created": 1, "model": a.request.Chat.Model,
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": c.Finish}},
		"usage":   map[string]any{"prompt_tokens": len(a.request.Body) / 4, "completion_tokens": len(c.Content) / 4, "total_tokens": (len(a.request.Body) + len(c.Content)) / 4},
	})
	if err != nil {
		panic("llmtest: " + err.Error())
	}
	return b
}

func (a *answering) choice(c choice) {
	a.w.Header().Set("Content-Type", "application/json")
	_, _ = a.w.Write(a.completion(c))
}

func (a *answering) json(status int, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		panic("llmtest: " + err.Error())
	}
	a.w.Header().Set("Content-Type", "application/json")
	a.w.WriteHeader(status)
	_, _ = a.w.Write(b)
}

func errorBody(kind, message string) map[string]any {
	return map[string]any{"error": map[string]any{"message": message, "type": kind, "param": nil, "code": nil}}
}

func (a *answering) fail(b Behaviour) {
	retry := a.server.RetryAfter
	if retry == "" {
		retry = "0"
	}
	switch b {
	case Unauthorized:
		a.json(http.StatusUnauthorized, errorBody("invalid_request_error", fmt.Sprintf("Incorrect API key provided: %s.", a.request.Key)))
	case RateLimited:
		a.w.Header().Set("Retry-After", retry)
		a.json(http.StatusTooManyRequests, errorBody("rate_limit_error", "Rate limit reached"))
	case Overloaded:
		a.w.Header().Set("Retry-After", retry)
		a.json(http.StatusServiceUnavailable, errorBody("server_error", "overloaded"))
	default:
		http.Error(a.w, "internal error at /srv/llm/model.py:17", http.StatusInternalServerError)
	}
}

// slow answers too slowly, never, or half.
func (a *answering) slow(b Behaviour, answer string) {
	done := a.r.Context().Done()
	if b == Silent {
		<-done
		return
	}
	body := a.completion(choice{Content: answer, Finish: "stop"})
	a.w.Header().Set("Content-Type", "application/json")
	a.w.Header().Set("Content-Length", fmt.Sprint(len(body)))
	if b == Dropped {
		_, _ = a.w.Write(body[:len(body)/2])
		a.drop()
		return
	}
	every := a.server.DripEvery
	if every <= 0 {
		every = 50 * time.Millisecond
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	control := http.NewResponseController(a.w)
	for i := range body {
		select {
		case <-done:
			return
		case <-tick.C:
			_, _ = a.w.Write(body[i : i+1])
			_ = control.Flush()
		}
	}
}

// drop closes the connection under the client.
func (a *answering) drop() {
	control := http.NewResponseController(a.w)
	_ = control.Flush()
	conn, _, err := control.Hijack()
	if errors.Is(err, http.ErrNotSupported) {
		panic(http.ErrAbortHandler)
	}
	if err == nil {
		_ = conn.Close()
	}
}
