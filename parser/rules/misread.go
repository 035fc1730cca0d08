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
	{"told", ofOneself},
	{"howmuch", func(r *reader, items []grammar.Item, i int) bool { // the price of a share: "20 shares, 40c each"
		it := &items[i]
		return it.Meaning.Has(grammar.SlotBudget) && eachCosts.MatchString(r.p.Text(it.From, min(it.To+2, int32(r.p.Tokens()))))
	}},
	{"sellsif", thenSells},
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
