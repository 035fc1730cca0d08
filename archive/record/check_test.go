package record_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/exchange"
	"github.com/ladderback/ladderback/market"
)

// account is where the messages that a server sent went.
type account struct {
	sent, archived, mirrored, inGap int
	// onTheWay are those in a gap that were sent before it begins: what was sent before
	// them came in after they were sent, up to longest later.
	onTheWay  int
	longest   time.Duration
	unfounded int // changes archived on a connection before a whole book
	gapTime   time.Duration
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

// arrivals are when messages came in, as the files of a recorder say.
type arrivals struct {
	at   map[[16]byte][]market.Instant // by text, in order
	used map[[16]byte]int              // how many of them belong to messages looked at
	// next is when the first message of a token was handed to the connection after
	// that one.
	next map[on]market.Instant
}

// on is a token on a connection.
type on struct {
	conn  int64
	token string
}

// readArrivals reads the files that a recorder left in dir.
func readArrivals(t testing.TB, dir string, sent []exchange.Sent) *arrivals {
	t.Helper()
	a := &arrivals{at: map[[16]byte][]market.Instant{}, used: map[[16]byte]int{}, next: map[on]market.Instant{}}
	paths, err := filepath.Glob(filepath.Join(dir, "*.jsonl.zst"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		f, err := os.Open(path)
		require.NoError(t, err)
		z, err := zstd.NewReader(f, zstd.WithDecoderConcurrency(1))
		require.NoError(t, err)
		lines := bufio.NewScanner(z)
		lines.Buffer(nil, 64<<20)
		for lines.Scan() {
			var line struct {
				Recv json.Number     `json:"recv"`
				Msg  json.RawMessage `json:"msg"`
			}
			if json.Unmarshal(lines.Bytes(), &line) != nil || line.Msg == nil {
				continue // a mark of the recorder's own, or metadata
			}
			recv, err := market.ParseUnix(string(line.Recv))
			require.NoError(t, err)
			text := exchange.TextOf(line.Msg)
			a.at[text] = append(a.at[text], recv)
		}
		require.NoError(t, lines.Err())
		z.Close()
		require.NoError(t, f.Close())
	}
	for _, list := range a.at {
		slices.Sort(list)
	}
	// Backwards: connections follow one another.
	first := map[string]on{}
	began := map[on]market.Instant{}
	for _, m := range slices.Backward(sent) {
		began[on{m.Conn, m.Token}] = market.InstantOf(m.At)
	}
	for _, m := range slices.Backward(sent) {
		here := on{m.Conn, m.Token}
		if later, ok := first[m.Token]; ok && later.conn != m.Conn {
			if _, ok := a.next[here]; !ok {
				a.next[here] = began[later]
			}
		}
		if now, ok := first[m.Token]; !ok || m.Conn < now.conn {
			first[m.Token] = here
		}
	}
	return a
}

// came returns when a message came in; false: it did not, or it cannot be told from
// one like it on the next connection. Messages are asked for in the order in which
// they were sent.
func (a *arrivals) came(m *exchange.Sent) (market.Instant, bool) {
	list := a.at[m.Text]
	next, more := a.next[on{m.Conn, m.Token}]
	for i := a.used[m.Text]; i < len(list); i++ {
		switch at := list[i]; {
		case more && at >= next:
			return 0, false
		case at >= market.InstantOf(m.At):
			a.used[m.Text] = i + 1
			return at, true
		}
	}
	return 0, false
}

// check asks of every message that the server handed to a connection whether the
// archive has it, or says that something is missing there; and of changes without
// a whole book before them on their connection, whether they lie in a gap.
//
// A message that was lost would have come in after all that came through before it on
// its connection: that is where its gap begins. The files in dir say when that was;
// the archive does not of a message that it keeps once, such as the same book of both
// tokens.
func check(t testing.TB, a *archive.Archive, s *exchange.Server, dir string) account {
	t.Helper()
	rounds, err := a.Rounds(t.Context(), market.RoundFilter{})
	require.NoError(t, err)
	books := map[string]*kept{}
	for _, r := range rounds {
		books[r.Market.Slug] = read(t, a, r.Market.Slug, r.Gaps)
	}
	var sum account
	heard := map[int64]market.Instant{} // by connection: when the last message that came through did
	whole := map[on]bool{}              // tokens whose book was sent on a connection
	sent := s.Sent()
	came := readArrivals(t, dir, sent)
	for i := range sent {
		m := &sent[i]
		sum.sent++
		k := books[m.Round]
		require.NotNil(t, k, m.Round)
		if m.Kind == "book" {
			whole[on{m.Conn, m.Token}] = true
		}
		if at, ok := came.came(m); ok {
			heard[m.Conn] = max(heard[m.Conn], at)
		}
		if recv, ok := k.keys[m.Key]; ok {
			sum.archived++
			if m.Kind == "change" && !whole[on{m.Conn, m.Token}] {
				sum.unfounded++
				require.True(t, slices.ContainsFunc(k.gaps[m.Token], func(g market.Gap) bool { return g.Covers(recv) }),
					"changes of %s came at %v on connection %d without a whole book, and that is no gap: %v", m.Token, recv, m.Conn, k.gaps[m.Token])
			}
			continue
		}
		if of := k.ladders[market.InstantOf(m.Exch)]; len(of) > 0 && !of[m.Token] {
			sum.mirrored++ // the other token's, which is the same book
			continue
		}
		at := market.InstantOf(m.At)
		if slices.ContainsFunc(k.gaps[m.Token], func(g market.Gap) bool { return g.Covers(at) || g.Covers(max(at, heard[m.Conn])) }) {
			sum.inGap++
			if !slices.ContainsFunc(k.gaps[m.Token], func(g market.Gap) bool { return g.Covers(at) }) {
				sum.onTheWay++
				sum.longest = max(sum.longest, time.Duration(heard[m.Conn]-at)*time.Microsecond)
			}
			continue
		}
		t.Errorf("lost without a gap: a %s of %s, token %s, at %v on connection %d (last through at %v); gaps %v",
			m.Kind, m.Round, m.Token, at, m.Conn, heard[m.Conn], k.gaps[m.Token])
		if sum.sent-sum.archived-sum.inGap-sum.mirrored > 5 {
			t.FailNow()
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
