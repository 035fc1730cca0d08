package rules

import (
	"slices"

	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/lexicon"
	"github.com/ladderback/ladderback/parser/rules/said"
)

// lengths are the words that say no more of a length of markets beside which no coin and no market
// is named, windows times of something else, and habits what is done every day or hour too.
var (
	lengths = lexicon.WordSet(reasons["lengths"])
	windows = words(`\b(?:trading|time|trade|entry|order|look-?back) (?:window|duration|length|period)`)
	// durations are words before a time that is no length of a market: "expiry 5m", "35c by 5m", "35c for 5m".
	durations = words(`(?:\d ?c by |\b(?:within|expiry|expires?|lifetime|timeout|valid|ttl|hold|held)["']?[ :=]*|\d ?c for )\d+ ?[mh]\b`)
	// ofExits is a time behind an exit, which is the exit's, "tp 50c / 5m", "stop 25c (5m)", and bids one behind a token that
	// is bid for, "bid 30c Up for 5m".
	ofExits = words(`^ ?(?:/ ?|\( ?|for |in )\d+ ?[mh]\b`)
	bids    = words(`\b(?:up|down|yes|no) for \d+ ?[mh]\b`)
	habits  = lexicon.WordSet("strategy strat routine trade trading setup run check target rebalance review repeat")
)

// lastsElse reports whether a time without a coin or a market beside it may be of something else than
// the length of markets: "24h lookback", "entry window: 5m", "over one hour".
func lastsElse(r *reader, items []grammar.Item, i int, it *grammar.Item) bool {
	if it.Kind != "item.market" || !said.HasLength(it) || it.Meaning.Has(grammar.SlotCoin) || r.ofMarket(it) ||
		r.hasClass(it, "ROUND") && slices.ContainsFunc(items, func(o grammar.Item) bool { // "The 15m markets are noisy. ETH 15m, ..."
			return o.Meaning.Has(grammar.SlotCoin) && o.Meaning.Get(grammar.SlotLen) == it.Meaning.Get(grammar.SlotLen)
		}) {
		return false
	}
	daily := r.hasClass(it, "LENWORD")
	switch {
	case windows.MatchString(r.p.Text(max(it.From-1, 0), it.To)),
		daily && r.p.HasClass(max(it.From-2, 0), it.From, "USD", "USDC"): // "$50 daily"
		return true
	}
	from, to := r.around(items, i)
	return r.p.Some(from, to, func(at int32) bool {
		w := r.p.Word(at)
		return r.isLeft(at) && (daily && habits[w] || !daily && !lengths[w])
	})
}

// runsFor reports whether a time without a coin or a market beside it is how long something goes on: "expiry 5m", "tp 50c / 5m".
func runsFor(r *reader, items []grammar.Item, i int, it *grammar.Item) bool {
	if it.Kind != "item.market" || !said.HasLength(it) || it.Meaning.Has(grammar.SlotCoin) || r.hasClass(it, "ROUND", "LENWORD") {
		return false
	}
	ofExit := i > 0 && said.Sells(&items[i-1]) && items[i-1].To+1 >= it.From && ofExits.MatchString(r.p.Text(items[i-1].To, it.To))
	before := r.p.Text(max(it.From-3, 0), it.To)
	return ofExit || durations.MatchString(before) || r.o.Ordered && bids.MatchString(before)
}

// ofMarket reports whether an item with a length says that it is of markets, or a coin stands before it.
func (r *reader) ofMarket(it *grammar.Item) bool {
	named := r.hasClass(it, "LENWORD") && r.hasClass(it, "ROUND") // "daily markets"
	return named || r.p.HasClass(max(it.From-2, 0), it.From, "COIN")
}

// isLeft reports whether a token is a word that no item and no phrase without a meaning holds.
func (r *reader) isLeft(at int32) bool { return !r.held[at] && r.p.IsWord(at) && !r.isFiller(at) }

// keyed is the clause of an item, with its key.
func (r *reader) keyed(it *grammar.Item) (from, to int32) {
	from, to = r.p.Widen(it.From, it.To, r.isBreak)
	if from > 1 && r.p.HasClass(from-1, from, "COLON", "EQ") {
		from, _ = r.p.Widen(from-2, from-1, r.isBreak)
	}
	return from, to
}

// around is the clause of item i, with its key, between the items before and behind it.
func (r *reader) around(items []grammar.Item, i int) (from, to int32) {
	from, to = r.keyed(&items[i])
	if i > 0 {
		from = max(from, items[i-1].To)
	}
	if i+1 < len(items) {
		to = min(to, items[i+1].From)
	}
	return from, to
}
