package sqlite_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/intake"
	"github.com/ladderback/ladderback/archive/sqlite"
	"github.com/ladderback/ladderback/internal/archivetest"
)

// crashRounds is the variable that says how often TestKill kills an import and
// TestPowerCut cuts the power; default 6 and 20:
//
//	LADDERBACK_CRASH_ROUNDS=200 go test ./archive/sqlite -run 'Kill|PowerCut' -v
const crashRounds = "LADDERBACK_CRASH_ROUNDS"

func rounds(t testing.TB, usual int) int {
	if s := os.Getenv(crashRounds); s != "" {
		n, err := strconv.Atoi(s)
		require.NoError(t, err)
		return n
	}
	return usual
}

// crashScenario is what the tests import: captures in several files that
// overlap, and metadata that comes last.
func crashScenario() (*archivetest.Scenario, []archivetest.File) {
	s := archivetest.NewScenario(7, 400)
	files := s.Split(7, 6)
	return s, append(files, archivetest.Metadata(s, 7, 2)...)
}

const (
	smallBlocks = 5
	smallMemory = 1000
)

// The process that is killed: it imports into the file named and says of each
// source when it has been reported as imported.
const (
	childPath = "LADDERBACK_CRASH_PATH"
	childStep = "LADDERBACK_CRASH_STEP" // the step at which it is killed; 0: never
)

func TestKillChild(t *testing.T) {
	path := os.Getenv(childPath)
	if path == "" {
		t.Skip("run by TestKill")
	}
	at, err := strconv.Atoi(os.Getenv(childStep))
	require.NoError(t, err)
	n := 0
	d := &disk{}
	name := register(t, func(s *step) error {
		d.mu.Lock()
		defer d.mu.Unlock()
		if n++; n == at {
			if s.kind == "write" && at%2 == 0 { // a part of it arrives
				_, _ = s.file.File.WriteAt(s.data[:len(s.data)/2], s.offset)
			}
			return syscall.Kill(syscall.Getpid(), syscall.SIGKILL)
		}
		return nil
	})
	importAll(t, path, sqlite.VFS(name))
	fmt.Println("steps", n)
}

// importAll imports the scenario into the file and says so, source by source.
func importAll(t testing.TB, path string, o ...sqlite.Option) {
	s, files := crashScenario()
	opened, _, err := sqlite.Create(t.Context(), path, append(o, sqlite.Often())...)
	require.NoError(t, err)
	a := archivetest.New(opened, intake.Config{BlockCaptures: smallBlocks, Memory: smallMemory})
	workload(t, a, s, files, func(name string, there bool) {
		if there {
			fmt.Println("imported", name)
		} else {
			fmt.Println("removing", name)
		}
	})
	require.NoError(t, a.Close())
}

// workload imports the files, takes one of them out again, which shrinks the
// archive, and brings it back. say is told of each file when it has been
// imported, and before it is removed.
func workload(t testing.TB, a *archivetest.Archive, s *archivetest.Scenario, files []archivetest.File, say func(string, bool)) {
	var deferred []string
	for i := range files {
		if len(files[i].Messages) == 0 {
			require.NoError(t, archivetest.Defer(t.Context(), a, s, &files[i]))
			deferred = append(deferred, files[i].Name)
			continue
		}
		require.NoError(t, archivetest.Put(t.Context(), a, s, &files[i]))
		say(files[i].Name, true)
	}
	require.NoError(t, a.Settle(t.Context(), nil))
	for _, name := range deferred {
		say(name, true)
	}
	say(files[1].Name, false)
	require.NoError(t, a.RemoveSource(t.Context(), files[1].Source().SourceID()))
	require.NoError(t, archivetest.Put(t.Context(), a, s, &files[1]))
	say(files[1].Name, true)
}

func runChild(t testing.TB, path string, at int) (reported []string, steps int) {
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKillChild$", "-test.count=1")
	cmd.Env = append(os.Environ(), childPath+"="+path, childStep+"="+strconv.Itoa(at))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	for sc := bufio.NewScanner(&out); sc.Scan(); {
		if name, ok := strings.CutPrefix(sc.Text(), "imported "); ok {
			reported = append(reported, name)
		}
		if name, ok := strings.CutPrefix(sc.Text(), "removing "); ok {
			reported = slices.DeleteFunc(reported, func(r string) bool { return r == name })
		}
		if n, ok := strings.CutPrefix(sc.Text(), "steps "); ok {
			steps, _ = strconv.Atoi(n)
		}
	}
	if at == 0 {
		require.NoError(t, err, out.String())
	} else {
		require.ErrorContains(t, err, "killed", out.String())
	}
	return reported, steps
}

// TestKill kills the process of an import at steps all over its writes: what it
// had reported is there, the archive is sound, and importing everything again
// completes it to the same content.
func TestKill(t *testing.T) {
	t.Parallel()
	whole := filepath.Join(memory(t), "whole.db")
	_, steps := runChild(t, whole, 0)
	want := dump(t, whole)
	rnd := rand.New(rand.NewPCG(1, 6))
	n := rounds(t, 6)
	for round := range n {
		path := filepath.Join(memory(t), "killed.db")
		at := 1 + (round*steps+rnd.IntN(steps))/n
		reported, _ := runChild(t, path, at)
		checkSurvivor(t, path, reported, want, fmt.Sprintf("killed at step %d of %d", at, steps))
	}
	t.Logf("killed %d imports at steps of 1 to %d", n, steps)
}

// checkSurvivor opens what a crash left, looks for what had been reported,
// verifies it and completes it.
func checkSurvivor(t testing.TB, path string, reported []string, want, when string) {
	t.Helper()
	if len(reported) > 0 {
		opened, err := sqlite.Open(t.Context(), path)
		require.NoError(t, err, when)
		a := archivetest.New(opened)
		v, err := a.Verify(t.Context(), nil)
		require.NoError(t, err, when)
		require.Empty(t, v.Damage, when)
		sources, err := a.Sources(t.Context())
		require.NoError(t, err, when)
		complete := map[string]bool{}
		for _, s := range sources {
			complete[s.Name] = s.Complete
		}
		for _, name := range reported {
			require.True(t, complete[name], "%s: %s was reported as imported", when, name)
		}
		require.NoError(t, a.Close())
	}
	s, files := crashScenario()
	opened, _, err := sqlite.Create(t.Context(), path, sqlite.Often())
	require.NoError(t, err, when)
	a := archivetest.New(opened, intake.Config{BlockCaptures: smallBlocks, Memory: smallMemory})
	for i := range files {
		require.NoError(t, archivetest.Put(t.Context(), a, s, &files[i]), when)
	}
	require.NoError(t, a.Close(), when)
	require.Equal(t, want, dump(t, path), when)
}

// dump verifies an archive and writes down all that it answers.
func dump(t testing.TB, path string) string {
	t.Helper()
	opened, err := sqlite.Open(context.WithoutCancel(t.Context()), path)
	require.NoError(t, err)
	a := archivetest.New(opened)
	defer a.Close()
	v, err := a.Verify(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, v.Damage)
	require.Empty(t, v.Unfinished)
	return archivetest.Dump(t, a)
}

// TestPowerCut does the same for a loss of power, which keeps of what was not
// synced any part.
func TestPowerCut(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(2, 6))
	whole := filepath.Join(memory(t), "whole.db")
	counted := &disk{}
	importAll(t, whole, sqlite.VFS(register(t, counted.take)))
	want := dump(t, whole)

	n := rounds(t, 20)
	at := map[int]bool{}
	for round := range n {
		at[1+(round*counted.steps+rnd.IntN(counted.steps))/n] = true
	}
	type left struct {
		path     string
		reported []string
		step     int
	}
	var cuts []left
	var reported []string
	d := &disk{}
	name := register(t, func(s *step) error {
		err := d.take(s)
		if at[d.steps] {
			cuts = append(cuts, left{d.cut(t, rnd, "cut.db"), append([]string(nil), reported...), d.steps})
		}
		return err
	})
	s, files := crashScenario()
	path := filepath.Join(memory(t), "cut.db")
	empty, _, err := sqlite.Create(t.Context(), path, sqlite.Often())
	require.NoError(t, err)
	require.NoError(t, empty.Close())
	d.watch(t, path)
	opened, _, err := sqlite.Create(t.Context(), path, sqlite.VFS(name), sqlite.Often())
	require.NoError(t, err)
	a := archivetest.New(opened, intake.Config{BlockCaptures: smallBlocks, Memory: smallMemory})
	workload(t, a, s, files, func(name string, there bool) {
		reported = slices.DeleteFunc(slices.Clone(reported), func(r string) bool { return r == name })
		if there {
			reported = append(reported, name)
		}
	})
	require.NoError(t, a.Close())
	for _, c := range cuts {
		checkSurvivor(t, c.path, c.reported, want, fmt.Sprintf("power cut at step %d of %d", c.step, counted.steps))
	}
	t.Logf("cut the power %d times at steps of 1 to %d", len(cuts), counted.steps)
}
