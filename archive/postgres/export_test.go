package postgres

import "context"

// SumRows gives rows that a test has put by itself their checksums.
func SumRows(ctx context.Context, s *Store) error { return s.sumRows(ctx, nil) }

// ByDistance makes a store read lists by distance even where they are short.
func ByDistance(s *Store) *Store {
	s.gather = -1
	return s
}
