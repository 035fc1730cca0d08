package rewrite

import (
	"strings"

	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/lexicon"
	"github.com/ladderback/ladderback/strategy"
)

// related are the reasons of phrases that say how other parts of the prompt go
// together: without them the rest means another thing. Those that bind are of what was
// read: without anything but a sentence that gives no value nothing is left.
var (
	related = lexicon.WordSet("sequence last anyof compare coins switch equal short multiple exittime partial breakeven days")
	binds   = lexicon.WordSet("exclusion headless both contradiction invalid unclear correction no_side two_tokens sellsif unheld twice nosale novalue fade fading moving quantity boundof")
)

// resting are the reasons of what is said of orders: it is left out where what is left rests.
var resting = lexicon.WordSet("orders limit resting execution")

// acting are those of what is done beside the entry and the exits, to a part or of some rounds
// alone, and of what numbers are: it is never left out.
var acting = lexicon.WordSet("reentry sized switch hedge merge partial stays days define told passing howmany length exclusion multiple")

// Classes of words by what leaving them out loses: nothing, where they end or begin a
// clause too, or only where they are said of a value that is not this market's. All
// others are never left out.
var (
	ends      = lexicon.WordSet("STOP QUESTION SOFT COLON NL ARROW")
	commas    = lexicon.WordSet("COMMA LP RP")
	joints    = lexicon.WordSet("IF UNLESS AND OR")
	nothing   = lexicon.WordSet("UNK WORD BE OPINION OUTSIDE REFUSE VAGUE MEAN FILL NAME IF UNLESS AND OR COMMA STOP QUESTION SOFT COLON NL")
	ofOutside = lexicon.WordSet("PCT DAYS CLOCK BADMONEY INT REAL ZERO CMP LCMP POST MOVE CROSS COIN PRON HIGHER PROFIT")
)

// talked are the classes of words that no rule begins or ends with.
var talked = lexicon.WordSet("UNK WORD BE PRON OPINION PERSON VAGUE REFUSE OUTSIDE AND FILL NAME MOVE ROUND MEAN PAY PER QUESTION STOP SOFT COLON COMMA")

// turning are words that what stands beside them turns on, that deny it, take it back or say whose
// it is, and some that were read as others; whence those that may say when or where.
var (
	turning = lexicon.WordSet(`hundred thousand million dozen halve halves halving remove removes earliest then must only should cancel pull withdraw post no !
		nobody others they rarely seldom hardly even away removed off failed average formerly old yesterday someday
		hate regret resist rather early far half total winning disabled optional fees actually instead same opposite backwards refer
		next asleep sleeping watch wait silly wrong cowards failed forgot used sometimes trial tail share lest another other valid abort void danger dangerous avoid pause kills noise warm limits veto exceptions
		forget drop latest loses avoids halting stopping freeze terminate shut blocked inactive disarmed cutoff idle retire thinner
		review resume ready reduce estimate estimated fair worth disable alarm locked deadline lost drawdown digits shop limit limits resting rests maker scratch scrap mind kidding his her their friend until merge merged losing lose dies expires expire lapses gone each first banned forbidden allowed`)
	whence = lexicon.WordSet("in on at during while when by until after before every each since with into from over under")
)

// numbers are the classes of numbers, measured those with a unit of their own.
var (
	numbers  = lexicon.WordSet("CENT DEC USDC USD INT REAL ZERO PLUSNUM MINUSNUM DUR LEN FRAC ORD")
	measured = lexicon.WordSet("CENT USDC USD DUR LEN")
)

// values are the classes of words of which a sentence without any gives no value, denies
// nothing and chooses nothing that the rest may not have.
var values = lexicon.WordSet(`CENT DEC USDC USD INT REAL ZERO PLUSNUM MINUSNUM DUR FRAC ORD TIMES DECADE EDGE MINUSEDGE ZEROUSD
	BADNUM PCT SHARES CLOCK BADMONEY TICKS DAYS ANYCOIN ANYLEN UNLESS TPO SLO`)

// spans are words that make a time of "first" and "last".
var spans = lexicon.WordSet("minute minutes min mins second seconds sec secs hour hours half third quarter")

// orders are the classes of words that say with a negation what is not done.
var orders = []string{"BUY", "SELL", "HOLD", "RIDE", "TP", "SL", "TRAIL", "TOK", "COIN", "ENTRYCUE"}

// endings are words of how a round ends, of which a negation says that it is sold before.
var endings = lexicon.WordSet("expire expires expiry expiration settle settles settlement")

// token is what is known of a token of the prompt.
type token struct {
	ruled        bool // part of the language of rules by its longest lexeme
	number, bare bool // of a number, of one without a unit
	stays        bool // no word that may be left out by itself
	end, comma   bool // between sentences, between clauses
	value        bool
	out          bool   // left out
	joint        string // the class of the joint that begins here, "" for none
	behind       int32  // where what stands behind that joint begins
}

// writer leaves words out of a prompt. Where they stood are spaces, so that what is left
// stands where it did.
type writer struct {
	prompt []rune
	p      *grammar.Parse
	n      int32
	tokens []token // one more than there are

	named      []lexicon.Lexeme                // by what is left out
	conditions bool                            // something may have been one
	rests      bool                            // something is left out that says that an order rests
	unsure     bool                            // something is left out that a strategy may not be able to say
	borne      []func(strategy.Canonical) bool // what is left has what is left out
}

func newWriter(prompt string, p *grammar.Parse) *writer {
	n := int32(p.Tokens())
	w := &writer{prompt: []rune(prompt), p: p, n: n, tokens: make([]token, n+1)}
	for i, ruled := range p.Beyond(talked) {
		w.tokens[i].ruled = ruled
	}
	for l, e := range p.Within(0, n) {
		w.know(l, e)
		for i := l.To; (e.Class == "BUY" || e.Class == "STAKE") && i < n && !p.Holds(i); i++ {
			w.tokens[i].stays = true
		}
	}
	for i := range n {
		w.settle(i)
	}
	return w
}

// settle notes of token i what its neighbours make of it.
func (w *writer) settle(i int32) {
	t := &w.tokens[i]
	coin := w.p.HasClass(i, i+1, "NAME") && w.p.HasClass(i+1, min(i+3, w.n), "LEN", "LENWORD") // "hype 15m"
	t.ruled, t.value = coin || t.ruled, coin || t.value
	t.value = t.value || i > 0 && spans[w.p.Word(i)] && w.p.HasClass(i-1, i, "FIRST", "LAST") // without it "in the first minute" has no time
	t.stays = w.p.Holds(i) || w.p.IsSpoken(i) && (t.stays || w.besideNumber(i))
}

// besideNumber reports whether a number stands behind token i, or one before it that is no
// length of markets.
func (w *writer) besideNumber(i int32) bool {
	return w.tokens[i+1].number || i > 0 && w.tokens[i-1].number && !w.p.HasClass(max(i-2, 0), i, "LEN")
}

// know notes what tokens are by a meaning of theirs.
func (w *writer) know(l *lexicon.Lexeme, e *lexicon.Entry) {
	t, one := &w.tokens[l.From], l.To == l.From+1
	t.end, t.comma, t.value = t.end || one && ends[e.Class], t.comma || one && commas[e.Class], t.value || values[e.Class]
	if joints[e.Class] && t.behind < l.To {
		t.joint, t.behind = e.Class, l.To
	}
	strange, number := e.Class == "LENWORD" && lengthOf(e) == "", numbers[e.Class]
	for i := l.From; i < l.To; i++ {
		k := &w.tokens[i]
		k.value = k.value || strange // without "week" of "week markets" others are traded
		k.number, k.bare = k.number || number, k.bare || number && !measured[e.Class]
	}
}

// some reports whether a token of [from, to) is so.
func (w *writer) some(from, to int32, is func(i int32, t *token) bool) bool {
	return w.p.Some(from, to, func(i int32) bool { return is(i, &w.tokens[i]) })
}

// leaves leaves out the least around an obstacle that holds nothing, and reports whether
// there is any; sentences of talk first or last.
func (w *writer) leaves(o *Obstacle, from, to int32, sentences bool) bool {
	switch {
	case o.Why == "strangecoin" || o.Why == "vaguecount" || w.some(from, to, w.labels) || w.ordered(o, from, to):
		return false
	case sentences && w.talk(o, from, to):
		return true
	case binds[o.Why]:
		return false
	}
	return w.words(o, from, to) || !related[o.Why] && (w.frame(o, from, to) || w.clause(o, from, to))
}

// labels reports whether token i is no word that is known, and a letter for what stands
// elsewhere, "if A or B", "a(Down)", or a number of what stands behind it: "fiddy bucks".
func (w *writer) labels(i int32, _ *token) bool {
	letter := len(w.p.Word(i)) == 1 && (w.p.HasClass(max(i-1, 0), min(i+2, w.n), "IF", "OR", "AND") || w.p.HasClass(i+1, min(i+2, w.n), "LP"))
	return w.p.HasClass(i, i+1, "UNK") && (letter || i+1 < w.n && units[w.p.Word(i+1)])
}

var units = lexicon.WordSet("bucks dollars usd cents minutes mins seconds secs")

// ordered notes an obstacle of what is said of orders, and reports whether it is how one
// rests, what is done beside the entry, or what something follows from: "post only".
func (w *writer) ordered(o *Obstacle, from, to int32) bool {
	w.rests = w.rests || resting[o.Why]
	lo, hi := w.around("clause", from, to)
	return acting[o.Why] || w.follows(to) || resting[o.Why] && (w.p.HasClass(lo, hi, "NOT", "AVOID") || w.some(lo, hi, func(i int32, t *token) bool { return t.value || w.turns(i, t) }))
}

// commands are words of a sentence that asks for something, or says who does it.
var commands = lexicon.WordSet(`must only should shall always never cancel pull withdraw post each every once twice then instead also please let use want would will
	i we i'll i'd i'm we'll let's do don't no not none off away removed disabled optional gone forbidden allowed dead banned void`)

// bears notes that what an obstacle speaks of has to be in what is left, which may not be all that is meant.
func (w *writer) bears(o *Obstacle) {
	if w.unsure = true; o.Bears != nil {
		w.borne = append(w.borne, o.Bears)
	}
}

// ruling are the classes of words that a rule turns on, and that no obstacle which is left out by itself has.
var ruling = []string{"NOT", "AVOID", "IF", "UNLESS", "OR", "OTHER", "EITHER", "COIN", "LEN", "TOK", "QTY", "CMP", "LCMP", "POST", "CROSS", "LEFT", "GONE", "FIRST", "LAST"}

// drops leaves out the words of an obstacle from a clause of a rule that does not turn on them: no word that is
// not known is left out beside a number, and what a strategy has of what they speak of has to be in what is left.
func (w *writer) drops(o *Obstacle, from, to int32) bool {
	turned := w.some(from, to, func(i int32, t *token) bool {
		return t.value || t.number || t.stays && w.p.HasClass(i, i+1, "UNK") || w.turns(i, t) || commands[w.p.Word(i)] || ofOrders[w.p.Word(i)]
	})
	if turned || !w.amid(from, to) || o.Outside || related[o.Why] || o.Why == "vaguecount" || w.p.HasClass(from, to, ruling...) {
		return false
	}
	w.bears(o)
	return w.names(from, to) && w.leave(from, to)
}

// amid reports whether words stand in a clause of a rule: one of its own may be a rule, and so may one that
// leads to a number, "absent a 10c drop".
func (w *writer) amid(from, to int32) bool {
	lo, hi := w.p.Widen(from, to, func(i int32) bool { return w.tokens[i].end || w.tokens[i].comma || w.p.Word(i) == "," })
	leads := to == from+1 && whence[w.p.Word(from)] || w.some(to, min(to+3, hi), func(_ int32, t *token) bool { return t.number })
	return !leads && (w.some(lo, from, ruled) || w.some(to, hi, ruled))
}

func ruled(_ int32, t *token) bool { return t.ruled && !t.out }

// follows reports whether an arrow says that something follows from what ends with to.
func (w *writer) follows(to int32) bool {
	_, to = w.around("sentence", to, to)
	return w.p.HasClass(to, min(to+1, w.n), "ARROW")
}

// at are the tokens of an obstacle that are not left out yet, but for signs around them.
func (w *writer) at(o *Obstacle) (from, to int32) {
	for from < w.n && int(w.p.Span(from, from+1).End) <= o.Start {
		from++
	}
	for to = from; to < w.n && int(w.p.Span(to, to+1).Start) < o.End; to++ {
	}
	lo, hi := w.trim(from, to, false)
	if lo == hi && w.some(from, to, func(_ int32, t *token) bool { return !t.out }) { // signs alone
		return from, to
	}
	return lo, hi
}

// trim takes signs off both ends of [from, to), and what is left out or what is not.
func (w *writer) trim(from, to int32, out bool) (int32, int32) {
	idle := func(i int32) bool { return !w.p.IsSpoken(i) || w.tokens[i].out != out }
	for from < to && idle(from) {
		from++
	}
	for to > from && idle(to-1) {
		to--
	}
	return from, to
}

// around is the sentence or the clause around [from, to).
func (w *writer) around(part string, from, to int32) (int32, int32) {
	return w.p.Widen(from, to, func(i int32) bool { return w.tokens[i].end || part == "clause" && w.tokens[i].comma })
}

// words leaves out words that are not understood.
func (w *writer) words(o *Obstacle, from, to int32) bool {
	lo, hi := w.around("clause", from, to)
	if first, _ := w.trim(lo, hi, false); first == from && w.some(to, min(to+2, hi), func(_ int32, t *token) bool { return t.number }) {
		return false // "zork after 5 minutes": to do what?
	}
	stays := w.some(from, to, func(_ int32, t *token) bool { return t.value || t.stays })
	return o.Unread && !stays && !w.joins(from, to) && w.leave(from, to)
}

// joins reports whether more turns on words, or they are joints alone.
func (w *writer) joins(from, to int32) bool {
	said := func(i int32, _ *token) bool { return !w.p.HasClass(i, i+1, "IF", "OR", "AND", "UNLESS") }
	return w.p.HasClass(from, to, "AVOID", "UNLESS") || w.some(from, to, w.turns) || !w.some(from, to, said)
}

// heads reports whether what stands around words is of them: what a key gives; where an arrow leads.
func (w *writer) heads(from, to int32) bool {
	return w.keys(from, to) || from > 0 && w.p.HasClass(from-1, from, "ARROW")
}

// keys reports whether words are a key: one that does not open the prompt, as its title may, or
// has a meaning.
func (w *writer) keys(from, to int32) bool {
	if !w.p.HasClass(to, min(to+1, w.n), "COLON", "EQ") || from > 0 && !w.tokens[from-1].end {
		return false
	}
	first, _ := w.trim(0, from, false)
	return first < from || w.p.HasClass(from, to, "MOVE", "CROSS", "PROFIT", "SELL", "TP", "SL", "TRAIL", "QTY", "IF", "NOT", "AVOID", "UNLESS")
}

// tells reports whether words give no value, deny nothing that is done, begin with none that takes an exit
// back ("forget the target"), and are none that more turns on.
func (w *writer) tells(from, to int32) bool {
	ended := w.some(from, to, func(i int32, _ *token) bool { return endings[w.p.Word(i)] })
	denied := w.p.HasClass(from, to, "NOT", "AVOID") && (ended || w.p.HasClass(from, to, orders...))
	told := w.p.HasClass(from, to, "IF") && w.p.HasClass(from, to, "SL", "TP", "SELL") && !w.p.HasClass(to, min(to+1, w.n), "QUESTION") // "if i get stopped, one more shot"
	back := w.p.HasClass(from, to, "SL", "TP", "TRAIL", "SELL") && w.some(from, min(from+2, to), w.turns)
	return !denied && !back && !told && !w.some(from, to, func(i int32, t *token) bool {
		return ofOrders[w.p.Word(i)] || t.value && !t.out
	})
}

// ofOrders are words of orders without which another one is left.
var ofOrders = lexicon.WordSet("post cancel cancels cancelled merge merged")

// denying are words that by themselves deny what stands before them.
var denying = lexicon.WordSet("no never nope nah not none or actually wait sorry hmm on second thought thoughts make that")

func (w *writer) turns(i int32, _ *token) bool { return turning[w.p.Word(i)] }

// talk leaves out the sentence around an obstacle that gives no value.
func (w *writer) talk(o *Obstacle, from, to int32) bool {
	from, to = w.around("sentence", from, to)
	if from == 0 && to == w.n || !w.tells(from, to) {
		return false
	}
	denies := !w.some(from, to, func(i int32, t *token) bool { return w.p.IsSpoken(i) && !denying[w.p.Word(i)] })
	if denies || w.p.HasClass(from, min(from+2, to), "MEAN") && w.p.HasClass(from, to, "TOK", "OTHER", "EITHER", "SELL") { // "actually buy Down"
		return false
	}
	w.unsure, w.conditions = true, w.conditions || o.Outside || w.p.HasClass(from, to, "IF")
	return w.names(from, to) && w.leave(from, to)
}

// leading are the classes of words that no frame of a rule has.
var leading = strings.Fields("NOT AVOID IF UNLESS OR QTY PER SL TP TRAIL SELL CMP LCMP POST LEFT GONE")

// frame leaves out what stands before the first word of a rule in the clause around an obstacle: "would
// you mind running Down under 36c".
func (w *writer) frame(o *Obstacle, from, to int32) bool {
	lo, end := w.around("clause", from, to)
	hi := to
	for hi < end && !w.tokens[hi].ruled {
		hi++
	}
	if hi == end || w.goesOn(lo, hi) || w.some(lo, from, ruled) {
		return false
	}
	w.conditions = w.conditions || o.Outside
	w.unsure = w.unsure || w.tokens[hi].number || w.some(lo, hi, func(i int32, _ *token) bool { return w.p.Holds(i) || whence[w.p.Word(i)] })
	return w.names(lo, hi) && w.leave(lo, hi)
}

// goesOn reports whether words say something that goes on with what stands behind them, or give a value:
// "zork after 5 minutes", "I distrust the first minute".
func (w *writer) goesOn(lo, hi int32) bool {
	next := &w.tokens[hi]
	of := next.number && whence[w.p.Word(max(hi-1, 0))] || w.p.HasClass(hi, min(hi+1, w.n), "FIRST", "LAST")
	return of || next.bare || w.p.HasClass(lo, hi, leading...) || w.some(lo, hi, func(i int32, t *token) bool { return t.value && !t.out || w.turns(i, t) })
}

// clause leaves out a clause, from its joint on, that holds nothing which a strategy can
// say.
func (w *writer) clause(o *Obstacle, from, to int32) bool {
	at, next, and := w.joined(from, to)
	joint := w.tokens[at].joint
	holds := w.p.Has(at, next, func(e *lexicon.Entry) bool { return !nothing[e.Class] && !(o.Outside && ofOutside[e.Class]) })
	if holds || w.some(at, next, w.turns) || joint == "OR" || and == "OR" || and == "AND" && joint == "" {
		return false
	}
	w.unsure, w.conditions = true, w.conditions || joint != "" || o.Outside
	w.names(at, next)
	if and == "AND" { // "when … and": the next is what it begins
		at, next = w.tokens[at].behind, w.tokens[next].behind
	}
	return w.leave(at, next)
}

// joined is the clause around [from, to) from one joint to the next, and which that is.
func (w *writer) joined(from, to int32) (at, next int32, and string) {
	at, next = w.around("clause", from, to)
	for i := at; i < next; i++ {
		switch t := &w.tokens[i]; {
		case t.joint == "":
		case i <= from:
			at = i
		case i >= to:
			return at, i, t.joint
		}
	}
	return at, next, ""
}

// names notes what words name that a strategy may have.
func (w *writer) names(from, to int32) bool {
	for i, l := range w.p.Lexemes {
		e := lexicon.Entries()[l.Entry]
		spoken := e.Class == "TOK" && l.From > 0 && w.p.HasClass(l.From-1, l.From, "UNK") && !w.p.Marks(int32(i)) // "tie up"
		if from <= l.From && l.To <= to && has[e.Class] != nil && !spoken {
			w.named = append(w.named, l)
		}
	}
	return true
}

// leave leaves words out, but for what heads others.
func (w *writer) leave(from, to int32) bool {
	if w.heads(from, to) {
		return false
	}
	if from > 0 && w.p.HasClass(from-1, from, "LP") && w.p.HasClass(to, min(to+1, w.n), "RP") {
		from, to = from-1, to+1
	}
	for i := from; i < to; i++ {
		w.tokens[i].out = true
	}
	return true
}
