package sqlite

import "github.com/ladderback/ladderback/archive"

var _ archive.Connected = (*store)(nil)

// Connections implements archive.Connected.
func (s *store) Connections() archive.Connections {
	most := cap(s.readers.slots)
	return archive.Connections{Used: most - len(s.readers.slots), Most: most}
}
