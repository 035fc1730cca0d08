package grammar

import (
	_ "embed"
	"maps"
	"strings"

	"github.com/ladderback/ladderback/parser/lexicon"
)

// class groups the meanings of the lexicon by what the engine itself has to
// know of them.
type class uint8

const (
	classPlain class = iota
	classMeant       // says something, but makes no rule by itself
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
	classMove
	classQuantity
	classNegation
	classOrder
	classCoin
	classUnsayable
	classMarker // opens a condition
	classBuy
	classRound // a market
	classSettled
	classCue  // announces a rule
	classTold // not of this market, and an everyday word
)

// classNames are the classes by their names in classes.txt, in their order.
var classNames = strings.Fields("plain meant price signed minus usd number duration fraction ordinal times decade unknown break comma small opinion rule weak token move quantity negation order coin unsayable marker buy round settled cue told")

//go:embed classes.txt
var classesText string

// sets are the lists of classes.txt by name. They are constant in spirit, as is
// what is made of them.
var (
	sets        = readSets(classesText)
	weak        = sets["weak words"]
	idle        = sets["idle words"]
	joiners     = sets["joiners"]
	toldAs      = sets["told"]
	classByName = func() map[string]class {
		out := map[string]class{}
		for i, name := range classNames {
			for lexical := range sets[name] {
				out[lexical] = class(i)
			}
		}
		return out
	}()
)

func readSets(text string) map[string]map[string]bool {
	out := map[string]map[string]bool{}
	for line := range strings.Lines(text) {
		name, words, ok := strings.Cut(line, ": ")
		if !ok || line[0] == '#' {
			continue
		}
		if out[name] == nil {
			out[name] = map[string]bool{}
		}
		maps.Copy(out[name], wordSet(words))
	}
	return out
}

// wordSet is a set of words; _ stands for a space.
func wordSet(words string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		out[strings.ReplaceAll(w, "_", " ")] = true
	}
	return out
}

// weakWords are the classes that weak words may be of.
var weakWords = map[class]bool{classRule: true, classCue: true, classBuy: true, classMarker: true}

func classOf(e *lexicon.Entry) class {
	of, ok := classByName[e.Class]
	switch {
	case e.Class == "OUTSIDE" && toldAs[e.Name]:
		return classTold
	case e.Class == "WORD" && sets["small words"][e.Name]:
		return classSmall
	case e.Class == "WORD" && sets["rule words"][e.Name]:
		return classRule
	case of == classUnsayable && e.Class != "OUTSIDE" && (len(e.Slots) == 0 || sets["opinion reasons"][e.Slots[0].Value]):
		return classOpinion
	case !ok:
		return classMeant
	}
	return of
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
