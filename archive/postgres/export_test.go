package postgres

// ByDistance makes a store read lists by distance even where they are short.
func ByDistance(s *Store) *Store {
	s.gather = -1
	return s
}
