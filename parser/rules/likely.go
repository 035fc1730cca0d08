package rules

import (
	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/guard"
	"github.com/ladderback/ladderback/parser/orders"
	"github.com/ladderback/ladderback/parser/roles"
	"github.com/ladderback/ladderback/strategy"
)

// likely offers what a prompt most likely says by the words around its numbers, where nothing is
// refused in it but words that are not understood, and those say nothing that the offer lacks.
func (r *Refusal) likely() (none Offer) {
	if !r.Unread || r.Inexact || orders.Find(r.prompt, false, readConditions) != nil {
		return none
	}
	p := grammar.New(r.prompt)
	defer p.Close()
	var unread []strategy.Span
	for i := range r.Obstacles {
		o := &r.Obstacles[i]
		if o.Outside || !asides[o.Why] {
			return none
		}
		unread = append(unread, o.Span)
	}
	text := roles.Prompt(p, unread)
	res, _ := readText(text, Overrides{}) // the request's own values are not of the prompt
	if res == nil || doubled(res.Strategy.Entry()) {
		return none
	}
	read, no := guard.Judge(r.prompt, &guard.Answer{Strategy: res.Strategy}, guard.Known{})
	if no != nil {
		read = no.Nearly
	}
	if read == nil || !r.bearsOut(read.Strategy) {
		return none
	}
	if res, _ = readText(text, r.o); res == nil {
		return none
	}
	out := r.instead(res.Strategy, strategy.SourceRules)
	out.Likely, out.likely = read.Fields, true
	return out
}

// asides are the reasons of words that may be left, beside those that are not known at all.
var asides = map[string]bool{"": true, "misspelt": true, "passing": true, "story": true}

// doubled reports whether two conditions bound one value from the same side, or the prices of both tokens.
func doubled(list []strategy.Condition) bool {
	lower := func(c strategy.Comparator) bool {
		return c == strategy.GT || c == strategy.GTE || c == strategy.CrossesAbove
	}
	for i, a := range list {
		for _, b := range list[:i] {
			if a.Type == b.Type && (a.Token == b.Token || a.Type == strategy.Price) && lower(a.Comparator) == lower(b.Comparator) {
				return true
			}
		}
	}
	return false
}
