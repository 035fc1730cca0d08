package regress_test

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/internal/replaytest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/regress"
	"github.com/ladderback/ladderback/replay"
)

func tableOf(t testing.TB, o *regress.Outcome) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, o.WriteTable(&b, 120, false))
	return b.String()
}

// valuesBelow yields the values below a node with their paths.
func valuesBelow(path string, n *yaml.Node, yield func(path string, n *yaml.Node)) {
	if len(n.Content) == 0 {
		yield(path, n)
	}
	for i, part := range n.Content {
		switch {
		case n.Kind == yaml.SequenceNode:
			valuesBelow(fmt.Sprintf("%s[%d]", path, i), part, yield)
		case i%2 == 1:
			valuesBelow(strings.TrimPrefix(path+"."+n.Content[i-1].Value, "."), part, yield)
		}
	}
}

func at(n *yaml.Node, names ...string) *yaml.Node {
	for _, name := range names {
		for i := 0; n.Kind == yaml.MappingNode && i < len(n.Content); i += 2 {
			if n.Content[i].Value == name {
				n = n.Content[i+1]
				break
			}
		}
	}
	return n
}

// TestEveryFieldIsCompared changes each recorded value in turn: that field alone
// is named, with the value that was written and the one that came out.
func TestEveryFieldIsCompared(t *testing.T) {
	t.Parallel()
	src := source(5)
	lock := textOf(t, recorded(t, plainSuite, src)+".lock")
	var doc yaml.Node
	require.NoError(t, yaml.Unmarshal([]byte(lock), &doc))
	cases := at(doc.Content[0], "cases")
	changed := 0
	for i, c := range cases.Content {
		valuesBelow("", at(c, "expect"), func(path string, n *yaml.Node) {
			before := *n
			*n = yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: "changed"}
			broken, err := yaml.Marshal(&doc)
			require.NoError(t, err)
			*n = before
			o := run(t, saveWith(t, plainSuite, string(broken)), src)
			for j := range o.Suites[0].Cases {
				diff := o.Suites[0].Cases[j].Differences
				if j != i {
					require.Empty(t, diff)
					continue
				}
				require.Len(t, diff, 1, "%s", path)
				require.Equal(t, path, diff[0].Field)
				require.Equal(t, "changed", diff[0].Expected)
				if before.Kind == yaml.ScalarNode {
					require.Equal(t, before.Value, diff[0].Got)
				}
			}
			changed++
		})
	}
	require.Greater(t, changed, 90)
}

// TestDifferences changes what a case says, and the archive, and looks at what
// is named.
func TestDifferences(t *testing.T) {
	t.Parallel()
	src := source(6)
	recordedLock := textOf(t, recorded(t, plainSuite, src)+".lock")
	for name, c := range map[string]struct {
		old, new string
		n        int // of the case that differs
		field    string
		expected string
		got      string
	}{
		"threshold":        {"under 35c in", "under 36c in", 0, "strategy.entry[0].threshold", "0.35", "0.36"},
		"comparator":       {"under 35c in", "above 35c in", 0, "strategy.entry[0].comparator", "lt", "gt"},
		"another field":    {"take profit 55c,", "take profit 55c, stop 10c,", 0, "strategy.exit.stop_loss", "null", "0.1"},
		"one more":         {"under 35c in", "under 35c and spread under 5c in", 0, "strategy.entry[1].type", "absent", "spread"},
		"budget":           {"$20", "$21", 0, "strategy.budget_per_trade", "20", "21"},
		"sample":           {"sampleSize: 4", "sampleSize: 3", 0, "markets_found", "4", "3"},
		"option":           {"latency_ms: 10", "latency_ms: 20", 1, "receipt.options", "", ""},
		"fees":             {"fees: none", "fees: venue", 1, "stats.fees", "0", ""},
		"object":           {"stop_loss: 0.2", "stop_loss: 0.4", 1, "summary", "", ""},
		"refused now":      {"Buy Up on BTC 5m under 35c", "Buy Up on BTC 5m under 35%", 0, "refused", "not refused", "unsupported_signal: "},
		"no longer":        {"buy Up when the RSI is low", "buy Up", 2, "refused", "unsupported_signal: ", "not refused: Buy Up"},
		"other reason":     {"buy Up when the RSI is low", "buy", 2, "refused.error", "unsupported_signal", "bad_request"},
		"a field too many": {"      markets_found: 4\n", "      markets_found: 4\n      baseline: {x: 1}\n", 0, "baseline.x", "1", "absent"},
		"a field too few":  {"      markets_found: 4\n", "", 0, "markets_found", "absent", "4"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, lock := plainSuite, recordedLock
			if strings.HasPrefix(name, "a field too ") {
				require.Contains(t, lock, c.old)
				lock = strings.Replace(lock, c.old, c.new, 1)
			} else {
				require.Contains(t, text, c.old)
				text = strings.Replace(text, c.old, c.new, 1)
			}
			if name == "a field too many" {
				i := strings.Index(lock, "      baseline: {entry")
				lock = lock[:i] + lock[i+strings.Index(lock[i:], "\n")+1:]
			}
			o := run(t, saveWith(t, text, lock), src)
			for i, got := range o.Suites[0].Cases {
				if i != c.n {
					require.Equal(t, regress.Same, got.Verdict)
					continue
				}
				require.Equal(t, regress.Different, got.Verdict)
				k := slices.IndexFunc(got.Differences, func(d regress.Difference) bool { return d.Field == c.field })
				require.GreaterOrEqual(t, k, 0, "%v", got.Differences)
				require.True(t, strings.HasPrefix(got.Differences[k].Expected, c.expected), "%v", got.Differences[k])
				require.True(t, strings.HasPrefix(got.Differences[k].Got, c.got), "%v", got.Differences[k])
				require.Contains(t, tableOf(t, o), c.field)
			}
		})
	}
}

func TestOtherArchiveIsSaidFirst(t *testing.T) {
	t.Parallel()
	path := recorded(t, plainSuite, source(6))
	o := run(t, path, source(7))
	table := tableOf(t, o)
	require.True(t, strings.HasPrefix(table, "suite.yaml was recorded over another archive\n"), table)
	require.Contains(t, table, "6 rounds, 6 resolved, 2026-04-13T14:00:00Z to 2026-04-13T14:30:00Z")
	require.Contains(t, table, "7 rounds, 7 resolved, 2026-04-13T14:00:00Z to 2026-04-13T14:35:00Z")
	require.Contains(t, table, "receipt.data")
	var b bytes.Buffer
	require.NoError(t, o.WriteJUnit(&b))
	require.Contains(t, b.String(), "recorded over another archive")

	// Bounded in time, the results are the same over the larger archive.
	text := strings.ReplaceAll(plainSuite, "sampleSize: 4\n", "sampleSize: 4\n    options: {to: 2026-04-13T14:20:00Z}\n")
	path = recorded(t, text, source(6))
	o = run(t, path, source(7))
	require.True(t, o.Suites[0].OtherArchive(o.Archive))
	require.Equal(t, regress.Same, o.Suites[0].Cases[0].Verdict)
}

// TestOnlyHashesDiffer: what a suite does not keep still counts, and the table
// says where to look.
func TestOnlyHashesDiffer(t *testing.T) {
	t.Parallel()
	src := source(4)
	lock := textOf(t, recorded(t, plainSuite, src)+".lock")
	i := strings.Index(lock, "        report: ")
	o := run(t, saveWith(t, plainSuite, lock[:i]+"        report: 00"+lock[i+18:]), src)
	require.Len(t, o.Suites[0].Cases[0].Differences, 1)
	require.Contains(t, tableOf(t, o), "No field that a suite keeps differs")
}

// shuffled yields rounds in another order at every call.
type shuffled struct {
	*replaytest.Archive
	turn int
}

func (s *shuffled) Rounds(ctx context.Context, f market.RoundFilter) ([]market.Round, error) {
	rounds, err := s.Archive.Rounds(ctx, f)
	if len(rounds) > 0 {
		k := s.turn % len(rounds)
		rounds = append(slices.Clone(rounds[k:]), rounds[:k]...)
	}
	return rounds, err
}

// TestSameBytes runs suites with any number of workers and rounds in any order.
func TestSameBytes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "below"), 0o700))
	for _, name := range []string{"b.yaml", "a.yml", "below/c.YAML", ".hidden.yaml", "notes.txt"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(plainSuite), 0o600))
	}
	var first []string
	written := ""
	for turn, workers := range []int{1, 2, 3, 16, 1} {
		suites, err := regress.Load(dir)
		require.NoError(t, err)
		last := -1
		o, err := regress.Run(context.Background(), &shuffled{source(6), turn}, suites, nil, replay.Parallel{
			Workers: workers,
			Progress: func(done, total int) {
				require.Equal(t, 9, total)
				require.Equal(t, last+1, done)
				last = done
			},
		})
		require.NoError(t, err)
		require.Equal(t, 9, last)
		var table, junit bytes.Buffer
		require.NoError(t, o.WriteTable(&table, 100, true))
		doc, err := backtest.CompactJSON(o)
		require.NoError(t, err)
		require.NoError(t, o.WriteJUnit(&junit))
		got := []string{table.String(), string(doc), junit.String()}
		if turn == 0 {
			first = got
			require.True(t, json.Valid(doc))
			require.Less(t, strings.Index(got[1], "a.yml"), strings.Index(got[1], "b.yaml"))
			require.Less(t, strings.Index(got[1], "b.yaml"), strings.Index(got[1], "below/c.YAML"))
		}
		require.Equal(t, first, got)
		for _, text := range got {
			require.NotContains(t, text, dir, "no path of this machine")
		}
		changed, err := o.Update()
		require.NoError(t, err)
		require.Equal(t, []string{"a.yml.lock", "b.yaml.lock", "below/c.YAML.lock"}, changed)
		for _, name := range changed {
			text := textOf(t, filepath.Join(dir, name))
			if written == "" {
				written = text
			}
			require.Equal(t, written, text)
			require.NoError(t, os.Remove(filepath.Join(dir, name)))
		}
	}
}

func TestJUnit(t *testing.T) {
	t.Parallel()
	src := source(6)
	text := strings.Replace(plainSuite, "name: refused", `name: "refused <&\" \u0001>"`, 1)
	lock := strings.Replace(textOf(t, recorded(t, text, src)+".lock"), "markets_found: 4", "markets_found: 5", 1)
	text = strings.Replace(text, "# The end.", "  - name: new\n    prompt: buy Up on BTC 5m\n", 1)
	o := run(t, saveWith(t, text, lock), src)
	var b bytes.Buffer
	require.NoError(t, o.WriteJUnit(&b))
	var doc struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Suites   []struct {
			Name  string `xml:"name,attr"`
			Cases []struct {
				Name    string `xml:"name,attr"`
				Failure *struct {
					Type string `xml:"type,attr"`
					Text string `xml:",chardata"`
				} `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	require.NoError(t, xml.Unmarshal(b.Bytes(), &doc), b.String())
	require.Equal(t, []int{4, 2, 1}, []int{doc.Tests, doc.Failures, len(doc.Suites)})
	require.Equal(t, "suite.yaml", doc.Suites[0].Name)
	require.Equal(t, "markets_found: expected 5, got 4\n", doc.Suites[0].Cases[0].Failure.Text)
	require.Nil(t, doc.Suites[0].Cases[2].Failure)
	require.Equal(t, "not_recorded", doc.Suites[0].Cases[3].Failure.Type)
}

// TestFingerprint changes everything about a round that a replay reads: the
// fingerprint notices.
func TestFingerprint(t *testing.T) {
	t.Parallel()
	print := func(change func(r *replaytest.Round)) string {
		src := source(2)
		src.All[0].Market.Fees = &market.FeeSchedule{Rate: 10}
		change(src.All[0])
		a, err := regress.Fingerprint(context.Background(), src)
		require.NoError(t, err)
		return a.Fingerprint
	}
	seen := map[string]int{}
	same := func(*replaytest.Round) {}
	first, second := print(same), print(same)
	require.Equal(t, first, second)
	changes := []func(r *replaytest.Round){
		same,
		func(r *replaytest.Round) { r.Market.Venue = "kalshi" },
		func(r *replaytest.Round) { r.Market.VenueID += "x" },
		func(r *replaytest.Round) { r.Market.Slug += "x" },
		func(r *replaytest.Round) { r.Market.Category = "sports" },
		func(r *replaytest.Round) { r.Market.Coin = "ETH" },
		func(r *replaytest.Round) { r.Market.Coin = "" }, // no longer an up/down round
		func(r *replaytest.Round) { r.Market.Type = "15m" },
		func(r *replaytest.Round) { r.Market.Start++ },
		func(r *replaytest.Round) { r.Market.End++ },
		func(r *replaytest.Round) { r.Market.ClosedAt++ },
		func(r *replaytest.Round) { r.Market.Mirrored = !r.Market.Mirrored },
		func(r *replaytest.Round) { r.Market.MinSize++ },
		func(r *replaytest.Round) { r.Market.Fees = nil },
		func(r *replaytest.Round) { r.Market.Fees.Rate++ },
		func(r *replaytest.Round) { r.Market.Fees.Exponent++ },
		func(r *replaytest.Round) { r.Market.Fees.TakerOnly = true },
		func(r *replaytest.Round) { r.Market.Tokens[0].VenueID += "x" },
		func(r *replaytest.Round) { r.Market.Tokens[0].Label += "x" },
		func(r *replaytest.Round) { slices.Reverse(r.Market.Tokens) },
		func(r *replaytest.Round) { r.Market.Payout = nil },
		func(r *replaytest.Round) { r.Market.Payout.Basis = market.Inferred },
		func(r *replaytest.Round) { r.Market.Payout.Fractions = []market.Cash{500_000, 500_000} },
		func(r *replaytest.Round) {
			r.Gaps = []market.TokenGap{{Token: 1, Gap: market.Gap{From: 1, To: 2}}}
		},
		func(r *replaytest.Round) { r.Captures = r.Captures[:1] },
		func(r *replaytest.Round) { r.Captures[0].Recv++ },
		func(r *replaytest.Round) { r.Captures[0].Bids[0].Size++ },
	}
	for i, change := range changes {
		p := print(change)
		require.Len(t, p, 64)
		before, twice := seen[p]
		require.False(t, twice, "changes %d and %d", before, i)
		seen[p] = i
	}
	none, err := regress.Fingerprint(context.Background(), &replaytest.Archive{})
	require.NoError(t, err)
	require.Equal(t, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", none.Fingerprint)
	require.Nil(t, none.From)
}

type broken struct{ *replaytest.Archive }

func (b broken) Captures(context.Context, *market.Market) iter.Seq2[*market.Capture, error] {
	return func(yield func(*market.Capture, error) bool) { yield(nil, errors.New("bad block")) }
}

func TestRunStops(t *testing.T) {
	t.Parallel()
	suites, err := regress.Load(save(t, plainSuite))
	require.NoError(t, err)
	_, err = regress.Run(context.Background(), broken{source(3)}, suites, nil, replay.Parallel{Workers: 1})
	require.ErrorContains(t, err, `suite.yaml:7: case "dip": `)
	require.ErrorContains(t, err, "bad block")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = regress.Run(ctx, source(3), suites, nil, replay.Parallel{})
	require.ErrorIs(t, err, context.Canceled)
}

// TestNamesOfARecord holds the names that a suite may have under expect to those
// of Record.
func TestNamesOfARecord(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(regress.Record{Refused: &regress.Refused{}, Summary: "x", Numbers: &regress.Numbers{}})
	require.NoError(t, err)
	var fields map[string]any
	require.NoError(t, json.Unmarshal(text, &fields))
	fields["strategy"] = nil
	for name := range fields {
		_, err := regress.Load(save(t, "cases: [{name: a, prompt: b, expect: {"+name+": 1}}]"))
		require.NoError(t, err)
	}
	n := reflect.TypeFor[regress.Numbers]().NumField()
	require.Len(t, fields, n+3)
}
