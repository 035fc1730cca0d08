package parquet

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
)

// pageHeader is what counts of a page's header.
type pageHeader struct {
	kind, uncompressed, compressed int64
	values, encoding               int64
	def, rep                       int64 // bytes of levels that are never compressed
	packedLevels                   bool  // in the old way
	plain                          bool  // not compressed, whatever the codec
	crc                            int64 // 0: none
}

// readHeader reads the header at an offset, before end, and returns its length.
// buf is reused.
func readHeader(r io.ReaderAt, at, end int64, buf *[]byte) (h pageHeader, n int64, err error) {
	for want := max(int64(cap(*buf)), 4<<10); ; want *= 8 {
		want = min(want, end-at, maxPageHeader)
		if int64(cap(*buf)) < want {
			*buf = make([]byte, want)
		}
		b := (*buf)[:want]
		if _, err := r.ReadAt(b, at); err != nil {
			return h, 0, fmt.Errorf("%w: %w", ErrFile, err)
		}
		h = pageHeader{}
		t := walker{b: b, structs: 1000}
		t.structure(0, h.field)
		switch {
		case !t.bad && t.structs >= 0:
			if h.kind != int64(format.DataPageV2) {
				h.def, h.rep, h.plain = 0, 0, false
			}
			return h, int64(t.i), h.check(end - at - int64(t.i))
		case !t.short || want == min(end-at, maxPageHeader):
			return h, 0, fmt.Errorf("%w: unreadable page header", ErrFile)
		}
	}
}

// field takes a field of a page's header; in is the field that it stands in: 5 and
// 8 are headers of data pages of versions 1 and 2, 7 that of a dictionary.
func (h *pageHeader) field(in, id int, v int64) {
	switch [2]int{in, id} {
	case [2]int{0, 1}:
		h.kind = v
	case [2]int{0, 2}:
		h.uncompressed = v
	case [2]int{0, 3}:
		h.compressed = v
	case [2]int{0, 4}:
		h.crc = v
	case [2]int{5, 1}, [2]int{7, 1}, [2]int{8, 1}:
		h.values = v
	case [2]int{5, 2}, [2]int{7, 2}, [2]int{8, 4}:
		h.encoding = v
	case [2]int{5, 3}, [2]int{5, 4}:
		h.packedLevels = h.packedLevels || v == int64(format.BitPacked)
	case [2]int{8, 5}:
		h.def = v
	case [2]int{8, 6}:
		h.rep = v
	case [2]int{8, 7}:
		h.plain = v == 0
	}
}

// check holds a header against the bytes that are left after it.
func (h *pageHeader) check(left int64) error {
	switch {
	case min(h.compressed, h.uncompressed, h.values, h.def, h.rep) < 0, h.compressed > left,
		max(h.def, h.rep) > left, h.def+h.rep > min(h.compressed, h.uncompressed):
		return fmt.Errorf("%w: invalid page header", ErrFile)
	case max(h.compressed, h.uncompressed) > maxPage:
		return fmt.Errorf("%w: a page of %d bytes, at most %d", ErrLarge, max(h.compressed, h.uncompressed), maxPage)
	case h.values > maxPageValues:
		return fmt.Errorf("%w: a page of %d values, at most %d", ErrLarge, h.values, maxPageValues)
	}
	return nil
}

// room is what the columns of a table hold: pages, and what unpacks them.
type room struct {
	held   int64
	raw    []byte // of the page that is unpacked at the moment
	header []byte
	zstd   *zstd.Decoder
	gzip   *gzip.Reader
}

// grow returns a buffer of n bytes in place of buf, which nothing may refer to any
// more.
func (m *room) grow(buf []byte, n int64) ([]byte, error) {
	if int64(cap(buf)) >= n {
		return buf[:n], nil
	}
	spare := n + n/8 // the next page may be somewhat larger
	m.held += spare - int64(cap(buf))
	if m.held > maxHeld {
		return nil, fmt.Errorf("%w: pages of more than %d bytes at once", ErrLarge, maxHeld)
	}
	return make([]byte, n, spare), nil
}

// unpack reads the page at an offset and unpacks it into buf, which it may replace.
func (m *room) unpack(r io.ReaderAt, at int64, h *pageHeader, codec format.CompressionCodec, buf []byte) (page []byte, err error) {
	defer rescue(&err)
	if h.plain {
		codec = format.Uncompressed
	}
	if page, err = m.grow(buf, h.uncompressed); err != nil {
		return nil, err
	}
	raw := page
	if codec == format.Uncompressed {
		if h.compressed != h.uncompressed {
			return nil, errLength
		}
	} else {
		if m.raw, err = m.grow(m.raw, h.compressed); err != nil {
			return nil, err
		}
		raw = m.raw
	}
	if _, err := r.ReadAt(raw, at); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFile, err)
	}
	if h.crc != 0 && crc32.ChecksumIEEE(raw) != uint32(h.crc) {
		return nil, fmt.Errorf("%w: a page has another checksum than its header states", ErrFile)
	}
	if codec == format.Uncompressed {
		return page, nil
	}
	levels := h.def + h.rep
	copy(page, raw[:levels])
	return page, m.decompress(page[levels:], raw[levels:], codec)
}

var errLength = fmt.Errorf("%w: a page is not as long as its header states", ErrFile)

// decompress fills page with what is packed in raw, which is exactly as long.
func (m *room) decompress(page, raw []byte, codec format.CompressionCodec) (err error) {
	if len(raw) == 0 && len(page) == 0 {
		return nil
	}
	n := -1
	switch codec {
	case format.Snappy:
		if n, err = snappy.DecodedLen(raw); err == nil && n == len(page) {
			_, err = snappy.Decode(page, raw)
		}
	case format.Gzip:
		n, err = m.gunzip(page, raw)
	case format.Zstd:
		if m.zstd == nil {
			m.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
				zstd.WithDecoderMaxMemory(maxPage), zstd.WithDecodeAllCapLimit(true))
			if err != nil {
				return err
			}
		}
		var out []byte
		out, err = m.zstd.DecodeAll(raw, page[:0:len(page)])
		n = len(out)
	}
	switch {
	case err != nil:
		return fmt.Errorf("%w: a page cannot be unpacked, or is not as long as its header states", ErrFile)
	case n != len(page):
		return errLength
	}
	return nil
}

// gunzip fills page and returns how long it is, one more if it is longer.
func (m *room) gunzip(page, raw []byte) (n int, err error) {
	if m.gzip == nil {
		m.gzip = new(gzip.Reader)
	}
	if err := m.gzip.Reset(bytes.NewReader(raw)); err != nil {
		return 0, err
	}
	if n, err = io.ReadFull(m.gzip, page); err != nil {
		return n, err
	}
	more, err := m.gzip.Read(make([]byte, 1))
	if err == io.EOF {
		err = nil
	}
	return n + more, err
}

// close gives back what is held.
func (m *room) close() {
	if m.zstd != nil {
		m.zstd.Close()
	}
	*m = room{}
}

// levels cuts the levels off a page of version 1: their length, then themselves.
func levels(page []byte) (of, rest []byte, err error) {
	if len(page) < 4 {
		return nil, nil, errShort
	}
	n := int64(binary.LittleEndian.Uint32(page))
	if page = page[4:]; n > int64(len(page)) {
		return nil, nil, errShort
	}
	return page[:n], page[n:], nil
}
