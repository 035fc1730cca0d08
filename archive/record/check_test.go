package record_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/exchange"
	"github.com/ladderback/ladderback/market"
)

// account is where the messages that a server sent went.
type account struct {
	sent, archived, mirrored, inGap int
	late                            int           // in a gap that begins later than the message, by less than the slack
	latest                          time.Duration // by how much at most
	unfounded                       int           // changes archived on a connection before a whole book
	gapTime                         time.Duration
}

// kept is what the archive has of one round.
type kept struct {
	listing *store.Listing
	keys    map[exchange.Key]market.Instant    // receive time
	ladders map[market.Instant]map[string]bool // exchange's time → tokens
	gaps    map[string][]market.Gap            // by token
	last    market.Instant
}

// rung is a place on a ladder.
type rung struct {
	bid   bool
	price market.Price
}

// read reads a round back.
func read(t testing.TB, a *archive.Archive, slug string, gaps []market.TokenGap) *kept {
	t.Helper()
	l, err := a.Market(t.Context(), slug, "")
	require.NoError(t, err, slug)
	k := &kept{
		listing: l, keys: map[exchange.Key]market.Instant{}, ladders: map[market.Instant]map[string]bool{},
		gaps: map[string][]market.Gap{},
	}
	for _, g := range gaps {
		id := l.Market.Tokens[g.Token].VenueID
		k.gaps[id] = append(k.gaps[id], g.Gap)
	}
	ladders := map[int]map[rung]market.Size{} // by token, in terms of Up
	for c, err := range a.Captures(t.Context(), &l.Market) {
		require.NoError(t, err)
		token := l.Market.Tokens[c.Token]
		f := exchange.Facts{Round: slug, Exch: int64(c.Exch)}
		switch c.Kind {
		case market.KindBook, market.KindChange:
			f.Kind = "book"
			if c.Kind == market.KindChange {
				f.Kind = "change"
			}
			l := ladders[c.Token]
			if c.Replace || l == nil {
				l = map[rung]market.Size{}
				ladders[c.Token] = l
			}
			f.Up = exchange.UpLevels(c.Bids, c.Asks, token.Outcome == market.Down)
			for _, v := range f.Up {
				l[rung{v.Bid, v.Price}] = v.Size
			}
			if c.Kind == market.KindBook {
				// What was handed out may be the difference against the ladder before.
				f.Up = f.Up[:0]
				for r, size := range l {
					if size > 0 {
						f.Up = append(f.Up, exchange.Level{Bid: r.bid, Price: r.price, Size: size})
					}
				}
			}
			if k.ladders[c.Exch] == nil {
				k.ladders[c.Exch] = map[string]bool{}
			}
			k.ladders[c.Exch][token.VenueID] = true
		case market.KindTrade:
			f.Kind, f.Token, f.Price, f.Size = "trade", token.VenueID, c.Trade.Price, c.Trade.Size
		case market.KindTick:
			f.Kind, f.Token, f.Price = "tick", token.VenueID, c.Trade.Price
		default:
			continue
		}
		k.last = max(k.last, c.Recv)
		if _, ok := k.keys[f.Key()]; !ok {
			k.keys[f.Key()] = c.Recv
		}
	}
	if p := l.Market.Payout; p != nil && p.Basis == market.Official {
		k.keys[exchange.Facts{Kind: "resolved", Round: slug}.Key()] = 0
	}
	return k
}

// check asks of every message that the server handed to a connection whether the
// archive has it, or says that something is missing there; and of changes without
// a whole book before them on their connection, whether they lie in a gap.
//
// A gap begins with the last message that came through. The archive does not say when
// that was of one that it keeps no time of: of the same book of both tokens it has one,
// of the same message twice the first. Behind such a message a lost one may lie before
// its gap by slack, which bounds how long a message was on its way.
func check(t testing.TB, a *archive.Archive, s *exchange.Server, slack time.Duration) account {
	t.Helper()
	rounds, err := a.Rounds(t.Context(), market.RoundFilter{})
	require.NoError(t, err)
	books := map[string]*kept{}
	for _, r := range rounds {
		books[r.Market.Slug] = read(t, a, r.Market.Slug, r.Gaps)
	}
	var sum account
	heard := map[int64]market.Instant{} // by connection: when the last message that came through did
	unsure := map[int64]bool{}          // by connection: it may have come later than that
	seen := map[exchange.Key]bool{}
	type on struct {
		conn  int64
		token string
	}
	whole := map[on]bool{} // tokens whose book was sent on a connection
	for _, m := range s.Sent() {
		sum.sent++
		k := books[m.Round]
		require.NotNil(t, k, m.Round)
		if m.Kind == "book" {
			whole[on{m.Conn, m.Token}] = true
		}
		if recv, ok := k.keys[m.Key]; ok {
			sum.archived++
			if m.Kind == "change" && !whole[on{m.Conn, m.Token}] {
				sum.unfounded++
				require.True(t, slices.ContainsFunc(k.gaps[m.Token], func(g market.Gap) bool { return g.Covers(recv) }),
					"changes of %s came at %v on connection %d without a whole book, and that is no gap: %v", m.Token, recv, m.Conn, k.gaps[m.Token])
			}
			heard[m.Conn] = max(heard[m.Conn], recv)
			unsure[m.Conn] = seen[m.Key] || recv == 0
			seen[m.Key] = true
			continue
		}
		if of := k.ladders[market.InstantOf(m.Exch)]; len(of) > 0 && !of[m.Token] {
			sum.mirrored++ // the other token's, which is the same book
			unsure[m.Conn] = true
			continue
		}
		// It would have come in when it was sent, or a little later: after what came
		// through before it.
		at, found, late, by := market.InstantOf(m.At), false, false, time.Hour
		for _, g := range k.gaps[m.Token] {
			found = found || g.Covers(at) || g.Covers(max(at, heard[m.Conn]))
			if unsure[m.Conn] && at <= g.From && g.From <= max(at, heard[m.Conn])+market.Instant(slack.Microseconds()) {
				late, by = true, min(by, time.Duration(g.From-at)*time.Microsecond)
			}
		}
		switch {
		case found:
			sum.inGap++
		case late:
			sum.late++
			sum.latest = max(sum.latest, by)
		default:
			t.Errorf("lost without a gap: a %s of %s, token %s, at %v on connection %d (last through at %v); gaps %v",
				m.Kind, m.Round, m.Token, market.InstantOf(m.At), m.Conn, heard[m.Conn], k.gaps[m.Token])
			if sum.sent-sum.archived-sum.inGap-sum.mirrored-sum.late > 5 {
				t.FailNow()
			}
		}
	}
	for _, k := range books {
		for _, gaps := range k.gaps {
			for _, g := range gaps {
				sum.gapTime += time.Duration(g.To-g.From) * time.Microsecond
			}
		}
	}
	return sum
}
