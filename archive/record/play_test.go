package record_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/ingest"
	"github.com/ladderback/ladderback/archive/record"
	"github.com/ladderback/ladderback/internal/archivetest"
	"github.com/ladderback/ladderback/internal/exchange"
)

// stage is a play: an exchange, a network between, and a recorder with a disk, a
// clock and an archive that can fail.
type stage struct {
	t     testing.TB
	begun time.Time
	from  time.Time // time of the play when it began
	speed float64

	step    atomic.Int64 // ns by which the recorder's clock is wrong
	full    atomic.Bool  // its disk
	locked  atomic.Bool  // its archive
	server  *exchange.Server
	client  *http.Client
	url     string // of the server, without a scheme
	cut     func() (mend func())
	dir     string
	archive *archive.Archive
	faults  map[string]int
	// tolerant: files may have lines that an import rejects.
	tolerant bool
	// imports and results lead out of a bubble, which decoders that are kept for
	// the whole process must not have been made in; nil: there is none.
	imports chan string
	results chan error
}

// scaled returns how long d of the play takes.
func (s *stage) scaled(d time.Duration) time.Duration { return time.Duration(float64(d) / s.speed) }

func (s *stage) now() time.Time {
	return s.from.Add(time.Duration(float64(time.Since(s.begun)) * s.speed))
}

func (s *stage) stamp() time.Time { return s.now().Add(time.Duration(s.step.Load())) }

func (s *stage) sleep(ctx context.Context, at time.Time) error {
	d := s.scaled(at.Sub(s.now()))
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// Keep implements record.Keeper.
func (s *stage) Keep(ctx context.Context, path string) error {
	if s.locked.Load() {
		return errors.New("archive locked")
	}
	if s.imports != nil {
		s.imports <- path
		return <-s.results
	}
	return s.take(ctx, path)
}

// take imports a file.
func (s *stage) take(ctx context.Context, path string) error {
	res, err := ingest.Run(ctx, s.archive, ingest.Options{Paths: []string{path}})
	if err != nil {
		return err
	}
	for _, f := range res.Failed() {
		return fmt.Errorf("%s: %w", f.Path, f.Err)
	}
	if n := res.RejectedTotal(); n > 0 && !s.tolerant {
		return fmt.Errorf("%s: %d lines rejected: %v", path, n, res.Rejected)
	}
	return nil
}

// disk is a file on a disk that may be full.
type disk struct {
	*os.File
	full *atomic.Bool
}

func (d disk) WriteAt(p []byte, off int64) (int, error) {
	if d.full.Load() {
		n, _ := d.File.WriteAt(p[:len(p)/2], off)
		return n, syscall.ENOSPC
	}
	return d.File.WriteAt(p, off)
}

func (s *stage) open(path string) (record.File, error) {
	if s.full.Load() {
		return nil, syscall.ENOSPC
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o644)
	return disk{f, &s.full}, err
}

func newArchive(t testing.TB) *archive.Archive {
	t.Helper()
	a := archive.New(archivetest.Store(t, filepath.Join(t.TempDir(), "a.db")))
	t.Cleanup(func() { require.NoError(t, a.Close()) })
	return a
}

// config is a recorder's, with every length of time at the speed of the play.
func (s *stage) config() record.Config {
	rng, mu := rand.New(rand.NewPCG(1, 2)), &sync.Mutex{}
	return record.Config{
		Coins: []string{"BTC"}, Types: []string{"5m"},
		Gamma: "http://" + s.url, Feed: "ws://" + s.url + "/ws/market",
		Dir: s.dir, Keeper: s, KeepFiles: true,
		Rotate: s.scaled(time.Minute), Flush: s.scaled(time.Second), QueueBytes: 512 << 10,
		Find: s.scaled(30 * time.Second), Resolve: s.scaled(30 * time.Second),
		Ping: s.scaled(10 * time.Second), Silence: s.scaled(25 * time.Second), Timeout: max(time.Second, s.scaled(10*time.Second)),
		Quiet: s.scaled(25 * time.Second), Check: ingest.MessageCheck(),
		BackoffMin: s.scaled(250 * time.Millisecond), BackoffMax: s.scaled(10 * time.Second),
		Client: s.client, Open: s.open,
		Clock: func() (time.Time, time.Duration) {
			now := s.now()
			return now.Add(time.Duration(s.step.Load())), now.Sub(s.from)
		},
		Jitter: func(n int64) int64 {
			mu.Lock()
			defer mu.Unlock()
			return rng.Int64N(n)
		},
	}
}

// strike makes one fault after the other, at random times, until ctx ends.
func (s *stage) strike(ctx context.Context, seed uint64, every time.Duration) {
	rng := rand.New(rand.NewPCG(seed, 3))
	between := func(low, high time.Duration) time.Duration { return low + time.Duration(rng.Int64N(int64(high-low))) }
	wait := func(d time.Duration) bool { return s.sleep(ctx, s.now().Add(d)) == nil }
	for n := 0; wait(between(every/2, 3*every/2)); n++ {
		switch n % 7 {
		case 0:
			s.faults["server killed"]++
			s.server.Down()
			wait(between(time.Second, 20*time.Second))
			s.server.Up()
		case 1, 6:
			s.faults["network cut"]++
			mend := s.cut()
			wait(between(time.Second, 40*time.Second))
			mend()
		case 2:
			s.faults["disk full"]++
			s.full.Store(true)
			wait(between(2*time.Second, 60*time.Second))
			s.full.Store(false)
		case 3:
			s.faults["archive locked"]++
			s.locked.Store(true)
			wait(between(10*time.Second, 3*time.Minute))
			s.locked.Store(false)
		case 4:
			s.faults["clock stepped"]++
			step := between(time.Second, 12*time.Second)
			if s.step.Load() > 0 {
				step = -step
			}
			s.step.Add(int64(step))
		case 5:
			s.faults["nonsense sent"]++
			s.server.Say("INVALID OPERATION")
		}
	}
}

// pipes is a network in memory.
type pipes struct {
	conns chan net.Conn
	mu    sync.Mutex
	open  []*pipe
	done  chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { close(p.done); return nil }
func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	a, b := net.Pipe()
	select {
	case p.conns <- b:
	case <-p.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	c := &pipe{Conn: a}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open = append(p.open, c)
	return c, nil
}

// cut makes every connection there is a black hole, for good.
func (p *pipes) cut() func() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.open {
		c.dead.Store(true)
	}
	p.open = nil
	return func() {}
}

type pipe struct {
	net.Conn
	dead atomic.Bool
}

func (p *pipe) Read(b []byte) (int, error) {
	for {
		n, err := p.Conn.Read(b)
		if err != nil || !p.dead.Load() {
			return n, err
		}
	}
}

func (p *pipe) Write(b []byte) (int, error) {
	if p.dead.Load() {
		return len(b), nil
	}
	return p.Conn.Write(b)
}
