package record

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/market"
)

// TestStamps: receive times only go up, and a step of the clock is a gap: of what
// it skipped, or of what it showed twice.
func TestStamps(t *testing.T) {
	t.Parallel()
	const second = market.Second
	var (
		wall   = time.Unix(1000, 0)
		steady time.Duration
		gaps   []market.Gap
	)
	s := newStamper(func() (time.Time, time.Duration) { return wall, steady }, 250*time.Millisecond,
		func(g market.Gap) { gaps = append(gaps, g) })
	pass := func(d, step time.Duration) market.Instant {
		wall, steady = wall.Add(d+step), steady+d
		return s.stamp()
	}
	require.Equal(t, 1000*second, pass(0, 0))
	require.Equal(t, 1000*second+1, pass(0, 0), "at the same time")
	require.Equal(t, 1001*second, pass(time.Second, 0))
	require.Equal(t, 1002*second+200*market.Millisecond, pass(time.Second, 200*time.Millisecond), "slewed")
	require.Empty(t, gaps)

	require.Equal(t, 1008*second+200*market.Millisecond, pass(time.Second, 5*time.Second))
	require.Equal(t, []market.Gap{{From: 1002*second + 200*market.Millisecond, To: 1008*second + 200*market.Millisecond}}, gaps)

	gaps = nil
	last := 1008*second + 200*market.Millisecond
	require.Equal(t, last+1, pass(time.Second, -4*time.Second), "set back")
	require.Equal(t, last+2, pass(time.Second, 0))
	require.Empty(t, gaps, "it is not over")
	require.Equal(t, 1008*second+700*market.Millisecond, pass(2500*time.Millisecond, 0))
	require.Equal(t, []market.Gap{{From: 1005*second + 200*market.Millisecond, To: 1008*second + 700*market.Millisecond}}, gaps)

	gaps = nil
	s.resume(1100 * second)
	require.Equal(t, 1100*second+1, pass(time.Second, 0), "the run before had a clock ahead of this")
	require.Equal(t, 1110*second-300*market.Millisecond, pass(100*time.Second, 0))
	require.Len(t, gaps, 1)
	require.Equal(t, 1110*second-300*market.Millisecond, gaps[0].To)
}

func TestSeriesSlugs(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"btc-up-or-down-5m", "bitcoin-up-or-down-5m"}, seriesSlugs("BTC", "5m"))
	require.Equal(t, []string{"sol-up-or-down-hourly", "solana-up-or-down-hourly"}, seriesSlugs("SOL", "1h"))
	require.Equal(t, []string{"xrp-up-or-down-daily"}, seriesSlugs("XRP", "1d"))
}

func TestListings(t *testing.T) {
	t.Parallel()
	const event = `{"slug":"bitcoin-up-or-down-april-13-10am-et","series":[{"slug":"btc-up-or-down-hourly"}],"markets":[{
		"slug":"bitcoin-up-or-down-april-13-10am-et","conditionId":"0x1","clobTokenIds":"[\"11\", \"12\"]",
		"outcomePrices":"[\"0\", \"1\"]","endDate":"2026-04-13T15:00:00Z"`
	read := func(rest string) (listing, error) {
		l, err := readListing([]byte(event + rest + "}]}"))
		if err != nil {
			return listing{}, err
		}
		require.Len(t, l, 1)
		return l[0], nil
	}
	l, err := read("")
	require.NoError(t, err)
	require.Equal(t, []string{"11", "12"}, l.tokens)
	require.Equal(t, market.Hour, l.end-l.start, "by the length of the series")
	require.False(t, l.decided, "prices of a market that is open")
	for rest, decided := range map[string]bool{
		`,"closed":true`: true, `,"closed":true,"umaResolutionStatus":"resolved"`: true, `,"closed":true,"umaResolutionStatus":"proposed"`: false,
		`,"closed":true,"outcomePrices":"[\"0.5\",\"0.5\"]"`:                                  false,
		`,"closed":true,"outcomePrices":"[\"0.5\",\"0.5\"]","umaResolutionStatus":"resolved"`: true,
		`,"closed":true,"outcomePrices":"[\"0.98\",\"0.02\"]"`:                                false,
		`,"closed":true,"outcomePrices":["1","0"]`:                                            true,
	} {
		l, err := read(rest)
		require.NoError(t, err, rest)
		require.Equal(t, decided, l.decided, rest)
	}
	_, err = read(`,"clobTokenIds":"[]"`)
	require.ErrorIs(t, err, errListing)
}
