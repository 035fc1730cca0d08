package ingest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ladderback/ladderback/archive/ingest"
)

// change, trade and quote are lines of the other kinds of message.
func change(token string, sec int, price, size, side string) string {
	return fmt.Sprintf(`{"recv":%d.25,"slug":%q,"msg":{"market":"0xab","timestamp":"%d000","event_type":"price_change","price_changes":[{"asset_id":%q,"price":%q,"size":%q,"side":%q}]}}`+"\n",
		start+sec, round, start+sec, token, price, size, side)
}

func trade(token string, sec int, price string) string {
	return fmt.Sprintf(`{"recv":%d.25,"slug":%q,"msg":{"market":"0xab","asset_id":%q,"timestamp":"%d000","event_type":"last_trade_price","price":%q,"size":"3","side":"BUY"}}`+"\n",
		start+sec, round, token, start+sec, price)
}

func quote(token string, sec int, bid, ask string) string {
	return fmt.Sprintf(`{"recv":%d.25,"slug":%q,"msg":{"market":"0xab","asset_id":%q,"timestamp":"%d000","event_type":"best_bid_ask","best_bid":%q,"best_ask":%q}}`+"\n",
		start+sec, round, token, start+sec, bid, ask)
}

// splitRuns is how many cases a test run takes on: each imports several times,
// and every import waits for the disk.
const splitRuns = 12

// TestSplits: the same messages, in any split into files that keeps messages of
// one receive time together, in overlapping files, in any order and with any
// number of workers, give the same content.
func TestSplits(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	runs := 0
	rapid.Check(t, func(rt *rapid.T) {
		if runs++; runs > splitRuns && !rt.Failed() {
			return
		}
		var groups []string // lines of one receive time
		sec := 0
		for range rapid.IntRange(1, 12).Draw(rt, "groups") {
			sec += rapid.IntRange(1, 40).Draw(rt, "step")
			var lines strings.Builder
			for range rapid.IntRange(1, 3).Draw(rt, "lines") {
				token := rapid.SampledFrom([]string{up, down}).Draw(rt, "token")
				price := fmt.Sprintf("0.%02d", rapid.IntRange(1, 99).Draw(rt, "price"))
				switch rapid.IntRange(0, 3).Draw(rt, "kind") {
				case 0:
					lines.WriteString(book(token, sec, price))
				case 1:
					lines.WriteString(change(token, sec, price, fmt.Sprint(rapid.IntRange(0, 2).Draw(rt, "size")), "SELL"))
				case 2:
					lines.WriteString(trade(token, sec, price))
				default:
					lines.WriteString(quote(token, sec, price, "1"))
				}
			}
			groups = append(groups, lines.String())
		}
		whole := describedArchive(t)
		run(t, whole, ingest.Options{Paths: []string{place(rt, dir, "whole", strings.Join(groups, ""))}})

		var paths []string
		for from := 0; from < len(groups); {
			to := rapid.IntRange(from+1, len(groups)).Draw(rt, "cut")
			begin := rapid.IntRange(max(0, from-2), from).Draw(rt, "overlap")
			paths = append(paths, place(rt, dir, fmt.Sprintf("part%d", from), strings.Join(groups[begin:to], "")))
			from = to
		}
		paths = rapid.Permutation(paths).Draw(rt, "order")
		list := place(rt, dir, "list", listed)
		split := newArchive(t)
		some := rapid.IntRange(0, len(paths)).Draw(rt, "first")
		run(t, split, ingest.Options{Paths: paths[:some], Workers: 2})
		run(t, split, ingest.Options{Paths: append(paths, list), Workers: 2})
		require.Equal(rt, rounds(t, whole)[0].Content, rounds(t, split)[0].Content)
		require.Equal(rt, captures(t, whole), captures(t, split))
	})
}

func place(rt *rapid.T, dir, name, text string) string {
	path := filepath.Join(dir, name)
	require.NoError(rt, os.WriteFile(path, []byte(text), 0o600))
	return path
}
