package stream_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ladderback/ladderback/archive/derive"
	"github.com/ladderback/ladderback/archive/ingest/stream"
	"github.com/ladderback/ladderback/market"
)

// ledger is a sink that keeps what is said of one market, as an import does: a token is the
// same by its id, or, where one has none, by its name.
type ledger struct {
	sink
	doc  derive.MarketDoc
	pays map[int]market.Cash // by token
	gaps map[string]bool
}

func (l *ledger) Market(_ context.Context, m market.Market) (int, error) {
	l.doc.Slug, l.doc.VenueID = m.Slug, m.VenueID
	for i, t := range m.Tokens {
		k := l.Token(0, t)
		if m.Payout != nil {
			l.pays[k] = m.Payout.Fractions[i]
		}
	}
	return 0, nil
}

func (l *ledger) Token(_ int, t market.Token) int {
	return l.doc.Token(derive.TokenDoc{ID: t.VenueID, Label: t.Label, Outcome: t.Outcome})
}

func (l *ledger) Gap(_, token int, g market.Gap) {
	l.gaps[fmt.Sprintf("%d: %d to %d", token, g.From, g.To)] = true
}

// told returns what a ledger holds, a line a token in the order of their ids.
func (l *ledger) told() (out []string) {
	for k, t := range l.doc.Tokens {
		line := fmt.Sprintf("%s %s pays %d, gaps", t.ID, t.Label, l.pays[k])
		for from := range 100 {
			if l.gaps[fmt.Sprintf("%d: %d to %d", k, from, from+5)] {
				line += fmt.Sprintf(" %d", from)
			}
		}
		out = append(out, line)
	}
	slices.Sort(out)
	return out
}

func keep(t require.TestingT, messages []stream.Message) (*ledger, map[string]int) {
	l := &ledger{pays: map[int]market.Cash{}, gaps: map[string]bool{}}
	_, err := stream.Import(context.Background(), &source{next: of(messages...)}, l)
	require.NoError(t, err)
	return l, l.rejected
}

// TestNotesInAnyOrder: what a log says of a market as a whole, of its tokens, who won and what
// was missed, means the same wherever it stands among the captures, however little of it a
// message spells out.
func TestNotesInAnyOrder(t *testing.T) {
	t.Parallel()
	m, up, down := []byte("m"), []byte("up-id"), []byte("down-id")
	both := func(x *stream.Message) {
		x.Assets, x.Outcomes = [][]byte{up, down}, [][]byte{[]byte("Up"), []byte("Down")}
	}
	rapid.Check(t, func(t *rapid.T) {
		listing := stream.Message{Type: stream.Listing, Market: m, Recv: 1}
		both(&listing)
		resolved := stream.Message{Type: stream.Resolved, Market: m, Recv: 2}
		switch rapid.IntRange(0, 3).Draw(t, "winner") {
		case 0:
			resolved.Winner = down
		case 1:
			resolved.WinnerOutcome = []byte("Down")
		case 2:
			resolved.Winner, resolved.WinnerOutcome = down, []byte("Down")
		case 3:
			both(&resolved)
			resolved.WinnerOutcome = []byte("DOWN")
		}
		messages := []stream.Message{
			listing, resolved, book(3, 4000, 6000),
			{Type: stream.Price, Market: m, Asset: up, Recv: 4},
			{Type: stream.Trade, Market: m, Asset: down, Recv: 5, Trade: market.Trade{Price: 4000, Size: 1}},
			{Type: stream.GapMark, Market: m, Recv: 6, Gap: market.Gap{From: 10, To: 15}},
			{Type: stream.GapMark, Market: m, Asset: down, Recv: 7, Gap: market.Gap{From: 20, To: 25}},
		}
		messages[2].Asset = up
		l, rejected := keep(t, rapid.Permutation(messages).Draw(t, "order"))
		require.Empty(t, rejected)
		require.Equal(t, []string{"down-id Down pays 1000000, gaps 10 20", "up-id Up pays 0, gaps 10"}, l.told())
	})
}
