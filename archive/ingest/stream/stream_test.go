package stream_test

import (
	"context"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/ingest/stream"
	"github.com/ladderback/ladderback/market"
)

// source hands out messages, one a line.
type source struct {
	n    int
	next func(n int) (stream.Message, bool)
}

func (s *source) Next() ([]stream.Message, error) {
	m, ok := s.next(s.n)
	if !ok {
		return nil, io.EOF
	}
	s.n++
	return []stream.Message{m}, nil
}

func (s *source) Line() (int64, []byte) { return int64(s.n), []byte("line") }

// sink counts what it is given.
type sink struct {
	open, most, markets int
	tokens              map[int]int
	gaps                []string
	adds                int
	rejected            map[string]int
}

func (s *sink) Market(context.Context, market.Market) (int, error) {
	s.markets++
	s.open++
	s.most = max(s.most, s.open)
	return s.markets, nil
}

func (s *sink) Token(h int, _ market.Token) int {
	if s.tokens == nil {
		s.tokens = map[int]int{}
	}
	s.tokens[h]++
	return s.tokens[h] - 1
}

func (s *sink) Gap(_, token int, g market.Gap) {
	s.gaps = append(s.gaps, fmt.Sprintf("declared %d %d-%d", token, g.From, g.To))
}

func (s *sink) Diverged(_, token int, g market.Gap) {
	s.gaps = append(s.gaps, fmt.Sprintf("%d %d-%d", token, g.From, g.To))
}

func (s *sink) Add(int, *market.Capture) error {
	s.adds++
	return nil
}

func (s *sink) Done(context.Context, int) error {
	s.open--
	return nil
}

func (s *sink) Reject(_ int64, _ []byte, reason string) {
	if s.rejected == nil {
		s.rejected = map[string]int{}
	}
	s.rejected[reason]++
}

func run(t *testing.T, next func(n int) (stream.Message, bool)) *sink {
	t.Helper()
	var s sink
	_, err := stream.Import(t.Context(), &source{next: next}, &s)
	require.NoError(t, err)
	return &s
}

func of(messages ...stream.Message) func(int) (stream.Message, bool) {
	return func(n int) (stream.Message, bool) {
		if n == len(messages) {
			return stream.Message{}, false
		}
		return messages[n], true
	}
}

func level(p market.Price) []market.Level { return []market.Level{{Price: p, Size: 1}} }

func book(recv market.Instant, bid, ask market.Price) stream.Message {
	return stream.Message{Type: stream.Book, Market: []byte("m"), Asset: []byte("a"), Recv: recv, Exch: recv, Bids: level(bid), Asks: level(ask)}
}

// change gives a bid a size and states the best prices after it.
func change(recv market.Instant, bid market.Price, size market.Size, bestBid, bestAsk market.Price) stream.Message {
	return stream.Message{
		Type: stream.Change, Market: []byte("m"), Asset: []byte("a"), Recv: recv, Exch: recv, Bids: []market.Level{{Price: bid, Size: size}},
		Best:    market.Quote{Bid: market.Level{Price: bestBid}, Ask: market.Level{Price: bestAsk}},
		BestBid: true, BestAsk: true,
	}
}

// TestDivergence: changes that do not lead to what the source states are a gap
// until the next whole book.
func TestDivergence(t *testing.T) {
	t.Parallel()
	const sec = market.Second
	none := market.NoPrice
	for name, c := range map[string]struct {
		messages []stream.Message
		want     []string
	}{
		"as stated":    {[]stream.Message{book(10, 4000, 6000), change(20, 4100, 1, 4100, 6000), change(30, 4100, 0, 4000, 6000)}, nil},
		"side empties": {[]stream.Message{book(10, 4000, 6000), change(20, 4000, 0, none, 6000)}, nil},
		"another best": {
			[]stream.Message{book(10, 4000, 6000), change(20, 4100, 1, 4200, 6000), change(30, 4300, 1, 4300, 6000), book(40, 4000, 6000), change(50, 4100, 1, 4100, 6000)},
			[]string{"0 20-40"},
		},
		"the other side": {[]stream.Message{book(10, 4000, 6000), change(20, 4100, 1, 4100, 5900), book(30, 4000, 5900)}, []string{"0 20-30"}},
		"to the end":     {[]stream.Message{book(10, 4000, 6000), change(20, 4100, 1, 4200, 6000), change(5*sec, 4100, 1, 4200, 6000)}, []string{"0 20-35000000"}},
		// What one message changed comes in several rows, each with the best
		// prices after all of them.
		"of one message": {[]stream.Message{book(10, 4000, 6000), change(20, 4100, 1, 4200, 6000), change(20, 4200, 1, 4200, 6000), change(30, 3000, 1, 4200, 6000)}, nil},
		"before a book":  {[]stream.Message{change(5, 4100, 1, 4200, 6000), book(10, 4000, 6000)}, nil},
	} {
		require.Equal(t, c.want, run(t, of(c.messages...)).gaps, name)
	}
}

// TestDivergenceOfAMarketThatWasClosed: it is still wrong when it comes again.
func TestDivergenceOfAMarketThatWasClosed(t *testing.T) {
	t.Parallel()
	late := 20 * market.Minute
	messages := []stream.Message{book(10, 4000, 6000), change(20, 4100, 1, 4200, 6000)}
	for range 5000 { // long silence, by another market's clock
		messages = append(messages, stream.Message{Type: stream.Price, Market: []byte("o"), Asset: []byte("oa"), Recv: late})
	}
	again := book(late+50, 4000, 6000)
	s := run(t, of(append(messages, again)...))
	require.Equal(t, []string{"0 20-30000020", fmt.Sprintf("0 20-%d", late+50)}, s.gaps)
}

// TestManyTokens: a market has few tokens, and a token one market.
func TestManyTokens(t *testing.T) {
	t.Parallel()
	s := run(t, func(n int) (stream.Message, bool) {
		return stream.Message{Type: stream.Price, Market: []byte("m"), Asset: fmt.Append(nil, n), Recv: 1}, n < 10_000
	})
	require.Equal(t, 1, s.markets)
	require.Equal(t, map[int]int{1: 64}, s.tokens)
	require.Equal(t, map[string]int{"too many tokens": 10_000 - 64}, s.rejected)
	s = run(t, func(n int) (stream.Message, bool) {
		return stream.Message{Type: stream.Price, Market: fmt.Append(nil, n), Asset: []byte("a"), Recv: 1}, n < 10
	})
	require.Equal(t, map[string]int{"token belongs to another market": 9}, s.rejected)
	require.Equal(t, 1, s.markets, "a line that is rejected leaves no market")
}

// TestManyMarkets: few are open at a time, and a file names so many at most.
func TestManyMarkets(t *testing.T) {
	t.Parallel()
	s := run(t, func(n int) (stream.Message, bool) {
		return stream.Message{Type: stream.Price, Market: fmt.Append(nil, n), Asset: fmt.Append(nil, "a", n), Recv: 1}, n < 100_500
	})
	require.Equal(t, 100_000, s.markets)
	require.LessOrEqual(t, s.most, 2048)
	require.Equal(t, map[string]int{"too many markets in a file": 500}, s.rejected)
	// A token keeps its market after that was closed.
	s = run(t, func(n int) (stream.Message, bool) {
		id := n
		if n == 5000 {
			id = 0
		}
		return stream.Message{Type: stream.Price, Market: fmt.Append(nil, "m", n), Asset: fmt.Append(nil, "a", id), Recv: 1}, n < 5001
	})
	require.Equal(t, map[string]int{"token belongs to another market": 1}, s.rejected)
	require.Equal(t, 5000, s.markets)
}
