package client

import (
	"context"
	"encoding/json"
	"io"
	"iter"
	"net/http"
	"net/url"
)

// Get returns what is at a path of the API as it stands: for routes and fields that this
// version has no name for.
func (c *Client) Get(ctx context.Context, path string, q url.Values) (json.RawMessage, error) {
	out, err := get[json.RawMessage](ctx, c, path, q)
	if err != nil {
		return nil, err
	}
	return *out, nil
}

// Page returns a backtest that is done as one page of HTML that needs nothing else.
func (r Runs) Page(ctx context.Context, id string) ([]byte, error) {
	answer, err := r.client.send(ctx, call{method: http.MethodGet, path: r.at(id, ""), accept: "text/html", again: true})
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	return io.ReadAll(answer.Body)
}

// RawPages yields pages of the history of a market with points as they stand; what is
// prices, books or quotes.
func RawPages(ctx context.Context, c *Client, id, what string, w Window) iter.Seq2[*Page[json.RawMessage], error] {
	return market[json.RawMessage](ctx, c, id, "/"+what, w)
}
