package credentials_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/identity/credentials"
	"github.com/ladderback/ladderback/market"
)

func TestAddresses(t *testing.T) {
	t.Parallel()
	for _, a := range []string{
		"", "ada", "ada@", "@example.com", "ada@example", "ada@example.com, eve@example.com", "Ada <ada@example.com>", "ada@exam ple.com", "ada@example.com\r\nBcc: eve@example.com",
		"ada@example.com\x00", "a@b@example.com", "ada@.example.com", "ada@example.com.", "\"a b\"@example.com", strings.Repeat("a", 250) + "@example.com", "ada;@example.com", "ada@[192.0.2.1]",
	} {
		_, _, err := credentials.ParseAddress(a)
		require.Equal(t, market.CodeInvalid, market.CodeOf(err), "%q", a)
	}
	address, folded, err := credentials.ParseAddress("  Ada.Lovelace+x@Example.COM ")
	require.NoError(t, err)
	require.Equal(t, "Ada.Lovelace+x@example.com", address)
	require.Equal(t, "ada.lovelace+x@example.com", folded)
}

// TestAddressesOfTheWorld: who has a mailbox in another script has an account, under the
// name that mail servers know its domain by.
func TestAddressesOfTheWorld(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Kim@Example.COM":                             "Kim@example.com",
		"kim@müller.example":                          "kim@xn--mller-kva.example",
		"kim@MÜLLER.example":                          "",
		"kim@xn--mller-kva.example":                   "kim@xn--mller-kva.example",
		"kim@xn--MLLER-KVA.example":                   "kim@xn--mller-kva.example",
		"kim@xn--a.example":                           "",
		"kim@例え.jp":                                   "kim@xn--r8jz45g.jp",
		"kim@почта.рф":                                "kim@xn--80a1acny.xn--p1ai",
		"kim@p\u043Eчта.рф":                           "",
		"müller@example.com":                          "müller@example.com",
		"Müller@example.com":                          "Müller@example.com",
		"MÜLLER@example.com":                          "",
		"mu\u0308ller@example.com":                    "",
		"ırmak.çelik@example.com":                     "",
		"иван.петров@почта.рф":                        "иван.петров@xn--80a1acny.xn--p1ai",
		"ιωαννης@example.gr":                          "ιωαννης@example.gr",
		"田中.a@例え.jp":                                  "田中.a@xn--r8jz45g.jp",
		"ひらかな漢字カタ@例え.jp":                              "ひらかな漢字カタ@xn--r8jz45g.jp",
		"홍길동@example.kr":                              "홍길동@example.kr",
		"राम@example.in":                              "राम@example.in",
		"kim@-a.example":                              "",
		"kim@a_b.example":                             "",
		"kim@" + strings.Repeat("a", 64) + ".example": "",
	} {
		got, folded, err := credentials.ParseAddress(text)
		if want == "" {
			require.Equal(t, market.CodeInvalid, market.CodeOf(err), text)
			require.Empty(t, got, text)
			continue
		}
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
		again, same, err := credentials.ParseAddress(folded)
		require.NoError(t, err, text)
		require.Equal(t, []string{folded, folded}, []string{again, same}, text)
	}
}
