package rules

import (
	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/lexicon"
	"github.com/ladderback/ladderback/parser/rules/said"
)

// namings are the words that say no more of a market in whose sentence nothing else is said.
var namings = lexicon.WordSet(reasons["namings"])

// inPassing reports whether a coin or a length that stands in a sentence without anything else that is read,
// and that nothing else names, may be spoken of alone: "I hate ETH", "the hourly is too slow". The other
// words of one that names it are a closed list; a coin and its length together are only told of.
func inPassing(r *reader, items []grammar.Item, _ int, it *grammar.Item) bool {
	if !isMarket(it) || r.hasClass(it, "ANYCOIN", "ANYLEN") {
		return false
	}
	r.look()
	from, to := r.p.Widen(it.From, it.To, func(at int32) bool { return r.ends[at] && !r.p.HasClass(at, at+1, "COLON") })
	coin, length := false, false
	for k := range items {
		o := &items[k]
		switch within := o.From < to && o.To > from; {
		case within && o.Kind != "item.market", !within && names(o, it):
			return false
		case within:
			coin, length = coin || o.Meaning.Has(grammar.SlotCoin), length || said.HasLength(o)
		}
	}
	if coin && length {
		text := r.p.Text(from, to)
		return told.MatchString(text) && !heading.MatchString(text) // "todo: btc 5m"
	}
	from, to = r.p.Widen(it.From, it.To, func(at int32) bool { return r.ends[at] })
	return r.hasBeside(from, to, namings)
}

// heading is one of what is to be traded.
var heading = words(`^(?:todo|to do):`)

// hasBeside reports whether a word that no item holds is none of a list.
func (r *reader) hasBeside(from, to int32, list map[string]bool) bool {
	return r.p.Some(from, to, func(at int32) bool { return !r.held[at] && r.p.IsWord(at) && !list[r.p.Word(at)] })
}

// isMarket reports whether an item says of nothing but a coin or a length.
func isMarket(it *grammar.Item) bool {
	return it.Kind == "item.market" && (it.Meaning.Has(grammar.SlotCoin) || said.HasLength(it))
}

// names reports whether one item names the coin and the length that another does.
func names(o, it *grammar.Item) bool {
	same := func(s grammar.Slot) bool { return !it.Meaning.Has(s) || o.Meaning.Get(s) == it.Meaning.Get(s) }
	return same(grammar.SlotCoin) && same(grammar.SlotLen)
}

// states are verbs that hold what is bought from or up to some moment, or as long as something else does:
// "hold Up from minute 3 to minute 10", "be long Up while it's above 50c"; or that goes from one price to another:
// "ride Up from 40c to 60c".
var states = words(`^(?:(?:hold(?:ing)?|carry|own|keep|stay|ride|be|remain|sit)(?: (?:long|in|on|with))* (?:the )?(?:(?:up|down|yes|no) (?:[^,;]* )?)?(?:until|till?|while|as long as|so long as|through|between|in the (?:first|last)|for the (?:first|last|whole)|(?:from|minute) .*(?:to|until|till))|long (?:the )?(?:up|down|yes|no) (?:for the (?:first|last)|(?:from )?minute .* to))\b|^(?:ride|scalp|run|play|trade|swing|flip) (?:the )?(?:up|down|yes|no) (?:from )?[$.\d]+ ?(?:c|¢|cents?)? ?(?:to|-) ?[$.\d]`)

// holdsSo reports whether what is bought stands behind a verb that says how long it is held, where the
// time or condition is read as one of the purchase.
func holdsSo(r *reader, _ []grammar.Item, _ int, it *grammar.Item) bool {
	if !said.Buys(it) {
		return false
	}
	from, _ := r.p.Widen(it.From, it.To, r.isBreak)
	for from < it.From && !stays[r.p.Word(from)] {
		from++
	}
	return states.MatchString(r.p.Text(from, r.sentenceAround(it.From, it.To).to))
}

// stays are the first words of states.
var stays = lexicon.WordSet("hold holding carry own keep stay ride be remain sit long scalp run play trade swing flip")

// joints are words that go on behind a price with something else than what it is a part of.
var joints = lexicon.WordSet("and or on in with when if for then but n & while w after only please pls too")

// partOf reports whether a fraction that is read as a price is one of something that stands behind it:
// "stop at half the entry", "sell at half of the round", "at a quarter to". It stands last in its item.
func partOf(r *reader, _ []grammar.Item, _ int, it *grammar.Item) bool {
	n, at := int32(r.p.Tokens()), int32(-1)
	r.leavesOf(it, func(leaf, of *grammar.Node, _ *grammar.Item) {
		at = -1
		if leaf.Symbol == "FRAC" && of.Symbol == "price" {
			at = r.p.Lexemes[leaf.Lexeme].To
		}
	})
	return at >= 0 && at < n && r.p.IsWord(at) && (parts[r.p.Word(at)] || !r.held[at] && !joints[r.p.Word(at)])
}

// parts are words between a part and what it is one of.
var parts = lexicon.WordSet("of the my this his your")

// pricing are words that begin what a share pays, or costs.
var pricing = lexicon.WordSet("for at pays paying")

// aDollar is one without what makes a stake of it.
var aDollar = words(`^(?:for |at |pays |paying )?(?:an? |one |\$ ?)(?:dollar|buck|1(?:\.00?)?)(?: payout)?$`)

// paidOut reports whether a dollar may be what a share pays: "ride it to a dollar", "get $1 back", "40
// cents a dollar".
func paidOut(r *reader, _ []grammar.Item, _ int, it *grammar.Item) bool {
	if it.Kind != "item.money" || !aDollar.MatchString(r.text(it)) {
		return false
	}
	left := func(at int32) bool { return at >= 0 && at < int32(r.p.Tokens()) && r.p.IsWord(at) }
	return left(it.From-1) || left(it.To) || pricing[r.p.Word(it.From)]
}

// counted are words of what there may be several of in a round.
var counted = words(`\b(?:entries|orders|trades|positions|buys|fills|tries|attempts|times|bets|limit|max|cap)["' ]*[:=]?["' ]*$`)

// ofRound ends with what there may be several trades in.
var ofRound = words(`\b(?:round|market|window|candle)s?$`)

// small is the most of a bare number, in 1e-6, that may be one of trades, least of cents that may be
// what each trade costs.
const small, least = 9 * lexicon.Micro, 300_000

// eachOne reports whether a number per round or trade may be of something else than what each trade
// costs: "entries per round: 3", "3 a round", "5c a time".
func eachOne(r *reader, _ []grammar.Item, _ int, it *grammar.Item) bool {
	n := it.Meaning.Get(grammar.SlotBudget)
	if it.Kind != "item.money" || !r.hasClass(it, "PER") || r.hasClass(it, "USD", "USDC", "BUDGET", "STAKE") {
		return false
	}
	cents := r.hasClass(it, "CENT") && n < least
	return cents || n <= small && ofRound.MatchString(r.text(it)) || counted.MatchString(r.p.Text(max(it.From-3, 0), it.From))
}

// wins begins what is gained, without a unit.
var wins = words(`^(?:to )?(?:make|win|reward|gain|earn|net|profit)s?\b`)

// stakesTo reports whether a bare number at stake stands before one that is gained, which is dollars or
// cents as that is: "risk 10 to make 20".
func stakesTo(r *reader, items []grammar.Item, i int, it *grammar.Item) bool {
	bare := func(o *grammar.Item) bool {
		return r.hasClass(o, "INT") && !r.hasClass(o, "USD", "USDC", "CENT", "PER")
	}
	if it.Kind != "item.money" || i+1 == len(items) || !bare(it) {
		return false
	}
	next := &items[i+1]
	return next.Meaning.Has(grammar.SlotTPO) && next.From <= it.To+2 && bare(next) && wins.MatchString(r.text(next))
}
