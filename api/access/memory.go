package access

import (
	"context"
	"sync"

	"github.com/ladderback/ladderback/market"
)

// Memory keeps keys in memory, without limits: for a server that lives inside
// one process and is asked by nobody else. It implements Store.
type Memory struct {
	mu   sync.Mutex
	keys []Key
	of   map[Digest]int
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
	return append([]Key(nil), s.keys...), nil
}

// RevokeKey implements Store.
func (s *Memory) RevokeKey(_ context.Context, idOrName string, at market.Instant) (Key, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k, err := pick(s.keys, idOrName)
	if err != nil || k.RevokedAt != 0 {
		return k, err
	}
	for i := range s.keys {
		if s.keys[i].ID == k.ID {
			s.keys[i].RevokedAt = at
		}
	}
	k.RevokedAt = at
	return k, nil
}

// Take implements Store; nothing is counted.
func (s *Memory) Take(_ context.Context, _ string, w Windows, _ int) (Usage, error) {
	return Usage{Windows: w}, nil
}

// Used implements Store.
func (s *Memory) Used(_ context.Context, _ string, w Windows) (Usage, error) {
	return Usage{Windows: w}, nil
}

// AddBulk implements Store; nothing is counted.
func (s *Memory) AddBulk(context.Context, string, int64, int64) (int64, error) { return 0, nil }

// Connections implements Store; there are none.
func (s *Memory) Connections() (used, most int) { return 0, 0 }

// Close implements Store.
func (s *Memory) Close() error { return nil }
