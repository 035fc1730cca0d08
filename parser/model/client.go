package model

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	openai "github.com/sashabaranov/go-openai"
)

// maxAnswerBytes bounds the body of a model's response: many times what a
// strategy needs.
const maxAnswerBytes = 1 << 20

// chatMessage is one message of a conversation: its role is "system", "user" or "assistant".
type chatMessage = openai.ChatCompletionMessage

// chatAnswer is what a model said, with the tokens that the server counted.
type chatAnswer struct {
	text             string
	promptTokens     int
	completionTokens int
}

// failKind says in which way a call to a model failed.
type failKind string

// Kinds of failure.
const (
	failConnection failKind = "connection"   // not reached, or the connection broke
	failTimeout    failKind = "timeout"      // the time limit ran out
	failCancelled  failKind = "cancelled"    // the caller gave up
	failKey        failKind = "unauthorized" // 401, 403
	failLimit      failKind = "rate_limited" // 429
	failServer     failKind = "server_error" // 5xx
	failRequest    failKind = "bad_request"  // other 4xx
	failTooLarge   failKind = "too_large"    // more than maxAnswerBytes
	failProtocol   failKind = "protocol"     // a body that is not of the protocol
	failNoAnswer   failKind = "no_answer"    // no choices, or no text
	failRefused    failKind = "refused"      // the model declined
	failCut        failKind = "cut"          // the answer was cut off
	failFiltered   failKind = "filtered"     // the server's filter withheld the answer
	failPaused     failKind = "paused"       // not asked: it has failed too often
)

// chatError is a call that failed. It carries nothing that a server has said,
// since servers repeat keys in their messages.
type chatError struct {
	kind       failKind
	status     int           // HTTP status; 0: none
	retryAfter time.Duration // what the server asked for; negative: nothing
}

func (e *chatError) Error() string {
	if e.status != 0 {
		return fmt.Sprintf("language model: %s (status %d)", e.kind, e.status)
	}
	return "language model: " + string(e.kind)
}

// passing reports whether trying again may help.
func (e *chatError) passing() bool {
	return e.kind == failConnection || e.kind == failLimit || e.kind == failServer
}

// chatClient speaks the chat protocol to one model. It is safe for concurrent
// use.
type chatClient struct {
	api *openai.Client
	cfg Config
}

func newChatClient(cfg Config) *chatClient {
	c := openai.DefaultConfig(cfg.Key)
	c.BaseURL = strings.TrimRight(cfg.BaseURL, "/")
	c.HTTPClient = &http.Client{Transport: boundedTransport{cmp.Or(cfg.Transport, http.DefaultTransport)}, CheckRedirect: noRedirect}
	return &chatClient{api: openai.NewClientWithConfig(c), cfg: cfg}
}

// noRedirect keeps the key from following a redirection to another host.
func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// ask sends a conversation and returns the answer in a format, or a *chatError.
func (c *chatClient) ask(ctx context.Context, schema []byte, messages []chatMessage, format AnswerFormat) (chatAnswer, error) {
	header := &exchange{}
	if format == FormatGuided {
		header.format = fmt.Appendf(nil, `{"type":"json_object","schema":%s}`, schema)
	}
	response, err := c.api.CreateChatCompletion(context.WithValue(ctx, exchangeKey{}, header), c.request(schema, messages, format))
	if err != nil {
		return chatAnswer{}, classify(ctx, err, header)
	}
	answer := chatAnswer{promptTokens: response.Usage.PromptTokens, completionTokens: response.Usage.CompletionTokens}
	if len(response.Choices) == 0 {
		return answer, &chatError{kind: failNoAnswer}
	}
	choice := response.Choices[0]
	answer.text = choice.Message.Content
	switch {
	case choice.Message.Refusal != "":
		return answer, &chatError{kind: failRefused}
	case choice.FinishReason == openai.FinishReasonLength:
		return answer, &chatError{kind: failCut}
	case choice.FinishReason == openai.FinishReasonContentFilter:
		return answer, &chatError{kind: failFiltered}
	case strings.TrimSpace(answer.text) == "":
		return answer, &chatError{kind: failNoAnswer}
	}
	return answer, nil
}

func (c *chatClient) request(schema []byte, messages []chatMessage, format AnswerFormat) openai.ChatCompletionRequest {
	request := openai.ChatCompletionRequest{Model: c.cfg.Model, Messages: messages}
	switch format {
	case FormatText, FormatGuided: // the library has no field for what guides
	case FormatJSON:
		request.ResponseFormat = &openai.ChatCompletionResponseFormat{Type: openai.ChatCompletionResponseFormatTypeJSONObject}
	default:
		request.ResponseFormat = &openai.ChatCompletionResponseFormat{
			Type: openai.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{
				Name: "strategy", Strict: true, Schema: json.RawMessage(schema),
			},
		}
	}
	c.sampling(&request)
	return request
}

// sampling sets temperature, seed and the bound on tokens, except for models
// whose names say that they refuse them.
func (c *chatClient) sampling(request *openai.ChatCompletionRequest) {
	if c.cfg.samplingOff() {
		return
	}
	request.Temperature = float32(c.cfg.Temperature)
	if request.Temperature == 0 {
		// The library drops a zero; this is the nearest number that it sends.
		request.Temperature = math.SmallestNonzeroFloat32
	}
	seed := c.cfg.Seed
	request.Seed = &seed
	//lint:ignore SA1019 the name that servers other than OpenAI's know; models that refuse it do not come here
	request.MaxTokens = c.cfg.MaxTokens //nolint:staticcheck // see above
}

// classify turns an error of the library into a chatError.
func classify(ctx context.Context, err error, header *exchange) error {
	out := &chatError{kind: failConnection, status: header.status, retryAfter: header.retryAfter()}
	var tooLarge *http.MaxBytesError
	var syntax *json.SyntaxError
	var wrongType *json.UnmarshalTypeError
	switch {
	case errors.As(err, &tooLarge):
		out.kind = failTooLarge
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		out.kind = failTimeout
	case ctx.Err() != nil:
		out.kind = failCancelled
	case out.status == http.StatusUnauthorized || out.status == http.StatusForbidden:
		out.kind = failKey
	case out.status == http.StatusTooManyRequests:
		out.kind = failLimit
	case out.status >= 500:
		out.kind = failServer
	case out.status >= 300:
		out.kind = failRequest
	case errors.As(err, &syntax), errors.As(err, &wrongType):
		out.kind = failProtocol
	case out.status == http.StatusOK && errors.Is(err, io.EOF):
		out.kind = failProtocol // an empty body
	}
	return out
}

// boundedTransport bounds what is read of a response, and does what the library does
// not: it sends the answer's format and notes the status and Retry-After.
type boundedTransport struct{ next http.RoundTripper }

func (t boundedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	x, _ := r.Context().Value(exchangeKey{}).(*exchange)
	if x != nil && x.format != nil {
		var err error
		if r, err = x.formatted(r); err != nil {
			return nil, err
		}
	}
	response, err := t.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if x != nil {
		x.status, x.retry = response.StatusCode, response.Header.Get("Retry-After")
	}
	response.Body = http.MaxBytesReader(nil, response.Body, maxAnswerBytes)
	return response, nil
}

// exchange is what the transport adds to the request of one call, nil for nothing, and
// what it saw of the response.
type exchange struct {
	format []byte // of the answer
	status int
	retry  string
}

type exchangeKey struct{}

// formatted returns a request with the answer's format in its body.
func (x *exchange) formatted(r *http.Request) (*http.Request, error) {
	var body map[string]json.RawMessage
	err := json.NewDecoder(r.Body).Decode(&body)
	if err = errors.Join(err, r.Body.Close()); err != nil {
		return nil, err
	}
	body["response_format"] = x.format
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	r = r.Clone(r.Context())
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	return r, nil
}

// retryAfter returns what the server asked to wait, in seconds or until a date,
// or a negative duration when it asked for nothing that can be read.
func (h *exchange) retryAfter() time.Duration {
	if date, err := http.ParseTime(h.retry); err == nil {
		return max(0, time.Until(date))
	}
	seconds, err := strconv.ParseFloat(strings.TrimSpace(h.retry), 64)
	if err != nil || seconds < 0 || seconds > 1e6 || math.IsNaN(seconds) {
		return -1
	}
	return time.Duration(seconds * float64(time.Second))
}
