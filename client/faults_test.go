//go:build unix

package client_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/client"
	"github.com/ladderback/ladderback/internal/pgtest"
	"github.com/ladderback/ladderback/internal/servertest"
)

// counted counts what is read of connections to an address, and the connections.
type counted struct {
	to           atomic.Pointer[string]
	read, opened atomic.Int64
}

func (c *counted) dial(ctx context.Context, network, _ string) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, network, *c.to.Load())
	c.opened.Add(1)
	return &countedConn{conn, c}, err
}

type countedConn struct {
	net.Conn
	of *counted
}

func (c *countedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.of.read.Add(int64(n))
	return n, err
}

// TestThroughProxy: an answer of the real server that is cut, in its head, in mid-page, in
// mid-stream, in mid-bulk or a byte before its end, is an error, never a short one, and it is
// asked for twice at most; one that drips is whole.
func TestThroughProxy(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, 24)
	wire := new(counted)
	// Each way of spoiling has a proxy of its own: taking one out of a proxy whose connections
	// are just ending may never return.
	through := func() *pgtest.Proxy {
		p := pgtest.ProxyTo(t, strings.TrimPrefix(s.Base, "http://"))
		wire.to.Store(&p.Listen)
		return p
	}
	c := client.New("http://proxy", s.Key, client.WithRetries(2, time.Second),
		client.WithHTTP(&http.Client{Transport: &http.Transport{DialContext: wire.dial, DisableKeepAlives: true}}))
	ctx := t.Context()
	through()
	var m *client.Market
	for one, err := range c.Markets(ctx, client.MarketQuery{IncludeClosed: true}) {
		require.NoError(t, err)
		m, err = c.Market(ctx, one.Slug)
		require.NoError(t, err)
		break
	}
	w := client.Window{Start: *m.StartDate, End: *m.EndDate, Resolution: "5s"}
	bulk := func(f client.Format) (int, error) {
		body, err := c.Bulk(ctx, client.MarketHistory(m.ID, "books"), w, f)
		if err != nil {
			return 0, err
		}
		defer body.Close()
		text, err := io.ReadAll(body)
		return len(text), err
	}
	asks := map[string]func() (int, error){
		"page": func() (n int, err error) {
			for p, err := range c.MarketBooks(ctx, m.ID, w) {
				if err != nil {
					return n, err
				}
				n += len(p.Data[m.Tokens[0].Label])
				break // one answer a connection
			}
			return n, nil
		},
		"rows": func() (n int, err error) {
			for _, err := range client.Rows[client.BookRow](ctx, c, client.MarketHistory(m.ID, "books"), w) {
				if err != nil {
					return n, err
				}
				n++
			}
			return n, nil
		},
		"parquet": func() (int, error) { return bulk(client.Parquet) },
		"csv":     func() (int, error) { return bulk(client.CSV) },
		"parse": func() (int, error) {
			_, err := c.Parse(ctx, prompt)
			return 1, err
		},
		"backtest": func() (int, error) {
			body, err := c.Backtest(ctx, client.Request{Prompt: prompt}, func(int, int) {})
			if err != nil {
				return 0, err
			}
			return len(body.Report.Trades), nil
		},
	}
	for name, ask := range asks {
		through()
		before := wire.read.Load()
		whole, err := ask()
		require.NoError(t, err, name)
		require.Positive(t, whole, name)
		size := int(wire.read.Load() - before)
		cuts := []int{1, 100, size / 2}
		if name != "backtest" { // whose progress may be told more or less often
			cuts = append(cuts, size-1)
		}
		for _, cut := range cuts {
			through().Cut(cut)
			opened := wire.opened.Load()
			_, err := ask()
			require.Error(t, err, "%s of %d bytes, cut after %d", name, size, cut)
			require.NotContains(t, err.Error(), s.Key)
			require.False(t, errors.As(err, new(*client.Error)), "%s: the server said nothing: %v", name, err)
			require.LessOrEqual(t, wire.opened.Load()-opened, int64(2), name)
		}
		through().Drip(512, 100*time.Microsecond)
		dripped, err := ask()
		require.NoError(t, err, name)
		require.Equal(t, whole, dripped, name)
	}

	patient := client.New("http://proxy", s.Key, client.WithRetries(10, time.Second),
		client.WithHTTP(&http.Client{Transport: &http.Transport{DialContext: wire.dial, DisableKeepAlives: true}}))
	through().Hang() // nothing comes: the caller's patience ends it
	short, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	_, err := patient.Usage(short)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	proxy := through()
	proxy.Down() // and back before the last try
	back := time.AfterFunc(50*time.Millisecond, proxy.Up)
	defer back.Stop()
	_, err = patient.Usage(ctx)
	require.NoError(t, err)
}
