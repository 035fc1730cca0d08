package record

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"github.com/ladderback/ladderback/market"
)

// shards spread tokens over connections. A token belongs to one shard from add to
// remove, and a shard has one connection at a time: no token is ever subscribed
// twice.
type shards struct {
	r      *Recorder
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu  sync.Mutex
	all []*shard
	of  map[string]*shard
}

func newShards(r *Recorder) *shards {
	s := &shards{r: r, of: map[string]*shard{}}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

// wait closes every connection and waits until the last message is queued.
func (s *shards) wait() {
	s.cancel()
	s.wg.Wait()
}

// add subscribes the tokens of a round, together, unless they are already.
func (s *shards) add(of *round) {
	s.mu.Lock()
	defer s.mu.Unlock()
	tokens := slices.DeleteFunc(slices.Clone(of.tokens), func(t string) bool { return s.of[t] != nil })
	if len(tokens) == 0 {
		return
	}
	s.r.tokens.Add(int64(len(tokens)))
	var home *shard
	for _, sh := range s.all {
		if len(sh.tokens)+len(tokens) <= s.r.c.ShardSize {
			home = sh
			break
		}
	}
	if home == nil {
		home = &shard{r: s.r, mu: &s.mu, tokens: map[string]*round{}, news: make(chan struct{}, 1)}
		s.all = append(s.all, home)
		s.wg.Go(func() { home.run(s.ctx) })
	}
	for _, t := range tokens {
		s.of[t] = home
		home.tokens[t] = of
		home.added = append(home.added, t)
	}
	home.tell()
}

// remove ends the subscription of tokens. after runs when nothing of them will
// be queued any more.
func (s *shards) remove(tokens []string, after func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var home *shard
	for _, t := range tokens {
		if sh := s.of[t]; sh != nil {
			home = sh
			delete(s.of, t)
			delete(sh.tokens, t)
			sh.removed = append(sh.removed, t)
			s.r.tokens.Add(-1)
		}
	}
	if home == nil {
		after()
		return
	}
	home.after = append(home.after, after)
	home.tell()
}

// shard keeps one connection with its tokens.
type shard struct {
	r    *Recorder
	mu   *sync.Mutex // of the shards; for what follows
	news chan struct{}

	tokens         map[string]*round // that belong to it
	link           *link             // the connection; nil: none is open
	added, removed []string          // since the subscription was brought up to date
	after          []func()
}

func (sh *shard) tell() {
	select {
	case sh.news <- struct{}{}:
	default:
	}
}

// changes takes what is to be subscribed and unsubscribed. whole: of a new
// connection.
func (sh *shard) changes(whole bool) (add, remove []string, after []func()) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	add, remove, after = sh.added, sh.removed, sh.after
	if whole {
		add, remove = slices.Sorted(maps.Keys(sh.tokens)), nil
	} else {
		// What came and went in between was never subscribed.
		add = slices.DeleteFunc(add, func(t string) bool { return sh.tokens[t] == nil })
	}
	sh.added, sh.removed, sh.after = nil, nil, nil
	return add, remove, after
}

func (sh *shard) run(ctx context.Context) {
	c := &sh.r.c
	tries := 0
	for {
		for {
			add, _, after := sh.changes(true)
			for _, f := range after {
				f()
			}
			if len(add) > 0 {
				if sh.connect(ctx, add) {
					tries = 0
				}
				break
			}
			select {
			case <-ctx.Done():
				return
			case <-sh.news:
			}
		}
		if ctx.Err() != nil {
			return
		}
		wait := min(c.BackoffMax, c.BackoffMin<<min(tries, 20))
		wait = wait/2 + time.Duration(c.Jitter(int64(wait/2)+1))
		tries++
		sh.r.reconnects.Add(1)
		for pause(ctx, wait) && sh.r.queue.size() > c.QueueBytes/2 {
			wait = c.BackoffMax / 10 // nothing would fit in
		}
	}
}

// pause waits, and reports whether it did to the end.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

// errFull: the queue had no room for a message.
var errFull = errors.New("the queue is full")

// link is one connection.
type link struct {
	sh     *shard
	ws     *websocket.Conn
	stop   context.CancelCauseFunc
	mu     sync.Mutex
	pings  int              // sent
	pongs  int              // received
	pinged []market.Instant // when the pings that were not answered yet were sent, in order
	asked  []confirmable    // what the exchange has not yet confirmed, in order
	held   []string         // tokens subscribed, or on the way in or out
	// heard: whatever the exchange sent up to it has come in.
	heard  market.Instant
	steady time.Time // of the last sign of life
	// told and toldAt are of the last message about the market, or of the beginning.
	told   market.Instant
	toldAt time.Time
	booked atomic.Bool // a whole book has come in
}

// confirmable is a change of the subscription, which the exchange has made when
// it has answered so many pings.
type confirmable struct {
	pongs    int
	in, out  []string
	whenMade []func()
}

// connect keeps a connection until it is lost, and tells of it. It reports whether
// the connection was of use: a whole book came in.
func (sh *shard) connect(ctx context.Context, tokens []string) (useful bool) {
	r := sh.r
	on, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	dial, done := context.WithTimeout(on, r.c.Timeout)
	ws, resp, err := websocket.Dial(dial, r.c.Feed, &websocket.DialOptions{HTTPClient: r.c.Client})
	done()
	if err != nil {
		if resp != nil && resp.Body != nil {
			_ = resp.Body.Close()
		}
		if ctx.Err() == nil {
			r.c.Log.Warn("no connection", "error", brief(err))
		}
		return false
	}
	r.connections.Add(1)
	defer r.connections.Add(-1)
	ws.SetReadLimit(64 << 20)
	begun := r.now.stamp()
	l := &link{sh: sh, ws: ws, stop: stop, heard: begun, steady: time.Now(), told: begun, toldAt: time.Now()}
	sh.hold(l)
	defer sh.hold(nil)
	var reading sync.WaitGroup
	reading.Go(func() { stop(l.read(on)) })
	if err := l.subscribe(on, tokens, map[string]any{"type": "market"}); err != nil {
		stop(err)
	}
	l.serve(on)
	_ = ws.CloseNow()
	reading.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lost(ctx, context.Cause(on))
	for _, c := range l.asked {
		for _, f := range c.whenMade {
			f()
		}
	}
	return l.booked.Load()
}

// hold makes l the connection of the shard.
func (sh *shard) hold(l *link) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.link = l
}

// errQuiet: heartbeats are answered, and nothing else comes.
var errQuiet = errors.New("no message about the market")

// lost tells the log what the connection does not have any more. mu is held.
func (l *link) lost(ctx context.Context, cause error) {
	r := l.sh.r
	if ctx.Err() != nil {
		r.queue.push(item{kind: itemStopped, recv: l.heard, tokens: l.held})
		return
	}
	from := l.heard
	switch {
	case errors.Is(cause, errQuiet):
		r.quiet.Add(1)
		from = l.told // what else came says nothing of the market
	case errors.Is(cause, errFull):
		r.full.Add(1)
	}
	r.c.Log.Warn("connection lost", "reason", cause, "tokens", len(l.held))
	r.queue.push(item{kind: itemLost, recv: from, tokens: l.held, reason: fmt.Sprint(cause)})
}

// silence returns for how long no message about the market has come in while a
// round of the shard runs; zero: none runs.
func (l *link) silence() time.Duration {
	now := l.sh.r.now.wallTime()
	running := time.Duration(0) // of the round that has run longest
	l.sh.mu.Lock()
	for _, r := range l.sh.tokens {
		if now < r.end {
			running = max(running, time.Duration(now-r.start)*time.Microsecond)
		}
	}
	l.sh.mu.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	return min(running, time.Since(l.toldAt))
}

// silence returns the longest silence of an open connection.
func (s *shards) silence() (longest time.Duration) {
	s.mu.Lock()
	var open []*link
	for _, sh := range s.all {
		if sh.link != nil {
			open = append(open, sh.link)
		}
	}
	s.mu.Unlock()
	for _, l := range open {
		longest = max(longest, l.silence())
	}
	return longest
}

// watch reports why the connection is to be given up; nil: it is not.
func (l *link) watch() error {
	c := &l.sh.r.c
	l.mu.Lock()
	dead := time.Since(l.steady)
	l.mu.Unlock()
	if dead > c.Silence {
		return fmt.Errorf("no heartbeat for %s", dead.Round(time.Millisecond))
	}
	if quiet := l.silence(); quiet > c.Quiet {
		return fmt.Errorf("%w for %s while a round runs", errQuiet, quiet.Round(time.Millisecond))
	}
	return nil
}

// serve sends pings and changes of the subscription until the connection is
// lost.
func (l *link) serve(ctx context.Context) {
	c := &l.sh.r.c
	ping := time.NewTicker(c.Ping)
	defer ping.Stop()
	watch := time.NewTicker(min(c.Silence, c.Quiet) / 25)
	defer watch.Stop()
	for {
		var err error
		select {
		case <-ctx.Done():
			return
		case <-l.sh.news:
			add, remove, after := l.sh.changes(false)
			if len(add) > 0 {
				err = l.subscribe(ctx, add, map[string]any{"operation": "subscribe"})
			}
			if len(remove) > 0 && err == nil {
				err = l.change(ctx, confirmable{out: remove, whenMade: after},
					map[string]any{"operation": "unsubscribe", "assets_ids": remove})
			} else {
				l.later(confirmable{whenMade: after})
			}
		case <-watch.C:
			err = l.watch()
		case <-ping.C:
			err = l.ping(ctx)
		}
		if err != nil {
			l.stop(err)
		}
	}
}

// subscribe asks for tokens, and for the whole book of each.
func (l *link) subscribe(ctx context.Context, tokens []string, request map[string]any) error {
	request["assets_ids"], request["initial_dump"], request["custom_feature_enabled"] = tokens, true, true
	return l.change(ctx, confirmable{in: tokens}, request)
}

// change asks for a change of the subscription, and for a pong behind it, which
// confirms.
func (l *link) change(ctx context.Context, c confirmable, request map[string]any) error {
	l.later(c)
	text, err := json.Marshal(request)
	if err == nil {
		err = l.write(ctx, text)
	}
	if err != nil {
		return err
	}
	return l.ping(ctx)
}

// later makes c wait for the next ping's answer.
func (l *link) later(c confirmable) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c.pongs = l.pings + 1
	l.held = append(l.held, c.in...)
	l.asked = append(l.asked, c)
}

func (l *link) ping(ctx context.Context) error {
	l.mu.Lock()
	l.pings++
	l.pinged = append(l.pinged, l.sh.r.now.stamp())
	l.mu.Unlock()
	return l.write(ctx, []byte("PING"))
}

func (l *link) write(ctx context.Context, text []byte) error {
	ctx, done := context.WithTimeout(ctx, l.sh.r.c.Timeout)
	defer done()
	return l.ws.Write(ctx, websocket.MessageText, text)
}

// read queues what comes in until the connection is lost, and says why it was.
func (l *link) read(ctx context.Context) error {
	r := l.sh.r
	for {
		_, in, err := l.ws.Reader(ctx)
		if err != nil {
			return err
		}
		recv := r.now.stamp()
		data, err := io.ReadAll(in)
		if err != nil {
			return err
		}
		if string(data) == "PONG" {
			l.pong(recv)
			continue
		}
		if !r.queue.push(item{kind: itemMessage, recv: recv, data: data, booked: &l.booked}) {
			return errFull
		}
		if !json.Valid(data) {
			return fmt.Errorf("the exchange sent %.60q", data)
		}
		l.alive(recv)
		if string(data) != "[]" && !bytes.Contains(data, []byte(`"new_market"`)) {
			l.mu.Lock()
			l.told, l.toldAt = recv, time.Now()
			l.mu.Unlock()
		}
	}
}

// alive notes that everything up to heard has come in.
func (l *link) alive(heard market.Instant) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.heard, l.steady = max(l.heard, heard), time.Now()
}

// pong confirms what was asked for before the ping that it answers. The exchange
// may have answered at any time since that ping was sent: what it has sent behind
// its answer may be lost although it was sent before the answer came in.
func (l *link) pong(recv market.Instant) {
	heard := market.Instant(0)
	l.mu.Lock()
	if len(l.pinged) > 0 {
		heard, l.pinged = l.pinged[0], l.pinged[1:]
	}
	l.mu.Unlock()
	l.alive(heard)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pongs++
	for len(l.asked) > 0 && l.asked[0].pongs <= l.pongs {
		c := l.asked[0]
		l.asked = l.asked[1:]
		l.held = slices.DeleteFunc(l.held, func(t string) bool { return slices.Contains(c.out, t) })
		if len(c.in) > 0 {
			l.sh.r.queue.push(item{kind: itemConfirmed, recv: recv, tokens: c.in})
		}
		for _, f := range c.whenMade {
			f()
		}
	}
}
