package pack_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/pack"
	"github.com/ladderback/ladderback/archive/store"
)

// object puts an object of random bytes into a bucket and returns it as a pack.
func object(t testing.TB, p *pack.Packs, address string, size int) (store.Pack, []byte) {
	t.Helper()
	data := make([]byte, size)
	rnd := rand.NewChaCha8([32]byte{1, byte(size)})
	_, _ = rnd.Read(data)
	row := store.Pack{Address: address, Name: fmt.Sprintf("%064x", size), Bytes: int64(size)}
	row.ID = store.PackID(row.Address, row.Name)
	b, err := p.BucketAt(address)
	require.NoError(t, err)
	require.NoError(t, b.Put(t.Context(), row.Name+".pack", data))
	return row, data
}

// piece is a range of a pack as if it were a block.
func piece(of store.Pack, data []byte, from, to int) store.Piece {
	return store.Piece{Pack: of, Offset: int64(from), Ref: &store.BlockRef{Bytes: to - from, Checksum: store.Checksum(data[from:to])}}
}

// read reads pieces and compares them.
func read(t testing.TB, p *pack.Packs, data []byte, pieces []store.Piece) error {
	t.Helper()
	seen := make([]bool, len(pieces))
	err := p.ReadPieces(t.Context(), pieces, func(i int, got []byte) error {
		require.False(t, seen[i])
		seen[i] = true
		at := int(pieces[i].Offset)
		require.True(t, bytes.Equal(data[at:at+pieces[i].Ref.Bytes], got))
		return nil
	})
	if err == nil {
		require.NotContains(t, seen, false)
	}
	return err
}

// asked parses ranges that were asked for.
func asked(t testing.TB, ranges []string) (out [][2]int) {
	t.Helper()
	for _, r := range ranges {
		from, to, _ := strings.Cut(r, "-")
		a, err := strconv.Atoi(from)
		require.NoError(t, err)
		b, err := strconv.Atoi(to)
		require.NoError(t, err)
		out = append(out, [2]int{a, b + 1})
	}
	return out
}

// TestJoins: neighbours are read together if they are near, no request is long, and
// some requests are made at once, never more than eight.
func TestJoins(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	p := pack.New("", plain)
	row, data := object(t, p, s.address, 60<<20)
	s.take()
	const k = 1 << 10
	near := []store.Piece{
		piece(row, data, 700*k, 720*k), piece(row, data, 0, 10*k), piece(row, data, 10*k, 30*k), piece(row, data, 200*k, 210*k),
		piece(row, data, 720*k+pack.MaxGap, 730*k+pack.MaxGap), piece(row, data, 730*k+2*pack.MaxGap+1, 740*k+2*pack.MaxGap+1),
	}
	require.NoError(t, read(t, p, data, near))
	require.ElementsMatch(t, [][2]int{{0, 210 * k}, {700 * k, 730*k + pack.MaxGap}, {730*k + 2*pack.MaxGap + 1, 740*k + 2*pack.MaxGap + 1}}, asked(t, s.take()))

	var all []store.Piece
	for at := 0; at < len(data); at += 50 * k {
		all = append(all, piece(row, data, at, min(len(data), at+50*k)))
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	gate := make(chan struct{})
	s.spoiled(func(n int, w http.ResponseWriter, _ *http.Request) http.ResponseWriter {
		if n == 7 { // eight are waiting
			close(gate)
		}
		<-gate
		return w
	})
	require.NoError(t, read(t, p, data, all))
	ranges := asked(t, s.take())
	require.Len(t, ranges, 16)
	for _, r := range ranges {
		require.LessOrEqual(t, r[1]-r[0], pack.MaxSpan)
	}
	require.Equal(t, 8, s.most)
	s.spoiled(nil)

	mine := errors.New("mine")
	require.ErrorIs(t, p.ReadPieces(t.Context(), all, func(int, []byte) error { return mine }), mine)
	bad := piece(row, data, 100*k, 110*k)
	bad.Offset = row.Bytes - 5
	require.ErrorIs(t, read(t, p, data, []store.Piece{bad}), store.ErrDamaged)
}

// TestFaultsOfBuckets: a bucket that asks to slow down, cuts its answers, breaks
// connections or has them wrong on the way is asked again; what stays wrong is named
// and never used; what it refuses is not asked for again; no message has a secret.
func TestFaultsOfBuckets(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	p := pack.New("", plain)
	row, data := object(t, p, s.address, 3<<20)
	pieces := []store.Piece{piece(row, data, 100, 70_000), piece(row, data, 2<<20, 2<<20+1000)}
	sometimes := func(every int, f func(http.ResponseWriter, *http.Request) http.ResponseWriter) func(int, http.ResponseWriter, *http.Request) http.ResponseWriter {
		return func(n int, w http.ResponseWriter, r *http.Request) http.ResponseWriter {
			if r.Header.Get("Range") == "" || n%every == every-1 {
				return w
			}
			return f(w, r)
		}
	}
	slow := func(w http.ResponseWriter, _ *http.Request) http.ResponseWriter {
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, `<?xml version="1.0"?><Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>`)
		return nil
	}
	cut := func(w http.ResponseWriter, _ *http.Request) http.ResponseWriter { return &cutting{w, 500} }
	reset := func(http.ResponseWriter, *http.Request) http.ResponseWriter { panic(http.ErrAbortHandler) }
	wrong := func(w http.ResponseWriter, _ *http.Request) http.ResponseWriter { return &flipping{w} }
	for name, fault := range map[string]func(http.ResponseWriter, *http.Request) http.ResponseWriter{"slow down": slow, "cut": cut, "reset": reset} {
		s.spoiled(sometimes(4, fault))
		require.NoError(t, read(t, p, data, pieces), name)
		s.spoiled(sometimes(1<<30, fault))
		err := read(t, p, data, pieces)
		require.ErrorIs(t, err, store.ErrUnreachable, name)
		require.NotErrorIs(t, err, store.ErrDamaged, name)
	}
	s.spoiled(sometimes(2, wrong))
	for _, one := range pieces {
		require.NoError(t, read(t, p, data, []store.Piece{one}))
		s.take()
	}
	s.spoiled(sometimes(1<<30, wrong))
	err := p.ReadPieces(t.Context(), pieces[:1], func(int, []byte) error {
		t.Error("a wrong byte was used")
		return nil
	})
	require.ErrorIs(t, err, store.ErrDamaged)
	require.ErrorContains(t, err, "bytes 100 to 70000")
	require.ErrorContains(t, err, row.Name)

	s.spoiled(nil)
	gone := row
	gone.Name = strings.Repeat("0f", 32)
	s.take()
	require.ErrorIs(t, read(t, p, data, []store.Piece{piece(gone, data, 0, 10)}), store.ErrNoPack)
	require.Len(t, s.take(), 1, "what is not there is not asked for again")
	short := row
	short.Bytes *= 2
	past := piece(short, data, 0, 10)
	past.Offset = row.Bytes + 10
	require.ErrorIs(t, read(t, p, data, []store.Piece{past}), store.ErrDamaged)

	for code, status := range map[string]int{"AccessDenied": 403, "NoSuchBucket": 404, "SignatureDoesNotMatch": 403} {
		s.spoiled(func(_ int, w http.ResponseWriter, _ *http.Request) http.ResponseWriter {
			w.WriteHeader(status)
			_, _ = fmt.Fprintf(w, `<?xml version="1.0"?><Error><Code>%s</Code><Message>no</Message></Error>`, code)
			return nil
		})
		s.take()
		err := read(t, p, data, pieces[:1])
		require.ErrorIs(t, err, store.ErrUnreachable)
		require.Len(t, s.take(), 1)
		require.NotContains(t, err.Error(), keys.SecretKey)
		require.NotContains(t, err.Error(), keys.AccessKey)
	}
	nobody := httptest.NewServer(nil)
	nobody.Close()
	row.Address = "s3://captures/all?endpoint=" + nobody.URL
	require.ErrorIs(t, read(t, p, data, []store.Piece{piece(row, data, 0, 10)}), store.ErrUnreachable)
}

// cutting breaks an answer off after some bytes.
type cutting struct {
	http.ResponseWriter
	left int
}

func (c *cutting) Write(p []byte) (int, error) {
	n, err := c.ResponseWriter.Write(p[:min(len(p), c.left)])
	if c.left -= n; c.left == 0 {
		if f, ok := c.ResponseWriter.(http.Flusher); ok {
			f.Flush()
		}
		panic(http.ErrAbortHandler)
	}
	return n, err
}

// flipping flips a bit of every answer.
type flipping struct{ http.ResponseWriter }

func (f *flipping) Write(p []byte) (int, error) {
	p = bytes.Clone(p)
	p[len(p)/2] ^= 8
	return f.ResponseWriter.Write(p)
}

// TestCache: what was read from a bucket is not asked for again, by another process
// either; a damaged page is; and the folder stays as small as it is told to.
func TestCache(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	config := keys
	config.Cache, config.CacheBytes = t.TempDir(), 6<<20
	with := func() (pack.Config, error) { return config, nil }
	p := pack.New("", with)
	row, data := object(t, p, s.address, 8<<20+100)
	const page = pack.PageBytes
	pieces := []store.Piece{piece(row, data, 10, 20), piece(row, data, page-5, page+5), piece(row, data, 3*page, 3*page+9)}
	s.take()
	require.NoError(t, read(t, p, data, pieces))
	require.Equal(t, [][2]int{{0, 4 * page}}, asked(t, s.take()), "whole pages, and the one between")
	require.NoError(t, read(t, p, data, pieces))
	require.NoError(t, read(t, pack.New("", with), data, pieces), "another process")
	require.NoError(t, read(t, p, data, []store.Piece{piece(row, data, page+100, 2*page)}), "neighbours come with it")
	require.Empty(t, s.take())

	// Who goes on where somebody was is given more than was asked for; who reads
	// somewhere else is not.
	require.NoError(t, read(t, p, data, []store.Piece{piece(row, data, 4*page, 4*page+10)}))
	require.NoError(t, read(t, p, data, []store.Piece{piece(row, data, 30*page, 30*page+10)}))
	require.Equal(t, [][2]int{{4 * page, 4*page + pack.MaxSpan}, {30 * page, 31 * page}}, asked(t, s.take()))
	require.NoError(t, read(t, p, data, []store.Piece{piece(row, data, 5*page, 6*page), piece(row, data, 20*page-1, 20*page)}))
	require.Empty(t, s.take())
	require.NoError(t, read(t, p, data, []store.Piece{piece(row, data, 31*page, 31*page+10)}))
	require.Equal(t, [][2]int{{31 * page, len(data)}}, asked(t, s.take()), "up to the end of the pack")
	require.NoError(t, os.RemoveAll(config.Cache))
	require.NoError(t, read(t, p, data, pieces))
	s.take()

	require.NoError(t, p.ReadPieces(store.Uncached(t.Context()), pieces[:1], func(int, []byte) error { return nil }))
	require.Len(t, s.take(), 1, "checks pass the cache over")

	// A file that was damaged, and one whose own checksum is right although what is in
	// it is not.
	files := filesOf(t, config.Cache)
	require.Len(t, files, 4)
	for i, path := range files {
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		if i%2 == 0 {
			b = b[:len(b)/2]
		} else {
			b[100] ^= 1
			binary.LittleEndian.PutUint32(b[len(b)-4:], store.Checksum(b[:len(b)-4]))
		}
		require.NoError(t, os.WriteFile(path, b, 0o644))
	}
	all := append(pieces, piece(row, data, 0, page), piece(row, data, page, 2*page), piece(row, data, 2*page, 4*page))
	require.NoError(t, read(t, p, data, all))
	require.NotEmpty(t, s.take())

	for at := 0; at < len(data); at += page / 2 {
		require.NoError(t, read(t, p, data, []store.Piece{piece(row, data, at, min(len(data), at+page/2))}))
		require.LessOrEqual(t, p.Cached(), config.CacheBytes)
	}
	total := int64(0)
	for _, path := range filesOf(t, config.Cache) {
		fi, err := os.Stat(path)
		require.NoError(t, err)
		total += fi.Size()
	}
	require.LessOrEqual(t, total, config.CacheBytes)
	require.Greater(t, total, config.CacheBytes/2)

	// A cache that cannot be written to is none.
	config.Cache = filepath.Join(files[0], "below a file")
	require.NoError(t, read(t, pack.New("", with), data, pieces))
}

func filesOf(t testing.TB, dir string) (out []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			out = append(out, path)
		}
		return err
	}))
	return out
}

// TestAddresses: what is no address is refused, without repeating a secret in it.
func TestAddresses(t *testing.T) {
	t.Parallel()
	for _, ok := range []string{"packs", "/mnt/packs", "s3://b", "s3://b/p/q?endpoint=http://127.0.0.1:7070&region=eu-1"} {
		require.NoError(t, pack.Check(ok), ok)
	}
	for _, bad := range []string{"", "s3://", "gs://b", "https://b", "s3://secret:secret@b", "s3://b?endpoint=secret", "s3://b?endpoint=ftp://h", "s3://b?endpoint=http://u:secret@h", "s3://b?key=secret"} {
		err := pack.Check(bad)
		require.ErrorIs(t, err, pack.ErrAddress, bad)
		require.NotContains(t, err.Error(), "secret")
	}
}
