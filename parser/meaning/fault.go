package meaning

import (
	"regexp"
	"slices"
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

// Fault is why items do not make a strategy. It is an error.
type Fault struct {
	Kind    Kind
	Message string
	// Items are the indices of the items at fault, in prompt order; may be
	// empty.
	Items []int
	// Threshold: a condition's number is out of its range.
	Threshold bool
}

func (f *Fault) Error() string { return f.Message }

func (b *builder) fail(kind Kind, message string, items ...int) {
	if b.fault == nil {
		items = slices.DeleteFunc(items, func(i int) bool { return i < 0 })
		b.fault = &Fault{Kind: kind, Message: message, Items: items}
	}
}

// InWords turns a message of the strategy package about its fields into a
// trader's words.
func InWords(message string) string {
	for _, p := range fieldWords {
		message = p.path.ReplaceAllString(message, p.words)
	}
	return message
}

var fieldWords = []struct {
	path  *regexp.Regexp
	words string
}{
	{regexp.MustCompile(`strategy\.entry(_any)?(\[\d+\])*`), "the entry"},
	{regexp.MustCompile(`strategy\.exit\.take_profit(_offset)?`), "the take profit"},
	{regexp.MustCompile(`strategy\.exit\.stop_loss(_offset)?`), "the stop"},
	{regexp.MustCompile(`strategy\.exit\.exit_before_seconds`), "the exit before the end"},
	{regexp.MustCompile(`strategy\.exit\.\w+`), "the exit"},
	{regexp.MustCompile(`strategy\.budget_per_trade`), "the budget"},
	{regexp.MustCompile(`strategy\.sample_size`), "the number of markets"},
	{regexp.MustCompile(`strategy\.\w+(\.\w+)*`), "the strategy"},
}
