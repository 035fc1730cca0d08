package roles

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSlotsAreTheClausesOfNumbers(t *testing.T) {
	t.Parallel()
	for shape, want := range map[string][]string{
		Plain:                                    nil,
		"Rest at #c, cancelled after # seconds.": {"Rest at #c", "cancelled after # seconds"},
		"Rest #c below the best ask.":            {"Rest #c below the best ask"},
		"Size a fraction of # of Kelly at a fair value of #c. Bankroll of $#.":               {"Size a fraction of # of Kelly at a fair value of", "of Kelly at a fair value of #c", "Bankroll of $#"},
		"Order: sell a fraction of 0.5 of it, when (its bid is at least #c).":                {"its bid is at least #c"},
		"Order: buy $# of it, when (its price is below #c and at least # seconds are left).": {"buy $# of it", "its price is below #c", "at least # seconds are left"},
	} {
		require.Equal(t, want, Slots(shape), shape)
	}
}

func TestFittingShapesHaveTheNumbersOfARole(t *testing.T) {
	t.Parallel()
	shapes := []string{Plain, Refused, AnyOf, "Rest at #c.", "Merge pairs.", "Rest at #c. Order: from the start, buy $# of the other side, resting at #c."}
	require.Equal(t, []int{0, 1, 2, 4}, Fitting(shapes, []string{"price.lt", "budget"}))
	require.Equal(t, []int{1, 2, 3}, Fitting(shapes, []string{"Rest at #c", "take_profit"}))
	require.Equal(t, []int{1, 2, 5}, Fitting(shapes, []string{"resting at #c", "Rest at #c", "buy $# of the other side"}))
	require.Equal(t, []int{1, 2}, Fitting(shapes, []string{"Rest at #c", "Rest at #c"}))
}
