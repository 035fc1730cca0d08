package accounts_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/identity"
	"github.com/ladderback/ladderback/identity/accounts"
	"github.com/ladderback/ladderback/market"
)

// join has an account become a member of the organization of an owner's session.
func (w *world) join(t testing.TB, owner *accounts.Session, address string, role accounts.Role) *accounts.SignedIn {
	t.Helper()
	in := w.register(t, address)
	_, err := w.Invite(t.Context(), owner, address, role, here(t))
	require.NoError(t, err)
	out, err := w.Accept(t.Context(), &in.Session, w.link(t, address), here(t))
	require.NoError(t, err)
	w.gone(t, in.Token)
	require.Equal(t, role, out.Organization.Role)
	return &out
}

// TestSessionsEnd ends sessions in each way that there is.
func TestSessionsEnd(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, w *world) {
		ctx, from := t.Context(), here(t)
		w.register(t, "a@example.com")
		one, two, three := w.signIn(t, "a@example.com"), w.signIn(t, "a@example.com"), w.signIn(t, "a@example.com")
		list, err := w.Sessions(ctx, &one.Session)
		require.NoError(t, err)
		require.Len(t, list, 4)
		require.Equal(t, "192.0.2.0/24", list[0].Network)
		require.NoError(t, w.EndSession(ctx, &one.Session, two.ID, from))
		w.gone(t, two.Token)
		stranger := w.register(t, "b@example.com")
		code(t, market.CodeNotFound, w.EndSession(ctx, &stranger.Session, one.ID, from))
		w.session(t, one.Token)
		require.NoError(t, w.EndOtherSessions(ctx, &one.Session, from))
		w.gone(t, three.Token)
		w.session(t, one.Token)
		require.NoError(t, w.SignOut(ctx, one.Token))
		w.gone(t, one.Token) // also for whoever copied the cookie

		// The id, the digest and a token that nobody made are no sessions.
		in := w.signIn(t, "a@example.com")
		for _, token := range []string{"", in.ID, "a." + in.ID, in.Token + "A", in.Token[:len(in.Token)-1], in.Token[2:]} {
			w.gone(t, token)
		}
		w.add(12*time.Hour - time.Second)
		w.session(t, in.Token)
		w.add(12 * time.Hour)
		w.gone(t, in.Token)
		in = w.signIn(t, "a@example.com")
		for range 30*2 + 1 {
			w.add(11*time.Hour + 50*time.Minute)
			if _, err := w.InSession(ctx, in.Token); err != nil {
				break
			}
		}
		w.gone(t, in.Token)
		require.GreaterOrEqual(t, market.InstantOf(w.now()), in.EndsAt, "used all the time, until thirty days were over")
		require.NoError(t, w.Sweep(ctx))
	})
}

// TestOrganizations invites, changes roles and removes; what each role may do.
func TestOrganizations(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, w *world) {
		ctx, from := t.Context(), here(t)
		owner := w.register(t, "owner@example.com")
		member := w.join(t, &owner.Session, "member@example.com", accounts.Member)
		viewer := w.join(t, &owner.Session, "viewer@example.com", accounts.Viewer)
		require.Equal(t, owner.Organization.ID, member.Organization.ID)
		list, err := w.Members(ctx, &viewer.Session)
		require.NoError(t, err)
		require.Len(t, list, 3)

		for who, in := range map[string]*accounts.Session{"member": &member.Session, "viewer": &viewer.Session} {
			require.ErrorIs(t, w.Rename(ctx, in, "mine", from), accounts.ErrRole, who)
			_, err := w.Invite(ctx, in, "x@example.com", accounts.Owner, from)
			require.ErrorIs(t, err, accounts.ErrRole, who)
			_, err = w.Invitations(ctx, in)
			require.ErrorIs(t, err, accounts.ErrRole, who)
			require.ErrorIs(t, w.Uninvite(ctx, in, "i_x", from), accounts.ErrRole, who)
			require.ErrorIs(t, w.SetRole(ctx, in, in.Account.ID, accounts.Owner, from), accounts.ErrRole, who)
			require.ErrorIs(t, w.Remove(ctx, in, owner.Account.ID, from), accounts.ErrRole, who)
			_, _, err = w.Audit(ctx, in, "")
			require.ErrorIs(t, err, accounts.ErrRole, who)
		}
		_, _, err = w.MakeKey(ctx, &viewer.Session, "k", 0, from)
		require.ErrorIs(t, err, accounts.ErrRole)
		k, secret, err := w.MakeKey(ctx, &member.Session, "k", 0, from)
		require.NoError(t, err)
		ownerKey, _, err := w.MakeKey(ctx, &owner.Session, "o", 0, from)
		require.NoError(t, err)
		require.ErrorIs(t, w.RevokeKey(ctx, &member.Session, ownerKey.ID, from), accounts.ErrRole)
		require.ErrorIs(t, w.RevokeKey(ctx, &viewer.Session, k.ID, from), accounts.ErrRole)

		// A role that was taken away is gone with the next request, whatever the session
		// said when it began.
		require.NoError(t, w.SetRole(ctx, &owner.Session, member.Account.ID, accounts.Viewer, from))
		require.Equal(t, accounts.Viewer, w.session(t, member.Token).Organization.Role)
		_, _, err = w.MakeKey(ctx, &member.Session, "k2", 0, from)
		require.ErrorIs(t, err, accounts.ErrRole, "with what was known before")
		require.NoError(t, w.Remove(ctx, &owner.Session, member.Account.ID, from))
		require.NotEqual(t, owner.Organization.ID, w.session(t, member.Token).Organization.ID)
		_, _, err = w.MakeKey(ctx, &member.Session, "k2", 0, from)
		require.ErrorIs(t, err, accounts.ErrRole)
		w.add(4 * time.Second)
		_, err = w.keys.Find(ctx, secret)
		require.ErrorIs(t, err, identity.ErrUnauthorized, "the keys of who left")

		code(t, market.CodeConflict, w.SetRole(ctx, &owner.Session, owner.Account.ID, accounts.Member, from))
		code(t, market.CodeConflict, w.Remove(ctx, &owner.Session, owner.Account.ID, from))
		require.NoError(t, w.SetRole(ctx, &owner.Session, viewer.Account.ID, accounts.Owner, from))
		require.NoError(t, w.Remove(ctx, w.session(t, viewer.Token), viewer.Account.ID, from), "leaves by themselves")
		code(t, market.CodeNotFound, w.SetRole(ctx, &owner.Session, viewer.Account.ID, accounts.Member, from))
		entries, _, err := w.Audit(ctx, &owner.Session, "")
		require.NoError(t, err)
		require.Equal(t, "member removed", entries[0].Action)
		require.Equal(t, "viewer@example.com", entries[0].Who)
	})
}

// TestInvitations misuses invitations.
func TestInvitations(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, w *world) {
		ctx, from := t.Context(), here(t)
		owner, guest, other := w.register(t, "owner@example.com"), w.register(t, "guest@example.com"), w.register(t, "other@example.com")
		invite := func(role accounts.Role) string {
			t.Helper()
			_, err := w.Invite(ctx, &owner.Session, "guest@example.com", role, from)
			require.NoError(t, err)
			return w.link(t, "guest@example.com")
		}
		first, second := invite(accounts.Owner), invite(accounts.Viewer)
		accept := func(in *accounts.SignedIn, secret string) error {
			_, err := w.Accept(ctx, &in.Session, secret, from)
			return err
		}
		require.ErrorIs(t, accept(guest, first), accounts.ErrLink, "a second was made")
		code(t, market.CodeForbidden, accept(other, second))
		for _, s := range strangeSecrets(second) {
			require.ErrorIs(t, accept(guest, s), accounts.ErrLink)
		}
		out, err := w.Accept(ctx, &guest.Session, second, from)
		require.NoError(t, err)
		require.Equal(t, accounts.Viewer, out.Organization.Role)
		require.ErrorIs(t, accept(&out, second), accounts.ErrLink, "used")
		_, err = w.Invite(ctx, &owner.Session, "GUEST@example.com", accounts.Viewer, from)
		code(t, market.CodeConflict, err)
		require.NoError(t, w.Remove(ctx, &owner.Session, guest.Account.ID, from))

		w.add(time.Hour) // mails are bounded, too
		third := invite(accounts.Member)
		list, err := w.Invitations(ctx, &owner.Session)
		require.NoError(t, err)
		require.Len(t, list, 1)
		code(t, market.CodeNotFound, w.Uninvite(ctx, &other.Session, list[0].ID, from))
		require.NoError(t, w.Uninvite(ctx, &owner.Session, list[0].ID, from))
		in := w.signIn(t, "guest@example.com")
		require.ErrorIs(t, accept(in, third), accounts.ErrLink, "withdrawn")
		late := invite(accounts.Member)
		w.add(7 * 24 * time.Hour)
		in = w.signIn(t, "guest@example.com")
		require.ErrorIs(t, accept(in, late), accounts.ErrLink)

		// An invitation of somebody who may no longer invite is worth nothing.
		owner = w.signIn(t, "owner@example.com")
		co := w.join(t, &owner.Session, "co@example.com", accounts.Owner)
		_, err = w.Invite(ctx, &co.Session, "guest@example.com", accounts.Owner, from)
		require.NoError(t, err)
		secret := w.link(t, "guest@example.com")
		require.NoError(t, w.Remove(ctx, &owner.Session, co.Account.ID, from))
		require.ErrorIs(t, accept(in, secret), accounts.ErrLink)
	})
}

// TestKeys makes keys, lets them expire, revokes them, and fills the organization.
func TestKeys(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, w *world) {
		ctx, from := t.Context(), here(t)
		in := w.register(t, "a@example.com")
		now := market.InstantOf(w.now())
		short, secret, err := w.MakeKey(ctx, &in.Session, "short", now+market.Hour, from)
		require.NoError(t, err)
		h, err := w.keys.Find(ctx, secret)
		require.NoError(t, err)
		require.Equal(t, in.Organization.ID, h.Key.Tenant())
		require.Equal(t, "a", h.Key.Organization)
		require.Equal(t, "starter", h.Key.Plan)
		w.add(time.Hour - time.Second)
		_, err = w.keys.Find(ctx, secret)
		require.NoError(t, err)
		w.add(time.Second)
		_, err = w.keys.Find(ctx, secret)
		require.ErrorIs(t, err, identity.ErrUnauthorized, "expired, and still in memory")

		k, secret, err := w.MakeKey(ctx, &in.Session, "desk", 0, from)
		require.NoError(t, err)
		_, err = w.keys.Find(ctx, secret)
		require.NoError(t, err)
		stranger := w.register(t, "b@example.com")
		code(t, market.CodeNotFound, w.RevokeKey(ctx, &stranger.Session, k.ID, from))
		_, err = w.SetPlan(ctx, in.Organization.ID, "Pro")
		require.NoError(t, err)
		w.add(4 * time.Second)
		h, err = w.keys.Find(ctx, secret)
		require.NoError(t, err)
		require.Equal(t, "Pro", h.Plan.Name)
		require.NoError(t, w.RevokeKey(ctx, &in.Session, k.ID, from))
		require.NoError(t, w.RevokeKey(ctx, &in.Session, k.ID, from), "again")
		w.add(4 * time.Second)
		_, err = w.keys.Find(ctx, secret)
		require.ErrorIs(t, err, identity.ErrUnauthorized)
		_, err = w.SetPlan(ctx, "o_nobody", "pro")
		code(t, market.CodeNotFound, err)
		_, err = w.SetPlan(ctx, in.Organization.ID, "gold")
		require.ErrorContains(t, err, "gold")

		// Sixty at once: fifty are made.
		var made, refused int
		var mu sync.Mutex
		var group sync.WaitGroup
		for i := range 60 {
			group.Go(func() {
				_, _, err := w.MakeKey(ctx, &in.Session, fmt.Sprint("k", i), 0, from)
				mu.Lock()
				defer mu.Unlock()
				switch market.CodeOf(err) {
				case "":
					made++
				case market.CodeConflict:
					refused++
				}
			})
		}
		group.Wait()
		require.Equal(t, [2]int{accounts.MostKeys, 10}, [2]int{made, refused})
		list, err := w.Keys(ctx, &in.Session)
		require.NoError(t, err)
		require.Len(t, list, 52)
		require.Equal(t, "a@example.com", list[0].MadeBy)
		require.ElementsMatch(t, []string{k.ID, short.ID}, []string{list[50].ID, list[51].ID})
		for _, bad := range []string{"", "   ", "two\nlines", string(make([]byte, 81))} {
			_, _, err := w.MakeKey(ctx, &stranger.Session, bad, 0, from)
			code(t, market.CodeInvalid, err)
		}
	})
}

// TestUsage counts what keys and sessions do, over two meters as over two servers.
func TestUsage(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, w *world) {
		ctx, from := t.Context(), here(t)
		in := w.register(t, "a@example.com")
		k, secret, err := w.MakeKey(ctx, &in.Session, "desk", 0, from)
		require.NoError(t, err)
		h, err := w.keys.Find(ctx, secret)
		require.NoError(t, err)
		for range 3 {
			_, err = w.keys.Count(ctx, h)
			require.NoError(t, err)
		}
		other := identity.NewMeter(w.store, w.now)
		for _, m := range []*identity.Meter{w.meter, other} {
			m.Count(k.ID, identity.Request{})
			m.Count(k.ID, identity.Request{Refusal: market.CodeRateLimited})
			m.Count(k.ID, identity.Request{Bulk: 70, Backtest: true})
			m.Count("k_another", identity.Request{})
			require.NoError(t, m.Flush(ctx))
		}
		session, err := in.Holder(w.Plans())
		require.NoError(t, err)
		w.meter.Count(session.Key.ID, identity.Request{})
		w.add(24 * time.Hour)
		w.meter.Count(k.ID, identity.Request{Refusal: market.CodeForbidden})
		keys, days, err := w.Usage(ctx, &in.Session)
		require.NoError(t, err)
		require.Len(t, keys, 2)
		require.Equal(t, 0, keys[0].InDay, "another day")
		require.Equal(t, "session", keys[1].ID)
		require.Len(t, days, 3)
		require.Equal(t, identity.DailyUsage{Key: k.ID, Day: days[0].Day, Requests: 1, Refusals: map[string]int64{"forbidden": 1}}, days[0])
		require.Equal(t, identity.DailyUsage{Key: k.ID, Day: days[0].Day - 1, Requests: 6, Bulk: 140, Backtests: 2, Refusals: map[string]int64{"rate_limited": 2}}, days[1])
		require.Equal(t, "session", days[2].Key)
		w.add(accounts.UsageDays * 24 * time.Hour)
		_, days, err = w.Usage(ctx, &in.Session)
		require.NoError(t, err)
		require.Empty(t, days)
		other.Count(k.ID, identity.Request{})
		require.NoError(t, other.Flush(ctx))
	})
}

// TestAudit pages through the audit, and forgets what is older than a year.
func TestAudit(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, w *world) {
		ctx, from := t.Context(), here(t)
		in := w.register(t, "a@example.com")
		for i := range 120 {
			require.NoError(t, w.Rename(ctx, &in.Session, fmt.Sprint("name ", i), from))
			w.add(time.Millisecond)
		}
		first, next, err := w.Audit(ctx, &in.Session, "")
		require.NoError(t, err)
		require.Len(t, first, 100)
		require.Equal(t, "name 119", first[0].What)
		require.Equal(t, "192.0.2.0/24", first[0].Network)
		rest, end, err := w.Audit(ctx, &in.Session, next)
		require.NoError(t, err)
		require.Empty(t, end)
		require.Equal(t, "name 19", rest[0].What)
		require.Len(t, rest, 22, "with the verification and the sign-in")
		w.add(accounts.AuditLife + time.Second)
		require.NoError(t, w.Sweep(ctx))
		in = w.signIn(t, "a@example.com")
		rest, _, err = w.Audit(ctx, &in.Session, "")
		require.NoError(t, err)
		require.Len(t, rest, 1)
	})
}

// TestDisable shuts an account out and lets it in again.
func TestDisable(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, w *world) {
		ctx, from := t.Context(), here(t)
		_, err := w.Disable(ctx, "nobody@example.com", true)
		code(t, market.CodeNotFound, err)
		in := w.register(t, "Ada@example.com")
		written, err := w.Disable(ctx, "ada@EXAMPLE.com", true)
		require.NoError(t, err)
		require.Equal(t, "Ada@example.com", written)
		w.gone(t, in.Token)
		_, err = w.SignIn(ctx, "ada@example.com", password, from)
		require.ErrorIs(t, err, accounts.ErrWrong)
		require.NoError(t, w.Forgotten(ctx, "ada@example.com", from))
		require.NoError(t, w.Reset(ctx, w.link(t, "Ada@example.com"), password+"2", false, from))
		_, err = w.SignIn(ctx, "ada@example.com", password+"2", from)
		require.ErrorIs(t, err, accounts.ErrWrong, "a reset does not let it in")
		_, err = w.Disable(ctx, "ada@example.com", false)
		require.NoError(t, err)
		back, err := w.SignIn(ctx, "ada@example.com", password+"2", from)
		require.NoError(t, err)
		list, _, err := w.Audit(ctx, &back.Session, "")
		require.NoError(t, err)
		said := map[string]string{}
		for _, e := range list {
			said[e.Action+" "+e.What] = e.Who
		}
		require.Equal(t, "operator", said["account disabled Ada@example.com"])
		require.Equal(t, "operator", said["account enabled Ada@example.com"])
	})
}
