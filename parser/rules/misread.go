package rules

import (
	"slices"
	"strings"

	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/lazy"
	"github.com/ladderback/ladderback/parser/lexicon"
	"github.com/ladderback/ladderback/parser/rules/said"
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
		if why := r.misreads(reading.Items, i); why != "" {
			list = append(list, r.noItem(&reading.Items[i], why))
		}
	}
	return list
}

// misreads is why item i may be another than it is read as, "" where it is not: the first reason
// of the tables.
func (r *reader) misreads(items []grammar.Item, i int) string {
	it := &items[i]
	for _, m := range misreadings {
		if m.is(r, items, i, it) {
			return m.why
		}
	}
	return said.Turned(r.p, it)
}

// words is an expression of them, in letters of any size.
func words(exp string) *lazy.Regexp { return lazy.Compile(`(?i)` + exp) }

// hasClass reports whether a lexeme of one of the classes lies in an item.
func (r *reader) hasClass(it *grammar.Item, classes ...string) bool {
	return r.p.HasClass(it.From, it.To, classes...)
}

// text is that of an item.
func (r *reader) text(it *grammar.Item) string { return r.p.Text(it.From, it.To) }

// someOf reports whether a word in [from, to) is one of a list.
func (r *reader) someOf(from, to int32, list map[string]bool) bool {
	return r.p.Some(from, to, func(at int32) bool { return list[r.p.Word(at)] })
}

// passesOne reports whether "one" before a number of an item is passed over, and no pronoun: "one or
// two minutes left".
func passesOne(r *reader, _ []grammar.Item, i int, it *grammar.Item) bool {
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

// misreading reports whether item i may be another than it is read as.
type misreading func(r *reader, items []grammar.Item, i int, it *grammar.Item) bool

// misreadings are what else makes an item another than it is read as.
var misreadings = []struct {
	why string
	is  misreading
}{
	{"boundof", goesOnWith},
	{"takenback", func(r *reader, _ []grammar.Item, _ int, it *grammar.Item) bool { // "Actually, no."
		return it.Kind == "item.mend" && r.p.Word(it.To-1) == "no"
	}},
	{"headless", func(r *reader, _ []grammar.Item, _ int, it *grammar.Item) bool { // "Test 7."
		n := it.Meaning.Get(grammar.SlotSample)
		return it.From == 0 && it.To == 2 && r.p.Word(0) == "test" && n > 0 && n < fewest*lexicon.Micro && !r.p.HasClass(2, min(3, int32(r.p.Tokens())), "ROUND")
	}},
	{"headless", passesOne},
	// What is demanded, behind what is avoided: "no entries or the spread has to be under 2c".
	{"exclusion", func(r *reader, _ []grammar.Item, _ int, it *grammar.Item) bool {
		return said.HasConds(it) && r.hasClass(it, "AVOID") && r.says(it, "must")
	}},
	{"headless", func(r *reader, items []grammar.Item, _ int, it *grammar.Item) bool {
		return it.Meaning.Has(grammar.SlotTPO) && r.by(it) && slices.ContainsFunc(items, func(o grammar.Item) bool { return o.Meaning.Has(grammar.SlotBuy) && r.by(&o) })
	}},
	{"told", ofOneself},
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
	{"history", wasSo},
	{"ashigh", func(r *reader, _ []grammar.Item, _ int, it *grammar.Item) bool { // what is paid at most: "buy Up as high as 50c"
		return said.HasConds(it) && asHigh.MatchString(r.text(it)) && !isHigh.MatchString(r.text(it))
	}},
	{"sellsif", thenBuys},
	{"heldgain", locks},
	{"told", tellsOf},
	{"told", asksOf},
	{"told", beside},
	{"told", comments},
	{"howmany", amountOf},
	{"howmany", costsSo},
	{"cointime", lastsElse},
	{"cointime", runsFor},
	// A time straight before an exit, of which it may be: ", from minute 10 tp 48c".
	{"exittime", func(r *reader, items []grammar.Item, i int, it *grammar.Item) bool {
		return said.IsTime(it) && !said.Buys(it) && i+1 < len(items) && items[i+1].From == it.To && said.Sells(&items[i+1]) && it.From > 0 && r.isBreak(it.From-1)
	}},
	{"nosale", deniesNext},
	{"exclusion", takenBack},
	{"both", bothSides},
	{"both", otherSide},
	{"excluded", excludes},
	{"excluded", excepts},
	{"anyof", swallows},
	{"howlong", func(r *reader, _ []grammar.Item, _ int, it *grammar.Item) bool { // "from the start", of an entry that takes
		return it.Kind == "item.open" && !r.o.Ordered && fromStart.MatchString(r.p.Text(it.From, min(it.To+4, int32(r.p.Tokens()))))
	}},
	{"switch", func(r *reader, items []grammar.Item, i int, it *grammar.Item) bool { // "SL 30c => buy Down"
		return i > 0 && it.Kind == "item.buy" && it.Meaning.Has(grammar.SlotSide) && said.Sells(&items[i-1]) && r.behind(it.From, "ARROW")
	}},
	{"both", notBought},
	{"both", ownsOther},
	{"headless", func(r *reader, items []grammar.Item, i int, it *grammar.Item) bool { // "buy Up 5c lower"
		return it.Kind == "item.offset" && i > 0 && items[i-1].To == it.From && said.Buys(&items[i-1]) && !said.HasConds(&items[i-1]) && further.MatchString(r.text(it))
	}},
	{"exclusion", func(r *reader, items []grammar.Item, _ int, it *grammar.Item) bool { // "buy the favorite, not Down"
		return notToken.MatchString(r.text(it)) && slices.ContainsFunc(items, func(o grammar.Item) bool { return r.hasClass(&o, "FAV", "EITHER") })
	}},
	{"sequence", func(r *reader, _ []grammar.Item, _ int, it *grammar.Item) bool { // "even rounds only", "every 30 rounds"
		return it.From > 0 && (r.p.HasClass(it.From, it.From+1, "ROUND") && parity[r.p.Word(it.From-1)] || said.IsAmount(it) && r.p.Word(it.From-1) == "every")
	}},
	{"length", halfOf},
	{"told", func(r *reader, _ []grammar.Item, _ int, it *grammar.Item) bool { // "I'm done buying Up"
		return said.Buys(it) && doneBuying.MatchString(r.p.Text(max(it.From-3, 0), it.To))
	}},
	// What heads a prompt may be its market all the same, and is offered.
	{"unheld", func(r *reader, items []grammar.Item, i int, it *grammar.Item) bool {
		return i == 0 && (r.unnamed(items) || inPassing(r, items, i, it))
	}},
	{"passing", inPassing},
	{"nosale", holdsSo},
	{"partof", partOf},
	{"howmany", paidOut},
	{"howmany", eachOne},
	{"howmuch", stakesTo},
	// Cents or dollars on a side of the book: "more than 60 on the bid".
	{"headless", func(r *reader, _ []grammar.Item, _ int, it *grammar.Item) bool {
		return said.HasConds(it) && (r.says(it, "on the ask") || r.says(it, "on the bid")) && r.hasClass(it, "INT") && !r.hasClass(it, "CENT", "DEC", "USDC", "USD")
	}},
	// A second bound of the spread that is one of the price: "spread no wider than 2c, under 40c".
	{"vaguespread", widens},
	// A spread that is called tight with the number of something else: "tight, under 40c".
	{"vaguespread", func(r *reader, _ []grammar.Item, _ int, it *grammar.Item) bool {
		return said.HasWide(it) && r.hasClass(it, "VAGUE")
	}},
}

// widens reports whether a wide bound of the spread has no word for it, beside a narrow one.
func widens(r *reader, items []grammar.Item, _ int, it *grammar.Item) bool {
	narrow, named := func(c *grammar.Cond) bool { return c.Qty == grammar.Spread && c.Num <= said.Widest }, 0
	for i := it.From; i < it.To; i++ {
		if strings.HasPrefix(r.p.Word(i), "spread") {
			named++
		}
	}
	return said.HasWide(it) && named < said.Spreads(it) && slices.ContainsFunc(items, func(o grammar.Item) bool { return said.AnyCond(&o, narrow) })
}

// parity are words of every second round.
var parity = lexicon.WordSet("even odd")

// halfOf reports whether a length stands behind half of it: "half-hourly".
func halfOf(r *reader, _ []grammar.Item, _ int, it *grammar.Item) bool {
	before := it.From - 1
	for before > 0 && r.p.Word(before) == "-" {
		before--
	}
	return before >= 0 && said.HasLength(it) && r.p.HasClass(before+1, before+3, "LENWORD") && !r.p.HasClass(before+1, before+2, "COIN") && r.p.Word(before) == "half"
}

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

// goesOnWith reports whether bare bounds stand behind one of the ask or the bid on the other side,
// which they may go on with: "ask 95c or higher. Up to 97c".
func goesOnWith(_ *reader, items []grammar.Item, i int, it *grammar.Item) bool {
	return i > 0 && it.Kind == "item.pred" && said.AnyCond(&items[i-1], func(c *grammar.Cond) bool {
		return said.AnyCond(it, c.Faces)
	})
}

// notBought reports whether a purchase is denied of the other token than the one that is bought:
// "I don't want to buy Up under 38c. I want to buy Down".
func notBought(r *reader, items []grammar.Item, _ int, it *grammar.Item) bool {
	if !said.HasConds(it) || !r.hasClass(it, "NOT", "AVOID") || r.hasClass(it, "UNLESS") {
		return false
	}
	m := boughtNot.FindStringSubmatch(r.text(it))
	return m != nil && slices.ContainsFunc(items, func(o grammar.Item) bool {
		is := func(word string) bool { return strings.Contains(strings.ToLower(r.text(&o)), word) }
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

// someMarket is a market of any kind.
var someMarket = words(`(?:^|[.;] )(?:any|every|all) markets?(?: at all)? ?[.,:]`)

// unnamed reports whether the prompt has words for the coin, the length or the size that no item has.
func (r *reader) unnamed(items []grammar.Item) bool {
	text := r.p.Text(0, int32(r.p.Tokens()))
	named := func(slot grammar.Slot) bool { return said.SomeHas(items, slot) }
	return someMarket.MatchString(text) && !named(grammar.SlotCoin) && !named(grammar.SlotLen) || someShare.MatchString(text) || someCoin.MatchString(text) && !named(grammar.SlotCoin) || someLength.MatchString(text) && !named(grammar.SlotLen)
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
func ownsOther(r *reader, items []grammar.Item, i int, it *grammar.Item) bool {
	side := bought(items)
	if !slices.ContainsFunc(said.All(it), func(c grammar.Cond) bool { return named(c) && int64(c.Tok) != side }) {
		return false
	}
	paid := i > 0 && items[i-1].Kind == "item.money" && items[i-1].To == it.From && r.p.HasClass(it.From, it.From+1, "TOK")
	return side != 0 && (paid || owned.MatchString(r.text(it)))
}

// costs are verbs of the ask, the bid and the spread behind a joint.
var costs = words(`\b(?:with (?:an? )?(?:spread|ask|bid|at least \$)|(?:and|or) (?:costs?|can be|goes for|has an?|is bid|is offered))\b|\b(?:up|down)'s [^,;]*(?:,| and) (?:on the )?(?:ask|bid|spread|price|imbalance)\b`)

// ofOther reports whether a verb may be of the token named before it, which is not the one bought,
// or of that: "Down is over 60c and costs 63c".
func ofOther(r *reader, items []grammar.Item, _ int, it *grammar.Item) bool {
	list := said.All(it)
	side := bought(items)
	other := func(c grammar.Cond) bool { return named(c) && int64(c.Tok) != side }
	return slices.ContainsFunc(list, other) && !named(list[len(list)-1]) && costs.MatchString(r.text(it))
}

// deniesNext reports whether a condition ends with a negation that is of what follows: "in the
// first 5 minutes, don't take profit at 55c".
func deniesNext(r *reader, items []grammar.Item, i int, it *grammar.Item) bool {
	denies := r.behind(it.To, "NOT") || r.behind(it.To, "BUY") && r.hasClass(it, "NOT") && !said.Buys(it)
	return said.HasConds(it) && denies && i+1 < len(items) && items[i+1].From == it.To
}

// takesOther reports whether "it" is bought in a sentence that names the other token before, where
// what is bought is named elsewhere: "Buy Up below 45c. If Down drops to 30c, buy $50 of it."
func takesOther(r *reader, items []grammar.Item, i int, it *grammar.Item) bool {
	if it.Kind != "item.buy" || it.Meaning.Get(grammar.SlotSide) != grammar.SideIt && !buysThat.MatchString(r.text(it)) {
		return false
	}
	side := bought(items)
	from := r.sentenceAround(it.From, it.To).from
	return side != 0 && slices.ContainsFunc(items[:i], func(o grammar.Item) bool {
		return o.From >= from && slices.ContainsFunc(said.All(&o), func(c grammar.Cond) bool { return named(c) && int64(c.Tok) != side })
	})
}

// buysThat is a purchase of what was named before it.
var buysThat = words(`^(?:i |then )*(?:buy|grab|get|take) (?:that|those|this)$`)

// was is what was so before, wondered a sentence that tells of a purchase as of one before.
var was, wondered = words(`\b(?:has been|had been|have been) (?:above|below|over|under|at|between) [$.\d]|\b(?:was|were|traded) (?:trading )?(?:(?:above|below|over|under|at|between) )?[$.\d]+ ?(?:c|¢|cents?)? (?:or [a-z]+ )?(?:(?:with)?in the (?:last|past|first)|at (?:minute|the open))\b`), words(`\b(?:bought|would have|had|got|took)\b`)

// wasSo reports whether a condition is on what was so before: "once it has been above 50c".
func wasSo(r *reader, _ []grammar.Item, _ int, it *grammar.Item) bool {
	if !said.HasConds(it) || !was.MatchString(r.p.Text(it.From, min(it.To+3, int32(r.p.Tokens())))) {
		return false
	}
	s := r.sentenceAround(it.From, it.To)
	return !wondered.MatchString(r.p.Text(s.from, s.to))
}

// asHigh is a price that is paid at most where no verb says that it stands there.
var asHigh, isHigh = words(`\bas high as\b`), words(`\b(?:is|are|it's|be|goes|gets|got|climbs|rises|trades|trading|stands) as high as\b`)

// thenBuys reports whether a sale has a condition behind "and" that is of the purchase behind it: "I sell
// at 80c, and when Up trades below 40c I buy Up".
func thenBuys(r *reader, items []grammar.Item, i int, it *grammar.Item) bool {
	return i+1 < len(items) && said.Sells(it) && said.Buys(&items[i+1]) && items[i+1].From <= it.To+2 && it.Meaning.Has(grammar.SlotSL) && andWhen.MatchString(r.text(it))
}

// andWhen is a condition at the end of a sale.
var andWhen = words(`[,;] (?:and |but )?(?:when|if|once)\b[^,;]*$|\band (?:when|if|once)\b[^,;]*$`)

// gains are words of what is gained, where it is not known what was paid.
var gains = words(`^(?:lock(?:ing)? in|bank|take|grab|collect|happy with|pocket|scalp|make)\b`)

// locks reports whether a price to sell at may be what is gained: "lock in 10c".
func locks(r *reader, items []grammar.Item, _ int, it *grammar.Item) bool {
	at := max(it.Meaning.Get(grammar.SlotSold), it.Meaning.Get(grammar.SlotTP))
	return at > 0 && at < said.Far && gains.MatchString(r.text(it)) && !r.hasClass(it, "PROFIT") && !slices.ContainsFunc(items, func(o grammar.Item) bool {
		return slices.ContainsFunc(said.All(&o), func(c grammar.Cond) bool { return c.Qty <= grammar.Bid })
	})
}

// asFar reports whether a stop is as likely a distance, as the target is one: "20c profit target, 10c
// stop loss".
func asFar(r *reader, items []grammar.Item, _ int, it *grammar.Item) bool {
	at := it.Meaning.Get(grammar.SlotSL)
	return at > 0 && at < said.Far && said.SomeHas(items, grammar.SlotTPO) && r.p.HasClass(it.From+1, it.To, "SL") && r.p.HasClass(it.From, it.From+2, "CENT")
}

// takesBack are words that take back what stands before them.
var takesBack = lexicon.WordSet("no nope nah not never")

// takenBack reports whether the next word, which is of nothing else, takes an item back: "tp 55c,
// no, hold to expiry".
func takenBack(r *reader, items []grammar.Item, i int, it *grammar.Item) bool {
	n, at := int32(r.p.Tokens()), it.To
	if at < n && r.isBreak(at) {
		at++
	}
	if at >= n || !takesBack[r.p.Word(at)] || !said.Sells(it) && !said.HasConds(it) {
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
func bothSides(r *reader, items []grammar.Item, i int, it *grammar.Item) bool {
	side := max(it.Meaning.Get(grammar.SlotHint), it.Meaning.Get(grammar.SlotSoft), it.Meaning.Get(grammar.SlotSide))
	corrects := r.p.HasClass(max(it.From-1, 0), it.To, "MEAN")
	if side != grammar.SideUp && side != grammar.SideDown || said.HasConds(it) || !corrects && !r.isLoose(it) {
		return false
	}
	return slices.ContainsFunc(items[:i], func(o grammar.Item) bool {
		return said.AnyCond(&o, func(c *grammar.Cond) bool {
			return (corrects || o.Kind == "item.head" && c.Qty != grammar.Change) && named(*c) && int64(c.Tok) != side
		})
	})
}

// isLoose reports whether an item is a side that no word before it says is bought, or that is
// bought then.
func (r *reader) isLoose(it *grammar.Item) bool {
	first := r.p.HasClass(it.From, it.From+1, "TOK")
	if it.Kind == "item.buy" {
		return first || it.From > 0 && r.p.Word(it.From-1) == "then"
	}
	return it.Kind == "item.head" && !r.hasClass(it, "SIDE") && (first || !r.hasClass(it, "BUY"))
}

// otherSide reports whether the other side is bought behind the one that is: "buy Down …, re-enter
// once, when stopped out, buy the other side".
func otherSide(r *reader, items []grammar.Item, i int, it *grammar.Item) bool {
	other := it.Kind == "item.buy" && r.hasClass(it, "OTHER")
	return other && slices.ContainsFunc(items[:i], func(o grammar.Item) bool { return said.Buys(&o) })
}

// excludes reports whether it is not clear what a negation reaches: over two things ("not in the
// first minute or with spread over 4c", "avoid the last minute and spreads over 4c"), or up to
// what ("no entry in the last minute if the spread is over 4c").
func excludes(r *reader, items []grammar.Item, i int, it *grammar.Item) bool {
	has := func(classes ...string) bool { return r.p.HasClass(it.From, it.To, classes...) }
	switch x := it.Meaning.Conds(); {
	case x == nil:
		return false
	case !has("NOT", "AVOID"):
		return false
	case len(x.Any) > 0 && !has("UNLESS"):
		return !isRange(x) && (has("AND") || !r.has(it, "OR"))
	}
	return has("AVOID") && i+1 < len(items) && items[i+1].From == it.To && items[i+1].Kind == "item.if"
}

// excepts reports whether an exception may reach over more than it is said of: "unless it's above 40c, and the spread is
// under 2c", "except in the last minute and spread under 2c".
func excepts(r *reader, _ []grammar.Item, _ int, it *grammar.Item) bool {
	x := it.Meaning.Conds()
	if x == nil || len(x.Any) == 0 || !r.hasClass(it, "UNLESS", "NOT", "AVOID") {
		return false
	}
	goesOn := r.hasClass(it, "COMMA") || goesOnFor.MatchString(r.text(it))
	return said.AnyCond(it, (*grammar.Cond).IsUnwanted) || r.hasClass(it, "UNLESS") && goesOn && !isRange(x)
}

// goesOnFor is what stands behind an exception and is none: "unless it's over 40c and provided the spread is 2c", "except in
// the last minute for 40c".
var goesOnFor = words(`\b(?:provided|providing|as long as|so long as|only if|but)\b|\bfor \$?[.\d]`)

// isRange reports whether all alternatives are bounds of one quantity.
func isRange(x *grammar.Expr) bool {
	first := x.Any[0][0]
	return x.Every(func(c *grammar.Cond) bool { return c.Qty == first.Qty && c.Tok == first.Tok })
}

// fromStart is a time that goes on.
var fromStart = words(`^(?:from|starting)\b|\bto (?:the )?(?:close|end|finish)\b`)

// swallows reports whether one alternative is a case of another, which it would say nothing beside, or a
// time alone beside a time and more: "below 50c, or below 45c if the spread is over 3c", "below 40c before
// minute 2 or after minute 12". In brackets it is a summary's.
func swallows(r *reader, _ []grammar.Item, _ int, it *grammar.Item) bool {
	x := it.Meaning.Conds()
	if x == nil || len(x.Any) < 2 || r.hasClass(it, "LP") {
		return false
	}
	timed := func(c grammar.Cond) bool { return c.IsTime() }
	untimed := func(c grammar.Cond) bool { return !c.IsTime() }
	for i, a := range x.Any {
		for j, b := range x.Any {
			if i != j && (len(a) > len(b) && !slices.ContainsFunc(b, func(c grammar.Cond) bool { return !slices.ContainsFunc(a, c.Wider) }) ||
				!slices.ContainsFunc(b, untimed) && slices.ContainsFunc(a, timed) && slices.ContainsFunc(a, untimed)) {
				return true
			}
		}
	}
	return false
}
