package rules

import (
	"slices"
	"strings"

	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/lazy"
	"github.com/ladderback/ladderback/parser/lexicon"
)

// misread lists the items that may be another than they are read as.
func (r *reader) misread(reading *grammar.Reading) []Obstacle {
	r.held = make([]bool, r.p.Tokens())
	r.leaves(reading, func(n, _ *grammar.Node, _ *grammar.Item) {
		l := &r.p.Lexemes[n.Lexeme]
		for at := l.From; at < l.To; at++ {
			r.held[at] = true
		}
	})
	var list []Obstacle
	for i := range reading.Items {
		it := &reading.Items[i]
		if why := r.misreads(reading.Items, i); why != "" {
			o := r.obstacle(it.From, r.p.WordsEnd(it.From, it.To))
			o.Why, o.Remedy = why, reasons[why]
			list = append(list, o)
		}
	}
	return list
}

// misreads is why item i may be another than it is read as, "" where it is not: the first reason
// of the tables.
func (r *reader) misreads(items []grammar.Item, i int) string {
	for _, m := range misreadings {
		if m.is(r, items, i) {
			return m.why
		}
	}
	it := &items[i]
	texts := map[int32]string{} // by how many tokens behind it
	for _, t := range turns {
		if !t.of(it) {
			continue
		}
		text, known := texts[t.behind]
		if !known {
			text = strings.ToLower(r.p.Text(it.From, min(it.To+t.behind, int32(r.p.Tokens()))))
			texts[t.behind] = text
		}
		if t.words.MatchString(text) && !r.p.HasClass(it.From, it.To, t.unless...) {
			return t.why
		}
	}
	return ""
}

// turns are words in some items, or up to so many tokens behind them, that make them other than
// they are read as, unless they have a word of some classes, by why they are refused.
var turns = []struct {
	why    string
	of     func(it *grammar.Item) bool
	words  *lazy.Regexp
	behind int32
	unless []string
}{
	// A move with the price that it leads to: "rises to 60c in 30 seconds".
	{"moving", isMove, words(`\b(?:rises?|rose|falls?|fell|drops?|dropped|climbs?|climbed|goes|gets|jumps?|jumped|dips?|moves?|moved|up|down|back) to \$?[.\d]`), 0, nil},
	// The second bound of a move, or of the price: "falls more than 5c in a minute but less than 10c".
	{"boundof", hasChange, words(`(?:seconds?|secs?|minutes?|mins?|hours?|\d ?[smh]) but (?:(?:not |no )?more|less|at most) `), 0, nil},
	// What a sale costs is no part of its price: "take profit at 55c including fees".
	{"fees", sells, words(`\b(?:includ(?:ing|es|ed)|incl\.?|inclusive of|with|all|before) (?:the )?(?:fees|costs)|fees (?:included|and all)`), 3, nil},
	// A limit of a time that there is none of: "max_hold: no".
	{"novalue", always, words(`\b(?:max[_ ]?hold|hold[_ ]?time|time[_ ]?limit|time[_ ]?stop)["' ]*[:=]["' ]*(?:no|none|never|off)\b`), 0, nil},
	// A distance that stands where a price does: "take profit at 55c winner only".
	{"headless", isFar, words(`(?:\bat|@|\btp) ?[:=]? ?[\d.$]|^(?:profit|win|gain)["']? ?[:=]`), 0, []string{"ENTRYREF", "ENTRYCUE", "PLUSNUM"}},
	// A last time that stands behind a first one: "after 3 minutes at the latest".
	{"howlong", isLate, words(`\b(?:at|by) (?:the )?latest\b`), 3, nil},
	// A time that has to be left yet, or up to which it is bought: "as long as 5 minutes remain",
	// "up to 5 minutes before the end".
	{"howlong", hasRemaining, words(`\b(?:as long as|so long as|while|still|provided|providing|assuming|condition|as little as|(?:aren't|arent|are not|isn't|is not) [0-9a]+)\b`), 0, []string{"CMP", "LCMP", "POST"}},
	{"howlong", hasRemaining, words(`\bup to [^,]*(?:left|before|remain)`), 0, nil},
	{"howlong", hasRemaining, words(`\b(?:must|should|have to|has to|want|provided|providing|assuming|i have|we have|still) (?:that )?(?:there )?(?:be |are |is |have )?(?:still )?[a-z\d]+[ -]?(?:[smh]|sec\w*|min\w*|hours?) (?:are |is )?(?:left|remain|remaining|to go)`), 0, nil},
	{"howlong", hasConds, words(`(?:^|[,.c] )latest (?:minute|half|\d)|\bin - \d`), 0, nil},
	// The other end of a time: "starting two minutes in and ending five minutes in".
	{"howlong", hasConds, words(`\band (?:ending|ends|closing|stopping) (?:\d|an? |half|one|two|three|four|five|six|seven|eight|nine|ten)`), 0, nil},
	// Before a time of the round, or of its end: "sell before 5 minutes".
	{"howlong", func(it *grammar.Item) bool { return it.Meaning.Has(grammar.SlotExitBefore) }, words(`[a-z] before (?:\d+|an?|half an?|one|two|three|four|five|ten|fifteen|thirty) ?(?:[smh]|sec\w*|min\w*|hours?)$`), 0, nil},
	// What was higher then has fallen since: "it was 10c higher 2 minutes ago".
	{"moving", hasChange, words(`\b(?:was|wasn't|were|been|traded|stood|sat|cost)\b.*\b(?:higher|lower|cheaper|dearer|more|less|above|below) (?:\d|an?\b|half|one|two|three|five|ten)`), 0, nil},
	// What is paid at most, and where the price is to be: "I'd go up to 60c".
	{"atmost", hasPrice, words(`(?:^|[,;] |\b(?:and|to|i|i'll|i'd|can|will|would) )(?:go|going|get|getting) (?:up |down )?to \$?[.\d]`), 0, []string{"IF"}},
	// What is needed at most, or at least: "needs a 2c spread", "need 40c".
	{"atmost", hasPrice, words(`\b(?:needs?|requires?)\b(?: an?)?(?: (?:price|ask|bid) of)? \$?[.\d]+ ?(?:c\b|¢|cents?)`), 0, []string{"POST"}},
	{"atmost", hasPrice, words(`\bnot (?:only|just) (?:below|above|under|over|at)\b`), 0, nil},
	// A spread with a second bound, of the price: "spread 2c or tighter, below 40c".
	{"vaguespread", hasWide, words(`\bor (?:tighter|less|lower|narrower),? (?:below|under|less than|at most)\b`), 0, nil},
	// The last minutes of the round, or a look-back: "drops 10c in the final 2 minutes".
	{"sinceopen", hasChange, words(`\dc?(?: cents?)? (?:in|during|over|within) the (?:final|closing) `), 0, nil},
	// An alternative, or a bound of the time: "with 2 minutes left or below 40c".
	{"anyof", hasRemaining, words(`\b(?:left|remaining) or (?:below|under|above|over) [$.\d]`), 2, nil},
	// A bound of what stands behind it: "at 40c and over 200 markets".
	{"unheld", hasConds, words(`(?:\d|c|¢|cents?) and (?:over|above|under|below) (?:\$|\d+ ?(?:[ms]|markets|rounds|trades|min\w*|sec\w*)\b)|\b(?:left|remaining|gone|in) and (?:over|above|under|below) [$.\d]`), 3, nil},
	// An exit on what it does not look at: "sell when the ask is 60c".
	{"sellsif", sells, words(`\b(?:ask|offer|mid|midpoint)\b`), 0, nil},
	// Rounds of a length that is none: "last 10 minute rounds", "last third of 300 rounds".
	{"length", hasRemaining, words(`\b(?:last|past|final) \d+[ -]?(?:minute|min|m|hour|h) (?:rounds|markets)\b|\b(?:third|half|quarter) of \d`), 2, nil},
	// Thousands, or a fraction: "$1.000", "1.000 markets". No fraction of a dollar is written with a zero at its end.
	{"howmany", isAmount, words(`(?:^|[^\d.])[1-9]\d{0,2}\.(?:\d\d0\b|\d{3} ?(?:markets?|rounds?|trades?|samples?)\b)`), 0, nil},
	// A time in which it is bought too, or alone.
	{"excluded", hasConds, words(`, also (?:after|before|from|(?:in |during )?the (?:last|first|final))\b|\b(?:always|anytime|any time) but\b|\bno more (?:\d|with|after|from)`), 0, nil},
	// A time of something else than the market: "trade length 5 minutes".
	{"cointime", hasLength, windows, 0, nil},
	// A number of something else, what is gained, what it is worth, a distance and a price above a dollar: "up
	// to 3 tries", "scalp for 10c", "it's worth 60c", "if it goes against me by 10c", "at 1.50 dollars".
	{"headless", hasConds, words(`\bup to (?:\d+|two|three|four|five) (?:tries|entries|orders|positions|trades|times|attempts|buys|fills)\b`), 1, nil},
	{"heldgain", hasConds, words(`\b(?:scalp|scalping|going) for \$?[.\d]`), 0, nil},
	{"vagueprice", hasConds, words(`\bworth \$?[.\d]`), 0, nil},
	{"lossof", sells, words(`\bagainst me by\b`), 0, nil},
	{"lossof", func(it *grammar.Item) bool { return it.Meaning.Has(grammar.SlotSL) }, words(`\bloss limit\b`), 0, nil},
	{"number", isAmount, words(`^at (?:\$ ?)?\d\.\d`), 0, nil},
	// Two purchases: "$50 now and $50 at 35c".
	{"sizing", always, words(`\bnow and (?:\$|\d)`), 3, nil},
	// A sale that is read as what is bought: "put it up for sale at 55c".
	{"limit", hasConds, words(`\b(?:put|puts|leave) (?:it|them) up for sale\b`), 0, nil},
	// Counts, parts and amounts of money in the place of a price: "two more entries", "30 out of 100", "out half".
	{"headless", sells, words(`^(?:target |make |stop |sell )?(?:\d+|one|two|three|four|five|six|ten) (?:more |losing |winning |straight )*(?:entries|trades|exits|rounds|markets|out of)\b`), 3, nil},
	{"headless", sells, words(`^(?:out|exit|sell|close|actually|no,?|wait,?) (?:half|a quarter|a third)$`), 0, nil},
	{"account", isAmount, words(`^\d+ at a time\b|(?:\$[\d.,]+k?|\bdollars|\bbucks|\busd) (?:across|spread over) \d`), 3, nil},
	// Shares in the place of a price, all of it, and a part of the money: "sell one", "bet it all", "no, a quarter".
	{"partof", sells, words(`^sell (?:one|two|three|four|five|ten) (?:at|when|if|for)\b|\b(?:no|nope|actually|wait|sorry|i mean),? (?:sell )?an? (?:quarter|third|half)$`), 0, nil},
	{"account", buys, words(`^(?:bet|put|stake) (?:it|them) all\b`), 0, nil},
	{"account", isTime, words(`^half (?:in|on) [a-z]+$`), 0, []string{"ROUND"}},
	{"account", hasPrice, words(`\bwith (?:a )?half$`), 0, nil},
	{"headless", sells, words(`hold.*,? or \d+$`), 0, nil},
	// A part of what is held or of the money in the place of a price: "dump half", "buy half Up".
	{"partof", hasPriceOrExit, words(`\b(?:dump|bank|take off|leave|sell|cut|cash out|unload|offer|close|exit|buy|grab|get|take|buy (?:up|down) by) (?:an? )?(?:half|quarter|third)(?:$| (?:up|down|of)\b)`), 1, nil},
	// No token: "no damn higher than 55c", "no one pays above 55c".
	{"exclusion", always, words(`\bno (?:damn|way|ever|bloody|[a-z]+ing|real) (?:higher|lower|more|less|greater|cheaper|dearer|worse) than\b|\b(?:no one|nobody) (?:[a-z]+ )*(?:above|below|over|under|at|to) [$.\d]|\b(?:no one|nobody) holds\b`), 3, nil},
	// What is gained or lost since the entry, and a level that is lost: "out up 10c", "loses the 30c level".
	{"exitat", sells, words(`^(?:out|exit|close|sell) (?:up|down) (?:an? )?(?:[$.\d]+ ?(?:c|cents?)?|dime|nickel)$`), 0, nil},
	{"lossof", sells, words(`\bloses? the \$?[.\d]|\bbet (?:up|down) to lose\b`), 0, []string{"ENTRYREF"}},
	// What did not come to pass in a time, or has been so all along: "never reaches 60c by minute 5".
	{"history", hasConds, words(`(?:\b(?:never|cannot|can't)|\b(?:does|do|did)(?:n't| not)) (?:[a-z]+ )?(?:reach|get|go|fall|drop|rise|hit|touch|climb|break|dip)[a-z]* .*\b(?:by minute|until|till|before minute|in the first|within|for \d|in \d)|\bstays? .*\b(?:until|till|up to) (?:minute|the)\b|\b(?:is|are|was|been|stays?) (?:always|mostly|possibly|probably|nothing)\b`), 2, nil},
	// Counts in the place of cents: "stop at 30 positions", "more than 60 bids", "20 losses".
	{"headless", hasPriceOrExit, words(`\d+ (?:positions|orders|entries|buys|trades|sells|fills|losses|bids|wins)\b`), 2, []string{"ROUND"}},
	// How many, or at how much: "buy 30 of Up for 40c", "50 outcome shares", "buy Up with 20", "40 to go".
	{"howmuch", hasConds, words(`\b(?:buy|get me|get|grab) \d+ (?:worth )?of (?:up|down)\b|\d+ (?:[a-z]+ ){1,3}(?:shares|contracts)\b|\b(?:buy|long|get|grab) (?:up|down) with \d+$|\d to go\b`), 4, []string{"USD", "DUR"}},
	{"shares", isAmount, words(`\d+ (?:[a-z]+ ){1,2}(?:shares|contracts)\b`), 3, nil},
	// An offer is a sale: "offer everything at 60c".
	{"limit", hasConds, words(`^(?:and |then )?offer (?:everything|all|it all|the lot|half|them)\b`), 0, nil},
	// From where: "buy Up 5c lower", "bid Up 5c over".
	{"headless", hasPriceOrExit, words(`\b(?:buy|long|bid|get|grab) (?:up|down) (?:up |down )?\$?[.\d]+ ?(?:c|cents?) (?:back\b|lower\b|higher\b|(?:up|down|over) on\b|(?:up|down)$)|\b(?:up|down) (?:up|down) \$?[.\d]`), 2, nil},
	// Markets of half an hour, and a stop that is no length: "half-hourly", "daily stop 30c".
	{"length", hasLength, words(`\bhalf[- ]?hourly\b`), 0, nil},
	{"length", hasLength, words(`\b(?:daily|hourly) (?:stop|target|limit|loss|profit)\b`), 1, nil},
	// A trail from a price on, a target and its trail: "sell once over 60c with 5c trail".
	{"sequence", sells, words(`\b(?:once|when|if|after) (?:it is |it's |up is )?(?:over|above|past) .* (?:with|then) .*\btrail`), 4, nil},
	// One round in so many, and a forecast: "every 30 rounds", "is going to 40c".
	{"howmany", isAmount, words(`\bevery \d+ (?:rounds|markets)\b`), 0, nil},
	{"moving", hasConds, words(`\b(?:is|are|it's) going to [$.\d]|\btries [$.\d]`), 0, nil},
	// At that time alone, and a part of the last minute.
	{"howlong", hasConds, words(`\bonly at (?:minute|the)\b|\bexcluding the (?:first|last)\b`), 3, nil},
	// Another stop for a target: "sell at 60c, sorry, 30c stop".
	{"contradiction", sells, words(`^(?:sell|exit|out|target|tp|take profit) .*(?:sorry|no|wait|actually|oops|i mean|make that),? .*\b(?:stop|sl)\b`), 0, nil},
	// An amount in the place of a price, a bid of one's own or the best one: "buy Up with 20", "bid below 45c on Up".
	{"howmuch", hasPrice, words(`\b(?:with|using) \d{1,2}(?:$| (?:after|in|at|when|if|before|once)\b)`), 1, []string{"CENT", "DEC", "USD", "LEFT"}},
	{"limit", hasPrice, words(`^bid (?:below|under|over|above|at least|at most) [$.\d]+ ?(?:c|cents?)? (?:on|for) (?:up|down)`), 0, nil},
	{"lossof", sells, words(`\b(?:stop|take) (?:so|still|well|all|um|uh|like) (?:loss|profit)\b`), 0, nil},
	{"howlong", hasConds, words(`\bat (?:minute|the) [a-z0-9]+ only\b`), 1, nil},
	// What may come to pass: "when Up might fall under 40c".
	{"moving", hasConds, words(`\b(?:up|down|it|price) (?:might|may|could|is gonna|gonna|wants? to|is about to|is going to) (?:be|fall|drop|rise|go|get|hit|reach|climb)\b|\b(?:up|down|it|price) (?:wants|loves|settles|closes) [.\d$]`), 0, nil},
	// A price, or a distance from the entry: "target 60c tops", "sell at 30c at a loss".
	{"exitat", sells, words(`\d ?(?:c|¢|cents?)? tops$|\bat [$.\d]+ ?(?:c|¢|cents?)? at a (?:loss|profit)\b`), 0, nil},
	// A target from some time on, not a sale then: "hold 2 minutes then sell at 60c".
	{"exittime", sells, words(`\bhold(?: it)?(?: for)? [a-z0-9]+ ?[a-z]* (?:and )?then (?:sell|exit|out) (?:at|@)`), 2, nil},
	// What is so at times: "the spread is often 2c".
	{"vague", hasConds, words(`\b(?:often|usually|typically|normally|sometimes|tends? to)\b`), 0, nil},
	// Of the bid alone: "at least $500 on the bid and the ask is 49c or lower".
	{"quantity", hasDepths, words(`\b(?:bid|ask|bids|asks|offer)s?(?: side)? and (?:the |its |an? )?(?:best )?(?:bid|ask|bids|asks|offer)s?(?: side)? (?:is|are|at)\b`), 1, nil},
	// Of both tokens, and read of one: "when neither is above 60c".
	{"both", hasConds, words(`\bneither (?:is|of|side|token|has)\b`), 0, nil},
	// A span of data as a length: "over one hour".
	{"cointime", hasLength, words(`\bover (?:one|an?|\d+)[ -]?(?:hour|h|day|d|m|min|minutes?)\b`), 0, []string{"ROUND"}},
	// What is lost at most as a move: "lose at most 10c in the last 4 minutes".
	{"lossof", hasChange, words(`\b(?:max(?:imum)? loss|lose at most|loss of at most)\b`), 0, nil},
	// A time of the trade, or of the round: "5 minutes in the trade at most", "sell after 3 minutes in the market".
	{"sellin", isTime, words(`\bin (?:the|a|my) (?:trade|position)\b`), 0, nil},
	{"sellin", sells, words(`\b(?:seconds?|minutes?|mins?|hours?|\d[smh]) in (?:the|a) market\b`), 0, nil},
	// A stop below zero: "out at 55c or stop at -8c".
	{"lossof", func(it *grammar.Item) bool { return it.Meaning.Has(grammar.SlotSL) }, words(`[ @:=]-[.\d]`), 0, nil},
	// Odds, of so many; trades that are won or lost: "8 out of 10", "odds of 2", "3 losses and out", "45c loses".
	{"headless", sells, words(`\bout of (?:every )?(?:\d+|ten|five|four|three|twenty)\b`), 0, nil},
	{"headless", hasConds, words(`\bodds (?:(?:[a-z]+|[<>=]+) )*\d(?:\.\d+)?\b`), 0, []string{"CENT", "DEC"}},
	{"headless", sells, words(`^(?:\d+|one|two|three|four|five|six|ten) (?:losses|wins|losers|winners)\b|\dc? (?:cents )?(?:loses|wins)$`), 0, nil},
	// A run, which is no range of the entry, and an aim: "on a run from 40c to 60c", "buy Up to reach 60c".
	{"exittime", hasConds, words(`\brun from [$.\d]`), 0, nil},
	{"heldgain", hasConds, words(`\b(?:buy|long|take|get|grab) (?:the )?(?:up|down|yes|no) to (?:reach|hit|get to|rise to|go to|climb to|touch|make it to) `), 0, nil},
	// A time that is read as a length of market, or without its unit: "below 40c at 300s", "Time left: > 5".
	{"cointime", hasLength, words(`^(?:at|@) \d+ ?[a-z]+$`), 0, nil},
	{"howlong", isTime, words(`\b(?:left|remaining)["']? ?[:=] ?[<>]=? ?1?\d$`), 0, nil},
	// Money that is not each trade's: "keep $50 back", "take $50 and run", "Capital: 500", "at twenty one hundred dollars".
	{"account", isAmount, words(`^\$\d+ back\b|^(?:my |total |starting )?capital ?(?:[:=]|\$?\d)|\band run(?:$|[.,;!]| away)`), 3, nil},
	{"headless", isAmount, words(`\bat (?:twenty|thirty|forty|fifty|sixty|seventy|eighty) [a-z]+ hundred\b`), 0, nil},
	{"excluded", always, words(`\bbar the (?:last|first|final)\b`), 0, nil},
	// How many, or at how much: "buy 40 up at 40c"; a price under a cent, "0.40c".
	{"howmuch", hasConds, words(`\b(?:buy|long|get|grab) (?:\d+|one|two|three|four|five|ten|twenty|fifty) (?:up|down|yes|no) (?:at|@|for|under|below)\b`), 2, nil},
	{"number", hasConds, words(`(?:^|[^\d])0?\.\d\d ?(?:c\b|¢|cents?\b)`), 0, []string{"QTY"}},
	// A turn or a second number of the price: "if it turns at 40c", "sell at 60c or 2", "below 40c inclusive".
	{"moving", hasConds, words(`\b(?:tops? out|bottoms? out|turns|breaks? out of) (?:at )?[$.\d]|\binclusive\b`), 1, nil},
	{"headless", sells, words(`\dc? or \d$`), 0, nil},
	// What is asked for it, or a limit of the entry: "buy Up below 40c, ask 60c".
	{"limit", hasConds, words(`^(?:ask|offer) \$?[.\d]+ ?(?:c|¢|cents?)?(?:$| for )`), 0, nil},
	// A part of what is left of the money, not of the time; a bound without its unit; what is lost, or how often.
	{"sizing", hasRemaining, words(`\b(?:of what(?:'s| is) left|remaining (?:bankroll|roll|cash|money|capital|balance)|of (?:the |my )?remaining)\b`), 3, nil},
	{"vaguetime", hasRemaining, words(`\bearly\b`), 0, nil},
	{"headless", hasPrice, words(`^min(?:imum)? \d$`), 0, nil},
	{"lossof", sells, words(`\b(?:when|if|after) i lose \d$`), 0, nil},
	// A value that is changed: "stop 20c. Raise that to 35c".
	{"contradiction", func(it *grammar.Item) bool { return hasConds(it) && !it.Meaning.Has(grammar.SlotMend) }, words(`^(?:raise|lower|move|bump|lift|drop|change|make) (?:that|this|it|those|them) `), 0, nil},
	// A sale of an age, or not before some time: "when the trade is 10 minutes old", "at the earliest".
	{"sellin", sells, words(`\b(?:minutes?|mins?|seconds?|secs?|\d[ms]) (?:old|plus|at the earliest)\b|\bat the earliest\b`), 3, nil},
}

// words is an expression of them, in letters of any size.
func words(exp string) *lazy.Regexp { return lazy.Compile(`(?i)` + exp) }

func hasPriceOrExit(it *grammar.Item) bool { return sells(it) || hasPrice(it) }

func hasConds(it *grammar.Item) bool { return it.Meaning.Conds() != nil }

func isAmount(it *grammar.Item) bool { return it.Kind == "item.sample" || it.Kind == "item.money" }

// hasPrice reports whether an item has a condition on a price or the spread.
func hasPrice(it *grammar.Item) bool {
	return slices.ContainsFunc(all(it), func(c grammar.Cond) bool { return c.Qty <= grammar.Spread })
}

func hasLength(it *grammar.Item) bool { return it.Meaning.Has(grammar.SlotLen) }

func always(*grammar.Item) bool { return true }

// all are the conditions of an item that must all hold.
func all(it *grammar.Item) []grammar.Cond {
	if x := it.Meaning.Conds(); x != nil {
		return x.All
	}
	return nil
}

// isMove reports whether an item says of a move and maybe of times, and of nothing else.
func isMove(it *grammar.Item) bool {
	list := all(it)
	return len(list) > 0 && list[0].Qty == grammar.Change && !slices.ContainsFunc(list, func(c grammar.Cond) bool { return c.Qty != grammar.Change && !c.IsTime() })
}

func hasChange(it *grammar.Item) bool {
	return slices.ContainsFunc(all(it), func(c grammar.Cond) bool { return c.Qty == grammar.Change })
}

// passesOne reports whether "one" before a number of an item is passed over, and no pronoun: "one or
// two minutes left".
func (r *reader) passesOne(it *grammar.Item) bool {
	for i := max(it.From-4, 0); i < it.To; i++ {
		if r.p.Word(i) != "one" || r.held[i] || i > 0 && (ofOnes[r.p.Word(i-1)] || r.p.HasClass(i-1, i, "COIN", "LEN", "LENWORD", "TOK", "NAME", "UNK", "ROUND")) {
			continue
		}
		j := i + 1
		for j < it.To && ranging[r.p.Word(j)] {
			j++
		}
		if j > i+1 && j < it.To && r.held[j] && r.p.HasClass(j, min(j+2, it.To), "CENT", "DEC", "USDC", "USD", "INT", "REAL", "DUR") {
			return true
		}
	}
	return false
}

// ofOnes are words before "one" as a pronoun, ranging those between two numbers of a range.
var (
	ofOnes  = lexicon.WordSet("the this that which each every any other only no first second last next same")
	ranging = lexicon.WordSet("to or till until through thru - – — and but not up")
)

func named(c grammar.Cond) bool { return c.Tok == grammar.SideUp || c.Tok == grammar.SideDown }

// far is a distance from entry that is as likely a price, in 1e-6.
const far = 300_000

func isFar(it *grammar.Item) bool {
	return max(it.Meaning.Get(grammar.SlotTPO), it.Meaning.Get(grammar.SlotTrail)) >= far
}

// isLate reports whether an item has a time from which on it holds, and is no sale.
func isLate(it *grammar.Item) bool {
	return !sells(it) && slices.ContainsFunc(all(it), func(c grammar.Cond) bool { return c.IsLate() })
}

func hasWide(it *grammar.Item) bool {
	for c := range it.Meaning.Conds().Walk() {
		if c.Qty == grammar.Spread && c.Num > widest {
			return true
		}
	}
	return false
}

// hasDepths reports whether an item has a depth of the ask.
func hasDepths(it *grammar.Item) bool {
	return slices.ContainsFunc(all(it), func(c grammar.Cond) bool { return c.Qty == grammar.AskDepth })
}

func hasRemaining(it *grammar.Item) bool {
	return slices.ContainsFunc(all(it), func(c grammar.Cond) bool { return c.Qty == grammar.Remaining })
}

// misreadings are what else makes an item another than it is read as.
var misreadings = []struct {
	why string
	is  func(r *reader, items []grammar.Item, i int) bool
}{
	{"boundof", func(_ *reader, items []grammar.Item, i int) bool {
		return i > 0 && items[i].Kind == "item.pred" && ranges(items[i-1].Meaning.Conds(), items[i].Meaning.Conds())
	}},
	{"takenback", func(r *reader, items []grammar.Item, i int) bool { // "Actually, no."
		return items[i].Kind == "item.mend" && r.p.Word(items[i].To-1) == "no"
	}},
	{"headless", func(r *reader, items []grammar.Item, i int) bool { // "Test 7."
		it := &items[i]
		n := it.Meaning.Get(grammar.SlotSample)
		return it.From == 0 && it.To == 2 && r.p.Word(0) == "test" && n > 0 && n < fewest*lexicon.Micro && !r.p.HasClass(2, min(3, int32(r.p.Tokens())), "ROUND")
	}},
	{"headless", func(r *reader, items []grammar.Item, i int) bool { return r.passesOne(&items[i]) }},
	// What is demanded, behind what is avoided: "no entries or the spread has to be under 2c".
	{"exclusion", func(r *reader, items []grammar.Item, i int) bool {
		it := &items[i]
		return it.Meaning.Conds() != nil && r.p.HasClass(it.From, it.To, "AVOID") && r.says(it, "must")
	}},
	{"headless", func(r *reader, items []grammar.Item, i int) bool {
		return items[i].Meaning.Has(grammar.SlotTPO) && r.by(&items[i]) && slices.ContainsFunc(items, func(it grammar.Item) bool { return it.Meaning.Has(grammar.SlotBuy) && r.by(&it) })
	}},
	// What is gained or lost so far, in an entry: "when I'm up 8c".
	{"heldgain", func(r *reader, items []grammar.Item, i int) bool {
		return items[i].Meaning.Conds() != nil && r.says(&items[i], "when i am up")
	}},
	{"whose", ofOther},
	{"whose", takesOther},
	{"excluded", alsoIn},
	{"excluded", reaches},
	{"exitat", buysAtEnd},
	{"sellin", unitless},
	{"exittime", ofSale},
	{"nosale", holdsIn},
	{"lossof", asFar},
	{"lossof", with},
	{"history", wasSo},
	{"ashigh", func(r *reader, items []grammar.Item, i int) bool { // what is paid at most: "buy Up as high as 50c"
		text := r.p.Text(items[i].From, items[i].To)
		return items[i].Meaning.Conds() != nil && asHigh.MatchString(text) && !isHigh.MatchString(text)
	}},
	{"sellsif", thenBuys},
	{"heldgain", locks},
	{"told", tellsOf},
	{"told", beside},
	{"told", besidePrice},
	{"told", comments},
	{"howmany", amountOf},
	{"howmany", costsSo},
	{"cointime", lastsElse},
	// A time straight before an exit, of which it may be: ", from minute 10 tp 48c".
	{"exittime", func(r *reader, items []grammar.Item, i int) bool {
		it := &items[i]
		times := len(all(it)) > 0 && !slices.ContainsFunc(all(it), func(c grammar.Cond) bool { return !c.IsTime() })
		return times && !buys(it) && i+1 < len(items) && items[i+1].From == it.To && sells(&items[i+1]) && it.From > 0 && r.isBreak(it.From-1)
	}},
	{"nosale", deniesNext},
	{"exclusion", takenBack},
	{"both", bothSides},
	{"both", otherSide},
	{"excluded", excludes},
	{"both", notBought},
	{"both", ownsOther},
	{"headless", func(r *reader, items []grammar.Item, i int) bool { // "buy Up 5c lower"
		it := &items[i]
		return i > 0 && items[i-1].To == it.From && buys(&items[i-1]) && items[i-1].Meaning.Conds() == nil && it.Kind == "item.offset" && further.MatchString(r.p.Text(it.From, it.To))
	}},
	{"exclusion", func(r *reader, items []grammar.Item, i int) bool { // "buy the favorite, not Down"
		ranked := func(o grammar.Item) bool { return r.p.HasClass(o.From, o.To, "FAV", "EITHER") }
		return notToken.MatchString(r.p.Text(items[i].From, items[i].To)) && slices.ContainsFunc(items, ranked)
	}},
	{"sequence", func(r *reader, items []grammar.Item, i int) bool { // "even rounds only"
		before := items[i].From - 1
		return before >= 0 && (r.p.HasClass(before+1, before+2, "ROUND") && (r.p.Word(before) == "even" || r.p.Word(before) == "odd") || isAmount(&items[i]) && r.p.Word(before) == "every")
	}},
	{"length", func(r *reader, items []grammar.Item, i int) bool { // "half-hourly"
		before := items[i].From - 1
		for before > 0 && r.p.Word(before) == "-" {
			before--
		}
		return before >= 0 && hasLength(&items[i]) && r.p.HasClass(before+1, before+3, "LENWORD") && !r.p.HasClass(before+1, before+2, "COIN") && r.p.Word(before) == "half"
	}},
	{"told", func(r *reader, items []grammar.Item, i int) bool { // "I'm done buying Up"
		it := &items[i]
		return buys(it) && doneBuying.MatchString(r.p.Text(max(it.From-3, 0), it.To))
	}},
	{"unheld", func(r *reader, items []grammar.Item, i int) bool { return i == 0 && r.unnamed(items) }},
	// What heads a prompt may be its market all the same, and is offered.
	{"unheld", func(r *reader, items []grammar.Item, i int) bool { return i == 0 && inPassing(r, items, i) }},
	{"passing", inPassing},
	{"nosale", holdsSo},
	{"partof", partOf},
	{"howmany", paidOut},
	{"howmany", eachOne},
	{"howmuch", stakesTo},
	// Cents or dollars on a side of the book: "more than 60 on the bid".
	{"headless", func(r *reader, items []grammar.Item, i int) bool {
		it := &items[i]
		return it.Meaning.Conds() != nil && (r.says(it, "on the ask") || r.says(it, "on the bid")) && r.p.HasClass(it.From, it.To, "INT") && !r.p.HasClass(it.From, it.To, "CENT", "DEC", "USDC", "USD")
	}},
	// A spread that is called tight with the number of something else: "tight, under 40c".
	{"vaguespread", func(r *reader, items []grammar.Item, i int) bool {
		return hasWide(&items[i]) && r.p.HasClass(items[i].From, items[i].To, "VAGUE")
	}},
}

// widest is the spread that may be called tight, in 1e-6: up to it a price is the mid.
const widest = 100_000

// fewest markets are asked for by "test 20" at the head of a prompt: "Test 7." is its name.
const fewest = 20

// says reports whether an item has a word of a name.
func (r *reader) says(it *grammar.Item, name string) bool {
	return r.p.Has(it.From, it.To, func(e *lexicon.Entry) bool { return e.Name == name })
}

// by reports whether "by" stands for "at" before a price of an item: "buy by 40c, take profit
// by 35c".
func (r *reader) by(it *grammar.Item) bool {
	for at := it.From; at+1 < it.To; at++ {
		if r.p.Word(at) == "by" && r.p.HasClass(at+1, min(at+3, it.To), "CENT", "DEC", "USDC") {
			return true
		}
	}
	return false
}

// ranges reports whether bare bounds stand behind one of the ask or the bid on the other side,
// which they may go on with: "ask 95c or higher. Up to 97c".
func ranges(before, bounds *grammar.Expr) bool {
	for c := range before.Walk() {
		for d := range bounds.Walk() {
			if c.Faces(d) {
				return true
			}
		}
	}
	return false
}

// notBought reports whether a purchase is denied of the other token than the one that is bought:
// "I don't want to buy Up under 38c. I want to buy Down".
func notBought(r *reader, items []grammar.Item, i int) bool {
	it := &items[i]
	if it.Meaning.Conds() == nil || !r.p.HasClass(it.From, it.To, "NOT", "AVOID") || r.p.HasClass(it.From, it.To, "UNLESS") {
		return false
	}
	m := boughtNot.FindStringSubmatch(r.p.Text(it.From, it.To))
	return m != nil && slices.ContainsFunc(items, func(o grammar.Item) bool {
		is := func(word string) bool { return strings.Contains(strings.ToLower(r.p.Text(o.From, o.To)), word) }
		return o.From != it.From && o.Kind == "item.buy" && is("up") != is("down") && !is(strings.ToLower(m[1]))
	})
}

// boughtNot is a purchase that is denied.
var boughtNot = lazy.Compile(`(?i)\b(?:don't|dont|do not|never|not|won't)\b.*\b(?:buy|take|get|go|long) (?:the )?(up|down)\b`)

// further is a distance that nothing says the other end of.
var further = words(`(?:lower|higher)$|^(?:minus|plus)\b`)

// doneBuying is a purchase that is over.
var doneBuying = words(`\b(?:(?:am|i'm) done|regret|hate|stopped|quit|avoid|against) buying\b`)

// Coins, lengths and shares that words stand between: "any damn coin", "one whole share".
var (
	someCoin   = words(`\b(?:any|all|every) [a-z]+ coins?\b`)
	someLength = words(`\b(?:any|all|every) [a-z]+ lengths?\b`)
	someShare  = words(`\bone [a-z]+ (?:share|contract)\b`)
)

// unnamed reports whether the prompt has words for the coin, the length or the size that no item has.
func (r *reader) unnamed(items []grammar.Item) bool {
	text := r.p.Text(0, int32(r.p.Tokens()))
	lacks := func(slot grammar.Slot) bool {
		return !slices.ContainsFunc(items, func(it grammar.Item) bool { return it.Meaning.Has(slot) })
	}
	return someShare.MatchString(text) || someCoin.MatchString(text) && lacks(grammar.SlotCoin) || someLength.MatchString(text) && lacks(grammar.SlotLen)
}

// notToken is a token that is not bought.
var notToken = words(`^(?:not|never|no) (?:the )?(?:up|down)s?$`)

// bought is the side that some item says is bought, 0 for none.
func bought(items []grammar.Item) int64 {
	for _, slot := range [...]grammar.Slot{grammar.SlotSide, grammar.SlotSoft, grammar.SlotHint} {
		for k := range items {
			if side := items[k].Meaning.Get(slot); side == grammar.SideUp || side == grammar.SideDown {
				return side
			}
		}
	}
	return 0
}

// owned is a token that is held, or bought.
var owned = words(`\b(?:have|hold|own|holding|owning|got) (?:the |some )?(?:up|down)\b`)

// ownsOther reports whether a condition is on the price of the token that is not bought, behind an amount
// or a word for owning it: "$20 Up at 45c, … then buy Down".
func ownsOther(r *reader, items []grammar.Item, i int) bool {
	it := &items[i]
	side := bought(items)
	if !slices.ContainsFunc(all(it), func(c grammar.Cond) bool { return named(c) && int64(c.Tok) != side }) {
		return false
	}
	paid := i > 0 && items[i-1].Kind == "item.money" && items[i-1].To == it.From && r.p.HasClass(it.From, it.From+1, "TOK")
	return side != 0 && (paid || owned.MatchString(r.p.Text(it.From, it.To)))
}

// costs are verbs of the ask, the bid and the spread behind a joint.
var costs = words(`\b(?:and|or) (?:costs?|can be|goes for|has an?|is bid|is offered)\b`)

// ofOther reports whether a verb may be of the token named before it, which is not the one bought,
// or of that: "Down is over 60c and costs 63c".
func ofOther(r *reader, items []grammar.Item, i int) bool {
	list := all(&items[i])
	side := bought(items)
	other := func(c grammar.Cond) bool { return named(c) && int64(c.Tok) != side }
	return slices.ContainsFunc(list, other) && !named(list[len(list)-1]) && costs.MatchString(r.p.Text(items[i].From, items[i].To))
}

// deniesNext reports whether a condition ends with a negation that is of what follows: "in the
// first 5 minutes, don't take profit at 55c".
func deniesNext(r *reader, items []grammar.Item, i int) bool {
	it := &items[i]
	denies := r.behind(it.To, "NOT") || r.behind(it.To, "BUY") && r.p.HasClass(it.From, it.To, "NOT") && !buys(it)
	return it.Meaning.Conds() != nil && denies && i+1 < len(items) && items[i+1].From == it.To
}

// takesOther reports whether "it" is bought in a sentence that names the other token before, where
// what is bought is named elsewhere: "Buy Up below 45c. If Down drops to 30c, buy $50 of it."
func takesOther(r *reader, items []grammar.Item, i int) bool {
	it := &items[i]
	if it.Kind != "item.buy" || it.Meaning.Get(grammar.SlotSide) != grammar.SideIt && !buysThat.MatchString(r.p.Text(it.From, it.To)) {
		return false
	}
	side := bought(items)
	from := r.sentenceAround(it.From, it.To).from
	return side != 0 && slices.ContainsFunc(items[:i], func(o grammar.Item) bool {
		return o.From >= from && slices.ContainsFunc(all(&o), func(c grammar.Cond) bool { return named(c) && int64(c.Tok) != side })
	})
}

// buysThat is a purchase of what was named before it.
var buysThat = words(`^(?:i |then )*(?:buy|grab|get|take) (?:that|those|this)$`)

// was is what was so before, wondered a sentence that tells of a purchase as of one before.
var was, wondered = words(`\b(?:has been|had been|have been) (?:above|below|over|under|at|between) [$.\d]|\b(?:was|were|traded) (?:trading )?(?:(?:above|below|over|under|at|between) )?[$.\d]+ ?(?:c|¢|cents?)? (?:or [a-z]+ )?(?:(?:with)?in the (?:last|past|first)|at (?:minute|the open))\b`), words(`\b(?:bought|would have|had|got|took)\b`)

// wasSo reports whether a condition is on what was so before: "once it has been above 50c".
func wasSo(r *reader, items []grammar.Item, i int) bool {
	it := &items[i]
	if it.Meaning.Conds() == nil || !was.MatchString(r.p.Text(it.From, min(it.To+3, int32(r.p.Tokens())))) {
		return false
	}
	s := r.sentenceAround(it.From, it.To)
	return !wondered.MatchString(r.p.Text(s.from, s.to))
}

// asHigh is a price that is paid at most where no verb says that it stands there.
var asHigh, isHigh = words(`\bas high as\b`), words(`\b(?:is|are|it's|be|goes|gets|got|climbs|rises|trades|trading|stands) as high as\b`)

// thenBuys reports whether a sale has a condition behind "and" that is of the purchase behind it: "I sell
// at 80c, and when Up trades below 40c I buy Up".
func thenBuys(r *reader, items []grammar.Item, i int) bool {
	it := &items[i]
	return i+1 < len(items) && sells(it) && buys(&items[i+1]) && items[i+1].From <= it.To+2 && it.Meaning.Has(grammar.SlotSL) && andWhen.MatchString(r.p.Text(it.From, it.To))
}

// andWhen is a condition at the end of a sale.
var andWhen = words(`[,;] (?:and |but )?(?:when|if|once)\b[^,;]*$|\band (?:when|if|once)\b[^,;]*$`)

// gains are words of what is gained, where it is not known what was paid.
var gains = words(`^(?:lock(?:ing)? in|bank|take|grab|collect|happy with|pocket|scalp|make)\b`)

// locks reports whether a price to sell at may be what is gained: "lock in 10c".
func locks(r *reader, items []grammar.Item, i int) bool {
	it := &items[i]
	at := max(it.Meaning.Get(grammar.SlotSold), it.Meaning.Get(grammar.SlotTP))
	return at > 0 && at < far && gains.MatchString(r.p.Text(it.From, it.To)) && !r.p.HasClass(it.From, it.To, "PROFIT") && !slices.ContainsFunc(items, func(o grammar.Item) bool {
		return slices.ContainsFunc(all(&o), func(c grammar.Cond) bool { return c.Qty <= grammar.Bid })
	})
}

// withCents is a sale with an amount, which may be what is gained: "exit with 10c".
var withCents = words(`\b(?:exit|leave|sell|out|close) with (?:an? )?[$.\d]`)

// with reports whether what it is sold with may be a gain.
func with(r *reader, items []grammar.Item, i int) bool {
	it := &items[i]
	at := it.Meaning.Get(grammar.SlotSold)
	return at > 0 && at < far && withCents.MatchString(r.p.Text(it.From, it.To))
}

// asFar reports whether a stop is as likely a distance, as the target is one: "20c profit target, 10c
// stop loss".
func asFar(r *reader, items []grammar.Item, i int) bool {
	it := &items[i]
	at := it.Meaning.Get(grammar.SlotSL)
	aims := slices.ContainsFunc(items, func(o grammar.Item) bool { return o.Meaning.Has(grammar.SlotTPO) })
	return at > 0 && at < far && aims && r.p.HasClass(it.From+1, it.To, "SL") && r.p.HasClass(it.From, it.From+2, "CENT")
}

// takesBack are words that take back what stands before them.
var takesBack = lexicon.WordSet("no nope nah not never")

// takenBack reports whether the next word, which is of nothing else, takes an item back: "tp 55c,
// no, hold to expiry".
func takenBack(r *reader, items []grammar.Item, i int) bool {
	n, at := int32(r.p.Tokens()), items[i].To
	if at < n && r.isBreak(at) {
		at++
	}
	if at >= n || !takesBack[r.p.Word(at)] || !sells(&items[i]) && items[i].Meaning.Conds() == nil {
		return false
	}
	next := n
	if i+1 < len(items) {
		next = items[i+1].From
	}
	return next > at && (at+1 >= n || r.isBreak(at+1) || next == at+1)
}

// bothSides reports whether a side stands by itself behind what is said of the other one, which it
// may be besides or instead: "up under 30c; down", "up is below 40c, … I meant Down".
func bothSides(r *reader, items []grammar.Item, i int) bool {
	it := &items[i]
	side := max(it.Meaning.Get(grammar.SlotHint), it.Meaning.Get(grammar.SlotSoft), it.Meaning.Get(grammar.SlotSide))
	corrects := r.p.HasClass(max(it.From-1, 0), it.To, "MEAN")
	if side != grammar.SideUp && side != grammar.SideDown || it.Meaning.Conds() != nil || !corrects && !r.isLoose(it) {
		return false
	}
	return slices.ContainsFunc(items[:i], func(o grammar.Item) bool {
		for c := range o.Meaning.Conds().Walk() {
			if (corrects || o.Kind == "item.head" && c.Qty != grammar.Change) && named(*c) && int64(c.Tok) != side {
				return true
			}
		}
		return false
	})
}

// isLoose reports whether an item is a side that no word before it says is bought, or that is
// bought then.
func (r *reader) isLoose(it *grammar.Item) bool {
	first := r.p.HasClass(it.From, it.From+1, "TOK")
	if it.Kind == "item.buy" {
		return first || it.From > 0 && r.p.Word(it.From-1) == "then"
	}
	return it.Kind == "item.head" && !r.p.HasClass(it.From, it.To, "SIDE") && (first || !r.p.HasClass(it.From, it.To, "BUY"))
}

// otherSide reports whether the other side is bought behind the one that is: "buy Down …, re-enter
// once, when stopped out, buy the other side".
func otherSide(r *reader, items []grammar.Item, i int) bool {
	other := items[i].Kind == "item.buy" && r.p.HasClass(items[i].From, items[i].To, "OTHER")
	return other && slices.ContainsFunc(items[:i], func(o grammar.Item) bool { return buys(&o) })
}

// excludes reports whether it is not clear what a negation reaches: over two things ("not in the
// first minute or with spread over 4c", "avoid the last minute and spreads over 4c"), or up to
// what ("no entry in the last minute if the spread is over 4c").
func excludes(r *reader, items []grammar.Item, i int) bool {
	it := &items[i]
	has := func(classes ...string) bool { return r.p.HasClass(it.From, it.To, classes...) }
	switch x := it.Meaning.Conds(); {
	case x == nil || !has("NOT", "AVOID"):
		return false
	case len(x.Any) > 0 && !has("UNLESS"):
		return !isRange(x) && (has("AND") || !r.has(it, "OR") || mixes(x))
	}
	return has("AVOID") && i+1 < len(items) && items[i+1].From == it.To && items[i+1].Kind == "item.if"
}

// isRange reports whether all alternatives are bounds of one quantity.
func isRange(x *grammar.Expr) bool {
	first := x.Any[0][0]
	for c := range x.Walk() {
		if c.Qty != first.Qty || c.Tok != first.Tok {
			return false
		}
	}
	return true
}

// mixes reports whether only some of the alternatives have a time that is denied.
func mixes(x *grammar.Expr) bool {
	n := 0
	for _, list := range x.Any {
		if slices.ContainsFunc(list, func(c grammar.Cond) bool { return c.IsDenied() }) {
			n++
		}
	}
	return n > 0 && n < len(x.Any)
}
