package orders

import (
	"cmp"

	"github.com/ladderback/ladderback/parser/orders/kinds"
	"github.com/ladderback/ladderback/strategy"
)

func (b *builder) size(m *match, z strategy.Size) {
	b.single("the size of an entry")
	b.s.Size = &z
	if m.said["usd"]+m.said["usd2"]+m.said["n"] != "" {
		b.start(m)
	}
}

func (b *builder) shares(m *match) {
	b.size(m, strategy.Size{Shares: m.number("shares")})
}

// sharesEach are the shares of each of two bids.
func (b *builder) sharesEach(m *match) {
	if b.shares(m); !kinds.Quotes(b.s) {
		b.fail("shares of each of what? say \"20 shares\"")
	}
	for i := range b.s.Then {
		if b.s.Then[i].On == strategy.OnStart {
			b.s.Then[i].USD, b.s.Then[i].Shares = 0, m.number("shares")
		}
	}
}

func (b *builder) ofBankroll(m *match) {
	b.size(m, strategy.Size{BankrollFraction: m.share()})
}

// kelly is a fraction of Kelly, its fair value, or both.
func (b *builder) kelly(m *match) {
	k := &strategy.Kelly{Fraction: m.share(), Probability: m.number("p") + m.number("p2")}
	if m.said["full"] != "" {
		k.Fraction = strategy.One
	}
	if m.said["tok"] != "" && b.token(m.said["tok"]) != strategy.TokenSame {
		b.fail("a fair value of the token that is not bought: say the one of that which is")
	}
	if z := b.s.Size; z != nil && z.Kelly != nil && z.Kelly.Probability == k.Probability {
		k.Probability = 0 // said twice
	}
	if z := b.s.Size; z != nil && z.Kelly != nil && (z.Kelly.Fraction == 0 || k.Fraction == 0) && (z.Kelly.Probability == 0 || k.Probability == 0) {
		z.Kelly.Fraction, z.Kelly.Probability = z.Kelly.Fraction+k.Fraction, z.Kelly.Probability+k.Probability
		return
	}
	b.size(m, strategy.Size{Kelly: k})
}

// purse is the bankroll, made when it is first spoken of.
func (b *builder) purse(field string) *strategy.Bankroll {
	b.single(field)
	b.s.Bankroll = cmp.Or(b.s.Bankroll, &strategy.Bankroll{})
	return b.s.Bankroll
}

// dollars is an amount that a phrase says, with its sign or behind a key.
func (m *match) dollars() strategy.Number {
	return m.number("usd") + m.number("usd2") + m.number("n")
}

func (b *builder) start(m *match) {
	if times[m.said["n"]] != "" { // "bankroll of twice $1000"
		b.fail("how many dollars?")
	}
	b.purse("the bankroll").Start = m.dollars()
}

// startWith is a bankroll that may be the first purchase where it is no more than that.
func (b *builder) startWith(m *match) {
	if b.start(m); b.s.Size == nil && m.dollars() <= b.s.BudgetPerTrade {
		b.fail("all there is, or the first purchase? say \"bankroll $500\" or \"$50 per trade\"")
	}
}

// lossOrStreak is one or the other, each said once.
func (b *builder) lossOrStreak(m *match) {
	if m.dollars() == 0 || m.said["n3"] == "" {
		b.fail("how much, and how many losses? say \"stop for the day after losing $100 or after 3 losses in a row\"")
	}
	b.dailyLoss(m)
	b.streak(m)
}

// limited reports whether a strategy bounds what is lost or open over all rounds.
func limited(s *strategy.Strategy) bool {
	return s.Bankroll != nil && (s.Bankroll.DailyLoss != 0 || s.Bankroll.MaxOpen != 0 || s.Bankroll.MaxLosingStreak != 0)
}

func (b *builder) dailyLoss(m *match) { b.purse("the loss of a day").DailyLoss = m.dollars() }

func (b *builder) maxOpen(m *match) {
	n := m.number("n3")
	if n != 0 && n < 100*strategy.One {
		b.fail("so many dollars, or positions? say \"at most $200 open\"")
	}
	b.purse("the most that is open").MaxOpen = m.dollars() + n
}

func (b *builder) streak(m *match) {
	b.purse("the losses in a row").MaxLosingStreak = b.count(m, "n3", "how many losses?")
}

// money notes that where a size is said and no budget, the default bounds what it comes to.
func (b *builder) money() {
	if b.s.Size != nil && !b.budget {
		b.assume("budget_per_trade", b.s.BudgetPerTrade, "no budget was named; the most that an entry spends")
	}
}
