package export

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/ladderback/ladderback/archive/table"
	"github.com/ladderback/ladderback/internal/outfile"
)

// file is a file being written. Until end it has another name.
type file[T any] struct {
	x     *run
	table string
	path  string
	temp  *outfile.File // nil: standard output
	count *counter
	to    table.Writer[T]
	batch []T
	rows  int64
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

// tableFormats are what the formats are in package table.
var tableFormats = map[Format]table.Format{Parquet: table.Parquet, CSV: table.CSV, JSONL: table.NDJSON}

// batchRows is how many rows are handed on at a time.
const batchRows = 256

func create[T any](x *run, name, path string) (*file[T], error) {
	f := &file[T]{x: x, table: name, path: path, count: &counter{Writer: x.o.Stdout}}
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
	f.to = table.NewWriter[T](f.count, tableFormats[x.o.Format])
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
	err := f.to.Write(f.batch)
	f.batch = f.batch[:0]
	return err
}

func (f *file[T]) endMarket() error {
	if err := f.flush(); err != nil {
		return err
	}
	return f.to.EndMarket()
}

// end gives the file its name; when it is not whole, it is removed.
func (f *file[T]) end(whole bool) error {
	var err error
	if whole {
		err = errors.Join(f.flush(), f.to.Close())
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
