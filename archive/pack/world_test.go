package pack_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/intake"
	"github.com/ladderback/ladderback/archive/pack"
	"github.com/ladderback/ladderback/archive/postgres"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/archivetest"
	"github.com/ladderback/ladderback/internal/pgtest"
)

// keys of the buckets of these tests.
var keys = pack.Config{AccessKey: "reader", SecretKey: "0123456789", Pause: time.Millisecond}

// server is an S3 server in this process, whose answers can be spoiled.
type server struct {
	address string // of a depot

	mu    sync.Mutex
	gets  []string // ranges that were asked for
	now   int      // requests being answered
	most  int      // at once
	spoil func(n int, w http.ResponseWriter, r *http.Request) http.ResponseWriter
}

// newServer starts a server with an empty bucket.
func newServer(t testing.TB) *server {
	t.Helper()
	backend := s3mem.New()
	require.NoError(t, backend.CreateBucket("captures"))
	real := gofakes3.New(backend).Server()
	s := &server{}
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.now++
		s.most = max(s.most, s.now)
		n := len(s.gets)
		if r.Method == http.MethodGet && r.Header.Get("Range") != "" {
			s.gets = append(s.gets, strings.TrimPrefix(r.Header.Get("Range"), "bytes="))
		}
		spoil := s.spoil
		s.mu.Unlock()
		defer func() {
			s.mu.Lock()
			s.now--
			s.mu.Unlock()
		}()
		if spoil != nil {
			if w = spoil(n, w, r); w == nil {
				return
			}
		}
		real.ServeHTTP(w, r)
	}))
	t.Cleanup(h.Close)
	s.address = "s3://captures/all?endpoint=" + h.URL
	return s
}

// take returns the ranges asked for since the last call.
func (s *server) take() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.gets
	s.gets = nil
	return out
}

// spoiled makes the server answer otherwise from now on; nil: as it should.
func (s *server) spoiled(f func(n int, w http.ResponseWriter, r *http.Request) http.ResponseWriter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spoil = f
}

// home is an archive with its packs.
type home struct {
	*archivetest.Archive
	store store.Store
	packs *pack.Packs
	to    string
}

// packable is a store that packs can be used with.
type packable interface {
	store.Store
	UsePacks(r store.PackReader)
}

// open opens the archive at an address of either store.
func open(t testing.TB, addr, to string, config func() (pack.Config, error)) *home {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	var s packable
	base := ""
	if strings.HasPrefix(addr, "postgres://") {
		made, _, err := postgres.Create(ctx, addr)
		require.NoError(t, err)
		s = made
	} else {
		s, base = archivetest.Store(t, addr), filepath.Dir(addr)
	}
	p := pack.New(base, config)
	s.UsePacks(p)
	h := &home{archivetest.New(s, intake.Config{BlockCaptures: 6}), s, p, to}
	t.Cleanup(func() { require.NoError(t, h.Close()) })
	return h
}

func plain() (pack.Config, error) { return keys, nil }

// fill puts the captures of a scenario into an archive.
func (h *home) fill(t testing.TB, seed uint64, n, files int) (*archivetest.Scenario, []archivetest.File) {
	t.Helper()
	s := archivetest.NewScenario(seed, n)
	all := append(s.Split(seed, files), archivetest.Metadata(s, seed, files)...)
	for i := range all {
		require.NoError(t, archivetest.Put(t.Context(), h, s, &all[i]))
	}
	return s, all
}

// loose returns how many blocks with captures are in rows, and in packs.
func (h *home) count(t testing.TB) (loose, packed int) {
	t.Helper()
	require.NoError(t, h.store.View(t.Context(), func(r store.Reader) error {
		loose, packed = 0, 0
		tokens, err := r.BlockTokens(t.Context(), -1, 1000)
		if err != nil {
			return err
		}
		refs, err := r.Loose(t.Context(), tokens)
		loose = len(refs)
		packs, err2 := r.Packs(t.Context())
		for _, p := range packs {
			packed += int(p.Used)
		}
		return errors.Join(err, err2)
	}))
	return loose, packed
}

// sound verifies the archive.
func (h *home) sound(t testing.TB) {
	t.Helper()
	v, err := h.Verify(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, v.Damage)
}

// each runs a test over both stores, with packs in a folder and in a bucket.
func each(t *testing.T, test func(t *testing.T, h *home)) {
	t.Helper()
	for _, in := range []string{"folder", "bucket"} {
		for _, db := range []string{"file", "PostgreSQL"} {
			t.Run(fmt.Sprintf("%s, packs in a %s", db, in), func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				addr, to := filepath.Join(dir, "archive.db"), filepath.Join(dir, "packs")
				if db != "file" {
					addr = pgtest.Database(t)
				}
				if in == "bucket" {
					to = newServer(t).address
				}
				test(t, open(t, addr, to, plain))
			})
		}
	}
}

// objects lists the depots' objects.
func (h *home) objects(t testing.TB) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	require.NoError(t, h.store.View(t.Context(), func(r store.Reader) error {
		depots, err := r.Depots(t.Context())
		for _, d := range depots {
			b, err := h.packs.BucketAt(d.Address)
			require.NoError(t, err)
			require.NoError(t, b.List(t.Context(), func(name string, _ time.Time) error {
				out[d.Address] = append(out[d.Address], name)
				return nil
			}))
		}
		return err
	}))
	return out
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
