package accounts_test

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/identity"
	"github.com/ladderback/ladderback/identity/accounts"
)

// TestTokens gives tokens and misuses them in every way.
func TestTokens(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		in := w.register(t, "a@example.com")
		token, ends, err := w.Token(ctx, &in.Session)
		require.NoError(t, err)
		require.Equal(t, 2, strings.Count(token, "."), "told from a key")
		require.InDelta(t, w.now().Add(accounts.TokenLife).Unix(), ends.Time().Unix(), 1)
		s, err := w.OfToken(ctx, token)
		require.NoError(t, err)
		require.Equal(t, in.ID, s.ID)

		parts := strings.Split(token, ".")
		_, foreign, err := ed25519.GenerateKey(nil)
		require.NoError(t, err)
		read := func(part string) (m map[string]any) {
			text, err := base64.RawURLEncoding.DecodeString(part)
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(text, &m))
			return m
		}
		header, claims := read(parts[0]), read(parts[1])
		require.Equal(t, []any{"ai"}, claims["aud"])
		require.NotContains(t, token, in.Token)
		sign := func(method jwt.SigningMethod, key any) string {
			one := jwt.NewWithClaims(method, jwt.MapClaims(claims))
			one.Header["kid"] = header["kid"]
			text, err := one.SignedString(key)
			require.NoError(t, err)
			return text
		}
		var public []byte
		require.NoError(t, w.store.DB().QueryRowContext(ctx, `SELECT public FROM access_signing_keys`).Scan(&public))
		bad := map[string]string{
			"none":        sign(jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType),
			"HS256":       sign(jwt.SigningMethodHS256, public), // with what everybody may know
			"another key": sign(jwt.SigningMethodEdDSA, foreign),
			"cut":         token[:len(token)-1], "no signature": parts[0] + "." + parts[1] + ".", "claims alone": "." + parts[1] + ".", "empty": "..",
			"twisted": parts[1] + "." + parts[0] + "." + parts[2],
		}
		for name, text := range bad {
			_, err := w.OfToken(ctx, text)
			require.ErrorIs(t, err, identity.ErrUnauthorized, name)
		}
		w.add(accounts.TokenLife - time.Second)
		_, err = w.OfToken(ctx, token)
		require.NoError(t, err)
		w.add(time.Second)
		_, err = w.OfToken(ctx, token)
		require.ErrorIs(t, err, identity.ErrUnauthorized, "expired")

		token, _, err = w.Token(ctx, &in.Session)
		require.NoError(t, err)
		require.NoError(t, w.SignOut(ctx, in.Token))
		_, err = w.OfToken(ctx, token)
		require.ErrorIs(t, err, identity.ErrUnauthorized, "of a session that ended")
	})
}

// TestTokensOverServers: two processes over one store take each other's tokens, keys
// rotate with two of them valid, and another server's tokens are worth nothing.
func TestTokensOverServers(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		second, err := accounts.New(accounts.Config{Store: w.store, Plans: w.Plans(), Mail: w.box, BaseURL: w.BaseURL(), Hash: quick, Now: w.now}, w.meter)
		require.NoError(t, err)
		in := w.register(t, "a@example.com")
		one, _, err := w.Token(ctx, &in.Session)
		require.NoError(t, err)
		two, _, err := second.Token(ctx, &in.Session)
		require.NoError(t, err)
		for _, token := range []string{one, two} {
			for _, s := range []*accounts.Service{w.Service, second} {
				_, err := s.OfToken(ctx, token)
				require.NoError(t, err)
			}
		}
		w.add(11*time.Hour + 55*time.Minute)
		last, _, err := w.Token(ctx, &in.Session)
		require.NoError(t, err)
		w.session(t, in.Token)
		w.add(6 * time.Minute)
		next, _, err := w.Token(ctx, &in.Session)
		require.NoError(t, err)
		require.NotEqual(t, strings.Split(last, ".")[0], strings.Split(next, ".")[0], "another key")
		for _, token := range []string{last, next} {
			_, err = w.OfToken(ctx, token)
			require.NoError(t, err)
		}

		for name, c := range map[string]struct {
			same bool // store
			base string
		}{"another name": {true, "https://other.example.com"}, "another store": {false, w.BaseURL()}} {
			store := w.store
			if !c.same {
				store, err = identity.Open(context.Background(), filepath.Join(t.TempDir(), "other.db"), true)
				require.NoError(t, err)
				t.Cleanup(func() { require.NoError(t, store.Close()) })
			}
			other, err := accounts.New(accounts.Config{Store: store, Plans: w.Plans(), Mail: w.box, BaseURL: c.base, Hash: quick, Now: w.now}, w.meter)
			require.NoError(t, err)
			_, err = other.OfToken(ctx, next)
			require.ErrorIs(t, err, identity.ErrUnauthorized, name)
		}
	})
}
