package ingest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/ladderback/ladderback/archive/ingest/exported"
	"github.com/ladderback/ladderback/archive/ingest/rows"
	"github.com/ladderback/ladderback/archive/ingest/wslog"
)

// Errors of single files, as File.Err wraps them.
var (
	// ErrFormat: the content is of no format that is known.
	ErrFormat = errors.New("format not recognised")
	// ErrNothing: the file held nothing that could be taken.
	ErrNothing = errors.New("nothing readable in it")
	// ErrDerived: the file was made of captures, and has none.
	ErrDerived = errors.New("a table that an export made of captures: import the captures or levels of the export instead")
	// ErrCompression: compressed in a way that is not read.
	ErrCompression = errors.New("compression not supported")
)

const (
	sniffSize = 256 << 10
	// maxWindow bounds what a .zst file can make the reader hold in memory.
	maxWindow = 128 << 20
)

// input is one file to be read, as it lies there.
type input struct {
	path string
	name string // for people
	temp bool   // path is a temporary copy
	size int64
	fmt  format
	err  error // found while looking at it
	// found: it was come across in a folder. skip: it is plainly no captures, and
	// left out then.
	found, skip bool
	// unknown: it was come across in a folder, and is of no format.
	unknown bool
}

// open opens the file for reading from its start.
func (in *input) open() (*os.File, error) { return os.Open(in.path) }

// look finds out how large the file is and what it holds.
func (in *input) look(insist *format) {
	f, err := in.open()
	if err != nil {
		in.err = err
		return
	}
	defer func() { _ = f.Close() }()
	st, err := f.Stat()
	if err != nil {
		in.err = err
		return
	}
	in.size = st.Size()
	if in.size == 0 {
		in.err, in.skip = fmt.Errorf("empty file: %w", ErrNothing), emptyLines(in)
		return
	}
	if insist != nil {
		in.fmt = *insist
		return
	}
	r, closeAll, err := decompress(f)
	if err != nil {
		in.err = err
		return
	}
	defer closeAll.close()
	prefix, err := firstLines(r)
	p := probe{prefix: prefix}
	without, tableErr := p.table(f, in.size, closeAll != nil)
	if tableErr != nil {
		in.err = fmt.Errorf("%w: %w", ErrFormat, tableErr)
		return
	}
	if p.derived() {
		in.err, in.skip = ErrDerived, in.found
		return
	}
	var ok bool
	if in.fmt, ok = recognise(&p); ok {
		// Of what was exported a table may well be empty.
		in.skip = in.found && without && in.fmt.exported
		return
	}
	if in.err = err; err == nil {
		in.odd(&p, without)
	}
}

// odd says of a file that is of no format what is to be done with it. without: it is a
// table that has no rows.
func (in *input) odd(p *probe, without bool) {
	switch {
	case len(bytes.TrimSpace(p.prefix)) == 0:
		in.err = fmt.Errorf("empty file: %w", ErrNothing)
	case p.parquet && without: // of whatever columns
		in.skip = true
	default:
		in.err, in.skip = unknown(p), in.found && plainlyNone(in.path)
		in.unknown = in.found && !in.skip
	}
}

// table reads the columns of a file, where it is a table, and reports whether it
// has no rows.
func (p *probe) table(f *os.File, size int64, compressed bool) (without bool, err error) {
	if !bytes.HasPrefix(p.prefix, magicParquet) {
		p.columns, p.members = rows.Header(p.prefix), rows.Members(p.prefix)
		return p.members == nil && bytes.Count(p.prefix, []byte("\n")) <= 1, nil
	}
	if compressed {
		return false, errCompressed
	}
	p.parquet = true
	file, err := rows.OpenParquet(f, size)
	if err != nil {
		return false, fmt.Errorf("a Parquet file that cannot be read: %w", err)
	}
	p.columns = file.Columns()
	return file.Rows() == 0, nil
}

// emptyLines reports whether an empty file is a table without rows that was exported
// as JSON lines.
func emptyLines(in *input) bool { return in.found && filepath.Ext(in.path) == ".jsonl" }

// derived reports whether a table was made of captures by an export.
func (p *probe) derived() bool { return exported.Derived(p.columns) || exported.Derived(p.members) }

// firstLines reads the beginning of a file, with a whole line in it unless that
// is longer than any that is read.
func firstLines(r io.Reader) ([]byte, error) {
	prefix, err := io.ReadAll(io.LimitReader(r, sniffSize))
	for err == nil && len(prefix) >= sniffSize && len(prefix) <= wslog.MaxLine && bytes.IndexByte(prefix, '\n') < 0 {
		var more []byte
		more, err = io.ReadAll(io.LimitReader(r, int64(len(prefix))))
		prefix = append(prefix, more...)
		if len(more) == 0 {
			break
		}
	}
	return prefix, err
}

// hash returns the SHA-256 of the first in.size bytes of the file.
func (in *input) hash(ctx context.Context, m *meter) (sum [32]byte, err error) {
	f, err := in.open()
	if err != nil {
		return sum, err
	}
	defer func() { _ = f.Close() }()
	h := sha256.New()
	n, err := io.Copy(io.MultiWriter(h, hashMeter{m}), io.LimitReader(contextReader{ctx, f}, in.size))
	if err != nil {
		return sum, err
	}
	if n != in.size {
		return sum, fmt.Errorf("file shrank while it was read: %d of %d bytes", n, in.size)
	}
	h.Sum(sum[:0])
	return sum, nil
}

// hashMeter counts what is written to it.
type hashMeter struct{ m *meter }

func (h hashMeter) Write(p []byte) (int, error) {
	h.m.hashed(int64(len(p)))
	return len(p), nil
}

// contextReader ends with the context's error.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

// Beginnings of compressed files.
var (
	magicParquet = []byte("PAR1")
	magicGzip    = []byte{0x1f, 0x8b}
	magicZstd    = []byte{0x28, 0xb5, 0x2f, 0xfd}
	otherMagic   = []struct {
		name  string
		magic []byte
	}{
		{"xz", []byte("\xfd7zXZ\x00")},
		{"bzip2", []byte("BZh")},
		{"zip", []byte("PK\x03\x04")},
		{"lz4", []byte{0x04, 0x22, 0x4d, 0x18}},
		{"7z", []byte("7z\xbc\xaf\x27\x1c")},
	}
)

// closer frees what a decompressor holds; nil: there is none.
type closer func()

func (c closer) close() {
	if c != nil {
		c()
	}
}

// decompress returns the content of a file that may be compressed, told by its
// first bytes. closeAll is nil when it is not.
func decompress(r io.Reader) (content io.Reader, closeAll closer, err error) {
	var head [6]byte
	n, err := io.ReadFull(r, head[:])
	if err != nil && err != io.EOF && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, nil, err
	}
	whole := io.MultiReader(bytes.NewReader(head[:n]), r)
	switch {
	case bytes.HasPrefix(head[:n], magicGzip):
		z, err := gzip.NewReader(whole)
		if err != nil {
			return nil, nil, fmt.Errorf("gzip: %w", noEOF(err))
		}
		return z, func() { _ = z.Close() }, nil
	case bytes.HasPrefix(head[:n], magicZstd), isSkippable(head[:n]):
		z, err := zstd.NewReader(whole, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, nil, fmt.Errorf("zstd: %w", noEOF(err))
		}
		return z, z.Close, nil
	}
	for _, o := range otherMagic {
		if bytes.HasPrefix(head[:n], o.magic) {
			return nil, nil, fmt.Errorf("%w: %s (use .gz, .zst or none)", ErrCompression, o.name)
		}
	}
	return whole, nil, nil
}

// isSkippable reports whether b begins a skippable frame of zstd, which some
// writers put first.
func isSkippable(b []byte) bool {
	return len(b) >= 4 && b[0]&0xf0 == 0x50 && b[1] == 0x2a && b[2] == 0x4d && b[3] == 0x18
}

func noEOF(err error) error {
	if err == io.EOF { //nolint:errorlint // readers return the value itself; wrapped, it keeps its words
		return io.ErrUnexpectedEOF
	}
	return err
}

// spool copies a stream that can be read only once into a temporary file.
func spool(ctx context.Context, r io.Reader, name, dir string) (in *input, err error) {
	f, err := os.CreateTemp(dir, "ladderback-import-*")
	if err != nil {
		return nil, err
	}
	in = &input{path: f.Name(), name: name, temp: true}
	_, err = io.Copy(f, contextReader{ctx, r})
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		_ = os.Remove(in.path)
		return nil, err
	}
	return in, nil
}
