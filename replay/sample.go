package replay

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/strategy"
)

// Sample is a set of rounds, drawn once and replayed any number of times: by the
// baseline, over a grid of options, by a sweep.
type Sample struct {
	Rounds []market.Round // newest end first, ties by market id
	Funnel Funnel         // up to Sampled
	// Inferred counts the rounds excluded by Options.Winners alone: a source
	// inferred their payout, and everything else about them qualifies.
	Inferred int

	seam seam // nil but in tests
}

// Draw samples the rounds that c trades: up/down rounds of its coin and length
// with a payout that counts and a capture in [start, end), covered for at least
// MinCoverage of the round, ending in [from, to).
// The newest are taken first, or, for Random, those whose hex SHA-256 of
// "<seed>:<market id>" sorts first.
func Draw(ctx context.Context, src Source, c Case) (*Sample, error) {
	if err := c.validate(); err != nil {
		return nil, fmt.Errorf("draw a sample: %w", err)
	}
	f := filter(&c)
	rounds, err := src.Rounds(ctx, f)
	if err != nil {
		return nil, fmt.Errorf("draw a sample: %w", err)
	}
	s := &Sample{}
	for _, r := range rounds {
		m := r.Market
		if !f.Passes(m) { // sources may be generous
			continue
		}
		s.Funnel.Universe++
		captured := r.Captured && m.Start < m.End
		covered := captured && r.Coverage >= int64(c.Options.MinCoverage)
		if !counts(m, c.Options.Winners) {
			if covered && counts(m, WinnersInferred) {
				s.Inferred++
			}
			continue
		}
		s.Funnel.Resolved++
		if captured {
			s.Funnel.Captured++
		}
		if covered {
			s.Funnel.Covered++
			s.Rounds = append(s.Rounds, r)
		}
	}
	slices.SortStableFunc(s.Rounds, newestFirst)
	if c.Options.Sampling == Random {
		sortByHash(s.Rounds, c.Options.Seed)
	}
	s.Rounds = slices.Clone(s.Rounds[:min(len(s.Rounds), c.Strategy.SampleSize())])
	slices.SortStableFunc(s.Rounds, newestFirst)
	s.Funnel.Sampled = len(s.Rounds)
	return s, nil
}

// filter returns what c asks of a round.
func filter(c *Case) market.RoundFilter {
	spec := c.Strategy.Market()
	f := market.RoundFilter{Coin: spec.Coin, Type: spec.Type}
	if f.Coin == strategy.Any {
		f.Coin = ""
	}
	if f.Type == strategy.Any {
		f.Type = ""
	}
	if c.Options.From != nil {
		f.From = *c.Options.From
	}
	if c.Options.To != nil {
		f.To = *c.Options.To
	}
	return f
}

// counts reports whether the payout of m is known under w.
func counts(m *market.Market, w Winners) bool {
	p := m.Payout
	if p == nil || len(p.Fractions) != len(m.Tokens) {
		return false
	}
	return p.Basis == market.Official || p.Basis == market.Inferred && w == WinnersInferred
}

func newestFirst(a, b market.Round) int {
	return cmp.Or(cmp.Compare(b.Market.End, a.Market.End), strings.Compare(a.Market.VenueID, b.Market.VenueID))
}

// sortByHash sorts by the SHA-256 of "<seed>:<market id>"; the order of its
// bytes is that of its hex digits.
func sortByHash(rounds []market.Round, seed int64) {
	hash := make(map[string][sha256.Size]byte, len(rounds))
	for _, r := range rounds {
		hash[r.Market.VenueID] = sha256.Sum256(fmt.Appendf(nil, "%d:%s", seed, r.Market.VenueID))
	}
	slices.SortStableFunc(rounds, func(a, b market.Round) int {
		x, y := hash[a.Market.VenueID], hash[b.Market.VenueID]
		return slices.Compare(x[:], y[:])
	})
}
