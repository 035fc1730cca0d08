// Package lists answers the routes of discovery: lists of series, events, markets
// and tags, a market by itself and its gaps.
package lists

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ladderback/ladderback/api/wire"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/market"
)

// Catalogue is what the routes read from. *archive.Archive implements it.
type Catalogue interface {
	Markets(ctx context.Context, q store.MarketQuery) ([]store.Listing, error)
	Events(ctx context.Context, q store.GroupQuery) ([]store.EventRow, error)
	Series(ctx context.Context, q store.GroupQuery) ([]store.SeriesRow, error)
	Tags(ctx context.Context, c market.Category) ([]string, error)
	Market(ctx context.Context, name string, in market.Category) (*store.Listing, error)
}

// Handler answers the routes. It is safe for concurrent use.
type Handler struct {
	catalogue func(context.Context) Catalogue
}

// New returns a handler that reads from the catalogue that c says a request is answered from.
func New(c func(context.Context) Catalogue) *Handler { return &Handler{c} }

// Metadata goes with every page.
type Metadata struct {
	Count      int     `json:"count"`
	Limit      int     `json:"limit"`
	NextCursor *string `json:"next_cursor"` // null: the last page
}

// Page is a list's answer.
type Page[T any] struct {
	Data     []T      `json:"data"`
	Metadata Metadata `json:"metadata"`
}

// Token is a token inside a market.
type Token struct {
	ID    string `json:"id"`
	Label string `json:"label"`
}

// MarketItem is a market in a list.
type MarketItem struct {
	ID        string          `json:"id"`
	Slug      string          `json:"slug"`
	Question  string          `json:"question"`
	Status    string          `json:"status"`
	StartDate *market.Instant `json:"start_date"`
	EndDate   *market.Instant `json:"end_date"`
	Tokens    []Token         `json:"tokens"`
	Recorded  *Recorded       `json:"recorded,omitempty"` // only when asked for
}

// Recorded is what the archive has of a market.
type Recorded struct {
	Captures int64         `json:"captures"`
	Coverage stats.Decimal `json:"coverage"` // of its time; 0: no capture lies in it
	Winner   *string       `json:"winner"`   // label of the token that won officially
}

// Market is a market by itself.
type Market struct {
	ID                string          `json:"id"`
	Slug              string          `json:"slug"`
	Question          string          `json:"question"`
	Description       string          `json:"description"`
	Status            string          `json:"status"`
	StartDate         *market.Instant `json:"start_date"`
	EndDate           *market.Instant `json:"end_date"`
	ClosedAt          *market.Instant `json:"closed_at,omitempty"`
	WinningTokenID    *string         `json:"winning_token_id,omitempty"`
	WinningTokenLabel *string         `json:"winning_token_label,omitempty"`
	Tokens            []Token         `json:"tokens"`
	Category          string          `json:"category"`
	EventID           *string         `json:"event_id"`
	EventSlug         *string         `json:"event_slug"`
	SeriesSlug        *string         `json:"series_slug"`
	Tags              []string        `json:"tags"`
	UpdatedAt         *market.Instant `json:"updated_at"`
}

type Series struct {
	ID          string          `json:"id"`
	Slug        string          `json:"slug"`
	Title       string          `json:"title"`
	Recurrence  *string         `json:"recurrence"`
	Category    string          `json:"category"`
	Tags        []string        `json:"tags"`
	MarketCount int64           `json:"market_count"`
	UpdatedAt   *market.Instant `json:"updated_at"`
}

type Event struct {
	ID          string          `json:"id"`
	Slug        string          `json:"slug"`
	Title       string          `json:"title"`
	SeriesID    *string         `json:"series_id"`
	SeriesSlug  *string         `json:"series_slug"`
	Category    string          `json:"category"`
	Status      string          `json:"status"`
	Tags        []string        `json:"tags"`
	StartDate   *market.Instant `json:"start_date"`
	EndDate     *market.Instant `json:"end_date"`
	MarketCount int64           `json:"market_count"`
	UpdatedAt   *market.Instant `json:"updated_at"`
}

// oneSlug returns a list of the slug, or none.
func oneSlug(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

// listing reads the parameters that every list has.
type listing struct {
	*wire.Params
	digest wire.Digest
	limit  int
	page   store.Page
}

func readListing(r *http.Request, sorts ...string) *listing {
	l := &listing{Params: wire.ParamsOf(r)}
	l.limit = Limit(l.Params)
	switch l.Choice("sort", "updated_at", sorts...) {
	case "start_date":
		l.page.Sort = store.ByStart
	case "end_date":
		l.page.Sort = store.ByEnd
	}
	l.page.Ascending = l.Choice("order", "desc", "asc", "desc") == "asc"
	l.page.Limit = l.limit + 1
	return l
}

// Limit reads the limit of a list: 1 to 1000, default 100.
func Limit(p *wire.Params) int {
	return p.Number("limit", 100, 1000, func(string) {
		p.Fail("less_than_equal", "Input should be less than or equal to 1000", "query", "limit")
	})
}

// MaxTags bounds the tags that a list may be filtered by.
const MaxTags = 50

// tags reads the tags filter, repeated or comma-separated, in lower case and
// sorted, at most MaxTags of them, and whether one of them is enough.
func (l *listing) tags() (tags []string, any bool) {
	for _, v := range l.All("tags") {
		if !utf8.ValidString(v) || strings.ContainsRune(v, 0) {
			l.Refuse(wire.BadRequest("tags: expected UTF-8 text"))
		}
		for tag := range strings.SplitSeq(v, ",") {
			if tag = strings.ToLower(strings.TrimSpace(tag)); tag != "" && len(tags) <= MaxTags && !slices.Contains(tags, tag) {
				tags = append(tags, tag)
			}
		}
	}
	if len(tags) > MaxTags || len(l.All("tags")) > MaxTags { // empty ones too
		l.Fail("too_long", fmt.Sprintf("List should have at most %d items", MaxTags), "query", "tags")
		tags = nil
	}
	slices.Sort(tags)
	return tags, l.Choice("tags_match", "all", "all", "any") == "any"
}

// err reads the cursor, which belongs to the list of these filters whatever way
// they are spelled, and returns what is wrong with the parameters.
func (l *listing) err(route string, filters any) error {
	canonical, err := json.Marshal(filters)
	if err != nil {
		return err
	}
	l.digest = wire.DigestOf(route, string(canonical), fmt.Sprint(l.page.Sort, l.page.Ascending))
	if cursor, _ := l.Last("cursor"); cursor != "" {
		key, err := decodeKey(l.digest, cursor)
		if err != nil {
			l.Refuse(err)
		}
		l.page.After = &key
	}
	return l.Params.Err()
}

// dates reads the bounds on start and end. The epoch itself is no date that
// anything here has, so a bound on it is moved aside: zero means none.
func (l *listing) dates() store.Dates {
	bound := func(name string, instead market.Instant) market.Instant {
		t := l.Instant(name, false)
		if v, _ := l.Last(name); t == 0 && v != "" {
			return instead
		}
		return t
	}
	return store.Dates{
		StartMin: bound("start_date_min", 1), StartMax: bound("start_date_max", -1),
		EndMin: bound("end_date_min", 1), EndMax: bound("end_date_max", -1),
	}
}

// pageOf cuts the rows to the page and says where the next one begins.
func pageOf[R, T any](l *listing, rows []R, key func(*R) store.Key, record func(*R) T) Page[T] {
	out := Page[T]{Data: make([]T, 0, min(len(rows), l.limit)), Metadata: Metadata{Limit: l.limit}}
	if len(rows) > l.limit {
		rows = rows[:l.limit]
		next := encodeKey(l.digest, key(&rows[l.limit-1]))
		out.Metadata.NextCursor = &next
	}
	for i := range rows {
		out.Data = append(out.Data, record(&rows[i]))
	}
	out.Metadata.Count = len(out.Data)
	return out
}

// Markets answers GET /v1/markets.
func (h *Handler) Markets(w http.ResponseWriter, r *http.Request) error {
	l := readListing(r, "updated_at", "start_date", "end_date")
	tags, any := l.tags()
	q := store.MarketQuery{
		Search: l.Text("search", 200), Tags: tags, AnyTag: any, Category: l.Category(),
		EventID: l.Text("event_id", 200), EventSlugs: oneSlug(l.Text("event_slug", 200)), SeriesSlugs: oneSlug(l.Text("series_slug", 200)),
		OpenOnly: !l.Flag("include_closed", false), Dates: l.dates(),
	}
	show := marketItemOf
	if l.Flag("recorded", false) {
		show = recordedOf
	}
	if err := l.err("markets", q); err != nil {
		return err
	}
	q.Page = l.page
	rows, err := h.catalogue(r.Context()).Markets(r.Context(), q)
	if err != nil {
		return err
	}
	wire.WriteJSON(w, http.StatusOK, pageOf(l, rows,
		func(row *store.Listing) store.Key { return row.Key(q.Sort) }, show))
	return nil
}

// Events answers GET /v1/events.
func (h *Handler) Events(w http.ResponseWriter, r *http.Request) error {
	l := readListing(r, "updated_at", "start_date", "end_date")
	tags, any := l.tags()
	q := store.GroupQuery{
		Search: l.Text("search", 200), Tags: tags, AnyTag: any, Category: l.Category(),
		SeriesID: l.Text("series_id", 200), SeriesSlug: l.Text("series_slug", 200),
		OpenOnly: !l.Flag("include_closed", true), Dates: l.dates(),
	}
	if err := l.err("events", q); err != nil {
		return err
	}
	q.Page = l.page
	rows, err := h.catalogue(r.Context()).Events(r.Context(), q)
	if err != nil {
		return err
	}
	slugs, err := h.seriesSlugs(r.Context(), rows)
	if err != nil {
		return err
	}
	wire.WriteJSON(w, http.StatusOK, pageOf(l, rows,
		func(row *store.EventRow) store.Key { return row.Key(q.Sort) },
		func(row *store.EventRow) Event { return eventOf(row, slugs[row.Series]) }))
	return nil
}

// seriesSlugs returns the slugs of the series of events.
func (h *Handler) seriesSlugs(ctx context.Context, rows []store.EventRow) (map[store.ID]string, error) {
	slugs := map[store.ID]string{0: ""}
	var ids []store.ID
	for i := range rows {
		if _, ok := slugs[rows[i].Series]; !ok {
			slugs[rows[i].Series] = ""
			ids = append(ids, rows[i].Series)
		}
	}
	if len(ids) == 0 {
		return slugs, nil
	}
	series, err := h.catalogue(ctx).Series(ctx, store.GroupQuery{IDs: ids})
	for i := range series {
		slugs[series[i].ID] = series[i].Series.Slug
	}
	return slugs, err
}

// Series answers GET /v1/series.
func (h *Handler) Series(w http.ResponseWriter, r *http.Request) error {
	l := readListing(r, "updated_at")
	tags, any := l.tags()
	q := store.GroupQuery{
		Search: l.Text("search", 200), Tags: tags, AnyTag: any, Category: l.Category(),
		Dates: l.dates(),
	}
	if err := l.err("series", q); err != nil {
		return err
	}
	q.Page = l.page
	rows, err := h.catalogue(r.Context()).Series(r.Context(), q)
	if err != nil {
		return err
	}
	wire.WriteJSON(w, http.StatusOK, pageOf(l, rows, (*store.SeriesRow).Key, seriesOf))
	return nil
}

// Tags answers GET /v1/tags.
func (h *Handler) Tags(w http.ResponseWriter, r *http.Request) error {
	p := wire.ParamsOf(r)
	category := p.Category()
	if err := p.Err(); err != nil {
		return err
	}
	tags, err := h.catalogue(r.Context()).Tags(r.Context(), category)
	if err != nil {
		return err
	}
	if tags == nil {
		tags = []string{}
	}
	wire.WriteJSON(w, http.StatusOK, struct {
		Count int      `json:"count"`
		Data  []string `json:"data"`
	}{len(tags), tags})
	return nil
}

func tokensOf(m *market.Market) []Token {
	out := make([]Token, len(m.Tokens))
	for i, t := range m.Tokens {
		out[i] = Token{ID: t.VenueID, Label: t.Label}
	}
	return out
}

func marketItemOf(row *store.Listing) MarketItem {
	m := &row.Market
	return MarketItem{
		ID: m.VenueID, Slug: m.Slug, Question: m.Question, Status: row.Status.String(),
		StartDate: m.Start.Known(), EndDate: m.End.Known(), Tokens: tokensOf(m),
	}
}

// recordedOf is marketItemOf with what the archive has of the market.
func recordedOf(row *store.Listing) MarketItem {
	out := marketItemOf(row)
	out.Recorded = &Recorded{Captures: row.Stats.Captures, Coverage: stats.Decimal(row.Stats.Coverage)}
	if t := winnerOf(row); t != nil {
		out.Recorded.Winner = &t.Label
	}
	return out
}

// winnerOf returns the token that won officially; nil: none did.
func winnerOf(row *store.Listing) *market.Token {
	if i := row.Market.Payout.Winner(); row.Status == store.Resolved && i >= 0 {
		return &row.Market.Tokens[i]
	}
	return nil
}

func marketOf(row *store.Listing) Market {
	m := &row.Market
	d := Market{
		ID: m.VenueID, Slug: m.Slug, Question: m.Question, Description: m.Description, Status: row.Status.String(),
		StartDate: m.Start.Known(), EndDate: m.End.Known(), ClosedAt: row.ClosedAt.Known(), Tokens: tokensOf(m),
		Category: string(m.Category), EventID: wire.SomeText(m.EventID), EventSlug: wire.SomeText(row.EventSlug),
		SeriesSlug: wire.SomeText(row.SeriesSlug), Tags: tagsOf(m.Tags), UpdatedAt: row.UpdatedAt.Known(),
	}
	if t := winnerOf(row); t != nil {
		d.WinningTokenID, d.WinningTokenLabel = &t.VenueID, &t.Label
	}
	return d
}

func eventOf(row *store.EventRow, seriesSlug string) Event {
	e := &row.Event
	return Event{
		ID: e.VenueID, Slug: e.Slug, Title: e.Title, SeriesID: wire.SomeText(e.SeriesID), SeriesSlug: wire.SomeText(seriesSlug),
		Category: string(e.Category), Status: row.Status.String(), Tags: tagsOf(e.Tags),
		StartDate: e.Start.Known(), EndDate: e.End.Known(), MarketCount: row.Markets, UpdatedAt: row.UpdatedAt.Known(),
	}
}

func seriesOf(row *store.SeriesRow) Series {
	s := &row.Series
	return Series{
		ID: s.VenueID, Slug: s.Slug, Title: s.Title, Recurrence: wire.SomeText(s.Recurrence), Category: string(s.Category),
		Tags: tagsOf(s.Tags), MarketCount: row.Markets, UpdatedAt: row.UpdatedAt.Known(),
	}
}

// tagsOf returns tags as a list that is never null.
func tagsOf(tags []string) []string {
	if tags == nil {
		return []string{}
	}
	return tags
}

// Market answers GET /v1/markets/{id_or_slug}.
func (h *Handler) Market(w http.ResponseWriter, r *http.Request, id string) error {
	row, err := h.find(r, id)
	if err != nil {
		return err
	}
	wire.WriteJSON(w, http.StatusOK, marketOf(row))
	return nil
}

// find finds the market of the path.
func (h *Handler) find(r *http.Request, id string) (*store.Listing, error) {
	p := wire.ParamsOf(r)
	id = p.Path("id_or_slug", id)
	category := p.Category()
	if err := p.Err(); err != nil {
		return nil, err
	}
	row, err := h.catalogue(r.Context()).Market(r.Context(), id, category)
	if errors.Is(err, store.ErrNotFound) {
		return nil, wire.NotFound("market", id)
	}
	return row, err
}

// GapList is the answer of /v1/markets/{id_or_slug}/gaps.
type GapList struct {
	MarketID string `json:"market_id"`
	Count    int    `json:"count"`
	Data     []Gap  `json:"data"`
}

// Gap is a period [from, to) of a token that a source declared missing.
type Gap struct {
	TokenID string         `json:"token_id"`
	From    market.Instant `json:"from"`
	To      market.Instant `json:"to"`
}

// Gaps answers GET /v1/markets/{id_or_slug}/gaps.
func (h *Handler) Gaps(w http.ResponseWriter, r *http.Request, id string) error {
	row, err := h.find(r, id)
	if err != nil {
		return err
	}
	list := GapList{MarketID: row.Market.VenueID, Count: len(row.Gaps), Data: make([]Gap, len(row.Gaps))}
	for i, g := range row.Gaps {
		list.Data[i] = Gap{row.Market.Tokens[g.Token].VenueID, g.From, g.To}
	}
	wire.WriteJSON(w, http.StatusOK, list)
	return nil
}
