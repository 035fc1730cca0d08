package rows

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
)

// Bounds of what a Parquet file may ask for. The library that reads it takes
// lengths and counts on trust and makes room for them, so all of them are
// looked at before it does. Writers make pages of about 1 MB and row groups of
// about a million rows.
const (
	maxFooter     = 8 << 20 // bytes
	maxStructs    = 200_000 // elements of lists in the footer
	maxPageHeader = 1 << 20 // bytes
	maxPage       = 64 << 20
	maxPages      = 160 << 20 // bytes of the largest pages of all columns read, together
	maxPageValues = 4 << 20
	// maxRowsPerByte bounds rows by the size of the file, and maxGrowth the text
	// that a file may hold: what repeats is stored once and read each time.
	maxRowsPerByte = 8
	maxGrowth      = 1000
	smallFile      = 1 << 20 // bytes, and rows, that are always allowed
)

// Errors of files that cannot be read.
var (
	ErrColumn = errors.New("column missing")
	ErrCodec  = errors.New("compression not supported")
	ErrFile   = errors.New("damaged Parquet file")
	ErrLarge  = errors.New("file needs more memory than an import may use")
)

// checkFooter checks the footer before it is decoded.
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
		return fmt.Errorf("%w: it does not end like one", ErrFile)
	case length > size-int64(len(magic)+len(end)):
		return fmt.Errorf("%w: footer of %d bytes in a file of %d", ErrFile, length, size)
	case length > maxFooter:
		return fmt.Errorf("%w: a footer of %d bytes", ErrLarge, length)
	}
	footer := make([]byte, length)
	if _, err := r.ReadAt(footer, size-int64(len(end))-length); err != nil {
		return err
	}
	t := thrift{b: footer, structs: maxStructs}
	t.structure(0, nil)
	switch {
	case t.structs < 0:
		return fmt.Errorf("%w: its footer has more than %d structures", ErrLarge, maxStructs)
	case t.bad:
		return fmt.Errorf("%w: its footer cannot be read", ErrFile)
	}
	return nil
}

// checkCodec refuses what is not read: LZ4 (the library cannot read one kind of
// it, and a damaged one of the other can make it grow without bound), what is
// encrypted, and codecs whose output cannot be measured beforehand.
func checkCodec(c *format.ColumnChunk) error {
	m := &c.MetaData
	name := strings.Join(m.PathInSchema, ".")
	switch m.Codec {
	case format.Uncompressed, format.Snappy, format.Gzip, format.Zstd:
	default:
		return fmt.Errorf("column %s: %w: %v (use snappy, gzip, zstd or none)", name, ErrCodec, m.Codec)
	}
	for _, e := range m.Encoding {
		if e == format.DeltaByteArray {
			return fmt.Errorf("column %s: %w: encoding %v (use plain or a dictionary)", name, ErrCodec, e)
		}
	}
	return nil
}

// pages is what the pages of a column chunk hold, as their headers say.
type pages struct {
	values  int64
	largest int64 // bytes of a page, compressed and not
	words   int64 // bytes of the dictionary, compressed and not
}

// checkPages goes over the pages of a column chunk and looks whether they are
// as large as their headers say, and not too large.
func checkPages(r io.ReaderAt, size int64, m *format.ColumnMetaData) (p pages, err error) {
	from, length := m.DataPageOffset, m.TotalCompressedSize
	if d := m.DictionaryPageOffset; d != 0 {
		if d > from {
			return p, fmt.Errorf("%w: dictionary after the data", ErrFile)
		}
		from = d
	}
	if from < 0 || length < 0 || from > size || length > size-from {
		return p, fmt.Errorf("%w: pages outside the file", ErrFile)
	}
	buf := make([]byte, 0, 4<<10)
	for at, end := from, from+length; at < end && p.values < m.NumValues; {
		h, n, err := readHeader(r, at, end, &buf)
		if err != nil {
			return p, err
		}
		at += n
		if err := h.check(end - at); err != nil {
			return p, err
		}
		body := io.NewSectionReader(r, at, h.compressed)
		if err := h.checkBody(body, m.Codec); err != nil {
			return p, err
		}
		at += h.compressed
		if h.kind == int64(format.DictionaryPage) {
			p.words = max(p.words, h.compressed+h.uncompressed)
			continue
		}
		p.values += h.values
		p.largest = max(p.largest, h.compressed+h.uncompressed)
	}
	return p, nil
}

// pageHeader is what counts of a page's header.
type pageHeader struct {
	kind, uncompressed, compressed int64
	values, encoding               int64
	levels                         int64 // bytes of levels that are never compressed
	plain                          bool  // not compressed, whatever the codec
}

// readHeader reads the header at an offset and returns its length. buf is reused.
func readHeader(r io.ReaderAt, at, end int64, buf *[]byte) (h pageHeader, n int64, err error) {
	for want := int64(cap(*buf)); ; want *= 8 {
		want = min(want, end-at, maxPageHeader)
		if int64(cap(*buf)) < want {
			*buf = make([]byte, want)
		}
		b := (*buf)[:want]
		if _, err := r.ReadAt(b, at); err != nil {
			return h, 0, fmt.Errorf("%w: %w", ErrFile, err)
		}
		h = pageHeader{}
		t := thrift{b: b, structs: 1000}
		t.structure(0, h.field)
		switch {
		case !t.bad && t.structs >= 0:
			return h, int64(t.i), nil
		case !t.short || want == min(end-at, maxPageHeader):
			return h, 0, fmt.Errorf("%w: unreadable page header", ErrFile)
		}
	}
}

// field takes a field of a page's header; in is the field that it stands in.
func (h *pageHeader) field(in, id int, v int64) {
	switch [2]int{in, id} {
	case [2]int{0, 1}:
		h.kind = v
	case [2]int{0, 2}:
		h.uncompressed = v
	case [2]int{0, 3}:
		h.compressed = v
	case [2]int{5, 1}, [2]int{7, 1}, [2]int{8, 1}:
		h.values = v
	case [2]int{5, 2}, [2]int{8, 4}:
		h.encoding = v
	case [2]int{8, 5}, [2]int{8, 6}:
		h.levels += v
	case [2]int{8, 7}:
		h.plain = v == 0
	}
}

func (h *pageHeader) check(left int64) error {
	switch {
	case h.compressed < 0 || h.uncompressed < 0 || h.values < 0 || h.levels < 0 || h.compressed > left || h.levels > h.compressed:
		return fmt.Errorf("%w: invalid page header", ErrFile)
	case h.compressed > maxPage || h.uncompressed > maxPage:
		return fmt.Errorf("%w: a page of %d bytes, at most %d", ErrLarge, max(h.compressed, h.uncompressed), maxPage)
	case h.values > maxPageValues:
		return fmt.Errorf("%w: a page of %d values, at most %d", ErrLarge, h.values, maxPageValues)
	case h.encoding == int64(format.DeltaByteArray):
		return fmt.Errorf("%w: encoding %v", ErrCodec, format.DeltaByteArray)
	}
	return nil
}

// checkBody unpacks a page to see that it is as large as its header says.
func (h *pageHeader) checkBody(body io.Reader, codec format.CompressionCodec) (err error) {
	if h.plain {
		codec = format.Uncompressed
	}
	if _, err := io.CopyN(io.Discard, body, h.levels); err != nil {
		return fmt.Errorf("%w: %w", ErrFile, err)
	}
	most := h.uncompressed - h.levels
	if h.compressed == h.levels {
		return nil
	}
	switch codec {
	case format.Uncompressed:
		if h.compressed > h.uncompressed {
			return fmt.Errorf("%w: page longer than stated in its header", ErrFile)
		}
		return nil
	case format.Snappy:
		// The length comes first; what follows cannot give more.
		n, err := binary.ReadUvarint(&byteReader{body})
		if err != nil || n > uint64(max(0, most)) {
			return fmt.Errorf("%w: page longer than stated in its header", ErrFile)
		}
		return nil
	case format.Gzip:
		z, err := gzip.NewReader(body)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrFile, err)
		}
		body = z
	case format.Zstd:
		z, err := zstd.NewReader(body, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxPage))
		if err != nil {
			return fmt.Errorf("%w: %w", ErrFile, err)
		}
		defer z.Close()
		body = z
	}
	n, err := io.Copy(io.Discard, io.LimitReader(body, most+1))
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", ErrFile, err)
	case n > most:
		return fmt.Errorf("%w: page longer than stated in its header", ErrFile)
	}
	return nil
}

type byteReader struct{ io.Reader }

func (r *byteReader) ReadByte() (byte, error) {
	var b [1]byte
	_, err := io.ReadFull(r.Reader, b[:])
	return b[0], err
}
