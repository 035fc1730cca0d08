package orders

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/ladderback/ladderback/strategy"
)

// Fault is why a phrase cannot be added to the strategy.
type Fault struct {
	Span    strategy.Span
	Message string
}

// builder adds phrases to a strategy.
type builder struct {
	f       *Found
	s       *strategy.Strategy
	budget  bool                      // the prompt says a budget
	at      int                       // the phrase that is added
	last    *strategy.Order           // the order that was said last; nil: none
	ahead   []func(o *strategy.Order) // what was said of the entry's order before it
	usd     strategy.Number           // what the last further order spends, 0: none
	assumed []strategy.Assumption
	err     error
	once    map[string]bool
}

// Add adds what was found to the strategy of the rest. said reports whether a field
// of that one is said in the prompt.
func (f *Found) Add(s *strategy.Strategy, said func(field string) bool) (assumed []strategy.Assumption, fault *Fault) {
	b := &builder{f: f, s: s, budget: said("budget_per_trade"), once: map[string]bool{}}
	for i := range f.matches {
		b.at = i
		f.matches[i].pattern.says(b, &f.matches[i])
		for _, name := range []string{"p", "p2"} {
			if words := f.matches[i].said[name]; words != "" && isBare(name, words) {
				b.assume(f.matches[i].pattern.field, f.matches[i].number(name), "a bare number of 2 to 99 in the place of a price is cents")
			}
		}
		if b.err != nil {
			return nil, &Fault{f.Spans[i], b.err.Error()}
		}
	}
	if b.money(); len(b.ahead) > 0 {
		return nil, &Fault{f.Spans[0], "which order? say where it rests, such as \"bid 30c for Up\""}
	}
	return b.assumed, nil
}

func (b *builder) fail(format string, args ...any) {
	if b.err == nil {
		b.err = fmt.Errorf(format, args...)
	}
}

func (b *builder) assume(field string, value strategy.Number, why string) {
	b.assumed = append(b.assumed, strategy.Assumption{Field: field, Value: json.RawMessage(value.String()), Why: why})
}

// single refuses a field that is said twice.
func (b *builder) single(field string) {
	if b.once[field] {
		b.fail("two values for %s; give one", field)
	}
	b.once[field] = true
}

// seconds is a time of a phrase in whole seconds.
func (b *builder) seconds(time strategy.Number) int {
	n, ok := time.Whole()
	if !ok {
		b.fail("this is not a whole number of seconds")
	}
	return n
}

func (b *builder) conditions(words string) []strategy.Condition {
	list, err := b.f.conditions(words, b.s.Market, b.s.Side)
	if err != nil {
		b.fail("these conditions cannot be read for a strategy that buys %s; say \"its price\" or \"the other side's price\"", b.s.Side)
	}
	return list
}

// limit is the limit that a phrase says; nil: none.
func (b *builder) limit(m *match) *strategy.Order {
	o := &strategy.Order{PostOnly: m.said["only"] != "" || m.said["maker"] != ""}
	distance := m.number("x")
	switch m.said["way"] {
	case "below", "under", "behind", "off":
		distance = -distance
	}
	touch := m.said["touch"] + m.said["touch2"]
	switch {
	case m.said["p"] != "":
		o.RestAt = m.number("p").Ptr()
	case touch == "bid":
		o.RestFromBid = distance.Ptr()
	case touch == "ask":
		o.RestFromAsk = (-distance).Ptr()
	default:
		return nil
	}
	if m.said["dur"] != "" {
		o.CancelAfterSeconds = b.seconds(m.number("dur"))
	}
	if m.said["cwhen"] != "" {
		o.CancelWhen = b.conditions(m.said["cwhen"])
	}
	b.last = o
	return o
}

func (b *builder) restEntry(m *match) {
	b.single("the price at which the entry rests")
	b.s.Order = b.limit(m)
	for _, change := range b.ahead {
		change(b.s.Order)
	}
	b.ahead = nil
}

// bothSides rests bids on both tokens from the start.
func (b *builder) bothSides(m *match) {
	b.restEntry(m)
	if b.s.Side != strategy.Up || b.err != nil {
		b.fail("two bids, one on Up and one on Down: say nothing else of what is bought")
		return
	}
	o := *b.s.Order
	if m.said["p2"] != "" {
		o.RestAt = m.number("p2").Ptr()
	}
	b.s.Then = append(b.s.Then, strategy.Then{Do: strategy.Buy, Token: strategy.TokenOpposite, On: strategy.OnStart, USD: b.s.BudgetPerTrade, Order: &o})
}

// ended changes the order that was said last, and its twin on the other token; where none
// was, the one that the entry is bought with.
func (b *builder) ended(change func(o *strategy.Order)) {
	if b.last == nil {
		b.ahead = append(b.ahead, change)
		return
	}
	change(b.last)
	if n := len(b.s.Then); n > 0 && b.s.Then[n-1].On == strategy.OnStart && b.last == b.s.Order {
		change(b.s.Then[n-1].Order)
	}
}

// announced is a heading that says that the entry rests.
func (b *builder) announced(*match) { b.ended(func(*strategy.Order) {}) }

func (b *builder) postOnly(*match) { b.ended(func(o *strategy.Order) { o.PostOnly = true }) }

func (b *builder) cancelAfter(m *match) {
	n := b.seconds(m.number("dur") + m.number("dur2") + m.number("n"))
	if b.last != nil && b.last.CancelAfterSeconds != 0 {
		b.fail("two times after which one order is cancelled; give one")
	}
	b.ended(func(o *strategy.Order) { o.CancelAfterSeconds = n })
}

func (b *builder) cancelWhen(m *match) {
	list := b.conditions(m.said["conds"])
	if b.last != nil && b.last.CancelWhen != nil {
		b.fail("one order is cancelled on two occasions; join the conditions with \"and\"")
	}
	b.ended(func(o *strategy.Order) { o.CancelWhen = list })
}

func (b *builder) restTarget(*match) { b.s.Exit.RestTakeProfit = true }

var triggers = map[string]strategy.Trigger{
	"from the start": strategy.OnStart, "after a take profit": strategy.OnTakeProfit, "after a stop": strategy.OnStopLoss,
	"after an exit by the clock": strategy.OnEndOfWindow, "after an exit": strategy.OnExit,
}

// numbered adds an order of a list in full words, which must count from 1.
func (b *builder) numbered(m *match) {
	if m.said["no"] != strconv.Itoa(len(b.s.Then)+1) {
		b.fail("orders are counted from 1: expected order %d", len(b.s.Then)+1)
	}
	o := strategy.Then{Do: strategy.Action(m.said["do"]), Token: b.token(m.said["tok"]), On: triggers[m.said["on"]],
		USD: m.number("usd"), Shares: m.number("shares"), Fraction: m.number("ratio"), Match: m.said["match"] != "", Order: b.limit(m)}
	if m.said["times"] != "" {
		o.Times, _ = strconv.Atoi(m.said["times"])
	}
	if m.said["dur2"] != "" {
		o.AfterSeconds = b.seconds(m.number("dur2"))
	}
	if m.said["when"] != "" {
		o.When = b.conditions(m.said["when"])
	}
	b.s.Then = append(b.s.Then, o)
}

// token is how an order names a token in words.
func (b *builder) token(words string) strategy.Token {
	side := strategy.Side("")
	switch strings.Fields(words + " it")[0] {
	case "up", "yes":
		side = strategy.Up
	case "down", "no":
		side = strategy.Down
	case "it":
		return strategy.TokenSame
	default:
		return strategy.TokenOpposite
	}
	switch b.s.Side {
	case strategy.Either:
		b.fail("with either side there is no Up and Down; say \"the other side\"")
	case side:
		return strategy.TokenSame
	}
	return strategy.TokenOpposite
}

// spends is what a further buy spends: what is said, what the last one spent, or as
// much as the entry.
func (b *builder) spends(m *match) strategy.Number {
	for _, name := range []string{"usd", "usd2", "usd3"} {
		if n := m.number(name); n != 0 {
			b.usd = n
			return n
		}
	}
	if b.usd == 0 {
		b.usd = b.s.BudgetPerTrade
		b.assume("then."+strconv.Itoa(len(b.s.Then))+".usd", b.usd, "a further buy without an amount spends as much as the entry")
	}
	return b.usd
}

// price is a condition on the price of a token.
func price(token strategy.Token, by strategy.Comparator, at strategy.Number) []strategy.Condition {
	return []strategy.Condition{{Type: strategy.Price, Token: token, Comparator: by, Threshold: at}}
}

// rung adds a buy of a ladder: as the entry is bought, resting or taking.
func (b *builder) rung(m *match) {
	o := strategy.Then{Do: strategy.Buy, Token: strategy.TokenSame, USD: b.spends(m)}
	if b.s.Order != nil && b.s.Order.RestAt != nil {
		rests := *b.s.Order
		rests.RestAt = m.number("p").Ptr()
		o.Order, b.last = &rests, &rests
	} else {
		o.When = price(strategy.TokenSame, strategy.LTE, m.number("p"))
	}
	b.s.Then = append(b.s.Then, o)
}

// add adds a buy of more, at a price or on conditions.
func (b *builder) add(m *match) {
	if m.said["p"] != "" {
		b.rung(m)
		return
	}
	o := strategy.Then{Do: strategy.Buy, Token: strategy.TokenSame, When: b.conditions(m.said["conds"])}
	if n := m.number("n") + m.number("n2"); n != 0 {
		o.Shares = n
	} else {
		o.USD = b.spends(m)
	}
	b.s.Then = append(b.s.Then, o)
}

// part adds a sale of a part at a price: above what is paid, or below it.
func (b *builder) part(m *match) {
	at, by := m.number("p"), strategy.GTE
	lo, hi := b.paid()
	switch {
	case at > hi || hi == strategy.One && lo == 0 && at >= strategy.One/2:
	case at < lo || at < hi && hi < strategy.One:
		by = strategy.LTE
	default:
		b.fail("a target or a stop? say \"if it rises to …\" or \"if it falls to …\"")
	}
	b.s.Then = append(b.s.Then, strategy.Then{Do: strategy.Sell, Token: strategy.TokenSame, Fraction: m.number("frac"),
		When: []strategy.Condition{{Type: strategy.BestBid, Token: strategy.TokenSame, Comparator: by, Threshold: at}}})
}

// paid are the bounds on what the entry pays: 0 and 1 where there are none.
func (b *builder) paid() (lo, hi strategy.Number) {
	hi = strategy.One
	if b.s.Order != nil && b.s.Order.RestAt != nil {
		hi = *b.s.Order.RestAt
	}
	for _, c := range b.s.Entry {
		if c.Token != b.s.Side.Held() || c.Type != strategy.Price && c.Type != strategy.BestAsk && c.Type != strategy.BestBid {
			continue
		}
		switch c.Comparator {
		case strategy.LT, strategy.LTE, strategy.CrossesBelow:
			hi = min(hi, c.Threshold)
		default:
			lo = max(lo, c.Threshold)
		}
	}
	return lo, hi
}

func (b *builder) partLimit(m *match) {
	o := &strategy.Order{RestAt: m.number("p").Ptr()}
	b.last = o
	b.s.Then = append(b.s.Then, strategy.Then{Do: strategy.Sell, Token: strategy.TokenSame, Fraction: m.number("frac"), Order: o})
}

func (b *builder) partWhen(m *match) {
	b.s.Then = append(b.s.Then, strategy.Then{Do: strategy.Sell, Token: strategy.TokenSame, Fraction: m.number("frac"), When: b.conditions(m.said["conds"])})
}

// other adds a buy of a token behind the entry: to match it where it is said so, or
// where the condition is what both cost.
func (b *builder) other(m *match) {
	o := strategy.Then{Do: strategy.Buy, Token: b.token(m.said["tok"])}
	if m.said["p"] != "" {
		o.When = price(o.Token, strategy.LTE, m.number("p"))
	} else {
		o.When = b.conditions(m.said["conds"])
	}
	pair := false
	for _, c := range o.When {
		pair = pair || c.Type == strategy.PairCost
	}
	if o.Match = m.said["match"] != "" || pair && m.said["usd"] == ""; !o.Match {
		o.USD = b.spends(m)
	}
	b.s.Then = append(b.s.Then, o)
}

func (b *builder) afterStop(m *match)   { b.after(m, strategy.OnStopLoss) }
func (b *builder) afterProfit(m *match) { b.after(m, strategy.OnTakeProfit) }

func (b *builder) after(m *match, on strategy.Trigger) {
	b.s.Then = append(b.s.Then, strategy.Then{Do: strategy.Buy, Token: b.token(m.said["tok"]), On: on, USD: b.spends(m)})
}

var reasonNames = map[string]strategy.Reason{
	"a take profit": strategy.ReasonTakeProfit, "a target": strategy.ReasonTakeProfit, "a win": strategy.ReasonTakeProfit,
	"a stop": strategy.ReasonStopLoss, "being stopped out": strategy.ReasonStopLoss, "stopping out": strategy.ReasonStopLoss,
	"a stop loss": strategy.ReasonStopLoss, "a loss": strategy.ReasonStopLoss, "an exit by the clock": strategy.ReasonEndOfWindow,
	"a sale": strategy.ReasonOrder, "a merge": strategy.ReasonMerged, "expiry": strategy.ReasonExpiry, "a cancelled entry": strategy.ReasonCancelled,
}

func (b *builder) entries(m *match) { b.again(m, 0) }
func (b *builder) reenter(m *match) { b.again(m, 1) }

// again lets the round be entered again; of counts of entries again the first is one
// more.
func (b *builder) again(m *match, more int) {
	b.single("how often the round is entered")
	a := &strategy.Again{MaxEntries: 2}
	if m.said["n"] != "" {
		n, ok := m.count("n")
		if !ok {
			b.fail("how often?")
		}
		a.MaxEntries = n + more
	}
	if m.said["dur"] != "" {
		a.AfterSeconds = b.seconds(m.number("dur"))
	}
	if m.said["reasons"] != "" {
		for _, words := range strings.Split(m.said["reasons"], " or ") {
			a.After = append(a.After, reasonNames[words])
		}
	}
	b.s.Again = a
}

func (b *builder) size(m *match, z strategy.Size) {
	b.single("the size of an entry")
	b.s.Size = &z
	if m.said["usd"] != "" {
		b.start(m)
	}
}

func (b *builder) shares(m *match) { b.size(m, strategy.Size{Shares: m.number("shares")}) }

func (b *builder) ofBankroll(m *match) {
	b.size(m, strategy.Size{BankrollFraction: m.number("frac") + m.number("ratio")})
}

func (b *builder) kelly(m *match) {
	fraction := strategy.One
	if part := m.number("frac") + m.number("ratio"); part != 0 {
		fraction = part
	}
	b.size(m, strategy.Size{Kelly: &strategy.Kelly{Probability: m.number("p") + m.number("p2"), Fraction: fraction}})
}

// purse is the bankroll, made when it is first spoken of.
func (b *builder) purse(field string) *strategy.Bankroll {
	b.single(field)
	if b.s.Bankroll == nil {
		b.s.Bankroll = &strategy.Bankroll{}
	}
	return b.s.Bankroll
}

func (b *builder) start(m *match)     { b.purse("the bankroll").Start = m.number("usd") }
func (b *builder) dailyLoss(m *match) { b.purse("the loss of a day").DailyLoss = m.number("usd") }
func (b *builder) maxOpen(m *match)   { b.purse("the most that is open").MaxOpen = m.number("usd") }

func (b *builder) streak(m *match) {
	n, ok := m.count("n")
	if !ok {
		b.fail("how many losses?")
	}
	b.purse("the losses in a row").MaxLosingStreak = n
}

// money notes that where a size is said and no budget, the default bounds what it comes to.
func (b *builder) money() {
	if b.s.Size != nil && !b.budget {
		b.assume("budget_per_trade", b.s.BudgetPerTrade, "no budget was named; the most that an entry spends")
	}
}
