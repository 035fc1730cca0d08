package postgres

import "github.com/ladderback/ladderback/archive/store"

// ByDistance makes a store read lists by distance even where they are short.
func ByDistance(s store.Store) store.Store {
	s.(*Store).gather = -1
	return s
}
