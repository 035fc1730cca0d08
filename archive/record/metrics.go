package record

import (
	"maps"
	"sync"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ladderback/ladderback/market"
)

// register makes metrics of the counts, read when they are asked for.
func (r *Recorder) register(reg *prometheus.Registry) {
	if reg == nil {
		return
	}
	count := func(name, help string, v *atomic.Int64) {
		reg.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help},
			func() float64 { return float64(v.Load()) }))
	}
	gauge := func(name, help string, f func() float64) {
		reg.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, f))
	}
	number := func(v *atomic.Int64) func() float64 { return func() float64 { return float64(v.Load()) } }
	seconds := func(v *atomic.Int64) func() float64 {
		return func() float64 { return float64(v.Load()) / float64(market.Second) }
	}
	count("ladderback_record_messages_total", "Messages received.", &r.messages)
	count("ladderback_record_received_bytes_total", "Bytes of messages received.", &r.bytes)
	count("ladderback_record_written_bytes_total", "Bytes of files written.", &r.written)
	count("ladderback_record_foreign_total", "Messages about nothing that is recorded.", &r.foreign)
	count("ladderback_record_gaps_total", "Gaps declared, one per token.", &r.gaps)
	count("ladderback_record_reconnects_total", "Connections tried again.", &r.reconnects)
	count("ladderback_record_queue_full_total", "Connections given up because messages could not be written fast enough.", &r.full)
	count("ladderback_record_clock_steps_total", "Steps of the clock.", &r.steps)
	count("ladderback_record_disk_errors_total", "Writes that the disk refused, and that were tried again.", &r.diskWaits)
	count("ladderback_record_archive_errors_total", "Files that the archive refused, and that were tried again.", &r.keepFails)
	count("ladderback_record_metadata_errors_total", "Questions that the metadata API did not answer.", &r.findFails)
	count("ladderback_record_quiet_total", "Connections given up because no data came while a round ran, though heartbeats were answered.", &r.quiet)
	reg.MustRegister(&r.rejected)
	gauge("ladderback_record_silence_seconds", "For how long a connection has had no data while a round runs; of the one that is silent longest.",
		func() float64 { return r.shards.silence().Seconds() })
	gauge("ladderback_record_rounds", "Rounds that are followed.", number(&r.rounds))
	gauge("ladderback_record_tokens", "Tokens that are subscribed, or to be.", number(&r.tokens))
	gauge("ladderback_record_connections", "Connections that are open.", number(&r.connections))
	gauge("ladderback_record_undecided", "Rounds whose outcome is not known yet.", number(&r.undecided))
	gauge("ladderback_record_queue_bytes", "Bytes received that wait for the disk.", func() float64 { return float64(r.queue.size()) })
	gauge("ladderback_record_files_waiting", "Files that the archive has not taken yet.", func() float64 { return float64(r.keep.waiting()) })
	gauge("ladderback_record_lag_seconds", "Receive time less the exchange's time, of the last message.", seconds(&r.lag))
	gauge("ladderback_record_last_message_seconds", "When the last message was received, as Unix time.", seconds(&r.last))
	reg.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name:        "ladderback_watermark_seconds",
		Help:        "Unix time up to which everything received is in the archive (without one: in files); 0 until a round is known.",
		ConstLabels: prometheus.Labels{"category": string(market.Crypto)},
	}, seconds(&r.watermark)))
}

// tally counts messages by why an importer refuses them. The zero value has none.
type tally struct {
	mu sync.Mutex
	of map[string]int64
}

var rejectedDesc = prometheus.NewDesc("ladderback_record_rejected_total",
	"Messages received that an importer refuses, by reason.", []string{"reason"}, nil)

// add counts one, and reports whether it is the first of its reason.
func (t *tally) add(reason string) (first bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.of == nil {
		t.of = map[string]int64{}
	}
	t.of[reason]++
	return t.of[reason] == 1
}

func (t *tally) counts() map[string]int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := maps.Clone(t.of)
	if out == nil {
		out = map[string]int64{}
	}
	return out
}

// Describe implements prometheus.Collector.
func (*tally) Describe(out chan<- *prometheus.Desc) { out <- rejectedDesc }

// Collect implements prometheus.Collector.
func (t *tally) Collect(out chan<- prometheus.Metric) {
	for reason, n := range t.counts() {
		out <- prometheus.MustNewConstMetric(rejectedDesc, prometheus.CounterValue, float64(n), reason)
	}
}
