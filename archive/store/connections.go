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

// Distant is a Store to which each question is a way there and back, so that
// rows that may be needed are asked for together with others.
type Distant interface{ Distant() }

// IsDistant reports whether a store is Distant.
func IsDistant(s Store) bool {
	if c, ok := s.(*cached); ok {
		s = c.Store
	}
	_, ok := s.(Distant)
	return ok
}
