package mcp_test

import (
	"bufio"
	"context"
	"io"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/client"
	"github.com/ladderback/ladderback/mcp"
)

// TestLines: a line that is no message is answered, and the session goes on.
func TestLines(t *testing.T) {
	t.Parallel()
	in, to := io.Pipe()
	from, out := io.Pipe()
	served := make(chan error, 1)
	go func() {
		served <- mcp.ServeStdio(context.WithoutCancel(t.Context()), mcp.Config{
			Client: func(context.Context, sdk.Request) (*client.Client, error) {
				return client.New("http://127.0.0.1:1", ""), nil
			},
		}, in, out)
	}()
	answers := bufio.NewScanner(from)
	for _, c := range []struct{ line, answer string }{
		{"hello", `"id":null,"error":{"code":-32700,`},
		{"{\"jsonrpc\": \"2.0\", \"id\"", `"id":null,"error":{"code":-32700,`},
		{"7", `"id":null,"error":{"code":-32600,`},
		{`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, `"id":null,"error":{"code":-32600,`},
		{"\n \r\n" + `{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`, `"id":2,"result":{`},
		{`{"id":3}`, `"id":null,"error":{"code":-32600,`},
		{`{"jsonrpc":"2.0","id":4,"method":"ping"}` + "\r", `"id":4,"result":{}`},
	} {
		_, err := io.WriteString(to, c.line+"\n")
		require.NoError(t, err)
		require.True(t, answers.Scan(), c.line)
		require.Contains(t, answers.Text(), c.answer)
	}
	require.NoError(t, answers.Err())
	require.NoError(t, to.Close())
	require.NoError(t, <-served)
}
