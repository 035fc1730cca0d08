package identity

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// Unlimited stands for no limit in the integers of answers, UnlimitedDays in days.
const (
	Unlimited     = math.MaxInt32
	UnlimitedDays = 36500
)

// Plan is what a key may do. A limit of zero means unlimited.
type Plan struct {
	Name              string `koanf:"name"`                // as people write it: "Pro"
	RequestsPerMinute int    `koanf:"requests_per_minute"` // in a UTC minute
	RequestsPerDay    int    `koanf:"requests_per_day"`    // in a UTC day
	Finest            string `koanf:"finest_resolution"`   // name of the finest resolution allowed: "250ms"
	HistoryDays       int    `koanf:"history_days"`        // counted back from the watermark
	Prices            bool   `koanf:"prices"`
	Metrics           bool   `koanf:"metrics"`
	Books             bool   `koanf:"books"`
	Backtest          bool   `koanf:"backtest"`
	BacktestMarkets   int    `koanf:"backtest_markets"`    // maximum markets of one backtest
	SweepReplays      int64  `koanf:"sweep_replays"`       // maximum of markets × variants of one sweep
	BulkPointsPerDay  int64  `koanf:"bulk_points_per_day"` // rows of bulk answers in a UTC day
	BacktestsWaiting  int    `koanf:"backtests_waiting"`   // most runs of an organization that wait or run at a time
	BacktestsRunning  int    `koanf:"backtests_running"`   // most runs of an organization at work at a time; 0: 8
	RunDays           int    `koanf:"run_days"`            // how long a run is kept
}

// Limited reports whether the plan bounds requests at all.
func (p Plan) Limited() bool { return p.RequestsPerMinute > 0 || p.RequestsPerDay > 0 }

// ID returns the plan's name in lower case: how it is stored and reported.
func (p Plan) ID() string { return strings.ToLower(p.Name) }

// Validate reports the first invalid field of the plan.
func (p Plan) Validate() error {
	switch {
	case p.Name == "" || strings.ContainsAny(p.Name, " \t\n"):
		return fmt.Errorf("plan name %q: expected one word", p.Name)
	case p.RequestsPerMinute < 0, p.RequestsPerDay < 0, p.HistoryDays < 0, p.BacktestMarkets < 0, p.SweepReplays < 0, p.BulkPointsPerDay < 0,
		p.BacktestsWaiting < 0, p.BacktestsRunning < 0, p.RunDays < 0:
		return fmt.Errorf("plan %s: a limit is negative: expected 0 (none) or more", p.Name)
	case p.Finest == "":
		return fmt.Errorf("plan %s: finest_resolution is missing", p.Name)
	}
	return nil
}

// Plans is a table of plans by ID.
type Plans map[string]Plan

// DefaultPlans returns the plans used when none are configured.
func DefaultPlans() Plans {
	all := func(p Plan) Plan {
		p.Finest, p.Prices, p.Metrics, p.Books = "250ms", true, true, true
		return p
	}
	return NewPlans(
		all(Plan{Name: "Starter", RequestsPerMinute: 60, RequestsPerDay: 1_000, HistoryDays: 3, BulkPointsPerDay: 200_000, RunDays: 30}),
		all(Plan{Name: "Pro", RequestsPerMinute: 300, RequestsPerDay: 50_000, HistoryDays: 30,
			Backtest: true, BacktestMarkets: 1_000, SweepReplays: 200_000, BulkPointsPerDay: 20_000_000, BacktestsWaiting: 20, BacktestsRunning: 2, RunDays: 365}),
		all(Plan{Name: "Scale", RequestsPerMinute: 1_200, RequestsPerDay: 500_000, HistoryDays: 365,
			Backtest: true, BacktestMarkets: 10_000, SweepReplays: 2_000_000, BulkPointsPerDay: 1_000_000_000, BacktestsWaiting: 100, BacktestsRunning: 4}),
		all(Plan{Name: "Enterprise", Backtest: true, BacktestMarkets: 10_000, SweepReplays: 20_000_000}),
	)
}

// NewPlans makes a table; a later plan replaces an earlier one of its name.
func NewPlans(plans ...Plan) Plans {
	table := make(Plans, len(plans))
	for _, p := range plans {
		table[p.ID()] = p
	}
	return table
}

// Find returns the plan of a name in any case.
func (ps Plans) Find(name string) (Plan, error) {
	if p, ok := ps[strings.ToLower(name)]; ok {
		return p, nil
	}
	return Plan{}, fmt.Errorf("plan %q: expected one of %s", name, strings.Join(slices.Sorted(maps.Keys(ps)), ", "))
}
