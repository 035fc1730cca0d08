package archive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ladderback/ladderback/archive/history"
	"github.com/ladderback/ladderback/archive/scan"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// Union reads several archives as one. Each serves one category and nothing
// else: a request for one category goes to its archive alone, whether or not
// the others can be reached; any other request needs all of them, and its error
// names the archive that failed. It is safe for concurrent use.
type Union struct {
	members []Member
}

// Member is an archive of a Union.
type Member struct {
	Category market.Category
	Archive  *Archive
}

// NewUnion returns the union of archives of different categories and takes
// ownership of them.
func NewUnion(members ...Member) (*Union, error) {
	seen := map[market.Category]bool{}
	for _, m := range members {
		if !m.Category.Valid() || seen[m.Category] {
			return nil, fmt.Errorf("archive %s: category %q: expected a distinct category", m.Archive.Address(), m.Category)
		}
		seen[m.Category] = true
	}
	return &Union{slices.Clone(members)}, nil
}

// pinned returns the archives that serve the category; empty: all.
func (u *Union) pinned(c market.Category) []Member {
	if c == "" {
		return u.members
	}
	for i, m := range u.members {
		if m.Category == c {
			return u.members[i : i+1]
		}
	}
	return nil
}

// fail names the archive that failed: its category in the message, its address,
// which not everybody should see, in the cause. The code of err is kept.
func (m *Member) fail(err error) error {
	e := &market.Error{
		Code: market.CodeOf(err), Message: "archive of " + string(m.Category),
		Cause: fmt.Errorf("%s: %w", m.Archive.Address(), err),
	}
	if e.Code == market.CodeUnavailable || errors.Is(err, context.DeadlineExceeded) {
		e.Code, e.Message = market.CodeUnavailable, "the "+e.Message+" is not available at the moment"
	}
	return e
}

// gather asks each member for its rows and returns all of them; nil if one fails.
func gather[R any](members []Member, ask func(*Member) ([]R, error)) (out []R, err error) {
	for i := range members {
		rows, err := ask(&members[i])
		if err != nil {
			return nil, members[i].fail(err)
		}
		out = append(out, rows...)
	}
	return out, nil
}

// merge asks each member for its rows and returns all of them in page order, up
// to the page's limit.
func merge[R any](members []Member, p store.Page, ask func(*Member) ([]R, error), id func(*R) store.ID, key func(*R) store.Key) ([]R, error) {
	out, err := gather(members, ask)
	if err != nil || len(members) == 1 {
		return out, err
	}
	slices.SortStableFunc(out, func(a, b R) int {
		return p.Compare(key(&a), key(&b))
	})
	seen := map[store.ID]bool{}
	out = slices.DeleteFunc(out, func(r R) bool {
		was := seen[id(&r)]
		seen[id(&r)] = true
		return was
	})
	if p.Limit > 0 && len(out) > p.Limit {
		out = out[:p.Limit]
	}
	return out, nil
}

// Markets returns the markets that q selects, in the order q asks for.
func (u *Union) Markets(ctx context.Context, q store.MarketQuery) ([]store.Listing, error) {
	return merge(u.pinned(q.Category), q.Page, func(m *Member) ([]store.Listing, error) {
		own := q
		own.Category = m.Category
		return m.Archive.Markets(ctx, own)
	}, func(r *store.Listing) store.ID { return r.ID }, func(r *store.Listing) store.Key { return r.Key(q.Sort) })
}

// Events returns the events that q selects, in the order q asks for.
func (u *Union) Events(ctx context.Context, q store.GroupQuery) ([]store.EventRow, error) {
	return merge(u.pinned(q.Category), q.Page, func(m *Member) ([]store.EventRow, error) {
		return m.Archive.Events(ctx, m.groups(q))
	}, func(r *store.EventRow) store.ID { return r.ID }, func(r *store.EventRow) store.Key { return r.Key(q.Sort) })
}

// Series returns the series that q selects, ordered by UpdatedAt.
func (u *Union) Series(ctx context.Context, q store.GroupQuery) ([]store.SeriesRow, error) {
	return merge(u.pinned(q.Category), q.Page, func(m *Member) ([]store.SeriesRow, error) {
		return m.Archive.Series(ctx, m.groups(q))
	}, func(r *store.SeriesRow) store.ID { return r.ID }, (*store.SeriesRow).Key)
}

// groups narrows a list to the member's category. Ids in a query come from rows
// already returned.
func (m *Member) groups(q store.GroupQuery) store.GroupQuery {
	if q.IDs == nil {
		q.Category = m.Category
	}
	return q
}

// Market finds a market as Archive.Market does. If several archives have it,
// the most recently updated row is returned. A scoped id that names a category
// restricts the search to it.
func (u *Union) Market(ctx context.Context, name string, c market.Category) (*store.Listing, error) {
	if scope, _, ok := strings.Cut(name, ":market:"); ok && c == "" && market.Category(scope).Valid() {
		c = market.Category(scope)
	}
	row, _, err := u.find(c, func(m *Member) (*store.Listing, int, error) {
		row, err := m.Archive.Market(ctx, name, m.Category)
		return row, 0, err
	})
	if err == nil && row == nil {
		err = fmt.Errorf("market %s: %w", name, store.ErrNotFound)
	}
	return row, err
}

// Token finds a token as Archive.Token does.
func (u *Union) Token(ctx context.Context, id string, c market.Category) (*store.Listing, int, error) {
	row, at, err := u.find(c, func(m *Member) (*store.Listing, int, error) { return m.Archive.Token(ctx, id, m.Category) })
	if err == nil && row == nil {
		err = fmt.Errorf("token %s: %w", id, store.ErrNotFound)
	}
	return row, at, err
}

// find returns the most recently updated row that the members find, or nil.
func (u *Union) find(c market.Category, ask func(*Member) (*store.Listing, int, error)) (found *store.Listing, at int, err error) {
	members := u.pinned(c)
	for i := range members {
		row, k, err := ask(&members[i])
		switch {
		case errors.Is(err, store.ErrNotFound):
		case err != nil:
			return nil, 0, members[i].fail(err)
		case found == nil || row.UpdatedAt > found.UpdatedAt:
			found, at = row, k
		}
	}
	return found, at, nil
}

// Tags returns the tags of everything in a category (empty: in any), sorted and
// without duplicates.
func (u *Union) Tags(ctx context.Context, c market.Category) ([]string, error) {
	out, err := gather(u.pinned(c), func(m *Member) ([]string, error) { return m.Archive.Tags(ctx, m.Category) })
	slices.Sort(out)
	return slices.Compact(out), err
}

// Days counts the markets of a category (empty: of each) by the UTC day of their
// start.
func (u *Union) Days(ctx context.Context, c market.Category) ([]store.Day, error) {
	out, err := gather(u.pinned(c), func(m *Member) ([]store.Day, error) { return m.Archive.Days(ctx, m.Category) })
	slices.SortFunc(out, func(a, b store.Day) int {
		return cmp.Or(cmp.Compare(a.Category, b.Category), cmp.Compare(a.Day, b.Day))
	})
	return out, err
}

// memberPatience is how long Watermarks waits for one archive of several.
const memberPatience = 2 * time.Second

// Watermarks returns the time of the newest capture of the category (empty: of
// each category); categories without captures are left out. Several archives
// are asked concurrently, each for at most two seconds; a category whose
// archive does not answer is left out, unless none answers.
func (u *Union) Watermarks(ctx context.Context, c market.Category) (map[market.Category]market.Instant, error) {
	members := u.pinned(c)
	marks, failed := make([]market.Instant, len(members)), make([]error, len(members))
	var wg sync.WaitGroup
	for i := range members {
		wg.Go(func() {
			m := &members[i]
			ctx := ctx
			if len(members) > 1 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, memberPatience)
				defer cancel()
			}
			all, err := m.Archive.Watermarks(ctx, m.Category)
			if err != nil {
				failed[i] = m.fail(err)
			}
			marks[i] = all[m.Category]
		})
	}
	wg.Wait()
	out := map[market.Category]market.Instant{}
	answered := len(members) == 0
	for i := range members {
		answered = answered || failed[i] == nil
		if marks[i] != 0 {
			out[members[i].Category] = marks[i]
		}
	}
	if err := ctx.Err(); !answered || err != nil {
		return nil, errors.Join(append(failed, err)...)
	}
	return out, nil
}

// ofCrypto returns what the archive of the category crypto gives; zero if there is none.
func ofCrypto[T any](u *Union, ask func(*Archive) (T, error)) (out T, err error) {
	for _, m := range u.pinned(market.Crypto) {
		if out, err = ask(m.Archive); err != nil {
			return *new(T), m.fail(err)
		}
	}
	return out, nil
}

// Rounds returns every up/down round that passes the filter, as Archive.Rounds
// does. Rounds belong to the category crypto, so only its archive is asked.
func (u *Union) Rounds(ctx context.Context, f market.RoundFilter) ([]market.Round, error) {
	rounds, err := ofCrypto(u, func(a *Archive) ([]market.Round, error) { return a.Rounds(ctx, f) })
	return slices.DeleteFunc(rounds, func(r market.Round) bool { return r.Market.Category != market.Crypto }), err
}

// Written is Archive.Written of the archive that Rounds and Sample ask.
func (u *Union) Written(ctx context.Context) (int64, error) {
	return ofCrypto(u, func(a *Archive) (int64, error) { return a.Written(ctx) })
}

// Sample draws from the rounds that Rounds gives, as Archive.Sample does.
func (u *Union) Sample(ctx context.Context, d market.RoundDraw) ([]market.Round, market.RoundCount, error) {
	members := u.pinned(market.Crypto)
	if len(members) == 0 {
		return nil, market.RoundCount{}, nil
	}
	rounds, n, err := members[0].Archive.sample(ctx, d, market.Crypto)
	if err != nil {
		return nil, n, members[0].fail(err)
	}
	return rounds, n, nil
}

// Holdings returns what there is among the rounds that Rounds gives, as Archive.Holdings
// does.
func (u *Union) Holdings(ctx context.Context) ([]market.Holding, error) {
	return ofCrypto(u, func(a *Archive) ([]market.Holding, error) { return a.holdings(ctx, market.Crypto) })
}

// Captures yields the captures of one market as Archive.Captures does.
func (u *Union) Captures(ctx context.Context, m *market.Market) iter.Seq2[*market.Capture, error] {
	if a := u.of(m); a != nil {
		return a.Captures(ctx, m)
	}
	return nowhere(m)
}

// Planned is Archive.Planned over all archives.
func (u *Union) Planned(markets []*market.Market) func(context.Context, *market.Market) iter.Seq2[*market.Capture, error] {
	of := map[*Archive]func(context.Context, *market.Market) iter.Seq2[*market.Capture, error]{}
	for _, member := range u.members {
		var own []*market.Market
		for _, m := range markets {
			if u.of(m) == member.Archive {
				own = append(own, m)
			}
		}
		of[member.Archive] = member.Archive.Planned(own)
	}
	return func(ctx context.Context, m *market.Market) iter.Seq2[*market.Capture, error] {
		if a := u.of(m); a != nil {
			return of[a](ctx, m)
		}
		return nowhere(m)
	}
}

// Tops is Archive.Tops. Rounds belong to the category crypto, so only its
// archive is asked.
func (u *Union) Tops(markets []*market.Market) func(context.Context, *market.Market) (*market.Tops, error) {
	if members := u.pinned(market.Crypto); len(members) > 0 {
		return members[0].Archive.Tops(markets)
	}
	return func(context.Context, *market.Market) (*market.Tops, error) { return nil, nil }
}

// CapturesFrom yields the captures of one market as Archive.CapturesFrom does.
func (u *Union) CapturesFrom(ctx context.Context, row *store.Listing, from, to market.Instant, use scan.Use) iter.Seq2[*market.Capture, error] {
	if a := u.of(&row.Market); a != nil {
		return a.CapturesFrom(ctx, row, from, to, use)
	}
	return nowhere(&row.Market)
}

// Prices hands the prices of one market to emit as Archive.Prices does.
func (u *Union) Prices(ctx context.Context, row *store.Listing, q history.Request, until market.Instant, emit func(t market.Instant, p []int64) bool) error {
	if a := u.of(&row.Market); a != nil {
		return a.Prices(ctx, row, q, until, emit)
	}
	return history.Prices(q, nowhere(&row.Market), emit)
}

// Books hands the books of one market to emit as Archive.Books does.
func (u *Union) Books(ctx context.Context, row *store.Listing, q history.Request, until market.Instant, emit func(t market.Instant, books []history.Ladder) bool) error {
	if a := u.of(&row.Market); a != nil {
		return a.Books(ctx, row, q, until, emit)
	}
	return history.Books(q, nowhere(&row.Market), emit)
}

// Remember lets the archives cache what they read as Archive.Remember does, up
// to that many bytes in total.
func (u *Union) Remember(bytes int) {
	for _, m := range u.members {
		m.Archive.Remember(bytes / len(u.members))
	}
}

// StoreOf returns the store that has the market; nil: none has.
func (u *Union) StoreOf(m *market.Market) store.Store {
	if a := u.of(m); a != nil {
		return a.store
	}
	return nil
}

// of returns the archive that serves the market, or nil.
func (u *Union) of(m *market.Market) *Archive {
	for _, member := range u.members {
		if member.Category == m.Category {
			return member.Archive
		}
	}
	return nil
}

func nowhere(m *market.Market) iter.Seq2[*market.Capture, error] {
	return func(yield func(*market.Capture, error) bool) {
		yield(nil, fmt.Errorf("captures of %s: no archive for category %q: %w", m.VenueID, m.Category, store.ErrNotFound))
	}
}

// Address returns where the archives are, for messages.
func (u *Union) Address() string {
	var out []string
	for _, m := range u.members {
		out = append(out, string(m.Category)+"="+m.Archive.Address())
	}
	return strings.Join(out, " ")
}

// Close closes the archives.
func (u *Union) Close() error {
	var errs []error
	for _, m := range u.members {
		errs = append(errs, m.Archive.Close())
	}
	return errors.Join(errs...)
}

// Connections returns the state of each member's connections.
func (u *Union) Connections() map[market.Category]store.Connections {
	out := map[market.Category]store.Connections{}
	for _, m := range u.members {
		if c, ok := m.Archive.Connections()[""]; ok {
			out[m.Category] = c
		}
	}
	return out
}
