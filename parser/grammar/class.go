package grammar

import (
	_ "embed"
	"maps"
	"strings"

	"github.com/ladderback/ladderback/parser/lexicon"
)

// flags say what a token may be part of.
type flags uint64

const (
	isPlain   flags = 1 << iota // a filler, a small word, an opinion
	isUnknown                   // not vocabulary
	isOdd                       // a sign without a reading
	isMeant                     // has a meaning
	isRule                      // makes a sentence a rule
	isWeak                      // makes a sentence a rule where a token is in it
	isNegated
	isToken
	isOpinion
	isBreaks
	isComma
	isCoin
	isMarket // part of an item on the market
	isJoiner // a word that joins or denies what stands in a list below it
	isOrder  // a comparator, an order word, a quantity: what rules are made of
	isKeyed  // a key that stands before a value, and the value
	isAmount // a number, a length of time, a market
	isMarker
	isBuy
	isCue
	isLink // a preposition
	isVague
	isMove
	isQuantity
	isRound
	isView
	isIdiom  // part of an opinion of several words
	isTold   // everyday words that make a sentence a rule, unless it is a story
	isTrade  // a word of rules that weak words are among
	isUnsaid // what the object cannot say
	isMinus  // a number with its sign
	isHere   // the word that is looked at
	isLaw    // not vocabulary, and like a word that rules turn on
	isBegin  // where a purchase or a market begins, for the second reading
	isPassed // what that one may pass over anywhere
	isHead   // before anything of a rule is said
	isMark   // names a coin, a length or a side, excludes or reverses: never passed over
)

// flagOf are the flags by their names in classes.txt and passes.txt, in their order;
// the last ones are for the tables alone: what people talk about, what comes again and
// again, weather, animals and moods, times and places.
var flagOf = func() map[string]flags {
	out := map[string]flags{}
	for i, name := range strings.Fields("plain unknown odd meant rule weak negated token opinion breaks comma coin market joiner order keyed amount marker buy cue link vague move quantity round view idiom told trade unsaid minus here law begin passed head mark talk habit mild everyday") {
		out[name] = 1 << i
	}
	return out
}()

//go:embed classes.txt
var classesText string

// wordTables are the tables of words.
type wordTables struct {
	sets    map[string]map[string]bool // the lists of classes.txt
	classes map[string]flags           // by the classes of the lexicon
	passes  map[string][]passLine      // the lines of passes.txt by their bounds, in its order
}

func readWords() wordTables {
	w := wordTables{map[string]map[string]bool{}, map[string]flags{}, map[string][]passLine{}}
	for name, words := range lexicon.Rows(classesText) {
		set := lexicon.WordSet(words)
		if of, ok := strings.CutPrefix(name, "of "); ok {
			for class := range set {
				for name := range strings.FieldsSeq(of) {
					w.classes[class] |= flagOf[name]
				}
			}
		} else if w.sets[name] == nil {
			w.sets[name] = set
		} else {
			maps.Copy(w.sets[name], set)
		}
	}
	w.readPasses(passesText)
	return w
}

// entryFlags says what the tokens of a meaning may be.
func (w *wordTables) entryFlags(e *lexicon.Entry) flags {
	f, ok := w.classes[e.Class]
	switch {
	case f&isUnsaid != 0 && w.sets["told"][e.Name]:
		f = isTold | isUnsaid | isMeant | flagOf[e.Name]
	case e.Class == "WORD" && w.sets["small words"][e.Name]:
		f = isPlain | isLink
	case e.Class == "WORD" && w.sets["rule words"][e.Name]:
		f = isRule | isMeant | isTrade
	case f&isUnsaid != 0 && e.Class != "OUTSIDE" && (len(e.Slots) == 0 || w.sets["opinion reasons"][e.Slots[0].Value]):
		f = isPlain | isOpinion | isUnsaid | f&isVague
	case !ok:
		f = isMeant
	}
	if w.sets["joiners"][e.Name] {
		f |= isJoiner
	}
	return f | w.markOf(e, f)
}

// markOf is the mark of what excludes or reverses, or names several coins.
func (w *wordTables) markOf(e *lexicon.Entry, f flags) flags {
	if f&isUnsaid != 0 && len(e.Slots) > 0 && w.sets["marking reasons"][e.Slots[0].Value] {
		return isMark
	}
	return 0
}

// flagsOf says what the tokens of a lexeme may be.
func (c *chart) flagsOf(e *lexicon.Lexeme) flags {
	f, word := c.g.sense(e.Entry).flags, c.x.Word(e.From)
	switch {
	case e.To > e.From+1 && f&isView != 0:
		f |= isIdiom
	case e.To > e.From+1 && (word != "a" || lexicon.Entries()[e.Entry].Class != "PER"):
	case f&isTrade != 0 && (c.g.words.sets["idle words"][word] || word == "a"): // a game
		f = isMeant | f&isJoiner
	case f&isTrade != 0 && c.g.words.sets["weak words"][word]:
		f = isWeak | isMeant | f&isJoiner
	case f&isUnknown != 0 && !c.x.IsWord(e.From):
		f |= isOdd
	}
	return f
}

// numberSlots are the slots of the amounts of lexemes, by their classes.
var numberSlots = map[string]Slot{
	"CENT": slotNum, "DEC": slotNum, "USDC": slotNum, "EDGE": slotNum, "PLUSNUM": slotNum, "MINUSNUM": slotNum, "MINUSEDGE": slotNum,
	"USD": slotUSD, "ZEROUSD": slotUSD, "INT": slotN, "REAL": slotN, "ZERO": slotN, "DUR": slotDur, "LEN": slotDur, "CLEN": slotDur,
	"FRAC": slotFr, "ORD": slotOrd, "TIMES": slotTimes, "DECADE": slotDecade,
}

// number says the amount of a lexeme in a slot; minus is whether its sign is part of
// it.
func (m *Meaning) number(slot Slot, v *lexicon.Value, minus bool) {
	switch m.Set(slot, v.N+int64(v.Num)*100+int64(v.Den)); { // an amount, or two parts
	case minus:
		m.Set(slotNeg, 1)
	case slot == slotDur && v.Unit != 0:
		m.Set(slotUnit, v.Unit)
	}
}
