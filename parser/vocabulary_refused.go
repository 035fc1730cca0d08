package parser

// reason is why a phrase is refused.
type reason = int16

// Reasons, as sub of kRefuse and kVague.
const (
	whyLimit reason = iota + 1
	whyShort
	whyHedge
	whySizing
	whyReentry
	whyPartial
	whyBreakEven
	whyMultiple
	whySequence
	whyLast
	whyBoth
	whyCompare
	whySwitch
	whyTotal
	whyShares
	whyTopSize
	whyCurrency
	whyDays
	whyEqual
	whyVague
	whyVaguePrice
	whyVagueSpread
	whyVagueDepth
	whyVagueTime
	whyVagueAmount
	whySearch
	whyFade
	whyLanguage
	whyAccount
	whyTicks
	whyAverage
	whyClose
	whyProfitMoney
	whySinceOpen
	whyStory
	whyHigh
	whyAnyOf
	whyLastTrade
)

// refusals lists what the object cannot say. It is constant in spirit.
var refusals = []row{
	{kRefuse, whyLimit, "", `
		limit order|limit orders|limit buy|limit sell|limit price|limit bid|limit at|limit|limits|resting order|resting orders|resting bid|
		resting limit|post only|post-only|maker|maker order|maker orders|passive order|passive orders|gtc|ioc|fok|fill or kill|
		good till cancelled|cancel|cancels|cancelled|canceled|cancel it|work an order|work the bid|join the bid|rest an order|rest a bid|
		leave an order|leave a bid|place a bid|post a bid|bid for it|quote both|order book order|unfilled|pending order|iceberg|twap`},
	{kRefuse, whyShort, "", `
		short|shorts|shorting|shorted|sell short|short sell|short selling|go short|going short|short it|cover|cover it|buy to cover|naked`},
	{kRefuse, whyHedge, "", `
		hedge|hedges|hedging|hedged|hedge it|straddle|strangle|arbitrage|arb it|delta neutral|market neutral|market making|market make|
		offset my position|lock in both|insurance|insure|collar|box spread|pairs trade|pair trade|risk free|risk-free|riskless|
		make markets`},
	{kRefuse, whySizing, "", `
		martingale|double down|doubling down|double up after|double the stake|double the bet|double my bet|double my stake|double the size|
		average down|averaging down|average up|averaging up|average in|averaging in|scale in|scaling in|scale into|scale out|scaling out|
		scale up|scale down|ladder in|laddering|layer in|dca|dollar cost average|pyramid|pyramiding|compound|compounding|reinvest|
		reinvesting|kelly|half kelly|anti martingale|anti-martingale|fibonacci|increase the stake|increase my stake|increase the bet|
		increase my bet|increase size|raise the stake|raise stakes|let winnings ride|press the bet|press|add to it|add to the position|
		add more|add another|adding to|top up|buy more|buying more|more each time|all in|all-in|go all in|going all in|everything i have|
		everything i've got|max size|full size|half size|full port|whole stack|roll the profits|roll winnings|parlay|progressively|
		in tranches|tranche|tranches|in two tranches|in chunks|chunks|split into|split it|in thirds|in halves|increase by|increments|
		each additional|after a win|after a loss|after each loss|after every loss|after losing|after winning|losing trade|winning trade|
		lost the last|won the last|recover losses|on a loss|on a win|bigger each time|proportional|proportionally|scaled by|weighted|
		weight|depending on|based on confidence|varying|variable size|vary`},
	{kRefuse, whyReentry, "", `
		re-enter|reenter|re enter|re-entry|reentry|re-entries|get back in|buy back|buy it back|buy again|enter again|go again|again|repeat|
		repeats|repeatedly|rinse and repeat|rinse|every dip|second entry|another entry|two entries|three entries|multiple entries|
		several entries|multiple times|several times|up to three times|as many times|many times|keep buying|keep entering|keep adding|
		rebuy|re-buy|reload|twice per round|twice a round|twice per market|buy twice|trade twice|back in|once more|one more time|new entry|
		second time|third time|the second time|the third time|next dip|multiple|every few|every time it dips again|continuously|
		constantly buy|each dip|more than once`},
	{kRefuse, whyPartial, "", `
		partial|partially|partials|half off|half out|half at|half my position|half the position|half of it|half of the position|
		half of my position|half of them|sell half|selling half|exit half|close half|cash out half|take half off|take half|take some off|
		sell some|sell a third|sell a quarter|sell part|sell one half|first half at|other half|the rest|remainder|the remainder|
		the remaining half|trim|trimming|take a little off|piece of it|moon bag|moonbag|let the rest|runner|runners|leave some|in stages|
		stage out|peel off|half the shares|half and hold`},
	{kRefuse, whyShares, "", "a share of|one share|one share of|a single share|buy a share|one contract|one ticket|lots of shares"},
	{kRefuse, whyBreakEven, "", `
		break even|breakeven|break-even|move stop|move the stop|move my stop|move stop to|raise the stop|raise my stop|tighten the stop|
		tighten my stop|tighten stop|lower the stop|move sl|move the sl|stop to entry|stop to break even|free roll|ratchet|adjust the stop|
		widen the stop|stop moves|moving stop|trail after|start trailing|begin trailing|activate`},
	{kRefuse, whyMultiple, "", `
		double my money|doubles my money|double the money|double it|doubled|doubles|doubling|triples|tripled|tripling|quadruple|quadruples|
		ten bagger|10 bagger|bagger|multiple of|multiples|r multiple|times my money|times the entry|risk reward|risk-reward|reward to risk|
		r:r|rr|lose half|halves|halved|half my money|half its value|half what i paid|twice what i paid|twice my money|twice my entry|
		twice the entry|twice the price|two to one|roi|return of|return on|1r|2r|3r`},
	{kRefuse, whySequence, "", `
		on the way to|on its way to|along the way to|making its way to|makes its way to|and then back|then back|then falls|then drops|then dips|then rises|then recovers|then bounces|then reverses|after it has been|
		after first|having been|having touched|after touching|after hitting|after reaching|after falling|after rising|after dropping|
		after having|after being|after crossing|after it touches|after it hits|after it drops|after it falls|after it reaches|
		after up hits|after down hits|followed by|subsequently|afterwards|thereafter|next it|retest|retests|retested|retesting|reclaim|
		reclaims|reclaimed|having first|previously|earlier in the round|before that|prior to that|was below|was above|was under|was over|
		had been|used to be|came from|coming off|coming from|at some point|confirm|confirms|confirmation|confirmed|new high|new low|
		new highs|new lows|higher high|lower low|higher highs|lower lows|all time high|all-time high|round low|session low|day high|
		low of the round|its low|highest point|lowest point|the low|swing high|swing low|local high|local low|off the low|off the lows|
		off its low|from its low|from the low|from the bottom|bottoms|bottoms out|bottomed|double bottom|double top|head and shoulders|
		v-shape|reverses|reversed|turn around|turns around|turned around|changes direction`},
	{kRefuse, whyHigh, "", `
		round high|session high|high of the round|its high|the high|high since entry|its peak|the peak|peak|peaks|the top|
		the high since entry|highest bid|highest bid since entry|the best price|its best price|its highest|the highest|high watermark|
		high water mark|best bid since entry|peak price|highest price|the highest price|the highest bid`},
	{kRefuse, whyAnyOf, "", "any of these|any of the following|any of those|any one of|any one of these|one of these|one of the following|one of those|at least one of|either of these|either of those|either of the following|one or more of|any of them is enough|none of these|none of the following|none of those|two of these|two of the following|at least two of"},
	{kRefuse, whyLast, "", `
		staying there|and stays there|and staying there|and stay there|stay there|holding there|straight|consecutive|consecutively|in a row|continuous|continuously for|sustained|uninterrupted|stays there|holds there|
		at a time when it stays|steady|steadily|for at least|for more than|for over|for a while|consistently|persistently|persists|
		the whole time|throughout|all the way through|each second|every second`},
	{kRefuse, whyBoth, "", `
		both|both sides|both tokens|both of them|each side|each token|each of them|both ways|up and down together|the pair|
		the two together|the two combined|combined cost|sum of|the sum|combined|together|pair|total of both|up plus down|up + down|
		equal amounts|each of the tokens|every token|both outcomes|one of each|a set|full set|complete set`},
	{kRefuse, whyCompare, "", `
		vs|versus|compare|compared|compared to|compared with|compare to|comparison|comparing|against|relative to|or should i|rather than|
		instead of|difference between|differs|outperforms|a/b|ab test|which is better|which one is better|better than|worse than|
		as opposed to`},
	{kRefuse, whySwitch, "", `
		flip|flips|flipping|flip to|flip it|switch|switch to|switches|switching|reverse|reversing|reverse the position|rotate|rotate into|
		roll|roll into|roll over|rollover|roll it|swap|swap to|swap into|swapping|change sides|change side|change to the other|
		go the other way|opposite direction|reversal into|stop and reverse|stop-and-reverse|convert|otherwise buy|otherwise go|else buy|
		instead|else|other way|other way around|vice versa|vice-versa`},
	{kRefuse, whyTotal, "", `
		for the whole test|for the entire test|for the whole backtest|for the entire backtest|for the whole thing|for the entire thing|
		for everything|over the whole test|across the whole test|for all of them|for all trades|for all the trades|for all rounds|
		for all the rounds|for all markets|for all the markets|for the whole run|for the entire run|for the whole period|
		for the whole sample|for the lot|to start with in the account|as a whole|in total|total|totals|totaling|altogether|overall|all told|for the day|daily limit|daily loss|daily max|per day|a day|per hour|
		per week|a week|across all trades|across all markets total|max drawdown|drawdown|total budget|total exposure|max exposure|
		exposure limit|budget in all|in all|aggregate|cumulative|cumulatively|spread across|spread over|split across|split over|
		split evenly|split between|divided|divided by|divide|evenly|until i run out|until it runs out|stop after losing|stop after|
		stop for the day|max trades|maximum trades|max trades per|limit of|grand total|concurrent|at once`},
	{kRefuse, whyAccount, "", `
		bankroll|my bankroll|account|my account|portfolio|my portfolio|balance|my balance|wallet|my wallet|equity|net worth|capital|
		my capital|savings|fraction of|portion of|share of my|proportion|leverage|leveraged|margin|10x leverage|loan|borrow|life savings`},
	{kRefuse, whyTopSize, "", `
		ask size|bid size|offer size|size on the ask|size on the bid|size at the ask|size at the bid|size at the top|top of book size|
		top-of-book size|size of the ask|size of the bid|best ask size|best bid size|number of orders|order count|queue|queue position|
		levels deep|level 2|second level|third level|price levels|number of levels|levels|whole book|entire book|full book|total depth|
		total liquidity|weighted mid|microprice|micro price|weighted price|slippage|fees|fee|spread cost|maker rebate|rebate|rebates|gas|
		latency|execution speed|commission|commissions`},
	{kRefuse, whyCurrency, "", `
		euro|euros|eur|pound|pounds|gbp|quid|yen|jpy|yuan|cny|rmb|rupee|rupees|inr|peso|pesos|mxn|franc|francs|chf|cad|aud|krw|real|
		reais|brl|rub|rubles|satoshi|satoshis|sats|gwei|wei|sterling|pence|fiver|tenner|kroner|krona|zloty|lira|baht|rand|canadian dollars|
		australian dollars|hong kong dollars|singapore dollars|usdt|tether|usdc|dai|hkd|sgd|nzd|matic tokens|euro cents|eurocents`},
	{kRefuse, whyDays, "", `
		weeks of|days of|months of|years of|day's worth|last week|last month|last year|past week|past month|past year|past day|last day|
		last days|past days|last 24 hours|past 24 hours|previous week|previous month|previous day|this week|this month|this year|a week of|
		a month of|a day of|a year of|year to date|ytd|mtd|month to date|all time|all history|entire history|full history|whole history|
		all available|all the data|all data|everything you have|as many as|as far back|whole archive|entire archive|full archive|
		the archive|history|all markets|all the markets|all rounds|all the rounds|all of them|every available|all available markets|
		all resolved markets|since launch|since inception|since last|recent history|the whole sample|half the markets|every other|
		every other market|every other round|every second round|alternate|alternating|odd|even numbered|skip every|every third|every 2nd|
		every 3rd|weeks|months|years|fortnight|decade|quarter of data|days worth|weeks worth|months worth`},
	{kRefuse, whyEqual, "", `
		equal|equals|equal to|is equal to|exactly at|equals to|identical|the same as|same price|same as|same price as|not equal|
		not equal to|unequal|different from|differs from`},
	{kRefuse, whySearch, "", `
		optimize|optimise|optimal|optimum|best|ideal|perfect|most profitable|maximize|maximise|minimize|minimise|sweep|grid search|try all|
		find the|find me|find a|figure out|recommend|recommended|suggest|suggestion|suggestions|which side|what side|which token|
		which coin|what coin|which price|what price|what should i|what would you|what do you think|should i|tell me what|tell me which|
		tell me when|pick one|pick for me|you choose|you decide|your call|you pick|surprise me|whatever you think|whatever works|something|
		anything good|advice|help me decide|how much should|how should i|how do i|what is the|what's the|is it better|is it profitable|
		predict|prediction|forecast|will it|will up|will down|will btc|will bitcoin|winning strategy|profitable strategy|make me money|
		make me rich|get rich`},
	{kRefuse, whyFade, "", `
		fade|fades|fading|fade it|fade the move|counter trade|countertrade|contrarian|inverse|inverse of|opposite of|mirror|copy|
		copy trade|follow|follows|following the|mimic|against the crowd|against the move|against the trend|with the trend|with the move`},
	{kRefuse, whyTicks, "", "tick|ticks|pips|pip|points|point|pts|bips"},
	{kRefuse, whyAverage, "", `
		average|avg|mean price|median|on average|typical|usual|normal|normally|usually|typically|generally|most of the time|historical|
		historically|standard deviation|std dev|deviation|z-score|zscore|sigma|variance|correlation|correlated|percentile|quantile|outlier|
		unusual|unusually|abnormal`},
	{kRefuse, whyClose, "", `
		closes above|closes below|closes under|closes over|closing above|closing below|closed above|closed below|close above|close below|
		close under|close over|settles above|settles below|ends above|ends below|finishes above|finishes below|finish above|finish below|
		opens above|opens below|opened above|opened below|opens under|opens over`},
	{kRefuse, whySinceOpen, "", `
		since it opened|since the round opened|since the open|since open|since the start|since the round started|since the market opened|
		since opening|since the beginning|from the open price|from its open|from its opening|from its start|from where it opened|
		from where it started|from the opening price|since the bell|since it started|on the round|on the session|so far|since start|
		since i bought|since entry high`},
	{kRefuse, whyStory, "", `
		last time|i lost|i won|my friend|a friend|my buddy|my brother|my uncle|my dad|my mom|my wife|my boss|my neighbor|my cousin|
		yesterday i|the other day|years ago|days ago|weeks ago|hours ago|minutes ago|ago|once upon a time|long story short|my birthday|
		years old|year old`},
	{kRefuse, whyLanguage, "", `
		compra|comprar|compre|cuando|vender|vende|por debajo|baje|suba|acheter|achete|quand|vendre|kaufen|kaufe|wenn|verkaufen|unter|ueber|
		comprare|vendere|quando|sotto|sopra|koop|verkoop|wanneer|onder|boven|kup|sprzedaj`},
	{kRefuse, whyLastTrade, "", `
		last trade|last traded price|last price|last trade price|last traded|last print|last trade size|last sale|last transaction|
		latest trade|latest price`},
	{kRefuse, whyProfitMoney, "", `
		dollars profit|bucks profit|dollars in profit|dollar profit|dollars of profit|bucks of profit|dollars loss|dollars of loss|
		bucks loss|dollars down|dollars up|bucks up|bucks down|dollars ahead|bucks ahead|pnl|p&l|p & l|profit and loss`},

	{kVague, whyVaguePrice, "", `
		cheap|cheaply|dirt cheap|super cheap|really cheap|too cheap|expensive|pricey|overpriced|underpriced|undervalued|overvalued|low|
		too low|very low|really low|high|too high|very high|really high|nice price|good price|a good price|a nice price|fair|fair price|
		fair value|a bargain|bargain|a steal|on sale|discount|discounted|oversold|overbought|attractive|cheapish|lowish|highish|
		fairly priced|mispriced|reasonable|reasonably priced|rich|near|around|about|roughly|approximately|approx|almost|nearly|close to|
		near to|somewhere around|give or take|or so|ish|-ish|~|≈|in the ballpark of|thereabouts|likely|unlikely|a coin flip|coinflip|
		toss up|toss-up|even money|evens|50/50|50-50|fifty fifty|fifty-fifty|more or less|just under|just below|just above|just over|
		slightly below|slightly above|slightly under|slightly over|well below|well above|way below|way above|way under|way over|far below|
		far above|deep in|barely above|barely below|a little below|a little above|a bit below|a bit above|much lower|much higher|
		a lot lower|a lot higher|much cheaper|a bit lower|a bit higher|a little lower|a little higher|preferably|ideally|hopefully|
		worth it|value bet`},
	{kVague, whyVagueSpread, "tight", `
		tight|narrow|tight spread|narrow spread|a tight spread|spread is tight|spread tight|book is tight|the book is tight`},
	{kVague, whyVagueSpread, "wide", "wide|wide spread|a wide spread|spread is wide|loose"},
	{kVague, whyVagueDepth, "heavy", `
		heavy|bid-heavy|bid heavy|ask-heavy|ask heavy|heavy on the bid|heavy on the ask|heavy on the bid side|heavy on the ask side|
		heavily bid|lopsided|skewed|stacked|one sided|one-sided|imbalanced|balanced|leaning|thick|thick bids|thick asks|deep book|
		deep liquidity|good liquidity|decent liquidity|enough liquidity|plenty of liquidity|sufficient liquidity|liquid|illiquid|thin|
		thin book|thin asks|thin bids|buy pressure|sell pressure|buying pressure|selling pressure|strong bid|strong bids|bid wall|ask wall|
		wall|walls|wall of bids|wall of asks|buyers|sellers|buyers dominate|sellers dominate|big bids|big asks|more buyers|more sellers|
		buy side is strong|dominated|dominates|outweigh heavily`},
	{kVague, whyVagueTime, "", `
		early|early on|late|later|later on|soon|shortly|a while|a bit|a moment|some time|sometime|near the end|near the start|
		near the open|near the close|near expiry|close to expiry|close to the end|towards the end|toward the end|towards the start|
		towards expiry|late in the round|early in the round|the clock|clock|in the middle|middle of the round|the middle|mid round|
		mid-round|around the middle|a few minutes|a few seconds|few minutes|few seconds|a couple of minutes|couple minutes|
		a couple minutes|couple of minutes|a couple of seconds|several minutes|several seconds|quickly|quick|fast|slowly|rapidly|recently|
		lately|eventually|right before|just before|just after|right after|shortly after|shortly before|moments before|moments after|
		a little after|a little before|in time|for a bit|for some time|temporarily|briefly|as long as possible|long enough|overly long|
		too long`},
	{kVague, whyVagueAmount, "", `
		a few|few|several|some money|a couple|a couple of|couple of|couple|couple hundred|a couple hundred|a few hundred|a few dollars|
		few hundred|many|lots|lots of|a lot|a lot of|a ton|a ton of|tons of|plenty|plenty of|a bunch|a bunch of|bunch of|loads of|a bit of|
		big|bigger|large|huge|massive|sizable|sizeable|enormous|significant|significantly|substantial|substantially|sharply|sharp|hard|
		suddenly|sudden|strongly|strong|weak|weakly|considerably|meaningful|meaningfully|noticeably|dramatically|drastically|slightly|
		slight|a bit more|a touch|somewhat|quite a bit|a good chunk|a fraction|moderate|moderately|aggressive|aggressively|conservative|
		conservatively|the dip|dips and|buy the dip|the rip|volatile|choppy|flat|sideways|stable|quiet|calm|active|busy|dead|wild|crazy|
		moving|trending|ranging|momentum|steep|steeply|a decent amount|decent|a small amount|tiny amount|pocket change|lunch money|
		some cash|my usual|as usual|the usual|minimum size|min size|the minimum`},
}

// outside lists what belongs to other than this market's token prices, books
// and time. It is constant in spirit.
var outside = []row{
	{kOutside, 0, "", `
		rsi|macd|moving average|moving averages|sma|ema|wma|hma|dma|50ma|200ma|ma|ma cross|golden cross|death cross|bollinger|
		bollinger band|bollinger bands|bbands|vwap|twap price|atr|adx|stochastic|stoch|stochrsi|ichimoku|fib|fibs|fib level|
		fib retracement|pivot|pivots|pivot point|support|resistance|support level|resistance level|trendline|trend line|trend|trends up|
		trends down|uptrend|downtrend|keltner|donchian|supertrend|parabolic sar|cci|mfi|obv|williams|indicator|indicators|oscillator|
		technical analysis|chart pattern|chart patterns|candlestick|candlesticks|doji|hammer|engulfing|wick|wicks|green candle|red candle|
		green candles|red candles|red|candle is green|candles are green|market is green|heikin ashi|divergence|bullish|bearish|bull market|bear market|bull run|bull|bear|bulls|bears|golden|
		squeeze|short squeeze|bull flag|bear flag|order block|liquidity sweep|fair value gap|fvg|smart money|volume profile`},
	{kOutside, 0, "", `
		funding|funding rate|funding rates|open interest|oi|liquidation|liquidations|liquidated|exchange volume|volume|volumes|
		trading volume|traded volume|turnover|vol|volatility|implied volatility|realized volatility|iv|vix|dvol|spot|spot price|
		spot market|index price|mark price|perp|perps|perpetual|perpetuals|futures|future price|basis|premium|cme|gap fill|whale|whales|
		whale alert|order flow|orderflow|flow|cvd|delta|tape|taker|taker buy|aggressor|net buying|inflow|inflows|outflow|outflows|on chain|
		on-chain|onchain|hash rate|hashrate|mempool|gas fees|dominance|btc dominance|market cap|marketcap|etf|etf flows|etf inflows|
		stablecoin|open positions|number of trades|trade count|number of buyers|last trade size|trade size of`},
	{kOutside, 0, "", `
		binance|coinbase|kraken|bybit|okx|bitfinex|bitstamp|deribit|kalshi|predictit|betfair|robinhood|gemini|kucoin|huobi|mexc|gate io|
		bitmex|hyperliquid perp|dydx|chainlink price|chainlink feed|chainlink oracle|pyth|oracle|oracle price|tradingview|coingecko|
		coinmarketcap|coindesk|bloomberg|reuters|another exchange|other exchange|other exchanges|other venue|other venues|another venue|
		other market|other markets|another market|different market|the 1h market too|higher timeframe|lower timeframe|
		higher time frame|lower time frame|cross exchange|betting odds elsewhere|bookmaker|bookmakers|sportsbook|vegas|draftkings|fanduel|
		manifold|metaculus`},
	{kOutside, 0, "", `
		news|headline|headlines|the fed|fed|federal reserve|fomc|cpi|ppi|nfp|jobs report|payrolls|inflation|interest rate|interest rates|
		rate cut|rate cuts|rate hike|gdp|earnings|powell|yellen|trump tweets|trump|biden|elon|musk|saylor|vitalik|cz|sec|regulation|
		regulations|lawsuit|tweet|tweets|tweeted|tweeting|twitter|x post|reddit|telegram|discord|tiktok|youtube|influencer|influencers|
		sentiment|fear and greed|fear & greed|fear greed|fear index|greed index|social media|google trends|halving|fork|hack|war|election|
		elections|announcement|announces|announce|announced|press conference|speech|rumor|rumors|rumour|whisper|insider|inside info|tip|
		tips|analyst|analysts|guru|expert|experts|poll|polls|consensus|chatgpt|gpt|claude|ai says|model says|my model|the model|
		algorithm says|bot says|horoscope|astrology|moon phase|full moon|new moon|mercury|retrograde|tarot|psychic|weather|temperature|
		rain|rains|raining|snow|sunny|stock market|stocks|stock|s&p|s & p|spx|spy|nasdaq|qqq|dow|dow jones|dxy|dollar index|gold|silver|
		oil|bonds|bond yields|treasury|treasuries|yield|yields|nikkei|ftse|dax|forex|eurusd|usdjpy|apple|tesla|nvda|nvidia|mstr|
		microstrategy|coin stock`},
	{kOutside, 0, "", `
		strike|strike price|price to beat|the price to beat|opening price|open price|starting price|start price|reference price|
		settlement price|closing price|close price|the underlying|underlying|underlying asset|underlying price|the asset|asset price|
		the coin price|coin price|price of the coin|price of the asset|crypto market|the crypto|crypto prices|crypto pumps|crypto dumps|
		the underlying's|ohlc|candle color|candle colour`},
	{kOutside, 0, "", `
		monday|tuesday|wednesday|thursday|friday|saturday|sunday|mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays|weekday|
		weekdays|weekend|weekends|business day|business days|trading day|today|tonight|tomorrow|yesterday|morning|mornings|afternoon|
		afternoons|evening|evenings|overnight|night|nights|nighttime|night time|daytime|daylight|midnight|noon|midday|lunchtime|lunch time|
		lunch|breakfast|sunrise|sunset|dawn|dusk|happy hour|rush hour|time of day|hour of day|hour of the day|time of the day|during the day|in the day|by day|all day|all day long|part of the day|the whole day|any time of day|times of day|of day|middle of the day|early in the day|late in the day|later in the day|rest of the day|day of the week|day of week|
		on the hour|top of the hour|quarter past|half past|o'clock|oclock|pm|a.m.|p.m.|utc|gmt|est|edt|cst|cdt|pst|pdt|cet|cest|bst|jst|
		ist|et|eastern|pacific|central time|new york|new york time|ny time|ny session|ny open|new york open|london|london open|
		london session|asia|asian|asian session|asia session|tokyo|hong kong|us session|european session|europe|us open|us hours|
		market hours|trading hours|working hours|office hours|us market|american session|wall street|opening bell of nyse|nyse|
		business hours|holiday|holidays|christmas|thanksgiving|new year|january|february|april|june|july|august|september|october|november|
		december|jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec|spring|summer|autumn|winter|q1|q2|q3|q4|quarterly|options expiry|opex|
		month end|end of month|first of the month|payday|date|dates|calendar|year|daylight saving`},
	{kOutside, 0, "", `
		won|i won the last|i won last|if i won|when i won|if i lost|when i lost|if i lose the last|previous round|the previous round|last round|the last round|prior round|the prior round|previous market|the previous market|
		last market|prior market|preceding round|previous window|last window|prior window|previous candle|last candle|prior candle|
		previous one|last result|previous result|previous outcome|last outcome|earlier rounds|earlier round|past results|streak|streaks|
		winning streak|losing streak|win streak|loss streak|hot hand|previous winner|last winner|round before|the round before|
		market before|previous rounds|next round|the next round|next market|following round|win rate|hit rate|winrate|won last|lost last|
		last one won|last one lost|closed green|closed red|closed up|closed down|resolved up|resolved down|resolved yes|resolved no|
		settled up|settled down|finished up|finished down|ended up|ended down|closes up|closes down|went up last|went down last|
		wins in a row|losses in a row|ups in a row|downs in a row|reds in a row|greens in a row|three in a row|two in a row|
		after two losses|after three losses|after 2 losses|after 3 losses|after two wins|past performance|previously resolved|
		earlier market|earlier markets|my last trade|last trade won|last trade lost|my previous trade|previous trade`},
	{kOutside, 0, "", `
		i feel|i feel like it|feeling|feels|feels right|lucky|gut|gut feeling|my gut|intuition|instinct|vibes|vibe|mood|dream|coin toss|
		toss a coin|flip a coin|coin flip says|dice|roll a die|random|randomly|at random|magic 8 ball|my cat|my dog|i say so|i tell you|
		i tell you to|my signal|the signal|a signal|buy signal fires|alert|alerts|webhook|email|text message|phone|call me`},
}
