package store_test

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// fake is a store of one market that counts what it is asked.
type fake struct {
	store.Store
	write int64
	asked int
	row   store.MarketRow
}

func (f *fake) Moment(context.Context) (store.Moment, error) {
	return store.Moment{Write: f.write, Watermarks: map[market.Category]market.Instant{market.Crypto: market.Instant(f.write)}}, nil
}

func (f *fake) View(_ context.Context, read func(store.Reader) error) error {
	return read(&fakeReader{f: f})
}

type fakeReader struct {
	store.Reader
	f *fake
}

func (r *fakeReader) Listings(context.Context, store.MarketQuery) ([]store.Listing, error) {
	r.f.asked++
	return []store.Listing{{MarketRow: r.f.row}}, nil
}

func (r *fakeReader) Markets(context.Context, store.MarketQuery) ([]store.MarketRow, error) {
	r.f.asked++
	return []store.MarketRow{r.f.row}, nil
}

func (r *fakeReader) Blocks(context.Context, *store.MarketRow) ([]store.BlockRef, error) {
	r.f.asked++
	return make([]store.BlockRef, 3), nil
}

func (r *fakeReader) Watermarks(context.Context) (map[market.Category]market.Instant, error) {
	return map[market.Category]market.Instant{market.Crypto: market.Instant(r.f.write)}, nil
}

// TestCache asks a store for a market again and again: it is asked once for each
// write, and for a list every time.
func TestCache(t *testing.T) {
	t.Parallel()
	f := &fake{write: 1, row: store.MarketRow{ID: 5}}
	s := store.Cached(f, 1<<20)
	look := func(q store.MarketQuery) (mark market.Instant) {
		require.NoError(t, s.View(t.Context(), func(r store.Reader) error {
			list, err := r.Listings(t.Context(), q)
			if err != nil {
				return err
			}
			require.Len(t, list, 1)
			require.Zero(t, list[0].Watermark)
			list[0].Watermark = 77 // of this caller alone
			rows, err := r.Markets(t.Context(), store.MarketQuery{IDs: []store.ID{5}, Unlisted: true})
			if err != nil {
				return err
			}
			refs, err := r.Blocks(t.Context(), &rows[0])
			if err != nil {
				return err
			}
			require.Len(t, refs, 3)
			marks, err := r.Watermarks(t.Context())
			mark = marks[market.Crypto]
			return err
		}))
		return mark
	}
	one := store.MarketQuery{Name: "a", Page: store.Page{Limit: 1}}
	for range 3 {
		require.EqualValues(t, 1, look(one))
		require.Equal(t, 3, f.asked)
	}
	f.write = 2
	require.EqualValues(t, 2, look(one))
	require.Equal(t, 6, f.asked)
	other := one
	other.Category = market.Sports
	look(other)
	require.Equal(t, 9, f.asked, "another category is another question")
	list := store.MarketQuery{Name: "a", Page: store.Page{Limit: 1, After: &store.Key{}}}
	look(list)
	look(list)
	require.Equal(t, 15, f.asked, "lists are not kept, nor what is read with them")

	require.Equal(t, store.Store(f), store.Cached(f, 0))
	tiny := &fake{write: 1, row: store.MarketRow{ID: 5}}
	s = store.Cached(tiny, 100)
	look(one)
	look(one)
	require.Equal(t, 6, tiny.asked, "what does not fit is not kept")
}

// ReadBlocks hands out blocks of nine bytes, of which each byte is the number of the block.
func (f *fake) ReadBlocks(_ context.Context, refs []store.BlockRef, each func(int, []byte) error) error {
	for i := range refs {
		f.asked++
		data := bytes.Repeat([]byte{byte(refs[i].Sequence)}, 9)
		if err := each(i, data); err != nil {
			return err
		}
		clear(data)
	}
	return nil
}

// TestBlocksAreKept reads blocks again and again: those that somebody keeps are read once, if
// they are as their row has them.
func TestBlocksAreKept(t *testing.T) {
	t.Parallel()
	f := &fake{}
	s := store.Cached(f, 1<<20)
	refs := make([]store.BlockRef, 3)
	for i := range refs {
		refs[i] = store.BlockRef{Token: 7, Sequence: int64(i + 1), Bytes: 9, Checksum: store.Checksum(bytes.Repeat([]byte{byte(i + 1)}, 9))}
	}
	refs[2].Checksum++
	read := func(ctx context.Context, refs []store.BlockRef, asked int) {
		t.Helper()
		got, was := make([]byte, len(refs)), f.asked
		require.NoError(t, s.ReadBlocks(ctx, refs, func(i int, data []byte) error {
			require.Len(t, data, 9)
			got[i] = data[8]
			return nil
		}))
		for i := range refs {
			require.EqualValues(t, refs[i].Sequence, got[i])
		}
		require.Equal(t, asked, f.asked-was)
	}
	keep := store.KeepBlocks(t.Context())
	read(t.Context(), refs, 3)
	read(keep, refs[1:], 2)
	read(keep, refs, 2) // the second is there, and the third is damaged
	read(keep, refs[:2], 0)
	read(t.Context(), refs[:2], 2)
	read(keep, append(refs[:2:2], refs...), 5) // many at once are not looked for
	other := refs[0]
	other.Checksum++
	read(keep, []store.BlockRef{other}, 1)
	require.Error(t, s.ReadBlocks(keep, refs[:1], func(int, []byte) error { return errors.New("enough") }))
}
