package record

import (
	"context"
	"sync"
	"time"

	"github.com/ladderback/ladderback/market"
)

// stamper gives receive times. Each is later than every one before, so that the
// order of receipt is in the times and no cut of the files can lose it; while the
// clock has been set back they go on by a microsecond.
type stamper struct {
	clock func() (time.Time, time.Duration)
	limit time.Duration
	step  func(market.Gap) // called with mu held

	mu     sync.Mutex
	last   market.Instant
	wall   time.Time     // at the last look
	steady time.Duration // at the last look
	backTo time.Time     // the clock is behind last, since it was set to this
	looked bool
}

func newStamper(clock func() (time.Time, time.Duration), limit time.Duration, step func(market.Gap)) *stamper {
	return &stamper{clock: clock, limit: limit, step: step}
}

// resume makes every time later than last, the latest of an earlier run. A clock
// that is behind it was set back in between.
func (s *stamper) resume(last market.Instant) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = last
	if wall, _ := s.clock(); market.InstantOf(wall) <= last {
		s.backTo = wall
	}
}

// stamp returns the time for something that came in right now.
func (s *stamper) stamp() market.Instant {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.look()
}

// wallTime returns what the clock shows.
func (s *stamper) wallTime() market.Instant {
	wall, _ := s.clock()
	return market.InstantOf(wall)
}

// look reads the clock, declares a step, and returns the next receive time.
func (s *stamper) look() market.Instant {
	wall, steady := s.clock()
	if s.looked {
		drift := wall.Sub(s.wall) - (steady - s.steady)
		switch {
		case drift > s.limit:
			// No receive time lies in between.
			s.step(market.Gap{From: max(s.last, market.InstantOf(s.wall)), To: market.InstantOf(wall)})
		case drift < -s.limit && (s.backTo.IsZero() || wall.Before(s.backTo)):
			s.backTo = wall
		}
	}
	s.wall, s.steady, s.looked = wall, steady, true
	now := market.InstantOf(wall)
	if now > s.last {
		if !s.backTo.IsZero() {
			// The clock showed this stretch twice.
			s.step(market.Gap{From: market.InstantOf(s.backTo), To: now})
			s.backTo = time.Time{}
		}
		s.last = now
		return now
	}
	s.last++
	return s.last
}

// watch looks at the clock once a second, so that a step is noticed in silence.
func (s *stamper) watch(ctx context.Context) error {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			s.stamp()
		}
	}
}
