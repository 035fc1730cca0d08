package words

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/compare"
	"github.com/ladderback/ladderback/backtest/figures"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

// Report is a report in sentences, for clients that show it in their own way. It
// names options of the API, never flags of a terminal.
type Report struct {
	Verdict    string      `json:"verdict"` // in a few words
	Why        string      `json:"why"`
	Headline   string      `json:"headline"`
	Look       string      `json:"look,omitempty"`     // which look at its rounds it was; empty for the first
	Lock       string      `json:"lock,omitempty"`     // what of the lockbox; empty where there is none
	Nothing    []string    `json:"nothing,omitempty"`  // why nothing was replayed, then what the archive has
	Baseline   string      `json:"baseline,omitempty"` // what it is, and how the strategy compares
	Tiles      []Tile      `json:"tiles"`              // the numbers of the first row; empty without trades
	Funnel     []Step      `json:"funnel"`             // in order
	Refused    []Step      `json:"refused"`            // by reason, those that happened
	Breakdowns []Breakdown `json:"breakdowns"`
	Warnings   []Remark    `json:"warnings"`
	Remedies   []Remedy    `json:"remedies"` // of an empty run
}

// Tile is a number of the first row.
type Tile struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	Note  string `json:"note"` // what bounds it, or what it is out of; may be empty
	Sign  int    `json:"sign"` // −1 a loss, 1 a gain, else 0
	Help  string `json:"help"` // what the number is
}

// Remark is a warning in words.
type Remark struct {
	Code     backtest.Code `json:"code"`
	Head     string        `json:"head"`
	Text     string        `json:"text"`
	Remedies []Remedy      `json:"remedies"` // never nil
}

// Remedy is another replay that does without what is warned of.
type Remedy struct {
	Label   string  `json:"label"`
	Options Instead `json:"options"`
}

// Instead are options that take the place of those of the run; zero: stays as it is.
type Instead struct {
	Winners     replay.Winners `json:"winners,omitempty"`
	MinCoverage stats.Decimal  `json:"min_coverage,omitempty"`
	MaxSlippage string         `json:"max_slippage,omitempty"`
}

// Say returns the sentences of a run, whose report must not be nil.
func Say(b *backtest.Body) Report {
	r := b.Report
	verdict := Verdict(r)
	out := Report{
		Verdict: verdict[0], Why: verdict[1], Headline: Headline(r), Look: Look(r, b.Strategy.Market(), b.Tally), Lock: Lock(r.Options.HoldOut), Tiles: []Tile{},
		Funnel: []Step{}, Refused: append([]Step{}, Reasons(&r.Funnel)...), Breakdowns: Breakdowns(r), Warnings: remarks(r.Warnings), Remedies: []Remedy{},
	}
	for _, line := range Nothing(r, b.Strategy.Market()) {
		out.Nothing = append(out.Nothing, strings.Replace(line, " more with --winners inferred", " more with inferred winners", 1))
	}
	switch {
	case len(out.Nothing) > 0:
		out.Verdict, out.Why = "Nothing to replay", ""
		out.Remedies = withInferred(r, b.Strategy.Market())
	case len(r.Trades) == 0:
		out.Verdict, out.Why = "No trades", "Where the markets went is below: the first step that loses them is the one to change."
	default:
		out.Tiles = tiles(r)
	}
	if base := r.Baseline.Value; base != nil {
		out.Baseline = Baseline(base, b.Strategy)
	}
	for _, s := range Steps(&r.Funnel) {
		if s.Name != "covered" || r.Options.MinCoverage > 0 {
			out.Funnel = append(out.Funnel, s)
		}
	}
	return out
}

// Read says the body of a backtest, and which try of its rounds it is, in sentences; nil for
// one that cannot be read.
func Read(body []byte, tally backtest.Tally) *Report {
	b, err := backtest.ReadBody(bytes.NewReader(body))
	if err != nil {
		return nil
	}
	b.Tally = tally
	said := Say(b)
	return &said
}

// ReadSweep is Read for the result of a sweep.
func ReadSweep(result []byte, tally backtest.Tally) *Sweep {
	var b backtest.SweepBody
	if json.Unmarshal(result, &b) != nil || b.Sweep == nil {
		return nil
	}
	said := SaySweep(b.Sweep)
	said.Look = SweepLook(b.Strategy.Market(), tally)
	return &said
}

// tiles are seven numbers with what bounds them.
func tiles(r *backtest.Report) []Tile {
	st := &r.Stats
	gross := figures.USD(st.GrossPnL) + " before fees"
	total := gross
	if b := r.Baseline.Value; b != nil {
		total = "baseline " + figures.USD(b.TotalPnL)
	}
	notes := [][2]string{
		{"trades", "of " + figures.Count(r.MarketsFound, "market")},
		{"win rate", Interval(st.WinRateInterval, figures.Rate)},
		{"total pnl", total},
		{"edge per share", "if held to expiry; entry " + figures.Or(st.AvgEntryPrice, figures.Price)},
		{"fees", gross},
		{"max drawdown", "losing streak " + figures.Number(st.LongestLosingStreak)},
		{"average holding time", "from entry to exit"},
	}
	known := make(map[string]Figure)
	for _, part := range Figures(r) {
		for _, f := range part {
			known[f.Name] = f
		}
	}
	out := make([]Tile, len(notes))
	for i, n := range notes {
		f := known[n[0]]
		out[i] = Tile{f.Name, f.Value, n[1], f.Sign, f.Help}
	}
	return out
}

// withInferred offers the rounds whose winners are inferred, where a run without any
// round could have had some.
func withInferred(r *backtest.Report, m strategy.MarketSpec) []Remedy {
	out := []Remedy{}
	n := 0
	for i := range r.Available {
		if h := &r.Available[i]; (m.Coin == strategy.Any || m.Coin == h.Coin) && (m.Type == strategy.Any || m.Type == h.Type) {
			n += h.Inferred
		}
	}
	if n > 0 && r.Options.Winners != replay.WinnersInferred {
		out = append(out, inferred(figures.Count(n, "round")))
	}
	return out
}

func inferred(rounds string) Remedy {
	return Remedy{"Replay with inferred winners: " + rounds, Instead{Winners: replay.WinnersInferred}}
}

// moreInferred finds in the warning of defaults how many rounds wait for inferred
// winners, and the flag behind it.
var moreInferred = regexp.MustCompile(`([\d,]+ more rounds?)( ha\w+ an inferred payout): --winners inferred replays them too`)

// holes is what the warning of poor coverage says to who sits at a terminal.
const holes = " To leave such rounds out, set min_coverage, for example --min-coverage 0.9."

// leftOut is the coverage that the remedy of poor coverage asks for.
const leftOut stats.Decimal = 900_000

// remarks says the warnings, and what could be done about them.
func remarks(ws []backtest.Warning) []Remark {
	out := make([]Remark, 0, len(ws))
	for _, w := range ws {
		one := Remark{w.Code, figures.Sentence(strings.ReplaceAll(string(w.Code), "_", " ")), w.Message, []Remedy{}}
		if text, ok := strings.CutSuffix(one.Text, holes); ok {
			one.Text = text
			one.Remedies = append(one.Remedies, Remedy{"Leave out rounds with holes", Instead{MinCoverage: leftOut}})
		}
		if found := moreInferred.FindStringSubmatch(one.Text); found != nil {
			one.Text = strings.Replace(one.Text, found[0], found[1]+found[2], 1)
			one.Remedies = append(one.Remedies, inferred(found[1]))
		}
		if w.Code == backtest.Defaults && strings.Contains(one.Text, "max_slippage") {
			one.Remedies = append(one.Remedies, Remedy{"Pay any ask", Instead{MaxSlippage: "none"}})
		}
		out = append(out, one)
	}
	return out
}

// Sweep is what a sweep found, in sentences; those that do not apply are empty.
type Sweep struct {
	Verdict  string   `json:"verdict"`
	Why      string   `json:"why"`
	Luck     string   `json:"luck"`
	Best     string   `json:"best"` // without the values of the axes
	Plateau  string   `json:"plateau"`
	Survive  string   `json:"survive"`
	Walk     string   `json:"walk"`
	Counts   string   `json:"counts"`
	Blocks   string   `json:"blocks"`         // length of a block of the walk forward
	Look     string   `json:"look,omitempty"` // as those of a Report
	Lock     string   `json:"lock,omitempty"`
	Warnings []Remark `json:"warnings"`
}

// SaySweep returns the sentences of a sweep.
func SaySweep(s *backtest.Sweep) Sweep {
	verdict := SweepVerdict(s)
	return Sweep{
		Verdict: verdict[0], Why: verdict[1], Luck: SweepLuck(s), Best: sweepMade(s), Plateau: SweepNeighbours(s), Survive: SweepSurvivors(s), Walk: SweepWalk(s),
		Counts: SweepCounts(s), Blocks: BlockLength(s.WalkForward.BlockHours), Lock: Lock(s.Options.HoldOut), Warnings: remarks(s.Warnings),
	}
}

// Comparison is how two runs differ, in sentences; the runs are A and B.
type Comparison struct {
	Answer  string      `json:"answer"`
	Why     string      `json:"why"`
	Numbers [][4]string `json:"numbers"` // name, A, B, B − A
}

// Compared is a comparison with its sentences.
type Compared struct {
	compare.Comparison
	Words Comparison `json:"words"`
}

// SayComparison adds the sentences of a comparison.
func SayComparison(c *compare.Comparison) Compared {
	answer := Answer(&c.Paired, "A", "B")
	out := Comparison{answer[0], answer[1], make([][4]string, len(c.Numbers))}
	for i := range c.Numbers {
		out.Numbers[i] = Pair(&c.Numbers[i])
	}
	return Compared{*c, out}
}

// sweepMade says how the variant that looks best did; empty without one.
func sweepMade(s *backtest.Sweep) string {
	b := s.Best
	if b == nil {
		return ""
	}
	return fmt.Sprintf("%s per trade (95%% interval, as if it were the only one tried: %s), %s in total over %s.",
		figures.USD(*b.MeanPnL), Interval(b.Interval, figures.USD), figures.USD(b.TotalPnL), figures.Count(b.Trades, "trade"))
}
