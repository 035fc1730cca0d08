package rules

import (
	"fmt"

	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/meaning"
	"github.com/ladderback/ladderback/strategy"
)

// Refusal is why a prompt gives no strategy. It is an error.
type Refusal struct {
	Code      string // CodeBadRequest or CodeUnsupportedSignal
	Message   string
	Obstacles []Obstacle // in the order of the prompt
}

// Obstacle is one thing that keeps a prompt from being read.
type Obstacle struct {
	Start, End int // Unicode code points, [Start, End); equal when it has no place
	Text       string
	Outside    bool   // a value that is not this market's
	Remedy     string // what is wrong, and the nearest thing that can be said
}

func (r *Refusal) Error() string { return r.Message }

func (r *reader) unread() *Refusal {
	from := r.p.Furthest()
	to := min(from+4, int32(r.p.Tokens()))
	ref := &Refusal{Code: CodeBadRequest, Message: fmt.Sprintf("cannot be read at %q", r.p.Text(from, to))}
	r.p.Fragments(func(i grammar.Item) bool {
		if _, outside := i.Refused(); outside {
			ref.Code, ref.Message = CodeUnsupportedSignal, r.p.Text(i.From, i.To)
			return false
		}
		return true
	})
	return ref
}

func (r *reader) obstacles(reading *grammar.Reading, f *meaning.Fault) *Refusal {
	ref := &Refusal{Code: CodeBadRequest}
	for i := range reading.Items {
		it := &reading.Items[i]
		no, outside := it.Refused()
		if !no && !outside {
			continue
		}
		if outside {
			ref.Code = CodeUnsupportedSignal
		}
		ref.Message += fmt.Sprintf("%q ", r.p.Text(it.From, it.To))
	}
	if f != nil {
		ref.Message += f.Message
		r.p.Fragments(func(i grammar.Item) bool {
			if _, outside := i.Refused(); outside {
				ref.Code = CodeUnsupportedSignal
				return false
			}
			return true
		})
	}
	return ref
}

func (r *reader) twoReadings(a, b strategy.Strategy) *Refusal {
	return &Refusal{Code: CodeBadRequest, Message: "either \"" + strategy.CanonicalSummary(&a) + "\" or \"" + strategy.CanonicalSummary(&b) + "\"; say which"}
}
