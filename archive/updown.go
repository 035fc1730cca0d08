package archive

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ladderback/ladderback/market"
)

// round is what the name of an up/down round says of it.
type round struct {
	coin   string // "BTC"
	length string // "5m"
	start  market.Instant
}

// coinNames are the names of coins as the exchange writes them in titles.
var coinNames = map[string]string{
	"BTC": "Bitcoin", "ETH": "Ethereum", "SOL": "Solana", "XRP": "XRP",
	"DOGE": "Dogecoin", "BNB": "BNB", "ADA": "Cardano", "LTC": "Litecoin",
	"AVAX": "Avalanche", "LINK": "Chainlink", "HYPE": "Hyperliquid", "SUI": "Sui",
}

// lengthNames are words that the exchange uses for lengths in series slugs.
var lengthNames = map[string]string{
	"hourly": "1h", "daily": "1d", "weekly": "1w",
}

func coinName(coin string) string {
	if n, ok := coinNames[coin]; ok {
		return n
	}
	return coin
}

func coinOf(s string) (string, bool) {
	up := strings.ToUpper(s)
	for c, n := range coinNames {
		if up == c || strings.EqualFold(s, n) {
			return c, true
		}
	}
	if s == "" || len(s) > 10 {
		return "", false
	}
	for i := range len(up) {
		if (up[i] < 'A' || up[i] > 'Z') && (up[i] < '0' || up[i] > '9') {
			return "", false
		}
	}
	return up, true
}

// lengthOf returns how long a round of a length such as "5m" takes.
func lengthOf(length string) (market.Span, bool) {
	if len(length) < 2 || len(length) > 5 {
		return 0, false
	}
	n, err := strconv.ParseUint(length[:len(length)-1], 10, 16)
	if err != nil || n == 0 || length[0] == '0' {
		return 0, false
	}
	unit := market.Span(0)
	switch length[len(length)-1] {
	case 'm':
		unit = market.Minute
	case 'h':
		unit = market.Hour
	case 'd':
		unit = market.Day
	case 'w':
		unit = 7 * market.Day
	default:
		return 0, false
	}
	return market.Span(n) * unit, true
}

// parseRound reads a market's slug "<coin>-updown-<length>-<epoch>".
func parseRound(slug string) (round, bool) {
	parts := strings.Split(slug, "-")
	if len(parts) != 4 || parts[1] != "updown" {
		return round{}, false
	}
	coin, ok := coinOf(parts[0])
	if !ok {
		return round{}, false
	}
	if _, ok := lengthOf(parts[2]); !ok {
		return round{}, false
	}
	start, err := market.ParseUnix(parts[3])
	if err != nil || start == 0 || start%market.Second != 0 {
		return round{}, false
	}
	return round{coin: coin, length: parts[2], start: start}, true
}

// parseRoundSeries reads a series slug "<coin>-up-or-down-<length>".
func parseRoundSeries(slug string) (coin, length string, ok bool) {
	head, length, ok := strings.Cut(slug, "-up-or-down-")
	if !ok {
		return "", "", false
	}
	coin, ok = coinOf(head)
	if !ok {
		return "", "", false
	}
	if l, named := lengthNames[length]; named {
		length = l
	}
	if _, ok := lengthOf(length); !ok {
		return "", "", false
	}
	return coin, length, true
}

// The names that an up/down round gets from its coin, length and times when no
// source gives one.

func roundSeriesSlug(coin, length string) string {
	return strings.ToLower(coin) + "-up-or-down-" + length
}

func roundTitle(coin, length string) string {
	return coinName(coin) + " Up or Down " + length
}

func roundTags(coin, length string) []string {
	tags := []string{strings.ToLower(coinName(coin)), "crypto", "up-or-down", length}
	slices.Sort(tags)
	return slices.Compact(tags)
}

func roundQuestion(coin string, start, end market.Instant) string {
	s, e := start.Time(), end.Time()
	to := e.Format("15:04")
	if end-start >= market.Day {
		to = e.Format("2006-01-02 15:04")
	}
	return fmt.Sprintf("%s Up or Down: %s–%s UTC", coinName(coin), s.Format("2006-01-02 15:04"), to)
}
