package roles

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/lexicon"
	"github.com/ladderback/ladderback/parser/meaning"
	"github.com/ladderback/ladderback/strategy"
)

// comparisons are the words of comparators.
var comparisons = map[strategy.Comparator]string{
	strategy.LT: "is below", strategy.LTE: "is at most", strategy.GT: "is above", strategy.GTE: "is at least",
	strategy.CrossesAbove: "crosses above", strategy.CrossesBelow: "crosses below",
}

// degrees are those before times and changes.
var degrees = map[strategy.Comparator]string{strategy.LT: "less than", strategy.LTE: "at most", strategy.GT: "more than", strategy.GTE: "at least"}

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

// lookBack is the role of the time that a change is over.
const lookBack = "within.change"

// most bounds the numbers of a prompt that is said again: a strategy has no more.
const most = 30

// By how much more than for the next must be said for what is surely told, of each number, of the whole, and of that it is
// one to read at all.
const (
	ofNumbers = 30
	ofWhole   = 20
	ofReading = 100
)

// draft is a strategy in the words of a summary as it is put together.
type draft struct {
	t      *text
	p      *grammar.Parse
	roles  []string
	length int64 // of the market, seconds in 1e-6; 0 for any

	whole

	window string
	conds  []string
	rest   []string
}

// Prompt says a prompt again in plain words, with each number as what it is most likely of; "" where
// it is not clear what is bought of which market, or more turns on it than numbers: on the words that
// are not understood, or on those between; and where something might well be something else.
func Prompt(p *grammar.Parse) string {
	t := newText(p)
	if len(t.numbers) > most {
		return ""
	}
	roles, sure := t.tell()
	d := &draft{t: t, p: p, roles: roles, whole: t.whole(roles)}
	d.limit = d.limit || soldResting().MatchString(strings.ToLower(p.Text(0, int32(p.Tokens()))))
	if sure < ofNumbers || d.sure < ofWhole || d.shape == Refused || d.shape == AnyOf || d.lacks() {
		return ""
	}
	market, bought := d.market(), d.bought()
	orders, ok := d.written()
	if market == "" || bought == "" || !ok || !d.putAll() {
		return ""
	}
	when, ok := d.entry(orders != "")
	if !ok {
		return ""
	}
	out := "Buy " + bought + " on " + market + when + ". " + strings.Join(d.rest, " ")
	if !d.hold {
		out += " Never hold to expiry."
	}
	return out + " " + orders
}

// soldResting is a target that is said to rest.
var soldResting = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(?:limit|rests?|resting)(?: (?:orders?|an?|the|my|for|to|out))* (?:sell|selling|sale|exit|target|tp|take[- ]profit)\b|\bselling limit\b|` +
		`\b(?:sell|sale|exit|target|tp|take[- ]profit)\b[^,.;\n]{0,40},? (?:rests|resting|limit)(?:$| ?[.,;\n]| (?:in the book|and|with)\b)`)
})

// bought is what is bought; "" where nothing says it.
func (d *draft) bought() string {
	if fav := d.slot(grammar.SlotFav); fav != 0 && d.side == grammar.SideEither {
		return map[int64]string{grammar.FavLeader: "the favorite", grammar.FavDog: "the underdog"}[fav]
	}
	return map[int64]string{grammar.SideUp: "Up", grammar.SideDown: "Down", grammar.SideEither: "either side"}[d.side]
}

// putAll adds the numbers that are of no order; false: one of them cannot be of what it seems to be.
func (d *draft) putAll() bool {
	for k, role := range d.roles {
		if !ofOrder(role) && !d.put(k) {
			return false
		}
	}
	return true
}

// entry is when it is bought; false: nothing says it.
func (d *draft) entry(orders bool) (string, bool) {
	window, fav := "", d.slot(grammar.SlotFav) != 0
	if d.window != "" {
		window = " in the first " + d.window
	}
	switch {
	case len(d.conds) > 0:
		return window + " when " + strings.Join(d.conds, " and "), true
	case window != "" || fav:
		return window, true
	}
	return " at the start", orders
}

// ofBook are the types of conditions by the names of quantities of the book.
var ofBook = map[string][]strategy.Type{
	"ask": {strategy.BestAsk, strategy.AskDepth}, "bid": {strategy.BestBid, strategy.BidDepth}, "spread": {strategy.Spread}, "imbalance": {strategy.Imbalance},
	"askdepth": {strategy.AskDepth}, "biddepth": {strategy.BidDepth}, "depth": {strategy.AskDepth, strategy.BidDepth}, "ratio": {strategy.Imbalance},
}

// lacks reports whether words that are not understood name a quantity of the book, or a crossing, that no number
// is of.
func (d *draft) lacks() bool {
	return slices.ContainsFunc(d.t.unread, func(u [2]int32) bool {
		return d.p.Has(u[0], u[1], func(e *lexicon.Entry) bool {
			types, crosses := []strategy.Type(nil), e.Class == "CROSS"
			for _, s := range e.Slots {
				if e.Class == "QTY" {
					types = append(types, ofBook[s.Value]...)
				}
			}
			return (len(types) > 0 || crosses) && !slices.ContainsFunc(d.roles, func(role string) bool {
				kind, comparator, _ := strings.Cut(role, ".")
				return ofOrder(role) || slices.Contains(types, strategy.Type(kind)) || crosses && strategy.Comparator(comparator).IsCrossing()
			})
		})
	})
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
	coin, length := d.coin(), d.marketType()
	if n, ok := strategy.Length(length); ok {
		d.length = int64(n)
	}
	switch {
	case coin == "":
		return ""
	case coin == strategy.Any:
		coin = "any coin"
	}
	if length == strategy.Any {
		return coin + " markets of any length"
	}
	return coin + " " + length + " markets"
}

// coin is the coin of the markets; "" where more than one is named, or none.
func (d *draft) coin() string {
	named := d.named("COIN")
	switch c := d.slot(grammar.SlotCoin); {
	case len(named) > 1 || len(named) == 0 && c == 0:
		return ""
	case c > 0:
		return market.Coins()[c-1].Ticker
	case c < 0:
		return strategy.Any
	}
	return named[0]
}

// marketType is the length of the markets.
func (d *draft) marketType() string {
	switch l := d.slot(grammar.SlotLen); {
	case l > 0:
		return grammar.LengthName(l)
	case l < 0:
		return strategy.Any
	}
	return meaning.DefaultType
}

// put adds a number; false: it cannot be of what it seems to be.
func (d *draft) put(k int) bool {
	role := d.roles[k]
	kind, comparator, _ := strings.Cut(role, ".")
	if role == None || role == lookBack {
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
		if d.limit && strings.HasPrefix(role, "take_profit") {
			sentence = strings.TrimSuffix(sentence, ".") + " with a limit."
		}
		d.rest = append(d.rest, strings.ReplaceAll(sentence, "#", n))
		return true
	}
	if kind == "within" {
		first := d.window == ""
		d.window = n
		return first
	}
	cond, ok := d.condition(k, kind, strategy.Comparator(comparator), n)
	d.conds = append(d.conds, cond)
	return ok
}

// condition is number k, in words, as one of a kind; false: a change without its time.
func (d *draft) condition(k int, kind string, comparator strategy.Comparator, n string) (string, bool) {
	token := d.token(k)
	switch strategy.Type(kind) {
	case strategy.TimeElapsed:
		return degrees[comparator] + " " + n + " have passed", true
	case strategy.TimeRemaining:
		return degrees[comparator] + " " + n + " are left", true
	case strategy.PriceChange:
		w, ok := d.lookBack(k)
		way, degree := "risen", degrees[comparator]
		if comparator == strategy.LT || comparator == strategy.LTE {
			way, degree = "fallen", map[strategy.Comparator]string{strategy.LT: "more than", strategy.LTE: "at least"}[comparator]
		}
		return token + " price has " + way + " by " + degree + " " + n + " in " + w, ok
	}
	of := strings.TrimPrefix(strings.ReplaceAll(kind, "_", " "), "best ")
	return token + " " + of + " " + comparisons[comparator] + " " + n, true
}

// lookBack is the time of the change that number k is of: the next, else the last before.
func (d *draft) lookBack(k int) (string, bool) {
	for i := k + 1; i < len(d.roles); i++ {
		if d.roles[i] == lookBack {
			return d.value(i, d.roles[i])
		}
	}
	for i := k - 1; i >= 0; i-- {
		if d.roles[i] == lookBack {
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
	case own == grammar.SideEither:
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
