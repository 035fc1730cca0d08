package meaning

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
