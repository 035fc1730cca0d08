package api

import (
	"net/http"

	"github.com/ladderback/ladderback/api/wire"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/market"
)

// archiveCategory is what the archive has of a category.
type archiveCategory struct {
	Category  string          `json:"category"`
	Watermark *market.Instant `json:"watermark"`
	Markets   int             `json:"markets"`
	Resolved  int             `json:"resolved"`
	Captured  int             `json:"captured"`
	Captures  int64           `json:"captures"`
	FirstDay  string          `json:"first_day"`
	LastDay   string          `json:"last_day"`
	Simulated bool            `json:"simulated"`
	Days      []archiveDay    `json:"days"`
}

// archiveDay is what it has of the markets that start on a day.
type archiveDay struct {
	Day      string        `json:"day"`
	Markets  int           `json:"markets"`
	Resolved int           `json:"resolved"`
	Captured int           `json:"captured"`
	Captures int64         `json:"captures"`
	Coverage stats.Decimal `json:"coverage"` // mean over the captured; 0: none is
}

// archiveAnswer is the answer of GET /v1/archive.
type archiveAnswer struct {
	Count  int                `json:"count"`
	Data   []archiveCategory  `json:"data"`
	Rounds []backtest.Holding `json:"rounds,omitempty"` // only when asked for
}

// getArchive answers GET /v1/archive.
func (s *Server) getArchive(w http.ResponseWriter, r *http.Request) error {
	p := wire.ParamsOf(r)
	category := p.Category()
	rounds := p.Flag("rounds", false)
	if err := p.Err(); err != nil {
		return err
	}
	days, err := s.catalogue.of(r.Context()).Days(r.Context(), category)
	if err != nil {
		return err
	}
	marks, err := s.catalogue.of(r.Context()).Watermarks(r.Context(), category)
	if err != nil {
		return err
	}
	out := archiveAnswer{Data: []archiveCategory{}}
	for i := range days {
		d := &days[i]
		if n := len(out.Data); n == 0 || out.Data[n-1].Category != string(d.Category) {
			out.Data = append(out.Data, archiveCategory{Category: string(d.Category), Watermark: marks[d.Category].Known(), FirstDay: dayText(d)})
		}
		out.Data[len(out.Data)-1].add(d)
	}
	out.Count = len(out.Data)
	if rounds {
		if out.Rounds, err = backtest.Available(r.Context(), s.Rounds(r.Context())); err != nil {
			return err
		}
	}
	wire.WriteJSON(w, http.StatusOK, out)
	return nil
}

// add counts one more day, the latest so far.
func (c *archiveCategory) add(d *store.Day) {
	c.Markets += d.Markets
	c.Resolved += d.Resolved
	c.Captured += d.Captured
	c.Captures += d.Captures
	c.LastDay = dayText(d)
	c.Simulated = c.Simulated || d.Simulated > 0
	one := archiveDay{Day: dayText(d), Markets: d.Markets, Resolved: d.Resolved, Captured: d.Captured, Captures: d.Captures}
	if d.Captured > 0 {
		one.Coverage = stats.Mean(d.Coverage, d.Captured)
	}
	c.Days = append(c.Days, one)
}

func dayText(d *store.Day) string {
	return (market.Instant(d.Day) * market.Day).Time().Format("2006-01-02")
}
