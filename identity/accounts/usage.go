package accounts

import (
	"context"
	"maps"
	"slices"

	"github.com/ladderback/ladderback/identity"
	"github.com/ladderback/ladderback/market"
)

// UsageDays is how many days of usage are told.
const UsageDays = 30

// KeyUsage is what a key has used of its windows.
type KeyUsage struct {
	ID, Name string
	identity.Usage
}

// Usage returns what the live keys of the organization, and its members' sessions, have
// used of the minute and the day; and what all its keys did on each of the last UsageDays
// days, newest first. Sessions count as one, under the id "session".
func (s *Service) Usage(ctx context.Context, in *Session) ([]KeyUsage, []identity.DailyUsage, error) {
	if err := s.meter.Flush(ctx); err != nil {
		return nil, nil, err
	}
	keys, err := s.Keys(ctx, in)
	if err != nil {
		return nil, nil, err
	}
	now := s.now()
	w := identity.WindowsAt(now)
	var out []KeyUsage
	ids := make([]string, 0, len(keys))
	for i := range keys {
		k := &keys[i]
		ids = append(ids, k.ID)
		if !k.Live(now) {
			continue
		}
		u, err := s.cfg.Store.Used(ctx, k.ID, w)
		if err != nil {
			return nil, nil, err
		}
		out = append(out, KeyUsage{k.ID, k.Name, u})
	}
	members, err := s.Members(ctx, in)
	if err != nil {
		return nil, nil, err
	}
	all := KeyUsage{ID: "session", Name: "session", Usage: identity.Usage{Windows: w}}
	sessions := map[string]bool{}
	for _, m := range members {
		id := SessionKey + in.Organization.ID + ":" + m.ID
		sessions[id] = true
		u, err := s.cfg.Store.Used(ctx, id, w)
		if err != nil {
			return nil, nil, err
		}
		all.InMinute, all.InDay, all.Bulk = all.InMinute+u.InMinute, all.InDay+u.InDay, all.Bulk+u.Bulk
	}
	out = append(out, all)
	days, err := s.meter.Days(ctx, append(ids, slices.Collect(maps.Keys(sessions))...), w.Day-UsageDays+1)
	if err != nil {
		return nil, nil, err
	}
	return out, together(days, sessions), nil
}

// together adds the days of sessions up under one id, and sorts: newest first, then by key.
func together(days []identity.DailyUsage, sessions map[string]bool) []identity.DailyUsage {
	type place struct {
		key string
		day int64
	}
	sums := map[place]identity.DailyUsage{}
	for _, d := range days {
		if sessions[d.Key] {
			d.Key = "session"
		}
		at := place{d.Key, d.Day}
		sum, ok := sums[at]
		if !ok {
			sum = identity.DailyUsage{Key: d.Key, Day: d.Day, Refusals: map[string]int64{}}
		}
		sum.Add(&d)
		sums[at] = sum
	}
	return slices.SortedFunc(maps.Values(sums), func(a, b identity.DailyUsage) int {
		if a.Day != b.Day {
			return int(b.Day - a.Day)
		}
		if a.Key < b.Key {
			return -1
		}
		return 1
	})
}

// Earliest returns the first date that a plan reads, counted back from the newest
// capture; zero: all of them.
func Earliest(p *identity.Plan, watermark market.Instant) market.Instant {
	if p.HistoryDays == 0 || watermark == 0 {
		return 0
	}
	return watermark - market.Instant(p.HistoryDays)*market.Day
}
