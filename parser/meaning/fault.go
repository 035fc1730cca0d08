package meaning

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/ladderback/ladderback/strategy"
)

// Kind says what is wrong with items that were read.
type Kind string

// Kinds of faults.
const (
	NoSide       Kind = "no side"
	TwoTokens    Kind = "two tokens" // and no word of which is bought
	Contradicts  Kind = "contradiction"
	Unclear      Kind = "unclear"
	Invalid      Kind = "invalid"
	NothingToFix Kind = "correction"
)

// NoPurchase is what a strategy without a side is told.
const NoPurchase = "nothing says what is bought: say \"buy Up\", \"buy Down\" or \"buy either side\""

// Fault is why items do not make a strategy.
type Fault struct {
	Kind    Kind
	Message string
	// Items are the indices of the items at fault, in prompt order, each once; may
	// be empty.
	Items []int
	// Threshold: a condition's number is out of its range.
	Threshold bool
}

func (b *builder) fail(kind Kind, message string, items ...int) {
	if b.fault == nil {
		items = slices.DeleteFunc(items, func(i int) bool { return i < 0 })
		slices.Sort(items)
		items = slices.Compact(items)
		b.fault = &Fault{Kind: kind, Message: message, Items: items}
	}
}

// invalid is the fault of a strategy that its own package refuses, at the items
// that set the fields at fault.
func (b *builder) invalid(err error) *Fault {
	e, ok := errors.AsType[*strategy.Error](err)
	if !ok {
		return &Fault{Kind: Invalid, Message: err.Error()}
	}
	f := &Fault{Kind: Invalid, Message: InWords(e.Field + ": " + e.Message), Threshold: strings.HasSuffix(e.Field, ".threshold")}
	for i := range b.items {
		m := &b.items[i].Meaning
		sets := b.exprs == 1 && m.Conds() != nil && (strings.HasPrefix(e.Field, "strategy.entry") || strings.HasPrefix(e.Other, "strategy.entry"))
		for _, s := range m.Slots() {
			path := "strategy." + slotFields[s]
			sets = sets || slotFields[s] != "" && (path == e.Field || path == e.Other)
		}
		if sets {
			f.Items = append(f.Items, i)
		}
	}
	return f
}

// InWords turns a message of the strategy package about its fields into a
// trader's words.
func InWords(message string) string {
	message = fieldPath.ReplaceAllStringFunc(message, func(path string) string {
		i := slices.IndexFunc(fieldWords[:], func(w [2]string) bool { return strings.HasPrefix(path, "strategy."+w[0]) })
		return fieldWords[i][1]
	})
	return conditionWords.ReplaceAllStringFunc(message, func(c string) string {
		m := conditionWords.FindStringSubmatch(c)
		return tokenWords[m[2]] + strings.ReplaceAll(m[1], "_", " ") + " " + comparatorWords[m[3]] + " " + m[4]
	})
}

var (
	conditionWords  = regexp.MustCompile(`\b([a-z_]+) (?:(up|down|same|opposite) )?(lt|lte|gt|gte|crosses_above|crosses_below) (-?[\d.]+)`)
	comparatorWords = map[string]string{"lt": "below", "lte": "at most", "gt": "above", "gte": "at least", "crosses_above": "crossing above", "crosses_below": "crossing below"}
	tokenWords      = map[string]string{"up": "Up's ", "down": "Down's ", "same": "its ", "opposite": "the other side's "}
	fieldPath       = regexp.MustCompile(`strategy(\.\w+(\[\d+\])*)+`)
	fieldWords      = [...][2]string{ // the first that a path begins with counts
		{"entry", "the entry"},
		{"exit.take_profit", "the take profit"},
		{"exit.stop_loss", "the stop"},
		{"exit.trailing_stop", "the trailing stop"},
		{"exit.exit_before_seconds", "the exit before the end"},
		{"exit.max_hold_seconds", "the time to hold"},
		{"exit.", "the exit"},
		{"budget_per_trade", "the budget"},
		{"sample_size", "the number of markets"},
		{"order", "the resting order"},
		{"then", "the further order"},
		{"again", "the entries again"},
		{"merge", "merging"},
		{"size", "the size"},
		{"bankroll", "the bankroll"},
		{"market.coin", "the coin"},
		{"market.market_type", "the length of market"},
		{"", "the strategy"},
	}
)
