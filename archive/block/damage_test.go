package block_test

import (
	"encoding/binary"
	"flag"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/market"
)

var update = flag.Bool("update", false, "write the recorded blocks anew")

// quoting returns captures of a ladder that is quoted like a real one: n whole
// ladders, some level changes, a tick and a reset among them.
func quoting(seed uint64, n int) []market.Capture {
	r := rand.New(rand.NewPCG(seed, 1))
	bids, asks := map[int]market.Size{}, map[int]market.Size{}
	recv, exch := market.Instant(1_776_081_409_871_942), market.Instant(1_776_081_409_880_000)
	var out []market.Capture
	for i := range n {
		recv += market.Instant(r.IntN(200_000))
		exch += market.Instant(r.IntN(200)) * market.Millisecond
		for range 6 {
			size := market.Size(r.IntN(40)*5) * market.SizeOne
			if r.IntN(4) == 0 {
				size = market.Size(r.IntN(100_000)) * market.SizeOne / 100
			}
			bids[1+r.IntN(49)], asks[51+r.IntN(48)] = size, size+market.SizeOne
		}
		c := market.Capture{Kind: market.KindBook, Recv: recv, Exch: exch, Replace: true}
		switch i % 50 {
		case 20:
			c = market.Capture{Kind: market.KindTick, Recv: recv, Exch: exch, Trade: market.Trade{Price: 10}}
		case 30:
			c = market.Capture{Kind: market.KindReset, Recv: recv, Ord: 1}
		case 40:
			c.Kind, c.Replace = market.KindChange, false
			c.Bids = []market.Level{{Price: market.Price(10 * (1 + r.IntN(400))), Size: 7 * market.SizeOne}}
		default:
			for p := 1; p < 100; p++ {
				if s := bids[50-p]; s != 0 && p < 50 {
					c.Bids = append(c.Bids, market.Level{Price: market.Price(50-p) * 100, Size: s})
				}
				if s := asks[p]; s != 0 {
					c.Asks = append(c.Asks, market.Level{Price: market.Price(p) * 100, Size: s})
				}
			}
		}
		out = append(out, c)
	}
	return out
}

// samples returns blocks of every stream and of both codecs.
func samples(t require.TestingT) [][]byte {
	books := quoting(1, 120)
	other := map[block.Stream][]market.Capture{}
	for i := range 100 {
		recv := market.Instant(1_776_081_409_871_942) + market.Instant(i)*1001
		price := market.Price(100 * (20 + i%7))
		other[block.Quotes] = append(other[block.Quotes], market.Capture{Kind: market.KindQuote, Recv: recv, Exch: recv,
			Quote: market.Quote{Bid: market.Level{Price: price, Size: 100}, Ask: market.Level{Price: price + 100, Size: market.SizeOne}}})
		other[block.Trades] = append(other[block.Trades], market.Capture{Kind: market.KindTrade, Recv: recv,
			Trade: market.Trade{Price: price, Size: market.Size(i%11) * market.SizeOne, Side: market.Side(i % 3)}})
		other[block.Metrics] = append(other[block.Metrics], market.Capture{Kind: market.KindMetric, Recv: recv,
			Metric: market.Metric{Liquidity: market.Cash(i * 1000), Volume: market.NoMetric}})
	}
	other[block.Books] = books
	var out [][]byte
	for s := block.Books; s <= block.Metrics; s++ {
		for _, o := range []block.Options{{}, {NoCompression: true}} {
			for _, b := range encode(t, s, o, other[s], 60) {
				out = append(out, b.Data)
			}
		}
	}
	return out
}

// drain reads every capture of a block that d was Reset to.
func drain(d *block.Decoder) (captures, changes int) {
	for c := d.Next(); c != nil; c = d.Next() {
		captures++
		changes += len(c.Bids) + len(c.Asks)
	}
	return captures, changes
}

func TestEveryFlippedBitIsFound(t *testing.T) {
	t.Parallel()
	var d block.Decoder
	flipped := 0
	for _, data := range samples(t) {
		require.NoError(t, d.Reset(data))
		for i := range data {
			for bit := range 8 {
				data[i] ^= 1 << bit
				err := d.Reset(data)
				require.Error(t, err, "byte %d of %d, bit %d", i, len(data), bit)
				require.ErrorIs(t, err, block.ErrCorrupt, "byte %d of %d, bit %d", i, len(data), bit)
				require.Nil(t, d.Next())
				require.Equal(t, block.Header{}, d.Header())
				data[i] ^= 1 << bit
				flipped++
			}
		}
		require.NoError(t, d.Reset(data), "a decoder is as good as new after damage")
	}
	t.Logf("%d bits flipped and found", flipped)
}

func TestEveryCutIsFound(t *testing.T) {
	t.Parallel()
	var d block.Decoder
	for _, data := range samples(t) {
		for n := range data {
			require.ErrorIs(t, d.Reset(data[:n]), block.ErrCorrupt)
			_, err := block.ReadHeader(data[:n])
			require.Error(t, err)
		}
		require.ErrorIs(t, d.Reset(append(slices.Clip(data), 0)), block.ErrCorrupt)
	}
}

// TestOtherVersionsAreRefused: a block of a program before or after is no damage.
func TestOtherVersionsAreRefused(t *testing.T) {
	t.Parallel()
	for _, version := range []byte{0, 1, block.Version - 1, block.Version + 1, 255} {
		data := samples(t)[0]
		data[2] = version
		var d block.Decoder
		err := d.Reset(sealed(data))
		require.ErrorIs(t, err, block.ErrVersion)
		require.NotErrorIs(t, err, block.ErrCorrupt)
		require.ErrorContains(t, err, fmt.Sprintf("version %d, expected 3", version))
		_, err = block.ReadHeader(data)
		require.ErrorIs(t, err, block.ErrVersion)
	}
}

// sealed mends the checksum of a block that was tampered with, and the length
// in its header.
func sealed(data []byte) []byte {
	const header, checksum = 44, 4
	if len(data) < header+checksum {
		return data
	}
	n := len(data) - checksum
	binary.LittleEndian.PutUint32(data[header-4:], uint32(n-header))
	binary.LittleEndian.PutUint32(data[n:], crc32.Checksum(data[:n], crc32.MakeTable(crc32.Castagnoli)))
	return data
}

// TestDamageUnderAMendedChecksum: whatever a forged block holds, it is refused,
// or what it gives keeps the rules of captures, and encodes again.
func TestDamageUnderAMendedChecksum(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 7))
	refused, taken := 0, 0
	for _, good := range samples(t) {
		for range 1000 {
			data := append([]byte(nil), good...)
			for range 1 + r.IntN(3) {
				data[r.IntN(len(data))] = byte(r.Uint32())
			}
			if checkForged(t, sealed(data)) {
				taken++
			} else {
				refused++
			}
		}
	}
	t.Logf("%d refused, %d taken", refused, taken)
	require.Positive(t, refused)
	require.Positive(t, taken)
}

// checkForged reports whether the block is taken; it is then checked.
func checkForged(t require.TestingT, data []byte) bool {
	var d block.Decoder
	if err := d.Reset(data); err != nil {
		require.Nil(t, d.Next())
		return false
	}
	h := d.Header()
	e, err := block.NewEncoder(h.Stream, block.Options{})
	require.NoError(t, err)
	if bids, asks := d.Keyframe(); h.Keyframe {
		key := market.Capture{Kind: market.KindBook, Recv: h.Anchor, Replace: true, Bids: bids, Asks: asks}
		require.NoError(t, e.Add(&key))
		_, err := e.Finish(nil)
		require.NoError(t, err)
	}
	captures, changes := 0, 0
	for c := d.Next(); c != nil; c = d.Next() {
		if e.Full() { // no encoder makes blocks beyond this, but a block may be taken that is
			return true
		}
		require.NoError(t, e.Add(c), "%+v", c)
		captures++
		changes += len(c.Bids) + len(c.Asks)
	}
	require.Equal(t, h.Captures, captures)
	require.Equal(t, h.Changes, changes)
	return true
}

// FuzzDecode reads arbitrary bytes, as they are and under a mended checksum.
func FuzzDecode(f *testing.F) {
	for _, data := range samples(f) {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		checkForged(t, data)
		checkForged(t, sealed(append([]byte(nil), data...)))
	})
}

// largest returns a block of as many captures and changes as a block may have.
func largest(t require.TestingT) []byte {
	whole := market.Capture{Kind: market.KindBook, Recv: 1, Replace: true}
	for p := range market.PriceOne + 1 {
		whole.Bids = append(whole.Bids, market.Level{Price: market.PriceOne - p, Size: 1<<62 + market.Size(p)*7919})
		whole.Asks = append(whole.Asks, market.Level{Price: p, Size: 1<<62 - market.Size(p)*104729})
	}
	e, err := block.NewEncoder(block.Books, block.Options{NoCompression: true, Changes: 1 << 15})
	require.NoError(t, err)
	require.NoError(t, e.Add(&whole))
	_, err = e.Finish(nil)
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(3, 3))
	for i := range block.MaxCaptures {
		c := market.Capture{Kind: market.KindChange, Recv: market.Instant(r.Int64N(1<<40)) + market.Instant(i)<<41, Exch: 1 + market.Instant(r.Int64N(1<<52)), Ord: r.Uint32()}
		for j := range market.Price(7) {
			c.Bids = append(c.Bids, market.Level{Price: 9000 - j*1000 - market.Price(r.IntN(900)), Size: market.Size(r.Uint64() >> 1)})
		}
		if i == block.MaxCaptures-1 {
			c.Bids, c.Asks = whole.Bids, whole.Asks
		}
		require.NoError(t, e.Add(&c))
	}
	require.True(t, e.Full())
	b, err := e.Finish(nil)
	require.NoError(t, err)
	return b.Data
}

// TestDecoderMemory measures what a new decoder allocates for the largest
// blocks of each stream, and for forged ones.
func TestDecoderMemory(t *testing.T) {
	blocks := append(samples(t), largest(t))
	r := rand.New(rand.NewPCG(9, 9))
	for _, good := range slices.Clip(blocks) {
		for range 200 {
			data := append([]byte(nil), good...)
			for range 1 + r.IntN(4) {
				data[r.IntN(min(len(data), 200))] = byte(r.Uint32())
			}
			blocks = append(blocks, sealed(data))
		}
	}
	worst := uint64(0)
	for _, data := range blocks {
		var before, after runtime.MemStats
		var d block.Decoder
		runtime.ReadMemStats(&before)
		_ = d.Reset(data)
		drain(&d)
		runtime.ReadMemStats(&after)
		worst = max(worst, after.TotalAlloc-before.TotalAlloc)
	}
	t.Logf("at most %d bytes allocated", worst)
	require.Less(t, worst, uint64(8<<20), "as package block says")
}

func TestNextAllocatesNothing(t *testing.T) {
	var d block.Decoder
	for _, data := range samples(t) {
		require.NoError(t, d.Reset(data))
		require.Zero(t, testing.AllocsPerRun(10, func() {
			d.Rewind()
			drain(&d)
		}))
	}
}

// TestRecordedBlocksOpen reads blocks that were written when the format was made; one
// that is changed gets another version, and -update writes them anew.
func TestRecordedBlocksOpen(t *testing.T) {
	t.Parallel()
	for i, data := range samples(t) {
		path := fmt.Sprintf("testdata/v%d/%c.block", block.Version, 'a'+i)
		if *update {
			require.NoError(t, os.WriteFile(path, data, 0o644))
		}
		recorded, err := os.ReadFile(path)
		require.NoError(t, err)
		var got, want block.Decoder
		require.NoError(t, got.Reset(recorded))
		require.NoError(t, want.Reset(data))
		require.Equal(t, want.Header(), got.Header())
		for c := want.Next(); c != nil; c = want.Next() {
			require.Equal(t, c, got.Next())
		}
		require.Nil(t, got.Next())
	}
}
