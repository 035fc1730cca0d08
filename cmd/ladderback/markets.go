package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ladderback/ladderback/app"
	"github.com/ladderback/ladderback/archive/care"
	"github.com/ladderback/ladderback/archive/history"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// marketsFlags are those of markets.
type marketsFlags struct {
	search, coin, typ, category, status string
	limit                               int
}

func (f *marketsFlags) check() error {
	switch {
	case f.limit < 1:
		return usagef("--limit %d: expected 1 or more", f.limit)
	case f.category != "" && !market.Category(f.category).Valid():
		return usagef("--category %q: expected crypto or sports", f.category)
	}
	if f.status == "" {
		return nil
	}
	return oneOf("status", f.status, statuses...)
}

// statuses are the stages of a market.
var statuses = []string{store.Open.String(), store.Closed.String(), store.Resolved.String()}

func (a *cli) markets() *cobra.Command {
	var f marketsFlags
	var show showFlags
	var archives *[]string
	cmd := &cobra.Command{
		Use:   "markets",
		Short: "List, search and show the markets of an archive",
		Long: `Lists the markets of the archive, those that ended last first: open, closed (past
the end, or closed by the exchange) and resolved (the official payout is known).
--search looks in slug and question. 'markets show' tells everything about one.
Times are UTC.`,
		Example: `  ladderback markets --search btc --type 15m --limit 50
  ladderback markets show btc-updown-15m-1775005200`,
		Args: func(cmd *cobra.Command, args []string) error {
			if err := a.check(cmd, &show); err != nil {
				return err
			}
			if len(args) > 0 {
				return usagef("markets takes no %q: 'ladderback markets' lists them, --search WORDS those with the words in slug or question, 'ladderback markets show SLUG' one", args[0])
			}
			return f.check()
		},
	}
	archives = a.archiveFlag(cmd.Flags())
	show.add(cmd)
	cmd.Flags().StringVar(&f.search, "search", "", "only markets with this in slug or question")
	cmd.Flags().StringVar(&f.coin, "coin", "", "rounds of this coin")
	cmd.Flags().StringVar(&f.typ, "type", "", "rounds of this length: 5m, 15m, 1h, …")
	cmd.Flags().StringVar(&f.category, "category", "", "crypto or sports")
	cmd.Flags().StringVar(&f.status, "status", "", "only open, closed or resolved markets")
	cmd.Flags().IntVar(&f.limit, "limit", 20, "list at most this many")
	cmd.RunE = a.begin(func(cmd *cobra.Command, _ []string) (err error) {
		ar, err := a.Read(cmd.Context(), *archives)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, ar.Close()) }()
		return a.listMarkets(cmd.Context(), ar, &f)
	})
	cmd.AddCommand(a.marketsShow())
	return cmd
}

// marketRecord is a market as JSON.
type marketRecord struct {
	Slug     string          `json:"slug"`
	ID       string          `json:"id"`
	Question string          `json:"question"`
	Category market.Category `json:"category"`
	Coin     string          `json:"coin,omitempty"`
	Type     string          `json:"market_type,omitempty"`
	Start    *market.Instant `json:"start_date"`
	End      *market.Instant `json:"end_date"`
	Status   string          `json:"status"`
	Winner   string          `json:"winning_token_label,omitempty"`
	Basis    market.Basis    `json:"winner_basis,omitempty"`
	Captures int64           `json:"captures"`
	First    *market.Instant `json:"first_capture"`
	Last     *market.Instant `json:"last_capture"`
	Coverage json.Number     `json:"coverage,omitempty"`
	// What follows is of 'markets show' alone.
	Venue    market.Venue    `json:"venue,omitempty"`
	AltID    string          `json:"alt_id,omitempty"`
	Event    string          `json:"event_slug,omitempty"`
	Series   string          `json:"series_slug,omitempty"`
	Tags     []string        `json:"tags,omitempty"`
	ClosedAt *market.Instant `json:"closed_at,omitempty"`
	Updated  *market.Instant `json:"updated_at,omitempty"`
	Tick     json.Number     `json:"tick,omitempty"`
	MinSize  json.Number     `json:"min_size,omitempty"`
	Gaps     int             `json:"gaps,omitempty"`
	Content  string          `json:"content,omitempty"`
	Tokens   []tokenRecord   `json:"tokens,omitempty"`
	Words    []wordRecord    `json:"winner_by_source,omitempty"` // where sources disagree
}

// wordRecord is what a source says of the winner.
type wordRecord struct {
	Source string       `json:"source"`
	Basis  market.Basis `json:"basis"`
	Winner string       `json:"winning_token_label"` // empty: none
}

// wordsOf returns what sources say of the winner, if they do not all say the same.
func wordsOf(ctx context.Context, ar app.Reader, row *store.Listing) (out []wordRecord, err error) {
	words, err := care.Words(ctx, ar.StoreOf(&row.Market), &row.MarketRow)
	if err != nil {
		return nil, err
	}
	disagree := false
	for _, w := range words {
		said := wordRecord{Source: w.Source, Basis: w.Basis}
		if i := w.Winner(); i >= 0 {
			said.Winner = row.Market.Tokens[i].Label
		}
		out = append(out, said)
		disagree = disagree || said.Winner != out[0].Winner
	}
	if !disagree {
		return nil, nil
	}
	return out, nil
}

type tokenRecord struct {
	ID    string      `json:"id"`
	Label string      `json:"label"`
	Pays  json.Number `json:"pays,omitempty"`
}

func whenKnown(t market.Instant) *market.Instant {
	if t == 0 {
		return nil
	}
	return &t
}

func marketRecordOf(row *store.Listing) marketRecord {
	m, s := &row.Market, &row.Stats
	r := marketRecord{
		Slug: m.Slug, ID: m.VenueID, Question: m.Question, Category: m.Category, Coin: m.Coin, Type: m.Type,
		Start: whenKnown(m.Start), End: whenKnown(m.End), Status: row.Status.String(),
		Captures: s.Captures, First: whenKnown(s.First), Last: whenKnown(s.Last),
	}
	if i := m.Payout.Winner(); i >= 0 {
		r.Winner, r.Basis = m.Tokens[i].Label, m.Payout.Basis
	}
	if m.IsUpDown() && s.Captures > 0 {
		r.Coverage = json.Number(market.Cash(s.Coverage).String())
	}
	return r
}

func (a *cli) listMarkets(ctx context.Context, ar app.Reader, f *marketsFlags) error {
	rows, more, err := f.find(ctx, ar)
	if err != nil {
		return err
	}
	if a.json {
		out := struct {
			Count int            `json:"count"`
			More  bool           `json:"more"`
			Data  []marketRecord `json:"data"`
		}{len(rows), more, []marketRecord{}}
		for i := range rows {
			out.Data = append(out.Data, marketRecordOf(&rows[i]))
		}
		a.printJSON(out)
		return nil
	}
	if len(rows) == 0 {
		fmt.Fprintln(a.out, "no market matches")
		return nil
	}
	t := newTable(a.out, "market", "starts (UTC)", "ends", "status", "winner", "captures")
	numbersRight(t, 6)
	inferred := false
	for i := range rows {
		r := marketRecordOf(&rows[i])
		winner := r.Winner
		if winner != "" && r.Basis != market.Official {
			winner, inferred = winner+"*", true
		}
		t.AppendRow([]any{r.Slug, minuteOf(r.Start), endOf(&r), r.Status, winner, grouped(r.Captures)})
	}
	t.Render()
	if inferred {
		fmt.Fprintln(a.out, "* inferred by a source; the official outcome is not known")
	}
	if more {
		fmt.Fprintln(a.out, "There are more: raise --limit, or narrow with --search, --coin, --type.")
	}
	return nil
}

// endOf is when a market ends: without the day where it is that of the start.
func endOf(r *marketRecord) string {
	if r.Start != nil && r.End != nil && *r.Start/market.Day == *r.End/market.Day {
		return r.End.Time().Format("15:04")
	}
	return minuteOf(r.End)
}

// find returns the markets that the flags select, and whether there are more than
// the limit.
func (f *marketsFlags) find(ctx context.Context, ar app.Reader) (rows []store.Listing, more bool, err error) {
	q := store.MarketQuery{
		Search: f.search, Coin: strings.ToUpper(f.coin), Type: f.typ, Category: market.Category(f.category), OpenOnly: f.status == store.Open.String(),
		Page: store.Page{Sort: store.ByEnd, Limit: f.limit + 1},
	}
	for {
		page, err := ar.Markets(ctx, q)
		if err != nil {
			return nil, false, err
		}
		for i := range page {
			if f.status != "" && page[i].Status.String() != f.status {
				continue
			}
			if len(rows) == f.limit {
				return rows, true, nil
			}
			rows = append(rows, page[i])
		}
		if len(page) < q.Limit {
			return rows, false, nil
		}
		after := page[len(page)-1].Key(store.ByEnd)
		q.After = &after
	}
}

func minuteOf(t *market.Instant) string {
	if t == nil {
		return ""
	}
	return toMinute(*t)
}

// winnerText names the winner, and says when only a source infers it.
func winnerText(r *marketRecord) string {
	if r.Winner != "" && r.Basis != market.Official {
		return r.Winner + " (inferred)"
	}
	return r.Winner
}

// coveredText is the part of a round during which a value was known.
func coveredText(row *store.Listing) string {
	if !row.Market.IsUpDown() || row.Stats.Captures == 0 {
		return ""
	}
	return fmt.Sprintf("%.0f%%", float64(row.Stats.Coverage)/1e4)
}

func (a *cli) marketsShow() *cobra.Command {
	var show showFlags
	var archives *[]string
	cmd := &cobra.Command{
		Use:     "show MARKET",
		Short:   "What is known about one market: ids, times, tokens, payout, captures",
		Long:    "Tells what is known about one market, by slug or id. Times are UTC.",
		Example: "  ladderback markets show btc-updown-15m-1775005200",
		Args: func(cmd *cobra.Command, args []string) error {
			if err := a.check(cmd, &show); err != nil {
				return err
			}
			if len(args) != 1 {
				return usagef("expected one market: its slug or id")
			}
			return nil
		},
	}
	archives = a.archiveFlag(cmd.Flags())
	show.add(cmd)
	cmd.RunE = a.begin(func(cmd *cobra.Command, args []string) (err error) {
		ar, err := a.Read(cmd.Context(), *archives)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, ar.Close()) }()
		row, err := ar.Market(cmd.Context(), args[0], "")
		if errors.Is(err, store.ErrNotFound) {
			return market.Errorf(market.CodeNotFound, "market not found: %s", args[0])
		}
		if err != nil {
			return err
		}
		words, err := wordsOf(cmd.Context(), ar, row)
		if err != nil {
			return err
		}
		a.showMarket(row, words)
		return nil
	})
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return a.slugs(cmd, begun), cobra.ShellCompDirectiveNoFileComp
	}
	return cmd
}

func (a *cli) showMarket(row *store.Listing, words []wordRecord) {
	m := &row.Market
	r := marketRecordOf(row)
	r.Words = words
	r.Venue, r.AltID, r.Event, r.Series, r.Tags = m.Venue, m.AltID, row.EventSlug, row.SeriesSlug, m.Tags
	r.ClosedAt, r.Updated, r.Gaps = whenKnown(row.ClosedAt), whenKnown(row.UpdatedAt), len(row.Gaps)
	if m.Tick != 0 {
		r.Tick = json.Number(m.Tick.String())
	}
	if m.MinSize != 0 {
		r.MinSize = json.Number(m.MinSize.String())
	}
	if r.Captures > 0 {
		r.Content = fmt.Sprintf("%x", row.Stats.Content)
	}
	for i, label := range history.Labels(m) {
		t := tokenRecord{ID: m.Tokens[i].VenueID, Label: label}
		if m.Payout != nil {
			t.Pays = json.Number(m.Payout.Fractions[i].String())
		}
		r.Tokens = append(r.Tokens, t)
	}
	if a.json {
		a.printJSON(r)
		return
	}
	a.printMarket(row, &r)
}

// printMarket writes a line for each thing that is known.
func (a *cli) printMarket(row *store.Listing, r *marketRecord) {
	fmt.Fprintln(a.out, r.Question)
	t := newTable(a.out)
	add := func(name, value string) {
		if value != "" {
			t.AppendRow([]any{name, value})
		}
	}
	instant := func(t *market.Instant) string {
		if t == nil {
			return ""
		}
		return shortTime(*t)
	}
	add("slug", r.Slug)
	add("id", r.ID)
	add("other id", r.AltID)
	add("venue", string(r.Venue)+", "+string(r.Category))
	add("series", r.Series)
	if r.Event != r.Slug {
		add("event", r.Event)
	}
	add("tags", strings.Join(r.Tags, ", "))
	times := "starts and ends (UTC)"
	if row.Undated {
		times = "first and last capture (UTC)"
	}
	add(times, strings.Trim(instant(r.Start)+" to "+instant(r.End), " to"))
	add("closed at (UTC)", instant(r.ClosedAt))
	status := r.Status
	if r.Winner != "" {
		status += ", winner " + winnerText(r)
	}
	if row.Disputed {
		status += ", no winner: sources disagree"
	}
	add("status", status)
	for i, w := range r.Words {
		name := ""
		if i == 0 {
			name = "winner by source"
		}
		t.AppendRow([]any{name, cmp.Or(w.Winner, "none") + ", " + string(w.Basis) + ": " + w.Source})
	}
	add("smallest step", string(r.Tick))
	add("smallest order", string(r.MinSize))
	for _, k := range r.Tokens {
		pays := ""
		if k.Pays != "" {
			pays = ", pays " + string(k.Pays)
		}
		add("token "+k.Label, k.ID+pays)
	}
	captures := grouped(r.Captures)
	if r.First != nil {
		captures += ", " + instant(r.First) + " to " + instant(r.Last) + " UTC"
	}
	if covered := coveredText(row); covered != "" {
		captures += ", " + covered + " covered"
	}
	add("captures", captures)
	if r.Gaps > 0 {
		add("gaps declared", grouped(int64(r.Gaps)))
	}
	add("content", r.Content)
	t.Render()
}
