package listing

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/ladderback/ladderback/archive/care"
	"github.com/ladderback/ladderback/archive/history"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

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
	Words    []Word          `json:"winner_by_source,omitempty"` // where sources disagree
}

// Word is what a source says of the winner.
type Word struct {
	Source string       `json:"source"`
	Basis  market.Basis `json:"basis"`
	Winner string       `json:"winning_token_label"` // empty: none
}

// Disagreement is what sources say of the winner of a market, nil if they all say the same.
func Disagreement(said []care.Word, m *market.Market) []Word {
	out := make([]Word, len(said))
	disagree := false
	for i, w := range said {
		out[i] = Word{Source: w.Source, Basis: w.Basis}
		if won := w.Winner(); won >= 0 {
			out[i].Winner = m.Tokens[won].Label
		}
		disagree = disagree || out[i].Winner != out[0].Winner
	}
	if !disagree {
		return nil
	}
	return out
}

type tokenRecord struct {
	ID    string      `json:"id"`
	Label string      `json:"label"`
	Pays  json.Number `json:"pays,omitempty"`
}

func marketRecordOf(row *store.Listing) marketRecord {
	m, s := &row.Market, &row.Stats
	r := marketRecord{
		Slug: m.Slug, ID: m.VenueID, Question: m.Question, Category: m.Category, Coin: m.Coin, Type: m.Type,
		Start: m.Start.Known(), End: m.End.Known(), Status: row.Status.String(),
		Captures: s.Captures, First: s.First.Known(), Last: s.Last.Known(),
	}
	if i := m.Payout.Winner(); i >= 0 {
		r.Winner, r.Basis = m.Tokens[i].Label, m.Payout.Basis
	}
	if m.IsUpDown() && s.Captures > 0 {
		r.Coverage = json.Number(market.Cash(s.Coverage).String())
	}
	return r
}

// endOf is when a market ends: without the day where it is that of the start.
func endOf(r *marketRecord) string {
	if r.Start != nil && r.End != nil && *r.Start/market.Day == *r.End/market.Day {
		return r.End.Time().Format("15:04")
	}
	return minuteOf(r.End)
}

func minuteOf(t *market.Instant) string {
	if t == nil {
		return ""
	}
	return ToMinute(*t)
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

// MarketDocument is all that is known about a market, as a document; words is what sources
// say of its winner, where they disagree.
func MarketDocument(row *store.Listing, words []Word) any { return wholeRecordOf(row, words) }

func wholeRecordOf(row *store.Listing, words []Word) *marketRecord {
	m := &row.Market
	r := marketRecordOf(row)
	r.Words = words
	r.Venue, r.AltID, r.Event, r.Series, r.Tags = m.Venue, m.AltID, row.EventSlug, row.SeriesSlug, m.Tags
	r.ClosedAt, r.Updated, r.Gaps = row.ClosedAt.Known(), row.UpdatedAt.Known(), len(row.Gaps)
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
	return &r
}

// Market writes a line for each thing that is known of a market.
func Market(w io.Writer, row *store.Listing, words []Word) {
	r := wholeRecordOf(row, words)
	fmt.Fprintln(w, r.Question)
	t := NewTable(w)
	add := func(name, value string) {
		if value != "" {
			t.AppendRow([]any{name, value})
		}
	}
	instant := func(t *market.Instant) string {
		if t == nil {
			return ""
		}
		return ToSecond(*t)
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
	captures := Grouped(r.Captures)
	if r.First != nil {
		captures += ", " + instant(r.First) + " to " + instant(r.Last) + " UTC"
	}
	if covered := coveredText(row); covered != "" {
		captures += ", " + covered + " covered"
	}
	add("captures", captures)
	if r.Gaps > 0 {
		add("gaps declared", Grouped(int64(r.Gaps)))
	}
	add("content", r.Content)
	t.Render()
}

// Markets writes a line a market.
func Markets(w io.Writer, rows []store.Listing) {
	t := NewTable(w, "market", "starts (UTC)", "ends", "status", "winner", "captures")
	NumbersRight(t, 6)
	inferred := false
	for i := range rows {
		r := marketRecordOf(&rows[i])
		winner := r.Winner
		if winner != "" && r.Basis != market.Official {
			winner, inferred = winner+"*", true
		}
		t.AppendRow([]any{r.Slug, minuteOf(r.Start), endOf(&r), r.Status, winner, Grouped(r.Captures)})
	}
	t.Render()
	if inferred {
		fmt.Fprintln(w, "* inferred by a source; the official outcome is not known")
	}
}

// MarketsDocument is what Markets writes, as a document; more is set where there are more.
func MarketsDocument(rows []store.Listing, more bool) any {
	records := []marketRecord{}
	for i := range rows {
		records = append(records, marketRecordOf(&rows[i]))
	}
	return struct {
		Count int            `json:"count"`
		More  bool           `json:"more"`
		Data  []marketRecord `json:"data"`
	}{len(rows), more, records}
}
