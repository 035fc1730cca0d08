package roles

import (
	"slices"
	"strings"

	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/lexicon"
	"github.com/ladderback/ladderback/strategy"
)

// comparisons are the words of comparators.
var comparisons = map[string]string{
	"lt": "is below", "lte": "is at most", "gt": "is above", "gte": "is at least", "crosses_above": "crosses above", "crosses_below": "crosses below",
}

// degrees are those before times and changes.
var degrees = map[string]string{"lt": "less than", "lte": "at most", "gt": "more than", "gte": "at least"}

// exits are the sentences of exits and amounts, by role; # stands for the number.
var exits = map[string]string{
	"take_profit": "Take profit at #.", "take_profit_offset": "Take profit # above entry.", "stop_loss": "Stop loss at #.",
	"stop_loss_offset": "Stop loss # below entry.", "trailing_stop": "Trail by #.", "max_hold_seconds": "Sell after #.",
	"exit_before_seconds": "Exit # before the end.", "budget": "# per trade.", "sample": "Sample of # markets.",
}

// dollars are the roles of dollars, times those of seconds; all others but a sample are of prices.
var (
	dollars = map[string]bool{"budget": true, "ask_depth": true, "bid_depth": true}
	times   = map[string]bool{"within": true, "max_hold_seconds": true, "exit_before_seconds": true, "time_elapsed": true, "time_remaining": true}
)

// leastDepth is the least that a bare number may be as a depth, in 1e-6 of a dollar.
const leastDepth = 20 * lexicon.Micro

// widest is the widest trail, in 1e-6 of a dollar.
const widest = 300_000

// most bounds the numbers of a prompt that is said again: a strategy has no more.
const most = 30

// draft is a strategy in the words of a summary as it is put together.
type draft struct {
	t      *text
	p      *grammar.Parse
	roles  []string
	length int64 // of the market, seconds in 1e-6; 0 for any
	side   int64
	fav    int64

	window string
	conds  []string
	rest   []string
}

// Prompt says a prompt again in plain words, with each number as what it is most likely of; "" where
// it is not clear what is bought of which market, or more turns on it than numbers: on the words that
// are not understood, or on those between.
func Prompt(p *grammar.Parse, unread []strategy.Span) string {
	t := newText(p)
	if len(t.numbers) > most {
		return ""
	}
	roles, sure := t.tell()
	if sure < plainly {
		return ""
	}
	d := &draft{t: t, p: p, roles: roles}
	market, bought := d.market(), d.bought()
	if market == "" || bought == "" || !d.plain() || slices.ContainsFunc(unread, d.speaks) {
		return ""
	}
	for k := range d.roles {
		if !d.put(k) {
			return ""
		}
	}
	out := "Buy " + bought + " on " + market
	if d.window != "" {
		out += " in the first " + d.window
	}
	switch {
	case len(d.conds) > 0:
		out += " when " + strings.Join(d.conds, " and ")
	case d.window == "" && d.fav == 0:
		return ""
	}
	out += ". " + strings.Join(d.rest, " ")
	if d.slot(grammar.SlotHold) == grammar.HoldNo {
		out += " Never hold to expiry."
	}
	return out
}

var sides = map[string]int64{"up": grammar.SideUp, "down": grammar.SideDown}

// slot is what the items of the rules say of a slot, the first that does; 0: nothing.
func (d *draft) slot(s grammar.Slot) int64 {
	for i := range d.t.items {
		if m := &d.t.items[i].Meaning; m.Has(s) {
			return m.Get(s)
		}
	}
	return 0
}

// buys reports whether a token stands right behind a word of buying.
func (d *draft) buys(side int64) bool {
	for l, e := range d.p.Within(0, int32(d.p.Tokens())) {
		if e.Class == "TOK" && len(e.Slots) > 0 && sides[e.Slots[0].Value] == side && d.p.HasClass(max(l.From-2, 0), l.From, "BUY") {
			return true
		}
	}
	return side == grammar.SideEither
}

// unlike reports whether items say different things of a slot.
func (d *draft) unlike(s grammar.Slot) bool {
	return slices.ContainsFunc(d.t.items, func(it grammar.Item) bool { return it.Meaning.Has(s) && it.Meaning.Get(s) != d.slot(s) })
}

// named lists the values that lexemes of a class have in a prompt, each once.
func (d *draft) named(class string) (out []string) {
	seen := map[string]bool{}
	for _, e := range d.p.Within(0, int32(d.p.Tokens())) {
		if e.Class == class && len(e.Slots) > 0 && !seen[e.Slots[0].Value] {
			seen[e.Slots[0].Value] = true
			out = append(out, e.Slots[0].Value)
		}
	}
	return out
}

// market is which markets are traded; "" where more than one coin is named.
func (d *draft) market() string {
	coin, length, named := "any coin", "15m", d.named("COIN")
	switch c := d.slot(grammar.SlotCoin); {
	case len(named) > 1 || len(named) == 0 && c == 0:
		return ""
	case c > 0:
		coin = market.Coins()[c-1].Ticker
	case c == 0:
		coin = named[0]
	}
	switch l := d.slot(grammar.SlotLen); {
	case l > 0:
		length = grammar.LengthName(l)
	case l < 0:
		length = "any length"
	}
	if n, ok := strategy.Length(length); ok {
		d.length = int64(n)
	}
	if length == "any length" {
		return coin + " markets of any length"
	}
	return coin + " " + length + " markets"
}

// bought is what is bought; "" where that is not clear.
func (d *draft) bought() string {
	named := slices.DeleteFunc(d.named("TOK"), func(v string) bool { return sides[v] == 0 })
	d.fav, d.side = d.slot(grammar.SlotFav), d.sideOf(named)
	switch {
	case d.unlike(grammar.SlotSide), d.side == grammar.SideEither && len(named) == 1:
		return ""
	case d.fav == grammar.FavLeader:
		return "the favorite"
	case d.fav == grammar.FavDog:
		return "the underdog"
	}
	return map[int64]string{grammar.SideUp: "Up", grammar.SideDown: "Down", grammar.SideEither: "either side"}[d.side]
}

// sideOf is the side that the rules read, where two tokens are named behind a word of buying, else the
// one that is named; 0: none.
func (d *draft) sideOf(named []string) int64 {
	for _, s := range [...]grammar.Slot{grammar.SlotSide, grammar.SlotSoft, grammar.SlotHint} {
		if v := d.slot(s); v >= grammar.SideUp && v <= grammar.SideEither && (len(named) < 2 || s == grammar.SlotSide && d.buys(v)) {
			return v
		}
	}
	if len(named) == 1 {
		return sides[named[0]]
	}
	return 0
}

// put adds a number; false: it cannot be of what it seems to be.
func (d *draft) put(k int) bool {
	role := d.roles[k]
	kind, comparator, _ := strings.Cut(role, ".")
	if role == "none" || role == "within.change" {
		return true
	}
	n, ok := d.value(k, role)
	if !ok {
		return false
	}
	if role == "trailing_stop" && d.t.prices[k] > widest {
		return false // a price from which on, maybe
	}
	if sentence, ok := exits[role]; ok {
		d.rest = append(d.rest, strings.ReplaceAll(sentence, "#", n))
		return true
	}
	token := d.token(k)
	switch kind {
	case "within":
		if d.window != "" {
			return false
		}
		d.window = n
	case "time_elapsed":
		d.conds = append(d.conds, degrees[comparator]+" "+n+" have passed")
	case "time_remaining":
		d.conds = append(d.conds, degrees[comparator]+" "+n+" are left")
	case "price_change":
		w, ok := d.lookBack(k)
		if !ok {
			return false
		}
		way, degree := "risen", degrees[comparator]
		if comparator == "lt" || comparator == "lte" {
			way, degree = "fallen", map[string]string{"lt": "more than", "lte": "at least"}[comparator]
		}
		d.conds = append(d.conds, token+" price has "+way+" by "+degree+" "+n+" in "+w)
	default:
		of := strings.TrimPrefix(strings.ReplaceAll(kind, "_", " "), "best ")
		d.conds = append(d.conds, token+" "+of+" "+comparisons[comparator]+" "+n)
	}
	return true
}

// lookBack is the time of the change that number k is of: the next, else the last before.
func (d *draft) lookBack(k int) (string, bool) {
	for i := k + 1; i < len(d.roles); i++ {
		if d.roles[i] == "within.change" {
			return d.value(i, d.roles[i])
		}
	}
	for i := k - 1; i >= 0; i-- {
		if d.roles[i] == "within.change" {
			return d.value(i, d.roles[i])
		}
	}
	return "", false
}

// token is whose value a condition is of.
func (d *draft) token(k int) string {
	own := d.side
	tok := int64(0)
	if c := d.t.conds[k]; c != nil {
		tok = int64(c.Tok)
	} else {
		tok = d.tokenBefore(k)
	}
	switch {
	case own == grammar.SideEither || d.fav != 0:
		if tok == grammar.TokOther {
			return "the other side's"
		}
		return "its"
	case tok != grammar.SideUp && tok != grammar.SideDown:
		if tok = own; d.t.conds[k] != nil && d.t.conds[k].Tok == grammar.TokOther {
			tok = grammar.SideUp + grammar.SideDown - own
		}
	}
	return map[int64]string{grammar.SideUp: "Up's", grammar.SideDown: "Down's"}[tok]
}

// tokenBefore is the token that is named last before a number, behind the number before.
func (d *draft) tokenBefore(k int) int64 {
	from := int32(0)
	if k > 0 {
		from = d.t.numbers[k-1].To
	}
	out := int64(0)
	for _, e := range d.p.Within(from, d.t.numbers[k].From) {
		if e.Class == "TOK" && len(e.Slots) > 0 {
			out = sides[e.Slots[0].Value]
		}
	}
	return out
}
