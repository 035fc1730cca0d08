package block

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"github.com/ladderback/ladderback/market"
)

// The header: magic, version, codec, stream, flags, price unit (2 bytes),
// first, last, anchor (8 each), captures, changes, body length (4 each). The
// checksum stands at the very end.
const (
	headerSize   = 44
	checksumSize = 4
	magic0       = 'L'
	magic1       = 'B'

	flagKeyframe = 1
)

func checksumOf(b []byte) uint32 { return binary.LittleEndian.Uint32(b[len(b)-checksumSize:]) }

func castagnoli(b []byte) uint32 {
	return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli))
}

// appendHeader appends a header; the body's length is filled in by seal.
func appendHeader(dst []byte, h Header, unit market.Price) []byte {
	flags := byte(0)
	if h.Keyframe {
		flags = flagKeyframe
	}
	dst = append(dst, magic0, magic1, h.Version, byte(h.Codec), byte(h.Stream), flags)
	dst = binary.LittleEndian.AppendUint16(dst, uint16(unit))
	dst = binary.LittleEndian.AppendUint64(dst, uint64(h.First))
	dst = binary.LittleEndian.AppendUint64(dst, uint64(h.Last))
	dst = binary.LittleEndian.AppendUint64(dst, uint64(h.Anchor))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(h.Captures))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(h.Changes))
	return binary.LittleEndian.AppendUint32(dst, 0)
}

// seal fills in the length of the body of the block that starts at dst[at] and
// appends the checksum.
func seal(dst []byte, at int) []byte {
	body := len(dst) - at - headerSize
	binary.LittleEndian.PutUint32(dst[at+headerSize-4:], uint32(body))
	return binary.LittleEndian.AppendUint32(dst, castagnoli(dst[at:]))
}

// parseHeader reads the header of a block and checks it on its
// own and against the block's length.
func parseHeader(b []byte) (h Header, unit market.Price, err error) {
	if len(b) < headerSize+checksumSize {
		return h, 0, fmt.Errorf("%w: %d bytes are not a block", ErrCorrupt, len(b))
	}
	if b[0] != magic0 || b[1] != magic1 {
		return h, 0, fmt.Errorf("%w: it begins with % x, expected % x", ErrCorrupt, b[:2], []byte{magic0, magic1})
	}
	if b[2] != Version {
		return h, 0, fmt.Errorf("%w: version %d, expected %d", ErrVersion, b[2], Version)
	}
	instant := func(at int) market.Instant { return market.Instant(binary.LittleEndian.Uint64(b[at:])) }
	h = Header{
		Version: b[2], Codec: Codec(b[3]), Stream: Stream(b[4]), Keyframe: b[5]&flagKeyframe != 0,
		First: instant(8), Last: instant(16), Anchor: instant(24),
		Captures: int(binary.LittleEndian.Uint32(b[32:])), Changes: int(binary.LittleEndian.Uint32(b[36:])),
	}
	unit = market.Price(binary.LittleEndian.Uint16(b[6:]))
	switch {
	case int64(binary.LittleEndian.Uint32(b[40:])) != int64(len(b)-headerSize-checksumSize):
		return h, 0, fmt.Errorf("%w: %d bytes, its header says %d", ErrCorrupt, len(b), binary.LittleEndian.Uint32(b[40:]))
	case !plausible(h, unit) || b[5]&^flagKeyframe != 0:
		return h, 0, fmt.Errorf("%w: its header contradicts itself", ErrCorrupt)
	}
	return h, unit, nil
}

func plausible(h Header, unit market.Price) bool {
	return h.Codec <= Packed &&
		between(h.Stream, Books, Metrics) &&
		between(unit, 1, market.PriceOne) &&
		between(h.First, 1, h.Last) && h.Last <= maxInstant &&
		between(h.Anchor, 0, h.First) &&
		(h.Anchor > 0 || !h.Keyframe) &&
		(h.Anchor == 0 && h.Changes == 0 || h.Stream == Books) &&
		between(h.Captures, 1, MaxCaptures) &&
		between(h.Changes, 0, MaxChanges)
}

// between reports whether low ≤ v ≤ high.
func between[T cmp.Ordered](v, low, high T) bool { return low <= v && v <= high }
