package accounts_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/identity/accounts"
	"github.com/ladderback/ladderback/market"
)

// TestRefusedNetworkLocksNobodyOut: what a network tries after it has to wait counts at no
// address, neither for passwords nor for mails.
func TestRefusedNetworkLocksNobodyOut(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, w *world) {
		ctx, bad := t.Context(), network(1)
		w.register(t, "a@example.com")
		for i := range 34 {
			_, err := w.SignIn(ctx, fmt.Sprintf("x%d@example.com", i), "wrong", bad)
			require.Error(t, err)
			err = w.Forgotten(ctx, fmt.Sprintf("y%d@example.com", i), bad)
			require.Equal(t, i >= 30, err != nil, "%d %v", i, err)
		}
		for range 16 {
			_, err := w.SignIn(ctx, "a@example.com", "wrong", bad)
			code(t, market.CodeRateLimited, err)
			code(t, market.CodeRateLimited, w.Forgotten(ctx, "a@example.com", bad))
		}
		_, err := w.SignIn(ctx, "a@example.com", password, network(2))
		require.NoError(t, err, "from another network")
		require.NoError(t, w.Forgotten(ctx, "a@example.com", network(2)))

		// The other way round: a locked address costs the network nothing.
		for range 5 {
			_, err := w.SignIn(ctx, "b@example.com", "wrong", network(3))
			require.ErrorIs(t, err, accounts.ErrWrong)
		}
		for range 60 {
			_, err := w.SignIn(ctx, "b@example.com", "wrong", network(4))
			code(t, market.CodeRateLimited, err)
		}
		_, err = w.SignIn(ctx, "a@example.com", password, network(4))
		require.NoError(t, err)
	})
}

// TestKnownDevice: an address that strangers locked lets in a browser that signed in
// before, and in a session the password can be changed; a cookie of another account, an
// older password or a guess makes no browser known.
func TestKnownDevice(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		in := w.register(t, "a@example.com")
		other := w.register(t, "b@example.com")
		require.NotEmpty(t, in.Device)
		lock := func() {
			t.Helper()
			for i := range 8 {
				_, err := w.SignIn(ctx, "a@example.com", "wrong", network(100+i))
				require.Error(t, err)
				_ = w.Forgotten(ctx, "a@example.com", network(200+i))
			}
		}
		try := func(device, password string) error {
			from := network(7)
			from.Device = device
			_, err := w.SignIn(ctx, "a@example.com", password, from)
			return err
		}
		lock()
		for _, device := range []string{"", other.Device, in.Device + "A", "." + in.Device, "x." + in.Device, ".", in.Token} {
			code(t, market.CodeRateLimited, try(device, password))
		}
		require.NoError(t, try(in.Device, password))
		from := network(7)
		from.Device = in.Device
		require.NoError(t, w.Forgotten(ctx, "a@example.com", from), "the owner's own link")
		code(t, market.CodeRateLimited, try("", password))
		for range 5 {
			require.ErrorIs(t, try(in.Device, "wrong"), accounts.ErrWrong)
		}
		code(t, market.CodeRateLimited, try(in.Device, password))
		w.add(31 * time.Minute)
		lock()
		out, err := w.ChangePassword(ctx, &w.signInFrom(t, "a@example.com", in.Device).Session, password, password+"2", here(t))
		require.NoError(t, err, "in a session")
		code(t, market.CodeRateLimited, try(in.Device, password+"2"))
		require.NoError(t, try(out.Device, password+"2"))
		for range 5 {
			_, err := w.ChangePassword(ctx, &out.Session, "wrong", password+"3", here(t))
			code(t, market.CodeUnauthorized, err)
		}
		_, err = w.ChangePassword(ctx, &out.Session, password+"2", password+"3", here(t))
		code(t, market.CodeRateLimited, err)
	})
}
