package access

import (
	"context"
	"slices"
	"sync"

	"github.com/ladderback/ladderback/market"
)

// Memory keeps keys and counters in memory, for as long as the process lives. It
// implements Store.
type Memory struct {
	mu   sync.Mutex
	keys []Key
	of   map[Digest]int // index in keys
	used counters
}

var _ Store = (*Memory)(nil)

// CreateKey implements Store.
func (s *Memory) CreateKey(_ context.Context, k Key, d Digest) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.of == nil {
		s.of = map[Digest]int{}
	}
	s.of[d] = len(s.keys)
	s.keys = append(s.keys, k)
	return nil
}

// FindKey implements Store.
func (s *Memory) FindKey(_ context.Context, d Digest) (Key, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, ok := s.of[d]
	if !ok {
		return Key{}, ErrNoKey
	}
	return s.keys[i], nil
}

// ListKeys implements Store.
func (s *Memory) ListKeys(context.Context) ([]Key, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	keys := slices.Clone(s.keys)
	for i := range keys {
		if u := s.used[keys[i].ID]; u != nil {
			keys[i].LastUsed = market.Instant(u.Minute) * market.Minute
		}
	}
	return keys, nil
}

// RevokeKey implements Store.
func (s *Memory) RevokeKey(_ context.Context, idOrName string, at market.Instant) (Key, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k, err := pick(s.keys, idOrName)
	if err != nil || k.RevokedAt != 0 {
		return k, err
	}
	i := slices.Index(s.keys, k)
	s.keys[i].RevokedAt = at
	return s.keys[i], nil
}

// change applies f to the counters of a key in the windows w.
func (s *Memory) change(keyID string, w Windows, f func(*Usage)) (Usage, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.used == nil {
		s.used = counters{}
	}
	u := s.used.at(keyID, w)
	f(u)
	return *u, nil
}

// Take implements Store.
func (s *Memory) Take(_ context.Context, keyID string, w Windows, perMinute int) (Usage, error) {
	return s.change(keyID, w, func(u *Usage) { u.take(perMinute) })
}

// Used implements Store.
func (s *Memory) Used(_ context.Context, keyID string, w Windows) (Usage, error) {
	return s.change(keyID, w, func(*Usage) {})
}

// TakeBulk implements Store.
func (s *Memory) TakeBulk(_ context.Context, keyID string, day, points, most int64) (ok bool, err error) {
	_, err = s.change(keyID, Windows{Day: day}, func(u *Usage) { ok = u.takeBulk(points, most) })
	return ok, err
}

// GiveBulk implements Store.
func (s *Memory) GiveBulk(_ context.Context, keyID string, day, points int64) error {
	_, err := s.change(keyID, Windows{Day: day}, func(u *Usage) { u.giveBulk(day, points) })
	return err
}

// Connections implements Store; there are none.
func (s *Memory) Connections() (used, most int) { return 0, 0 }

// Close implements Store.
func (s *Memory) Close() error { return nil }
