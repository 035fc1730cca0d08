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

// table finds phrases and mends typing errors. What the phrases of the files are made of
// is read once; how they go on behind a token, and what they mean, is written out when a
// prompt first goes there.
type table struct {
	words    map[string]int32   // word → id
	cut      map[string][]int32 // the ids of the tokens of a word of a phrase, where it is no token itself
	language []bool             // by id: words of the language, of numbers and of coins
	heads    []Entry            // as the files have them, without the names of phrases
	wordings []wording          // in the order of the files; the first stands for none
	latest   []int32            // by the id of the token that phrases begin with: the last of its wordings
	stems    []struct {         // likewise
		begun sync.Once
		*stem
	}
	entries []*Entry         // nil: not written out
	byClass map[string]int32 // the first entry of a class without a name
	coins   map[string]int32 // by ticker
	named   map[string]int32 // names of coins, in lower case, that are other words too
	// mended maps what is left of a word of five letters and more when one
	// letter is taken out, and the word itself, to words.
	mended func() map[string][]string
	plain  func() map[string]bool // words that are not vocabulary misspelt
}

var theTable = sync.OnceValue(buildTable)

// Entries returns the meanings that lexemes have; [Lexeme.Entry] is an index into it. A
// meaning that no prompt has had so far may be nil. The caller must not change it.
func Entries() []*Entry { return theTable().entries }

// Heads returns what the lines of the files say that open meanings, in their order; those
// that name none are of many, each by the name of its phrase. The caller must not change it.
func Heads() []Entry { return theTable().heads }

func buildTable() *table {
	x := &table{
		words:    make(map[string]int32, 5<<10), // as many as there are: growing costs more than filling
		cut:      make(map[string][]int32, 512),
		byClass:  make(map[string]int32, 64),
		named:    make(map[string]int32, 16),
		coins:    make(map[string]int32, 64),
		entries:  make([]*Entry, 0, 64<<10),
		heads:    make([]Entry, 0, 1<<10),
		wordings: make([]wording, 1, 20<<10),
		latest:   make([]int32, 1, 5<<10),
		plain:    sync.OnceValue(func() map[string]bool { return WordSet(textOf("ordinary")) }),
	}
	x.ownClasses()
	for _, words := range numberWords {
		for w := range words {
			x.wordID(w)
		}
	}
	spoken := 0 // words so far
	for _, file := range [...]string{"signs", "language", "unsayable", "outside", "opinion", "fillers", "lists"} {
		if x.load(textOf(file)); file == "language" {
			spoken = len(x.latest)
		}
	}
	x.addCoins()
	x.stems, x.language = slices.Grow(x.stems, len(x.latest))[:len(x.latest)], make([]bool, len(x.latest))
	for id := 1; id < spoken; id++ {
		x.language[id] = true
	}
	x.language[x.words["false"]] = false // "fallse" is "falls" as well
	for _, c := range market.Coins() {
		for w := range strings.FieldsSeq(strings.ToLower(c.Ticker + " " + c.Name)) {
			x.language[x.words[w]] = x.words[w] > 0
		}
	}
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
	entry := int32(-1)
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch head, ok := strings.CutSuffix(line, ":"); {
		case line == "", strings.HasPrefix(line, "# "):
		case ok && line[0] >= 'A' && line[0] <= 'Z':
			e := readHead(head)
			if x.heads, entry = append(x.heads, e), -1; e.Name != "" {
				entry = x.entry(e)
			}
		default:
			for line != "" {
				var phrase string
				phrase, line, _ = strings.Cut(line, "|")
				if phrase = strings.TrimSpace(phrase); phrase != "" {
					x.add(phrase, entry)
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
			if x.isPhrase(name) {
				x.named[name] = x.entry(Entry{Class: "NAME", Name: c.Ticker, Slots: e.Slots})
				continue
			}
			x.add(name, x.coins[c.Ticker])
		}
		for _, quote := range [...]string{"usd", "usdt", "usdc", " usd", " usdt", "/usd", "/usdt"} {
			x.add(strings.ToLower(c.Ticker)+quote, x.coins[c.Ticker])
		}
	}
}

// wordID returns the id of a word, adding it when it is new.
func (x *table) wordID(w string) int32 {
	id, ok := x.words[w]
	if !ok {
		id = int32(len(x.latest))
		x.words[w], x.latest = id, append(x.latest, 0)
	}
	return id
}

// inLanguage reports whether a word is one of the language, of numbers or of coins.
func (x *table) inLanguage(w string) bool { return x.language[x.words[w]] }

// isPhrase reports whether a word is a phrase by itself.
func (x *table) isPhrase(word string) bool {
	for i := x.latest[x.words[word]]; i > 0; i = x.wordings[i].before {
		if group, rest := alternatives(x.wordings[i].text); rest == "" && group[x.wordings[i].first] == word {
			return true
		}
	}
	return false
}

// entry adds an entry and returns its index.
func (x *table) entry(e Entry) int32 {
	x.entries = append(x.entries, &e)
	return int32(len(x.entries) - 1)
}

// learn adds the tokens of the words of phrases that are new, and returns the id of the
// first token.
func (x *table) learn(words string) (first int32) {
	for i, j := 0, 0; i < len(words); i = j + 1 {
		letters := true // of a token
		for j = i; j < len(words) && words[j] != ' '; j++ {
			letters = letters && isLetterByte(words[j])
		}
		if id := x.learnWord(words[i:j], letters); i == 0 {
			first = id
		}
	}
	return first
}

func (x *table) learnWord(word string, letters bool) (first int32) {
	if letters || word[0] == '\'' { // a suffix, 's; one token
		return x.wordID(word)
	}
	ids, ok := x.cut[word]
	if !ok {
		for _, k := range scan(normalise(word)) {
			if k.text != "-" && k.text != "_" {
				ids = append(ids, x.wordID(k.text))
			}
		}
		x.cut[word] = ids
	}
	if len(ids) == 0 { // a dash
		return 0
	}
	return ids[0]
}
