package api

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ladderback/ladderback/api/access"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// instruments are what the server measures for Prometheus. Every label has a
// bounded number of values: none comes from a request as it is.
type instruments struct {
	registry *prometheus.Registry
	latency  *prometheus.HistogramVec
	inFlight prometheus.Gauge
	points   *prometheus.CounterVec // history points served, by kind
	limited  *prometheus.CounterVec // requests over a limit, by window
	runs     *prometheus.GaugeVec   // backtests, by state: running, waiting
	refused  prometheus.Counter     // backtests refused because too many run
	unread   *prometheus.CounterVec // requests refused before they could be read, by status
	model    modelInstruments
}

func newInstruments() *instruments {
	m := &instruments{
		registry: prometheus.NewRegistry(),
		latency: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "ladderback_request_seconds", Help: "Time to answer a request.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60},
		}, []string{"route", "method", "status"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "ladderback_requests_in_flight", Help: "Requests being answered.",
		}),
		points: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "ladderback_points_total", Help: "History points served.",
		}, []string{"kind"}),
		limited: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "ladderback_limited_total", Help: "Requests refused because a limit was used up.",
		}, []string{"window"}),
		runs: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "ladderback_backtests", Help: "Backtests at work and waiting.",
		}, []string{"state"}),
		refused: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "ladderback_backtests_refused_total", Help: "Backtests refused because too many ran.",
		}),
		unread: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "ladderback_unreadable_requests_total", Help: "Requests refused because they are no HTTP or too large.",
		}, []string{"status"}),
	}
	m.registry.MustRegister(m.latency, m.inFlight, m.points, m.limited, m.runs, m.refused, m.unread)
	for _, state := range []string{"running", "waiting"} {
		m.runs.WithLabelValues(state) // there from the first scrape on
	}
	m.model = newModelInstruments(m.registry)
	return m
}

// methodLabel returns the method as a label: anything that no route has is one
// value.
func methodLabel(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodOptions:
		return method
	}
	return "other"
}

// connections tells Prometheus how the connections to the databases stand.
type connections struct {
	archive interface {
		Connections() map[market.Category]store.Connections
	} // nil: not known
	guard      *access.Guard
	used, most *prometheus.Desc
}

func newConnections(c Catalogue, g *access.Guard) *connections {
	x := &connections{
		guard: g,
		used:  prometheus.NewDesc("ladderback_connections_used", "Connections to a database at work.", []string{"pool"}, nil),
		most:  prometheus.NewDesc("ladderback_connections_most", "Connections to a database that may be at work at a time.", []string{"pool"}, nil),
	}
	x.archive, _ = c.(interface {
		Connections() map[market.Category]store.Connections
	})
	return x
}

// Describe implements prometheus.Collector.
func (x *connections) Describe(ch chan<- *prometheus.Desc) { ch <- x.used; ch <- x.most }

// Collect implements prometheus.Collector.
func (x *connections) Collect(ch chan<- prometheus.Metric) {
	tell := func(pool string, used, most int) {
		ch <- prometheus.MustNewConstMetric(x.used, prometheus.GaugeValue, float64(used), pool)
		ch <- prometheus.MustNewConstMetric(x.most, prometheus.GaugeValue, float64(most), pool)
	}
	if x.archive != nil {
		for category, c := range x.archive.Connections() {
			pool := "archive"
			if category != "" {
				pool += " of " + string(category)
			}
			tell(pool, c.Used, c.Most)
		}
	}
	if used, most := x.guard.Connections(); most > 0 {
		tell("access", used, most)
	}
}
