package identity

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/maypok86/otter/v2"

	"github.com/ladderback/ladderback/market"
)

// keyCacheTTL is how long an answer of the store about a key is believed: a revoked
// key stops within that time.
const keyCacheTTL = 3 * time.Second

// maxCachedKeys bounds the keys kept in memory; unknown keys that pass the
// checksum are kept too, so that guessing does not reach the store each time.
const maxCachedKeys = 10_000

// ErrUnauthorized means that a key is missing, malformed, unknown or revoked.
var ErrUnauthorized error = market.Errorf(market.CodeUnauthorized, "API key missing, invalid or expired")

// Keys makes, finds and revokes API keys, and counts requests against their limits. It is
// safe for concurrent use.
type Keys struct {
	store *Store
	plans Plans
	now   func() time.Time

	cache     *otter.Cache[Digest, cached]
	epoch     atomic.Int64 // of what the cache holds; raised, nothing of before is believed
	lastNoted sync.Map     // id of an unlimited key → int64, the minute last noted
	ephemeral sync.Map     // Digest → Key: those of this process alone
	tickets   tickets
}

type cached struct {
	key   Key
	err   error
	until time.Time
	epoch int64
}

// Holder is who a request counts against: a key and its plan.
type Holder struct {
	Key  Key
	Plan Plan
}

// NewKeys returns the keys of a store, on these plans. now is the clock; nil is time.Now.
func NewKeys(store *Store, plans Plans, now func() time.Time) *Keys {
	if now == nil {
		now = time.Now
	}
	return &Keys{store: store, plans: plans, now: now, cache: otter.Must(&otter.Options[Digest, cached]{
		MaximumSize: maxCachedKeys,
		Executor:    func(f func()) { f() }, // no goroutine outlives a call
	})}
}

// Create creates a key on a plan and returns it with its secret, which is stored
// nowhere. An empty organization becomes "local"; from expires on the key is refused,
// zero: never.
func (ks *Keys) Create(ctx context.Context, plan, organization, name string, expires market.Instant) (Key, string, error) {
	k, secret, d, err := ks.newKey(plan, organization, name)
	if err != nil {
		return Key{}, "", err
	}
	k.ExpiresAt = expires
	return k, secret, ks.store.CreateKey(ctx, k, d)
}

// CreateEphemeral creates a key as Create does, one that does not expire, but keeps it in
// this process's memory alone: it is gone with the process, however that ends, and is not
// listed.
func (ks *Keys) CreateEphemeral(plan, organization, name string) (Key, string, error) {
	k, secret, d, err := ks.newKey(plan, organization, name)
	if err == nil {
		ks.ephemeral.Store(d, k)
	}
	return k, secret, err
}

func (ks *Keys) newKey(plan, organization, name string) (k Key, secret string, d Digest, err error) {
	p, err := ks.plans.Find(plan)
	if err != nil {
		return k, "", d, err
	}
	if secret, err = NewKey(nil); err != nil {
		return k, "", d, err
	}
	d, _ = DigestOf(secret)
	var id [6]byte
	_, _ = rand.Read(id[:]) // never fails
	return Key{
		ID: "k_" + hex.EncodeToString(id[:]), Plan: p.ID(), Organization: cmp.Or(organization, "local"), Name: name,
		CreatedAt: market.InstantOf(ks.now()),
	}, secret, d, nil
}

// List returns every key, oldest first.
func (ks *Keys) List(ctx context.Context) ([]Key, error) { return ks.store.ListKeys(ctx) }

// Revoke revokes a key by its id, its name, or the key itself.
func (ks *Keys) Revoke(ctx context.Context, which string) (Key, error) {
	if d, ok := DigestOf(which); ok {
		k, err := ks.store.FindKey(ctx, d)
		if err != nil {
			return Key{}, err
		}
		which = k.ID
	} else if strings.HasPrefix(which, Prefix) {
		return Key{}, fmt.Errorf("%w: the key's checksum is wrong, look for a typo", ErrNoKey)
	}
	defer ks.Forget()
	return ks.store.RevokeKey(ctx, which, market.InstantOf(ks.now()))
}

// Connections returns how many connections to the store's database are in use,
// and their maximum; zero if it has none.
func (ks *Keys) Connections() (used, limit int) { return ks.store.Connections() }

// KeysWithoutPlan returns the plans of live keys that are not among those configured,
// with how many keys each has. Such keys are refused.
func (ks *Keys) KeysWithoutPlan(ctx context.Context) (map[string]int, error) {
	keys, err := ks.store.ListKeys(ctx)
	if err != nil {
		return nil, err
	}
	out := map[string]int{}
	for _, k := range keys {
		if _, err := ks.plans.Find(k.Plan); err != nil && k.RevokedAt == 0 {
			out[k.Plan]++
		}
	}
	return out, nil
}

// Find returns the holder of a key. It returns ErrUnauthorized, or, if the key's
// plan is not configured, an error with code forbidden; any other error means that
// the store did not answer.
func (ks *Keys) Find(ctx context.Context, secret string) (Holder, error) {
	d, ok := DigestOf(secret)
	if !ok {
		return Holder{}, ErrUnauthorized
	}
	return ks.holder(ctx, d)
}

// holder is Find for the digest of a key.
func (ks *Keys) holder(ctx context.Context, d Digest) (Holder, error) {
	k, err := ks.lookUp(ctx, d)
	switch {
	case errors.Is(err, ErrNoKey), err == nil && k.RevokedAt != 0,
		err == nil && k.ExpiresAt != 0 && k.ExpiresAt <= market.InstantOf(ks.now()):
		return Holder{}, ErrUnauthorized
	case err != nil:
		return Holder{}, fmt.Errorf("look up API key: %w", err)
	}
	p, err := ks.plans.Find(k.Plan)
	if err != nil {
		return Holder{}, market.Errorf(market.CodeForbidden, "plan %s of this key is not configured on this server", k.Plan)
	}
	return Holder{Key: k, Plan: p}, nil
}

func (ks *Keys) lookUp(ctx context.Context, d Digest) (Key, error) {
	if own, ok := ks.ephemeral.Load(d); ok {
		return own.(Key), nil
	}
	now, epoch := ks.now(), ks.epoch.Load()
	if c, ok := ks.cache.GetIfPresent(d); ok && c.epoch == epoch && now.Before(c.until) {
		return c.key, c.err
	}
	k, err := ks.store.FindKey(ctx, d)
	if err != nil && !errors.Is(err, ErrNoKey) {
		return Key{}, err
	}
	ks.cache.Set(d, cached{key: k, err: err, until: now.Add(keyCacheTTL), epoch: epoch})
	return k, err
}

// Forget has the store asked anew about every key: one that was just revoked stops at once
// in this process.
func (ks *Keys) Forget() { ks.epoch.Add(1) }

// Quota is what a key has left of its limits. The zero value is that of a plan without limits.
type Quota struct {
	Limit     int            // requests in a minute; 0: unlimited
	Remaining int            // in this minute
	Reset     market.Instant // when the minute ends
	// RetryAfter is above zero when the request is over a limit: the time until
	// one may pass again, in seconds, rounded up.
	RetryAfter int
	Daily      bool // the day's limit is the one used up
}

// Count counts a request of h and returns what it has left afterwards.
func (ks *Keys) Count(ctx context.Context, h Holder) (Quota, error) {
	now := market.InstantOf(ks.now())
	if !h.Plan.Limited() {
		ks.note(ctx, h.Key.ID, now)
		return Quota{}, nil
	}
	u, err := ks.store.Count(ctx, h.Key.ID, WindowsAt(now), h.Plan.RequestsPerMinute)
	if err != nil {
		return Quota{}, fmt.Errorf("count request: %w", err)
	}
	return quotaOf(h.Plan, u, now), nil
}

// note has the store remember that an unlimited key is in use, once a minute. If
// the store does not answer, the request goes on without.
func (ks *Keys) note(ctx context.Context, keyID string, now market.Instant) {
	w := WindowsAt(now)
	if was, ok := ks.lastNoted.Swap(keyID, w.Minute); ok && was == w.Minute {
		return
	}
	_, _ = ks.store.Count(ctx, keyID, w, 0)
}

// Quota returns what h has left without counting a request.
func (ks *Keys) Quota(ctx context.Context, h Holder) (Quota, error) {
	if !h.Plan.Limited() {
		return Quota{}, nil
	}
	now := market.InstantOf(ks.now())
	u, err := ks.store.Used(ctx, h.Key.ID, WindowsAt(now))
	if err != nil {
		return Quota{}, fmt.Errorf("read usage: %w", err)
	}
	return quotaOf(h.Plan, u, now), nil
}

func quotaOf(p Plan, u Usage, now market.Instant) Quota {
	s := Quota{Limit: Unlimited, Remaining: Unlimited, Reset: market.Instant(u.Minute+1) * market.Minute}
	if p.RequestsPerMinute > 0 {
		s.Limit, s.Remaining = p.RequestsPerMinute, max(0, p.RequestsPerMinute-u.InMinute)
	}
	dayEnd := market.Instant(u.Day+1) * market.Day
	switch {
	case p.RequestsPerDay > 0 && u.InDay > p.RequestsPerDay:
		s.RetryAfter, s.Daily = secondsUntil(dayEnd, now), true
	case p.RequestsPerMinute > 0 && u.InMinute > p.RequestsPerMinute:
		s.RetryAfter = secondsUntil(s.Reset, now)
	}
	return s
}

// secondsUntil rounds up to whole seconds, at least 1.
func secondsUntil(t, now market.Instant) int {
	return max(1, int((t-now+market.Second-1)/market.Second))
}

// CountBulk counts bulk points of h. If they exceed what is left of the day it
// counts none and returns the seconds to wait; otherwise it returns 0.
func (ks *Keys) CountBulk(ctx context.Context, h Holder, points int64) (retryAfter int, err error) {
	if h.Plan.BulkPointsPerDay <= 0 || points <= 0 { // an answer without points is never too large
		return 0, nil
	}
	now := market.InstantOf(ks.now())
	day := WindowsAt(now).Day
	ok, err := ks.store.CountBulk(ctx, h.Key.ID, day, points, h.Plan.BulkPointsPerDay)
	switch {
	case err != nil:
		return 0, fmt.Errorf("count bulk points: %w", err)
	case ok:
		return 0, nil
	}
	return secondsUntil(market.Instant(day+1)*market.Day, now), nil
}

// Day returns the number of the UTC day that it is now, for ReturnBulk.
func (ks *Keys) Day() int64 { return WindowsAt(market.InstantOf(ks.now())).Day }

// ReturnBulk returns bulk points of h that were counted on that day. It does
// nothing for a day that is over.
func (ks *Keys) ReturnBulk(ctx context.Context, h Holder, day, points int64) error {
	if h.Plan.BulkPointsPerDay <= 0 {
		return nil
	}
	if err := ks.store.ReturnBulk(ctx, h.Key.ID, day, points); err != nil {
		return fmt.Errorf("give bulk points back: %w", err)
	}
	return nil
}
