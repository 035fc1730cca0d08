package scan

import (
	"encoding/binary"
	"hash/crc32"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// TestBlockOfAnotherVersion: a block that an older program wrote is not called damaged,
// nor newer.
func TestBlockOfAnotherVersion(t *testing.T) {
	t.Parallel()
	e, err := block.NewEncoder(block.Quotes, block.Options{})
	require.NoError(t, err)
	require.NoError(t, e.Add(&market.Capture{Kind: market.KindQuote, Recv: 1, Exch: 1, Quote: market.Quote{
		Bid: market.Level{Price: 4000, Size: 1_000_000}, Ask: market.Level{Price: 4100, Size: 1_000_000}}}))
	made, err := e.Finish(nil)
	require.NoError(t, err)
	for _, version := range []byte{block.Version - 1, block.Version + 1} {
		other := slices.Clone(made.Data)
		other[2] = version
		n := len(other) - 4 // before the checksum of the block itself
		binary.LittleEndian.PutUint32(other[n:], crc32.Checksum(other[:n], crc32.MakeTable(crc32.Castagnoli)))
		err := openBlock(&block.Decoder{}, &store.BlockRef{Bytes: len(other), Checksum: store.Checksum(other)}, other)
		require.ErrorIs(t, err, store.ErrBlockVersion)
		require.NotErrorIs(t, err, store.ErrDamaged)
		require.NotErrorIs(t, err, store.ErrNewer)
	}
}
