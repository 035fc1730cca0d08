package rules

import (
	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/lazy"
)

// turns are words in some items, or up to so many tokens behind them, that make them other than
// they are read as, unless they have a word of some classes, by why they are refused. They are held
// against texts in small letters.
var turns = []struct {
	why    string
	of     func(it *grammar.Item) bool
	words  *lazy.Regexp
	behind int32
	unless []string
}{
	// A move with the price that it leads to: "rises to 60c in 30 seconds".
	{"moving", isMove, lazy.Compile(`\b(?:rises?|rose|falls?|fell|drops?|dropped|climbs?|climbed|goes|gets|jumps?|jumped|dips?|moves?|moved|up|down|back) to \$?[.\d]`), 0, nil},
	// The second bound of a move, or of the price: "falls more than 5c in a minute but less than 10c".
	{"boundof", hasChange, lazy.Compile(`(?:seconds?|secs?|minutes?|mins?|hours?|\d ?[smh]) but (?:(?:not |no )?more|less|at most) `), 0, nil},
	// What a sale costs is no part of its price: "take profit at 55c including fees".
	{"fees", sells, lazy.Compile(`\b(?:includ(?:ing|es|ed)|incl\.?|inclusive of|with|all|before) (?:the )?(?:fees|costs)|fees (?:included|and all)`), 3, nil},
	// A limit of a time that there is none of: "max_hold: no".
	{"novalue", always, lazy.Compile(`\b(?:max[_ ]?hold|hold[_ ]?time|time[_ ]?limit|time[_ ]?stop)["' ]*[:=]["' ]*(?:no|none|never|off)\b`), 0, nil},
	// A distance that stands where a price does: "take profit at 55c winner only".
	{"headless", isFar, lazy.Compile(`(?:\bat|@|\btp) ?[:=]? ?[\d.$]|^(?:profit|win|gain)["']? ?[:=]`), 0, []string{"ENTRYREF", "ENTRYCUE", "PLUSNUM"}},
	// A time that leads to a sale: "buy Up at 33c, and ten minutes in get out at 50c".
	{"exittime", hasTime, lazy.Compile(`\b(?:and|then) [a-z\d.]+ ?(?:[smh]|sec\w*|min\w*|hours?) in (?:sell|exit|get out|out|bail|close|dump|stop|cash|tp|target|take profit)\b`), 2, nil},
	// What is bought or held in a time, of an exit; a negation that reaches over a time; a time and an exit at once.
	{"sellsif", hasTime, lazy.Compile(`(?:^entered|\b(?:if|when|unless) (?:i )?(?:it (?:was|is) |it's )?(?:entered|bought|filled)) (?:before|after|in|within|by|at)\b|^entries after\b.* hold\b`), 2, nil},
	{"twice", sellsTwice, lazy.Compile(`\b(?:when|if|once|with|exit:) [^,;.]*(?:\band|&) `), 0, nil},
	// A last time that stands behind a first one: "after 3 minutes at the latest".
	{"howlong", isLate, lazy.Compile(`\b(?:at|by) (?:the )?latest\b`), 3, nil},
	// A time that has to be left yet, or up to which it is bought: "as long as 5 minutes remain",
	// "up to 5 minutes before the end".
	{"howlong", hasRemaining, lazy.Compile(`\b(?:as long as|so long as|while|still|provided|providing|assuming|condition|as little as|(?:aren't|arent|are not|isn't|is not) [0-9a]+)\b`), 0, []string{"CMP", "LCMP", "POST"}},
	{"howlong", hasRemaining, lazy.Compile(`\bup to [^,]*(?:left|before|remain)|\b(?:must|should|have to|has to|want|provided|providing|assuming|i have|we have|still) (?:that )?(?:there )?(?:be |are |is |have )?(?:still )?[a-z\d]+[ -]?(?:[smh]|sec\w*|min\w*|hours?) (?:are |is )?(?:left|remain|remaining|to go)`), 0, nil},
	{"howlong", hasConds, lazy.Compile(`(?:^|[,.c] )latest (?:minute|half|\d)|\bin - \d`), 0, nil},
	// Whether the position is open, or what the price opened at: "take profit at 60c if still open".
	{"ifopen", func(it *grammar.Item) bool { return it.Kind == "item.open" }, lazy.Compile(`^if\b`), 0, nil},
	// Before a time of the round, or of its end: "sell before 5 minutes".
	{"howlong", func(it *grammar.Item) bool { return it.Meaning.Has(grammar.SlotExitBefore) }, lazy.Compile(`[a-z] before (?:\d+|an?|half an?|one|two|three|four|five|ten|fifteen|thirty) ?(?:[smh]|sec\w*|min\w*|hours?)$`), 0, nil},
	// What was higher then has fallen since: "it was 10c higher 2 minutes ago".
	{"moving", hasChange, lazy.Compile(`\b(?:was|wasn't|were|been|traded|stood|sat|cost)\b.*\b(?:higher|lower|cheaper|dearer|more|less|above|below) (?:\d|an?\b|half|one|two|three|five|ten)`), 0, nil},
	// What is paid at most, and where the price is to be: "I'd go up to 60c".
	{"atmost", hasPrice, lazy.Compile(`(?:^|[,;] |\b(?:and|to|i|i'll|i'd|can|will|would) )(?:go|going|get|getting) (?:up |down )?to \$?[.\d]`), 0, []string{"IF"}},
	// What is needed at most, or at least: "needs a 2c spread", "need 40c".
	{"atmost", hasPrice, lazy.Compile(`\b(?:needs?|requires?)\b(?: an?)?(?: (?:price|ask|bid) of)? \$?[.\d]+ ?(?:c\b|¢|cents?)`), 0, []string{"POST"}},
	{"atmost", hasPrice, lazy.Compile(`\bnot (?:only|just) (?:below|above|under|over|at)\b`), 0, nil},
	// A spread with a second bound, of the price: "spread 2c or tighter, below 40c".
	{"vaguespread", hasWide, lazy.Compile(`\bor (?:tighter|less|lower|narrower),? (?:below|under|less than|at most)\b`), 0, nil},
	// The last minutes of the round, or a look-back: "drops 10c in the final 2 minutes".
	{"sinceopen", hasChange, lazy.Compile(`\dc?(?: cents?)? (?:in|during|over|within) the (?:final|closing) `), 0, nil},
	// An alternative, or a bound of the time: "with 2 minutes left or below 40c".
	{"anyof", hasRemaining, lazy.Compile(`\b(?:left|remaining) or (?:below|under|above|over) [$.\d]`), 2, nil},
	// A bound of what stands behind it: "at 40c and over 200 markets".
	{"unheld", hasConds, lazy.Compile(`(?:\d|c|¢|cents?) and (?:over|above|under|below) (?:\$|\d+ ?(?:[ms]|markets|rounds|trades|min\w*|sec\w*)\b)|\b(?:left|remaining|gone|in) and (?:over|above|under|below) [$.\d]`), 3, nil},
	// An exit on what it does not look at: "sell when the ask is 60c".
	{"sellsif", sells, lazy.Compile(`\b(?:ask|offer|mid|midpoint)\b`), 0, nil},
	// Rounds of a length that is none: "last 10 minute rounds", "last third of 300 rounds".
	{"length", hasRemaining, lazy.Compile(`\b(?:last|past|final) \d+[ -]?(?:minute|min|m|hour|h) (?:rounds|markets)\b|\b(?:third|half|quarter) of \d`), 2, nil},
	// A number of its own, "#7"; thousands, or a fraction: "$1.000", "1.000 markets". No fraction of a dollar is written with a zero at its end.
	{"howmany", isAmount, lazy.Compile(`(?:^|[^\d.])[1-9]\d{0,2}\.(?:\d\d0\b|\d{3} ?(?:markets?|rounds?|trades?|samples?)\b)|#\d`), 0, nil},
	// A time in which it is bought too, or alone.
	{"excluded", hasConds, lazy.Compile(`, also (?:after|before|from|(?:in |during )?the (?:last|first|final))\b|\b(?:always|anytime|any time) but\b|\bno more (?:\d|with|after|from)`), 0, nil},
	// A time of something else than the market: "trade length 5 minutes".
	{"cointime", hasLength, windows, 0, nil},
	// What is gained, what it is worth, a distance and a price above a dollar: "scalp for 10c", "it's worth
	// 60c", "if it goes against me by 10c", "at 1.50 dollars".
	{"heldgain", hasConds, lazy.Compile(`\b(?:scalp|scalping|going) for \$?[.\d]|\b(?:buy|long|take|get|grab) (?:the )?(?:up|down|yes|no) to (?:reach|hit|get to|rise to|go to|climb to|touch|make it to) `), 0, nil},
	{"vagueprice", hasConds, lazy.Compile(`\bhalfway between\b|\bworth \$?[.\d]`), 0, nil},
	{"lossof", sells, lazy.Compile(`\bagainst me by\b|\b(?:stop|take) (?:so|still|well|all|um|uh|like) (?:loss|profit)\b|\b(?:when|if|after) i lose \d$`), 0, nil},
	{"lossof", func(it *grammar.Item) bool { return it.Meaning.Has(grammar.SlotSL) }, lazy.Compile(`\bloss limit\b|[ @:=]-[.\d]`), 0, nil},
	{"number", isAmount, lazy.Compile(`^at (?:\$ ?)?\d\.\d`), 0, nil},
	// The price of a share, and what is gained: "20 shares, 40c each", "exit with 10c".
	{"howmuch", func(it *grammar.Item) bool { return it.Meaning.Has(grammar.SlotBudget) }, lazy.Compile(`(?:\d ?c|¢|\bcents?|\$0?\.\d+|half a dollar) (?:each|ea|apiece|a piece)\b`), 2, nil},
	{"lossof", isNear, lazy.Compile(`\b(?:exit|leave|sell|out|close) with (?:an? )?[$.\d]`), 0, nil},
	// Two purchases: "$50 now and $50 at 35c".
	{"sizing", always, lazy.Compile(`\bnow and (?:\$|\d)`), 3, nil},
	// A sale that is read as what is bought, and what is asked for it: "put it up for sale at 55c", "offer everything at 60c", "ask 60c".
	{"limit", hasConds, lazy.Compile(`\b(?:put|puts|leave) (?:it|them) up for sale\b|^(?:and |then )?offer (?:everything|all|it all|the lot|half|them)\b|^(?:ask|offer) \$?[.\d]+ ?(?:c|¢|cents?)?(?:$| for )`), 0, nil},
	// Counts, parts and amounts of money in the place of a price: "two more entries", "30 out of 100", "out half", "3 losses and out",
	// "keep $50 back", "take $50 and run", "Capital: 500".
	{"headless", sells, lazy.Compile(`^(?:target |make |stop |sell )?(?:\d+|one|two|three|four|five|six|ten) (?:more |losing |winning |straight )*(?:entries|trades|exits|rounds|markets|out of)\b`), 3, nil},
	{"headless", sells, lazy.Compile(`^(?:out|exit|sell|close|actually|no,?|wait,?) (?:half|a quarter|a third)$|hold.*,? or \d+$|\bout of (?:every )?(?:\d+|ten|five|four|three|twenty)\b|^(?:\d+|one|two|three|four|five|six|ten) (?:losses|wins|losers|winners)\b|\dc? (?:cents )?(?:loses|wins)$|\dc? or \d$`), 0, nil},
	{"account", isAmount, lazy.Compile(`^\d+ at a time\b|(?:\$[\d.,]*[\dk]|\bdollars|\bbucks|\busd) (?:across|spread over) \d|\$[\d.,]*k,? (?:across|over) \d|\$[\d.,]*[\dk] (?:for|in) \d+ (?:rounds|markets)\b|^\$\d+ back\b|^(?:my |total |starting )?capital ?(?:[:=]|\$?\d)|\band run(?:$|[.,;!]| away)`), 3, nil},
	{"account", always, lazy.Compile(`\b(?:my|invest|spend|risk|put|deploy|budget|capital|total|allocate)\b[^.;]{0,12}\$[\d.,]*[\dk], (?:across|spread over) \d`), 8, nil},
	// Shares in the place of a price, all of it, and a part of the money: "sell one", "bet it all", "no, a quarter".
	{"partof", sells, lazy.Compile(`^sell (?:one|two|three|four|five|ten) (?:at|when|if|for)\b|^(?:an? )?(?:half|quarter|third) (?:exits?|sales?)\b|\b(?:no|nope|actually|wait|sorry|i mean),? (?:sell )?an? (?:quarter|third|half)$`), 0, nil},
	{"partof", hasPrice, lazy.Compile(`\bother (?:\d+|(?:[a-z]+ty[ -])?(?:[a-z]+ty|ten|[a-z]+teen|twelve|two|three|four|five|six|seven|eight|nine))$`), 0, nil},
	{"account", buys, lazy.Compile(`^(?:bet|put|stake) (?:it|them) all\b`), 0, nil},
	{"account", isTime, lazy.Compile(`^half (?:in|on) [a-z]+$`), 0, []string{"ROUND"}},
	{"account", hasPrice, lazy.Compile(`\bwith (?:a )?half$`), 0, nil},
	// A part of what is held or of the money in the place of a price: "dump half", "buy half Up".
	{"partof", hasPriceOrExit, lazy.Compile(`\b(?:dump|bank|take off|leave|sell|cut|cash out|unload|offer|close|exit|buy|grab|get|take|buy (?:up|down) by) (?:an? )?(?:half|quarter|third)(?:$| (?:up|down|of)\b)`), 1, nil},
	// No token: "no damn higher than 55c", "no one pays above 55c".
	{"exclusion", always, lazy.Compile(`\bno (?:damn|way|ever|bloody|[a-z]+ing|real) (?:higher|lower|more|less|greater|cheaper|dearer|worse) than\b|\b(?:no one|nobody) (?:[a-z]+ )*(?:above|below|over|under|at|to) [$.\d]|\b(?:no one|nobody) holds\b`), 3, nil},
	// What is gained or lost since the entry, or a distance from it: "out up 10c", "target 60c tops", "sell at 30c at a loss".
	{"exitat", sells, lazy.Compile(`^(?:out|exit|close|sell) (?:up|down) (?:an? )?(?:[$.\d]+ ?(?:c|cents?)?|dime|nickel)$|\d ?(?:c|¢|cents?)? tops$|\bat [$.\d]+ ?(?:c|¢|cents?)? at a (?:loss|profit)\b`), 0, nil},
	{"lossof", sells, lazy.Compile(`\bloses? the \$?[.\d]|\bbet (?:up|down) to lose\b`), 0, []string{"ENTRYREF"}},
	// What did not come to pass in a time, or has been so all along: "never reaches 60c by minute 5".
	{"history", hasConds, lazy.Compile(`(?:\b(?:never|cannot|can't)|\b(?:does|do|did)(?:n't| not)) (?:[a-z]+ )?(?:reach|get|go|fall|drop|rise|hit|touch|climb|break|dip)[a-z]* .*\b(?:by minute|until|till|before minute|in the first|within|for \d|in \d)|\bstays? .*\b(?:until|till|up to) (?:minute|the)\b|\b(?:is|are|was|been|stays?) (?:always|mostly|possibly|probably|nothing)\b`), 2, nil},
	// Counts in the place of cents: "stop at 30 positions", "more than 60 bids", "20 losses".
	{"headless", hasPriceOrExit, lazy.Compile(`\d+ (?:positions|orders|entries|buys|trades|sells|fills|losses|bids|wins)\b`), 2, []string{"ROUND"}},
	// How many, or at how much: "buy 30 of Up for 40c", "50 outcome shares", "buy Up with 20", "40 to go".
	{"howmuch", hasConds, lazy.Compile(`\b(?:buy|get me|get|grab) \d+ (?:worth )?of (?:up|down)\b|\d+ (?:[a-z]+ ){1,3}(?:shares|contracts)\b|\b(?:buy|long|get|grab) (?:up|down) with \d+$|\d to go\b`), 4, []string{"USD", "DUR"}},
	{"shares", isAmount, lazy.Compile(`\d+ (?:[a-z]+ ){1,2}(?:shares|contracts)\b`), 3, nil},
	// From where: "buy Up 5c lower", "bid Up 5c over".
	{"headless", hasPriceOrExit, lazy.Compile(`\b(?:buy|long|bid|get|grab) (?:up|down) (?:up |down )?\$?[.\d]+ ?(?:c|cents?) (?:back\b|lower\b|higher\b|(?:up|down|over) on\b|(?:up|down)$)|\b(?:up|down) (?:up|down) \$?[.\d]`), 2, nil},
	// A stop that is no length: "daily stop 30c".
	{"length", hasLength, lazy.Compile(`\b(?:daily|hourly) (?:stop|target|limit|loss|profit)\b`), 1, nil},
	// A trail from a price on, a target and its trail: "sell once over 60c with 5c trail".
	{"sequence", sells, lazy.Compile(`\b(?:once|when|if|after) (?:it is |it's |up is )?(?:over|above|past) .* (?:with|then) .*\btrail`), 4, nil},
	// A forecast, what may come to pass, and a move: "is going to 40c", "when Up might fall under 40c", "up at least 4c in the last 10 s".
	{"moving", hasConds, lazy.Compile(`\b(?:is|are|it's) going to [$.\d]|\btries [$.\d]|(?:^|[,.;:&] |\band )(?:up|down) (?:at least|more than|over) (?:\$?0?\.(?:0\d|1[0-5]?)|(?:\d|1[0-5]) ?c\b|(?:\d|1[0-5]) cents) (?:in|over|during|within) the (?:last|past)\b|\b(?:up|down|it|price) (?:might|may|could|is gonna|gonna|wants? to|is about to|is going to) (?:be|fall|drop|rise|go|get|hit|reach|climb)\b|\b(?:up|down|it|price) (?:wants|loves|settles|closes) [.\d$]`), 0, nil},
	// At that time alone, and a part of the last minute.
	{"howlong", hasConds, lazy.Compile(`\bonly at (?:minute|the)\b|\bexcluding the (?:first|last)\b|\bat (?:minute|the) [a-z0-9]+ only\b`), 3, nil},
	// Another stop for a target: "sell at 60c, sorry, 30c stop".
	{"contradiction", sells, lazy.Compile(`^(?:sell|exit|out|target|tp|take profit) .*(?:sorry|no|wait|actually|oops|i mean|make that),? .*\b(?:stop|sl)\b`), 0, nil},
	// An amount in the place of a price, a bid of one's own or the best one: "buy Up with 20", "bid below 45c on Up".
	{"howmuch", hasPrice, lazy.Compile(`\b(?:with|using) \d{1,2}(?:$| (?:after|in|at|when|if|before|once)\b)`), 1, []string{"CENT", "DEC", "USD", "LEFT"}},
	{"limit", hasPrice, lazy.Compile(`^bid (?:below|under|over|above|at least|at most) [$.\d]+ ?(?:c|cents?)? (?:on|for) (?:up|down)`), 0, nil},
	// What is so at times: "the spread is often 2c".
	{"vague", hasConds, lazy.Compile(`\b(?:often|usually|typically|normally|sometimes|tends? to)\b`), 0, nil},
	// Of both tokens, and read of one: "when neither is above 60c".
	{"both", hasConds, lazy.Compile(`\bneither (?:is|of|side|token|has)\b`), 0, nil},
	// A span of data as a length: "over one hour".
	{"cointime", hasLength, lazy.Compile(`\bover (?:one|an?|\d+)[ -]?(?:hour|h|day|d|m|min|minutes?)\b`), 0, []string{"ROUND"}},
	// What is lost at most as a move: "lose at most 10c in the last 4 minutes".
	{"lossof", hasChange, lazy.Compile(`\b(?:max(?:imum)? loss|lose at most|loss of at most)\b`), 0, nil},
	// Odds, of so many; trades that are won or lost: "8 out of 10", "odds of 2", "3 losses and out", "45c loses".
	{"headless", hasConds, lazy.Compile(`\bodds (?:(?:[a-z]+|[<>=]+) )*\d(?:\.\d+)?\b`), 0, []string{"CENT", "DEC"}},
	// A run, which is no range of the entry, and an aim: "on a run from 40c to 60c", "buy Up to reach 60c".
	{"exittime", hasConds, lazy.Compile(`\brun from [$.\d]`), 0, nil},
	// A time that is read as a length of market, or without its unit: "below 40c at 300s", "Time left: > 5".
	{"cointime", hasLength, lazy.Compile(`^(?:at|@) \d+ ?[a-z]+$`), 0, nil},
	{"howlong", isTime, lazy.Compile(`\b(?:left|remaining)["']? ?[:=] ?[<>]=? ?1?\d$`), 0, nil},
	// An amount of money in other words: "at twenty one hundred dollars".
	{"headless", isAmount, lazy.Compile(`\bat (?:twenty|thirty|forty|fifty|sixty|seventy|eighty) [a-z]+ hundred\b`), 0, nil},
	{"excluded", always, lazy.Compile(`\bbar the (?:last|first|final)\b`), 0, nil},
	// How many, or at how much: "buy 40 up at 40c"; a price under a cent, "0.40c".
	{"howmuch", hasConds, lazy.Compile(`\b(?:buy|long|get|grab) (?:\d+|one|two|three|four|five|ten|twenty|fifty) (?:up|down|yes|no) (?:at|@|for|under|below)\b`), 2, nil},
	{"number", hasConds, lazy.Compile(`(?:^|[^\d])0?\.\d\d ?(?:c\b|¢|cents?\b)`), 0, []string{"QTY"}},
	// A turn or a second number of the price: "if it turns at 40c", "sell at 60c or 2", "below 40c inclusive".
	{"moving", hasConds, lazy.Compile(`\b(?:tops? out|bottoms? out|turns|breaks? out of) (?:at )?[$.\d]|\binclusive\b`), 1, nil},
	// A part of what is left of the money, not of the time; a bound without its unit; what is lost, or how often.
	{"sizing", hasRemaining, lazy.Compile(`\b(?:of what(?:'s| is) left|remaining (?:bankroll|roll|cash|money|capital|balance)|of (?:the |my )?remaining)\b`), 3, nil},
	{"vaguetime", hasRemaining, lazy.Compile(`\bearly\b`), 0, nil},
	{"headless", hasPrice, lazy.Compile(`^min(?:imum)? \d$`), 0, nil},
	// A value that is changed: "stop 20c. Raise that to 35c".
	{"contradiction", func(it *grammar.Item) bool { return hasConds(it) && !it.Meaning.Has(grammar.SlotMend) }, lazy.Compile(`^(?:raise|lower|move|bump|lift|drop|change|make) (?:that|this|it|those|them) (?:[^bp]|b[^u]|p[^u])`), 0, nil},
	// A sale of an age, or not before some time: "when the trade is 10 minutes old", "at the earliest"; a time of the round, "after 3 minutes in the market".
	{"sellin", sells, lazy.Compile(`\b(?:minutes?|mins?|seconds?|secs?|\d[ms]) (?:old|plus|at the earliest)\b|\bat the earliest\b|\b(?:seconds?|minutes?|mins?|hours?|\d[smh]) in (?:the|a) market\b`), 3, nil},
}
