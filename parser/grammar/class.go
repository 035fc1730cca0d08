package grammar

import (
	"strings"

	"github.com/ladderback/ladderback/parser/lexicon"
)

// class groups the meanings of the lexicon by what the engine itself has to
// know of them.
type class uint8

const (
	classPlain class = iota
	classPrice
	classSigned
	classMinus
	classUSD
	classNumber
	classDuration
	classFraction
	classOrdinal
	classTimes
	classDecade
	classUnknown
	classBreak   // ends a sentence or a lead-in
	classComma   // divides within a sentence
	classSmall   // a word that says nothing by itself
	classOpinion // says nothing in commentary
	classRule    // a word that makes a sentence a rule
	classWeak    // a word that makes a sentence a rule where a token is in it
	classToken
	classMeant // says something, but makes no rule by itself
	classNegation
	classOrder
	classCoin
	classUnsayable
	classMarker // opens a condition
	classBuy
	classRound // a market
	classSettled
	classCue // announces a rule
)

var classByName = map[string]class{
	"CENT": classPrice, "DEC": classPrice, "USDC": classPrice, "PLUSNUM": classSigned, "MINUSNUM": classMinus, "USD": classUSD, "ZEROUSD": classUSD, "EDGE": classPrice, "MINUSEDGE": classMinus,
	"INT": classNumber, "REAL": classNumber, "ZERO": classNumber, "DUR": classDuration, "LEN": classDuration, "CLEN": classDuration,
	"FRAC": classFraction, "ORD": classOrdinal, "TIMES": classTimes, "DECADE": classDecade, "UNK": classUnknown,
	"STOP": classBreak, "QUESTION": classBreak, "SOFT": classBreak, "ARROW": classBreak, "COLON": classBreak,
	"FIRST": classOrder, "LAST": classOrder, "LEFT": classOrder, "GONE": classOrder, "CMP": classOrder, "LCMP": classOrder, "POST": classOrder,
	"CROSS": classOrder, "MOVE": classMeant, "LENWORD": classCoin,
	"COMMA": classComma, "LP": classComma, "RP": classComma,
	"BE": classSmall, "AND": classSmall, "PRON": classSmall, "OPINION": classOpinion, "PERSON": classOpinion,
	"BADNUM": classRule, "PCT": classRule, "SHARES": classRule, "CLOCK": classRule, "BADMONEY": classRule, "TICKS": classRule, "DAYS": classRule,
	"SELL": classRule, "TP": classRule, "SL": classRule, "TRAIL": classRule, "HOLD": classRule, "RIDE": classRule,
	"CANBUY": classWeak, "CANSELL": classRule, "ENTRYCUE": classCue, "ENTRYREF": classRule, "STAKE": classRule, "BUDGET": classRule, "SAMPLE": classCue,
	"IF": classMarker, "UNLESS": classMarker, "ROUND": classRound, "END": classSettled, "AVOID": classRule, "NOT": classNegation, "COIN": classCoin, "ANYCOIN": classCoin, "ANYLEN": classCoin, "PER": classRule, "MEAN": classRule, "ANYOF": classRule,
	"OUTSIDE": classUnsayable, "T-": classRule, "SIGN": classRule,
	"BUY": classBuy, "PAY": classRule, "TOK": classToken, "FAV": classToken, "OTHER": classToken, "HIGHER": classToken, "EITHER": classToken,
}

// smallWords say nothing by themselves.
var smallWords = map[string]bool{"to": true, "in": true, "on": true, "of": true, "for": true, "with": true, "by": true, "as": true, "into": true, "at": true, "from": true, "than": true, "one": true, "more": true, "between": true, "back": true, "out of": true, "off": true, "per": true, "since": true}

// markers are words by name that make a sentence a rule.
var markers = map[string]bool{"false": true, "until": true, "after": true, "before": true, "no": true, "without": true, "nor": true, "t-": true}

// joiners are words by name that join what stands in a list below them.
var joiners = map[string]bool{"or": true, "any": true, "either": true, "avoid": true, "unless": true}

func entryName(entry int32) string { return lexicon.Entries()[entry].Name }

// weak are words of buying, selling, holding and sizing that have other uses in
// a sentence without a number.
var weak = wordSet(`pay pays paid paying take takes taking get gets getting go goes going back long own pick picks touch send fire lift lifts collect trade trades trading load give gives gave giving carries carried carrying rides riding sits sitting sticks sticking bites
	out leave leaves close closes flat keep keeps stay stays carry ride goal aim aims target hope cut stop stops fold bail
	sorry oops each every risk put puts use money cash size bet bets test tests tested testing history sample samples setup condition trigger entry place spend
	bank banking make makes earn position own lock exits runs stick slap lay commit throw toss plunk chuck should given where rules filter filters require requires required requirements`)

func wordSet(words string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		out[w] = true
	}
	return out
}

// idle are weak words that make no rule beside a token either.
var idle = wordSet("money cash history goal hope position condition given should where runs")

// weakWords are the classes that weak words may be of.
var weakWords = map[class]bool{classRule: true, classCue: true, classBuy: true, classMarker: true}

// opinions are the reasons of what is unsayable in a rule and says nothing in
// commentary.
var opinions = wordSet("average fade story search compare ticks equal last high vague vagueprice vaguespread vaguedepth vaguetime vagueamount")

func classOf(e *lexicon.Entry) class {
	name, word := e.Class, e.Name
	if name == "REFUSE" || name == "VAGUE" {
		if len(e.Slots) == 0 || opinions[e.Slots[0].Value] {
			return classOpinion
		}
		return classUnsayable
	}
	if name == "WORD" {
		switch {
		case smallWords[word]:
			return classSmall
		case markers[word]:
			return classRule
		}
		return classMeant
	}
	if c, ok := classByName[name]; ok {
		return c
	}
	return classMeant
}

// amounts are the slots of the amounts of lexemes, by their classes.
var amounts = map[class]Slot{
	classPrice: slotNum, classSigned: slotNum, classMinus: slotNum, classUSD: slotUSD, classNumber: slotN, classDuration: slotDur,
	classFraction: slotFr, classOrdinal: slotOrd, classTimes: slotTimes, classDecade: slotDecade,
}

// number says the amount of a lexeme.
func (m *Meaning) number(c class, v *lexicon.Value) {
	slot, ok := amounts[c]
	if !ok {
		return
	}
	m.Set(slot, v.N)
	switch {
	case c == classMinus:
		m.Set(slotNeg, 1)
	case c == classFraction:
		m.Set(slot, int64(v.Num)*100+int64(v.Den))
	case c == classDecade:
		m.Set(slot, int64(v.Num)*10+int64(v.Den))
	case c == classDuration && v.Unit != 0:
		m.Set(slotUnit, v.Unit)
	}
}
