package grammar

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

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

// rule is what the productions of a line do.
type rule struct {
	lhs   symbol
	steps []step
	cost  int32
	note  string // of an assumption that it makes
	skip  uint64 // slots that its actions read part by part
}

// Line is a line of a table: a rule with its place and its examples.
type Line struct {
	File     string
	Number   int
	Category string
	Text     string
	below    string // what stands below it in the file
}

// Examples returns what must be read as the category, with the rule taking part.
func (l *Line) Examples() []string {
	var out []string
	for line := range strings.Lines(l.below) {
		if line = strings.TrimSpace(line); isCode(line) {
			break
		}
		if example, ok := strings.CutPrefix(line, "= "); ok {
			out = append(out, strings.ReplaceAll(example, `\n`, "\n"))
		}
	}
	return out
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
	lines   []Line
	rules   []rule   // by line
	tree    []node   // of the productions: those that begin alike share nodes
	ends    []final  // the productions that are complete at nodes
	parts   []symbol // of the rule that is being read
	first   []int32  // by symbol: the node behind it at the beginning, 0 if there is none
	kind    []int8   // by symbol
	follow  map[[2]symbol]int32
	reasons []string
	why     map[string]int64 // index into the reasons
	words   wordTables
	senses  []atomic.Pointer[sense] // by entry of the lexicon, once it is asked for
}

const maxFinal = 16

// node is where productions that begin alike are behind their first parts; 0 stands for none.
type node struct {
	symbol                 symbol // that it is behind
	child, sibling, finals int32
}

// final is a production that is complete at a node, line*maxFinal + number of parts, with the next one.
type final struct{ production, next int32 }

// behind returns the node behind a symbol, 0 if there is none.
func (g *table) behind(at int32, s symbol) int32 {
	for at = g.tree[at].child; at > 0 && g.tree[at].symbol != s; {
		at = g.tree[at].sibling
	}
	return at
}

// sense is what a meaning of the lexicon is in the table.
type sense struct {
	symbols [2]symbol // of its class and its name, 0: no rule has it
	says    Meaning
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
		g.ids[name], g.names, g.first = s, append(g.names, name), append(g.first, 0)
	}
	return s
}

// load reads the tables. They are part of the program: it panics where they are wrong.
func load() *table {
	go lexicon.Entries() // takes longer than reading the rules, and is needed behind it
	g := &table{         // as many as there are: growing costs more than filling
		rules: make([]rule, 0, 9<<8), lines: make([]Line, 0, 9<<8), tree: make([]node, 1, 12<<10), ends: make([]final, 1, 7<<10),
		ids: make(map[string]symbol, 512), follow: map[[2]symbol]int32{}, why: make(map[string]int64, 256), reasons: []string{""},
		words: readWords(),
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
	g.bind()
	return g
}

// read adds the rules of one file.
func (g *table) read(file, text string) {
	l := Line{File: file}
	for text != "" {
		var line string
		line, text, _ = strings.Cut(text, "\n")
		l.Number++
		switch line = strings.TrimSpace(line); {
		case !isCode(line):
		case strings.HasPrefix(line, "%follow "):
			g.directive(line[len("%follow "):])
		default:
			code, _, _ := strings.Cut(line, " # ")
			if name, body, ok := strings.Cut(code, " -> "); ok {
				l.Category, l.Text = name, body
			} else {
				l.Text = strings.TrimPrefix(code, "| ")
			}
			l.below = text
			g.rule(l)
		}
	}
}

// isCode reports whether a line is a rule or a directive: no comment, and no example of the
// rule above it.
func isCode(line string) bool { return line != "" && line[0] != '#' && line[0] != '=' }

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
	r := rule{lhs: g.id(line.Category)}
	for w := range strings.FieldsSeq(tail) {
		g.tail(&r, w)
	}
	g.parts = g.partsOf(g.parts[:0], rhs)
	g.produce(g.parts, 0, 0)
	g.lines, g.rules = append(g.lines, line), append(g.rules, r)
}

// Symbols that stand for none, in the parts of a rule.
const (
	maybe     symbol = 0 // first among the symbols of a part that may be missing
	endOfPart symbol = -1
)

// partsOf reads a right-hand side: of each part the symbols that it may be, and its end.
// Names of lexemes are quoted.
func (g *table) partsOf(out []symbol, rhs string) []symbol {
	start := 0
	for rhs != "" {
		end := strings.IndexAny(rhs, " |?")
		if rhs[0] == '\'' {
			end = 2 + strings.IndexByte(rhs[1:], '\'')
		} else if end < 0 {
			end = len(rhs)
		}
		out = append(out, g.id(rhs[:end]))
		if rhs = rhs[end:]; rhs != "" && rhs[0] == '?' {
			out, rhs = slices.Insert(out, start, maybe), rhs[1:]
		}
		if rhs == "" || rhs[0] == ' ' {
			out = append(out, endOfPart)
			start = len(out)
		}
		rhs = strings.TrimLeft(rhs, " |")
	}
	return out
}

// produce adds the productions of the next line that go on from a node, behind n parts,
// with some of the rest: what stands first is varied last, and a production without a part
// stands before those with it.
func (g *table) produce(rest []symbol, at, n int32) {
	if len(rest) == 0 {
		known(n, 0 < n && n <= maxParts, "number of parts", fmt.Sprint(n))
		last := &g.tree[at].finals
		for *last > 0 {
			last = &g.ends[*last].next
		}
		*last = int32(len(g.ends))
		g.ends = append(g.ends, final{production: int32(len(g.lines))*maxFinal + n})
		return
	}
	end := slices.Index(rest, endOfPart)
	for _, s := range rest[:end] {
		if s == maybe {
			g.produce(rest[end+1:], at, n)
		} else {
			g.produce(rest[end+1:], g.child(at, s), n+1)
		}
	}
}

// child returns the node behind a symbol at a node, adding it when it is new.
func (g *table) child(at int32, s symbol) int32 {
	child := &g.first[s]
	if at > 0 {
		child = &g.tree[at].child
		for *child > 0 && g.tree[*child].symbol != s {
			child = &g.tree[*child].sibling
		}
	}
	if *child > 0 {
		return *child
	}
	*child = int32(len(g.tree))
	g.tree = append(g.tree, node{symbol: s})
	return int32(len(g.tree) - 1)
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
	switch s {
	case SlotWhy:
		i, ok := g.why[c]
		if !ok {
			i = int64(len(g.reasons))
			g.why[c], g.reasons = i, append(g.reasons, c)
		}
		return i
	case SlotCoin:
		if i := slices.IndexFunc(market.Coins(), func(k market.Coin) bool { return k.Ticker == c }); i >= 0 {
			return int64(i + 1)
		}
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

// bind numbers the reasons of the lexicon, whose meanings it makes when they are first
// asked for.
func (g *table) bind() {
	for _, e := range lexicon.Heads() {
		for _, s := range e.Slots {
			if slot := slotOf(s.Key); slot == SlotWhy {
				g.constant(slot, s.Value)
			}
		}
	}
	g.senses = make([]atomic.Pointer[sense], len(lexicon.Entries()))
}

// sense returns what a meaning of the lexicon is in the table.
func (g *table) sense(entry int32) *sense {
	if s := g.senses[entry].Load(); s != nil {
		return s
	}
	e := lexicon.Entries()[entry]
	s := &sense{flags: g.words.entryFlags(e), number: numberSlots[e.Class], symbols: [...]symbol{g.ids[e.Class], g.ids["'"+e.Name+"'"]}}
	for _, said := range e.Slots {
		slot := slotOf(said.Key)
		s.says.Set(slot, g.constant(slot, said.Value))
	}
	g.senses[entry].Store(s)
	return s
}
