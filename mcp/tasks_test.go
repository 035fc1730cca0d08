package mcp_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/internal/servertest"
	"github.com/ladderback/ladderback/mcp"
)

// said is an answer of the protocol as it stands on the wire.
type said struct {
	Result map[string]any
	Error  *struct {
		Code    int
		Message string
		Data    map[string]any
	}
}

// ask sends one request of revision 2026-07-28, from a client with those extensions.
func ask(t *testing.T, at, key, method string, params map[string]any, extensions ...string) (out said) {
	t.Helper()
	can := map[string]any{}
	for _, name := range extensions {
		can[name] = map[string]any{}
	}
	params["_meta"] = map[string]any{
		"io.modelcontextprotocol/protocolVersion":    "2026-07-28",
		"io.modelcontextprotocol/clientInfo":         map[string]any{"name": "test", "version": "1"},
		"io.modelcontextprotocol/clientCapabilities": map[string]any{"extensions": can},
	}
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	require.NoError(t, err)
	q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, at, bytes.NewReader(body))
	require.NoError(t, err)
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Authorization": "Bearer " + key,
		"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": method,
	} {
		q.Header.Set(name, value)
	}
	for _, name := range []string{"name", "taskId", "uri"} {
		if v, ok := params[name].(string); ok && v != "" {
			q.Header.Set("Mcp-Name", v)
		}
	}
	if name, ok := params["header"].(string); ok {
		q.Header.Set("Mcp-Name", name)
	}
	r, err := http.DefaultClient.Do(q)
	require.NoError(t, err)
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) { // the last message of a stream is the answer
		if data, ok := strings.CutPrefix(line, "data:"); ok {
			text = []byte(data)
		}
	}
	require.NoError(t, json.Unmarshal(text, &out), "%s", text)
	return out
}

const tasks = "io.modelcontextprotocol/tasks"

// TestTasks walks a run as a task: created, asked for until it is over, its result that of
// get_run; another cancelled; and what is refused.
func TestTasks(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, 400)
	at := overHTTP(t, s, mcp.Config{Patience: time.Millisecond})
	found := ask(t, at, s.Key, "server/discover", map[string]any{}, tasks)
	require.Nil(t, found.Error)
	require.Contains(t, found.Result["capabilities"].(map[string]any)["extensions"], tasks)

	call := func(last, detail string, extensions ...string) map[string]any {
		a := ask(t, at, s.Key, "tools/call", map[string]any{"name": "run_backtest", "arguments": map[string]any{
			"prompt": "Buy Up on BTC 5m when Up fell by 3c in 20 seconds, take profit at 60c, stop at 20c, $20 per trade, last " + last + " markets", "detail": detail,
		}}, extensions...)
		require.Nil(t, a.Error)
		return a.Result
	}
	plain := call("400", "headline")
	require.Equal(t, "complete", plain["resultType"], "a client that does not take tasks")

	made := call("399", "full", tasks)
	require.Equal(t, "task", made["resultType"])
	require.Equal(t, "working", made["status"])
	require.Contains(t, made, "ttlMs")
	id := made["taskId"].(string)
	var got map[string]any
	require.Eventually(t, func() bool {
		a := ask(t, at, s.Key, "tasks/get", map[string]any{"taskId": id}, tasks)
		require.Nil(t, a.Error)
		require.Equal(t, "complete", a.Result["resultType"])
		got = a.Result
		return got["status"] == "completed"
	}, time.Minute, 50*time.Millisecond)
	run, _, _ := strings.Cut(id, "~")
	direct := ask(t, at, s.Key, "tools/call", map[string]any{"name": "get_run", "arguments": map[string]any{"id": run, "detail": "full"}}, tasks)
	result := got["result"].(map[string]any)
	require.Equal(t, "complete", result["resultType"])
	require.Equal(t, direct.Result["content"], result["content"])
	require.Equal(t, direct.Result["structuredContent"], result["structuredContent"])
	require.Nil(t, ask(t, at, s.Key, "tasks/update", map[string]any{"taskId": id, "inputResponses": map[string]any{"a": 1}}, tasks).Error)

	away := call("398", "", tasks)["taskId"].(string)
	require.Nil(t, ask(t, at, s.Key, "tasks/cancel", map[string]any{"taskId": away}, tasks).Error)
	require.Eventually(t, func() bool {
		status := ask(t, at, s.Key, "tasks/get", map[string]any{"taskId": away}, tasks).Result["status"]
		return status == "cancelled" || status == "completed" // it may have been over before
	}, time.Minute, 50*time.Millisecond)

	for _, method := range []string{"tasks/get", "tasks/cancel", "tasks/update"} {
		for _, unknown := range []string{"", "run_nothing", "../usage", id + "~none"} {
			a := ask(t, at, s.Key, method, map[string]any{"taskId": unknown}, tasks)
			require.NotNil(t, a.Error, "%s %q", method, unknown)
			require.Equal(t, -32602, a.Error.Code, "%s %q: %s", method, unknown, a.Error.Message)
		}
		for _, name := range []string{run, "run_nothing", ""} { // the id has its detail, too
			a := ask(t, at, s.Key, method, map[string]any{"taskId": id, "header": name}, tasks)
			require.NotNil(t, a.Error, "%s: Mcp-Name %q", method, name)
			require.Equal(t, -32020, a.Error.Code, "%s: Mcp-Name %q", method, name)
		}
		a := ask(t, at, s.Key, method, map[string]any{"taskId": id})
		require.Equal(t, -32021, a.Error.Code, method)
		require.Contains(t, a.Error.Data, "requiredCapabilities")
	}
	_, other, err := s.App.Keys.CreateEphemeral("pro", "others", "theirs")
	require.NoError(t, err)
	require.Equal(t, -32602, ask(t, at, other, "tasks/get", map[string]any{"taskId": run}, tasks).Error.Code, "another organization's run")
}
