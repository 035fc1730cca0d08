package parser

// row gives one meaning to phrases divided by bars. as is how the phrase is
// called by the grammar; empty: as written. Where a phrase stands in several
// rows the first counts.
type row struct {
	kind    kind
	sub     int16
	as      string
	phrases string
}

// vocabulary holds the phrases of the language. It is constant in spirit.
var vocabulary = []row{
	// Tokens.
	{kTok, tokUp, "up", "up|ups|yes|the yes"},
	{kTok, tokDown, "down", "down|downs|dn|dwn"},
	{kTok, tokDown, "no token", "no token|no tokens|the no"},
	{kOther, 0, "", `
		opposite|the other side|the other token|the other one|the other|other side|other token|the opposite side|the opposite token|
		the opposite one|opposite side|opposite token|the opposing side|the opposing token|the other outcome|the other contract`},
	{kEither, 0, "", `
		either side|either token|either one|either of them|either outcome|whichever side|whichever token|whichever one|whichever outcome|
		whichever|either one of them|any side|any token|whatever side|whichever of the two|either of the two|either contract`},
	{kEither, 1, "either", "either"},
	{kFill, 0, "", `
		whichever first|whichever comes first|whichever is first|whichever happens first|whichever hits first|whichever occurs first|
		whichever one comes first|whichever one is first|whichever triggers first|whichever is sooner|whichever comes sooner|
		whichever gets there first|whichever is hit first|what comes first|which ever comes first|which ever first|whichever is earlier|
		whichever fires first`},
	{kTok, tokHeld, "candidate", "candidate|the candidate|the one bought|the token bought|the bought token|the purchased token|the held token"},
	{kFav, tokUp, "favorite", `
		favorite|favourite|favorites|favourites|fav|fave|faves|leader|front runner|frontrunner|the more likely side|more likely side|
		the more likely one|more likely outcome|more likely token|the likelier side|likelier side|likelier one|leading side|leading token|
		side in the lead|side that is leading|the side that's leading|side that leads|pricier side|pricier token|pricier one|
		more expensive side|more expensive token|more expensive one|whichever is more likely|whichever side is more likely|
		whichever is leading|whichever side is leading|whichever side is ahead|whichever is ahead|whichever is more expensive|
		whichever side is more expensive|whichever is favored|whichever side is favored|whichever side is favoured|the side that's ahead|
		side that is ahead|the one that's ahead|favored side|favoured side|stronger side|most likely side|whichever is the favorite|
		whichever side is the favorite|whichever side is winning|whichever is winning|winning side|the side that's winning|likely winner`},
	{kFav, tokDown, "underdog", `
		underdog|underdogs|dog|the less likely side|less likely side|less likely one|less likely token|less likely outcome|cheaper side|
		cheaper token|cheaper one|cheaper contract|cheaper outcome|the cheaper of the two|cheapest side|cheapest token|less expensive side|
		less expensive token|less expensive one|whichever is cheaper|whichever side is cheaper|whichever token is cheaper|
		whichever is the cheaper|whichever one is cheaper|whichever is cheapest|whichever is less likely|whichever side is less likely|
		whichever side is behind|whichever is behind|the side that's behind|side that is behind|losing side|trailing side|weaker side|
		whichever side is losing|whichever is losing|the side that's losing|least likely side|whichever is the underdog|
		whichever side is the underdog|lower priced side|lower-priced token|lower priced token|unlikely side`},
	{kHigher, tokUp, "higher", "higher"},
	{kHigher, tokDown, "lower", "lower"},
	{kPron, 0, "it", "it|its|itself|them|they|their|theirs"},

	// Markets at large.
	{kAnyCoin, 0, "", anyOf("coin|coins|crypto|cryptos|cryptocurrency|cryptocurrencies|asset|assets|ticker|tickers|symbol|symbols|crypto asset|crypto assets|crypto coin|crypto coins|known coin|known coins|listed coins|supported coins|available coins")},
	{kAnyLen, 0, "", anyOf("length|lengths|duration|durations|timeframe|timeframes|time frame|time frames|market length|market lengths|market type|market types|interval|intervals|tenor|tenors|window length|round length|round lengths|market duration|length of market|lengths of market|horizon|horizons|candle length")},

	// Buying.
	{kBuy, 0, "yolo", "yolo|ape|aping|yolo in|ape in|punt|smash|slam|send"},
	{kBuy, 0, "buy", `
		cop|cop some|copping|took|grabbed|entered|went long|scooped|make buy|make buy of|make a buy|make a buy of|make a purchase of|
		make a long on|long position on|long position in|buy|buys|buying|bought|purchase|purchases|purchasing|buy in|buy into|get in|
		get in on|get into|get me in|get me into|get me|get us in|getting in|getting into|go long|going long|go long on|long|longing|
		be long|am long|go in|go in on|go all over|go with|going with|go for|going for|enter|enters|entering|enter on|enter a position in|
		enter a position on|enter into|ape into|ape on|ape in on|aping into|yolo into|yolo on|grab|grabs|grabbing|grab some|snag|snap up|
		snipe|sniping|snatch|scoop|scoop up|scooping|scooping up|pick up|picking up|pick|picking|load up on|load up|load|loading up on|
		take|takes|taking|take a position in|take a position on|take a long on|take a punt on|take a punt|punt on|have a punt on|
		take a flyer on|take a flier on|take a shot at|take a shot on|take a chance on|open a position|open a position in|
		open a position on|open a long|open a long on|open a trade on|opening a position|hop in|hop on|hop into|jump in|jump on|jump into|
		pile in|pile into|dive in|dive into|step in|acquire|acquires|acquiring|collect|get|place a bet on|place bets on|put a bet on|
		make a bet on|place a trade on|place a wager on|place a market order for|have a bet on|nibble|nibble on|scalp|scalping|smash buy|
		full port into|send it on|pull the trigger|pull the trigger on|fire|put me in|put me into|set me up in|set me up with|lift|own|
		position in|a position in|position on|a position on|exposure to|be in|trade in and buy|gimme|give me|buy up some|backing|get on|
		getting on|get long|get exposure to|invest in|want to own|only buy|just buy|market buy|go buy`},
	{kCanBuy, tokUp, "can buy", `
		can buy|can get|can grab|can pick up|could buy|could get|can purchase|able to buy|able to get|can snag|can scoop|can scoop up|
		can enter|may buy|can have`},
	{kCanBuy, tokDown, "can sell", "can sell|could sell|able to sell"},
	{kPay, 0, "pay", "pay|paying|pays|paid|willing to pay|shell out|fork out|fork over"},
	{kEntryCue, 0, "entry", `
		entry|entries|entry at|entry condition|entry conditions|entry rule|entry rules|entry price|entry trigger|entry signal|
		entry criteria|way in|for the way in|on the way in|condition|conditions|trigger|setup|buy signal|buy condition|buy trigger|
		buy rule|entry point|buy price|entry level|enter price|buy zone|entry zone|buy-in price|criteria`},
	{kSide, 0, "side", "side|direction|token|outcome|position side|buy side"},

	// Selling.
	{kSell, 0, "sell", `
		sell|sells|selling|sold|sell out|sell it all|sell off|selling out|sell everything|sell the lot|sell the whole position|exit|exits|
		exit out|exit it|exiting|get out|gets out|getting out|get me out|get us out|out|close out|closing out|closing it|
		closing the position|closing them|out again|get out again|close it out|close it|close the trade|close the position|
		close my position|close position|cash out|cashing out|cash it out|cash me out|cash in|cashing in|dump it|dump the position|
		dump them|dump my position|unload|unload it|unloading|offload|offload it|get rid of it|get rid|unwind|unwinding|i'm out|im out|
		i am out|we're out|we are out|be out|let it go|flatten|flatten out|square off|square up|walk away|liquidate the position|
		liquidate it|exit price|sell price|exit rule|exit condition|exit rules|exit conditions|sell signal|sell condition|exit level|
		exit at|exit the trade|exit the position|exit my position|sell the position|sell my position|sell the token|sell all|exit all|
		take it off|take the position off|take it off the table|leave the trade|leave|leaves|leaving|way out|for the way out|on the way out|the way out|
		trade out|sell order`},
	{kSell, 1, "close", "close"},
	{kTP, 0, "take profit", `
		add a target|add a take profit|place a take profit|add take profit|add tp|take profit|takes profit|took profit|take profits|
		taking profit|taking profits|take the profit|take my profit|take profit target|take-profit|takeprofit|profit taking|
		profit-take|tp|tps|target|targets|targeting|target price|price target|price tgt|tgt|take gains|taking gains|take the gain|
		book profit|book profits|booking profit|booking profits|book it|book gains|bank|bank it|bank profit|bank profits|bank the profit|
		bank gains|banking|bank it all|lock in profit|lock in profits|lock in gains|lock in the profit|lock in|lock it in|goal|exit target|
		sell target|upside target|cash out target|take the money|take the money and run|take the win|collect profit|collect profits|
		realize profit|realize profits|realise profit|profit out|tp target|ring the register|profit at|take some profit|aim for|aiming for|
		aims for|aim at|aiming at|aim to sell at|aiming to sell at|shoot for|shooting for|looking for|hoping for|hope for|
		hoping to sell at|looking to sell at|want to sell at|happy with|eyeing|gunning for|holding out for|hold out for|
		my aim is|the aim is|aim is|aim|aiming`},
	{kProfit, 0, "profit target", "profit target|profit goal|target profit|gain target|target gain|target a profit|target a gain|profit objective"},
	{kSL, 0, "stop", `
		add a stop|add a stop loss|adding a stop|add stop|place a stop|put a stop|place a stop loss|stop loss|stop losses|stoploss|
		stop-loss|stop loss order|stop|stops|sl|stop out|stops out|stopped out|stopped at|stopped|stop me out|get stopped out|get stopped|stop price|
		stop level|hard stop|hard stop loss|protective stop|stop it out|stopping out|cut|cuts|cut it|cut it off|cut losses|cut my losses|
		cut the losses|cut loss|cut the loss|cut my loss|cut our losses|cut the position|cut the trade|cut bait|cutting|cutting losses|
		cut them|cut out|bail|bails|bail out|bails out|bailing|bailing out|bail on it|puke|puke it|puke out|pukes|pull the plug|abandon|
		abandon ship|abandon it|give up|give up on it|throw in the towel|tap out|fold|fold it|ditch|ditch it|ditch them|eject|kill it|
		kill the trade|kill the position|cut and run|run for the hills|loss limit|loss cut|emergency exit|panic sell|panic out|safety stop`},
	{kTrail, 0, "trail", `
		trail|trail by|trailing stop|trailing stop loss|trailing stop-loss|trailing sl|trailing|trail stop|trail the stop|
		trail the stop by|trail it|trail it by|trail my stop|trail my stop by|trail a stop|trailing by|with a trailing stop|trailing exit|
		trail stop by|stop trailing|trail stop loss|trailed stop|trails|trails by|tsl`},
	{kHold, 0, "hold", `
		held|held it|kept|kept it|hold|holds|holding|hold it|hold them|hold on|hold onto it|hold on to it|holding it|hodl|hodl it|keep|
		keep it|keep them|keep holding|keep the position|hold position|hold the position|hold my position|hold the token|hold my|stay in|
		stay in it|sit on it|ride|hold time|holding time|holding period|hold period|max hold|max hold time|maximum hold|maximum hold time|
		maximum holding time|max holding time|max holding period|maximum holding period|time stop|time-stop|time limit|time exit|carry it|
		carry|hold through|hold for|max time in trade|max time in the trade|time in trade`},
	{kHold, 1, "hold", "sit tight|ride it|ride them|riding it|let it run|let it ride|diamond hands|diamond hand|diamond hand it|diamond hands it|let it go|let them ride|let ride|let it play out|let it play|hold everything|hold all"},
	{kRide, 1, "hold to expiry", `
		hte|h2e|let it settle|let it resolve|let it expire|let them settle|let it ride out|ride it out|ride them out|let them expire|
		let it go to expiry|let it go to settlement|hold to maturity|ride or die|ride till the wheels fall off|hold for settlement|
		hold for resolution|hold for expiry|hold it for settlement|let it cash|hold forever`},
	{kProfit, 0, "profit", `
		profit|profits|of profit|in profit|profits of|gain of|a gain of|gain on|green|in the green|to the good|in the money|winner|ahead|
		in gains|of gain|of gains|in the black`},
	{kLoss, 0, "loss", `
		loss|losses|of loss|max loss|maximum loss|max loss of|loss of|a loss of|in the red|in the hole|underwater|offside|in loss|
		under water|behind|lose|loses|losing|lost|to lose|lose at most|lose more than|loss per share`},
	{kMake, 0, "make", "make|makes|making|made|earn|earns|earning|net|pocket|profit by|profit of|a profit of|profits of|clear"},
	{kEntryRef, 0, "entry", `
		what i paid|what we paid|what i pay|what i paid for it|what it cost|what it cost me|what you paid|what was paid|the price i paid|
		price i paid|price paid|my cost|cost basis|cost base|my fill|my fill price|fill price|the fill|fill|average entry|avg entry|
		average entry price|average price paid|where i got in|where i bought|where i bought it|where i entered|where we got in|
		where i get in|purchase price|my entry|my entry price|our entry|the entry|the entry price|the buy price|my buy price|my purchase|
		purchase|the buy|buy-in|my buy|entering|getting in|entry fill|i bought|i entered|i got in|we entered|buying|buying it|bought|
		opening the position|entry time|the trade opens|the trade starts|i'm filled|filled|getting filled|i've bought|my average|
		where i was filled|my average entry|i paid`},

	// Comparators.
	{kCmp, cmpLT, "below", "below|beneath|underneath|south of|shallower than"},
	{kCmp, cmpLT, "under", "under"},
	{kCmp, cmpLT, "less than", `
		less than|lower than|cheaper than|smaller than|fewer than|sub|<|strictly below|strictly less than|strictly under|tighter than|
		narrower than|earlier than|sooner than|anything below|anything under|anything less than|anything south of|anything cheaper than|
		shorter than|is less than|anything lower than|thinner than|any price below|any price under|less then|lower then|cheaper then|
		smaller then|fewer then|less expensive than|worth less than`},
	{kCmp, cmpGT, "above", "above|north of|anything above|strictly above|beyond"},
	{kCmp, cmpGT, "over", "over|anything over"},
	{kCmp, cmpGT, "past", "past"},
	{kCmp, cmpGT, "more than", `
		more than|greater than|higher than|bigger than|larger than|longer than|later than|wider than|deeper than|>|exceed|exceeds|
		exceeding|exceeded|in excess of|upward of|strictly more than|strictly greater than|strictly over|anything more than|
		anything higher than|pricier than|costlier than|more then|higher then|greater then|bigger then|
		more expensive than|dearer than|worth more than`},
	{kCmp, cmpLTE, "at or below", `
		at or below|at or under|at or beneath|at or less than|<=|=<|below or at|under or at|below or equal to|less than or equal to|
		lower than or equal to|under or equal to|equal to or below|equal to or less than|equal or less than|equal or below|
		less or equal to|less than or equals|less or equal|smaller than or equal to|lower or equal to|at or lower than|
		or less than or equal to|at or cheaper than`},
	{kCmp, cmpLTE, "at most", `
		at most|at the most|at maximum|no more than|not more than|no higher than|not higher than|no greater than|not greater than|max|
		max of|maximum|maximum of|a maximum of|a max of|as low as|as cheap as|as little as|no worse than|no wider than|not wider than|
		not exceeding|no bigger than|no larger than|no longer than|not longer than|no later than|not later than|never more than|
		never above|never over|capped at|cap of|cap at|cap|ceiling of|ceiling|no pricier than|no deeper than|up to and including|
		never higher than|at a max of|at a maximum of|nothing above|nothing over|nothing more than|nothing higher than`},
	{kCmp, cmpLTE, "up to", "up to|upto|up to a max of|up to a maximum of|anything up to"},
	{kCmp, cmpGTE, "at or above", `
		at or above|at or over|at or past|at or more than|>=|above or at|over or at|above or equal to|greater than or equal to|
		more than or equal to|higher than or equal to|over or equal to|equal to or above|equal to or greater than|equal to or more than|
		equal or above|equal or greater than|greater or equal to|greater or equal|at or higher than|more or equal to`},
	{kCmp, cmpGTE, "at least", `
		at least|min|at the least|at minimum|no less than|not less than|no lower than|not lower than|no fewer than|not fewer than|
		no cheaper than|no smaller than|minimum|minimum of|a minimum of|min of|a min of|at a minimum|as high as|as much as|upwards of|
		no earlier than|not earlier than|no sooner than|not sooner than|no narrower than|never less than|never below|never under|
		never lower than|floor of|no shorter than|nothing below|nothing under|nothing less than|nothing lower than|nothing cheaper than`},
	{kPost, cmpLTE, "or less", `
		or less|or lower|or below|or under|or cheaper|or fewer|or earlier|or sooner|or tighter|or smaller|or beneath|and under|and below|
		and lower|and down|or down|or narrower|and less|or less than that|or shorter`},
	{kPost, cmpLTE, "or better", "or better"},
	{kPost, cmpLTE, "tops", "tops|at most|max|maximum|at the most"},
	{kPost, cmpGTE, "or more", `
		or more|or higher|or above|or over|or greater|or up|and up|and above|and over|and higher|or later|or longer|or wider|or bigger|
		or deeper|and more|or north|or pricier`},

	// Verbs of being and moving.
	{kBe, 0, "is", `
		is|are|was|were|be|being|'s|'re|'m|am|trades|trading|traded|sits|sitting|sit|stands|standing|stand|stays|staying|stay|stayed|lies|
		rests|resting|priced|is priced|priced at|quoted|valued|keeps|remains|im|lands|sits there|currently|there's|there is|there are|
		theres|becomes|turns|looks|reads|seems`},
	{kBe, 0, "been", "been|has been|have been|has been trading|have been trading"},
	{kMove, moveUp, "rise", `
		rise|rises|rose|risen|rising|climb|climbs|climbed|climbing|jump|jumps|jumped|jumping|pop|pops|popped|popping|gain|gains|gained|
		gaining|rally|rallies|rallied|rallying|spike|spikes|spiked|spiking|surge|surges|surged|surging|pump|pumps|pumped|pumping|rip|rips|
		ripped|ripping|soar|soars|soared|soaring|bounce|bounces|bounced|bouncing|recover|recovers|recovered|recovering|rebound|rebounds|
		rebounded|rebounding|rocket|rockets|rocketed|advance|advances|advanced|advancing|increase|increases|increased|increasing|grow|
		grows|grew|grown|growing|shoot up|shoots up|shot up|shooting up|skyrocket|skyrockets|moon|moons|mooned|mooning|leap|leaps|leapt|
		leaped|appreciate|appreciates|appreciated|ascend|ascends|lift off|bounce back|bounces back|come back up|comes back up|climb back|
		climbs back|pop back|pops back|rally back|rallies back|recover back|climb back up|climbs back up|firm up|firms up|perk up|perks up`},
	{kMove, moveDown, "fall", `
		drop|drops|dropped|dropping|fall|falls|fell|fallen|falling|dip|dips|dipped|dipping|slip|slips|slipped|slipping|sink|sinks|sank|
		sunk|sinking|slide|slides|slid|sliding|tumble|tumbles|tumbled|tumbling|crash|crashes|crashed|crashing|tank|tanks|tanked|tanking|
		dump|dumps|dumped|dumping|plunge|plunges|plunged|plunging|plummet|plummets|plummeted|plummeting|decline|declines|declined|
		declining|retrace|retraces|retraced|retreat|retreats|retreated|slump|slumps|slumped|ease|eases|eased|sag|sags|sagged|pull back|
		pulls back|pulled back|pulling back|nosedive|nosedives|nosedived|dive|dives|dived|dove|diving|collapse|collapses|collapsed|
		collapsing|shed|sheds|shedding|bleed|bleeds|bled|bleeding|decrease|decreases|decreased|decreasing|come off|comes off|came off|
		sell off|sells off|sold off|fall back|falls back|fell back|drop back|drops back|dropped back|dip back|dips back|slip back|
		slips back|slide back|slides back|come back down|comes back down|go back down|goes back down|weaken|weakens|weakened|descend|
		descends|give back|gives back|gave back|drop off|drops off|fall off|falls off|sinks back|crater|craters|cratered|tumble back|
		depreciate|depreciates|back off|backs off|falls apart`},
	{kMove, moveTo, "hit", `
		hit|hits|hitting|reach|reaches|reached|reaching|touch|touches|touched|touching|tap|taps|tapped|tapping|tag|tags|tagged|tagging|
		print|prints|printed|printing|get to|gets to|got to|getting to|make it to|makes it to|come to|comes to|arrive at|arrives at|
		arrives|get as far as|gets as far as|kiss|kisses|go to|goes to|move to|moves to|trade to|trades to|attain|attains|meets|meet`},
	{kMove, moveGo, "go", `
		go|goes|going|went|move|moves|moved|moving|come|comes|came|coming|gets|got|push|pushes|pushed|pushing|runs|ran|running|swing|
		swings|swung|drift|drifts|drifted|drifting|head|heads|headed|heading|tick|ticks|ticked|ticking|edge|edges|edged|edging|inch|inches|
		inched|creep|creeps|crept|creeping|shoot|shoots|shot|shooting|change|changes|changed|changing|shift|shifts|shifted|wander|wanders|
		budge|budged|budges|float|floats|fluctuate|fluctuated|goes back|go back|come back|comes back|get back|gets back|moves back|
		move back|trends`},
	{kMove, moveGo, "trade", "trade"},
	{kCross, 0, "cross", `
		cross|crosses|crossed|crossing|break|breaks|breaking|broke|broken|breakout|break out|breaks out|breaking out|break-out|breaks on|
		bust|busts`},

	// What is compared.
	{kQty, qPrice, "price", `
		price|prices|priced|mid|mid price|midprice|mid-price|midpoint|mid point|the mid|market price|token price|implied probability|
		probability|odds|implied odds|chance|chances|implied chance|trading price|current price|price level|value|token value|likelihood|his price|her price`},
	{kQty, qAsk, "ask", `
		ask|asks|best ask|best asks|ask price|asking price|offer|offers|best offer|offer price|offered price|lowest ask|lowest offer|
		top ask|cheapest ask|cheapest offer|best ask price|lowest ask price|ask is|cost|costs|costing|offered|offered at|on offer|
		on offer at|on offer for|available at|available for|available|can be bought|can be bought at|can be bought for|can be had|
		can be had for|can be had at|can be purchased|can be purchased at|can be purchased for|could be bought|going for|goes for|
		on sale for|on sale at|selling for|sells for|can be picked up|can be picked up for|can be picked up at|buyable|buyable at|
		buyable for|lowest offered|can be grabbed for|can be got for|could be had for|can be gotten for|may be bought for|may be bought at|
		selling at|sells at`},
	{kQty, qBid, "bid", `
		bid|bids|best bid|best bids|bid price|highest bid|top bid|bidding price|best bid price|highest bid price|can be sold|
		can be sold at|can be sold for|could be sold|could be sold for|could be sold at|sellable|sellable at|sellable for|bid is`},
	{kQty, qSpread, "spread", `
		spread|spreads|bid ask spread|bid-ask spread|bid/ask spread|book spread|bid offer spread|the gap between bid and ask|
		gap between bid and ask|gap between the bid and the ask|gap between the bid and ask|difference between bid and ask|market spread|
		bid - ask spread|ask minus bid|distance between bid and ask|bid to ask gap|bid ask gap|bid-ask gap`},
	{kQty, qAskDepth, "ask depth", `
		ask depth|ask side depth|ask-side depth|depth on the ask|depth on the ask side|depth on ask|depth at the ask|depth of the ask|
		depth of the asks|depth of asks|depth on the offer|depth on the offer side|depth on offer|depth on the asks|depth at ask|
		ask liquidity|ask side liquidity|ask-side liquidity|liquidity on the ask|liquidity on the ask side|liquidity on the asks|
		liquidity on ask|liquidity at the ask|liquidity on the offer|offer depth|offer liquidity|offer side depth|offer side liquidity|
		depth ask|sell side depth|depth on the sell side|sell-side depth|sell side liquidity|liquidity on the sell side|ask book depth|
		resting on the ask|resting on the offer|on the ask|on the ask side|on the asks|on the offer|at the ask|of asks|in asks|
		worth of asks|in the asks|on offer side|ask_depth|ask size in dollars|liquidity resting on the ask|depth resting on the ask|
		sitting on the ask|in ask depth|of ask depth|of ask liquidity|in ask liquidity|showing on the ask|offered on the ask|
		dollars on the ask|of liquidity on the ask|of depth on the ask|asks depth|on the ask book|of offers|available on the ask|
		depth in the asks|depth available on the ask|liquidity in the asks`},
	{kQty, qBidDepth, "bid depth", `
		bid depth|bid side depth|bid-side depth|depth on the bid|depth on the bid side|depth on bid|depth at the bid|depth of the bid|
		depth of the bids|depth of bids|depth on the bids|depth at bid|bid liquidity|bid side liquidity|bid-side liquidity|
		liquidity on the bid|liquidity on the bid side|liquidity on the bids|liquidity on bid|liquidity at the bid|depth bid|
		buy side depth|depth on the buy side|buy-side depth|buy side liquidity|liquidity on the buy side|bid book depth|resting on the bid|
		on the bid|on the bid side|on the bids|at the bid|of bids|in bids|worth of bids|in the bids|bid_depth|liquidity resting on the bid|
		depth resting on the bid|sitting on the bid|in bid depth|of bid depth|of bid liquidity|in bid liquidity|showing on the bid|
		bid on the book|dollars on the bid|of liquidity on the bid|of depth on the bid|bids depth|on the bid book|available on the bid|
		depth in the bids|depth available on the bid|liquidity in the bids`},
	{kQty, qDepth, "depth", `
		depth|liquidity|of depth|of liquidity|book depth|order book depth|market depth|in depth|in liquidity|depth in the book|
		book liquidity|orderbook depth|resting|in the book|on the book|of resting orders`},
	{kQty, qImbalance, "imbalance", `
		imbalance|order book imbalance|orderbook imbalance|book imbalance|depth imbalance|bid imbalance|bid ask imbalance|
		bid/ask imbalance|obi|order imbalance|imbalance ratio|liquidity imbalance|bid share of depth|bid share`},
	{kQty, qRatio, "bid ask ratio", `
		bid ask ratio|bid/ask ratio|bid to ask ratio|bid-to-ask ratio|bids to asks ratio|ratio of bids to asks|
		ratio of bid depth to ask depth|bid ask depth ratio|ratio of bid to ask|bid depth to ask depth ratio|bid/ask depth ratio|
		ratio of bid to ask depth`},
	{kQty, qChange, "price change", "price change|change|price move|price movement"},
	{kQty, qElapsed, "time elapsed", `
		time elapsed|elapsed time|time_elapsed|seconds elapsed|time gone|time passed|time since open|time since start|time since the open|
		time since the start|time into the round|time into round|round age|age of the round|elapsed seconds|time since the round started|
		time since the round opened|market age`},
	{kQty, qRemaining, "time remaining", `
		time remaining|time left|remaining time|time_remaining|time to expiry|time to expiration|time to go|time until expiry|
		time to close|seconds remaining|time until the end|time to the end|time to end|time before expiry|time till expiry|
		time on the clock|time until close|time to settlement|time to resolution|remaining seconds|time left on the clock|
		time until settlement|time until resolution|tte`},

	// The market, its start, its end, what has gone and what is left.
	{kRound, 0, "market", `
		market|markets|mkt|mkts|mrkt|mrkts|round|rounds|window|windows|candle|candles|game|games|event|events|interval|intervals|cycle|cycles|bar|bars|
		up/down market|up/down markets|up or down market|up or down markets|up-or-down market|up-or-down markets|up/down round|
		up/down rounds|up or down round|up or down rounds|updown|updown market|updown markets|up down market|up down markets|updown rounds|
		timeframe|time frame|timeframes|market type|market_type|market length|length|session length|prediction market|prediction markets|
		contract market|rounds of trading|market window|market windows|duration|tf|up/down|up-down market|up-down markets|up/down contract|
		up/down contracts|up/down game|up or down contracts|market round|round length|expiries|occurrences|historical markets|
		historical rounds|historic rounds|historic markets|resolved markets|resolved rounds|completed markets|completed rounds|
		finished markets|finished rounds|settled markets|settled rounds|closed markets|closed rounds|past markets|past rounds|past windows|
		recent markets|recent rounds|recent windows|previous markets|historical windows|resolved windows`},
	{kTrades, 0, "trades", "trades|samples|instances|sample markets|sample rounds|backtests|trials|runs|tests|entries total|bets|sample trades"},
	{kEnd, 0, "the end", `
		end|ends|the end|expiry|expiration|expires|expire|expiring|expirey|expiry time|settlement|settles|settle|settling|resolution|
		resolves|resolve|resolving|maturity|the buzzer|buzzer|the bell|final bell|closing bell|the finish|finish|finish line|
		the finish line|time runs out|the clock runs out|clock runs out|time expires|round end|market end|market close|market closes|
		round close|round closes|round ends|market ends|candle close|candle closes|the close|end time|it ends|it closes|it expires|
		it resolves|it settles|closes|the bitter end|the very end|end of the round|end of round|end of the market|end of market|
		end of the window|end of window|the horn|the whistle|final whistle|it finishes|the payout|payout|they expire|the round's end|
		the market's end|expiration time|window end|window closes|close of the round|close of the market|the round closes|the gong|the market resolves|market resolves|the round resolves|
		round resolves|the market settles|market settles|the round settles|round settles|the market expires|market expires|
		the contract expires|contract expires|the contract settles|contract settles|the contract resolves|contract resolves|
		the round expires|round expires|the market is resolved|the market is settled|it is resolved|it's resolved|
		the window closes|the window ends|everything resolves|the token resolves|
		the token settles|the token expires|it pays out|the market finishes|the round finishes`},
	{kOpen, 1, "the start", `
		at the market's start|at the market's open|at the market's opening|at market start|at market open|at the market start|
		at the market open`},
	{kOpen, 0, "the start", `
		the market's start|the market's open|the round's start|the round's open|the market's opening|open|opens|opened|the open|start|
		starts|started|the start|beginning|the beginning|begins|opening|the opening|kickoff|kick off|launch|outset|get-go|opening bell|
		the opening bell|the off|market open|market opens|round open|round opens|round start|round starts|market start|market starts|
		the bell rings|it opens|it starts|it begins|start of the round|start of round|start of the market|open of the market|
		open of the round|window open|window opens|round begins|inception|go time|candle open|candle opens|jump street|start time`},
	{kLeft, 0, "left", `
		left|remaining|remain|to go|on the clock|left on the clock|remaining on the clock|left to go|left to run|left in the round|
		left in it|left to play|to play|to spare|ticking down|still left|still remaining`},
	{kGone, 0, "gone", `
		of the way in|of the way through|of the way into|of the way|to pass|to go by|to elapse|to have passed|elapsed|passed|gone|gone by|have passed|has passed|have elapsed|
		has elapsed|have gone|have gone by|has gone|has gone by|in the books|old|deep|into it|of the round have passed|have expired|
		has expired`},
	{kFirst, 0, "first", "first|very first|initial|opening"},
	{kLast, 0, "last", "last|very last|final|closing|dying"},
	{kLast, 1, "past", "previous|preceding|latest|most recent|recent|prior|past few"},
	{kLast, 1, "past", "the past"},

	// Joints.
	{kIf, 0, "if", "if, and only if,|if, and only if|if , and only if"},
	{kIf, 0, "if", `
		if|iff|upon|when|whenever|wherever|once|while|whilst|as long as|so long as|provided|provided that|providing|providing that|given|
		given that|in case|every time|each time|any time|anytime|where|assuming|assuming that|as soon as|the moment|the moment that|
		the instant|the second that|if and only if|only if|only when|only once|only while|on condition that|on the condition that|
		first time|the first time|for the first time|supposing|should|the instant that|contingent on|conditional on|subject to|so far as|
		only where|whenever it|if ever|the next time|at any point when|at the moment|if at any point|at any time when`},
	{kUnless, 0, "unless", `
		never when|never if|never while|never once|unless|except when|except if|except where|except|excluding|save when|but not when|
		but not if|not if|not when|not while|but not while|only not if|not where|except while|not unless it is not`},
	{kAnd, 0, "and", "plus|and|&|plus also|as well as|along with|together with|and also|and then also|coupled with"},
	{kOr, 0, "or", "or|or else|or if|or when|or once|or alternatively|alternatively|or either"},
	{kBut, 0, "but", `
		but|however|though|although|yet|and only|and only if|and only when|and if|and when|and provided|and as long as|but only|
		but only if|but only when|and while|but while|on top of that|in addition|additionally|moreover|furthermore|and where|and once|
		and for the|but only while|but when|but if|and so long as`},
	{kNot, 0, "not", `
		not|isn't|isnt|is not|aren't|arent|are not|ain't|aint|wasn't|wasnt|weren't|doesn't|doesnt|does not|don't|dont|do not|won't|wont|
		will not|can't|cannot|can not|cant|shouldn't|shouldnt|should not|mustn't|must not|wouldn't|would not|hasn't|hasnt|has not|haven't|
		havent|have not|hadn't|never|never ever|nor|neither|didn't|did not|isn't currently|not currently|is no longer|no longer`},
	{kAvoid, 0, "avoid", `
		entries close|entries end|entries stop|entry closes|entry window closes|entry window ends|buying stops|buying ends|buying closes|
		avoid buying|avoids buying|avoiding buying|avoid entering|avoid entries|avoid getting in|skip buying|skip entering|skip entries|
		stay away from buying|refrain from buying|refrain from entering|no entering|stay out of|keep out of|skip trading|avoid trading|
		don't do it|don't do that|do not do it|don't do so|i don't do it|do nothing at all|does nothing|does nothing at all|did nothing|
		nothing at all|nothing|avoid|avoids|avoiding|skip|skips|skipping|stay out|stay away|stay away from|sit out|sitting out|
		steer clear of|pass on|no entries|no entry|no trades|no trade|no trading|no buys|no buying|no new entries|no new positions|
		no new trades|no bets|no entering|no position|no positions|stay flat|stop buying|stop entering|stop trading|do nothing|don't trade|
		dont trade|do not trade|don't buy|dont buy|do not buy|don't buy anything|don't enter|dont enter|do not enter|don't get in|
		dont get in|do not get in|don't take|dont take|do not take|don't bet|dont bet|do not bet|never buy|never enter|never trade|
		never bet|never get in|never take|don't go in|don't open|never open|refrain from|refuse|rule out|except|not buying|not entering|
		not enter|not buy|shouldn't buy|should not buy|won't buy|wont buy|can't buy|cannot buy|don't go long|do not go long|don't touch|
		never touch|ignore any|ignore all|ignore rounds|ignore markets|ignore windows|ignore any rounds|ignore any markets|
		ignore all rounds|ignore those rounds|skip it|skip if|skip when|no purchases|don't open a position|don't place|shouldn't enter|
		should not enter|won't enter|mustn't buy|must not buy|don't purchase|do not purchase|don't be in|not interested in|no action|
		not trade|don't ape|dont ape|not to buy|not to enter|don't bother|dont bother|leave alone|don't want|dont want|do not want|
		no fills|no orders|no buy`},
	{kNone, 0, "none", "none|nil|n/a|null|off|disabled|nope|zilch"},
	{kPer, 0, "per trade", `
		per trade|per round|per market|per bet|per entry|per position|per window|per game|per pop|per go|per play|per order|per buy|
		per attempt|per shot|per turn|per candle|per event|per ticket|per contract market|per purchase|per time|per interval|per instance|
		per try|each trade|each one|each go|each market|each round|each bet|each window|each game|each entry|each position|each|apiece|
		every trade|every market|every round|every bet|every go|every one|every window|every entry|every|a pop|a go|a trade|a round|
		a market|a bet|a shot|a ticket|a play|a turn|a throw|a whack|a clip|a hit|a window|a try|a punt|an entry|a position|a time|
		at a time|a swing|a spin|on each trade|on each|on each one|for each trade|for each|for each one|in each trade|in each|
		on every trade|on every round|into each trade|into each|each and every time|a game|/trade|/ trade|per swing|per spin|on each bet|
		for each market|for each round|for every trade|in every trade|a piece|per each|in each market|in each round|on each market|
		on each round|on every market|per entry fees included|a candle|per clip|each way in|each trade i make|for every round|
		per trade please|for one trade|in one trade|on one trade|per one trade|for a trade|on a trade|for one round|for one market`},
	{kStake, 0, "stake", `
		bet|wager|wagers|wagering|stake|stakes|staking|risk|risks|risking|put|puts|putting|spend|spends|spending|invest|invests|investing|
		throw|toss|chuck|allocate|allocating|deploy|deploying|gamble|gambling|lay|commit|plonk|slap|plunk|stick|betting|lay down|put down|
		throw down|place|put in|chip in|use`},
	{kBudget, 0, "budget", `
		budget|budget per trade|budget_per_trade|budget_per_trade_usd|stake size|position size|position sizing|trade size|trade sizing|
		bet size|bet sizing|ticket size|order size|clip size|size|sizing|sized|size is|amount|dollar amount|budget of|a budget of|notional|
		per trade budget|per-trade budget|stake per trade|size per trade|amount per trade|usd per trade|dollars per trade|risk per trade|
		spend per trade|money|cash|bet amount|max spend|max stake|max bet|max budget|max risk|maximum spend|maximum stake|maximum bet|
		maximum budget|funds per trade|capital per trade|cost per trade|budget for each trade|budget each|trade budget|unit size|size of|
		stake amount|investment`},
	{kSample, 0, "sample", `
		sample|sample size|sample_size|samples|sample of|a sample of|sample count|sample n|n|number of markets|number of rounds|
		number of samples|num markets|num samples|market count|markets to replay|markets to test|backtest|backtest it|backtested|
		backtesting|back test|back-test|test|tested|testing|test it|test this|simulate|simulated|simulation|replay|replayed|replaying|
		run it over|run it on|run it|run this|run this over|run over|check it over|evaluate it over|evaluate over|evaluate|lookback|
		look back|history|over a sample of|across a sample of|try it on|try it over|try on|try over|samplesize|# of markets|# of rounds|
		# markets|# samples|# rounds|sample:`},

	// Small words with a meaning of their own in the grammar.
	{kWord, 0, "", `
		at|to|in|on|of|for|with|by|from|than|as|until|before|after|since|within|during|between|through|into|per|then|no|back|min|wait|
		out of|off|halfway|minute|hour|second|one|nor`},
	{kWord, 0, "at", "@|at around never"},
	{kWord, 0, "with", "w/|w|having at|alongside|amid"},
	{kWord, 0, "between", "anything between|any price between|anyplace between"},
	{kWord, 0, "on", "onto|across|over on"},
	{kWord, 0, "until", "till|til|'til|untill"},
	{kWord, 0, "before", "b4|ahead of|prior to|short of"},
	{kWord, 0, "within", "inside|inside of"},
	{kWord, 0, "through", "thru|via the"},
	{kWord, 0, "without", "without|w/o|sans|minus any|without any|without a|having no"},
	{kWord, 0, "minute", "minutes|min mark"},
	{kWord, 0, "halfway", `
		half way|half-way|midway|halftime|half time|half-time|the halfway point|halfway point|the halfway mark|halfway mark|
		the half way point|the midpoint of the round|the half|the midway point|midway point|half the way|the halfway stage`},
	{kWord, 0, "mark", "mark|minute mark|-minute mark|point in the round"},
	{kWord, 0, "from", "starting|starting at|starting from|beginning at|beginning from|as of|from around never"},
	{kWord, 0, "ignore", `
		ignore|ignoring|ignores|disregard|disregarding|never mind|nevermind|forget|forget about|don't care about|dont care about|
		do not care about|i don't care about|regardless of|irrespective of|whatever the|no matter what the|no matter the|
		no matter how wide the|doesn't matter|does not matter|don't worry about|not worried about|pay no attention to`},
	{kWord, 0, "many", "as many|as much|the size of|as big as|as deep as|as large as|as big|as large|as deep|more than the|the amount of|that of"},
	{kWord, 0, "outweigh", "outweigh|outweighs|outnumber|outnumbers|outsize|outsizes|dwarf|dwarfs"},
	{kWord, 0, "more", "more"},
	{kWord, 0, "otherwise", "otherwise|or otherwise|failing that|else hold|failing which"},
	{kWord, 0, "true", "true"},
	{kWord, 0, "false", "false"},
	{kVague, whyVaguePrice, "", "reasonably|comparatively|relatively|unusually"},

	// Corrections.
	{kMean, 0, "actually", `
		actually|i mean|i meant|make that|make it|no wait|wait no|sorry|oops|scratch that|correction|or rather|no make that|no make it|
		actually make that|actually make it|actually no|no actually|wait make that|wait make it|err make that|let me rephrase|
		let's make that|lets make that|let's make it|lets make it|change that to|i mean to say|strike that|on second thought|
		on second thoughts|no sorry|sorry i mean|sorry make that|sorry make it|no i mean|i mean actually|nah make it|nah make that|
		no scratch that|my bad|whoops|edit`},
}
