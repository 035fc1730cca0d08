package orders

import (
	"sync"

	"github.com/ladderback/ladderback/parser/orders/sift"
)

// past is what stands before a place of a text.
type past struct {
	exp   string
	sieve func() *sift.Sieve
}

// stood is what an expression matches up to a place.
func stood(exp string) *past {
	return &past{exp, sync.OnceValue(func() *sift.Sieve { return sift.New(true, part, sifted(exp)) })}
}

// anywhere is what stands behind an expression that may match anywhere before.
const anywhere = `(?s:.*)$`

// What may stand before a place.
var (
	// A negation in the clause that goes on, which a dash with spaces ends.
	denied = stood(`\b(?:not|no|never|don't|dont|won't|without|nor|avoid|cannot|can't|doesn't)\b(?:[^,;.:\n-]|\.\d|-[^ ,;.:\n])*-?$`)
	// Words that what follows belongs to: no phrase begins behind them.
	bound = stood(`(?:(?:^|[^d] )rather|\b(?:hi|hello|hey|me|yet|or|nor|not|no|never|without|if|when|once|unless|until|till|while|than|is|are|was|were|be|been|instead of|of|a|an|the|my|your|its|this|that|these|those|their|some|any|each|every|which|who|his|her|before|after|as|like|in|at|from|by|into|over|under|above|below|about|around|within|between|per|because|since|where|how|why|what|whether|may|might|could)|[$+<=]|[^-=]>)\s*$`)
	// What takes out what follows.
	excepted = stood(`\b(?:(?:all|any|none|everything|anything|nothing) but|save|except|excepting|bar|barring)\s*$`)
	// A key of a sale, whose value is of a pattern that begins with it, and what stands in
	// brackets behind a stop, which is of the stop.
	keyed = stood(`\bsell(?:ing)?\s*:[\s,.]*$|\b(?:stop[- ]?loss|stop|sl)(?: at| @|:)? ?` + slots["p"].exp + `\s*\($`)
	// A number that may go on.
	numbered = stood(`\d[.,]?$`)
	// A sale of which an order comes to speak.
	ofSale = stood(`\b(?:sell|sells|exit|take[- ]profit|target|tp|close|get out|cash out)(?: it| all| everything)?(?: with| by| on| using| as| for)?(?: a| an| my)?\s*$`)
	// A sale in the clause before, that what follows may be of.
	saleBefore = stood(sales + `(?:[^,;.:\n]|\.\d)*[ ,]*(?:` + joining + `)?$`)
	// Where what is named may begin: behind the market too.
	topicBefore = stood(`(?:^|[.;:?!\n\[])\s*(?:(?:(?:hmm|hi|cool|great|thanks|alright|right),? )?(?:update|edit|hi all|(?:hi|hello|hey|alright|ok|okay) (?:assistant|bot|there|all|guys|team|friends?|folks|everyone)|hi|hello|hey|ok|okay|so|and|well|hmm|cool|great|thanks|now|alright), )?(?:(?:` + coins + `),? (?:\d+ ?(?:m|min|h|d)|hourly|daily)[ ,]+(?:(?:ups?|downs?)[ ,]+)?)?$`)
	// What a heading may name, anywhere.
	topical = stood(`(?:` + topicWords() + `|\b(?:then|hedge|ladder|scale|sell|exit|dump|close|get out|bail|cash out|unload|liquidate|unwind|i have|i got|stake|bet|risk|size|average|dca|\d+ at)\b)` + anywhere)
	// Where a sentence begins: in one, what rests may be what is left.
	sentenceBefore = stood(`(?:^|[.;:\n])\s*$`)
	// Where a clause begins.
	clauseStart = stood(`(?:^|[,;.:|\n]|\b(?:and|then|but))\s*$`)
	// Where an amount of shares may stand, and what would make it one of a sale or of more.
	amountBefore = stood(`(?:^|[^a-z0-9]|\b(?:i|we|is|i'd|to|me|like|try|gimme|scoop|put|buy|buying|get|grab|take|long|bid|for|would|do|use|trade|want|snag|and|then|please|just|with))\s*$`)
	otherBefore  = stood(`\b(?:sell|selling|sold|sells|dump|unload|offload|trim|exit|scale|chop|cut|reduce|ditch|add|reload|another|more)\b(?:[^.;\n]|\.\d)*$`)
	// A cancel in the sentence, before another occasion of it.
	cancelBefore = stood(expand(`\b{cancel}\b`)[1:] + `(?:[^.;\n]|\.\d)*$`)
	// A purchase.
	entryBefore = stood(`\b(?:buy|buys|buying|bid|join|take|get|grab|rest|quote|enter|long)\b` + anywhere)
	// Or the side alone, before what says by itself that it is bought besides.
	tokenBefore = stood(`\b(?:buy|buys|buying|bid|join|take|get|grab|rest|quote|enter|long|ups?|downs?|yes|fav|favou?rite|underdog)\b` + anywhere)
	// A sale of a part.
	partBefore = stood(`(?:` + expand(`{sells}(?:{part}|(?:at |@ )?{p},? ?(?:for |on |\()?{part})\b|(?:tp|target|take[- ]profit)(?: ?\d)?:? (?:at )?{p} ?(?:for |on |\()?{part}\b|{part} {sold}\b|\b(?:limit sells?|sell|sale) (?:for |of |on )?{part}\b|{sells}\d+ (?:off )?(?:at|@) ?{p}|\bmerg(?:e|ed|es|ing)\b`)[1:] + `)` + anywhere)
	// An exit of all of it at a price, before another one.
	exitBefore = stood(`\b(?:sell|exit|close|get out|stop|stop loss|sl|tp|target|take profit)(?: (?:it|everything|all|out))*(?: at| @|:)? ?` + slots["p"].exp + `,? $`)
	// Shares sold at a price, before more of them.
	soldsBefore = stood(expand(`\b{sells}(?:\d+ (?:{share} )?(?:off )?(?:at|@) ?{p}(?:{rests})?\s*(?:,|;|/|\band\b|\bthen\b|\s)*)+`)[1:] + `$`)
	// One at a price, before more of them.
	partsBefore = stood(expand(`(?:{half}|{ratio}|{sells}(?:[^.;\n]|\.\d)*?{shares} (?:{share}|more))[a-z ]* (?:(?:at|@) ?{p}|{gain})(?:{rests})?`)[1:] + `\s*(?:,|;|/|\band\b|\bthen\b|\s)*$`)
	// A purchase at a price: rungs stand behind it.
	rungBefore = stood(rungPast)
	// The same, before one that is no more than a price and an amount: no sale in the sentence.
	stepBefore = stood(rungPast)
	// A word that makes what follows a condition of another sale.
	onlyBefore   = stood(`\b(?:only|just|except|even|but|always|still)\s*$`)
	sentenceSold = stood(sales + `(?:[^.;\n]|\.\d)*$`)
	// A price at which is bought, before more of them, and a side by itself before a bid for it, and one before
	// an offer.
	levelBefore = stood(`\b(?:buy|buys|buying|get|grab|ladder|scale|long)\b(?:[^.;\n]|\.\d)* ` + atPrice + comma + `$`)
	sideBefore  = stood(atSide + `$`)
	quoteBefore = stood(atSide + `bid ` + slots["p"].exp + `,? (?:and )?$`)
	// A further buy, before how often it is sent.
	addedBefore = stood(`\b(?:add|more|another|again)\b[^;\n]*$`)
	// An entry again.
	againBefore = stood(`\b(?:re-? ?enter|re-? ?entr(?:y|ies)|entries|back in)\b(?:[^.;\n]|\.\d)*$`)
	// One in any line before.
	entriesBefore = stood(`\b(?:re-? ?enter|re-? ?entr(?:y|ies)|entries)\b` + anywhere)
	// An order that rests, in any line before, and one behind whose price or clause a second
	// price may stand.
	limitBefore = stood(restingWords + anywhere)
	priceBefore = stood(restingWords + `(?s:.*)(?:[,;\n]|` + slots["p"].exp + `)\s*$`)
	// What a limit is of that is no order's, a sale in the clause that goes on, and a purchase that what
	// follows is a part of: "spread limit 3c", "sell at 50c post only", "buy Up and Down when …".
	nounBefore = stood(`\b(?:market|spread|loss|losses|profit|price|risk|depth|liquidity|exposure|drawdown|slippage|imbalance|time|stop)\s*$`)
	soldBefore = stood(sales + `(?:[^,;.:\n]|\.\d)*$`)
	bothBefore = stood(`\b(?:ups?|downs?|yes|no)(?: tokens?| shares?)?(?: and| &| \+|,? as well as) ?(?:also )?$`)
	// What is bought, before where in the book.
	boughtBefore = stood(`\b(?:buy|buys|buying|get|grab|take|long) (?:the )?(?:ups?|downs?|dn|yes|no|favou?rite|underdog|leader|it)(?: tokens?| shares?)?,? $`)
	// The same, or a side by itself behind a market, before a price that rests.
	sidedBefore = stood(`(?:^|[,;:.\n]|\b(?:buy|buys|buying|get|grab|take|long|` + coins + `|\d+ ?(?:m|min|h|d)|minutes?|hours?|hourly|daily)) *(?:the )?(?:ups?|downs?|dn|yes|favou?rite|underdog|leader)(?: tokens?| shares?)?(?: on (?:` + coins + `) (?:\d+ ?(?:m|min|h|d)|hourly|daily))?,? $`)
	// What is sized, and what by.
	kellyBefore = stood(`\bkelly\b` + anywhere)
	purseBefore = stood(`(?:\b(?:bankroll|roll|capital|balance|account)\b|` + slots["usd"].exp + ` (?:in total|to (?:start|begin|play))\b)` + anywhere)
)

// atSide is a side by itself, at the beginning or as a value, before an order for it.
const atSide = `(?:^|\n|^(?:` + coins + `)(?: \d+ ?(?:m|min|h|d))?(?:,| /)? )\s*(?:side ?[:=] ?)?(?:ups?|downs?|dn|yes)(?:(?: of| on|,)? (?:` + coins + `) (?:\d+ ?(?:m|mins?|h|d)|hourly|daily))?(?:[:.]| /|[:,]?\s*\n)?\s*`

const (
	// sales are words of selling.
	sales = `\b(?:sell|exit|take profit|target|tp|close|get out|cash out)\b`
	// restingWords are words of a purchase that rests.
	restingWords = `\b(?:bids?|limit|rest|resting|quote|join|post)\b`
	// joining joins a clause to the one before it.
	joining = `(?:,\s*|\s+)(?:and then|and also|and|n then|n|then|but|also|with|using|(?:after that|afterwards?|thereafter),?)?\s*`
)

// rungPast is a purchase at a price, before more of them.
var rungPast = `(?:(?:` + slots["usd"].exp + `|` + slots["p"].exp + `)[a-z0-9 ']*? ` + atPrice + `|` +
	`\bbid ` + slots["p"].exp + ` (?:for|on) ` + slots["usd"].exp + `[a-z0-9 ]*?|` +
	atPrice + `,? (?:for |with )?` + slots["usd"].exp + `|` +
	`(?:more|another ` + slots["usd"].exp + `|again) ` + atPrice + `)(?: or (?:less|lower|below|under|better))?\s*(?:,|;|/|\+|\band\b|\bn\b|\bthen\b|\s)*$`

// atPrice is a price behind a word for it.
var atPrice = `(?:at|@|below|under|<=?) ?(?:a price of )?` + slots["p"].exp
