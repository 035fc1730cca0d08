package api_test

import (
	"encoding/json"
	"flag"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/api"
)

var update = flag.Bool("update", false, "write openapi.json anew")

// TestDocumentIsGenerated holds openapi.json to what the table of routes and the
// types of the answers say; go test ./api -run TestDocumentIsGenerated -update
// writes it. Its examples are answers of the server of these tests.
func TestDocumentIsGenerated(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	text := api.BuildDocument(w.api, func(op api.Operation) json.RawMessage {
		h := http.Header{"Authorization": {"Bearer " + w.keys["pro"]}}
		path := op.Path
		switch op.ID {
		case "listSeries", "listEvents":
			path += "?category=crypto&limit=1"
		case "listMarkets":
			path += "?search=btc-updown-5m&include_closed=true&sort=end_date&order=asc&limit=1"
		}
		if op.ID == "usage" {
			return json.RawMessage(`{"plan":"pro","organization":"local","limits":{"requests_per_minute":300,"requests_remaining":299,"granularity_allowed":"250ms","max_history_days":30,"data_points":{"metrics":true,"prices":true,"books":true}},"reset_at":1776088860}`)
		}
		r, err := http.NewRequestWithContext(t.Context(), op.Method, w.url+path, strings.NewReader(op.Body))
		require.NoError(t, err)
		r.Header = h
		resp, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		defer resp.Body.Close()
		var v json.RawMessage
		require.NoError(t, json.NewDecoder(resp.Body).Decode(&v))
		require.Equal(t, http.StatusOK, resp.StatusCode, "%s: %s", op.ID, v)
		return v
	})
	if *update {
		require.NoError(t, os.WriteFile("openapi.json", text, 0o644))
	}
	want, err := os.ReadFile("openapi.json")
	require.NoError(t, err)
	require.Equal(t, string(want), string(text), "write it anew with -update")
}
