//lint:file-ignore SA1019 what the suite asks for in older revisions is deprecated since

package mcp_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/client"
	"github.com/ladderback/ladderback/internal/servertest"
	"github.com/ladderback/ladderback/mcp"
)

// suite has what the protocol's conformance suite asks of a server that is made for it.
//
//go:embed testdata/suite.json
var suite []byte

// props is the content of testdata/suite.json. A tool with several results asks the client
// for something in all but the last, and goes on to the next when all of it is answered.
type props struct {
	Tools []struct {
		Name     string
		Schema   json.RawMessage // of its arguments; none: it has none
		Does     string          // what no result says: log, progress, greet, sampling
		Declared bool            // it asks for what the client declares alone
		Results  []json.RawMessage
	}
	Resources []struct {
		URI, MIMEType, Text string
		Blob                []byte
	}
	Prompts []struct {
		Name      string
		Arguments []string // %s in the results, in this order
		Results   []string
	}
}

// state is what a client brings back: how often it was asked, and the server's signature.
func state(round int) string {
	mac := hmac.New(sha256.New, []byte("a secret of the suite"))
	_, _ = fmt.Fprint(mac, round)
	return fmt.Sprintf("%d.%s", round, hex.EncodeToString(mac.Sum(nil)))
}

// round returns which of so many results is due.
func round(last int, brought string, asked func(i int) sdk.InputRequestMap, got sdk.InputResponseMap) (int, error) {
	at := 0
	if brought != "" {
		for at = 0; at < last && state(at) != brought; at++ {
		}
		if at == last {
			return 0, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "requestState: not what was given"}
		}
	}
	if at == last {
		return at, nil
	}
	for key := range asked(at) {
		switch a := got[key].(type) {
		case nil:
			return at, nil
		case *sdk.ElicitResult:
			if a.Action == "accept" && len(a.Content) == 0 {
				return at, nil
			}
		}
	}
	return at + 1, nil
}

func (p *props) add(s *sdk.Server) error {
	for _, t := range p.Tools {
		results := make([]sdk.CallToolResult, len(t.Results))
		for i, text := range t.Results {
			if err := json.Unmarshal(text, &results[i]); err != nil {
				return fmt.Errorf("%s: %w", t.Name, err)
			}
		}
		if t.Schema == nil {
			t.Schema = json.RawMessage(`{"type":"object"}`)
		}
		s.AddTool(&sdk.Tool{Name: t.Name, Description: "Of the suite.", InputSchema: t.Schema}, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			if err := act(ctx, t.Does, r); err != nil {
				return nil, err
			}
			at, err := round(len(results)-1, r.Params.RequestState, func(i int) sdk.InputRequestMap { return results[i].InputRequests }, r.Params.InputResponses)
			if err != nil {
				return nil, err
			}
			out := results[at]
			if out.InputRequests == nil {
				if t.Does == "greet" {
					var who struct{ Name string }
					err = json.Unmarshal(r.Params.Arguments, &who)
					out.Content = []sdk.Content{&sdk.TextContent{Text: "Hello, " + who.Name + "!"}}
				}
				return &out, err
			}
			out.RequestState = state(at)
			if can := r.ClientCapabilities(); t.Declared && (can == nil || can.Elicitation == nil) {
				out.InputRequests = sdk.InputRequestMap{"capital_question": out.InputRequests["capital_question"]}
			}
			return &out, nil
		})
	}
	for _, one := range p.Resources {
		read := func(_ context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			id := strings.Split(r.Params.URI, "/")
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{
				URI: r.Params.URI, MIMEType: one.MIMEType, Blob: one.Blob, Text: strings.ReplaceAll(one.Text, "{id}", id[max(0, len(id)-2)]),
			}}}, nil
		}
		if strings.Contains(one.URI, "{") {
			s.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: one.URI, Name: one.URI, MIMEType: one.MIMEType}, read)
		} else {
			s.AddResource(&sdk.Resource{URI: one.URI, Name: one.URI, MIMEType: one.MIMEType}, read)
		}
	}
	for _, one := range p.Prompts {
		prompt := &sdk.Prompt{Name: one.Name, Description: "Of the suite."}
		for _, name := range one.Arguments {
			prompt.Arguments = append(prompt.Arguments, &sdk.PromptArgument{Name: name, Required: true})
		}
		s.AddPrompt(prompt, func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			results := make([]sdk.GetPromptResult, len(one.Results))
			for i, text := range one.Results {
				for _, name := range one.Arguments {
					text = strings.Replace(text, "%s", r.Params.Arguments[name], 1)
				}
				if err := json.Unmarshal([]byte(text), &results[i]); err != nil {
					return nil, err
				}
			}
			at, err := round(len(results)-1, r.Params.RequestState, func(i int) sdk.InputRequestMap { return results[i].InputRequests }, r.Params.InputResponses)
			if err != nil {
				return nil, err
			}
			if results[at].InputRequests != nil {
				results[at].RequestState = state(at)
			}
			return &results[at], nil
		})
	}
	return nil
}

// act does what a tool does beside its result.
func act(ctx context.Context, does string, r *sdk.CallToolRequest) error { //nolint:staticcheck // as the file says
	switch does {
	case "log":
		for _, text := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
			if err := r.Session.Log(ctx, &sdk.LoggingMessageParams{Level: "info", Data: text}); err != nil {
				return err
			}
		}
	case "progress":
		for _, n := range []float64{0, 50, 100} {
			if err := r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: n, Total: 100}); err != nil {
				return err
			}
		}
	case "sampling":
		if can := r.ClientCapabilities(); can == nil || can.Sampling == nil {
			return &jsonrpc.Error{Code: -32021, Message: "missing required client capability", Data: json.RawMessage(`{"requiredCapabilities":{"sampling":{}}}`)}
		}
	}
	return nil
}

// slow are routes with runs that take so many seconds, and then have a result.
type slow struct {
	routes http.Handler
	result json.RawMessage
	lock   sync.Mutex
	runs   map[string]*slowRun
}

type slowRun struct {
	ID      string          `json:"id"`
	State   string          `json:"state"`
	Phase   string          `json:"phase"`
	Created time.Time       `json:"created_at"`
	Error   *string         `json:"error"`
	Result  json.RawMessage `json:"result"`
	ends    time.Time
	fails   bool
}

func (s *slow) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	const at = "/v1/ai/backtests"
	id, below, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, at+"/"), "/")
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	var asked struct {
		Seconds *float64
		Fails   bool
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	run := s.runs[id]
	switch {
	case r.URL.Path == at && json.Unmarshal(body, &asked) == nil && (asked.Seconds != nil || asked.Fails):
		now := time.Now().UTC()
		run = &slowRun{ID: fmt.Sprintf("run_slow%d", len(s.runs)), Created: now, ends: now.Add(time.Second), fails: asked.Fails}
		if asked.Seconds != nil {
			run.ends = now.Add(time.Duration(*asked.Seconds * float64(time.Second)))
		}
		s.runs[run.ID] = run
	case run == nil:
		r.Body = io.NopCloser(bytes.NewReader(body))
		s.routes.ServeHTTP(w, r)
		return
	case below == "events":
		http.NotFound(w, r)
		return
	case below == "cancel" && run.State == "running":
		run.State = "cancelled"
	}
	if wait, err := time.ParseDuration(r.URL.Query().Get("wait")); err == nil && run.State == "running" {
		s.lock.Unlock()
		select {
		case <-r.Context().Done():
		case <-time.After(min(wait, time.Until(run.ends))):
		}
		s.lock.Lock()
	}
	if run.State == "" || run.State == "running" {
		run.State = "running"
		if run.Phase = "strategy"; !time.Now().Before(run.ends) {
			if run.State, run.Result = "done", s.result; run.fails {
				run.State, run.Error, run.Result = "failed", new("it was to fail"), nil
			}
		}
	}
	_ = json.NewEncoder(w).Encode(run)
}

// TestSuite runs the protocol's own conformance suite, whose command is in
// $LADDERBACK_SUITE, against the handler of /mcp with the tools, resources and prompts that
// it asks for: all that 2026-07-28 requires passes, and of 2025-11-25 all but what is listed
// in testdata/suite.yaml. Of the scenarios of tasks, which do not count, those pass that do
// not have a task ask its client, and fail in the protocol's way. Without the variable it is skipped; scripts/agents.sh sets it.
func TestSuite(t *testing.T) {
	t.Parallel()
	command := slices.Clip(strings.Fields(os.Getenv("LADDERBACK_SUITE")))
	if len(command) == 0 {
		t.Skip("LADDERBACK_SUITE is not set")
	}
	var p props
	require.NoError(t, json.Unmarshal(suite, &p))
	s := servertest.Start(t, 2)
	direct := client.New(s.Base, s.Key)
	run, err := direct.Backtests().Start(t.Context(), client.Request{Prompt: prompt}, "")
	require.NoError(t, err)
	run, err = direct.Backtests().Wait(t.Context(), run.ID, nil)
	require.NoError(t, err)
	routes := &slow{routes: s.App.Routes(), result: run.Result, runs: map[string]*slowRun{}}
	handler, err := mcp.NewHandler(mcp.Door{Routes: routes}, mcp.Fitted(mcp.Config{Patience: 200 * time.Millisecond}, func(o *sdk.ServerOptions) {
		o.CompletionHandler = func(context.Context, *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
			return &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{Values: []string{}}}, nil
		}
		o.Capabilities.Completions = &sdk.CompletionCapabilities{}
		o.SubscribeHandler = func(context.Context, *sdk.SubscribeRequest) error { return nil }
		o.UnsubscribeHandler = func(context.Context, *sdk.UnsubscribeRequest) error { return nil }
		o.Capabilities.Resources.Subscribe = true
	}, func(s *sdk.Server) { require.NoError(t, p.add(s)) }))
	require.NoError(t, err)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set("Authorization", "Bearer "+s.Key) // the suite has no option for a key
		handler.ServeHTTP(w, r)
	}))
	defer web.Close()
	known, err := os.Getwd()
	require.NoError(t, err)
	known += "/testdata/suite.yaml"
	for revision, known := range map[string][]string{"2025-11-25": {"--expected-failures", known}, "2026-07-28": nil} {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		arguments := append(command[1:], "server", "--url", web.URL+"/mcp", "--requirements", revision)
		c := exec.CommandContext(ctx, command[0], append(arguments, known...)...)
		c.Dir = t.TempDir()
		out, err := c.CombinedOutput()
		_, summary, ok := strings.Cut(string(out), "=== SUMMARY ===")
		require.NoError(t, err, "%s:%s", revision, summary)
		require.True(t, ok, "%s", out)
		t.Logf("%s:%s", revision, summary)
		if revision < "2026" {
			continue
		}
		for _, name := range []string{"capability-negotiation", "wire-fields", "request-state-removal", "request-headers"} {
			require.Contains(t, summary, "✓ tasks-"+name+":")
		}
	}
}
