package market_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/market"
)

func TestParseRoundSlug(t *testing.T) {
	t.Parallel()
	r, ok := market.ParseRoundSlug("btc-updown-5m-1776081600")
	require.True(t, ok)
	require.Equal(t, market.RoundName{
		Coin: "BTC", Type: "5m",
		Start: 1776081600 * market.Second, End: 1776081900 * market.Second,
	}, r)
	r, ok = market.ParseRoundSlug("eth-updown-60m-1776081600")
	require.True(t, ok)
	require.Equal(t, "1h", r.Type)
	for _, bad := range []string{
		"", "btc-updown-", "btc-updown-5m", "btc-updown-5m-", "btc-updown-5m-x", "btc-updown-0m-1",
		"btc-updown-5x-1776081600", "-updown-5m-1776081600", "BTC-updown-5m-1776081600",
		"btc-updown-5m--1776081600", "btc-updown-5m-99999999999999999999", "btc-updown-5m-1776081600-x",
		"btc-updown-99999d-1776081600", "will-it-rain", "btc-updown-5m-+1776081600",
	} {
		_, ok := market.ParseRoundSlug(bad)
		require.False(t, ok, bad)
	}
}

func TestParseSeriesSlug(t *testing.T) {
	t.Parallel()
	for slug, want := range map[string][2]string{
		"btc-up-or-down-15m":          {"BTC", "15m"},
		"bitcoin-up-or-down-hourly":   {"BTC", "1h"},
		"ethereum-up-or-down-daily":   {"ETH", "1d"},
		"bitcoin-cash-up-or-down-4h":  {"BCH", "4h"},
		"solana-up-or-down-weekly":    {"SOL", "7d"},
		"nvda-up-or-down-daily":       {},
		"btc-up-or-down-sometimes":    {},
		"btc-multi-strikes-weekly":    {},
		"what-price-will-bitcoin-hit": {},
	} {
		coin, typ, ok := market.ParseSeriesSlug(slug)
		require.Equal(t, want[0] != "", ok, slug)
		if ok {
			require.Equal(t, want, [2]string{coin, typ}, slug)
		}
	}
}

func TestRoundListing(t *testing.T) {
	t.Parallel()
	r, ok := market.ParseRoundSlug("btc-updown-5m-1776088800")
	require.True(t, ok)
	s, e, m := market.RoundListing(market.Polymarket, "0xabc", "btc-updown-5m-1776088800", r)
	require.Equal(t, "btc-up-or-down-5m", s.Slug)
	require.Equal(t, s.Slug, s.VenueID)
	require.Equal(t, "Bitcoin Up or Down 5m", s.Title)
	require.Equal(t, "5m", s.Recurrence)
	require.Equal(t, []string{"5m", "bitcoin", "crypto", "up-or-down"}, m.Tags)
	require.Equal(t, "Bitcoin Up or Down: 2026-04-13 14:00–14:05 UTC", m.Question)
	require.Equal(t, "btc-updown-5m-1776088800", e.VenueID)
	require.Equal(t, s.VenueID, e.SeriesID)
	require.Equal(t, "0xabc", m.VenueID)

	r, _ = market.ParseRoundSlug("foo-updown-1d-1776038400")
	_, _, m = market.RoundListing(market.Polymarket, "x", "foo-updown-1d-1776038400", r)
	require.Equal(t, "FOO Up or Down: 2026-04-13 00:00–2026-04-14 00:00 UTC", m.Question)
}
