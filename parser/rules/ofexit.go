package rules

import (
	"regexp"
	"slices"

	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/lexicon"
	"github.com/ladderback/ladderback/strategy"
)

// lasting are words that begin what holds from or up to some moment, or as long as
// something else does: behind a comma too, that is said of what stands before it.
var lasting = lexicon.WordSet(reasons["lasting"])

// ofExits lists the conditions and times of the entry that by their place are said of
// an exit beside them, which can have none: "stop at 28c only if the spread is below
// 2c", "tp 58c (not before minute 20)", "after minute 5, stop at 35c".
func (r *reader) ofExits(reading *grammar.Reading) []Obstacle {
	var list []Obstacle
	for i := range reading.Items {
		from, to := i, i
		switch {
		case !bounds(&reading.Items[i]) || r.p.HasClass(reading.Items[i].From, reading.Items[i].To, entryWords...):
			continue
		case r.followsExit(reading.Items, i):
			from--
		case r.leadsExit(reading.Items, i):
			to++
		default:
			continue
		}
		o := r.obstacle(reading.Items[from].From, r.p.WordsEnd(reading.Items[from].From, reading.Items[to].To))
		o.Why, o.Remedy = "sellsif", reasons["sellsif"]
		list = append(list, o)
	}
	return list
}

// widest is the spread that may be called tight, in 1e-6: up to it a price is the mid.
const widest = 100_000

// misread lists the items that may be another than they are read as.
func (r *reader) misread(reading *grammar.Reading) []Obstacle {
	var list []Obstacle
	for i := range reading.Items {
		it := &reading.Items[i]
		for _, m := range misreadings {
			if m.is(r, reading.Items, i) {
				o := r.obstacle(it.From, r.p.WordsEnd(it.From, it.To))
				o.Why, o.Remedy = m.why, reasons[m.why]
				list = append(list, o)
				break
			}
		}
	}
	return list
}

// misreadings are what makes an item another than it is read as, by why it is refused.
var misreadings = []struct {
	why string
	is  func(r *reader, items []grammar.Item, i int) bool
}{
	{"boundof", func(_ *reader, items []grammar.Item, i int) bool {
		return i > 0 && items[i].Kind == "item.pred" && ranges(items[i-1].Meaning.Conds(), items[i].Meaning.Conds())
	}},
	{"headless", func(r *reader, items []grammar.Item, i int) bool { // "Test 7."
		it := &items[i]
		n := it.Meaning.Get(grammar.SlotSample)
		return it.From == 0 && it.To == 2 && r.p.Word(0) == "test" && n > 0 && n < fewest*lexicon.Micro && !r.p.HasClass(2, min(3, int32(r.p.Tokens())), "ROUND")
	}},
	// What is demanded, behind what is avoided: "no entries or the spread has to be under 2c".
	{"exclusion", func(r *reader, items []grammar.Item, i int) bool {
		it := &items[i]
		return it.Meaning.Conds() != nil && r.p.HasClass(it.From, it.To, "AVOID") && r.p.Has(it.From, it.To, func(e *lexicon.Entry) bool { return e.Class == "BE" && e.Name == "must" })
	}},
	// "by" that stands for "at" before a price of the entry: "buy by 40c, take profit by 35c".
	{"headless", func(r *reader, items []grammar.Item, i int) bool {
		by := func(it *grammar.Item) bool {
			for at := it.From; at+1 < it.To; at++ {
				if r.p.Word(at) == "by" && r.p.HasClass(at+1, min(at+3, it.To), "CENT", "DEC", "USDC") {
					return true
				}
			}
			return false
		}
		return items[i].Meaning.Has(grammar.SlotTPO) && by(&items[i]) && slices.ContainsFunc(items, func(it grammar.Item) bool { return it.Meaning.Has(grammar.SlotBuy) && by(&it) })
	}},
	// What is gained or lost so far, in an entry: "when I'm up 8c".
	{"heldgain", func(r *reader, items []grammar.Item, i int) bool {
		it := &items[i]
		return it.Meaning.Conds() != nil && r.p.Has(it.From, it.To, func(e *lexicon.Entry) bool { return e.Name == "when i am up" })
	}},
	{"told", tellsOf},
	{"told", beside},
	{"howmany", amountOf},
	// A move with the price that it leads to: "rises to 60c in 30 seconds".
	{"moving", func(r *reader, items []grammar.Item, i int) bool {
		x := items[i].Meaning.Conds()
		moves := func(c grammar.Cond) bool { return c.Qty != grammar.Change && !c.IsTime() }
		return x != nil && len(x.All) > 0 && !slices.ContainsFunc(x.All, moves) && !slices.ContainsFunc(x.All[:1], func(c grammar.Cond) bool { return c.IsTime() }) && toPrice.MatchString(r.p.Text(items[i].From, items[i].To))
	}},
	// A verb whose subject is the other token or the bought one: "Down is over 60c and costs 63c".
	{"boundof", func(r *reader, items []grammar.Item, i int) bool {
		x := items[i].Meaning.Conds()
		named := func(c grammar.Cond) bool { return c.Tok == grammar.SideUp || c.Tok == grammar.SideDown }
		return x != nil && slices.ContainsFunc(x.All, named) && !slices.ContainsFunc(x.All[len(x.All)-1:], named) && costs.MatchString(r.p.Text(items[i].From, items[i].To))
	}},
	// A negation that ends a time and is of what follows: "in the first 5 minutes, don't take
	// profit at 55c".
	{"nosale", func(r *reader, items []grammar.Item, i int) bool {
		it := &items[i]
		return it.Meaning.Conds() != nil && (r.behind(it.To, "NOT") || r.behind(it.To, "BUY") && r.p.HasClass(it.From, it.To, "NOT") && !buys(it)) && i+1 < len(items) && items[i+1].From == it.To
	}},
	// What the next word takes back: "tp 55c, no, hold to expiry".
	{"exclusion", func(r *reader, items []grammar.Item, i int) bool {
		n, at := int32(r.p.Tokens()), items[i].To
		if at < n && r.isBreak(at) {
			at++
		}
		alone := at+1 >= n || r.isBreak(at+1) || i+1 < len(items) && items[i+1].From == at+1
		return (sells(&items[i]) || items[i].Meaning.Conds() != nil) && at < n && takesBack[r.p.Word(at)] && alone && !(i+1 < len(items) && items[i+1].From <= at)
	}},
	// A line that is a comment: "# tp 50c", "// stop 20c".
	{"told", func(r *reader, items []grammar.Item, i int) bool {
		it := &items[i]
		line, _ := r.p.Widen(it.From, it.From, func(i int32) bool { return r.p.HasClass(i, i+1, "NL") })
		return it.Kind != "item.market" && r.p.HasClass(it.From, it.To, values...) && comment.MatchString(r.p.Text(line, it.From+1))
	}},
	// What a sale costs is no part of its price: "take profit at 55c including fees".
	{"profitmoney", func(r *reader, items []grammar.Item, i int) bool {
		it := &items[i]
		return sells(it) && ofFees.MatchString(r.p.Text(it.From, min(it.To+3, int32(r.p.Tokens()))))
	}},
	// A side by itself behind what is said of the other one, which it may be besides or instead:
	// "up under 30c; down", "up is below 40c, … I meant Down".
	{"both", func(r *reader, items []grammar.Item, i int) bool {
		it := &items[i]
		side := max(it.Meaning.Get(grammar.SlotHint), it.Meaning.Get(grammar.SlotSoft), it.Meaning.Get(grammar.SlotSide))
		corrects := r.p.HasClass(max(it.From-1, 0), it.To, "MEAN")
		then := it.Kind == "item.buy" && (it.From > 0 && r.p.Word(it.From-1) == "then" || r.p.HasClass(it.From, it.From+1, "TOK"))
		if side != grammar.SideUp && side != grammar.SideDown || it.Meaning.Conds() != nil || !corrects && !then && (it.Kind != "item.head" || r.p.HasClass(it.From, it.To, "SIDE") || r.p.HasClass(it.From, it.To, "BUY") && !r.p.HasClass(it.From, it.From+1, "TOK")) {
			return false
		}
		return slices.ContainsFunc(items[:i], func(o grammar.Item) bool {
			for c := range o.Meaning.Conds().Walk() {
				if (corrects || o.Kind == "item.head" && c.Qty != grammar.Change) && (c.Tok == grammar.SideUp || c.Tok == grammar.SideDown) && int64(c.Tok) != side {
					return true
				}
			}
			return false
		})
	}},
	// The other side behind the one that is bought: "buy Down …, re-enter once, when stopped out, buy
	// the other side".
	{"both", func(r *reader, items []grammar.Item, i int) bool {
		other := items[i].Kind == "item.buy" && r.p.HasClass(items[i].From, items[i].To, "OTHER")
		return other && slices.ContainsFunc(items[:i], func(o grammar.Item) bool { return buys(&o) })
	}},
	// What a share pays, as dollars: "hold for the $1".
	{"howmany", func(r *reader, items []grammar.Item, i int) bool {
		from, to := r.p.Widen(items[i].From, items[i].To, r.isBreak)
		return items[i].Kind == "item.money" && pays.MatchString(r.p.Text(from, to))
	}},
	// A limit of a time that there is none of: "max_hold: no".
	{"novalue", func(r *reader, items []grammar.Item, i int) bool {
		return unlimited.MatchString(r.p.Text(items[i].From, items[i].To))
	}},
	// A distance that stands where a price does: "take profit at 55c winner only".
	{"headless", func(r *reader, items []grammar.Item, i int) bool {
		it := &items[i]
		far := max(it.Meaning.Get(grammar.SlotTPO), it.Meaning.Get(grammar.SlotTrail)) >= most
		return far && !r.p.HasClass(it.From, it.To, "ENTRYREF", "ENTRYCUE", "PLUSNUM") && atAmount.MatchString(r.p.Text(it.From, it.To))
	}},
	// What a negation reaches over two things, or up to what: "not in the first minute or with
	// spread over 4c", "avoid the last minute and spreads over 4c", "no entry in the last minute
	// if the spread is over 4c".
	{"excluded", func(r *reader, items []grammar.Item, i int) bool {
		it := &items[i]
		denied := func(classes ...string) bool { return r.p.HasClass(it.From, it.To, classes...) }
		switch x := it.Meaning.Conds(); {
		case x == nil || !denied("NOT", "AVOID"):
			return false
		case len(x.Any) > 0 && !denied("UNLESS"):
			return !isRange(x) && (denied("AND") || !r.has(it, "OR") || mixes(x))
		}
		return denied("AVOID") && i+1 < len(items) && items[i+1].From == it.To && items[i+1].Kind == "item.if"
	}},
	// A last time that stands behind a first one: "after 3 minutes at the latest".
	{"vaguetime", func(r *reader, items []grammar.Item, i int) bool {
		it := &items[i]
		return it.Meaning.Conds() != nil && !sells(it) && latest.MatchString(r.p.Text(it.From, min(it.To+3, int32(r.p.Tokens())))) &&
			slices.ContainsFunc(it.Meaning.Conds().All, func(c grammar.Cond) bool { return c.IsLate() })
	}},
	// A time that has to be left yet, or up to which it is bought: "as long as 5 minutes remain",
	// "up to 5 minutes before the end".
	{"vaguetime", func(r *reader, items []grammar.Item, i int) bool {
		it := &items[i]
		x, words := it.Meaning.Conds(), r.p.Text(it.From, it.To)
		last := func(c grammar.Cond) bool { return c.Qty == grammar.Remaining }
		bare := yet.MatchString(words) && !r.p.HasClass(it.From, it.To, "CMP", "LCMP", "POST")
		return x != nil && slices.ContainsFunc(x.All, last) && (bare || upToTime.MatchString(words))
	}},
	// A stop below zero: "out at 55c or stop at -8c".
	{"lossof", func(r *reader, items []grammar.Item, i int) bool {
		return items[i].Meaning.Has(grammar.SlotSL) && minus.MatchString(r.p.Text(items[i].From, items[i].To))
	}},
	// Cents or dollars on a side of the book: "more than 60 on the bid".
	{"headless", func(r *reader, items []grammar.Item, i int) bool {
		it := &items[i]
		is := func(e *lexicon.Entry) bool { return e.Name == "on the ask" || e.Name == "on the bid" }
		return it.Meaning.Conds() != nil && r.p.Has(it.From, it.To, is) && r.p.HasClass(it.From, it.To, "INT") && !r.p.HasClass(it.From, it.To, "CENT", "DEC", "USDC", "USD")
	}},
	// A spread that is called tight with the number of something else: "tight, under 40c".
	{"vaguespread", func(r *reader, items []grammar.Item, i int) bool {
		for c := range items[i].Meaning.Conds().Walk() {
			if c.Qty == grammar.Spread && c.Num > widest && r.p.HasClass(items[i].From, items[i].To, "VAGUE") {
				return true
			}
		}
		return false
	}},
}

// most is a distance from entry that is as likely a price, in 1e-6.
const most = 300_000

// comment is the beginning of one, but for a number, "#2".
var comment = regexp.MustCompile(`^ *(?:#+ |//)`)

// values are the classes of what a rule gives.
var values = []string{"CENT", "DEC", "USDC", "USD", "INT", "REAL", "DUR", "PLUSNUM", "MINUSNUM", "FRAC"}

// ofFees are words for what a sale costs.
var ofFees = regexp.MustCompile(`(?i)(?:includ(?:ing|es|ed)|incl\.?|inclusive of|with|all|before) (?:the )?(?:fees|costs)|fees (?:included|and all)`)

// costs are verbs of the ask, the bid and the spread behind "and".
var costs = regexp.MustCompile(`(?i)\b(?:and|or) (?:costs?|can be|goes for|has an?|is bid|is offered)\b`)

// pays is what a share pays at the end.
var pays = regexp.MustCompile(`(?i)\b(?:hold|holding|settles?|pays?|payout|collect|redeems?|resolves?) (?:(?:at|for|to|the|until|is|a|full) )*\$ ?1(?:\.00?)?\b`)

// unlimited is a key of a time with no value.
var unlimited = regexp.MustCompile(`(?i)\b(?:max[_ ]?hold|hold[_ ]?time|time[_ ]?limit|time[_ ]?stop)["' ]*[:=]["' ]*(?:no|none|never|off)\b`)

// takesBack are words that take back what stands before them.
var takesBack = lexicon.WordSet("no nope nah not never")

// toPrice is a price that something moves to.
var toPrice = regexp.MustCompile(`(?i)\b(?:rises?|rose|falls?|fell|drops?|dropped|climbs?|climbed|goes|gets|jumps?|jumped|dips?|moves?|moved|up|down|back) to \$?[.\d]`)

// yet are words before a time that has to be left.
var yet = regexp.MustCompile(`(?i)\b(?:as long as|so long as|while|still|(?:aren't|arent|are not|isn't|is not) [0-9a]+)\b`)

// upToTime is what up to a time is left.
var upToTime = regexp.MustCompile(`(?i)\bup to [^,]*(?:left|before|remain)`)

// minus is a sign of a number.
var minus = regexp.MustCompile(`[ @:=]-[.\d]`)

// latest are words of a last time.
var latest = regexp.MustCompile(`(?i)\b(?:at|by) (?:the )?latest\b`)

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
	for _, all := range x.Any {
		if slices.ContainsFunc(all, func(c grammar.Cond) bool { return c.IsDenied() }) {
			n++
		}
	}
	return n > 0 && n < len(x.Any)
}

// atAmount is a word for a price, or of a target, before an amount.
var atAmount = regexp.MustCompile(`(?i)(?:\bat|@|\btp) ?[:=]? ?[\d.$]`)

// fewest markets are asked for by "test 20" at the head of a prompt: "Test 7." is its name.
const fewest = 20

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

// untimed lists the favorites that are late or early where no time of the entry says how.
func (r *reader) untimed(reading *grammar.Reading, s strategy.Canonical) (list []Obstacle) {
	timed := func(c strategy.Condition) bool {
		return c.Type == strategy.TimeElapsed || c.Type == strategy.TimeRemaining || c.Type != strategy.PriceChange && c.WithinSeconds > 0
	}
	if slices.ContainsFunc(slices.Concat(append(s.EntryAny(), s.Entry())...), timed) {
		return nil
	}
	for i := range reading.Items {
		it := &reading.Items[i]
		if r.p.Has(it.From, it.To, func(e *lexicon.Entry) bool { return e.Name == "late favorite" }) {
			o := r.obstacle(it.From, r.p.WordsEnd(it.From, it.To))
			o.Why, o.Remedy = "vaguetime", reasons["vaguetime"]
			list = append(list, o)
		}
	}
	return list
}

// untrailed lists the trailing stops that commentary names and a strategy does not have.
func (r *reader) untrailed(reading *grammar.Reading, s strategy.Canonical) (list []Obstacle) {
	for _, c := range reading.Commentary {
		if s.Exit().TrailingStop == nil && r.p.HasClass(c[0], c[1], "TRAIL") {
			o := r.obstacle(c[0], c[1])
			o.Why, o.Remedy = "novalue", reasons["novalue"]
			list = append(list, o)
		}
	}
	return list
}

// followsExit reports whether the condition of item i is said of the exit before it:
// one in its clause, and in a clause of its own one in a sentence of exits, in a list
// of them, behind other words, or that lasts.
func (r *reader) followsExit(items []grammar.Item, i int) bool {
	if i == 0 || !sells(&items[i-1]) && !isExit(&items[i-1]) {
		return false
	}
	exit, cond := &items[i-1], &items[i]
	between := func(classes ...string) bool { return r.p.HasClass(exit.To, cond.From, classes...) }
	switch {
	case r.p.HasClass(cond.From, cond.From+1, "MOVE") && r.p.Word(cond.From+1) == "to": // "raise to 35c after 5 minutes"
		return true
	case between("STOP", "QUESTION"), between(entryWords...), between("COMMA", "SOFT") && r.goesOn(items, i, buys):
		return false
	case !between("COMMA", "SOFT", "COLON", "SLASH"), between("ARROW", "LP"):
		return true
	}
	return r.goesOn(items, i, sells) || r.lasts(exit, cond) || !slices.ContainsFunc(items, func(it grammar.Item) bool {
		return it.From != cond.From && (bounds(&it) || buys(&it)) && !r.p.HasClass(min(it.From, exit.From), max(it.From, exit.From), "STOP", "QUESTION")
	})
}

// goesOn reports whether the sentence of item i goes on with an item that is so.
func (r *reader) goesOn(items []grammar.Item, i int, is func(it *grammar.Item) bool) bool {
	return i+1 < len(items) && is(&items[i+1]) && !r.p.HasClass(items[i].To, items[i+1].From, "STOP", "QUESTION")
}

// lasts reports whether a condition stands behind other words than the exit's, or
// holds from or up to some moment.
func (r *reader) lasts(exit, cond *grammar.Item) bool {
	comma := r.p.HasClass(exit.To, cond.From, "COMMA")
	for k := exit.To; k < cond.To; k++ {
		if k < cond.From && r.p.IsWord(k) || comma && lasting[r.p.Word(k)] {
			return true
		}
	}
	return false
}

// leadsExit reports whether the condition of item i is said of the exit behind it: it
// begins a sentence that goes on with that, or a clause, and the entry has others.
func (r *reader) leadsExit(items []grammar.Item, i int) bool {
	if i == 0 || !r.goesOn(items, i, sells) || items[i].Kind == "item.pred" || !slices.ContainsFunc(items[:i], func(it grammar.Item) bool { return it.Meaning.Conds() != nil }) {
		return false
	}
	cond := &items[i]
	before := func(classes ...string) bool { return r.p.HasClass(items[i-1].To, cond.From, classes...) }
	behind := func(classes ...string) bool { return r.p.HasClass(cond.To, items[i+1].From, classes...) }
	sentence, opens := before("STOP", "QUESTION"), r.p.HasClass(cond.From, cond.From+1, "WORD", "IF", "UNLESS")
	switch {
	case behind("SLASH"), before(entryWords...):
		return false
	case behind("COMMA", "SOFT") && !behind("ARROW"):
		return sentence && opens
	}
	return sentence || opens && before("COMMA", "SOFT", "AND")
}

// entryWords are the classes of words of buying, and of not doing so.
var entryWords = []string{"ENTRYCUE", "ENTRYREF", "AVOID"}

// sells reports whether an item says at what price or when to sell.
func sells(it *grammar.Item) bool {
	return slices.ContainsFunc([]grammar.Slot{grammar.SlotTP, grammar.SlotSL, grammar.SlotTPO, grammar.SlotSLO, grammar.SlotTrail, grammar.SlotSold, grammar.SlotMaxHold, grammar.SlotExitBefore, grammar.SlotExitAt, grammar.SlotExitPart}, func(s grammar.Slot) bool {
		return it.Meaning.Has(s) && it.Meaning.Get(s) != grammar.None
	})
}

// buys reports whether an item says what is bought.
func buys(it *grammar.Item) bool { return it.Kind == "item.buy" || it.Kind == "item.head" }

// bounds reports whether an item says when to buy, and not what.
func bounds(it *grammar.Item) bool { return it.Meaning.Conds() != nil && !buys(it) }
