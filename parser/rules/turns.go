package rules

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
	"always": always, "buys": buys, "hasChange": hasChange, "hasConds": hasConds, "hasLength": hasLength,
	"hasPrice": hasPrice, "hasPriceOrExit": hasPriceOrExit, "hasRemaining": hasRemaining, "hasTime": hasTime,
	"hasWide": hasWide, "isAmount": isAmount, "isFar": isFar, "isLate": isLate, "isMove": isMove, "isNear": isNear,
	"isTime": isTime, "sells": sells, "sellsTwice": sellsTwice,
	"isBudget":     func(it *grammar.Item) bool { return it.Meaning.Has(grammar.SlotBudget) },
	"isExitBefore": func(it *grammar.Item) bool { return it.Meaning.Has(grammar.SlotExitBefore) },
	"isOpen":       func(it *grammar.Item) bool { return it.Kind == "item.open" },
	"isStop":       func(it *grammar.Item) bool { return it.Meaning.Has(grammar.SlotSL) },
	"isUnmended":   func(it *grammar.Item) bool { return hasConds(it) && !it.Meaning.Has(grammar.SlotMend) },
}
