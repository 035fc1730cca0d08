package ussports

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// Errors of files that cannot be read.
var (
	ErrColumn = errors.New("column missing")
	ErrCodec  = errors.New("compression not supported")
	ErrFile   = errors.New("damaged Parquet file")
)

// open opens a Parquet file. Files with LZ4 are refused at the footer: the
// library cannot read one kind of it, and a damaged one of the other kind can
// make it grow without bound.
func open(r io.ReaderAt, size int64) (f *parquet.File, err error) {
	defer rescue(&err)
	if err := checkFooter(r, size); err != nil {
		return nil, err
	}
	f, err = parquet.OpenFile(r, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFile, err)
	}
	for _, g := range f.Metadata().RowGroups {
		for _, c := range g.Columns {
			if codec := c.MetaData.Codec; codec == format.Lz4 || codec == format.Lz4Raw {
				return nil, fmt.Errorf("column %s: %w: %v", strings.Join(c.MetaData.PathInSchema, "."), ErrCodec, codec)
			}
		}
	}
	return f, nil
}

// maxFooter bounds the footer, which is read into memory as a whole.
const maxFooter = 256 << 20

// checkFooter checks the length of the footer, which the library takes on
// trust.
func checkFooter(r io.ReaderAt, size int64) error {
	const magic = "PAR1"
	var end [8]byte // length of the footer, magic
	if size < int64(len(magic)+len(end)) {
		return fmt.Errorf("%w: %d bytes", ErrFile, size)
	}
	if _, err := r.ReadAt(end[:], size-int64(len(end))); err != nil {
		return err
	}
	length := int64(binary.LittleEndian.Uint32(end[:4]))
	switch {
	case string(end[4:]) != magic:
		return fmt.Errorf("%w: it does not end as one", ErrFile)
	case length > size-int64(len(magic)+len(end)) || length > maxFooter:
		return fmt.Errorf("%w: footer of %d bytes in a file of %d", ErrFile, length, size)
	}
	return nil
}

// rescue turns a panic of the Parquet library over a damaged file into an error.
func rescue(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%w: %v", ErrFile, p)
	}
}

// has reports whether f has flat columns of these names.
func has(f *parquet.File, names ...string) bool {
	for _, name := range names {
		leaf, ok := f.Schema().Lookup(name)
		if !ok || leaf.MaxRepetitionLevel != 0 || leaf.MaxDefinitionLevel > 1 {
			return false
		}
	}
	return true
}

// rows reads some flat columns of a row group side by side.
type rows struct {
	columns []*column
	left    int64
}

// column reads the values of one column chunk, one a row.
type column struct {
	name   string
	pages  parquet.Pages
	values parquet.ValueReader
	buf    []parquet.Value
	at, n  int
}

const columnBuffer = 4096

func newRows(f *parquet.File, g parquet.RowGroup, names []string) (*rows, error) {
	r := &rows{left: g.NumRows()}
	for _, name := range names {
		leaf, ok := f.Schema().Lookup(name)
		if !ok {
			r.close()
			return nil, fmt.Errorf("%w: %s", ErrColumn, name)
		}
		r.columns = append(r.columns, &column{
			name: name, pages: g.ColumnChunks()[leaf.ColumnIndex].Pages(),
			buf: make([]parquet.Value, min(columnBuffer, max(1, g.NumRows()))),
		})
	}
	return r, nil
}

func (r *rows) close() {
	for _, c := range r.columns {
		_ = c.pages.Close()
	}
}

// next fills into with the values of the next row, one a column. It returns
// false after the last. The values are valid until the next call.
func (r *rows) next(into []parquet.Value) (bool, error) {
	if r.left == 0 {
		return false, nil
	}
	r.left--
	for i, c := range r.columns {
		if c.at == c.n {
			if err := c.fill(); err != nil {
				return false, fmt.Errorf("column %s: %w", c.name, err)
			}
		}
		into[i] = c.buf[c.at]
		c.at++
	}
	return true, nil
}

func (c *column) fill() error {
	c.at, c.n = 0, 0
	for c.n == 0 {
		if c.values == nil {
			page, err := c.pages.ReadPage()
			if errors.Is(err, io.EOF) {
				return fmt.Errorf("%w: fewer values than rows", ErrFile)
			}
			if err != nil {
				return fmt.Errorf("%w: %w", ErrFile, err)
			}
			c.values = page.Values()
		}
		n, err := c.values.ReadValues(c.buf)
		c.n = n
		if errors.Is(err, io.EOF) {
			c.values = nil
		} else if err != nil {
			return fmt.Errorf("%w: %w", ErrFile, err)
		} else if n == 0 {
			return fmt.Errorf("%w: page without values", ErrFile)
		}
	}
	return nil
}
