package accounts_test

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/identity"
	"github.com/ladderback/ladderback/identity/accounts"
	"github.com/ladderback/ladderback/market"
)

// forgetful stands for the runs of organizations.
type forgetful struct {
	mu     sync.Mutex
	forgot []string
	fail   error
}

func (f *forgetful) ForgetAll(_ context.Context, organization string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.fail != nil {
		return f.fail
	}
	f.forgot = append(f.forgot, organization)
	return nil
}

func (f *forgetful) Export(_ context.Context, organization string, run func(json.RawMessage) error) error {
	for range 2 {
		if err := run(json.RawMessage(`{"organization":"` + organization + `"}`)); err != nil {
			return err
		}
	}
	return f.fail
}

// TestLeaving exports and deletes an account.
func TestLeaving(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, w *world) {
		ctx, from := t.Context(), here(t)
		in := w.register(t, "a@example.com")
		k, secret, err := w.MakeKey(ctx, &in.Session, "desk", 0, from)
		require.NoError(t, err)
		_, err = w.keys.Find(ctx, secret)
		require.NoError(t, err)
		w.meter.Count(k.ID, identity.Request{})
		other := w.signIn(t, "a@example.com")
		all, err := w.Export(ctx, &in.Session)
		require.NoError(t, err)
		require.Equal(t, "a@example.com", all.Account.Address)
		require.Len(t, all.Sessions, 2)
		require.Len(t, all.Organizations, 1)
		require.Equal(t, k.ID, all.Organizations[0].Keys[0].ID)
		require.NotEmpty(t, all.Organizations[0].Audit)
		require.NotEmpty(t, all.Mails)

		code(t, market.CodeUnauthorized, w.Delete(ctx, &in.Session, "wrong"))
		// An organization with others needs an owner.
		b := w.join(t, &in.Session, "b@example.com", accounts.Member)
		code(t, market.CodeConflict, w.Delete(ctx, &in.Session, password))
		w.session(t, in.Token)
		require.NoError(t, w.Remove(ctx, &in.Session, b.Account.ID, from))
		require.NoError(t, w.Delete(ctx, &in.Session, password))
		w.gone(t, in.Token)
		w.gone(t, other.Token)
		w.add(4 * time.Second)
		_, err = w.keys.Find(ctx, secret)
		require.ErrorIs(t, err, identity.ErrUnauthorized)
		_, err = w.SignIn(ctx, "a@example.com", password, from)
		require.ErrorIs(t, err, accounts.ErrWrong)
		require.NoError(t, w.Settle(ctx))
		left := w.dump(t)
		require.NotContains(t, left, "a@example.com", "what is left of it")
		require.NotContains(t, left, in.Organization.ID)
		w.register(t, "a@example.com") // the address is free
	})
}

// dump returns every value of every table of accounts and keys.
func (w *world) dump(t testing.TB) (out string) {
	t.Helper()
	db := w.store.DB()
	for _, table := range []string{
		"keys", "usage", "sessions", "usage_days", "refusals", "accounts", "identities", "organizations", "members", "invitations",
		"tokens", "outbox", "audit", "attempts", "signing_keys",
	} {
		rows, err := db.QueryContext(t.Context(), `SELECT * FROM access_`+table)
		require.NoError(t, err)
		columns, err := rows.Columns()
		require.NoError(t, err)
		for rows.Next() {
			values, into := make([]any, len(columns)), make([]any, len(columns))
			for i := range values {
				into[i] = &values[i]
			}
			require.NoError(t, rows.Scan(into...))
			for i, v := range values {
				if b, ok := v.([]byte); ok {
					v = string(b)
				}
				text, err := json.Marshal(v)
				require.NoError(t, err)
				out += table + "." + columns[i] + "=" + string(text) + "\n"
			}
		}
		require.NoError(t, rows.Err())
		require.NoError(t, rows.Close())
	}
	return out
}

// TestRunsAreForgotten: the runs of an organization that left are forgotten, though it fail
// at first.
func TestRunsAreForgotten(t *testing.T) {
	t.Parallel()
	store, err := identity.Open(context.Background(), filepath.Join(t.TempDir(), "access.db"), true)
	require.NoError(t, err)
	runs := &forgetful{fail: errors.New("the store of runs is down")}
	w := newWorld(t, store, func(c *accounts.Config) { c.Runs = runs })
	in := w.register(t, "a@example.com")
	require.NoError(t, w.Delete(t.Context(), &in.Session, password))
	for range 40 {
		require.NoError(t, w.Settle(t.Context()))
		w.add(time.Hour) // longer than mails are tried
	}
	runs.fail = nil
	w.add(time.Hour)
	require.NoError(t, w.Settle(t.Context()))
	require.Equal(t, []string{in.Organization.ID}, runs.forgot)
	w.add(time.Hour)
	require.NoError(t, w.Settle(t.Context()))
	require.Len(t, runs.forgot, 1)
}

// TestNoSecretIsKept lives a whole life and looks for every secret of it in the tables.
func TestNoSecretIsKept(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, w *world) {
		ctx, from := t.Context(), here(t)
		secrets := []string{password}
		require.NoError(t, w.Register(ctx, "a@example.com", password, from))
		secrets = append(secrets, w.link(t, "a@example.com"))
		_, err := w.Verify(ctx, secrets[1], password, nil, from)
		require.NoError(t, err)
		in := w.signIn(t, "a@example.com")
		_, key, err := w.MakeKey(ctx, &in.Session, "desk", 0, from)
		require.NoError(t, err)
		token, _, err := w.Token(ctx, &in.Session)
		require.NoError(t, err)
		require.NoError(t, w.Forgotten(ctx, "a@example.com", from))
		_, err = w.Invite(ctx, &in.Session, "b@example.com", accounts.Viewer, from)
		require.NoError(t, err)
		_, err = w.SignInWithIdentity(ctx, issuer, "1", "a@example.com", true, from)
		secrets = append(secrets, w.link(t, "a@example.com"), w.link(t, "b@example.com"), in.Token, in.Token[2:], key, key[3:30], token, ticket(t, err))
		left := w.dump(t)
		require.Contains(t, left, "a@example.com")
		for _, s := range secrets {
			require.NotContains(t, left, s)
		}
		require.NotContains(t, left, "192.0.2.17", "networks are kept, addresses are not")
	})
}
