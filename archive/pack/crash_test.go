//go:build unix

package pack_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/pack"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/archivetest"
	"github.com/ladderback/ladderback/internal/pgtest"
	"github.com/ladderback/ladderback/market"
)

// crashRounds is the variable that says how often TestCrashes kills at every step, of
// packing and of taking back, over each store and kind of depot; without it, it kills
// at some steps once:
//
//	LADDERBACK_PACK_ROUNDS=100 nice go test ./archive/pack -run Crashes -v -timeout 10h
const crashRounds = "LADDERBACK_PACK_ROUNDS"

// The process that is killed works on this archive and depot.
const (
	crashAt   = "LADDERBACK_PACK_AT"
	crashTo   = "LADDERBACK_PACK_TO"
	crashStep = "LADDERBACK_PACK_STEP" // the step at which it is killed; 0: never
	crashUndo = "LADDERBACK_PACK_UNDO" // not empty: it takes back
)

// stepped is a store that tells of each step of what is done to it.
type stepped struct {
	store.Store
	step func()
}

func (s *stepped) Update(ctx context.Context, write func(store.Writer) error) error {
	s.step()
	err := s.Store.Update(ctx, func(w store.Writer) error {
		s.step()
		err := write(&steppedWriter{w, s.step})
		s.step() // written, not committed
		return err
	})
	s.step()
	return err
}

type steppedWriter struct {
	store.Writer
	step func()
}

func (w *steppedWriter) Apply(ctx context.Context, c *store.Changes) error {
	w.step()
	err := w.Writer.Apply(ctx, c)
	w.step()
	return err
}

// steppedBucket is a bucket that tells of each step of what is done to it. A large
// object can be cut off in the middle of being written.
type steppedBucket struct {
	pack.Bucket
	step func()
}

func (b *steppedBucket) Put(ctx context.Context, name string, data []byte) error {
	b.step()
	defer b.step()
	return b.Bucket.Put(ctx, name, data)
}

func (b *steppedBucket) Delete(ctx context.Context, name string) error {
	b.step()
	defer b.step()
	return b.Bucket.Delete(ctx, name)
}

// TestCrashChild is the process that TestCrashes kills.
func TestCrashChild(t *testing.T) {
	addr := os.Getenv(crashAt)
	if addr == "" {
		t.Skip("run by TestCrashes")
	}
	last, err := strconv.ParseInt(os.Getenv(crashStep), 10, 64)
	require.NoError(t, err)
	var n atomic.Int64
	step := func() {
		if n.Add(1) == last {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
	h := open(t, addr, os.Getenv(crashTo), pack.Wrapped(keys, func(b pack.Bucket) pack.Bucket { return &steppedBucket{b, step} }))
	s := &stepped{h.store, step}
	if os.Getenv(crashUndo) != "" {
		_, err = h.packs.Undo(t.Context(), s, false, nil)
	} else {
		_, err = h.packs.Everything(t.Context(), s, h.to, crashPack)
	}
	require.NoError(t, err)
	_, err = os.Stdout.WriteString("steps " + strconv.FormatInt(n.Load(), 10) + "\n")
	require.NoError(t, err)
}

// crashPack is about how many bytes a pack takes in these tests: so that there are
// some.
const crashPack = 1500

// child packs or takes back in a process that is killed at a step; 0: never. It
// returns how many steps there were; −1: it was killed.
func child(t testing.TB, addr, to string, undo bool, step int) int {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestCrashChild$", "-test.count=1")
	cmd.Env = append(os.Environ(), crashAt+"="+addr, crashTo+"="+to, crashStep+"="+strconv.Itoa(step))
	if undo {
		cmd.Env = append(cmd.Env, crashUndo+"=1")
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if step > 0 && err != nil {
		require.ErrorContains(t, err, "killed", out.String())
		return -1
	}
	require.NoError(t, err, out.String())
	for line := range strings.Lines(out.String()) {
		if n, ok := strings.CutPrefix(strings.TrimSpace(line), "steps "); ok {
			steps, err := strconv.Atoi(n)
			require.NoError(t, err)
			return steps
		}
	}
	t.Fatal(out.String())
	return 0
}

// TestCrashes kills packing, and taking back, at every step. All the while every block
// can be read; afterwards every row's object is there; running it again ends as if
// nothing had happened, and what was left behind goes when a day has passed.
func TestCrashes(t *testing.T) {
	t.Parallel()
	rounds := 0
	if text := os.Getenv(crashRounds); text != "" {
		var err error
		rounds, err = strconv.Atoi(text)
		require.NoError(t, err)
	}
	for _, name := range []string{"file, folder", "file, bucket", "PostgreSQL, folder", "PostgreSQL, bucket"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, err := os.MkdirTemp(shm(), "ladderback-crash-*")
			require.NoError(t, err)
			t.Cleanup(func() { _ = os.RemoveAll(dir) })
			addr, to := filepath.Join(dir, "archive.db"), filepath.Join(dir, "packs")
			if strings.HasPrefix(name, "PostgreSQL") {
				addr = pgtest.Database(t)
			}
			if strings.HasSuffix(name, "bucket") {
				to = realServer(t)
			}
			h := open(t, addr, to, plain)
			h.fill(t, 12, 60, 1)
			crashes(t, h, addr, rounds)
		})
	}
}

// crashes kills at steps of packing the archive and of taking back.
func crashes(t *testing.T, h *home, addr string, rounds int) {
	want := archivetest.Dump(t, h.Archive)
	stop := readAll(t, h)
	all, _ := h.count(t)
	steps := map[bool]int{false: child(t, addr, h.to, false, 0), true: child(t, addr, h.to, true, 0)}
	require.Greater(t, steps[false], 15)
	require.Greater(t, steps[true], 15)
	rnd := rand.New(rand.NewPCG(uint64(len(addr)), 3))
	killed := 0
	at := func(undo bool, step int) {
		if child(t, addr, h.to, undo, step) < 0 {
			killed++
		}
		h.whole(t, all)
	}
	one := func(pack, undo int) {
		at(false, pack)
		_, err := h.packs.Everything(t.Context(), h.store, h.to, crashPack)
		require.NoError(t, err)
		loose, _ := h.count(t)
		require.Zero(t, loose)
		at(true, undo)
		_, err = h.packs.Undo(t.Context(), h.store, false, nil)
		require.NoError(t, err)
		_, packed := h.count(t)
		require.Zero(t, packed)
	}
	if rounds == 0 {
		for range 3 {
			one(1+rnd.IntN(steps[false]), 1+rnd.IntN(steps[true]))
		}
	}
	for round := range rounds {
		for step := 1; step <= max(steps[false], steps[true]); step++ {
			one(min(step, steps[false]), min(step, steps[true]))
		}
		t.Logf("round %d: killed %d times at %d and %d steps", round+1, killed, steps[false], steps[true])
	}
	require.NotZero(t, killed)
	h.sound(t)
	require.Equal(t, want, archivetest.Dump(t, h.Archive))
	_, err := h.packs.Sweep(t.Context(), h.store, time.Now().Add(time.Hour), false)
	require.NoError(t, err)
	require.Empty(t, h.objects(t), "all that was left behind is gone")
	t.Logf("%d and %d steps: killed %d times, all blocks read %d times meanwhile", steps[false], steps[true], killed, stop())
}

// whole sees that every row of a pack has its object, of its length, and that no block
// is missing.
func (h *home) whole(t testing.TB, all int) {
	t.Helper()
	loose, packed := h.count(t)
	require.Equal(t, all, loose+packed)
	require.NoError(t, h.store.View(t.Context(), func(r store.Reader) error {
		packs, err := r.Packs(t.Context())
		for _, p := range packs {
			b, err := h.packs.BucketAt(p.Address)
			require.NoError(t, err)
			require.NoError(t, b.Read(t.Context(), p.Name+".pack", 0, make([]byte, p.Bytes)))
		}
		return err
	}))
}

// readAll reads every block again and again until the function that it returns is
// called, which says how often.
func readAll(t *testing.T, h *home) (stop func() int) {
	ctx, cancel := context.WithCancel(t.Context())
	times := make(chan int, 1)
	go func() {
		n := 0
		defer func() { times <- n }()
		for ctx.Err() == nil {
			err := h.store.View(t.Context(), func(r store.Reader) error {
				tokens, err := r.BlockTokens(t.Context(), -1, 1000)
				if err != nil {
					return err
				}
				refs, err := r.Refs(t.Context(), tokens, market.Earliest, market.Latest)
				if err != nil {
					return err
				}
				got := 0
				err = h.store.ReadBlocks(t.Context(), refs, func(i int, data []byte) error {
					if got++; store.Checksum(data) != refs[i].Checksum {
						t.Errorf("%v is not what it was", &refs[i])
					}
					return nil
				})
				if err == nil && got != len(refs) {
					t.Errorf("read %d of %d blocks", got, len(refs))
				}
				return err
			})
			if err != nil {
				t.Errorf("reading meanwhile: %v", err)
				return
			}
			n++
			time.Sleep(time.Millisecond) // leaves the machine to those it reads from
		}
	}()
	done := 0
	end := func() int {
		cancel()
		if done == 0 {
			done = <-times + 1
		}
		return done - 1
	}
	t.Cleanup(func() { end() })
	return end
}

// realServer returns a depot on an S3 server of another make, where there is one, else
// on the one in this process.
func realServer(t testing.TB) string {
	if address := versity(t); address != "" {
		return address
	}
	return newServer(t).address
}
