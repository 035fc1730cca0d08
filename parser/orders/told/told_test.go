package told_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/parser/orders/told"
)

// A phrase, between bars, is a rule where it is said by itself, and none where it is told of others or of
// before, asked, struck out, taken back or corrected.
func TestWhatStandsAroundAPhrase(t *testing.T) {
	t.Parallel()
	for text, rule := range map[string]bool{
		"buy up at 40c, |sell half at 60c|":                       true,
		"buy up at .40, |sell half at .60|. hold the rest":        true,
		"would it work to |sell half at 60c|?":                    true,
		"buy up at 40c. some people |sell half at 60c|":           false,
		"buy up at 40c, and my friend |sells half at 60c|":        false,
		"should i |re-enter after a stop|?":                       false,
		"maybe |sell half at 60c|":                                false,
		"|sell half at 60c|. scratch that.":                       false,
		"|sell half at 60c|, no, a third":                         false,
		"|add $20 if it falls below 30c| and then holds":          false,
		"rejected:\n- |add $20 at 30c|":                           false,
		"my rules:\n- |add $20 at 30c|":                           true,
		"bid 40c on up, |cancel after 2 minutes| and replace it.": false,
	} {
		from := strings.IndexByte(text, '|')
		to := strings.LastIndexByte(text, '|') - 1
		field := "then"
		if strings.Contains(text, "cancel") {
			field = "order.cancel_after_seconds"
		}
		why := told.Why(strings.ReplaceAll(text, "|", ""), from, to, field)
		require.Equal(t, rule, why == "", "%s: %s", text, why)
	}
}
