package accounts_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/identity/accounts"
	"github.com/ladderback/ladderback/identity/mail"
)

var sieges = flag.Int("sieges", 3, "how many addresses TestTakeThisAccountOver has a thief be after, 60 tries each, over each store")

// siege is a thief who is after the account of one address, and what its owner does.
type siege struct {
	*world
	rng     *rand.Rand
	address string
	stolen  []accounts.SignedIn // every session that the thief was given
	links   []string            // of the thief's own mails
	tickets []string
	tries   map[string]int
}

const (
	thiefs  = "thief@example.com"
	loot    = "the squatter's own words"
	ownPage = 9 // network of the owner
)

func (s *siege) took(in accounts.SignedIn, err error) {
	if err == nil && in.Token != "" {
		s.stolen = append(s.stolen, in)
	}
	if join, ok := err.(*accounts.JoinError); ok { //nolint:errorlint // as it is returned
		s.tickets = append(s.tickets, join.Ticket)
	}
}

// spelling is the owner's address, in a way that looks like it.
func (s *siege) spelling() string {
	if s.rng.IntN(2) == 0 {
		return s.address
	}
	letters := []rune(s.address)
	for range 1 + s.rng.IntN(2) {
		i := s.rng.IntN(len(letters))
		if to, ok := map[rune]string{
			'i': "\u0130\u0131\u0456I", 'k': "\u212A\u043AK", 'o': "\u043E\u03BFO", 'e': "\u0435E", 'a': "\u0430\uFF41A", 'm': "\uFF4DM",
			'l': "\u04CFL", '@': "\uFF20", '.': "\uFF0E\u3002",
		}[letters[i]]; ok {
			list := []rune(to)
			letters[i] = list[s.rng.IntN(len(list))]
		}
	}
	return string(letters)
}

func pickOf[T any](s *siege, list []T) (one T) {
	if len(list) > 0 {
		one = list[s.rng.IntN(len(list))]
	}
	return one
}

// mailbox is what came for the owner, oldest first: mail servers take a name whatever its
// case, and an account may be stored in the thief's.
func (s *siege) mailbox() (out []mail.Message) {
	s.box.mu.Lock()
	defer s.box.mu.Unlock()
	for _, m := range s.box.mails {
		if strings.EqualFold(m.To, s.address) {
			out = append(out, m)
		}
	}
	return out
}

// attack does one thing that a thief can do.
func (s *siege) attack(ctx context.Context, t *testing.T) {
	from := network(1000 + s.rng.IntN(5000))
	var in *accounts.Session
	if one := pickOf(s, s.stolen); one.Token != "" {
		in, _ = s.InSession(ctx, one.Token)
		from.Device = one.Device
	}
	acts := map[string]func(){
		"register":  func() { _ = s.Register(ctx, s.spelling(), loot, from) },
		"forgotten": func() { _ = s.Forgotten(ctx, s.spelling(), from) },
		"sign in":   func() { s.took(s.SignIn(ctx, s.spelling(), pickOf(s, []string{loot, "", "guess"}), from)) },
		"provider":  func() { s.took(s.SignInWithIdentity(ctx, issuer, "thief", s.spelling(), false, from)) },
		"own":       func() { s.took(s.SignIn(ctx, thiefs, loot, from)) },
		"join":      func() { s.took(s.Join(ctx, pickOf(s, s.tickets), loot, from)) },
		"verify": func() {
			out, err := s.Verify(ctx, pickOf(s, s.links), loot, in, from)
			if err == nil && out.Session != nil {
				s.took(*out.Session, nil)
			}
		},
		"reset": func() { _ = s.Reset(ctx, pickOf(s, s.links), loot, true, from) },
		"move": func() {
			if in != nil {
				_ = s.ChangeAddress(ctx, in, s.spelling(), loot, from)
			}
		},
		"again": func() {
			if in != nil {
				_ = s.VerifyAgain(ctx, in, from)
			}
		},
		"password": func() {
			if in != nil {
				s.took(s.ChangePassword(ctx, in, loot, loot, from))
			}
		},
	}
	names := []string{"register", "forgotten", "sign in", "provider", "own", "join", "verify", "reset", "move", "again", "password"}
	name := names[s.rng.IntN(len(names))]
	acts[name]()
	s.tries[name]++
	require.NoError(t, s.Settle(ctx))
	for _, m := range s.box.to(thiefs) {
		if found := inLink.FindStringSubmatch(m.Plain); found != nil {
			s.links = append(s.links, found[2])
		}
	}
}

// lost fails when a session of the thief is in a verified account of the owner's address,
// or a mail went to anybody but the two.
func (s *siege) lost(ctx context.Context, t *testing.T) {
	t.Helper()
	for _, one := range s.stolen {
		in, err := s.InSession(ctx, one.Token)
		require.False(t, err == nil && in.Account.Verified && strings.EqualFold(in.Account.Address, s.address), "taken over: %+v", in)
	}
	for _, to := range s.box.mailsBeside(thiefs) { // of earlier sieges, too
		require.Regexp(t, `^[!-~]+$`, to)
		require.Regexp(t, `^kim\.ole[0-9]+@mailing\.example$`, strings.ToLower(to))
	}
}

// TestTakeThisAccountOver lets a thief try everything at an address, before and after its
// owner registers, while the owner opens whatever link comes, with the owner's own
// password: the owner has the account in the end, and the thief never.
func TestTakeThisAccountOver(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		require.NoError(t, w.Register(ctx, thiefs, loot, here(t)))
		_, err := w.Verify(ctx, w.link(t, thiefs), loot, nil, here(t))
		require.NoError(t, err)
		tries := map[string]int{}
		for i := range *sieges {
			s := &siege{world: w, rng: rand.New(rand.NewPCG(1, uint64(i))), address: fmt.Sprintf("kim.ole%d@mailing.example", i), tries: tries}
			spent, owned := map[string]bool{}, false
			for range 60 {
				s.attack(ctx, t)
				switch s.rng.IntN(6) {
				case 0:
					_ = w.Register(ctx, s.address, password, network(ownPage))
				case 1: // the owner opens what came, newest first
					mails := s.mailbox()
					for j := len(mails) - 1; j >= 0; j-- {
						found := inLink.FindStringSubmatch(mails[j].Plain)
						if found == nil || spent[found[2]] || found[1] != "verify" {
							continue
						}
						spent[found[2]] = true
						_, err := w.Verify(ctx, found[2], password, nil, network(ownPage))
						owned = owned || err == nil
						break
					}
				}
				require.NoError(t, w.Settle(ctx))
				s.lost(ctx, t)
				w.add(7 * time.Minute)
			}
			// The last word is the owner's, in whatever state that left the address.
			w.add(time.Hour)
			if !owned {
				require.NoError(t, w.Register(ctx, s.address, password, network(ownPage)))
				require.NoError(t, w.Settle(ctx))
				mails := s.mailbox()
				require.NotEmpty(t, mails)
				found := inLink.FindStringSubmatch(mails[len(mails)-1].Plain)
				require.NotNil(t, found)
				_, err := w.Verify(ctx, found[2], password, nil, network(ownPage))
				require.NoError(t, err)
			}
			in, err := w.SignIn(ctx, s.address, password, network(ownPage))
			require.NoError(t, err)
			require.True(t, in.Account.Verified)
			s.lost(ctx, t)
			list, err := w.Identities(ctx, &in.Session)
			require.NoError(t, err)
			require.Empty(t, list)
		}
		t.Logf("tries: %v", tries)
	})
}
