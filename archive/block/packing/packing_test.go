package packing_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/block/packing"
)

// TestColumns: what is packed comes back, however it was packed, with what follows it.
func TestColumns(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	skewed := func(n int) []byte {
		out := make([]byte, n)
		for i := range out {
			out[i] = byte(r.ExpFloat64() * 5)
		}
		return out
	}
	noise := make([]byte, 1000)
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	p, err := packing.NewPacker()
	require.NoError(t, err)
	var u packing.Unpacker
	var c packing.Column
	for way, symbols := range [][]byte{0: noise[:500], 1: bytes.Repeat([]byte{7}, 900), 2: skewed(600), 3: skewed(5000), 4: bytes.Repeat(skewed(100), 50)} {
		extra := noise[:len(symbols)/7]
		b := append(p.Append(nil, symbols, extra), "behind"...)
		require.EqualValues(t, way, b[0])
		require.Equal(t, len(symbols), packing.Length(b))
		rest, err := u.Read(&c, b, len(symbols), false)
		require.NoError(t, err)
		require.Equal(t, "behind", string(rest))
		require.Equal(t, symbols, c.Symbols)
		require.Equal(t, extra, c.Extra)
		require.GreaterOrEqual(t, min(cap(c.Symbols)-len(symbols), cap(c.Extra)-len(extra)), packing.Padding)
		_, err = u.Read(&c, b, len(symbols)+1, false)
		require.ErrorIs(t, err, packing.ErrColumn)
		_, err = u.Read(&c, b, len(symbols), true)
		require.Equal(t, way == 0, err == nil, "plain columns alone")
	}
	b := (*packing.Packer)(nil).Append(nil, nil, nil)
	require.Equal(t, []byte{0, 0}, b)
}
