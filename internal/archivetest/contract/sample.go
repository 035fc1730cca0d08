package contract

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/internal/archivetest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
)

// testSamples lists, captures, decides, removes and brings back rounds of several series
// and days at random. After each the tallies are those of a recount, and every sample and
// its counts are what they would be if every round were looked at.
func testSamples(t *testing.T, open Open) {
	for seed := range seeds(t, 2) {
		rnd := rand.New(rand.NewPCG(seed, 30))
		a := newArchive(t, open)
		two, err := archive.NewUnion(archive.Member{Category: market.Crypto, Archive: a.Archive})
		require.NoError(t, err)
		var files []func()
		for n := range 30 {
			name := fmt.Sprint("file ", n)
			m := randomRound(rnd)
			var at []market.Instant
			auth := store.FromList
			switch rnd.IntN(5) {
			case 0: // listed
			case 1:
				m.Payout = payout(market.Inferred, market.CashOne)
			case 2:
				m.Payout = payout(market.Official, 0)
				auth = store.FromExchange
			default:
				for at = append(at, m.Start); rnd.IntN(8) > 0; {
					at = append(at, at[len(at)-1]+market.Span(1+rnd.IntN(60))*market.Second)
				}
				auth = store.FromCaptures
			}
			files = append(files, func() { put(t, a, name, auth, m, at...) })
			files[n]()
			CheckSamples(t, rnd, a, two)
			if n%3 != 2 {
				continue
			}
			other := rnd.IntN(n)
			if rnd.IntN(2) == 0 {
				sources, err := a.Sources(t.Context())
				require.NoError(t, err)
				i := slices.IndexFunc(sources, func(s store.Source) bool { return s.Name == fmt.Sprint("file ", other) })
				require.NoError(t, a.RemoveSource(t.Context(), sources[i].ID))
				CheckSamples(t, rnd, a, two)
				files[other]()
			} else if rows, err := a.Markets(t.Context(), store.MarketQuery{Unlisted: true}); err == nil {
				require.NoError(t, a.RemoveMarkets(t.Context(), []store.ID{rows[rnd.IntN(len(rows))].ID}))
			}
			CheckSamples(t, rnd, a, two)
		}
	}
}

// spanned counts the days of which rounds are read.
type spanned struct {
	store.Reader
	days *int64
}

func (s spanned) RoundKeys(ctx context.Context, coin, length string, from, to market.Instant, each func(*store.RoundKey)) error {
	*s.days += store.DayOf(to) - store.DayOf(from) + 1
	return s.Reader.RoundKeys(ctx, coin, length, from, to, each)
}

// testNewest sees that the newest rounds are not looked for on days that have none.
func testNewest(t *testing.T, open Open) {
	a := newArchive(t, open)
	for day := range 40 {
		m := market.Market{Venue: market.Polymarket, VenueID: fmt.Sprint("0x", day), Tokens: upDown, Payout: payout(market.Official, 0)}
		m.Start = archivetest.Start + market.Span(day)*market.Day
		m.End = m.Start + 5*market.Minute
		m.Slug = fmt.Sprintf("btc-updown-5m-%d", m.Start/market.Second)
		put(t, a, fmt.Sprint("listed ", day), store.FromExchange, m)
		if day%20 == 0 {
			put(t, a, fmt.Sprint("captured ", day), store.FromCaptures, m, m.Start)
		}
	}
	require.NoError(t, a.Store().View(t.Context(), func(r store.Reader) error {
		var days int64
		rows, n, err := store.Sample(t.Context(), spanned{r, &days}, market.RoundDraw{Limit: 5}, "")
		require.Equal(t, market.RoundCount{Universe: 40, Resolved: 40, Captured: 2, Covered: 2}, n)
		require.Len(t, rows, 2)
		require.EqualValues(t, 2, days)
		return err
	}))
}

// testMiscounted stores tallies, whose checksums hold, that are not those of the markets.
func testMiscounted(t *testing.T, open Open) {
	a, ctx := newArchive(t, open), t.Context()
	put(t, a, "a", store.FromList, market.Market{Venue: market.Polymarket, VenueID: "0x1", Slug: "btc-updown-5m-1776081600", Tokens: upDown})
	require.NoError(t, a.Store().Update(ctx, func(w store.Writer) error {
		tallies, err := w.Tallies(ctx, store.TallyQuery{From: store.FirstDay, To: store.LastDay})
		require.NoError(t, err)
		days, err := w.Days(ctx, store.FirstDay, store.LastDay)
		require.NoError(t, err)
		tallies[0].Captures, days[0].Resolved = 1, 1
		return w.Apply(ctx, &store.Changes{Tallies: tallies, Days: days})
	}))
	v, err := a.Verify(ctx, nil)
	require.NoError(t, err)
	require.Equal(t, "tally of crypto BTC 5m open, of those that end on 2026-04-13, does not match its markets", v.Damage[0].String())
	require.Equal(t, "tally of crypto, of those that start on 2026-04-13, does not match its markets", v.Damage[1].String())

	require.NoError(t, a.Store().Update(ctx, func(w store.Writer) error { return w.Apply(ctx, &store.Changes{Seal: new(int64)}) }))
	_, _, err = a.Sample(ctx, market.RoundDraw{Limit: 1})
	require.ErrorIs(t, err, store.ErrDamaged)
}

// randomRound returns one of few rounds, of several series and days.
func randomRound(rnd *rand.Rand) market.Market {
	coin, length := []string{"btc", "eth"}[rnd.IntN(2)], []market.Span{5 * market.Minute, 15 * market.Minute}[rnd.IntN(2)]
	start := archivetest.Start + market.Span(rnd.IntN(4)-2)*12*market.Hour - market.Span(rnd.IntN(3))*length
	return market.Market{
		Venue: market.Polymarket, VenueID: fmt.Sprintf("0x%s%d%d", coin, length/market.Minute, start/market.Second),
		Slug:   fmt.Sprintf("%s-updown-%s-%d", coin, market.FormatLength(length), start/market.Second),
		Tokens: upDown, Start: start, End: start + length,
	}
}

// CheckSamples draws samples of an archive at random and compares them with what every
// round gives, and verifies the archive, which counts its tallies anew. two is a union of
// the archive alone.
func CheckSamples(t testing.TB, rnd *rand.Rand, a *archivetest.Archive, two *archive.Union) {
	t.Helper()
	requireSound(t, a)
	all, err := a.Rounds(t.Context(), market.RoundFilter{})
	require.NoError(t, err)
	for _, coin := range []string{"", "BTC"} {
		for _, length := range []string{"", "5m"} {
			d := market.RoundDraw{
				RoundFilter: market.RoundFilter{Coin: coin, Type: length}, Inferred: rnd.IntN(2) == 0,
				Covered: []int64{0, 0, 10_000, 333_333, 500_000, 1_000_000}[rnd.IntN(6)],
				Limit:   1 + rnd.IntN(8), Random: rnd.IntN(2) == 0, Seed: rnd.Int64N(3),
			}
			if len(all) > 0 && rnd.IntN(2) == 0 {
				d.From = all[rnd.IntN(len(all))].Market.End
			}
			if len(all) > 0 && rnd.IntN(2) == 0 {
				d.To = all[rnd.IntN(len(all))].Market.End + market.Instant(rnd.IntN(2))*12*market.Hour
			}
			want, count := d.Of(all)
			for _, src := range []replay.Sampler{a, two} {
				got, n, err := src.Sample(t.Context(), d)
				require.NoError(t, err, "%+v", d)
				require.Equal(t, count, n, "%+v", d)
				require.Equal(t, want, append([]market.Round(nil), got...), "%+v", d)
			}
		}
	}
	held, err := backtest.Available(t.Context(), a)
	require.NoError(t, err)
	looked, err := backtest.Available(t.Context(), struct{ replay.Source }{a})
	require.NoError(t, err)
	require.Equal(t, looked, held)
	rows, err := a.Markets(t.Context(), store.MarketQuery{Page: store.Page{Sort: store.ByStart, Ascending: true}})
	require.NoError(t, err)
	var days []store.Day
	for i := range rows {
		row := &rows[i]
		day := int64(row.Market.Start / market.Day)
		if n := len(days); n == 0 || days[n-1].Day != day {
			days = append(days, store.Day{Category: row.Market.Category, Day: day})
		}
		d := &days[len(days)-1]
		d.Markets++
		d.Captures += row.Stats.Captures
		if row.Status == store.Resolved {
			d.Resolved++
		}
		if row.Stats.Captured {
			d.Captured++
			d.Coverage += row.Stats.Coverage
		}
	}
	kept, err := a.Days(t.Context(), "")
	require.NoError(t, err)
	require.Equal(t, days, kept)
}
