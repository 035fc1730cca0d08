package accounts_test

import (
	"crypto/sha256"
	"encoding/base64"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/identity"
	"github.com/ladderback/ladderback/identity/accounts"
	"github.com/ladderback/ladderback/market"
)

const (
	resource = "https://app.example.com/mcp"
	verifier = "a-verifier-that-has-at-least-forty-three-characters"
	comeBack = "http://127.0.0.1:4000/callback"
)

// proof is what belongs to verifier.
func proof() accounts.Proof {
	d := sha256.Sum256([]byte(verifier))
	return accounts.Proof{Redirect: comeBack, Challenge: base64.RawURLEncoding.EncodeToString(d[:])}
}

// allow has somebody allow a client a grant, and returns the code.
func (w *world) allow(t testing.TB, in *accounts.Session, scopes ...string) string {
	t.Helper()
	code, err := w.Allow(t.Context(), in, &accounts.Grant{Client: "desk", Name: "Desk", Resource: resource, Scopes: scopes}, proof(), here(t))
	require.NoError(t, err)
	return code
}

func claim(secret string) *accounts.Claim {
	return &accounts.Claim{Secret: secret, Client: "desk", Redirect: comeBack, Verifier: verifier}
}

// connect has somebody allow a client a grant, and returns its tokens.
func (w *world) connect(t testing.TB, in *accounts.Session, scopes ...string) accounts.Tokens {
	t.Helper()
	out, err := w.Exchange(t.Context(), claim(w.allow(t, in, scopes...)))
	require.NoError(t, err)
	return out
}

// acts reports whether an access token works.
func (w *world) acts(t testing.TB, token string) bool {
	t.Helper()
	_, _, err := w.OfGrant(t.Context(), token, resource)
	if err != nil {
		require.ErrorIs(t, err, identity.ErrUnauthorized)
	}
	return err == nil
}

// TestGrant: a client acts for whoever allowed it, as long as its token lives, and then
// with the next.
func TestGrant(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, w *world) {
		in := w.register(t, "ada@example.com")
		tokens := w.connect(t, &in.Session, accounts.ScopeRead, accounts.ScopeRun)
		require.Equal(t, []string{"read", "run"}, tokens.Scopes)
		who, scopes, err := w.OfGrant(t.Context(), tokens.Access, resource)
		require.NoError(t, err)
		require.Equal(t, tokens.Scopes, scopes)
		require.Equal(t, "ada@example.com", who.Account.Address)
		require.Equal(t, in.Organization, who.Organization)
		require.True(t, who.Account.Verified)
		_, _, err = w.OfGrant(t.Context(), tokens.Access, "https://other.example/mcp")
		require.ErrorIs(t, err, identity.ErrUnauthorized, "a token of another audience")
		require.False(t, w.acts(t, tokens.Refresh))

		w.add(accounts.AccessLife)
		require.False(t, w.acts(t, tokens.Access), "its life is over")
		narrow := claim(tokens.Refresh)
		narrow.Scopes = []string{"read", "all"}
		_, err = w.Refresh(t.Context(), narrow)
		require.ErrorIs(t, err, accounts.ErrScopes)
		narrow.Scopes = []string{"read"}
		next, err := w.Refresh(t.Context(), narrow)
		require.NoError(t, err)
		require.Equal(t, []string{"read"}, next.Scopes)
		next, err = w.Refresh(t.Context(), claim(next.Refresh))
		require.NoError(t, err)
		require.Equal(t, []string{"read", "run"}, next.Scopes, "what was granted")

		list, err := w.Grants(t.Context(), &in.Session)
		require.NoError(t, err)
		require.Len(t, list, 1)
		require.Equal(t, "Desk", list[0].Name)
		all, err := w.Export(t.Context(), &in.Session)
		require.NoError(t, err)
		require.Equal(t, list, all.Grants)
		other := w.register(t, "bob@example.com")
		code(t, market.CodeNotFound, w.EndGrant(t.Context(), &other.Session, list[0].ID, here(t)))
		require.NoError(t, w.EndGrant(t.Context(), &in.Session, list[0].ID, here(t)))
		require.False(t, w.acts(t, next.Access))
		entries, _, err := w.Audit(t.Context(), &in.Session, "")
		require.NoError(t, err)
		require.Equal(t, "agent ended", entries[0].Action)

		idle := w.connect(t, &in.Session)
		w.add(accounts.RefreshLife)
		_, err = w.Refresh(t.Context(), claim(idle.Refresh))
		require.ErrorIs(t, err, accounts.ErrGrant)
		require.NoError(t, w.Sweep(t.Context()))
		list, err = w.Grants(t.Context(), &in.Session)
		require.NoError(t, err)
		require.Empty(t, list)
	})
}

// TestGrantStolen: what works once and is used twice, or shown by somebody who cannot
// prove that it is theirs, ends all tokens of its grant, and those of no other.
func TestGrantStolen(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, w *world) {
		in := w.register(t, "ada@example.com")
		other := w.connect(t, &in.Session)
		for name, steal := range map[string]func(c string) (accounts.Tokens, *accounts.Claim, func(*accounts.Claim) (accounts.Tokens, error)){
			"a code twice": func(c string) (accounts.Tokens, *accounts.Claim, func(*accounts.Claim) (accounts.Tokens, error)) {
				out, err := w.Exchange(t.Context(), claim(c))
				require.NoError(t, err)
				return out, claim(c), func(c *accounts.Claim) (accounts.Tokens, error) { return w.Exchange(t.Context(), c) }
			},
			"a refresh token twice": func(c string) (accounts.Tokens, *accounts.Claim, func(*accounts.Claim) (accounts.Tokens, error)) {
				first, err := w.Exchange(t.Context(), claim(c))
				require.NoError(t, err)
				out, err := w.Refresh(t.Context(), claim(first.Refresh))
				require.NoError(t, err)
				return out, claim(first.Refresh), func(c *accounts.Claim) (accounts.Tokens, error) { return w.Refresh(t.Context(), c) }
			},
			"another client's": func(c string) (accounts.Tokens, *accounts.Claim, func(*accounts.Claim) (accounts.Tokens, error)) {
				out, err := w.Exchange(t.Context(), claim(c))
				require.NoError(t, err)
				theirs := claim(out.Refresh)
				theirs.Client = "thief"
				return out, theirs, func(c *accounts.Claim) (accounts.Tokens, error) { return w.Refresh(t.Context(), c) }
			},
		} {
			tokens, stolen, use := steal(w.allow(t, &in.Session))
			require.True(t, w.acts(t, tokens.Access), name)
			_, err := use(stolen)
			require.ErrorIs(t, err, accounts.ErrGrant, name)
			require.False(t, w.acts(t, tokens.Access), name)
			_, err = w.Refresh(t.Context(), claim(tokens.Refresh))
			require.ErrorIs(t, err, accounts.ErrGrant, name)
			require.True(t, w.acts(t, other.Access), name)
		}
		entries, _, err := w.Audit(t.Context(), &in.Session, "")
		require.NoError(t, err)
		require.Equal(t, "agent ended: a code or token was used twice", entries[0].Action)

		for name, change := range map[string]func(c *accounts.Claim){
			"verifier": func(c *accounts.Claim) { c.Verifier += "x" }, "no verifier": func(c *accounts.Claim) { c.Verifier = "" },
			"redirect": func(c *accounts.Claim) { c.Redirect = "http://127.0.0.1:4001/callback" }, "client": func(c *accounts.Claim) { c.Client = "thief" },
		} {
			secret := w.allow(t, &in.Session)
			wrong := claim(secret)
			change(wrong)
			_, err := w.Exchange(t.Context(), wrong)
			require.ErrorIs(t, err, accounts.ErrGrant, name)
			_, err = w.Exchange(t.Context(), claim(secret))
			require.ErrorIs(t, err, accounts.ErrGrant, "%s: the code is gone", name)
		}
		late := w.allow(t, &in.Session)
		w.add(accounts.GrantCodeLife)
		_, err = w.Exchange(t.Context(), claim(late))
		require.ErrorIs(t, err, accounts.ErrGrant)
		for _, one := range append(strangeSecrets(late), late+"\x00") {
			_, err = w.Exchange(t.Context(), claim(one))
			require.ErrorIs(t, err, accounts.ErrGrant)
			_, err = w.Refresh(t.Context(), claim(one))
			require.ErrorIs(t, err, accounts.ErrGrant)
		}
	})
}

// TestGrantRace: of clients that show one refresh token at the same moment at most one is
// given tokens, and they are over at once.
func TestGrantRace(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, w *world) {
		in := w.register(t, "ada@example.com")
		tokens := w.connect(t, &in.Session)
		var all sync.WaitGroup
		var mu sync.Mutex
		var given []accounts.Tokens
		for range 6 {
			all.Go(func() {
				if out, err := w.Refresh(t.Context(), claim(tokens.Refresh)); err == nil {
					mu.Lock()
					defer mu.Unlock()
					given = append(given, out)
				}
			})
		}
		all.Wait()
		require.LessOrEqual(t, len(given), 1)
		for _, one := range given {
			require.False(t, w.acts(t, one.Access))
		}
		require.False(t, w.acts(t, tokens.Access))
	})
}

// TestGrantEnds: a grant does not outlive what it rests on.
func TestGrantEnds(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, w *world) {
		owner := w.register(t, "ada@example.com")
		bob := w.register(t, "bob@example.com")
		_, err := w.Invite(t.Context(), &owner.Session, "bob@example.com", accounts.Viewer, here(t))
		require.NoError(t, err)
		there, err := w.Accept(t.Context(), &bob.Session, w.link(t, "bob@example.com"), here(t))
		require.NoError(t, err)
		tokens := w.connect(t, &there.Session, accounts.ScopeRun)
		require.Equal(t, []string{"read"}, tokens.Scopes, "a viewer only reads")
		who, _, err := w.OfGrant(t.Context(), tokens.Access, resource)
		require.NoError(t, err)
		require.Equal(t, owner.Organization.ID, who.Organization.ID)
		require.NoError(t, w.Remove(t.Context(), &owner.Session, bob.Account.ID, here(t)))
		require.False(t, w.acts(t, tokens.Access))
		_, err = w.Refresh(t.Context(), claim(tokens.Refresh))
		require.ErrorIs(t, err, accounts.ErrGrant)

		mine := w.connect(t, &owner.Session)
		require.NoError(t, w.Withdraw(t.Context(), mine.Refresh, "thief"))
		require.True(t, w.acts(t, mine.Access), "another client's")
		require.NoError(t, w.Withdraw(t.Context(), mine.Access, "desk"))
		require.False(t, w.acts(t, mine.Access))

		for _, revoke := range []bool{false, true} {
			kept := w.connect(t, &owner.Session)
			require.NoError(t, w.Forgotten(t.Context(), "ada@example.com", here(t)))
			require.NoError(t, w.Reset(t.Context(), w.link(t, "ada@example.com"), password, revoke, here(t)))
			require.Equal(t, !revoke, w.acts(t, kept.Access))
			owner = w.signIn(t, "ada@example.com")
			w.add(time.Hour)
		}
		last := w.connect(t, &owner.Session)
		require.NoError(t, w.Delete(t.Context(), &owner.Session, password))
		require.False(t, w.acts(t, last.Access))
	})
}

// TestGrantsAtMost: an account has so many grants, and none before its address is
// verified.
func TestGrantsAtMost(t *testing.T) {
	t.Parallel()
	s, err := identity.Open(t.Context(), filepath.Join(t.TempDir(), "access.db"), true)
	require.NoError(t, err)
	w := newWorld(t, s, nil)
	in := w.register(t, "ada@example.com")
	for range accounts.MostGrants {
		w.connect(t, &in.Session)
	}
	_, err = w.Allow(t.Context(), &in.Session, &accounts.Grant{Client: "desk", Name: "Desk"}, proof(), here(t))
	code(t, market.CodeConflict, err)
	in.Account.Verified = false
	_, err = w.Allow(t.Context(), &in.Session, &accounts.Grant{Client: "desk", Name: "Desk"}, proof(), here(t))
	require.ErrorIs(t, err, accounts.ErrUnverified)
}
