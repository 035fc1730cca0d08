package pack_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/archive/pack"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/pgtest"
	"github.com/ladderback/ladderback/market"
)

// BenchmarkReadBack reads 64 MB of blocks of 32 KB, in order as a backtest over
// everything does and in scattered windows of four blocks, from rows and from packs in
// one run:
//
//	LADDERBACK_TEST_POSTGRES=… go test ./archive/pack -run '^$' -bench ReadBack -benchtime 5x
func BenchmarkReadBack(b *testing.B) {
	blocks := benchBlocks()
	refs := make([]store.BlockRef, len(blocks))
	for i := range blocks {
		refs[i] = blocks[i].BlockRef
	}
	for _, db := range []string{"file", "PostgreSQL"} {
		for _, in := range []string{"rows", "folder", "bucket", "bucket 30 ms away", "bucket 30 ms away, cache empty", "bucket, cached"} {
			b.Run(db+", "+in, func(b *testing.B) {
				s, first := benchStore(b, db, in, blocks)
				for _, together := range []int{16, 512} {
					b.Run(fmt.Sprintf("in order, %d blocks at a time", together), func(b *testing.B) {
						benchRead(b, s, first, slices.Collect(slices.Chunk(refs, together)))
					})
				}
				b.Run("scattered windows of 4", func(b *testing.B) {
					windows := slices.Collect(slices.Chunk(refs, 4))
					rand.New(rand.NewPCG(1, 1)).Shuffle(len(windows), func(i, j int) { windows[i], windows[j] = windows[j], windows[i] })
					benchRead(b, s, first, windows[:100])
				})
			})
		}
	}
}

func benchBlocks() []store.Block {
	out := make([]store.Block, 2048)
	rnd := rand.NewChaCha8([32]byte{9})
	for i := range out {
		data := make([]byte, 32<<10)
		_, _ = rnd.Read(data)
		out[i] = store.Block{BlockRef: store.BlockRef{
			Token: store.ID(i / 16), Stream: block.Books, First: market.Instant(i), Last: market.Instant(i + 1), Source: 1, Bytes: len(data), Checksum: store.Checksum(data),
		}, Data: data}
	}
	return out
}

// benchStore returns an archive that has the blocks where it is told to, and what is
// done before they are read.
func benchStore(b *testing.B, db, in string, blocks []store.Block) (s store.Store, first func()) {
	dir := b.TempDir()
	addr, to := filepath.Join(dir, "archive.db"), filepath.Join(dir, "packs")
	if db == "PostgreSQL" {
		addr = pgtest.Database(b)
	}
	config := keys
	first = func() {}
	switch in {
	case "bucket", "bucket, cached":
		to = realServer(b)
		if in == "bucket, cached" {
			config.Cache, config.CacheBytes = filepath.Join(dir, "cache"), 1<<30
		}
	case "bucket 30 ms away", "bucket 30 ms away, cache empty":
		if in != "bucket 30 ms away" {
			config.Cache, config.CacheBytes = filepath.Join(dir, "cache"), 1<<30
			first = func() { require.NoError(b, os.RemoveAll(config.Cache)) }
		}
		s := newServer(b)
		s.spoiled(func(_ int, w http.ResponseWriter, r *http.Request) http.ResponseWriter {
			if r.Method == http.MethodGet {
				time.Sleep(30 * time.Millisecond)
			}
			return w
		})
		to = s.address
	}
	h := open(b, addr, to, func() (pack.Config, error) { return config, nil })
	if in == "rows" {
		for some := range slices.Chunk(blocks, 256) {
			require.NoError(b, h.store.Update(b.Context(), func(w store.Writer) error { return w.PutBlocks(b.Context(), some) }))
		}
		return h.store, first
	}
	require.NoError(b, h.packs.Blocks(h.store, to).PutBlocks(b.Context(), blocks))
	return h.store, first
}

func benchRead(b *testing.B, s store.Store, first func(), groups [][]store.BlockRef) {
	n := 0
	for _, g := range groups {
		n += len(g)
	}
	b.SetBytes(int64(n) * 32 << 10)
	read := func() {
		first()
		for _, g := range groups {
			require.NoError(b, s.ReadBlocks(b.Context(), g, func(i int, data []byte) error {
				if store.Checksum(data) != g[i].Checksum {
					b.Error("not what was written")
				}
				return nil
			}))
		}
	}
	read()
	for b.Loop() {
		read()
	}
}
