package accounts_test

import (
	"context"
	"net/netip"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alexedwards/argon2id"
	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/identity"
	"github.com/ladderback/ladderback/identity/accounts"
	"github.com/ladderback/ladderback/identity/mail"
	"github.com/ladderback/ladderback/internal/pgtest"
	"github.com/ladderback/ladderback/market"
)

// stores runs a test on a service over every kind of store.
func stores(t *testing.T, test func(t *testing.T, w *world)) {
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		s, err := identity.Open(context.Background(), filepath.Join(t.TempDir(), "access.db"), true)
		require.NoError(t, err)
		test(t, newWorld(t, s, nil))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		s, err := identity.Open(context.Background(), pgtest.Database(t), true)
		require.NoError(t, err)
		test(t, newWorld(t, s, nil))
	})
}

// world is a service with a clock that the test moves and mails that it reads.
type world struct {
	*accounts.Service
	store *identity.Store
	keys  *identity.Keys
	meter *identity.Meter
	box   *box
	mu    sync.Mutex
	time  time.Time
}

// quick is a hash that costs a test nothing.
var quick = &argon2id.Params{Memory: 64, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32}

func newWorld(t *testing.T, store *identity.Store, change func(c *accounts.Config)) *world {
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	w := &world{store: store, box: &box{}, time: time.Date(2026, 4, 13, 14, 0, 10, 0, time.UTC)}
	w.keys = identity.NewKeys(store, identity.DefaultPlans(), w.now)
	w.meter = identity.NewMeter(store, w.now)
	cfg := accounts.Config{Store: store, Plans: identity.DefaultPlans(), Mail: w.box, BaseURL: "https://app.example.com", Hash: quick, Now: w.now}
	if change != nil {
		change(&cfg)
	}
	var err error
	w.Service, err = accounts.New(cfg, w.meter)
	require.NoError(t, err)
	return w
}

func (w *world) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.time
}

func (w *world) add(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.time = w.time.Add(d)
}

// box is a mail server that keeps what it is handed.
type box struct {
	mu    sync.Mutex
	mails []mail.Message
	fail  error
}

func (b *box) Kind() string { return "smtp" }

func (b *box) Send(_ context.Context, m *mail.Message) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.fail != nil {
		return b.fail
	}
	b.mails = append(b.mails, *m)
	return nil
}

func (b *box) refuse(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fail = err
}

// to returns the mails to an address, oldest first.
func (b *box) to(address string) (out []mail.Message) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, m := range b.mails {
		if m.To == address {
			out = append(out, m)
		}
	}
	return out
}

const password = "staple.Horse-42.battery"

// here is where requests come from, each test address from a network of its own.
func here(t testing.TB) accounts.From {
	t.Helper()
	return accounts.From{Address: netip.MustParseAddr("192.0.2.17"), Agent: "test"}
}

// network is a client in a network of its own.
func network(i int) accounts.From {
	return accounts.From{Address: netip.AddrFrom4([4]byte{10, byte(i >> 8), byte(i), 7}), Agent: "test"}
}

var inLink = regexp.MustCompile(`/(verify|reset|invitation)#([A-Za-z0-9_-]{43})\n`)

// link returns the secret in the newest mail to an address.
func (w *world) link(t testing.TB, address string) string {
	t.Helper()
	require.NoError(t, w.Settle(t.Context()))
	mails := w.box.to(address)
	require.NotEmpty(t, mails)
	m := mails[len(mails)-1]
	found := inLink.FindStringSubmatch(m.Plain)
	require.NotNil(t, found, "%s", m.Plain)
	require.Contains(t, m.HTML, "#"+found[2])
	require.Contains(t, m.Plain, "code there: "+found[2])
	return found[2]
}

// register makes an account and verifies it.
func (w *world) register(t testing.TB, address string) *accounts.SignedIn {
	t.Helper()
	require.NoError(t, w.Register(t.Context(), address, password, here(t)))
	_, err := w.Verify(t.Context(), w.link(t, address), password, nil, here(t))
	require.NoError(t, err)
	return w.signIn(t, address)
}

func (w *world) signIn(t testing.TB, address string) *accounts.SignedIn {
	t.Helper()
	return w.signInFrom(t, address, "")
}

func (w *world) signInFrom(t testing.TB, address, device string) *accounts.SignedIn {
	t.Helper()
	from := here(t)
	from.Device = device
	in, err := w.SignIn(t.Context(), address, password, from)
	require.NoError(t, err)
	return &in
}

// session is the session of a token as it is now.
func (w *world) session(t testing.TB, token string) *accounts.Session {
	t.Helper()
	s, err := w.InSession(t.Context(), token)
	require.NoError(t, err)
	return s
}

func (w *world) gone(t testing.TB, token string) {
	t.Helper()
	_, err := w.InSession(t.Context(), token)
	require.ErrorIs(t, err, identity.ErrNoSession)
}

func code(t testing.TB, want market.Code, err error) {
	t.Helper()
	require.Equal(t, want, market.CodeOf(err), "%v", err)
}

// strangeSecrets are what no link has.
func strangeSecrets(secret string) []string {
	return []string{"", secret[:42], secret[1:], secret + "A", strings.ToLower(secret), strings.Repeat("A", 43), "'; --", "\x00"}
}
