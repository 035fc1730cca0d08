package grammar

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/parser/lexicon"
)

//go:embed rules
var files embed.FS

// symbol is a class of lexemes, a lexeme by name or a category.
type symbol = int16

// step is one word of a rule's tail.
type step struct {
	kind   byte // '=' set, '>' rename, '-' drop, '?' require, '!' forbid, 'a' action
	slot   Slot
	to     Slot
	times  int64 // of a renamed slot: what it is multiplied by
	values []int64
	name   string
	act    action
}

// rule is one production, written out: no options, no alternatives.
type rule struct {
	lhs   symbol
	rhs   []symbol
	steps []step
	cost  int32
	note  string // of an assumption that it makes
	line  int32  // index into Table.lines
	skip  uint64 // slots that its actions read part by part
}

// Line is a line of a table: a rule with its place and its examples.
type Line struct {
	File     string
	Number   int
	Category string
	Text     string
	Examples []string // must be read as the category, with the rule taking part
	Made     []string // likewise, composed by a program
}

// kinds of categories that a prompt is covered by.
const (
	notItem int8 = iota
	isItem
	isJoint
	isRefused // what the object cannot say
	isOutside // values that are not this market's
)

// table is the language in the form that the engine reads.
type table struct {
	names   []string
	ids     map[string]symbol
	rules   []rule
	lines   []Line
	states  []state // the automaton of the productions: those that begin alike share states
	first   []int32 // by symbol: the state behind it at the beginning, 0 if there is none
	kind    []int8  // by symbol
	follow  map[[2]symbol]int32
	reasons []string
	senses  []sense // by entry of the lexicon
}

// state is where productions that begin alike are behind their first parts.
type state struct {
	arcs   []int64 // symbols that it waits for, each with the state behind it: symbol<<32 | state
	finals []int32 // the productions that are complete there
}

// behind returns the state behind a symbol, 0 if there is none.
func (g *table) behind(at int32, s symbol) int32 {
	for _, arc := range g.states[at].arcs {
		if symbol(arc>>32) == s {
			return int32(arc)
		}
	}
	return 0
}

// sense is what a meaning of the lexicon is in the table.
type sense struct {
	symbols [2]symbol // of its class and its name, 0: no rule has it
	says    *Meaning  // not to be written to
	flags   flags
	number  Slot // of an amount, 0: it is none
}

var theTable = sync.OnceValue(load)

// Lines returns the rules as they are written, in the order of the files.
func Lines() []Line { return theTable().lines }

func (g *table) id(name string) symbol {
	s, ok := g.ids[name]
	if !ok {
		s = symbol(len(g.names))
		g.ids[name], g.names = s, append(g.names, name)
	}
	return s
}

// load reads the tables. They are part of the program: it panics where they are wrong.
func load() *table {
	go lexicon.Entries() // takes longer than reading the rules, and is needed behind it
	g := &table{
		rules: make([]rule, 0, 7<<10), lines: make([]Line, 0, 9<<8), // as many as there are: growing costs more than filling
		ids: make(map[string]symbol, 512), follow: map[[2]symbol]int32{}, reasons: []string{""},
	}
	g.id("#")
	paths, _ := fs.Glob(files, "rules/*.txt")
	for _, path := range paths {
		text, _ := files.ReadFile(path)
		g.read(strings.TrimSuffix(path[len("rules/"):], ".txt"), string(text))
	}
	for _, name := range g.names {
		topic, _, _ := strings.Cut(name, ".")
		g.kind = append(g.kind, kinds[topic])
	}
	g.index()
	g.bind()
	return g
}

// read adds the rules of one file.
func (g *table) read(file, text string) {
	l := Line{File: file}
	for n, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		mark, said, _ := strings.Cut(line, " ")
		code, _, _ := strings.Cut(line, " # ")
		name, body, isRule := strings.Cut(code, " -> ")
		switch {
		case line == "" || line[0] == '#':
		case mark == "=", mark == "~": // an example of the rule above it; one that nobody wrote
			list := &g.lines[len(g.lines)-1].Examples
			if mark == "~" {
				list = &g.lines[len(g.lines)-1].Made
			}
			*list = append(*list, strings.ReplaceAll(said, `\n`, "\n"))
		case mark == "%follow":
			g.directive(strings.TrimPrefix(code, "%follow "))
		default:
			if l.Number, l.Text = n+1, strings.TrimPrefix(code, "| "); isRule {
				l.Category, l.Text = name, body
			}
			g.rule(l)
		}
	}
}

// directive reads "a … / b …: cost": items b straight behind items a.
func (g *table) directive(line string) {
	head, cost, _ := strings.Cut(line, ":")
	a, b, _ := strings.Cut(head, " / ")
	for x := range strings.FieldsSeq(a) {
		for y := range strings.FieldsSeq(b) {
			g.follow[[2]symbol{g.id(x), g.id(y)}] = int32(number(strings.TrimSpace(cost)))
		}
	}
}

// number reads a whole number.
func number(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	return known(n, err == nil, "number", s)
}

// known is v, unless the tables name it wrongly.
func known[T any](v T, ok bool, what, name string) T {
	if !ok {
		panic(fmt.Sprintf("unknown %s %q", what, name))
	}
	return v
}

// rule adds the productions of one line.
func (g *table) rule(line Line) {
	defer func() {
		if err := recover(); err != nil {
			panic(fmt.Sprintf("rules/%s.txt:%d: %v", line.File, line.Number, err))
		}
	}()
	rhs, tail, _ := strings.Cut(line.Text, " : ")
	r := rule{lhs: g.id(line.Category), line: int32(len(g.lines))}
	g.lines = append(g.lines, line)
	for w := range strings.FieldsSeq(tail) {
		g.tail(&r, w)
	}
	for _, r.rhs = range g.expand(splitSymbols(rhs)) {
		known(0, len(r.rhs) > 0 && len(r.rhs) <= maxParts, "number of parts in", rhs)
		g.rules = append(g.rules, r)
	}
}

// tail reads one word behind the colon: $cost, !note, slot=constant,
// slot>slot, slot*number>slot, -slot, slot?constant|constant, slot!constant, or
// an action. slot? and slot! alone mean any value.
func (g *table) tail(r *rule, w string) {
	if act, named := actions[w]; named {
		if r.steps = append(r.steps, step{kind: 'a', name: w, act: act}); act.parts {
			r.skip |= act.reads
		}
		return
	}
	at := known(max(strings.IndexAny(w, "$!-=>?"), 0), strings.ContainsAny(w, "$!-=>?"), "action", w)
	k, v, s := w[:at], w[at+1:], step{kind: w[at], times: 1}
	switch {
	case s.kind == '$':
		r.cost = int32(number(v))
		return
	case s.kind == '!' && k == "":
		r.note = v
		return
	case s.kind == '-':
		k = v
	case s.kind == '>':
		s.to = slotOf(v)
	}
	k, factor, scaled := strings.Cut(k, "*")
	if s.slot = slotOf(k); scaled {
		s.times = number(factor)
	}
	if s.kind == '=' || s.kind == '?' || s.kind == '!' {
		for c := range strings.FieldsFuncSeq(v, func(r rune) bool { return r == '|' }) {
			s.values = append(s.values, g.constant(s.slot, c))
		}
	}
	r.steps = append(r.steps, s)
}

// constant reads a constant of a slot: a number, a name, a coin or a reason.
func (g *table) constant(s Slot, c string) int64 {
	if s == SlotWhy {
		i := slices.Index(g.reasons, c)
		if i < 0 {
			i = len(g.reasons)
			g.reasons = append(g.reasons, c)
		}
		return int64(i)
	}
	if i := slices.IndexFunc(market.Coins(), func(k market.Coin) bool { return k.Ticker == c }); s == SlotCoin && i >= 0 {
		return int64(i + 1)
	}
	n, ok := constants[c]
	if !ok {
		n = number(c)
	}
	return n
}

// Reason returns the name behind a value of SlotWhy.
func Reason(n int64) string { return theTable().reasons[n] }

// kinds are those of categories by the topic in their names.
var kinds = map[string]int8{"item": isItem, "joint": isJoint, "refuse": isRefused, "outside": isOutside}

// index makes the automaton of the productions.
func (g *table) index() {
	g.states = make([]state, 1, 12<<10)
	for ri := range g.rules {
		at := int32(0)
		for _, symbol := range g.rules[ri].rhs {
			next := g.behind(at, symbol)
			if next == 0 {
				next = int32(len(g.states))
				g.states[at].arcs = append(g.states[at].arcs, int64(symbol)<<32|int64(next))
				g.states = append(g.states, state{})
			}
			at = next
		}
		g.states[at].finals = append(g.states[at].finals, int32(ri))
	}
	g.first = make([]int32, len(g.names))
	for _, arc := range g.states[0].arcs {
		g.first[arc>>32] = int32(arc)
	}
}

// bind says what each meaning of the lexicon is in the table.
func (g *table) bind() {
	entries := lexicon.Entries()
	g.senses = make([]sense, len(entries))
	for i := range entries {
		e, is := &entries[i], &g.senses[i]
		is.flags, is.number = entryFlags(e), numberSlots[e.Class]
		is.symbols = [...]symbol{g.ids[e.Class], g.ids["'"+e.Name+"'"]}
		if i > 0 && slices.Equal(e.Slots, entries[i-1].Slots) { // of one line
			is.says = g.senses[i-1].says
			continue
		}
		is.says = new(Meaning)
		for _, s := range e.Slots {
			slot := slotOf(s.Key)
			is.says.Set(slot, g.constant(slot, s.Value))
		}
	}
}

// splitSymbols splits a right-hand side; names of lexemes may hold spaces.
func splitSymbols(s string) []string {
	quoted := false
	return strings.FieldsFunc(s, func(r rune) bool {
		quoted = quoted != (r == '\'')
		return r == ' ' && !quoted
	})
}

// expand writes out options and alternatives: what stands first is varied last, and a
// production without an option stands before those with it.
func (g *table) expand(symbols []string) [][]symbol {
	out := [][]symbol{nil}
	for _, s := range symbols {
		s, optional := strings.CutSuffix(s, "?")
		heads := out
		out = make([][]symbol, 0, 4*len(heads))
		for _, head := range heads {
			if optional {
				out = append(out, head)
			}
			for name := range strings.SplitSeq(s, "|") {
				out = append(out, append(head[:len(head):len(head)], g.id(name)))
			}
		}
	}
	return out
}
