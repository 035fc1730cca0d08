package simulate

import (
	"slices"

	"github.com/ladderback/ladderback/market"
)

// step is an instant at which a ladder is captured.
type step struct {
	recv, exch market.Instant
	fair       int64 // the chance of Up, in units of 1e-9
	quoted     int64 // the value that makers quote around, likewise
	fresh      bool  // the first capture, or the first after a gap
}

const (
	// tail is how long after the end captures go on at most.
	tail = 8 * market.Second
	// edge keeps values off 0 and 1 before the end.
	edge = one / 10_000
)

// coinTraits are what the rounds of a coin differ by.
type coinTraits struct {
	vol   int64 // of the logarithm of the price, 1e-9 a square root of a second
	depth int64 // percent of the depth of BTC
}

func traits(coin string) coinTraits {
	switch coin {
	case "BTC":
		return coinTraits{89_000, 100} // 50 % a year
	case "ETH":
		return coinTraits{116_000, 55} // 65 %
	case "SOL":
		return coinTraits{151_000, 35} // 85 %
	}
	return coinTraits{160_000, 20} // 90 %
}

// walk fills in the steps, the gaps and the outcome. Captures end at now.
func (r *Round) walk(now market.Instant) {
	d := newDice(r.config.Seed, r.Market.Slug, "times")
	times := r.times(&d, now)
	if r.config.Fair {
		r.martingale(times)
	} else {
		r.underlying(times)
	}
}

// times returns the steps with their times alone, and fills in the gaps.
func (r *Round) times(d *dice, now market.Instant) []step {
	start, end := r.Market.Start, r.Market.End
	from := start - market.Instant(d.below(int64(60*market.Second)))
	if d.in(3, 10) {
		from = start + market.Instant(d.below(int64(10*market.Second)))
	}
	to := end + market.Instant(d.below(int64(tail)))
	if !r.config.Fair && d.in(1, 25) {
		// Captured in part only.
		if d.in(1, 2) {
			from = start + r.pair.span*market.Instant(d.between(30, 90))/100
		} else {
			to = start + r.pair.span*market.Instant(d.between(10, 70))/100
		}
	}
	to = min(to, now)
	gaps := r.gaps(d, from, min(to, end))
	every := int64(float64(market.Second) / r.config.Rate)
	var out []step
	fresh := true
	for t := from; t < to; t += market.Instant(d.between(every/5, every*9/5)) {
		if d.in(1, 1500) && !r.config.Fair {
			t += market.Instant(d.between(3, 15)) * market.Second // silence
			if t >= to {
				break
			}
		}
		if slices.ContainsFunc(gaps, func(g market.Gap) bool { return g.Covers(t) }) {
			fresh = true
			continue
		}
		out = append(out, step{recv: t, exch: exchangeTime(d, t), fresh: fresh})
		fresh = false
	}
	return out
}

// gaps draws the stretches that are declared as missing, of both tokens.
func (r *Round) gaps(d *dice, from, to market.Instant) []market.Gap {
	if to-from < market.Minute || !d.in(1, 10) {
		return nil
	}
	at := from + market.Instant(d.below(int64(to-from)))
	g := market.Gap{From: at, To: min(at+market.Instant(d.between(5, 60))*market.Second, to)}
	for token := range r.Market.Tokens {
		r.Gaps = append(r.Gaps, market.TokenGap{Token: token, Gap: g})
	}
	return []market.Gap{g}
}

// exchangeTime draws the exchange's clock for a message received at recv: some
// milliseconds after the receiver's, seldom seconds before it, and so at times
// before that of the message before.
func exchangeTime(d *dice, recv market.Instant) market.Instant {
	ahead := market.Instant(18+d.normal()*30/65536) * market.Millisecond
	if d.in(1, 400) {
		ahead = -market.Instant(d.between(200, 8000)) * market.Millisecond
	}
	return (recv + ahead) / market.Millisecond * market.Millisecond
}

// martingale moves the fair value from step to step by two-point draws whose
// mean is where it was, and draws the outcome with the last value as its chance.
func (r *Round) martingale(steps []step) {
	d := newDice(r.config.Seed, r.Market.Slug, "path")
	p, last := int64(one/2), r.Market.Start
	for i := range steps {
		s := &steps[i]
		if s.recv >= r.Market.End {
			break
		}
		if s.recv > last {
			move := slope(p) * root(int64(s.recv-last), int64(r.Market.End-last)) / 65536 * d.between(128, 384) / 256
			up, down := min(p+move, one-edge), max(p-move, edge)
			// Up with the chance (p−down)/(up−down), so that the mean stays p.
			if up > down {
				if d.in(p-down, up-down) {
					p = up
				} else {
					p = down
				}
			}
			last = s.recv
		}
		s.fair, s.quoted = p, p
	}
	r.upWon = d.in(p, one)
	r.settle(steps)
}

// settle gives the steps after the end the value that the market then has.
func (r *Round) settle(steps []step) {
	won := int64(0)
	if r.upWon {
		won = one
	}
	for i := range steps {
		if steps[i].recv >= r.Market.End {
			steps[i].fair, steps[i].quoted = won, won
		}
	}
	r.steps = steps
}

// underlying lets the logarithm of a price move from 0 at the start. Up wins
// when it ends at 0 or above.
func (r *Round) underlying(steps []step) {
	d := newDice(r.config.Seed, r.Market.Slug, "path")
	noise := newDice(r.config.Seed, r.Market.Slug, "quotes")
	vol := traits(r.pair.Coin).vol * d.between(60, 150) / 100
	// Makers know the round's volatility in part.
	guess := (vol + 2*traits(r.pair.Coin).vol) / 3
	end := r.Market.End
	x, before, off := int64(0), int64(0), int64(0) // now, at the step before, error of the makers
	last := r.Market.Start
	for i := range steps {
		s := &steps[i]
		if s.recv >= end {
			break
		}
		if s.recv > last {
			before = x
			x += r.move(&d, vol, s.recv-last)
			last = s.recv
		}
		s.fair = chance(x, guess, end-last)
		// Makers see a part of the last move late, shade towards the middle and err.
		seen := chance(x-(x-before)*3/8, guess, end-last)
		off = off*7/8 + noise.normal()*(seen*(one-seen)/one)/one*250
		s.quoted = min(max(seen+(one/2-seen)/64+off, edge), one-edge)
	}
	x += r.move(&d, vol, end-last)
	r.upWon = x >= 0
	r.settle(steps)
}

// move draws how far the logarithm moves in a time, seldom by a jump.
func (r *Round) move(d *dice, vol int64, time market.Span) int64 {
	if d.in(1, 3000) {
		vol *= 6
	}
	return vol * root(int64(time), int64(market.Second)) / 65536 * d.normal() / 65536
}

// chance returns the chance that x ends at 0 or above.
func chance(x, vol int64, left market.Span) int64 {
	deviation := vol * root(int64(left), int64(market.Second)) / 65536
	if deviation == 0 {
		deviation = 1
	}
	z := x * 256 / deviation
	return min(max(normalCDF(min(max(z, -2000), 2000)), edge), one-edge)
}
