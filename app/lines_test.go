package app

import (
	"bytes"
	"errors"
	"log/slog"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestLinesAreThoseOfSlog: what is written without slog's handler is what it writes.
func TestLinesAreThoseOfSlog(t *testing.T) {
	t.Parallel()
	const key = "lb_0123456789abcdefghijklmnop"
	written := 0 // without it
	at := time.Date(2026, 4, 13, 14, 0, 0, 250_000_000, time.FixedZone("x", 3600))
	for _, attrs := range [][]slog.Attr{
		nil,
		{slog.String("path", "/v1/markets"), slog.Int("status", 200), slog.Float64("took_ms", 0.25), slog.String("empty", "")},
		{slog.Float64("a", 0), slog.Float64("b", -0.5), slog.Float64("c", 1e21), slog.Float64("d", 1e-7), slog.Float64("e", 123456789.125)},
		{slog.Float64("nan", math.NaN())},
		{slog.String("path", "/v1?key="+key), slog.String("of", "of-packs")},
		{slog.String("text", "a \"quoted\" line\n"), slog.Int("n", -5)},
		{slog.String("text", "ü"), slog.String("del", "\x7f"), slog.String("bad", "\xff")},
		{slog.String("", "no key"), {}, slog.Int("ü", 1)},
		{slog.Any("cause", errors.New("of-packs")), slog.Bool("b", true), slog.Duration("d", time.Second), slog.Any("l", []int{1})},
		{slog.Group("g", slog.Int("n", 1)), slog.Time("t", at)},
	} {
		for _, when := range []time.Time{at, time.Now(), {}} {
			for _, message := range []string{"request", "with " + key, "a\tb"} {
				r := slog.NewRecord(when, slog.LevelWarn+1, message, 0)
				r.AddAttrs(attrs...)
				var want, got, aside bytes.Buffer
				options := &slog.HandlerOptions{ReplaceAttr: withoutSecrets("of-packs")}
				require.NoError(t, slog.NewJSONHandler(&want, options).Handle(t.Context(), r))
				l := &lines{Handler: slog.NewJSONHandler(&aside, options), out: &got, clean: cleaner([]string{"of-packs"})}
				require.NoError(t, l.Handle(t.Context(), r))
				written += got.Len()
				require.Equal(t, want.String(), got.String()+aside.String())
			}
		}
	}
	require.NotZero(t, written)
}
