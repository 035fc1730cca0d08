package accounts_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/identity"
	"github.com/ladderback/ladderback/identity/accounts"
	"github.com/ladderback/ladderback/market"
)

// TestRegister registers, verifies and signs in; and again with an address that is known.
func TestRegister(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, w *world) {
		ctx, from := t.Context(), here(t)
		const address = "Ada@example.com"
		require.NoError(t, w.Register(ctx, address, password, from))
		require.NoError(t, w.Settle(ctx))
		in := w.signIn(t, "ada@EXAMPLE.com")
		require.False(t, in.Account.Verified)
		require.Equal(t, address, in.Account.Address)
		require.Equal(t, accounts.Owner, in.Organization.Role)
		require.Equal(t, "starter", in.Organization.Plan)
		_, _, err := w.MakeKey(ctx, &in.Session, "desk", 0, from)
		require.ErrorIs(t, err, accounts.ErrUnverified)
		_, _, err = w.Token(ctx, &in.Session)
		require.ErrorIs(t, err, accounts.ErrUnverified)
		_, err = w.Invite(ctx, &in.Session, "eve@example.com", accounts.Viewer, from)
		require.ErrorIs(t, err, accounts.ErrUnverified)

		other := w.signIn(t, address)
		out, err := w.Verify(ctx, w.link(t, address), "", &in.Session, from)
		require.NoError(t, err)
		require.Equal(t, "verify", out.Purpose)
		require.NotNil(t, out.Session, "its rights rose: another token")
		require.True(t, w.session(t, out.Session.Token).Account.Verified)
		w.gone(t, in.Token)
		w.gone(t, other.Token)

		require.NoError(t, w.Register(ctx, "ADA@example.com", password+"!", from))
		require.NoError(t, w.Settle(ctx))
		require.Empty(t, w.box.mailsBeside(address))
		mails := w.box.to(address)
		require.Len(t, mails, 2)
		require.Equal(t, "You already have an account", mails[1].Subject)
		require.NotContains(t, mails[1].Plain, "#")
		_, err = w.SignIn(ctx, address, password+"!", from)
		require.ErrorIs(t, err, accounts.ErrWrong)
	})
}

// TestUnverifiedIsTakenOver: an address that nobody verified belongs to whoever claimed
// it last, and whose links are opened, to who chose the password.
func TestUnverifiedIsTakenOver(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, w *world) {
		ctx, from := t.Context(), here(t)
		const address, words = "owner@example.com", "the squatter's own words"
		require.NoError(t, w.Register(ctx, address, words, from))
		first := w.link(t, address)
		squatter, err := w.SignIn(ctx, address, words, from)
		require.NoError(t, err)
		require.NoError(t, w.Register(ctx, address, password, from))
		second := w.link(t, address)
		w.gone(t, squatter.Token)
		_, err = w.Verify(ctx, first, password, nil, from)
		code(t, market.CodeUnauthorized, err)
		_, err = w.Verify(ctx, second, password, nil, from)
		require.NoError(t, err)
		_, err = w.SignIn(ctx, address, words, from)
		require.ErrorIs(t, err, accounts.ErrWrong)
		_, err = w.Verify(ctx, first, words, nil, from)
		require.ErrorIs(t, err, accounts.ErrLink)
		w.signIn(t, address)
	})
}

// TestLinkVerifiesItsOwnRegistration: a thief registers an owner's address after the
// owner, by password or by an identity whose address its provider did not verify, and the
// owner opens whichever link: the account is the owner's, or nobody's.
func TestLinkVerifiesItsOwnRegistration(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, w *world) {
		ctx, from, thief := t.Context(), here(t), network(66)
		const words = "the squatter's own words"
		for i, squat := range []func(address string) *accounts.Session{
			func(address string) *accounts.Session {
				require.NoError(t, w.Register(ctx, address, words, thief))
				require.NoError(t, w.Settle(ctx))
				in, err := w.SignIn(ctx, address, words, thief)
				require.NoError(t, err)
				return &in.Session
			},
			func(address string) *accounts.Session {
				in, err := w.SignInWithIdentity(ctx, issuer, "squatter of "+address, address, false, thief)
				require.NoError(t, err)
				return &in.Session
			},
		} {
			address := string(rune('a'+i)) + "@example.com"
			require.NoError(t, w.Register(ctx, address, password, from))
			own := w.link(t, address)
			theirs := squat(address)
			newest := w.link(t, address)
			require.NotEqual(t, own, newest)
			for _, p := range []string{"", password, "guess"} {
				_, err := w.Verify(ctx, newest, p, nil, from)
				code(t, market.CodeUnauthorized, err)
			}
			_, err := w.Verify(ctx, own, "", theirs, thief)
			code(t, market.CodeUnauthorized, err)
			_, err = w.Verify(ctx, own, words, nil, thief)
			code(t, market.CodeUnauthorized, err)
			out, err := w.Verify(ctx, own, password, nil, from)
			require.NoError(t, err)
			require.Equal(t, address, out.Address)
			require.True(t, w.signIn(t, address).Account.Verified)
			_, err = w.SignIn(ctx, address, words, thief)
			require.ErrorIs(t, err, accounts.ErrWrong)
			_, err = w.Verify(ctx, newest, words, theirs, thief)
			require.ErrorIs(t, err, accounts.ErrLink)
			_, err = w.SignInWithIdentity(ctx, issuer, "squatter of "+address, address, false, thief)
			ticket(t, err)
			list, err := w.Identities(ctx, &w.signIn(t, address).Session)
			require.NoError(t, err)
			require.Empty(t, list)
		}

		// A thief moves an account of the thief's own to the owner's address.
		theirs := w.register(t, "thief@example.com")
		require.NoError(t, w.ChangeAddress(ctx, &theirs.Session, "c@example.com", password, thief))
		link := w.link(t, "c@example.com")
		for _, p := range []string{"", password + "2"} {
			_, err := w.Verify(ctx, link, p, nil, from)
			code(t, market.CodeUnauthorized, err)
		}
		require.Equal(t, "thief@example.com", w.signIn(t, "thief@example.com").Account.Address)
	})
}

// TestResetRevokes: what somebody made who knew the password does not outlive a reset that
// revokes; without, keys go on.
func TestResetRevokes(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, w *world) {
		ctx, from := t.Context(), here(t)
		in := w.register(t, "a@example.com")
		_, secret, err := w.MakeKey(ctx, &in.Session, "thief's", 0, from)
		require.NoError(t, err)
		_, err = w.SignInWithIdentity(ctx, issuer, "thief", "a@example.com", false, from)
		_, err = w.Join(ctx, ticket(t, err), password, from)
		require.NoError(t, err)
		for _, revoke := range []bool{false, true} {
			require.NoError(t, w.Forgotten(ctx, "a@example.com", from))
			require.NoError(t, w.Reset(ctx, w.link(t, "a@example.com"), password, revoke, from))
			w.add(5 * time.Second)
			_, err = w.keys.Find(ctx, secret)
			require.Equal(t, revoke, err != nil, "%v", err)
			_, err = w.SignInWithIdentity(ctx, issuer, "thief", "a@example.com", false, from)
			require.Equal(t, revoke, err != nil, "%v", err)
		}
	})
}

// TestMailsAtTheirOwnTime: nothing is done for an address right after the request that
// names it, when another request would tell by its time whether there is something to do.
func TestMailsAtTheirOwnTime(t *testing.T) {
	t.Parallel()
	s, err := identity.Open(context.Background(), filepath.Join(t.TempDir(), "access.db"), true)
	require.NoError(t, err)
	w := newWorld(t, s, func(c *accounts.Config) { c.MailPause = 2 * time.Hour })
	w.register(t, "a@example.com")
	before := len(w.box.to("a@example.com"))
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); w.Work(ctx) }()
	for range 2 {
		require.NoError(t, w.Forgotten(ctx, "a@example.com", here(t)))
		require.NoError(t, w.Register(ctx, "a@example.com", password+"2", here(t)))
	}
	require.Never(t, func() bool { return len(w.box.to("a@example.com")) > before }, 300*time.Millisecond, 20*time.Millisecond)
	stop()
	<-done
	require.NoError(t, w.Settle(t.Context()))
	require.Greater(t, len(w.box.to("a@example.com")), before)
}

// TestLinks misuses links in every way.
func TestLinks(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, w *world) {
		ctx, from := t.Context(), here(t)
		refused := func(secret string) {
			t.Helper()
			_, err := w.Verify(ctx, secret, password, nil, from)
			require.ErrorIs(t, err, accounts.ErrLink)
		}
		require.NoError(t, w.Register(ctx, "a@example.com", password, from))
		one := w.link(t, "a@example.com")
		for _, s := range strangeSecrets(one) {
			refused(s)
			require.ErrorIs(t, w.Reset(ctx, s, password, false, from), accounts.ErrLink)
		}
		require.ErrorIs(t, w.Reset(ctx, one, password, false, from), accounts.ErrLink, "of another purpose")
		in := w.signIn(t, "a@example.com")
		_, err := w.Accept(ctx, &in.Session, one, from)
		require.Error(t, err)

		w.add(24*time.Hour - time.Second)
		in = w.signIn(t, "a@example.com")
		require.NoError(t, w.VerifyAgain(ctx, &in.Session, from))
		two := w.link(t, "a@example.com")
		refused(one) // still in time, but a second was asked for
		w.add(24 * time.Hour)
		refused(two) // too old by nothing
		in = w.signIn(t, "a@example.com")
		require.NoError(t, w.VerifyAgain(ctx, &in.Session, from))
		three := w.link(t, "a@example.com")
		w.add(24*time.Hour - time.Microsecond)
		_, err = w.Verify(ctx, three, password, nil, from)
		require.NoError(t, err, "in time by a microsecond")
		refused(three) // used

		require.NoError(t, w.Forgotten(ctx, "a@example.com", from))
		reset := w.link(t, "a@example.com")
		refused(reset)
		code(t, market.CodeInvalid, w.Reset(ctx, reset, "short", false, from))
		old := w.signIn(t, "a@example.com")
		require.NoError(t, w.Reset(ctx, reset, password+"2", false, from), "a password that could not be one did not use it up")
		w.gone(t, old.Token)
		require.ErrorIs(t, w.Reset(ctx, reset, password+"3", false, from), accounts.ErrLink)
		_, err = w.SignIn(ctx, "a@example.com", password, from)
		require.ErrorIs(t, err, accounts.ErrWrong)
		_, err = w.SignIn(ctx, "a@example.com", password+"2", from)
		require.NoError(t, err)
		require.NoError(t, w.Forgotten(ctx, "a@example.com", from))
		late := w.link(t, "a@example.com")
		w.add(time.Hour)
		require.ErrorIs(t, w.Reset(ctx, late, password, false, from), accounts.ErrLink)

		require.NoError(t, w.Forgotten(ctx, "nobody@example.com", from))
		require.NoError(t, w.Settle(ctx))
		require.Empty(t, w.box.to("nobody@example.com"))
	})
}

// TestAnotherAccountsLink: a link of one account does nothing to another, and a reset
// verifies the address that it went to.
func TestAnotherAccountsLink(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, w *world) {
		ctx, from := t.Context(), here(t)
		require.NoError(t, w.Register(ctx, "a@example.com", password, from))
		require.NoError(t, w.Register(ctx, "b@example.com", password, from))
		a, b := w.link(t, "a@example.com"), w.link(t, "b@example.com")
		inB := w.signIn(t, "b@example.com")
		out, err := w.Verify(ctx, a, password, &inB.Session, from)
		require.NoError(t, err)
		require.Nil(t, out.Session, "the session of another account is left alone")
		require.False(t, w.session(t, inB.Token).Account.Verified)
		require.NoError(t, w.Forgotten(ctx, "b@example.com", from))
		require.NoError(t, w.Reset(ctx, w.link(t, "b@example.com"), password+"2", false, from))
		w.gone(t, inB.Token)
		_, err = w.Verify(ctx, b, password, nil, from)
		require.ErrorIs(t, err, accounts.ErrLink, "all that was there before a reset of an unverified address goes")
		in, err := w.SignIn(ctx, "b@example.com", password+"2", from)
		require.NoError(t, err)
		require.True(t, in.Account.Verified)
	})
}

// TestChanges changes password and address.
func TestChanges(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, w *world) {
		ctx, from := t.Context(), here(t)
		in, other := w.register(t, "a@example.com"), w.signIn(t, "a@example.com")
		_, err := w.ChangePassword(ctx, &in.Session, "wrong", password+"2", from)
		code(t, market.CodeUnauthorized, err)
		out, err := w.ChangePassword(ctx, &in.Session, password, password+"2", from)
		require.NoError(t, err)
		w.gone(t, in.Token)
		w.gone(t, other.Token)
		require.NoError(t, w.Settle(ctx))
		told := w.box.to("a@example.com")
		require.Equal(t, "Your account was changed", told[len(told)-1].Subject)
		require.Contains(t, told[len(told)-1].Plain, "192.0.2.0/24")

		in = &out
		w.register(t, "taken@example.com")
		code(t, market.CodeUnauthorized, w.ChangeAddress(ctx, &in.Session, "new@example.com", password, from))
		require.NoError(t, w.ChangeAddress(ctx, &in.Session, "taken@example.com", password+"2", from))
		_, err = w.Verify(ctx, w.link(t, "taken@example.com"), password+"2", nil, from)
		require.ErrorIs(t, err, accounts.ErrLink, "it is another's")
		require.NoError(t, w.Register(ctx, "new@example.com", "the squatter's own words", from)) // and is never verified
		require.NoError(t, w.Settle(ctx))
		require.NoError(t, w.ChangeAddress(ctx, &in.Session, "new@example.com", password+"2", from))
		done, err := w.Verify(ctx, w.link(t, "new@example.com"), "", &in.Session, from)
		require.NoError(t, err)
		require.Equal(t, "email", done.Purpose)
		w.gone(t, in.Token)
		require.Equal(t, "new@example.com", w.session(t, done.Session.Token).Account.Address)
		require.NoError(t, w.Settle(ctx))
		told = w.box.to("a@example.com")
		require.Contains(t, told[len(told)-1].Plain, "address of your account was changed")
		_, err = w.SignIn(ctx, "new@example.com", password+"2", from)
		require.NoError(t, err)
		_, err = w.SignIn(ctx, "a@example.com", password+"2", from)
		require.ErrorIs(t, err, accounts.ErrWrong)
	})
}

// TestThrottle makes wrong tries: of an address and of a network, and what then is said
// does not depend on whether there is an account.
func TestThrottle(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, w *world) {
		ctx, from := t.Context(), here(t)
		w.register(t, "a@example.com")
		for _, address := range []string{"a@example.com", "nobody@example.com"} {
			try := func(p string) error { _, err := w.SignIn(ctx, address, p, from); return err }
			for range 5 {
				require.ErrorIs(t, try("wrong"), accounts.ErrWrong, address)
			}
			waits := []int{}
			for range 8 {
				err := try(password) // the right one too
				code(t, market.CodeRateLimited, err)
				wait := market.AsError(err).RetryAfter
				waits = append(waits, wait)
				require.Equal(t, wait, market.AsError(try("wrong")).RetryAfter, "a refused try counts for nothing")
				w.add(time.Duration(wait) * time.Second)
				require.ErrorIs(t, try("wrong"), accounts.ErrWrong)
			}
			require.Equal(t, []int{30, 60, 120, 240, 480, 900, 900, 900}, waits, address)
		}
		w.add(31 * time.Minute)
		w.signIn(t, "a@example.com")
		for i := range 30 {
			_, err := w.SignIn(ctx, strings.Repeat("x", i+1)+"@example.com", "wrong", from)
			require.ErrorIs(t, err, accounts.ErrWrong)
		}
		_, err := w.SignIn(ctx, "a@example.com", password, from)
		code(t, market.CodeRateLimited, err)
		far := from
		far.Address = far.Address.Next()
		for range 256 {
			far.Address = far.Address.Next()
		}
		_, err = w.SignIn(ctx, "a@example.com", password, far)
		require.NoError(t, err, "another network")
		for range 5 {
			require.NoError(t, w.Forgotten(ctx, "c@example.com", far))
		}
		code(t, market.CodeRateLimited, w.Forgotten(ctx, "c@example.com", far))
		code(t, market.CodeRateLimited, w.Register(ctx, "C@example.com", password, far))
	})
}
