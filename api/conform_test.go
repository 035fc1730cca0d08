package api_test

import (
	"encoding/json"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/api"
	"github.com/ladderback/ladderback/docs"
	"github.com/ladderback/ladderback/market"
)

// document is the OpenAPI document, read once, with its objects closed: clients must take
// fields that they do not know, but what the server of this document answers is in it.
var document = sync.OnceValues(func() (*openapi3.T, error) {
	var open any
	if err := json.Unmarshal(api.Document(), &open); err != nil {
		return nil, err
	}
	text, err := json.Marshal(closed(open))
	if err != nil {
		return nil, err
	}
	return openapi3.NewLoader().LoadFromData(text)
})

// closed allows no other properties wherever a schema names some.
func closed(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, one := range v {
			v[name] = closed(one)
		}
		if _, open := v["additionalProperties"]; v["type"] == "object" && v["properties"] != nil && !open {
			v["additionalProperties"] = false
		}
	case []any:
		for i, one := range v {
			v[i] = closed(one)
		}
	}
	return v
}

// TestDocumentIsOpen: answers may have fields to come, requests may not.
func TestDocumentIsOpen(t *testing.T) {
	t.Parallel()
	doc, err := openapi3.NewLoader().LoadFromData(api.Document())
	require.NoError(t, err)
	for name, of := range map[string]bool{"Market": true, "Report": true, "ErrorBody": true, "BacktestRequest": false, "BacktestOptions": false, "ParseRequest": false, "SweepRequest": false, "Strategy": false} {
		has := doc.Components.Schemas[name].Value.AdditionalProperties.Has
		require.Equal(t, of, has == nil || *has, name)
	}
	names := map[string]string{}
	parts := map[string][]string{
		"schemas": slices.Collect(maps.Keys(doc.Components.Schemas)), "parameters": slices.Collect(maps.Keys(doc.Components.Parameters)),
		"responses": slices.Collect(maps.Keys(doc.Components.Responses)), "headers": slices.Collect(maps.Keys(doc.Components.Headers)),
	}
	for part, all := range parts {
		for _, name := range all {
			require.Empty(t, names[strings.ToLower(name)], "%s of %s: generators make one type of both", name, part)
			names[strings.ToLower(name)] = part
		}
	}
	var all any
	require.NoError(t, json.Unmarshal(api.Document(), &all))
	numbers(t, "", all)
}

// numbers holds that every number says how wide it is: else generators take a float32, or an
// int32.
func numbers(t *testing.T, where string, v any) {
	t.Helper()
	switch v := v.(type) {
	case map[string]any:
		types, _ := v["type"].([]any)
		if v["type"] == "number" || slices.Contains(types, any("number")) {
			require.Equal(t, "double", v["format"], where)
		}
		if v["type"] == "integer" || slices.Contains(types, any("integer")) {
			require.Equal(t, "int64", v["format"], where)
		}
		for name, one := range v {
			numbers(t, where+"/"+name, one)
		}
	case []any:
		for i, one := range v {
			numbers(t, where+"/"+strconv.Itoa(i), one)
		}
	}
}

// operationOf returns the operation of a path, nil when it has none.
func operationOf(doc *openapi3.T, method, escapedPath string) *openapi3.Operation {
	parts := strings.Split(escapedPath, "/")
	for _, template := range doc.Paths.InMatchingOrder() {
		want := strings.Split(template, "/")
		if len(want) != len(parts) {
			continue
		}
		same := true
		for i := range want {
			same = same && (strings.HasPrefix(want[i], "{") || want[i] == parts[i])
		}
		if !same {
			continue
		}
		if method == http.MethodHead {
			method = http.MethodGet
		}
		item := doc.Paths.Value(template)
		if op := item.GetOperation(method); op != nil {
			return op
		}
		for _, op := range item.Operations() {
			return op // of another method: it documents 405
		}
	}
	return nil
}

// conforms validates every answer of the tests against the OpenAPI document:
// the status, the headers, the media type, the shape.
func (w *world) conforms(t testing.TB, r *http.Request, q request, a *answer) {
	t.Helper()
	if *update { // the document is about to change
		return
	}
	doc, err := document()
	require.NoError(t, err)
	op := operationOf(doc, r.Method, r.URL.EscapedPath())
	if op == nil || r.Method == http.MethodOptions && a.status == http.StatusOK { // to a browser that asks whether it may
		return
	}
	where := r.Method + " " + q.path
	response := op.Responses.Status(a.status)
	require.NotNil(t, response, "%s: status %d is not documented: %s", where, a.status, a.body)
	for name, h := range response.Value.Headers {
		if a.header.Get(name) == "" {
			require.False(t, h.Value.Required, "%s: header %s is missing", where, name)
		}
	}
	if a.status == http.StatusNotModified || a.status == http.StatusNoContent || r.Method == http.MethodHead {
		require.Empty(t, a.body, where)
		return
	}
	media, _, err := mime.ParseMediaType(a.header.Get("Content-Type"))
	require.NoError(t, err, where)
	content := response.Value.Content[media]
	require.NotNil(t, content, "%s: %d with %s is not documented", where, a.status, media)
	if media != "application/json" || a.header.Get("Content-Encoding") != "" {
		return
	}
	var v any
	require.NoError(t, json.Unmarshal(a.body, &v), where)
	require.NoError(t, visit(content.Schema.Value, v), "%s: %s", where, a.body)
}

func visit(s *openapi3.Schema, v any) error {
	return s.VisitJSON(v, openapi3.MultiErrors(), openapi3.EnableJSONSchema2020(), openapi3.EnableFormatValidation())
}

// TestDocument sees that the document is valid, that its examples are, and that
// it has every route and no other.
func TestDocument(t *testing.T) {
	t.Parallel()
	doc, err := document()
	require.NoError(t, err)
	require.NoError(t, doc.Validate(t.Context()))
	require.Equal(t, "0.1.0", doc.Info.Version)
	require.True(t, strings.HasPrefix(doc.OpenAPI, "3.1"))

	w := newWorld(t, nil)
	var got []string
	for _, route := range w.api.Routes() {
		if !strings.HasSuffix(route, "/openapi.json") && !strings.Contains(route, " /docs") && !strings.Contains(route, " /llms") && route != "GET /" {
			got = append(got, route)
		}
	}
	var want []string
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			want = append(want, method+" "+path)
			for status, response := range op.Responses.Map() {
				checkExamples(t, method+" "+path+" "+status, response.Value.Content)
			}
			if op.RequestBody != nil {
				checkExamples(t, method+" "+path, op.RequestBody.Value.Content)
			}
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	require.Equal(t, want, got)
}

func checkExamples(t *testing.T, where string, content openapi3.Content) {
	t.Helper()
	for media, c := range content {
		if media != "application/json" {
			continue
		}
		examples := []any{}
		if c.Example != nil {
			examples = append(examples, c.Example)
		}
		for _, name := range slices.Sorted(maps.Keys(c.Examples)) {
			examples = append(examples, c.Examples[name].Value.Value)
		}
		require.NotEmpty(t, examples, "%s has no example", where)
		for _, v := range examples {
			require.NoError(t, visit(c.Schema.Value, v), where)
		}
	}
}

// TestDocumentIsServed reads the document and the page as a browser does.
func TestDocumentIsServed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	a := w.do(t, request{path: "/openapi.json", plan: "-"})
	require.Equal(t, http.StatusOK, a.status)
	var served, kept struct {
		Components struct{ Parameters map[string]map[string]any }
	}
	require.NoError(t, json.Unmarshal(a.body, &served))
	require.NoError(t, json.Unmarshal(api.Document(), &kept))
	id, _ := served.Components.Parameters["IdOrSlug"]["example"].(string)
	require.NotEqual(t, kept.Components.Parameters["IdOrSlug"]["example"], id, "the examples name the market that was updated last")
	query := url.Values{"resolution": {"1m"}}
	for _, name := range []string{"StartTs", "EndTs"} {
		query.Set(map[string]string{"StartTs": "start_ts", "EndTs": "end_ts"}[name], served.Components.Parameters[name]["example"].(string))
		served.Components.Parameters[name]["example"] = kept.Components.Parameters[name]["example"]
	}
	first := w.get(t, "/v1/markets/"+id+"/prices?"+query.Encode())
	require.Equal(t, http.StatusOK, first.status, "%s", first.body)
	require.Contains(t, string(first.body), `"p":`, "what is tried first finds something")
	token, _ := served.Components.Parameters["TokenId"]["example"].(string)
	require.Equal(t, http.StatusOK, w.get(t, "/v1/tokens/"+token+"/prices?"+query.Encode()).status)
	served.Components.Parameters["IdOrSlug"]["example"] = kept.Components.Parameters["IdOrSlug"]["example"]
	served.Components.Parameters["TokenId"]["example"] = kept.Components.Parameters["TokenId"]["example"]
	require.Equal(t, kept, served, "nothing else differs")
	a = w.do(t, request{path: "/docs", plan: "-"})
	require.Equal(t, http.StatusOK, a.status)
	require.Contains(t, a.header.Get("Content-Type"), "text/html")
	policy := a.header.Get("Content-Security-Policy")
	require.Contains(t, policy, "default-src 'none'", "the browser lets nothing in from elsewhere")
	require.Contains(t, policy, "connect-src 'self'")
	require.NotContains(t, policy, "http")
	require.NotContains(t, string(a.body), "http://", "the page needs no outside address")
	require.NotContains(t, string(a.body), "https://")
	require.Contains(t, string(a.body), `<h2 id="windows-and-the-watermark">`, "the guide stands in the page")
	require.NotContains(t, string(a.body), "<!-- guide -->")
}

// TestGuideNames holds that the guide names routes, codes and headers that are
// there.
func TestGuideNames(t *testing.T) {
	t.Parallel()
	guide, err := docs.HTML("api")
	require.NoError(t, err)
	doc, err := document()
	require.NoError(t, err)
	routes := 0
	for _, m := range regexp.MustCompile(`<code>(GET|POST) (/v1/[^<]+)</code>`).FindAllStringSubmatch(string(guide), -1) {
		path := strings.TrimSuffix(m[2], "…")
		if path != m[2] {
			continue // a family of routes
		}
		routes++
		item := doc.Paths.Value(path)
		require.NotNil(t, item, m[0])
		require.NotNil(t, item.GetOperation(m[1]), m[0])
	}
	require.Greater(t, routes, 10)
	codes := regexp.MustCompile(`<td>(\d{3})</td>\s*<td>(.*?)</td>`).FindAllStringSubmatch(string(guide), -1)
	require.Greater(t, len(codes), 8)
	for _, row := range codes {
		for _, m := range regexp.MustCompile(`<code>(\w+)</code>`).FindAllStringSubmatch(row[2], -1) {
			require.Equal(t, row[1], strconv.Itoa(market.Code(m[1]).Status()), m[1])
		}
	}
}
