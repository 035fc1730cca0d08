package market_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ladderback/ladderback/market"
)

// TestMirrorIsItsOwnInverse: what the other token of a pair sees of what the
// other token sees is the quote itself; sides change places, and empty ones stay
// empty.
func TestMirrorIsItsOwnInverse(t *testing.T) {
	t.Parallel()
	level := rapid.Custom(func(t *rapid.T) market.Level {
		if rapid.IntRange(0, 3).Draw(t, "empty") == 0 {
			return market.Level{Price: market.NoPrice}
		}
		return market.Level{Price: market.Price(rapid.IntRange(0, 10_000).Draw(t, "price")), Size: market.Size(rapid.Int64Min(0).Draw(t, "size"))}
	})
	rapid.Check(t, func(t *rapid.T) {
		q := market.Quote{Bid: level.Draw(t, "bid"), Ask: level.Draw(t, "ask")}
		m := q.Mirror()
		require.Equal(t, q, m.Mirror())
		require.Equal(t, q.Bid.Price == market.NoPrice, m.Ask.Price == market.NoPrice)
		if q.Bid.Price != market.NoPrice {
			require.Equal(t, market.PriceOne, q.Bid.Price+m.Ask.Price)
			require.Equal(t, q.Bid.Size, m.Ask.Size)
		}
	})
}

func TestOpposites(t *testing.T) {
	t.Parallel()
	require.Equal(t, market.Ask, market.Bid.Opposite())
	require.Equal(t, market.Bid, market.Ask.Opposite())
	require.Equal(t, market.SideUnknown, market.SideUnknown.Opposite())
	require.Equal(t, market.Down, market.Up.Opposite())
	require.Equal(t, market.Up, market.Down.Opposite())
}

// TestKindsOfCapture: numbers and names are part of the archive's format.
func TestKindsOfCapture(t *testing.T) {
	t.Parallel()
	for kind, name := range map[market.Kind]string{1: "book", 2: "change", 3: "quote", 4: "trade", 5: "price", 6: "tick", 7: "reset", 8: "metric", 0: "unknown", 9: "unknown"} {
		require.Equal(t, name, kind.String())
		c := market.Capture{Kind: kind}
		require.Equal(t, kind == 1 || kind == 2, c.IsLadder(), name)
	}
}

// TestGapsAreHalfOpen: the first instant is missing, the last is not.
func TestGapsAreHalfOpen(t *testing.T) {
	t.Parallel()
	g := market.Gap{From: 10, To: 20}
	for at, want := range map[market.Instant]bool{9: false, 10: true, 19: true, 20: false} {
		require.Equal(t, want, g.Covers(at), "%d", at)
	}
	require.False(t, market.Gap{From: 10, To: 10}.Covers(10))
}

func TestWinner(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		payout *market.Payout
		want   int
	}{
		{nil, -1},
		{&market.Payout{}, -1},
		{&market.Payout{Fractions: []market.Cash{market.CashOne, 0}}, 0},
		{&market.Payout{Fractions: []market.Cash{0, market.CashOne}}, 1},
		{&market.Payout{Fractions: []market.Cash{500_000, 500_000}}, -1},
		{&market.Payout{Fractions: []market.Cash{market.CashOne - 1, 1}}, -1},
	} {
		require.Equal(t, c.want, c.payout.Winner(), "%+v", c.payout)
	}
}

func TestTokensOfAMarket(t *testing.T) {
	t.Parallel()
	m := market.Market{Tokens: []market.Token{{Outcome: market.Up}, {Outcome: market.Down}}}
	require.Equal(t, 1, m.TokenIndex(market.Down))
	require.Equal(t, -1, (&market.Market{Tokens: m.Tokens[:1]}).TokenIndex(market.Down))
	require.False(t, m.IsUpDown())
	m.Coin = "BTC"
	require.False(t, m.IsUpDown(), "a coin without a length")
	m.Type = "15m"
	require.True(t, m.IsUpDown())
}

// TestCoins: tickers and names are unique whatever their case, so that a word
// means one coin.
func TestCoins(t *testing.T) {
	t.Parallel()
	words := map[string]string{}
	for _, c := range market.Coins() {
		require.Equal(t, strings.ToUpper(c.Ticker), c.Ticker)
		require.True(t, market.KnownCoin(c.Ticker))
		require.Equal(t, c.Name, market.CoinName(c.Ticker))
		for _, word := range []string{c.Ticker, c.Name, strings.ToLower(c.Name)} {
			ticker, ok := market.CoinByName(word)
			require.True(t, ok, word)
			require.Equal(t, c.Ticker, ticker, word)
			other := words[strings.ToLower(word)]
			require.True(t, other == "" || other == c.Ticker, "%s is %s and %s", word, other, c.Ticker)
			words[strings.ToLower(word)] = c.Ticker
		}
	}
	require.GreaterOrEqual(t, len(market.Coins()), 40)
	require.False(t, market.KnownCoin("btc"), "tickers are in upper case")
	require.Equal(t, "NONE", market.CoinName("NONE"))
	_, ok := market.CoinByName("no such coin")
	require.False(t, ok)
	market.Coins()[0].Ticker = "changed"
	require.NotEqual(t, "changed", market.Coins()[0].Ticker, "the table is nobody's to change")
}

// TestInstantsAreMicroseconds: an instant is its time to the microsecond, towards
// the past, before 1970 too, and its text is read back.
func TestInstantsAreMicroseconds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.Int64Range(-62_135_596_800, 253_402_300_798).Draw(t, "seconds")
		ns := rapid.Int64Range(0, 999_999_999).Draw(t, "nanoseconds")
		at := time.Unix(s, ns)
		i := market.InstantOf(at)
		off := at.Sub(i.Time())
		require.True(t, 0 <= off && off < time.Microsecond, "%s", off)
		var back market.Instant
		require.NoError(t, back.UnmarshalText([]byte(i.String())))
		require.Equal(t, i, back)
	})
}

// TestUnixTimes: finer digits than microseconds are cut, and what is no time
// between 1970 and 9999 is refused.
func TestUnixTimes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]market.Instant{
		"1776084584.058813": 1_776_084_584_058_813, "1776084584": 1_776_084_584_000_000, "0": 0,
		"1.0000019": 1_000_001, "1.000001999999999999999": 1_000_001, "253402300799": 253_402_300_799_000_000,
	} {
		got, err := market.ParseUnix(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for text, want := range map[string]market.Instant{"1776084584058": 1_776_084_584_058_000, "1.0019": 1001} {
		got, err := market.ParseUnixMillis(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "-1", "253402300800", "1e99", "0x5", "1.5.5", "NaN", "now"} {
		_, err := market.ParseUnix(text)
		require.Error(t, err, text)
	}
}
