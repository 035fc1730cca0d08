package parser_test

import (
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ladderback/ladderback/parser"
	"github.com/ladderback/ladderback/strategy"
)

// writer makes up prompts whose meaning is known: phrases of the reading rules
// for every part of a strategy, put together in any order.
type writer struct {
	t *rapid.T
	s strategy.Strategy
}

func (w *writer) pick(label string, options ...string) string {
	return rapid.SampledFrom(options).Draw(w.t, label)
}

func (w *writer) number(label string, lo, hi int) int {
	return rapid.IntRange(lo, hi).Draw(w.t, label)
}

var smallWords = strings.Fields("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen")
var tensWords = strings.Fields("_ _ twenty thirty forty fifty sixty seventy eighty ninety")

// inWords writes 0 to 999 in words.
func inWords(n int) string {
	switch {
	case n < 20:
		return smallWords[n]
	case n < 100 && n%10 == 0:
		return tensWords[n/10]
	case n < 100:
		return tensWords[n/10] + "-" + smallWords[n%10]
	case n%100 == 0:
		return smallWords[n/100] + " hundred"
	}
	return smallWords[n/100] + " hundred and " + inWords(n%100)
}

// cents writes a price.
func (w *writer) cents(n int) string {
	two := strconv.Itoa(n)
	if n < 10 {
		two = "0" + two
	}
	options := []string{strconv.Itoa(n) + "c", strconv.Itoa(n) + "¢", "0." + two, "." + two, "$0." + two, strconv.Itoa(n) + " cents", inWords(n) + " cents", "0," + two}
	if n == 1 {
		options = []string{"1c", "0.01", "a penny", "1 cent"}
	}
	return w.pick("price", options...)
}

func (w *writer) duration(seconds int) string {
	var options []string
	if seconds%60 == 0 {
		m := strconv.Itoa(seconds / 60)
		options = append(options, m+" minutes", m+" min", m+"m", m+" mins", inWords(seconds/60)+" minutes")
		if seconds == 60 {
			options = []string{"1 minute", "a minute", "one minute", "60 seconds", "60s"}
		}
	} else {
		options = append(options, strconv.Itoa(seconds)+" seconds", strconv.Itoa(seconds)+"s", strconv.Itoa(seconds)+" secs", inWords(seconds)+" seconds")
		if seconds == 90 {
			options = append(options, "1.5 minutes", "a minute and a half", "one and a half minutes", "90-seconds")
		}
	}
	return w.pick("duration", options...)
}

// comparison writes a comparator in front of a value.
func (w *writer) comparison(c strategy.Comparator) string {
	switch c {
	case strategy.LT:
		return w.pick("lt", "below ", "under ", "less than ", "beneath ", "cheaper than ", "lower than ", "south of ", "< ", "<")
	case strategy.LTE:
		return w.pick("lte", "at or below ", "at most ", "no more than ", "not above ", "no higher than ", "<= ", "≤ ", "at or under ", "not over ", "max ")
	case strategy.GT:
		return w.pick("gt", "above ", "over ", "more than ", "greater than ", "higher than ", "north of ", "> ", ">")
	}
	return w.pick("gte", "at or above ", "at least ", "no less than ", "not below ", "not under ", ">= ", "≥ ", "no lower than ", "at or over ")
}

// level writes a comparison of a price with its verb.
func (w *writer) level(c strategy.Comparator, n int) string {
	switch c {
	case strategy.LT:
		switch w.number("form", 0, 3) {
		case 0:
			return w.pick("verb", "drops", "falls", "dips", "slips", "goes", "trades", "is trading", "sinks", "has dropped") + w.pick("below", " below ", " under ", " beneath ") + w.cents(n)
		case 1:
			return w.pick("be", "is ", "sits ", "trades ", "is still ", "stays ") + w.comparison(c) + w.cents(n)
		}
		return "is " + w.comparison(c) + w.cents(n)
	case strategy.LTE:
		switch w.number("form", 0, 3) {
		case 0:
			return w.pick("verb", "drops to ", "falls to ", "dips to ", "is down to ", "comes down to ", "slips to ") + w.cents(n)
		case 1:
			return "is " + w.cents(n) + w.pick("post", " or less", " or lower", " or below", " or under", " or cheaper")
		case 2:
			if n < 50 {
				return w.pick("hit", "hits ", "reaches ", "touches ", "gets to ") + w.cents(n)
			}
		}
		return "is " + w.comparison(c) + w.cents(n)
	case strategy.GT:
		switch w.number("form", 0, 2) {
		case 0:
			return w.pick("verb", "rises", "climbs", "jumps", "pops", "goes", "trades", "moves", "is trading") + w.pick("above", " above ", " over ", " past ") + w.cents(n)
		case 1:
			return "isn't at or below " + w.cents(n)
		}
		return "is " + w.comparison(c) + w.cents(n)
	case strategy.GTE:
		switch w.number("form", 0, 3) {
		case 0:
			return w.pick("verb", "goes up to ", "rises to ", "climbs to ", "gets up to ", "jumps to ") + w.cents(n)
		case 1:
			return "is " + w.cents(n) + w.pick("post", " or more", " or higher", " or above", " or over")
		case 2:
			if n >= 50 {
				return w.pick("hit", "hits ", "reaches ", "touches ", "gets to ") + w.cents(n)
			}
		}
		return "is " + w.comparison(c) + w.cents(n)
	case strategy.CrossesAbove:
		return w.pick("cross", "crosses above ", "breaks above ", "crosses over ", "crosses up through ", "is crossing above ", "breaks out above ") + w.cents(n)
	}
	return w.pick("cross", "crosses below ", "breaks below ", "crosses under ", "crosses down through ", "is crossing below ", "breaks down below ") + w.cents(n)
}

func (w *writer) token(t strategy.Token) string {
	if t == strategy.TokenUp {
		return w.pick("up", "Up", "up", "the Up token", "UP", "the Up side", "Up token")
	}
	return w.pick("down", "Down", "down", "the Down token", "DOWN", "the Down side", "Down token")
}

// possessive names a token as the owner of a quantity.
func (w *writer) possessive(t strategy.Token) string {
	if t == strategy.TokenUp {
		return w.pick("up's", "Up's ", "the Up ", "up ")
	}
	return w.pick("down's", "Down's ", "the Down ", "down ")
}

var plainComparators = []strategy.Comparator{strategy.LT, strategy.LTE, strategy.GT, strategy.GTE}

// condition draws a condition and writes it as a clause of its own.
func (w *writer) condition() (strategy.Condition, string) {
	held := w.s.Side.Held()
	token := rapid.SampledFrom([]strategy.Token{held, held, w.s.Side.Other()}).Draw(w.t, "token")
	c := strategy.Condition{Token: token, Comparator: rapid.SampledFrom(plainComparators).Draw(w.t, "comparator")}
	switch w.number("kind", 0, 9) {
	case 0, 1, 2:
		c.Type = strategy.Price
		if w.number("crossing", 0, 4) == 0 {
			c.Comparator = rapid.SampledFrom([]strategy.Comparator{strategy.CrossesAbove, strategy.CrossesBelow}).Draw(w.t, "direction")
		}
		n := w.number("cents", 2, 98)
		c.Threshold = strategy.Cents(n)
		subject := w.token(token)
		if token == held && len(w.s.Entry) == 0 && w.number("it", 0, 2) == 0 {
			subject = w.pick("it", "it", "its price", "the price")
		}
		return c, subject + " " + w.level(c.Comparator, n)
	case 3:
		c.Type = rapid.SampledFrom([]strategy.Type{strategy.BestAsk, strategy.BestBid}).Draw(w.t, "quote")
		n := w.number("cents", 2, 98)
		c.Threshold = strategy.Cents(n)
		noun := w.pick("ask", "ask", "best ask", "offer", "ask price")
		if c.Type == strategy.BestBid {
			noun = w.pick("bid", "bid", "best bid", "bid price")
		}
		return c, w.possessive(token) + noun + " is " + w.comparison(c.Comparator) + w.cents(n)
	case 4:
		c.Type = strategy.Spread
		n := w.number("cents", 1, 9)
		c.Threshold = strategy.Cents(n)
		return c, w.possessive(token) + "spread is " + w.comparison(c.Comparator) + w.cents(n)
	case 5:
		c.Type = rapid.SampledFrom([]strategy.Type{strategy.AskDepth, strategy.BidDepth}).Draw(w.t, "depth")
		n := w.number("dollars", 1, 40) * 50
		c.Threshold = strategy.Int(n)
		noun := w.pick("ask depth", "ask depth", "depth on the ask", "ask liquidity", "ask side depth")
		if c.Type == strategy.BidDepth {
			noun = w.pick("bid depth", "bid depth", "depth on the bid", "bid liquidity", "liquidity on the bid side")
		}
		return c, w.possessive(token) + noun + " is " + w.comparison(c.Comparator) + w.pick("dollars", "$"+strconv.Itoa(n), strconv.Itoa(n)+" dollars", strconv.Itoa(n)+" bucks")
	case 6:
		c.Type = strategy.Imbalance
		n := w.number("tenths", 1, 9)
		c.Threshold = strategy.Number(n) * strategy.One / 10
		return c, w.possessive(token) + w.pick("imbalance", "imbalance", "order book imbalance", "book imbalance") + " is " + w.comparison(c.Comparator) + "0." + strconv.Itoa(n)
	case 7, 8:
		return w.change(c)
	}
	return w.clock(c)
}

func (w *writer) change(c strategy.Condition) (strategy.Condition, string) {
	c.Type = strategy.PriceChange
	n := w.number("cents", 2, 30)
	c.WithinSeconds = rapid.SampledFrom([]int{15, 30, 45, 60, 90, 120, 180}).Draw(w.t, "window")
	more := w.number("more", 0, 2)
	size := [3]string{"", "more than ", "at least "}[more] + w.cents(n)
	in := w.pick("in", " in ", " in the last ", " over the last ", " within ", " over the past ", " during the last ") + w.duration(c.WithinSeconds)
	if w.number("up", 0, 1) == 1 {
		c.Threshold = strategy.Cents(n)
		c.Comparator = strategy.GTE
		if more == 1 {
			c.Comparator = strategy.GT
		}
		return c, w.token(c.Token) + w.pick("rose", " rises ", " has risen ", " jumps ", " gains ", " is up ", " rises by ", " has gained ", " climbs ", " has jumped ") + size + in
	}
	c.Threshold = -strategy.Cents(n)
	c.Comparator = strategy.LTE
	if more == 1 {
		c.Comparator = strategy.LT
	}
	return c, w.token(c.Token) + w.pick("fell", " falls ", " has fallen ", " drops ", " is down ", " drops by ", " has dropped ", " is down by ", " falls by ", " has lost ") + size + in
}

func (w *writer) clock(c strategy.Condition) (strategy.Condition, string) {
	c.Token = strategy.TokenNone
	n := rapid.SampledFrom([]int{20, 30, 60, 90, 120, 180, 240}).Draw(w.t, "seconds")
	c.Threshold = strategy.Int(n)
	d := w.duration(n)
	if w.number("left", 0, 1) == 1 {
		c.Type = strategy.TimeRemaining
		switch c.Comparator {
		case strategy.LT:
			return c, "there are " + w.pick("fewer", "less than ", "under ", "fewer than ") + d + w.pick("left", " left", " remaining", " to go")
		case strategy.LTE:
			return c, w.pick("lte", "there are at most "+d+" left", "no more than "+d+" remain", d+" or less are left", d+" are left", "there are "+d+" to go")
		case strategy.GT:
			return c, "there are more than " + d + w.pick("left", " left", " remaining", " to go", " on the clock")
		}
		return c, "there are at least " + d + w.pick("left", " left", " remaining", " to go", " before the end")
	}
	c.Type = strategy.TimeElapsed
	switch c.Comparator {
	case strategy.LT, strategy.LTE:
		return c, w.pick("lte", "fewer than "+d+" have passed", "at most "+d+" have passed", "no more than "+d+" are gone", "less than "+d+" have elapsed")
	case strategy.GT:
		return c, "more than " + d + w.pick("gone", " have passed", " have elapsed", " have gone by")
	}
	return c, w.pick("gte", d+" have passed", "at least "+d+" have passed", "at least "+d+" have gone by", d+" have elapsed")
}

func (w *writer) buy() string {
	verb := w.pick("buy", "buy ", "Buy ", "grab ", "enter ", "go long ", "take ", "long ", "get into ", "ape into ", "pick up ", "purchase ", "bet on ", "I want to buy ", "I'd buy ")
	side := w.token(w.s.Side.Held())
	if w.number("yes", 0, 7) == 0 && !strings.HasPrefix(verb, "ape") {
		side = "Yes"
		if w.s.Side == strategy.Down {
			side = "No"
		}
	}
	return verb + side
}

func (w *writer) market() string {
	coins := map[string][]string{
		"BTC": {"BTC", "btc", "bitcoin", "Bitcoin"}, "ETH": {"ETH", "eth", "ethereum", "ether"}, "SOL": {"SOL", "sol", "solana"},
		"XRP": {"XRP", "xrp", "ripple"}, "DOGE": {"DOGE", "doge", "dogecoin"}, strategy.Any: {"any coin", "all coins", "every coin"},
	}
	lengths := map[string][]string{
		"5m": {"5m", "5 minute", "5-minute", "five minute", "5 min", "5min"}, "15m": {"15m", "15 minute", "15-minute", "fifteen minute", "15 min"},
		"1h": {"1h", "hourly", "1 hour", "one hour", "1hr", "60 minute"}, "4h": {"4h", "4 hour", "four-hour", "4-hour"}, "1d": {"1d", "daily", "1 day", "24h"},
	}
	w.s.Market.Coin = rapid.SampledFrom([]string{"BTC", "ETH", "SOL", "XRP", "DOGE", strategy.Any}).Draw(w.t, "coin")
	w.s.Market.Type = rapid.SampledFrom([]string{"5m", "15m", "1h", "4h", "1d"}).Draw(w.t, "length")
	coin := rapid.SampledFrom(coins[w.s.Market.Coin]).Draw(w.t, "coin name")
	length := rapid.SampledFrom(lengths[w.s.Market.Type]).Draw(w.t, "length name")
	if w.s.Market.Coin == strategy.Any {
		return coin + ", " + length + w.pick("noun", " markets", " rounds")
	}
	return w.pick("market", coin+" "+length, coin+" "+length+" markets", length+" "+coin, length+" "+coin+" rounds", coin+", "+length+" markets")
}

// exits draws exits that leave the entry room and writes them.
func (w *writer) exits(lo, hi int) []string {
	var out []string
	e := &w.s.Exit
	e.HoldToExpiry = true
	target := func(n int) string {
		p := w.cents(n)
		return w.pick("target", "take profit at "+p, "tp "+p, "target "+p, "TP: "+p, "take profit "+p, "take profit when it hits "+p)
	}
	switch w.number("target", 0, 3) {
	case 0:
		if hi+1 < 99 {
			n := w.number("take profit", hi+1, 98)
			e.TakeProfit = strategy.Cents(n).Ptr()
			out = append(out, target(n))
		}
	case 1:
		n := w.number("profit", 2, 30)
		e.TakeProfitOffset = strategy.Cents(n).Ptr()
		p := w.cents(n)
		out = append(out, w.pick("profit", "take profit "+p+" above entry", "tp +"+strconv.Itoa(n)+"c", "make "+p+" a share", "profit target "+p, "sell "+p+" above entry", "sell when I'm up "+p, "take "+p+" profit"))
	}
	switch w.number("stop", 0, 3) {
	case 0:
		if lo-1 > 1 {
			n := w.number("stop loss", 2, lo-1)
			e.StopLoss = strategy.Cents(n).Ptr()
			p := w.cents(n)
			out = append(out, w.pick("stop", "stop at "+p, "sl "+p, "stop loss "+p, "stop loss at "+p, "cut at "+p, "bail at "+p, "SL: "+p, "stop out at "+p, "stop if it falls to "+p))
		}
	case 1:
		n := w.number("loss", 2, 30)
		e.StopLossOffset = strategy.Cents(n).Ptr()
		p := w.cents(n)
		out = append(out, w.pick("loss", "stop "+p+" below entry", "sl -"+strconv.Itoa(n)+"c", "max loss "+p, "stop loss "+p+" below entry", "bail if I'm down "+p, "cut at a "+p+" loss"))
	}
	if w.number("trail", 0, 5) == 0 {
		n := w.number("trail by", 2, 20)
		e.TrailingStop = strategy.Cents(n).Ptr()
		out = append(out, w.pick("trail", "trail by ", "trailing stop ", "trailing stop of ", "with a trailing stop of ")+w.cents(n))
	}
	if w.number("clock", 0, 3) == 0 {
		n := rapid.SampledFrom([]int{30, 45, 60, 120}).Draw(w.t, "hold at most")
		e.MaxHoldSeconds = n
		d := w.duration(n)
		out = append(out, w.pick("hold", "sell after "+d, "hold at most "+d, "hold for "+d, "exit "+d+" after entry", "hold no longer than "+d))
	}
	switch w.number("end", 0, 3) {
	case 0:
		n := rapid.SampledFrom([]int{5, 10, 15}).Draw(w.t, "before the end")
		e.ExitBeforeSeconds, e.HoldToExpiry = n, false
		d := w.duration(n)
		out = append(out, w.pick("end", "exit "+d+" before the end", "get out with "+d+" left", "sell "+d+" before expiry", "out with "+d+" left", "sell with "+d+" remaining"))
	case 1:
		e.HoldToExpiry = false
		out = append(out, w.pick("never", "never hold to expiry", "don't hold to expiry", "close before the end", "don't let it settle"))
	case 2:
		out = append(out, w.pick("hold on", "hold to expiry", "otherwise hold to the end", "hold to resolution", "otherwise let it ride"))
	}
	return out
}

func (w *writer) money() string {
	n := w.number("budget", 2, 500)
	w.s.BudgetPerTrade = strategy.Int(n)
	d := w.pick("dollars", "$"+strconv.Itoa(n), strconv.Itoa(n)+" dollars", strconv.Itoa(n)+" bucks", strconv.Itoa(n)+" USD", "$"+strconv.Itoa(n)+".00", inWords(n)+" dollars")
	return w.pick("budget", d+" per trade", d+" each", d+" a pop", "budget "+d, d+" a trade", "stake "+d, "up to "+d+" per trade", "size "+strconv.Itoa(n), d)
}

func (w *writer) sample() string {
	n := w.number("sample", 2, 900)
	w.s.SampleSize = n
	k := strconv.Itoa(n)
	if n%100 != 1 && w.number("in words", 0, 3) == 0 {
		k = inWords(n)
	}
	return w.pick("sample", "last "+k+" markets", k+" rounds", "sample of "+k, "over "+k+" markets", "over the last "+k+" windows", k+" trades", "sample "+k, "n="+strconv.Itoa(n), "the past "+k+" rounds")
}

// write makes up a strategy and its prompt.
func (w *writer) write() string {
	w.s = strategy.Strategy{
		Market: strategy.MarketSpec{Coin: "BTC", Type: "15m"}, Side: rapid.SampledFrom([]strategy.Side{strategy.Up, strategy.Down}).Draw(w.t, "side"),
		Entry: []strategy.Condition{}, BudgetPerTrade: strategy.Int(100), SampleSize: 50, Exit: strategy.Exit{HoldToExpiry: true},
	}
	var phrases []string
	for range w.number("conditions", 0, 3) {
		c, text := w.condition()
		if w.repeats(c) {
			continue
		}
		w.s.Entry = append(w.s.Entry, c)
		phrases = append(phrases, text)
	}
	entry := w.buy()
	if len(phrases) > 0 {
		joint := w.pick("joint", " when ", " if ", " once ", " as long as ", " whenever ", " only if ", " while ")
		list := strings.Join(phrases, w.pick("and", " and ", ", and ", " and if ", " but only when "))
		if w.number("order", 0, 2) == 0 {
			entry = strings.TrimLeft(joint, " ") + list + w.pick("then", ", ", " then ", " -> ") + entry
		} else {
			entry += joint + list
		}
	}
	when := ""
	if w.number("window", 0, 2) == 0 {
		when = w.window()
	}
	clauses := []string{entry}
	if when != "" {
		switch w.number("where", 0, 2) {
		case 0:
			clauses[0] = when + ", " + entry
		case 1:
			clauses[0] = entry + ", " + when
		default:
			clauses = append(clauses, when)
		}
	}
	if w.number("market", 0, 3) != 0 {
		clauses = append(clauses, w.market())
	}
	lo, hi := w.paid()
	clauses = append(clauses, w.exits(lo, hi)...)
	if w.number("money", 0, 1) == 1 {
		clauses = append(clauses, w.money())
	}
	if w.number("sampled", 0, 1) == 1 {
		clauses = append(clauses, w.sample())
	}
	clauses = rapid.Permutation(clauses).Draw(w.t, "order of clauses")
	text := strings.Join(clauses, w.pick("between", ". ", "; ", "\n", " | ", ". Please, ", ". Um, "))
	switch w.number("case", 0, 4) {
	case 0:
		text = strings.ToLower(text)
	case 1:
		text = strings.ToUpper(text)
	}
	return text
}

// window draws a stretch of the round in which to buy, as a time condition of
// the whole, and writes it.
func (w *writer) window() string {
	n := rapid.SampledFrom([]int{20, 30, 60, 90, 120, 180, 240}).Draw(w.t, "window seconds")
	for _, c := range w.s.Entry {
		if c.Type.IsTime() {
			return ""
		}
	}
	d := w.duration(n)
	c := strategy.Condition{Threshold: strategy.Int(n)}
	text := ""
	switch w.number("stretch", 0, 5) {
	case 0:
		c.Type, c.Comparator = strategy.TimeElapsed, strategy.LTE
		text = w.pick("first", "in the first "+d, "within "+d+" of the open", "within the first "+d, "only in the first "+d, "during the opening "+d, "not after "+d, "no later than "+d+" in")
		if n%60 == 0 {
			m := strconv.Itoa(n / 60)
			text = w.pick("first", text, "before minute "+m, "by minute "+m, "not after minute "+m, "up to minute "+m)
		}
	case 1:
		c.Type, c.Comparator = strategy.TimeElapsed, strategy.GTE
		text = w.pick("after", "after "+d, "after the first "+d, "not in the first "+d, "not before "+d+" in", "once "+d+" have passed", d+" into the round", "from "+d+" in")
		if n%60 == 0 {
			m := strconv.Itoa(n / 60)
			text = w.pick("after", text, "after minute "+m, "from minute "+m+" on", "past minute "+m)
		}
	case 2:
		c.Type, c.Comparator = strategy.TimeRemaining, strategy.LTE
		text = w.pick("last", "in the last "+d, "in the final "+d, "with "+d+" left", "with "+d+" or less left", "within "+d+" of the end", "with at most "+d+" to go", "only in the last "+d)
	case 3:
		c.Type, c.Comparator = strategy.TimeRemaining, strategy.GT
		text = w.pick("before", "with more than "+d+" left", "not in the last "+d, "before the last "+d, "but not in the final "+d, "except in the last "+d)
	case 4:
		c.Type, c.Comparator = strategy.TimeRemaining, strategy.GTE
		text = w.pick("at least", "with at least "+d+" left", "with no less than "+d+" remaining", "with "+d+" or more to go")
	default:
		lo := w.number("from minute", 1, 2)
		hi := w.number("to minute", 3, 4)
		a, b := strconv.Itoa(lo), strconv.Itoa(hi)
		w.s.Entry = append(w.s.Entry,
			strategy.Condition{Type: strategy.TimeElapsed, Comparator: strategy.GTE, Threshold: strategy.Int(60 * lo)},
			strategy.Condition{Type: strategy.TimeElapsed, Comparator: strategy.LTE, Threshold: strategy.Int(60 * hi)})
		return w.pick("between", "between minute "+a+" and minute "+b, "between "+a+" and "+b+" minutes in", "from minute "+a+" to minute "+b, "minutes "+a+" to "+b, "between minute "+a+" and "+b)
	}
	w.s.Entry = append(w.s.Entry, c)
	return text
}

// repeats reports whether the entry has a condition of the same kind, token and
// direction: two of them may well be refused.
func (w *writer) repeats(c strategy.Condition) bool {
	for _, have := range w.s.Entry {
		if have.Type == c.Type && have.Token == c.Token {
			return true
		}
		if c.Type == strategy.Price && have.Type == strategy.Price || have.Type.IsTime() && c.Type.IsTime() {
			return true
		}
	}
	return false
}

// paid bounds what is paid, in cents: exits must lie outside.
func (w *writer) paid() (lo, hi int) {
	lo, hi = 99, 0
	for _, c := range w.s.Entry {
		if c.Token == w.s.Side.Held() && (c.Type == strategy.Price || c.Type == strategy.BestAsk || c.Type == strategy.BestBid) {
			n := int(c.Threshold / strategy.Cents(1))
			lo, hi = min(lo, n), max(hi, n)
		}
	}
	if hi == 0 {
		return 40, 60
	}
	return lo, hi
}

// A prompt put together from the reading rules gives exactly its strategy. A
// strategy that breaks a rule of the object is refused.
func TestGeneratedPrompts(t *testing.T) {
	t.Parallel()
	type made struct {
		prompt string
		want   strategy.Strategy
	}
	gen := rapid.Custom(func(t *rapid.T) made {
		w := &writer{t: t}
		prompt := w.write()
		return made{prompt, w.s}
	})
	l := newLaw(t, "generated")
	refused := newLaw(t, "generated-refused")
	for seed := range 4000 {
		m := gen.Example(seed)
		want, err := strategy.Canonicalize(m.want)
		res, refusal := parser.Rules(m.prompt, parser.Overrides{})
		switch {
		case err != nil:
			l.hold(refusal != nil, "%s\nbut %v", m.prompt, err)
		case refusal != nil:
			refused.hold(false, "%s\n%s", m.prompt, refusal.Message)
		default:
			l.hold(want.Equal(res.Strategy), "%s\n%s\n%s", m.prompt, want.Summary(), res.Trace.Summary)
		}
	}
	l.done()
	refused.done()
}
