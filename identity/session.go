package identity

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/ladderback/ladderback/market"
)

// How long sessions live, of keys and of people.
const (
	SessionIdle = 12 * time.Hour      // without a request
	SessionLife = 30 * 24 * time.Hour // at most
)

// ticketTTL is how long a ticket can be redeemed.
const ticketTTL = 10 * time.Minute

// touchInterval is how often the use of a session is recorded.
const touchInterval = time.Minute

// Session is what is stored about a browser that is signed in: for whom, and since
// when. Its token is with the browser alone.
type Session struct {
	KeyDigest Digest // of the key behind it, whose plan and limits it has
	MadeAt    market.Instant
	SeenAt    market.Instant // its last request, or one less than a minute before
}

// ErrNoSession means that there is no such session, or that it is over.
var ErrNoSession error = market.Errorf(market.CodeUnauthorized, "not signed in, or the session is over")

// tokenDigest is what is stored of the token of a session or a ticket.
func tokenDigest(token string) Digest { return sha256.Sum256([]byte("session " + token)) }

// NewSecret returns 256 random bits as 43 characters that an address may hold.
func NewSecret() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// SignIn makes a session for a key and returns its token. It fails as Find does.
func (ks *Keys) SignIn(ctx context.Context, secret string) (token string, h Holder, err error) {
	if h, err = ks.Find(ctx, secret); err != nil {
		return "", h, err
	}
	d, _ := DigestOf(secret)
	token, err = ks.startSession(ctx, d)
	return token, h, err
}

func (ks *Keys) startSession(ctx context.Context, key Digest) (token string, err error) {
	token = NewSecret()
	now := market.InstantOf(ks.now())
	if err := ks.store.CreateSession(ctx, tokenDigest(token), Session{KeyDigest: key, MadeAt: now, SeenAt: now}, now-sessionIdle); err != nil {
		return "", fmt.Errorf("keep session: %w", err)
	}
	return token, nil
}

const (
	sessionIdle = market.Instant(SessionIdle / time.Microsecond)
	sessionLife = market.Instant(SessionLife / time.Microsecond)
)

// InSession returns whose session a token is. It returns ErrNoSession for one that
// is over or whose key is revoked; any other error means that the store did not
// answer.
func (ks *Keys) InSession(ctx context.Context, token string) (Holder, error) {
	if token == "" {
		return Holder{}, ErrNoSession
	}
	d, now := tokenDigest(token), market.InstantOf(ks.now())
	s, err := ks.store.FindSession(ctx, d)
	switch {
	case errors.Is(err, ErrNoSession), err == nil && (s.SeenAt+sessionIdle <= now || s.MadeAt+sessionLife <= now):
		return Holder{}, ErrNoSession
	case err != nil:
		return Holder{}, fmt.Errorf("look up session: %w", err)
	}
	h, err := ks.holder(ctx, s.KeyDigest)
	if errors.Is(err, ErrUnauthorized) {
		return Holder{}, ErrNoSession
	}
	if err == nil && now-s.SeenAt >= market.Instant(touchInterval/time.Microsecond) {
		err = ks.store.TouchSession(ctx, d, now)
	}
	return h, err
}

// SignOut ends a session; one that is over already is no error.
func (ks *Keys) SignOut(ctx context.Context, token string) error {
	return ks.store.EndSession(ctx, tokenDigest(token))
}

// tickets are the ways in that were handed out and not used. They live in the
// process that made them.
type tickets struct {
	mu         sync.Mutex
	unredeemed map[Digest]ticket
}

type ticket struct {
	key   Digest
	until time.Time
}

// Ticket returns a token that can be redeemed once, within ten minutes, for a
// session of the key.
func (ks *Keys) Ticket(secret string) (string, error) {
	d, ok := DigestOf(secret)
	if !ok {
		return "", ErrUnauthorized
	}
	token := NewSecret()
	ks.tickets.mu.Lock()
	defer ks.tickets.mu.Unlock()
	if ks.tickets.unredeemed == nil {
		ks.tickets.unredeemed = map[Digest]ticket{}
	}
	now := ks.now()
	maps.DeleteFunc(ks.tickets.unredeemed, func(_ Digest, t ticket) bool { return !now.Before(t.until) })
	ks.tickets.unredeemed[tokenDigest(token)] = ticket{d, now.Add(ticketTTL)}
	return token, nil
}

// Redeem makes a session for a ticket, which is used up. It returns ErrUnauthorized
// for one that is unknown, used or too old.
func (ks *Keys) Redeem(ctx context.Context, token string) (session string, h Holder, err error) {
	d := tokenDigest(token)
	ks.tickets.mu.Lock()
	t, ok := ks.tickets.unredeemed[d]
	delete(ks.tickets.unredeemed, d)
	ks.tickets.mu.Unlock()
	if !ok || !ks.now().Before(t.until) {
		return "", Holder{}, ErrUnauthorized
	}
	if h, err = ks.holder(ctx, t.key); err != nil {
		return "", h, err
	}
	session, err = ks.startSession(ctx, t.key)
	return session, h, err
}
