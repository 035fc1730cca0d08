package accounts_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/identity/accounts"
	"github.com/ladderback/ladderback/market"
)

const issuer = "https://id.example.com"

// ticket expects that an identity has to be joined, and returns how.
func ticket(t testing.TB, err error) string {
	t.Helper()
	join, ok := errors.AsType[*accounts.JoinError](err)
	require.True(t, ok, "%v", err)
	return join.Ticket
}

// TestIdentities signs up and in by identity: the subject counts, never the address.
func TestIdentities(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, w *world) {
		ctx, from := t.Context(), here(t)
		in, err := w.SignInWithIdentity(ctx, issuer, "1", "ada@example.com", true, from)
		require.NoError(t, err)
		require.True(t, in.Account.Verified)
		require.False(t, in.Account.HasPassword)
		again, err := w.SignInWithIdentity(ctx, issuer, "1", "elsewhere@example.com", false, from)
		require.NoError(t, err)
		require.Equal(t, in.Account.ID, again.Account.ID)
		require.Equal(t, "ada@example.com", again.Account.Address)
		// The same subject of another provider is another.
		other, err := w.SignInWithIdentity(ctx, "https://other.example.com", "1", "eve@example.com", true, from)
		require.NoError(t, err)
		require.NotEqual(t, in.Account.ID, other.Account.ID)
		for _, bad := range [][2]string{{"", "1"}, {issuer, ""}} {
			_, err = w.SignInWithIdentity(ctx, bad[0], bad[1], "x@example.com", true, from)
			code(t, market.CodeUnauthorized, err)
		}
		_, err = w.SignInWithIdentity(ctx, issuer, "2", "", true, from)
		code(t, market.CodeForbidden, err)
		_, err = w.SignIn(ctx, "ada@example.com", "", from)
		require.ErrorIs(t, err, accounts.ErrWrong, "there is no password")

		// One that the provider did not verify is verified by mail.
		un, err := w.SignInWithIdentity(ctx, issuer, "3", "un@example.com", false, from)
		require.NoError(t, err)
		require.False(t, un.Account.Verified)
		_, err = w.Verify(ctx, w.link(t, "un@example.com"), "", &un.Session, from)
		require.NoError(t, err)
		un, err = w.SignInWithIdentity(ctx, issuer, "3", "un@example.com", false, from)
		require.NoError(t, err)
		require.True(t, un.Account.Verified)
	})
}

// TestJoining: an account that there is gets an identity by its password alone.
func TestJoining(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, w *world) {
		ctx, from := t.Context(), here(t)
		mine := w.register(t, "ada@example.com")
		for _, verified := range []bool{true, false} {
			_, err := w.SignInWithIdentity(ctx, issuer, "1", "ADA@example.com", verified, from)
			one := ticket(t, err)
			_, err = w.Join(ctx, one, "wrong", from)
			require.ErrorIs(t, err, accounts.ErrWrong)
		}
		_, err := w.SignInWithIdentity(ctx, issuer, "1", "ada@example.com", true, from)
		first := ticket(t, err)
		_, err = w.SignInWithIdentity(ctx, issuer, "1", "ada@example.com", true, from)
		second := ticket(t, err)
		_, err = w.Join(ctx, first, password, from)
		require.ErrorIs(t, err, accounts.ErrLink, "a second was made")
		for _, s := range strangeSecrets(second) {
			_, err = w.Join(ctx, s, password, from)
			require.ErrorIs(t, err, accounts.ErrLink)
		}
		in, err := w.Join(ctx, second, password, from)
		require.NoError(t, err)
		require.Equal(t, mine.Account.ID, in.Account.ID)
		_, err = w.Join(ctx, second, password, from)
		require.ErrorIs(t, err, accounts.ErrLink, "used")
		in, err = w.SignInWithIdentity(ctx, issuer, "1", "x@example.com", false, from)
		require.NoError(t, err)
		require.Equal(t, mine.Account.ID, in.Account.ID)

		_, err = w.SignInWithIdentity(ctx, issuer, "2", "ada@example.com", true, from)
		late := ticket(t, err)
		w.add(10 * time.Minute)
		_, err = w.Join(ctx, late, password, from)
		require.ErrorIs(t, err, accounts.ErrLink)
	})
}

// TestPreHijacking: what somebody put on an address that they never verified is worth
// nothing once the owner arrives, through whichever door.
func TestPreHijacking(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, w *world) {
		ctx, from := t.Context(), here(t)
		// A password and a session, then the owner by identity.
		require.NoError(t, w.Register(ctx, "a@example.com", password, from))
		require.NoError(t, w.Settle(ctx))
		squatter := w.signIn(t, "a@example.com")
		stale := w.link(t, "a@example.com")
		owner, err := w.SignInWithIdentity(ctx, issuer, "a", "a@example.com", true, from)
		require.NoError(t, err)
		require.True(t, owner.Account.Verified)
		require.False(t, owner.Account.HasPassword)
		w.gone(t, squatter.Token)
		_, err = w.SignIn(ctx, "a@example.com", password, from)
		require.ErrorIs(t, err, accounts.ErrWrong)
		_, err = w.Verify(ctx, stale, password, nil, from)
		require.ErrorIs(t, err, accounts.ErrLink)

		// An unverified identity, then the owner by password.
		squat, err := w.SignInWithIdentity(ctx, issuer, "squatter", "b@example.com", false, from)
		require.NoError(t, err)
		require.NoError(t, w.Register(ctx, "b@example.com", password, from))
		_, err = w.Verify(ctx, w.link(t, "b@example.com"), password, nil, from)
		require.NoError(t, err)
		w.gone(t, squat.Token)
		_, err = w.SignInWithIdentity(ctx, issuer, "squatter", "b@example.com", false, from)
		ticket(t, err) // knows nothing of the account but its address

		// An unverified identity, then the owner by a verified one, and by a reset.
		_, err = w.SignInWithIdentity(ctx, issuer, "squatter", "c@example.com", false, from)
		require.NoError(t, err)
		owner, err = w.SignInWithIdentity(ctx, issuer, "c", "c@example.com", true, from)
		require.NoError(t, err)
		list, err := w.Identities(ctx, &owner.Session)
		require.NoError(t, err)
		require.Len(t, list, 1)
		require.Equal(t, "c", list[0].Subject)

		squat, err = w.SignInWithIdentity(ctx, issuer, "squatter", "d@example.com", false, from)
		require.NoError(t, err)
		require.NoError(t, w.Forgotten(ctx, "d@example.com", from))
		require.NoError(t, w.Reset(ctx, w.link(t, "d@example.com"), password, false, from))
		w.gone(t, squat.Token)
		list, err = w.Identities(ctx, &w.signIn(t, "d@example.com").Session)
		require.NoError(t, err)
		require.Empty(t, list)
	})
}
