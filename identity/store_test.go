package identity_test

import (
	"context"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/identity"
	"github.com/ladderback/ladderback/internal/pgtest"
	"github.com/ladderback/ladderback/internal/sqlstore"
	"github.com/ladderback/ladderback/market"
)

// stores runs a test on every kind of store. open may be called again to open
// the same store once more, as after a restart or in another process.
func stores(t *testing.T, test func(t *testing.T, open func(create bool) (*identity.Store, error))) {
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(t.TempDir(), "access.db")
		test(t, func(create bool) (*identity.Store, error) {
			s, err := identity.Open(context.Background(), path, create)
			if err != nil {
				return nil, err
			}
			return s, nil
		})
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		addr := pgtest.Database(t)
		test(t, func(create bool) (*identity.Store, error) {
			s, err := identity.Open(context.Background(), addr, create)
			if err != nil {
				return nil, err
			}
			return s, nil
		})
	})
}

// clock is a clock that a test moves.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 4, 13, 14, 0, 10, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func TestStoreIsMadeFirst(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, open func(bool) (*identity.Store, error)) {
		_, err := open(false)
		require.Error(t, err)
		for range 2 {
			s, err := open(true)
			require.NoError(t, err)
			require.NoError(t, s.Close())
		}
		s, err := open(false)
		require.NoError(t, err)
		require.NoError(t, s.Close())
	})
}

func TestKeysLive(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, open func(bool) (*identity.Store, error)) {
		ctx := context.Background()
		s, err := open(true)
		require.NoError(t, err)
		defer func() { require.NoError(t, s.Close()) }()
		now := newClock()
		g := identity.NewKeys(s, identity.DefaultPlans(), now.Now)

		k, secret, err := g.Create(ctx, "Pro", "", "desk", 0)
		require.NoError(t, err)
		require.Equal(t, "pro", k.Plan)
		require.Equal(t, "local", k.Organization)
		_, _, err = g.Create(ctx, "gold", "", "", 0)
		require.ErrorContains(t, err, `plan "gold"`)

		h, err := g.Find(ctx, secret)
		require.NoError(t, err)
		require.Equal(t, k, h.Key)
		elsewhere := identity.NewKeys(s, identity.DefaultPlans(), now.Now)
		_, err = elsewhere.Find(ctx, secret)
		require.NoError(t, err)
		other, err := identity.NewKey(nil)
		require.NoError(t, err)
		for _, bad := range []string{"", "lb_x", other, secret + "x"} {
			_, err := g.Find(ctx, bad)
			require.ErrorIs(t, err, identity.ErrUnauthorized, "key %q", bad)
		}

		now.add(time.Second)
		twin, _, err := g.Create(ctx, "starter", "acme", "desk", 0)
		require.NoError(t, err)
		keys, err := g.List(ctx)
		require.NoError(t, err)
		require.Equal(t, []identity.Key{k, twin}, keys)

		_, err = g.Revoke(ctx, "desk")
		require.ErrorIs(t, err, identity.ErrAmbiguous)
		require.ErrorContains(t, err, twin.ID, "the ids are what to revoke by")
		_, err = g.Revoke(ctx, "nobody")
		require.ErrorIs(t, err, identity.ErrNoKey)
		revoked, err := g.Revoke(ctx, secret)
		require.NoError(t, err)
		require.Equal(t, market.InstantOf(now.Now()), revoked.RevokedAt)
		byName, err := g.Revoke(ctx, "desk")
		require.NoError(t, err)
		require.Equal(t, twin.ID, byName.ID)

		_, err = g.Find(ctx, secret)
		require.ErrorIs(t, err, identity.ErrUnauthorized, "a revoked key stops at once where it was revoked")
		_, err = elsewhere.Find(ctx, secret)
		require.NoError(t, err)
		now.add(5 * time.Second)
		_, err = elsewhere.Find(ctx, secret)
		require.ErrorIs(t, err, identity.ErrUnauthorized, "and within 5 s elsewhere")
	})
}

// TestLastUse: of a limited key as of an unlimited one, to the minute.
func TestLastUse(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, open func(bool) (*identity.Store, error)) {
		ctx := context.Background()
		s, err := open(true)
		require.NoError(t, err)
		now := newClock()
		plans := identity.NewPlans(identity.Plan{Name: "Tiny", RequestsPerMinute: 3, Finest: "1s"}, identity.Plan{Name: "Open", Finest: "1s"})
		defer func() { require.NoError(t, s.Close()) }()
		for _, plan := range []string{"tiny", "open"} {
			g := identity.NewKeys(s, plans, now.Now)
			_, secret, err := g.Create(ctx, plan, "", plan, 0)
			require.NoError(t, err)
			h, err := g.Find(ctx, secret)
			require.NoError(t, err)
			last := func() market.Instant {
				require.NoError(t, s.Close()) // a file is written to now and then
				s, err = open(false)
				require.NoError(t, err)
				keys, err := s.ListKeys(ctx)
				require.NoError(t, err)
				return keys[slices.IndexFunc(keys, func(k identity.Key) bool { return k.Name == plan })].LastUsed
			}
			require.Zero(t, last(), "plan %s", plan)
			for range 3 {
				_, err = identity.NewKeys(s, plans, now.Now).Count(ctx, h)
				require.NoError(t, err)
				require.Equal(t, market.InstantOf(now.Now().Truncate(time.Minute)), last(), "plan %s", plan)
				now.add(61 * time.Second)
			}
		}
	})
}

func TestLimits(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, open func(bool) (*identity.Store, error)) {
		ctx := context.Background()
		s, err := open(true)
		require.NoError(t, err)
		now := newClock()
		plans := identity.NewPlans(identity.Plan{Name: "Tiny", RequestsPerMinute: 3, RequestsPerDay: 5, Finest: "1s", BulkPointsPerDay: 100})
		g := identity.NewKeys(s, plans, now.Now)
		_, secret, err := g.Create(ctx, "tiny", "", "", 0)
		require.NoError(t, err)
		h, err := g.Find(ctx, secret)
		require.NoError(t, err)

		take := func() identity.Quota {
			st, err := g.Count(ctx, h)
			require.NoError(t, err)
			return st
		}
		reset := market.InstantOf(time.Date(2026, 4, 13, 14, 1, 0, 0, time.UTC))
		for left := 2; left >= 0; left-- {
			require.Equal(t, identity.Quota{Limit: 3, Remaining: left, Reset: reset}, take())
		}
		require.Equal(t, identity.Quota{Limit: 3, Reset: reset, RetryAfter: 50}, take())
		st, err := g.Quota(ctx, h)
		require.NoError(t, err)
		require.Equal(t, 0, st.Remaining)

		now.add(50 * time.Second)
		require.Equal(t, 2, take().Remaining, "a refused request is not counted in the day")
		require.NoError(t, s.Close())
		s, err = open(false)
		require.NoError(t, err)
		defer func() { require.NoError(t, s.Close()) }()
		g = identity.NewKeys(s, plans, now.Now)
		require.Equal(t, 1, take().Remaining, "the limits survive a restart")
		over := take()
		require.True(t, over.Daily)
		require.Equal(t, int(9*time.Hour/time.Second+59*60), over.RetryAfter)

		for _, c := range []struct{ points, wait int }{{60, 0}, {41, over.RetryAfter}, {40, 0}, {1, over.RetryAfter}} {
			wait, err := g.CountBulk(ctx, h, int64(c.points))
			require.NoError(t, err)
			require.Equal(t, c.wait, wait, "%d points", c.points)
		}
		day := g.Day()
		require.NoError(t, g.ReturnBulk(ctx, h, day, 30))
		bulk := func() int64 {
			u, err := s.Used(ctx, h.Key.ID, identity.WindowsAt(market.InstantOf(now.Now())))
			require.NoError(t, err)
			return u.Bulk
		}
		require.EqualValues(t, 70, bulk(), "what is given back is given back")
		now.add(24 * time.Hour)
		require.Equal(t, 2, take().Remaining, "a new day")
		wait, err := g.CountBulk(ctx, h, 100)
		require.NoError(t, err)
		require.Zero(t, wait)
		require.NoError(t, g.ReturnBulk(ctx, h, day, 70))
		require.EqualValues(t, 100, bulk(), "what was counted yesterday is nobody's")
	})
}

// TestBulkThatFitsIsCounted lets requests that fit race with ones that never do:
// all that fit pass, however many of the others are in flight, and what is counted
// is what passed.
func TestBulkThatFitsIsCounted(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, open func(bool) (*identity.Store, error)) {
		ctx := context.Background()
		s, err := open(true)
		require.NoError(t, err)
		defer func() { require.NoError(t, s.Close()) }()
		const limit, small = 1000, 80
		g := identity.NewKeys(s, identity.NewPlans(identity.Plan{Name: "P", Finest: "1s", BulkPointsPerDay: limit}), newClock().Now)
		h := identity.Holder{Key: identity.Key{ID: "k"}, Plan: identity.Plan{Name: "P", BulkPointsPerDay: limit}}
		wait, err := g.CountBulk(ctx, h, 2) // from here on the large ones never fit
		require.NoError(t, err)
		require.Zero(t, wait)
		var wg sync.WaitGroup
		stop := make(chan struct{})
		for range 8 {
			wg.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
					}
					if wait, err := g.CountBulk(ctx, h, limit-1); err != nil || wait == 0 {
						t.Errorf("%d points: wait %d, error %v", limit-1, wait, err)
						return
					}
				}
			})
		}
		refused := 0
		for range small {
			wait, err := g.CountBulk(ctx, h, 10)
			if err != nil {
				t.Error(err)
			}
			if wait != 0 {
				refused++
			}
		}
		close(stop)
		wg.Wait()
		require.Zero(t, refused, "of %d requests that all fit", small)
		u, err := s.Used(ctx, "k", identity.Windows{Day: g.Day()})
		require.NoError(t, err)
		require.EqualValues(t, 2+small*10, u.Bulk)
	})
}

// TestPlanThatIsNotConfigured refuses a key whose plan is gone, for what it is.
func TestPlanThatIsNotConfigured(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, open func(bool) (*identity.Store, error)) {
		ctx := context.Background()
		s, err := open(true)
		require.NoError(t, err)
		defer func() { require.NoError(t, s.Close()) }()
		now := newClock()
		before := identity.NewKeys(s, identity.DefaultPlans(), now.Now)
		_, secret, err := before.Create(ctx, "scale", "", "", 0)
		require.NoError(t, err)
		_, gone, err := before.Create(ctx, "scale", "", "", 0)
		require.NoError(t, err)
		_, err = before.Revoke(ctx, gone)
		require.NoError(t, err)
		_, _, err = before.Create(ctx, "pro", "", "", 0)
		require.NoError(t, err)

		after := identity.NewKeys(s, identity.NewPlans(identity.Plan{Name: "Pro", Finest: "1s"}), now.Now)
		_, err = after.Find(ctx, secret)
		require.Equal(t, market.CodeForbidden, market.CodeOf(err))
		require.ErrorContains(t, err, "plan scale")
		_, err = after.Find(ctx, gone)
		require.ErrorIs(t, err, identity.ErrUnauthorized, "a revoked key is refused as such")
		missing, err := after.KeysWithoutPlan(ctx)
		require.NoError(t, err)
		require.Equal(t, map[string]int{"scale": 1}, missing, "live keys alone count")
	})
}

// TestLimitsUnderLoad lets many requests race: exactly as many pass as the plan
// allows, over two open stores where they share the counters.
func TestLimitsUnderLoad(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, open func(bool) (*identity.Store, error)) {
		ctx := context.Background()
		first, err := open(true)
		require.NoError(t, err)
		defer func() { require.NoError(t, first.Close()) }()
		servers := []*identity.Store{first}
		if first.DB().Dialect == sqlstore.PostgreSQL {
			second, err := open(false)
			require.NoError(t, err)
			defer func() { require.NoError(t, second.Close()) }()
			servers = append(servers, second)
		}
		now := newClock()
		plans := identity.NewPlans(identity.Plan{Name: "P", RequestsPerMinute: 40, RequestsPerDay: 1000, Finest: "1s"})
		_, secret, err := identity.NewKeys(first, plans, now.Now).Create(ctx, "p", "", "", 0)
		require.NoError(t, err)

		var wg sync.WaitGroup
		passed := make(chan bool, 100)
		for i := range 100 {
			g := identity.NewKeys(servers[i%len(servers)], plans, now.Now)
			wg.Go(func() {
				h, err := g.Find(ctx, secret)
				if err != nil {
					t.Error(err)
					return
				}
				st, err := g.Count(ctx, h)
				if err != nil {
					t.Error(err)
					return
				}
				passed <- st.RetryAfter == 0
			})
		}
		wg.Wait()
		close(passed)
		n := 0
		for ok := range passed {
			if ok {
				n++
			}
		}
		require.Equal(t, 40, n)
	})
}
