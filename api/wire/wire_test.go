package wire_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ladderback/ladderback/api/wire"
	"github.com/ladderback/ladderback/market"
)

// TestParams collects every value that fails, in the order in which they were
// read, before the first that is refused with a 400.
func TestParams(t *testing.T) {
	t.Parallel()
	r := httptest.NewRequest(http.MethodGet, "/?limit=x&flag=maybe&sort=up&search="+strings.Repeat("é", 5)+"&start=soon&a=1&a=2&category=crypto", nil)
	p := wire.ParamsOf(r)
	require.Equal(t, 7, p.Number("limit", 7, 10, nil))
	require.True(t, p.Flag("flag", true))
	require.Equal(t, "desc", p.Choice("sort", "desc", "asc", "desc"))
	p.Text("search", 4)
	require.Zero(t, p.Instant("end", true))
	p.Path("id", "")
	require.Zero(t, p.Instant("start", true))
	last, ok := p.Last("a")
	require.True(t, ok)
	require.Equal(t, "2", last)
	require.Equal(t, []string{"1", "2"}, p.All("a"))
	require.Equal(t, market.Crypto, p.Category())
	details, ok := errors.AsType[wire.Details](p.Err())
	require.True(t, ok)
	require.Equal(t, market.CodeInvalid, market.CodeOf(p.Err()))
	types := make([]string, len(details))
	for i, d := range details {
		types[i] = fmt.Sprint(d.Loc, " ", d.Type)
	}
	require.Equal(t, []string{
		"[query limit] int_parsing", "[query flag] bool_parsing", "[query sort] enum", "[query search] string_too_long",
		"[query end] missing", "[path id] string_too_short",
	}, types)
	require.Contains(t, p.Err().Error(), "sort: Input should be 'asc' or 'desc'; ")

	p = wire.ParamsOf(httptest.NewRequest(http.MethodGet, "/?start=soon&text=%00", nil))
	p.Instant("start", true)
	p.Text("text", 10)
	require.Equal(t, market.CodeBadRequest, market.CodeOf(p.Err()))
	require.Contains(t, p.Err().Error(), "invalid timestamp in start", "the first one")
}

func TestNumber(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		n    int
		over bool
		kind string
	}{
		"1": {n: 1}, "+10": {n: 10}, "007": {n: 7}, "11": {n: 5, over: true}, "99999999999999999999": {n: 5, over: true},
		"0": {n: 5, kind: "greater_than_equal"}, "-3": {n: 5, kind: "greater_than_equal"}, "": {n: 5, kind: "int_parsing"}, "1.0": {n: 5, kind: "int_parsing"},
	} {
		p := wire.ParamsOf(&http.Request{URL: httptest.NewRequest(http.MethodGet, "/?n="+strings.ReplaceAll(text, "+", "%2B"), nil).URL})
		over := false
		require.Equal(t, want.n, p.Number("n", 5, 10, func(string) { over = true }), text)
		require.Equal(t, want.over, over, text)
		if want.kind == "" {
			require.NoError(t, p.Err(), text)
			continue
		}
		details, _ := errors.AsType[wire.Details](p.Err())
		require.Len(t, details, 1, text)
		require.Equal(t, want.kind, details[0].Type, text)
	}
}

func TestTellIgnored(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"": "", "limit=1": "", "limt=1&limit=2": "limt", "z=1&b,c=2&z=3": "b%2Cc, z", strings.Repeat("x", 100) + "=": strings.Repeat("x", 60) + "%E2%80%A6",
	} {
		rec := httptest.NewRecorder()
		wire.TellIgnored(rec, httptest.NewRequest(http.MethodGet, "/?"+query, nil), []string{"limit"})
		require.Equal(t, want, rec.Header().Get(wire.IgnoredHeader), query)
	}
}

// TestCursor reads back what was written, and refuses it for anything else.
func TestCursor(t *testing.T) {
	t.Parallel()
	require.NotEqual(t, wire.DigestOf("ab", "c"), wire.DigestOf("a", "bc"))
	rapid.Check(t, func(t *rapid.T) {
		place := rapid.SliceOf(rapid.Byte()).Draw(t, "place")
		d, other := wire.DigestOf("markets", "a"), wire.DigestOf("markets", "b")
		text := wire.EncodeCursor(wire.ListCursor, d, place)
		got, err := wire.DecodeCursor(wire.ListCursor, d, text)
		require.NoError(t, err)
		require.True(t, bytes.Equal(place, got))
		for _, read := range []func() ([]byte, error){
			func() ([]byte, error) { return wire.DecodeCursor(wire.ListCursor, other, text) },
			func() ([]byte, error) { return wire.DecodeCursor(wire.HistoryCursor, d, text) },
			func() ([]byte, error) { return wire.DecodeCursor(wire.ListCursor, d, text[:8]) },
			func() ([]byte, error) { return wire.DecodeCursor(wire.ListCursor, d, text+"=") },
		} {
			_, err := read()
			require.ErrorIs(t, err, wire.ErrCursor)
		}
	})
}

func TestWeights(t *testing.T) {
	t.Parallel()
	require.Equal(t, []wire.Weighted{{"c", 1}, {"text/csv", 1}, {"b", 0.5}, {"a", 0}},
		wire.Weights([]string{"a;q=0, c", "b;q=0.5, TEXT/CSV, d;q=much, ;"}))
}

// TestSend answers in the best encoding that is taken, and it is the same inside.
func TestSend(t *testing.T) {
	t.Parallel()
	body := []byte(`{"a":"` + strings.Repeat("b", 10_000) + `"}`)
	for accept, want := range map[string]string{
		"": "", "br": "", "gzip": "gzip", "gzip, zstd": "zstd", "zstd;q=0.1, gzip;q=0.2": "gzip", "zstd;q=0": "", "zstd;q=0, gzip;q=0.1": "gzip",
	} {
		rec := httptest.NewRecorder()
		require.NoError(t, wire.Send(t.Context(), rec, wire.EncodingOf(http.Header{"Accept-Encoding": {accept}}), body[:3], body[3:]))
		require.Equal(t, want, rec.Header().Get("Content-Encoding"), accept)
		require.Equal(t, fmt.Sprint(rec.Body.Len()), rec.Header().Get("Content-Length"))
		var in io.Reader = rec.Body
		var err error
		switch want {
		case "gzip":
			in, err = gzip.NewReader(rec.Body)
		case "zstd":
			in, err = zstd.NewReader(rec.Body)
		}
		require.NoError(t, err)
		got, err := io.ReadAll(in)
		require.NoError(t, err)
		require.Equal(t, body, got)
	}
	require.Equal(t, wire.Identity, wire.EncodingOf(http.Header{}))
}

func TestWriteJSON(t *testing.T) {
	t.Parallel()
	rec := httptest.NewRecorder()
	e := market.Errorf(market.CodeBadRequest, "a < b")
	e.Suggestion = "buy up"
	wire.WriteJSON(rec, e.Code.Status(), wire.EnvelopeOf(e))
	require.Equal(t, 400, rec.Code)
	require.JSONEq(t, `{"error":"bad_request","message":"a < b","suggestion":"buy up"}`, rec.Body.String())
	require.Contains(t, rec.Body.String(), "a < b", "without escapes for HTML")
	rec = httptest.NewRecorder()
	wire.WriteJSON(rec, http.StatusOK, func() {})
	require.Equal(t, 500, rec.Code)
	require.True(t, json.Valid(rec.Body.Bytes()))
}

// TestLogOf: what a handler notes of a request is in the log that it was given.
func TestLogOf(t *testing.T) {
	t.Parallel()
	l := &wire.RequestLog{ID: "1"}
	wire.LogOf(wire.WithLog(t.Context(), l)).Long = true
	require.True(t, l.Long)
	require.NotNil(t, wire.LogOf(t.Context()))
}
