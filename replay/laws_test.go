package replay_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/internal/replaytest"
	"github.com/ladderback/ladderback/internal/strategytest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

// lab is a random archive with a case to replay over it, and an engine that may
// be broken on purpose.
type lab struct {
	seed    uint64
	archive *replaytest.Archive
	c       replay.Case
	broken  *replay.Break
	running *replaytest.Archive // what run is at, for engines that cheat
}

func newLab(seed uint64) *lab {
	r := replaytest.NewRandom(seed)
	return &lab{seed: seed, archive: r.Archive(4), c: replay.Case{Strategy: r.Strategy(), Options: r.Options()}}
}

// run replays c over a.
func (l *lab) run(a *replaytest.Archive, c replay.Case) (*replay.Result, error) {
	l.running = a
	s, err := replay.Draw(context.Background(), a, c)
	if err != nil {
		return nil, err
	}
	r, err := s.Broken(l.broken).Replay(context.Background(), a, replay.Parallel{Workers: 1}, c)
	if err != nil {
		return nil, err
	}
	return r[0], nil
}

// law is something that must hold of every lab: check returns what it found
// wrong, or nil.
type law struct {
	name  string
	check func(*lab) error
}

var laws = []law{
	{"future perturbation", futurePerturbation},
	{"never better than the book", neverBetter},
	{"monotone in size", monotone},
	{"conservation", conservation},
	{"mirror", mirror},
	{"agreement with the oracle", agreement},
	{"any number of workers", workers},
	{"justified", justified},
}

// labs is how many random archives TestLaws looks at; more in a campaign.
var labs = flag.Uint64("labs", 150, "number of random archives that the laws are held against")

func TestLaws(t *testing.T) {
	t.Parallel()
	traded := uint64(0)
	for seed := range *labs {
		l := newLab(seed)
		for _, law := range laws {
			require.NoError(t, law.check(l), "seed %d: %s", seed, law.name)
		}
		r, err := l.run(l.archive, l.c)
		require.NoError(t, err)
		traded += uint64(len(r.Trades))
	}
	require.Greater(t, traded, *labs/4, "too few trades to mean anything")
}

// futurePerturbation: whatever is changed after an instant, and in the payout,
// every leg, refusal and evaluation up to it stays.
func futurePerturbation(l *lab) error {
	before, err := l.run(l.archive, l.c)
	if err != nil {
		return err
	}
	r := replaytest.NewRandom(l.seed ^ 0xf00d)
	for i := range before.Markets {
		round := l.round(before.Markets[i].Round.Market)
		at := round.Market.Start + market.Instant(r.Int64N(int64(round.Market.End-round.Market.Start)))
		changed := perturbed(r, round, at)
		other := &replaytest.Archive{All: []*replaytest.Round{changed}}
		c := l.c
		c.Options.Winners = replay.WinnersInferred
		after, err := l.run(other, c)
		if err != nil {
			return err
		}
		x := upTo(before.Markets[i].Trade, at)
		y := upTo(nil, at)
		if len(after.Markets) == 1 {
			y = upTo(after.Markets[0].Trade, at)
		}
		if !same(x, y) {
			return fmt.Errorf("market %s, changed after %s: legs up to then\n%+v\nbecame\n%+v", round.Market.VenueID, at, x, y)
		}
		if l.broken != nil {
			continue // traces are those of the engine as it is
		}
		if err := sameTrace(l, round, changed, at); err != nil {
			return err
		}
	}
	return nil
}

func (l *lab) round(m *market.Market) *replaytest.Round { return find(l.archive, m) }

func find(a *replaytest.Archive, m *market.Market) *replaytest.Round {
	i := slices.IndexFunc(a.All, func(r *replaytest.Round) bool { return r.Market.VenueID == m.VenueID })
	return a.All[i]
}

// perturbed returns the round with every capture after an instant replaced, and
// another payout.
func perturbed(r replaytest.Random, round *replaytest.Round, at market.Instant) *replaytest.Round {
	p := &replaytest.Round{Market: round.Market, Gaps: round.Gaps}
	up := market.Cash(r.IntN(2)) * market.CashOne
	p.Market.Payout = &market.Payout{Basis: market.Official, Fractions: []market.Cash{up, market.CashOne - up}}
	for _, c := range round.Captures {
		if c.Recv <= at {
			p.Captures = append(p.Captures, c)
		}
	}
	for _, c := range r.Round(0).Captures {
		c.Recv = at + 1 + (c.Recv % (300 * market.Second))
		p.Captures = append(p.Captures, c)
	}
	if r.IntN(3) == 0 { // or nothing at all, but for the end
		p.Captures = slices.DeleteFunc(p.Captures, func(c market.Capture) bool { return c.Recv > at })
	}
	slices.SortStableFunc(p.Captures, func(a, b market.Capture) int { return int(a.Recv - b.Recv) })
	return p
}

// upTo returns the legs of a trade up to an instant, with what they were sent
// by.
func upTo(t *replay.Trade, at market.Instant) []replay.Leg {
	var legs []replay.Leg
	if t == nil {
		return nil
	}
	for _, l := range t.Legs {
		if l.Action != replay.Settle && l.Time <= at {
			legs = append(legs, l)
		}
	}
	return legs
}

func sameTrace(l *lab, a, b *replaytest.Round, at market.Instant) error {
	x, err := explain(l, a)
	if err != nil {
		return err
	}
	y, err := explain(l, b)
	if err != nil {
		return err
	}
	late := func(e replay.Evaluation) bool { return e.At > at }
	x.Evaluations, y.Evaluations = slices.DeleteFunc(x.Evaluations, late), slices.DeleteFunc(y.Evaluations, late)
	if !same(x.Evaluations, y.Evaluations) {
		return fmt.Errorf("market %s, changed after %s: other evaluations up to then", a.Market.VenueID, at)
	}
	later := func(o replay.Order) bool { return o.Arrival > at }
	x.Orders, y.Orders = slices.DeleteFunc(x.Orders, later), slices.DeleteFunc(y.Orders, later)
	if !same(x.Orders, y.Orders) {
		return fmt.Errorf("market %s, changed after %s: other orders up to then\n%+v\nbecame\n%+v", a.Market.VenueID, at, x.Orders, y.Orders)
	}
	return nil
}

// same compares deeply, except that none is none.
func same[T any](a, b []T) bool {
	return len(a) == 0 && len(b) == 0 || reflect.DeepEqual(a, b)
}

func explain(l *lab, r *replaytest.Round) (*replay.Trace, error) {
	round := r.Round()
	if round.Market.Payout == nil {
		return nil, errors.New("no payout")
	}
	return (&replay.Sample{Rounds: []market.Round{round}}).Explain(context.Background(), &replaytest.Archive{All: []*replaytest.Round{r}}, 0, l.c)
}

// neverBetter: no leg is better than the book as of its execution, which is
// rebuilt here from the captures, nor takes more than is left of a level.
func neverBetter(l *lab) error {
	r, err := l.run(l.archive, l.c)
	if err != nil {
		return err
	}
	for _, t := range r.Trades {
		round := l.round(t.Market)
		b := newNaiveBook(round, t.Token)
		for i := range t.Legs {
			leg := &t.Legs[i]
			if leg.Action == replay.Settle {
				continue
			}
			b.to(leg.Time)
			if err := b.take(leg); err != nil {
				return fmt.Errorf("market %s, leg %d: %w", t.Market.VenueID, i, err)
			}
		}
	}
	return nil
}

// conservation: the legs of every trade reconcile with its numbers to the
// micro-dollar, computed in exact fractions, the fees by their formula.
func conservation(l *lab) error {
	r, err := l.run(l.archive, l.c)
	if err != nil {
		return err
	}
	for _, m := range r.Markets {
		if m.Trade == nil {
			continue
		}
		if err := reconcile(m.Trade, m.Schedule, l.c); err != nil {
			return fmt.Errorf("market %s: %w", m.Round.Market.VenueID, err)
		}
	}
	return nil
}

func reconcile(t *replay.Trade, s fills.Schedule, c replay.Case) error {
	var bought, out market.Size
	var cash, fees market.Cash
	payout := t.Market.Payout.Fractions[t.Token]
	for _, l := range t.Legs {
		value := new(big.Rat)
		var shares market.Size
		for _, level := range l.Levels {
			value.Add(value, new(big.Rat).Mul(priceRat(level.Price), sizeRat(level.Size)))
			shares += level.Size
		}
		fee := market.Cash(0)
		switch {
		case l.Action == replay.Settle:
			shares = l.Shares
			value.Mul(sizeRat(shares), cashRat(payout))
		case c.Options.Fees == replay.FeesVenue:
			fee = feeByFormula(s, l.Levels)
		}
		money := floor(value)
		if l.Action == replay.Buy {
			money = -floor(new(big.Rat).Neg(value))
			bought += shares
			cash -= money + fee
		} else {
			out += shares
			cash += money - fee
		}
		fees += fee
		if shares != l.Shares || money != l.Cash || fee != l.Fee || shares%fills.Lot != 0 {
			return fmt.Errorf("%s leg at %s: want %s shares, %s, fee %s; got %s, %s, %s",
				l.Action, l.Time, shares, money, fee, l.Shares, l.Cash, l.Fee)
		}
	}
	switch {
	case bought != out || bought != t.Shares:
		return fmt.Errorf("bought %s, sold and settled %s, shares %s", bought, out, t.Shares)
	case cash != t.PnL() || fees != t.Fees:
		return fmt.Errorf("legs make %s with fees %s, the trade says %s with %s", cash, fees, t.PnL(), t.Fees)
	case t.Cost > c.Strategy.BudgetPerTrade().Cash():
		return fmt.Errorf("cost %s above the budget %s", t.Cost, c.Strategy.BudgetPerTrade())
	}
	return nil
}

// mirror: with the labels of the tokens swapped, and the winner and the
// strategy's tokens with them, every trade is the same.
func mirror(l *lab) error {
	r, err := l.run(l.archive, l.c)
	if err != nil {
		return err
	}
	swapped := &replaytest.Archive{}
	for _, round := range l.archive.All {
		swapped.All = append(swapped.All, relabelled(round))
	}
	c := l.c
	c.Strategy = otherSide(c.Strategy)
	s, err := l.run(swapped, c)
	if err != nil {
		return err
	}
	if r.Refusals != s.Refusals || r.Funnel != s.Funnel || len(r.Trades) != len(s.Trades) {
		return fmt.Errorf("refusals %v became %v, funnel %v became %v", r.Refusals, s.Refusals, r.Funnel, s.Funnel)
	}
	for i, t := range r.Trades {
		u := s.Trades[i]
		if t.Token != 1-u.Token || !reflect.DeepEqual(t.Legs, turned(u.Legs)) || t.PnL() != u.PnL() {
			return fmt.Errorf("market %s: %+v became %+v", t.Market.VenueID, t, u)
		}
	}
	return nil
}

// relabelled returns the round with Up called Down and Down called Up. Up stands
// first all the same, so that everything that counts tokens is turned round.
func relabelled(r *replaytest.Round) *replaytest.Round {
	s := &replaytest.Round{Market: r.Market}
	m := &s.Market
	m.Tokens = []market.Token{r.Market.Tokens[1], r.Market.Tokens[0]}
	m.Tokens[0].Outcome, m.Tokens[1].Outcome = market.Up, market.Down
	if p := m.Payout; p != nil {
		m.Payout = &market.Payout{Basis: p.Basis, Fractions: []market.Cash{p.Fractions[1], p.Fractions[0]}}
	}
	for _, g := range r.Gaps {
		s.Gaps = append(s.Gaps, market.TokenGap{Token: 1 - g.Token, Gap: g.Gap})
	}
	for _, c := range r.Captures {
		c.Token = 1 - c.Token
		s.Captures = append(s.Captures, c)
	}
	return s
}

func otherSide(c strategy.Canonical) strategy.Canonical {
	s := c.Strategy()
	switch s.Side {
	case strategy.Up:
		s.Side = strategy.Down
	case strategy.Down:
		s.Side = strategy.Up
	}
	other := func(conditions []strategy.Condition) []strategy.Condition {
		conditions = slices.Clone(conditions)
		for i := range conditions {
			switch conditions[i].Token {
			case strategy.TokenUp:
				conditions[i].Token = strategy.TokenDown
			case strategy.TokenDown:
				conditions[i].Token = strategy.TokenUp
			}
		}
		return conditions
	}
	s.Entry = other(s.Entry)
	groups := s.EntryAny
	s.EntryAny = nil
	for _, g := range groups {
		s.EntryAny = append(s.EntryAny, other(g))
	}
	return strategytest.Canonicalize(s)
}
