// Package pool holds connections to an embedded database with the statements
// prepared on them.
package pool

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/ncruces/go-sqlite3"

	"github.com/ladderback/ladderback/archive/store"
)

// Pool holds connections with the statements prepared on them. Preparing costs
// more than running most statements here, so they are kept.
type Pool struct {
	DB     *sql.DB
	slots  chan struct{} // one element for each connection that is not in use
	closed chan struct{} // is closed when the pool is
	once   sync.Once

	mu sync.Mutex
	// The one used last is taken first, as what it has in memory is newest, but first of
	// all one that was last used alike: package fresh forgets, where a transaction begins,
	// what was read outside of any.
	idle []*Link
}

// maxStatements bounds the statements kept on one connection.
const maxStatements = 200

// Link is a connection in use by one goroutine.
type Link struct {
	Conn     *sql.Conn
	stmts    map[string]*sql.Stmt
	rows     map[string]*sqlite3.Stmt // of EachRow
	transact bool                     // last used for a transaction
}

// New returns a pool of at most size connections.
func New(db *sql.DB, size int) *Pool {
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	p := &Pool{DB: db, slots: make(chan struct{}, size), closed: make(chan struct{})}
	for range size {
		p.slots <- struct{}{}
	}
	return p
}

// Take waits for a connection, which is not for a transaction.
func (p *Pool) Take(ctx context.Context) (*Link, error) { return p.take(ctx, false) }

func (p *Pool) take(ctx context.Context, transact bool) (*Link, error) {
	select {
	case <-p.closed:
		return nil, store.ErrClosed
	default:
	}
	select {
	case <-p.slots:
		l := p.used(transact)
		if l == nil {
			conn, err := p.DB.Conn(ctx)
			if err != nil {
				p.slots <- struct{}{}
				return nil, err
			}
			l = NewLink(conn)
		}
		l.transact = transact
		return l, nil
	case <-p.closed:
		return nil, store.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// used returns the connection to be taken first; nil: all are in use.
func (p *Pool) used(transact bool) *Link {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.idle) == 0 {
		return nil
	}
	last := len(p.idle) - 1
	for i, l := range p.idle {
		if l.transact == transact {
			last = i
		}
	}
	l := p.idle[last]
	p.idle = slices.Delete(p.idle, last, last+1)
	return l
}

// Give returns a connection, which is closed when it is not fit for use.
func (p *Pool) Give(l *Link, sound bool) {
	if !sound {
		_ = l.Close() // why it is not fit has been told
	} else {
		p.mu.Lock()
		p.idle = append(p.idle, l)
		p.mu.Unlock()
	}
	p.slots <- struct{}{}
}

// Close closes all connections, waiting for those in use. Once it has been
// called take gives none, and a second call does nothing.
func (p *Pool) Close() (err error) {
	if p == nil {
		return nil
	}
	p.once.Do(func() {
		close(p.closed)
		var errs []error
		for range cap(p.slots) {
			<-p.slots
		}
		for l := p.used(false); l != nil; l = p.used(false) {
			errs = append(errs, l.Close())
		}
		err = errors.Join(append(errs, p.DB.Close())...)
	})
	return err
}

// Close closes the connection with its statements.
func (l *Link) Close() error {
	var errs []error
	for _, st := range l.stmts {
		errs = append(errs, st.Close())
	}
	if len(l.rows) > 0 {
		_ = l.Conn.Raw(func(any) error { // of a connection that is closed they are too
			for _, st := range l.rows {
				errs = append(errs, st.Close())
			}
			return nil
		})
	}
	return errors.Join(append(errs, l.Conn.Close())...)
}

// Prepare returns the statement for a query. done gives it back.
func (l *Link) Prepare(ctx context.Context, query string) (st *sql.Stmt, done func() error, err error) {
	kept := func() error { return nil }
	if st := l.stmts[query]; st != nil {
		return st, kept, nil
	}
	if st, err = l.Conn.PrepareContext(ctx, query); err != nil {
		return nil, nil, err
	}
	if len(l.stmts) < maxStatements {
		l.stmts[query] = st
		return st, kept, nil
	}
	return st, st.Close, nil
}

// Used is the number of connections in use.
func (p *Pool) Used() int { return cap(p.slots) - len(p.slots) }

// Max is the number of connections that there may be.
func (p *Pool) Max() int { return cap(p.slots) }

// NewLink returns a connection that belongs to no pool.
func NewLink(conn *sql.Conn) *Link {
	return &Link{Conn: conn, stmts: map[string]*sql.Stmt{}, rows: map[string]*sqlite3.Stmt{}}
}

// Transact runs f between begin and COMMIT. Whatever fails, nothing of it
// stays.
func (p *Pool) Transact(ctx context.Context, begin string, f func(*Link) error) (err error) {
	l, err := p.take(ctx, true)
	if err != nil {
		return err
	}
	if err := l.Exec(ctx, begin); err != nil {
		p.Give(l, !errors.Is(err, sql.ErrConnDone))
		return err
	}
	ended := false
	defer func() {
		if ended {
			p.Give(l, true)
			return
		}
		// Rolled back whether or not the context has ended, and in a panic.
		_, undone := l.Conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
		p.Give(l, undone == nil)
	}()
	if err := f(l); err != nil {
		return err
	}
	if err := l.Exec(ctx, "COMMIT"); err != nil {
		return err
	}
	ended = true
	return nil
}

// Exec runs a statement.
func (l *Link) Exec(ctx context.Context, query string, args ...any) error {
	st, done, err := l.Prepare(ctx, query)
	if err != nil {
		return err
	}
	_, err = st.ExecContext(ctx, args...)
	return errors.Join(err, done())
}

// Run runs a statement, whose first words an error says.
func (l *Link) Run(ctx context.Context, query string, args ...any) (r sql.Result, err error) {
	st, done, err := l.Prepare(ctx, query)
	if err == nil {
		r, err = st.ExecContext(ctx, args...)
		err = errors.Join(err, done())
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", FirstWords(query), err)
	}
	return r, nil
}

// Steps are statements of which each is run unless one before it failed.
type Steps struct {
	Err error // of the first that failed
	On  interface {
		Insert(ctx context.Context, query string, args ...any) (number int64, err error)
	}
}

// Exec runs a statement.
func (s *Steps) Exec(ctx context.Context, query string, args ...any) {
	if s.Err == nil {
		_, s.Err = s.On.Insert(ctx, query, args...)
	}
}

// Insert runs a statement, and returns the number of the row that it put.
func (l *Link) Insert(ctx context.Context, query string, args ...any) (number int64, err error) {
	r, err := l.Run(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return r.LastInsertId()
}

// FirstWords shortens a statement for a message.
func FirstWords(query string) string {
	f := strings.Fields(query)
	return strings.Join(f[:min(4, len(f))], " ")
}

// Each runs a query and hands each row to scan.
func (l *Link) Each(ctx context.Context, query string, args []any, scan func(*sql.Rows) error) error {
	st, done, err := l.Prepare(ctx, query)
	if err != nil {
		return fmt.Errorf("%s: %w", FirstWords(query), err)
	}
	rows, err := st.QueryContext(ctx, args...)
	if err != nil {
		return errors.Join(fmt.Errorf("%s: %w", FirstWords(query), err), done())
	}
	for err == nil && rows.Next() {
		err = scan(rows)
	}
	return errors.Join(err, rows.Err(), rows.Close(), done())
}

// Collect returns the rows of a query on a link or what has one, each as scan reads it; nil
// for none.
func Collect[T any](ctx context.Context, on interface {
	Each(ctx context.Context, query string, args []any, scan func(*sql.Rows) error) error
}, query string, args []any, scan func(*sql.Rows, *T) error) (out []T, err error) {
	err = on.Each(ctx, query, args, func(r *sql.Rows) error {
		out = append(out, *new(T))
		return scan(r, &out[len(out)-1])
	})
	return out, err
}

// LeaveLog makes closing the pool leave the log as it is.
func (p *Pool) LeaveLog() {
	if p == nil {
		return
	}
	for range cap(p.slots) {
		<-p.slots
		var conn *sql.Conn
		if l := p.used(false); l != nil {
			defer p.Give(l, true)
			conn = l.Conn
		} else { // it may have been opened all the same
			defer func() { p.slots <- struct{}{} }()
			var err error
			if conn, err = p.DB.Conn(context.Background()); err != nil {
				continue
			}
			defer func() { _ = conn.Close() }()
		}
		_ = conn.Raw(func(driver any) error {
			if c, ok := driver.(interface{ Raw() *sqlite3.Conn }); ok {
				_, err := c.Raw().Config(sqlite3.DBCONFIG_NO_CKPT_ON_CLOSE, true)
				return err
			}
			return nil
		})
	}
}
