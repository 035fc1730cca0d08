package archive_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/sqlite"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/archivetest"
	"github.com/ladderback/ladderback/market"
)

// down is a store that can be cut off.
type down struct {
	store.Store
	cut bool
}

func (d *down) View(ctx context.Context, read func(store.Reader) error) error {
	if d.cut {
		return fmt.Errorf("%s: %w", d.Address(), store.ErrUnreachable)
	}
	return d.Store.View(ctx, read)
}

func (d *down) Moment(ctx context.Context) (store.Moment, error) {
	if d.cut {
		return store.Moment{}, fmt.Errorf("%s: %w", d.Address(), store.ErrUnreachable)
	}
	return d.Store.Moment(ctx)
}

// member makes an archive with n markets of each category.
func member(t *testing.T, name string, n int) (*archivetest.Archive, *down) {
	t.Helper()
	s, _, err := sqlite.Create(t.Context(), filepath.Join(t.TempDir(), name+".db"))
	require.NoError(t, err)
	d := &down{Store: s}
	a := archivetest.New(d)
	f := archivetest.File{Name: name, Authority: store.FromExchange}
	for i := range n {
		c := []market.Category{market.Crypto, market.Sports}[i%2]
		f.Claims = append(f.Claims, market.Market{
			Venue: market.Polymarket, VenueID: fmt.Sprintf("0x%s%02d", name, i), Slug: fmt.Sprintf("%s-%d", name, i),
			Category: c, Tags: []string{name, string(c)}, EventID: fmt.Sprint("e", name, i%3),
			Tokens:    []market.Token{{VenueID: fmt.Sprint(name, "yes", i), Label: "Yes"}, {VenueID: fmt.Sprint(name, "no", i), Label: "No"}},
			UpdatedAt: archivetest.Start + market.Instant(i*7%5)*market.Hour, // ties within and across archives
		})
	}
	f.Claims = append(f.Claims, market.Market{Venue: market.Polymarket, VenueID: "0xboth", Category: market.Category(name), UpdatedAt: archivetest.Start + market.Hour*market.Instant(len(name))})
	require.NoError(t, archivetest.Put(t.Context(), a, &archivetest.Scenario{}, &f))
	return a, d
}

func union(t *testing.T) (u *archive.Union, crypto, sports *archivetest.Archive, cut [2]*down) {
	t.Helper()
	crypto, cut[0] = member(t, "crypto", 20)
	sports, cut[1] = member(t, "sports", 24)
	u, err := archive.NewUnion(archive.Member{Category: market.Crypto, Archive: crypto.Archive}, archive.Member{Category: market.Sports, Archive: sports.Archive})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, u.Close()) })
	return u, crypto, sports, cut
}

// TestUnionPages joins the pages of every limit and order into the same list:
// what each archive has of its category, and nothing twice.
func TestUnionPages(t *testing.T) {
	t.Parallel()
	u, crypto, sports, _ := union(t)
	want := map[store.ID]market.Category{}
	for c, a := range map[market.Category]*archivetest.Archive{market.Crypto: crypto, market.Sports: sports} {
		rows, err := a.Markets(t.Context(), store.MarketQuery{Category: c})
		require.NoError(t, err)
		for i := range rows {
			want[rows[i].ID] = c
		}
	}
	for _, ascending := range []bool{false, true} {
		q := store.MarketQuery{Page: store.Page{Ascending: ascending}}
		whole, err := u.Markets(t.Context(), q)
		require.NoError(t, err)
		require.Len(t, whole, len(want))
		for i := range whole {
			require.Contains(t, want, whole[i].ID)
			if i > 0 && ascending {
				require.LessOrEqual(t, whole[i-1].UpdatedAt, whole[i].UpdatedAt)
			} else if i > 0 {
				require.GreaterOrEqual(t, whole[i-1].UpdatedAt, whole[i].UpdatedAt)
			}
		}
		for limit := 1; limit < 9; limit++ {
			var got []store.Listing
			q.Limit, q.After = limit, nil
			for {
				page, err := u.Markets(t.Context(), q)
				require.NoError(t, err)
				got = append(got, page...)
				if len(page) < limit {
					break
				}
				key := page[len(page)-1].Key(q.Sort)
				q.After = &key
			}
			require.Equal(t, whole, got, "limit %d", limit)
		}
	}
	events, err := u.Events(t.Context(), store.GroupQuery{Page: store.Page{Limit: 3}})
	require.NoError(t, err)
	require.LessOrEqual(t, len(events), 3)
	tags, err := u.Tags(t.Context(), "")
	require.NoError(t, err)
	require.Equal(t, []string{"crypto", "sports"}, tags)
}

// TestUnionLookups finds markets and tokens by name, in the archive of their
// category.
func TestUnionLookups(t *testing.T) {
	t.Parallel()
	u, _, _, _ := union(t)
	for name, c := range map[string]market.Category{
		"crypto-2": market.Crypto, "sports-1": market.Sports,
		"sports:market:sports-1": market.Sports, "crypto:market:0xcrypto02": market.Crypto,
	} {
		row, err := u.Market(t.Context(), name, "")
		require.NoError(t, err, name)
		require.Equal(t, c, row.Market.Category)
	}
	for _, name := range []string{"crypto-1", "sports-2", "sports:market:crypto-2", "nope"} {
		_, err := u.Market(t.Context(), name, "")
		require.ErrorIs(t, err, store.ErrNotFound, name)
	}
	_, err := u.Market(t.Context(), "crypto-2", market.Sports)
	require.ErrorIs(t, err, store.ErrNotFound)
	row, at, err := u.Token(t.Context(), "sportsno1", "")
	require.NoError(t, err)
	require.Equal(t, "sports-1", row.Market.Slug)
	require.Equal(t, 1, at)
	for _, err := range u.Captures(t.Context(), &row.Market) {
		require.NoError(t, err)
	}
}

// TestUnionWithOneDown: the others answer for their category, what needs all
// says which one is down.
func TestUnionWithOneDown(t *testing.T) {
	t.Parallel()
	u, _, sports, cut := union(t)
	cut[1].cut = true
	rows, err := u.Markets(t.Context(), store.MarketQuery{Category: market.Crypto})
	require.NoError(t, err)
	require.NotEmpty(t, rows)
	_, err = u.Market(t.Context(), "crypto-2", market.Crypto)
	require.NoError(t, err)
	_, err = u.Market(t.Context(), "crypto:market:0xcrypto02", "")
	require.NoError(t, err)
	_, err = u.Rounds(t.Context(), market.RoundFilter{})
	require.NoError(t, err)
	_, err = u.Watermarks(t.Context(), "")
	require.NoError(t, err)
	_, err = u.Tags(t.Context(), market.Crypto)
	require.NoError(t, err)

	for name, ask := range map[string]func() error{
		"markets": func() error { _, err := u.Markets(t.Context(), store.MarketQuery{}); return err },
		"pinned": func() error {
			_, err := u.Markets(t.Context(), store.MarketQuery{Category: market.Sports})
			return err
		},
		"events":   func() error { _, err := u.Events(t.Context(), store.GroupQuery{}); return err },
		"series":   func() error { _, err := u.Series(t.Context(), store.GroupQuery{}); return err },
		"market":   func() error { _, err := u.Market(t.Context(), "crypto-2", ""); return err },
		"token":    func() error { _, _, err := u.Token(t.Context(), "cryptono2", ""); return err },
		"all tags": func() error { _, err := u.Tags(t.Context(), ""); return err },
	} {
		err := ask()
		require.ErrorIs(t, err, store.ErrUnreachable, name)
		require.ErrorContains(t, err, "archive of sports is not available at the moment: ", name)
		require.ErrorContains(t, err, sports.Address(), name)
		require.NotErrorIs(t, err, store.ErrNotFound)
	}
	cut[0].cut = true
	_, err = u.Watermarks(t.Context(), "")
	require.ErrorIs(t, err, store.ErrUnreachable)
	_, err = u.Rounds(t.Context(), market.RoundFilter{})
	require.ErrorIs(t, err, store.ErrUnreachable)
}

func TestUnionNeedsCategories(t *testing.T) {
	t.Parallel()
	a, _ := member(t, "crypto", 1)
	defer a.Close()
	_, err := archive.NewUnion(archive.Member{Category: "moon", Archive: a.Archive})
	require.Error(t, err)
	_, err = archive.NewUnion(archive.Member{Category: market.Crypto, Archive: a.Archive}, archive.Member{Category: market.Crypto, Archive: a.Archive})
	require.Error(t, err)
}
