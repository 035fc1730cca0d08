package block

import "math/bits"

// divisor finds the greatest common divisor of what it is given.
type divisor struct{ d uint64 }

func (g *divisor) add(v int64) {
	a := uint64(v)
	if v < 0 {
		a = -a
	}
	switch {
	case g.d == 1 || a == 0:
		return
	case g.d != 0 && a%g.d == 0:
		return
	}
	b := g.d
	for b != 0 {
		a, b = b, a%b
	}
	g.d = a
}

// get returns the divisor, 1 when there was nothing but zeros. It fits an
// int64 as long as none of the values was the smallest int64.
func (g *divisor) get() int64 {
	if g.d == 0 {
		return 1
	}
	return int64(g.d)
}

// tally is a value and how often it occurred.
type tally struct {
	value int64
	count int
}

// counter counts values, in an open hash table whose slots are invalidated by
// their round. The zero value is ready for reset.
type counter struct {
	slots []counterSlot
	used  int
	round uint32
}

type counterSlot struct {
	value int64
	count int32
	mark  int16 // −1: none
	round uint32
}

func (c *counter) reset() {
	c.used = 0
	c.round++
	if c.slots == nil || c.round == 0 {
		c.slots, c.round = make([]counterSlot, 1<<10), 1
	}
}

// slot returns the slot of v, or the free one where it belongs.
func (c *counter) slot(v int64) *counterSlot {
	mask := uint64(len(c.slots) - 1)
	h := uint64(v) * 0x9e3779b97f4a7c15
	for i := h >> (64 - uint(bits.Len64(mask))); ; i++ {
		s := &c.slots[i&mask]
		if s.round != c.round || s.value == v {
			return s
		}
	}
}

func (c *counter) add(v int64) {
	s := c.slot(v)
	if s.round == c.round {
		s.count++
		return
	}
	*s = counterSlot{value: v, count: 1, mark: -1, round: c.round}
	if c.used++; c.used*2 > len(c.slots) {
		c.grow()
	}
}

func (c *counter) grow() {
	old := c.slots
	c.slots = make([]counterSlot, 2*len(old))
	for _, s := range old {
		if s.round == c.round {
			*c.slot(s.value) = s
		}
	}
}

// frequent appends to dst the values that occurred at least min times, in no
// particular order.
func (c *counter) frequent(dst []tally, least int) []tally {
	for i := range c.slots {
		if s := &c.slots[i]; s.round == c.round && int(s.count) >= least {
			dst = append(dst, tally{s.value, int(s.count)})
		}
	}
	return dst
}

// mark attaches m to a value that was counted.
func (c *counter) mark(v int64, m int) { c.slot(v).mark = int16(m) }

// marked returns what was attached to v, or −1.
func (c *counter) marked(v int64) int { return int(c.slot(v).mark) }
