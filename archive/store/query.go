package store

import "github.com/ladderback/ladderback/market"

// Sort is the field that a list is ordered by.
type Sort uint8

// Fields to sort by.
const (
	ByUpdatedAt Sort = iota
	ByStart
	ByEnd
)

// Key is a position in an ordered list: the value sorted by, then the public id
// in byte order, then the venue.
type Key struct {
	Value   market.Instant
	VenueID string
	Venue   market.Venue
}

// Page selects part of an ordered list.
type Page struct {
	Sort      Sort
	Ascending bool
	After     *Key // nil: from the start
	Limit     int  // zero: all
}

// Dates bounds start and end, all inclusive; zero: no bound. A row whose date
// is unknown satisfies no bound on it.
type Dates struct {
	StartMin, StartMax market.Instant
	EndMin, EndMax     market.Instant
}

// Any reports whether there is a bound.
func (d Dates) Any() bool { return d != Dates{} }

// MarketQuery selects markets. Zero fields are ignored; all others must match.
// Markets without a category are never returned unless Unlisted is set.
type MarketQuery struct {
	IDs    []ID   // any of these
	Name   string // VenueID, slug or AltID
	Names  []Name // any of these, as VenueID, slug or AltID
	Venue  market.Venue
	Search string // in question or slug, ignoring case
	Tags   []string
	AnyTag bool // one of Tags is enough

	Category market.Category
	Events   []ID   // in any of these events
	Series   []ID   // in any of these series
	EventID  string // public id of its event
	// EventSlugs and SeriesSlugs select by the slug of the event or series: any
	// of these.
	EventSlugs  []string
	SeriesSlugs []string
	Coin, Type  string
	UpDown      bool // up/down rounds only
	OpenOnly    bool
	Unlisted    bool
	Disputed    bool // sources contradict each other on the payout
	// Damaged also returns rows that differ from their checksum, marked as
	// damaged, so that they can be repaired or reported. Otherwise selecting
	// such a row is ErrDamaged.
	Damaged bool

	Dates
	// EndFrom and EndTo bound the end: EndFrom ≤ End < EndTo. Zero: no bound.
	EndFrom, EndTo market.Instant
	// Closing: open markets whose known end is at or before this. Reopening:
	// markets not open whose known end is after it.
	Closing, Reopening market.Instant

	Page
}

// Name is a venue's name for a market.
type Name struct {
	Venue market.Venue
	Text  string
}

// GroupQuery selects events or series. Zero fields are ignored; all others must
// match.
type GroupQuery struct {
	IDs      []ID   // any of these
	Slugs    []Name // any of these
	Search   string // in title or slug
	Tags     []string
	AnyTag   bool
	Category market.Category
	// SeriesID and SeriesSlug select events of a series by its public id or slug.
	SeriesID   string
	SeriesSlug string
	OpenOnly   bool // events only
	Several    bool // events only: not those of one market, by their rows
	Dates           // of the event; a series matches if one of its markets does
	Page
}
