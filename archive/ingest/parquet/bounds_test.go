package parquet

import (
	"bytes"
	"encoding/binary"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	upstream "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
	"github.com/stretchr/testify/require"
)

// pageOf is a data page of version 1 with what its header says.
func pageOf(uncompressed, compressed, values int64, encoding format.Encoding, body []byte) []byte {
	number := func(b []byte, v int64) []byte { return binary.AppendVarint(b, v) }
	b := number([]byte{0x15}, 0)                    // 1: type
	b = number(append(b, 0x15), uncompressed)       // 2
	b = number(append(b, 0x15), compressed)         // 3
	b = append(b, 0x2c)                             // 5: header of a data page
	b = number(append(b, 0x15), values)             // 1
	b = number(append(b, 0x15), int64(encoding))    // 2
	b = append(number(append(b, 0x15), 3), 0x15, 6) // 3, 4: encodings of levels
	return append(append(b, 0, 0), body...)
}

func zstdOf(t *testing.T, b []byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	return w.EncodeAll(b, nil)
}

// TestPages: what a page says of itself is not believed.
func TestPages(t *testing.T) {
	t.Parallel()
	body := zstdOf(t, make([]byte, 1000))
	bomb := zstdOf(t, make([]byte, 200<<20))
	n := int64(len(body))
	for name, c := range map[string]struct {
		page  []byte
		codec format.CompressionCodec
		want  error
	}{
		"as it says":           {pageOf(1000, n, 10, format.Plain, body), format.Zstd, nil},
		"10 GB declared":       {pageOf(10<<30, n, 10, format.Plain, body), format.Zstd, ErrLarge},
		"2 GB packed":          {pageOf(1000, 2<<30, 10, format.Plain, body), format.Zstd, ErrFile},
		"more than it says":    {pageOf(1000, int64(len(bomb)), 10, format.Plain, bomb), format.Zstd, ErrFile},
		"less than it says":    {pageOf(1001, n, 10, format.Plain, body), format.Zstd, ErrFile},
		"a billion values":     {pageOf(1000, n, 1<<30, format.RLEDictionary, body), format.Zstd, ErrLarge},
		"prefixes of strings":  {pageOf(1000, n, 10, format.DeltaByteArray, body), format.Zstd, ErrCodec},
		"negative":             {pageOf(-1, n, 10, format.Plain, body), format.Zstd, ErrFile},
		"snappy of 4 GB":       {pageOf(1000, 6, 10, format.Plain, binary.AppendUvarint(nil, 4<<30)), format.Snappy, ErrFile},
		"no header":            {bytes.Repeat([]byte{0xff}, 100), format.Zstd, ErrFile},
		"empty lists":          {append([]byte{0x19, 0xfc}, bytes.Repeat([]byte{0xff, 0xff, 0xff, 0x7f}, 4)...), format.Zstd, ErrFile},
		"no dictionary":        {pageOf(1000, n, 10, format.RLEDictionary, body), format.Zstd, ErrFile},
		"plain, and longer":    {pageOf(10, 1000, 10, format.Plain, make([]byte, 1000)), format.Uncompressed, ErrFile},
		"numbers as text":      {pageOf(1000, n, 10, format.DeltaLengthByteArray, body), format.Zstd, ErrCodec},
		"deltas of no blocks":  {pageOf(4, 4, 10, format.DeltaBinaryPacked, []byte{0, 0, 10, 0}), format.Uncompressed, ErrFile},
		"deltas of 2^30":       {pageOf(9, 9, 10, format.DeltaBinaryPacked, binary.AppendUvarint([]byte{0x80, 1, 4}, 1<<30)), format.Uncompressed, ErrFile},
		"blocks of 2^40 bytes": {pageOf(9, 9, 10, format.DeltaBinaryPacked, append(binary.AppendUvarint(nil, 1<<40), 4, 10, 0)), format.Uncompressed, ErrFile},
	} {
		size := int64(len(c.page))
		f := &File{r: bytes.NewReader(c.page), size: size, groups: []rowGroup{{Rows: 1, Chunks: []chunk{{
			Meta: chunkMeta{Type: format.Int64, Codec: c.codec, Values: 1, Compressed: size},
		}}}}}
		tab := f.Read(&Leaf{Physical: format.Int64, width: 8})
		_, err := tab.Next()
		require.NoError(t, err)
		require.ErrorIs(t, tab.Columns()[0].Next(), c.want, name)
	}
}

type word struct {
	S string `parquet:"s,dict"`
}

// TestBombs: a small file that says very much is refused, in little memory.
func TestBombs(t *testing.T) {
	t.Parallel()
	file := func(rows int, s string, o ...upstream.WriterOption) []byte {
		var b bytes.Buffer
		w := upstream.NewGenericWriter[word](&b, append(o, upstream.Compression(&upstream.Zstd))...)
		for range rows {
			_, err := w.Write([]word{{s}})
			require.NoError(t, err)
		}
		require.NoError(t, w.Close())
		return b.Bytes()
	}
	for name, data := range map[string][]byte{
		"dictionary": file(50_000, strings.Repeat("a", 16<<10), upstream.DataPageStatistics(false)),
		"one value":  file(1, strings.Repeat("a", 80<<20), upstream.DataPageStatistics(false), upstream.SkipPageBounds("s")),
	} {
		require.Less(t, len(data), 1<<20, name)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		require.ErrorIs(t, readAll(data), ErrLarge, name)
		runtime.ReadMemStats(&after)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(160<<20), name)
	}
}

// TestFooter: a footer that lists more than a file can hold is refused before
// it is decoded.
func TestFooter(t *testing.T) {
	t.Parallel()
	with := func(footer []byte) *bytes.Reader {
		b := append([]byte("PAR1"), footer...)
		b = binary.LittleEndian.AppendUint32(b, uint32(len(footer)))
		return bytes.NewReader(append(b, "PAR1"...))
	}
	many := binary.AppendUvarint([]byte{0x29, 0xfc}, 1<<20) // a list of a million structures
	many = append(many, make([]byte, 1<<20)...)
	for name, c := range map[string]struct {
		footer []byte
		want   error
	}{
		"a million things": {many, ErrLarge},
		"too long a list":  {binary.AppendUvarint([]byte{0x29, 0xfc}, 1<<40), ErrFile},
		"nesting":          {bytes.Repeat([]byte{0x1c}, 10_000), ErrFile},
		"empty":            {nil, ErrFile},
	} {
		r := with(c.footer)
		_, err := Open(r, r.Size())
		require.ErrorIs(t, err, c.want, name)
	}
	big := bytes.NewReader(append(make([]byte, 20<<20), append(binary.LittleEndian.AppendUint32(nil, 10<<20), "PAR1"...)...))
	_, err := Open(big, big.Size())
	require.ErrorIs(t, err, ErrLarge)
}
