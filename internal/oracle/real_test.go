package oracle_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/ingest"
	"github.com/ladderback/ladderback/archive/sqlite"
	"github.com/ladderback/ladderback/internal/oracle"
	"github.com/ladderback/ladderback/internal/oracle/drawn"
	"github.com/ladderback/ladderback/internal/realdata"
	"github.com/ladderback/ladderback/internal/replaytest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

// allReal asks for all of the real rounds; by default every fourteenth is compared.
const allReal = "LADDERBACK_ORACLE_REAL_ALL"

// TestRealRounds compares both engines over real captures. The engine reads them
// from an archive that imported them; the oracle reads the messages as they
// stand in the files.
func TestRealRounds(t *testing.T) {
	t.Parallel()
	dir := realdata.Dir(t, "polymarket-btc-5m")
	files, err := filepath.Glob(filepath.Join(dir, "captures", "*.jsonl.gz"))
	require.NoError(t, err)
	if os.Getenv(allReal) == "" {
		var few []string
		for i := 0; i < len(files); i += 14 {
			few = append(few, files[i])
		}
		files = few
	}
	list := filepath.Join(dir, "markets.jsonl")
	opened, _, err := sqlite.Create(t.Context(), filepath.Join(t.TempDir(), "real.db"))
	require.NoError(t, err)
	a := archive.New(opened)
	t.Cleanup(func() { require.NoError(t, a.Close()) })
	_, err = ingest.Run(t.Context(), a, ingest.Options{Paths: files, Markets: []string{list}})
	require.NoError(t, err)

	cases := realCases(t)
	got := map[string][]string{} // by market id, one outcome a case
	sample, err := replay.Draw(t.Context(), a, cases[0])
	require.NoError(t, err)
	results, err := sample.Replay(t.Context(), a, replay.Parallel{}, cases...)
	require.NoError(t, err)
	for i := range cases {
		alone, err := sample.Replay(t.Context(), a, replay.Parallel{}, cases[i])
		require.NoError(t, err)
		require.Equal(t, results[i], alone[0], "case %d alone", i)
	}
	plain, err := sample.Replay(t.Context(), captured{a}, replay.Parallel{}, cases...)
	require.NoError(t, err)
	require.Equal(t, results, plain, "by every capture")
	less, err := sample.Replay(t.Context(), a, replay.Parallel{Undated: true}, cases...)
	require.NoError(t, err)
	undated(plain)
	undated(less)
	require.Equal(t, plain, less, "undated")
	trades := 0
	for _, r := range results {
		trades += len(r.Trades)
		for _, m := range oracle.Of(r).Markets {
			got[m.MarketID] = append(got[m.MarketID], m.String())
		}
	}

	markets := readMarkets(t, list)
	var decided atomic.Int64
	var g errgroup.Group
	g.SetLimit(2) // the frames of a round take some memory
	for _, path := range files {
		g.Go(func() error {
			m := markets[strings.TrimSuffix(filepath.Base(path), ".jsonl.gz")]
			undecided := m.Payout == nil
			if undecided { // no archive replays it: split it
				m.Payout = &market.Payout{Basis: market.Official, Fractions: []market.Cash{400_000, 600_000}}
			}
			r, err := readRound(m, path)
			if err != nil {
				return err
			}
			found, err := engineOutcomes(r, undecided, got[m.VenueID], cases)
			if err != nil {
				return err
			}
			for i, want := range oracle.Replay(r, cases...) {
				if want.String() != found[i] {
					return fmt.Errorf("market %s, case %d:\noracle\n%sengine\n%s", m.Slug, i, want, found[i])
				}
			}
			if !undecided {
				decided.Add(1)
			}
			return nil
		})
	}
	require.NoError(t, g.Wait())
	require.EqualValues(t, len(got), decided.Load(), "sampled rounds")
	t.Logf("%d rounds, %d of them decided, x %d strategies: %d trades in the decided ones",
		len(files), decided.Load(), len(cases), trades)
	require.Greater(t, trades, 2*len(cases))
}

// engineOutcomes are those from the archive, or of a round that is not there
// from its messages.
func engineOutcomes(r *replaytest.Round, absent bool, stored []string, cases []replay.Case) ([]string, error) {
	if !absent {
		return stored, nil
	}
	a := &replaytest.Archive{All: []*replaytest.Round{r}}
	sample := &replay.Sample{Rounds: []market.Round{r.Round()}}
	results, err := sample.Replay(context.Background(), a, replay.Parallel{Workers: 1}, cases...)
	var out []string
	for _, x := range results {
		out = append(out, oracle.Of(x).Markets[0].String())
	}
	return out, err
}

// realCases are a dozen strategies written for these rounds, and random ones.
func realCases(t *testing.T) []replay.Case {
	t.Helper()
	var cases []replay.Case
	o := replay.DefaultOptions()
	o.Winners = replay.WinnersInferred
	plain := replay.Case{Options: o}
	for text := range strings.SplitSeq(strings.TrimSpace(realStrategies), "\n") {
		var err error
		plain.Strategy, err = strategy.Parse([]byte(`{"market":{"coin":"BTC","market_type":"5m"},"budget_per_trade":50,"sample_size":100,` + text + `}`))
		require.NoError(t, err, text)
		cases = append(cases, plain)
	}
	prices := &replaytest.Archive{All: []*replaytest.Round{{
		Market:   market.Market{Start: 0, End: 300 * market.Second},
		Captures: spread(),
	}}}
	for seed := range 20 {
		c := replay.Case{Strategy: drawn.Strategies(prices).Example(seed), Options: drawn.Options().Example(seed)}
		cases = append(cases, c)
	}
	return cases
}

// spread returns captures at all times of a round with all whole cents, for
// strategies to be drawn from.
func spread() []market.Capture {
	var out []market.Capture
	for i := range market.Price(99) {
		out = append(out, market.Capture{
			Kind: market.KindPrice, Recv: market.Instant(i) * 3 * market.Second, Trade: market.Trade{Price: (i + 1) * 100},
		})
	}
	return out
}

const realStrategies = `
"side":"up","entry":[{"type":"price","token":"up","comparator":"lt","threshold":0.35,"within_seconds":300}],"exit":{"take_profit":0.55,"stop_loss":0.2,"hold_to_expiry":true}
"side":"down","entry":[{"type":"best_ask","token":"down","comparator":"lte","threshold":0.45,"within_seconds":null}],"exit":{"take_profit":0.6,"stop_loss":0.3,"hold_to_expiry":true}
"side":"either","entry":[{"type":"price","token":"same","comparator":"gt","threshold":0.8,"within_seconds":null},{"type":"time_remaining","token":null,"comparator":"lte","threshold":60,"within_seconds":null}],"exit":{"take_profit":null,"stop_loss":0.6,"hold_to_expiry":true}
"side":"either","entry":[{"type":"price","token":"same","comparator":"crosses_above","threshold":0.6,"within_seconds":null}],"exit":{"take_profit":null,"stop_loss":null,"hold_to_expiry":true,"take_profit_offset":0.05,"stop_loss_offset":0.05}
"side":"up","entry":[],"exit":{"take_profit":null,"stop_loss":null,"hold_to_expiry":true,"trailing_stop":0.07}
"side":"down","entry":[{"type":"price_change","token":"down","comparator":"gte","threshold":0.1,"within_seconds":30}],"exit":{"take_profit":null,"stop_loss":null,"hold_to_expiry":true,"max_hold_seconds":20}
"side":"up","entry":[{"type":"imbalance","token":"up","comparator":"gt","threshold":0.7,"within_seconds":null},{"type":"spread","token":"up","comparator":"lte","threshold":0.02,"within_seconds":null}],"exit":{"take_profit":null,"stop_loss":null,"hold_to_expiry":false}
"side":"down","entry":[{"type":"ask_depth","token":"down","comparator":"lt","threshold":300,"within_seconds":null},{"type":"time_elapsed","token":null,"comparator":"gte","threshold":100,"within_seconds":null}],"exit":{"take_profit":null,"stop_loss":null,"hold_to_expiry":false,"exit_before_seconds":30}
"side":"up","entry":[{"type":"best_bid","token":"down","comparator":"crosses_below","threshold":0.5,"within_seconds":200}],"exit":{"take_profit":0.9,"stop_loss":null,"hold_to_expiry":true,"stop_loss_offset":0.15}
"side":"either","entry":[{"type":"time_elapsed","token":null,"comparator":"gte","threshold":250.5,"within_seconds":null}],"entry_any":[[{"type":"price","token":"same","comparator":"lt","threshold":0.1,"within_seconds":null}],[{"type":"bid_depth","token":"same","comparator":"gt","threshold":5000,"within_seconds":null}]],"exit":{"take_profit":null,"stop_loss":null,"hold_to_expiry":true}
"side":"down","entry":[{"type":"price","token":"up","comparator":"gte","threshold":0.95,"within_seconds":null}],"exit":{"take_profit":0.5,"stop_loss":null,"hold_to_expiry":true,"trailing_stop":0.02}
"side":"either","entry":[{"type":"best_ask","token":"opposite","comparator":"gte","threshold":0.7,"within_seconds":null}],"exit":{"take_profit":null,"stop_loss":null,"hold_to_expiry":true,"take_profit_offset":0.3}
`

// readMarkets reads the list of markets, by slug.
func readMarkets(t *testing.T, path string) map[string]market.Market {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	out := map[string]market.Market{}
	for line := range bytes.Lines(text) {
		var x struct {
			Slug, Winner string
			ID           string `json:"condition_id"`
			Start, End   int64
			Up           string `json:"up_token"`
			Down         string `json:"down_token"`
			Basis        string `json:"winner_basis"`
			Coin         string
			Type         string `json:"market_type"`
		}
		require.NoError(t, json.Unmarshal(line, &x))
		if x.Up == "" {
			x.Up = x.ID + ":up"
		}
		m := market.Market{
			Venue: market.Polymarket, VenueID: x.ID, Slug: x.Slug, Category: market.Crypto, Coin: x.Coin, Type: x.Type,
			Start: market.Instant(x.Start) * market.Second, End: market.Instant(x.End) * market.Second, Mirrored: true,
			Tokens: []market.Token{{VenueID: x.Up, Outcome: market.Up}, {VenueID: x.Down, Outcome: market.Down}},
		}
		if x.Winner != "" {
			up := market.Cash(0)
			if x.Winner == "up" {
				up = market.CashOne
			}
			basis := market.Inferred
			if x.Basis == "official" {
				basis = market.Official
			}
			m.Payout = &market.Payout{Basis: basis, Fractions: []market.Cash{up, market.CashOne - up}}
		}
		out[x.Slug] = m
	}
	return out
}

// readRound reads the messages of a file as they stand there.
func readRound(m market.Market, path string) (*replaytest.Round, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(z)
	if err != nil {
		return nil, err
	}
	r := &replaytest.Round{Market: m}
	for line := range bytes.Lines(text) {
		c, err := readBook(line, m.Tokens[0].VenueID)
		if err != nil {
			return nil, err
		}
		r.Captures = append(r.Captures, c)
	}
	return r, nil
}

func readBook(line []byte, up string) (market.Capture, error) {
	type level struct{ Price, Size string }
	var x struct {
		Recv json.Number
		Msg  struct {
			Asset      string `json:"asset_id"`
			Timestamp  string
			Bids, Asks []level
		}
	}
	c := market.Capture{Kind: market.KindBook, Replace: true}
	if err := json.Unmarshal(line, &x); err != nil {
		return c, err
	}
	var err error
	if c.Recv, err = market.ParseUnix(x.Recv.String()); err != nil {
		return c, err
	}
	if c.Exch, err = market.ParseUnixMillis(x.Msg.Timestamp); err != nil {
		return c, err
	}
	if x.Msg.Asset != up {
		c.Token = 1
	}
	side := func(levels []level) ([]market.Level, error) {
		var out []market.Level
		for _, l := range levels {
			p, err := market.ParsePrice(l.Price)
			if err != nil {
				return nil, err
			}
			z, err := market.ParseSize(l.Size)
			if err != nil {
				return nil, err
			}
			out = append(out, market.Level{Price: p, Size: z})
		}
		return out, nil
	}
	if c.Bids, err = side(x.Msg.Bids); err != nil {
		return c, err
	}
	c.Asks, err = side(x.Msg.Asks)
	return c, err
}
