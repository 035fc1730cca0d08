package ingest

import (
	"cmp"
	"context"
	"errors"

	"github.com/ladderback/ladderback/archive/ingest/stream"
	"github.com/ladderback/ladderback/archive/intake"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// sink takes what one file says. Every format's own Sink interface is met by
// it. With a nil import everything but rejects is dropped.
type sink struct {
	imp     *intake.Import
	rejects *rejects
	path    string
	names   *names
	// captured is nil for metadata.
	captured *captured

	named    map[store.ID]struct{} // markets of the file
	markets  []*intake.MarketImport
	called   []calledMarket // by handle
	handles  map[*intake.MarketImport]int
	free     []int // handles of markets that are done
	rejected map[string]int64
	refused  int64
	diverged int64
	failed   error // of the archive: ends the whole import
}

// calledMarket is what a file calls a market: for look-ups and for people.
type calledMarket struct {
	name  store.Name
	shown string
}

func newSink(imp *intake.Import, path string, r *run) *sink {
	return &sink{
		imp: imp, rejects: r.rejects, path: path, names: r.names,
		handles: map[*intake.MarketImport]int{}, named: map[store.ID]struct{}{}, rejected: map[string]int64{},
	}
}

// keep remembers an error of the archive.
func (s *sink) keep(err error) error {
	if err != nil && s.failed == nil {
		s.failed = err
	}
	return err
}

func (s *sink) Series(ctx context.Context, v market.Series) error {
	if s.imp == nil {
		return nil
	}
	return s.keep(s.imp.Series(ctx, v))
}

func (s *sink) Event(ctx context.Context, v market.Event) error {
	if s.imp == nil {
		return nil
	}
	return s.keep(s.imp.Event(ctx, v))
}

func (s *sink) Market(ctx context.Context, m market.Market) (int, error) {
	if s.imp == nil {
		return 0, nil
	}
	if !s.mayName(&m) {
		s.Reject(0, []byte(cmp.Or(m.Slug, m.VenueID, m.AltID)), string(stream.TooManyMarkets))
		return dropped, nil
	}
	s.names.add(m.Venue, m.VenueID, m.Slug)
	mi, err := s.imp.Market(ctx, m)
	if err != nil {
		return 0, s.keep(err)
	}
	h, ok := s.handles[mi]
	if !ok {
		if n := len(s.free); n > 0 {
			h, s.free = s.free[n-1], s.free[:n-1]
		} else {
			h = len(s.markets)
			s.markets, s.called = append(s.markets, nil), append(s.called, calledMarket{})
		}
		s.markets[h], s.called[h] = mi, calledMarket{
			store.Name{Venue: m.Venue, Text: cmp.Or(m.VenueID, m.Slug, m.AltID)}, cmp.Or(m.Slug, m.VenueID, m.AltID),
		}
		s.handles[mi] = h
	}
	return h, nil
}

// dropped is the handle of a market that is one too many: nothing is kept of it.
const dropped = -1

// maxListed is how many markets a file may name. Formats of captures have a bound of
// their own, which is lower.
const maxListed = 200_000

// mayName reports whether the file may name the market besides those that it has
// named.
func (s *sink) mayName(m *market.Market) bool {
	key := store.NameID(m.Venue, cmp.Or(m.VenueID, m.Slug, m.AltID))
	if _, ok := s.named[key]; ok {
		return true
	}
	if len(s.named) == maxListed {
		return false
	}
	s.named[key] = struct{}{}
	return true
}

func (s *sink) Token(handle int, t market.Token) int {
	if s.imp == nil || handle == dropped {
		return 0
	}
	if s.captured != nil {
		s.captured.add(s.called[handle].name, s.called[handle].shown, tokenKey(t))
	}
	return s.markets[handle].Token(t)
}

func (s *sink) Gap(handle, token int, g market.Gap) {
	if s.imp != nil && handle != dropped {
		s.markets[handle].Gap(token, g)
	}
}

func (s *sink) Diverged(handle, token int, g market.Gap) {
	s.diverged++
	s.Gap(handle, token, g)
}

func (s *sink) Add(handle int, c *market.Capture) error {
	if s.imp == nil || handle == dropped {
		return nil
	}
	err := s.markets[handle].Add(c)
	if err != nil && !errors.Is(err, store.ErrCapture) {
		return s.keep(err)
	}
	return err
}

func (s *sink) Done(ctx context.Context, handle int) error {
	if s.imp == nil || handle == dropped {
		return nil
	}
	m := s.markets[handle]
	s.markets[handle] = nil
	s.free = append(s.free, handle)
	delete(s.handles, m)
	return s.keep(m.Done(ctx))
}

func (s *sink) Reject(line int64, text []byte, reason string) {
	s.rejected[reason]++
	s.refused++
	s.rejects.add(s.path, line, reason, text)
}
