package record_test

import (
	"context"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	toxiproxy "github.com/Shopify/toxiproxy/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/ingest"
	"github.com/ladderback/ladderback/internal/exchange"
	"github.com/ladderback/ladderback/internal/realdata"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/parser"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/replay/queue"
)

// campaignEnv asks for the long play, at the speed that it holds: "20".
const campaignEnv = "LADDERBACK_RECORD_PLAY"

// TestCampaign plays every real capture over real sockets, with a proxy between,
// and at least 200 faults. It takes the hours of the captures by the speed:
//
//	LADDERBACK_RECORD_PLAY=20 go test ./archive/record -run TestCampaign -v -timeout 2h
func TestCampaign(t *testing.T) {
	speed, err := strconv.ParseFloat(os.Getenv(campaignEnv), 64)
	if err != nil {
		t.Skipf("the long play: set %s to its speed", campaignEnv)
	}
	rounds, err := exchange.Load(realdata.Dir(t, "polymarket-btc-5m"))
	require.NoError(t, err)
	a, dir := newArchive(t), t.TempDir()
	faults := map[string]int{}
	var sum account
	played := time.Duration(0)
	for n, batch := range batches(rounds) {
		s := onSockets(t, exchange.Config{Rounds: batch, Changes: 50, Trades: 5, Duplicates: 5, Late: 5, Seed: uint64(n)}, speed)
		s.dir, s.archive, s.faults = dir, a, faults
		end := batch[len(batch)-1].End
		played += end.Sub(s.from)
		ctx, stop := context.WithCancel(t.Context())
		over, struck := make(chan error, 1), make(chan struct{})
		go func() { over <- s.server.Play(ctx) }()
		striking, calm := context.WithCancel(ctx)
		go func() {
			defer close(struck)
			s.strike(striking, uint64(n), 75*time.Second)
		}()
		go func() {
			_ = s.sleep(striking, end)
			calm()
		}()
		status := s.run(s.config(), end.Add(6*time.Minute))
		<-struck
		require.NoError(t, <-over)
		stop()
		// Here the exchange may learn late that a connection was closed.
		t.Logf("%d times a token was subscribed while the exchange had not seen its last connection end", s.server.Twice())
		require.Zero(t, status.Waiting)
		got := check(t, a, s.server, s.dir)
		t.Logf("batch %d: %+v %v %+v", n, got, faults, status)
		sum = sum.plus(got)
	}
	total := 0
	for _, n := range faults {
		total += n
	}
	t.Logf("%s of play, %d faults %v: %+v", played, total, faults, sum)
	require.GreaterOrEqual(t, total, 200)
	requireSameReplays(t, a, imported(t, dir))
}

// batches splits rounds where nothing was captured for hours.
func batches(rounds []exchange.Round) (out [][]exchange.Round) {
	from := 0
	for i := range rounds {
		if i+1 == len(rounds) || rounds[i+1].Start.Sub(rounds[i].End) > time.Hour {
			out = append(out, rounds[from:i+1])
			from = i + 1
		}
	}
	return out
}

func (a account) plus(b account) account {
	return account{
		a.sent + b.sent, a.archived + b.archived, a.mirrored + b.mirrored, a.inGap + b.inGap, a.onTheWay + b.onTheWay, max(a.longest, b.longest),
		a.unfounded + b.unfounded, a.gapTime + b.gapTime,
	}
}

// onSockets is a stage on real sockets and in real time, with a proxy.
func onSockets(t *testing.T, c exchange.Config, speed float64) *stage {
	t.Helper()
	s := &stage{t: t, begun: time.Now(), from: c.Rounds[0].Start.Add(-6 * time.Minute), speed: speed}
	c.Now, c.Sleep, c.Stamp = s.now, s.sleep, s.stamp
	s.server = exchange.New(c)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	srv := &http.Server{Handler: s.server}
	go func() { _ = srv.Serve(l) }() // until it is closed
	t.Cleanup(func() { _ = srv.Close() })
	proxy := toxiproxy.NewProxy(toxiproxy.NewServer(toxiproxy.NewMetricsContainer(prometheus.NewRegistry()), zerolog.Nop()),
		"exchange", "127.0.0.1:0", l.Addr().String())
	require.NoError(t, proxy.Start())
	t.Cleanup(proxy.Stop)
	s.url = proxy.Listen
	s.client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	s.cut = func() func() {
		// Nothing gets through any more, in silence; then the connections break.
		require.NoError(t, addToxic(proxy))
		return func() {
			proxy.Stop()
			proxy.Toxics.ResetToxics(context.Background())
			require.NoError(t, proxy.Start())
		}
	}
	return s
}

// imported returns an archive of the files that a recorder left.
func imported(t testing.TB, dir string) *archive.Archive {
	t.Helper()
	a := newArchive(t)
	var paths []string
	require.NoError(t, filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".zst" {
			paths = append(paths, path)
		}
		return err
	}))
	require.NotEmpty(t, paths)
	res, err := ingest.Run(t.Context(), a, ingest.Options{Paths: paths})
	require.NoError(t, err)
	require.Empty(t, res.Failed())
	return a
}

// requireSameReplays holds two archives against one another: what they have of
// each round, and what strategies make of it.
func requireSameReplays(t testing.TB, a, b *archive.Archive) {
	t.Helper()
	var have [2][]string
	for i, x := range []*archive.Archive{a, b} {
		rounds, err := x.Rounds(t.Context(), market.RoundFilter{})
		require.NoError(t, err)
		for _, r := range rounds {
			have[i] = append(have[i], fmt.Sprintf("%s %x %d %v", r.Market.Slug, r.Content, r.Coverage, r.Gaps))
		}
	}
	require.Equal(t, have[0], have[1])
	trades := 0
	for _, prompt := range []string{
		"Buy Up on BTC 5m when Up drops below 40 cents, take profit at 55c, stop at 20c, $50 per trade, last 100 markets",
		"Buy Down on BTC 5m when Down is under 45c in the first 2 minutes, hold to expiry, $20 per trade, last 100 markets",
		"Join the bid on Up on BTC 5m, sell with a limit at 60c, $20 per trade, last 100 markets", // which trades fill
	} {
		parsed, refusal := parser.Rules(prompt, parser.Overrides{})
		require.Nil(t, refusal)
		o := replay.DefaultOptions()
		if parsed.Strategy.Rests() {
			o.Queue = queue.Front
		}
		var results [2]*replay.Result
		for i, x := range []*archive.Archive{a, b} {
			var err error
			results[i], err = replay.Run(t.Context(), x, replay.Case{Strategy: parsed.Strategy, Options: o}, replay.Parallel{})
			require.NoError(t, err)
		}
		require.Equal(t, results[0], results[1])
		trades += len(results[0].Trades)
	}
	require.Positive(t, trades, "strategies that trade nothing compare nothing")
	t.Logf("%d rounds and %d trades are the same", len(have[0]), trades)
}

// addToxic makes a black hole of a proxy.
func addToxic(p *toxiproxy.Proxy) error {
	for _, stream := range []string{"upstream", "downstream"} {
		text := fmt.Sprintf(`{"name":"hole-%s","type":"timeout","stream":%q,"attributes":{"timeout":0}}`, stream, stream)
		if _, err := p.Toxics.AddToxicJson(strings.NewReader(text)); err != nil {
			return err
		}
	}
	return nil
}
