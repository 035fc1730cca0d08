package record_test

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/record"
	"github.com/ladderback/ladderback/internal/exchange"
	"github.com/ladderback/ladderback/market"
)

// played plays rounds in a bubble while f goes on, and holds every message that the
// exchange sent against the archive.
func played(t *testing.T, c exchange.Config, f func(s *stage)) (*stage, account) {
	t.Helper()
	s := inBubble(t, c, func(s *stage) {
		ctx, stop := context.WithCancel(context.Background())
		defer stop()
		over := make(chan error, 1)
		go func() { over <- s.server.Play(ctx) }()
		f(s)
		require.NoError(s.t, <-over)
	})
	return s, check(t, s.archive, s.server, s.dir)
}

// later does what is to be done at a time of the play.
func (s *stage) later(at time.Time, do func()) {
	go func() {
		if s.sleep(context.Background(), at) == nil {
			do()
		}
	}()
}

// gapsOf returns the gaps of a round's first token.
func (s *stage) gapsOf(slug string) (gaps []market.Gap) {
	s.t.Helper()
	rounds, err := s.archive.Rounds(context.Background(), market.RoundFilter{})
	require.NoError(s.t, err)
	for _, r := range rounds {
		for _, g := range r.Gaps {
			if r.Market.Slug == slug && g.Token == 0 {
				gaps = append(gaps, g.Gap)
			}
		}
	}
	return gaps
}

// TestQuiet: a connection that answers heartbeats and sends nothing else while a round
// runs is given up, and what it did not send lies in a gap from its last message on.
func TestQuiet(t *testing.T) {
	t.Parallel()
	rounds := exchange.Synthetic(2, time.Unix(1776081600, 0), 1)
	muted := rounds[0].Start.Add(time.Minute)
	reg := prometheus.NewRegistry()
	var silence float64
	s, sum := played(t, exchange.Config{Rounds: rounds, Changes: 60, Seed: 1}, func(s *stage) {
		s.later(muted, s.server.Mute)
		s.later(muted.Add(20*time.Second), func() { silence = gauged(s.t, reg, "ladderback_record_silence_seconds") })
		c := s.config()
		c.Registry = reg
		s.run(c, rounds[1].End.Add(10*time.Minute))
	})
	require.Positive(t, sum.inGap)
	require.Equal(t, 1.0, counted(t, reg, "ladderback_record_quiet_total"))
	require.InDelta(t, 20, silence, 1)
	gaps := s.gapsOf(rounds[0].Slug)
	require.Len(t, gaps, 1)
	require.Less(t, gaps[0].From, market.InstantOf(muted), "from the last message, not from the last heartbeat")
	require.Less(t, gaps[0].To, market.InstantOf(muted.Add(30*time.Second)))
}

// TestNoRoundNoQuiet: nothing is expected of a connection while none of its rounds runs.
func TestNoRoundNoQuiet(t *testing.T) {
	t.Parallel()
	rounds := exchange.Synthetic(1, time.Unix(1776081600, 0), 1)
	reg := prometheus.NewRegistry()
	_, sum := played(t, exchange.Config{Rounds: rounds, Seed: 1}, func(s *stage) {
		c := s.config()
		c.Registry, c.After = reg, 30*time.Minute
		s.run(c, rounds[0].End.Add(40*time.Minute)) // for two minutes before its first message, and long after its last
	})
	require.Zero(t, sum.gapTime)
	require.Zero(t, counted(t, reg, "ladderback_record_quiet_total"))
	require.Zero(t, counted(t, reg, "ladderback_record_reconnects_total"))
}

// TestHalfOpen: a network that carries nothing any more is noticed within a second of
// Config.Silence.
func TestHalfOpen(t *testing.T) {
	t.Parallel()
	rounds := exchange.Synthetic(1, time.Unix(1776081600, 0), 1)
	cut := rounds[0].Start.Add(64 * time.Second)
	s, _ := played(t, exchange.Config{Rounds: rounds, Seed: 1}, func(s *stage) {
		s.later(cut, func() { s.cut() })
		c := s.config()
		c.Quiet = time.Hour
		s.run(c, rounds[0].End.Add(10*time.Minute))
	})
	gaps := s.gapsOf(rounds[0].Slug)
	require.Len(t, gaps, 1)
	require.Less(t, gaps[0].To, market.InstantOf(cut.Add(27*time.Second)))
}

// TestEndedWhileOff: the end of a round that a recorder did not see is a gap, although
// the exchange does not list the round any more; after a kill and after a stop.
func TestEndedWhileOff(t *testing.T) {
	t.Parallel()
	for name, killed := range map[string]bool{"stopped": false, "killed": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rounds := exchange.Synthetic(2, time.Unix(1776081600, 0), 3)
			off := rounds[0].Start.Add(195*time.Second + 350*time.Millisecond)
			after := t.TempDir()
			s, sum := played(t, exchange.Config{Rounds: rounds, Changes: 60, Seed: 1}, func(s *stage) {
				c := s.config()
				if killed {
					c.Keeper = nil
					s.later(off, func() { s.leave(after) })
				}
				s.run(c, off.Add(time.Second))
				if killed {
					s.dir = after
				}
				_ = s.sleep(context.Background(), rounds[0].End.Add(130*time.Second))
				s.run(s.config(), rounds[1].End.Add(10*time.Minute))
			})
			require.Positive(t, sum.gapTime)
			gaps := s.gapsOf(rounds[0].Slug)
			require.NotEmpty(t, gaps)
			last := gaps[len(gaps)-1]
			require.InDelta(t, float64(market.InstantOf(off)), float64(last.From), 2e6)
			require.GreaterOrEqual(t, last.To, market.InstantOf(rounds[0].End))
			l, err := s.archive.Market(t.Context(), rounds[0].Slug, "")
			require.NoError(t, err)
			require.Equal(t, market.Official, l.Market.Payout.Basis, "its outcome is asked for all the same")
		})
	}
}

// TestResumed: a recorder goes on with the rounds of the last one at once, whether the
// exchange lists them or not.
func TestResumed(t *testing.T) {
	t.Parallel()
	rounds := exchange.Synthetic(1, time.Unix(1776081600, 0), 3)
	down := false
	_, sum := played(t, exchange.Config{Rounds: rounds, Seed: 1, Intercept: func(w http.ResponseWriter, r *http.Request) bool {
		if down && r.URL.Path == "/events" {
			http.Error(w, "down", http.StatusInternalServerError)
		}
		return down && r.URL.Path == "/events"
	}}, func(s *stage) {
		s.run(s.config(), rounds[0].Start.Add(time.Minute))
		down = true
		s.later(rounds[0].End.Add(time.Minute), func() { down = false })
		s.run(s.config(), rounds[0].End.Add(20*time.Minute))
	})
	require.Less(t, sum.gapTime, 2*5*time.Second, "of two tokens, from the stop to the first book")
}

// TestRejectedBooks: a book that an import rejects ends no gap, is logged and counted,
// and the files have it all the same.
func TestRejectedBooks(t *testing.T) {
	t.Parallel()
	rounds := exchange.Synthetic(1, time.Unix(1776081600, 0), 2)
	cut := rounds[0].Start.Add(time.Minute)
	reg := prometheus.NewRegistry()
	var status record.Status
	log := &strings.Builder{}
	s, sum := played(t, exchange.Config{Rounds: rounds, Changes: 90, Seed: 4}, func(s *stage) {
		s.tolerant = true
		s.later(cut, func() { s.server.Spoil(2); s.server.Down() })
		s.later(cut.Add(5*time.Second), s.server.Up)
		c := s.config()
		c.Registry = reg
		c.Log = slog.New(slog.NewTextHandler(log, nil))
		status = s.run(c, rounds[0].End.Add(10*time.Minute))
	})
	require.Positive(t, sum.unfounded, "changes come before a book that counts")
	require.Equal(t, map[string]int64{"price outside 0 to 1": 2}, status.Rejected)
	require.Equal(t, 2.0, counted(t, reg, "ladderback_record_rejected_total"))
	require.Equal(t, 1, strings.Count(log.String(), "message that an import rejects"), log.String())
	require.NotEmpty(t, s.gapsOf(rounds[0].Slug))
}

// TestBackoff: a connection that has had a whole book is followed by the next at once,
// however short it was.
func TestBackoff(t *testing.T) {
	t.Parallel()
	rounds := exchange.Synthetic(1, time.Unix(1776081600, 0), 2)
	_, sum := played(t, exchange.Config{Rounds: rounds, Seed: 4}, func(s *stage) {
		for i := range 20 {
			at := rounds[0].Start.Add(time.Duration(i) * 10 * time.Second)
			s.later(at, s.server.Down)
			s.later(at.Add(50*time.Millisecond), s.server.Up)
		}
		c := s.config()
		c.Jitter = func(n int64) int64 { return n - 1 }
		s.run(c, rounds[0].End.Add(10*time.Minute))
	})
	require.Less(t, sum.gapTime, 2*20*2*time.Second, "of two tokens, twenty times")
}

// TestChangesOfASubscriptionWithoutBook: a round that was subscribed before its start
// and gets changes, but no book, is not whole from its start on.
func TestChangesOfASubscriptionWithoutBook(t *testing.T) {
	t.Parallel()
	rounds := exchange.Synthetic(1, time.Unix(1776081600, 0), 2)
	messages := rounds[0].Messages
	rounds[0].Messages = func() iter.Seq2[exchange.Message, error] {
		return func(yield func(exchange.Message, error) bool) {
			for m, err := range messages() {
				if m.At.After(rounds[0].Start) && m.At.Before(rounds[0].Start.Add(time.Minute)) {
					m.Data = fmt.Appendf(nil, `{"event_type":"price_change","market":%[1]q,"asset_id":%[3]q,"timestamp":"%[2]d","price_changes":[{"asset_id":%[3]q,"price":"0.4","size":"5","side":"BUY","best_bid":"0.5","best_ask":"0.52"}]}`,
						rounds[0].Condition, m.At.UnixMilli(), rounds[0].Tokens[0])
				} else if m.At.Before(rounds[0].Start) {
					continue
				}
				if !yield(m, err) {
					return
				}
			}
		}
	}
	s := inBubble(t, exchange.Config{Rounds: rounds}, func(s *stage) {
		ctx, stop := context.WithCancel(context.Background())
		defer stop()
		go func() { _ = s.server.Play(ctx) }() // until it is stopped
		s.run(s.config(), rounds[0].End.Add(10*time.Minute))
	})
	gaps := s.gapsOf(rounds[0].Slug)
	require.Len(t, gaps, 1)
	require.Equal(t, market.InstantOf(rounds[0].Start), gaps[0].From)
	require.InDelta(t, float64(market.InstantOf(rounds[0].Start.Add(time.Minute))), float64(gaps[0].To), 1e6)
}

// TestWatermark: until a round is known nothing is said to be whole.
func TestWatermark(t *testing.T) {
	t.Parallel()
	rounds := exchange.Synthetic(1, time.Unix(1776081600, 0), 2)
	inBubble(t, exchange.Config{Rounds: rounds, Listed: time.Minute}, func(s *stage) {
		c := s.config()
		nothing := s.run(c, rounds[0].Start.Add(-2*time.Minute))
		require.Zero(s.t, nothing.Watermark)
		require.Zero(s.t, nothing.Filed)
		require.Zero(s.t, nothing.Messages)
		found := s.run(c, rounds[0].Start.Add(time.Minute))
		require.Positive(s.t, found.Watermark)
	})
}

// gauged returns what a gauge stands at.
func gauged(t testing.TB, reg *prometheus.Registry, name string) float64 {
	t.Helper()
	families, err := reg.Gather()
	require.NoError(t, err)
	at := slices.IndexFunc(families, func(f *dto.MetricFamily) bool { return f.GetName() == name })
	require.GreaterOrEqual(t, at, 0, name)
	return families[at].GetMetric()[0].GetGauge().GetValue()
}
