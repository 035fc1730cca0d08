package sweep_test

import (
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/replay/sweep"
)

var agreement = flag.String("agreement", "", "file to write cases and what is said of them to, for scripts/evidence-agreement.py")

// said is what we say of the cases of a table.
type said struct {
	Cases   [][]int64    `json:"cases"`
	Moments [][4]float64 `json:"moments"` // mean, deviation, skewness, kurtosis of each case
	SPA     *sweep.SPA   `json:"spa"`
	Overfit float64      `json:"overfit"` // over 10 blocks
	Loss    float64      `json:"loss"`
	// Probability of each case's ratio above 0.01, and of the best of so many as Trials.
	Probability []float64          `json:"probability"`
	Maximum     map[string]float64 `json:"maximum"`
}

// TestAgreement writes what others are to agree with: cases that share a factor and have fat
// tails, a few of them with an edge and a few clearly bad. It is the script that compares.
func TestAgreement(t *testing.T) {
	if *agreement == "" {
		t.Skip("run by scripts/evidence-agreement.py")
	}
	var out []said
	for table := range 4 {
		random := rand.New(rand.NewPCG(uint64(table), 32))
		common := make([]float64, 300)
		for i := range common {
			common[i] = random.NormFloat64()
		}
		cases := matrix(12, len(common), func(k, end int) float64 {
			x := 0.6*common[end] + random.NormFloat64()
			if k%3 == 0 {
				x *= 1 + random.ExpFloat64()
			}
			return x + float64(table)*0.06*float64(k%4-1)
		})
		s := said{Cases: cases, Maximum: map[string]float64{}}
		for _, xs := range cases {
			mean, sd, skew, kurtosis := sweep.Moments(xs)
			s.Moments = append(s.Moments, [4]float64{mean, sd, skew, kurtosis})
			s.Probability = append(s.Probability, sweep.Probability(mean/sd, 0.01, len(xs), skew, kurtosis))
		}
		var err error
		s.SPA, err = sweep.RunSPA(t.Context(), cases, 1, 2)
		require.NoError(t, err)
		o := sweep.OverfitOver(cases, 10, 2)
		require.NotNil(t, o)
		s.Overfit, s.Loss = o.Probability.Float(), o.Loss.Float()
		for n, trials := range map[string]float64{"2": 2, "10.5": 10.5, "1000": 1000} {
			s.Maximum[n] = sweep.ExpectedMaximum(trials, 1)
		}
		out = append(out, s)
	}
	body, err := json.Marshal(out)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(*agreement, body, 0o644))
}
