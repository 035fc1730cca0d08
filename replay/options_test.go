package replay_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
)

func TestOptionsAsJSON(t *testing.T) {
	t.Parallel()
	o := replay.DefaultOptions()
	text, err := json.Marshal(o)
	require.NoError(t, err)
	require.JSONEq(t, `{
		"sampling": "recent", "seed": 1, "from": null, "to": null, "latency_ms": 250,
		"max_slippage": 0.05, "stale_ms": 30000, "fees": "venue", "winners": "official", "min_coverage": 0
	}`, string(text))

	// Absent and null fields keep their defaults.
	require.NoError(t, json.Unmarshal([]byte(`{"seed": null, "latency_ms": null, "max_slippage": null, "stale_ms": null, "from": null, "fees": null, "min_coverage": null}`), &o))
	require.Equal(t, replay.DefaultOptions(), o)

	require.NoError(t, json.Unmarshal([]byte(`{
		"sampling": "random", "seed": 9, "from": "2026-04-13T16:00:00+02:00", "to": "2026-04-14T00:00:00.5Z",
		"latency_ms": 0, "max_slippage": "none", "stale_ms": 30000, "fees": "none", "winners": "inferred", "min_coverage": 0.9
	}`), &o))
	require.NoError(t, o.Validate())
	require.Equal(t, replay.Stale(30_000), o.StaleMS, "a value given is not the default")
	text, err = json.Marshal(o)
	require.NoError(t, err)
	require.JSONEq(t, `{
		"sampling": "random", "seed": 9, "from": "2026-04-13T14:00:00Z", "to": "2026-04-14T00:00:00.5Z", "latency_ms": 0,
		"max_slippage": "none", "stale_ms": 30000, "fees": "none", "winners": "inferred", "min_coverage": 0.9
	}`, string(text))
}

func TestOptionsThatAreRefused(t *testing.T) {
	t.Parallel()
	at := func(i market.Instant) *market.Instant { return &i }
	for field, change := range map[string]func(*replay.Options){
		"sampling":     func(o *replay.Options) { o.Sampling = "newest" },
		"to":           func(o *replay.Options) { o.From, o.To = at(5), at(5) },
		"latency_ms":   func(o *replay.Options) { o.LatencyMS = -1 },
		"max_slippage": func(o *replay.Options) { o.MaxSlippage = 1_000_001 },
		"stale_ms":     func(o *replay.Options) { o.StaleMS = -2 },
		"fees":         func(o *replay.Options) { o.Fees = "" },
		"winners":      func(o *replay.Options) { o.Winners = "all" },
	} {
		o := replay.DefaultOptions()
		change(&o)
		var bad *replay.OptionError
		require.ErrorAs(t, o.Validate(), &bad, field)
		require.Equal(t, field, bad.Field)
		require.NotEmpty(t, bad.Want)
	}
	for field, text := range map[string]string{
		"max_slippage": `{"max_slippage": -0.01}`,
		"stale_ms":     `{"stale_ms": 1.5}`,
	} {
		o := replay.DefaultOptions()
		var bad *replay.OptionError
		require.ErrorAs(t, json.Unmarshal([]byte(text), &o), &bad, text)
		require.Equal(t, field, bad.Field)
	}
}
