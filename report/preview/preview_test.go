package preview_test

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/internal/backtesttest"
	"github.com/ladderback/ladderback/report/preview"
	"github.com/ladderback/ladderback/report/words"
)

// TestPicture: the picture has the size that is asked for, is the same every time, and is
// drawn of runs without trades and of words longer than it too. LADDERBACK_PICTURES names
// a folder to look at them in.
func TestPicture(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for name, change := range map[string]func(*backtest.Body){
		"run": func(*backtest.Body) {},
		"gain": func(b *backtest.Body) {
			b.Report.TotalPnL, b.Report.EquityCurve = 5_000_000, []stats.Decimal{-1_000_000, 2_000_000, 5_000_000}
		},
		"simulated": func(b *backtest.Body) { b.Report.Warnings = []backtest.Warning{{Code: backtest.SimulatedData}} },
		"none":      func(b *backtest.Body) { b.Report.Trades, b.Report.EquityCurve = nil, nil },
		"long": func(b *backtest.Body) {
			b.Prompt = strings.Repeat("a sentence that does not end ", 60) + strings.Repeat("x", 500)
		},
		"word": func(b *backtest.Body) { b.Prompt = strings.Repeat("x", 2000) },
	} {
		r := backtesttest.Build(t, backtesttest.Result(40))
		body := backtesttest.Body(r)
		change(body)
		said := words.Say(body)
		var one, two bytes.Buffer
		require.NoError(t, preview.Write(&one, body, &said))
		require.NoError(t, preview.Write(&two, body, &said))
		require.Equal(t, one.Bytes(), two.Bytes())
		size, err := png.DecodeConfig(&two)
		require.NoError(t, err)
		require.Equal(t, []int{preview.Width, preview.Height}, []int{size.Width, size.Height})
		require.Less(t, one.Len(), 200<<10, "programs that make previews take no more than some hundred KB")
		require.Empty(t, seen[one.String()], "the same as %s", name)
		seen[one.String()] = name
		if at := os.Getenv("LADDERBACK_PICTURES"); at != "" {
			require.NoError(t, os.WriteFile(filepath.Join(at, name+".png"), one.Bytes(), 0o600))
		}
	}
}
