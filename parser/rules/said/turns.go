package said

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/lazy"
	"github.com/ladderback/ladderback/parser/lexicon"
)

//go:embed turns.txt
var turnsText string

// turn are words that make an item other than it is read as.
type turn struct {
	why    string
	of     func(it *grammar.Item) bool
	words  *lazy.Regexp
	before int32    // tokens before the item that are looked at
	behind int32    // tokens behind it
	unless []string // classes, a word of which in the item takes it back
}

// turns are those of the table.
var turns = sync.OnceValue(func() (out []turn) {
	for name, exp := range lexicon.Rows(turnsText) {
		parts := strings.Fields(name)
		t := turn{why: parts[0], of: turnable[parts[1]], words: lazy.Compile(exp)}
		for _, more := range parts[2:] {
			switch more[0] {
			case '<':
				t.before = int32(more[1] - '0')
			case '+':
				t.behind = int32(more[1] - '0')
			default:
				t.unless = strings.Split(more[1:], ",")
			}
		}
		out = append(out, t)
	}
	return out
})

// turnable are the items that the table speaks of.
var turnable = map[string]func(it *grammar.Item) bool{
	"always": func(*grammar.Item) bool { return true }, "buys": Buys, "hasChange": HasChange, "hasConds": HasConds, "hasLength": HasLength,
	"hasPrice": HasPrice, "hasPriceOrExit": HasPriceOrExit, "hasRemaining": HasRemaining, "hasTime": HasTime,
	"hasWide": HasWide, "isAmount": IsAmount, "isFar": IsFar, "isLate": IsLate, "isMove": IsMove, "isNear": IsNear,
	"isTime": IsTime, "sells": Sells, "sellsTwice": SellsTwice,
	"isBudget":     func(it *grammar.Item) bool { return it.Meaning.Has(grammar.SlotBudget) },
	"isExitBefore": func(it *grammar.Item) bool { return it.Meaning.Has(grammar.SlotExitBefore) },
	"isOpen":       func(it *grammar.Item) bool { return it.Kind == "item.open" },
	"isStop":       func(it *grammar.Item) bool { return it.Meaning.Has(grammar.SlotSL) },
	"isUnmended":   func(it *grammar.Item) bool { return HasConds(it) && !it.Meaning.Has(grammar.SlotMend) },
}

// Turned is why words turn an item to something else than it is read as, the first reason of the table; "" for none.
func Turned(p *grammar.Parse, it *grammar.Item) string {
	texts := map[[2]int32]string{} // by how many tokens before and behind it
	for _, t := range turns() {
		if !t.of(it) {
			continue
		}
		around := [2]int32{t.before, t.behind}
		text, known := texts[around]
		if !known {
			text = strings.ToLower(p.Text(max(it.From-t.before, 0), min(it.To+t.behind, int32(p.Tokens()))))
			texts[around] = text
		}
		if t.words.MatchString(text) && !p.HasClass(it.From, it.To, t.unless...) {
			return t.why
		}
	}
	return ""
}
