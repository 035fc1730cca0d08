// Package places bounds how many backtests a server replays at a time, and how many
// clients wait for one.
package places

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ladderback/ladderback/market"
)

// retry is after how many seconds a place to run is likely to be free.
const retry = 10

// Places bounds how many backtests run and wait at a time.
type Places struct {
	running, waiting chan struct{}        // waiting: running ones included
	gauge            *prometheus.GaugeVec // by state: running, waiting
	refused          prometheus.Counter
}

// New returns places for so many that run, and so many more that wait. What they do is
// counted by gauge and refused.
func New(running, queued int, gauge *prometheus.GaugeVec, refused prometheus.Counter) *Places {
	return &Places{make(chan struct{}, running), make(chan struct{}, running+queued), gauge, refused}
}

// Line takes a place among those that run or wait; leave gives it back. It fails with
// code rate_limited when there is none.
func (q *Places) Line() (leave func(), err error) {
	select {
	case q.waiting <- struct{}{}:
		return func() { <-q.waiting }, nil
	default:
		q.refused.Inc()
		full := market.Errorf(market.CodeRateLimited, "too many backtests are running; try again in %d s", retry)
		full.RetryAfter = retry
		return nil, full
	}
}

// Turn waits, in line, for a place to run in this process; leave gives it back.
func (q *Places) Turn(ctx context.Context) (leave func(), err error) {
	waiting := q.gauge.WithLabelValues("waiting")
	waiting.Inc()
	defer waiting.Dec()
	select {
	case q.running <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	running := q.gauge.WithLabelValues("running")
	running.Inc()
	return func() {
		running.Dec()
		<-q.running
	}, nil
}
