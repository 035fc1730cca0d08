package tries

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/internal/sqlstore"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

// Store is the record in a database, PostgreSQL or a file. It is safe for concurrent use,
// also by several processes.
type Store struct {
	db   *sqlstore.DB
	addr string
}

// Open opens the record at an address. With create its tables, and a file, are made as
// needed; without, a place without a record is fs.ErrNotExist or sqlstore.ErrNone.
func Open(ctx context.Context, addr string, create bool) (*Store, error) {
	db, err := sqlstore.Open(ctx, addr, sqlstore.Options{Create: create})
	if err != nil {
		return nil, fmt.Errorf("tries: %w", err)
	}
	if create {
		_, err = Schema.Migrate(ctx, db.DB, db.Dialect)
	} else {
		err = Schema.Check(ctx, db.DB, db.Dialect)
	}
	s := &Store{db: db, addr: sqlstore.Display(addr)}
	if err != nil {
		return nil, errors.Join(s.failed(err), db.Close())
	}
	return s, nil
}

// Close closes the database.
func (s *Store) Close() error { return s.db.Close() }

// failed names the place that an error is about.
func (s *Store) failed(err error) error {
	if err == nil || market.AsError(err) != nil {
		return err
	}
	return fmt.Errorf("tries: %s: %w", s.addr, err)
}

// tx is a transaction of the store.
type tx struct {
	*sql.Tx
	dialect sqlstore.Dialect
}

// Exec implements Tx.
func (t tx) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	res, err := t.ExecContext(ctx, t.dialect.Spell(query), args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// Row implements Tx.
func (t tx) Row(ctx context.Context, query string, args ...any) interface{ Scan(dest ...any) error } {
	return t.QueryRowContext(ctx, t.dialect.Spell(query), args...)
}

// update runs a transaction in which nobody else counts for the organization.
func (s *Store) update(ctx context.Context, organization string, write func(t tx) error) error {
	begun, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return s.failed(err)
	}
	t := tx{begun, s.db.Dialect}
	if s.db.Dialect == sqlstore.PostgreSQL { // a file has one writer anyway
		_, err = t.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended($1, 7))`, organization)
	}
	if err == nil {
		err = write(t)
	}
	if err != nil {
		return errors.Join(s.failed(err), begun.Rollback())
	}
	return s.failed(begun.Commit())
}

// Counting counts what one run tries, with a prompt, for an organization. Store may be nil:
// nothing is counted.
type Counting struct {
	Store                *Store
	Organization, Prompt string
	Identity             string // of the try that was counted; empty: none yet
}

// Count counts a try: it is a backtest.Counter.
func (c *Counting) Count(ctx context.Context, l *backtest.Looked) (n backtest.Tally, err error) {
	if c.Store == nil {
		return n, nil
	}
	t, err := Of(l)
	if err != nil {
		return n, err
	}
	if n, err = c.Store.Count(ctx, c.Organization, c.Prompt, t); err == nil {
		c.Identity = t.Identity()
	}
	return n, err
}

// End notes that what was counted came to its end, and how many independent tries it was.
func (c *Counting) End(ctx context.Context, independent stats.Decimal) error {
	if c.Identity == "" {
		return nil
	}
	return c.Store.End(ctx, c.Organization, c.Identity, independent)
}

// Count counts a try, unless it was counted before, and says which look it is.
func (s *Store) Count(ctx context.Context, organization, prompt string, t *One) (n backtest.Tally, err error) {
	err = s.update(ctx, organization, func(x tx) error {
		n, err = Count(ctx, x, organization, prompt, t)
		return err
	})
	return n, err
}

// End notes that a try came to its end, and for how many independent ones it counts.
func (s *Store) End(ctx context.Context, organization, identity string, independent stats.Decimal) error {
	return s.update(ctx, organization, func(x tx) error { return End(ctx, x, organization, identity, independent) })
}

// Family is the tries on rounds of one coin and length, of one side.
type Family struct {
	Coin        string         `json:"coin"`
	Type        string         `json:"market_type"`
	Side        strategy.Side  `json:"side"`
	Tries       int            `json:"tries"`
	Variants    int            `json:"variants"`
	Independent stats.Decimal  `json:"independent_tries"`
	Unfinished  int            `json:"unfinished"` // crashed, failed, cancelled, or still running
	FirstMade   market.Instant `json:"first_made_at"`
	LastMade    market.Instant `json:"last_made_at"`
}

// Reset took tries out of the count.
type Reset struct {
	Coin   string         `json:"coin"`
	Type   string         `json:"market_type"`
	Tries  int            `json:"tries"`
	Reason string         `json:"reason"`
	MadeAt market.Instant `json:"made_at"`
}

// Lockbox is one on the record.
type Lockbox struct {
	replay.HoldOut
	MadeAt market.Instant `json:"made_at"`
}

// Record is all that is on the record of an organization. No list is nil.
type Record struct {
	Families  []Family  `json:"families"` // by coin, length and side
	Tries     []Try     `json:"tries"`    // that count, newest first, at most MaxListed
	Resets    []Reset   `json:"resets"`   // newest first
	Lockboxes []Lockbox `json:"lockboxes"`
}

// MaxListed is how many tries a Record lists.
const MaxListed = 100

// rows passes every row of a query to each.
func (s *Store) rows(ctx context.Context, query string, args []any, each func(scan func(dest ...any) error) error) error {
	return s.failed(sqlstore.Each(ctx, s.db, s.db.Dialect.Spell(query), args, func(rows *sql.Rows) error { return each(rows.Scan) }))
}

// Record returns what is on the record of an organization; coin and typ select those of one
// coin and length, empty: all.
func (s *Store) Record(ctx context.Context, organization, coin, typ string) (*Record, error) {
	out := &Record{Families: []Family{}, Tries: []Try{}, Resets: []Reset{}, Lockboxes: []Lockbox{}}
	which, args := `organization = $1`, []any{organization}
	if coin != "" {
		which += ` AND coin = $2 AND market_type = $3`
		args = append(args, coin, typ)
	}
	err := s.rows(ctx, `SELECT coin, market_type, side, count(*), CAST(sum(variants) AS bigint), CAST(sum(weight) AS bigint), CAST(sum(CASE WHEN done_at = 0 THEN 1 ELSE 0 END) AS bigint), min(made_at), max(made_at)
		FROM tries WHERE reset = 0 AND `+which+` GROUP BY coin, market_type, side ORDER BY coin, market_type, side`, args, func(scan func(...any) error) error {
		var f Family
		err := scan(&f.Coin, &f.Type, &f.Side, &f.Tries, &f.Variants, (*int64)(&f.Independent), &f.Unfinished, (*int64)(&f.FirstMade), (*int64)(&f.LastMade))
		out.Families = append(out.Families, f)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := s.rows(ctx, `SELECT coin, market_type, side, kind, prompt, variants, weight, look, earlier, first_round, last_round, made_at, done_at
		FROM tries WHERE reset = 0 AND `+which+` ORDER BY id DESC LIMIT `+fmt.Sprint(MaxListed), args, func(scan func(...any) error) error {
		t, err := scanTry(scan)
		out.Tries = append(out.Tries, t)
		return err
	}); err != nil {
		return nil, err
	}
	if err := s.rows(ctx, `SELECT coin, market_type, tries, reason, made_at FROM tries_resets WHERE `+which+` ORDER BY id DESC`, args, func(scan func(...any) error) error {
		var r Reset
		err := scan(&r.Coin, &r.Type, &r.Tries, &r.Reason, (*int64)(&r.MadeAt))
		out.Resets = append(out.Resets, r)
		return err
	}); err != nil {
		return nil, err
	}
	return out, s.rows(ctx, lockboxSQL, []any{organization}, func(scan func(...any) error) error {
		b, err := scanLockbox(scan)
		out.Lockboxes = append(out.Lockboxes, b)
		return err
	})
}

func scanTry(scan func(...any) error) (t Try, err error) {
	var done market.Instant
	err = scan(&t.Coin, &t.Type, &t.Side, &t.Kind, &t.Prompt, &t.Variants, (*int64)(&t.Independent), &t.Look, (*int64)(&t.Before),
		(*int64)(&t.FirstRound), (*int64)(&t.LastRound), (*int64)(&t.MadeAt), (*int64)(&done))
	if done != 0 {
		t.DoneAt = &done
	}
	return t, err
}

const lockboxSQL = `SELECT starts, seen_before, made_at, opened_at, tries FROM tries_lockboxes WHERE organization = $1 ORDER BY id DESC`

func scanLockbox(scan func(...any) error) (b Lockbox, err error) {
	var opened market.Instant
	var tries int
	err = scan((*int64)(&b.From), &b.SeenBefore, (*int64)(&b.MadeAt), (*int64)(&opened), &tries)
	if opened != 0 {
		b.OpenedAt, b.Tries = &opened, &tries
	}
	return b, err
}

// HoldOut returns the lockbox of an organization: the newest, closed or opened; nil: there
// never was one.
func (s *Store) HoldOut(ctx context.Context, organization string) (*replay.HoldOut, error) {
	b, err := scanLockbox(s.db.QueryRowContext(ctx, s.db.Dialect.Spell(lockboxSQL+` LIMIT 1`), organization).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, s.failed(err)
	}
	return &b.HoldOut, nil
}

// PutAside closes a lockbox over the rounds that end at an instant or later. There is one at
// a time, and what one held that was opened is in no other.
func (s *Store) PutAside(ctx context.Context, organization string, from market.Instant) (*replay.HoldOut, error) {
	err := s.update(ctx, organization, func(t tx) error {
		b, err := scanLockbox(t.Row(ctx, lockboxSQL+` LIMIT 1`, organization).Scan)
		switch {
		case errors.Is(err, sql.ErrNoRows):
		case err != nil:
			return err
		case b.Closed():
			return market.Errorf(market.CodeConflict, "rounds from %s on are held out already: open that lockbox first", b.From)
		case from < *b.OpenedAt:
			return market.Errorf(market.CodeConflict, "hold out from %s: the last lockbox was opened at %s, and rounds before that have been seen; expected a later time", from, *b.OpenedAt)
		}
		_, err = t.Exec(ctx, `INSERT INTO tries_lockboxes (organization, starts, seen_before, made_at)
			SELECT CAST($1 AS text), CAST($2 AS bigint), (SELECT count(*) FROM tries WHERE organization = $1 AND last_round >= $2), {now}`, organization, int64(from))
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.HoldOut(ctx, organization)
}

// OpenLockbox opens the lockbox, once and for ever.
func (s *Store) OpenLockbox(ctx context.Context, organization string) (*replay.HoldOut, error) {
	err := s.update(ctx, organization, func(t tx) error {
		n, err := t.Exec(ctx, `UPDATE tries_lockboxes SET opened_at = {now}, tries = (SELECT count(*) FROM tries WHERE organization = $1)
			WHERE organization = $1 AND opened_at = 0`, organization)
		if err == nil && n == 0 {
			err = market.Errorf(market.CodeConflict, "no lockbox is closed: there is nothing to open")
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.HoldOut(ctx, organization)
}

// Reset takes the tries of a coin and length, as strategies name them, out of the count, and
// puts that on the record; it says how many there were.
func (s *Store) Reset(ctx context.Context, organization, coin, typ, reason string) (n int, err error) {
	if strings.TrimSpace(reason) == "" {
		return 0, market.Errorf(market.CodeBadRequest, "a reset needs a reason: it stays on the record")
	}
	err = s.update(ctx, organization, func(t tx) error {
		const which = `organization = $1 AND coin = $2 AND market_type = $3 AND reset = 0`
		if err := t.Row(ctx, `SELECT count(*) FROM tries WHERE `+which, organization, coin, typ).Scan(&n); err != nil {
			return err
		}
		if n == 0 {
			return market.Errorf(market.CodeNotFound, "no tries on %s %s are counted: there is nothing to reset", coin, typ)
		}
		var id int64
		if err := t.Row(ctx, `INSERT INTO tries_resets (organization, coin, market_type, tries, reason, made_at) VALUES ($1, $2, $3, $4, $5, {now}) RETURNING id`,
			organization, coin, typ, n, reason).Scan(&id); err != nil {
			return err
		}
		_, err := t.Exec(ctx, `UPDATE tries SET reset = $4 WHERE `+which, organization, coin, typ, id)
		return err
	})
	return n, err
}
