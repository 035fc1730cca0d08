package mcp

import sdk "github.com/modelcontextprotocol/go-sdk/mcp"

// Fitted returns c for servers with what others of the protocol have, and ours has not.
func Fitted(c Config, options func(*sdk.ServerOptions), add func(*sdk.Server)) Config {
	c.options, c.add = options, add
	return c
}
