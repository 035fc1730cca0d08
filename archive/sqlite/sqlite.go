// Package sqlite keeps an archive in one file, through SQLite.
//
// The file is in WAL mode with synchronous=FULL: a transaction that has been
// reported as done survives a crash of the process and a power failure. One
// process writes at a time, while any number read, each on a snapshot.
package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/driver"

	"github.com/ladderback/ladderback/archive/sqlite/fresh"
	"github.com/ladderback/ladderback/archive/sqlite/overwrite"
	"github.com/ladderback/ladderback/archive/sqlite/pool"
	"github.com/ladderback/ladderback/archive/sqlite/short"
	"github.com/ladderback/ladderback/archive/sqlite/sieve"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/sqlstore"
	"github.com/ladderback/ladderback/market"
)

const (
	// ApplicationID is what the file says that it is.
	ApplicationID = 0x4c424b46 // "LBKF"; "LBKE" had other sets for searches
	// Version is the version of the archive that this package reads and writes.
	Version = 1

	pageSize    = 16384
	busyTimeout = 20 * time.Second
	maxReaders  = 8
	// readerKiB is of cache a connection: most pages with captures are read once, and
	// memory that is touched first costs more than reading a page again.
	readerKiB    = 2 << 10
	writerKiB    = 32 << 10
	journalBytes = 64 << 20
	maxBytes     = 64 << 20 // of one value: a damaged file asks for no more memory
)

// Open opens the archive in the file at path, for reading and, where the system
// allows it, for writing. It neither creates nor migrates: an older archive is
// store.ErrOlder, a newer one store.ErrNewer, no file store.ErrNoStore.
func Open(ctx context.Context, path string, options ...option) (*Store, error) {
	return open(ctx, path, false, settingsOf(options))
}

// OpenReadOnly is Open without writes: no file is created or changed, and no
// permission to do so is needed.
func OpenReadOnly(ctx context.Context, path string, options ...option) (*Store, error) {
	return open(ctx, path, true, settingsOf(options))
}

// Create opens the archive in the file at path for writing, creating the file
// if there is none and migrating an older archive after saving a copy of it.
// notice describes, for people, what was done; it is empty if nothing was.
func Create(ctx context.Context, path string, options ...option) (s *Store, notice string, err error) {
	o := settingsOf(options)
	if notice, err = prepare(ctx, path, o); err != nil {
		return nil, "", err
	}
	if s, err = open(ctx, path, false, o); err != nil {
		return nil, "", err
	}
	return s, notice, nil
}

// option changes how a file is opened; only tests do.
type option func(*settings)

type settings struct {
	vfs    string
	wait   time.Duration
	schema *sqlstore.Schema
	walk   int
}

func settingsOf(options []option) settings {
	s := settings{wait: busyTimeout, schema: &schema, walk: walkRows}
	for _, o := range options {
		o(&s)
	}
	return s
}

// Store is an archive.Store in one file.
type Store struct {
	path    string
	file    os.FileInfo // of the file that was opened
	readers *pool.Pool
	watch   watch
	writer  *pool.Pool       // nil: read-only
	packs   store.PackReader // nil: none
	known   sync.Map         // store.Pack by its ID
	walk    int              // walkRows
	// original is the file as SQLite left it.
	original overwrite.Watch
}

// mode says how a file is opened.
type mode struct {
	query    string // of the URI
	readOnly bool
}

var (
	readWrite = mode{"mode=rw&_txlock=immediate", false}
	readOnly  = mode{"mode=ro", true}
	// immutable needs neither locks nor files beside the archive's, and may be
	// used only when nobody writes.
	immutable = mode{"mode=ro&immutable=1", true}
)

func open(ctx context.Context, path string, ro bool, o settings) (*Store, error) {
	if err := checkFile(path); err != nil {
		return nil, err
	}
	modes := []mode{readWrite, readOnly}
	if ro {
		modes = modes[1:]
	}
	if noLog(path) {
		modes = append(modes, immutable)
		if ro && !journalled(path) {
			// Reading in WAL mode would make files beside the archive.
			modes = []mode{immutable, readOnly}
			if writable(path) {
				modes = []mode{readOnly, immutable}
			}
		}
	}
	var first error
	for _, m := range modes {
		s, err := openMode(ctx, path, m, o)
		if err == nil {
			return s, nil
		}
		if first == nil {
			first = err
		}
		if !cannotWrite(err) {
			break
		}
	}
	return nil, first
}

func openMode(ctx context.Context, path string, m mode, o settings) (*Store, error) {
	s := &Store{path: path, walk: o.walk}
	s.original.Never = m == immutable
	var err error
	if s.file, err = os.Stat(path); err != nil {
		return nil, err
	}
	db, err := connect(path, m, true, o)
	if err != nil {
		return nil, s.fail(err)
	}
	s.readers = pool.New(db, min(maxReaders, 2+2*runtime.GOMAXPROCS(0)))
	if db, err = connect(path, m, true, o); err != nil {
		return nil, errors.Join(s.fail(err), s.Close())
	}
	s.watch.pool = pool.New(db, 1)
	if err := s.check(ctx, o.schema); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if !m.readOnly {
		if db, err = connect(path, m, false, o); err != nil {
			return nil, errors.Join(s.fail(err), s.Close())
		}
		s.writer = pool.New(db, 1)
		if err := s.writer.DB.PingContext(ctx); err != nil {
			return nil, errors.Join(s.fail(err), s.Close())
		}
	}
	if err := s.inPlace(); err != nil { // replaced meanwhile
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// connect makes a pool of connections that have the settings this package
// relies on, and refuses to make one that has not.
func connect(path string, m mode, reader bool, o settings) (*sql.DB, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	uri := url.URL{Scheme: "file", Path: abs, RawQuery: m.query}
	sqlstore.RegisterFiles()
	uri.RawQuery += "&vfs=" + url.QueryEscape(cmp.Or(o.vfs, sqlstore.FileSystem))
	cache := writerKiB
	if reader {
		cache = readerKiB
	}
	set := [][2]string{
		{"synchronous", "2"}, {"trusted_schema", "0"}, {"cell_size_check", "1"},
		{"foreign_keys", "0"}, {"temp_store", "2"}, {"cache_size", fmt.Sprint(-cache)},
	}
	if !m.readOnly {
		set = append(set, [2]string{"journal_size_limit", fmt.Sprint(journalBytes)})
	}
	if reader {
		set = append(set, [2]string{"query_only", "1"})
	}
	return driver.Open(uri.String(), func(c *sqlite3.Conn) error {
		if err := c.BusyTimeout(o.wait); err != nil {
			return err
		}
		if err := fresh.Track(c); err != nil {
			return err
		}
		c.Limit(sqlite3.LIMIT_LENGTH, maxBytes)
		for _, f := range functions {
			if err := c.CreateFunction(f.name, f.args, sqlite3.DETERMINISTIC|sqlite3.INNOCUOUS, f.call); err != nil {
				return err
			}
		}
		if err := sieve.Register(c); err != nil {
			return err
		}
		for _, p := range set {
			if err := assertPragma(c, p[0], p[1]); err != nil {
				return err
			}
		}
		return nil
	})
}

// functions are those that statements call.
var functions = []struct {
	name string
	args int
	call sqlite3.ScalarFunction
}{
	{"market_text", 3, marketText},
	{"market_id", 2, marketID},
	{"token_id", 2, tokenIDOf},
}

// marketText is store.SearchText of a market's question and slug, of what is stored
// of them and its public id, for statements.
func marketText(ctx sqlite3.Context, of ...sqlite3.Value) {
	ctx.ResultText(store.SearchText(of[0].Text(), short.LongSlug(of[1].Text(), of[2].Text())))
}

// marketID is store.MarketID, for statements.
func marketID(ctx sqlite3.Context, of ...sqlite3.Value) {
	ctx.ResultInt64(int64(store.MarketID(market.Venue(of[0].Text()), of[1].Text())))
}

// tokenIDOf is store.TokenID, for statements.
func tokenIDOf(ctx sqlite3.Context, of ...sqlite3.Value) {
	ctx.ResultInt64(int64(store.TokenID(market.Venue(of[0].Text()), of[1].Text())))
}

// assertPragma sets a pragma and checks that it holds: SQLite ignores those
// that it does not know.
func assertPragma(c *sqlite3.Conn, name, value string) error {
	if err := c.Exec("PRAGMA " + name + " = " + value); err != nil {
		return err // of the file rather than of the pragma: the first thing to need it
	}
	got, err := pragma(c, name)
	if err != nil {
		return err
	}
	if got != value {
		return fmt.Errorf("pragma %s is %q: expected %s", name, got, value)
	}
	return nil
}

func pragma(c *sqlite3.Conn, name string) (string, error) {
	st, _, err := c.Prepare("PRAGMA " + name)
	if err != nil {
		return "", fmt.Errorf("pragma %s: %w", name, err)
	}
	defer st.Close()
	if !st.Step() {
		return "", errors.Join(fmt.Errorf("pragma %s: no value", name), st.Err())
	}
	return st.ColumnText(0), nil
}

// check refuses files that are no archive of this version.
func (s *Store) check(ctx context.Context, known *sqlstore.Schema) error {
	have, err := version(ctx, s.path, s.readers.DB, known)
	switch want := known.Latest(sqlstore.SQLite); {
	case err != nil:
		return err
	case have > want:
		return newer(s.path, have, want)
	case !checksummed(s.path):
		return fmt.Errorf("%s: %w: its header says that pages have no checksums", s.path, store.ErrDamaged)
	case have < want:
		return fmt.Errorf("%s: %w: version %d, this program reads %d: `ladderback import` upgrades it", s.path, store.ErrOlder, have, want)
	}
	return nil
}

// version returns the version of the archive in a file, and an error if there is none.
func version(ctx context.Context, path string, db *sql.DB, known *sqlstore.Schema) (int, error) {
	var app int64
	if err := db.QueryRowContext(ctx, "PRAGMA application_id").Scan(&app); err != nil {
		return 0, failure(path, err)
	}
	if app != ApplicationID {
		return 0, fmt.Errorf("%s: not a Ladderback archive of a released version: %w", path, store.ErrNoStore)
	}
	have, err := known.Version(ctx, db, sqlstore.SQLite)
	if err == nil && have == 0 {
		return 0, fmt.Errorf("%s: not an archive of a released version: %w: import its captures anew", path, store.ErrNoStore)
	}
	return have, failure(path, err)
}

func newer(path string, have, want int) error {
	return fmt.Errorf("%s: %w: version %d, this program reads up to %d", path, store.ErrNewer, have, want)
}

// Address returns the path of the file.
func (s *Store) Address() string { return s.path }

// Close closes the file. The last user of the file merges the log beside it
// into the file, unless the file has been overwritten.
func (s *Store) Close() error {
	if s.original.Close(s.path) {
		s.watch.pool.LeaveLog()
		s.readers.LeaveLog()
		s.writer.LeaveLog()
	}
	return s.fail(errors.Join(s.watch.pool.Close(), s.readers.Close(), s.writer.Close()))
}

// Size returns the size in bytes of the file and the log beside it.
func (s *Store) Size(context.Context) (int64, error) {
	fi, err := os.Stat(s.path)
	if err != nil {
		return 0, err
	}
	n := fi.Size()
	if fi, err := os.Stat(s.path + "-wal"); err == nil {
		n += fi.Size()
	}
	return n, nil
}

var _ store.Connected = (*Store)(nil)

// Connections implements store.Connected.
func (s *Store) Connections() store.Connections {
	return store.Connections{Used: s.readers.Used(), Max: s.readers.Max()}
}
