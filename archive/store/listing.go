package store

import (
	"fmt"

	"github.com/ladderback/ladderback/market"
)

// Listing is a market with the slugs of its event and series.
type Listing struct {
	MarketRow
	EventSlug  string // empty: it has no event
	SeriesSlug string // empty: it has no series
	// Watermark is the watermark of the market's category at the same moment.
	// Market and Token set it.
	Watermark market.Instant `json:"-"`
}

// Key returns the position of a market in a list sorted by s.
func (row *MarketRow) Key(s Sort) Key {
	v := row.UpdatedAt
	switch s {
	case ByStart:
		v = row.Market.Start
	case ByEnd:
		v = row.Market.End
	}
	return Key{v, row.Market.VenueID, row.Market.Venue}
}

// Key returns the position of an event in a list sorted by s.
func (row *EventRow) Key(s Sort) Key {
	v := row.UpdatedAt
	switch s {
	case ByStart:
		v = row.Event.Start
	case ByEnd:
		v = row.Event.End
	}
	return Key{v, row.Event.VenueID, row.Event.Venue}
}

// Key returns the position of a series in a list.
func (row *SeriesRow) Key() Key {
	return Key{row.UpdatedAt, row.Series.VenueID, row.Series.Venue}
}

// Listed adds the slugs of events and series, by id. One that a market is of and that was
// not found is ErrDamaged.
func Listed(rows []MarketRow, events, series map[ID]string) ([]Listing, error) {
	out := make([]Listing, len(rows))
	for i := range rows {
		r := &rows[i]
		out[i] = Listing{MarketRow: rows[i], EventSlug: events[r.Event], SeriesSlug: series[r.Series]}
		_, hasEvent := events[r.Event]
		_, hasSeries := series[r.Series]
		if r.Event != 0 && !hasEvent || r.Series != 0 && !hasSeries {
			return nil, fmt.Errorf("the event or series of market %s is not there: %w", r.Market.VenueID, ErrDamaged)
		}
	}
	return out, nil
}
