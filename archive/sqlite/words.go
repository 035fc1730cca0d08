package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// What most markets have in common is stored once: names of venues, payouts, and
// tokens of which only the label is known.

// word returns the number of a text, storing it if it is new; 0 for the empty text.
func (t *tx) word(ctx context.Context, of string) (id int64, err error) {
	if of == "" {
		return 0, nil
	}
	if id, ok := t.words[of]; ok {
		return id, nil
	}
	scan := func(r *sql.Rows) error { return r.Scan(&id) }
	if err = t.each(ctx, `SELECT id FROM words WHERE text = ?`, []any{of}, scan); err == nil && id == 0 {
		err = t.each(ctx, `INSERT INTO words (text) VALUES (?) RETURNING id`, []any{of}, scan)
	}
	if err != nil {
		return 0, err
	}
	if t.words == nil || len(t.words) > 1000 {
		t.words = map[string]int64{}
	}
	t.words[of] = id
	return id, nil
}

func (t *tx) putVenue(ctx context.Context, v market.Venue) error {
	if t.venues[v] {
		return nil
	}
	if err := t.exec(ctx, `INSERT OR IGNORE INTO venues (name) VALUES (?)`, string(v)); err != nil {
		return err
	}
	if t.venues == nil {
		t.venues = map[market.Venue]bool{}
	}
	t.venues[v] = true
	return nil
}

// letters stand for the venues that are known. The name of another is kept as it is,
// or behind an equals sign where it is one of these.
var letters = map[market.Venue]string{market.Polymarket: "p", market.PolymarketUS: "u", market.Simulated: "s"}

func shortVenue(v market.Venue) string {
	if short := letters[v]; short != "" {
		return short
	}
	if len(v) == 1 || strings.HasPrefix(string(v), sameSlug) {
		return sameSlug + string(v)
	}
	return string(v)
}

// longVenue is the reverse of shortVenue.
func longVenue(short string) market.Venue {
	for v, letter := range letters {
		if short == letter {
			return v
		}
	}
	return market.Venue(strings.TrimPrefix(short, sameSlug))
}

// phrases are what questions of venues are made of. In a question that is stored, a
// byte below a space stands for the phrase at that place, from 1 on. They are part of
// the format: others can be added behind, up to 30.
var phrases = []string{
	"Will the total in ", " be more than ", " record at least ", " hits + runs + RBIs in ", " total bases in ", " home runs in ",
	" hits in ", " pitching strikeouts in ", " outs recorded in ", " allowed in ", " cover ", "Who will win in the upcoming ",
	" event ", " vs. ", " vs the ", " vs ", "Will the ", "Will ", " win ", " wins ", "table-tennis", " in ", " the ", " of ",
	"Bitcoin Up or Down - ", "Ethereum Up or Down - ", "Solana Up or Down - ", "XRP Up or Down - ",
}

// plainQuestion begins a question that is stored as it is.
const plainQuestion = 31

var phraseCodes = func() *strings.Replacer {
	var pairs []string
	for i, p := range phrases {
		pairs = append(pairs, p, string(rune(i+1)))
	}
	return strings.NewReplacer(pairs...)
}()

// shortQuestion returns a question as it is stored.
func shortQuestion(q string) string {
	if strings.ContainsFunc(q, func(r rune) bool { return r < ' ' }) {
		return string(rune(plainQuestion)) + q
	}
	return phraseCodes.Replace(q)
}

// longQuestion is the reverse of shortQuestion.
func longQuestion(short string) string {
	if short != "" && short[0] == plainQuestion {
		return short[1:]
	}
	var b strings.Builder
	b.Grow(2 * len(short))
	for i := range len(short) {
		if c := short[i]; c < ' ' && c > 0 && int(c) <= len(phrases) {
			b.WriteString(phrases[c-1])
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// sameSlug stands for a slug that equals the market's id.
const sameSlug = "="

// shortSlug returns a market's slug as it is stored.
func shortSlug(m *market.Market) string {
	if m.Slug != "" && m.Slug == m.VenueID {
		return sameSlug
	}
	return slugAsKept(m.Slug)
}

// slugAsKept returns the stored form of the slug of a market whose id is another.
func slugAsKept(slug string) string {
	if strings.HasPrefix(slug, sameSlug) {
		return sameSlug + slug
	}
	return slug
}

// longSlug is the reverse of shortSlug.
func longSlug(short, venueID string) string {
	if short == sameSlug {
		return venueID
	}
	return strings.TrimPrefix(short, sameSlug)
}

// payoutText is a payout as a word.
func payoutText(p *market.Payout) string {
	if p == nil {
		return ""
	}
	return text([]any{p.Basis, p.Fractions})
}

func payoutOf(word []byte) (*market.Payout, error) {
	if len(word) == 0 {
		return nil, nil
	}
	var of [2]json.RawMessage
	p := &market.Payout{}
	err := json.Unmarshal(word, &of)
	if err == nil {
		err = errors.Join(json.Unmarshal(of[0], &p.Basis), json.Unmarshal(of[1], &p.Fractions))
	}
	if err != nil {
		return nil, fmt.Errorf("payout: %w: %w", store.ErrDamaged, err)
	}
	return p, nil
}

// outcomesText is the tokens of a market as a word; empty if they have rows: those
// with an id of their own, blocks or gaps.
func outcomesText(row *store.MarketRow) string {
	m := &row.Market
	if len(m.Tokens) == 0 || len(row.Gaps) > 0 {
		return ""
	}
	out := make([][3]any, len(m.Tokens))
	for i, k := range m.Tokens {
		id := shortToken(m, k)
		if !k.Derived || !strings.HasPrefix(id, ":") || i < len(row.Keys) && len(row.Keys[i]) > 0 {
			return ""
		}
		out[i] = [3]any{id, k.Label, k.Outcome}
	}
	return text(out)
}

// outcomesOf is the reverse, without the ids of markets before those of tokens.
func outcomesOf(word []byte) (tokens []market.Token, err error) {
	var of [][3]json.RawMessage
	err = json.Unmarshal(word, &of)
	for i := range of {
		k := market.Token{Derived: true}
		err = errors.Join(err, json.Unmarshal(of[i][0], &k.VenueID), json.Unmarshal(of[i][1], &k.Label), json.Unmarshal(of[i][2], &k.Outcome))
		tokens = append(tokens, k)
	}
	if err != nil {
		return nil, fmt.Errorf("tokens of a market: %w: %w", store.ErrDamaged, err)
	}
	return tokens, nil
}
