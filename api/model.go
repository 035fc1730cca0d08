package api

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/ladderback/ladderback/parser"
)

// modelInstruments measure the language model.
type modelInstruments struct {
	prompts  *prometheus.CounterVec // by what became of the answer
	requests prometheus.Counter
	tokens   *prometheus.CounterVec // by kind: prompt, completion
	seconds  prometheus.Histogram   // a prompt, all tries together
}

func newModelInstruments(r prometheus.Registerer) modelInstruments {
	m := modelInstruments{
		prompts: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "ladderback_model_prompts_total", Help: "Prompts sent to the language model, by outcome.",
		}, []string{"outcome"}),
		requests: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "ladderback_model_requests_total", Help: "Requests sent to the language model.",
		}),
		tokens: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "ladderback_model_tokens_total", Help: "Tokens used, as counted by the model's server.",
		}, []string{"kind"}),
		seconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "ladderback_model_seconds", Help: "Time to read a prompt with the language model, including retries.",
			Buckets: []float64{.1, .25, .5, 1, 2.5, 5, 10, 15, 30},
		}),
	}
	r.MustRegister(m.prompts, m.requests, m.tokens, m.seconds)
	return m
}

// ObserveModel counts the outcome of a prompt sent to the language model. Use it
// as model.Config.Observe.
func (s *Server) ObserveModel(c parser.ModelCall) {
	m := &s.metrics.model
	m.prompts.WithLabelValues(c.Outcome).Inc()
	m.requests.Add(float64(c.Requests))
	m.tokens.WithLabelValues("prompt").Add(float64(c.PromptTokens))
	m.tokens.WithLabelValues("completion").Add(float64(c.CompletionTokens))
	m.seconds.Observe(c.Took.Seconds())
}
