// Package parquet reads columns of Parquet files that nobody vouches for.
// Lengths and counts are looked at before room is made for them, pages are
// unpacked one at a time, and their values are decoded as they are asked for:
// a table takes the memory of the largest pages of its columns, whatever the
// file claims about itself.
package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// Bounds of a file. Writers make pages of about 1 MB and row groups of about a
// million rows.
const (
	maxFooter     = 8 << 20 // bytes
	maxStructs    = 200_000 // elements of lists in the footer
	maxDepth      = 32      // of a column in the schema
	maxPageHeader = 1 << 20 // bytes
	maxPage       = 64 << 20
	maxHeld       = 128 << 20 // bytes of the pages and dictionaries that a table holds
	maxPageValues = 4 << 20
	// maxRowsPerByte bounds rows by the size of the file, and maxGrowth the bytes of
	// values: what repeats is stored once and read each time.
	maxRowsPerByte = 8
	maxGrowth      = 1000
	smallFile      = 1 << 20 // bytes, and rows, that are always allowed
	maxShown       = 60      // bytes of a name in a message
)

// Errors of files that cannot be read.
var (
	ErrCodec = errors.New("not supported")
	ErrFile  = errors.New("damaged Parquet file")
	ErrLarge = errors.New("file needs more memory than an import may use")
)

// File is an open Parquet file. Several tables may be read from it, each by one
// goroutine at a time.
type File struct {
	r      io.ReaderAt
	size   int64
	groups []rowGroup
	rows   int64
	leaves []Leaf
}

// The parts of a footer that are read (https://github.com/apache/parquet-format).
type (
	footer struct {
		Schema []format.SchemaElement `thrift:"2,required"`
		Groups []rowGroup             `thrift:"4,required"`
	}
	rowGroup struct {
		Chunks []chunk `thrift:"1,required"`
		Rows   int64   `thrift:"3,required"`
	}
	chunk struct {
		Meta   chunkMeta             `thrift:"3,optional"`
		Crypto thrift.Null[struct{}] `thrift:"8,optional"`
	}
	chunkMeta struct {
		Type       format.Type             `thrift:"1,required"`
		Codec      format.CompressionCodec `thrift:"4,required"`
		Values     int64                   `thrift:"5,required"`
		Compressed int64                   `thrift:"7,required"`
		Data       int64                   `thrift:"9,required"`
		Dictionary int64                   `thrift:"11,optional"`
	}
)

// Leaf is a column: a leaf of the schema.
type Leaf struct {
	Path     []string // without the root
	Physical format.Type
	Schema   *format.SchemaElement
	// MaxRep and MaxDef are the levels of a value that repeats, or is there, on every
	// level of its path.
	MaxRep, MaxDef int

	index int // of its chunk in a row group
	width int // bytes of a value; zero where each says its own, and of flags
}

// Open reads and checks the footer of a file.
func Open(r io.ReaderAt, size int64) (f *File, err error) {
	defer rescue(&err)
	b, err := readFooter(r, size)
	if err != nil {
		return nil, err
	}
	var meta footer
	if err := thrift.Unmarshal(new(thrift.CompactProtocol), b, &meta); err != nil {
		return nil, fmt.Errorf("%w: its footer cannot be read", ErrFile)
	}
	f = &File{r: r, size: size, groups: meta.Groups}
	if f.leaves, err = leaves(meta.Schema); err != nil {
		return nil, err
	}
	for i := range f.groups {
		if err := f.checkGroup(&f.groups[i]); err != nil {
			return nil, fmt.Errorf("row group %d: %w", i+1, err)
		}
	}
	return f, nil
}

// Rows returns how many rows the file has.
func (f *File) Rows() int64 { return f.rows }

// Leaves returns the columns, in the order of the file.
func (f *File) Leaves() []Leaf { return f.leaves }

// rescue turns a panic over a damaged file into an error.
func rescue(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%w: it cannot be decoded", ErrFile)
	}
}

// readFooter returns the footer, whose lists and texts are no longer than it is.
func readFooter(r io.ReaderAt, size int64) ([]byte, error) {
	const magic = "PAR1"
	var end [8]byte // length of the footer, magic
	if size < int64(len(magic)+len(end)) {
		return nil, fmt.Errorf("%w: %d bytes", ErrFile, size)
	}
	if _, err := r.ReadAt(end[:], size-int64(len(end))); err != nil {
		return nil, err
	}
	length := int64(binary.LittleEndian.Uint32(end[:4]))
	switch {
	case string(end[4:]) == "PARE":
		return nil, fmt.Errorf("encryption: %w", ErrCodec)
	case string(end[4:]) != magic:
		return nil, fmt.Errorf("%w: it does not end like one", ErrFile)
	case length > size-int64(len(magic)+len(end)):
		return nil, fmt.Errorf("%w: footer of %d bytes in a file of %d", ErrFile, length, size)
	case length > maxFooter:
		return nil, fmt.Errorf("%w: a footer of %d bytes", ErrLarge, length)
	}
	b := make([]byte, length)
	if _, err := r.ReadAt(b, size-int64(len(end))-length); err != nil {
		return nil, err
	}
	t := walker{b: b, structs: maxStructs}
	t.structure(0, nil)
	switch {
	case t.structs < 0:
		return nil, fmt.Errorf("%w: its footer has more than %d structures", ErrLarge, maxStructs)
	case t.bad:
		return nil, fmt.Errorf("%w: its footer cannot be read", ErrFile)
	}
	return b[:t.i], nil
}

// leaves returns the columns of a schema, which is a tree in the order of its nodes.
func leaves(schema []format.SchemaElement) (out []Leaf, err error) {
	next := 0
	var walk func(path []string, rep, def int) error
	walk = func(path []string, rep, def int) error {
		if next == len(schema) {
			return fmt.Errorf("%w: its schema ends too early", ErrFile)
		}
		e := &schema[next]
		if next++; next > 1 {
			path = append(path[:len(path):len(path)], e.Name)
			switch t := e.RepetitionType.V; {
			case len(path) > maxDepth:
				return fmt.Errorf("%w: columns nested more than %d deep", ErrLarge, maxDepth)
			case t == format.Repeated:
				rep, def = rep+1, def+1
			case t == format.Optional:
				def++
			case t != format.Required:
				return fmt.Errorf("%w: column %s: repetition type %d", ErrFile, Name(path), t)
			}
		}
		if e.Type.Valid && next > 1 {
			l := Leaf{Path: path, Physical: e.Type.V, Schema: e, MaxRep: rep, MaxDef: def, index: len(out)}
			if l.width, err = width(e); err != nil {
				return fmt.Errorf("column %s: %w", Name(path), err)
			}
			out = append(out, l)
			return nil
		}
		for range e.NumChildren.V {
			if err := walk(path, rep, def); err != nil {
				return err
			}
		}
		return nil
	}
	if err := walk(nil, 0, 0); err != nil {
		return nil, err
	}
	return out, nil
}

func width(e *format.SchemaElement) (int, error) {
	switch e.Type.V {
	case format.Boolean, format.ByteArray:
		return 0, nil
	case format.Int32, format.Float:
		return 4, nil
	case format.Int64, format.Double:
		return 8, nil
	case format.Int96:
		return 12, nil
	case format.FixedLenByteArray:
		if n := e.TypeLength.V; n > 0 && n <= 1<<16 {
			return int(n), nil
		}
		return 0, fmt.Errorf("%w: values of %d bytes", ErrFile, e.TypeLength.V)
	}
	return 0, fmt.Errorf("%w: type %d", ErrFile, e.Type.V)
}

// Name returns a path for people, as "bids.list.element.price"; a long one is cut.
func Name(path []string) string {
	var b strings.Builder
	for i, p := range path {
		if i > 0 {
			b.WriteByte('.')
		}
		b.WriteString(p[:min(len(p), maxShown+1)])
		if b.Len() > maxShown {
			break
		}
	}
	return Shorten(b.String())
}

// Shorten cuts a name for people, and replaces what cannot be shown.
func Shorten(name string) string {
	cut := name
	if len(cut) > maxShown {
		cut = cut[:maxShown] + "…"
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(cut, "\uFFFD"))
}

// checkGroup refuses a row group that says what cannot be.
func (f *File) checkGroup(g *rowGroup) error {
	if most := maxRowsPerByte*f.size + smallFile; g.Rows < 0 || g.Rows > most-f.rows {
		return fmt.Errorf("%w: it claims more than %d rows", ErrLarge, most)
	}
	f.rows += g.Rows
	if len(g.Chunks) < len(f.leaves) {
		return fmt.Errorf("%w: %d columns of %d", ErrFile, len(g.Chunks), len(f.leaves))
	}
	for i := range f.leaves {
		if err := g.Chunks[i].check(&f.leaves[i], f.size); err != nil {
			return fmt.Errorf("column %s: %w", Name(f.leaves[i].Path), err)
		}
	}
	return nil
}

// codecs are those that are read: of LZ4 there are two kinds under one name, and few
// writers use the others.
var codecs = []format.CompressionCodec{format.Uncompressed, format.Snappy, format.Gzip, format.Zstd}

// check refuses the chunk of a column in a file of a size.
func (c *chunk) check(l *Leaf, size int64) error {
	m := &c.Meta
	switch {
	case c.Crypto.Valid:
		return fmt.Errorf("encryption: %w", ErrCodec)
	case !slices.Contains(codecs, m.Codec):
		return fmt.Errorf("compression %v: %w (use snappy, gzip, zstd or none)", m.Codec, ErrCodec)
	case m.Type != l.Physical:
		return fmt.Errorf("%w: of type %d, %d in the schema", ErrFile, m.Type, l.Physical)
	case m.Dictionary < 0 || m.Dictionary > m.Data:
		return fmt.Errorf("%w: dictionary after the data", ErrFile)
	case m.Compressed < 0 || m.Data > size || m.Compressed > size-m.start():
		return fmt.Errorf("%w: pages outside the file", ErrFile)
	}
	return nil
}

// start is where the first page of a chunk begins.
func (m *chunkMeta) start() int64 {
	if m.Dictionary != 0 {
		return m.Dictionary
	}
	return m.Data
}

// levelWidth is how many bits a level takes of which most is the largest.
func levelWidth(most int) int { return bits.Len(uint(most)) }
