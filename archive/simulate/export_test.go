package simulate

import (
	"slices"
)

// Config returns what is simulated, defaults filled in: Pairs is set, Markets is
// their sum, Coins and Types are empty.
func (s *Simulation) Config() Config {
	c := s.config
	c.Pairs = slices.Clone(c.Pairs)
	return c
}
