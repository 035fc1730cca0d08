package pack

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

const (
	// wantBytes is what a pack is closed at, at the end of a market; MaxBytes the most that
	// one has.
	wantBytes = 64 << 20
	MaxBytes  = 128 << 20
	// lookMarkets is how many markets are looked at together.
	lookMarkets = 100
	// attempts is how often packing begins anew after the archive changed under it.
	attempts = 5
)

// header begins every pack; the blocks follow without anything between them.
const header = "LBPK\x01\x00\x00\x00"

// Options say what Pack does.
type Options struct {
	// To is the folder or bucket that packs go to; empty: where the last ones went.
	To string
	// All also packs what fills no half of Size.
	All bool
	// DryRun changes nothing.
	DryRun bool
	// Size is what a pack is closed at, at the end of a market, in bytes; 0: 64 MiB.
	// Half of it is the least that a pack has.
	Size int64
	// Progress, if not nil, is called with the number of markets looked at and of
	// all.
	Progress func(done, all int64)

	open bool // also what is not closed; only tests set it
}

func (o *Options) least() int64 { return o.size() / 2 }
func (o *Options) size() int64  { return cmp.Or(o.Size, wantBytes) }

// Result is what Pack did, or with DryRun would do.
type Result struct {
	To      string // the depot; empty: there is none, and none was needed
	Markets int    // that have ended and have captures
	Packs   int
	Blocks  int64 // packed
	Bytes   int64 // of these
	Left    int64 // bytes of closed blocks that fill no pack
	Orphans int   // objects that no row names, removed
}

// ErrNowhere: nothing says where packs go.
var ErrNowhere error = market.Errorf(market.CodeInvalid, "say where packs go, with --to: a folder, or s3://BUCKET/PREFIX")

// Pack moves the bytes of closed blocks out of the archive's rows into packs. Closed
// are those of complete sources and of markets that have ended. They are packed in
// order of series, then end of the market, then token and time, so that what is read
// together lies together. An interrupted run may be repeated.
func (p *Packs) Pack(ctx context.Context, s store.Store, o Options) (*Result, error) {
	out := &Result{}
	var err error
	if out.To, err = p.depot(ctx, s, o); err != nil {
		return nil, err
	}
	for try := 1; ; try++ {
		w := &writer{packs: p, store: s, o: o, out: out}
		err = w.run(ctx)
		if !errors.Is(err, store.ErrChanged) || try == attempts {
			break
		}
	}
	if err != nil {
		return out, fmt.Errorf("pack: %w", err)
	}
	if !o.DryRun {
		if err := p.dropEmpty(ctx, s); err != nil {
			return out, fmt.Errorf("remove empty packs: %w", err)
		}
	}
	if out.Orphans, err = p.Sweep(ctx, s, time.Now().Add(-KeepOrphans), o.DryRun); err != nil {
		return out, fmt.Errorf("remove orphaned packs: %w", err)
	}
	if out.Packs > 0 && !o.DryRun {
		err = s.Shrink(ctx)
	}
	return out, err
}

// depot returns the address that packs go to, which is this archive's own from then
// on.
func (p *Packs) depot(ctx context.Context, s store.Store, o Options) (address string, err error) {
	depots, err := store.Look(ctx, s, func(r store.Reader) ([]store.Depot, error) { return r.Depots(ctx) })
	if err != nil {
		return "", err
	}
	if o.To == "" {
		if len(depots) == 0 {
			return "", ErrNowhere
		}
		return depots[len(depots)-1].Address, nil
	}
	if err := Check(o.To); err != nil {
		return "", err
	}
	for _, d := range slices.Backward(depots) {
		if under(d.Address, o.To, p.base) {
			address = d.Address
			break
		}
	}
	if address == "" {
		name := make([]byte, 8)
		_, _ = rand.Read(name) // never fails
		if address, err = within(o.To, hex.EncodeToString(name), p.base); err != nil {
			return "", err
		}
	}
	if n := len(depots); o.DryRun || n > 0 && depots[n-1].Address == address {
		return address, nil
	}
	// Also if it is known: the one used last is the one that is used next.
	return address, s.Update(ctx, func(w store.Writer) error {
		return w.Apply(ctx, &store.Changes{DropDepots: []string{address}, Depots: []store.Depot{{Address: address, At: now()}}})
	})
}

func now() market.Instant { return market.Instant(time.Now().UnixMicro()) }

// writer collects blocks and writes packs of them.
type writer struct {
	packs *Packs
	store store.Store
	o     Options
	out   *Result

	refs  []store.BlockRef
	bytes int64 // of them
}

// run packs what there is to pack.
func (w *writer) run(ctx context.Context) error {
	ids, err := closedMarkets(ctx, w.store, w.o.open)
	if err != nil {
		return err
	}
	w.out.Markets = len(ids)
	done := int64(0)
	for some := range slices.Chunk(ids, lookMarkets) {
		found, err := looseOf(ctx, w.store, some)
		if err != nil {
			return err
		}
		for _, refs := range found {
			if err := w.add(ctx, refs); err != nil {
				return err
			}
		}
		done += int64(len(some))
		if w.o.Progress != nil {
			w.o.Progress(done, int64(len(ids)))
		}
	}
	if w.bytes >= w.o.least() || w.o.All && w.bytes > 0 {
		return w.flush(ctx)
	}
	w.out.Left = w.bytes
	return nil
}

// add adds the blocks of a market, and closes the pack when it is full.
func (w *writer) add(ctx context.Context, refs []store.BlockRef) error {
	for i := range refs {
		n := int64(refs[i].Bytes)
		if w.bytes > 0 && int64(len(header))+w.bytes+n > MaxBytes {
			if err := w.flush(ctx); err != nil {
				return err
			}
		}
		w.refs = append(w.refs, refs[i])
		w.bytes += n
	}
	if w.bytes >= w.o.size() {
		return w.flush(ctx)
	}
	return nil
}

// flush writes what was collected as a pack.
func (w *writer) flush(ctx context.Context) error {
	if !w.o.DryRun {
		if err := w.packs.move(ctx, w.store, w.store, w.out.To, w.refs, nil); err != nil {
			return err
		}
	}
	w.out.Packs++
	w.out.Blocks += int64(len(w.refs))
	w.out.Bytes += w.bytes
	w.refs, w.bytes = w.refs[:0], 0
	return nil
}

// move writes blocks, whose bytes come from from, into a pack of a depot, and makes
// their rows name it. before, if not nil, begins the transaction that does.
func (p *Packs) move(ctx context.Context, s store.Store, from store.BlockReader, address string, refs []store.BlockRef, before func(store.Writer) error) error {
	data, packed, err := assemble(ctx, from, refs)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	row := store.Pack{Address: address, Name: hex.EncodeToString(sum[:]), Bytes: int64(len(data)), Blocks: int64(len(refs)), At: now()}
	row.ID = store.PackID(row.Address, row.Name)
	for i := range packed {
		packed[i].Pack = row.ID
	}
	b, err := p.bucket(address)
	if err != nil {
		return err
	}
	if err := b.Put(ctx, row.Name+suffix, data); err != nil {
		return fmt.Errorf("write pack %s: %w", row.Name, err)
	}
	if err := readBack(ctx, b, &row, sum); err != nil {
		return err
	}
	return s.Update(ctx, func(w store.Writer) error {
		// Sweep removes objects in transactions too: if it is there now, it stays.
		if err := there(ctx, b, &row); err != nil {
			return err
		}
		if before != nil {
			if err := before(w); err != nil {
				return err
			}
		}
		return w.Apply(ctx, &store.Changes{Packs: []store.Pack{row}, Packed: packed})
	})
}

// assemble returns the bytes of a pack of blocks, and their places in it.
func assemble(ctx context.Context, from store.BlockReader, refs []store.BlockRef) ([]byte, []store.PackedRef, error) {
	packed := make([]store.PackedRef, len(refs))
	end := int64(len(header))
	for i := range refs {
		packed[i] = store.PackedRef{BlockRef: refs[i], Place: store.Place{Offset: end}}
		end += int64(refs[i].Bytes)
	}
	data := make([]byte, end)
	copy(data, header)
	err := from.ReadBlocks(ctx, refs, func(i int, block []byte) error {
		if len(block) != refs[i].Bytes || store.Checksum(block) != refs[i].Checksum {
			return fmt.Errorf("%v: %w: checksum differs: 'archive verify' says of what", &refs[i], store.ErrDamaged)
		}
		copy(data[packed[i].Offset:], block)
		return nil
	})
	return data, packed, err
}

// readBack compares an object with what was written.
func readBack(ctx context.Context, b Bucket, row *store.Pack, sum [32]byte) error {
	h := sha256.New()
	part := make([]byte, maxSpan)
	for at := int64(0); at < row.Bytes; at += int64(len(part)) {
		part = part[:min(int64(len(part)), row.Bytes-at)]
		if err := b.Read(ctx, row.Name+suffix, at, part); err != nil {
			return fmt.Errorf("read pack %s back: %w", row.Name, err)
		}
		h.Write(part)
	}
	if [32]byte(h.Sum(nil)) != sum {
		return fmt.Errorf("%w: pack %s of %s is not what was written: nothing was moved into it", store.ErrUnreachable, row.Name, row.Address)
	}
	return nil
}

// there reports whether the whole object is there, by its last byte.
func there(ctx context.Context, b Bucket, row *store.Pack) error {
	return b.Read(ctx, row.Name+suffix, row.Bytes-1, make([]byte, 1))
}

// closedMarkets returns the markets that have ended and may have blocks, in the order
// in which they are packed.
func closedMarkets(ctx context.Context, s store.Store, open bool) ([]store.ID, error) {
	type place struct {
		id, series store.ID
		end        market.Instant
	}
	var all []place
	err := s.View(ctx, func(r store.Reader) error {
		all = all[:0]
		return store.EachMarket(ctx, r, store.MarketQuery{Unlisted: true, Damaged: true}, func(rows []store.MarketRow) error {
			for i := range rows {
				if row := &rows[i]; (open || row.Status != store.Open) && !row.Damaged && row.Stats.Captures > 0 {
					all = append(all, place{row.ID, row.Series, row.Market.End})
				}
			}
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.series, b.series), cmp.Compare(a.end, b.end), cmp.Compare(a.id, b.id))
	})
	return store.Column(all, func(v *place) store.ID { return v.id }), nil
}

// looseOf returns, for each market, its blocks of whole parts that are in no pack, in
// order of token, then time.
func looseOf(ctx context.Context, s store.Store, ids []store.ID) ([][]store.BlockRef, error) {
	out := make([][]store.BlockRef, len(ids))
	err := s.View(ctx, func(r store.Reader) error {
		rows, err := r.Markets(ctx, store.MarketQuery{IDs: ids, Unlisted: true, Damaged: true})
		if err != nil {
			return err
		}
		for i := range rows {
			row := &rows[i]
			refs, err := looseIn(ctx, r, row)
			if err != nil {
				return fmt.Errorf("market %s: %w", row.Market.Slug, err)
			}
			out[slices.Index(ids, row.ID)] = refs
		}
		return nil
	})
	return out, err
}

func looseIn(ctx context.Context, r store.Reader, row *store.MarketRow) ([]store.BlockRef, error) {
	index := row.Index()
	refs, err := r.Loose(ctx, slices.Sorted(maps.Keys(index)))
	if err != nil || len(refs) == 0 {
		return nil, err
	}
	parts, err := r.Parts(ctx, row.Owners)
	if err != nil {
		return nil, err
	}
	type key struct {
		token  store.ID
		source store.SourceID
		stream block.Stream
	}
	whole := map[key]bool{}
	for i := range parts {
		if parts[i].Whole {
			whole[key{parts[i].Token, parts[i].Source, parts[i].Stream}] = true
		}
	}
	refs = slices.DeleteFunc(refs, func(b store.BlockRef) bool { return !whole[key{b.Token, b.Source, b.Stream}] })
	slices.SortStableFunc(refs, func(a, b store.BlockRef) int {
		return cmp.Or(cmp.Compare(index[a.Token], index[b.Token]), cmp.Compare(a.Token, b.Token),
			cmp.Compare(a.First, b.First), cmp.Compare(a.Stream, b.Stream), cmp.Compare(a.Sequence, b.Sequence))
	})
	return refs, nil
}

// Blocks returns packs as a store of blocks: PutBlocks writes a pack of those that
// are not there yet.
func (p *Packs) Blocks(s store.Store, to string) store.BlockStore { return &blocks{p, s, to} }

type blocks struct {
	packs *Packs
	store store.Store
	to    string
}

// PutBlocks implements store.BlockStore.
func (b *blocks) PutBlocks(ctx context.Context, list []store.Block) error {
	address, err := b.packs.depot(ctx, b.store, Options{To: b.to})
	if err != nil {
		return err
	}
	tokens := map[store.ID]bool{}
	for i := range list {
		tokens[list[i].Token] = true
	}
	there := map[store.BlockRef]bool{}
	if err := b.store.View(ctx, func(r store.Reader) error {
		refs, err := r.Refs(ctx, slices.Sorted(maps.Keys(tokens)), market.Earliest, market.Latest)
		for _, ref := range refs {
			there[ref] = true
		}
		return err
	}); err != nil {
		return err
	}
	m := memory{}
	var refs []store.BlockRef
	for i := range list {
		if !there[list[i].BlockRef] {
			there[list[i].BlockRef] = true
			refs, m = append(refs, list[i].BlockRef), append(m, list[i])
		}
	}
	if len(refs) == 0 {
		return nil
	}
	return b.packs.move(ctx, b.store, m, address, refs, func(w store.Writer) error { return w.PutBlocks(ctx, m) })
}

// memory has the bytes of blocks.
type memory []store.Block

// ReadBlocks implements store.BlockReader of the blocks that it has, in their order.
func (m memory) ReadBlocks(_ context.Context, refs []store.BlockRef, each func(int, []byte) error) error {
	for i := range refs {
		if err := each(i, m[i].Data); err != nil {
			return err
		}
	}
	return nil
}

// ReadBlocks implements store.BlockStore.
func (b *blocks) ReadBlocks(ctx context.Context, refs []store.BlockRef, each func(int, []byte) error) error {
	return b.store.ReadBlocks(ctx, refs, each)
}
