// Package rules reads a prompt by the language's table alone: the
// deterministic parser, which is a product of its own.
package rules

import (
	"errors"

	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/meaning"
	"github.com/ladderback/ladderback/strategy"
)

// Codes of refusals, as the API's errors carry them.
const (
	CodeBadRequest        = "bad_request"
	CodeUnsupportedSignal = "unsupported_signal"
)

// Overrides are the request's own values. They win over the prompt's.
type Overrides = meaning.Overrides

// Result is a prompt that was understood.
type Result struct {
	Strategy strategy.Strategy // canonical
	Trace    Trace
}

// margin is how much dearer a second reading may be and still make a prompt
// ambiguous.
const margin = 0

// Read reads a prompt.
func Read(prompt string, o Overrides) (*Result, *Refusal) {
	p := grammar.New(prompt)
	defer p.Close()
	r := &reader{p: p, o: o}
	return r.read()
}

type reader struct {
	p *grammar.Parse
	o Overrides
}

func (r *reader) read() (*Result, *Refusal) {
	var best *meaning.Result
	var bestReading *grammar.Reading
	var firstFault *meaning.Fault
	var faulty *grammar.Reading
	readings := r.p.Readings()
	if len(readings) == 0 {
		return nil, r.unread()
	}
	for i := range readings {
		reading := &readings[i]
		if (best != nil || firstFault != nil) && reading.Cost > readings[0].Cost+margin && (best != nil || firstFault.Kind == meaning.NoSide || true) {
			if best != nil || reading.Cost > readings[0].Cost+faultMargin {
				break
			}
		}
		if refused(reading) {
			if i == 0 {
				return nil, r.obstacles(reading, nil)
			}
			continue
		}
		m, err := meaning.Build(reading.Items, r.o)
		var f *meaning.Fault
		if errors.As(err, &f) {
			if firstFault == nil {
				firstFault, faulty = f, reading
			}
			continue
		}
		if best != nil && !strategy.Equal(best.Strategy, m.Strategy) {
			return nil, r.twoReadings(best.Strategy, m.Strategy)
		}
		if best == nil {
			best, bestReading = m, reading
		}
	}
	if best == nil {
		return nil, r.obstacles(faulty, firstFault)
	}
	return r.result(bestReading, best), nil
}

// faultMargin is how much dearer than the cheapest cover another may be that is
// looked at because the items of the cheapest give no strategy.
const faultMargin = 0

func refused(reading *grammar.Reading) bool {
	for i := range reading.Items {
		if no, outside := reading.Items[i].Refused(); no || outside {
			return true
		}
	}
	return false
}
