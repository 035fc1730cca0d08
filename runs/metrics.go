package runs

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics are what a process that works on runs measures for Prometheus. Labels are
// kinds and outcomes, never anything of a run.
type Metrics struct {
	ended   *prometheus.CounterVec
	seconds *prometheus.HistogramVec
}

// NewMetrics makes the metrics and registers them.
func NewMetrics(to prometheus.Registerer) *Metrics {
	m := &Metrics{
		ended: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "ladderback_tasks_total", Help: "Tasks of kept runs that ended here, by kind and outcome.",
		}, []string{"kind", "outcome"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "ladderback_task_seconds", Help: "Time that tasks of kept runs took.", Buckets: []float64{.01, .05, .25, 1, 5, 10, 30, 60, 120},
		}, []string{"kind"}),
	}
	to.MustRegister(m.ended, m.seconds)
	return m
}

// Observe counts a task. Use it as Config.Observe.
func (m *Metrics) Observe(kind TaskKind, outcome string, took time.Duration) {
	m.ended.WithLabelValues(string(kind), outcome).Inc()
	m.seconds.WithLabelValues(string(kind)).Observe(took.Seconds())
}
