package store

// Connections says how a store's connections for reading stand at one moment.
type Connections struct {
	Used int // at work
	Most int // bound on those at work; zero: none
}

// Connected is a Store that reads through a pool of connections.
type Connected interface{ Connections() Connections }

// ConnectionsOf returns how a store's connections stand; false: it has none.
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
