package mcp

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Fitted returns c for servers with what others of the protocol have, and ours has not.
func Fitted(c Config, options func(*sdk.ServerOptions), add func(*sdk.Server)) Config {
	c.options = options
	c.add = func(s *sdk.Server, b *bench) {
		add(s)
		for _, name := range []string{"slow_compute", "failing_job"} { // that keep a run, as run_backtest does
			toolOf(sdk.Tool{Name: name, Description: "Of the suite.", InputSchema: map[string]any{"type": "object"}}, func(ctx context.Context, c *call, in map[string]any) (r reply[runOut], err error) {
				run, err := c.made(ctx, c.client.Backtests(), map[string]any{"seconds": in["seconds"], "fails": name == "failing_job"}, standard)
				if err != nil {
					return r, err
				}
				return c.say(ctx, run, standard)
			}).add(s, b)
		}
	}
	return c
}
