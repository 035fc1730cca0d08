// Package sqlstore is how the parts of the program that keep tables get at them:
// an address becomes a database (Open), in one of two dialects (Dialect), with
// the tables of a part at this program's version (Schema).
//
// A part is an archive, the runs, the identities. Several parts may share one
// database or one file: each has its own row in the table of versions.
//
//	db, err := sqlstore.Open(ctx, addr, sqlstore.Options{Create: true})
//	...
//	_, err = schema.Migrate(ctx, db.DB, db.Dialect) // who creates
//	err = schema.Check(ctx, db.DB, db.Dialect)      // who only opens
//	...
//	rows, err := db.QueryContext(ctx, db.Dialect.Spell(query), args...)
package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/ncruces/go-sqlite3/driver"
)

// Dialect is a kind of database. Its text is the folder that migrations for it
// are in.
type Dialect string

// The dialects.
const (
	PostgreSQL Dialect = "postgres"
	SQLite     Dialect = "sqlite"
)

// DialectOf returns the dialect that an address is of: postgres://… and
// postgresql://… are of PostgreSQL, all others are paths of SQLite files.
func DialectOf(addr string) Dialect {
	if strings.HasPrefix(addr, "postgres://") || strings.HasPrefix(addr, "postgresql://") {
		return PostgreSQL
	}
	return SQLite
}

var spellings = map[Dialect]*strings.Replacer{
	PostgreSQL: strings.NewReplacer("{now}", "CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS bigint)"),
	SQLite: strings.NewReplacer("$", "?", "LEAST(", "min(", "GREATEST(", "max(",
		"{now}", "CAST(unixepoch('subsec') * 1000000 AS INTEGER)"),
}

// Spell turns a query written for PostgreSQL into the dialect's words: its
// parameters ($1), LEAST and GREATEST, and, for {now}, the database's clock in
// microseconds since 1970.
func (d Dialect) Spell(query string) string { return spellings[d].Replace(query) }

// Options say how Open opens a database.
type Options struct {
	Connections int  // at most so many, unless an address says pool_max_conns; 0: 4
	Create      bool // makes a file that does not exist; no folder, no database of a server
	ReadOnly    bool // a file is not written to
}

const defaultConnections = 4

// DB is an open database. It is safe for concurrent use.
type DB struct {
	*sql.DB
	Dialect Dialect
	Pool    *pgxpool.Pool // that DB takes its connections from; nil: a file
}

// Open opens the database at an address: postgres://…, or the path of a file. It
// looks at no table. A file that does not exist is fs.ErrNotExist without
// Options.Create. A server is first asked when the database is used.
func Open(ctx context.Context, addr string, o Options) (*DB, error) {
	if o.Connections == 0 {
		o.Connections = defaultConnections
	}
	if DialectOf(addr) == PostgreSQL {
		pool, err := Pool(ctx, addr, o.Connections)
		if err != nil {
			return nil, err
		}
		return &DB{DB: stdlib.OpenDBFromPool(pool), Dialect: PostgreSQL, Pool: pool}, nil
	}
	db, err := openFile(addr, o)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(o.Connections)
	return &DB{DB: db, Dialect: SQLite}, nil
}

func openFile(path string, o Options) (*sql.DB, error) {
	mode := "rw"
	switch fi, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist) && o.Create:
		if _, err := os.Stat(filepath.Dir(path)); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s: no folder %s: create it first", path, filepath.Dir(path))
		}
		mode = "rwc"
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: %w", path, fs.ErrNotExist)
	case err != nil:
		return nil, err
	case !fi.Mode().IsRegular(): // opening a FIFO waits for whoever writes to it
		return nil, fmt.Errorf("%s: not a regular file", path)
	}
	if o.ReadOnly {
		mode = "ro"
	}
	dsn := (&url.URL{Scheme: "file", OmitHost: true, Path: path}).String() + "?mode=" + mode +
		"&_txlock=immediate&_pragma=busy_timeout(10000)&_pragma=synchronous(normal)&_pragma=foreign_keys(1)"
	if checksummed(path) {
		RegisterFiles()
		dsn += "&vfs=" + FileSystem
	}
	db, err := driver.Open(dsn)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return db, nil
}

// Each passes every row that a query gives to take, until that fails.
func Each(ctx context.Context, on interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}, query string, args []any, take func(*sql.Rows) error) (err error) {
	rows, err := on.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := take(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// Close closes the database's connections.
func (db *DB) Close() error {
	err := db.DB.Close()
	if db.Pool != nil {
		db.Pool.Close()
	}
	return err
}

const (
	connectTimeout = 10 * time.Second // unless the address says connect_timeout
	pingTimeout    = 5 * time.Second
)

// Pool returns a pool of at most so many connections to a PostgreSQL server,
// unless the address says pool_max_conns. It makes none yet.
//
// Nothing is prepared by name, so that it works behind pgbouncer in transaction
// mode, and a connection that nobody answers on any more is found out within 30
// seconds.
func Pool(ctx context.Context, addr string, connections int) (*pgxpool.Pool, error) {
	cfg, err := pgxpool.ParseConfig(addr)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", Display(addr), err)
	}
	if !strings.Contains(addr, "pool_max_conns") {
		cfg.MaxConns = int32(connections)
	}
	c := cfg.ConnConfig
	if c.ConnectTimeout == 0 {
		c.ConnectTimeout = connectTimeout
	}
	c.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	if c.RuntimeParams["application_name"] == "" {
		c.RuntimeParams["application_name"] = "ladderback"
	}
	cfg.PingTimeout = pingTimeout
	c.DialFunc = (&net.Dialer{
		Timeout:         c.ConnectTimeout,
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 15 * time.Second, Interval: 5 * time.Second, Count: 3},
	}).DialContext
	return pgxpool.NewWithConfig(ctx, cfg)
}

// Display returns an address without its password, for messages.
func Display(addr string) string {
	if DialectOf(addr) == SQLite {
		return addr
	}
	u, err := url.Parse(addr)
	if err != nil {
		return "postgres://…"
	}
	q := u.Query()
	if q.Has("password") {
		q.Set("password", "xxxxx")
		u.RawQuery = q.Encode()
	}
	return u.Redacted()
}
