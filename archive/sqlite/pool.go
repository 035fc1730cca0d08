package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"sync"

	"github.com/ladderback/ladderback/archive/store"
)

// pool holds connections with the statements prepared on them. Preparing costs
// more than running most statements here, so they are kept.
type pool struct {
	db     *sql.DB
	slots  chan struct{} // one element for each connection that is not in use
	closed chan struct{} // is closed when the pool is
	once   sync.Once

	mu   sync.Mutex
	idle []*link // the one used last is taken first: what it has in memory is newest
}

// maxStatements bounds the statements kept on one connection.
const maxStatements = 200

// link is a connection in use by one goroutine.
type link struct {
	conn  *sql.Conn
	stmts map[string]*sql.Stmt
}

func newPool(db *sql.DB, size int) *pool {
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	p := &pool{db: db, slots: make(chan struct{}, size), closed: make(chan struct{})}
	for range size {
		p.slots <- struct{}{}
	}
	return p
}

// take waits for a connection.
func (p *pool) take(ctx context.Context) (*link, error) {
	select {
	case <-p.closed:
		return nil, store.ErrClosed
	default:
	}
	select {
	case <-p.slots:
		if l := p.used(); l != nil {
			return l, nil
		}
		conn, err := p.db.Conn(ctx)
		if err != nil {
			p.slots <- struct{}{}
			return nil, err
		}
		return &link{conn: conn, stmts: map[string]*sql.Stmt{}}, nil
	case <-p.closed:
		return nil, store.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// used returns the connection that was in use last; nil: all are.
func (p *pool) used() *link {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.idle) == 0 {
		return nil
	}
	l := p.idle[len(p.idle)-1]
	p.idle = p.idle[:len(p.idle)-1]
	return l
}

// give returns a connection, which is closed when it is not fit for use.
func (p *pool) give(l *link, sound bool) {
	if !sound {
		_ = l.close() // why it is not fit has been told
	} else {
		p.mu.Lock()
		p.idle = append(p.idle, l)
		p.mu.Unlock()
	}
	p.slots <- struct{}{}
}

// close closes all connections, waiting for those in use. Once it has been
// called take gives none, and a second call does nothing.
func (p *pool) close() (err error) {
	if p == nil {
		return nil
	}
	p.once.Do(func() {
		close(p.closed)
		var errs []error
		for range cap(p.slots) {
			<-p.slots
		}
		for l := p.used(); l != nil; l = p.used() {
			errs = append(errs, l.close())
		}
		err = errors.Join(append(errs, p.db.Close())...)
	})
	return err
}

func (l *link) close() error {
	var errs []error
	for _, st := range l.stmts {
		errs = append(errs, st.Close())
	}
	return errors.Join(append(errs, l.conn.Close())...)
}

// prepare returns the statement for a query. done gives it back.
func (l *link) prepare(ctx context.Context, query string) (st *sql.Stmt, done func() error, err error) {
	kept := func() error { return nil }
	if st := l.stmts[query]; st != nil {
		return st, kept, nil
	}
	if st, err = l.conn.PrepareContext(ctx, query); err != nil {
		return nil, nil, err
	}
	if len(l.stmts) < maxStatements {
		l.stmts[query] = st
		return st, kept, nil
	}
	return st, st.Close, nil
}

// transact runs f between begin and COMMIT. Whatever fails, nothing of it
// stays.
func (p *pool) transact(ctx context.Context, begin string, f func(*link) error) (err error) {
	l, err := p.take(ctx)
	if err != nil {
		return err
	}
	if _, err := l.conn.ExecContext(ctx, begin); err != nil {
		p.give(l, !errors.Is(err, sql.ErrConnDone))
		return err
	}
	ended := false
	defer func() {
		if ended {
			p.give(l, true)
			return
		}
		// Rolled back whether or not the context has ended, and in a panic.
		_, undone := l.conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
		p.give(l, undone == nil)
	}()
	if err := f(l); err != nil {
		return err
	}
	if _, err := l.conn.ExecContext(ctx, "COMMIT"); err != nil {
		return err
	}
	ended = true
	return nil
}

var _ store.Connected = (*Store)(nil)

// Connections implements archive.Connected.
func (s *Store) Connections() store.Connections {
	most := cap(s.readers.slots)
	return store.Connections{Used: most - len(s.readers.slots), Max: most}
}
