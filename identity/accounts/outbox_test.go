package accounts_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/identity/accounts"
	"github.com/ladderback/ladderback/identity/credentials"
	"github.com/ladderback/ladderback/identity/mail"
)

// TestMailServerDown has the mail server down for an hour while two servers share an
// outbox: nobody waits, nothing is lost, and nothing is sent twice.
func TestMailServerDown(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, w *world) {
		ctx, from := t.Context(), here(t)
		second, err := accounts.New(accounts.Config{Store: w.store, Plans: w.Plans(), Mail: w.box, BaseURL: w.BaseURL(), Hash: quick, Now: w.now}, w.meter)
		require.NoError(t, err)
		both := func() {
			var group sync.WaitGroup
			for _, s := range []*accounts.Service{w.Service, second} {
				group.Go(func() {
					if err := s.Settle(ctx); err != nil {
						t.Errorf("settle: %v", err)
					}
				})
			}
			group.Wait()
		}
		w.box.refuse(errors.New("connection refused"))
		for i := range 10 {
			require.NoError(t, w.Register(ctx, fmt.Sprintf("a%d@example.com", i), password, from))
		}
		for range 12 {
			both()
			w.add(5 * time.Minute)
		}
		w.signIn(t, "a3@example.com") // the account is there all the same
		require.Empty(t, w.box.to("a3@example.com"))
		w.box.refuse(nil)
		w.add(time.Hour)
		for range 3 {
			both()
			w.add(2 * time.Hour)
		}
		for i := range 10 {
			require.Len(t, w.box.to(fmt.Sprintf("a%d@example.com", i)), 1)
		}
		_, err = w.Verify(ctx, w.link(t, "a7@example.com"), password, nil, from)
		require.NoError(t, err)
	})
}

// TestMailIsGivenUp: a mail that is refused for good is not tried again, and one that
// nobody takes is given up after a day.
func TestMailIsGivenUp(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, w *world) {
		ctx, from := t.Context(), here(t)
		w.box.refuse(&mail.Permanent{Cause: errors.New("no such mailbox")})
		require.NoError(t, w.Register(ctx, "a@example.com", password, from))
		require.NoError(t, w.Settle(ctx))
		w.box.refuse(errors.New("down"))
		require.NoError(t, w.Register(ctx, "b@example.com", password, from))
		for range 30 {
			require.NoError(t, w.Settle(ctx))
			w.add(time.Hour)
		}
		w.box.refuse(nil)
		w.add(time.Hour)
		require.NoError(t, w.Settle(ctx))
		require.Empty(t, w.box.to("a@example.com"))
		require.Empty(t, w.box.to("b@example.com"))
		in := w.signIn(t, "b@example.com")
		require.NoError(t, w.VerifyAgain(ctx, &in.Session, from))
		_, err := w.Verify(ctx, w.link(t, "b@example.com"), password, nil, from)
		require.NoError(t, err)
		w.add(48 * time.Hour)
		require.NoError(t, w.Sweep(ctx))
		require.NotContains(t, w.dump(t), "outbox.")
	})
}

// TestWorker lets the worker do what requests noted, and ends it.
func TestWorker(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, w *world) {
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); w.Work(ctx) }()
		require.NoError(t, w.Register(ctx, "a@example.com", password, here(t)))
		require.Eventually(t, func() bool { return len(w.box.to("a@example.com")) == 1 }, time.Minute, 5*time.Millisecond)
		stop()
		<-done
	})
}

// TestManyPasswords asks for many passwords at once: at most two are worked out at a time,
// and who waits too long is told so.
func TestManyPasswords(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, w *world) {
		w.register(t, "a@example.com")
		slow := *quick
		slow.Iterations = 1_000
		s, err := accounts.New(accounts.Config{Store: w.store, Plans: w.Plans(), Mail: w.box, BaseURL: w.BaseURL(), Hash: &slow, HashWait: time.Millisecond, Now: w.now}, w.meter)
		require.NoError(t, err)
		var mu sync.Mutex
		var group sync.WaitGroup
		busy, other := 0, 0
		for i := range 20 {
			group.Go(func() {
				_, err := s.SignIn(t.Context(), fmt.Sprintf("nobody%d@example.com", i), password, here(t))
				mu.Lock()
				defer mu.Unlock()
				if errors.Is(err, credentials.ErrBusy) {
					busy++
				} else {
					other++
				}
			})
		}
		group.Wait()
		require.Positive(t, busy)
		require.Positive(t, other)
	})
}
