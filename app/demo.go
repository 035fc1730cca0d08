package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/archive/simulate"
	"github.com/ladderback/ladderback/archive/sqlite"
	"github.com/ladderback/ladderback/archive/sqlite/file"
	"github.com/ladderback/ladderback/archive/store"
)

// openDemo opens the demo archive and says that it is simulated. One that is not
// what was made is refused.
func (a *App) openDemo(ctx context.Context) (*archive.Archive, error) {
	path, err := a.Demo(ctx)
	if err != nil {
		return nil, err
	}
	opened, err := sqlite.OpenReadOnly(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("%w; delete the demo archive, %s, to have it rebuilt", err, path)
	}
	ar := archive.New(opened)
	sources, err := ar.Sources(ctx)
	if err != nil || len(sources) != 1 || !sources[0].Complete || sources[0].Format != simulate.Format {
		err = errors.Join(err, fmt.Errorf("the demo archive, %s, has been altered: delete it to have it rebuilt", path))
		return nil, errors.Join(err, ar.Close())
	}
	a.OverDemo()
	return ar, nil
}

// DemoNotice goes with every result over the demo archive: on standard output
// under a table, else on standard error.
const DemoNotice = "Over the demo archive: its rounds are simulated, no exchange made them."

// DemoName is the name of the file of the demo archive.
func DemoName() string {
	return fmt.Sprintf("demo-%d-%d-%d-%d.db", file.ApplicationID, block.Version, store.ClaimCoding, simulate.Generation)
}

// demoPath returns where the demo archive is, or is to be made.
func (a *App) demoPath() (string, error) {
	dir, err := a.CacheDir()
	return filepath.Join(dir, DemoName()), err
}

// Demo returns the path of the demo archive, building it if there is none. It is
// built under another name and renamed, so that an interrupted build never passes
// for a complete one. If two processes need it at once, one builds it and the
// other waits.
func (a *App) Demo(ctx context.Context) (string, error) {
	path, err := a.demoPath()
	if err != nil {
		return "", err
	}
	if made, err := isThere(path); made || err != nil {
		return path, err
	}
	lock := flock.New(filepath.Join(filepath.Dir(path), "demo-making.lock"))
	if locked, err := lock.TryLock(); err == nil && !locked {
		a.Say("Waiting for another process to build the demo archive.")
		if _, err := lock.TryLockContext(ctx, demoPoll); err != nil {
			return "", fmt.Errorf("demo archive: %w", err)
		}
	} // where files cannot be locked, both make it and the second replaces the first
	defer func() { _ = lock.Unlock() }()
	if made, err := isThere(path); made || err != nil {
		return path, err
	}
	return path, a.makeDemoAt(ctx, path)
}

// demoPoll is the interval between checks whether another process has built the
// demo archive.
const demoPoll = 100 * time.Millisecond

// isThere reports whether there is a demo archive at path.
func isThere(path string) (bool, error) {
	_, err := os.Stat(path)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return err == nil, nil
	}
	return false, fmt.Errorf("demo archive: %w", err)
}

func (a *App) makeDemoAt(ctx context.Context, path string) error {
	dir := filepath.Dir(path)
	a.Say("Building the demo archive of simulated rounds in %s (once).", path)
	work, err := os.MkdirTemp(dir, "demo-making-")
	if err != nil {
		return fmt.Errorf("demo archive: %s is not writable: set $LADDERBACK_CACHE to a folder that is: %w", dir, err)
	}
	defer func() { _ = os.RemoveAll(work) }() // removeOldDemos takes what stays
	made := filepath.Join(work, "demo.db")
	if err := a.makeDemo(ctx, made); err != nil {
		return fmt.Errorf("demo archive: %w", err)
	}
	if err := os.Chmod(made, 0o444); err != nil {
		return fmt.Errorf("demo archive: %w", err)
	}
	if err := os.Rename(made, path); err != nil {
		return fmt.Errorf("demo archive: %w", err)
	}
	removeOldDemos(dir)
	return nil
}

// staleAfter is longer than anybody takes to build the demo archive.
const staleAfter = time.Hour

// demoFile matches the names of demo archives, and not of the keys beside them.
var demoFile = regexp.MustCompile(`^demo-\d+(-\d+)*\.db(-wal|-shm)?$`)

// removeOldDemos takes demo archives of other versions out of the cache, and
// what was left of making one. Whatever cannot be removed stays.
func removeOldDemos(dir string) {
	entries, _ := os.ReadDir(dir) // none when it cannot be read
	for _, e := range entries {
		if demoFile.MatchString(e.Name()) && !strings.HasPrefix(e.Name(), DemoName()) {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
	half, _ := filepath.Glob(filepath.Join(dir, "demo-making-*"))
	for _, path := range half {
		if fi, err := os.Stat(path); err == nil && time.Since(fi.ModTime()) > staleAfter {
			_ = os.RemoveAll(path)
		}
	}
}

// CacheDir returns a folder that can be written to: $LADDERBACK_CACHE, else the
// user's cache folder, else a temporary one, with a message.
func (a *App) CacheDir() (string, error) {
	if dir := a.Getenv("LADDERBACK_CACHE"); dir != "" {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return "", fmt.Errorf("$LADDERBACK_CACHE: %w", err)
		}
		return dir, nil
	}
	dir, err := os.UserCacheDir()
	if err == nil {
		dir = filepath.Join(dir, "ladderback")
		if err = writable(dir); err == nil {
			return dir, nil
		}
	}
	temp := filepath.Join(os.TempDir(), fmt.Sprintf("ladderback-%d", os.Getuid()))
	a.Say("No cache folder (%v): using %s; set LADDERBACK_CACHE to choose another.", err, temp)
	if err := writable(temp); err != nil {
		return "", fmt.Errorf("no folder for the demo archive: %w", err)
	}
	return temp, nil
}

// writable makes dir when needed and reports whether a file can be made in it.
func writable(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".probe-")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// makeDemo writes the demo archive to a new file at path, which is then one that
// can be read without any file beside it.
func (a *App) makeDemo(ctx context.Context, path string) error {
	ar, err := createArchive(ctx, path)
	if err != nil {
		return err
	}
	_, err = a.Simulate(ctx, ar, simulate.Demo())
	if err := errors.Join(err, ar.Close()); err != nil {
		return err
	}
	return file.Seal(ctx, path)
}

// Simulate simulates c into an archive, with progress.
func (a *App) Simulate(ctx context.Context, ar *archive.Archive, c simulate.Config) (store.Source, error) {
	sim, err := simulate.New(c)
	if err != nil {
		return store.Source{}, Usagef("%s", err)
	}
	bar := a.Show("Simulating", "rounds")
	defer bar.Stop()
	return sim.Write(ctx, ar, simulate.WriteOptions{Progress: func(done, all int) { bar.Set(int64(done), int64(all)) }})
}

// DemoIsMade reports whether the demo archive stands in the cache.
func (a *App) DemoIsMade() bool {
	dir := a.Getenv("LADDERBACK_CACHE")
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return false
		}
		dir = filepath.Join(cache, "ladderback")
	}
	_, err := os.Stat(filepath.Join(dir, DemoName()))
	return err == nil
}
