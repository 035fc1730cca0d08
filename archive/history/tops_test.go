package history_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ladderback/ladderback/archive/history"
	"github.com/ladderback/ladderback/market"
)

var unknownTop = history.Top{Quote: market.Quote{Bid: market.Level{Price: market.NoPrice}, Ask: market.Level{Price: market.NoPrice}}}

// topAt is the top of book of a token at t, worked out from the first capture on;
// not known: neither ladder nor quote came before.
func topAt(m *market.Market, captures []market.Capture, token int, t market.Instant) (top history.Top) {
	var ladder market.Book
	hasLadder := false
	top = unknownTop
	for i := range captures {
		c := &captures[i]
		if c.Recv > t {
			break
		}
		mirror := m.Mirrored && c.Token != token
		if !m.Mirrored && c.Token != token {
			continue
		}
		switch {
		case c.Kind == market.KindChange && !hasLadder: // of a ladder that nobody has seen whole
		case c.IsLadder() && mirror:
			ladder.ApplyMirror(c)
			hasLadder = true
		case c.IsLadder():
			ladder.Apply(c)
			hasLadder = true
		case c.Kind == market.KindQuote && mirror && !hasLadder:
			top = history.Top{Known: true, Quote: c.Quote.Mirror()}
		case c.Kind == market.KindQuote && !hasLadder:
			top = history.Top{Known: true, Quote: c.Quote}
		}
	}
	if hasLadder {
		top = history.Top{Known: true, Quote: ladder.Quote()}
	}
	return top
}

// TestQuotes holds quotes in buckets, and their changes, against what every
// capture says in turn.
func TestQuotes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m, captures := drawMarket(t)
		w, known := drawWindow(t, captures)
		r := history.Request{Market: m, Window: w, Known: known}
		// The last known grid point of a bucket says what is in it.
		want := map[market.Instant][]history.Top{}
		for at := w.First(); at < w.End; at += w.Resolution {
			for g := at; g < at+w.Resolution; g += grid {
				if g < known.From || g >= known.To {
					continue
				}
				tops, any := make([]history.Top, len(m.Tokens)), false
				for i := range tops {
					tops[i] = topAt(m, captures, i, g)
					any = any || tops[i].Known
				}
				if any {
					want[at] = tops
				}
			}
		}
		got := map[market.Instant][]history.Top{}
		require.NoError(t, history.Quotes(r, sequence(captures), func(at market.Instant, tops []history.Top) bool {
			got[at] = append([]history.Top{}, tops...)
			return true
		}))
		require.Equal(t, want, got)

		// What changed last, at any time, is the top of book at that time.
		now := slices.Repeat([]history.Top{unknownTop}, len(m.Tokens))
		type change struct {
			t     market.Instant
			token int
			top   history.Top
		}
		var changes []change
		require.NoError(t, history.Tops(m, sequence(captures), func(at market.Instant, token int, q market.Quote) bool {
			next := history.Top{Known: true, Quote: q}
			require.NotEqual(t, now[token], next, "no change")
			now[token] = next
			changes = append(changes, change{at, token, next})
			return true
		}))
		for at := market.Instant(0); at < 5*market.Second; at += 50 * market.Millisecond {
			for i := range m.Tokens {
				top := unknownTop
				for _, c := range changes {
					if c.token == i && c.t <= at {
						top = c.top
					}
				}
				require.Equal(t, topAt(m, captures, i, at), top, "token %d at %d", i, at)
			}
		}
	})
}

// TestTrades: of a trade that was logged for both tokens of a mirrored pair one
// counts, the first.
func TestTrades(t *testing.T) {
	t.Parallel()
	trade := func(recv, exch market.Instant, token int, p market.Price, size market.Size) market.Capture {
		return market.Capture{Kind: market.KindTrade, Recv: recv, Exch: exch, Token: token, Trade: market.Trade{Price: p, Size: size}}
	}
	captures := []market.Capture{
		trade(1, 1, 1, 3000, 5), trade(2, 1, 0, 7000, 5), // one
		trade(3, 1, 0, 7000, 5), trade(4, 0, 0, 7000, 5), trade(5, 0, 1, 3000, 5), // no twin; no exchange time
		{Kind: market.KindPrice, Recv: 6, Trade: market.Trade{Price: 1}},
	}
	times := func(m *market.Market) (out []market.Instant) {
		require.NoError(t, history.Trades(m, sequence(captures), func(c *market.Capture) bool {
			out = append(out, c.Recv)
			return len(out) < 10
		}))
		return out
	}
	m := &market.Market{Tokens: []market.Token{{VenueID: "a"}, {VenueID: "b"}}, Mirrored: true}
	require.Equal(t, []market.Instant{1, 3, 4, 5}, times(m))
	m.Mirrored = false
	require.Equal(t, []market.Instant{1, 2, 3, 4, 5}, times(m))
}
