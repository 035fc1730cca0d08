package market

import "slices"

// Category is a section of the exchange: crypto or sports.
type Category string

// The categories that an archive holds.
const (
	Crypto Category = "crypto"
	Sports Category = "sports"
)

// Valid reports whether c is one of the categories.
func (c Category) Valid() bool { return c == Crypto || c == Sports }

// Venue is the exchange that a market is listed on, in lower case, as written
// in scoped ids and in the fee table.
type Venue string

// The venues with rules of their own. Other venues are allowed.
const (
	Polymarket   Venue = "polymarket"
	PolymarketUS Venue = "polymarket-us"
	Kalshi       Venue = "kalshi"
	Simulated    Venue = "simulated" // made by archive/simulate; Polymarket's rules
)

// Outcome says which side of an up/down market a token stands for.
type Outcome uint8

// Outcomes. Tokens of markets other than up/down markets have OutcomeOther.
const (
	OutcomeOther Outcome = iota
	Up
	Down
)

// String returns "up", "down" or "other".
func (o Outcome) String() string {
	switch o {
	case Up:
		return "up"
	case Down:
		return "down"
	}
	return "other"
}

// Opposite returns Down for Up, Up for Down, and OutcomeOther for itself.
func (o Outcome) Opposite() Outcome {
	switch o {
	case Up:
		return Down
	case Down:
		return Up
	}
	return OutcomeOther
}

// Series groups recurring events, such as every 5-minute round on Bitcoin.
type Series struct {
	Venue      Venue
	VenueID    string // the venue's id; the slug where the venue gives none
	Slug       string
	Title      string
	Recurrence string // "5m", "15m", "1h", …; empty when not recurring
	Category   Category
	Tags       []string // lower case, sorted, unique
	UpdatedAt  Instant  // zero: unknown
}

// Event groups the markets of one occasion, such as one round.
type Event struct {
	Venue     Venue
	VenueID   string
	Slug      string
	Title     string
	SeriesID  string // VenueID of its series; empty when it has none
	Category  Category
	Tags      []string // lower case, sorted, unique
	Start     Instant  // zero: unknown
	End       Instant  // zero: unknown
	UpdatedAt Instant  // zero: unknown
}

// Market is one question that the exchange lists, with one token per outcome.
type Market struct {
	Venue       Venue
	VenueID     string // public id: the condition id; the slug where there is none
	AltID       string // another id it is known by (Gamma's number); empty: none
	Slug        string
	Question    string
	Description string // empty: none known
	Category    Category
	EventID     string   // VenueID of its event; empty when it has none
	SeriesID    string   // VenueID of its series; empty when it has none
	Tags        []string // lower case, sorted, unique

	// Coin (upper-case ticker, "BTC") and Type ("5m", "15m", "1h", "4h", "1d"
	// or another length) are empty when this is not an up/down market.
	Coin string
	Type string

	Start Instant // start of the round, not of the listing; zero: unknown
	End   Instant // end of the round, exclusive; zero: unknown

	Closed    bool    // the source says it is closed
	ClosedAt  Instant // when it was closed, according to the source; zero: not stated
	UpdatedAt Instant // the source's own update time; zero: not said

	// Tokens in market order: Up before Down for up/down markets, else as the
	// source lists them.
	Tokens []Token
	// Mirrored: the two tokens' books are one book (bid p of one = ask 1−p of
	// the other, same size). Only markets of exactly two tokens are mirrored.
	Mirrored bool

	Tick    Price        // smallest price step as listed; zero: unknown
	MinSize Size         // smallest order; zero: unknown
	Fees    *FeeSchedule // the market's own schedule; nil: the venue's dated table
	Payout  *Payout      // nil: undecided, or the sources contradict each other
}

// IsUpDown reports whether m is an up/down round that a strategy can trade.
func (m *Market) IsUpDown() bool { return m.Coin != "" && m.Type != "" }

// TokenIndex returns the index in m.Tokens of the token with the given
// outcome, or −1.
func (m *Market) TokenIndex(o Outcome) int {
	return slices.IndexFunc(m.Tokens, func(t Token) bool { return t.Outcome == o })
}

// Token is one outcome of a market, which can be bought and sold.
type Token struct {
	VenueID string // public id: the exchange's token id; "<market id>:up" and the like where no source gives one
	Label   string // "Up", "Down", "Yes", a team, …
	Outcome Outcome
	Derived bool // VenueID is derived: no source has given one yet
}

// Basis is how a payout is known.
type Basis string

// Bases of a payout. Only official payouts count unless asked otherwise.
const (
	Official Basis = "official" // the exchange said so
	Inferred Basis = "inferred" // inferred by a source, for instance from the last quotes
)

// Payout is what one share of each token pays once the market is decided.
type Payout struct {
	Basis Basis
	// Fractions holds USD per share in units of 1e-6 (CashOne = 1 USD), one per
	// token in market order, each in [0, CashOne].
	Fractions []Cash
}

// Decided returns the basis of the market's payout; empty: it has none, or one that
// does not say what each token pays, and cannot be replayed.
func (m *Market) Decided() Basis {
	p := m.Payout
	if p == nil || len(p.Fractions) != len(m.Tokens) || p.Basis != Official && p.Basis != Inferred {
		return ""
	}
	return p.Basis
}

// Winner returns the index of the token that pays exactly 1, or −1 when the
// payout is split or void.
func (p *Payout) Winner() int {
	if p == nil {
		return -1
	}
	return slices.Index(p.Fractions, CashOne)
}

// FeeSchedule is a market's own taker fee: Σ shares × Rate × (p(1−p))^Exponent.
type FeeSchedule struct {
	Rate      int64 // in units of 1e-6
	Exponent  int   // ≥ 0
	TakerOnly bool
}

// Gap is a period [From, To) that the source itself declares missing. Silence,
// a reconnection or the end of a file is not a gap.
type Gap struct {
	From, To Instant
}
