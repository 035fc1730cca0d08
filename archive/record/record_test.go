package record_test

import (
	"context"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/ingest"
	"github.com/ladderback/ladderback/archive/record"
	"github.com/ladderback/ladderback/internal/exchange"
	"github.com/ladderback/ladderback/internal/realdata"
)

// inBubble plays in a bubble of its own time: a receive time is exactly when the
// server sent, and hours take as long as the computing.
func inBubble(t *testing.T, c exchange.Config, f func(s *stage)) *stage {
	t.Helper()
	dir := t.TempDir()
	s := &stage{faults: map[string]int{}, archive: newArchive(t), imports: make(chan string), results: make(chan error)}
	go func() {
		for path := range s.imports {
			s.results <- s.take(context.Background(), path)
		}
	}()
	synctest.Test(t, func(t *testing.T) {
		s.t, s.begun, s.from, s.speed = t, time.Now(), c.Rounds[0].Start.Add(-6*time.Minute), 1
		s.url, s.dir = "exchange", dir
		c.Now, c.Sleep, c.Stamp = s.now, s.sleep, s.stamp
		s.server = exchange.New(c)
		network := &pipes{conns: make(chan net.Conn), done: make(chan struct{})}
		s.cut = network.cut
		transport := &http.Transport{DialContext: network.dial, DisableKeepAlives: true}
		s.client = &http.Client{Transport: transport}
		srv := &http.Server{Handler: s.server}
		served := make(chan error, 1)
		go func() { served <- srv.Serve(network) }()
		f(s)
		require.NoError(t, srv.Close())
		require.ErrorIs(t, <-served, http.ErrServerClosed)
		transport.CloseIdleConnections()
	})
	close(s.imports)
	if t.Failed() {
		t.FailNow()
	}
	return s
}

// run records until the play is over, and until outcomes are known.
func (s *stage) run(c record.Config, until time.Time) record.Status {
	s.t.Helper()
	r, err := record.New(c)
	require.NoError(s.t, err)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- r.Run(ctx) }()
	for s.speed > 1 && s.now().Add(10*time.Minute).Before(until) {
		_ = s.sleep(ctx, s.now().Add(10*time.Minute))
		s.t.Logf("%s %+v", s.now().UTC().Format(time.TimeOnly), r.Status())
	}
	_ = s.sleep(ctx, until)
	stop()
	require.NoError(s.t, <-ended)
	return r.Status()
}

func TestPlayWithFaults(t *testing.T) {
	t.Parallel()
	rounds := exchange.Synthetic(6, time.Unix(1776081600, 0), 1)
	var last record.Status
	s := inBubble(t, exchange.Config{Rounds: rounds, Changes: 60, Trades: 10, Duplicates: 20, Late: 20, Seed: 4}, func(s *stage) {
		ctx, stop := context.WithCancel(context.Background())
		played, struck := make(chan error, 1), make(chan struct{})
		go func() { played <- s.server.Play(ctx) }()
		striking, calm := context.WithCancel(ctx)
		go func() {
			defer close(struck)
			s.strike(striking, 5, 25*time.Second)
		}()
		c := s.config()
		c.QueueBytes, c.Registry = 16<<10, prometheus.NewRegistry()
		// Stopped in the middle of a round, and taken up again.
		s.run(c, rounds[2].Start.Add(2*time.Minute))
		require.Positive(s.t, counted(s.t, c.Registry, "ladderback_record_queue_full_total"), "the queue was never full")
		go func() {
			_ = s.sleep(striking, rounds[5].End)
			calm()
		}()
		last = s.run(s.config(), rounds[5].End.Add(10*time.Minute))
		<-struck
		require.NoError(s.t, <-played)
		stop()
	})
	require.Zero(t, s.server.Twice(), "a token was subscribed twice")
	require.Empty(t, last.Problem)
	require.Zero(t, last.Waiting)
	sum := check(t, s.archive, s.server, s.dir)
	t.Logf("%+v %v %+v", sum, s.faults, last)
	require.Greater(t, sum.archived, sum.sent/2)
	require.Positive(t, sum.inGap, "a play in which nothing is lost shows nothing")
	for _, fault := range []string{"server killed", "network cut", "disk full", "archive locked", "clock stepped", "nonsense sent"} {
		require.Positive(t, s.faults[fault], fault)
	}
	requireSameReplays(t, s.archive, imported(t, s.dir))
}

// TestRecordedEqualsImported: without a fault, what is recorded is what was
// captured, to the microsecond, and replays give the same.
func TestRecordedEqualsImported(t *testing.T) {
	t.Parallel()
	dir := realdata.Dir(t, "polymarket-btc-5m")
	rounds, err := exchange.Load(dir)
	require.NoError(t, err)
	rounds = batches(rounds)[0]
	if os.Getenv(campaignEnv) == "" {
		rounds = rounds[:2]
	}
	end := rounds[len(rounds)-1].End.Add(10 * time.Minute)

	paths := []string{filepath.Join(t.TempDir(), "gamma.jsonl")}
	var listings []byte
	metadata := exchange.New(exchange.Config{Rounds: rounds})
	for _, r := range rounds {
		listings = append(append(listings, metadata.Listing(r.Slug, end)...), '\n')
		paths = append(paths, filepath.Join(dir, "captures", r.Slug+".jsonl.gz"))
	}
	require.NoError(t, os.WriteFile(paths[0], listings, 0o644))
	want := newArchive(t)
	res, err := ingest.Run(t.Context(), want, ingest.Options{Paths: paths})
	require.NoError(t, err)
	require.Empty(t, res.Failed())

	s := inBubble(t, exchange.Config{Rounds: rounds}, func(s *stage) {
		ctx, stop := context.WithCancel(context.Background())
		played := make(chan error, 1)
		go func() { played <- s.server.Play(ctx) }()
		s.run(s.config(), end)
		stop()
		require.NoError(s.t, <-played)
	})
	require.Zero(t, s.server.Twice())
	requireSameReplays(t, want, s.archive)
}

// counted returns what a counter stands at.
func counted(t testing.TB, reg *prometheus.Registry, name string) float64 {
	t.Helper()
	families, err := reg.Gather()
	require.NoError(t, err)
	for _, f := range families {
		if f.GetName() == name {
			return f.GetMetric()[0].GetCounter().GetValue()
		}
	}
	t.Fatalf("no metric %s", name)
	return 0
}

// TestGapsEndWithWholeBooks: a subscription that is confirmed is not enough, when
// the exchange sends changes before a whole book.
func TestGapsEndWithWholeBooks(t *testing.T) {
	t.Parallel()
	rounds := exchange.Synthetic(2, time.Unix(1776081600, 0), 2)
	s := inBubble(t, exchange.Config{Rounds: rounds, Changes: 80, Bare: true, Seed: 4}, func(s *stage) {
		ctx, stop := context.WithCancel(context.Background())
		defer stop()
		played := make(chan error, 1)
		go func() { played <- s.server.Play(ctx) }()
		go func() {
			for s.sleep(ctx, s.now().Add(30*time.Second)) == nil {
				s.server.Down()
				_ = s.sleep(ctx, s.now().Add(2*time.Second))
				s.server.Up()
			}
		}()
		s.run(s.config(), rounds[1].End.Add(10*time.Minute))
		require.NoError(s.t, <-played)
	})
	sum := check(t, s.archive, s.server, s.dir)
	require.Positive(t, sum.unfounded, "no change came before a book")
	t.Logf("%+v", sum)
}

// TestTwoRecorders: a folder takes one recorder at a time.
func TestTwoRecorders(t *testing.T) {
	t.Parallel()
	c := record.Config{Coins: []string{"BTC"}, Types: []string{"5m"}, Gamma: "http://127.0.0.1:1", Feed: "ws://127.0.0.1:1", Dir: t.TempDir()}
	first, err := record.New(c)
	require.NoError(t, err)
	_, err = record.New(c)
	require.ErrorIs(t, err, record.ErrBusy)
	require.ErrorContains(t, err, c.Dir)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	require.NoError(t, first.Run(ctx))
	second, err := record.New(c)
	require.NoError(t, err, "a recorder that has ended leaves its folder")
	require.NoError(t, second.Run(ctx))
}
