package block

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/klauspost/compress/zstd"

	"github.com/ladderback/ladderback/market"
)

type gobLevel struct {
	P int32
	S int64
}
type gobEntry struct {
	Kind       uint8
	Whole      bool
	Ord        uint32
	Bids, Asks int32
	Recv, Exch int64
	Quote      market.Quote
	Trade      market.Trade
	Metric     market.Metric
}
type gobBlock struct {
	Header           Header
	Entries          []gobEntry
	Levels           []market.Level
	KeyBids, KeyAsks []market.Level
}

func (e *encoderState) finish(dst []byte) (Block, error) {
	if e.count == 0 {
		return Block{}, errors.New("finish block: nothing was added")
	}
	r := &e.run
	h := Header{Version: Version, Codec: Zstd, Stream: e.stream, First: r.entries[0].recv, Last: r.entries[e.count-1].recv,
		Captures: e.count, Changes: len(r.levels), Anchor: e.anchor, Keyframe: e.keyframe}
	g := gobBlock{Header: h, Levels: r.levels, KeyBids: r.keyBids, KeyAsks: r.keyAsks}
	for i, n := range r.entries {
		c := r.contents[i]
		g.Entries = append(g.Entries, gobEntry{uint8(n.kind), n.whole, n.ord, n.bids, n.asks, int64(n.recv), int64(n.exch), c.quote, c.trade, c.metric})
	}
	var buf bytes.Buffer
	if err := gob.NewEncoder(&buf).Encode(&g); err != nil {
		return Block{}, err
	}
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return Block{}, err
	}
	at := len(dst)
	dst = z.EncodeAll(buf.Bytes(), dst)
	sum := crc32.Checksum(dst[at:], crc32.MakeTable(crc32.Castagnoli))
	dst = append(dst, byte(sum), byte(sum>>8), byte(sum>>16), byte(sum>>24))
	e.count, e.hasWhole, e.keyframe, e.anchor = 0, false, false, 0
	r.clear()
	return Block{h, dst[at:len(dst):len(dst)]}, nil
}

type decoderState struct {
	header Header
	g      gobBlock
	pos    int
	off    int
	c      market.Capture
}

func (d *Decoder) reset(data []byte) error {
	d.decoderState = decoderState{}
	if len(data) < 4 {
		return fmt.Errorf("%w: %d bytes", ErrCorrupt, len(data))
	}
	n := len(data) - 4
	sum := crc32.Checksum(data[:n], crc32.MakeTable(crc32.Castagnoli))
	if uint32(data[n])|uint32(data[n+1])<<8|uint32(data[n+2])<<16|uint32(data[n+3])<<24 != sum {
		return fmt.Errorf("%w: checksum", ErrCorrupt)
	}
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return err
	}
	defer z.Close()
	raw, err := z.DecodeAll(data[:n], nil)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	if err := gob.NewDecoder(bytes.NewReader(raw)).Decode(&d.g); err != nil {
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	d.header = d.g.Header
	return nil
}

func (d *Decoder) keyframe() (bids, asks []market.Level) {
	return d.g.KeyBids, d.g.KeyAsks
}

func (d *Decoder) next() *market.Capture {
	if d.pos == 0 {
		d.off = 0
	}
	if d.pos >= len(d.g.Entries) {
		return nil
	}
	n := &d.g.Entries[d.pos]
	d.pos++
	l := d.g.Levels[d.off : d.off+int(n.Bids+n.Asks)]
	d.off += len(l)
	d.c = market.Capture{Token: d.Token, Kind: market.Kind(n.Kind), Recv: market.Instant(n.Recv), Exch: market.Instant(n.Exch), Ord: n.Ord,
		Replace: n.Whole, Bids: l[:n.Bids:n.Bids], Asks: l[n.Bids:], Quote: n.Quote, Trade: n.Trade, Metric: n.Metric}
	return &d.c
}

func readHeader(data []byte) (Header, error) {
	var d Decoder
	err := d.reset(data)
	return d.header, err
}
