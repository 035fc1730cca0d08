package api

import (
	"context"
	"net/http"
	"runtime"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/ladderback/ladderback/archive/history"
	"github.com/ladderback/ladderback/identity"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/runs"
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
	model    modelInstruments
	tasks    *runs.Metrics // of kept runs
}

func newInstruments() *instruments {
	m := &instruments{
		registry: prometheus.NewRegistry(),
		latency: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "ladderback_request_seconds", Help: "Time taken to answer a request.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60},
		}, []string{"route", "method", "status"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "ladderback_requests_in_flight", Help: "Requests in flight.",
		}),
		points: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "ladderback_points_total", Help: "History points served.",
		}, []string{"kind"}),
		limited: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "ladderback_limited_total", Help: "Requests refused because a limit was used up.",
		}, []string{"window"}),
		runs: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "ladderback_backtests", Help: "Backtests running and queued.",
		}, []string{"state"}),
		refused: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "ladderback_backtests_refused_total", Help: "Backtests refused because too many were running.",
		}),
	}
	m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.registry.MustRegister(m.latency, m.inFlight, m.points, m.limited, m.runs, m.refused)
	for _, state := range []string{"running", "waiting"} {
		m.runs.WithLabelValues(state) // there from the first scrape on
	}
	m.tasks = runs.NewMetrics(m.registry)
	m.model = newModelInstruments(m.registry)
	return m
}

// served counts history points.
func (m *instruments) served(kind history.Points, points int64) {
	m.points.WithLabelValues(string(kind)).Add(float64(points))
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

// buildInfo is 1, under labels that say which build answers.
func buildInfo(version, revision string) prometheus.Collector {
	g := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "ladderback_build_info", Help: "Always 1; the labels identify the build.",
		ConstLabels: prometheus.Labels{"version": version, "revision": revision, "go_version": runtime.Version()},
	})
	g.Set(1)
	return g
}

// inOrder collects one after the other: what asks the archive does not count among
// the connections at work.
type inOrder []prometheus.Collector

// Describe implements prometheus.Collector.
func (all inOrder) Describe(ch chan<- *prometheus.Desc) {
	for _, c := range all {
		c.Describe(ch)
	}
}

// Collect implements prometheus.Collector.
func (all inOrder) Collect(ch chan<- prometheus.Metric) {
	for _, c := range all {
		c.Collect(ch)
	}
}

// scrapePatience is how long a scrape waits for an archive.
const scrapePatience = 2 * time.Second

// freshness tells Prometheus how new the captures are.
type freshness struct {
	catalogue *current
	desc      *prometheus.Desc
}

func newFreshness(c *current) *freshness {
	return &freshness{c, prometheus.NewDesc("ladderback_watermark_seconds",
		"Receive time of the newest capture of a category, in Unix seconds; absent while the archive does not answer.", []string{"category"}, nil)}
}

// Describe implements prometheus.Collector.
func (x *freshness) Describe(ch chan<- *prometheus.Desc) { ch <- x.desc }

// Collect implements prometheus.Collector.
func (x *freshness) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapePatience)
	defer cancel()
	marks, err := x.catalogue.of(ctx).Watermarks(ctx, "")
	if err != nil {
		return // absent: an alert on absence sees it
	}
	for category, at := range marks {
		ch <- prometheus.MustNewConstMetric(x.desc, prometheus.GaugeValue, float64(at)/float64(market.Second), string(category))
	}
}

// connections tells Prometheus how the connections to the databases stand.
type connections struct {
	archive     *current
	keys        *identity.Keys
	used, limit *prometheus.Desc
}

func newConnections(c *current, g *identity.Keys) *connections {
	return &connections{
		archive: c, keys: g,
		used:  prometheus.NewDesc("ladderback_connections_used", "Database connections in use.", []string{"pool"}, nil),
		limit: prometheus.NewDesc("ladderback_connections_most", "Maximum number of database connections.", []string{"pool"}, nil),
	}
}

// Describe implements prometheus.Collector.
func (x *connections) Describe(ch chan<- *prometheus.Desc) { ch <- x.used; ch <- x.limit }

// Collect implements prometheus.Collector.
func (x *connections) Collect(ch chan<- prometheus.Metric) {
	tell := func(pool string, used, limit int) {
		ch <- prometheus.MustNewConstMetric(x.used, prometheus.GaugeValue, float64(used), pool)
		ch <- prometheus.MustNewConstMetric(x.limit, prometheus.GaugeValue, float64(limit), pool)
	}
	for category, c := range x.archive.Connections() {
		pool := "archive"
		if category != "" {
			pool += " of " + string(category)
		}
		tell(pool, c.Used, c.Max)
	}
	if used, limit := x.keys.Connections(); limit > 0 {
		tell("access", used, limit)
	}
}
