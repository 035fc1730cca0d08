package api_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/api"
	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/market"
)

var update = flag.Bool("update", false, "write openapi.json anew")

// ofNoTime replaces what differs each time in the answer about a run.
func ofNoTime(v json.RawMessage) json.RawMessage {
	for _, c := range []struct{ pattern, with string }{
		{`run_[a-z2-7]{26}`, "run_3fq5z6y7k2m4n6p2r2t4v6x2za"},
		{`sweep_[a-z2-7]{26}`, "sweep_5gq7z6y7k2m4n6p2r2t4v6x2zb"},
		{`"created_at":"[^"]*"`, `"created_at":"2026-05-01T12:00:10Z"`},
		{`"started_at":"[^"]*"`, `"started_at":"2026-05-01T12:00:10.004Z"`},
		{`"ended_at":"[^"]*"`, `"ended_at":"2026-05-01T12:00:10.06Z"`},
		{`"made_at":"[^"]*"`, `"made_at":"2027-05-01T12:00:01Z"`},
		{`"done_at":"[^"]*"`, `"done_at":"2027-05-01T12:00:02Z"`},
		{`"first_made_at":"[^"]*"`, `"first_made_at":"2027-05-01T12:00:01Z"`},
		{`"last_made_at":"[^"]*"`, `"last_made_at":"2027-05-01T12:00:01Z"`},
		{`"expires_at":"[^"]*"`, `"expires_at":"2027-05-01T12:00:10Z"`},
		{`"token":"[\w-]{22}"`, `"token":"R0hJSktMTU5PUFFSU1RVVg"`},
		{`"/v1/shared/[^"]*"`, `"/v1/shared/R0hJSktMTU5PUFFSU1RVVg"`},
	} {
		v = regexp.MustCompile(c.pattern).ReplaceAll(v, []byte(c.with))
	}
	return v
}

// TestDocumentIsGenerated holds openapi.json to what the table of routes and the
// types of the answers say; go test ./api -run TestDocumentIsGenerated -update
// writes it. Its examples are answers of the server of these tests.
func TestDocumentIsGenerated(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	finished := w.finishedRun(t, "pro", `{"prompt":"Buy BTC 5m Up when price is below 0.4, take profit at 0.6","sampleSize":5}`)
	swept := w.finished(t, sweepPath, "pro", smallSweep)
	shared := ""
	text := api.BuildDocument(w.api, func(op api.Operation) json.RawMessage {
		h := http.Header{"Authorization": {"Bearer " + w.keys["pro"]}}
		path := op.Path
		switch op.ID {
		case "listSeries", "listEvents":
			path += "?category=crypto&limit=1"
		case "listMarkets":
			path += "?search=btc-updown-5m&include_closed=true&sort=end_date&order=asc&limit=1"
		case "listRuns", "listSweeps":
			path += "?state=done&limit=1"
		case "forgetRun", "unshareRun", "runEvents", "forgetSweep", "sweepEvents":
			return nil
		case "retryRun", "retrySweep": // one that failed is not at hand
			kind := map[string]string{"retryRun": finished, "retrySweep": swept}[op.ID]
			return ofNoTime(w.do(t, request{method: http.MethodPost, path: strings.TrimSuffix(strings.ReplaceAll(path, "{id}", kind), "/retry") + "/cancel"}).body)
		case "getSweep", "cancelSweep":
			path = strings.ReplaceAll(path, "{id}", swept)
		case "getSharedBooks":
			run := runOf(t, w.do(t, request{path: runPath + "/" + finished}))
			body, err := backtest.ReadBody(bytes.NewReader(run.Result))
			require.NoError(t, err)
			at := body.Report.Trades[0].EntryTime
			path += "?start_ts=" + at.String() + "&end_ts=" + (at + 10*market.Second).String() + "&resolution=5s&limit=2"
		}
		path = strings.NewReplacer("{id}", finished, "{other}", finished, "{n}", "1", "{token}", shared).Replace(path)
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
		require.Less(t, resp.StatusCode, 300, "%s: %s", op.ID, v)
		if op.ID == "shareRun" {
			var link struct{ Token string }
			require.NoError(t, json.Unmarshal(v, &link))
			shared = link.Token
		}
		return ofNoTime(v)
	})
	if *update {
		require.NoError(t, os.WriteFile("openapi.json", text, 0o644))
	}
	want, err := os.ReadFile("openapi.json")
	require.NoError(t, err)
	require.Equal(t, string(want), string(text), "write it anew with -update")
}

// TestNamesOfComponents: generators name classes after them, and change those that are words of
// Python, in small letters too, with a warning.
func TestNamesOfComponents(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("openapi.json")
	require.NoError(t, err)
	var document struct {
		Components struct{ Schemas map[string]json.RawMessage }
	}
	require.NoError(t, json.Unmarshal(text, &document))
	require.NotEmpty(t, document.Components.Schemas)
	for name := range document.Components.Schemas {
		require.NotRegexp(t, `(?i)^(and|as|assert|async|await|break|class|continue|def|del|elif|else|except|false|finally|for|`+
			`global|if|import|in|is|lambda|none|nonlocal|not|or|pass|raise|return|true|try|while|with|yield)$`, name)
	}
}
