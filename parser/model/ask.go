package model

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/ladderback/ladderback/parser/guard"
	"github.com/ladderback/ladderback/prompts"
	"github.com/ladderback/ladderback/strategy"
)

// conversation is one prompt on its way through the model.
type conversation struct {
	m        *Model
	ctx      context.Context //nolint:containedctx // one call, one context
	messages []chatMessage
	call     Call
	retried  bool
}

// Read asks the model for the strategy of a prompt.
func (m *Model) Read(ctx context.Context, prompt string, known guard.Known) (*guard.Reading, *guard.Failure) {
	var out *guard.Reading
	a, failure := m.read(ctx, prompt, func(a *guard.Answer) *guard.Objection {
		var wrong *guard.Objection
		out, wrong = guard.Judge(prompt, a, known)
		return wrong
	})
	if failure != nil {
		return nil, failure
	}
	if out == nil { // from the cache
		out, _ = guard.Judge(prompt, a, known)
	}
	return out, nil
}

// Trace names the model for the trace of a prompt.
func (m *Model) Trace() *strategy.ModelTrace {
	return &strategy.ModelTrace{Name: m.cfg.Model, PromptVersion: m.instructions.Version, PromptHash: m.instructions.Hash}
}

// read asks the model for the strategy of a prompt and returns it in canonical
// form, or says why its answer does not count. check judges a valid strategy
// by the prompt alone; nil means that it has nothing against it.
func (m *Model) read(ctx context.Context, prompt string, check func(*guard.Answer) *guard.Objection) (*guard.Answer, *guard.Failure) {
	start := time.Now()
	c := &conversation{m: m, messages: []chatMessage{{Role: "system", Content: m.instructions.Text}, {Role: "user", Content: prompt}}}
	s, failure := c.answer(ctx, prompt, check)
	c.call.Took = time.Since(start)
	if failure != nil {
		c.call.Outcome = failure.Outcome
	}
	m.cfg.Logger.LogAttrs(ctx, slog.LevelInfo, "language model", slog.String("outcome", c.call.Outcome), slog.String("model", m.cfg.Model),
		slog.String("prompt_version", m.instructions.Version), slog.Int("requests", c.call.Requests), slog.Int("prompt_tokens", c.call.PromptTokens),
		slog.Int("completion_tokens", c.call.CompletionTokens), slog.Duration("took", c.call.Took))
	if m.cfg.Observe != nil {
		m.cfg.Observe(c.call)
	}
	return s, failure
}

func (c *conversation) answer(ctx context.Context, prompt string, check func(*guard.Answer) *guard.Objection) (*guard.Answer, *guard.Failure) {
	m := c.m
	if m.cache != nil {
		if s, ok := m.cache.GetIfPresent(prompt); ok {
			c.call.Outcome = "cached"
			return s, nil
		}
	}
	ctx, cancel := context.WithTimeout(ctx, m.cfg.Timeout)
	defer cancel()
	c.ctx = ctx
	select {
	case m.slots <- struct{}{}:
		defer func() { <-m.slots }()
	case <-ctx.Done():
	}
	if ctx.Err() != nil { // a slot may have come with the end
		return nil, &guard.Failure{Outcome: "busy", Note: "the language model is busy with other prompts"}
	}
	s, failure := c.ask(check)
	if failure == nil {
		if c.call.Outcome = "answered"; m.cache != nil {
			m.cache.Set(prompt, s)
		}
	}
	return s, failure
}

// ask sends the conversation, and a second time with what is wrong with the
// answer. When the repair fails, what was wrong with the first answer is the
// reason.
func (c *conversation) ask(check func(*guard.Answer) *guard.Objection) (*guard.Answer, *guard.Failure) {
	var first *guard.Objection
	for {
		reply, err := c.send()
		var read *guard.Answer
		wrong := c.failed(err)
		if wrong == nil {
			read, wrong = judge(reply.text, check)
		}
		switch {
		case wrong == nil:
			return read, nil
		case first != nil && (err != nil || wrong.Nearly == nil && first.Nearly != nil):
			return nil, &first.Failure
		case first != nil || wrong.Problem == "":
			return nil, &wrong.Failure
		}
		first = wrong
		c.messages = append(c.messages, chatMessage{Role: "assistant", Content: shorten(reply.text)}, chatMessage{Role: "user", Content: prompts.Repair(wrong.Problem)})
	}
}

// shorten bounds what is sent back of an answer.
func shorten(text string) string {
	const limit = 4000
	if len(text) > limit {
		text = text[:limit]
	}
	if text == "" {
		return "(nothing)"
	}
	return string(bytes.ToValidUTF8([]byte(text), []byte("?")))
}

// takenFor is how long a server that refuses a form is asked for the one that it took.
const takenFor = 10 * time.Minute

// send sends the conversation once, and again when that may help: once more after a pause
// when the server was not reached, overloaded or failing, and in the next form when the
// form may be what it refuses.
func (c *conversation) send() (chatAnswer, error) {
	m := c.m
	form, suspect := m.form(), false
	var last error // why the request before is repeated
	for {
		tell, err := m.breaker.Allow()
		if err != nil {
			return chatAnswer{}, cmp.Or(last, error(&chatError{kind: failPaused}))
		}
		c.call.Requests++
		answer, err := m.client.ask(c.ctx, m.instructions.Schema, c.messages, cmp.Or(m.cfg.Format, forms[form]))
		c.call.PromptTokens += answer.promptTokens
		c.call.CompletionTokens += answer.completionTokens
		var failed *chatError
		if err == nil || !errors.As(err, &failed) {
			if suspect {
				m.takes.Store(&taken{form, time.Now().Add(takenFor)})
			}
			tell(true)
			return answer, err
		}
		tell(failed.usable())
		refused := m.cfg.Format == FormatAuto && form+1 < len(forms) && failed.refusesRequest()
		if !c.goesOn(failed, refused, suspect) {
			return answer, err
		}
		if last = err; refused {
			form, suspect = form+1, true
		}
	}
}

// form is the first that is asked for: an index into forms.
func (m *Model) form() int {
	if t := m.takes.Load(); t != nil && time.Now().Before(t.until) {
		return t.form
	}
	return 0
}

// goesOn reports whether a request is sent again, after a pause unless its form is what
// was refused; once in all but for one in each weaker form.
func (c *conversation) goesOn(failed *chatError, refused, suspect bool) bool {
	switch {
	case refused && failed.kind == failRequest:
		return true
	case !failed.passing(), c.retried && !(refused && suspect), !c.pause(failed.retryAfter):
		return false
	}
	c.retried = true
	return true
}

// refusesRequest reports whether the server may have failed because of the
// form of the request.
func (e *chatError) refusesRequest() bool {
	return e.kind == failRequest || e.status == http.StatusInternalServerError
}

// usable reports whether the server could be used, whatever it answered.
func (e *chatError) usable() bool {
	return !slices.Contains([]failKind{failConnection, failTimeout, failKey, failLimit, failServer}, e.kind)
}

// pause waits before a retry. It gives up at once when the server asks for
// longer than the time limit leaves.
func (c *conversation) pause(asked time.Duration) bool {
	wait := asked
	if wait < 0 {
		wait = c.m.cfg.Backoff
	}
	if deadline, ok := c.ctx.Deadline(); ok && time.Until(deadline) <= wait {
		return false
	}
	select {
	case <-time.After(wait):
		return true
	case <-c.ctx.Done():
		return false
	}
}

// failures say what each kind of failure is called; times and states are put
// into the note.
var failures = map[failKind]string{
	failPaused:     "the language model has failed several times in a row and is left alone for a moment",
	failConnection: "the language model could not be reached",
	failCancelled:  "the language model was not waited for",
	failKey:        "the language model's server refused the key that is configured",
	failLimit:      "the language model's server is over its rate limit",
	failTooLarge:   "the language model's answer was far too long",
	failProtocol:   "the language model's server did not answer in the protocol",
	failRefused:    "the language model declined to answer",
	failFiltered:   "the language model's answer was withheld by its server",
	failNoAnswer:   "the language model gave no answer",
	failCut:        "the language model's answer was cut off",
}

// failed words a call that failed; nil when err is. Where the model may be
// asked to mend its answer the objection has a problem.
func (c *conversation) failed(err error) *guard.Objection {
	var failed *chatError
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &failed):
		return &guard.Objection{Failure: guard.Failure{Outcome: "error", Note: "the language model could not be asked"}}
	}
	out := &guard.Objection{Failure: guard.Failure{Outcome: string(failed.kind), Note: failures[failed.kind]}}
	switch failed.kind {
	case failTimeout:
		out.Note = fmt.Sprintf("the language model did not answer within %s", c.m.cfg.Timeout)
	case failServer:
		out.Note = fmt.Sprintf("the language model's server failed (status %d)", failed.status)
	case failRequest:
		out.Note = fmt.Sprintf("the language model's server refused the request (status %d)", failed.status)
	case failNoAnswer:
		out.Problem = "it was empty."
	case failCut:
		out.Problem = "it was cut off before its end."
	}
	return out
}

// judge reads an answer strictly and returns the canonical strategy, or what
// is wrong with it.
func judge(text string, check func(*guard.Answer) *guard.Objection) (*guard.Answer, *guard.Objection) {
	object, beside, err := splitAnswer(text)
	if err != nil {
		return nil, invalid("it is not one JSON object, and nothing else")
	}
	unsaid := ""
	_ = json.Unmarshal(beside[prompts.CannotSay], &unsaid)
	if unsaid != "" {
		return nil, &guard.Objection{Failure: guard.Failure{
			Outcome: "cannot_say", Note: "the language model found words that it could not express: " + guard.Quoted(unsaid)}}
	}
	s, err := strategy.Parse(object)
	if err != nil {
		return nil, invalid(err.Error())
	}
	q, ok := guard.ParseQuotes(beside[prompts.Quotes])
	if !ok {
		return nil, invalid("quotes: expected null or a list of {field, words}")
	}
	a := &guard.Answer{Strategy: s, Quotes: q}
	if wrong := check(a); wrong != nil {
		return nil, wrong
	}
	return a, nil
}

func invalid(problem string) *guard.Objection {
	return &guard.Objection{Failure: guard.Failure{Outcome: "invalid", Note: "the language model's answer was not a valid strategy (" + problem + ")"}, Problem: problem + "."}
}

// splitAnswer takes out of an answer the members that are not the strategy's, and
// returns them and the rest of the object, member by member as written.
func splitAnswer(text string) (object []byte, beside map[string]json.RawMessage, err error) {
	beside = map[string]json.RawMessage{}
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, nil, errors.New("not an object")
	}
	object = append(object, '{')
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, nil, err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, nil, err
		}
		key, _ := t.(string)
		var words *string
		if _, twice := beside[key]; !twice && (key == prompts.Quotes || key == prompts.CannotSay && json.Unmarshal(value, &words) == nil) {
			beside[key] = value
			continue
		}
		name, err := json.Marshal(key)
		if err != nil {
			return nil, nil, err
		}
		if len(object) > 1 {
			object = append(object, ',')
		}
		object = append(append(append(object, name...), ':'), value...)
	}
	if _, err := d.Token(); err != nil {
		return nil, nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, nil, errors.New("text after the object")
	}
	return append(object, '}'), beside, nil
}
