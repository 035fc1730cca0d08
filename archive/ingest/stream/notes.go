package stream

import (
	"cmp"
	"context"
	"strings"

	"github.com/ladderback/ladderback/market"
)

// reset records that the collector reconnected, for the token or the tokens of
// the market that m names, or for all that had a message shortly before.
func (im *importer) reset(m *Message) error {
	for _, b := range im.open {
		switch {
		case len(m.Market) > 0 && string(m.Market) != b.said.VenueID,
			len(m.Market) == 0 && len(m.Slug) > 0 && string(m.Slug) != b.said.Slug:
			continue
		}
		for _, t := range b.tokens {
			switch {
			case len(m.Asset) > 0:
				if string(m.Asset) != t.said.VenueID {
					continue
				}
			case len(m.Market) == 0 && len(m.Slug) == 0:
				if t.seen == 0 || m.Recv-t.seen > resetReach {
					continue
				}
			}
			c := market.Capture{Token: t.index, Kind: market.KindReset, Recv: m.Recv, Exch: m.Exch}
			if _, err := im.add(t, &c); err != nil {
				return err
			}
		}
	}
	return nil
}

// takeNote takes what concerns a market as a whole.
func (im *importer) takeNote(ctx context.Context, m *Message) error {
	if !im.describable(m) {
		im.reject(OtherMarket)
		return nil
	}
	b, r, err := im.book(ctx, m)
	if err != nil {
		return err
	}
	if r != OK {
		im.reject(r)
		return nil
	}
	b.seen = max(b.seen, m.Recv)
	switch {
	case m.Type == GapMark:
		im.gap(b, m)
	case im.describeAll(b, m) && m.Type == Resolved:
		im.resolve(b, m)
	}
	return nil
}

// gap records a declared gap; one of a whole market waits until its tokens are
// known.
func (im *importer) gap(b *book, m *Message) {
	if len(m.Asset) == 0 {
		line, text := im.in.Line()
		if len(b.gaps) == maxLateGaps {
			im.reject(TooManyGaps)
			return
		}
		b.gaps = append(b.gaps, lateGap{Gap: m.Gap, line: line, text: string(text[:min(len(text), lateText)])})
		return
	}
	t := im.token(b, m)
	if t == nil {
		im.reject(TooManyTokens)
		return
	}
	im.to.Gap(b.handle, t.index, m.Gap)
}

// describable reports whether no token that m names is known as that of another
// market.
func (im *importer) describable(m *Message) bool {
	for _, id := range m.Assets {
		if !im.mayHave(m, id) {
			return false
		}
	}
	return len(m.Asset) == 0 || im.mayHave(m, m.Asset)
}

// describeAll gives the tokens that m lists their names. It reports whether it
// could.
func (im *importer) describeAll(b *book, m *Message) bool {
	for i := range m.Assets {
		if im.describe(b, market.Token{VenueID: string(m.Assets[i]), Label: string(m.Outcomes[i])}) == nil {
			im.reject(TooManyTokens)
			return false
		}
	}
	return true
}

// describe adds a token of b, or to what is known of it, and returns it; nil
// when b has too many.
func (im *importer) describe(b *book, said market.Token) *token {
	said.Outcome = OutcomeOf(said.Label)
	for _, t := range b.tokens {
		if said.VenueID != "" && t.said.VenueID == said.VenueID ||
			said.VenueID == "" && strings.EqualFold(t.said.Label, said.Label) {
			if t.said.Label == "" {
				t.said.Label, t.said.Outcome = said.Label, said.Outcome
				im.to.Token(b.handle, t.said)
			}
			return t
		}
	}
	return im.name(b, said)
}

// OutcomeOf returns Up or Down for a label that says so, ignoring case.
func OutcomeOf(label string) market.Outcome {
	switch {
	case strings.EqualFold(label, "up"):
		return market.Up
	case strings.EqualFold(label, "down"):
		return market.Down
	}
	return market.OutcomeOther
}

// resolve keeps who won until all tokens are known: a name alone may be that of a token
// whose id is still to come.
func (im *importer) resolve(b *book, m *Message) {
	said := market.Token{VenueID: string(m.Winner), Label: string(m.WinnerOutcome)}
	if r := b.doubts(&said); r != OK {
		im.reject(r)
		return
	}
	if (said.VenueID != "" || len(b.tokens) == maxTokens) && im.describe(b, said) == nil {
		im.reject(TooManyTokens)
		return
	}
	if b.winner != nil {
		said.VenueID, said.Label = cmp.Or(b.winner.VenueID, said.VenueID), cmp.Or(b.winner.Label, said.Label)
	}
	b.winner, b.paid = &said, false
}

// doubts says why a token cannot have won; OK: it can.
func (b *book) doubts(said *market.Token) Reason {
	known := b.find(*said)
	switch {
	case known == nil && len(b.tokens) >= 2 && said.VenueID != "":
		return WinnerNotAToken
	case b.winner != nil && !alike(b.winner, said) && (known == nil || b.find(*b.winner) != known):
		return TwoWinners
	case known != nil && said.Label != "" && known.said.Label != "" && !strings.EqualFold(known.said.Label, said.Label):
		return WinnerNotAToken
	}
	return OK
}

// alike reports whether two descriptions of a token have something in common, and nothing
// apart.
func alike(a, b *market.Token) bool {
	ids, labels := a.VenueID != "" && b.VenueID != "", a.Label != "" && b.Label != ""
	return (ids || labels) && (!ids || a.VenueID == b.VenueID) && (!labels || strings.EqualFold(a.Label, b.Label))
}

// find returns the token of b that said describes, or nil.
func (b *book) find(said market.Token) *token {
	for _, t := range b.tokens {
		if said.VenueID != "" && t.said.VenueID == said.VenueID ||
			said.VenueID == "" && t.said.Label != "" && strings.EqualFold(t.said.Label, said.Label) {
			return t
		}
	}
	return nil
}

// finish puts what had to wait for the end of the log. A market is left open:
// whoever opened it ends it with the log.
func (im *importer) finish(ctx context.Context) error {
	for _, b := range im.open {
		im.settleLadders(b)
		if err := im.settle(ctx, b); err != nil {
			return err
		}
	}
	return nil
}

// settle puts what waits until all tokens of b are known: who won, and gaps of
// the whole market.
func (im *importer) settle(ctx context.Context, b *book) error {
	if (b.winner == nil || b.paid) && len(b.gaps) == 0 {
		return nil
	}
	if b.winner != nil {
		b.paid = true
		if err := im.payout(ctx, b); err != nil {
			return err
		}
	}
	im.wholeGaps(b)
	b.gaps = nil
	return nil
}

// payout puts the payout of a resolved market as an inferred one: what a feed calls
// resolved may still be disputed, and only the exchange's metadata has the final
// answer. Of two tokens the one that did
// not win stands for the other outcome, also when the log never named it.
func (im *importer) payout(ctx context.Context, b *book) error {
	winner := im.describe(b, *b.winner)
	if winner == nil {
		return nil // it has no id, and there are too many others
	}
	if other := opposite(winner.said.Label); other != "" {
		switch len(b.tokens) {
		case 1:
			im.describe(b, market.Token{Label: other})
		case 2:
			loser := b.tokens[0]
			if loser == winner {
				loser = b.tokens[1]
			}
			if loser.said.Label == "" {
				im.describe(b, market.Token{VenueID: loser.said.VenueID, Label: other})
			}
		}
	}
	m := b.said
	m.Closed = true
	m.Payout = &market.Payout{Basis: market.Inferred}
	for _, t := range b.tokens {
		m.Tokens = append(m.Tokens, t.said)
		var pays market.Cash
		if t == winner {
			pays = market.CashOne
		}
		m.Payout.Fractions = append(m.Payout.Fractions, pays)
	}
	_, err := im.to.Market(ctx, m)
	return err
}

// opposite returns the label of the other outcome, or "" when it is not known.
func opposite(label string) string {
	for _, pair := range [...][2]string{{"Up", "Down"}, {"Yes", "No"}} {
		for i, l := range pair {
			if strings.EqualFold(label, l) {
				return pair[1-i]
			}
		}
	}
	return ""
}

// wholeGaps puts the gaps of a whole market for each of its tokens; for a round
// of which the log names none, for Up and Down.
func (im *importer) wholeGaps(b *book) {
	if _, ok := market.ParseRoundSlug(b.said.Slug); ok && len(b.tokens) == 0 {
		im.describe(b, market.Token{Label: "Up"})
		im.describe(b, market.Token{Label: "Down"})
	}
	for _, g := range b.gaps {
		if len(b.tokens) == 0 {
			im.to.Reject(g.line, []byte(g.text), string(NoToken))
			continue
		}
		for _, t := range b.tokens {
			im.to.Gap(b.handle, t.index, g.Gap)
		}
	}
}
