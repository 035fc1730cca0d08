package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	upstream "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"github.com/stretchr/testify/require"
)

// readAll reads every value of every column, row group by row group.
func readAll(data []byte) error {
	f, err := Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return err
	}
	var all []*Leaf
	for i := range f.Leaves() {
		all = append(all, &f.Leaves()[i])
	}
	t := f.Read(all...)
	defer t.Close()
	for {
		if _, err := t.Next(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		for _, c := range t.Columns() {
			for {
				if err := c.Next(); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					return err
				}
			}
		}
	}
}

type all struct {
	Flag    bool      `parquet:"flag"`
	Small   int32     `parquet:"small"`
	Deltas  int64     `parquet:"deltas,delta"`
	Few     *int64    `parquet:"few,optional,dict"`
	Less    int32     `parquet:"less,delta"`
	Single  float32   `parquet:"single,split"`
	Real    *float64  `parquet:"real,optional"`
	Text    string    `parquet:"text"`
	Lengths string    `parquet:"lengths"`
	Word    *string   `parquet:"word,optional,dict"`
	Fixed   [5]byte   `parquet:"fixed"`
	List    []float64 `parquet:"list,list"`
	Words   []string  `parquet:"words,list,dict"`
	Deep    []struct {
		A *int64 `parquet:"a,optional"`
		B string `parquet:"b"`
	} `parquet:"deep,list"`
}

func random(r *rand.Rand, n int) []all {
	out := make([]all, n)
	text := func(n int) string { return strings.Repeat(string(rune('a'+r.IntN(26))), r.IntN(n)) }
	for i := range out {
		v := &out[i]
		v.Flag, v.Small, v.Less = r.IntN(3) == 0, int32(r.Uint32()), int32(r.IntN(1000))-500
		v.Deltas = int64(i)*1000 + r.Int64N(50)
		if r.IntN(100) == 0 {
			v.Deltas = int64(r.Uint64())
		}
		if r.IntN(3) > 0 {
			few, real, word := r.Int64N(5), r.NormFloat64(), text(6)
			v.Few, v.Real, v.Word = &few, &real, &word
		}
		v.Single, v.Text, v.Lengths = float32(r.NormFloat64()), text(30), text(12)
		copy(v.Fixed[:], text(6))
		for range r.IntN(4) {
			v.List, v.Words = append(v.List, r.NormFloat64()), append(v.Words, text(4))
			a := r.Int64N(100)
			v.Deep = append(v.Deep, struct {
				A *int64 `parquet:"a,optional"`
				B string `parquet:"b"`
			}{&a, text(5)})
		}
	}
	return out
}

// lengths is the schema of all with an encoding that no tag names.
func lengths() *upstream.Schema {
	g := upstream.Group{}
	s := upstream.SchemaOf(all{})
	for _, f := range s.Fields() {
		g[f.Name()] = f
	}
	g["lengths"] = upstream.Encoded(upstream.String(), &upstream.DeltaLengthByteArray)
	return upstream.NewSchema("all", g)
}

// TestAsUpstream: what the library that wrote a file reads from it is what is read
// here: of every type, encoding, codec and version of pages.
func TestAsUpstream(t *testing.T) {
	t.Parallel()
	n, used := 0, map[format.Encoding]bool{}
	for _, version := range []int{1, 2} {
		for name, codec := range map[string]upstream.WriterOption{
			"none": upstream.Compression(&upstream.Uncompressed), "snappy": upstream.Compression(&upstream.Snappy),
			"gzip": upstream.Compression(&upstream.Gzip), "zstd": upstream.Compression(&upstream.Zstd),
		} {
			for _, page := range []int{200, 5000, 1 << 20} {
				n++
				r := rand.New(rand.NewPCG(uint64(n), 1))
				var b bytes.Buffer
				w := upstream.NewGenericWriter[all](&b, lengths(), codec, upstream.DataPageVersion(version), upstream.PageBufferSize(page))
				for range 1 + r.IntN(3) {
					_, err := w.Write(random(r, 1+r.IntN(500)))
					require.NoError(t, err)
					require.NoError(t, w.Flush())
				}
				require.NoError(t, w.Close())
				compareFiles(t, b.Bytes(), used, fmt.Sprintf("version %d, %s, pages of %d", version, name, page))
			}
		}
	}
	for _, e := range []format.Encoding{
		format.Plain, format.RLE, format.RLEDictionary, format.DeltaBinaryPacked, format.DeltaLengthByteArray, format.ByteStreamSplit,
	} {
		require.True(t, used[e], "%v", e)
	}
}

func compareFiles(t *testing.T, data []byte, used map[format.Encoding]bool, name string) {
	t.Helper()
	theirs, err := upstream.OpenFile(bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	f, err := Open(bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	require.Equal(t, theirs.NumRows(), f.Rows())
	require.Len(t, f.Leaves(), len(theirs.Schema().Columns()))
	for i := range f.Leaves() {
		leaf := &f.Leaves()[i]
		require.Equal(t, theirs.Schema().Columns()[i], leaf.Path)
		tab := f.Read(leaf)
		c := tab.Columns()[0]
		for k, g := range theirs.RowGroups() {
			for _, e := range theirs.Metadata().RowGroups[k].Columns[i].MetaData.Encoding {
				used[e] = true
			}
			rows, err := tab.Next()
			require.NoError(t, err)
			require.Equal(t, g.NumRows(), rows)
			pages := g.ColumnChunks()[i].Pages()
			for {
				p, err := pages.ReadPage()
				if errors.Is(err, io.EOF) {
					break
				}
				require.NoError(t, err)
				want := make([]upstream.Value, p.NumValues())
				n, err := p.Values().ReadValues(want)
				if !errors.Is(err, io.EOF) {
					require.NoError(t, err)
				}
				for _, w := range want[:n] {
					err := c.Next()
					if want, got := [3]any{w.RepetitionLevel(), w.DefinitionLevel(), w.String()}, [3]any{c.Rep, c.Def, c.shown()}; err != nil || want != got {
						t.Fatalf("%s: column %s: %v, want %v: %v", name, Name(leaf.Path), got, want, err)
					}
				}
			}
			require.NoError(t, pages.Close())
			require.ErrorIs(t, c.Next(), io.EOF)
		}
		_, err := tab.Next()
		require.ErrorIs(t, err, io.EOF)
	}
}

// shown is the value as the library's own would say it.
func (c *Column) shown() string {
	var v upstream.Value
	switch {
	case c.IsNull():
	case c.Physical == format.Boolean:
		v = upstream.BooleanValue(c.Bits == 1)
	case c.Physical == format.Int32:
		v = upstream.Int32Value(int32(c.Bits))
	case c.Physical == format.Int64:
		v = upstream.Int64Value(int64(c.Bits))
	case c.Physical == format.Float:
		v = upstream.FloatValue(math.Float32frombits(uint32(c.Bits)))
	case c.Physical == format.Double:
		v = upstream.DoubleValue(math.Float64frombits(c.Bits))
	case c.Physical == format.FixedLenByteArray:
		v = upstream.FixedLenByteArrayValue(c.Bytes)
	default:
		v = upstream.ByteArrayValue(c.Bytes)
	}
	return v.String()
}

// changed returns a file whose footer was changed.
func changed(t testing.TB, data []byte, change func(*format.FileMetaData)) []byte {
	t.Helper()
	f, err := upstream.OpenFile(bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	meta := *f.Metadata()
	change(&meta)
	b, err := thrift.Marshal(new(thrift.CompactProtocol), &meta)
	require.NoError(t, err)
	end := len(data) - 8
	end -= int(uint32(data[end]) | uint32(data[end+1])<<8 | uint32(data[end+2])<<16)
	out := append(bytes.Clone(data[:end]), b...)
	return append(out, byte(len(b)), byte(len(b)>>8), byte(len(b)>>16), byte(len(b)>>24), 'P', 'A', 'R', '1')
}

func sample(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	w := upstream.NewGenericWriter[all](&b, upstream.Compression(&upstream.Snappy))
	_, err := w.Write(random(rand.New(rand.NewPCG(1, 2)), 200))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.Bytes()
}

// TestFooterLies: what a footer cannot mean is an error that is short and says where.
func TestFooterLies(t *testing.T) {
	t.Parallel()
	data := sample(t)
	require.NoError(t, readAll(data))
	long := strings.Repeat("name", 30_000)
	for name, c := range map[string]struct {
		change func(*format.FileMetaData)
		want   string
	}{
		"repetition":   {func(m *format.FileMetaData) { m.Schema[1].RepetitionType = thrift.New[format.FieldRepetitionType](3) }, "column flag: repetition type 3"},
		"type":         {func(m *format.FileMetaData) { m.Schema[1].Type = thrift.New[format.Type](9) }, "column flag: damaged Parquet file: type 9"},
		"other type":   {func(m *format.FileMetaData) { m.Schema[1].Type = thrift.New(format.Int64) }, "row group 1: column flag: damaged Parquet file: of type 0, 2 in the schema"},
		"long name":    {func(m *format.FileMetaData) { m.Schema[1].Name, m.Schema[1].Type = long, thrift.New[format.Type](9) }, "column namename"},
		"more columns": {func(m *format.FileMetaData) { m.Schema[0].NumChildren = thrift.New[int32](1 << 30) }, "its schema ends too early"},
		"rows":         {func(m *format.FileMetaData) { m.RowGroups[0].NumRows = 1 << 60 }, "row group 1: " + ErrLarge.Error()},
		"negative":     {func(m *format.FileMetaData) { m.RowGroups[0].NumRows = -1 }, "row group 1: "},
		"outside":      {func(m *format.FileMetaData) { m.RowGroups[0].Columns[2].MetaData.TotalCompressedSize = 1 << 60 }, "column deltas: damaged Parquet file: pages outside the file"},
		"before":       {func(m *format.FileMetaData) { m.RowGroups[0].Columns[2].MetaData.DataPageOffset = -5 }, "column deltas: damaged"},
		"codec":        {func(m *format.FileMetaData) { m.RowGroups[0].Columns[2].MetaData.Codec = format.Brotli }, "column deltas: compression BROTLI: not supported"},
		"few columns":  {func(m *format.FileMetaData) { m.RowGroups[0].Columns = m.RowGroups[0].Columns[:3] }, "3 columns of 15"},
		"width":        {func(m *format.FileMetaData) { m.Schema[11].TypeLength = thrift.New[int32](1 << 30) }, "column fixed: damaged Parquet file: values of 1073741824 bytes"},
		"deep": {func(m *format.FileMetaData) {
			group := format.SchemaElement{Name: long[:1000], NumChildren: thrift.New[int32](1)}
			for range 2000 {
				m.Schema = append([]format.SchemaElement{group}, m.Schema...)
			}
		}, "columns nested more than 32 deep"},
	} {
		err := readAll(changed(t, data, c.change))
		require.ErrorContains(t, err, c.want, name)
		require.Less(t, len(err.Error()), 300, name)
	}
}

// TestRunsTakeNoRoom: a run of 2^31-1 values in a page of few is as long as the page.
func TestRunsTakeNoRoom(t *testing.T) {
	t.Parallel()
	r := runs{b: []byte{0xfe, 0xff, 0xff, 0xff, 0x0f, 7}, width: 3}
	for range 1000 {
		v, err := r.next()
		require.NoError(t, err)
		require.EqualValues(t, 7, v)
	}
	require.EqualValues(t, math.MaxInt32-1000, r.left)
	for name, b := range map[string][]byte{
		"cut":        {0xfe, 0xff},
		"no value":   {0x08},
		"too many":   {0xff, 0xff, 0xff, 0xff, 0x0f, 1, 2, 3},
		"packed cut": {0x03, 1},
		"overflow":   bytes.Repeat([]byte{0xff}, 11),
	} {
		r := runs{b: b, width: 3}
		var err error
		for range 8 {
			if _, err = r.next(); err != nil {
				break
			}
		}
		require.ErrorIs(t, err, ErrFile, name)
	}
}

// FuzzFile: whatever the bytes are, reading ends, within bounds and without a panic.
func FuzzFile(f *testing.F) {
	data := sample(f)
	f.Add(data)
	f.Add(changed(f, data, func(m *format.FileMetaData) { m.Schema[1].RepetitionType = thrift.New[format.FieldRepetitionType](3) }))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<20 {
			return
		}
		if err := readAll(data); err != nil {
			require.Less(t, len(err.Error()), 400)
			if !errors.Is(err, ErrFile) && !errors.Is(err, ErrCodec) && !errors.Is(err, ErrLarge) {
				require.ErrorIs(t, err, os.ErrNotExist)
			}
		}
	})
}
