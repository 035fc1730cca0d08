package accounts

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"github.com/alexedwards/argon2id"

	"github.com/ladderback/ladderback/identity"
	"github.com/ladderback/ladderback/identity/credentials"
	"github.com/ladderback/ladderback/identity/mail"
	"github.com/ladderback/ladderback/internal/sqlstore"
	"github.com/ladderback/ladderback/market"
)

// Config configures a Service. A zero field takes its default where it has one.
type Config struct {
	Store *identity.Store // of keys; the tables of accounts stand beside its own
	Plans identity.Plans
	Mail  mail.Sender
	// BaseURL is how people reach the server, without a slash at its end:
	// "https://app.example.com". Links in mails begin with it.
	BaseURL string
	// Plan is the plan of a new organization. Default "starter".
	Plan string
	// Closed refuses registrations, also those by an identity provider. Invitations
	// then lead nowhere but for accounts that exist.
	Closed bool
	// Runs forgets and exports runs; nil: there are none.
	Runs Runs
	Log  *slog.Logger // nil: nothing is logged
	// Hash is how passwords are hashed. Default: that of credentials.NewHasher.
	Hash *argon2id.Params
	// HashWait is how long a request waits for its turn to hash a password; at most two
	// are hashed at a time. Default 5 s.
	HashWait time.Duration
	// MailRetry is the pause after the first failure to send a mail; it doubles with each
	// up to an hour. Default 30 s. Mails are given up after MailLife.
	MailRetry time.Duration
	// MailPause is how long the outbox waits between two looks, on average. Default 2 s.
	MailPause time.Duration
	Now       func() time.Time // nil: time.Now
}

// Runs is what happens to the runs of an organization that leaves.
type Runs interface {
	// ForgetAll ends and removes the runs of an organization.
	ForgetAll(ctx context.Context, organization string) error
	// Export gives each run of an organization to f, newest first, as a JSON object.
	Export(ctx context.Context, organization string, f func(run json.RawMessage) error) error
}

// Service has the accounts of a server. It is safe for concurrent use; several
// processes may share a store.
type Service struct {
	cfg    Config
	db     *sqlstore.DB
	meter  *identity.Meter
	hasher *credentials.Hasher
	sign   signer
	made   atomic.Uint32 // entries of outbox and audit
}

// New returns a service over a store whose tables are up to date. Meter counts what
// keys do by day.
func New(cfg Config, meter *identity.Meter) (*Service, error) {
	cfg.Plan = strings.ToLower(cmp.Or(cfg.Plan, "starter"))
	if _, err := cfg.Plans.Find(cfg.Plan); err != nil {
		return nil, fmt.Errorf("accounts: of new organizations: %w", err)
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	cfg.HashWait, cfg.MailRetry = cmp.Or(cfg.HashWait, 5*time.Second), cmp.Or(cfg.MailRetry, 30*time.Second)
	cfg.MailPause = cmp.Or(cfg.MailPause, 2*time.Second)
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	cfg.BaseURL = strings.TrimSuffix(cfg.BaseURL, "/")
	hasher, err := credentials.NewHasher(cfg.Hash, cfg.HashWait)
	return &Service{cfg: cfg, db: cfg.Store.DB(), meter: meter, hasher: hasher}, err
}

// BaseURL returns how people reach the server, without a slash at its end.
func (s *Service) BaseURL() string { return s.cfg.BaseURL }

// Closed reports whether nobody can register.
func (s *Service) Closed() bool { return s.cfg.Closed }

// MailKind names how mails leave the server: "smtp", or "log".
func (s *Service) MailKind() string { return s.cfg.Mail.Kind() }

// Plans returns the table of plans.
func (s *Service) Plans() identity.Plans { return s.cfg.Plans }

func (s *Service) now() market.Instant { return market.InstantOf(s.cfg.Now()) }

// span is d in the unit of instants.
func span(d time.Duration) market.Instant { return market.Instant(d / time.Microsecond) }

// newID returns an id that nobody guesses twice: a prefix and 80 bits.
func newID(prefix string) string {
	var b [10]byte
	_, _ = rand.Read(b[:]) // never fails
	return prefix + hex.EncodeToString(b[:])
}

// orderedID returns an id that sorts by time and, of those that one service made in the
// same microsecond, by order.
func (s *Service) orderedID(prefix string, at market.Instant) string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails
	return fmt.Sprintf("%s%016x%08x%s", prefix, int64(at), s.made.Add(1), hex.EncodeToString(b[:]))
}

// digestOf is what is stored of a secret of a kind: one of another kind has another.
func digestOf(kind, secret string) []byte {
	d := sha256.Sum256([]byte(kind + " " + secret))
	return d[:]
}

// conn runs queries, in a transaction or outside of one.
type conn struct {
	on interface {
		ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
		QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
		QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	}
	spell func(string) string
}

func (s *Service) conn() conn { return conn{s.db.DB, s.db.Dialect.Spell} }

// exec runs a statement and returns how many rows it changed.
func (c conn) exec(ctx context.Context, query string, args ...any) (int64, error) {
	res, err := c.on.ExecContext(ctx, c.spell(query), args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// do runs a statement.
func (c conn) do(ctx context.Context, query string, args ...any) error {
	_, err := c.exec(ctx, query, args...)
	return err
}

// row scans the only row of a query into dest, and reports whether there is one.
func (c conn) row(ctx context.Context, query string, args []any, dest ...any) (bool, error) {
	err := c.on.QueryRowContext(ctx, c.spell(query), args...).Scan(dest...)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// collect scans every row of a query.
func collect[T any](ctx context.Context, c conn, query string, args []any, scan func(scan func(dest ...any) error) (T, error)) (out []T, err error) {
	err = sqlstore.Each(ctx, c.on, c.spell(query), args, func(rows *sql.Rows) error {
		one, err := scan(rows.Scan)
		out = append(out, one)
		return err
	})
	return out, err
}

// tx runs f in a transaction.
func (s *Service) tx(ctx context.Context, f func(c conn) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := f(conn{tx, s.db.Dialect.Spell}); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

func args(list ...any) []any { return list }
