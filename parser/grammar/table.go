package grammar

import (
	"cmp"
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
	next    lexicon.Trie // the automaton of the productions: those that begin alike share states
	after   [][]symbol   // by state: what it waits for
	finals  [][]int32    // by state: the productions that are complete there
	kind    []int8       // by symbol
	follow  map[[2]symbol]int32
	reasons []string
	senses  []sense // by entry of the lexicon
}

// sense is what a meaning of the lexicon is in the table.
type sense struct {
	symbols []symbol
	says    *Meaning // not to be written to
	flags   flags
	number  Slot // of an amount, 0: it is none
}

var theTable = sync.OnceValue(func() *table {
	g, err := load()
	if err != nil {
		panic(err)
	}
	return g
})

// Lines returns the rules as they are written, in the order of the files.
func Lines() []Line { return theTable().lines }

func (g *table) id(name string) symbol {
	if s, ok := g.ids[name]; ok {
		return s
	}
	s := symbol(len(g.names))
	g.ids[name] = s
	g.names = append(g.names, name)
	return s
}

func load() (*table, error) {
	go lexicon.Entries() // takes longer than reading the rules, and is needed behind it
	g := &table{
		rules: make([]rule, 0, 6<<10), lines: make([]Line, 0, 2<<10), // as many as there are: growing costs more than filling
		ids: make(map[string]symbol, 512), follow: map[[2]symbol]int32{}, reasons: []string{""},
	}
	g.id("#")
	paths, err := fs.Glob(files, "rules/*.txt")
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		text, err := files.ReadFile(path)
		if err == nil {
			err = g.read(strings.TrimSuffix(path[len("rules/"):], ".txt"), string(text))
		}
		if err != nil {
			return nil, err
		}
	}
	for _, name := range g.names {
		topic, _, _ := strings.Cut(name, ".")
		g.kind = append(g.kind, kinds[topic])
	}
	g.index()
	return g, g.bind()
}

// read adds the rules of one file.
func (g *table) read(file, text string) error {
	category := ""
	for n, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		mark, said, _ := strings.Cut(line, " ")
		code, _, _ := strings.Cut(line, " # ")
		name, body, isRule := strings.Cut(code, "->")
		var err error
		switch {
		case line == "" || line[0] == '#':
		case mark == "=": // an example of the rule above it
			last := &g.lines[len(g.lines)-1]
			last.Examples = append(last.Examples, strings.ReplaceAll(said, `\n`, "\n"))
		case mark == "~": // one that nobody wrote
			last := &g.lines[len(g.lines)-1]
			last.Made = append(last.Made, strings.ReplaceAll(said, `\n`, "\n"))
		case mark == "%follow":
			err = g.directive(strings.TrimPrefix(code, "%follow "))
		case mark == "|":
			err = g.rule(Line{File: file, Number: n + 1, Category: category, Text: strings.TrimSpace(code[1:])})
		case isRule:
			category = strings.TrimSpace(name)
			err = g.rule(Line{File: file, Number: n + 1, Category: category, Text: strings.TrimSpace(body)})
		default:
			err = fmt.Errorf("expected \"category -> …\" or \"| …\": %s", line)
		}
		if err != nil {
			return fmt.Errorf("rules/%s.txt:%d: %w", file, n+1, err)
		}
	}
	return nil
}

// directive reads "a … / b …: cost": items b straight behind items a.
func (g *table) directive(line string) error {
	head, value, _ := strings.Cut(line, ":")
	a, b, ok := strings.Cut(head, " / ")
	cost, err := strconv.Atoi(strings.TrimSpace(value))
	if !ok || err != nil {
		return fmt.Errorf("expected \"%%follow a … / b …: cost\", not %q", line)
	}
	for x := range strings.FieldsSeq(a) {
		for y := range strings.FieldsSeq(b) {
			g.follow[[2]symbol{g.id(x), g.id(y)}] = int32(cost)
		}
	}
	return nil
}

// rule adds the productions of one line.
func (g *table) rule(line Line) error {
	rhs, tail, _ := strings.Cut(line.Text, " : ")
	r := rule{lhs: g.id(line.Category), line: int32(len(g.lines))}
	g.lines = append(g.lines, line)
	for w := range strings.FieldsSeq(tail) {
		if err := g.tail(&r, w); err != nil {
			return err
		}
	}
	for _, rhs := range g.expand(splitSymbols(rhs)) {
		if len(rhs) == 0 || len(rhs) > maxParts {
			return fmt.Errorf("a production of %d symbols", len(rhs))
		}
		r.rhs = rhs
		g.rules = append(g.rules, r)
	}
	return nil
}

// tail reads one word behind the colon: $cost, !note, slot=constant,
// slot>slot, slot*number>slot, -slot, slot?constant|constant, slot!constant, or
// an action. slot? and slot! alone mean any value.
func (g *table) tail(r *rule, w string) (err error) {
	act, named := actions[w]
	at := strings.IndexAny(w, "$!-=>?")
	switch {
	case named:
		if r.steps = append(r.steps, step{kind: 'a', name: w, act: act}); act.parts {
			r.skip |= act.reads
		}
		return nil
	case at < 0:
		return known(false, "action", w)
	case w[0] == '$':
		c, err := strconv.Atoi(w[1:])
		r.cost = int32(c)
		return err
	case w[0] == '!':
		r.note = w[1:]
		return nil
	}
	k, v, s := w[:at], w[at+1:], step{kind: w[at], times: 1}
	if s.kind == '-' {
		k = v
	}
	k, factor, scaled := strings.Cut(k, "*")
	if scaled {
		s.times, err = strconv.ParseInt(factor, 10, 64)
	}
	var unknown error
	s.slot, unknown = slotOf(k)
	switch err = cmp.Or(err, unknown); {
	case err != nil, s.kind == '-':
	case s.kind == '>':
		s.to, err = slotOf(v)
	default:
		s.values, err = g.constants(s.slot, v)
	}
	r.steps = append(r.steps, s)
	return err
}

// constants reads constants with bars between them; none for an empty text.
func (g *table) constants(s Slot, list string) (out []int64, err error) {
	for c := range strings.FieldsFuncSeq(list, func(r rune) bool { return r == '|' }) {
		n, err := g.constant(s, c)
		if err != nil {
			return nil, err
		}
		out = append(out, n)
	}
	return out, nil
}

func known(ok bool, what, name string) error {
	if ok {
		return nil
	}
	return fmt.Errorf("unknown %s %q", what, name)
}

// constant reads a constant of a slot: a number, a name, a coin or a reason.
func (g *table) constant(s Slot, c string) (int64, error) {
	if n, err := strconv.ParseInt(c, 10, 64); err == nil {
		return n, nil
	}
	n, ok := constants[c]
	switch s {
	case SlotWhy:
		if n, ok = int64(slices.Index(g.reasons, c)), true; n < 0 {
			n = int64(len(g.reasons))
			g.reasons = append(g.reasons, c)
		}
	case SlotCoin:
		if i := slices.IndexFunc(market.Coins(), func(k market.Coin) bool { return k.Ticker == c }); i >= 0 {
			n, ok = int64(i+1), true
		}
	}
	return n, known(ok, "constant", c)
}

// Reason returns the name behind a value of SlotWhy.
func Reason(n int64) string { return theTable().reasons[n] }

// kinds are those of categories by the topic in their names.
var kinds = map[string]int8{"item": isItem, "joint": isJoint, "refuse": isRefused, "outside": isOutside}

// index makes the automaton of the productions.
func (g *table) index() {
	g.after, g.finals = make([][]symbol, 1, 10<<10), make([][]int32, 1, 10<<10)
	for ri := range g.rules {
		at := int32(0)
		for _, s := range g.rules[ri].rhs {
			next := g.next.Put(at, int32(s), int32(len(g.after)))
			if int(next) == len(g.after) {
				g.after, g.finals = append(g.after, nil), append(g.finals, nil)
				g.after[at] = append(g.after[at], s)
			}
			at = next
		}
		g.finals[at] = append(g.finals[at], int32(ri))
	}
}

// bind says what each meaning of the lexicon is in the table.
func (g *table) bind() (err error) {
	entries := lexicon.Entries()
	g.senses = make([]sense, len(entries))
	for i := range entries {
		e, is := &entries[i], &g.senses[i]
		is.flags, is.number = entryFlags(e), numberSlots[e.Class]
		for _, name := range [...]string{e.Class, "'" + e.Name + "'"} {
			if s, ok := g.ids[name]; ok {
				is.symbols = append(is.symbols, s)
			}
		}
		if i > 0 && slices.Equal(e.Slots, entries[i-1].Slots) { // of one line
			is.says = g.senses[i-1].says
		} else if is.says, err = g.says(e); err != nil {
			return fmt.Errorf("lexicon: %s %s: %w", e.Class, e.Name, err)
		}
	}
	return nil
}

// says returns what an entry says.
func (g *table) says(e *lexicon.Entry) (*Meaning, error) {
	m := new(Meaning)
	for _, s := range e.Slots {
		slot, unknown := slotOf(s.Key)
		n, err := g.constant(slot, s.Value)
		if err = cmp.Or(unknown, err); err != nil {
			return nil, err
		}
		m.Set(slot, n)
	}
	return m, nil
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
