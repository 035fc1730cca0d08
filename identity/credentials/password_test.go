package credentials_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/alexedwards/argon2id"
	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/identity/credentials"
	"github.com/ladderback/ladderback/market"
)

func TestPasswords(t *testing.T) {
	t.Parallel()
	const address = "ada.lovelace@example.com"
	for _, p := range []string{
		"", "short", "elevenchars", strings.Repeat("x1Y.z Q7", 16) + ".", "password1234", "Password123!", "P@ssw0rd2026", "qwertyuiop12", "123456789012", "aaaaaaaaaaaa",
		"abababababab", "abcdefghijkl", "letmeinletmein", "iloveyou2026", "ada.lovelace@example.com", "ADA.LOVELACE@EXAMPLE.COM", "adalovelace123", "welcome12345", "passwordpassword",
		"correcthorsebatterystaple", "qwertyqwerty1", "bitcoin20262026", "ｐａｓｓｗｏｒｄ１２３４", "bad\xffbytes in here",
	} {
		require.Equal(t, market.CodeInvalid, market.CodeOf(credentials.CheckPassword(p, address)), "%q", p)
	}
	for _, p := range []string{"twelve chars", "grüße aus Köln", "пароль из слов", strings.Repeat("x1Y.z Q7", 16), "blue lamp under nine", "f8d2.k19x.qq7c"} {
		require.NoError(t, credentials.CheckPassword(p, address), p)
	}
}

// TestBoundsOfPasswords: the bounds are counted in characters as they are hashed, and a short
// name before the @ is no password of its own.
func TestBoundsOfPasswords(t *testing.T) {
	t.Parallel()
	const address = "al@example.com"
	long := strings.Repeat("x1Y.z Q7", credentials.MaxPassword/8)
	require.NoError(t, credentials.CheckPassword(long, address))
	require.ErrorContains(t, credentials.CheckPassword(long+"!", address), "at most 128")
	require.ErrorContains(t, credentials.CheckPassword("blue lamp 1", address), "at least 12")
	require.NoError(t, credentials.CheckPassword("ｂｌｕｅ ｌａｍｐ １２", address), "as many characters in a wide script")
	require.ErrorContains(t, credentials.CheckPassword("carl.carl.carl", "carl@example.com"), "is the address")
	require.NoError(t, credentials.CheckPassword("al.al.al.zq.wv", address))
}

// hasher returns one that works little: it is about turns and answers.
func hasher(t *testing.T, wait time.Duration) *credentials.Hasher {
	t.Helper()
	h, err := credentials.NewHasher(&argon2id.Params{Memory: 8, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 16}, wait)
	require.NoError(t, err)
	return h
}

// TestMatches: a password matches its own hash however it is encoded, no other, and never an
// account that has none.
func TestMatches(t *testing.T) {
	t.Parallel()
	h := hasher(t, time.Minute)
	hash, err := h.Hash(t.Context(), "gru\u0308\u00dfe aus Ko\u0308ln")
	require.NoError(t, err)
	again, err := h.Hash(t.Context(), "gr\u00fc\u00dfe aus K\u00f6ln")
	require.NoError(t, err)
	require.NotEqual(t, hash, again, "each has a salt of its own")
	for _, one := range []string{hash, again} {
		ok, err := h.Matches("gr\u00fc\u00dfe aus K\u00f6ln", one)
		require.NoError(t, err)
		require.True(t, ok)
		ok, err = h.Matches("gr\u00fc\u00dfe aus K\u00f6lm", one)
		require.NoError(t, err)
		require.False(t, ok)
	}
	ok, err := h.Matches("", "")
	require.NoError(t, err)
	require.False(t, ok, "no account")
	_, err = h.Matches("anything at all", "no hash")
	require.Error(t, err)
}

// TestTurns: at most two hash at a time; who waits in vain is told to come again, who goes
// away is not kept, and a turn that ends is the next one's.
func TestTurns(t *testing.T) {
	t.Parallel()
	h := hasher(t, time.Millisecond)
	var held []func()
	var err error
	for {
		var done func()
		if done, err = h.Turn(t.Context()); err != nil {
			break
		}
		held = append(held, done)
		require.LessOrEqual(t, len(held), 2)
	}
	require.ErrorIs(t, err, credentials.ErrBusy)
	require.Equal(t, market.CodeUnavailable, market.CodeOf(err))
	require.NotEmpty(t, held)
	_, err = h.Hash(t.Context(), "blue lamp under nine")
	require.ErrorIs(t, err, credentials.ErrBusy)
	gone, leave := context.WithCancel(t.Context())
	leave()
	patient := hasher(t, time.Hour)
	for range held {
		_, err = patient.Turn(t.Context())
		require.NoError(t, err)
	}
	_, err = patient.Turn(gone)
	require.ErrorIs(t, err, context.Canceled)
	held[0]()
	_, err = h.Turn(t.Context())
	require.NoError(t, err)
}
