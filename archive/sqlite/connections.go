package sqlite

import "github.com/ladderback/ladderback/archive/store"

var _ store.Connected = (*Store)(nil)

// Connections implements archive.Connected.
func (s *Store) Connections() store.Connections {
	most := cap(s.readers.slots)
	return store.Connections{Used: most - len(s.readers.slots), Max: most}
}
