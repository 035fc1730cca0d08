package passwords_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/identity/passwords"
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
		require.Equal(t, market.CodeInvalid, market.CodeOf(passwords.Check(p, address)), "%q", p)
	}
	for _, p := range []string{"twelve chars", "grüße aus Köln", "пароль из слов", strings.Repeat("x1Y.z Q7", 16), "blue lamp under nine", "f8d2.k19x.qq7c"} {
		require.NoError(t, passwords.Check(p, address), p)
	}
}
