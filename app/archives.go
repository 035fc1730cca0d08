package app

import (
	"context"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/ladderback/ladderback/api"
	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/postgres"
	"github.com/ladderback/ladderback/archive/sqlite"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
)

// ArchiveEnv names the variable with the default of --archive.
const ArchiveEnv = "LADDERBACK_ARCHIVE"

// Address is where an archive is, and which category it is asked for.
type Address struct {
	Category market.Category // empty: every category
	Target   string          // a file path or postgres://…
}

// Addresses reads the values of --archive, else of the environment. None means
// the demo archive.
func (a *App) Addresses(given []string) ([]Address, error) {
	if len(given) == 0 {
		given = fromEnvironment(a.Getenv(ArchiveEnv))
	}
	out := make([]Address, 0, len(given))
	for _, text := range given {
		addr := Address{Target: text}
		for _, c := range []market.Category{market.Crypto, market.Sports} {
			if rest, ok := strings.CutPrefix(text, string(c)+"="); ok {
				addr = Address{Category: c, Target: rest}
			}
		}
		if addr.Target == "" {
			return nil, Usagef("--archive %q: expected a file path or postgres://…", text)
		}
		if err := CheckAddress("--archive", addr.Target); err != nil {
			return nil, err
		}
		for _, other := range out {
			if addr.Category != "" && addr.Category == other.Category {
				return nil, Usagef("--archive %s: %s already has one: %s", text, addr.Category, other.Target)
			}
		}
		out = append(out, addr)
	}
	if len(out) > 1 {
		for _, addr := range out {
			if addr.Category == "" {
				return nil, Usagef("--archive %s: with several archives, each needs a category: crypto=%s or sports=%s",
					addr.Target, addr.Target, addr.Target)
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

// CheckAddress refuses what is neither a file path nor an address of PostgreSQL,
// without repeating it: it may hold a password.
func CheckAddress(what, target string) error {
	if IsPostgres(target) {
		return nil
	}
	if m := schemed.FindStringSubmatch(target); m != nil {
		return Usagef("%s: unknown scheme %s://: expected a file path or postgres://USER:PASSWORD@HOST/DATABASE", what, m[1])
	}
	if keyworded.MatchString(target) {
		return Usagef("%s: keywords (host=… dbname=…) are not supported: expected a file path or postgres://USER:PASSWORD@HOST/DATABASE", what)
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

// Open opens the archive that a command about one category reads: the one given,
// or the demo archive, which is made on first use.
func (a *App) Open(ctx context.Context, given []string, c market.Category) (*archive.Archive, error) {
	addrs, err := a.Addresses(given)
	if err != nil {
		return nil, err
	}
	if len(addrs) == 0 {
		return a.openDemo(ctx)
	}
	for _, addr := range addrs {
		if addr.Category == "" || addr.Category == c {
			return a.OpenOne(ctx, addr.Target)
		}
	}
	return nil, Usagef("none of the archives is for %s: add --archive %s=ADDR", c, c)
}

// Reader is an archive, or several as one, to be read.
type Reader interface {
	api.Catalogue
	replay.Source
	Remember(bytes int)
	// StoreOf returns the store that has the market; nil: none has.
	StoreOf(m *market.Market) store.Store
	Address() string
	Close() error
}

// Read opens what a reading command is given: one archive, or those of the
// categories as one.
func (a *App) Read(ctx context.Context, given []string) (Reader, error) {
	addrs, err := a.Addresses(given)
	if err != nil {
		return nil, err
	}
	if len(addrs) == 0 || addrs[0].Category == "" {
		ar, err := a.Open(ctx, given, market.Crypto)
		if err != nil {
			return nil, err
		}
		return ar, nil
	}
	places := make([]archive.Place, len(addrs))
	for i, addr := range addrs {
		places[i] = archive.Place{Category: addr.Category, Address: addr.Target}
	}
	u, absent, err := archive.OpenUnion(ctx, places, a.openLater)
	if err != nil {
		return nil, err
	}
	for _, err := range absent {
		a.Say("%v. Going on without it until it answers.", err)
	}
	return u, nil
}

// OpenOne opens an archive that is there.
func (a *App) OpenOne(ctx context.Context, target string) (*archive.Archive, error) {
	return archive.Open(ctx, target, func(ctx context.Context, target string) (s store.Store, away, err error) {
		if IsPostgres(target) {
			s, err := postgres.Open(ctx, target)
			return a.withPacks(s, target, err), nil, err
		}
		opened, err := sqlite.Open(ctx, target)
		return a.withPacks(opened, target, err), nil, err
	})
}

// withPacks lets a store that was opened without an error read packs; nil after one.
func (a *App) withPacks(s interface {
	store.Store
	UsePacks(r store.PackReader)
}, target string, err error) store.Store {
	if err != nil {
		return nil
	}
	s.UsePacks(a.Packs(target))
	return s
}

// openLater opens the store of one archive of several: a server that does not
// answer now is asked again when something of it is needed.
func (a *App) openLater(ctx context.Context, target string) (s store.Store, away, err error) {
	if IsPostgres(target) {
		s, away, err := postgres.OpenLater(ctx, target)
		return a.withPacks(s, target, err), away, err
	}
	opened, err := sqlite.Open(ctx, target)
	return a.withPacks(opened, target, err), nil, err
}

// Create opens an archive for writing, making or migrating it, and says so.
func (a *App) Create(ctx context.Context, target string) (*archive.Archive, error) {
	var s store.Store
	var notice string
	var err error
	if IsPostgres(target) {
		var opened *postgres.Store
		opened, notice, err = postgres.Create(ctx, target)
		s = a.withPacks(opened, target, err)
	} else {
		var opened *sqlite.Store
		opened, notice, err = sqlite.Create(ctx, target)
		s = a.withPacks(opened, target, err)
	}
	if notice != "" {
		a.Say("%s", notice)
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

// ToWrite returns the one archive that a writing command is given.
func (a *App) ToWrite(given []string, command string) (string, error) {
	addrs, err := a.Addresses(given)
	switch {
	case err != nil:
		return "", err
	case len(addrs) == 0 && strings.HasPrefix(command, "archive "): // creates none
		return "", Usagef("%s needs --archive FILE (or $%s)", command, ArchiveEnv)
	case len(addrs) == 0:
		return "", Usagef("%s needs --archive FILE (or $%s): an existing archive, or where to create one", command, ArchiveEnv)
	case len(addrs) > 1:
		return "", Usagef("%s writes to one archive, got %d", command, len(addrs))
	}
	return addrs[0].Target, a.NotDemo(addrs[0].Target)
}

// NotDemo refuses to write to the demo archive.
func (a *App) NotDemo(target string) error {
	if demo := DemoName(); filepath.Base(target) == demo {
		return Usagef("%s is the demo archive, which is read-only: write to another file", target)
	}
	return nil
}

// ArchiveNames names archives as a report does: files without their folders,
// databases without address and password.
func (a *App) ArchiveNames(archives []string) string {
	addrs, err := a.Addresses(archives)
	if err != nil || len(addrs) == 0 {
		return "the demo archive"
	}
	names := make([]string, len(addrs))
	for i, addr := range addrs {
		names[i] = filepath.Base(addr.Target)
		if IsPostgres(addr.Target) {
			names[i] = "a PostgreSQL archive"
		}
	}
	return strings.Join(names, " and ")
}

// Given returns the archives that a command was given, by flag or environment.
func (a *App) Given(archives []string) []string {
	if len(archives) == 0 {
		return fromEnvironment(a.Getenv(ArchiveEnv))
	}
	return archives
}
