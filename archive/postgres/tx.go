package postgres

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/ladderback/ladderback/archive/store"
)

// tx is a transaction: an archive.Reader.
type tx struct {
	s *Store
	q querier
}

// querier is a connection, or a transaction on one.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
}

// View runs read on one snapshot.
func (s *Store) View(ctx context.Context, read func(store.Reader) error) error {
	return s.transact(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly},
		func(t pgx.Tx) error { return read(&tx{s, t}) })
}

// writeLock is the advisory lock that a writing transaction holds: one at a time
// writes to a database, whatever process it is in, so that what a transaction
// derives from what is there holds when it commits.
const writeLock = 0x6c61646465727772

// beginWrite waits for other writers. A server that does not wait for its disk
// is told to: what is reported as done must stay.
const beginWrite = `SELECT pg_advisory_xact_lock($1),
	CASE current_setting('synchronous_commit') WHEN 'off' THEN set_config('synchronous_commit', 'local', true) END`

// Update runs write in one transaction, after all others.
func (s *Store) Update(ctx context.Context, write func(store.Writer) error) error {
	select {
	case s.writing <- struct{}{}:
		defer func() { <-s.writing }()
	case <-ctx.Done():
		return ctx.Err()
	}
	// Each statement sees what was committed before it: all of what the writers
	// before this one did.
	var w *writer
	err := s.transact(ctx, pgx.TxOptions{IsoLevel: pgx.ReadCommitted, AccessMode: pgx.ReadWrite}, func(t pgx.Tx) error {
		if _, err := t.Exec(ctx, beginWrite, int64(writeLock)); err != nil {
			return s.fail(ctx, fmt.Errorf("wait for other writers: %w", err))
		}
		w = &writer{tx: tx{s, t}, t: t}
		if err := write(w); err != nil {
			return err
		}
		_, err := t.Exec(ctx, markWrite, store.NewWrite())
		return s.fail(ctx, err)
	})
	if err == nil {
		s.settle(ctx, w)
	}
	return err
}

// transact runs f between BEGIN and COMMIT. Whatever fails, nothing of it stays.
func (s *Store) transact(ctx context.Context, o pgx.TxOptions, f func(pgx.Tx) error) error {
	conn, t, err := s.begin(ctx, o)
	if err != nil {
		return s.owned(ctx, err)
	}
	defer conn.Release()
	ended := false
	defer func() {
		if !ended {
			// Rolled back whether or not the context has ended, and in a panic.
			undo, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			defer cancel()
			if t.Rollback(undo) != nil {
				_ = conn.Conn().Close(undo) // the pool makes another
			}
		}
	}()
	if err := f(t); err != nil {
		return s.owned(ctx, err)
	}
	if err := t.Commit(ctx); err != nil {
		return s.fail(ctx, fmt.Errorf("commit: %w", err))
	}
	ended = true
	return nil
}

// begin begins a transaction. Connections that the server has closed meanwhile
// are left for others.
func (s *Store) begin(ctx context.Context, o pgx.TxOptions) (*pgxpool.Conn, pgx.Tx, error) {
	var conn *pgxpool.Conn
	var t pgx.Tx
	err := s.fresh(ctx, func(c *pgxpool.Conn) (err error) {
		conn = c
		t, err = c.BeginTx(ctx, o)
		return err
	})
	return conn, t, err
}

// fresh takes a connection and calls first, which must do nothing that may not
// be done again, until it is not for a lost connection that it fails. When it
// succeeds the connection is the caller's to release.
func (s *Store) fresh(ctx context.Context, first func(*pgxpool.Conn) error) error {
	if err := s.ready(ctx); err != nil {
		return err
	}
	for try := int32(0); ; try++ {
		conn, err := s.pool.Acquire(ctx)
		if err != nil {
			return err
		}
		if err = first(conn); err == nil {
			return nil
		}
		closed := conn.Conn().IsClosed()
		conn.Release()
		if !closed || ctx.Err() != nil || try > s.pool.Config().MaxConns {
			return err
		}
	}
}

// each runs a query and hands each row to scan.
func (t *tx) each(ctx context.Context, query string, args []any, scan func(pgx.Rows) error) error {
	return t.s.fail(ctx, each(ctx, t.q, query, args, scan))
}

// collect returns the rows of a query, each as scan reads it; nil for none.
func collect[T any](ctx context.Context, t *tx, query string, args []any, scan func(pgx.Rows, *T) error) (out []T, err error) {
	err = t.each(ctx, query, args, into(&out, scan))
	return out, err
}

// into returns what adds each row to out, as scan reads it.
func into[T any](out *[]T, scan func(pgx.Rows, *T) error) func(pgx.Rows) error {
	return func(r pgx.Rows) error {
		*out = append(*out, *new(T))
		return scan(r, &(*out)[len(*out)-1])
	}
}

// one returns the only value that a query gives; zero when it gives none.
func one[T any](ctx context.Context, t *tx, query string, args ...any) (v T, err error) {
	err = t.each(ctx, query, args, func(r pgx.Rows) error { return r.Scan(&v) })
	return v, err
}

func each(ctx context.Context, q querier, query string, args []any, scan func(pgx.Rows) error) error {
	rows, err := q.Query(ctx, query, args...)
	return drain(rows, err, query, scan)
}

// drain hands the rows that a query gave, unless it failed, to scan.
func drain(rows pgx.Rows, err error, query string, scan func(pgx.Rows) error) error {
	if err == nil {
		defer rows.Close()
		for rows.Next() {
			if err := scan(rows); err != nil {
				return err
			}
		}
		err = rows.Err()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", firstWords(query), err)
	}
	return nil
}

// reads is queries for one way to the server and back.
type reads struct {
	pgx.Batch
	scans []func(pgx.Rows) error
}

// add adds a query, each row of which is handed to scan; nil: it gives none.
func (b *reads) add(query string, args []any, scan func(pgx.Rows) error) {
	b.Queue(query, args...)
	b.scans = append(b.scans, scan)
}

// read runs queries together, and hands over their rows in their order.
func (t *tx) read(ctx context.Context, b *reads) (err error) {
	results := t.q.SendBatch(ctx, &b.Batch)
	defer func() {
		if e := results.Close(); err == nil {
			err = e
		}
		err = t.s.fail(ctx, err)
	}()
	for i, scan := range b.scans {
		rows, err := results.Query()
		if err := drain(rows, err, b.QueuedQueries[i].SQL, scan); err != nil {
			return err
		}
	}
	return nil
}

// firstWords shortens a statement for a message.
func firstWords(query string) string {
	f := strings.Fields(query)
	return strings.Join(f[:min(4, len(f))], " ")
}

// numbers returns ids as the server takes them; never nil.
func numbers[T ~int64](ids []T) []int64 {
	out := make([]int64, len(ids))
	for i, id := range ids {
		out[i] = int64(id)
	}
	return out
}

// idsOf is the reverse of numbers; nil for none.
func idsOf(n []int64) []store.ID {
	if len(n) == 0 {
		return nil
	}
	out := make([]store.ID, len(n))
	for i, v := range n {
		out[i] = store.ID(v)
	}
	return out
}
