// Package calibration holds prices against outcomes: how often a market that was priced at
// 30 cents with two minutes left went up, over many rounds, and how surely that differs from
// 30 %. It knows observations alone, and nothing of where they come from.
package calibration

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/market"
)

// Observation is the price of a token at a time of a round, and what it came to.
type Observation struct {
	End   market.Instant // of the round: rounds that end together are one cluster
	Time  int            // which of the times, from 0
	Price market.Mid     // ≥ 0
	Paid  market.Cash    // per share of the token, 0 to market.CashOne
}

// Facts is what observations say.
type Facts struct {
	Observations int `json:"observations"`
	Ends         int `json:"ends"` // distinct ends of rounds
	// Verdict, and the cells of Times behind it: those with enough rounds for a band, those
	// whose mean price lies outside of it, of which one in twenty would by chance, and those
	// that are outside although so many were looked at: the chance that any of a market
	// without a mistake is among them is 5 % at most.
	Verdict Verdict `json:"verdict"`
	Judged  int     `json:"judged"`
	Off     int     `json:"off"`
	Sure    int     `json:"sure"`
	Scores  Scores  `json:"scores"` // of all observations
	// Times are in the order of the rounds' time, Prices all times together, by price.
	Times  []Time `json:"by_time"`
	Prices []Cell `json:"by_price"`
}

// Verdict says whether prices and outcomes agree.
type Verdict string

// Verdicts.
const (
	NotEnough  Verdict = "not_enough_evidence" // no cell has the rounds that a band needs
	Calibrated Verdict = "calibrated"          // no cell is surely off: see Facts.Sure
	Off        Verdict = "off"                 // some are
)

// Time is what was observed at one time of the rounds.
type Time struct {
	Left        stats.Decimal `json:"left"`         // share of the round to come
	SecondsLeft stats.Decimal `json:"seconds_left"` // of a round of the length asked for
	Scores      Scores        `json:"scores"`
	Cells       []Cell        `json:"cells"` // by price
}

// Cell is a band of prices. Means are nil without an observation.
type Cell struct {
	From  stats.Decimal   `json:"from"` // inclusive
	To    stats.Decimal   `json:"to"`   // exclusive, but for the last band
	N     int             `json:"n"`
	Ends  int             `json:"ends"`
	Price *stats.Decimal  `json:"mean_price"`
	Paid  *stats.Decimal  `json:"outcome_rate"`
	Gap   *stats.Decimal  `json:"gap"`  // outcome rate − mean price
	Band  *stats.Interval `json:"band"` // 95 % of the outcome rate: see band; nil for fewer than 30 rounds or 20 ends
	Off   bool            `json:"off"`  // the mean price lies outside of the band
	Sure  bool            `json:"sure"` // and of one that allows for all the cells of Facts.Times
}

// Scores judge prices as forecasts. They are nil without an observation; lower is better.
type Scores struct {
	N int `json:"n"`
	// Brier is the mean of (price − outcome)²; 0.25 is that of saying 50 % always. G. W.
	// Brier, "Verification of Forecasts Expressed in Terms of Probability", Monthly Weather
	// Review 78, 1950.
	Brier *stats.Decimal `json:"brier"`
	// Log is the mean of −ln of the probability given to what happened, prices moved to
	// within 0.001 of 0 and 1. I. J. Good, "Rational Decisions", Journal of the Royal
	// Statistical Society B 14, 1952.
	Log *stats.Decimal `json:"log"`
	// Brier = Reliability − Resolution + Uncertainty + Within, by bands of prices: how far
	// the mean prices of the bands lie from their outcomes, how far those lie from one
	// another, how uncertain the outcomes are by themselves, and what the bands leave of the
	// prices within them. A. H. Murphy, "A New Vector Partition of the Probability Score",
	// Journal of Applied Meteorology 12, 1973; D. B. Stephenson, C. A. S. Coelho, I. T.
	// Jolliffe, "Two Extra Components in the Brier Score Decomposition", Weather and
	// Forecasting 23, 2008, for the last.
	Reliability *stats.Decimal `json:"reliability"`
	Resolution  *stats.Decimal `json:"resolution"`
	Uncertainty *stats.Decimal `json:"uncertainty"`
	Within      *stats.Decimal `json:"within"`
}

// At returns when so many times of a round are: in the middle of so many equal parts of
// it.
func At(m *market.Market, times int) []market.Instant {
	out := make([]market.Instant, times)
	for k := range out {
		out[k] = m.Start + (m.End-m.Start)*market.Span(2*k+1)/market.Span(2*times)
	}
	return out
}

// Of says what observations of rounds of a length say, by so many bands of prices of equal
// width at so many times. The order of the observations is part of the result, in its
// last digit.
func Of(all []Observation, length market.Span, bands, times int) Facts {
	f := Facts{Verdict: NotEnough, Times: make([]Time, times)}
	grid := make([][][]Observation, times)
	for t := range grid {
		grid[t] = make([][]Observation, bands)
	}
	byPrice := make([][]Observation, bands)
	for _, o := range all {
		b := min(int(int64(o.Price)*int64(bands)/int64(market.MidOne)), bands-1)
		grid[o.Time][b] = append(grid[o.Time][b], o)
		byPrice[b] = append(byPrice[b], o)
	}
	whole := sumOf(all)
	f.Observations, f.Ends = whole.n, len(whole.clusters)
	f.Scores, f.Prices = scoresOf(byPrice), cellsOf(byPrice)
	for t := range f.Times {
		left := 2*(times-t) - 1
		f.Times[t] = Time{
			Left:        stats.Ratio(int64(left), int64(2*times)),
			SecondsLeft: stats.Mean(int64(length)*int64(left), 2*times), // both count millionths of a second
			Scores:      scoresOf(grid[t]), Cells: cellsOf(grid[t]),
		}
		for _, c := range f.Times[t].Cells {
			if c.Band != nil {
				f.Judged++
			}
		}
	}
	f.judge(grid)
	return f
}

// judge finds the cells that are off, and those that are so for sure.
func (f *Facts) judge(grid [][][]Observation) {
	for t := range f.Times {
		for b := range f.Times[t].Cells {
			c := &f.Times[t].Cells[b]
			if !c.Off {
				continue
			}
			f.Off++
			s := sumOf(grid[t][b])
			// Bonferroni: sound however the cells depend on one another.
			low, high := s.band(confidence(f.Judged))
			if price := s.price(); price < low || price > high {
				c.Sure = true
				f.Sure++
			}
		}
	}
	switch {
	case f.Sure > 0:
		f.Verdict = Off
	case f.Judged > 0:
		f.Verdict = Calibrated
	}
}

// confidence is that of one of so many bands that all hold with 95 %.
func confidence(bands int) float64 { return 1 - 0.05/float64(bands) }

func cellsOf(byBand [][]Observation) []Cell {
	out := make([]Cell, len(byBand))
	for b, all := range byBand {
		s := sumOf(all)
		c := Cell{
			From: stats.Ratio(int64(b), int64(len(byBand))), To: stats.Ratio(int64(b+1), int64(len(byBand))),
			N: s.n, Ends: len(s.clusters),
		}
		if s.n > 0 {
			c.Price, c.Paid = new(decimal(s.price())), new(decimal(s.rate()))
			c.Gap = new(decimal(s.rate() - s.price()))
		}
		if s.n >= stats.MinTrades && len(s.clusters) >= stats.MinEnds {
			low, high := s.band(confidence(1))
			c.Band = &stats.Interval{decimal(low), decimal(high)}
			c.Off = s.price() < low || s.price() > high
		}
		out[b] = c
	}
	return out
}

// sum is what observations add up to, in whole numbers of 1e-6 and 1e-12.
type sum struct {
	n            int
	prices, paid int64 // Σ in 1e-6
	uncertain    int64 // Σ price · (1 − price) in 1e-12
	missed       int64 // Σ (outcome − price)² in 1e-12
	clusters     []cluster
	together     bool // a cluster has more than one observation
}

// cluster is what rounds that end together add up to: Σ (outcome − price) in 1e-6.
type cluster struct{ n, missed int64 }

const one = int64(stats.One)

// priceOf is a price in 1e-6.
func priceOf(m market.Mid) int64 { return int64(m) * (one / int64(market.MidOne)) }

func sumOf(all []Observation) sum {
	s := sum{n: len(all)}
	at := make(map[market.Instant]int, len(all))
	for _, o := range all {
		p, y := priceOf(o.Price), int64(o.Paid)
		s.prices += p
		s.paid += y
		s.uncertain += p * (one - p)
		s.missed += (y - p) * (y - p)
		i, known := at[o.End]
		if !known {
			i = len(s.clusters)
			at[o.End] = i
			s.clusters = append(s.clusters, cluster{})
		}
		s.together = s.together || known
		s.clusters[i].n++
		s.clusters[i].missed += y - p
	}
	return s
}

func (s *sum) price() float64 { return float64(s.prices) / float64(one) / float64(s.n) }
func (s *sum) rate() float64  { return float64(s.paid) / float64(one) / float64(s.n) }

// band bounds the rate at which such tokens come true, with a confidence: the score
// interval of a binomial proportion
//
//	(r + z²/2m ± z·√(r(1 − r)/m + z²/4m²)) ÷ (1 + z²/m)
//
// for a rate r among m tokens (E. B. Wilson, "Probable Inference, the Law of Succession, and
// Statistical Inference", Journal of the American Statistical Association 22, 1927), where m
// is the number of rounds that would tell as much if they were independent and alike:
//
//		m = n ÷ (alike · together)
//
//	  - alike: tokens of different prices scatter less than tokens of their mean price, as
//	    mean(p(1 − p)) to p̄(1 − p̄);
//	  - together: rounds that end together scatter more than apart, as the squares of their
//	    sums to the sums of their squares, with what each came to less its price, and less
//	    the mean of that (L. Kish, Survey Sampling, 1965, 8.2: the design effect). It is 1
//	    where no two end together; else z is that of Student's t of one less than there are
//	    ends.
func (s *sum) band(confidence float64) (low, high float64) {
	n, p, r := float64(s.n), s.price(), s.rate()
	alike := 1.0
	if p > 0 && p < 1 {
		alike = max(0.1, float64(s.uncertain)/float64(one)/float64(one)/n/float64(p*(1-p)))
	}
	z := distuv.UnitNormal.Quantile((1 + confidence) / 2)
	effect := 1.0
	if s.together {
		effect = max(1, s.effect())
		z = distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(len(s.clusters) - 1)}.Quantile((1 + confidence) / 2)
	}
	m := n / float64(alike*effect)
	k := float64(z*z) / m
	middle := r + k/2
	half := z * math.Sqrt(float64(r*(1-r))/m+float64(k*k)/float64(z*z)/4)
	return max(0, (middle-half)/(1+k)), min(1, (middle+half)/(1+k))
}

// effect is the design effect of rounds that end together; 1 where all came to their price.
func (s *sum) effect() float64 {
	mean := (float64(s.paid) - float64(s.prices)) / float64(s.n)
	apart := float64(s.missed) - float64(float64(s.n)*mean*mean)
	within := 0.0
	for _, c := range s.clusters {
		d := float64(c.missed) - float64(float64(c.n)*mean)
		within += float64(d * d)
	}
	if apart <= 0 {
		return 1
	}
	g := float64(len(s.clusters))
	return within / apart * g / (g - 1)
}

// scoresOf scores observations by band.
func scoresOf(byBand [][]Observation) Scores {
	all := sumOf(slices.Concat(byBand...))
	if all.n == 0 {
		return Scores{}
	}
	n, base := float64(all.n), all.rate()
	var reliability, resolution, uncertainty, log float64
	for _, obs := range byBand {
		if len(obs) == 0 {
			continue
		}
		s := sumOf(obs)
		gap, off, share := s.price()-s.rate(), s.rate()-base, float64(s.n)/n
		reliability += float64(share * gap * gap)
		resolution += float64(share * off * off)
		for _, o := range obs {
			y := float64(o.Paid) / float64(one)
			uncertainty += float64((y - base) * (y - base))
			p := min(max(o.Price.Float(), nearest), 1-nearest)
			log -= float64(y*math.Log(p)) + float64((1-y)*math.Log(1-p))
		}
	}
	uncertainty /= n
	brier := float64(all.missed) / float64(one) / float64(one) / n
	return Scores{
		N: all.n, Brier: new(decimal(brier)), Log: new(decimal(log / n)),
		Reliability: new(decimal(reliability)), Resolution: new(decimal(resolution)), Uncertainty: new(decimal(uncertainty)),
		Within: new(decimal(brier - (reliability - resolution + uncertainty))),
	}
}

// nearest is how near to 0 and 1 prices count in Scores.Log.
const nearest = 0.001

// decimal rounds to the six decimals of a report, half even.
func decimal(v float64) stats.Decimal { return stats.Decimal(math.RoundToEven(v * float64(one))) }
