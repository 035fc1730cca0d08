package postgres

import "github.com/ladderback/ladderback/archive"

var _ archive.Connected = (*store)(nil)

// Connections implements archive.Connected. Those that write count too.
func (s *store) Connections() archive.Connections {
	st := s.pool.Stat()
	return archive.Connections{Used: int(st.AcquiredConns()), Most: int(st.MaxConns())}
}
