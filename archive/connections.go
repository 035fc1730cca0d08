package archive

import "github.com/ladderback/ladderback/market"

// Connections says how a store's connections for reading stand at one moment.
type Connections struct {
	Used int // at work
	Most int // bound on those at work; zero: none
}

// Connected is a Store that reads through a pool of connections.
type Connected interface{ Connections() Connections }

// Connections returns how the archive's connections stand, under no category;
// empty when its store has none.
func (a *Archive) Connections() map[market.Category]Connections {
	if s, ok := a.store.(Connected); ok {
		return map[market.Category]Connections{"": s.Connections()}
	}
	return nil
}

// Connections returns how the connections of each member stand.
func (u *Union) Connections() map[market.Category]Connections {
	out := map[market.Category]Connections{}
	for _, m := range u.members {
		if c, ok := m.Archive.Connections()[""]; ok {
			out[m.Category] = c
		}
	}
	return out
}
