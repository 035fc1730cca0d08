package lexicon

import (
	"embed"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/ladderback/ladderback/market"
)

//go:embed phrases/*.txt
var files embed.FS

// Entry is one meaning of a phrase.
type Entry struct {
	Class string // what it is for: CMP, MOVE, BUY, FILL, …
	Name  string // the phrase in the vocabulary's own spelling; "" for classes of numbers
	Slots []Slot // what it says, such as cmp=lte
}

// Slot is a part of a meaning in the words of the tables.
type Slot struct{ Key, Value string }

// Classes whose entries are made by the package itself: numbers and signs.
const (
	classUnknown = "UNK"
	classFill    = "FILL"
)

// table finds phrases and mends typing errors. It is built once and only read; the
// phrases that begin with a word are written out when a prompt first has that word.
type table struct {
	words   map[string]int32   // word → id
	ids     map[string][]int32 // the ids of the tokens of a word of a phrase
	stems   map[int32]*stem    // by the id of the token that phrases begin with
	entries []Entry
	byClass map[string]int32 // the first entry of a class without a name
	// mended maps what is left of a word of five letters and more when one
	// letter is taken out, and the word itself, to words.
	mended func() map[string][]string
	plain  map[string]bool // words that are not vocabulary misspelt
	// language holds the words of the language, of numbers and of coins.
	language map[string]bool
	coins    map[string]int32 // by ticker
	named    map[string]int32 // names of coins, in lower case, that are other words too
}

var theTable = sync.OnceValue(buildTable)

// Entries returns every meaning that a lexeme can have; [Lexeme.Entry] is an
// index into it. The caller must not change it.
func Entries() []Entry { return theTable().entries }

func buildTable() *table {
	x := &table{
		words:    make(map[string]int32, 4096),
		ids:      make(map[string][]int32, 4096),
		byClass:  make(map[string]int32, 128),
		language: make(map[string]bool, 4096),
		named:    make(map[string]int32, 16),
		coins:    make(map[string]int32, 64),
		stems:    make(map[int32]*stem, 4096),
		entries:  make([]Entry, 0, 48<<10),
		plain:    WordSet(textOf("ordinary")),
	}
	x.ownClasses()
	for _, words := range numberWords {
		for w := range words {
			x.wordID(w)
		}
	}
	for _, file := range [...]string{"signs", "language", "unsayable", "outside", "opinion", "fillers", "lists"} {
		if x.load(textOf(file)); file == "language" {
			for w := range x.words {
				x.language[w] = true
			}
			delete(x.language, "false") // "fallse" is "falls" as well
		}
	}
	x.addCoins()
	// Many prompts have no error.
	x.mended = sync.OnceValue(func() map[string][]string { return misspelt(slices.Sorted(maps.Keys(x.words))) })
	return x
}

// textOf is a file of phrases.
func textOf(file string) string {
	text, err := files.ReadFile("phrases/" + file + ".txt")
	if err != nil {
		panic(err)
	}
	return string(text)
}

// ownClasses makes the entries of numbers, and of signs by their neighbours.
func (x *table) ownClasses() {
	for class := range strings.FieldsSeq(`UNK FILL BADNUM EDGE MINUSEDGE ZEROUSD CENT USD USDC FRAC DECADE DUR LEN CLEN PLUSNUM MINUSNUM ZERO DEC INT REAL ORD PCT TIMES
		SHARES CLOCK BADMONEY TICKS DAYS T- STOP SOFT MINUS NL NLI DOT`) {
		x.byClass[class] = x.entry(Entry{Class: class})
	}
	for _, name := range [...]string{"minute", "second", "hour"} {
		x.byClass["'"+name+"'"] = x.entry(Entry{"WORD", name, nil})
	}
	x.byClass["||"], x.byClass[".."] = x.entry(Entry{"OR", "or", nil}), x.entry(Entry{"WORD", "to", nil})
	x.byClass["POSTPLUS"] = x.entry(Entry{"POST", "or more", []Slot{{"cmp", "gte"}}})
}

// load reads one file: a line "CLASS key=value 'name':" and the phrases of that
// meaning behind it, divided by bars, over any number of lines.
func (x *table) load(text string) {
	var e Entry
	entry := int32(-1)
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch head, ok := strings.CutSuffix(line, ":"); {
		case line == "", strings.HasPrefix(line, "# "):
		case ok && line[0] >= 'A' && line[0] <= 'Z':
			if e, entry = readHead(head), -1; e.Name != "" {
				entry = x.entry(e)
			}
		default:
			for phrase := range strings.SplitSeq(line, "|") {
				if phrase = strings.TrimSpace(phrase); phrase != "" {
					x.add(phrase, e, entry)
				}
			}
		}
	}
}

// readHead reads "CMP cmp=lte 'at most'".
func readHead(head string) Entry {
	head, name, _ := strings.Cut(head, "'")
	words := strings.Fields(head)
	e := Entry{Class: words[0], Name: strings.TrimSuffix(name, "'")}
	for _, w := range words[1:] {
		k, v, _ := strings.Cut(w, "=")
		e.Slots = append(e.Slots, Slot{k, v})
	}
	return e
}

func (x *table) addCoins() {
	for _, c := range market.Coins() {
		e := Entry{Class: "COIN", Name: c.Ticker, Slots: []Slot{{"coin", c.Ticker}}}
		x.coins[c.Ticker] = x.entry(e)
		for _, name := range [...]string{c.Ticker, c.Name} {
			name = strings.ToLower(name)
			maps.Copy(x.language, WordSet(name))
			if s := x.stems[x.words[name]]; s != nil && slices.ContainsFunc(s.wordings, func(w wording) bool { return len(w.groups) == 1 && w.groups[0][0] == name }) {
				x.named[name] = x.entry(Entry{Class: "NAME", Name: c.Ticker, Slots: e.Slots})
				continue
			}
			x.add(name, e, x.coins[c.Ticker])
		}
	}
}

// wordID returns the id of a word, adding it when it is new.
func (x *table) wordID(w string) int32 {
	if x.words[w] == 0 {
		x.words[w] = int32(len(x.words) + 1)
	}
	return x.words[w]
}

// entry adds an entry and returns its index.
func (x *table) entry(e Entry) int32 {
	x.entries = append(x.entries, e)
	return int32(len(x.entries) - 1)
}

// tokensOf returns the ids of the tokens of a word of a phrase.
func (x *table) tokensOf(word string) []int32 {
	if word[0] == '\'' || strings.Trim(word, "abcdefghijklmnopqrstuvwxyz") == "" { // a suffix, 's; one token
		return []int32{x.wordID(word)}
	}
	var ids []int32
	for _, k := range scan(normalise(word)) {
		if k.text != "-" && k.text != "_" {
			ids = append(ids, x.wordID(k.text))
		}
	}
	return ids
}
