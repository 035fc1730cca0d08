package fills_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
)

func TestFeeIsItsFormula(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := schedule(t)
		levels := ladder(t, market.Ask, "taken")
		requireRat(t, feeOf(s, levels), cashRat(s.Fee(levels)), "fee")
	})
}

// The dated table, by the end of the market: on either side of each date.
func TestVenueSchedules(t *testing.T) {
	t.Parallel()
	const shares = 100 * market.SizeOne
	at50 := []market.Level{{Price: 5000, Size: shares}}
	at30 := []market.Level{{Price: 3000, Size: shares}}
	for _, c := range []struct {
		venue    market.Venue
		category market.Category
		length   string
		end      string
		fee50    string // of 100 shares at 0.50
		fee30    string // of 100 shares at 0.30
		name     string
	}{
		{market.Polymarket, market.Crypto, "15m", "2026-01-04T23:59:59.999999Z", "0", "0", "polymarket"},
		// 100 × 0.5 × 0.25 × 0.0625 = 0.78125; 100 × 0.3 × 0.25 × 0.0441 = 0.33075 → 0.3308 (half up).
		{market.Polymarket, market.Crypto, "15m", "2026-01-05T00:00:00Z", "0.7813", "0.3308", "polymarket 15m crypto from 2026-01-05"},
		{market.Polymarket, market.Crypto, "5m", "2026-01-05T00:00:00Z", "0", "0", "polymarket"},
		{market.Polymarket, market.Crypto, "5m", "2026-02-11T23:59:59Z", "0", "0", "polymarket"},
		{market.Polymarket, market.Crypto, "5m", "2026-02-12T00:00:00Z", "0.7813", "0.3308", "polymarket 5m crypto from 2026-02-12"},
		{market.Polymarket, market.Crypto, "1h", "2026-03-05T23:00:00Z", "0", "0", "polymarket"},
		{market.Polymarket, market.Crypto, "1h", "2026-03-06T00:00:00Z", "0.7813", "0.3308", "polymarket crypto from 2026-03-06"},
		{market.Polymarket, market.Crypto, "15m", "2026-03-29T23:59:00Z", "0.7813", "0.3308", "polymarket crypto from 2026-03-06"},
		// 100 × 0.07 × 0.25; 100 × 0.07 × 0.21.
		{market.Polymarket, market.Crypto, "15m", "2026-03-30T00:00:00Z", "1.75", "1.47", "polymarket crypto from 2026-03-30"},
		{market.Polymarket, market.Crypto, "1d", "2027-01-01T00:00:00Z", "1.75", "1.47", "polymarket crypto from 2026-03-30"},
		{market.Polymarket, market.Sports, "", "2026-02-17T23:59:59Z", "0", "0", "polymarket"},
		// 100 × 0.5 × 0.0175 × 0.25 = 0.21875; 100 × 0.3 × 0.0175 × 0.21 = 0.11025 → 0.1103.
		{market.Polymarket, market.Sports, "", "2026-02-18T00:00:00Z", "0.2188", "0.1103", "polymarket sports from 2026-02-18"},
		{market.Polymarket, market.Sports, "", "2026-03-30T00:00:00Z", "0.75", "0.63", "polymarket sports from 2026-03-30"},
		{market.Polymarket, market.Sports, "", "2026-07-09T23:59:59Z", "0.75", "0.63", "polymarket sports from 2026-03-30"},
		{market.Polymarket, market.Sports, "", "2026-07-10T00:00:00Z", "1.25", "1.05", "polymarket sports from 2026-07-10"},
		{market.Simulated, market.Crypto, "15m", "2026-06-01T00:00:00Z", "1.75", "1.47", "polymarket crypto from 2026-03-30"},
		{market.Kalshi, market.Crypto, "1h", "2024-06-01T00:00:00Z", "1.75", "1.47", "kalshi"},
		{market.PolymarketUS, market.Crypto, "1h", "2026-06-01T00:00:00Z", "0", "0", "none known for polymarket-us"},
		{"elsewhere", market.Crypto, "1h", "2026-06-01T00:00:00Z", "0", "0", "none known for elsewhere"},
	} {
		end, err := time.Parse(time.RFC3339Nano, c.end)
		require.NoError(t, err)
		m := &market.Market{Venue: c.venue, Category: c.category, Coin: "BTC", Type: c.length, End: market.InstantOf(end)}
		s, err := fills.ScheduleOf(m)
		require.NoError(t, err)
		require.Equal(t, c.name, s.Name, "%+v", c)
		require.Equal(t, c.fee50, s.Fee(at50).String(), "%+v", c)
		require.Equal(t, c.fee30, s.Fee(at30).String(), "%+v", c)
		known := c.venue == market.Polymarket || c.venue == market.Simulated || c.venue == market.Kalshi
		require.Equal(t, known, s.Known, "%+v", c)
		if known {
			require.NotEmpty(t, s.Source)
		}
		free := s.Free()
		require.Zero(t, free.Fee(at50))
		require.Equal(t, s.Known, free.Known)
	}
}

func TestRoundingOfFees(t *testing.T) {
	t.Parallel()
	one := func(p market.Price, s market.Size) []market.Level { return []market.Level{{Price: p, Size: s}} }
	for _, c := range []struct {
		name     string
		schedule fills.Schedule
		levels   []market.Level
		want     string
	}{
		{"cut to 1e-5", fills.Schedule{Rate: 70_000, Exponent: 1}, one(100, 10_000), "0"},        // 0.00000693
		{"cut to 1e-5", fills.Schedule{Rate: 70_000, Exponent: 1}, one(5000, 10_000), "0.00017"}, // 0.000175
		{"once a leg, not once a level", fills.Schedule{Rate: 70_000, Exponent: 1},
			[]market.Level{{Price: 5000, Size: 10_000}, {Price: 5000, Size: 10_000}}, "0.00035"},
		{"at least 1e-4 above 0", fills.Schedule{Rate: 250_000, PricePower: 1, Exponent: 2, Rounding: fills.Nearest1e4}, one(10, 10_000), "0.0001"},
		{"half goes up", fills.Schedule{Rate: 1_000_000, Rounding: fills.Nearest1e4}, one(5000, 150), "0.0002"},
		{"below half goes down", fills.Schedule{Rate: 1_000_000, Rounding: fills.Nearest1e4}, one(5000, 149), "0.0001"},
		{"at least 1e-4 above 0, a part of 1e-5", fills.Schedule{Rate: 1_000_000, Rounding: fills.Nearest1e4}, one(5000, 1), "0.0001"},
		{"at least 1e-4 above 0, whole 1e-5 below half", fills.Schedule{Rate: 1_000_000, Rounding: fills.Nearest1e4}, one(5000, 20), "0.0001"},
		{"at least 1e-4 above 0, just below half", fills.Schedule{Rate: 1_000_000, Rounding: fills.Nearest1e4}, one(5000, 49), "0.0001"},
		{"half of the first goes up", fills.Schedule{Rate: 1_000_000, Rounding: fills.Nearest1e4}, one(5000, 50), "0.0001"},
		{"just above half", fills.Schedule{Rate: 999_999, Rounding: fills.Nearest1e4}, one(5000, 151), "0.0002"},
		{"a fraction of 1e-5 below half", fills.Schedule{Rate: 999_999, Rounding: fills.Nearest1e4}, one(5000, 150), "0.0001"},
		{"nothing taken", fills.Schedule{Rate: 250_000, Rounding: fills.Nearest1e4}, nil, "0"},
		{"up to the cent", fills.Schedule{Rate: 70_000, Exponent: 1, Rounding: fills.UpCent}, one(5000, 1_000_000), "0.02"},
		{"a whole cent stays", fills.Schedule{Rate: 70_000, Exponent: 1, Rounding: fills.UpCent}, one(5000, 4_000_000), "0.07"},
		{"nothing at a price of 1", fills.Schedule{Rate: 70_000, Exponent: 1, Rounding: fills.UpCent}, one(10_000, 4_000_000), "0"},
	} {
		require.Equal(t, c.want, c.schedule.Fee(c.levels).String(), c.name)
	}
}

func TestAMarketsOwnScheduleWins(t *testing.T) {
	t.Parallel()
	m := &market.Market{
		VenueID: "m", Venue: market.Kalshi, Category: market.Crypto, Type: "1h",
		Fees: &market.FeeSchedule{Rate: 20_000, Exponent: 2, TakerOnly: true},
	}
	s, err := fills.ScheduleOf(m)
	require.NoError(t, err)
	require.True(t, s.Known)
	// 100 × 0.02 × 0.21² = 0.0882
	require.Equal(t, "0.0882", s.Fee([]market.Level{{Price: 3000, Size: 100 * market.SizeOne}}).String())

	for _, bad := range []market.FeeSchedule{{Rate: -1}, {Rate: 1_000_001}, {Rate: 1, Exponent: -1}, {Rate: 1, Exponent: 5}} {
		m.Fees = &bad
		_, err := fills.ScheduleOf(m)
		require.ErrorContains(t, err, "market m: fee schedule")
	}
}
