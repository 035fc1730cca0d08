package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ladderback/ladderback/client"
)

// atOnce is how many calls one key may have in flight.
const atOnce = 4

// bench is where tools work.
type bench struct {
	cfg  Config
	lock sync.Mutex
	busy map[string]int // calls in flight, by whom they count against
}

// call is one call of a tool.
type call struct {
	bench  *bench
	client *client.Client
	req    *sdk.CallToolRequest
	told   progress
}

// progress is what a client has been told of a run: it has to grow from one message to the
// next, through all phases, each of which begins again.
type progress struct {
	phase  string
	before int // rounds of the phases that are over
	total  int // rounds of this phase
	last   int // that was told; 0: nothing was
}

// next returns how far all is, and of how much; false: no farther than it was.
func (t *progress) next(p client.Progress) (done, total int, ok bool) {
	if p.Phase != t.phase {
		t.phase, t.before = p.Phase, t.before+t.total
	}
	t.total = p.Total
	done, total = t.before+p.Done, t.before+p.Total
	if done <= t.last {
		return 0, 0, false
	}
	t.last = done
	return done, total, true
}

// tool is a tool and what adds it to a server.
type tool struct {
	name string
	add  func(s *sdk.Server, b *bench)
}

// reply is the answer of a tool: text for the model, and the same as a value of the tool's
// output schema.
type reply[Out any] struct {
	text  string
	links []*sdk.ResourceLink
	out   Out
}

// contents returns the text and the links of an answer.
func (r *reply[Out]) contents() []sdk.Content {
	out := []sdk.Content{&sdk.TextContent{Text: r.text}}
	for _, l := range r.links {
		out = append(out, l)
	}
	return out
}

// toolOf makes a tool out of its description and what it does. A tool that writes keeps a
// run at the server; none changes or deletes what is there.
func toolOf[In, Out any](t sdk.Tool, do func(ctx context.Context, c *call, in In) (reply[Out], error)) tool {
	if t.Annotations == nil {
		t.Annotations = &sdk.ToolAnnotations{ReadOnlyHint: true}
	}
	closed := false
	t.Annotations.OpenWorldHint = &closed
	return tool{t.Name, func(s *sdk.Server, b *bench) {
		own := t
		if own.InputSchema == nil {
			own.InputSchema = schemaOf[In]()
		}
		if reflect.TypeFor[Out]() != reflect.TypeFor[any]() {
			own.OutputSchema = schemaOf[Out]()
		}
		sdk.AddTool(s, &own, func(ctx context.Context, r *sdk.CallToolRequest, in In) (*sdk.CallToolResult, Out, error) {
			var none Out
			ctx, end := b.begin(ctx)
			defer end()
			c, err := b.call(ctx, r)
			if err != nil { // an answer without a value: what there is not has no fields
				return nil, none, errors.New(advice(err))
			}
			defer b.leave(ctx)
			got, err := do(ctx, c, in)
			if err != nil {
				return nil, none, errors.New(advice(err))
			}
			return &sdk.CallToolResult{Content: got.contents()}, got.out, nil
		})
	}}
}

// schemaOf returns the schema of a type, whose lists are never null, and what may be left out
// neither: a property that has two types is what many clients cannot use.
func schemaOf[T any]() *jsonschema.Schema {
	s, err := jsonschema.For[T](nil)
	if err != nil {
		panic(err) // a type of ours that has none
	}
	withoutNull(s)
	return s
}

func withoutNull(s *jsonschema.Schema) {
	for name, p := range s.Properties {
		if len(p.Types) == 2 && p.Types[0] == "null" && (p.Types[1] == "array" || !slices.Contains(s.Required, name)) {
			p.Type, p.Types = p.Types[1], nil
		}
		withoutNull(p)
	}
	if s.Items != nil {
		withoutNull(s.Items)
	}
}

// begin returns a context that ends when the client of a request has gone, too.
func (b *bench) begin(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	if own, ok := ctx.Value(asked{}).(context.Context); ok {
		stop := context.AfterFunc(own, cancel)
		return ctx, func() { stop(); cancel() }
	}
	return ctx, cancel
}

// errBusy refuses a call of a key that has as many in flight as it may.
var errBusy = fmt.Errorf("rate_limited: %d calls of this key are in flight; wait for one of them", atOnce)

// call returns who asks, who has one call more in flight until leave.
func (b *bench) call(ctx context.Context, r *sdk.CallToolRequest) (*call, error) {
	c, err := b.cfg.Client(ctx, r)
	if err != nil {
		return nil, err
	}
	who := caller(ctx)
	b.lock.Lock()
	defer b.lock.Unlock()
	if b.busy[who] >= atOnce {
		return nil, errBusy
	}
	b.busy[who]++
	return &call{bench: b, client: c, req: r}, nil
}

func (b *bench) leave(ctx context.Context) {
	who := caller(ctx)
	b.lock.Lock()
	defer b.lock.Unlock()
	if b.busy[who]--; b.busy[who] == 0 {
		delete(b.busy, who)
	}
}

// caller is whom a request over HTTP counts against; over standard streams there is one.
func caller(ctx context.Context) string {
	holder, _ := ctx.Value(holderOf{}).(string)
	return holder
}

// progress tells the client how far a run is, when it wants to know.
func (c *call) progress(ctx context.Context, p client.Progress) {
	token := c.req.Params.GetProgressToken()
	if token == nil || c.req.Session == nil {
		return
	}
	done, total, ok := c.told.next(p)
	if !ok {
		return
	}
	_ = c.req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ // a client that has gone is noticed elsewhere
		ProgressToken: token, Progress: float64(done), Total: float64(total), Message: fmt.Sprintf("%s: %d of %d rounds", p.Phase, p.Done, p.Total),
	})
}

// advice says what is wrong with a call that could not be done, what can be done, and
// whether another try is of use.
func advice(err error) string {
	var e *client.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	var b strings.Builder
	b.WriteString(e.Error())
	for _, p := range e.At {
		fmt.Fprintf(&b, "\n- %q (%d to %d): %s", p.Text, p.Start, p.End, p.Message)
	}
	if e.Suggestion != "" {
		fmt.Fprintf(&b, "\nThis can be read: %s", e.Suggestion)
	}
	if c := e.Confirm; c != nil {
		what := "left out"
		if len(c.ReadByModelAlone)+len(c.Likely) > 0 {
			what = "not understood by the rules"
		}
		fmt.Fprintf(&b, "\nNearly read: %s Ask the user whether that is meant; %s:", c.Summary, what)
		for _, p := range c.LeftOut {
			fmt.Fprintf(&b, " %q", p.Text)
		}
	}
	for i, c := range e.Choices {
		fmt.Fprintf(&b, "\nReading %d: %s", i+1, c.Summary)
	}
	if len(e.Choices) > 0 {
		b.WriteString("\nAsk the user which is meant, then send that sentence.")
	}
	switch {
	case e.RetryAfter > 0:
		fmt.Fprintf(&b, "\nTry again after %d seconds.", int(e.RetryAfter.Seconds()))
	case e.Status == http.StatusTooManyRequests, e.Status == http.StatusServiceUnavailable:
		b.WriteString("\nTry again in a while.")
	case e.Status == http.StatusUnauthorized, e.Status == http.StatusForbidden:
		b.WriteString("\nDo not retry: the key does not allow it. get_usage says what it allows.")
	default:
		b.WriteString("\nDo not retry it unchanged.")
	}
	return b.String()
}
