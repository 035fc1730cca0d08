package market

import (
	"slices"
	"strconv"
	"strings"
)

// RoundName is what the slug of an up/down round encodes:
// "btc-updown-15m-1776081600".
type RoundName struct {
	Coin  string // upper-case ticker
	Type  string // length in its usual form: "5m", "15m", "1h", "4h", "1d"
	Start Instant
	End   Instant // exclusive: Start + length
}

// ParseRoundSlug reads "<coin>-updown-<length>-<epoch>", where epoch is the
// round's start in Unix seconds. The coin need not be a known one.
func ParseRoundSlug(slug string) (RoundName, bool) {
	coin, rest, ok := strings.Cut(slug, "-updown-")
	if !ok || !isTicker(coin) {
		return RoundName{}, false
	}
	length, epoch, ok := strings.Cut(rest, "-")
	if !ok || epoch == "" || epoch[0] < '0' || epoch[0] > '9' {
		return RoundName{}, false
	}
	typ, span, ok := ParseLength(length)
	if !ok {
		return RoundName{}, false
	}
	seconds, err := strconv.ParseInt(epoch, 10, 64)
	if err != nil || seconds > int64((maxInstant-span)/Second) {
		return RoundName{}, false
	}
	start := Instant(seconds) * Second
	return RoundName{Coin: strings.ToUpper(coin), Type: typ, Start: start, End: start + span}, true
}

// ParseSeriesSlug reads "<coin>-up-or-down-<length>", where the coin is the
// ticker or name of a known coin and the length may also be "hourly", "daily"
// or "weekly".
func ParseSeriesSlug(slug string) (coin, typ string, ok bool) {
	name, length, ok := strings.Cut(slug, "-up-or-down-")
	if !ok {
		return "", "", false
	}
	if coin, ok = CoinByName(strings.ReplaceAll(name, "-", " ")); !ok {
		return "", "", false
	}
	switch length {
	case "hourly":
		return coin, "1h", true
	case "daily":
		return coin, "1d", true
	case "weekly":
		return coin, "7d", true
	}
	typ, _, ok = ParseLength(length)
	return coin, typ, ok
}

func isTicker(s string) bool {
	if s == "" || len(s) > 16 {
		return false
	}
	for _, c := range []byte(s) {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// ParseLength reads the length of a round: a whole number of minutes, hours or
// days ("15m", "60m", "4h", "1d"), at most 366 days. typ is its usual form, in
// the largest unit that divides it evenly: "60m" is "1h", "24h" is "1d".
func ParseLength(s string) (typ string, span Span, ok bool) {
	if len(s) < 2 || len(s) > 7 {
		return "", 0, false
	}
	var unit Span
	switch s[len(s)-1] {
	case 'm':
		unit = Minute
	case 'h':
		unit = Hour
	case 'd':
		unit = Day
	default:
		return "", 0, false
	}
	n, err := strconv.ParseUint(s[:len(s)-1], 10, 32)
	if err != nil || n == 0 || Span(n) > 366*Day/unit {
		return "", 0, false
	}
	span = Span(n) * unit
	return FormatLength(span), span, true
}

// FormatLength formats a positive whole number of minutes in the largest unit
// that divides it: 15 minutes is "15m", 60 "1h", 1440 "1d". Fractions of a
// minute are dropped.
func FormatLength(span Span) string {
	switch {
	case span%Day == 0:
		return strconv.FormatInt(int64(span/Day), 10) + "d"
	case span%Hour == 0:
		return strconv.FormatInt(int64(span/Hour), 10) + "h"
	}
	return strconv.FormatInt(int64(span/Minute), 10) + "m"
}

// RoundListing returns the series, event and market of an up/down round for
// which no source gives any: the series "<coin>-up-or-down-<length>", one event
// per round under the market's slug, and ids equal to slugs. The market has its
// names, category, tags, times, coin and type, and the venue id id; it has no
// tokens.
func RoundListing(v Venue, id, slug string, r RoundName) (Series, Event, Market) {
	name := CoinName(r.Coin)
	tags := []string{strings.ToLower(strings.ReplaceAll(name, " ", "-")), string(Crypto), r.Type, "up-or-down"}
	slices.Sort(tags)
	tags = slices.Compact(tags)
	title := name + " Up or Down " + r.Type
	series := strings.ToLower(r.Coin) + "-up-or-down-" + r.Type
	return Series{
			Venue: v, VenueID: series, Slug: series, Title: title,
			Recurrence: r.Type, Category: Crypto, Tags: tags,
		}, Event{
			Venue: v, VenueID: slug, Slug: slug, Title: title, SeriesID: series,
			Category: Crypto, Tags: slices.Clone(tags), Start: r.Start, End: r.End,
		}, Market{
			Venue: v, VenueID: id, Slug: slug, Question: roundQuestion(name, r),
			Category: Crypto, EventID: slug, SeriesID: series, Tags: slices.Clone(tags),
			Coin: r.Coin, Type: r.Type, Start: r.Start, End: r.End,
		}
}

// roundQuestion returns "Bitcoin Up or Down: 2026-04-13 14:00–14:05 UTC"; the
// end has a date too for rounds of a day or longer.
func roundQuestion(name string, r RoundName) string {
	const minute = "2006-01-02 15:04"
	end := "15:04"
	if r.End-r.Start >= Day {
		end = minute
	}
	return name + " Up or Down: " + r.Start.Time().Format(minute) + "–" + r.End.Time().Format(end) + " UTC"
}
