// Package short is how the embedded store writes what a market says in few bytes:
// what most markets have in common is left out or stands in one byte or word.
package short

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// sameSlug stands for a slug that equals the market's id.
const sameSlug = "="

// Slug returns a market's slug as it is stored.
func Slug(m *market.Market) string {
	if m.Slug != "" && m.Slug == m.VenueID {
		return sameSlug
	}
	return SlugAsKept(m.Slug)
}

// SlugAsKept returns the stored form of the slug of a market whose id is another.
func SlugAsKept(slug string) string {
	if strings.HasPrefix(slug, sameSlug) {
		return sameSlug + slug
	}
	return slug
}

// LongSlug is the reverse of shortSlug.
func LongSlug(short, venueID string) string {
	if short == sameSlug {
		return venueID
	}
	return strings.TrimPrefix(short, sameSlug)
}

// Payout is a payout as a word.
func Payout(p *market.Payout) string {
	if p == nil {
		return ""
	}
	return Text([]any{p.Basis, p.Fractions})
}

func readPayout(word []byte) (*market.Payout, error) {
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

// Outcomes is the tokens of a market as a word; empty if they have rows: those
// with an id of their own, blocks or gaps.
func Outcomes(row *store.MarketRow) string {
	m := &row.Market
	if len(m.Tokens) == 0 || len(row.Gaps) > 0 {
		return ""
	}
	out := make([][3]any, len(m.Tokens))
	for i, k := range m.Tokens {
		id := Token(m, k)
		if !k.Derived || !strings.HasPrefix(id, ":") || i < len(row.Keys) && len(row.Keys[i]) > 0 {
			return ""
		}
		out[i] = [3]any{id, k.Label, k.Outcome}
	}
	return Text(out)
}

// readOutcomes is the reverse, without the ids of markets before those of tokens.
func readOutcomes(word []byte) (tokens []market.Token, err error) {
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

// Words reads words that many rows share once each. The zero value is ready to use.
type Words struct {
	payouts  map[string]*market.Payout
	outcomes map[string][]market.Token
	tags     map[string][]string
	texts    map[string]string
}

// maxWords bounds the texts that are shared.
const maxWords = 1024

// Same returns a column that few rows have another text in.
func (w *Words) Same(column []byte) string {
	if len(w.texts) > maxWords {
		clear(w.texts)
	}
	text, _ := once(&w.texts, column, func(b []byte) (string, error) { return string(b), nil })
	return text
}

// Tags reads a column of tags: a slice of its own each time, nil of none.
func (w *Words) Tags(column []byte) ([]string, error) {
	tags, err := once(&w.tags, column, func(b []byte) (tags []string, err error) { return tags, Untext(b, &tags) })
	return slices.Clone(tags), err
}

// Payout is the reverse of the function Payout: a value of its own each time.
func (w *Words) Payout(word []byte) (*market.Payout, error) {
	p, err := once(&w.payouts, word, readPayout)
	if p == nil || err != nil {
		return nil, err
	}
	return &market.Payout{Basis: p.Basis, Fractions: slices.Clone(p.Fractions)}, nil
}

// Outcomes is the reverse of the function Outcomes, without the ids of markets before
// those of tokens: a slice of its own each time.
func (w *Words) Outcomes(word []byte) ([]market.Token, error) {
	tokens, err := once(&w.outcomes, word, readOutcomes)
	return slices.Clone(tokens), err
}

// once returns what a word was read as, or reads it.
func once[T any](of *map[string]T, word []byte, read func([]byte) (T, error)) (v T, err error) {
	v, ok := (*of)[string(word)]
	if ok {
		return v, nil
	}
	if v, err = read(word); err != nil {
		return v, err
	}
	if *of == nil {
		*of = map[string]T{}
	}
	(*of)[string(word)] = v
	return v, nil
}

// Token returns a token's public id as it is stored: of one that was derived
// what follows the id of its market, which begins with a colon.
func Token(m *market.Market, k market.Token) string {
	if rest, ok := strings.CutPrefix(k.VenueID, m.VenueID+":"); ok && k.Derived {
		return ":" + rest
	}
	return k.VenueID
}

// LongToken is the reverse of shortToken.
func LongToken(m *market.Market, k *market.Token) {
	if k.Derived && strings.HasPrefix(k.VenueID, ":") {
		k.VenueID = m.VenueID + k.VenueID
	}
}

// Tags is a list of tags as a column has it.
func Tags(tags []string) string {
	if len(tags) == 0 {
		return "[]"
	}
	return Text(tags)
}

// SheetRows is how many numbers a sheet has: of the rows of one the tables tags and grams have sets.
const SheetRows = 16384

// HasRow reports whether a set of rows of a sheet, as it is stored, has the one of a number: a bit each,
// or numbers within the sheet in order, two bytes each.
func HasRow(set []byte, number int64) bool {
	row := number % SheetRows
	if row < 0 {
		return false
	}
	if len(set) == SheetRows/8 {
		return set[row/8]&(1<<(row%8)) != 0
	}
	at := sort.Search(len(set)/2, func(i int) bool { return int64(binary.LittleEndian.Uint16(set[2*i:])) >= row })
	return at < len(set)/2 && int64(binary.LittleEndian.Uint16(set[2*at:])) == row
}

// IDs writes ids in eight bytes each.
func IDs(ids []store.ID) []byte {
	b := make([]byte, 0, 8*len(ids))
	for _, id := range ids {
		b = binary.BigEndian.AppendUint64(b, uint64(id))
	}
	return b
}

// ReadIDs is the reverse of IDs; nil of nothing.
func ReadIDs(b []byte) []store.ID {
	var ids []store.ID
	for ; len(b) >= 8; b = b[8:] {
		ids = append(ids, store.ID(binary.BigEndian.Uint64(b)))
	}
	return ids
}

// Text is a value in a column of JSON text.
func Text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("sqlite: %T as JSON: %v", v, err)) // plain values only
	}
	return string(b)
}

// Untext is the reverse of Text.
func Untext(b []byte, v any) error {
	if len(b) == 0 || string(b) == "null" || string(b) == "[]" || string(b) == "{}" {
		return nil
	}
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("column of JSON: %w: %w", store.ErrDamaged, err)
	}
	return nil
}
