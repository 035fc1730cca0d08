package fills_test

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
)

func requireRat(t require.TestingT, want, got *big.Rat, what string) {
	require.Zero(t, want.Cmp(got), "%s: want %s, got %s", what, want.RatString(), got.RatString())
}

func TestBuyTakesTheMostThatFits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		asks := ladder(t, market.Ask, "ask")
		limit := market.Price(rapid.IntRange(1, 10_000).Draw(t, "limit"))
		budget := market.Cash(rapid.Int64Range(1, 4_000_000).Draw(t, "budget"))
		s := schedule(t)
		got := fills.Buy(asks, limit, budget, fills.Unlimited, s)
		want := buyOf(asks, limit, budget, s)
		require.Equal(t, want, got.Levels)
		requireRat(t, valueOf(want), got.Value.Rat(), "value")
		requireRat(t, ceilTo(valueOf(want), micro), cashRat(got.Cash), "cash")
		requireRat(t, feeOf(s, want), cashRat(got.Fee), "fee")
		shares := market.Size(0)
		for _, l := range want {
			shares += l.Size
		}
		require.Equal(t, shares, got.Shares)
		require.LessOrEqual(t, got.Cash+got.Fee, budget)
		beyond := len(asks) > 0 && asks[len(asks)-1].Price > limit
		require.Equal(t, beyond, got.Beyond, "beyond")
	})
}

// Whatever is bought is never better than the book: no share for less than the
// best ask, no more of a level than it shows, and more money never buys less or
// at a better average.
func TestBuyIsNeverBetterThanTheBook(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		asks := ladder(t, market.Ask, "ask")
		s := schedule(t)
		less := market.Cash(rapid.Int64Range(1, 5_000_000).Draw(t, "budget"))
		more := less + market.Cash(rapid.Int64Range(0, 5_000_000).Draw(t, "more"))
		a, b := fills.Buy(asks, fills.NoCap, less, fills.Unlimited, s), fills.Buy(asks, fills.NoCap, more, fills.Unlimited, s)
		require.LessOrEqual(t, a.Shares, b.Shares)
		require.LessOrEqual(t, a.Cash, b.Cash)
		require.LessOrEqual(t, a.Fee, b.Fee)
		for _, p := range []fills.Purchase{a, b} {
			if p.Shares == 0 {
				continue
			}
			require.GreaterOrEqual(t, p.Value.Cmp(fills.Value(asks[0].Price, p.Shares)), 0)
			require.Zero(t, p.Shares%fills.Lot)
			for i, l := range p.Levels {
				require.Equal(t, asks[i].Price, l.Price)
				require.LessOrEqual(t, l.Size, asks[i].Size)
			}
		}
		if a.Shares > 0 {
			x := fills.Average{Value: a.Value, Shares: a.Shares}
			y := fills.Average{Value: b.Value, Shares: b.Shares}
			require.LessOrEqual(t, x.Cmp(y), 0, "the average falls with the size")
		}
	})
}

func TestSellTakesWhatTheBidsHold(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		bids := ladder(t, market.Bid, "bid")
		shares := fills.Lot * market.Size(rapid.Int64Range(1, 5_000).Draw(t, "lots"))
		s := schedule(t)
		got := fills.Sell(bids, shares, s)
		held := market.Size(0)
		for _, l := range bids {
			held += l.Size
		}
		want := bought(bids, min(shares, held/fills.Lot*fills.Lot))
		require.Equal(t, want, got.Levels)
		requireRat(t, floorTo(valueOf(want), micro), cashRat(got.Cash), "cash")
		requireRat(t, feeOf(s, want), cashRat(got.Fee), "fee")
		if got.Shares > 0 {
			require.LessOrEqual(t, got.Value.Cmp(fills.Value(bids[0].Price, got.Shares)), 0)
		}
	})
}

// Nothing is lost or made: selling in two legs what could be sold in one brings
// at most what one leg would, and less by no more than the roundings.
func TestTwoLegsConserve(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		bids := ladder(t, market.Bid, "bid")
		shares := fills.Lot * market.Size(rapid.Int64Range(2, 5_000).Draw(t, "lots"))
		none := &fills.Schedule{}
		whole := fills.Sell(bids, shares, none)
		first := fills.Sell(bids, fills.Lot*market.Size(rapid.Int64Range(1, int64(shares/fills.Lot)-1).Draw(t, "first")), none)
		rest := append([]market.Level(nil), bids...)
		for i, l := range first.Levels {
			rest[i].Size -= l.Size
		}
		second := fills.Sell(rest, shares-first.Shares, none)
		require.Equal(t, whole.Shares, first.Shares+second.Shares)
		require.Equal(t, whole.Value, first.Value.Add(second.Value))
		require.LessOrEqual(t, first.Cash+second.Cash, whole.Cash)
		require.GreaterOrEqual(t, first.Cash+second.Cash, whole.Cash-1)
	})
}

func TestBuySaysWhatStoppedIt(t *testing.T) {
	t.Parallel()
	none := &fills.Schedule{}
	asks := []market.Level{{Price: 5000, Size: 10_000_000}, {Price: 6000, Size: 10_000_000}}
	for name, c := range map[string]struct {
		limit             market.Price
		budget            market.Cash
		shares            market.Size
		exhausted, beyond bool
	}{
		"the budget":              {7000, 5_000_000, 10_000_000, false, false},
		"the ladder":              {7000, 100_000_000, 20_000_000, true, false},
		"the cap":                 {5500, 100_000_000, 10_000_000, true, true},
		"both at once":            {5500, 5_004_999, 10_000_000, false, true},
		"the cap with a Lot left": {5500, 5_005_000, 10_000_000, true, true},
		"nothing at all":          {4000, 100_000_000, 0, true, true},
	} {
		p := fills.Buy(asks, c.limit, c.budget, fills.Unlimited, none)
		require.Equal(t, c.shares, p.Shares, name)
		require.Equal(t, c.exhausted, p.Exhausted, name)
		require.Equal(t, c.beyond, p.Beyond, name)
	}
}

func TestBuyWithoutASizeIsFilledInFull(t *testing.T) {
	t.Parallel()
	s := &fills.Schedule{Rate: 70_000, Exponent: 1}
	for price := market.Price(1); price < market.PriceOne; price += 37 {
		for _, budget := range []market.Cash{10_000, 100_000_000, 1_000_000_000_000} {
			p := fills.Buy([]market.Level{{Price: price, Size: fills.Unlimited}}, fills.NoCap, budget, fills.Unlimited, s)
			require.LessOrEqual(t, p.Cash+p.Fee, budget)
			one := []market.Level{{Price: price, Size: p.Shares + fills.Lot}}
			paid := add(ceilTo(valueOf(one), micro), feeOf(s, one))
			require.Positive(t, paid.Cmp(cashRat(budget)), "a Lot more at %s fits %s", price, budget)
		}
	}
	p := fills.Buy([]market.Level{{Price: 0, Size: fills.Unlimited}}, fills.NoCap, 1, fills.Unlimited, s)
	require.Zero(t, p.Shares, "shares for nothing and without end")
}

func TestSettle(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		shares market.Size
		payout market.Cash
		want   market.Cash
	}{
		{190_880_000, market.CashOne, 190_880_000},
		{190_880_000, 0, 0},
		{10_000, 333_333, 3_333}, // 0.01 × 0.333333 = 0.00333333, down
		{30_010_000, 500_000, 15_005_000},
	} {
		f := fills.Settle(c.shares, c.payout)
		require.Equal(t, c.want, f.Cash)
		require.Zero(t, f.Fee)
		requireRat(t, mul(sizeRat(c.shares), cashRat(c.payout)), f.Value.Rat(), "value")
	}
}

// Sizes and prices at the ends of their ranges neither overflow nor hang.
func TestExtremes(t *testing.T) {
	t.Parallel()
	const most = fills.Unlimited - 1
	s := &fills.Schedule{Rate: 1_000_000, PricePower: 1, Exponent: 4, Rounding: fills.UpCent}
	asks := []market.Level{{Price: 0, Size: most}, {Price: 5000, Size: most}, {Price: 10_000, Size: most}}
	p := fills.Buy(asks, fills.NoCap, 1_000_000_000_000, fills.Unlimited, s)
	require.Equal(t, most-most%fills.Lot, p.Shares)
	bids := []market.Level{{Price: 10_000, Size: most}, {Price: 1, Size: most}}
	require.Equal(t, most-most%fills.Lot, fills.Sell(bids, most, s).Shares)
}
