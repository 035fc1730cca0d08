package archive

import (
	"github.com/ladderback/ladderback/archive/history"
	"github.com/ladderback/ladderback/market"
)

// Known says at which grid points the market has a value. Its end is when the
// market was closed, where a source says so; else, for one no longer open, the
// later of its end and its last capture; else the watermark of its category.
// A market without captures is known nowhere.
func (row *MarketRow) Known(watermark market.Instant) history.Known {
	if row.Stats.Captures == 0 {
		return history.Known{}
	}
	k := history.Known{From: row.Stats.First, To: watermark}
	switch {
	case row.Market.ClosedAt != 0:
		k.To = row.Market.ClosedAt
	case row.Status != Open:
		k.To = max(row.Market.End, row.Stats.Last)
	}
	return k
}
