package tops

import (
	"encoding/binary"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/market"
)

// Version is the version of the bytes that Encode makes, as the row that holds them has it.
const Version = 1

// Places says where the ladders of a round are that has them in one lane of its one
// source, which nearly all have: it stands in front of the tops, so that an order finds its
// block without a look at the rows of the others.
type Places struct {
	Source, Token uint64 // as the store numbers them
	Lane          int64
	Blocks        []Place // in order, numbered from 0 in their lane; not empty
}

// Place is a block of ladders: its first receive time, its length, and its CRC-32C.
type Place struct {
	First    market.Instant
	Bytes    int
	Checksum uint32
}

// Encode lays out tops, in order, behind the places of the ladders; nil: these are in
// several lanes, or of several sources. captures is how many there are of the layout, which
// a Reader takes as a hint. Without tops there are no bytes.
func Encode(places *Places, tops []market.Top) (data []byte, captures int, err error) {
	if len(tops) == 0 {
		return []byte{}, 0, nil
	}
	w := writer{data: places.append(nil), captures: 0}
	if w.enc, err = block.NewEncoder(block.Quotes, block.Options{}); err != nil {
		return nil, 0, err
	}
	trade := market.NoPrice
	for i := range tops {
		t := &tops[i]
		q := t.Quote()
		// A price alone is the last trade's.
		if !t.Known() || t.Price() != q.PriceWith(trade) {
			trade = market.Price(t.Trade)
			w.put(&market.Capture{Kind: market.KindPrice, Recv: t.At, Trade: market.Trade{Price: trade}})
		}
		if t.Known() {
			q.Bid.Size, q.Ask.Size = market.Size(t.Least[0]), market.Size(t.Least[1])
			w.put(&market.Capture{Kind: market.KindQuote, Recv: t.At, Quote: q})
		}
	}
	if w.enc.Len() > 0 {
		w.finish()
	}
	return w.data, w.captures, w.err
}

// writer puts blocks of quotes behind one another.
type writer struct {
	enc      *block.Encoder
	data     []byte
	captures int
	err      error // the first; nothing is put behind it
}

func (w *writer) put(c *market.Capture) {
	if w.err != nil {
		return
	}
	w.captures++
	if w.err = w.enc.Add(c); w.err == nil && w.enc.Full() {
		w.finish()
	}
}

func (w *writer) finish() {
	if w.err != nil {
		return
	}
	var b block.Block
	if b, w.err = w.enc.Finish(nil); w.err == nil {
		w.data = append(w.data, b.Data...)
	}
}

// Open takes what Encode made apart: the places of the ladders, which may be nil, and the
// blocks of the tops. ok is false where it was not made so. The results share data.
func Open(data []byte) (p *Places, blocks []byte, ok bool) {
	if len(data) == 0 {
		return nil, nil, true
	}
	n, size := binary.Uvarint(data)
	if size <= 0 || n > uint64(len(data)-size) {
		return nil, nil, false
	}
	blocks = data[size+int(n):]
	if n == 0 {
		return nil, blocks, true
	}
	p, ok = readPlaces(data[size : size+int(n)])
	return p, blocks, ok
}

// append appends the places, behind their length; nil: a length of 0.
func (p *Places) append(dst []byte) []byte {
	if p == nil {
		return append(dst, 0)
	}
	var b []byte
	b = binary.LittleEndian.AppendUint64(b, p.Source)
	b = binary.LittleEndian.AppendUint64(b, p.Token)
	b = binary.AppendUvarint(b, uint64(p.Lane))
	before := market.Instant(0)
	for _, x := range p.Blocks {
		b = binary.AppendUvarint(b, uint64(x.First-before))
		b = binary.AppendUvarint(b, uint64(x.Bytes))
		b = binary.LittleEndian.AppendUint32(b, x.Checksum)
		before = x.First
	}
	dst = binary.AppendUvarint(dst, uint64(len(b)))
	return append(dst, b...)
}

// readPlaces reads what append has written behind the length.
func readPlaces(b []byte) (p *Places, ok bool) {
	if len(b) < 16 {
		return nil, false
	}
	p = &Places{Source: binary.LittleEndian.Uint64(b), Token: binary.LittleEndian.Uint64(b[8:])}
	b = b[16:]
	ok = true
	next := func() uint64 {
		v, size := binary.Uvarint(b)
		if size <= 0 {
			ok, b = false, nil
			return 0
		}
		b = b[size:]
		return v
	}
	p.Lane = int64(next())
	at := market.Instant(0)
	p.Blocks = make([]Place, 0, len(b)/10)
	for ok && len(b) > 0 {
		at += market.Instant(next())
		x := Place{First: at, Bytes: int(next())}
		if len(b) < 4 {
			return nil, false
		}
		x.Checksum, b = binary.LittleEndian.Uint32(b), b[4:]
		p.Blocks = append(p.Blocks, x)
	}
	return p, ok && len(p.Blocks) > 0
}

// Cuts returns where blocks of ladders begin.
func (p *Places) Cuts() []market.Instant {
	out := make([]market.Instant, len(p.Blocks))
	for i := range p.Blocks {
		out[i] = p.Blocks[i].First
	}
	return out
}
