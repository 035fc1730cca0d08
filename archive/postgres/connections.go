package postgres

import "github.com/ladderback/ladderback/archive/store"

var _ store.Connected = (*Store)(nil)

// Connections implements archive.Connected. Those that write count too.
func (s *Store) Connections() store.Connections {
	st := s.pool.Stat()
	return store.Connections{Used: int(st.AcquiredConns()), Max: int(st.MaxConns())}
}
