package sweep

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

// Verdict says what the best of a sweep is worth.
type Verdict string

// Verdicts.
const (
	// NotEnough: no variant has the trades and the distinct ends that a verdict
	// needs.
	NotEnough Verdict = "not_enough_evidence"
	// NoGain: no eligible variant made money.
	NoGain Verdict = "no_gain"
	// Luck: the best of as many tries without an edge would look about as good.
	Luck Verdict = "luck"
	// Unproven: over the whole sample the best is better than luck, but choosing on
	// the past and trading what came next lost money, or made too few trades to
	// tell.
	Unproven Verdict = "unproven"
	// Edge: better than luck, and choosing on the past made money.
	Edge Verdict = "edge"
)

// What the best has to pass: a p-value of at most Significance in the test of
// superior predictive ability, and a deflated Sharpe ratio of at least Confidence.
const (
	Significance = 0.05
	Confidence   = 0.95
)

// Options are those of a sweep, besides those of the replay.
type Options struct {
	// Block is the length of a block of the walk-forward, in whole hours. 0: a
	// tenth of the time that the sample spans, in whole hours, or in whole days if
	// that is more than one day.
	Block market.Span
	// AlsoTried is how many independent variants of the idea were tried before, elsewhere:
	// they count among the tries that the best is deflated for. ≥ 0, may be broken.
	AlsoTried float64
	// Deflation is how the best is deflated; empty: ByNull.
	Deflation Deflation
	// Seed drives the resampling.
	Seed int64

	// For measurements of the verdict by the thousand: how many resamples the tests
	// take, 0 for Resamples, and whether to leave out the intervals of the variants,
	// on which no verdict rests, and Report.Overfit.
	resamples   int
	noIntervals bool
}

// Deflation is a way to tell what luck would give the best of many tries.
type Deflation string

// Ways to deflate. Both expect of the best the ratio of ExpectedMaximum; they differ
// in what they take for the scatter of tries without an edge, and for their number.
const (
	// ByNull takes the scatter that variants have in resamples in which each is moved
	// to a mean of 0, which is 1 ÷ √ends, and as many tries as are independent (see
	// SPA.Tries), besides those made elsewhere, of which each counts as independent.
	ByNull Deflation = "null"
	// ByScatter is the formula of 2014 as it stands: the scatter of the variants'
	// ratios, as if none had an edge, and every variant an independent try. Where some
	// variants have an edge and others have not it takes their difference for noise.
	ByScatter Deflation = "2014"
)

// Report is what a sweep found. Money is in USD; nil stands for a number without a
// value.
type Report struct {
	Axes []Axis `json:"axes"`
	// Combinations is the number of variants replayed, plus Duplicates
	// (combinations that mean the same strategy as an earlier one), plus the
	// invalid ones.
	Combinations int       `json:"combinations"`
	Duplicates   int       `json:"duplicates"`
	Invalid      []Invalid `json:"invalid"` // never nil
	// Tried is how many variants the best was chosen from: those replayed and those
	// said to have been tried before. Eligible counts those with enough trades.
	Tried    int `json:"tried"`
	Eligible int `json:"eligible"`
	// Survivors counts the variants that survive.
	Survivors int           `json:"survivors"`
	Funnel    replay.Funnel `json:"funnel"` // up to sampled; signalled and filled are the strategy's own
	// Ends is the number of distinct ends of the rounds replayed: the observations
	// behind Sharpe ratios and tests.
	Ends       int             `json:"ends"`
	FirstRound *market.Instant `json:"first_round"` // start of the first
	LastRound  *market.Instant `json:"last_round"`  // end of the last

	Verdict Verdict `json:"verdict"`
	// Best is nil without an eligible variant.
	Best        *Best        `json:"best"`
	WalkForward *WalkForward `json:"walk_forward"`
	// Overfit is nil for fewer than two eligible variants.
	Overfit *Overfit `json:"overfit"`
	// Own is the strategy as given; its number is 0 when it is not on the grid.
	Own Row `json:"own"`
	// Variants are in descending order of Sharpe ratio; those that are not eligible
	// follow, in descending order of trades. Ties are in order of number.
	Variants []Row `json:"variants"`
	// Cells are the numbers of the variants by combination of values, the last axis
	// running fastest; 0 where the combination is invalid.
	Cells []int `json:"cells"`
}

// Row is one variant.
type Row struct {
	// Number counts the variants from 1 in the order of their combinations.
	Number int `json:"number"`
	// Values are those of the axes; nil where the strategy leaves a field out.
	Values []*strategy.Number `json:"values"`
	// Eligible: it has enough trades and distinct ends for a verdict.
	Eligible bool           `json:"eligible"`
	Trades   int            `json:"trades"`
	Ends     int            `json:"ends"` // distinct ends of the rounds traded
	WinRate  *stats.Decimal `json:"win_rate"`
	TotalPnL stats.Decimal  `json:"total_pnl"`
	// MeanPnL is per trade; Interval and Verdict are those of a backtest of the
	// variant alone.
	MeanPnL       *stats.Decimal  `json:"mean_pnl"`
	Interval      *stats.Interval `json:"mean_pnl_interval"`
	Verdict       stats.Verdict   `json:"verdict"`
	ReturnOnStake *stats.Decimal  `json:"return_on_stake"`
	// Sharpe is the mean divided by the standard deviation of what was made at an
	// end of rounds, over all ends of the sample, 0 where nothing was traded; not
	// annualised. Nil if the standard deviation is 0.
	Sharpe *stats.Decimal `json:"sharpe"`

	// Survives: it is among those claimed to have an edge where a chance of 5 % of one
	// false claim is taken, and P is the p-value for that: see SPA.stepdown. P is nil
	// for a variant that is not eligible.
	Survives bool           `json:"survives"`
	P        *stats.Decimal `json:"p_stepdown"`

	series *series
	ratio  float64
	rated  bool
}

// Best is the variant with the highest Sharpe ratio, and the evidence for it.
type Best struct {
	Row
	// Skew and Kurtosis are those of what it made at an end of rounds; a normal
	// distribution has 0 and 3.
	Skew      stats.Decimal `json:"skew"`
	Kurtosis  stats.Decimal `json:"kurtosis"`
	PnLPerEnd stats.Decimal `json:"pnl_per_end"` // in USD
	// Deflated is what the verdict rests on, Beside the same the other way.
	Deflated
	Beside Deflated `json:"beside"`
	// SPA is the test of superior predictive ability over all eligible variants.
	SPA SPAFacts `json:"spa"`
	// Neighbours are the variants at most one step away on every axis.
	Neighbours Neighbourhood `json:"neighbours"`
	// MoreTrades is about how many trades more of the best it would take for a gain of
	// its size to pass both tests four times in five, and MoreEnds in how many ends of
	// rounds it makes them. 0: they are passed, there is no gain, or the deflation is
	// ByScatter, of which no number of rounds is enough where variants differ.
	MoreTrades int `json:"more_trades"`
	MoreEnds   int `json:"more_ends"`
}

// Deflated holds the best against luck.
type Deflated struct {
	Deflation Deflation `json:"deflation"`
	// Tries is how many independent tries the best counts as the best of, and SharpeSD
	// the standard deviation of their Sharpe ratios without an edge.
	Tries    stats.Decimal `json:"independent_tries"`
	SharpeSD stats.Decimal `json:"sharpe_sd"`
	// ExpectedMaxSharpe is the ratio then expected of the best, ExpectedMaxPnL that
	// times the standard deviation of the best: USD per end of rounds.
	ExpectedMaxSharpe stats.Decimal `json:"expected_max_sharpe"`
	ExpectedMaxPnL    stats.Decimal `json:"expected_max_pnl_per_end"`
	// Probability is that of a true Sharpe ratio above ExpectedMaxSharpe: the deflated
	// Sharpe ratio.
	Probability stats.Decimal `json:"deflated_sharpe"`
}

// SPAFacts is an SPA. A statistic is a mean over the ends of rounds in units of its
// own standard error.
type SPAFacts struct {
	P         stats.Decimal `json:"p"`
	Lower     stats.Decimal `json:"p_lower"`
	Upper     stats.Decimal `json:"p_upper"`
	Statistic stats.Decimal `json:"statistic"`
	Median    stats.Decimal `json:"without_edge_median"`
	High      stats.Decimal `json:"without_edge_95"`
	Resamples int           `json:"resamples"`
}

// Neighbourhood describes the variants around one: a plateau or a lonely peak.
type Neighbourhood struct {
	Count    int            `json:"count"`    // variants beside it
	Eligible int            `json:"eligible"` // of these, with enough trades
	Positive int            `json:"positive"` // eligible ones with a mean pnl above 0
	MeanPnL  *stats.Decimal `json:"mean_pnl"` // mean over the eligible ones of their mean pnl per trade
}

// Judge makes the report of a ledger.
func (l *Ledger) Judge(ctx context.Context, o Options, workers int) (*Report, error) {
	g := l.Grid
	r := &Report{
		Axes: g.Axes, Combinations: len(g.Cells), Duplicates: g.Duplicates(), Invalid: g.Invalid,
		Tried: len(g.Variants) + int(math.Ceil(o.AlsoTried)), Funnel: l.Sample.Funnel, Ends: len(l.Ends),
		Verdict: NotEnough, Cells: make([]int, len(g.Cells)),
	}
	if r.Invalid == nil {
		r.Invalid = []Invalid{}
	}
	for i, k := range g.Cells {
		r.Cells[i] = k + 1
	}
	l.span(r)
	if err := l.rows(ctx, r, o, workers); err != nil {
		return nil, err
	}
	var err error
	if r.WalkForward, err = l.walk(ctx, o.Block, o.Seed); err != nil {
		return nil, err
	}
	if r.Eligible > 0 {
		if r.Best, err = l.best(ctx, r, o, workers); err != nil {
			return nil, err
		}
		r.Verdict = r.judge()
		if !o.noIntervals {
			r.Overfit = overfit(r.eligible(), workers)
		}
	}
	return r, nil
}

// span fills in the time that the sample covers, and the funnel's end.
func (l *Ledger) span(r *Report) {
	for i := range l.Sample.Rounds {
		m := l.Sample.Rounds[i].Market
		if r.FirstRound == nil || m.Start < *r.FirstRound {
			r.FirstRound = new(m.Start)
		}
		if r.LastRound == nil || m.End > *r.LastRound {
			r.LastRound = new(m.End)
		}
	}
	for i := range l.Own {
		if l.Own[i].Signalled {
			r.Funnel.Signalled++
		}
		if l.Own[i].Trade != nil {
			r.Funnel.Filled++
		}
	}
}

// rows fills in the variants and the strategy itself.
func (l *Ledger) rows(ctx context.Context, r *Report, o Options, workers int) error {
	g := l.Grid
	rows := make([]Row, len(l.cases))
	for k := range l.cases {
		rows[k] = l.row(k)
	}
	if !o.noIntervals {
		if err := infer(ctx, rows, len(l.Ends), o.Seed, workers); err != nil {
			return err
		}
	}
	r.Own = rows[len(rows)-1]
	if g.Own >= 0 {
		r.Own = rows[g.Own]
	}
	r.Variants = rows[:len(g.Variants)]
	for i := range r.Variants {
		if r.Variants[i].Eligible {
			r.Eligible++
		}
	}
	slices.SortStableFunc(r.Variants, byMerit)
	return nil
}

// byMerit orders rows: eligible ones by Sharpe ratio, the others behind them by
// trades.
func byMerit(a, b Row) int {
	if a.Eligible != b.Eligible {
		if a.Eligible {
			return -1
		}
		return 1
	}
	if a.Eligible {
		return cmp.Or(cmp.Compare(b.ratio, a.ratio), cmp.Compare(a.Number, b.Number))
	}
	return cmp.Or(cmp.Compare(b.Trades, a.Trades), cmp.Compare(a.Number, b.Number))
}

// row makes the row of a case, but for its interval.
func (l *Ledger) row(k int) Row {
	s := &l.cases[k]
	row := Row{Trades: s.trades, Ends: s.ends, TotalPnL: stats.Decimal(s.total), Verdict: stats.NotEnough, series: s}
	if k < len(l.Grid.Variants) {
		row.Number = k + 1
		for _, v := range l.Grid.Values(l.Grid.Variants[k].Cell) {
			row.Values = append(row.Values, v.Ptr())
		}
	} else {
		row.Values = l.Grid.own
	}
	if s.trades > 0 {
		row.WinRate = new(stats.Ratio(int64(s.wins), int64(s.trades)))
		row.MeanPnL = new(stats.Mean(s.total, s.trades))
	}
	if s.staked > 0 {
		row.ReturnOnStake = new(stats.Ratio(s.total, int64(s.staked)))
	}
	if row.ratio, row.rated = momentsOf(s.pnl).sharpe(); row.rated {
		row.Sharpe = new(decimal(row.ratio))
	}
	row.Eligible = s.eligible() && row.rated
	return row
}

// infer fills in the intervals of the rows, some of them at a time: those with
// equally many ends, which share their draws, together.
func infer(ctx context.Context, rows []Row, ends int, seed int64, workers int) error {
	const atOnce = 1024
	order := make([]int, len(rows))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rows[a].Ends, rows[b].Ends) })
	for part := range slices.Chunk(order, atOnce) {
		cases := make([]stats.Clustered, len(part))
		for i, k := range part {
			cases[i] = rows[k].series.clustered(0, ends)
		}
		found, err := stats.Infer(ctx, cases, seed, workers)
		if err != nil {
			return err
		}
		for i, k := range part {
			rows[k].Interval, rows[k].Verdict = found[i].Interval, found[i].Verdict
		}
	}
	return nil
}

// eligible returns what the eligible variants made by end.
func (r *Report) eligible() [][]int64 {
	out := make([][]int64, r.Eligible)
	for i := range out {
		out[i] = r.Variants[i].series.pnl
	}
	return out
}

// best judges the first of the variants, and says which survive.
func (l *Ledger) best(ctx context.Context, r *Report, o Options, workers int) (*Best, error) {
	eligible := r.Variants[:r.Eligible]
	ratios := make([]float64, r.Eligible)
	for i := range eligible {
		ratios[i] = eligible[i].ratio
	}
	spa, err := drawing{cmp.Or(o.resamples, Resamples), o.Seed, workers}.test(ctx, r.eligible())
	if err != nil {
		return nil, err
	}
	for i := range eligible {
		eligible[i].P = new(decimal(spa.Adjusted[i]))
		eligible[i].Survives = *eligible[i].P <= decimal(Significance) && eligible[i].TotalPnL > 0
		if eligible[i].Survives {
			r.Survivors++
		}
	}
	b := &Best{Row: r.Variants[0]}
	m := momentsOf(b.series.pnl)
	b.Skew, b.Kurtosis, b.PnLPerEnd = decimal(m.skew), decimal(m.kurtosis), decimal(m.mean/1e6)
	b.Deflated = m.deflated(ByNull, spa.Tries+o.AlsoTried, 1/math.Sqrt(float64(m.n)))
	b.Beside = m.deflated(ByScatter, float64(r.Tried), deviation(ratios))
	if o.Deflation == ByScatter {
		b.Deflated, b.Beside = b.Beside, b.Deflated
	}
	b.SPA = SPAFacts{
		P: decimal(spa.P), Lower: decimal(spa.Lower), Upper: decimal(spa.Upper),
		Statistic: decimal(spa.Statistic), Median: decimal(spa.Median), High: decimal(spa.High), Resamples: cmp.Or(o.resamples, Resamples),
	}
	b.Neighbours = l.neighbourhood(r, b.Number-1)
	if b.Deflation == ByNull && !b.passes() {
		root := math.Sqrt(float64(m.n))
		needed := stats.Needed(b.ratio*root, m.n, max(spa.High, b.ExpectedMaxSharpe.Float()*root+m.asked()))
		b.MoreEnds = max(0, needed-m.n)
		b.MoreTrades = int(math.Ceil(float64(b.MoreEnds) * float64(b.Trades) / float64(m.n)))
	}
	return b, nil
}

// deflated holds a case against the best of so many independent tries whose ratios
// scatter by sd without an edge.
func (m moments) deflated(how Deflation, tries, sd float64) Deflated {
	ratio, _ := m.sharpe()
	expected := ExpectedMaximum(tries, sd)
	return Deflated{
		Deflation: how, Tries: decimal(tries), SharpeSD: decimal(sd),
		ExpectedMaxSharpe: decimal(expected), ExpectedMaxPnL: decimal(expected * m.sd / 1e6),
		Probability: decimal(Probability(ratio, expected, m.n, m.skew, m.kurtosis)),
	}
}

// asked is how far above the ratio expected of the best a ratio has to lie for a
// probability of Confidence, times √n.
func (m moments) asked() float64 {
	ratio, _ := m.sharpe()
	return distuv.UnitNormal.Quantile(Confidence) * math.Sqrt(variance(ratio, m.skew, m.kurtosis))
}

func (l *Ledger) neighbourhood(r *Report, variant int) Neighbourhood {
	var n Neighbourhood
	rows := r.ByNumber()
	sum := int64(0)
	for _, k := range l.Grid.Neighbours(variant) {
		row := rows[k+1]
		n.Count++
		if !row.Eligible {
			continue
		}
		n.Eligible++
		sum += int64(*row.MeanPnL)
		if *row.MeanPnL > 0 {
			n.Positive++
		}
	}
	if n.Eligible > 0 {
		n.MeanPnL = new(stats.Mean(sum, n.Eligible))
	}
	return n
}

// ByNumber returns the variants indexed by number; element 0 is nil.
func (r *Report) ByNumber() []*Row {
	out := make([]*Row, len(r.Variants)+1)
	for i := range r.Variants {
		out[r.Variants[i].Number] = &r.Variants[i]
	}
	return out
}

// passes reports whether the best is better than luck by both tests.
func (b *Best) passes() bool {
	return b.SPA.P <= decimal(Significance) && b.Probability >= decimal(Confidence)
}

// judge gives the verdict of a report with a best.
func (r *Report) judge() Verdict {
	b, w := r.Best, r.WalkForward
	switch {
	case b.TotalPnL <= 0:
		return NoGain
	case !b.passes():
		return Luck
	case w.Trades < stats.MinTrades || w.TotalPnL <= 0:
		return Unproven
	}
	return Edge
}
