package pack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ladderback/ladderback/archive/store"
)

const (
	// maxGap is how far apart ranges may lie that are read in one request, maxSpan
	// how long that may become.
	maxGap  = 256 << 10
	maxSpan = 4 << 20
)

// span is a range of an object that has some of the pieces asked for.
type span struct {
	bucket   opened
	pack     *store.Pack
	from, to int64 // half-open
	pieces   []int // in order of offset
}

// spans joins pieces that are near each other. Of what is cached they begin and end
// with pages.
func (p *Packs) spans(ctx context.Context, pieces []store.Piece) ([]span, error) {
	order := make([]int, len(pieces))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		x, y := &pieces[a], &pieces[b]
		return cmp.Or(cmp.Compare(x.Pack.ID, y.Pack.ID), cmp.Compare(x.Offset, y.Offset), cmp.Compare(a, b))
	})
	var out []span
	for _, i := range order {
		piece := &pieces[i]
		from, to := piece.Offset, piece.Offset+int64(piece.Ref.Bytes)
		if from < 0 || to > piece.Pack.Bytes {
			return nil, damaged(piece, errors.New("the pack is shorter"))
		}
		if n := len(out); n == 0 || out[n-1].pack.ID != piece.Pack.ID {
			b, err := p.bucket(piece.Pack.Address)
			if err != nil {
				return nil, err
			}
			out = append(out, span{bucket: b, pack: &piece.Pack, from: from, to: from})
		}
		last := &out[len(out)-1]
		if p.cached(ctx, last) {
			from, to = from/pageBytes*pageBytes, min(piece.Pack.Bytes, (to+pageBytes-1)/pageBytes*pageBytes)
		}
		switch {
		case len(last.pieces) == 0:
			last.from, last.to = from, to
		case from-last.to <= maxGap && to-last.from <= maxSpan:
			last.to = max(last.to, to)
		default:
			out = append(out, span{bucket: last.bucket, pack: last.pack, from: from, to: to})
			last = &out[len(out)-1]
		}
		last.pieces = append(last.pieces, i)
	}
	return out, nil
}

// cached reports whether what is read of the span is kept, and looked for, in the
// cache.
func (p *Packs) cached(ctx context.Context, s *span) bool {
	return p.cache != nil && !s.bucket.local && !store.IsUncached(ctx)
}

// ReadPieces implements store.PackReader.
func (p *Packs) ReadPieces(ctx context.Context, pieces []store.Piece, each func(i int, data []byte) error) error {
	spans, err := p.spans(ctx, pieces)
	if err != nil {
		return err
	}
	if len(spans) == 1 {
		data, err := p.readSpan(ctx, &spans[0], pieces)
		if err != nil {
			return err
		}
		return hand(&spans[0], pieces, data, each)
	}
	ctx, cancel := context.WithCancel(ctx)
	results := make(chan fetched)
	var fetchers sync.WaitGroup
	defer fetchers.Wait()
	defer cancel()
	p.fetch(ctx, &fetchers, spans, pieces, results)
	for range spans {
		select {
		case r := <-results:
			if r.err != nil {
				return r.err
			}
			if err := hand(r.span, pieces, r.data, each); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// fetched is what came of reading a span.
type fetched struct {
	span *span
	data []byte
	err  error
}

// fetch begins to read spans, some at a time, until ctx ends.
func (p *Packs) fetch(ctx context.Context, fetchers *sync.WaitGroup, spans []span, pieces []store.Piece, results chan<- fetched) {
	var next atomic.Int64
	for range min(atATime, len(spans)) {
		fetchers.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(spans) || ctx.Err() != nil {
					return
				}
				data, err := p.readSpan(ctx, &spans[i], pieces)
				select {
				case results <- fetched{&spans[i], data, err}:
				case <-ctx.Done():
					giveBack(data)
				}
			}
		})
	}
}

// hand passes the pieces of a span on.
func hand(s *span, pieces []store.Piece, data []byte, each func(int, []byte) error) error {
	defer giveBack(data)
	for _, i := range s.pieces {
		if err := each(i, s.of(&pieces[i], data)); err != nil {
			return err
		}
	}
	return nil
}

// of returns the bytes of a piece.
func (s *span) of(piece *store.Piece, data []byte) []byte {
	at := piece.Offset - s.from
	return data[at : at+int64(piece.Ref.Bytes) : at+int64(piece.Ref.Bytes)]
}

// buffers keeps what spans were read into.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

func giveBack(b []byte) {
	if b != nil {
		buffers.Put(&b)
	}
}

func buffer(n int64) []byte {
	b := *buffers.Get().(*[]byte)
	if int64(cap(b)) < n {
		return make([]byte, n)
	}
	return b[:n]
}

// readSpan reads a span and compares the checksum of every piece. Where one differs
// it is read again, from the bucket itself: what went wrong in the cache or on the
// way is not in the object.
func (p *Packs) readSpan(ctx context.Context, s *span, pieces []store.Piece) ([]byte, error) {
	if err := p.take(ctx); err != nil {
		return nil, err
	}
	defer func() { <-p.slots }()
	data := buffer(s.to - s.from)
	name := s.pack.Name + suffix
	var ways []func() error
	direct := func() error { return s.bucket.Read(ctx, name, s.from, data) }
	if p.cached(ctx, s) {
		ways = append(ways, func() error { return p.cache.read(ctx, s.bucket, s.pack, s.from, data) })
	}
	if ways = append(ways, direct); !s.bucket.local {
		ways = append(ways, direct)
	}
	var bad *store.Piece
	for _, read := range ways {
		if err := read(); err != nil {
			giveBack(data)
			return nil, fmt.Errorf("pack %s of %s: %w", s.pack.Name, s.pack.Address, err)
		}
		if bad = s.bad(pieces, data); bad == nil {
			return data, nil
		}
		if p.cached(ctx, s) {
			p.cache.drop(s.pack, s.from, s.to)
		}
	}
	giveBack(data)
	return nil, damaged(bad, errors.New("checksum differs"))
}

// bad returns the first piece that differs from its checksum; nil: none does.
func (s *span) bad(pieces []store.Piece, data []byte) *store.Piece {
	for _, i := range s.pieces {
		if !right(&pieces[i], s.of(&pieces[i], data)) {
			return &pieces[i]
		}
	}
	return nil
}

func right(piece *store.Piece, data []byte) bool { return store.Checksum(data) == piece.Ref.Checksum }

// damaged is the error for a piece, which says where it is.
func damaged(p *store.Piece, err error) error {
	return fmt.Errorf("%v: %w: %w in pack %s of %s, bytes %d to %d", p.Ref, store.ErrDamaged, err, p.Pack.Name, p.Pack.Address, p.Offset, p.Offset+int64(p.Ref.Bytes))
}
