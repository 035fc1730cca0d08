package tops_test

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/archive/sqlite"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/archive/tops"
	"github.com/ladderback/ladderback/market"
)

// recorded returns the tops of random captures.
func recorded(seed uint64) []market.Top {
	var rec tops.Recorder
	rec.Begin(100, 400)
	for _, c := range randomCaptures(rand.New(rand.NewPCG(seed, 1))) {
		rec.Add(&c)
	}
	return slices.Clone(rec.Tops())
}

// shows is what a top says: the trade only as far as it makes type price.
func shows(all []market.Top) []any {
	var out []any
	for i := range all {
		out = append(out, []any{all[i].At, all[i].Quote(), all[i].Price(), all[i].Known(), all[i].Least})
	}
	return out
}

// TestRoundTrip: tops are read as they were laid out, all together or some at a time, and
// so are the places in front of them.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	read := 0
	for seed := range uint64(200) {
		want := recorded(seed)
		var places *tops.Places
		if seed%2 == 0 {
			places = &tops.Places{Source: seed, Token: math.MaxUint64 - seed, Lane: int64(seed), Blocks: []tops.Place{{First: 90, Bytes: 1 << 20, Checksum: 7}, {First: 300, Bytes: 3, Checksum: math.MaxUint32}}}
		}
		data, captures, err := tops.Encode(places, want)
		require.NoError(t, err)
		got, blocks, ok := tops.Open(data)
		require.True(t, ok)
		require.Equal(t, places, got)
		if places != nil {
			require.Equal(t, []market.Instant{90, 300}, got.Cuts())
		}
		dec := new(block.Decoder)
		all, more, err := tops.NewReader(blocks, dec, make([]market.Top, 0, captures)).Read(math.MaxInt)
		require.NoError(t, err)
		require.False(t, more)
		require.Equal(t, shows(want), shows(all), "seed %d", seed)
		require.LessOrEqual(t, len(all), captures, "captures is a bound")
		r := tops.NewReader(blocks, dec, nil)
		for about := 0; ; about += 3 {
			some, more, err := r.Read(about)
			require.NoError(t, err)
			require.Equal(t, shows(want[:len(some)]), shows(some))
			if !more {
				require.Len(t, some, len(want))
				break
			}
			require.GreaterOrEqual(t, len(some), about)
		}
		first, last, err := tops.Bounds(blocks, dec)
		require.NoError(t, err)
		require.Equal(t, []market.Instant{want[0].At, want[len(want)-1].At}, []market.Instant{first, last})
		read += len(want)
	}
	require.Greater(t, read, 2000)
}

// TestSame: what was laid out is the same as what it was made of, and nothing else is.
func TestSame(t *testing.T) {
	t.Parallel()
	dec := new(block.Decoder)
	for seed := range uint64(50) {
		all := recorded(seed)
		places := &tops.Places{Source: seed, Token: 1, Blocks: []tops.Place{{First: 90, Bytes: 1 << 20, Checksum: 7}}}
		data, captures, err := tops.Encode(places, all)
		require.NoError(t, err)
		require.True(t, tops.Same(data, captures, places, all, dec))

		other := *places
		other.Lane++
		require.False(t, tops.Same(data, captures, &other, all, dec), "other places")
		require.False(t, tops.Same(data, captures, nil, all, dec), "no places")
		require.False(t, tops.Same(data, captures+1, places, all, dec), "more captures")
		require.False(t, tops.Same(data, captures, places, all[:len(all)-1], dec), "a top less")
		require.False(t, tops.Same(data, captures, places, nil, dec), "no tops")
		require.False(t, tops.Same(data[:len(data)-1], captures, places, all, dec), "a byte less")
		at := int(seed) % len(all)
		for what, change := range map[string]func(top *market.Top){
			"when":           func(top *market.Top) { top.At++ },
			"bid":            func(top *market.Top) { top.Bid++ },
			"ask":            func(top *market.Top) { top.Ask-- },
			"size of a bid":  func(top *market.Top) { top.Least[0] ^= 1 },
			"size of an ask": func(top *market.Top) { top.Least[1] ^= 16 },
		} {
			changed := slices.Clone(all)
			change(&changed[at])
			require.False(t, tops.Same(data, captures, places, changed, dec), "seed %d: %s", seed, what)
		}
		all[at] = market.Top{At: all[at].At, Bid: market.NoLadder, Ask: market.NoLadder, Trade: all[at].Trade ^ 1}
		require.False(t, tops.Same(data, captures, places, all, dec), "type price")
	}
	require.True(t, tops.Same([]byte{}, 0, nil, nil, dec))
	require.False(t, tops.Same([]byte{0}, 0, nil, nil, dec))
}

// TestNothingToLayOut: without tops there are no bytes, and of those no places.
func TestNothingToLayOut(t *testing.T) {
	t.Parallel()
	data, captures, err := tops.Encode(nil, nil)
	require.NoError(t, err)
	require.Empty(t, data)
	require.Zero(t, captures)
	p, blocks, ok := tops.Open(data)
	require.True(t, ok)
	require.Nil(t, p)
	require.Empty(t, blocks)
	first, last, err := tops.Bounds(blocks, new(block.Decoder))
	require.NoError(t, err)
	require.Zero(t, first+last)
}

// TestOpenRefuses says which bytes are no places.
func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	long := binary.AppendUvarint(nil, 100)
	short := append(binary.AppendUvarint(nil, 3), 1, 2, 3)
	empty := append(binary.AppendUvarint(nil, 17), make([]byte, 17)...)
	cut := append(binary.AppendUvarint(nil, 20), make([]byte, 20)...)
	for name, data := range map[string][]byte{
		"longer than there is": long, "no source and token": short, "no blocks": empty, "half a block": cut,
		"no length": {0x80},
	} {
		_, _, ok := tops.Open(data)
		require.False(t, ok, name)
	}
}

// FuzzRead: bytes that are no tops are refused, and no others.
func FuzzRead(f *testing.F) {
	for seed := range uint64(4) {
		data, _, err := tops.Encode(nil, recorded(seed))
		require.NoError(f, err)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		_, blocks, ok := tops.Open(data)
		if !ok {
			return
		}
		all, _, err := tops.NewReader(blocks, new(block.Decoder), nil).Read(math.MaxInt)
		if err != nil {
			require.ErrorIs(t, err, tops.ErrDamaged)
			return
		}
		if again, _, err := tops.Encode(nil, all); err == nil {
			_, blocks, ok := tops.Open(again)
			require.True(t, ok)
			got, _, err := tops.NewReader(blocks, new(block.Decoder), nil).Read(math.MaxInt)
			require.NoError(t, err)
			require.Len(t, got, len(all))
		}
	})
}

// BenchmarkRead reads the tops of all rounds of the archive that LADDERBACK_BENCH_ARCHIVE
// names, whose bytes are in memory.
func BenchmarkRead(b *testing.B) {
	path := os.Getenv("LADDERBACK_BENCH_ARCHIVE")
	if path == "" {
		b.Skip("LADDERBACK_BENCH_ARCHIVE names no archive")
	}
	s, err := sqlite.OpenReadOnly(b.Context(), path)
	require.NoError(b, err)
	defer s.Close()
	var all [][]byte
	require.NoError(b, s.View(b.Context(), func(r store.Reader) error {
		rows, err := r.Markets(b.Context(), store.MarketQuery{Unlisted: true})
		if err != nil {
			return err
		}
		var ids []store.ID
		for i := range rows {
			ids = append(ids, rows[i].ID)
		}
		refs, err := r.Tops(b.Context(), ids)
		if err != nil {
			return err
		}
		return r.ReadBlocks(b.Context(), refs, func(_ int, data []byte) error {
			_, blocks, ok := tops.Open(slices.Clone(data))
			require.True(b, ok)
			all = append(all, blocks)
			return nil
		})
	}))
	space, dec, n := make([]market.Top, 0, 1<<16), new(block.Decoder), 0
	for b.Loop() {
		for _, blocks := range all {
			read, _, err := tops.NewReader(blocks, dec, space).Read(math.MaxInt)
			require.NoError(b, err)
			n += len(read)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/top")
}
