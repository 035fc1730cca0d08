package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ladderback/ladderback/api"
	"github.com/ladderback/ladderback/api/access"
	"github.com/ladderback/ladderback/archive/history"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// resolutionNames lists the sizes of buckets.
const resolutionNames = "250ms, 1s, 5s, 15s, 30s, 1m, 5m, 10m, 15m, 1h, 6h, 1d"

// historyFlags are the flags of history, as given.
type historyFlags struct {
	archives                              *[]string
	start, end, resolution, token, format string
	json                                  bool
}

func (a *app) history() *cobra.Command {
	var f historyFlags
	cmd := &cobra.Command{
		Use:   "history prices|books|metrics ID",
		Short: "Prices, order books or metrics of a market in uniform buckets",
		Long: `Prints what the data routes answer, all pages of it: prices, order books or
metrics of a market (its id or slug) in uniform buckets. --token picks one of its
tokens by label or id. Times are UTC.`,
		Example: `  ladderback history prices btc-updown-15m-1775005200 --resolution 1m
  ladderback history books btc-updown-15m-1775005200 --token Up --start 2026-04-01T01:00:00Z --end 2026-04-01T01:01:00Z --resolution 1s --format csv`,
		Args: func(cmd *cobra.Command, args []string) error {
			if err := a.wantsJSON(cmd, f.json, &f.format); err != nil {
				return err
			}
			if err := oneOf("format", f.format, "table", "json", "csv"); err != nil {
				return err
			}
			if len(args) != 2 {
				return usagef("two arguments are needed: prices, books or metrics, and the market's id or slug")
			}
			if err := oneOfWords("the first argument", args[0], "prices", "books", "metrics"); err != nil {
				return err
			}
			if args[0] == "metrics" && f.token != "" {
				return usagef("--token: metrics are those of the whole market")
			}
			return nil
		},
		RunE: a.begin(func(cmd *cobra.Command, args []string) error {
			return a.runHistory(cmd.Context(), &f, args[0], args[1])
		}),
	}
	flags := cmd.Flags()
	f.archives = a.archiveFlag(flags)
	flags.StringVar(&f.start, "start", "", "first instant (default the start of the bucket in which the market starts)")
	flags.StringVar(&f.end, "end", "", "instant behind the last (default the market's end)")
	flags.StringVar(&f.resolution, "resolution", "1m", "size of a bucket: "+resolutionNames)
	flags.StringVar(&f.token, "token", "", "one token, by label or id")
	flags.StringVar(&f.format, "format", "table", "table, json or csv")
	flags.BoolVar(&f.json, "json", false, "the same as --format json")
	return cmd
}

// oneOfWords is oneOf for an argument.
func oneOfWords(what, value string, allowed ...string) error {
	if err := oneOf("", value, allowed...); err != nil {
		return usagef("%s is %q: expected one of %s", what, value, strings.Join(allowed, ", "))
	}
	return nil
}

func (a *app) runHistory(ctx context.Context, f *historyFlags, kind, id string) (err error) {
	ar, err := a.read(ctx, *f.archives)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ar.Close()) }()
	row, err := ar.Market(ctx, id, "")
	if errors.Is(err, store.ErrNotFound) {
		return &notFound{"market not found: " + id}
	}
	if err != nil {
		return err
	}
	seen := &causes{}
	defer func() { err = seen.of(err) }()
	routes, err := newRoutes(ctx, ar, slog.New(seen))
	if err != nil {
		return err
	}
	path, query, err := f.request(row, kind)
	if err != nil {
		return err
	}
	if f.format == "csv" {
		return routes.get(ctx, path, query, "text/csv", a.out)
	}
	h, err := routes.all(ctx, path, query)
	if err != nil {
		return err
	}
	if f.format == "json" {
		return h.writeJSON(a.out)
	}
	return h.writeTable(a.out, kind)
}

// causes is a log that keeps why a route failed, which the API does not tell its
// clients.
type causes struct{ text string }

// Enabled reports whether records of a level are looked at.
func (c *causes) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelWarn }

// Handle keeps the cause that a record gives.
func (c *causes) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(at slog.Attr) bool {
		if at.Key == "cause" {
			c.text = at.Value.String()
		}
		return true
	})
	return nil
}

// WithAttrs returns c: attributes of the logger are no causes.
func (c *causes) WithAttrs([]slog.Attr) slog.Handler { return c }

// WithGroup returns c.
func (c *causes) WithGroup(string) slog.Handler { return c }

// of returns the cause in place of the error, if there is one.
func (c *causes) of(err error) error {
	if err == nil || c.text == "" {
		return err
	}
	return &caused{c.text}
}

// caused is an error that has come through the API as text.
type caused struct{ text string }

func (e *caused) Error() string { return e.text }

// Is tells damage by its words.
func (e *caused) Is(target error) bool {
	return target == store.ErrDamaged && strings.Contains(e.text, store.ErrDamaged.Error())
}

// request returns the path and the parameters of the route that is asked.
func (f *historyFlags) request(row *store.Listing, kind string) (string, url.Values, error) {
	m := &row.Market
	q := url.Values{"start_ts": {f.start}, "end_ts": {f.end}, "resolution": {f.resolution}}
	// Without a start the window begins with the bucket that holds the market's
	// start, and without either bound it holds that bucket at least.
	first, end := m.Start, m.End
	if r, ok := history.FindResolution(f.resolution); ok {
		first = max(0, m.Start-m.Start%r.Span)
		if f.start == "" {
			end = max(end, first+r.Span)
		}
	}
	if f.start == "" {
		q.Set("start_ts", first.String())
	}
	if f.end == "" {
		q.Set("end_ts", end.String())
	}
	if f.token == "" {
		return "/v1/markets/" + url.PathEscape(m.VenueID) + "/" + kind, q, nil
	}
	labels := make([]string, len(m.Tokens))
	for i, t := range m.Tokens {
		if t.VenueID == f.token || strings.EqualFold(t.Label, f.token) {
			return "/v1/tokens/" + url.PathEscape(t.VenueID) + "/" + kind, q, nil
		}
		labels[i] = t.Label
	}
	return "", nil, usagef("--token %s: the market's tokens are %s", f.token, strings.Join(labels, ", "))
}

// routes asks the API's own handlers, in this process.
type routes struct {
	server *api.Server
	key    string
}

func newRoutes(ctx context.Context, ar reader, log *slog.Logger) (*routes, error) {
	guard := access.NewGuard(&access.Memory{}, access.DefaultPlans(), nil)
	_, key, err := guard.Create(ctx, "enterprise", "", "")
	if err != nil {
		return nil, err
	}
	s, err := api.New(api.Config{Catalogue: ar, Rounds: ar, Guard: guard, Log: log})
	return &routes{s, key}, err
}

// answer is a ResponseWriter that hands the body of a good answer on and keeps
// that of an error.
type answer struct {
	header http.Header
	status int
	out    io.Writer
	failed bytes.Buffer
	err    error // of out
}

func (w *answer) Header() http.Header { return w.header }

func (w *answer) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}

func (w *answer) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	if w.status != http.StatusOK {
		return w.failed.Write(p)
	}
	n, err := w.out.Write(p)
	if err != nil {
		w.err = err
	}
	return n, err
}

// get asks one route and writes its answer to out.
func (r *routes) get(ctx context.Context, path string, q url.Values, accept string, out io.Writer) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, path+"?"+q.Encode(), http.NoBody)
	if err != nil {
		return err
	}
	req.Header.Set("X-API-Key", r.key)
	req.Header.Set("Accept", accept)
	w := &answer{header: http.Header{}, out: out}
	if err := r.serve(w, req); err != nil {
		return err
	}
	if w.status == http.StatusOK {
		return nil
	}
	var e struct{ Message string }
	if err := json.Unmarshal(w.failed.Bytes(), &e); err != nil {
		return fmt.Errorf("status %d", w.status)
	}
	if w.status == http.StatusBadRequest || w.status == http.StatusUnprocessableEntity {
		return usagef("%s", flagNames.Replace(e.Message))
	}
	return errors.New(e.Message)
}

// flagNames puts the flags in place of the parameters that the routes speak of.
var flagNames = strings.NewReplacer(
	"invalid timestamp in start_ts: time", "--start", "invalid timestamp in end_ts: time", "--end",
	"start_ts", "--start", "end_ts", "--end", "resolution: ", "--resolution: ")

// serve lets the server answer. A handler that breaks off because the answer
// cannot be written, or because ctx has ended, gives that error.
func (r *routes) serve(w *answer, req *http.Request) (err error) {
	defer func() {
		v := recover()
		if v != nil && v != http.ErrAbortHandler { //nolint:errorlint // the value itself is the signal
			panic(v)
		}
		switch {
		case req.Context().Err() != nil:
			err = req.Context().Err()
		case w.err != nil:
			err = w.err
		case v != nil:
			err = errors.New("the answer broke off")
		}
	}()
	r.server.ServeHTTP(w, req)
	return nil
}

// historyPage is a page of any history route, or all of them joined.
type historyPage struct {
	MarketID   string            `json:"market_id"`
	TokenID    string            `json:"token_id"`
	TokenLabel string            `json:"token_label"`
	Resolution string            `json:"resolution"`
	Tokens     json.RawMessage   `json:"tokens"`
	Data       json.RawMessage   `json:"data"`
	Metadata   json.RawMessage   `json:"metadata"`
	labels     []string          // in the order of the answer
	points     [][]historyPoint  // of each label; one list where there are none
	raw        []json.RawMessage // of the points in points, list by list, joined by commas
	count      int
	limit      int
}

type historyPoint struct {
	T         market.Instant
	P         *json.Number
	Liquidity json.Number
	Spread    json.Number
	Volume    json.Number
	Bids      [][2]json.Number
	Asks      [][2]json.Number
}

// all asks a route for every page and joins them.
func (r *routes) all(ctx context.Context, path string, q url.Values) (*historyPage, error) {
	q.Set("limit", "200")
	var whole *historyPage
	for {
		var b bytes.Buffer
		if err := r.get(ctx, path, q, "application/json", &b); err != nil {
			return nil, err
		}
		page, next, err := readPage(b.Bytes())
		if err != nil {
			return nil, err
		}
		if whole == nil {
			whole = page
		} else if err := whole.join(page); err != nil {
			return nil, err
		}
		if next == "" {
			return whole, nil
		}
		q.Set("cursor", next)
	}
}

func readPage(text []byte) (page *historyPage, next string, err error) {
	page = &historyPage{}
	if err := json.Unmarshal(text, page); err != nil {
		return nil, "", err
	}
	var meta struct {
		Count, Limit int
		NextCursor   *string `json:"next_cursor"`
	}
	if err := json.Unmarshal(page.Metadata, &meta); err != nil {
		return nil, "", err
	}
	page.count, page.limit = meta.Count, meta.Limit
	if meta.NextCursor != nil {
		next = *meta.NextCursor
	}
	lists := []json.RawMessage{page.Data}
	if len(page.Tokens) > 0 {
		if page.labels, lists, err = members(page.Data); err != nil {
			return nil, "", err
		}
	}
	for _, list := range lists {
		var points []historyPoint
		if err := json.Unmarshal(list, &points); err != nil {
			return nil, "", err
		}
		page.points = append(page.points, points)
		page.raw = append(page.raw, bytes.TrimSuffix(bytes.TrimPrefix(list, []byte("[")), []byte("]")))
	}
	return page, next, nil
}

// members returns the keys and values of a JSON object in their order.
func members(object json.RawMessage) (keys []string, values []json.RawMessage, err error) {
	dec := json.NewDecoder(bytes.NewReader(object))
	if _, err := dec.Token(); err != nil {
		return nil, nil, err
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, nil, err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, nil, err
		}
		keys, values = append(keys, fmt.Sprint(key)), append(values, value)
	}
	return keys, values, nil
}

// join appends the points of the next page.
func (h *historyPage) join(next *historyPage) error {
	if len(next.points) != len(h.points) {
		return errors.New("pages of one history have different tokens")
	}
	for i := range h.points {
		h.points[i] = append(h.points[i], next.points[i]...)
		if len(h.raw[i]) > 0 && len(next.raw[i]) > 0 {
			h.raw[i] = append(h.raw[i], ',')
		}
		h.raw[i] = append(h.raw[i], next.raw[i]...)
	}
	h.count += next.count
	return nil
}

// writeJSON writes the route's object with all pages joined.
func (h *historyPage) writeJSON(w io.Writer) error {
	var b bytes.Buffer
	text := func(s string) []byte {
		quoted, err := json.Marshal(s)
		if err != nil {
			return []byte(`""`)
		}
		return quoted
	}
	fmt.Fprintf(&b, `{"market_id":%s`, text(h.MarketID))
	if h.TokenID != "" {
		fmt.Fprintf(&b, `,"token_id":%s,"token_label":%s`, text(h.TokenID), text(h.TokenLabel))
	}
	fmt.Fprintf(&b, `,"resolution":%s`, text(h.Resolution))
	if h.labels == nil {
		fmt.Fprintf(&b, `,"data":[%s]`, h.raw[0])
	} else {
		fmt.Fprintf(&b, `,"tokens":%s,"data":{`, h.Tokens)
		for i, label := range h.labels {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, `%s:[%s]`, text(label), h.raw[i])
		}
		b.WriteByte('}')
	}
	fmt.Fprintf(&b, `,"metadata":{"count":%d,"limit":%d,"next_cursor":null}}`+"\n", h.count, h.limit)
	_, err := w.Write(b.Bytes())
	return err
}

// writeTable writes one line a bucket.
func (h *historyPage) writeTable(w io.Writer, kind string) error {
	if h.count == 0 {
		_, err := fmt.Fprintln(w, "no point in this window")
		return err
	}
	if kind == "metrics" {
		t := newTable(w, "time (UTC)", "liquidity", "spread", "volume")
		numbersRight(t, 2, 3, 4)
		for _, p := range h.points[0] {
			t.AppendRow([]any{p.T, p.Liquidity, p.Spread, p.Volume})
		}
		t.Render()
		return nil
	}
	labels := h.labels
	if labels == nil {
		labels = []string{h.TokenLabel}
	}
	columns := []string{"time (UTC)"}
	var right []int
	for _, label := range labels {
		if kind == "prices" {
			columns = append(columns, label)
		} else {
			columns = append(columns, label+" bid", "size", "ask", "size", "levels")
		}
	}
	for i := range columns[1:] {
		right = append(right, i+2)
	}
	t := newTable(w, columns...)
	numbersRight(t, right...)
	at := make([]int, len(labels))
	for {
		when, ok := h.next(at)
		if !ok {
			break
		}
		row := []any{when}
		for i := range labels {
			var p *historyPoint
			if at[i] < len(h.points[i]) && h.points[i][at[i]].T == when {
				p = &h.points[i][at[i]]
				at[i]++
			}
			row = append(row, cells(p, kind)...)
		}
		t.AppendRow(row)
	}
	t.Render()
	return nil
}

// next returns the earliest time of the points that at points to.
func (h *historyPage) next(at []int) (when market.Instant, ok bool) {
	for i, list := range h.points {
		if at[i] < len(list) && (!ok || list[at[i]].T < when) {
			when, ok = list[at[i]].T, true
		}
	}
	return when, ok
}

// cells are the columns of one token in one bucket; empty without a point.
func cells(p *historyPoint, kind string) []any {
	if kind == "prices" {
		if p == nil || p.P == nil {
			return []any{""}
		}
		return []any{*p.P}
	}
	if p == nil {
		return []any{"", "", "", "", ""}
	}
	best := func(side [][2]json.Number) (any, any) {
		if len(side) == 0 {
			return "", ""
		}
		return side[0][0], side[0][1]
	}
	bid, bidSize := best(p.Bids)
	ask, askSize := best(p.Asks)
	return []any{bid, bidSize, ask, askSize, fmt.Sprintf("%d+%d", len(p.Bids), len(p.Asks))}
}
