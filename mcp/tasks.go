package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ladderback/ladderback/client"
)

// tasksExtension names the extension of the protocol by which a call is answered with a
// task: https://modelcontextprotocol.io/seps/2663-tasks-extension. A task of ours is a run:
// whoever may read the run may ask for the task, of any process.
const tasksExtension = "io.modelcontextprotocol/tasks"

const (
	// taskAfter is how long a call waits for a run before it becomes a task.
	taskAfter = 2 * time.Second
	// askAgain is how often a client should ask for a task.
	askAgain = time.Second
	// detailMark stands between the run of a task and the detail that was asked for.
	detailMark = "~"
	// missingCapability is the protocol's code of a client that did not declare what a
	// request needs.
	missingCapability = -32021
)

// taskMethods are the requests about a task.
var taskMethods = [...]string{"tasks/get", "tasks/cancel", "tasks/update"}

// task is what is said of a task, alone or in lieu of the result of a call.
type task struct {
	sdk.ResultBase
	ResultType     string          `json:"resultType"`
	ID             string          `json:"taskId"`
	Status         string          `json:"status"`
	Message        string          `json:"statusMessage,omitempty"`
	CreatedAt      time.Time       `json:"createdAt"`
	LastUpdatedAt  time.Time       `json:"lastUpdatedAt"`
	TTLMs          *int64          `json:"ttlMs"` // from CreatedAt; nil: the run has no end of its keeping
	PollIntervalMs int64           `json:"pollIntervalMs,omitempty"`
	Result         json.RawMessage `json:"result,omitempty"` // of a task that is completed
}

type taskParams struct {
	sdk.ParamsBase
	ID string `json:"taskId"`
}

// acknowledged is the empty result of a request about a task.
type acknowledged struct {
	sdk.ResultBase
	ResultType string `json:"resultType"`
}

// offered is the context key of the place where a call leaves the run that becomes a task;
// there is none for a client that does not declare the extension.
type offered struct{}

type offer struct {
	run    *client.Run
	detail string
}

// errTask ends a call that is answered with a task.
var errTask = errors.New("answered with a task")

// asking is the context key of the request that a method is asked by.
type asking struct{}

// addTasks lets a server answer calls with tasks, and requests about them.
func (b *bench) addTasks(s *sdk.Server) error {
	s.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
			own := strings.HasPrefix(method, "tasks/")
			switch {
			case !own && method != "tools/call":
				return next(ctx, method, r)
			case own && !takesTasks(r):
				return nil, &jsonrpc.Error{Code: missingCapability, Message: "missing required client capability", Data: json.RawMessage(
					`{"requiredCapabilities":{"extensions":{"` + tasksExtension + `":{}}}}`)}
			case own:
				return next(context.WithValue(ctx, asking{}, r), method, r)
			case !takesTasks(r):
				return next(ctx, method, r)
			}
			place := &offer{}
			result, err := next(context.WithValue(ctx, offered{}, place), method, r)
			if err != nil || place.run == nil {
				return result, err
			}
			return taskOf(place.run, place.detail, "task"), nil
		}
	})
	return errors.Join(
		sdk.AddReceivingCustomMethod(s, "tasks/get", b.getTask),
		sdk.AddReceivingCustomMethod(s, "tasks/cancel", func(ctx context.Context, _ *sdk.ServerSession, p *taskParams) (*acknowledged, error) {
			c, id, _, err := b.taskCall(ctx, p)
			if err != nil {
				return nil, err
			}
			if _, err := c.keptOf(id).Cancel(ctx, id); err != nil {
				return nil, taskError(p.ID, err)
			}
			return &acknowledged{ResultType: "complete"}, nil
		}),
		// No task of ours waits for input: what is sent is for none, and is ignored.
		sdk.AddReceivingCustomMethod(s, "tasks/update", func(ctx context.Context, _ *sdk.ServerSession, p *taskParams) (*acknowledged, error) {
			c, id, _, err := b.taskCall(ctx, p)
			if err != nil {
				return nil, err
			}
			if _, err := c.keptOf(id).Get(ctx, id, 0); err != nil {
				return nil, taskError(p.ID, err)
			}
			return &acknowledged{ResultType: "complete"}, nil
		}),
	)
}

// takesTasks reports whether the client of a request declares the extension in a revision
// of the protocol that has it.
func takesTasks(r sdk.Request) bool {
	one, ok := r.(interface {
		ProtocolVersion() string
		ClientCapabilities() *sdk.ClientCapabilities
	})
	if !ok || one.ProtocolVersion() < "2026-07-28" {
		return false
	}
	can := one.ClientCapabilities()
	if can == nil {
		return false
	}
	_, ok = can.Extensions[tasksExtension]
	return ok
}

// taskCall returns who asks for a task, its run, and the detail of its answer.
func (b *bench) taskCall(ctx context.Context, p *taskParams) (c *call, id, detail string, err error) {
	r, ok := ctx.Value(asking{}).(sdk.Request)
	if !ok || p == nil || p.ID == "" {
		return nil, "", "", &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "taskId: expected the id of a task"}
	}
	asks, err := b.cfg.Client(ctx, r)
	if err != nil {
		return nil, "", "", err
	}
	id, detail, _ = strings.Cut(p.ID, detailMark)
	if detail, err = detailOf(detail); err != nil {
		return nil, "", "", noTask(p.ID)
	}
	return &call{bench: b, client: asks}, id, detail, nil
}

func noTask(id string) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("taskId: there is no task %q", id)}
}

// taskError is the protocol's error of a route that refused.
func taskError(id string, err error) error {
	var e *client.Error
	if client.IsNotFound(err) || errors.As(err, &e) && e.Status == 400 {
		return noTask(id)
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: advice(err)}
}

func (b *bench) getTask(ctx context.Context, _ *sdk.ServerSession, p *taskParams) (*task, error) {
	c, id, detail, err := b.taskCall(ctx, p)
	if err != nil {
		return nil, err
	}
	run, err := c.keptOf(id).Get(ctx, id, 0)
	if err != nil {
		return nil, taskError(p.ID, err)
	}
	t := taskOf(run, detail, "complete")
	if t.Status != "completed" {
		return t, nil
	}
	result := callResult{ResultType: "complete"}
	if said, err := c.say(ctx, run, detail); err != nil {
		result.Content, result.IsError = []sdk.Content{&sdk.TextContent{Text: advice(err)}}, true
	} else {
		result.Content, result.StructuredContent = said.contents(), said.out
	}
	t.Result, err = json.Marshal(result)
	return t, err
}

// callResult is the result of a call as it stands in a task: that of the SDK has its type
// only once it is sent.
type callResult struct {
	ResultType        string        `json:"resultType"`
	Content           []sdk.Content `json:"content"`
	StructuredContent any           `json:"structuredContent,omitempty"`
	IsError           bool          `json:"isError,omitempty"`
}

// taskOf says a run as a task.
func taskOf(run *client.Run, detail, resultType string) *task {
	t := &task{
		ResultType: resultType, ID: run.ID, Status: "working", CreatedAt: run.CreatedAt, LastUpdatedAt: run.CreatedAt,
		PollIntervalMs: askAgain.Milliseconds(),
	}
	if detail != standard {
		t.ID += detailMark + detail
	}
	if run.ExpiresAt != nil {
		ttl := run.ExpiresAt.Sub(run.CreatedAt).Milliseconds()
		t.TTLMs = &ttl
	}
	for _, at := range []*time.Time{run.StartedAt, run.EndedAt} {
		if at != nil {
			t.LastUpdatedAt = *at
		}
	}
	switch run.State {
	case "done", "failed": // a run that failed is a result that is an error: the protocol's own did not
		t.Status = "completed"
	case "cancelled":
		t.Status = "cancelled"
	default:
		t.Message = fmt.Sprintf("%s: %d of %d rounds", run.State, run.Done, run.Total)
	}
	return t
}
