package file

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/driver"

	"github.com/ladderback/ladderback/archive/sqlite/fresh"
	"github.com/ladderback/ladderback/archive/sqlite/indexes"
	"github.com/ladderback/ladderback/archive/sqlite/short"
	"github.com/ladderback/ladderback/archive/sqlite/sieve"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/sqlstore"
	"github.com/ladderback/ladderback/market"
)

const (
	// ApplicationID is what the file says that it is.
	ApplicationID = 0x4c424b48 // "LBKH"; "LBKG" had tags by row
	// Version is the version of the archive that this package reads and writes.
	Version = 1

	pageSize    = 16384
	busyTimeout = 20 * time.Second
	// readerKiB is of cache a connection: most pages with captures are read once, and
	// memory that is touched first costs more than reading a page again.
	readerKiB    = 2 << 10
	writerKiB    = 32 << 10
	journalBytes = 64 << 20
	maxBytes     = 64 << 20 // of one value: a damaged file asks for no more memory
)

// Settings are how a file is opened.
type Settings struct {
	VFS    string           // the file system of SQLite; empty: that of sqlstore
	Wait   time.Duration    // for another process to finish writing
	Schema *sqlstore.Schema // the tables, and the versions of them
}

// Defaults returns the settings of a program.
func Defaults() Settings { return Settings{Wait: busyTimeout, Schema: &schema} }

// Mode says how a file is opened.
type Mode struct {
	query    string // of the URI
	ReadOnly bool
}

var (
	// ReadWrite is for reading and writing; a transaction that is begun will write.
	ReadWrite = Mode{"mode=rw&_txlock=immediate", false}
	// ReadOnly is for reading beside those who write.
	ReadOnly = Mode{"mode=ro", true}
	// Immutable needs neither locks nor files beside the archive's, and may be
	// used only when nobody writes.
	Immutable = Mode{"mode=ro&immutable=1", true}
)

// Modes returns the ways to open the file at path, the first to be tried first.
func Modes(path string, ro bool) []Mode {
	modes := []Mode{ReadWrite, ReadOnly}
	if ro {
		modes = modes[1:]
	}
	if noLog(path) {
		modes = append(modes, Immutable)
		if ro && !Journalled(path) {
			// Reading in WAL mode would make files beside the archive.
			modes = []Mode{Immutable, ReadOnly}
			if writable(path) {
				modes = []Mode{ReadOnly, Immutable}
			}
		}
	}
	return modes
}

// Connect makes a pool of connections that have the settings this package
// relies on, and refuses to make one that has not.
func Connect(path string, m Mode, reader bool, o Settings) (*sql.DB, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	uri := url.URL{Scheme: "file", Path: abs, RawQuery: m.query}
	sqlstore.RegisterFiles()
	uri.RawQuery += "&vfs=" + url.QueryEscape(cmp.Or(o.VFS, sqlstore.FileSystem))
	cache := writerKiB
	if reader {
		cache = readerKiB
	}
	set := [][2]string{
		{"synchronous", "2"}, {"trusted_schema", "0"}, {"cell_size_check", "1"},
		{"foreign_keys", "0"}, {"temp_store", "2"}, {"cache_size", fmt.Sprint(-cache)},
	}
	if !m.ReadOnly {
		set = append(set, [2]string{"journal_size_limit", fmt.Sprint(journalBytes)})
	}
	if reader {
		set = append(set, [2]string{"query_only", "1"})
	}
	return driver.Open(uri.String(), func(c *sqlite3.Conn) error {
		if err := c.BusyTimeout(o.Wait); err != nil {
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
		if err := errors.Join(sieve.Register(c), indexes.Register(c)); err != nil {
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
	{"event_id", 2, eventID},
	{"token_id", 2, tokenIDOf},
	{"in_rows", 2, inRows},
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

// eventID is store.EventID, for statements.
func eventID(ctx sqlite3.Context, of ...sqlite3.Value) {
	ctx.ResultInt64(int64(store.EventID(market.Venue(of[0].Text()), of[1].Text())))
}

// tokenIDOf is store.TokenID, for statements.
func tokenIDOf(ctx sqlite3.Context, of ...sqlite3.Value) {
	ctx.ResultInt64(int64(store.TokenID(market.Venue(of[0].Text()), of[1].Text())))
}

// inRows is short.HasRow, for statements.
func inRows(ctx sqlite3.Context, of ...sqlite3.Value) {
	ctx.ResultBool(short.HasRow(of[0].RawBlob(), of[1].Int64()))
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

// CheckVersion refuses files that are no archive of the version of known; db has the file open.
func CheckVersion(ctx context.Context, path string, db *sql.DB, known *sqlstore.Schema) error {
	have, err := version(ctx, path, db, known)
	switch want := known.Latest(sqlstore.SQLite); {
	case err != nil:
		return err
	case have > want:
		return newer(path, have, want)
	case !checksummed(path):
		return fmt.Errorf("%s: %w: its header says that pages have no checksums", path, store.ErrDamaged)
	case have < want:
		return fmt.Errorf("%s: %w: version %d, this program reads %d: `ladderback import` upgrades it", path, store.ErrOlder, have, want)
	}
	return nil
}

// version returns the version of the archive in a file, and an error if there is none.
func version(ctx context.Context, path string, db *sql.DB, known *sqlstore.Schema) (int, error) {
	var app int64
	if err := db.QueryRowContext(ctx, "PRAGMA application_id").Scan(&app); err != nil {
		return 0, Failure(path, err)
	}
	if app != ApplicationID {
		return 0, fmt.Errorf("%s: not a Ladderback archive of a released version: %w", path, store.ErrNoStore)
	}
	have, err := known.Version(ctx, db, sqlstore.SQLite)
	if err == nil && have == 0 {
		return 0, fmt.Errorf("%s: not an archive of a released version: %w: import its captures anew", path, store.ErrNoStore)
	}
	return have, Failure(path, err)
}

func newer(path string, have, want int) error {
	return fmt.Errorf("%s: %w: version %d, this program reads up to %d", path, store.ErrNewer, have, want)
}
