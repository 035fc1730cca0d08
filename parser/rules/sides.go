package rules

import (
	"slices"
	"strings"

	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/lazy"
	"github.com/ladderback/ladderback/parser/lexicon"
	"github.com/ladderback/ladderback/parser/rules/said"
	"github.com/ladderback/ladderback/strategy"
)

// leaves goes through the lexemes that a reading consumed, each with its item
// and what it is a part of.
func (r *reader) leaves(reading *grammar.Reading, f func(n, of *grammar.Node, it *grammar.Item)) {
	for i := range reading.Items {
		r.leavesOf(&reading.Items[i], f)
	}
}

// leavesOf goes through those of one item.
func (r *reader) leavesOf(it *grammar.Item, f func(n, of *grammar.Node, it *grammar.Item)) {
	var walk func(n, of *grammar.Node, it *grammar.Item)
	walk = func(n, of *grammar.Node, it *grammar.Item) {
		for i := range n.Parts {
			walk(&n.Parts[i], n, it)
		}
		if n.Line == nil {
			f(n, of, it)
		}
	}
	n := r.p.Node(it)
	walk(&n, &n, it)
}

// has reports whether a lexeme of a symbol is a part of an item: "or", but not "2c or less".
func (r *reader) has(it *grammar.Item, symbol string) (found bool) {
	r.leavesOf(it, func(n, _ *grammar.Node, _ *grammar.Item) { found = found || n.Symbol == symbol })
	return found
}

// unheld lists the phrases that name a side, a coin or a length, exclude or reverse,
// of which a reading holds a part alone, and the sides that are named beside the one
// that is bought without a condition on them.
func (r *reader) unheld(reading *grammar.Reading, s strategy.Canonical) []Obstacle {
	h := &holding{reader: r, reading: reading, strategy: s, held: make([]bool, r.p.Tokens())}
	r.leaves(reading, h.leaf)
	h.lexemes()
	for i := range reading.Items {
		h.item(i)
	}
	for _, c := range reading.Commentary {
		h.filter(c[0], c[1])
	}
	return h.out
}

// filter refuses a few words that name only some of the rounds, hours or days: "Green days."
func (h *holding) filter(from, to int32) {
	for to > from && (h.isBreak(to-1) || tails[h.p.Word(to-1)]) {
		to--
	}
	if n := to - from; from > 0 && h.p.HasClass(from-1, from, "STOP", "NL") && n > 0 && n <= 3 && filtered[h.p.Word(to-1)] {
		h.no(from, to, "unheld")
	}
}

// filtered are what a filter leaves some of, tails what may stand behind it.
var filtered, tails = lexicon.WordSet("days hours rounds markets sessions weeks weekends nights mornings ones"), lexicon.WordSet("only too alone")

// holding is what a reading holds of the phrases of a prompt.
type holding struct {
	*reader
	reading  *grammar.Reading
	strategy strategy.Canonical
	held     []bool // by token: it is a mark or a number that is read
	whole    []*lexicon.Lexeme
	out      []Obstacle
}

func (h *holding) no(from, to int32, why string) {
	h.out = append(h.out, h.reader.no(from, to, why))
}

// leaf notes a lexeme that is held, and refuses one that says more than what is read.
func (h *holding) leaf(n, of *grammar.Node, it *grammar.Item) {
	l := &h.p.Lexemes[n.Lexeme]
	if h.namesTwo(n, of, it) {
		h.no(l.From, n.To, "both")
	} else if check := checks[n.Symbol]; check != nil {
		if from, to, why := check(h, l, of, it); why != "" {
			h.no(from, to, why)
		}
	}
	h.whole = append(h.whole, l)
	if h.p.Marks(n.Lexeme) || kindsOf[n.Symbol] != "" {
		for i := range h.held[l.From:l.To] {
			h.held[int(l.From)+i] = true
		}
	}
}

// checks say by their symbols why lexemes, parts of others in an item, are refused, and
// where; "": they are not.
var checks = map[string]func(h *holding, l *lexicon.Lexeme, of *grammar.Node, it *grammar.Item) (from, to int32, why string){
	"NOT": func(h *holding, l *lexicon.Lexeme, of *grammar.Node, it *grammar.Item) (from, to int32, why string) {
		if l.From > 0 && waiting[h.p.Word(l.From-1)] { // "wait never till"
			return l.From - 1, l.To, "unheld"
		}
		return l.From, l.To, when(of.Symbol == "pred" && said.IsExit(it), "nosale")
	},
	"ENTRYREF": func(h *holding, l *lexicon.Lexeme, _ *grammar.Node, _ *grammar.Item) (from, to int32, why string) {
		return l.From, l.To, when(opposing[h.p.Word(l.From)] && h.before(l.From-1, "LCMP"), "exclusion") // "5c below against entry"
	},
	"'no'": func(h *holding, l *lexicon.Lexeme, of *grammar.Node, _ *grammar.Item) (from, to int32, why string) {
		return l.From, l.To + 1, when(of.Symbol == "tok" && l.To < int32(h.p.Tokens()) && !h.isBreak(l.To) && h.p.HasClass(l.To, min(l.To+2, int32(h.p.Tokens())), "TP", "SL", "TRAIL", "PROFIT"), "nosale") // "take no target profit"
	},
	"FRAC": func(h *holding, l *lexicon.Lexeme, _ *grammar.Node, it *grammar.Item) (from, to int32, why string) {
		return l.From, l.To, when(said.IsBare(it) && (h.before(l.From-1, "PRON") || h.behind(l.From, "OTHER")), "headless") // "run it half", "the other half"
	},
	"TP": func(h *holding, l *lexicon.Lexeme, of *grammar.Node, _ *grammar.Item) (from, to int32, why string) {
		if strings.Contains(strings.ToLower(h.p.Text(l.From, l.To)), " some ") {
			return l.From, l.To, "partial" // "take some profit"
		}
		denied := slices.ContainsFunc(of.Parts, func(k grammar.Node) bool { return k.Symbol == "NOT" }) || h.before(l.From-1, "NOT")
		return l.From, l.To, when(denied && h.p.Word(l.From) == "take" && !strings.HasPrefix(h.p.Word(l.To-1), "profit"), "nosale")
	},
	"RIDE": func(h *holding, l *lexicon.Lexeme, _ *grammar.Node, _ *grammar.Item) (from, to int32, why string) {
		e := h.strategy.Exit()
		never := l.To-l.From <= 3 && noSale[h.p.Word(l.To-1)] && (l.To == int32(h.p.Tokens()) || h.isBreak(l.To)) && !(l.From > 0 && otherwise[h.p.Word(l.From-1)])
		return l.From, l.To, when((e.MaxHoldSeconds > 0 || e.ExitBeforeSeconds > 0 || e.Aims() || e.Stops()) && never || e.Sells() && h.p.Word(l.From) == "sell", "nosale")
	},
	"MAKE": func(h *holding, l *lexicon.Lexeme, _ *grammar.Node, it *grammar.Item) (from, to int32, why string) { // "close when it makes 0.48"
		return it.From, it.To, when(h.before(l.From-1, "PRON") && h.p.HasClass(it.From, l.From, "IF") && h.before(l.To, "DEC"), "headless")
	},
	"SELL": func(h *holding, l *lexicon.Lexeme, _ *grammar.Node, it *grammar.Item) (from, to int32, why string) {
		return l.From - 1, l.To, when(h.notSold(l, it), "nosale")
	},
	"DUR": func(h *holding, l *lexicon.Lexeme, _ *grammar.Node, _ *grammar.Item) (from, to int32, why string) {
		return l.From, l.To + 1, when(h.lasts(l), "length")
	},
	"TOK": func(h *holding, l *lexicon.Lexeme, of *grammar.Node, _ *grammar.Item) (from, to int32, why string) {
		if h.isWay(l) && of.Symbol != "dir" && l.From > 0 && upWith[h.p.Word(l.From-1)] {
			return l.From - 1, l.To, "unheld" // "listen up"
		}
		return l.From, l.To, when(ways[of.Symbol] && !h.isWay(l), "moving")
	},
	"COIN": func(h *holding, l *lexicon.Lexeme, _ *grammar.Node, _ *grammar.Item) (from, to int32, why string) {
		if l.From == 0 && h.p.Word(0) == "op" && h.before(1, "COLON") { // a coin, or who wrote first
			return 0, 2, "unheld"
		}
		return l.From - 1, l.To, when(l.From > 0 && h.p.Word(l.From-1) == "no", "exclusion")
	},
}

// noSale are words that end "never sell" and its like, where nothing says until when.
var noSale = lexicon.WordSet("sell sells selling exit exits exiting")

// upWith are verbs of which "up" and "down" are a part.
var upWith = lexicon.WordSet("listen what's whats settle start starts started follow hurry cheer heads wake speak sign lock warm calm slow cool shut")

// otherwise are words for what is done where nothing else is.
var otherwise = lexicon.WordSet("otherwise else")

// when is why something is refused, "" where it is not.
func when(refused bool, why string) string {
	if refused {
		return why
	}
	return ""
}

// isWay reports whether a side is named by a word that is a way too, and not by "Up token".
func (h *holding) isWay(l *lexicon.Lexeme) bool { return directions[h.p.Word(l.To-1)] }

// strangeCoin refuses what may name a coin beside a length where none is named: a word that is not
// vocabulary before the length, "floki hourly", and one that says so itself, "shibacoin plan, 15m".
func (h *holding) strangeCoin(it *grammar.Item, end int32) {
	if it.Kind != "item.market" || !it.Meaning.Has(grammar.SlotLen) || said.SomeHas(h.reading.Items, grammar.SlotCoin) {
		return
	}
	from := it.From - 1
	if from >= 0 && joining[h.p.Word(from)] {
		from--
	}
	if from >= 0 && !h.held[from] && (h.before(from, "UNK") && h.p.IsWord(from) || strings.HasPrefix(h.p.Word(from), "crypto")) {
		h.no(from, end, "strangecoin")
	}
	for i := range int32(h.p.Tokens()) {
		if strings.HasSuffix(h.p.Word(i), "coin") && h.p.HasClass(i, i+1, "UNK") {
			h.no(i, i+1, "strangecoin")
		}
	}
}

// anyLength refuses a market of any length where none is named: "every market on btc".
func (h *holding) anyLength(it *grammar.Item, end int32) {
	if it.Kind != "item.market" || !it.Meaning.Has(grammar.SlotCoin) || said.SomeHas(h.reading.Items, grammar.SlotLen) {
		return
	}
	if everyMarket.MatchString(h.p.Text(max(it.From-3, 0), min(it.To+1, int32(h.p.Tokens())))) {
		h.no(it.From, end, "length")
	}
}

// everyMarket is a market of which no length is left out.
var everyMarket = lazy.Compile(`(?i)\b(?:(?:every|each|any|all) (?:markets?|rounds?) on|all \w+ (?:markets?|rounds?))\b`)

// joining are words between a coin and a length.
var joining = lexicon.WordSet("on in at 's")

// behind reports whether a lexeme of a class ends where token at begins.
func (r *reader) behind(at int32, class string) bool {
	for l, e := range r.p.Within(max(at-3, 0), at) {
		if e.Class == class && l.To == at {
			return true
		}
	}
	return false
}

// before reports whether the next token is of a class.
func (h *holding) before(at int32, class string) bool {
	return at >= 0 && h.p.HasClass(at, min(at+1, int32(h.p.Tokens())), class)
}

// namesTwo reports whether a lexeme names the other side too, where one is bought:
// "either side" in what is no exit, both sides as the name of a market that stands beside
// none, or a way behind "or" with other words in between or with what is said of a side
// behind: "or down only", "or up ask".
func (h *holding) namesTwo(n, of *grammar.Node, it *grammar.Item) bool {
	l := &h.p.Lexemes[n.Lexeme]
	one := h.strategy.Side() != strategy.Either
	switch n.Symbol {
	case "'or down'", "'or up'":
		return l.To-l.From > 2 || n.To > l.To || l.To < int32(h.p.Tokens()) && h.p.HasClass(l.To, l.To+1, "BE", "QTY", "CMP", "LCMP")
	case "OR":
		return one && of.Symbol == "twotok"
	case "ROUND":
		return one && l.To-l.From == 3 && h.p.Text(l.From+1, l.From+2) == "or" && !h.p.HasClass(max(l.From-1, 0), min(l.To+1, int32(h.p.Tokens())), "COIN")
	case "EITHER":
		joins := l.To-l.From == 1 && slices.ContainsFunc(of.Parts, func(k grammar.Node) bool { return k.Symbol == "OR" })
		return one && it.Kind != "item.exit" && !joins
	}
	return false
}

// notSold reports whether a sale is denied that takes place.
func (h *holding) notSold(l *lexicon.Lexeme, it *grammar.Item) bool {
	denied := false
	for o, e := range h.p.Within(max(l.From-3, 0), l.From) {
		denied = denied || e.Class == "NOT" && o.To == l.From
	}
	return h.strategy.Exit().Sells() && said.IsExit(it) && denied && (l.To == it.To || h.isBreak(l.To))
}

// lasts reports whether a time is the length of markets that are not the strategy's: "5m rounds",
// and "kept this: 5m ETH" where no other length is named.
func (h *holding) lasts(l *lexicon.Lexeme) bool {
	of := h.before(l.To, "ROUND") || h.before(l.To, "COIN") && !said.SomeHas(h.reading.Items, grammar.SlotLen)
	return of && string(h.strategy.Market().Type) != grammar.LengthName(l.Value.N/lexicon.Micro) && h.p.HasClass(l.From, l.To, "LEN")
}

// lexemes refuses the phrases of which nothing, or a part alone, is held.
func (h *holding) lexemes() {
	for i := range h.p.Lexemes {
		l := &h.p.Lexemes[i]
		if h.soldNothing(h.reading, l) {
			h.no(l.From, l.To, "novalue")
		}
		if h.unsubject(l) {
			h.no(l.From, l.To, "quantity")
		}
		inside := func(o *lexicon.Lexeme) bool { return o.From <= l.From && l.To <= o.To }
		if l.To-l.From == 1 || slices.ContainsFunc(h.whole, inside) {
			continue
		}
		within := func(it grammar.Item) bool { return it.From <= l.From && l.To <= it.To }
		denies := func(o *lexicon.Lexeme) bool {
			return l.From <= o.From && o.To <= l.To && slices.Contains([]string{"NOT", "AVOID", "UNLESS"}, lexicon.Entries()[o.Entry].Class)
		}
		avoids := lexicon.Entries()[l.Entry].Class == "AVOID" && !slices.ContainsFunc(h.whole, denies) && slices.ContainsFunc(h.reading.Items, within)
		if avoids || h.p.Marks(int32(i)) && !slices.Contains(h.held[l.From:l.To], true) {
			h.no(l.From, l.To, "unheld")
		}
	}
}

// unsubject reports whether a quantity of the book is no part of an item, and the next one with
// conditions, in the same clause, has a token of its own that they may be of: "best ask on sol
// down under 33c".
func (h *holding) unsubject(l *lexicon.Lexeme) bool {
	e := lexicon.Entries()[l.Entry]
	if e.Class != "QTY" || e.Name == "price" {
		return false
	}
	for i := range h.reading.Items {
		switch it := &h.reading.Items[i]; {
		case it.To <= l.From || it.Kind == "item.market" && it.From >= l.To:
		case it.From < l.To || h.p.HasClass(l.To, it.From, "COMMA", "STOP", "QUESTION", "SOFT"):
			return false
		default:
			return said.AnyCond(it, func(c *grammar.Cond) bool { return c.Qty == grammar.NoQuantity })
		}
	}
	return false
}

// item refuses a fade of no move, a waiver that runs into what stands beside it, and a side
// that is not bought.
func (h *holding) item(i int) {
	it := &h.reading.Items[i]
	side, end := h.strategy.Side(), h.p.WordsEnd(it.From, it.To)
	switch {
	case it.Kind == "item.fade" && !moved(h.reading.Items, side),
		it.Kind == "item.waive" && (i+1 < len(h.reading.Items) && h.reading.Items[i+1].From == it.To || i > 0 && h.reading.Items[i-1].To == it.From && h.before(it.From, "REFUSE")):
		h.no(it.From, end, "exclusion")
	}
	if h.holdsAndSells(i) {
		h.no(it.From, end, "nosale")
	}
	if h.endsTwice(it) {
		h.no(it.From, end, "twice")
	}
	h.strangeCoin(it, end)
	h.anyLength(it, end)
	spoken := max(it.Meaning.Get(grammar.SlotHint), it.Meaning.Get(grammar.SlotSoft))
	if !said.HasConds(it) && (spoken == grammar.SideUp && side != strategy.Up || spoken == grammar.SideDown && side != strategy.Down) {
		h.no(it.From, end, "both")
	}
}

// endsTwice reports whether an item has two ends of one time. In the words of a summary each
// is a condition of its own.
func (h *holding) endsTwice(it *grammar.Item) bool {
	ends := it.Meaning.Conds().Ends()
	return ends > 1 && strings.Count(h.p.Text(it.From, it.To), " passed") < ends
}

// holdsAndSells reports whether item i is "hold" alone, with a token and a sale straight
// behind it: "hold Down selling at most ten minutes".
func (h *holding) holdsAndSells(i int) bool {
	list := h.reading.Items[i:]
	return len(list) > 2 && said.IsExit(&list[0]) && h.before(list[0].From, "HOLD") && list[0].To == list[0].From+1 &&
		list[1].Kind == "item.head" && list[1].From == list[0].To && list[2].From == list[1].To && h.before(list[2].From, "SELL")
}

// ways are the symbols whose side is the way that a price moves.
var ways = lexicon.WordSet("dir slif sloff tp")

// directions are the names of sides that are ways too.
var directions = lexicon.WordSet("up down dn")

// soldNothing reports whether a word of selling is no part of an item or of commentary,
// and heads no sale, or is what an arrow leads to and commentary.
func (r *reader) soldNothing(reading *grammar.Reading, l *lexicon.Lexeme) bool {
	if lexicon.Entries()[l.Entry].Class != "SELL" || slices.ContainsFunc(r.p.Fillers, func(f lexicon.Filler) bool { return f.From <= l.From && l.To <= f.To }) {
		return false
	}
	for _, c := range reading.Commentary {
		if c[0] <= l.From && l.To <= c[1] {
			return l.From > 0 && r.p.HasClass(l.From-1, l.From, "ARROW") // "1h before end -> out"
		}
	}
	for i := range reading.Items {
		if it := &reading.Items[i]; it.To > l.From {
			return it.From >= l.To && !said.Sells(it) && !(said.IsExit(it) && r.p.Word(l.From) == "exit")
		}
	}
	return true
}

// moved reports whether there is a move away from a side, or a price of the other
// token that is not bounded from above: what is faded by buying it.
func moved(items []grammar.Item, side strategy.Side) bool {
	of := map[strategy.Side]int8{strategy.Up: grammar.SideUp, strategy.Down: grammar.SideDown}[side]
	return slices.ContainsFunc(items, func(it grammar.Item) bool {
		return said.AnyCond(&it, func(c *grammar.Cond) bool { return c.Away(of) })
	})
}

// itSold is a sale on what "it" does.
var itSold = words(`\b(?:when|if|once|after) it(?:'s| is| gets| goes| drops| falls| rises| climbs| hits| reaches| dips| trades| touches)\b`)

// stopsUp is a stop where something rises.
var stopsUp = words(`^(?:stop|sl|cut|bail)\b.* it(?: hits| rises| climbs| reaches| gets to)\b`)

// ofOtherIt lists the sales on what "it" does where the entry looks at the other token alone: "buy Up when Down is above
// 60c, sell when it drops below 40c". A target and a stop below are of what is held.
func (r *reader) ofOtherIt(reading *grammar.Reading, s strategy.Canonical) (list []Obstacle) {
	other := s.Side().Other()
	of := slices.ContainsFunc(s.Entry(), func(c strategy.Condition) bool { return c.Token == other })
	if s.Side() == strategy.Either || !of || slices.ContainsFunc(s.Entry(), func(c strategy.Condition) bool { return c.Token == s.Side().Held() }) {
		return nil
	}
	for i := range reading.Items {
		if it := &reading.Items[i]; said.Sells(it) && itSold.MatchString(r.text(it)) && (!r.hasClass(it, "TP", "SL") || stopsUp.MatchString(r.text(it))) {
			list = append(list, r.noItem(it, "whose"))
		}
	}
	return list
}
