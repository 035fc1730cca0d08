package rules

import (
	"encoding/json"
	"strings"

	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/rewrite"
	"github.com/ladderback/ladderback/strategy"
)

// Offer is what is shown beside a refusal: none of it is a strategy until somebody
// takes it.
type Offer struct {
	// Suggestion is a complete prompt that can be read and loses nothing that a
	// strategy can say, except what LeftOut names; empty if there is none.
	Suggestion string
	LeftOut    []strategy.Span // of the prompt, in its order; without fields
	// Confirm is what the prompt says but for words that hold nothing, which are those of
	// LeftOut; nil: it is not nearly read.
	Confirm *strategy.Canonical
	Source  strategy.Source // of Confirm
	// Choices are the readings of a prompt that has more than one.
	Choices []strategy.Canonical
	// Alone are the fields of Confirm that a language model alone has read.
	Alone []string
}

// Offer returns what is offered instead. It is worked out when it is first asked for, and
// may be called by many at a time.
func (r *Refusal) Offer() *Offer {
	r.offered.Do(func() {
		if r.prompt != "" {
			r.offer = r.work()
		}
	})
	return &r.offer
}

// Take offers what a language model has read, with the fields that nobody else has,
// unless the rules themselves have something to confirm. The words that they do not
// understand are what only the model has read.
func (r *Refusal) Take(c strategy.Canonical, alone []string) {
	if r.Offer().Confirm != nil {
		return
	}
	r.offer = Offer{Suggestion: c.Summary(), Confirm: &c, Source: strategy.SourceLLM, Alone: alone, Choices: r.offer.Choices}
	for _, o := range r.Obstacles {
		r.offer.LeftOut = append(r.offer.LeftOut, o.Span)
	}
}

// work looks for the nearest prompt that can be read: without words that hold nothing,
// else without clauses that do not.
func (r *Refusal) work() Offer {
	out := Offer{Choices: r.choices}
	read := func(prompt string) *strategy.Canonical {
		p := grammar.New(prompt)
		defer p.Close()
		if res, _ := (&reader{p: p, o: r.o}).answer(); res != nil {
			return &res.Strategy
		}
		return nil
	}
	if prompt := r.spelt(); prompt != r.prompt {
		if out.Suggestion = prompt; read(prompt) == nil {
			_, again := Read(prompt, r.o)
			out.Suggestion = again.nearly(read).Prompt
		}
		if out.Suggestion != "" {
			return out
		}
	}
	s := r.nearly(read)
	if out.Suggestion = s.Prompt; s.Prompt != "" {
		out.Confirm, out.Source = read(s.Prompt), strategy.SourceRules
	} else {
		var list []rewrite.Obstacle
		for _, k := range r.Obstacles {
			list = append(list, rewrite.Obstacle{Start: k.Start, End: k.End, Outside: k.Outside, Why: k.Why})
		}
		s = rewrite.Nearest(r.prompt, list, read)
		out.Suggestion = s.Prompt
	}
	runes := []rune(r.prompt)
	for _, at := range s.LeftOut {
		out.LeftOut = append(out.LeftOut, strategy.Span{Start: at[0], End: at[1], Text: string(runes[at[0]:at[1]])})
	}
	return out
}

// nearly is the prompt without words that hold nothing, where these alone are not
// understood.
func (r *Refusal) nearly(read rewrite.Reader) (none rewrite.Suggestion) {
	if r.Code != CodeBadRequest {
		return none
	}
	p := grammar.New(r.prompt)
	defer p.Close()
	var loose []int32
	for _, o := range r.Obstacles {
		at := adjective(p, &o)
		switch {
		case at >= 0:
			loose = append(loose, at)
		case !o.Unread:
			return none
		}
	}
	var unread [][2]int32
	if len(p.Readings()) == 0 {
		unread = p.Partial().Unread
	}
	for _, u := range unread {
		if !p.HasClass(u[0], u[1], "UNK") && !p.HasClass(u[1], min(u[1]+2, int32(p.Tokens())), "BUY", "USD", "PER") { // "for the last minute, stop at 30c": small words say what belongs together
			return none
		}
	}
	holds := func(i int32) bool { return p.Holds(i) || restricting[p.Word(i)] }
	return rewrite.Words(r.prompt, p.Lattice, unread, loose, holds, read)
}

// adjective returns the token of an obstacle that says no more than the number in its
// clause, "flat" of "100 USD flat"; -1 for none.
func adjective(p *grammar.Parse, o *Obstacle) int32 {
	breaks := func(i int32) bool { return p.HasClass(i, i+1, "COMMA", "STOP", "SOFT", "COLON", "QUESTION") }
	for i := o.from; toldVaguely[o.Why] && i < o.to; i++ {
		if !adjectives[p.Word(i)] {
			continue
		}
		lo, hi := i, i
		for lo > 0 && !breaks(lo-1) {
			lo--
		}
		for hi < int32(p.Tokens()) && !breaks(hi) {
			hi++
		}
		if p.HasClass(lo, hi, "CENT", "DEC", "USDC", "USD") {
			return i
		}
	}
	return -1
}

// spelt is the prompt with the words that it seems to mean for those that are misspelt.
func (r *Refusal) spelt() string {
	runes, out, at := []rune(r.prompt), "", 0
	for _, o := range r.Obstacles {
		if o.Meant != "" {
			out += string(runes[at:o.Start]) + o.Meant
			at = o.End
		}
	}
	return out + string(runes[at:])
}

// on adds what is offered to an error.
func (o *Offer) on(e *market.Error) *market.Error {
	e.Suggestion = o.Suggestion
	if len(o.LeftOut) > 0 {
		words := make([]string, len(o.LeftOut))
		for i, s := range o.LeftOut {
			words[i] = s.Text
		}
		what := "; the suggestion leaves out "
		if o.Source == strategy.SourceLLM {
			what = "; only the language model has read "
		}
		e.Message += what + strings.Join(quoted(words), ", ")
	}
	if o.Confirm != nil {
		c := inWords(*o.Confirm)
		c.LeftOut = make([]market.Left, len(o.LeftOut))
		for i, s := range o.LeftOut {
			c.LeftOut[i] = market.Left{Start: s.Start, End: s.End, Text: s.Text}
		}
		c.Alone = o.Alone
		e.Confirm = &c
	}
	for _, c := range o.Choices {
		e.Choices = append(e.Choices, inWords(c))
	}
	return e
}

func inWords(c strategy.Canonical) market.Offered {
	object, _ := json.Marshal(c) // a valid strategy has no value that JSON lacks
	return market.Offered{Strategy: object, Summary: c.Summary()}
}
