package care

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

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
	// Watermark is the newest capture there was when the check began, of the category
	// whose is the oldest; zero: there are no captures.
	Watermark market.Instant
	Markets   int64
	Blocks    int64
	Captures  int64
	Bytes     int64 // of blocks
	Damage    []Damage
	// Unfinished are sources whose import was not finished. They are no damage.
	Unfinished []store.Source
	// Untopped are the rounds of which no tops are kept, though they may have some:
	// backtests of them are slower. They are no damage.
	Untopped int64
	// Waiting are the blocks that no market shows yet, because the import of
	// their source was not finished.
	Waiting int64
}

// Check says what Verify is to look at.
type Check struct {
	// Since leaves out markets that ended, and were last updated, before it, and what is
	// known of all markets together; zero: everything is checked. The watermark of an
	// earlier check, or the time of its newest capture, is one to give.
	Since market.Instant
	// Progress, if not nil, is called after each step with the number of markets done and
	// their total, one call at a time.
	Progress func(done, all int64)
}

// Verify checks everything: the store's own structure, the checksum and
// contents of every block, that no block is missing or superfluous, and that
// each market, event and series is what its sources imply, content hash
// included. Damage is collected, not returned as an error; an unreachable
// archive is an error. With the error of a context that has ended comes what was found
// until then.
//
// As many pages of markets are looked at together as there are processors, each on a
// snapshot of its own: an archive may be written to meanwhile.
func Verify(ctx context.Context, s store.Store, c Check) (*Verification, error) {
	ctx = store.Uncached(ctx)
	v := &verifier{s: s, c: c, sources: map[store.SourceID]store.Source{}}
	err := v.run(ctx)
	out := v.sum()
	if err := gaveUp(ctx, err); err != nil {
		return out, err
	}
	if err != nil {
		out.Damage = append(out.Damage, Damage{Problem: "not everything could be looked at: " + err.Error()})
	}
	return out, nil
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

// verifier looks at an archive in steps, several at once.
type verifier struct {
	s       store.Store
	c       Check
	sources map[store.SourceID]store.Source
	all     int64 // markets
	before  store.Moment

	mu     sync.Mutex
	steps  []*step // in the order of what is told of them
	done   int64   // markets
	tokens []store.ID
	own    store.IDs // events that are as one market that has them for itself gives them
}

// pageRows are so many that their ids, which are hashes, are on pages of the store that others of them are on too.
const pageRows = 2000

// step is a part of the work, done on one snapshot.
type step struct {
	v      *verifier
	out    Verification
	marks  map[market.Category]market.Instant
	tokens []store.ID // keys of blocks that parts name
	own    store.IDs  // events of one market each
}

func (v *step) note(d Damage) { v.out.Damage = append(v.out.Damage, d) }

// step makes the next one.
func (v *verifier) step() *step {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.steps = append(v.steps, &step{v: v})
	return v.steps[len(v.steps)-1]
}

// sum puts together what the steps found.
func (v *verifier) sum() *Verification {
	out := Verification{Watermark: oldest(v.before.Watermarks)}
	for _, one := range v.steps {
		o := &one.out
		out.Markets += o.Markets
		out.Blocks += o.Blocks
		out.Captures += o.Captures
		out.Bytes += o.Bytes
		out.Untopped += o.Untopped
		out.Waiting += o.Waiting
		out.Damage = append(out.Damage, o.Damage...)
		out.Unfinished = append(out.Unfinished, o.Unfinished...)
	}
	return &out
}

// run checks what can be read. An error is something that could not be.
func (v *verifier) run(ctx context.Context) (err error) {
	if v.before, err = v.s.Moment(ctx); err != nil {
		return err
	}
	g, within := errgroup.WithContext(ctx)
	g.SetLimit(max(2, runtime.GOMAXPROCS(0)))
	first := v.step()
	if v.c.Since == 0 {
		g.Go(func() error { return first.structure(within) })
	}
	series, counted := &step{v: v}, &step{v: v} // told of after the others
	err = v.s.View(within, func(r store.Reader) error { return v.pages(within, r, g, series, counted) })
	view := func(one *step, check func(context.Context, store.Reader) error) {
		g.Go(func() error {
			return v.s.View(within, func(r store.Reader) error { return one.begin(within, r, check) })
		})
	}
	events, marks, totals := v.step(), &step{v: v}, &step{v: v}
	view(marks, marks.watermarks)
	if v.c.Since == 0 {
		view(events, func(ctx context.Context, r store.Reader) error { return events.events(ctx, r, false) })
	} else {
		view(totals, totals.totals)
	}
	v.steps = append(v.steps, series, marks, totals, counted)
	if one := g.Wait(); err == nil || errors.Is(err, context.Canceled) && ctx.Err() == nil {
		err = one
	}
	if events.own != v.own && ctx.Err() == nil { // of which, it says
		own := v.s.View(ctx, func(r store.Reader) error { return events.events(ctx, r, true) })
		err = cmp.Or(err, own)
	}
	if err != nil || v.c.Since != 0 {
		return err
	}
	last := v.step()
	return v.s.View(ctx, func(r store.Reader) error { return last.strays(ctx, r) })
}

// oldest returns the oldest of the watermarks that are known; zero: none is.
func oldest(marks map[market.Category]market.Instant) (out market.Instant) {
	for _, at := range marks {
		if at != 0 && (out == 0 || at < out) {
			out = at
		}
	}
	return out
}

// structure runs the store's own checks.
func (v *step) structure(ctx context.Context) error {
	lines, err := v.v.s.Check(ctx)
	if err := gaveUp(ctx, err); err != nil {
		return err
	}
	if err != nil {
		lines = append(lines, err.Error())
	}
	for _, l := range lines {
		v.note(Damage{Problem: "store: " + l})
	}
	return nil
}

// begin runs a check on a snapshot.
func (v *step) begin(ctx context.Context, r store.Reader, check func(context.Context, store.Reader) error) (err error) {
	if v.marks, err = r.Watermarks(ctx); err != nil {
		return err
	}
	return check(ctx, r)
}

// pages hands pages of markets to g to be checked. Where these are all markets, they are
// counted as well, and held against the tallies and the series.
func (v *verifier) pages(ctx context.Context, r store.Reader, g *errgroup.Group, series, counted *step) error {
	list, err := r.Sources(ctx, nil)
	if err != nil {
		return err
	}
	head := v.step()
	for _, s := range list {
		v.sources[s.ID] = s
		if s.Interrupted() {
			head.out.Unfinished = append(head.out.Unfinished, s)
		}
	}
	if v.all, err = r.CountMarkets(ctx); err != nil {
		return err
	}
	each := func(rows []store.MarketRow) error {
		one := v.step()
		g.Go(func() error { return v.look(ctx, one, rows) })
		return ctx.Err()
	}
	if v.c.Since == 0 {
		markets := &derive.Listed{}
		err := counted.tallies(ctx, r, func(rows []store.MarketRow) error {
			for i := range rows {
				markets.Add(rows[i].Series, &rows[i])
			}
			return each(rows)
		})
		if err != nil {
			markets = nil
		}
		return cmp.Or(err, series.series(ctx, r, markets))
	}
	if v.all, err = eachSince(ctx, r, v.c.Since, nil); err != nil {
		return err
	}
	_, err = eachSince(ctx, r, v.c.Since, each)
	return err
}

// eachSince passes the markets that end, or were updated, at an instant or later, and those
// of which no end is known, to each, if it is not nil, and counts them.
func eachSince(ctx context.Context, r store.Reader, since market.Instant, each func([]store.MarketRow) error) (n int64, err error) {
	pass := func(rows []store.MarketRow) error {
		n += int64(len(rows))
		if each == nil || len(rows) == 0 {
			return nil
		}
		return each(rows)
	}
	q := store.MarketQuery{Unlisted: true, Damaged: true, EndFrom: since}
	if err := store.EachMarket(ctx, r, q, pass); err != nil {
		return n, err
	}
	q.EndFrom = 0
	q.Page = store.Page{Limit: store.PageRows}
	for {
		rows, err := r.Markets(ctx, q)
		if err != nil {
			return n, err
		}
		var last store.MarketRow
		full := len(rows) == store.PageRows
		if full {
			last = rows[len(rows)-1]
		}
		rows = slices.DeleteFunc(rows, func(row store.MarketRow) bool { return row.UpdatedAt < since || row.Market.End >= since })
		if err := pass(rows); err != nil || !full || last.UpdatedAt < since {
			return n, err
		}
		key := last.Key(store.ByUpdatedAt)
		q.After = &key
	}
}

// look checks markets. If the archive has been written to since the check began, so that
// the rows may not be those of the snapshot, it does so with the rows as they are by now.
func (v *verifier) look(ctx context.Context, one *step, rows []store.MarketRow) error {
	err := v.s.View(ctx, func(r store.Reader) error {
		return one.begin(ctx, r, func(ctx context.Context, r store.Reader) error { return one.page(ctx, r, rows) })
	})
	if now, changed := v.s.Moment(ctx); changed != nil || now.Write != v.before.Write {
		one.out, one.tokens, one.own = Verification{}, nil, store.IDs{}
		err = v.lookAgain(ctx, one, rows)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.tokens = append(v.tokens, one.tokens...)
	one.tokens = nil
	v.own.N, v.own.Sum = v.own.N+one.own.N, v.own.Sum+one.own.Sum
	v.done += int64(len(rows))
	if v.c.Progress != nil {
		v.c.Progress(v.done, max(v.done, v.all))
	}
	return err
}

// lookAgain checks the markets of these rows, as they are by now.
func (v *verifier) lookAgain(ctx context.Context, one *step, of []store.MarketRow) error {
	ids := store.Column(of, func(v *store.MarketRow) store.ID { return v.ID })
	return v.s.View(ctx, func(r store.Reader) error {
		return one.begin(ctx, r, func(ctx context.Context, r store.Reader) error {
			rows, err := r.Markets(ctx, store.MarketQuery{IDs: ids, Unlisted: true, Damaged: true})
			if err != nil {
				return err
			}
			return one.page(ctx, r, rows)
		})
	})
}

// page checks some markets. What cannot be read of them is noted; an error ends
// the whole.
func (v *step) page(ctx context.Context, r store.Reader, rows []store.MarketRow) error {
	known := pageOf(ctx, r, rows)
	var sound []*store.MarketRow // of the others the sums cannot be right
	read := map[store.ID]*scan.Derived{}
	for i := range rows {
		v.out.Markets++
		before := len(v.out.Damage)
		if rows[i].Damaged {
			v.noteMarket(&rows[i], errors.New("its row differs from its checksum; importing a source that names it again repairs it"))
		}
		parts, err := known.Parts(ctx, rows[i].Owners)
		if err != nil {
			v.noteMarket(&rows[i], err)
		}
		if len(parts) > 0 || err != nil || rows[i].Basis != [32]byte{} {
			v.tokens = append(v.tokens, rows[i].ID) // its tops
		}
		derived := v.derive(ctx, known, &rows[i], parts)
		if err := v.blocks(ctx, r, &rows[i], parts, derived); err != nil {
			return err
		}
		if len(v.out.Damage) == before {
			sound = append(sound, &rows[i])
			v.tops(ctx, known, &rows[i], parts, derived)
			read[rows[i].ID] = derived
		}
	}
	before := len(v.out.Damage)
	if err := v.rows(ctx, known, sound, read); err != nil {
		// Something in common cannot be read: look for whose it is.
		v.out.Damage = v.out.Damage[:before]
		for _, row := range sound {
			if err := v.rows(ctx, known, []*store.MarketRow{row}, read); err != nil {
				v.noteMarket(row, err)
			}
			if err := ctx.Err(); err != nil {
				return err
			}
		}
	}
	if v.v.c.Since == 0 {
		v.ownEvents(ctx, known, rows)
	}
	return ctx.Err()
}

// paged is a reader of what belongs to a page of markets that knows their parts, by owner,
// their tops, and the events that were read; nil: it asks for those of each market.
type paged struct {
	store.Reader
	parts  map[store.ID][]store.Part
	tops   map[store.ID][]store.BlockRef
	events map[store.ID]store.EventRow
}

// pageOf reads parts and tops of markets together. Where something of them cannot be read,
// asking for them one by one tells whose it is.
func pageOf(ctx context.Context, r store.Reader, rows []store.MarketRow) *paged {
	var owners, topped []store.ID
	for i := range rows {
		owners = append(owners, rows[i].Owners...)
		if rows[i].Basis != [32]byte{} {
			topped = append(topped, rows[i].ID)
		}
	}
	out := &paged{Reader: r, events: map[store.ID]store.EventRow{}}
	if parts, err := r.Parts(ctx, owners); err == nil {
		out.parts = map[store.ID][]store.Part{}
		for _, o := range owners {
			out.parts[o] = nil
		}
		for _, p := range parts {
			out.parts[p.Owner] = append(out.parts[p.Owner], p)
		}
	}
	if tops, err := r.Tops(ctx, topped); err == nil {
		out.tops = map[store.ID][]store.BlockRef{}
		for _, t := range tops {
			out.tops[t.Token] = append(out.tops[t.Token], t)
		}
	}
	return out
}

func (p *paged) Parts(ctx context.Context, owners []store.ID) (out []store.Part, err error) {
	for _, o := range owners {
		parts, known := p.parts[o]
		if !known {
			return p.Reader.Parts(ctx, owners)
		}
		out = append(out, parts...)
	}
	return out, nil
}

func (p *paged) Events(ctx context.Context, q store.GroupQuery) ([]store.EventRow, error) {
	rows, err := p.Reader.Events(ctx, q)
	for i := range rows {
		p.events[rows[i].ID] = rows[i]
	}
	return rows, err
}

func (p *paged) Blocks(ctx context.Context, row *store.MarketRow) ([]store.BlockRef, error) {
	return store.BlocksOf(ctx, p, row)
}

func (p *paged) Tops(ctx context.Context, markets []store.ID) (out []store.BlockRef, err error) {
	if p.tops == nil {
		return p.Reader.Tops(ctx, markets)
	}
	for _, m := range markets {
		out = append(out, p.tops[m]...)
	}
	return out, nil
}

func (v *step) noteMarket(row *store.MarketRow, err error) {
	v.note(Damage{Market: row.Market.VenueID, Slug: row.Market.Slug, Problem: err.Error()})
}

// derive reads the captures of a market once, for all that is to be compared with them;
// nil: there are none, or something is wrong, and each part is to be looked at by itself.
func (v *step) derive(ctx context.Context, r store.Reader, row *store.MarketRow, parts []store.Part) *scan.Derived {
	index, blocks := row.Index(), int64(0)
	for i := range parts {
		if visible(index, &parts[i]) {
			blocks += parts[i].Blocks
		}
	}
	if blocks == 0 {
		return nil
	}
	derived, err := scan.Derive(ctx, r, row)
	if err != nil || int64(len(derived.Refs)) != blocks {
		return nil
	}
	return &derived
}

// visible reports whether the captures of a part are among those of the market with that
// index of its tokens.
func visible(index map[store.ID]int, p *store.Part) bool {
	_, ok := index[p.Token]
	return ok && p.Whole
}

// blocks reads every block of the parts of a market, visible or not, but those of visible
// parts that were read already, and are sound. An error is that blocks could not be asked for.
func (v *step) blocks(ctx context.Context, r store.Reader, row *store.MarketRow, parts []store.Part, read *scan.Derived) error {
	index := row.Index()
	for _, p := range parts {
		v.tokens = append(v.tokens, p.Token)
		var refs []store.BlockRef
		var flaws []scan.Flaw
		if read != nil && visible(index, &p) {
			refs, flaws = read.CheckPart(p)
		} else {
			var err error
			if refs, err = scan.PartRefs(ctx, r, p.PartKey); err != nil {
				v.note(v.damage(row, p.PartKey, err))
				continue
			}
			flaws = scan.CheckPart(ctx, r, p, refs)
		}
		if err := scan.Unreachable(flaws); err != nil {
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

// tops compares the tops of a market with what its captures give, as derived; nil: they
// are read, unless it has none.
func (v *step) tops(ctx context.Context, r store.Reader, row *store.MarketRow, parts []store.Part, derived *scan.Derived) {
	if len(parts) == 0 && row.Basis == [32]byte{} {
		return
	}
	var err error
	if derived == nil {
		var now scan.Derived
		now, err = scan.Derive(ctx, r, row)
		derived = &now
	}
	if err == nil {
		err = scan.CheckTops(ctx, r, row, derived.Tops)
		derived.Tops = nil
	}
	switch {
	case err == nil:
	case errors.Is(err, scan.ErrNoTops):
		v.out.Untopped++
	default:
		v.noteMarket(row, fmt.Errorf("%w; `ladderback archive copy` makes them anew in another archive", err))
	}
}

func (v *step) damage(row *store.MarketRow, k store.PartKey, err error) Damage {
	d := Damage{
		Market: row.Market.VenueID, Slug: row.Market.Slug, Stream: k.Stream,
		Source: v.v.sources[k.Source], Problem: err.Error(),
	}
	for i, keys := range row.Keys {
		if slices.Contains(keys, k.Token) {
			d.Token = row.Market.Tokens[i].VenueID
		}
	}
	return d
}

// strays finds blocks of tokens that no part names.
func (v *step) strays(ctx context.Context, r store.Reader) error {
	known := v.v.tokens
	slices.Sort(known)
	known = slices.Compact(known)
	after := store.ID(-1)
	var unknown []store.ID
	for {
		page, err := r.BlockTokens(ctx, after, store.PageRows)
		if err != nil {
			return err
		}
		for _, t := range page {
			if _, ok := slices.BinarySearch(known, t); !ok {
				unknown = append(unknown, t)
			}
		}
		if len(page) < store.PageRows {
			break
		}
		after = page[len(page)-1]
	}
	if len(unknown) == 0 {
		return nil
	}
	now, err := v.v.s.Moment(ctx)
	if err != nil {
		return err
	}
	if now.Write != v.v.before.Write { // they may be of markets that came meanwhile
		if unknown, err = withoutPart(ctx, r, unknown); err != nil {
			return err
		}
	}
	if n := len(unknown); n > 0 {
		v.note(Damage{Problem: fmt.Sprintf("blocks of %d tokens belong to no market", n)})
	}
	return nil
}

// withoutPart returns those of the keys of blocks that no part names, nor are ids of
// markets.
func withoutPart(ctx context.Context, r store.Reader, keys []store.ID) ([]store.ID, error) {
	rows, err := r.Markets(ctx, store.MarketQuery{IDs: keys, Unlisted: true, Damaged: true})
	if err != nil {
		return nil, err
	}
	named := map[store.ID]bool{}
	for i := range rows {
		named[rows[i].ID] = true
	}
	for after := (store.PartKey{Owner: -1}); ; {
		page, err := r.PartsAfter(ctx, after, partPage)
		if err != nil {
			return nil, err
		}
		for _, p := range page {
			named[p.Token] = true
		}
		if len(page) < partPage {
			return slices.DeleteFunc(keys, func(k store.ID) bool { return named[k] }), nil
		}
		after = page[len(page)-1].PartKey
	}
}

// retop derives the tops of rounds.
var retop = derive.Tops{Make: scan.DeriveTops, Sound: scan.SoundTops}

// resum reads the captures of a market anew.
func resum(ctx context.Context, r store.Reader, row *store.MarketRow, _ []derive.Placed) (store.Stats, error) {
	return scan.Summarise(ctx, r, row)
}
