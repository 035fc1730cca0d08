package record_test

import (
	"context"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/record"
	"github.com/ladderback/ladderback/internal/exchange"
)

// inBubble plays in a bubble of its own time: a receive time is exactly when the
// server sent, and hours take as long as the computing.
func inBubble(t *testing.T, c exchange.Config, f func(s *stage)) {
	t.Helper()
	dir := t.TempDir()
	a := newArchive
	synctest.Test(t, func(t *testing.T) {
		s := &stage{
			t: t, begun: time.Now(), from: c.Rounds[0].Start.Add(-6 * time.Minute), speed: 1,
			url: "exchange", dir: dir, faults: map[string]int{},
		}
		c.Now, c.Sleep, c.Stamp = s.now, s.sleep, s.stamp
		s.server = exchange.New(c)
		s.archive = a(t)
		network := &pipes{conns: make(chan net.Conn), done: make(chan struct{})}
		s.cut = network.cut
		transport := &http.Transport{DialContext: network.dial, DisableKeepAlives: true}
		s.client = &http.Client{Transport: transport}
		srv := &http.Server{Handler: s.server}
		served := make(chan error, 1)
		go func() { served <- srv.Serve(network) }()
		f(s)
		require.NoError(t, srv.Close())
		<-served
		transport.CloseIdleConnections()
		require.NoError(t, s.archive.Close())
	})
}

// run records until the play is over, and until outcomes are known.
func (s *stage) run(c record.Config, until time.Time) record.Status {
	s.t.Helper()
	r, err := record.New(c)
	require.NoError(s.t, err)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- r.Run(ctx) }()
	_ = s.sleep(ctx, until)
	stop()
	require.NoError(s.t, <-ended)
	return r.Status()
}

func TestPlayWithFaults(t *testing.T) {
	t.Parallel()
	rounds := exchange.Synthetic(6, time.Unix(1776081600, 0), 1)
	inBubble(t, exchange.Config{Rounds: rounds, Changes: 60, Trades: 10, Duplicates: 20, Late: 20, Seed: 4}, func(s *stage) {
		ctx, stop := context.WithCancel(context.Background())
		played, struck := make(chan error, 1), make(chan struct{})
		go func() { played <- s.server.Play(ctx) }()
		striking, calm := context.WithCancel(ctx)
		go func() {
			defer close(struck)
			s.strike(striking, 5, 25*time.Second)
		}()
		// Stopped in the middle of a round, and taken up again.
		s.run(s.config(), rounds[2].Start.Add(2*time.Minute))
		go func() {
			_ = s.sleep(striking, rounds[5].End)
			calm()
		}()
		last := s.run(s.config(), rounds[5].End.Add(10*time.Minute))
		<-struck
		require.NoError(s.t, <-played)
		stop()
		require.Zero(s.t, s.server.Twice(), "a token was subscribed twice")
		sum := check(s.t, s.archive, s.server, 0)
		t.Logf("%+v %v %+v", sum, s.faults, last)
	})
}
