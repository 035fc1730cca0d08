package scan_test

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/archive/scan"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// captured is a capture as a source has it.
type captured struct {
	source store.SourceID
	lane   int64
	market.Capture
}

func (c *captured) content() []byte {
	return scan.AppendContent([]byte{byte(c.Token)}, &c.Capture)
}

// put adds a lane of captures, cut into blocks of a few.
func (m *memory) lane(t *testing.T, r *rand.Rand, of []captured) {
	t.Helper()
	stream := block.StreamOf(of[0].Kind)
	e, err := block.NewEncoder(stream, block.Options{NoCompression: true})
	require.NoError(t, err)
	ref := store.BlockRef{Token: m.row.Keys[of[0].Token][0], Stream: stream, Source: of[0].source, Position: of[0].lane << 32}
	one := ref
	for i := range of {
		c := &of[i].Capture
		require.NoError(t, e.Add(c))
		one.Kinds |= store.KindsOf(c)
		one.Traded = store.AddTraded(one.Traded, c)
		if i+1 < len(of) && r.IntN(3) > 0 {
			continue
		}
		b, err := e.Finish(nil)
		require.NoError(t, err)
		h := b.Header
		one.First, one.Last, one.Captures, one.Changes = h.First, h.Last, h.Captures, h.Changes
		one.Anchor, one.Keyframe, one.Version = h.Anchor, h.Keyframe, h.Version
		one.Bytes, one.Checksum = len(b.Data), store.Checksum(b.Data)
		one.Sequence = store.Sequence(one.Source, one.Token, one.Stream, one.Position)
		m.refs, m.data = append(m.refs, one), append(m.data, bytes.Clone(b.Data))
		ref.Position++
		one = ref
	}
}

// drawn is a market of random captures: one or two tokens, up to three sources that share
// some of what they have, with lanes of their own for what came late.
func drawn(t *testing.T, seed uint64) (m *memory, all []captured) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 9))
	m = pair()
	m.row.Market.Mirrored = r.IntN(2) == 0
	m.row.Market.Start, m.row.Market.End = 1, 1000
	sources, tokens := 1+r.IntN(3), 1+r.IntN(2)
	kinds := []market.Kind{market.KindBook, market.KindChange, market.KindTrade, market.KindQuote, market.KindPrice, market.KindMetric}
	kinds = kinds[:[]int{2, 3, 6}[r.IntN(3)]]
	last := map[string]market.Instant{} // of each lane
	have := map[string]bool{}           // at one time of a source
	ord := map[string]uint32{}
	for at := market.Instant(10); at < 90; at += market.Instant(r.IntN(3)) {
		c := captured{source: store.SourceID(1 + r.IntN(sources)), Capture: market.Capture{
			Token: r.IntN(tokens), Kind: kinds[r.IntN(len(kinds))], Recv: at, Exch: market.Instant(r.IntN(12)) * market.Instant(r.IntN(2)),
		}}
		level := func() []market.Level {
			return []market.Level{{Price: market.Price(1000 * (1 + r.IntN(9))), Size: market.Size(r.IntN(3)) * market.SizeOne}}
		}
		switch c.Kind {
		case market.KindBook:
			c.Replace = true
			c.Bids, c.Asks = []market.Level{{Price: market.Price(100 * (1 + r.IntN(40))), Size: 3}}, []market.Level{{Price: market.Price(5000 + 100*r.IntN(40)), Size: 4}}
		case market.KindChange:
			c.Bids = level()
			if r.IntN(2) == 0 {
				c.Asks = level()
			}
		case market.KindTrade:
			c.Trade = market.Trade{Price: market.Price(1 + r.IntN(9999)), Size: market.Size(1+r.IntN(3)) * market.SizeOne}
		case market.KindPrice:
			c.Trade.Price = market.Price(1 + r.IntN(9999))
		case market.KindQuote:
			c.Quote = market.Quote{Bid: market.Level{Price: market.Price(1 + r.IntN(4000))}, Ask: market.Level{Price: market.NoPrice}}
		case market.KindMetric:
			c.Metric = market.Metric{Liquidity: market.NoMetric, Volume: market.NoMetric}
			*[]*market.Cash{&c.Metric.Liquidity, &c.Metric.Volume}[r.IntN(2)] = market.Cash(1 + r.IntN(100))
		}
		for src := store.SourceID(1); src <= store.SourceID(sources); src++ { // another may have it too
			if src != c.source && r.IntN(3) > 0 {
				continue
			}
			one := c
			one.source, one.lane = src, int64(r.IntN(2))*int64(r.IntN(2))
			same := fmt.Sprint(src, one.Recv, one.content())
			if have[same] {
				continue // no source has anything twice
			}
			have[same] = true
			key := fmt.Sprint(src, one.Recv)
			one.Ord = ord[key]
			ord[key]++
			lane := fmt.Sprint(src, one.Token, block.StreamOf(one.Kind), one.lane)
			require.GreaterOrEqual(t, one.Recv, last[lane])
			last[lane] = one.Recv
			all = append(all, one)
		}
	}
	byLane := func(a, b captured) int {
		return cmp.Or(cmp.Compare(a.source, b.source), cmp.Compare(a.Token, b.Token),
			cmp.Compare(block.StreamOf(a.Kind), block.StreamOf(b.Kind)), cmp.Compare(a.lane, b.lane))
	}
	lanes := slices.Clone(all)
	slices.SortStableFunc(lanes, byLane)
	for i := 0; i < len(lanes); {
		j := i + 1
		for j < len(lanes) && byLane(lanes[i], lanes[j]) == 0 {
			j++
		}
		m.lane(t, r, lanes[i:j])
		i = j
	}
	r.Shuffle(len(m.refs), func(i, j int) {
		m.refs[i], m.refs[j], m.data[i], m.data[j] = m.refs[j], m.refs[i], m.data[j], m.data[i]
	})
	return m, all
}

// merged says in plain words what the captures of a market are: at each receive time those
// of the source that has all, in its order, else all by exchange time, token and content,
// each once.
func merged(m *memory, all []captured) (out []captured) {
	at := map[market.Instant][]captured{}
	for _, c := range all {
		at[c.Recv] = append(at[c.Recv], c)
	}
	for recv := market.Instant(0); recv < 200; recv++ {
		var union []captured
		bySource := map[store.SourceID][]captured{}
		for _, c := range at[recv] {
			bySource[c.source] = append(bySource[c.source], c) // in its order
			if !slices.ContainsFunc(union, func(u captured) bool { return bytes.Equal(u.content(), c.content()) }) {
				union = append(union, c)
			}
		}
		whole := false
		for src := store.SourceID(1); src < 4 && !whole; src++ {
			if whole = len(bySource[src]) == len(union); whole {
				out = append(out, bySource[src]...)
			}
		}
		if whole {
			continue
		}
		slices.SortStableFunc(union, func(a, b captured) int {
			tokens := m.row.Market.Tokens
			return cmp.Or(cmp.Compare(a.Exch, b.Exch), cmp.Compare(tokens[a.Token].VenueID, tokens[b.Token].VenueID), bytes.Compare(a.content(), b.content()))
		})
		out = append(out, union...)
	}
	return out
}

// counted leaves out what the rule for mirrored pairs does: ladders of an exchange time
// that the other token had first.
func counted(m *memory, all []captured) (out []captured) {
	first := map[market.Instant]int{}
	for _, c := range all {
		if m.row.Market.Mirrored && c.IsLadder() && c.Exch != 0 {
			if token, ok := first[c.Exch]; ok && token != c.Token {
				continue
			}
			first[c.Exch] = c.Token
		}
		out = append(out, c)
	}
	return out
}

// state is what captures have led to.
type state struct {
	books   [2]market.Book
	quotes  [2]market.Quote
	prices  [2]market.Price
	traded  int64
	trades  [2]market.Price
	metrics [2]market.Cash
}

func (s *state) apply(m *memory, c *market.Capture) {
	switch c.Kind {
	case market.KindBook, market.KindChange:
		if m.row.Market.Mirrored {
			apply(&s.books[0], c)
		} else {
			s.books[c.Token].Apply(c)
		}
	case market.KindQuote:
		s.quotes[c.Token] = c.Quote
	case market.KindPrice:
		s.prices[c.Token] = c.Trade.Price
	case market.KindTrade:
		s.trades[c.Token] = c.Trade.Price
		s.traded += int64(c.Trade.Price) * int64(c.Trade.Size)
	case market.KindMetric:
		for i, v := range []market.Cash{c.Metric.Liquidity, c.Metric.Volume} {
			if v != market.NoMetric {
				s.metrics[i] = v
			}
		}
	}
}

// text of a state, as far as somebody asks for it.
func (s *state) text(use scan.Use) string {
	out := ""
	for i := range s.books {
		for _, side := range []market.Side{market.Bid, market.Ask} {
			for l := s.books[i].Best(side); l.Price != market.NoPrice; l = s.books[i].Next(side, l.Price) {
				out += fmt.Sprint(" ", l.Price, "x", l.Size)
			}
			out += "|"
		}
	}
	out += fmt.Sprint(s.quotes, s.prices)
	switch use {
	case scan.ForPrices:
		out += fmt.Sprint(s.trades)
	case scan.ForReplay:
		out += fmt.Sprint(s.trades, s.metrics)
	case scan.ForAll:
		out += fmt.Sprint(s.metrics, s.traded)
	}
	return out
}

// states is what holds just before an instant and at each from then on, to another.
func states(t *testing.T, m *memory, use scan.Use, from, to market.Instant, captures iter.Seq2[*market.Capture, error]) (out []string) {
	t.Helper()
	var s state
	now := s.text(use)
	at := from // which has not come yet
	for c, err := range captures {
		require.NoError(t, err)
		require.False(t, c.Recv < at-1 && at > from, "%d comes behind %d", c.Recv, at-1)
		for ; at <= min(c.Recv, to-1); at++ {
			out = append(out, now)
		}
		if c.Recv >= to {
			break
		}
		s.apply(m, c)
		now = s.text(use)
	}
	for ; at <= to; at++ {
		out = append(out, now)
	}
	return out
}

// TestDrawnMarkets holds what is read of random markets to a plain merge of what their
// sources have.
func TestDrawnMarkets(t *testing.T) {
	t.Parallel()
	lags, singles := 0, 0
	for seed := range uint64(80) {
		m, sources := drawn(t, seed)
		all := merged(m, sources)
		want := counted(m, all)
		require.Equal(t, textOf(t, m, all), textOfSeq(t, m, scan.All(t.Context(), m, &m.row.Market)), "seed %d", seed)
		require.Equal(t, textOf(t, m, want), textOfSeq(t, m, scan.Captures(t.Context(), m, &m.row.Market)), "seed %d", seed)

		stats, err := scan.Summarise(t.Context(), m, &m.row)
		require.NoError(t, err)
		require.EqualValues(t, len(all), stats.Captures, "seed %d", seed)
		require.Equal(t, hashed(m, all), stats.Content, "seed %d", seed)
		derived, err := scan.Derive(t.Context(), m, &m.row)
		require.NoError(t, err)
		require.Equal(t, stats, derived.Stats, "seed %d", seed)
		m.row.Stats = stats
		if stats.PairLag > 0 {
			lags++
		}
		if !slices.ContainsFunc(m.refs, func(r store.BlockRef) bool { return r.Source != m.refs[0].Source }) {
			singles++
		}
		for _, use := range []scan.Use{scan.ForAll, scan.ForPrices, scan.ForBooks, scan.ForReplay} {
			for _, from := range []market.Instant{5, 40, 80} {
				to := from + 25
				plain := func(yield func(*market.Capture, error) bool) {
					for i := range want {
						if !yield(&want[i].Capture, nil) {
							return
						}
					}
				}
				require.Equal(t, states(t, m, use, from, to, plain), states(t, m, use, from, to, scan.From(t.Context(), m, &m.row, from, to, use)),
					"seed %d, use %d from %d", seed, use, from)
			}
		}
	}
	require.Greater(t, lags, 10)
	require.Greater(t, singles, 10)
}

// hashed is the content hash in plain words: of a book no more than what differs from the
// token's ladder before.
func hashed(m *memory, all []captured) [32]byte {
	ladders := map[[2]int]map[market.Price]market.Size{} // by token and side
	ladder := func(token, side int) map[market.Price]market.Size {
		if ladders[[2]int{token, side}] == nil {
			ladders[[2]int{token, side}] = map[market.Price]market.Size{}
		}
		return ladders[[2]int{token, side}]
	}
	var b []byte
	for _, c := range all {
		for side, levels := range []*[]market.Level{&c.Bids, &c.Asks} {
			now := ladder(c.Token, side)
			if c.Kind == market.KindBook {
				changes := map[market.Price]market.Size{}
				for p := range now {
					changes[p] = 0
				}
				for _, l := range *levels {
					if changes[l.Price] = l.Size; now[l.Price] == l.Size {
						delete(changes, l.Price)
					}
				}
				*levels = nil
				for p := range changes {
					*levels = append(*levels, market.Level{Price: p, Size: changes[p]})
				}
				slices.SortFunc(*levels, func(a, b market.Level) int { return cmp.Compare(a.Price, b.Price) * (2*side - 1) })
			}
			for _, l := range *levels {
				if now[l.Price] = l.Size; l.Size == 0 {
					delete(now, l.Price)
				}
			}
		}
		c.Replace = false
		b = append(b, 0, byte(c.Token))
		b = binary.BigEndian.AppendUint64(b, uint64(c.Recv))
		b = scan.AppendContent(b, &c.Capture)
	}
	if len(all) == 0 {
		return [32]byte{}
	}
	captures := sha256.Sum256(b)
	out := append([]byte("ladderback content 1\n"), captures[:]...)
	for _, k := range m.row.Market.Tokens {
		out = append(binary.BigEndian.AppendUint16(out, uint16(len(k.VenueID))), k.VenueID...)
	}
	return sha256.Sum256(out)
}

// textOf is captures with the whole of each ladder that they lead to.
func textOf(t *testing.T, m *memory, all []captured) []string {
	t.Helper()
	return textOfSeq(t, m, func(yield func(*market.Capture, error) bool) {
		for i := range all {
			if !yield(&all[i].Capture, nil) {
				return
			}
		}
	})
}

func textOfSeq(t *testing.T, m *memory, captures iter.Seq2[*market.Capture, error]) (out []string) {
	t.Helper()
	var s state
	for c, err := range captures {
		require.NoError(t, err)
		s.apply(m, c)
		text := fmt.Sprint(c.Recv, c.Exch, c.Token, c.Kind)
		if c.IsLadder() {
			text += s.text(scan.ForBooks)
		} else {
			text += fmt.Sprint(c.Trade, c.Quote, c.Metric)
		}
		out = append(out, text)
	}
	return out
}

// TestOneLadderStandsForThoseBefore a window, and for none within it.
func TestOneLadderStandsForThoseBefore(t *testing.T) {
	t.Parallel()
	m := pair()
	var all []market.Capture
	for i := range market.Instant(40) {
		all = append(all, book(10+i, 0, 4000+100*market.Price(i)))
	}
	m.put(t, 1, 0, all...)
	for from := market.Instant(11); from < 50; from++ {
		for _, use := range []scan.Use{scan.ForPrices, scan.ForBooks, scan.ForReplay} {
			var got []market.Instant
			for c, err := range scan.From(t.Context(), m, &m.row, from, market.Latest, use) {
				require.NoError(t, err)
				got = append(got, c.Recv)
			}
			want := []market.Instant{from - 1}
			for at := from; at < 50; at++ {
				want = append(want, at)
			}
			require.Equal(t, want, got, "use %d from %d", use, from)
		}
	}
}
