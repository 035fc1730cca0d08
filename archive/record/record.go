package record

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"github.com/ladderback/ladderback/market"
)

// Public addresses of Polymarket.
const (
	PolymarketGamma = "https://gamma-api.polymarket.com"
	PolymarketFeed  = "wss://ws-subscriptions-clob.polymarket.com/ws/market"
)

// Keeper takes finished files, in the order in which they were finished. An
// error means that the file was not taken: it is offered again later, so taking
// a file twice must be harmless. ErrTwice ends the recording.
type Keeper interface {
	Keep(ctx context.Context, path string) error
}

// Config is what to record, and how. The zero value of a field means its
// default.
type Config struct {
	// Coins are upper-case tickers and Types lengths of rounds ("5m"): every pair
	// of them is recorded. Needed unless Series is given.
	Coins, Types []string
	// Series are slugs of further series to record.
	Series []string
	// Gamma is the base address of the metadata API, Feed that of the market
	// channel.
	Gamma, Feed string
	// Dir is the folder of the files; it is made when it is not there. Needed.
	// One recorder writes to it at a time.
	Dir string
	// Keeper takes the files; nil: nobody does, they only stay.
	Keeper Keeper
	// KeepFiles: files stay when the Keeper has taken them.
	KeepFiles bool

	Rotate      time.Duration // how often files are cut (1 minute with a Keeper, else 1 hour)
	RotateBytes int64         // and at which size, compressed (256 MiB)
	Flush       time.Duration // how often what was received is put on disk (1 s)
	QueueBytes  int           // of messages that wait for the disk (64 MiB)

	Lead       time.Duration // how long before its start a round is subscribed (5 minutes)
	After      time.Duration // how long after its end it is followed (2 minutes)
	Find       time.Duration // how often new rounds are looked for (30 s)
	Resolve    time.Duration // how often, at first, an outcome is asked for (30 s)
	ShardSize  int           // most tokens of one connection (100)
	Ping       time.Duration // between heartbeats (10 s)
	Silence    time.Duration // without a sign of life until a connection counts as lost (25 s)
	Timeout    time.Duration // of a request, a handshake, a write (10 s)
	BackoffMin time.Duration // before the first try again (250 ms); doubles
	BackoffMax time.Duration // (30 s)
	Step       time.Duration // by how much the clock may drift in a second before it counts as a step (250 ms)
	Grace      time.Duration // how long a stop waits for a disk that is full and for the Keeper (20 s)

	// Quiet is how long a connection may go without a message about the market
	// while a round of it runs, whatever heartbeats it answers, until it counts as
	// lost (25 s).
	Quiet time.Duration

	// Check says why an importer would refuse a message of the exchange; empty: it
	// would not. Only a whole book that is not refused ends a gap. It is called by
	// one goroutine at a time. nil: nothing is refused.
	Check func(message []byte) (reason string)

	// Client is used for requests and handshakes; nil: a client with Timeout.
	Client *http.Client
	// Clock returns the time of day and, beside it, a time that nobody sets; nil:
	// the machine's.
	Clock func() (wall time.Time, steady time.Duration)
	// Jitter returns a number in [0, n); nil: a random one.
	Jitter func(n int64) int64
	// Open opens a file of Dir for writing, made when it is not there; nil: os.
	Open func(path string) (File, error)
	Log  *slog.Logger // nil: silent
	// Registry gets the metrics; nil: none are kept.
	Registry *prometheus.Registry
}

// File is what the recorder needs from a file it writes.
type File interface {
	io.WriterAt
	Truncate(size int64) error
	Sync() error
	Close() error
}

// defaults fills in what is not set, and says what is wrong with what is.
func (c *Config) defaults() error {
	if c.Dir == "" {
		return errors.New("record: no folder given for the files")
	}
	if (len(c.Coins) == 0 || len(c.Types) == 0) && len(c.Series) == 0 {
		return errors.New("record: neither coins and types nor series given")
	}
	for i, t := range c.Types {
		typ, _, ok := market.ParseLength(t)
		if !ok {
			return fmt.Errorf("record: type %q: expected a length such as 5m, 15m or 1h", t)
		}
		c.Types[i] = typ
	}
	c.Gamma = cmp.Or(c.Gamma, PolymarketGamma)
	c.Feed = cmp.Or(c.Feed, PolymarketFeed)
	for name, u := range map[string]string{"metadata": c.Gamma, "feed": c.Feed} {
		if parsed, err := url.Parse(u); err != nil || parsed.Host == "" {
			return fmt.Errorf("record: address of the %s %q: expected one such as https://host", name, u)
		}
	}
	c.Gamma = strings.TrimSuffix(c.Gamma, "/")
	c.sizes()
	c.machine()
	return nil
}

// sizes fills in the sizes and times that are not set.
func (c *Config) sizes() {
	rotate := time.Hour
	if c.Keeper != nil {
		rotate = time.Minute
	}
	c.Rotate = cmp.Or(c.Rotate, rotate)
	c.RotateBytes = cmp.Or(c.RotateBytes, 256<<20)
	c.QueueBytes = cmp.Or(c.QueueBytes, 64<<20)
	c.ShardSize = cmp.Or(c.ShardSize, 100)
	c.ShardSize = max(2, c.ShardSize)
	for _, d := range []struct {
		field *time.Duration
		usual time.Duration
	}{
		{&c.Flush, time.Second}, {&c.Lead, 5 * time.Minute}, {&c.After, 2 * time.Minute},
		{&c.Find, 30 * time.Second}, {&c.Resolve, 30 * time.Second},
		{&c.Ping, 10 * time.Second}, {&c.Silence, 25 * time.Second}, {&c.Quiet, 25 * time.Second}, {&c.Timeout, 10 * time.Second},
		{&c.BackoffMin, 250 * time.Millisecond}, {&c.BackoffMax, 30 * time.Second},
		{&c.Step, 250 * time.Millisecond}, {&c.Grace, 20 * time.Second},
	} {
		*d.field = cmp.Or(*d.field, d.usual)
	}
}

// machine fills in what reaches outside: the network, the clock, files, the log.
func (c *Config) machine() {
	if c.Client == nil {
		c.Client = &http.Client{Timeout: c.Timeout}
	}
	if c.Clock == nil {
		begun := time.Now()
		c.Clock = func() (time.Time, time.Duration) { now := time.Now(); return now.Round(0), now.Sub(begun) }
	}
	if c.Jitter == nil {
		c.Jitter = rand.Int64N
	}
	if c.Open == nil {
		c.Open = func(path string) (File, error) { return os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o644) }
	}
	if c.Check == nil {
		c.Check = func([]byte) string { return "" }
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
}

// Recorder records. It is made by New and run once.
type Recorder struct {
	c     Config
	now   *stamper
	queue *queue
	gamma *gamma
	numbers

	shards *shards
	keep   *keeping
	start  state // what the last run left
	lock   *flock.Flock
}

// lockName is the file of a folder that the recorder which writes there has
// locked. The lock ends with the process.
const lockName = ".recording.lock"

// ErrBusy means that another recorder writes to the folder.
var ErrBusy error = market.Errorf(market.CodeUnavailable, "another recorder is writing to this folder")

// ErrTwice means that another recorder feeds the archive with the same series.
var ErrTwice error = market.Errorf(market.CodeUnavailable, "another recorder records the same into this archive")

// SeriesNames returns what is recorded, a name for each series that is the same
// whatever the exchange or the user calls it.
func (c *Config) SeriesNames() []string {
	var names []string
	for _, coin := range c.Coins {
		for _, typ := range c.Types {
			names = append(names, seriesName(coin, typ))
		}
	}
	for _, slug := range c.Series {
		if coin, typ, ok := market.ParseSeriesSlug(slug); ok {
			slug = seriesName(coin, typ)
		}
		names = append(names, slug)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func seriesName(coin, typ string) string { return strings.ToLower(coin) + "-up-or-down-" + typ }

// New checks the configuration, creates the folder, locks it until the end of
// Run or of the process, and picks up what an earlier run left there. A folder
// that another recorder has locked is ErrBusy.
func New(c Config) (*Recorder, error) {
	if err := c.defaults(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(c.Dir, 0o755); err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	r := &Recorder{c: c, queue: newQueue(c.QueueBytes), lock: flock.New(filepath.Join(c.Dir, lockName))}
	switch taken, err := r.lock.TryLock(); {
	case err != nil:
		return nil, fmt.Errorf("record: %w", err)
	case !taken:
		return nil, fmt.Errorf("record: %s: %w", c.Dir, ErrBusy)
	}
	r.now = newStamper(c.Clock, c.Step, func(g market.Gap) { r.queue.push(item{kind: itemStep, gap: g}) })
	r.gamma = newGamma(&r.c)
	r.register(c.Registry)
	r.shards = newShards(r)
	r.keep = newKeeping(r)
	var err error
	if r.start, err = r.recover(); err != nil {
		return nil, fmt.Errorf("record: %w", errors.Join(err, r.lock.Unlock()))
	}
	r.now.resume(r.start.Until)
	return r, nil
}

// Run records until ctx ends, then writes out what was received, hands over the
// files that the Keeper takes within Grace, and returns nil. An error means
// that something received could not be written.
func (r *Recorder) Run(ctx context.Context) (err error) {
	defer func() { err = errors.Join(err, r.lock.Unlock()) }()
	flush, stopFlush := context.WithCancel(context.WithoutCancel(ctx))
	defer stopFlush()
	feed, gctx := errgroup.WithContext(ctx)
	feed.Go(func() error { return r.find(gctx) })
	feed.Go(func() error { return r.now.watch(gctx) })
	var back errgroup.Group
	logged := make(chan struct{})
	feed.Go(func() error {
		select {
		case <-gctx.Done():
			return nil
		case <-r.keep.twice:
			return ErrTwice // told by whoever handed the file over
		case <-logged:
			return errors.New("record: writing has stopped")
		}
	})
	back.Go(func() error {
		defer close(logged)
		return newLog(r).run(flush)
	})
	back.Go(func() error { return r.keep.run(flush, logged) })
	err = feed.Wait()
	if ctx.Err() != nil || errors.Is(err, ErrTwice) {
		err = nil
	}
	r.shards.wait()
	r.queue.end()
	grace := time.AfterFunc(r.c.Grace, stopFlush)
	defer grace.Stop()
	return errors.Join(err, back.Wait())
}

// numbers is what is counted while recording.
type numbers struct {
	rounds, tokens, connections              atomic.Int64
	messages, bytes, written, foreign, kept  atomic.Int64
	gaps, reconnects, steps, full, undecided atomic.Int64
	diskWaits, keepFails, findFails          atomic.Int64
	quiet                                    atomic.Int64 // connections given up for it
	rejected                                 tally
	lag                                      atomic.Int64 // µs, of the last message: received − exchange
	last                                     atomic.Int64 // Instant of the last message
	filed, watermark                         atomic.Int64 // Instant up to which everything is in files, with the Keeper
}

// Status is the state of a recording.
type Status struct {
	Rounds      int64 // that are followed
	Connections int64 // that are open
	Messages    int64 // received so far
	Bytes       int64 // received so far
	Written     int64 // bytes of files so far
	Gaps        int64 // declared so far
	// Rejected counts the messages so far that an importer refuses, by reason.
	Rejected map[string]int64
	Lag      time.Duration // of the last message, by both clocks
	Queued   int           // bytes that wait for the disk
	Waiting  int           // files that wait for the Keeper
	// Filed: everything up to it is in files; Watermark: with the Keeper, or without
	// one in files. Zero until a round is known.
	Filed, Watermark market.Instant
	Problem          string // what is wrong right now; empty: nothing
}

// Status may be called at any time, from any goroutine.
func (r *Recorder) Status() Status {
	s := Status{
		Rounds: r.rounds.Load(), Connections: r.connections.Load(), Messages: r.messages.Load(), Bytes: r.bytes.Load(),
		Written: r.written.Load(), Gaps: r.gaps.Load(), Lag: time.Duration(r.lag.Load()) * time.Microsecond,
		Rejected: r.rejected.counts(), Queued: r.queue.size(), Waiting: r.keep.waiting(),
		Filed: market.Instant(r.filed.Load()), Watermark: market.Instant(r.watermark.Load()),
	}
	var problems []string
	for _, p := range []*atomic.Pointer[string]{&r.queue.problem, &r.keep.problem, &r.gamma.problem} {
		if text := p.Load(); text != nil {
			problems = append(problems, *text)
		}
	}
	slices.Sort(problems)
	s.Problem = strings.Join(problems, "; ")
	return s
}
