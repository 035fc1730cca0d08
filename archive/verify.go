package archive

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/market"
)

// pageRows is how many markets are looked at at a time by what goes over all of
// them.
const pageRows = 500

// Damage is one thing that is wrong in an archive.
type Damage struct {
	// Market is the public id of the market; empty when it is not known which.
	Market string
	Slug   string
	Token  string       // public id of the token; empty when it is not about one, or when not known
	Stream block.Stream // zero when it is not about blocks
	// First and Last are the span of the block; zero when it is not about one.
	First, Last market.Instant
	// Source is the source that gave it. Importing its file again mends it. Zero
	// ID: not about one source.
	Source  Source
	Problem string
}

// String says it in one line.
func (d Damage) String() string {
	out := d.Problem
	if d.Stream != 0 {
		what := d.Stream.String()
		if d.Token != "" {
			what += " of token " + d.Token
		}
		if d.First != 0 {
			what += fmt.Sprintf(", %v to %v", d.First, d.Last)
		}
		out = what + ": " + d.Problem
	}
	if d.Market != "" {
		out = fmt.Sprintf("market %s (%s): %s", d.Slug, d.Market, out)
	}
	if d.Source.ID != 0 {
		out += fmt.Sprintf("; importing %s again (its SHA-256 begins with %x) mends it", d.Source.Name, d.Source.SHA256[:6])
	}
	return out
}

// of says which block it is about, which the problem need not say again.
func (d *Damage) of(ref *BlockRef) {
	d.First, d.Last = ref.First, ref.Last
	if _, rest, ok := strings.Cut(d.Problem, ref.String()+": "); ok {
		d.Problem = strings.TrimPrefix(rest, ErrDamaged.Error()+": ")
	}
}

// Verification is what Verify found.
type Verification struct {
	Markets  int64
	Blocks   int64
	Captures int64
	Bytes    int64 // of blocks
	Damage   []Damage
	// Unfinished are sources whose import was not finished, or of which markets
	// were removed. They are no damage.
	Unfinished []Source
	// Waiting are the blocks that no market shows yet, because the import of
	// their source was not finished.
	Waiting int64
}

// Verify checks everything: the store's own structure, the checksum and the
// content of every block, that no block is missing or too many, and that each
// market, event and series is what the sources make it, its content hash
// included. Damage is collected, not returned as an error; an archive that cannot
// be reached is an error. progress is called
// after each step with the markets done and their number; nil: not.
func (a *Archive) Verify(ctx context.Context, progress func(done, all int64)) (*Verification, error) {
	v := &verifier{a: a, out: &Verification{}, sources: map[SourceID]Source{}, progress: progress}
	lines, err := a.store.Check(ctx)
	if err := gaveUp(ctx, err); err != nil {
		return nil, err
	}
	if err != nil {
		lines = append(lines, err.Error())
	}
	for _, l := range lines {
		v.out.Damage = append(v.out.Damage, Damage{Problem: "store: " + l})
	}
	if err := a.store.View(ctx, func(r Reader) error { return v.run(ctx, r) }); err != nil {
		if err := gaveUp(ctx, err); err != nil {
			return nil, err
		}
		v.note(Damage{Problem: "not everything could be looked at: " + err.Error()})
	}
	return v.out, nil
}

// gaveUp returns the error that ended a check without saying anything of the
// archive: the caller wanted no more, or the archive could not be asked.
func gaveUp(ctx context.Context, err error) error {
	if e := ctx.Err(); e != nil {
		return e
	}
	if errors.Is(err, ErrUnreachable) || errors.Is(err, ErrLocked) {
		return fmt.Errorf("verify: %w", err)
	}
	return nil
}

type verifier struct {
	a        *Archive
	out      *Verification
	sources  map[SourceID]Source
	tokens   map[ID]bool // keys of blocks that parts name
	progress func(done, all int64)
	marks    map[market.Category]market.Instant
}

func (v *verifier) note(d Damage) { v.out.Damage = append(v.out.Damage, d) }

// run checks what can be read. An error is something that could not be.
func (v *verifier) run(ctx context.Context, r Reader) error {
	list, err := r.Sources(ctx, nil)
	if err != nil {
		return err
	}
	for _, s := range list {
		v.sources[s.ID] = s
		if !s.Complete {
			v.out.Unfinished = append(v.out.Unfinished, s)
		}
	}
	v.tokens = map[ID]bool{}
	if v.marks, err = r.Watermarks(ctx); err != nil {
		return err
	}
	all, err := r.CountMarkets(ctx)
	if err != nil {
		return err
	}
	err = eachMarket(ctx, r, MarketQuery{Unlisted: true}, func(rows []MarketRow) error {
		if err := v.page(ctx, r, rows); err != nil {
			return err
		}
		if v.progress != nil {
			v.progress(v.out.Markets, all)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, check := range []func(context.Context, Reader) error{v.events, v.series, v.watermarks, v.strays} {
		if err := check(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// eachMarket hands the markets that q selects to f, some at a time.
func eachMarket(ctx context.Context, r Reader, q MarketQuery, f func([]MarketRow) error) error {
	q.Page = Page{Sort: ByEnd, Limit: pageRows}
	for {
		rows, err := r.Markets(ctx, q)
		if err != nil {
			return err
		}
		if len(rows) > 0 {
			key := rows[len(rows)-1].Key(ByEnd)
			q.After = &key
			if err := f(rows); err != nil {
				return err
			}
		}
		if len(rows) < pageRows {
			return ctx.Err()
		}
	}
}

// page checks some markets. What cannot be read of them is noted; an error ends
// the whole.
func (v *verifier) page(ctx context.Context, r Reader, rows []MarketRow) error {
	var owners []ID
	for i := range rows {
		owners = append(owners, rows[i].Owners...)
	}
	byOwner := map[ID][]Part{}
	list, partsErr := r.Parts(ctx, owners)
	for _, p := range list {
		byOwner[p.Owner] = append(byOwner[p.Owner], p)
	}
	var sound []*MarketRow // of the others the sums cannot be right
	for i := range rows {
		v.out.Markets++
		before := len(v.out.Damage)
		var parts []Part
		err := partsErr
		for _, o := range rows[i].Owners {
			parts = append(parts, byOwner[o]...)
		}
		if err != nil { // whose parts is it that cannot be read?
			parts, err = r.Parts(ctx, rows[i].Owners)
		}
		if err != nil {
			v.noteMarket(&rows[i], err)
		}
		v.blocks(ctx, r, &rows[i], parts)
		if err := ctx.Err(); err != nil {
			return err
		}
		if len(v.out.Damage) == before {
			sound = append(sound, &rows[i])
		}
	}
	before := len(v.out.Damage)
	if err := v.rows(ctx, r, sound); err != nil {
		// Something in common cannot be read: look for whose it is.
		v.out.Damage = v.out.Damage[:before]
		for _, row := range sound {
			if err := v.rows(ctx, r, []*MarketRow{row}); err != nil {
				v.noteMarket(row, err)
			}
			if err := ctx.Err(); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

func (v *verifier) noteMarket(row *MarketRow, err error) {
	v.note(Damage{Market: row.Market.VenueID, Slug: row.Market.Slug, Problem: err.Error()})
}

// blocks reads every block of the parts of a market, visible or not.
func (v *verifier) blocks(ctx context.Context, r Reader, row *MarketRow, parts []Part) {
	for _, p := range parts {
		v.tokens[p.Token] = true
		refs, err := partRefs(ctx, r, p.PartKey)
		if err != nil {
			v.note(v.damage(row, p.PartKey, err))
			continue
		}
		for _, d := range checkPart(ctx, r, p, refs) {
			damage := v.damage(row, p.PartKey, d.err)
			if d.ref != nil {
				damage.of(d.ref)
			}
			v.note(damage)
		}
		for _, ref := range refs {
			v.out.Blocks++
			v.out.Bytes += int64(ref.Bytes)
			v.out.Captures += int64(ref.Captures)
		}
		if !p.Whole {
			v.out.Waiting += int64(len(refs))
		}
	}
}

func (v *verifier) damage(row *MarketRow, k PartKey, err error) Damage {
	d := Damage{
		Market: row.Market.VenueID, Slug: row.Market.Slug, Stream: k.Stream,
		Source: v.sources[k.Source], Problem: err.Error(),
	}
	for i, keys := range row.Keys {
		if slices.Contains(keys, k.Token) {
			d.Token = row.Market.Tokens[i].VenueID
		}
	}
	return d
}

// partRefs returns the blocks of one part, in order of position.
func partRefs(ctx context.Context, r Reader, k PartKey) ([]BlockRef, error) {
	all, err := r.Refs(ctx, []ID{k.Token}, market.Earliest, market.Latest)
	if err != nil {
		return nil, err
	}
	own := slices.DeleteFunc(all, func(b BlockRef) bool { return b.Source != k.Source || b.Stream != k.Stream })
	slices.SortFunc(own, func(a, b BlockRef) int {
		if a.Position < b.Position {
			return -1
		}
		return 1
	})
	return own, nil
}

// flaw is something wrong with a part, or with a block of it.
type flaw struct {
	ref *BlockRef
	err error
}

// checkPart reads the blocks of a part and returns all that is wrong with it.
func checkPart(ctx context.Context, blocks BlockReader, p Part, refs []BlockRef) []flaw {
	var out []flaw
	var d block.Decoder
	var sum Part
	next := int64(0)
	for i := range refs {
		ref := &refs[i]
		if lane := ref.Position &^ 0xffffffff; ref.Position != next && ref.Position != lane {
			out = append(out, flaw{ref, errors.New("a block before it is missing")})
		}
		next = ref.Position + 1
		if ref.Sequence != sequence(ref.Source, ref.Token, ref.Stream, ref.Position) {
			out = append(out, flaw{ref, errors.New("key differs from what it is made of")})
		}
		err := blocks.ReadBlocks(ctx, refs[i:i+1], func(_ int, data []byte) error {
			if err := decode(&d, ref, data); err != nil {
				return err
			}
			kinds, traded := Kinds(0), int64(0)
			for c := d.Next(); c != nil; c = d.Next() {
				kinds |= kindsOf(c)
				traded = addTraded(traded, c)
			}
			if kinds != ref.Kinds || traded != ref.Traded {
				return damaged(ref, errors.New("kinds of its captures, or what they traded, differ from its row"))
			}
			return nil
		})
		if err != nil {
			out = append(out, flaw{ref, err})
		}
		sum.Blocks++
		sum.Captures += int64(ref.Captures)
		sum.Changes += int64(ref.Changes)
		sum.Bytes += int64(ref.Bytes)
	}
	if p.Blocks != sum.Blocks || p.Captures != sum.Captures || p.Changes != sum.Changes || p.Bytes != sum.Bytes {
		out = append(out, flaw{nil, fmt.Errorf("%d blocks with %d captures: expected %d with %d", sum.Blocks, sum.Captures, p.Blocks, p.Captures)})
	}
	return out
}

// strays finds blocks of tokens that no part names.
func (v *verifier) strays(ctx context.Context, r Reader) error {
	after, n := ID(-1), 0
	for {
		page, err := r.BlockTokens(ctx, after, pageRows)
		if err != nil {
			return err
		}
		for _, t := range page {
			if !v.tokens[t] {
				n++
			}
		}
		if len(page) < pageRows {
			break
		}
		after = page[len(page)-1]
	}
	if n > 0 {
		v.note(Damage{Problem: fmt.Sprintf("blocks of %d tokens belong to no market", n)})
	}
	return nil
}

// readOnlyWriter lets what derives rows run without writing them.
type readOnlyWriter struct{ Reader }

// Apply is never called.
func (readOnlyWriter) Apply(context.Context, *Changes) error { return ErrReadOnly }

// sound reports whether every block of a source is there and readable. With a
// version that is not zero it does not ask whether all are there, but whether
// those that are can stay when the source is imported again: they are readable
// and of that version of the format.
func (a *Archive) sound(ctx context.Context, id SourceID, version uint8) (bool, error) {
	sound := true
	err := a.store.View(ctx, func(r Reader) error {
		keys, err := claimsOf(ctx, r, id, func(k ClaimKey) bool { return k.Kind == MarketClaim })
		if err != nil {
			return err
		}
		for at := 0; at < len(keys) && sound; at += pageRows {
			var owners []ID
			for _, k := range keys[at:min(at+pageRows, len(keys))] {
				owners = append(owners, k.Owner)
			}
			parts, err := r.Parts(ctx, owners)
			if err != nil {
				return err
			}
			for _, p := range parts {
				if p.Source != id {
					continue
				}
				refs, err := partRefs(ctx, r, p.PartKey)
				flaws := checkPart(ctx, r, p, refs)
				if version != 0 {
					flaws = slices.DeleteFunc(flaws, func(f flaw) bool { return !errors.Is(f.err, ErrDamaged) })
				}
				other := func(ref BlockRef) bool { return version != 0 && ref.Version != version }
				if err != nil || slices.ContainsFunc(refs, other) || len(flaws) > 0 {
					sound = false
					break
				}
			}
		}
		return ctx.Err()
	})
	if errors.Is(err, ErrDamaged) {
		return false, nil
	}
	return sound, err
}
