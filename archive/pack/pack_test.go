package pack_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/care"
	"github.com/ladderback/ladderback/archive/pack"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/archivetest"
	"github.com/ladderback/ladderback/internal/archivetest/contract"
	"github.com/ladderback/ladderback/internal/pgtest"
	"github.com/ladderback/ladderback/market"
)

// TestPackAndUndo: whatever is in packs, the archive answers the same, is sound, and
// says where its blocks are; all of it can be taken back.
func TestPackAndUndo(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, h *home) {
		s, files := h.fill(t, 3, 300, 3)
		want := archivetest.Dump(t, h.Archive)
		loose, packed := h.count(t)
		require.Greater(t, loose, 40)
		require.Zero(t, packed)
		all := loose

		dry, err := h.packs.Pack(t.Context(), h.store, pack.Options{To: h.to, All: true, Size: 2000, DryRun: true})
		require.NoError(t, err)
		require.Positive(t, dry.Packs)
		require.Empty(t, h.objects(t), "a dry run writes nothing")

		// Without All what fills no pack stays; a second run finds nothing.
		r, err := h.packs.Pack(t.Context(), h.store, pack.Options{To: h.to})
		require.NoError(t, err)
		require.Zero(t, r.Packs)
		require.Positive(t, r.Left)
		r, err = h.packs.Pack(t.Context(), h.store, pack.Options{To: h.to, All: true, Size: 2000})
		require.NoError(t, err)
		require.Equal(t, dry.Packs, r.Packs)
		require.Equal(t, dry.Blocks, r.Blocks)
		require.Greater(t, r.Packs, 1)
		loose, packed = h.count(t)
		require.Equal(t, int(r.Blocks), packed)
		require.Equal(t, all, loose+packed)
		again, err := h.packs.Pack(t.Context(), h.store, pack.Options{All: true})
		require.NoError(t, err)
		require.Zero(t, again.Packs)
		require.Equal(t, r.To, again.To, "packs go where the last ones went")
		require.Len(t, h.objects(t)[r.To], r.Packs)
		require.Equal(t, want, archivetest.Dump(t, h.Archive))
		h.sound(t)

		info, err := h.Info(t.Context())
		require.NoError(t, err)
		require.Len(t, info.Packs, 1)
		require.Equal(t, care.PackTotal{Address: r.To, Packs: r.Packs, Bytes: info.Packs[0].Bytes, Blocks: r.Blocks, UsedBytes: r.Bytes}, info.Packs[0])
		require.GreaterOrEqual(t, info.Packs[0].Bytes, r.Bytes)

		// What is imported once more is there already; what is new comes beside it.
		for i := range files {
			require.NoError(t, archivetest.Put(t.Context(), h, s, &files[i]))
		}
		other := archivetest.NewScenario(4, 60)
		f := other.Whole()
		require.NoError(t, archivetest.Put(t.Context(), h, other, &f))
		more, packedNow := h.count(t)
		require.Equal(t, packed, packedNow)
		require.Greater(t, more, loose)
		h.sound(t)
		want = archivetest.Dump(t, h.Archive)

		// A copy has all of it in rows.
		c := archivetest.NewFile(t)
		copied, err := care.Copy(t.Context(), h.store, c.Store(), nil)
		require.NoError(t, err)
		require.Empty(t, copied.Damage)
		require.Empty(t, copied.Differing)
		require.Equal(t, want, archivetest.Dump(t, c))

		undone, err := h.packs.Undo(t.Context(), h.store, true, nil)
		require.NoError(t, err)
		require.Equal(t, r.Blocks, undone.Blocks)
		undone, err = h.packs.Undo(t.Context(), h.store, false, nil)
		require.NoError(t, err)
		require.Equal(t, pack.Undone{Packs: r.Packs, Blocks: r.Blocks, Bytes: r.Bytes}, *undone)
		loose, packed = h.count(t)
		require.Zero(t, packed)
		require.Equal(t, more+int(r.Blocks), loose)
		require.Empty(t, h.objects(t), "with the packs their objects go")
		require.Equal(t, want, archivetest.Dump(t, h.Archive))
		h.sound(t)
	})
}

// TestRemoval: what is removed goes from packs too, and a pack of which nothing is
// left goes altogether.
func TestRemoval(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, h *home) {
		_, files := h.fill(t, 5, 200, 2)
		_, err := h.packs.Everything(t.Context(), h.store, h.to, 1<<20)
		require.NoError(t, err)
		loose, packed := h.count(t)
		require.Zero(t, loose)
		rows, err := h.Markets(t.Context(), store.MarketQuery{})
		require.NoError(t, err)
		gone, err := h.Remove(t.Context(), care.Selection{Markets: []store.ID{rows[0].ID}})
		require.NoError(t, err)
		require.Empty(t, gone.Emptied)
		_, left := h.count(t)
		require.EqualValues(t, int64(packed)-gone.Blocks, left)
		h.sound(t)

		var all []store.SourceID
		for i := range files {
			all = append(all, files[i].Source().SourceID())
		}
		gone, err = h.Remove(t.Context(), care.Selection{Sources: all})
		require.NoError(t, err)
		require.Len(t, gone.Emptied, 1)
		require.NoError(t, h.packs.Discard(t.Context(), h.store, gone.Emptied))
		require.Empty(t, h.objects(t))
		h.sound(t)
	})
}

// TestOrphans: an object that no row names goes when a day has passed, and not
// before.
func TestOrphans(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, h *home) {
		h.fill(t, 6, 100, 1)
		r, err := h.packs.Everything(t.Context(), h.store, h.to, 1<<20)
		require.NoError(t, err)
		b, err := h.packs.BucketAt(r.To)
		require.NoError(t, err)
		name := strings.Repeat("ab", 32) + ".pack"
		require.NoError(t, b.Put(t.Context(), name, []byte("left behind")))
		n, err := h.packs.Sweep(t.Context(), h.store, time.Now().Add(-pack.KeepOrphans), false)
		require.NoError(t, err)
		require.Zero(t, n)
		later := time.Now().Add(pack.KeepOrphans + time.Hour).Add(-pack.KeepOrphans)
		n, err = h.packs.Sweep(t.Context(), h.store, later, true)
		require.NoError(t, err)
		require.Equal(t, 1, n)
		require.Len(t, h.objects(t)[r.To], 2)
		n, err = h.packs.Sweep(t.Context(), h.store, later, false)
		require.NoError(t, err)
		require.Equal(t, 1, n)
		require.Len(t, h.objects(t)[r.To], 1)
		h.sound(t)
	})
}

// TestFlippedBit: a bit that is flipped anywhere in a pack is found, whatever is
// cached, and said of which market and which range it is; importing the source again
// mends it.
func TestFlippedBit(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, h *home) {
		s, files := h.fill(t, 7, 200, 1)
		r, err := h.packs.Everything(t.Context(), h.store, h.to, 1<<20)
		require.NoError(t, err)
		h.sound(t)
		want := archivetest.Dump(t, h.Archive)
		b, err := h.packs.BucketAt(r.To)
		require.NoError(t, err)
		name := h.objects(t)[r.To][0]
		var packs []store.PackUse
		var refs []store.PackedRef
		require.NoError(t, h.store.View(t.Context(), func(rd store.Reader) error {
			if packs, err = rd.Packs(t.Context()); err != nil {
				return err
			}
			refs, err = rd.PackRefs(t.Context(), packs[0].ID, -1, 1000)
			return err
		}))
		data := make([]byte, packs[0].Bytes)
		require.NoError(t, b.Read(t.Context(), name, 0, data))
		rnd := rand.New(rand.NewPCG(7, 7))
		hit := refs[rnd.IntN(len(refs))]
		at := hit.Offset + rnd.Int64N(int64(hit.Bytes))
		data[at] ^= 1 << rnd.IntN(8)
		require.NoError(t, b.Put(t.Context(), name, data))

		v, err := h.Verify(t.Context(), nil)
		require.NoError(t, err)
		require.NotEmpty(t, v.Damage)
		d := v.Damage[0]
		require.NotEmpty(t, d.Market)
		require.Equal(t, hit.First, d.First)
		require.Equal(t, hit.Last, d.Last)
		require.Contains(t, d.String(), fmt.Sprintf("bytes %d to %d", hit.Offset, hit.Offset+int64(hit.Bytes)))
		require.Contains(t, d.String(), packs[0].Name)
		require.Contains(t, d.String(), "importing")

		// Undone, all but that block comes back; the pack stays.
		undone, err := h.packs.Undo(t.Context(), h.store, false, nil)
		require.NoError(t, err)
		require.Len(t, undone.Left, 1)
		require.ErrorIs(t, undone.Left[0], store.ErrDamaged)
		require.EqualValues(t, r.Blocks-1, undone.Blocks)

		for i := range files {
			require.NoError(t, archivetest.Put(t.Context(), h, s, &files[i]))
		}
		h.sound(t)
		require.Equal(t, want, archivetest.Dump(t, h.Archive))
	})
}

// TestMissing: a pack that is gone is damage, named; a folder that is gone is an
// archive that does not answer.
func TestMissing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	h := open(t, filepath.Join(dir, "archive.db"), filepath.Join(dir, "packs"), plain)
	h.fill(t, 8, 100, 1)
	r, err := h.packs.Everything(t.Context(), h.store, h.to, 1<<20)
	require.NoError(t, err)
	require.False(t, filepath.IsAbs(r.To), "packs beside the archive are named from there: %s", r.To)
	folder := filepath.Join(dir, r.To)
	require.NoError(t, os.Rename(folder, folder+".away"))
	_, err = h.Verify(t.Context(), nil)
	require.ErrorIs(t, err, store.ErrUnreachable)
	require.ErrorContains(t, err, folder)
	require.NoError(t, os.Mkdir(folder, 0o755))
	v, err := h.Verify(t.Context(), nil)
	require.NoError(t, err)
	require.NotEmpty(t, v.Damage)
	require.Contains(t, v.Damage[0].String(), "missing")
	require.NoError(t, os.Remove(folder))
	require.NoError(t, os.Rename(folder+".away", folder))
	h.sound(t)

	// Moved together, archive and packs are found.
	require.NoError(t, h.Close())
	moved := t.TempDir()
	require.NoError(t, os.Rename(dir, filepath.Join(moved, "elsewhere")))
	open(t, filepath.Join(moved, "elsewhere", "archive.db"), "", plain).sound(t)
	require.NoError(t, os.Mkdir(dir, 0o755))
}

// TestReadersMeanwhile: while blocks move into packs and back, again and again, those
// who read find every one of them, in snapshots too.
func TestReadersMeanwhile(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, h *home) {
		h.fill(t, 9, 150, 2)
		want := archivetest.Dump(t, h.Archive)
		ctx, stop := context.WithCancel(t.Context())
		moved := make(chan error, 1)
		go func() {
			moved <- func() error {
				for range 6 {
					if _, err := h.packs.Everything(t.Context(), h.store, h.to, 1500); err != nil {
						return err
					}
					if _, err := h.packs.Undo(t.Context(), h.store, false, nil); err != nil {
						return err
					}
				}
				return nil
			}()
			stop()
		}()
		n := 0
		for ; ctx.Err() == nil || n == 0; n++ {
			require.Equal(t, want, archivetest.Dump(t, h.Archive))
			require.NoError(t, h.store.View(t.Context(), func(r store.Reader) error {
				tokens, err := r.BlockTokens(t.Context(), -1, 1000)
				if err != nil {
					return err
				}
				refs, err := r.Refs(t.Context(), tokens, market.Earliest, market.Latest)
				if err != nil {
					return err
				}
				got := 0
				err = r.ReadBlocks(t.Context(), refs, func(i int, data []byte) error {
					got++
					require.Equal(t, refs[i].Checksum, store.Checksum(data))
					return nil
				})
				require.Equal(t, len(refs), got)
				return err
			}))
		}
		require.NoError(t, <-moved)
		t.Logf("read %d times", n)
		h.sound(t)
	})
}

// TestBlockStores: the rows of both stores and packs keep blocks alike: putting is
// idempotent, reading takes any number in any order, and says what is missing.
func TestBlockStores(t *testing.T) {
	t.Parallel()
	from := open(t, filepath.Join(t.TempDir(), "from.db"), "", plain)
	from.fill(t, 10, 120, 1)
	var blocks []store.Block
	require.NoError(t, from.store.View(t.Context(), func(r store.Reader) error {
		tokens, err := r.BlockTokens(t.Context(), -1, 1000)
		if err != nil {
			return err
		}
		refs, err := r.Loose(t.Context(), tokens)
		if err != nil {
			return err
		}
		return r.ReadBlocks(t.Context(), refs, func(i int, data []byte) error {
			blocks = append(blocks, store.Block{BlockRef: refs[i], Data: append([]byte(nil), data...)})
			return nil
		})
	}))
	require.Greater(t, len(blocks), 20)
	each(t, func(t *testing.T, h *home) {
		suite := func(t *testing.T, with func(func(store.BlockStore) error) error) {
			half := blocks[:len(blocks)/2]
			for _, list := range [][]store.Block{half, blocks, half} {
				require.NoError(t, with(func(b store.BlockStore) error { return b.PutBlocks(t.Context(), list) }))
			}
			refs := make([]store.BlockRef, len(blocks))
			order := rand.New(rand.NewPCG(1, 1)).Perm(len(blocks))
			for i, k := range order {
				refs[i] = blocks[k].BlockRef
			}
			require.NoError(t, with(func(b store.BlockStore) error {
				seen := make([]bool, len(refs))
				err := b.ReadBlocks(t.Context(), refs, func(i int, data []byte) error {
					require.False(t, seen[i])
					seen[i] = true
					require.Equal(t, blocks[order[i]].Data, data)
					return nil
				})
				require.NotContains(t, seen, false)
				return err
			}))
			mine := errors.New("mine")
			require.ErrorIs(t, with(func(b store.BlockStore) error {
				return b.ReadBlocks(t.Context(), refs, func(int, []byte) error { return mine })
			}), mine)
			absent := blocks[0].BlockRef
			absent.Sequence++
			err := with(func(b store.BlockStore) error {
				return b.ReadBlocks(t.Context(), append(refs[:3:3], absent), func(int, []byte) error { return nil })
			})
			require.ErrorIs(t, err, store.ErrDamaged)
			require.ErrorContains(t, err, absent.String())
		}
		t.Run("rows", func(t *testing.T) {
			other := open(t, filepath.Join(t.TempDir(), "rows.db"), "", plain)
			suite(t, func(f func(store.BlockStore) error) error {
				return other.store.Update(t.Context(), func(w store.Writer) error { return f(w) })
			})
		})
		t.Run("rows of PostgreSQL", func(t *testing.T) {
			other := open(t, pgtest.Database(t), "", plain)
			suite(t, func(f func(store.BlockStore) error) error {
				return other.store.Update(t.Context(), func(w store.Writer) error { return f(w) })
			})
		})
		t.Run("packs", func(t *testing.T) {
			suite(t, func(f func(store.BlockStore) error) error { return f(h.packs.Blocks(h.store, h.to)) })
			loose, packed := h.count(t)
			require.Zero(t, loose)
			require.Equal(t, len(blocks), packed)
		})
	})
}

func init() { contract.Most = 2 } // archive/sqlite takes all

// TestSuite runs the suite of stores over an archive that packs what it has before it
// is read.
func TestSuite(t *testing.T) {
	t.Parallel()
	contract.Run(t, func(t testing.TB) store.Store {
		dir, err := os.MkdirTemp(shm(), "ladderback-packs-*")
		require.NoError(t, err)
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		h := open(t, filepath.Join(dir, "archive.db"), filepath.Join(dir, "packs"), plain)
		return &packing{Store: h.store, h: h}
	})
}

// shm is a folder in memory, where there is one.
func shm() string {
	if exists("/dev/shm") {
		return "/dev/shm"
	}
	return ""
}

// packing packs everything before it is read.
type packing struct {
	store.Store
	h     *home
	dirty atomic.Bool // since it was packed
}

func (p *packing) Update(ctx context.Context, write func(store.Writer) error) error {
	defer p.dirty.Store(true)
	return p.Store.Update(ctx, write)
}

func (p *packing) View(ctx context.Context, read func(store.Reader) error) error {
	p.pack(ctx)
	return p.Store.View(ctx, read)
}

func (p *packing) ReadBlocks(ctx context.Context, refs []store.BlockRef, each func(int, []byte) error) error {
	p.pack(ctx)
	return p.Store.ReadBlocks(ctx, refs, each)
}

// pack packs everything. What cannot be packed, since the test has damaged or closed
// it, stays as it is.
func (p *packing) pack(ctx context.Context) {
	if p.dirty.Swap(false) {
		_, _ = p.h.packs.Everything(context.WithoutCancel(ctx), p.Store, p.h.to, 100_000)
	}
}
