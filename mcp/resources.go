package mcp

import (
	"context"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ladderback/ladderback/client"
	"github.com/ladderback/ladderback/docs"
)

// guides are the documents that an agent reads, by their name in docs.
var guides = []struct{ name, title string }{
	{"language", "What a strategy in English may say"},
	{"report", "How to read a report"},
	{"sweeps", "Trying many variants without fooling oneself"},
}

// scheme begins the addresses of resources.
const scheme = "ladderback://"

func (b *bench) resources(s *sdk.Server) {
	for _, g := range guides {
		s.AddResource(&sdk.Resource{URI: scheme + "guide/" + g.name, Name: g.name, Title: g.title, MIMEType: "text/plain"},
			func(_ context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
				text, err := docs.Text(g.name, 100)
				return contents(r, "text/plain", text), err
			})
	}
	s.AddResourceTemplate(&sdk.ResourceTemplate{
		URITemplate: scheme + "runs/{id}", Name: "run", Title: "A backtest with all its trades", MIMEType: "application/json",
	}, b.readRun("application/json", func(ctx context.Context, c *client.Client, id string) (string, error) {
		run, err := c.Backtests().Get(ctx, id, 0)
		if err != nil {
			return "", err
		}
		return string(run.Result), nil
	}))
	s.AddResourceTemplate(&sdk.ResourceTemplate{
		URITemplate: scheme + "runs/{id}/report", Name: "report", Title: "The report of a backtest as a page", MIMEType: "text/html",
	}, b.readRun("text/html", func(ctx context.Context, c *client.Client, id string) (string, error) {
		page, err := c.Backtests().Page(ctx, id)
		return string(page), err
	}))
}

// readRun returns the handler of a resource that is made of a run.
func (b *bench) readRun(kind string, read func(ctx context.Context, c *client.Client, id string) (string, error)) sdk.ResourceHandler {
	return func(ctx context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		c, err := b.cfg.Client(ctx, r)
		if err != nil {
			return nil, err
		}
		id, _, _ := strings.Cut(strings.TrimPrefix(r.Params.URI, scheme+"runs/"), "/")
		text, err := read(ctx, c, id)
		if client.IsNotFound(err) {
			return nil, sdk.ResourceNotFoundError(r.Params.URI)
		}
		return contents(r, kind, text), err
	}
}

func contents(r *sdk.ReadResourceRequest, kind, text string) *sdk.ReadResourceResult {
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: r.Params.URI, MIMEType: kind, Text: text}}}
}

// prompts adds the questions that people begin with.
func prompts(s *sdk.Server) {
	for _, p := range []struct{ name, title, does, argument, about, text string }{
		{
			"test_idea", "Test this idea", "Reads an idea, runs it and reports what came of it", "idea", "the idea, in English",
			"Test this trading idea on Ladderback: %s\nFirst find_markets for what the archive holds, then parse_strategy; show me how it was read and what was assumed before you run_backtest. Report the verdict with its interval, the number of trades and every warning, in that order. Do not tune it.",
		},
		{
			"is_edge_real", "Is this edge real?", "Judges whether a run's edge is more than luck", "run", "id of a backtest",
			"Judge whether the edge of run %s is real: get_run in full, compare it with its baseline, explain_trade its best and worst trades, sweep the thresholds around its own and say what the sweep's verdict is, with how many looks there have been at the same rounds. Say what would change your mind.",
		},
		{
			"what_went_wrong", "What went wrong in this trade?", "Finds out whether the rule or the fill cost the money", "trade", "run id and number of the trade",
			"Say what went wrong in trade %s: explain_trade it, then get_history of the books around its entry and its exit. Quote the ladder that the orders met. Say whether the rule or the fill cost the money.",
		},
	} {
		s.AddPrompt(&sdk.Prompt{
			Name: p.name, Title: p.title, Description: p.does, Arguments: []*sdk.PromptArgument{{Name: p.argument, Description: p.about, Required: true}},
		}, func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			text := strings.Replace(p.text, "%s", r.Params.Arguments[p.argument], 1)
			return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: text}}}}, nil
		})
	}
}
