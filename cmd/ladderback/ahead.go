package main

import (
	"context"
	"strings"
	"unicode"

	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
)

// openAhead is readOnce beside the reading of a prompt, which needs no archive: it opens
// the one archive that is given, and lists the rounds that the prompt seems to ask for.
// With several, or none, the result opens them when it is called. It must be called once,
// and with dropped when the archive is not needed after all: it is then closed.
func (a *app) openAhead(ctx context.Context, given []string, prompt string, o replay.Options) (opened func(dropped bool) (reader, error)) {
	addrs, err := a.addresses(given)
	if err != nil || len(addrs) != 1 || addrs[0].category != "" {
		return func(dropped bool) (reader, error) {
			if dropped {
				return nil, nil
			}
			return a.readOnce(ctx, given)
		}
	}
	type result struct {
		ar  reader
		err error
	}
	ahead, stop := context.WithCancel(ctx)
	done := make(chan result, 1)
	go func() {
		ar, err := a.readOnce(ahead, given)
		if one, ok := ar.(*archive.Archive); ok && err == nil {
			if f, ok := guessRounds(prompt, o); ok {
				one.Expect(ctx, f)
			}
		}
		done <- result{ar, err}
	}()
	return func(dropped bool) (reader, error) {
		if dropped {
			stop()
		}
		r := <-done
		stop()
		if dropped && r.err == nil {
			return nil, r.ar.Close()
		}
		return r.ar, r.err
	}
}

// guessRounds returns the rounds that a prompt seems to be about: those of the one coin
// and of the one length that it names by a word of their own. If it names none, or
// several, ok is false.
func guessRounds(prompt string, o replay.Options) (f market.RoundFilter, ok bool) {
	for word := range strings.FieldsFuncSeq(prompt, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		into, value := &f.Coin, ""
		if coin, ok := market.CoinByName(word); ok {
			value = coin
		} else if typ, _, ok := market.ParseLength(word); ok {
			into, value = &f.Type, typ
		}
		if value != "" && *into != "" && *into != value {
			return f, false
		}
		if value != "" {
			*into = value
		}
	}
	if o.From != nil {
		f.From = *o.From
	}
	if o.To != nil {
		f.To = *o.To
	}
	return f, f.Coin != "" && f.Type != ""
}
