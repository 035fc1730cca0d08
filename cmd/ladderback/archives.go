package main

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
	"github.com/spf13/pflag"

	"github.com/ladderback/ladderback/api"
	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/postgres"
	"github.com/ladderback/ladderback/archive/simulate"
	"github.com/ladderback/ladderback/archive/sqlite"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
)

// The archive is what the engine replays over.
var _ replay.Source = (*archive.Archive)(nil)

// archiveEnv names the variable with the default of --archive.
const archiveEnv = "LADDERBACK_ARCHIVE"

// address is where an archive is, and which category it is asked for.
type address struct {
	category market.Category // empty: every category
	target   string          // a file path or postgres://…
}

// archiveFlag adds --archive to a command that reads.
func (a *app) archiveFlag(flags *pflag.FlagSet) *[]string {
	return flags.StringArray("archive", nil,
		"the archive at `ADDR`: a file, or postgres://…; repeat as crypto=ADDR and sports=ADDR for one per category (default $"+archiveEnv+", else the demo archive)")
}

// addresses reads the values of --archive, else of the environment. None means
// the demo archive.
func (a *app) addresses(given []string) ([]address, error) {
	if len(given) == 0 {
		given = fromEnvironment(a.getenv(archiveEnv))
	}
	out := make([]address, 0, len(given))
	for _, text := range given {
		addr := address{target: text}
		for _, c := range []market.Category{market.Crypto, market.Sports} {
			if rest, ok := strings.CutPrefix(text, string(c)+"="); ok {
				addr = address{category: c, target: rest}
			}
		}
		if addr.target == "" {
			return nil, usagef("--archive %q: expected a file path or postgres://…", text)
		}
		if err := checkAddress("--archive", addr.target); err != nil {
			return nil, err
		}
		for _, other := range out {
			if addr.category != "" && addr.category == other.category {
				return nil, usagef("--archive %s: %s already has one: %s", text, addr.category, other.target)
			}
		}
		out = append(out, addr)
	}
	if len(out) > 1 {
		for _, addr := range out {
			if addr.category == "" {
				return nil, usagef("--archive %s: with several archives, each needs a category: crypto=%s or sports=%s",
					addr.target, addr.target, addr.target)
			}
		}
	}
	return out, nil
}

var (
	// schemed matches an address with a scheme, and its scheme.
	schemed = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9+.-]*)://`)
	// keyworded matches what libpq takes in place of an address.
	keyworded = regexp.MustCompile(`(?:^|\s)(?:host|hostaddr|port|dbname|user|password|passfile|service|sslmode)\s*=`)
)

// checkAddress refuses what is neither a file path nor an address of PostgreSQL,
// without repeating it: it may hold a password.
func checkAddress(what, target string) error {
	if isPostgres(target) {
		return nil
	}
	if m := schemed.FindStringSubmatch(target); m != nil {
		return usagef("%s: unknown scheme %s://: expected a file path or postgres://USER:PASSWORD@HOST/DATABASE", what, m[1])
	}
	if keyworded.MatchString(target) {
		return usagef("%s: keywords (host=… dbname=…) are not supported: expected a file path or postgres://USER:PASSWORD@HOST/DATABASE", what)
	}
	return nil
}

// fromEnvironment reads the addresses in a variable: one, or several of
// categories with spaces between them.
func fromEnvironment(text string) []string {
	parts := strings.Fields(text)
	for _, p := range parts {
		if !strings.HasPrefix(p, string(market.Crypto)+"=") && !strings.HasPrefix(p, string(market.Sports)+"=") {
			return []string{text}
		}
	}
	return parts
}

// open opens the archive that a command about one category reads: the one given,
// or the demo archive, which is made on first use.
func (a *app) open(ctx context.Context, given []string, c market.Category) (*archive.Archive, error) {
	addrs, err := a.addresses(given)
	if err != nil {
		return nil, err
	}
	if len(addrs) == 0 {
		return a.openDemo(ctx)
	}
	for _, addr := range addrs {
		if addr.category == "" || addr.category == c {
			return a.openOne(ctx, addr.target)
		}
	}
	return nil, usagef("none of the archives is for %s: add --archive %s=ADDR", c, c)
}

// reader is an archive, or several as one, to be read.
type reader interface {
	api.Catalogue
	replay.Source
	Remember(bytes int)
	Address() string
	Close() error
}

// read opens what a reading command is given: one archive, or those of the
// categories as one.
func (a *app) read(ctx context.Context, given []string) (reader, error) {
	addrs, err := a.addresses(given)
	if err != nil {
		return nil, err
	}
	if len(addrs) == 0 || addrs[0].category == "" {
		ar, err := a.open(ctx, given, market.Crypto)
		if err != nil {
			return nil, err
		}
		return ar, nil
	}
	places := make([]archive.Place, len(addrs))
	for i, addr := range addrs {
		places[i] = archive.Place{Category: addr.category, Address: addr.target}
	}
	u, absent, err := archive.OpenUnion(ctx, places, a.openLater)
	if err != nil {
		return nil, err
	}
	for _, err := range absent {
		a.say("%v. Going on without it until it answers.", err)
	}
	return u, nil
}

// readOnce is read for a command that replays over what it is given, and ends.
func (a *app) readOnce(ctx context.Context, given []string) (reader, error) {
	ar, err := a.read(ctx, given)
	if one, ok := ar.(*archive.Archive); ok && err == nil {
		one.Once()
	}
	return ar, err
}

// openOne opens an archive that is there.
func (a *app) openOne(ctx context.Context, target string) (*archive.Archive, error) {
	return archive.Open(ctx, target, func(ctx context.Context, target string) (s store.Store, away, err error) {
		if isPostgres(target) {
			s, err := postgres.Open(ctx, target)
			return a.withPacks(s, target, err), nil, err
		}
		opened, err := sqlite.Open(ctx, target)
		return a.withPacks(opened, target, err), nil, err
	})
}

// withPacks lets a store that was opened without an error read packs; nil after one.
func (a *app) withPacks(s interface {
	store.Store
	UsePacks(r store.PackReader)
}, target string, err error) store.Store {
	if err != nil {
		return nil
	}
	s.UsePacks(a.packs(target))
	return s
}

// openLater opens the store of one archive of several: a server that does not
// answer now is asked again when something of it is needed.
func (a *app) openLater(ctx context.Context, target string) (s store.Store, away, err error) {
	if isPostgres(target) {
		s, away, err := postgres.OpenLater(ctx, target)
		return a.withPacks(s, target, err), away, err
	}
	opened, err := sqlite.Open(ctx, target)
	return a.withPacks(opened, target, err), nil, err
}

// create opens an archive for writing, making or migrating it, and says so.
func (a *app) create(ctx context.Context, target string) (*archive.Archive, error) {
	var s store.Store
	var notice string
	var err error
	if isPostgres(target) {
		var opened *postgres.Store
		opened, notice, err = postgres.Create(ctx, target)
		s = a.withPacks(opened, target, err)
	} else {
		var opened *sqlite.Store
		opened, notice, err = sqlite.Create(ctx, target)
		s = a.withPacks(opened, target, err)
	}
	if notice != "" {
		a.say("%s", notice)
	}
	if err != nil {
		return nil, err
	}
	return archive.New(s), nil
}

// createArchive makes an archive in a new file, without a word.
func createArchive(ctx context.Context, path string) (*archive.Archive, error) {
	s, _, err := sqlite.Create(ctx, path)
	if err != nil {
		return nil, err
	}
	return archive.New(s), nil
}

// toWrite returns the one archive that a writing command is given.
func (a *app) toWrite(given []string, command string) (string, error) {
	addrs, err := a.addresses(given)
	switch {
	case err != nil:
		return "", err
	case len(addrs) == 0:
		return "", usagef("%s needs --archive FILE (or $%s): an existing archive, or where to create one", command, archiveEnv)
	case len(addrs) > 1:
		return "", usagef("%s writes to one archive, got %d", command, len(addrs))
	}
	return addrs[0].target, a.notDemo(addrs[0].target)
}

// notDemo refuses to write to the demo archive.
func (a *app) notDemo(target string) error {
	if demo := demoName(); filepath.Base(target) == demo {
		return usagef("%s is the demo archive, which is read-only: write to another file", target)
	}
	return nil
}

// archiveToWrite adds --archive to a command that writes.
func (a *app) archiveToWrite(flags *pflag.FlagSet) *[]string {
	return flags.StringArray("archive", nil, "the archive at `ADDR` to write to: a file, or postgres://… (default $"+archiveEnv+")")
}

// openDemo opens the demo archive and says that it is simulated. One that is not
// what was made is refused.
func (a *app) openDemo(ctx context.Context) (*archive.Archive, error) {
	path, err := a.demo(ctx)
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
	if a.table {
		a.overDemo = true
	} else {
		a.say(demoNotice)
	}
	return ar, nil
}

// demoNotice goes with every result over the demo archive: on standard output
// under a table, else on standard error.
const demoNotice = "Over the demo archive: its rounds are simulated, no exchange made them."

func demoName() string { return fmt.Sprintf("demo-%d-%d.db", sqlite.Version, simulate.Generation) }

// demoPath returns where the demo archive is, or is to be made.
func (a *app) demoPath() (string, error) {
	dir, err := a.cacheDir()
	return filepath.Join(dir, demoName()), err
}

// demo returns the path of the demo archive, building it if there is none. It is
// built under another name and renamed, so that an interrupted build never passes
// for a complete one. If two processes need it at once, one builds it and the
// other waits.
func (a *app) demo(ctx context.Context) (string, error) {
	path, err := a.demoPath()
	if err != nil {
		return "", err
	}
	if made, err := isThere(path); made || err != nil {
		return path, err
	}
	lock := flock.New(filepath.Join(filepath.Dir(path), "demo-making.lock"))
	if locked, err := lock.TryLock(); err == nil && !locked {
		a.say("Waiting for another process to build the demo archive.")
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

func (a *app) makeDemoAt(ctx context.Context, path string) error {
	dir := filepath.Dir(path)
	a.say("Building the demo archive of simulated rounds in %s (once).", path)
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
var demoFile = regexp.MustCompile(`^demo-\d+(-\d+)?\.db(-wal|-shm)?$`)

// removeOldDemos takes demo archives of other versions out of the cache, and
// what was left of making one. Whatever cannot be removed stays.
func removeOldDemos(dir string) {
	entries, _ := os.ReadDir(dir) // none when it cannot be read
	for _, e := range entries {
		if demoFile.MatchString(e.Name()) && !strings.HasPrefix(e.Name(), demoName()) {
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

// cacheDir returns a folder that can be written to: $LADDERBACK_CACHE, else the
// user's cache folder, else a temporary one, with a message.
func (a *app) cacheDir() (string, error) {
	if dir := a.getenv("LADDERBACK_CACHE"); dir != "" {
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
	a.say("No cache folder (%v): using %s; set LADDERBACK_CACHE to choose another.", err, temp)
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
