package accounts_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/identity/accounts"
	"github.com/ladderback/ladderback/market"
)

// victim is an address that every letter of can be imitated in.
const victim = "kim.ole@mailing.example"

// lookalikes are addresses that people, or a mapping of letters, take for the victim's.
var lookalikes = []string{
	"kim.ole@ma\u0130ling.example",                          // capital dotted I
	"kim.ole@ma\u0131ling.example",                          // small dotless i
	"k\u0130m.ole@mailing.example",                          // in the local part
	"k\u0131m.ole@mailing.example",                          //
	"\u212Aim.ole@mailing.example",                          // Kelvin sign
	"\uFF4B\uFF49\uFF4D.ole@mailing.example",                // full width
	"kim.ole@\uFF4D\uFF41iling.example",                     //
	"kim.ole\uFF20mailing.example",                          // full width @
	"kim.ole@mailing\uFF0Eexample",                          // full width dot
	"kim.ole@mailing\u3002example",                          // ideographic full stop
	"kim.\u043Ele@mailing.example",                          // Cyrillic o
	"kim.\u03BFle@mailing.example",                          // Greek omicron
	"\u043A\u0456\u043C.\u043E\u04CF\u0435@mailing.example", // Cyrillic alone
	"kim.ole@m\u0430iling.example",                          // Cyrillic a
	"kim.ole@ma\u00ADiling.example",                         // soft hyphen
	"kim.ole@ma\u200Biling.example",                         // zero width space
	"ki\u200Dm.ole@mailing.example",                         // zero width joiner
	"ki\u034Fm.ole@mailing.example",                         // combining grapheme joiner
	"kim.o\u200Ele@mailing.example",                         // mark of direction
	"\u202Ekim.ole@mailing.example",                         //
	"kim.o\u017Fle@mailing.example",                         // long s
	"kim.o\U0001D425e@mailing.example",                      // mathematical l
	"\uFB01m.ole@mailing.example",                           // ligature
	"kim.ole@\u24DCailing.example",                          // circled m
}

// otherCases are the victim's address in other cases of ASCII, which are one address.
var otherCases = []string{"KIM.OLE@MAILING.EXAMPLE", "Kim.Ole@mailing.example", "kim.ole@Mailing.Example", "  kim.ole@mailing.example "}

// mailsBeside returns to whom mails went but to an address.
func (b *box) mailsBeside(address string) (out []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, m := range b.mails {
		if m.To != address {
			out = append(out, m.To)
		}
	}
	return out
}

// TestLookalikesReachNoAccount asks in the name of an account by every spelling that
// looks like its address: no mail goes anywhere but to the address that is stored.
func TestLookalikesReachNoAccount(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		w.register(t, victim)
		for i, spelling := range append(lookalikes, otherCases...) {
			from := network(i)
			looks := i < len(lookalikes)
			for name, err := range map[string]error{
				"register": w.Register(ctx, spelling, password+"2", from), "forgotten": w.Forgotten(ctx, spelling, from),
			} {
				if looks {
					code(t, market.CodeInvalid, err)
					require.Greater(t, len(err.Error()), 30, "a reason: %s %q", name, spelling)
				} else {
					require.NoError(t, err, "%s %q", name, spelling)
				}
			}
			_, err := w.SignIn(ctx, spelling, password, from)
			if looks {
				require.ErrorIs(t, err, accounts.ErrWrong, "%q", spelling)
			} else {
				require.NoError(t, err, "%q", spelling)
			}
			_, err = w.SignInWithIdentity(ctx, "https://id.example.com", spelling, spelling, true, from)
			if looks {
				code(t, market.CodeForbidden, err)
			} else {
				require.ErrorAs(t, err, new(*accounts.JoinError), "%q", spelling)
			}
			w.add(30 * 60 * 1e9)
		}
		require.NoError(t, w.Settle(ctx))
		require.Empty(t, w.box.mailsBeside(victim))
		require.NotEmpty(t, w.box.to(victim))
		w.signIn(t, victim)
	})
}

// TestStoredAddressStays: an address that nobody verified keeps the spelling that it was
// registered in, and mails go there alone.
func TestStoredAddressStays(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		require.NoError(t, w.Register(ctx, victim, "the first one's own words", here(t)))
		w.link(t, victim)
		for i, spelling := range append(otherCases, lookalikes...) {
			from := network(i)
			_ = w.Register(ctx, spelling, password, from)
			_ = w.Forgotten(ctx, spelling, from)
			require.NoError(t, w.Settle(ctx))
			w.add(30 * 60 * 1e9)
		}
		in, err := w.SignInWithIdentity(ctx, "https://id.example.com", "kim", strings.ToUpper(victim), true, here(t))
		require.NoError(t, err)
		require.Equal(t, victim, in.Account.Address)
		require.False(t, in.Account.Verified, "the provider vouches for another spelling")
		require.NoError(t, w.Settle(ctx))
		require.Empty(t, w.box.mailsBeside(victim))
	})
}
