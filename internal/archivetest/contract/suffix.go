package contract

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/care"
	"github.com/ladderback/ladderback/archive/intake"
	"github.com/ladderback/ladderback/archive/scan"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/archivetest"
	"github.com/ladderback/ladderback/market"
)

// state is what a market looks like at an instant.
type state struct {
	books  []*market.Book
	quotes map[int]market.Quote
	prices map[int]market.Price
	metric market.Metric
	volume int64 // 1e-10 USD
}

func (s *state) apply(m *market.Market, c *market.Capture) {
	switch c.Kind {
	case market.KindBook, market.KindChange:
		at := c.Token
		if m.Mirrored {
			at = 0
		}
		if m.Mirrored && c.Token == 1 {
			s.books[at].ApplyMirror(c)
		} else {
			s.books[at].Apply(c)
		}
	case market.KindQuote:
		s.quotes[c.Token] = c.Quote
	case market.KindPrice:
		s.prices[c.Token] = c.Trade.Price
	case market.KindMetric:
		s.metric = c.Metric
	case market.KindTrade:
		s.volume += int64(c.Trade.Price) * int64(c.Trade.Size)
	}
}

func (s *state) String() string {
	var out []string
	for _, b := range s.books {
		out = append(out, fmt.Sprint(b.Append(nil, market.Bid), b.Append(nil, market.Ask)))
	}
	return fmt.Sprint(out, s.quotes, s.prices, s.metric, s.volume)
}

// statesFrom returns the state as of from and after each later capture.
func statesFrom(m *market.Market, from market.Instant, captures iter.Seq2[*market.Capture, error]) ([]string, error) {
	s := &state{quotes: map[int]market.Quote{}, prices: map[int]market.Price{}}
	for range m.Tokens {
		s.books = append(s.books, new(market.Book))
	}
	var out []string
	before := true
	for c, err := range captures {
		if err != nil {
			return out, err
		}
		if before && c.Recv >= from {
			out = append(out, s.String())
			before = false
		}
		s.apply(m, c)
		if !before {
			out = append(out, fmt.Sprint(c.Recv, c.Kind, c.Token, s))
		}
	}
	return out, nil
}

func testFrom(t *testing.T, open Open) {
	list := []uint64{72} // pairs that straddle the start, level changes before any book
	for seed := range seeds(t, 3) {
		list = append(list, seed)
	}
	for _, seed := range list {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			s := archivetest.NewScenario(seed, 150)
			a := newArchive(t, open, intake.Config{BlockCaptures: 1 + int(seed)%4})
			files := s.Split(seed, 1+int(seed)%3)
			for i := range files {
				require.NoError(t, archivetest.Put(t.Context(), a, s, &files[i]))
			}
			rows, err := a.Markets(t.Context(), store.MarketQuery{})
			require.NoError(t, err)
			for i := range rows {
				m := &rows[i].Market
				for at := rows[i].Stats.First - 2*market.Second; at <= rows[i].Stats.Last+2*market.Second; at += 3 * market.Second {
					want, err := statesFrom(m, at, a.Captures(t.Context(), m))
					require.NoError(t, err)
					got, err := statesFrom(m, at, a.CapturesFrom(t.Context(), &rows[i], at, market.Latest, scan.ForAll))
					require.NoError(t, err)
					require.Equal(t, want, got, "seed %d market %s from %v", seed, m.Slug, at)
				}
			}
		})
	}
}

func testCopy(t *testing.T, open Open) {
	for seed := range seeds(t, 3) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			s := archivetest.NewScenario(seed, 100)
			from := newArchive(t, open, intake.Config{BlockCaptures: 3})
			files := slices.Concat(s.Split(seed, 3), archivetest.Metadata(s, seed, 3))
			for i := range files {
				require.NoError(t, archivetest.Put(t.Context(), from, s, &files[i]))
			}
			to := newArchive(t, open)
			for i := range files[:int(seed)%3] { // some is there already
				require.NoError(t, archivetest.Put(t.Context(), to, s, &files[i]))
			}
			for stop := range int64(5) { // interrupted, and taken up again
				ctx, cancel := context.WithCancel(t.Context())
				_, err := care.Copy(ctx, from.Store(), to.Store(), func(p care.CopyProgress) {
					if p.Blocks > stop*3 {
						cancel()
					}
				})
				cancel()
				if err != nil {
					require.ErrorIs(t, err, context.Canceled)
				}
				requireSound(t, to)
			}
			r, err := care.Copy(t.Context(), from.Store(), to.Store(), nil)
			require.NoError(t, err)
			require.Empty(t, r.Damage)
			require.Empty(t, r.Differing)
			require.Equal(t, archivetest.Dump(t, from), archivetest.Dump(t, to))
			requireSound(t, to)
			r, err = care.Copy(t.Context(), from.Store(), to.Store(), nil)
			require.NoError(t, err)
			require.Zero(t, r.Sources)
		})
	}
}

// requireSound verifies an archive.
func requireSound(t testing.TB, a *archivetest.Archive) {
	t.Helper()
	v, err := a.Verify(t.Context(), nil)
	require.NoError(t, err)
	for _, d := range v.Damage {
		t.Error(d)
	}
}
