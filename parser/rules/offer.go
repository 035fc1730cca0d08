package rules

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/parser/guard"
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
	// Alone are the fields of Confirm that a language model alone has read, Likely those that are
	// told by the words around their numbers alone.
	Alone, Likely []string

	likely bool // so told is all of Confirm
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
// unless the rules themselves have something to confirm, or say of orders what it lacks,
// and it is not what the prompt most likely says either. The words that the rules do not
// understand are what only the model has read.
func (r *Refusal) Take(c strategy.Canonical, alone []string) {
	if (r.Offer().Confirm != nil && !r.offer.likely || !r.bearsOut(c)) && !guard.Likely(r.prompt, &c) {
		return
	}
	r.Code = CodeBadRequest // what somebody has read has no signal that no market has
	choices := r.offer.Choices
	r.offer = r.instead(c, strategy.SourceLLM)
	r.offer.Alone, r.offer.Choices = alone, choices
}

// bears says, by the reasons of what is said of orders in words that the rules do not know,
// whether a strategy has something of the kind: what a model reads without it is not offered, and
// no sentence of it is left out.
var bears = map[string]func(strategy.Canonical) bool{
	"limit": strategy.Canonical.Rests, "resting": strategy.Canonical.Rests, "merge": strategy.Canonical.Merges, "orders": strategy.Canonical.Extended,
	"reentry": func(c strategy.Canonical) bool { return c.Again() != nil },
	"account": sized, "total": sized,
	"sized": func(c strategy.Canonical) bool {
		return sized(c) || does(c, func(t *strategy.Then) bool { return t.Token == strategy.TokenSame })
	},
	"shares": func(c strategy.Canonical) bool {
		return sized(c) || does(c, func(t *strategy.Then) bool { return t.Shares != 0 })
	},
	"partial": func(c strategy.Canonical) bool {
		return does(c, func(t *strategy.Then) bool { return t.Do == strategy.Sell })
	},
	"hedge": func(c strategy.Canonical) bool { return does(c, buysOther) },
	"both":  func(c strategy.Canonical) bool { return c.Merges() || does(c, buysOther) },
	"equal": func(c strategy.Canonical) bool { return does(c, func(t *strategy.Then) bool { return t.Match }) },
}

func sized(c strategy.Canonical) bool { return c.Size() != nil || c.Bankroll() != nil }

// does reports whether something is done besides the entry that is so.
func does(c strategy.Canonical, is func(t *strategy.Then) bool) bool {
	return slices.ContainsFunc(c.Then(), func(t strategy.Then) bool { return is(&t) })
}

func buysOther(t *strategy.Then) bool {
	return t.Do == strategy.Buy && t.Token == strategy.TokenOpposite
}

// work looks for the nearest prompt that can be read: with words as they seem to be meant,
// else without what holds nothing.
func (r *Refusal) work() Offer {
	if len(r.choices) == 1 {
		return Offer{Suggestion: r.choices[0].Summary(), Confirm: &r.choices[0], Source: strategy.SourceRules}
	}
	out := Offer{Choices: r.choices}
	read := func(prompt string) ([]strategy.Canonical, []rewrite.Obstacle) {
		res, refusal := readText(prompt, r.o)
		if res != nil {
			return []strategy.Canonical{res.Strategy}, nil
		}
		if len(refusal.choices) == 1 { // it has to be confirmed, and is no prompt that can be read
			return nil, refusal.obstacles()
		}
		return refusal.choices, refusal.obstacles()
	}
	if prompt := r.spelt(); prompt != r.prompt {
		if says, _ := read(prompt); len(says) == 1 {
			out.Suggestion = prompt
			return out
		}
	}
	s := rewrite.Nearest(r.prompt, r.obstacles(), read)
	if len(s.Says) == 0 && len(out.Choices) == 0 {
		s = rewrite.Ask(r.prompt, r.obstacles(), read)
	}
	switch {
	case len(s.Says) > 1:
		out.Choices = s.Says
	case s.Nearly && r.Code == CodeBadRequest:
		out.Suggestion, out.Confirm, out.Source = s.Prompt, &s.Says[0], strategy.SourceRules
	default:
		out.Suggestion = s.Prompt
	}
	runes := []rune(r.prompt)
	for _, at := range s.LeftOut {
		out.LeftOut = append(out.LeftOut, strategy.Span{Start: at[0], End: at[1], Text: string(runes[at[0]:at[1]])})
	}
	if out.Suggestion == "" && len(out.Choices) == 0 {
		return r.likely()
	}
	return out
}

// bearsOut reports whether a strategy has what the prompt says of orders in words that the rules do not know.
func (r *Refusal) bearsOut(c strategy.Canonical) bool {
	return !slices.ContainsFunc(r.Obstacles, func(o Obstacle) bool {
		return bears[o.Why] != nil && !bears[o.Why](c) && (o.Why == "total" || !c.Extended())
	})
}

// instead is the offer of what somebody else has read, who alone has read the words that the rules
// do not understand.
func (r *Refusal) instead(c strategy.Canonical, by strategy.Source) Offer {
	out := Offer{Suggestion: c.Summary(), Confirm: &c, Source: by}
	for _, o := range r.Obstacles {
		out.LeftOut = append(out.LeftOut, o.Span)
	}
	return out
}

func (r *Refusal) obstacles() (list []rewrite.Obstacle) {
	for _, k := range r.Obstacles {
		list = append(list, rewrite.Obstacle{Start: k.Start, End: k.End, Outside: k.Outside, Unread: k.Unread, Why: k.Why, Bears: bears[k.Why]})
	}
	return list
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
			words[i] = quote(s.Text)
		}
		what := "; the suggestion leaves out "
		switch {
		case o.Source == strategy.SourceLLM:
			what = "; only the language model has read "
		case o.likely:
			what = "; the suggestion is what is most likely meant, read around "
		case o.Suggestion == "":
			what = "; both leave out "
		}
		e.Message += what + strings.Join(words, ", ")
	}
	if o.Confirm != nil {
		c := inWords(*o.Confirm)
		c.LeftOut = make([]market.Left, len(o.LeftOut))
		for i, s := range o.LeftOut {
			c.LeftOut[i] = market.Left{Start: s.Start, End: s.End, Text: s.Text}
		}
		c.Alone, c.Likely = o.Alone, o.Likely
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
