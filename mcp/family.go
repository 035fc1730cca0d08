package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strconv"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ladderback/ladderback/client"
)

// familyTool is a tool that is one route of the family's API: its arguments are the
// route's parameters, its answer is the route's, indented by two.
type familyTool struct {
	name, title, description string
	path                     string // %s: the argument id_or_slug
	arguments                string // names in argumentTypes, the required ones with "!"
	limit, most              int    // default and maximum of limit; 0: it has none
	resolution               bool   // default 1m
}

var familyTools = []familyTool{
	{
		name: "search_markets", title: "Search markets", path: "/v1/markets", limit: 20, most: 100,
		description: "Markets whose slug or question has a text. Resolved markets come with include_closed.",
		arguments:   "search include_closed end_date_min end_date_max",
	},
	{
		name: "search_series", title: "Search series", path: "/v1/series", limit: 20, most: 100,
		description: "Series: all rounds of one coin and length, such as btc-up-or-down-5m.", arguments: "search",
	},
	{
		name: "search_events", title: "Search events", path: "/v1/events", limit: 20, most: 100,
		description: "Events whose slug or title has a text: what markets are about.", arguments: "search end_date_min end_date_max",
	},
	{
		name: "get_market", title: "Get one market", path: "/v1/markets/%s",
		description: "A market by slug or id, with its tokens, status and winner.", arguments: "id_or_slug!",
	},
	{
		name: "get_order_book_history", title: "Order books over time", path: "/v1/markets/%s/books", limit: 50, most: 200, resolution: true,
		description: "Bids and asks of every token of a market over time, best first. A side is empty when nobody offers, as near the end of a round.",
		arguments:   "id_or_slug! start_ts! end_ts! cursor",
	},
	{
		name: "get_price_history", title: "Prices over time", path: "/v1/markets/%s/prices", limit: 100, most: 200, resolution: true,
		description: "Prices of every token of a market over time, 0 to 1.", arguments: "id_or_slug! start_ts! end_ts! cursor",
	},
	{
		name: "get_market_metrics", title: "Spread and liquidity over time", path: "/v1/markets/%s/metrics", limit: 100, most: 200, resolution: true,
		description: "Spread, liquidity and volume of a market over time.", arguments: "id_or_slug! start_ts! end_ts! cursor",
	},
	{name: "get_usage", title: "Plan and limits", path: "/v1/usage", description: "What the key may do, and has left."},
}

// argumentTypes are the arguments of the family's tools.
var argumentTypes = map[string]*jsonschema.Schema{
	"search":         {Type: "string", Description: "Part of a slug, question or title"},
	"include_closed": {Type: "boolean", Description: "Not the open ones alone"},
	"end_date_min":   {Type: "string", Description: "Ends at or after this time, ISO 8601"},
	"end_date_max":   {Type: "string", Description: "Ends at or before this time, ISO 8601"},
	"id_or_slug":     {Type: "string", Description: "Slug or id of a market"},
	"start_ts":       {Type: "string", Description: "Start, inclusive, ISO 8601"},
	"end_ts":         {Type: "string", Description: "End, exclusive, ISO 8601"},
	"cursor":         {Type: "string", Description: "next_cursor of the answer before"},
}

// resolutions are those of the family's tools.
var resolutions = []any{"1s", "5s", "15s", "1m", "5m", "15m", "1h", "1d"}

func (f *familyTool) schema() *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}}
	for _, name := range bytes.Fields([]byte(f.arguments)) {
		plain, required := bytes.CutSuffix(name, []byte("!"))
		s.Properties[string(plain)] = argumentTypes[string(plain)]
		if required {
			s.Required = append(s.Required, string(plain))
		}
	}
	if f.limit > 0 {
		s.Properties["limit"] = &jsonschema.Schema{
			Type: "integer", Minimum: jsonschema.Ptr(1.0), Maximum: jsonschema.Ptr(float64(f.most)),
			Description: fmt.Sprintf("Default %d", f.limit),
		}
	}
	if f.resolution {
		s.Properties["resolution"] = &jsonschema.Schema{Type: "string", Enum: resolutions, Description: "Length of a bucket, default 1m"}
	}
	return s
}

// query is what a call asks the route.
func (f *familyTool) query(in map[string]any) (path string, q url.Values) {
	in = maps.Clone(in)
	path, q = f.path, url.Values{}
	if id, ok := in["id_or_slug"]; ok {
		path = fmt.Sprintf(f.path, url.PathEscape(fmt.Sprint(id)))
		delete(in, "id_or_slug")
	}
	if f.limit > 0 {
		q.Set("limit", strconv.Itoa(f.limit))
	}
	if f.resolution {
		q.Set("resolution", "1m")
	}
	for name, v := range in {
		if text := fmt.Sprint(v); v != nil && text != "" {
			q.Set(name, text)
		}
	}
	return path, q
}

func (f *familyTool) tool() tool {
	return toolOf(sdk.Tool{Name: f.name, Title: f.title, Description: f.description, InputSchema: f.schema()},
		func(ctx context.Context, c *call, in map[string]any) (reply[any], error) {
			path, q := f.query(in)
			text, err := c.client.Get(ctx, path, q)
			if err != nil {
				return reply[any]{}, errors.New(familyWords(err))
			}
			var out bytes.Buffer
			if err := json.Indent(&out, bytes.TrimSpace(text), "", "  "); err != nil {
				return reply[any]{}, err
			}
			return reply[any]{text: out.String()}, nil
		})
}

// familyWords says what went wrong as the family's client does: only what it says of its own
// keys and prices is said of ours.
func familyWords(err error) string {
	var e *client.Error
	if !errors.As(err, &e) || e.Status == 0 {
		return err.Error()
	}
	switch e.Status {
	case http.StatusUnauthorized:
		return "Authentication failed. Check the API key."
	case http.StatusForbidden:
		return fmt.Sprintf("Not available on your plan: %s. get_usage says what it has.", e.Message)
	case http.StatusNotFound:
		return fmt.Sprintf("Not found: %s. Market slugs look like \"btc-updown-5m-1787551200\"; use search_markets to find valid ones.", e.Message)
	case http.StatusTooManyRequests:
		wait := ""
		if e.RetryAfter > 0 {
			wait = fmt.Sprintf(" Retry after %ds.", int(e.RetryAfter.Seconds()))
		}
		return "Rate limited." + wait + " get_usage says what the plan has."
	}
	return fmt.Sprintf("API error %d: %s", e.Status, e.Message)
}

// family returns the tools of the toolset of that name.
func family() []tool {
	out := make([]tool, len(familyTools))
	for i := range familyTools {
		out[i] = familyTools[i].tool()
	}
	return out
}
