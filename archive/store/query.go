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

// Key is a place in an ordered list: the value sorted by, then the public id in
// byte order, then the venue.
type Key struct {
	Value   market.Instant
	VenueID string
	Venue   market.Venue
}

// Page says which part of an ordered list is wanted.
type Page struct {
	Sort      Sort
	Ascending bool
	After     *Key // nil: from the start
	Limit     int  // zero: all
}

// Dates bounds start and end, all inclusive; zero: no bound. A row whose date
// is not known passes no bound on it.
type Dates struct {
	StartMin, StartMax market.Instant
	EndMin, EndMax     market.Instant
}

// Any reports whether there is a bound.
func (d Dates) Any() bool { return d != Dates{} }

// MarketQuery selects markets. Zero fields do not select; those given must all
// hold. Markets without a category are in no answer unless Unlisted is set.
type MarketQuery struct {
	IDs    []ID   // any of these
	Name   string // VenueID, slug or AltID
	Names  []Name // any of these, as VenueID, slug or AltID
	Venue  market.Venue
	Search string // in question or slug, upper and lower case the same
	Tags   []string
	AnyTag bool // one of Tags is enough

	Category market.Category
	Events   []ID   // of any of these events
	Series   []ID   // of any of these series
	EventID  string // public id of its event
	// EventSlugs and SeriesSlugs name events and series by slug: any of these.
	EventSlugs  []string
	SeriesSlugs []string
	Coin, Type  string
	UpDown      bool // up/down rounds only
	OpenOnly    bool
	Unlisted    bool
	Disputed    bool // sources contradict each other on the payout
	// Damaged lets rows through that differ from their checksum, marked, for those
	// who mend or name them. Otherwise one that is selected is ErrDamaged.
	Damaged bool

	Dates
	// EndFrom and EndTo bound the end: EndFrom ≤ End < EndTo. Zero: no bound.
	EndFrom, EndTo market.Instant
	// Closing: open ones whose known end is at or before this. Reopening: not
	// open ones whose known end is after it.
	Closing, Reopening market.Instant

	Page
}

// Name is a venue's name for a market.
type Name struct {
	Venue market.Venue
	Text  string
}

// GroupQuery selects events or series. Zero fields do not select; those given
// must all hold.
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
	Dates           // of the event; for series: one of its markets matches
	Page
}
