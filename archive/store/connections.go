package store

// Connections is a snapshot of a store's pool of read connections.
type Connections struct {
	Used int // in use
	Max  int // upper bound on Used; zero: none
}

// Connected is a Store that reads through a pool of connections.
type Connected interface{ Connections() Connections }

// ConnectionsOf returns the state of a store's connections; false: it has none.
func ConnectionsOf(s Store) (Connections, bool) {
	if c, ok := s.(*cached); ok {
		s = c.Store
	}
	c, ok := s.(Connected)
	if !ok {
		return Connections{}, false
	}
	return c.Connections(), true
}
