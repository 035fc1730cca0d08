package history

import (
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// KnownOf says at which grid points a market has a value. Its end is when the
// market was closed, where a source says so; else, for one no longer open, the
// later of its end and its last capture; else the watermark of its category.
// A market without captures is known nowhere.
func KnownOf(row *store.MarketRow, watermark market.Instant) Known {
	if row.Stats.Captures == 0 {
		return Known{}
	}
	k := Known{From: row.Stats.First, To: watermark}
	switch {
	case row.Market.ClosedAt != 0:
		k.To = row.Market.ClosedAt
	case row.Status != store.Open:
		k.To = max(row.Market.End, row.Stats.Last)
	}
	return k
}
