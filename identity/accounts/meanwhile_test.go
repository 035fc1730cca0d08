package accounts_test

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/identity"
	"github.com/ladderback/ladderback/identity/accounts"
	"github.com/ladderback/ladderback/internal/pgtest"
	"github.com/ladderback/ladderback/market"
)

// reset has the owner of an address choose another password, and revoke what else lets
// people in.
func (w *world) reset(t testing.TB, address, other string) {
	t.Helper()
	require.NoError(t, w.Forgotten(t.Context(), address, network(ownPage)))
	require.NoError(t, w.Reset(t.Context(), w.link(t, address), other, true, network(ownPage)))
}

// TestSignInBesideAReset: a thief who knows the old password begins to sign in, and the owner
// chooses another before that is done: the thief is not in.
func TestSignInBesideAReset(t *testing.T) {
	t.Parallel()
	const address, other = "kim@mailing.example", "another.Horse-43.battery"
	stores(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		w.register(t, address)

		// The clock of the thief's server is where the owner comes in between.
		var meanwhile func()
		slow, err := accounts.New(accounts.Config{
			Store: w.store, Plans: identity.DefaultPlans(), Mail: w.box, BaseURL: "https://app.example.com", Hash: quick,
			Now: func() time.Time {
				if f := meanwhile; f != nil {
					meanwhile = nil
					f()
				}
				return w.now()
			},
		}, w.meter)
		require.NoError(t, err)
		meanwhile = func() { w.reset(t, address, other) }
		out, err := slow.SignIn(ctx, address, password, network(7))
		require.ErrorIs(t, err, accounts.ErrWrong)
		require.Empty(t, out.Token)
		require.Nil(t, meanwhile, "the owner came in between")
		_, err = w.SignIn(ctx, address, other, network(ownPage))
		require.NoError(t, err)
	})
}

// TestRequestOfAnEndedSession: what a request does that began in a session (its body may
// drip for as long as a server waits) is refused once the session has ended.
func TestRequestOfAnEndedSession(t *testing.T) {
	t.Parallel()
	const address, other = "kim@mailing.example", "another.Horse-43.battery"
	stores(t, func(t *testing.T, w *world) {
		ctx, from := t.Context(), network(7)
		in := &w.register(t, address).Session
		w.reset(t, address, other)
		for name, act := range map[string]func() error{
			"a key":                 func() error { _, _, err := w.MakeKey(ctx, in, "thief's", 0, from); return err },
			"an invitation":         func() error { _, err := w.Invite(ctx, in, thiefs, accounts.Owner, from); return err },
			"another name":          func() error { return w.Rename(ctx, in, "thief's", from) },
			"another organization":  func() error { _, err := w.WorkIn(ctx, in, in.Organization.ID); return err },
			"sessions of the owner": func() error { return w.EndOtherSessions(ctx, in, from) },
			"a role":                func() error { return w.SetRole(ctx, in, in.Account.ID, accounts.Viewer, from) },
			"a membership":          func() error { return w.Remove(ctx, in, in.Account.ID, from) },
		} {
			require.ErrorIs(t, act(), identity.ErrNoSession, name)
		}
		// With what the session had to show: the password of then, or, of a session that an
		// identity began, nothing.
		fresh := *in
		fresh.Account.HasPassword = false
		for _, in := range []*accounts.Session{in, &fresh} {
			_, err := w.ChangePassword(ctx, in, password, "thief's.Horse-44.battery", from)
			code(t, market.CodeUnauthorized, err)
			code(t, market.CodeUnauthorized, w.ChangeAddress(ctx, in, thiefs, password, from))
			code(t, market.CodeUnauthorized, w.Delete(ctx, in, password))
		}
		require.NoError(t, w.Settle(ctx))
		require.Empty(t, w.box.to(thiefs))
		again, err := w.SignIn(ctx, address, other, network(ownPage))
		require.NoError(t, err)
		keys, err := w.Keys(ctx, &again.Session)
		require.NoError(t, err)
		require.Empty(t, keys)
	})
}

// TestMoveThatWaits: a thief asks for an account to move to an address whose mail server
// says "later", until the account is its owner's (again): what the mail server takes then
// has no link that moves the account, were it the owner who opens it.
func TestMoveThatWaits(t *testing.T) {
	t.Parallel()
	const address, other = "kim@mailing.example", "another.Horse-43.battery"
	stores(t, func(t *testing.T, w *world) {
		ctx, from := t.Context(), network(7)
		later := errors.New("451 later")
		moves := func(in *accounts.Session, words string, owner func()) {
			t.Helper()
			w.box.refuse(later)
			require.NoError(t, w.ChangeAddress(ctx, in, thiefs, words, from))
			_ = w.Settle(ctx)
			w.box.refuse(nil)
			owner()
			w.add(2 * time.Hour)
			require.NoError(t, w.Settle(ctx))
			require.Empty(t, w.box.to(thiefs))
		}
		// A squatter on an address that nobody verified.
		require.NoError(t, w.Register(ctx, address, loot, from))
		require.NoError(t, w.Settle(ctx))
		squatter, err := w.SignIn(ctx, address, loot, from)
		require.NoError(t, err)
		moves(&squatter.Session, loot, func() { w.register(t, address) })
		// Who had the password for a while.
		moves(&w.signIn(t, address).Session, password, func() { w.reset(t, address, other) })
	})
}

// TestRegistrationBesideVerification: over PostgreSQL, where transactions run beside each
// other, a thief's registration of an address meets the owner's verification of it at any
// place: the verified account never has the thief's password.
func TestRegistrationBesideVerification(t *testing.T) {
	t.Parallel()
	const address = "kim@mailing.example"
	for name, test := range map[string]struct {
		between string // what the other has done, and not yet committed
		then    func(ctx context.Context, w *world, link string) error
	}{
		"the owner verifies while the thief registers": {
			`UPDATE access_accounts SET verified_at = 1 WHERE folded = '` + address + `'`,
			func(ctx context.Context, w *world, _ string) error {
				return errors.Join(w.Register(ctx, address, loot, network(7)), w.Settle(ctx))
			},
		},
		"the thief registers while the owner verifies": {
			`UPDATE access_accounts SET password = (SELECT password FROM access_accounts WHERE folded = '` + thiefs + `') WHERE folded = '` + address + `'`,
			func(ctx context.Context, w *world, link string) error {
				_, err := w.Verify(ctx, link, password, nil, network(ownPage))
				return err
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			store, err := identity.Open(context.Background(), pgtest.Database(t), true)
			require.NoError(t, err)
			w := newWorld(t, store, nil)
			require.NoError(t, w.Register(ctx, thiefs, loot, network(7)))
			require.NoError(t, w.Register(ctx, address, password, network(ownPage)))
			link := w.link(t, address)

			tx, err := store.DB().BeginTx(ctx, nil)
			require.NoError(t, err)
			_, err = tx.ExecContext(ctx, test.between)
			require.NoError(t, err)
			done := make(chan error, 1)
			go func() { done <- test.then(ctx, w, link) }()
			require.Eventually(t, func() bool { return waiting(ctx, t, store.DB().DB) }, time.Minute, 5*time.Millisecond)
			require.NoError(t, tx.Commit())
			require.NoError(t, <-done)

			_, err = w.SignIn(ctx, address, loot, network(7))
			require.ErrorIs(t, err, accounts.ErrWrong)
			in, err := w.SignIn(ctx, address, password, network(ownPage))
			require.NoError(t, err)
			require.True(t, in.Account.Verified)
		})
	}
}

// waiting reports whether a statement of this database waits for a lock.
func waiting(ctx context.Context, t *testing.T, db *sql.DB) bool {
	var n int
	require.NoError(t, db.QueryRowContext(ctx, `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&n))
	return n > 0
}
