package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ladderback/ladderback/client"
)

var toolsets = map[string][]tool{Study: study(), Family: family()}

// study returns the tools of a study, from the first question to the last.
func study() []tool {
	return []tool{
		toolOf(sdk.Tool{
			Name: "find_markets", Title: "What the archive holds",
			Description: "What can be replayed by coin and length, series, and markets (slug, times, status). Start here.",
		}, findMarkets),
		toolOf(sdk.Tool{
			Name: "get_history", Title: "Prices, books, quotes or metrics over time",
			Description: "History of one market in buckets, thinned to what fits; says what was left out and how to get it.",
		}, getHistory),
		toolOf(sdk.Tool{
			Name: "parse_strategy", Title: "Read a strategy",
			Description: "Reads a strategy in English without running it: its summary and what was assumed, or the phrases that cannot be read.",
		}, parseStrategy),
		toolOf(sdk.Tool{
			Name: "run_backtest", Title: "Run a backtest", Annotations: runs(), Meta: viewed(),
			Description: "Replays a strategy over resolved rounds and judges it. Long runs answer with an id for get_run.",
		}, runBacktest),
		toolOf(sdk.Tool{
			Name: "get_run", Title: "A run again", Meta: viewed(),
			Description: "A backtest or sweep by its id: how far it is, or its result.",
		}, getRun),
		toolOf(sdk.Tool{
			Name: "list_trades", Title: "Trades of a backtest",
			Description: "Trades of a backtest, by time or pnl, with the numbers that explain_trade takes.",
		}, listTrades),
		toolOf(sdk.Tool{
			Name: "explain_trade", Title: "Why a trade was made", Meta: viewed(),
			Description: "One trade: what held when, each order against the captured ladder, the exit, the settlement.",
		}, explainTrade),
		toolOf(sdk.Tool{
			Name: "compare_runs", Title: "Compare two backtests",
			Description: "Whether b is better than a over the same rounds, with an interval, and what differs.",
		}, compareRuns),
		toolOf(sdk.Tool{
			Name: "sweep", Title: "Try many values honestly", Annotations: runs(),
			Description: "Replays every combination of values and says whether the best is more than luck.",
		}, sweep),
		toolOf(sdk.Tool{
			Name: "get_usage", Title: "Plan and limits",
			Description: "What the key may do, and has left.",
		}, getUsage),
	}
}

// runs annotates a tool that keeps a run at the server.
func runs() *sdk.ToolAnnotations {
	destroys := false
	return &sdk.ToolAnnotations{DestructiveHint: &destroys}
}

type findIn struct {
	Search     string `json:"search,omitempty" jsonschema:"part of a slug, title or question, such as btc-updown-5m"`
	Coin       string `json:"coin,omitempty" jsonschema:"such as BTC"`
	MarketType string `json:"market_type,omitempty" jsonschema:"length of a round, such as 15m"`
	From       string `json:"from,omitempty" jsonschema:"ends at or after, ISO 8601 UTC"`
	To         string `json:"to,omitempty" jsonschema:"ends at or before, ISO 8601 UTC"`
	Limit      int    `json:"limit,omitempty" jsonschema:"markets, 1 to 50, default 10"`
}

type findOut struct {
	Rounds  []client.Rounds `json:"rounds"`
	Series  []string        `json:"series"`
	Markets []foundMarket   `json:"markets"`
	More    bool            `json:"more"`
}

type foundMarket struct {
	Slug   string `json:"slug"`
	Start  string `json:"start"`
	End    string `json:"end"`
	Status string `json:"status"`
}

// stamp is a time as answers have it; empty: not known.
func stamp(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

func (in *findIn) query() (q client.MarketQuery, err error) {
	q = client.MarketQuery{IncludeClosed: true, ListQuery: client.ListQuery{Search: in.Search, PageSize: in.Limit + 1, Sort: "end_date"}}
	if q.Search == "" && in.Coin != "" {
		q.Search = strings.ToLower(in.Coin) + "-updown-" + in.MarketType
	}
	for _, one := range []struct {
		name, text string
		into       *time.Time
	}{{"from", in.From, &q.EndMin}, {"to", in.To, &q.EndMax}} {
		if one.text == "" {
			continue
		}
		if *one.into, err = timeOf(one.name, one.text); err != nil {
			return q, err
		}
	}
	return q, nil
}

func timeOf(name, text string) (time.Time, error) {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04", time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("%s: %q is no time: expected ISO 8601 in UTC, such as 2026-04-13T14:00:00Z", name, text)
}

// within returns n, or its default when it is 0.
func within(name string, n, def, most int) (int, error) {
	if n == 0 {
		return def, nil
	}
	if n < 1 || n > most {
		return 0, fmt.Errorf("%s: %d: expected 1 to %d", name, n, most)
	}
	return n, nil
}

func findMarkets(ctx context.Context, c *call, in findIn) (r reply[findOut], err error) {
	if in.Limit, err = within("limit", in.Limit, 10, 50); err != nil {
		return r, err
	}
	q, err := in.query()
	if err != nil {
		return r, err
	}
	archive, err := c.client.Archive(ctx, "")
	if err != nil {
		return r, err
	}
	r.out = findOut{Rounds: []client.Rounds{}, Series: []string{}, Markets: []foundMarket{}}
	for _, one := range archive.Rounds {
		if (in.Coin == "" || strings.EqualFold(in.Coin, one.Coin)) && (in.MarketType == "" || in.MarketType == one.MarketType) {
			r.out.Rounds = append(r.out.Rounds, one)
		}
	}
	for one, err := range c.client.Series(ctx, client.ListQuery{Search: cmp.Or(in.Search, strings.ToLower(in.Coin)), PageSize: 10}) {
		if err != nil {
			return r, err
		}
		if r.out.Series = append(r.out.Series, one.Slug); len(r.out.Series) == 10 {
			break
		}
	}
	for m, err := range c.client.Markets(ctx, q) {
		if err != nil {
			return r, err
		}
		if len(r.out.Markets) == in.Limit {
			r.out.More = true
			break
		}
		r.out.Markets = append(r.out.Markets, foundMarket{m.Slug, stamp(m.StartDate), stamp(m.EndDate), m.Status})
	}
	r.text = r.out.words()
	return r, nil
}

func (f *findOut) words() string {
	var b strings.Builder
	if len(f.Rounds) == 0 {
		b.WriteString("No rounds that a backtest may replay.\n")
	} else {
		b.WriteString("Rounds that a backtest may replay (inferred: a source's own word, replayed with winners inferred; ends in UTC):\n")
	}
	for i, r := range f.Rounds {
		if i == 40 {
			fmt.Fprintf(&b, "… and %d more: give coin or market_type\n", len(f.Rounds)-i)
			break
		}
		fmt.Fprintf(&b, "- %s %s: %d rounds with an official winner, %d more with an inferred one, %s to %s\n", r.Coin, r.MarketType, r.Rounds, r.Inferred, stamp(&r.FirstEnd), stamp(&r.LastEnd))
	}
	if len(f.Series) > 0 {
		fmt.Fprintf(&b, "Series: %s\n", strings.Join(f.Series, ", "))
	}
	fmt.Fprintf(&b, "Markets, the newest end first:\n")
	for _, m := range f.Markets {
		fmt.Fprintf(&b, "- %s, %s to %s, %s\n", m.Slug, m.Start, m.End, m.Status)
	}
	if len(f.Markets) == 0 {
		b.WriteString("- none\n")
	}
	if f.More {
		b.WriteString("There are more: narrow search, from and to, or raise limit.\n")
	}
	return b.String()
}

type historyIn struct {
	Market     string `json:"market" jsonschema:"slug or id"`
	Kind       string `json:"kind,omitempty" jsonschema:"prices (default), books, quotes or metrics"`
	Start      string `json:"start,omitempty" jsonschema:"default: the market's start"`
	End        string `json:"end,omitempty" jsonschema:"default: the market's end"`
	Resolution string `json:"resolution,omitempty" jsonschema:"250ms, 1s, 5s, 15s, 30s, 1m … 1d; default: the finest that fits"`
	Points     int    `json:"points,omitempty" jsonschema:"buckets at most, 1 to 200, default 30, of books 8"`
	Levels     int    `json:"levels,omitempty" jsonschema:"of each side of a book, 1 to 50, default 5"`
}

type historyOut struct {
	Market     string `json:"market"`
	Kind       string `json:"kind"`
	Resolution string `json:"resolution"`
	Start      string `json:"start"`
	End        string `json:"end"`
	Data       any    `json:"data" jsonschema:"points by label of the token; of metrics the points alone"`
	Left       string `json:"left,omitempty"`
}

// steps are the resolutions, the finest first.
var steps = []struct {
	name string
	d    time.Duration
}{
	{"250ms", 250 * time.Millisecond},
	{"1s", time.Second},
	{"5s", 5 * time.Second},
	{"15s", 15 * time.Second},
	{"30s", 30 * time.Second},
	{"1m", time.Minute},
	{"5m", 5 * time.Minute},
	{"10m", 10 * time.Minute},
	{"15m", 15 * time.Minute},
	{"1h", time.Hour},
	{"6h", 6 * time.Hour},
	{"1d", 24 * time.Hour},
}

// fits returns the finest resolution at which a window has at most n buckets.
func fits(window time.Duration, n int) string {
	for _, s := range steps {
		if window <= time.Duration(n)*s.d {
			return s.name
		}
	}
	return steps[len(steps)-1].name
}

func getHistory(ctx context.Context, c *call, in historyIn) (r reply[historyOut], err error) {
	in.Kind = cmp.Or(in.Kind, "prices")
	if !slices.Contains([]string{"prices", "books", "quotes", "metrics"}, in.Kind) {
		return r, fmt.Errorf("kind: %q: expected prices, books, quotes or metrics", in.Kind)
	}
	usual := 30 // with which an answer is at most some 2,000 tokens
	if in.Kind == "books" {
		usual = 8
	}
	if in.Points, err = within("points", in.Points, usual, 200); err != nil {
		return r, err
	}
	if in.Levels, err = within("levels", in.Levels, 5, 50); err != nil {
		return r, err
	}
	m, err := c.client.Market(ctx, in.Market)
	if err != nil {
		return r, err
	}
	w, err := in.window(m)
	if err != nil {
		return r, err
	}
	points, more, err := in.points(ctx, c.client, m, w)
	if err != nil {
		return r, err
	}
	out := historyOut{Market: m.Slug, Kind: in.Kind, Resolution: w.Resolution, Start: stamp(&w.Start), End: stamp(&w.End)}
	if in.Kind == "books" {
		if err := cutLevels(points, in.Levels); err != nil {
			return r, err
		}
	}
	if out.Data = any(points); in.Kind == "metrics" {
		out.Data = slices.Concat([]json.RawMessage{}, points[""])
	}
	out.Left = in.left(w, more)
	text, err := json.Marshal(out)
	return reply[historyOut]{text: string(text), out: out}, err
}

// points reads as many buckets as are asked for, by label; more: there are others.
func (in *historyIn) points(ctx context.Context, c *client.Client, m *client.Market, w client.Window) (points map[string][]json.RawMessage, more bool, err error) {
	points = map[string][]json.RawMessage{}
	count := 0
	for p, err := range pagesOf(ctx, c, m, in.Kind, w) {
		if err != nil {
			return nil, false, err
		}
		longest, room := 0, in.Points-count
		for label, part := range p {
			more = more || len(part) > room
			points[label] = append(points[label], part[:min(room, len(part))]...)
			longest = max(longest, len(part))
		}
		if more {
			break
		}
		count += longest
	}
	return points, more, nil
}

// left says what of a window is not shown, and how to get it.
func (in *historyIn) left(w client.Window, more bool) string {
	var words []string
	switch {
	case more:
		words = append(words, fmt.Sprintf("buckets beyond %d: begin at the last time shown, or ask for %s", in.Points, fits(w.End.Sub(w.Start), in.Points)))
	case w.Resolution != steps[0].name:
		words = append(words, "all within a bucket of "+w.Resolution+": give a shorter window, or resolution")
	}
	if in.Kind == "books" {
		words = append(words, fmt.Sprintf("levels beyond the best %d: give levels", in.Levels))
	}
	return strings.Join(words, "; ")
}

// window is what is asked for of a market, at the finest resolution that fits.
func (in *historyIn) window(m *client.Market) (w client.Window, err error) {
	for _, one := range []struct {
		name, text string
		def        *time.Time
		into       *time.Time
	}{{"start", in.Start, m.StartDate, &w.Start}, {"end", in.End, m.EndDate, &w.End}} {
		switch {
		case one.text != "":
			if *one.into, err = timeOf(one.name, one.text); err != nil {
				return w, err
			}
		case one.def == nil:
			return w, fmt.Errorf("%s: needed: the market's own is not known", one.name)
		default:
			*one.into = *one.def
		}
	}
	if !w.Start.Before(w.End) {
		return w, fmt.Errorf("start %s is not before end %s", stamp(&w.Start), stamp(&w.End))
	}
	w.Resolution = cmp.Or(in.Resolution, fits(w.End.Sub(w.Start), in.Points))
	return w, nil
}

// pagesOf yields pages of points by label; those of metrics by none.
func pagesOf(ctx context.Context, c *client.Client, m *client.Market, kind string, w client.Window) iter.Seq2[map[string][]json.RawMessage, error] {
	return func(yield func(map[string][]json.RawMessage, error) bool) {
		if kind == "metrics" {
			for p, err := range c.MarketMetrics(ctx, m.ID, w) {
				text, _ := json.Marshal(p) // numbers and a time
				if !yield(map[string][]json.RawMessage{"": {text}}, err) {
					return
				}
			}
			return
		}
		for p, err := range client.RawPages(ctx, c, m.ID, kind, w) {
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(p.Data, nil) {
				return
			}
		}
	}
}

// cutLevels leaves n levels of each side of each book.
func cutLevels(points map[string][]json.RawMessage, n int) error {
	for label := range points {
		for i, text := range points[label] {
			var b client.Book
			if err := json.Unmarshal(text, &b); err != nil {
				return err
			}
			b.Bids, b.Asks = b.Bids[:min(n, len(b.Bids))], b.Asks[:min(n, len(b.Asks))]
			cut, err := json.Marshal(b)
			if err != nil {
				return err
			}
			points[label][i] = cut
		}
	}
	return nil
}

type parseIn struct {
	Prompt string `json:"prompt" jsonschema:"the strategy in English, up to 2000 characters"`
}

type parseOut struct {
	Strategy    any      `json:"strategy" jsonschema:"the strategy object"`
	Summary     string   `json:"summary"`
	Source      string   `json:"source"`
	Assumptions []string `json:"assumptions"`
	Ignored     []string `json:"ignored"`
}

func parseStrategy(ctx context.Context, c *call, in parseIn) (r reply[parseOut], err error) {
	p, err := c.client.Parse(ctx, in.Prompt)
	if err != nil {
		return r, err
	}
	r.out = parseOut{Strategy: p.Strategy, Summary: p.Parse.Summary, Source: p.Source, Assumptions: []string{}, Ignored: []string{}}
	for _, a := range p.Parse.Assumptions {
		r.out.Assumptions = append(r.out.Assumptions, fmt.Sprintf("%s: %s", a.Field, a.Why))
	}
	for _, s := range p.Parse.Ignored {
		r.out.Ignored = append(r.out.Ignored, s.Text)
	}
	r.text = "Read as: " + r.out.Summary
	if len(r.out.Assumptions) > 0 {
		r.text += "\nAssumed: " + strings.Join(r.out.Assumptions, "; ") + "."
	}
	if len(r.out.Ignored) > 0 {
		r.text += fmt.Sprintf("\nSays nothing: %q.", r.out.Ignored)
	}
	return r, nil
}

type usageIn struct{}

func getUsage(ctx context.Context, c *call, _ usageIn) (r reply[client.Usage], err error) {
	u, err := c.client.Usage(ctx)
	if err != nil {
		return r, err
	}
	text, err := json.Marshal(u)
	return reply[client.Usage]{text: string(text), out: *u}, err
}

type tradesIn struct {
	Run    string `json:"run" jsonschema:"id of a backtest that is done"`
	Sort   string `json:"sort,omitempty" jsonschema:"time (default), worst or best"`
	Reason string `json:"reason,omitempty" jsonschema:"only this exit reason, such as stop_loss"`
	Limit  int    `json:"limit,omitempty" jsonschema:"1 to 100, default 20"`
}

type tradesOut struct {
	Of     int         `json:"of"`
	Trades []shownItem `json:"trades"`
}

type shownItem struct {
	Number     int      `json:"number"`
	Market     string   `json:"market"`
	Side       string   `json:"side"`
	EntryTime  string   `json:"entry_time"`
	EntryPrice float64  `json:"entry_price"`
	ExitPrice  *float64 `json:"exit_price"` // nil: all shares were merged
	Reason     string   `json:"reason"`
	Shares     float64  `json:"shares"`
	PnL        float64  `json:"pnl"`
}

func listTrades(ctx context.Context, c *call, in tradesIn) (r reply[tradesOut], err error) {
	if in.Limit, err = within("limit", in.Limit, 20, 100); err != nil {
		return r, err
	}
	body, err := c.result(ctx, in.Run)
	if err != nil {
		return r, err
	}
	r.out = tradesOut{Trades: []shownItem{}}
	for i := range body.Report.Trades {
		t := &body.Report.Trades[i]
		if in.Reason != "" && string(t.ExitReason) != in.Reason {
			continue
		}
		one := shownItem{
			i + 1, t.MarketSlug, t.Side, t.EntryTime.String(), t.EntryPrice.Float(), nil, string(t.ExitReason), t.Shares.Float(), t.PnL.Float(),
		}
		if t.ExitPrice.String() != "" {
			one.ExitPrice = new(t.ExitPrice.Float())
		}
		r.out.Trades = append(r.out.Trades, one)
	}
	switch in.Sort {
	case "", "time":
	case "worst", "best":
		slices.SortStableFunc(r.out.Trades, func(a, b shownItem) int {
			if in.Sort == "best" {
				a, b = b, a
			}
			return cmp.Compare(a.PnL, b.PnL)
		})
	default:
		return r, fmt.Errorf("sort: %q: expected time, worst or best", in.Sort)
	}
	r.out.Of = len(r.out.Trades)
	r.out.Trades = r.out.Trades[:min(in.Limit, r.out.Of)]
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d trades (number, market, side, entry → exit price, reason, shares, pnl in USD):\n", len(r.out.Trades), r.out.Of)
	number := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
	for _, t := range r.out.Trades {
		exit := "no price"
		if t.ExitPrice != nil {
			exit = number(*t.ExitPrice)
		}
		fmt.Fprintf(&b, "%d. %s %s at %s: %s → %s, %s, %s shares, %s\n", t.Number, t.Market, t.Side, t.EntryTime,
			number(t.EntryPrice), exit, t.Reason, number(t.Shares), number(t.PnL))
	}
	r.text = b.String()
	return r, nil
}
