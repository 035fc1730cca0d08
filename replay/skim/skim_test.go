package skim_test

import (
	"context"
	"errors"
	"iter"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay/skim"
)

// drawn returns random tops, and what gives them some at a time.
func drawn(r *rand.Rand) ([]market.Top, *market.Tops) {
	var all []market.Top
	side := func(low int) int16 {
		if r.IntN(6) == 0 {
			return int16(market.NoPrice)
		}
		return int16(low + 100*r.IntN(12))
	}
	at := market.Instant(r.IntN(5))
	for range r.IntN(40) {
		at += market.Instant(1 + r.IntN(6))
		t := market.Top{At: at, Bid: side(3000), Ask: side(4300), Trade: int16(market.NoPrice)}
		t.Least = [2]market.Least{market.Least(r.IntN(256)), market.Least(r.IntN(256))}
		if r.IntN(9) == 0 {
			t.Bid, t.Ask = market.NoLadder, market.NoLadder
		}
		all = append(all, t)
	}
	given := 0
	return all, &market.Tops{Read: func(about int) ([]market.Top, bool, error) {
		if given = min(given+1+r.IntN(5), len(all)); about == math.MaxInt {
			given = len(all)
		}
		return all[:given], given < len(all), nil
	}}
}

// byHand is By, one top after another.
func byHand(all []market.Top, at market.Instant) *market.Top {
	var out *market.Top
	for i := range all {
		if all[i].At <= at {
			out = &all[i]
		}
	}
	return out
}

// TestEveryTop: what is not bounded changes at each top, and By says which one holds,
// forwards and backwards.
func TestEveryTop(t *testing.T) {
	t.Parallel()
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 1))
		all, tops := drawn(r)
		s := skim.New(tops)
		for range 60 {
			at := market.Instant(r.IntN(200) - 10)
			want := market.Latest
			for i := len(all) - 1; i >= 0 && all[i].At > at; i-- {
				want = all[i].At
			}
			require.Equal(t, want, s.Next(skim.Watch{After: at, Until: market.Instant(r.IntN(200))}), "seed %d", seed)
			require.Equal(t, byHand(all, at), s.By(at), "seed %d at %d", seed, at)
		}
		require.NoError(t, s.Err())
	}
}

// TestBounds: within its bounds, which are stated here once more in words, a best bid is
// passed over, and nothing else is.
func TestBounds(t *testing.T) {
	t.Parallel()
	passed, found := 0, 0
	for seed := range uint64(600) {
		r := rand.New(rand.NewPCG(seed, 2))
		all, tops := drawn(r)
		s := skim.New(tops)
		for range 20 {
			b := skim.Bounds{
				Token: r.IntN(2), High: market.Price(3000 + 100*r.IntN(30)), Low: market.NoPrice,
				Size: market.Size(r.IntN(600)) * market.SizeOne / 2,
			}
			if r.IntN(3) > 0 {
				b.Low = market.Price(2500 + 100*r.IntN(20))
			}
			w := skim.Watch{After: market.Instant(r.IntN(150)), Until: market.Instant(20 + r.IntN(180)), Bid: b, Bounded: true}
			want := market.Latest
			for i := range all {
				top := &all[i]
				bid := top.BestBid(b.Token)
				none := bid.Price == market.NoPrice
				target := bid.Price >= b.High
				stop := b.Low != market.NoPrice && bid.Price <= b.Low
				// A sale that the best bid does not hold goes deeper: above Low, if near it there is enough.
				covered := bid.Size >= b.Size || top.Least[b.Token].Near() >= b.Size && bid.Price > b.Low+market.TopReach
				thin := b.Low != market.NoPrice && !covered
				if top.At > w.After && (top.At >= w.Until || !none && (target || stop || thin)) {
					want = top.At
					break
				}
				if top.At > w.After {
					passed++
				}
			}
			if want != market.Latest {
				found++
			}
			require.Equal(t, want, s.Next(w), "seed %d: %+v", seed, w)
		}
	}
	require.Greater(t, passed, 5000)
	require.Greater(t, found, 1000)
}

// TestGates: a top at which a value lies out of the bounds of a gate, or is not known, is
// passed over until somebody looks anyway, and nothing else is.
func TestGates(t *testing.T) {
	t.Parallel()
	found := 0
	for seed := range uint64(600) {
		r := rand.New(rand.NewPCG(seed, 4))
		all, tops := drawn(r)
		s := skim.New(tops)
		for range 20 {
			var gates []skim.Gate
			for range 1 + r.IntN(2) {
				low := market.Mid(2 * (2900 + 100*r.IntN(15)))
				gates = append(gates, skim.Gate{Of: skim.Value(r.IntN(3)), Low: low, High: low + market.Mid(r.IntN(3000))})
			}
			w := skim.Watch{After: market.Instant(r.IntN(150)), Until: market.Instant(20 + r.IntN(180)), Gates: gates}
			want := market.Latest
			for i := range all {
				q, passes := all[i].Quote(), true
				for _, g := range gates {
					v := [...]market.Mid{2 * market.Mid(q.Bid.Price), 2 * market.Mid(q.Ask.Price), all[i].Price()}[g.Of]
					passes = passes && v >= 0 && g.Low <= v && v <= g.High
				}
				if all[i].At > w.After && (all[i].At >= w.Until || passes) {
					want = all[i].At
					break
				}
			}
			if want < w.Until {
				found++
			}
			require.Equal(t, want, s.Next(w), "seed %d: %+v", seed, w)
			require.Equal(t, byHand(all, min(want, 300)), s.By(min(want, 300)))
		}
	}
	require.Greater(t, found, 1000)
}

// TestPast: type price of a round is that of its tops, each once.
func TestPast(t *testing.T) {
	t.Parallel()
	for seed := range uint64(100) {
		all, tops := drawn(rand.New(rand.NewPCG(seed, 3)))
		s := skim.New(tops)
		past := s.Past()
		n := 0
		for i := range all {
			if i == 0 || all[i].Price() != all[i-1].Price() {
				require.Equal(t, skim.Price{At: all[i].At, Price: all[i].Price()}, past[n])
				n++
			}
		}
		require.Len(t, past, n)
		require.Equal(t, past, s.Past())
	}
}

// TestUnreadable: where tops cannot be read there seem to be none, and Err says why.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	wrong, closed := errors.New("a block is gone"), false
	s := skim.New(&market.Tops{
		Read:  func(int) ([]market.Top, bool, error) { return nil, true, wrong },
		Close: func() { closed = true },
	})
	require.Nil(t, s.By(5))
	require.Equal(t, market.Latest, s.Next(skim.Watch{Until: market.Latest}))
	require.Empty(t, s.Past())
	require.ErrorIs(t, s.Err(), wrong)
	require.Nil(t, s.Cuts())
	require.False(t, s.HasLadders())
	s.Close()
	require.True(t, closed)
}

// TestCaptures: captures and ladders are those that the archive gives.
func TestCaptures(t *testing.T) {
	t.Parallel()
	one := func(token int) func(context.Context, market.Instant) iter.Seq2[*market.Capture, error] {
		return func(_ context.Context, at market.Instant) iter.Seq2[*market.Capture, error] {
			return func(yield func(*market.Capture, error) bool) { yield(&market.Capture{Token: token, Recv: at}, nil) }
		}
	}
	s := skim.New(&market.Tops{From: one(0), Ladders: one(1), Cuts: func() []market.Instant { return []market.Instant{3} }})
	require.True(t, s.HasLadders())
	require.Equal(t, []market.Instant{3}, s.Cuts())
	for token, ladders := range []bool{false, true} {
		for c, err := range s.Captures(t.Context(), 7, ladders) {
			require.NoError(t, err)
			require.Equal(t, market.Capture{Token: token, Recv: 7}, *c)
		}
	}
}
