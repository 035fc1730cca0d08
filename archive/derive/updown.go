package derive

import (
	"strings"

	"github.com/ladderback/ladderback/market"
)

// The names that an up/down round and its series get from coin, length and times
// when no source gives one are those of market.RoundListing.

// roundNames returns the series and the market of a round.
func roundNames(r market.RoundName) (market.Series, market.Market) {
	s, _, m := market.RoundListing("", "", "", r)
	return s, m
}

// seriesName reads coin and length out of the slug of a series that no source
// describes: one of a round goes by the ticker, whether or not it is in the
// table of coins.
func seriesName(slug string) (market.RoundName, bool) {
	if coin, typ, ok := market.ParseSeriesSlug(slug); ok {
		return market.RoundName{Coin: coin, Type: typ}, true
	}
	coin, length, ok := strings.Cut(slug, "-up-or-down-")
	if !ok {
		return market.RoundName{}, false
	}
	return market.ParseRoundSlug(coin + "-updown-" + length + "-0")
}
