package export

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/parquet-go/parquet-go"

	"github.com/ladderback/ladderback/internal/outfile"
)

// file is a file being written. Until end it has another name.
type file[T any] struct {
	x     *run
	table string
	path  string
	temp  *outfile.File // nil: standard output
	count *counter
	to    writer[T]
	batch []T
	rows  int64
}

// writer writes rows in one of the formats.
type writer[T any] interface {
	write(rows []T) error
	// endMarket says that the next row is of another market.
	endMarket() error
	close() error
}

// counter counts what is written.
type counter struct {
	io.Writer
	n atomic.Int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	c.n.Add(int64(n))
	return n, err
}

// batchRows is how many rows are handed on at a time.
const batchRows = 256

func create[T any](x *run, table, path string) (*file[T], error) {
	f := &file[T]{x: x, table: table, path: path, count: &counter{Writer: x.o.Stdout}}
	if x.o.Stdout == nil {
		dir := filepath.Dir(path)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, err
		}
		var err error
		if f.temp, err = outfile.Create(path); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		f.count.Writer = f.temp
	}
	if x.o.Format == Parquet {
		f.to = newParquet[T](f.count)
	} else {
		f.to = newText[T](f.count, x.o.Format)
	}
	return f, nil
}

func (f *file[T]) put(row T) error {
	f.batch = append(f.batch, row)
	if len(f.batch) < batchRows {
		return nil
	}
	return f.flush()
}

func (f *file[T]) flush() error {
	f.rows += int64(len(f.batch))
	err := f.to.write(f.batch)
	f.batch = f.batch[:0]
	return err
}

func (f *file[T]) endMarket() error {
	if err := f.flush(); err != nil {
		return err
	}
	return f.to.endMarket()
}

// end gives the file its name; when it is not whole, it is removed.
func (f *file[T]) end(whole bool) error {
	var err error
	if whole {
		err = errors.Join(f.flush(), f.to.close())
	}
	switch {
	case f.temp == nil:
	case whole && err == nil:
		err = f.temp.Commit()
	default:
		err = errors.Join(err, f.temp.Abort())
	}
	if !whole || err != nil {
		return err
	}
	f.x.mu.Lock()
	defer f.x.mu.Unlock()
	f.x.result.Files = append(f.x.result.Files, File{f.path, f.table, f.rows, f.count.n.Load()})
	return nil
}

// Row groups end with a market once they hold groupFrom values, and within one at
// groupTo. This bounds how much of an unfinished file is held in memory.
const (
	groupFrom = 1 << 18
	groupTo   = 1 << 21
)

// maxDictionary is up to how many bytes a column's dictionary may have in a row
// group; beyond that its values are written plainly.
const maxDictionary = 1 << 20

type parquetWriter[T any] struct {
	w      *parquet.GenericWriter[T]
	values int
}

func newParquet[T any](w io.Writer) *parquetWriter[T] {
	var sorted []parquet.SortingColumn
	schema := parquet.SchemaOf(new(T))
	for _, name := range []string{"slug", "t"} {
		if _, ok := schema.Lookup(name); ok {
			sorted = append(sorted, parquet.Ascending(name))
		}
	}
	return &parquetWriter[T]{w: parquet.NewGenericWriter[T](w,
		parquet.Compression(&parquet.Zstd), parquet.CreatedBy("ladderback", "", ""),
		parquet.DictionaryMaxBytes(maxDictionary),
		parquet.SortingWriterConfig(parquet.SortingColumns(sorted...)),
	)}
}

// sized is a row that counts for more than one value.
type sized interface{ values() int }

func (p *parquetWriter[T]) write(rows []T) error {
	for i := range rows {
		if s, ok := any(&rows[i]).(sized); ok {
			p.values += s.values()
		} else {
			p.values++
		}
	}
	if _, err := p.w.Write(rows); err != nil {
		return err
	}
	if p.values < groupTo {
		return nil
	}
	return p.group()
}

func (p *parquetWriter[T]) group() error {
	p.values = 0
	return p.w.Flush()
}

func (p *parquetWriter[T]) endMarket() error {
	if p.values < groupFrom {
		return nil
	}
	return p.group()
}

func (p *parquetWriter[T]) close() error { return p.w.Close() }

// textWriter writes a line a row.
type textWriter[T any] struct {
	out     *bufio.Writer
	columns []textColumn
	csv     bool
	line    []byte
	cell    []byte
}

func newText[T any](w io.Writer, f Format) *textWriter[T] {
	t := &textWriter[T]{out: bufio.NewWriterSize(w, 64<<10), columns: columnsOf[T](), csv: f == CSV}
	if t.csv {
		for i, c := range t.columns {
			if i > 0 {
				t.line = append(t.line, ',')
			}
			t.line = append(t.line, c.name...)
		}
		t.line = append(t.line, '\n')
		_, _ = t.out.Write(t.line) // an error stays, and is that of the next write
	}
	return t
}

func (t *textWriter[T]) endMarket() error { return nil }

func (t *textWriter[T]) close() error { return t.out.Flush() }
