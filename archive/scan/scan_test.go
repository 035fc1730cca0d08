package scan_test

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/archive/scan"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// memory is a store of one market, whose blocks lie in memory.
type memory struct {
	store.Store
	store.Reader
	row  store.MarketRow
	refs []store.BlockRef
	data [][]byte
}

func (m *memory) View(_ context.Context, read func(store.Reader) error) error { return read(m) }

func (m *memory) Markets(context.Context, store.MarketQuery) ([]store.MarketRow, error) {
	return []store.MarketRow{m.row}, nil
}

func (m *memory) Blocks(context.Context, *store.MarketRow) ([]store.BlockRef, error) {
	return m.refs, nil
}

func (m *memory) ReadBlocks(_ context.Context, refs []store.BlockRef, each func(int, []byte) error) error {
	for i, ref := range refs {
		for k := range m.refs {
			if m.refs[k] == ref {
				if err := each(i, m.data[k]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// put adds a block of one source's captures of a token.
func (m *memory) put(t *testing.T, src store.SourceID, token int, captures ...market.Capture) {
	t.Helper()
	s := block.StreamOf(captures[0].Kind)
	e, err := block.NewEncoder(s, block.Options{})
	require.NoError(t, err)
	ref := store.BlockRef{Token: m.row.Keys[token][0], Stream: s, Source: src}
	for i := range captures {
		require.NoError(t, e.Add(&captures[i]))
		ref.Kinds |= store.KindsOf(&captures[i])
		ref.Traded = store.AddTraded(ref.Traded, &captures[i])
	}
	b, err := e.Finish(nil)
	require.NoError(t, err)
	h := b.Header
	for i := range m.refs {
		if r := &m.refs[i]; r.Source == src && r.Token == ref.Token && r.Stream == s {
			ref.Position++
		}
	}
	ref.First, ref.Last, ref.Captures, ref.Changes, ref.Anchor, ref.Keyframe, ref.Version = h.First, h.Last, h.Captures, h.Changes, h.Anchor, h.Keyframe, h.Version
	ref.Bytes, ref.Checksum = len(b.Data), store.Checksum(b.Data)
	m.refs, m.data = append(m.refs, ref), append(m.data, b.Data)
}

func pair() *memory {
	return &memory{row: store.MarketRow{
		Market: market.Market{Venue: "v", VenueID: "m", Mirrored: true, Tokens: []market.Token{{VenueID: "up"}, {VenueID: "down"}}},
		Keys:   [][]store.ID{{1}, {2}},
	}}
}

func book(recv, exch market.Instant, bid market.Price) market.Capture {
	return market.Capture{
		Kind: market.KindBook, Recv: recv, Exch: exch, Replace: true,
		Bids: []market.Level{{Price: bid, Size: market.SizeOne}}, Asks: []market.Level{{Price: bid + 100, Size: market.SizeOne}},
	}
}

func trade(recv, exch market.Instant, p market.Price) market.Capture {
	return market.Capture{Kind: market.KindTrade, Recv: recv, Exch: exch, Trade: market.Trade{Price: p, Size: market.SizeOne}}
}

func levelsText(levels []market.Level) (out []any) {
	for _, l := range levels {
		out = append(out, l.Price, "x", l.Size)
	}
	return out
}

func lines(t *testing.T, captures iter.Seq2[*market.Capture, error]) []string {
	t.Helper()
	var out []string
	for c, err := range captures {
		require.NoError(t, err)
		text := fmt.Sprint(int64(c.Recv), " ", c.Kind, " of ", c.Token)
		if c.IsLadder() {
			text += fmt.Sprint(" ", levelsText(c.Bids), levelsText(c.Asks))
		} else {
			text += fmt.Sprint(" ", c.Trade.Price)
		}
		out = append(out, text)
	}
	return out
}

// TestMerge: captures of two sources come in receive order, what both have once;
// at one receive time the exchange's time decides.
func TestMerge(t *testing.T) {
	t.Parallel()
	m := pair()
	m.put(t, 1, 0, trade(10, 1, 5000), trade(30, 3, 5200))
	m.put(t, 2, 0, trade(10, 1, 5000), trade(20, 2, 5100), trade(30, 2, 5300))
	require.Equal(t, []string{
		"10 trade of 0 0.5", "20 trade of 0 0.51", "30 trade of 0 0.53", "30 trade of 0 0.52",
	}, lines(t, scan.Captures(t.Context(), m, &m.row.Market)))
	s, err := scan.Summarise(t.Context(), m, &m.row)
	require.NoError(t, err)
	require.EqualValues(t, 4, s.Captures)
	require.Equal(t, []market.Instant{10, 30}, []market.Instant{s.First, s.Last})

	one := pair() // the same captures of one source have the same content
	one.put(t, 3, 0, trade(10, 1, 5000), trade(20, 2, 5100), trade(30, 2, 5300))
	last := trade(30, 3, 5200)
	last.Ord = 1
	one.put(t, 3, 0, last)
	same, err := scan.Summarise(t.Context(), one, &one.row)
	require.NoError(t, err)
	require.Equal(t, s.Content, same.Content)
}

// TestPair: of one exchange time the ladders of the token received first count.
func TestPair(t *testing.T) {
	t.Parallel()
	m := pair()
	m.put(t, 1, 0, book(10, 1, 4000), book(21, 2, 4200))
	m.put(t, 1, 1, book(11, 1, 5900), book(20, 2, 5700))
	var tokens []int
	for c, err := range scan.Captures(t.Context(), m, &m.row.Market) {
		require.NoError(t, err)
		tokens = append(tokens, c.Token)
	}
	require.Equal(t, []int{0, 1}, tokens)
	s, err := scan.Summarise(t.Context(), m, &m.row)
	require.NoError(t, err)
	require.EqualValues(t, 4, s.Captures, "what does not count is stored")
	require.EqualValues(t, 20, s.Last)
	require.EqualValues(t, 1, s.PairLag)
}

// TestFrom reads a market from the middle: books from the one that still holds,
// and nothing that was over before.
func TestFrom(t *testing.T) {
	t.Parallel()
	m := pair()
	m.put(t, 1, 0, book(10, 1, 4000))
	m.put(t, 1, 0, book(20, 2, 4100))
	m.put(t, 1, 0, book(30, 3, 4200))
	var first []market.Instant
	for c, err := range scan.From(t.Context(), m, &m.row, 25, market.Latest, scan.ForBooks) {
		require.NoError(t, err)
		first = append(first, c.Recv)
	}
	require.Equal(t, []market.Instant{20, 30}, first)
	at, err := scan.NextBlock(t.Context(), m, &m.row, 20)
	require.NoError(t, err)
	require.EqualValues(t, 20, at)
	old := m.row
	old.Basis[0] = 1
	for _, err := range scan.From(t.Context(), m, &old, 25, market.Latest, scan.ForBooks) {
		require.ErrorIs(t, err, store.ErrChanged)
	}
}

// TestDamage flips a bit of a block.
func TestDamage(t *testing.T) {
	t.Parallel()
	m := pair()
	m.put(t, 1, 0, trade(10, 1, 5000))
	m.data[0][len(m.data[0])/2] ^= 4
	for _, err := range scan.Captures(t.Context(), m, &m.row.Market) {
		require.ErrorIs(t, err, store.ErrDamaged)
		require.ErrorContains(t, err, "checksum")
	}
}

// TestUndatedTally: the statistics of a market without times are those of one that
// lasts from its first capture to its last.
func TestUndatedTally(t *testing.T) {
	t.Parallel()
	kinds := []market.Kind{market.KindQuote, market.KindTrade, market.KindPrice, market.KindReset, market.KindMetric}
	tokens := []market.Token{{VenueID: "1"}, {VenueID: "2"}}
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 1))
		var captures []market.Capture
		at := market.Instant(1_700_000_000 * market.Second)
		for range 1 + r.IntN(12) {
			at += market.Instant(r.IntN(3)) * market.Instant(r.IntN(40)) * market.Instant(market.Second)
			captures = append(captures, market.Capture{Token: r.IntN(2), Kind: kinds[r.IntN(len(kinds))], Recv: at, Exch: at})
		}
		want, got := scan.NewTally(captures[0].Recv, at), scan.NewUndatedTally()
		for i := range captures {
			c := &captures[i]
			content, counts := scan.AppendContent(nil, c), r.IntN(5) > 0
			want.Add(c.Token, c, content, counts)
			got.Add(c.Token, c, content, counts)
		}
		start, end := got.Bounds()
		require.Equal(t, [2]market.Instant{captures[0].Recv, at}, [2]market.Instant{start, end}, "seed %d", seed)
		require.Equal(t, want.Done(tokens), got.Done(tokens), "seed %d: %+v", seed, captures)
	}
}

// TestChangesBeforeALadder: level changes cover no time until a whole ladder was captured.
func TestChangesBeforeALadder(t *testing.T) {
	t.Parallel()
	tally := scan.NewTally(0, 100*market.Second)
	level := []market.Level{{Price: 4000, Size: market.SizeOne}}
	tokens := []market.Token{{VenueID: "1"}, {VenueID: "2"}}
	add := func(kind market.Kind, at market.Instant) {
		c := market.Capture{Kind: kind, Replace: kind == market.KindBook, Recv: at, Bids: level}
		tally.Add(0, &c, scan.AppendContent(nil, &c), true)
	}
	for at := market.Second; at < 50*market.Second; at += market.Second {
		add(market.KindChange, at)
	}
	require.Zero(t, tally.Done(tokens).Coverage)
	require.True(t, tally.Done(tokens).Captured)
	add(market.KindBook, 80*market.Second)
	add(market.KindChange, 90*market.Second)
	require.EqualValues(t, 200_000, tally.Done(tokens).Coverage, "from the ladder to the end")
}

// TestAppendContent spells out the bytes that equality, order and the content hash rest on.
func TestAppendContent(t *testing.T) {
	t.Parallel()
	const exch = "0000000000000102"
	levels := []market.Level{{Price: 0x10, Size: 0x203}, {Price: 0x11, Size: 0}}
	for name, c := range map[string]struct {
		market.Capture
		want string
	}{
		"book, without levels of size zero": {market.Capture{Kind: market.KindBook, Replace: true, Bids: levels, Asks: levels[1:]},
			"01" + exch + "00010000" + "00100000000000000203"},
		"difference of books, with them": {market.Capture{Kind: market.KindBook, Bids: levels, Asks: levels[1:]},
			"01" + exch + "00020001" + "00100000000000000203" + "00110000000000000000" + "00110000000000000000"},
		"change, with them": {market.Capture{Kind: market.KindChange, Bids: levels[1:], Asks: levels},
			"02" + exch + "00010002" + "00110000000000000000" + "00100000000000000203" + "00110000000000000000"},
		"quote": {market.Capture{Kind: market.KindQuote, Quote: market.Quote{Bid: levels[0], Ask: market.Level{Price: market.NoPrice}}},
			"03" + exch + "00100000000000000203" + "ffff0000000000000000"},
		"trade":  {market.Capture{Kind: market.KindTrade, Trade: market.Trade{Price: 0x10, Size: 0x203, Side: market.Ask}}, "04" + exch + "00100000000000000203" + "02"},
		"price":  {market.Capture{Kind: market.KindPrice, Trade: market.Trade{Price: 0x10, Size: 5}}, "05" + exch + "0010"},
		"tick":   {market.Capture{Kind: market.KindTick, Trade: market.Trade{Price: 0x64}}, "06" + exch + "0064"},
		"reset":  {market.Capture{Kind: market.KindReset, Bids: levels}, "07" + exch},
		"metric": {market.Capture{Kind: market.KindMetric, Metric: market.Metric{Liquidity: market.NoMetric, Volume: 7}}, "08" + exch + "ffffffffffffffff" + "0000000000000007"},
	} {
		c.Exch, c.Recv, c.Token, c.Ord = 0x102, 99, 1, 3 // the last three have no part in it
		require.Equal(t, "ff"+c.want, fmt.Sprintf("%x", scan.AppendContent([]byte{0xff}, &c.Capture)), name)
	}
}

// TestStatisticsByHand: the longest stretch without a capture, and the time for which a value
// was fresh, lie within the round; a trade logged for both tokens is one that is not once.
func TestStatisticsByHand(t *testing.T) {
	t.Parallel()
	const second = market.Second
	tokens := []market.Token{{VenueID: "1"}, {VenueID: "2"}}
	done := func(start, end market.Span, captures ...market.Capture) store.Stats {
		tally := scan.NewTally(start*second, end*second)
		for i := range captures {
			c := &captures[i]
			c.Recv *= second
			tally.Add(c.Token, c, scan.AppendContent(nil, c), true)
		}
		return tally.Done(tokens)
	}
	priced := func(at market.Instant) market.Capture { return market.Capture{Kind: market.KindPrice, Recv: at} }
	s := done(100, 200, priced(60), priced(110), priced(130), priced(170), priced(260))
	require.Equal(t, [3]market.Instant{60 * second, 260 * second, 40 * second}, [3]market.Instant{s.First, s.Last, s.Silence})
	require.EqualValues(t, 800_000, s.Coverage, "110 to 160 and 170 to 200; what was known at 60 was stale by 90")
	require.True(t, s.Captured)
	require.EqualValues(t, 30*second, done(100, 200, priced(130), priced(160), priced(190)).Silence, "from the start")
	require.EqualValues(t, 60*second, done(100, 200, priced(110), priced(140)).Silence, "until the end")
	require.EqualValues(t, 200_000, done(100, 200, priced(90)).Coverage, "fresh until 120")
	require.False(t, done(100, 200, priced(99), priced(200)).Captured, "the end is not within")
	require.True(t, done(100, 200, priced(100)).Captured)
	none := done(200, 200, priced(200))
	require.Zero(t, none.Coverage)
	require.Zero(t, none.Silence)
	require.False(t, none.Captured)
	silent := done(100, 200)
	require.EqualValues(t, 100*second, silent.Silence)
	require.Zero(t, silent.Content)

	traded := func(token int, exch market.Instant, size market.Size) market.Capture {
		return market.Capture{Token: token, Kind: market.KindTrade, Recv: 150, Exch: exch, Trade: market.Trade{Price: 5000, Size: size}}
	}
	require.True(t, done(100, 200, traded(0, 7, 1), traded(0, 7, 1), traded(1, 7, 2), traded(1, 8, 1)).TradesOnce)
	require.True(t, done(100, 200, traded(0, 0, 1), traded(1, 0, 1)).TradesOnce, "of no exchange time")
	require.False(t, done(100, 200, traded(0, 7, 1), traded(1, 7, 1)).TradesOnce)
	require.False(t, done(100, 200, traded(0, 7, 1), traded(1, 7, 1), traded(1, 9, 1)).TradesOnce, "and stays so")

	ofTokens := func(ids ...string) [32]byte {
		tally := scan.NewTally(0, second)
		c := priced(5)
		tally.Add(0, &c, scan.AppendContent(nil, &c), true)
		var tokens []market.Token
		for _, id := range ids {
			tokens = append(tokens, market.Token{VenueID: id})
		}
		return tally.Done(tokens).Content
	}
	require.NotEqual(t, ofTokens("ab", "c"), ofTokens("a", "bc"))
	require.NotEqual(t, ofTokens("ab"), ofTokens("ac"))
}
