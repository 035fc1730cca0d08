package block

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ladderback/ladderback/market"
)

// reader turns the body of a block into a run. The zero value is ready to use.
type reader struct {
	unpacker unpacker
	column   column // of integers, while they are read
	flags    column
	sizes    column
	ints     [4][]uint64 // columns of integers being read together
	steps    *steps
	intSteps *intSteps
	ladders  ladderReader
}

var (
	errClocks  = errors.New("times out of order or range")
	errKinds   = errors.New("kinds of capture that do not belong to the stream")
	errLadders = errors.New("levels out of range")
	errValues  = errors.New("values out of range")
	errTail    = errors.New("bytes behind the last column")
)

// body is what is left of the body of a block.
type body struct {
	h     Header
	unit  market.Price
	b     []byte
	plain bool // codec None
}

func (b *body) uvarint() (uint64, error) {
	v, rest, ok := readUvarint(b.b)
	if !ok {
		return 0, errColumn
	}
	b.b = rest
	return v, nil
}

func (x *reader) read(r *run, h Header, unit market.Price, data []byte) error {
	if x.steps == nil {
		x.steps, x.intSteps = &steps{}, &intSteps{}
		x.steps.fill()
		x.intSteps.fill()
	}
	b := &body{h: h, unit: unit, b: data, plain: h.Codec == None}
	clocks, err := readUnits(b)
	if err != nil {
		return err
	}
	if b.b, err = x.unpacker.read(&x.flags, b.b, h.Captures, b.plain); err != nil {
		return fmt.Errorf("flags: %w", err)
	}
	if err := x.readClocks(r, b, clocks); err != nil {
		return fmt.Errorf("clocks: %w", err)
	}
	switch h.Stream {
	case Books:
		err = x.readBooks(r, b)
	case Quotes:
		err = x.readQuotes(r, b)
	case Trades:
		err = x.readTrades(r, b)
	case Metrics:
		err = x.readMetrics(r, b)
	}
	if err != nil {
		return fmt.Errorf("%v: %w", h.Stream, err)
	}
	if len(b.b) != 0 {
		return errTail
	}
	return nil
}

// readInts reads a column of integers into x.ints[slot].
func (x *reader) readInts(b *body, slot, want int) ([]uint64, error) {
	var err error
	if b.b, err = x.unpacker.read(&x.column, b.b, want, b.plain); err != nil {
		return nil, err
	}
	v, ok := x.intSteps.read(x.ints[slot][:0], x.column.symbols, x.column.extra)
	x.ints[slot] = v
	if !ok {
		return nil, errColumn
	}
	return v, nil
}

// readSizes reads a column of sizes.
func (x *reader) readSizes(b *body, want int) (amountReader, error) {
	rest, ok := x.steps.readList(b.b)
	if !ok {
		return amountReader{}, errColumn
	}
	var err error
	if b.b, err = x.unpacker.read(&x.sizes, rest, want, b.plain); err != nil {
		return amountReader{}, err
	}
	return amountReader{steps: x.steps, symbols: x.sizes.symbols, extra: x.sizes.extra}, nil
}

func readUnits(b *body) (u clockUnits, err error) {
	var v [5]uint64
	for i := range v {
		if v[i], err = b.uvarint(); err != nil {
			return u, err
		}
	}
	u = clockUnits{int64(v[0]), int64(v[1]), unzigzag(v[2]), int64(v[3]), int64(v[4])}
	if u.exchFirst < 0 || u.exchUnit < 1 || u.offUnit < 1 || u.recvUnit < 1 {
		return u, errClocks
	}
	return u, nil
}

// readClocks reads the columns of times and makes the entries of r.
func (x *reader) readClocks(r *run, b *body, u clockUnits) error {
	plain, ords := 0, 0
	for _, f := range x.flags.symbols {
		if StreamOf(market.Kind(f&kindBits)) != b.h.Stream {
			return errKinds
		}
		if f&flagNoExch != 0 {
			plain++
		}
		if f&flagOrd != 0 {
			ords++
		}
	}
	exch, err := x.readInts(b, 0, b.h.Captures-plain)
	if err != nil {
		return err
	}
	off, err := x.readInts(b, 1, b.h.Captures-plain)
	if err != nil {
		return err
	}
	recv, err := x.readInts(b, 2, plain)
	if err != nil {
		return err
	}
	ord, err := x.readInts(b, 3, ords)
	if err != nil {
		return err
	}
	prevExch, prevOff, prevRecv := u.exchFirst, u.offFirst, int64(b.h.First)
	r.entries = slices.Grow(r.entries, b.h.Captures)[:b.h.Captures]
	for i, f := range x.flags.symbols {
		n := &r.entries[i]
		*n = entry{kind: market.Kind(f & kindBits)}
		now := prevRecv
		if f&flagNoExch != 0 {
			now += int64(recv[0]) * u.recvUnit
			recv = recv[1:]
		} else {
			prevExch += unzigzag(exch[0]) * u.exchUnit
			prevOff += unzigzag(off[0]) * u.offUnit
			exch, off = exch[1:], off[1:]
			now = prevExch + prevOff
			n.exch = market.Instant(prevExch)
			if uint64(prevExch-1) >= uint64(maxInstant) {
				return errClocks
			}
		}
		n.recv = market.Instant(now)
		if now < prevRecv {
			return errClocks
		}
		prevRecv = now
		if f&flagOrd != 0 {
			if ord[0] >= 1<<32-1 {
				return errClocks
			}
			n.ord = uint32(ord[0]) + 1
			ord = ord[1:]
		}
	}
	if r.entries[0].recv != b.h.First || prevRecv != int64(b.h.Last) {
		return errClocks
	}
	return nil
}
