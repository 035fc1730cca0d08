//go:build unix

package postgres_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/care"
	"github.com/ladderback/ladderback/archive/intake"
	"github.com/ladderback/ladderback/archive/postgres"
	"github.com/ladderback/ladderback/archive/sqlite"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/archivetest"
	"github.com/ladderback/ladderback/internal/pgtest"
)

// copyRounds is the variable that says how often TestCopyInterrupted kills, and
// cancels, a copy in each direction; default 4:
//
//	LADDERBACK_COPY_ROUNDS=100 go test ./archive/postgres -run CopyInterrupted -v
const copyRounds = "LADDERBACK_COPY_ROUNDS"

// The process that is killed copies between these addresses.
const (
	copyFrom = "LADDERBACK_COPY_FROM"
	copyTo   = "LADDERBACK_COPY_TO"
	copyStep = "LADDERBACK_COPY_STEP" // the step at which it is killed; 0: never
)

// stepped is a store that tells of each step of what is done to it.
type stepped struct {
	store.Store
	step func()
}

func (s *stepped) View(ctx context.Context, read func(store.Reader) error) error {
	s.step()
	return s.Store.View(ctx, read)
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

func (s *stepped) ReadBlocks(ctx context.Context, refs []store.BlockRef, each func(int, []byte) error) error {
	return s.Store.ReadBlocks(ctx, refs, func(i int, data []byte) error {
		s.step()
		return each(i, data)
	})
}

type steppedWriter struct {
	store.Writer
	step func()
}

func (w *steppedWriter) Apply(ctx context.Context, c *store.Changes) error {
	err := w.Writer.Apply(ctx, c)
	w.step()
	return err
}

// at opens the archive at an address of either store, which tells of its steps.
func at(t testing.TB, addr string, step func()) *archivetest.Archive {
	t.Helper()
	var s store.Store
	var err error
	if strings.HasPrefix(addr, "postgres://") {
		s, _, err = postgres.Create(t.Context(), addr)
	} else {
		s, _, err = sqlite.Create(t.Context(), addr)
	}
	require.NoError(t, err)
	return archivetest.New(&stepped{s, step}, intake.Config{BlockCaptures: 3, Memory: 500})
}

func nothing() {}

// TestCopyChild is the process that TestCopyInterrupted kills.
func TestCopyChild(t *testing.T) {
	from, to := os.Getenv(copyFrom), os.Getenv(copyTo)
	if from == "" {
		t.Skip("run by TestCopyInterrupted")
	}
	last, err := strconv.Atoi(os.Getenv(copyStep))
	require.NoError(t, err)
	n := 0
	step := func() {
		if n++; n == last {
			_ = syscall.Kill(syscall.Getpid(), syscall.SIGKILL)
		}
	}
	a, b := at(t, from, step), at(t, to, step)
	_, err = care.Copy(t.Context(), a.Store(), b.Store(), nil)
	require.NoError(t, err)
	fmt.Println("steps", n)
}

// copyIn copies in a process of its own, which is killed at the given step, if it
// comes to that; 0: never. It returns how many steps there are; 0: it was killed.
func copyIn(t testing.TB, from, to string, step int) (steps int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestCopyChild$", "-test.count=1")
	cmd.Env = append(os.Environ(), copyFrom+"="+from, copyTo+"="+to, copyStep+"="+strconv.Itoa(step))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if step > 0 && err != nil {
		require.ErrorContains(t, err, "killed", out.String())
		return 0
	}
	require.NoError(t, err, out.String())
	for sc := bufio.NewScanner(&out); sc.Scan(); {
		if n, ok := strings.CutPrefix(sc.Text(), "steps "); ok {
			steps, err = strconv.Atoi(n)
			require.NoError(t, err)
		}
	}
	return steps
}

// TestCopyInterrupted copies between the stores, in both directions, in a
// process that is killed and with a context that is cancelled, at steps all
// over: what is there is sound, and copying again ends in the same content.
func TestCopyInterrupted(t *testing.T) {
	t.Parallel()
	s := archivetest.NewScenario(41, 150)
	files := append(s.Split(41, 3), archivetest.Metadata(s, 41, 3)...)
	n := 4
	if text := os.Getenv(copyRounds); text != "" {
		var err error
		n, err = strconv.Atoi(text)
		require.NoError(t, err)
	}
	here, there := filepath.Join(t.TempDir(), "from.db"), pgtest.Database(t)
	for _, addr := range []string{here, there} {
		a := at(t, addr, nothing)
		require.NoError(t, put(t, a, s, files))
		require.NoError(t, a.Close())
	}
	for name, from := range map[string]string{"to PostgreSQL": here, "to the embedded store": there} {
		empty := func(t testing.TB) string {
			if from == here {
				return pgtest.Database(t)
			}
			return filepath.Join(t.TempDir(), "to.db")
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			steps := copyIn(t, from, empty(t), 0)
			require.Greater(t, steps, 50)
			rnd := rand.New(rand.NewPCG(41, uint64(len(name))))
			source := at(t, from, nothing)
			t.Cleanup(func() { require.NoError(t, source.Close()) })
			want := archivetest.Dump(t, source)
			killed, cancelled := 0, 0
			for range n {
				to := empty(t)
				for range 1 + rnd.IntN(2) { // also what was taken up again is interrupted
					if copyIn(t, from, to, 1+rnd.IntN(steps/2)) == 0 {
						killed++
					}
				}
				if cancelCopy(t, from, to, 1+rnd.IntN(steps/2)) {
					cancelled++
				}
				b := at(t, to, nothing)
				requireSound(t, b)
				r, err := care.Copy(t.Context(), source.Store(), b.Store(), nil)
				require.NoError(t, err)
				require.Empty(t, r.Damage)
				require.Empty(t, r.Differing)
				require.Equal(t, want, archivetest.Dump(t, b))
				require.Equal(t, contents(t, source), contents(t, b))
				requireSound(t, b)
				again, err := care.Copy(t.Context(), source.Store(), b.Store(), nil)
				require.NoError(t, err)
				require.Zero(t, again.Blocks)
				require.Equal(t, len(files), again.Already)
				require.NoError(t, b.Close())
			}
			t.Logf("of %d steps: killed %d times, cancelled %d times", steps, killed, cancelled)
			require.NotZero(t, killed)
			require.NotZero(t, cancelled)
		})
	}
}

// cancelCopy copies until the given step and cancels. It reports whether that
// ended the copy.
func cancelCopy(t testing.TB, from, to string, step int) bool {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n := 0
	count := func() {
		if n++; n == step {
			cancel()
		}
	}
	a, b := at(t, from, count), at(t, to, count)
	_, err := care.Copy(ctx, a.Store(), b.Store(), nil)
	if err != nil {
		require.ErrorIs(t, err, context.Canceled)
	}
	require.NoError(t, a.Close())
	require.NoError(t, b.Close())
	return err != nil
}
