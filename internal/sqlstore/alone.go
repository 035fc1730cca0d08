package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// ErrTaken means that another process holds a name.
var ErrTaken = errors.New("another process has it")

// Claim is names that this process alone holds, until Close or its end.
type Claim struct {
	files []*flock.Flock
	db    *DB     // nil: of a file
	tx    *sql.Tx // that has the locks
}

// Alone claims names of a database: for a file by locks of the folder given, which is
// made, elsewhere by advisory locks of a transaction that stays open on a connection of
// its own (so that it works behind a pooler too). ErrTaken names the one that another
// process has; then none is held.
func Alone(ctx context.Context, addr, folder string, names []string) (*Claim, error) {
	c := &Claim{}
	take := c.lockFile
	if DialectOf(addr) == PostgreSQL {
		db, err := Open(ctx, addr, Options{Connections: 1})
		if err != nil {
			return nil, err
		}
		c.db = db
		// Longer than the call that makes it: Close ends it.
		if c.tx, err = db.BeginTx(context.WithoutCancel(ctx), nil); err != nil {
			return nil, errors.Join(err, c.Close())
		}
		if _, err := c.tx.ExecContext(ctx, `SET LOCAL idle_in_transaction_session_timeout = 0`); err != nil {
			return nil, errors.Join(err, c.Close())
		}
		take = c.lockName
	} else if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	for _, name := range names {
		taken, err := take(ctx, folder, name)
		if err == nil && !taken {
			err = fmt.Errorf("%s: %w", name, ErrTaken)
		}
		if err != nil {
			return nil, errors.Join(err, c.Close())
		}
	}
	return c, nil
}

func (c *Claim) lockFile(_ context.Context, folder, name string) (bool, error) {
	lock := flock.New(filepath.Join(folder, "."+name+".lock"))
	c.files = append(c.files, lock)
	return lock.TryLock()
}

func (c *Claim) lockName(ctx context.Context, _, name string) (taken bool, err error) {
	err = c.tx.QueryRowContext(ctx, `SELECT pg_try_advisory_xact_lock(hashtextextended(current_schema() || '/' || $1, 9))`, name).Scan(&taken)
	return taken, err
}

// Holds reports whether the names are still held: a server that ended lets go of them.
func (c *Claim) Holds(ctx context.Context) bool {
	if c.tx == nil {
		return true
	}
	_, err := c.tx.ExecContext(ctx, `SELECT 1`)
	return err == nil
}

// Close lets go of the names.
func (c *Claim) Close() error {
	var errs []error
	for _, lock := range c.files {
		errs = append(errs, lock.Unlock())
	}
	if c.tx != nil {
		_ = c.tx.Rollback() // the server may be gone, and its locks with it
	}
	if c.db != nil {
		errs = append(errs, c.db.Close())
	}
	return errors.Join(errs...)
}
