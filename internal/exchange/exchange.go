// Package exchange is an exchange for tests of the recorder: a server that speaks
// what Polymarket documents of its market channel and of its metadata API, and
// plays rounds that were captured, at any speed.
//
// The channel: a client sends {"type":"market","assets_ids":[…],"initial_dump":true}
// and gets the whole book of each token that has one, as an array (without
// initial_dump none); then books, changes,
// trades, changes of tick and the resolution as they come. More tokens are taken
// with {"operation":"subscribe"}, and given up with "unsubscribe". The text PING
// is answered by PONG. A client that reads too slowly is cut off.
//
// The server writes down every message that it handed to a connection, so that
// a test can ask of each one where it went.
package exchange

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
)

// Config says how the server behaves.
type Config struct {
	// Now is the time of the play. Sleep waits until it is at.
	Now   func() time.Time
	Sleep func(ctx context.Context, at time.Time) error
	// Stamp is the clock of Sent.At; nil: Now.
	Stamp func() time.Time
	// Rounds are played, in order of their start.
	Rounds []Round
	// Changes: of the books that follow one another in a round, how many in a
	// hundred are sent as the changes between them.
	Changes int
	// Duplicates and Late are how many messages in a thousand come twice, and how
	// many after the next one.
	Duplicates, Late int
	// Trades: how many books in a hundred are followed by a trade.
	Trades int
	// Bare: no whole book is sent in answer to a subscription.
	Bare bool
	// Out is how many messages wait for a connection until it is cut off as too
	// slow; zero: 4096.
	Out int
	// Listed is how long before its start a round is listed, Closed after its end
	// it is closed, Decided it has its outcome. Zero: a day, 30 s, 90 s.
	Listed, Closed, Decided time.Duration
	Seed                    uint64
	// Outcome, when not nil, is what the metadata says of the outcome of a round that
	// is closed; nil prices: as of one that is not decided.
	Outcome func(r *Round, now time.Time) (prices []string, status string)
	// Misled: the channel names the other token as the winner of a round; nil: never.
	Misled func(r *Round) bool
	// Intercept answers a request in the server's place when it reports true; nil: it
	// never does.
	Intercept func(w http.ResponseWriter, r *http.Request) bool
}

// Sent is a message that was handed to a connection.
type Sent struct {
	Key   Key
	Kind  string    // as in Facts
	Round string    // its slug
	Token string    // it is about; of a change of both tokens, the one that it names first
	Exch  time.Time // by the exchange's clock
	At    time.Time // when it was handed to the connection
	Conn  int64     // number of the connection
	Text  [16]byte  // TextOf what was written
}

// TextOf is a hash of a message as it was sent, white space and an array around it
// aside.
func TextOf(data []byte) [16]byte {
	var text bytes.Buffer
	if json.Compact(&text, data) != nil {
		text.Reset()
		text.Write(data)
	}
	sum := sha256.Sum256(bytes.Trim(text.Bytes(), "[]"))
	return [16]byte(sum[:])
}

// Server is the exchange. It is an http.Handler of both the metadata API and,
// under /ws/market, the channel.
type Server struct {
	c      Config
	rounds []*playing

	mu     sync.Mutex
	rng    *rand.Rand
	conns  map[*conn]bool
	of     map[string]*playing // by token
	bySlug map[string]*playing
	sent   []Sent
	twice  int // subscriptions of a token that had one
	opened int64
	closed bool // refuses everything
	spoilt int  // first books to come that are impossible
	slowed atomic.Int64
}

// playing is a round as it stands in the play.
type playing struct {
	Round
	books map[string]book // by token, of those that have one
}

// New returns a server; Play starts the play.
func New(c Config) *Server {
	c.Out = cmp.Or(c.Out, 4096)
	if c.Stamp == nil {
		c.Stamp = c.Now
	}
	c.Listed = cmp.Or(c.Listed, 24*time.Hour)
	c.Closed = cmp.Or(c.Closed, 30*time.Second)
	c.Decided = cmp.Or(c.Decided, 90*time.Second)
	s := &Server{
		c: c, rng: rand.New(rand.NewPCG(c.Seed, 1)), conns: map[*conn]bool{}, of: map[string]*playing{}, bySlug: map[string]*playing{},
	}
	for _, r := range c.Rounds {
		p := &playing{Round: r, books: map[string]book{}}
		s.rounds = append(s.rounds, p)
		s.bySlug[r.Slug] = p
		for _, t := range r.Tokens {
			s.of[t] = p
		}
	}
	return s
}

// Play sends what was captured at its time. It returns when everything was sent,
// or ctx has ended.
func (s *Server) Play(ctx context.Context) error {
	errs := make(chan error, len(s.rounds))
	for _, p := range s.rounds {
		go func() { errs <- s.play(ctx, p) }()
	}
	var all []error
	for range s.rounds {
		all = append(all, <-errs)
	}
	return errors.Join(all...)
}

func (s *Server) play(ctx context.Context, p *playing) error {
	if err := s.c.Sleep(ctx, p.Start.Add(-10*time.Minute)); err != nil {
		return nil
	}
	var held *message // to come late
	for m, err := range p.Messages() {
		if err != nil {
			return fmt.Errorf("%s: %w", p.Slug, err)
		}
		if err := s.c.Sleep(ctx, m.At); err != nil {
			return nil
		}
		s.mu.Lock()
		for _, out := range s.variants(p, m) {
			switch {
			case held == nil && s.rng.IntN(1000) < s.c.Late && out.book == nil:
				held = &out
				continue
			case s.rng.IntN(1000) < s.c.Duplicates:
				s.broadcast(p, &out)
			}
			s.broadcast(p, &out)
			if held != nil {
				s.broadcast(p, held)
				held = nil
			}
		}
		s.mu.Unlock()
	}
	if err := s.c.Sleep(ctx, p.End.Add(s.c.Closed)); err != nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broadcast(p, p.resolution(s.c.Now(), s.c.Misled != nil && s.c.Misled(&p.Round)))
	return nil
}

// broadcast hands a message to everybody who has asked for its token. mu is held.
func (s *Server) broadcast(p *playing, m *message) {
	for c := range s.conns {
		for _, t := range m.tokens {
			if c.tokens[t] {
				s.hand(c, p, m)
				break
			}
		}
	}
	if m.book != nil {
		p.books[m.tokens[0]] = *m.book
	}
}

// hand puts a message into the queue of a connection, which is cut off when it is
// full. mu is held.
func (s *Server) hand(c *conn, p *playing, m *message) {
	sent := Sent{Key: m.key, Kind: m.kind, Round: p.Slug, Token: m.tokens[0], Exch: m.exch, At: s.c.Stamp(), Conn: c.number, Text: TextOf(m.data)}
	if c.mute {
		s.sent = append(s.sent, sent)
		return
	}
	select {
	case c.out <- outgoing{data: m.data, sent: sent, real: true}:
	default:
		s.slowed.Add(1)
		c.cut()
	}
}

// Sent returns what was handed to connections and written to them, in order of
// writing.
func (s *Server) Sent() []Sent {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sent
}

// Twice returns how often a token was subscribed that had a subscription.
func (s *Server) Twice() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.twice
}

// Slow returns how many connections were cut off because they read too slowly.
func (s *Server) Slow() int64 { return s.slowed.Load() }

// Connections returns how many are open.
func (s *Server) Connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.conns)
}

// Down makes the server refuse everything, and drops every connection without a
// word; Up ends that.
func (s *Server) Down() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for c := range s.conns {
		c.cut()
	}
}

// Up lets clients in again.
func (s *Server) Up() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = false
}

// Mute makes every connection there is answer heartbeats and nothing else, for good.
// What they would have sent is in Sent.
func (s *Server) Mute() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		c.mute = true
	}
}

// Spoil makes the next n first books impossible: with a bid of 1.5.
func (s *Server) Spoil(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spoilt = n
}

// Say sends text to every connection, whatever it is.
func (s *Server) Say(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		select {
		case c.out <- outgoing{data: []byte(text)}:
		default:
			c.cut()
		}
	}
}

// conn is one client of the channel.
type conn struct {
	number int64
	tokens map[string]bool
	mute   bool
	out    chan outgoing
	cut    context.CancelFunc
}

type outgoing struct {
	data []byte
	sent Sent
	real bool
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	closed := s.closed
	s.mu.Unlock()
	switch {
	case s.c.Intercept != nil && s.c.Intercept(w, r):
	case closed:
		http.Error(w, "down", http.StatusServiceUnavailable)
	case r.URL.Path == "/ws/market":
		s.channel(w, r)
	case r.URL.Path == "/events":
		s.events(w, r)
	case r.URL.Path == "/markets":
		s.markets(w, r)
	default:
		http.NotFound(w, r)
	}
}

// channel serves one client until it goes or is cut off.
func (s *Server) channel(w http.ResponseWriter, r *http.Request) {
	ws, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer func() { _ = ws.CloseNow() }()
	ctx, cut := context.WithCancel(context.WithoutCancel(r.Context()))
	defer cut()
	c := &conn{tokens: map[string]bool{}, out: make(chan outgoing, s.c.Out), cut: cut}
	s.mu.Lock()
	s.opened++
	c.number = s.opened
	s.conns[c] = true
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.conns, c)
		s.mu.Unlock()
	}()
	go func() {
		defer cut()
		s.write(ctx, ws, c)
	}()
	for {
		_, in, err := ws.Reader(ctx)
		if err != nil {
			return
		}
		data, err := io.ReadAll(in)
		if err != nil {
			return
		}
		if string(data) == "PING" {
			select {
			case c.out <- outgoing{data: []byte("PONG")}:
			default:
				return
			}
			continue
		}
		s.request(c, data)
	}
}

func (s *Server) write(ctx context.Context, ws *websocket.Conn, c *conn) {
	for {
		select {
		case <-ctx.Done():
			return
		case o := <-c.out:
			if o.real {
				s.mu.Lock() // before it is written: one that is not received was sent too
				s.sent = append(s.sent, o.sent)
				s.mu.Unlock()
			}
			if ws.Write(ctx, websocket.MessageText, o.data) != nil {
				return
			}
		}
	}
}

// request takes a change of what a client has asked for.
func (s *Server) request(c *conn, data []byte) {
	var ask struct {
		Tokens    []string `json:"assets_ids"`
		Dump      bool     `json:"initial_dump"`
		Type      string   `json:"type"`
		Operation string   `json:"operation"`
	}
	if json.Unmarshal(data, &ask) != nil || ask.Type != "market" && ask.Operation == "" {
		select {
		case c.out <- outgoing{data: []byte("INVALID OPERATION")}:
		default:
		}
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range ask.Tokens {
		if ask.Operation == "unsubscribe" {
			delete(c.tokens, t)
			continue
		}
		for other := range s.conns {
			if other.tokens[t] {
				s.twice++
			}
		}
		c.tokens[t] = true
	}
	if ask.Operation == "unsubscribe" || !ask.Dump {
		return
	}
	for _, t := range ask.Tokens {
		s.first(c, t)
	}
}

// first sends the whole book of a token, if it has one. mu is held.
func (s *Server) first(c *conn, token string) {
	p := s.of[token]
	if p == nil || s.c.Bare {
		return
	}
	b := p.books[token]
	if b.at.IsZero() {
		b = p.books[p.other(token)].mirror()
	}
	if b.at.IsZero() {
		return
	}
	m := p.whole(token, b)
	if s.spoilt > 0 {
		s.spoilt--
		m.data = bytes.Replace(m.data, []byte(`"bids":[`), []byte(`"bids":[{"price":"1.5","size":"1"},`), 1)
		m.data = bytes.Replace(m.data, []byte(`},]`), []byte(`}]`), 1)
		m.kind = "spoilt"
	}
	m.data = append(append([]byte("["), m.data...), ']')
	s.hand(c, p, m)
}
