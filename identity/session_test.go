package identity_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/identity"
)

// TestSessions: a session lasts as long as it is used, for thirty days at most, ends when
// it is signed out of, when it has been idle or when its key is revoked, and is known
// wherever the store is open.
func TestSessions(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, open func(create bool) (*identity.Store, error)) {
		s, err := open(true)
		require.NoError(t, err)
		defer s.Close()
		ctx, clock := context.Background(), newClock()
		g := identity.NewKeys(s, identity.DefaultPlans(), clock.Now)
		key, secret, err := g.Create(ctx, "pro", "acme", "desk", 0)
		require.NoError(t, err)

		_, _, err = g.SignIn(ctx, "lb_nonsense")
		require.ErrorIs(t, err, identity.ErrUnauthorized)
		made := clock.Now()
		token, h, err := g.SignIn(ctx, secret)
		require.NoError(t, err)
		require.Equal(t, key.ID, h.Key.ID)
		require.NotContains(t, token, secret)
		second, _, err := g.SignIn(ctx, secret)
		require.NoError(t, err)
		require.NotEqual(t, token, second)

		elsewhere := identity.NewKeys(s, identity.DefaultPlans(), clock.Now)
		for range 3 { // used, it outlives the time that it may be idle
			clock.add(identity.SessionIdle - time.Minute)
			h, err = elsewhere.InSession(ctx, token)
			require.NoError(t, err)
			require.Equal(t, "pro", h.Plan.ID())
		}
		_, err = g.InSession(ctx, second)
		require.ErrorIs(t, err, identity.ErrNoSession, "nobody used the second one")
		for _, none := range []string{"", "nonsense", secret, token + "x"} {
			_, err = g.InSession(ctx, none)
			require.ErrorIs(t, err, identity.ErrNoSession, none)
		}

		for clock.Now().Sub(made) < identity.SessionLife-identity.SessionIdle {
			clock.add(identity.SessionIdle - time.Minute)
			_, err = g.InSession(ctx, token)
			require.NoError(t, err)
		}
		clock.add(made.Add(identity.SessionLife).Sub(clock.Now()) - time.Second)
		_, err = g.InSession(ctx, token)
		require.NoError(t, err)
		clock.add(time.Second)
		_, err = g.InSession(ctx, token)
		require.ErrorIs(t, err, identity.ErrNoSession, "used all the time, until thirty days were over")

		token, _, err = g.SignIn(ctx, secret)
		require.NoError(t, err)
		require.NoError(t, g.SignOut(ctx, token))
		_, err = g.InSession(ctx, token)
		require.ErrorIs(t, err, identity.ErrNoSession)
		require.NoError(t, g.SignOut(ctx, token), "to sign out twice is no error")

		token, _, err = g.SignIn(ctx, secret)
		require.NoError(t, err)
		_, err = g.Revoke(ctx, "desk")
		require.NoError(t, err)
		clock.add(time.Minute) // a revoked key is refused within seconds
		_, err = identity.NewKeys(s, identity.DefaultPlans(), clock.Now).InSession(ctx, token)
		require.ErrorIs(t, err, identity.ErrNoSession, "its key is revoked")
	})
}

// TestTickets: a ticket is good for one session, for ten minutes.
func TestTickets(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, open func(create bool) (*identity.Store, error)) {
		s, err := open(true)
		require.NoError(t, err)
		defer s.Close()
		ctx, clock := context.Background(), newClock()
		g := identity.NewKeys(s, identity.DefaultPlans(), clock.Now)
		key, secret, err := g.Create(ctx, "pro", "", "", 0)
		require.NoError(t, err)

		_, err = g.Ticket("lb_nonsense")
		require.ErrorIs(t, err, identity.ErrUnauthorized)
		ticket, err := g.Ticket(secret)
		require.NoError(t, err)
		_, err = g.InSession(ctx, ticket)
		require.ErrorIs(t, err, identity.ErrNoSession, "a ticket is no session")
		session, h, err := g.Redeem(ctx, ticket)
		require.NoError(t, err)
		require.Equal(t, key.ID, h.Key.ID)
		_, err = g.InSession(ctx, session)
		require.NoError(t, err)
		_, _, err = g.Redeem(ctx, ticket)
		require.ErrorIs(t, err, identity.ErrUnauthorized, "it is used up")

		ticket, err = g.Ticket(secret)
		require.NoError(t, err)
		clock.add(10 * time.Minute)
		_, _, err = g.Redeem(ctx, ticket)
		require.ErrorIs(t, err, identity.ErrUnauthorized, "it is too old")
	})
}
