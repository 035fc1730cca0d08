//lint:file-ignore SA1019 what the suite asks for in older revisions is deprecated since

package mcp_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

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
		Does     string          // what no result says: log, progress, fail, sampling
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
				return &out, nil
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

// TestSuite runs the protocol's own conformance suite, whose command is in
// $LADDERBACK_SUITE, against the handler of /mcp with the tools, resources and prompts that
// it asks for: all that 2026-07-28 requires passes, and of 2025-11-25 all but what is listed
// in testdata/suite.yaml. Without the variable it is skipped; scripts/agents.sh sets it.
func TestSuite(t *testing.T) {
	t.Parallel()
	command := slices.Clip(strings.Fields(os.Getenv("LADDERBACK_SUITE")))
	if len(command) == 0 {
		t.Skip("LADDERBACK_SUITE is not set")
	}
	var p props
	require.NoError(t, json.Unmarshal(suite, &p))
	s := servertest.Start(t, 2)
	handler, err := mcp.NewHandler(mcp.Door{Routes: s.App.Routes()}, mcp.Fitted(mcp.Config{}, func(o *sdk.ServerOptions) {
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
	}
}
