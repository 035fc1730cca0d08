package main

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOrdersPage runs the sentences of the page on orders over the demo archive, and holds
// the page to their numbers.
func TestOrdersPage(t *testing.T) {
	t.Parallel()
	const path = "../../docs/orders.md"
	page, err := os.ReadFile(path)
	require.NoError(t, err)
	cache, err := demoCache()
	require.NoError(t, err)
	row := regexp.MustCompile("(?m)^(\\| [^|]+ \\| `([^`]+)` \\|)[^\n]*$")
	rows := 0
	out := row.ReplaceAllStringFunc(string(page), func(line string) string {
		part := row.FindStringSubmatch(line)
		if !strings.Contains(part[2], " ") {
			return line // of another table
		}
		rows++
		r := runWith(t, t.Context(), map[string]string{"LADDERBACK_CACHE": cache}, "", "backtest", part[2], "--json", "--quiet")
		require.Equal(t, exitDone, r.code, "%s: %s", part[2], r.err)
		var body struct {
			Report struct {
				Traded int     `json:"markets_traded"`
				Total  float64 `json:"total_pnl"`
				Queue  map[string]struct {
					Total float64 `json:"total_pnl"`
				}
			}
		}
		require.NoError(t, json.Unmarshal([]byte(r.out), &body))
		require.Positive(t, body.Report.Traded, part[2])
		back, front := "", ""
		if q := body.Report.Queue; q != nil {
			require.InDelta(t, body.Report.Total, q["through"].Total, 0)
			back, front = fmt.Sprintf("%.2f", q["back"].Total), fmt.Sprintf("%.2f", q["front"].Total)
		}
		return strings.TrimRight(fmt.Sprintf("%s %d | %.2f | %s | %s |", part[1], body.Report.Traded, body.Report.Total, back, front), " ")
	})
	require.Equal(t, 10, rows)
	if *updateReadme {
		require.NoError(t, os.WriteFile(path, []byte(out), 0o644))
		return
	}
	require.Equal(t, string(page), out, "go test ./cmd/ladderback -run OrdersPage -update-readme writes it")
}
