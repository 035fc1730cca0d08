package roles

import (
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/lexicon"
)

// reach is how many words before and behind a number are looked at one by one.
const reach = 6

// borders are the classes of signs that words of a number do not go beyond.
var borders = lexicon.WordSet("COMMA STOP NL QUESTION SOFT")

// telling are the classes of words that rules are made of.
var telling = lexicon.WordSet(`SL TP SELL BUY QTY CMP LCMP POST FIRST LAST LEFT GONE STAKE IF NOT AVOID UNLESS TOK FAV EITHER HOLD RIDE TRAIL
	BUDGET SAMPLE PER ROUND CROSS PROFIT ENTRYREF MOVE OTHER OR AND ARROW COIN LENWORD`)

// text is a prompt as features are made of it.
type text struct {
	words   []string // by token: the word, or what it is where that tells more
	classes []string // by token: the first class of its longest lexeme
	ends    []bool
	at      []int // by token: the number that it is of, -1 for none
	numbers []Number
	prices  []int64 // by number: as a price, in 1e-6 of a dollar; 0: it is none
	kinds   []string
	items   []grammar.Item
	unread  [][2]int32
	sides   []int64         // by token: the side that it names, 0 for none
	conds   []*grammar.Cond // by number: the condition that the rules read it in; nil: none
	rules   []string        // by number: what the rules read it as where they read around what they do not know; "" for nothing
}

func newText(x *grammar.Parse) *text {
	n := x.Tokens()
	read := x.Partial()
	t := &text{
		words: make([]string, n), classes: make([]string, n), ends: make([]bool, n), at: make([]int, n), sides: make([]int64, n),
		numbers: Numbers(x), items: read.Items, unread: read.Unread,
	}
	longest := make([]int32, n)
	for l, e := range x.Within(0, int32(n)) {
		if e.Class == "TOK" && len(e.Slots) > 0 && sides[e.Slots[0].Value] != 0 {
			t.sides[l.From] = sides[e.Slots[0].Value]
		}
		for i := l.From; i < l.To; i++ {
			if l.To-l.From > longest[i] {
				longest[i], t.classes[i] = l.To-l.From, e.Class
			}
			t.ends[i] = t.ends[i] || borders[e.Class]
		}
	}
	for i := range n {
		t.at[i] = -1
		switch t.words[i] = x.Word(int32(i)); t.classes[i] {
		case "TOK", "COIN":
			t.words[i] = t.classes[i]
		}
	}
	for k, m := range t.numbers {
		kind, price := "", int64(0)
		for _, r := range m.Readings {
			kind += r.Class + " "
			price = max(price, priceOf(r.Class, &r.Value))
		}
		rules, cond := byRules(t.items, &m)
		t.prices, t.kinds, t.rules, t.conds = append(t.prices, price), append(t.kinds, kind), append(t.rules, rules), append(t.conds, cond)
		for i := m.From; i < m.To; i++ {
			t.at[i], t.words[i] = k, "#"+m.Readings[0].Class
		}
	}
	return t
}

// byRules is what the rules say that has a number.
func byRules(items []grammar.Item, n *Number) (string, *grammar.Cond) {
	is := func(v int64) bool {
		return slices.ContainsFunc(n.Readings, func(r Reading) bool {
			a := r.Value.N
			return v != 0 && (v == a || v == a/100 || v == -a || v == a*60)
		})
	}
	for i := range items {
		it := &items[i]
		if it.From > n.From || it.To < n.To {
			continue
		}
		for _, s := range it.Meaning.Slots() {
			if is(it.Meaning.Get(s)) {
				return "slot " + strconv.Itoa(int(s)), nil
			}
		}
		if e := it.Meaning.Conds(); e != nil {
			for c := range e.Walk() {
				switch {
				case is(c.Num):
					return "cond " + strconv.Itoa(int(c.Qty)) + " " + strconv.Itoa(int(c.Cmp)), c
				case is(c.Win):
					return "win " + strconv.Itoa(int(c.Qty)), nil
				}
			}
		}
		return it.Kind, nil
	}
	return "", nil
}

// priceOf is a number as a price in 1e-6 of a dollar, 0 where it is none.
func priceOf(class string, v *lexicon.Value) int64 {
	switch {
	case class == "CENT" || class == "DEC" || class == "USDC":
		return v.N
	case class == "INT" && v.N >= lexicon.Micro && v.N < 100*lexicon.Micro:
		return v.N / 100
	}
	return 0
}

// features are what is seen of a number: hashes of what stands around it, of what it is, and of the
// roles of those before it.
type features struct {
	t   *text
	out []uint32
}

func (f *features) add(parts ...string) {
	h := fnv.New32a()
	_, _ = h.Write([]byte(strings.Join(parts, "\x00"))) // never fails
	f.out = append(f.out, h.Sum32())
}

// word and class are those of a token, ^ beyond the prompt.
func (t *text) word(i int) string {
	if i < 0 || i >= len(t.words) {
		return "^"
	}
	return t.words[i]
}

func (t *text) class(i int) string {
	if i < 0 || i >= len(t.classes) {
		return "^"
	}
	return t.classes[i]
}

// of lists the features of number k, before it the numbers of the roles before.
func (t *text) of(k int, before []string) []uint32 {
	f := &features{t: t}
	n := t.numbers[k]
	from, to := int(n.From), int(n.To)
	f.add("is", t.kinds[k])
	f.add("rules", t.rules[k])
	f.add("rules", t.rules[k], t.word(from-1))
	for d := range reach {
		w, c := t.word(from-1-d), t.class(from-1-d)
		f.add("left word", string(rune('0'+d)), w)
		f.add("left class", string(rune('0'+d)), c)
		f.add("near", w)
		w, c = t.word(to+d), t.class(to+d)
		f.add("right word", string(rune('0'+d)), w)
		f.add("right class", string(rune('0'+d)), c)
	}
	for d := range 4 {
		f.add("two", string(rune('0'+d)), t.word(from-2-d), t.word(from-1-d))
		f.add("two classes", string(rune('0'+d)), t.class(from-2-d), t.class(from-1-d))
	}
	last := t.word(from - 1)
	f.add("three", t.word(from-3), t.word(from-2), last)
	f.add("both", last, t.word(to))
	f.add("both classes", t.class(from-1), t.class(to))
	f.add("two right", t.word(to), t.word(to+1))
	f.add("both and one", t.word(from-2), last, t.word(to))
	left := f.side("l", from-1, -1)
	right := f.side("r", to, 1)
	f.add("around", strings.Join(left[:min(2, len(left))], " "), strings.Join(right[:min(2, len(right))], " "))
	nearest := "-"
	if len(left) > 0 {
		nearest = left[0]
		f.add("farthest", left[len(left)-1])
	}
	f.add("nearest", nearest)
	f.add("left", strings.Join(left[:min(4, len(left))], " "))
	f.history(k, before, nearest, last)
	return f.out
}

// side looks at the words on one side, up to a border or another number, and returns the classes of
// those that rules are made of, the nearest first.
func (f *features) side(name string, i, step int) (told []string) {
	t := f.t
	for ; i >= 0 && i < len(t.words) && t.at[i] < 0 && !t.ends[i]; i += step {
		f.add(name+"w", t.words[i])
		f.add(name+"c", t.classes[i])
		if telling[t.classes[i]] {
			told = append(told, t.classes[i])
		}
	}
	f.add(name+"end", t.class(i))
	return told
}

// history is what the numbers before tell.
func (f *features) history(k int, before []string, nearest, last string) {
	one, two := "^", "^"
	if n := len(before); n > 0 {
		one = before[n-1]
		if n > 1 {
			two = before[n-2]
		}
	}
	f.add("one", one)
	f.add("one", one, nearest, last)
	f.add("two", two, one)
	for _, r := range before {
		f.add("has", r)
	}
	price, entry := f.t.prices[k], int64(0)
	for i, r := range before {
		if strings.HasPrefix(r, "price") || strings.HasPrefix(r, "best") {
			entry = max(f.t.prices[i], 0)
		}
	}
	if price == 0 {
		f.add("none")
		return
	}
	size := "small"
	if price > 150_000 {
		size = "mid"
	}
	f.add(size)
	if entry > 0 {
		rel := "lower"
		if price > entry {
			rel = "higher"
		}
		f.add("rel", rel)
		f.add("rel", rel, nearest)
		f.add("rel", rel, last)
	}
}
