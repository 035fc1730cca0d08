package runs

import (
	"context"
	"database/sql"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/ladderback/ladderback/internal/sqlstore"
)

// Tx is a transaction of the store.
type Tx struct {
	store    *Store
	pg       pgx.Tx  // in PostgreSQL
	file     *sql.Tx // in a file
	onCommit []func()
}

type scanner interface{ Scan(dest ...any) error }

// exec runs a statement and returns how many rows it changed.
func (t *Tx) exec(ctx context.Context, query string, args ...any) (int64, error) {
	query = t.store.spell(query)
	if t.pg != nil {
		tag, err := t.pg.Exec(ctx, query, args...)
		return tag.RowsAffected(), err
	}
	res, err := t.file.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// row asks for one row; without one, Scan fails with sql.ErrNoRows.
func (t *Tx) row(ctx context.Context, query string, args ...any) scanner {
	query = t.store.spell(query)
	if t.pg != nil {
		return t.pg.QueryRow(ctx, query, args...)
	}
	return t.file.QueryRowContext(ctx, query, args...)
}

// rows passes every row to each.
func (t *Tx) rows(ctx context.Context, query string, args []any, each func(scanner) error) error {
	query = t.store.spell(query)
	if t.pg != nil {
		rows, err := t.pg.Query(ctx, query, args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			if err := each(rows); err != nil {
				return err
			}
		}
		return rows.Err()
	}
	return sqlstore.Each(ctx, t.file, query, args, func(rows *sql.Rows) error { return each(rows) })
}

// afterCommit calls f once the transaction is committed.
func (t *Tx) afterCommit(f func()) { t.onCommit = append(t.onCommit, f) }

// update runs a transaction, within transactionTimeout: write has the context that ends then.
func (s *Store) update(ctx context.Context, write func(ctx context.Context, t *Tx) error) error {
	ctx, cancel := bounded(ctx)
	defer cancel()
	t := &Tx{store: s}
	if s.db.Pool != nil {
		if err := pgx.BeginFunc(ctx, s.db.Pool, func(tx pgx.Tx) error {
			t.pg = tx
			return write(ctx, t)
		}); err != nil {
			return err
		}
	} else {
		tx, err := s.db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		t.file = tx
		if err := write(ctx, t); err != nil {
			return errors.Join(err, tx.Rollback())
		}
		if err := tx.Commit(); err != nil {
			return err
		}
	}
	for _, f := range t.onCommit {
		f()
	}
	return nil
}

// updateOrganization runs a transaction in which nobody else changes what is at work for an
// organization.
func (s *Store) updateOrganization(ctx context.Context, organization string, write func(ctx context.Context, t *Tx) error) error {
	return s.update(ctx, func(ctx context.Context, t *Tx) error {
		if t.pg != nil { // a file has one writer anyway
			if _, err := t.pg.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended($1, 7))`, organization); err != nil {
				return err
			}
		}
		return write(ctx, t)
	})
}
