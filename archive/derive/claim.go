package derive

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// The documents of claims. Their JSON is stored in archives: fields may be
// added, but never renamed or redefined.

// TokenDoc is what a source says about a token.
type TokenDoc struct {
	ID      string         `json:"id,omitempty"` // public id, when the source knows it
	Label   string         `json:"label,omitempty"`
	Outcome market.Outcome `json:"outcome,omitempty"`
	// Key is what the source's blocks of this token are keyed by; zero when it
	// has none.
	Key store.ID `json:"key,omitempty"`
}

// PayoutDoc is what a source says about the payout of a market.
type PayoutDoc struct {
	Basis     market.Basis  `json:"basis"`
	Fractions []market.Cash `json:"fractions"` // one per token
}

// FeesDoc is the fee schedule that a source gives for a market.
type FeesDoc struct {
	Rate      int64 `json:"rate"`
	Exponent  int   `json:"exponent"`
	TakerOnly bool  `json:"taker_only,omitempty"`
}

// GapDoc is a span [From, To) in which a source missed the captures of a token.
type GapDoc struct {
	Token int            `json:"token"` // index in MarketDoc.Tokens
	From  market.Instant `json:"from"`
	To    market.Instant `json:"to"`
}

// MarketDoc is what a source says about a market. A zero field says nothing.
type MarketDoc struct {
	Authority   store.Authority `json:"authority"`
	Venue       market.Venue    `json:"venue"`
	VenueID     string          `json:"venue_id,omitempty"`
	AltID       string          `json:"alt_id,omitempty"`
	Slug        string          `json:"slug,omitempty"`
	Question    string          `json:"question,omitempty"`
	Description string          `json:"description,omitempty"`
	Category    market.Category `json:"category,omitempty"`
	EventID     string          `json:"event_id,omitempty"`
	SeriesID    string          `json:"series_id,omitempty"`
	Tags        []string        `json:"tags,omitempty"`
	Start       Unix            `json:"start,omitempty"`
	End         Unix            `json:"end,omitempty"`
	Closed      bool            `json:"closed,omitempty"`
	ClosedAt    Unix            `json:"closed_at,omitempty"`
	UpdatedAt   Unix            `json:"updated_at,omitempty"`
	Tokens      []TokenDoc      `json:"tokens,omitempty"`
	Mirrored    bool            `json:"mirrored,omitempty"`
	Tick        market.Price    `json:"tick,omitempty"`
	MinSize     market.Size     `json:"min_size,omitempty"`
	Fees        *FeesDoc        `json:"fees,omitempty"`
	Payout      *PayoutDoc      `json:"payout,omitempty"`
	Gaps        []GapDoc        `json:"gaps,omitempty"`
}

// EventDoc is what a source says about an event. A zero field says nothing.
type EventDoc struct {
	Authority store.Authority `json:"authority"`
	Venue     market.Venue    `json:"venue"`
	VenueID   string          `json:"venue_id"`
	Slug      string          `json:"slug,omitempty"`
	Title     string          `json:"title,omitempty"`
	SeriesID  string          `json:"series_id,omitempty"`
	Category  market.Category `json:"category,omitempty"`
	Tags      []string        `json:"tags,omitempty"`
	Start     Unix            `json:"start,omitempty"`
	End       Unix            `json:"end,omitempty"`
	UpdatedAt Unix            `json:"updated_at,omitempty"`
}

// SeriesDoc is what a source says about a series. A zero field says nothing.
type SeriesDoc struct {
	Authority  store.Authority `json:"authority"`
	Venue      market.Venue    `json:"venue"`
	VenueID    string          `json:"venue_id"`
	Slug       string          `json:"slug,omitempty"`
	Title      string          `json:"title,omitempty"`
	Recurrence string          `json:"recurrence,omitempty"`
	Category   market.Category `json:"category,omitempty"`
	Tags       []string        `json:"tags,omitempty"`
	UpdatedAt  Unix            `json:"updated_at,omitempty"`
}

// Unix is an instant encoded as a number of microseconds.
type Unix int64

// ownName is what a source calls a market: its id, else its slug, else its
// alternative id. strong: it is the venue's own id.
func (d *MarketDoc) ownName() (name string, strong bool) {
	switch {
	case d.VenueID != "":
		return d.VenueID, true
	case d.Slug != "":
		return d.Slug, false
	}
	return d.AltID, false
}

// Owner returns the id of the market that the claim is about: that of the
// venue's own id, else one made of the name that the source uses.
func (d *MarketDoc) Owner() store.ID {
	name, strong := d.ownName()
	if strong {
		return store.MarketID(d.Venue, name)
	}
	return store.NameID(d.Venue, name)
}

// TokenKey returns the key of a token's blocks, as the source names it.
func (d *MarketDoc) TokenKey(t *TokenDoc) store.ID {
	if t.ID != "" {
		return store.TokenID(d.Venue, t.ID)
	}
	name, _ := d.ownName()
	return store.TokenID(d.Venue, derivedTokenID(name, t.Outcome, t.Label))
}

// derivedTokenID is the public id of a token that no source gives one for.
func derivedTokenID(marketID string, o market.Outcome, label string) string {
	name := strings.ToLower(strings.Join(strings.Fields(label), "-"))
	if o != market.OutcomeOther {
		name = o.String()
	}
	return marketID + ":" + name
}

// NewMarketDoc returns what m says. Token ids that were derived are left out:
// nobody has stated them.
func NewMarketDoc(a store.Authority, m *market.Market) *MarketDoc {
	d := &MarketDoc{
		Authority: a, Venue: m.Venue, VenueID: m.VenueID, AltID: m.AltID, Slug: m.Slug,
		Question: m.Question, Description: m.Description, Category: m.Category,
		EventID: m.EventID, SeriesID: m.SeriesID, Tags: CleanTags(m.Tags),
		Start: Unix(m.Start), End: Unix(m.End), Closed: m.Closed, ClosedAt: Unix(m.ClosedAt),
		UpdatedAt: Unix(m.UpdatedAt), Mirrored: m.Mirrored, Tick: m.Tick, MinSize: m.MinSize,
	}
	for _, t := range m.Tokens {
		d.Tokens = append(d.Tokens, TokenDoc{ID: t.VenueID, Label: t.Label, Outcome: t.Outcome})
		if t.Derived {
			d.Tokens[len(d.Tokens)-1].ID = ""
		}
	}
	if m.Fees != nil {
		d.Fees = &FeesDoc{m.Fees.Rate, m.Fees.Exponent, m.Fees.TakerOnly}
	}
	if m.Payout != nil {
		d.Payout = &PayoutDoc{m.Payout.Basis, slices.Clone(m.Payout.Fractions)}
	}
	return d
}

// Add overwrites the fields of d with the nonzero fields of now. The tokens of
// now must have been added to d before.
func (d *MarketDoc) Add(now *MarketDoc) {
	setIf(&d.VenueID, now.VenueID)
	setIf(&d.AltID, now.AltID)
	setIf(&d.Slug, now.Slug)
	setIf(&d.Question, now.Question)
	setIf(&d.Description, now.Description)
	setIf(&d.Category, now.Category)
	setIf(&d.EventID, now.EventID)
	setIf(&d.SeriesID, now.SeriesID)
	setIf(&d.Start, now.Start)
	setIf(&d.End, now.End)
	setIf(&d.Closed, now.Closed)
	setIf(&d.ClosedAt, now.ClosedAt)
	setIf(&d.UpdatedAt, now.UpdatedAt)
	setIf(&d.Mirrored, now.Mirrored)
	setIf(&d.Tick, now.Tick)
	setIf(&d.MinSize, now.MinSize)
	setIf(&d.Fees, now.Fees)
	if len(now.Tags) > 0 {
		d.Tags = now.Tags
	}
}

func setIf[T comparable](dst *T, v T) {
	var zero T
	if v != zero {
		*dst = v
	}
}

// Token returns the index of the token that t describes, adding it if
// necessary.
func (d *MarketDoc) Token(t TokenDoc) int {
	for i := range d.Tokens {
		u := &d.Tokens[i]
		same := t.ID != "" && u.ID == t.ID
		if t.ID == "" || u.ID == "" {
			same = t.Outcome != market.OutcomeOther && u.Outcome == t.Outcome ||
				t.Label != "" && strings.EqualFold(u.Label, t.Label)
		}
		if same {
			setIf(&u.ID, t.ID)
			setIf(&u.Label, t.Label)
			setIf(&u.Outcome, t.Outcome)
			return i
		}
	}
	d.Tokens = append(d.Tokens, t)
	return len(d.Tokens) - 1
}

// CleanTags returns tags in lower case, sorted, without duplicates or empty
// ones.
func CleanTags(tags []string) []string {
	var out []string
	for _, t := range tags {
		if t = strings.ToLower(strings.TrimSpace(t)); t != "" {
			out = append(out, t)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Encode returns a document as it is stored in [store.Claim]. It panics if d
// cannot be written as JSON.
func Encode(d any) []byte {
	b, err := json.Marshal(d)
	if err != nil {
		panic(fmt.Sprintf("archive: document of a claim: %v", err)) // plain structs: cannot fail
	}
	return b
}

// Decode reads the document of a claim. An unreadable one is
// [store.ErrDamaged].
func Decode[T any](c *store.Claim) (*T, error) {
	d := new(T)
	doc, err := store.PlainDoc(c.Doc)
	if err != nil {
		return nil, err
	}
	if m, ok := any(d).(*MarketDoc); ok {
		if m.quick(doc) {
			return d, nil
		}
		d = new(T)
	}
	if err := json.Unmarshal(doc, d); err != nil {
		return nil, fmt.Errorf("claim of a source: %w: %w", store.ErrDamaged, err)
	}
	return d, nil
}

// Names returns the names that a source gives a market.
func (d *MarketDoc) Names() []store.Name {
	var out []store.Name
	for _, n := range []string{d.VenueID, d.Slug, d.AltID} {
		if n != "" {
			out = append(out, store.Name{Venue: d.Venue, Text: n})
		}
	}
	return out
}

// Doc is what one source says about one series, event or market: a *SeriesDoc,
// *EventDoc or *MarketDoc.
type Doc struct {
	Kind  store.ClaimKind
	Owner store.ID
	Says  any
}

// Read returns the document of a claim. An unreadable one is ErrDamaged.
func Read(c *store.Claim) (Doc, error) {
	d := Doc{Kind: c.Kind, Owner: c.Owner}
	var err error
	switch c.Kind {
	case store.MarketClaim:
		d.Says, err = Decode[MarketDoc](c)
	case store.EventClaim:
		d.Says, err = Decode[EventDoc](c)
	default:
		d.Says, err = Decode[SeriesDoc](c)
	}
	return d, err
}
