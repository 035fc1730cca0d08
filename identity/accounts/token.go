package accounts

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/ladderback/ladderback/identity"
	"github.com/ladderback/ladderback/market"
)

// How long tokens of sessions, and the keys that sign them, live.
const (
	TokenLife = 10 * time.Minute
	keyLife   = 12 * time.Hour // signs; it verifies for TokenLife longer
)

// audience is who tokens are for: the routes of the AI backtests alone.
const audience = "ai"

// signer signs with a key of its process. Only the public half of it leaves the
// memory: it is put where the other processes find it. Rotation leaves the earlier
// key valid until the last token that it signed is over.
type signer struct {
	mu    sync.Mutex
	id    string
	key   ed25519.PrivateKey
	until market.Instant
}

// claims are those of a token.
type claims struct {
	jwt.RegisteredClaims
	Session string `json:"sid"` // the session's id, which no cookie is made of
}

// Token returns a JWT that stands for the session, and when it is over.
func (s *Service) Token(ctx context.Context, in *Session) (string, market.Instant, error) {
	if !in.Account.Verified {
		return "", 0, ErrUnverified
	}
	id, key, err := s.signingKey(ctx)
	if err != nil {
		return "", 0, err
	}
	now := s.now().Time()
	ends := now.Add(TokenLife).Truncate(time.Second)
	t := jwt.NewWithClaims(jwt.SigningMethodEdDSA, claims{jwt.RegisteredClaims{
		Issuer: s.cfg.BaseURL, Subject: in.Account.ID, Audience: jwt.ClaimStrings{audience},
		IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(ends), ID: newID("t_"),
	}, in.ID})
	t.Header["kid"] = id
	text, err := t.SignedString(key)
	return text, market.InstantOf(ends), err
}

// signingKey returns the key of this process, a new one when it is time.
func (s *Service) signingKey(ctx context.Context) (string, ed25519.PrivateKey, error) {
	s.sign.mu.Lock()
	defer s.sign.mu.Unlock()
	now := s.now()
	if s.sign.key != nil && now < s.sign.until {
		return s.sign.id, s.sign.key, nil
	}
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return "", nil, err
	}
	id, until := newID("e_"), now+span(keyLife)
	c := s.conn()
	if err := c.do(ctx, `DELETE FROM access_signing_keys WHERE ends_at <= $1`, int64(now)); err != nil {
		return "", nil, err
	}
	if err := c.do(ctx, `INSERT INTO access_signing_keys (id, public, created_at, ends_at) VALUES ($1, $2, $3, $4)`,
		id, []byte(public), int64(now), int64(until+span(TokenLife))); err != nil {
		return "", nil, err
	}
	s.sign.id, s.sign.key, s.sign.until = id, private, until
	return id, private, nil
}

// isToken reports whether a bearer is a JWT rather than a key.
func isToken(bearer string) bool { return strings.Count(bearer, ".") == 2 }

// OfToken returns the session that a token stands for. identity.ErrUnauthorized: the token
// is none of this server's, or it or its session is over; any other error means that the
// store did not answer.
func (s *Service) OfToken(ctx context.Context, token string) (*Session, error) {
	var store error // the key could not be looked up
	var c claims
	_, err := jwt.ParseWithClaims(token, &c, func(t *jwt.Token) (any, error) {
		id, _ := t.Header["kid"].(string)
		var public []byte
		ok, err := s.conn().row(ctx, `SELECT public FROM access_signing_keys WHERE id = $1 AND ends_at > $2`, args(id, int64(s.now())), &public)
		if err != nil {
			store = err
			return nil, err
		}
		if !ok || len(public) != ed25519.PublicKeySize {
			return nil, identity.ErrUnauthorized
		}
		return ed25519.PublicKey(public), nil
	}, jwt.WithValidMethods([]string{jwt.SigningMethodEdDSA.Alg()}), jwt.WithAudience(audience), jwt.WithIssuer(s.cfg.BaseURL),
		jwt.WithExpirationRequired(), jwt.WithIssuedAt(), jwt.WithTimeFunc(s.cfg.Now), jwt.WithStrictDecoding())
	switch {
	case store != nil:
		return nil, store
	case err != nil:
		return nil, identity.ErrUnauthorized
	}
	one, err := s.find(ctx, s.conn(), `s.id = $1`, c.Session)
	switch {
	case errors.Is(err, identity.ErrNoSession), err == nil && one.Account.ID != c.Subject:
		return nil, identity.ErrUnauthorized
	case err != nil:
		return nil, err
	}
	return &one, nil
}
