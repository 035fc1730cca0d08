package simulate

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/ladderback/ladderback/market"
)

// Simulation is a list of rounds to generate. Its methods may be called
// concurrently.
type Simulation struct {
	config Config
	pairs  []pair
	end    market.Instant // the newest decided round of the longest length ends here
	now    market.Instant // up to which open rounds are captured
	rounds int
}

// pair is a Pair with its place in time.
type pair struct {
	Pair
	span  market.Span
	end   market.Instant // of its newest decided round
	first int            // the number of its first round
	count int            // rounds, an open one included
}

// New returns the simulation that c describes, or an error that says what is
// wrong with c.
func New(c Config) (*Simulation, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &Simulation{config: c}
	longest, shortest := market.Span(0), market.Latest
	for _, p := range c.Pairs {
		_, span, _ := market.ParseLength(p.Type)
		longest, shortest = max(longest, span), min(shortest, span)
		s.end = max(s.end, firstStart+market.Instant(p.Rounds+1)*span)
		s.pairs = append(s.pairs, pair{Pair: p, span: span})
	}
	if s.end > firstStart+maxHistory {
		return nil, fmt.Errorf("simulate: rounds for %d days: expected at most %d", (s.end-firstStart)/market.Day, maxHistory/market.Day)
	}
	s.end = (s.end + longest - 1) / longest * longest
	s.now = s.end + shortest/2
	for i := range s.pairs {
		p := &s.pairs[i]
		p.end = s.end / p.span * p.span
		p.first, p.count = s.rounds, p.Rounds
		if c.Open && p.end+p.span > s.now {
			p.count++
		}
		s.rounds += p.count
	}
	return s, nil
}

// maxHistory bounds the time from the first round to the last.
const maxHistory = 3650 * market.Day

// Len returns the number of rounds, open ones included.
func (s *Simulation) Len() int { return s.rounds }

// Newest returns a time that no capture is after.
func (s *Simulation) Newest() market.Instant { return s.now }

// Series returns the series of the rounds, one per pair.
func (s *Simulation) Series() []market.Series {
	out := make([]market.Series, len(s.pairs))
	for i := range s.pairs {
		p := &s.pairs[i]
		slug := p.seriesSlug()
		out[i] = market.Series{
			Venue: market.Simulated, VenueID: slug, Slug: slug, Title: p.title(), Recurrence: p.Type,
			Category: market.Crypto, Tags: p.tags(),
		}
	}
	return out
}

func (p *pair) seriesSlug() string { return strings.ToLower(p.Coin) + "-up-or-down-" + p.Type }

func (p *pair) title() string { return market.CoinName(p.Coin) + " Up or Down " + p.Type }

func (p *pair) tags() []string {
	tags := []string{strings.ToLower(market.CoinName(p.Coin)), "crypto", "up-or-down", p.Type}
	slices.Sort(tags)
	return slices.Compact(tags)
}

// question returns "Bitcoin Up or Down: 2026-04-13 14:00–14:05 UTC".
func (p *pair) question(start market.Instant) string {
	from, to := start.Time(), (start + p.span).Time()
	end := to.Format("15:04")
	if p.span >= market.Day {
		end = to.Format("2006-01-02 15:04")
	}
	return fmt.Sprintf("%s Up or Down: %s–%s UTC", market.CoinName(p.Coin), from.Format("2006-01-02 15:04"), end)
}

// Round is one simulated round.
type Round struct {
	Event  market.Event
	Market market.Market // with its payout, unless it is still open
	Gaps   []market.TokenGap

	config *Config
	pair   *pair
	steps  []step
	upWon  bool
}

// Round generates the i-th round, 0 ≤ i < Len: its listing and the path of its
// fair value. Rounds of a pair are consecutive, oldest first.
func (s *Simulation) Round(i int) *Round {
	k := 0
	for i >= s.pairs[k].first+s.pairs[k].count {
		k++
	}
	p := &s.pairs[k]
	back := market.Instant(p.first + p.Rounds - i)
	start := p.end - back*p.span
	end := start + p.span
	slug := fmt.Sprintf("%s-updown-%s-%d", strings.ToLower(p.Coin), p.Type, start/market.Second)
	r := &Round{
		config: &s.config, pair: p,
		Event: market.Event{
			Venue: market.Simulated, VenueID: slug, Slug: slug, Title: p.question(start), SeriesID: p.seriesSlug(),
			Category: market.Crypto, Tags: p.tags(), Start: start, End: end,
		},
		Market: market.Market{
			Venue: market.Simulated, VenueID: s.id(slug), Slug: slug, Question: p.question(start),
			Description: "A simulated round: no exchange listed it.",
			Category:    market.Crypto, EventID: slug, SeriesID: p.seriesSlug(), Tags: p.tags(),
			Coin: p.Coin, Type: p.Type, Start: start, End: end,
			Tokens: []market.Token{
				{VenueID: s.tokenID(slug, "up"), Label: "Up", Outcome: market.Up},
				{VenueID: s.tokenID(slug, "down"), Label: "Down", Outcome: market.Down},
			},
			Mirrored: true, Tick: coarseTick,
		},
	}
	r.walk(s.now)
	if end <= s.now {
		r.Market.Closed = true
		r.Market.Payout = &market.Payout{Basis: market.Official, Fractions: []market.Cash{0, market.CashOne}}
		if r.upWon {
			r.Market.Payout.Fractions = []market.Cash{market.CashOne, 0}
		}
	}
	return r
}

// digest is what the ids of a round are made of.
func (s *Simulation) digest(slug, what string) [32]byte {
	return sha256.Sum256(fmt.Appendf(nil, "simulated %d %s %s", s.config.Seed, slug, what))
}

// id returns an id of the form of a condition id.
func (s *Simulation) id(slug string) string {
	d := s.digest(slug, "market")
	return "0x" + hex.EncodeToString(d[:])
}

// tokenID returns an id of the form of a token id: a number of 256 bits.
func (s *Simulation) tokenID(slug, outcome string) string {
	d := s.digest(slug, outcome)
	return new(big.Int).SetBytes(d[:]).String()
}
