package meaning

import "regexp"

// Kind says what is wrong with items that were read.
type Kind string

// Kinds of faults.
const (
	NoSide       Kind = "no side"
	Contradicts  Kind = "contradiction"
	Unclear      Kind = "unclear"
	Invalid      Kind = "invalid"
	NothingToFix Kind = "correction"
)

// Fault is why items give no strategy. It is an error.
type Fault struct {
	Kind    Kind
	Message string
	// Items are the indices of the items that it is about, in the order of the
	// prompt; may be empty.
	Items []int
	// Fields are the paths of the strategy's fields that it is about.
	Fields []string
	// Cause is the error of the strategy package, nil for a fault of reading.
	Cause error
}

func (f *Fault) Error() string { return f.Message }

func (b *builder) fail(kind Kind, message string, items ...int) {
	if b.fault == nil {
		b.fault = &Fault{Kind: kind, Message: message, Items: items}
	}
}

// InWords says in a trader's words what the strategy package says of its fields.
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
