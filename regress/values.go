package regress

import (
	"errors"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

func isNumber(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && (n.ShortTag() == "!!int" || n.ShortTag() == "!!float")
}

func (r *reader) whole(n *yaml.Node, field string, low, high int64) (int64, bool) {
	v, err := market.ParseDecimal(n.Value, 0)
	if !isNumber(n) || err != nil || v < low || v > high {
		r.fail(n, field, "is %s: expected a whole number, %d to %d", kindOf(n), low, high)
		return 0, false
	}
	return v, true
}

func (r *reader) budget(n *yaml.Node, field string) *strategy.Number {
	v, err := strategy.ParseNumber(n.Value)
	if !isNumber(n) || err != nil || v <= 0 || v > 1_000_000*strategy.One {
		r.fail(n, field, "is %s: expected US dollars above 0, at most 1000000, with at most 6 decimals", kindOf(n))
		return nil
	}
	return &v
}

// optionNames are the API's names of the options.
func optionNames() []string {
	return []string{
		"sampling", "seed", "from", "to", "latency_ms", "max_slippage", "stale_ms",
		"fees", "winners", "min_coverage", "baseline", "include",
	}
}

// options reads the options that are given into o, which holds the defaults.
func (r *reader) options(n *yaml.Node, field string, o *backtest.Options) {
	before := len(r.problems)
	fields := r.mapping(n, field, optionNames()...)
	for _, name := range optionNames() {
		if v := fields[name]; v != nil {
			r.option(v, field+"."+name, name, o)
		}
	}
	var bad *replay.OptionError
	if err := o.Validate(); len(r.problems) == before && errors.As(err, &bad) {
		r.fail(find(n, bad.Field), field+"."+bad.Field, "is %s: expected %s", bad.Value, bad.Want)
	}
}

const (
	maxMS    = 1_000_000_000_000
	anyWhole = 1<<63 - 1
)

func (r *reader) option(n *yaml.Node, field, name string, o *backtest.Options) {
	switch name {
	case "sampling":
		word(r, n, field, &o.Sampling, replay.Recent, replay.Random)
	case "fees":
		word(r, n, field, &o.Fees, replay.FeesVenue, replay.FeesNone)
	case "winners":
		word(r, n, field, &o.Winners, replay.WinnersOfficial, replay.WinnersInferred)
	case "min_coverage":
		r.share(n, field, &o.MinCoverage)
	case "seed":
		wholeInto(r, n, field, -anyWhole-1, anyWhole, &o.Seed)
	case "latency_ms":
		wholeInto(r, n, field, 0, maxMS, &o.LatencyMS)
	case "stale_ms":
		wholeInto(r, n, field, 0, maxMS, &o.StaleMS)
	case "from":
		r.instant(n, field, &o.From)
	case "to":
		r.instant(n, field, &o.To)
	case "max_slippage":
		r.slippage(n, field, &o.MaxSlippage)
	case "baseline":
		if n.ShortTag() != "!!bool" || n.Decode(&o.Baseline) != nil {
			r.fail(n, field, "is %s: expected true or false", kindOf(n))
		}
	case "include":
		r.include(n, field, o)
	}
}

func wholeInto[T ~int64](r *reader, n *yaml.Node, field string, low, high int64, into *T) {
	if v, ok := r.whole(n, field, low, high); ok {
		*into = T(v)
	}
}

// word reads one of the allowed words.
func word[T ~string](r *reader, n *yaml.Node, field string, into *T, allowed ...T) {
	if n.Kind == yaml.ScalarNode && slices.Contains(allowed, T(n.Value)) {
		*into = T(n.Value)
		return
	}
	words := make([]string, len(allowed))
	for i, a := range allowed {
		words[i] = string(a)
	}
	r.fail(n, field, "is %s: expected %s", kindOf(n), strings.Join(words, " or "))
}

// instant reads ISO 8601, or Unix seconds.
func (r *reader) instant(n *yaml.Node, field string, into **market.Instant) {
	t, err := market.ParseTime(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil {
		r.fail(n, field, "is %s: expected ISO 8601, like 2026-04-13T14:00:00Z, or Unix seconds", kindOf(n))
		return
	}
	*into = &t
}

func (r *reader) share(n *yaml.Node, field string, into *replay.Share) {
	v, err := market.ParseDecimal(n.Value, 6)
	if !isNumber(n) || err != nil || v < 0 || v > int64(replay.AllOfIt) {
		r.fail(n, field, "is %s: expected a number from 0 to 1 with at most 6 decimals", kindOf(n))
		return
	}
	*into = replay.Share(v)
}

func (r *reader) slippage(n *yaml.Node, field string, into *replay.Slippage) {
	if n.Kind == yaml.ScalarNode && n.Value == "none" {
		*into = replay.NoCap
		return
	}
	v, err := market.ParseDecimal(n.Value, 6)
	if !isNumber(n) || err != nil || v < 0 || v > int64(market.CashOne) {
		r.fail(n, field, "is %s: expected 0 to 1 USD with at most 6 decimals, or none", kindOf(n))
		return
	}
	*into = replay.Slippage(v)
}

func (r *reader) include(n *yaml.Node, field string, o *backtest.Options) {
	allowed := backtest.Includes()
	if n.Kind != yaml.SequenceNode {
		r.fail(n, field, "is %s: expected a list out of fills, sensitivity, after", kindOf(n))
		return
	}
	for _, item := range n.Content {
		var part backtest.Include
		if word(r, item, field, &part, allowed...); part != "" && !slices.Contains(o.Include, part) {
			o.Include = append(o.Include, part)
		}
	}
	slices.Sort(o.Include)
}
