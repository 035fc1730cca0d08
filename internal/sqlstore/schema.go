package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"time"
)

// What Check and Migrate say of tables that are not this program's. The message
// says both versions.
var (
	ErrNone  = errors.New("has no tables yet")
	ErrOlder = errors.New("older than this program")
	ErrNewer = errors.New("newer than this program: use a newer one")
)

// Schema is the tables of one part of the program, as numbered migrations that
// lead to them. The number of the last one is the version of the tables.
type Schema struct {
	// Part names the row in the table of versions.
	Part string
	// Migrations has a folder for each dialect, "postgres" and "sqlite", with
	// files 0001_name.sql, 0002_name.sql and so on, without a gap. Each is a
	// sequence of statements that may stand in a transaction.
	Migrations fs.FS
}

// Folder returns a folder of files that are embedded in the program. It panics if
// the name is not valid.
func Folder(files fs.FS, name string) fs.FS {
	sub, err := fs.Sub(files, name)
	if err != nil {
		panic(err)
	}
	return sub
}

// Change is what Migrate did: the version before, 0 for none, and after. They
// are the same when there was nothing to do.
type Change struct{ From, To int }

const (
	versionTable = "ladderback_versions"
	// migrationLock is the number of the advisory lock in PostgreSQL under which
	// tables are made and migrated.
	migrationLock = 0x6c61646465726d67
	// How long another migration is waited for, and how often it is looked
	// whether it is over.
	lockPatience = 10 * time.Minute
	lockPause    = 50 * time.Millisecond
)

// Latest returns the version of the tables that this program works with. It
// panics if the migrations of the dialect are not numbered without a gap: they
// are part of the program.
func (s *Schema) Latest(d Dialect) int {
	files, err := s.files(d)
	if err != nil {
		panic(err)
	}
	return len(files)
}

// files returns the names of the migrations, in order.
func (s *Schema) files(d Dialect) ([]string, error) {
	files, err := fs.Glob(s.Migrations, path.Join(string(d), "*.sql"))
	if err != nil {
		return nil, err
	}
	for i, file := range files {
		number, _, _ := strings.Cut(path.Base(file), "_")
		if n, err := strconv.Atoi(number); err != nil || n != i+1 {
			return nil, fmt.Errorf("migration %s of %s: expected number %d", file, s.Part, i+1)
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no migration of %s in folder %s", s.Part, d)
	}
	return files, nil
}

// querier is a database or a transaction.
type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// Version returns the version of the part's tables in db, 0 when there are none.
func (s *Schema) Version(ctx context.Context, db *sql.DB, d Dialect) (int, error) {
	return s.version(ctx, db, d)
}

func (s *Schema) version(ctx context.Context, db querier, d Dialect) (version int, err error) {
	// Of rows: what a connection remembers of names may be older than the lock.
	exists := `SELECT count(*) > 0 FROM pg_catalog.pg_class WHERE relname = '` + versionTable + `' AND pg_table_is_visible(oid)`
	if d == SQLite {
		exists = `SELECT count(*) > 0 FROM sqlite_schema WHERE type = 'table' AND name = '` + versionTable + `'`
	}
	var there bool
	if err := db.QueryRowContext(ctx, exists).Scan(&there); err != nil || !there {
		return 0, err
	}
	err = db.QueryRowContext(ctx, d.Spell(`SELECT version FROM `+versionTable+` WHERE part = $1`), s.Part).Scan(&version)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return version, err
}

// Check returns nil if the part's tables in db have this program's version, and
// ErrNone, ErrOlder or ErrNewer if not.
func (s *Schema) Check(ctx context.Context, db *sql.DB, d Dialect) error {
	have, err := s.Version(ctx, db, d)
	if err != nil {
		return err
	}
	return s.compare(have, s.Latest(d))
}

func (s *Schema) compare(have, want int) error {
	switch {
	case have == 0:
		return fmt.Errorf("%s: %w", s.Part, ErrNone)
	case have < want:
		return fmt.Errorf("%s: version %d of the tables, this program's is %d: %w", s.Part, have, want, ErrOlder)
	case have > want:
		return fmt.Errorf("%s: version %d of the tables, this program's is %d: %w", s.Part, have, want, ErrNewer)
	}
	return nil
}

// Migrate makes the part's tables or brings them to this program's version. It
// refuses a newer one with ErrNewer.
//
// All of it is one transaction: a process that is killed meanwhile leaves the
// database as it was. Any number of processes may call it at the same time: one
// migrates, the others wait for it and change nothing. It needs one connection.
func (s *Schema) Migrate(ctx context.Context, db *sql.DB, d Dialect) (c Change, err error) {
	files, err := s.files(d)
	if err != nil {
		return Change{}, err
	}
	c.From, err = s.Version(ctx, db, d)
	c.To = c.From
	if err != nil || c.From == len(files) {
		return c, err // without the permission to write, too
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if err = begin(ctx, conn, d); err == nil {
		err = s.locked(ctx, conn, d, files, &c)
	}
	if err == nil {
		_, err = conn.ExecContext(ctx, `COMMIT`)
	}
	if err != nil {
		c.To = c.From
		_, _ = conn.ExecContext(context.WithoutCancel(ctx), `ROLLBACK`) // it may never have begun
	}
	return c, err
}

// begin begins a transaction of conn in which nobody else migrates. A server is asked
// again and again for the lock, by transactions that end at once: those that wait leave
// a small pool, of a pooler too, to the one that works.
func begin(ctx context.Context, conn *sql.Conn, d Dialect) error {
	if d == SQLite {
		_, err := conn.ExecContext(ctx, `BEGIN IMMEDIATE`)
		return err
	}
	for end := time.Now().Add(lockPatience); ; {
		var locked bool
		if _, err := conn.ExecContext(ctx, `BEGIN`); err != nil {
			return err
		}
		if err := conn.QueryRowContext(ctx, `SELECT pg_try_advisory_xact_lock($1)`, int64(migrationLock)).Scan(&locked); err != nil || locked {
			return err
		}
		if _, err := conn.ExecContext(ctx, `ROLLBACK`); err != nil {
			return err
		}
		if time.Now().After(end) {
			return fmt.Errorf("somebody else has been migrating for %v", lockPatience)
		}
		select {
		case <-time.After(lockPause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// locked runs the migrations that are due, in the transaction of conn.
func (s *Schema) locked(ctx context.Context, conn *sql.Conn, d Dialect, files []string, c *Change) (err error) {
	if c.From, err = s.version(ctx, conn, d); err != nil {
		return err
	}
	c.To = c.From
	if c.From > len(files) {
		return s.compare(c.From, len(files))
	}
	for _, file := range files[c.From:] {
		text, err := fs.ReadFile(s.Migrations, file)
		if err != nil {
			return err
		}
		if _, err := conn.ExecContext(ctx, string(text)); err != nil {
			return fmt.Errorf("%s, migration %s: %w", s.Part, path.Base(file), err)
		}
		c.To++
	}
	if c.To == c.From {
		return nil
	}
	if _, err := conn.ExecContext(ctx, `CREATE TABLE IF NOT EXISTS `+versionTable+` (part text NOT NULL PRIMARY KEY, version bigint NOT NULL)`); err != nil {
		return err
	}
	_, err = conn.ExecContext(ctx, d.Spell(`INSERT INTO `+versionTable+` (part, version) VALUES ($1, $2)
		ON CONFLICT (part) DO UPDATE SET version = excluded.version`), s.Part, c.To)
	return err
}
