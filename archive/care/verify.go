package care

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/archive/derive"
	"github.com/ladderback/ladderback/archive/scan"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

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
	Source  store.Source
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
		out += fmt.Sprintf("; importing %s again (its SHA-256 begins with %x) repairs it", d.Source.Name, d.Source.SHA256[:6])
	}
	return out
}

// of says which block it is about, which the problem need not say again.
func (d *Damage) of(ref *store.BlockRef) {
	d.First, d.Last = ref.First, ref.Last
	if _, rest, ok := strings.Cut(d.Problem, ref.String()+": "); ok {
		d.Problem = strings.TrimPrefix(rest, store.ErrDamaged.Error()+": ")
	}
}

// Verification is what Verify found.
type Verification struct {
	Markets  int64
	Blocks   int64
	Captures int64
	Bytes    int64 // of blocks
	Damage   []Damage
	// Unfinished are sources whose import was not finished. They are no damage.
	Unfinished []store.Source
	// Untopped are the rounds of which no tops are kept, though they may have some:
	// backtests of them are slower. They are no damage.
	Untopped int64
	// Waiting are the blocks that no market shows yet, because the import of
	// their source was not finished.
	Waiting int64
}

// Verify checks everything: the store's own structure, the checksum and
// contents of every block, that no block is missing or superfluous, and that
// each market, event and series is what its sources imply, content hash
// included. Damage is collected, not returned as an error; an unreachable
// archive is an error. progress, if not nil, is called after each step with the
// number of markets done and their total.
func Verify(ctx context.Context, s store.Store, progress func(done, all int64)) (*Verification, error) {
	ctx = store.Uncached(ctx)
	v := &verifier{out: &Verification{}, sources: map[store.SourceID]store.Source{}, progress: progress}
	lines, err := s.Check(ctx)
	if err := gaveUp(ctx, err); err != nil {
		return nil, err
	}
	if err != nil {
		lines = append(lines, err.Error())
	}
	for _, l := range lines {
		v.out.Damage = append(v.out.Damage, Damage{Problem: "store: " + l})
	}
	if err := s.View(ctx, func(r store.Reader) error { return v.run(ctx, r) }); err != nil {
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
	if errors.Is(err, store.ErrUnreachable) || errors.Is(err, store.ErrLocked) {
		return fmt.Errorf("verify: %w", err)
	}
	return nil
}

type verifier struct {
	out      *Verification
	sources  map[store.SourceID]store.Source
	tokens   map[store.ID]bool // keys of blocks that parts name
	progress func(done, all int64)
	marks    map[market.Category]market.Instant
}

func (v *verifier) note(d Damage) { v.out.Damage = append(v.out.Damage, d) }

// run checks what can be read. An error is something that could not be.
func (v *verifier) run(ctx context.Context, r store.Reader) error {
	list, err := r.Sources(ctx, nil)
	if err != nil {
		return err
	}
	for _, s := range list {
		v.sources[s.ID] = s
		if s.Interrupted() {
			v.out.Unfinished = append(v.out.Unfinished, s)
		}
	}
	v.tokens = map[store.ID]bool{}
	if v.marks, err = r.Watermarks(ctx); err != nil {
		return err
	}
	all, err := r.CountMarkets(ctx)
	if err != nil {
		return err
	}
	err = store.EachMarket(ctx, r, store.MarketQuery{Unlisted: true, Damaged: true}, func(rows []store.MarketRow) error {
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
	for _, check := range []func(context.Context, store.Reader) error{v.events, v.series, v.watermarks, v.tallies, v.strays} {
		if err := check(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// page checks some markets. What cannot be read of them is noted; an error ends
// the whole.
func (v *verifier) page(ctx context.Context, r store.Reader, rows []store.MarketRow) error {
	var owners []store.ID
	for i := range rows {
		owners = append(owners, rows[i].Owners...)
	}
	byOwner := map[store.ID][]store.Part{}
	list, partsErr := r.Parts(ctx, owners)
	for _, p := range list {
		byOwner[p.Owner] = append(byOwner[p.Owner], p)
	}
	var sound []*store.MarketRow // of the others the sums cannot be right
	for i := range rows {
		v.out.Markets++
		v.tokens[rows[i].ID] = true // its tops
		before := len(v.out.Damage)
		if rows[i].Damaged {
			v.noteMarket(&rows[i], errors.New("its row differs from its checksum; importing a source that names it again repairs it"))
		}
		var parts []store.Part
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
		if err := v.blocks(ctx, r, &rows[i], parts); err != nil {
			return err
		}
		if len(v.out.Damage) == before {
			sound = append(sound, &rows[i])
			v.tops(ctx, r, &rows[i])
		}
	}
	before := len(v.out.Damage)
	if err := v.rows(ctx, r, sound); err != nil {
		// Something in common cannot be read: look for whose it is.
		v.out.Damage = v.out.Damage[:before]
		for _, row := range sound {
			if err := v.rows(ctx, r, []*store.MarketRow{row}); err != nil {
				v.noteMarket(row, err)
			}
			if err := ctx.Err(); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

func (v *verifier) noteMarket(row *store.MarketRow, err error) {
	v.note(Damage{Market: row.Market.VenueID, Slug: row.Market.Slug, Problem: err.Error()})
}

// blocks reads every block of the parts of a market, visible or not. An error is that
// blocks could not be asked for.
func (v *verifier) blocks(ctx context.Context, r store.Reader, row *store.MarketRow, parts []store.Part) error {
	for _, p := range parts {
		v.tokens[p.Token] = true
		refs, err := scan.PartRefs(ctx, r, p.PartKey)
		if err != nil {
			v.note(v.damage(row, p.PartKey, err))
			continue
		}
		flaws := scan.CheckPart(ctx, r, p, refs)
		if err := scan.Away(flaws); err != nil {
			return err
		}
		for _, d := range flaws {
			damage := v.damage(row, p.PartKey, d.Err)
			if d.Ref != nil {
				damage.of(d.Ref)
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
	return ctx.Err()
}

// tops compares the tops of a market with what its captures give.
func (v *verifier) tops(ctx context.Context, r store.Reader, row *store.MarketRow) {
	switch err := scan.CheckTops(ctx, r, row); {
	case err == nil:
	case errors.Is(err, scan.ErrNoTops):
		v.out.Untopped++
	default:
		v.noteMarket(row, fmt.Errorf("%w; `ladderback archive copy` makes them anew in another archive", err))
	}
}

func (v *verifier) damage(row *store.MarketRow, k store.PartKey, err error) Damage {
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

// strays finds blocks of tokens that no part names.
func (v *verifier) strays(ctx context.Context, r store.Reader) error {
	after, n := store.ID(-1), 0
	for {
		page, err := r.BlockTokens(ctx, after, store.PageRows)
		if err != nil {
			return err
		}
		for _, t := range page {
			if !v.tokens[t] {
				n++
			}
		}
		if len(page) < store.PageRows {
			break
		}
		after = page[len(page)-1]
	}
	if n > 0 {
		v.note(Damage{Problem: fmt.Sprintf("blocks of %d tokens belong to no market", n)})
	}
	return nil
}

// retop derives the tops of rounds.
var retop = derive.Tops{Make: scan.DeriveTops, Sound: scan.SoundTops}

// resum reads the captures of a market anew.
func resum(ctx context.Context, r store.Reader, row *store.MarketRow, _ []derive.Placed) (store.Stats, error) {
	return scan.Summarise(ctx, r, row)
}
