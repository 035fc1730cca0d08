package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ladderback/ladderback/api/history"
	"github.com/ladderback/ladderback/api/wire"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/market"
)

// Catalogue is what the data routes read from. *archive.Archive implements it.
type Catalogue interface {
	history.Catalogue
	Markets(ctx context.Context, q store.MarketQuery) ([]store.Listing, error)
	Events(ctx context.Context, q store.GroupQuery) ([]store.EventRow, error)
	Series(ctx context.Context, q store.GroupQuery) ([]store.SeriesRow, error)
	Tags(ctx context.Context, c market.Category) ([]string, error)
	Days(ctx context.Context, c market.Category) ([]store.Day, error)
}

// metadata goes with every page.
type metadata struct {
	Count      int     `json:"count"`
	Limit      int     `json:"limit"`
	NextCursor *string `json:"next_cursor"` // null: the last page
}

// page is a list's answer.
type page[T any] struct {
	Data     []T      `json:"data"`
	Metadata metadata `json:"metadata"`
}

// tokenRecord is a token inside a market.
type tokenRecord struct {
	ID    string `json:"id"`
	Label string `json:"label"`
}

// marketItem is a market in a list.
type marketItem struct {
	ID        string        `json:"id"`
	Slug      string        `json:"slug"`
	Question  string        `json:"question"`
	Status    string        `json:"status"`
	StartDate *stamp        `json:"start_date"`
	EndDate   *stamp        `json:"end_date"`
	Tokens    []tokenRecord `json:"tokens"`
	Recorded  *recorded     `json:"recorded,omitempty"` // only when asked for
}

// recorded is what the archive has of a market.
type recorded struct {
	Captures int64         `json:"captures"`
	Coverage stats.Decimal `json:"coverage"` // of its time; 0: no capture lies in it
	Winner   *string       `json:"winner"`   // label of the token that won officially
}

// marketDetail is a market by itself.
type marketDetail struct {
	ID                string        `json:"id"`
	Slug              string        `json:"slug"`
	Question          string        `json:"question"`
	Description       string        `json:"description"`
	Status            string        `json:"status"`
	StartDate         *stamp        `json:"start_date"`
	EndDate           *stamp        `json:"end_date"`
	ClosedAt          *stamp        `json:"closed_at,omitempty"`
	WinningTokenID    *string       `json:"winning_token_id,omitempty"`
	WinningTokenLabel *string       `json:"winning_token_label,omitempty"`
	Tokens            []tokenRecord `json:"tokens"`
	Category          string        `json:"category"`
	EventID           *string       `json:"event_id"`
	EventSlug         *string       `json:"event_slug"`
	SeriesSlug        *string       `json:"series_slug"`
	Tags              []string      `json:"tags"`
	UpdatedAt         *stamp        `json:"updated_at"`
}

type seriesRecord struct {
	ID          string   `json:"id"`
	Slug        string   `json:"slug"`
	Title       string   `json:"title"`
	Recurrence  *string  `json:"recurrence"`
	Category    string   `json:"category"`
	Tags        []string `json:"tags"`
	MarketCount int64    `json:"market_count"`
	UpdatedAt   *stamp   `json:"updated_at"`
}

type eventRecord struct {
	ID          string   `json:"id"`
	Slug        string   `json:"slug"`
	Title       string   `json:"title"`
	SeriesID    *string  `json:"series_id"`
	SeriesSlug  *string  `json:"series_slug"`
	Category    string   `json:"category"`
	Status      string   `json:"status"`
	Tags        []string `json:"tags"`
	StartDate   *stamp   `json:"start_date"`
	EndDate     *stamp   `json:"end_date"`
	MarketCount int64    `json:"market_count"`
	UpdatedAt   *stamp   `json:"updated_at"`
}

// stamp is an instant as answers write it.
type stamp = market.Instant

// some returns nil for what is not known.
func someTime(t market.Instant) *stamp {
	if t == 0 {
		return nil
	}
	return &t
}

// oneSlug returns a list of the slug, or none.
func oneSlug(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

func someText(s string) *string {
	if s == "" {
		return nil
	}
	return &s
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
	l.limit = l.listLimit()
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

// listLimit reads the limit of a list: 1 to 1000, default 100.
func (l *listing) listLimit() int {
	return l.Number("limit", 100, 1000, func(string) {
		l.Fail("less_than_equal", "Input should be less than or equal to 1000", "query", "limit")
	})
}

// maxTags bounds the tags that a list may be filtered by.
const maxTags = 50

// tags reads the tags filter, repeated or comma-separated, in lower case and
// sorted, at most maxTags of them, and whether one of them is enough.
func (l *listing) tags() (tags []string, any bool) {
	for _, v := range l.All("tags") {
		if !utf8.ValidString(v) || strings.ContainsRune(v, 0) {
			l.Refuse(wire.BadRequest("tags: expected UTF-8 text"))
		}
		for tag := range strings.SplitSeq(v, ",") {
			if tag = strings.ToLower(strings.TrimSpace(tag)); tag != "" && len(tags) <= maxTags && !slices.Contains(tags, tag) {
				tags = append(tags, tag)
			}
		}
	}
	if len(tags) > maxTags || len(l.All("tags")) > maxTags { // empty ones too
		l.Fail("too_long", fmt.Sprintf("List should have at most %d items", maxTags), "query", "tags")
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
func pageOf[R, T any](l *listing, rows []R, key func(*R) store.Key, record func(*R) T) page[T] {
	out := page[T]{Data: make([]T, 0, min(len(rows), l.limit)), Metadata: metadata{Limit: l.limit}}
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

func (s *Server) listMarkets(w http.ResponseWriter, r *http.Request) error {
	l := readListing(r, "updated_at", "start_date", "end_date")
	tags, any := l.tags()
	q := store.MarketQuery{
		Search: l.Text("search", 200), Tags: tags, AnyTag: any, Category: l.Category(),
		EventID: l.Text("event_id", 200), EventSlugs: oneSlug(l.Text("event_slug", 200)), SeriesSlugs: oneSlug(l.Text("series_slug", 200)),
		OpenOnly: !l.Flag("include_closed", false), Dates: l.dates(),
	}
	show := marketItemOf
	if l.Flag("recorded", false) {
		show = recordedItemOf
	}
	if err := l.err("markets", q); err != nil {
		return err
	}
	q.Page = l.page
	rows, err := s.catalogue.Markets(r.Context(), q)
	if err != nil {
		return err
	}
	wire.WriteJSON(w, http.StatusOK, pageOf(l, rows,
		func(row *store.Listing) store.Key { return row.Key(q.Sort) }, show))
	return nil
}

func (s *Server) listEvents(w http.ResponseWriter, r *http.Request) error {
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
	rows, err := s.catalogue.Events(r.Context(), q)
	if err != nil {
		return err
	}
	slugs, err := s.seriesSlugs(r.Context(), rows)
	if err != nil {
		return err
	}
	wire.WriteJSON(w, http.StatusOK, pageOf(l, rows,
		func(row *store.EventRow) store.Key { return row.Key(q.Sort) },
		func(row *store.EventRow) eventRecord { return eventRecordOf(row, slugs[row.Series]) }))
	return nil
}

// seriesSlugs returns the slugs of the series of events.
func (s *Server) seriesSlugs(ctx context.Context, rows []store.EventRow) (map[store.ID]string, error) {
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
	series, err := s.catalogue.Series(ctx, store.GroupQuery{IDs: ids})
	for i := range series {
		slugs[series[i].ID] = series[i].Series.Slug
	}
	return slugs, err
}

func (s *Server) listSeries(w http.ResponseWriter, r *http.Request) error {
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
	rows, err := s.catalogue.Series(r.Context(), q)
	if err != nil {
		return err
	}
	wire.WriteJSON(w, http.StatusOK, pageOf(l, rows, (*store.SeriesRow).Key, seriesRecordOf))
	return nil
}

func (s *Server) listTags(w http.ResponseWriter, r *http.Request) error {
	p := wire.ParamsOf(r)
	category := p.Category()
	if err := p.Err(); err != nil {
		return err
	}
	tags, err := s.catalogue.Tags(r.Context(), category)
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

func tokenRecords(m *market.Market) []tokenRecord {
	out := make([]tokenRecord, len(m.Tokens))
	for i, t := range m.Tokens {
		out[i] = tokenRecord{ID: t.VenueID, Label: t.Label}
	}
	return out
}

func marketItemOf(row *store.Listing) marketItem {
	m := &row.Market
	return marketItem{
		ID: m.VenueID, Slug: m.Slug, Question: m.Question, Status: row.Status.String(),
		StartDate: someTime(m.Start), EndDate: someTime(m.End), Tokens: tokenRecords(m),
	}
}

// recordedItemOf is marketItemOf with what the archive has of the market.
func recordedItemOf(row *store.Listing) marketItem {
	out := marketItemOf(row)
	out.Recorded = &recorded{Captures: row.Stats.Captures, Coverage: stats.Decimal(row.Stats.Coverage)}
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

func marketDetailOf(row *store.Listing) marketDetail {
	m := &row.Market
	d := marketDetail{
		ID: m.VenueID, Slug: m.Slug, Question: m.Question, Description: m.Description, Status: row.Status.String(),
		StartDate: someTime(m.Start), EndDate: someTime(m.End), ClosedAt: someTime(row.ClosedAt), Tokens: tokenRecords(m),
		Category: string(m.Category), EventID: someText(m.EventID), EventSlug: someText(row.EventSlug),
		SeriesSlug: someText(row.SeriesSlug), Tags: tagsOf(m.Tags), UpdatedAt: someTime(row.UpdatedAt),
	}
	if t := winnerOf(row); t != nil {
		d.WinningTokenID, d.WinningTokenLabel = &t.VenueID, &t.Label
	}
	return d
}

func eventRecordOf(row *store.EventRow, seriesSlug string) eventRecord {
	e := &row.Event
	return eventRecord{
		ID: e.VenueID, Slug: e.Slug, Title: e.Title, SeriesID: someText(e.SeriesID), SeriesSlug: someText(seriesSlug),
		Category: string(e.Category), Status: row.Status.String(), Tags: tagsOf(e.Tags),
		StartDate: someTime(e.Start), EndDate: someTime(e.End), MarketCount: row.Markets, UpdatedAt: someTime(row.UpdatedAt),
	}
}

func seriesRecordOf(row *store.SeriesRow) seriesRecord {
	s := &row.Series
	return seriesRecord{
		ID: s.VenueID, Slug: s.Slug, Title: s.Title, Recurrence: someText(s.Recurrence), Category: string(s.Category),
		Tags: tagsOf(s.Tags), MarketCount: row.Markets, UpdatedAt: someTime(row.UpdatedAt),
	}
}

// tagsOf returns tags as a list that is never null.
func tagsOf(tags []string) []string {
	if tags == nil {
		return []string{}
	}
	return tags
}
