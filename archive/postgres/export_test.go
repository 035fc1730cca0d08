package postgres

import "github.com/ladderback/ladderback/archive"

// ByDistance makes a store read lists by distance even where they are short.
func ByDistance(s archive.Store) archive.Store {
	s.(*store).gather = -1
	return s
}
