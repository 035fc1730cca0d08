package sqlstore

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/vfs"
)

// Pages are sums of pages of a file whose pages end in checksums, by the page's number,
// counted from one: of those that a connection has read from the file, and of those that
// it has written, to the file or the log beside it. Zero is a page whose sum is not known.
// The first page is not among them: it says what state the whole file is in.
type Pages struct {
	Read, Written map[uint32]uint32
}

// Track has a connection keep the sums of the pages of its file from now on. It may
// be called again: the connection has one Pages.
func Track(c *sqlite3.Conn) (*Pages, error) {
	f, err := c.FileControl("main", sqlite3.FCNTL_FILE_POINTER)
	if err != nil {
		return nil, err
	}
	db, ok := underlying(f)
	if !ok {
		return nil, fmt.Errorf("file of another kind: %T", f)
	}
	if db.pages == nil {
		db.pages = &Pages{Read: map[uint32]uint32{}, Written: map[uint32]uint32{}}
	}
	return db.pages, nil
}

// underlying is the database of a file that go-sqlite3 may have wrapped.
func underlying(f any) (*database, bool) {
	for {
		switch v := f.(type) {
		case *database:
			return v, true
		case vfs.FileUnwrap:
			f = v.Unwrap()
		default:
			return nil, false
		}
	}
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// note keeps the sum of a page without what it ends in, which differs between a file and
// its log.
func (f *database) note(of func(*Pages) map[uint32]uint32, number int64, page []byte) {
	if f.pages == nil || f.page == 0 || number < 2 {
		return
	}
	sum := uint32(0)
	if int64(len(page)) == f.page {
		sum = max(crc32.Checksum(page[:len(page)-checksumBytes], castagnoli), 1)
	}
	of(f.pages)[uint32(number)] = sum
}

func read(p *Pages) map[uint32]uint32    { return p.Read }
func written(p *Pages) map[uint32]uint32 { return p.Written }

// writeAhead is the log beside a database: a header, then frames of a header that begins
// with a page's number, and the page.
// https://sqlite.org/fileformat2.html#the_write_ahead_log
type writeAhead struct {
	unmappedFile
	of     *database
	frames map[int64]int64 // numbers of pages by where they are in the log
}

const (
	logHeader   = 32
	frameHeader = 24
)

// WriteAt implements io.WriterAt.
func (f *writeAhead) WriteAt(p []byte, off int64) (int, error) {
	if f.of.pages != nil && f.of.page > 0 {
		f.look(p, off)
	}
	return f.File.WriteAt(p, off)
}

// look notes a page that is written: after its header, in place of what its transaction
// had written of it, or in pieces, whose sum is not known.
func (f *writeAhead) look(p []byte, off int64) {
	at := (off - logHeader) % (frameHeader + f.of.page)
	switch {
	case off < logHeader:
		clear(f.frames) // the log begins anew
	case at == 0 && len(p) == frameHeader:
		f.frames[off+frameHeader] = int64(binary.BigEndian.Uint32(p))
	case at >= frameHeader:
		f.of.note(written, f.frames[off-at+frameHeader], p)
	}
}
